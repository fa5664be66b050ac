"""Task families and tasks: list them, show, play or export them, let the oracle verify them, verify the verifier.

python -m launch.tasks                                      families
python -m launch.tasks --suite=mobile --describe            what the benchmark is made of
python -m launch.tasks --split=dev [--family=alarm_create]  tasks of a split
python -m launch.tasks --suite=mobile --split=test --sample=30    tasks to read by eye
python -m launch.tasks --show=alarm_create-dev-000000       one task, in full, with the oracle's actions
python -m launch.tasks --play=alarm_create-dev-000000       play one task by hand
python -m launch.tasks --verify [--split=dev]               the oracle plays them; exit code 1 if one fails
python -m launch.tasks --suite=mobile --split=test --audit  wrong courses must fail, right ones pass; exit code 1 if not
python -m launch.tasks --suite=mobile --split=test --recall how often the retriever shows every needed tool
python -m launch.tasks --split=dev --export=dev.jsonl       tasks as JSON lines, and dev.jsonl.tools.json beside them
"""

from __future__ import annotations

from absl import flags

from launch import cli

_SPLITS = [
    "train", "dev", "evolve", "test",
    "test_unseen_instance", "test_unseen_family", "test_unseen_tool", "test_unseen_app",
]  # fmt: skip
_SUITE = flags.DEFINE_enum(
    "suite",
    "core",
    ["core", "mobile", "mobile_oracle_tools", "mobile_robust", "use_case_shopping", "use_case_crm"],
    "small planners' curriculum, or the benchmark",
)
_SPLIT = flags.DEFINE_enum("split", None, _SPLITS, "list the tasks of this split instead of the families")
_FAMILY = flags.DEFINE_string("family", None, "only this task family")
_LIMIT = flags.DEFINE_integer("limit", None, "at most so many tasks (of the endless train split: 100)", lower_bound=1)
_CANDIDATES = flags.DEFINE_integer("candidates", 3, "visible tools per task of the suite core", lower_bound=1)
_SEED = flags.DEFINE_integer("seed", 0, "of the train split and of --sample")
_SAMPLE = flags.DEFINE_integer("sample", None, "print so many random tasks as a person reads them", lower_bound=1)
_SHOW = flags.DEFINE_string("show", None, "show one task, by id")
_PLAY = flags.DEFINE_string("play", None, "play one task in the terminal, by id")
_DESCRIBE = flags.DEFINE_bool("describe", False, "count the suite's tasks by dimension, split, domain and category")
_VERIFY = flags.DEFINE_bool("verify", False, "let the oracle solve the tasks; without --split: dev")
_AUDIT = flags.DEFINE_bool("audit", False, "verify the verifier on the tasks; without --split: dev")
_RECALL = flags.DEFINE_bool("recall", False, "measure the retriever on the tasks; without --split: dev")
_EXPORT = flags.DEFINE_string("export", None, "write the tasks to this file, one JSON object per line")


def main() -> int:
    """Dispatches on the flags; see the module's docstring."""
    from launch import task_checks, task_play
    from launch import task_views as views

    if _SHOW.value:
        return views.show(_SHOW.value, _CANDIDATES.value)
    if _PLAY.value:
        return task_play.play(_PLAY.value, _CANDIDATES.value)
    if _DESCRIBE.value:
        return views.describe(_SUITE.value)
    wanted = _SPLIT.value or _VERIFY.value or _EXPORT.value or _AUDIT.value or _RECALL.value or _SAMPLE.value
    if not wanted:
        return views.list_families(_SUITE.value, _FAMILY.value)
    split = _SPLIT.value or "dev"
    tasks = views.select(_SUITE.value, split, _FAMILY.value, _LIMIT.value, _CANDIDATES.value, _SEED.value)
    if _SAMPLE.value:
        return views.sample(tasks, _SAMPLE.value, _SEED.value)
    if _VERIFY.value:
        return task_checks.verify(tasks)
    if _AUDIT.value:
        return task_checks.audit_tasks(tasks)
    if _RECALL.value:
        return task_checks.recall(tasks)
    return views.export(tasks, _EXPORT.value) if _EXPORT.value else views.list_tasks(tasks)


if __name__ == "__main__":
    cli.run(main)
