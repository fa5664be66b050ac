"""Task families and tasks: list them, show one, let the oracle verify them, export them as JSON lines.

python -m launch.tasks                                      families
python -m launch.tasks --split=dev [--family=alarm_create]  tasks of a split
python -m launch.tasks --show=alarm_create-dev-000000       one task, in full, with the oracle's actions
python -m launch.tasks --verify [--split=dev]               the oracle plays them; exit code 1 if one fails
python -m launch.tasks --split=dev --export=dev.jsonl
"""

from __future__ import annotations

from absl import flags

from launch import cli

_SPLITS = ["train", "dev", "evolve", "test_unseen_instance", "test_unseen_family"]
_SPLIT = flags.DEFINE_enum("split", None, _SPLITS, "list the tasks of this split instead of the families")
_FAMILY = flags.DEFINE_string("family", None, "only this task family")
_LIMIT = flags.DEFINE_integer("limit", None, "at most so many tasks (of the endless train split: 100)", lower_bound=1)
_CANDIDATES = flags.DEFINE_integer("candidates", 3, "visible tools per task", lower_bound=1)
_SEED = flags.DEFINE_integer("seed", 0, "of the train split")
_SHOW = flags.DEFINE_string("show", None, "show one task, by id")
_VERIFY = flags.DEFINE_bool("verify", False, "let the oracle solve the tasks; without --split: dev")
_EXPORT = flags.DEFINE_string("export", None, "write the tasks to this file, one JSON object per line")


def main() -> int:
    """Dispatches on the flags; see the module's docstring."""
    from launch import task_views as views

    if _SHOW.value:
        return views.show(_SHOW.value, _CANDIDATES.value)
    if not (_SPLIT.value or _VERIFY.value or _EXPORT.value):
        return views.list_families(_FAMILY.value)
    tasks = views.select(_SPLIT.value or "dev", _FAMILY.value, _LIMIT.value, _CANDIDATES.value, _SEED.value)
    if _VERIFY.value:
        return views.verify(tasks)
    return views.export(tasks, _EXPORT.value) if _EXPORT.value else views.list_tasks(tasks)


if __name__ == "__main__":
    cli.run(main)
