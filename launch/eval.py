"""Evaluation of any policy on any split: greedy, resumable, with a paired comparison of two runs.

    python -m launch.eval --model=runs/tiny/models/rl --split=test_unseen_instance --out=runs/eval/rl
    python -m launch.eval --model=base --out=runs/eval/base --compare=runs/eval/rl
    python -m launch.eval --config=launch/configs/mobile.py --split=test --model=scripted:oracle --out=runs/eval/oracle
    python -m launch.eval --model=runs/tiny/models/rl --perturb=heldout --out=runs/eval/hard --retention=runs/eval/rl
    OPENAI_API_KEY=... python -m launch.eval --model=openai:http://localhost:8000/v1#MODEL --out=runs/eval/remote

Leaves score.json, report.md, report.html, outcomes.json, failures.json and transcripts.md in --out.
"""

from __future__ import annotations

from absl import flags

from launch import cli, where

_CONFIG = cli.config_flag()
flags.adopt_module_key_flags(where)
_SPLITS = [
    "dev", "evolve", "test",
    "test_unseen_instance", "test_unseen_family", "test_unseen_tool", "test_unseen_app",
]  # fmt: skip
_MODEL = flags.DEFINE_string(
    "model",
    None,
    "base, scripted:oracle|null|garbage|random, an exported model or adapter, a training folder, or openai:URL#MODEL: "
    "a model behind an OpenAI-compatible endpoint with tool calling (key: OPENAI_API_KEY; #MODEL may be left out if it "
    "serves only one)",
    required=True,
)
_SUITE = flags.DEFINE_string("suite", None, "name of the suite; default: bench.suite of the config")
_SPLIT = flags.DEFINE_enum(
    "split", "test_unseen_instance", _SPLITS, "which tasks; test is all test splits of the suite mobile"
)
_TASKS = flags.DEFINE_string("tasks", None, "a file of tasks (JSON lines) instead of --suite and --split")
_LIMIT = flags.DEFINE_integer("limit", None, "at most so many tasks, families interleaved", lower_bound=1)
_HARNESS = flags.DEFINE_string(
    "harness",
    None,
    "on (the small planners'), off, benchmark, or the JSON file of a harness configuration; default: benchmark in the "
    "suite mobile, on in the suite core",
)
_OUT = flags.DEFINE_string("out", None, "folder of the results; an unfinished one is continued", required=True)
_CONCURRENCY = flags.DEFINE_integer(
    "concurrency", None, "episodes at a time; default: concurrency of the config", lower_bound=1
)
_REQUEST_FIELDS = flags.DEFINE_string(
    "request_fields",
    None,
    'JSON merged over each request to an endpoint, null leaves a field out, e.g. {"chat_template_kwargs": '
    '{"enable_thinking": false}} or {"max_tokens": null, "max_completion_tokens": 4096}',
)
_COMPARE = flags.DEFINE_string("compare", None, "--out folder of another evaluation of the same tasks")
_RETENTION = flags.DEFINE_string(
    "retention", None, "--out folder of the same policy on another backend: how much of it is kept on this one"
)
_PRICE = flags.DEFINE_float(
    "price_per_million_tokens", None, "USD per million output tokens, for the cost per 1,000 tasks", lower_bound=0
)


def main() -> None:
    """Evaluates, or finishes what --out holds, and prints what came out."""
    from launch import eval_run

    cfg = where.apply(_CONFIG.value)
    cfg.bench.suite = _SUITE.value or cfg.bench.suite
    cfg.concurrency = _CONCURRENCY.value or cfg.concurrency
    result = eval_run.evaluate_model(
        cfg,
        model=_MODEL.value,
        split=_SPLIT.value,
        file=_TASKS.value,
        limit=_LIMIT.value,
        harness=_HARNESS.value or ("on" if cfg.bench.suite == "core" else "benchmark"),
        out=_OUT.value,
        price=_PRICE.value,
        request_fields=_REQUEST_FIELDS.value,
    )
    eval_run.show(_MODEL.value, result)
    if _RETENTION.value:
        eval_run.show_kept(_RETENTION.value, _OUT.value)
    if _COMPARE.value:
        eval_run.show_comparison(_OUT.value, _COMPARE.value)


if __name__ == "__main__":
    cli.run(main)
