"""One policy on one set of tasks: greedy, resumable, scored, with files a person and a later comparison can read.

folder/run.json, episodes.jsonl    what was run and every episode (`qpa.harness.EvalStore`)
folder/score.json                  rates with intervals, stops, costs
folder/outcomes.json               success, output tokens and calls of each task, for paired comparisons
folder/failures.json               failed episodes by diagnosed class and by StopReason
folder/report.md, report.html      rates by dimension, split, domain, capability, language and family; costs; failures
folder/transcripts.md              redacted transcripts, failures first
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from launch.suite_report import write_suite_report
from qpa.bench import SuiteScore, score
from qpa.bench.scoring import load_score, save_score
from qpa.contract import ChatModel, Env, Record, Skill, TaskSpec, Trajectory, from_json, to_json
from qpa.harness import EvalStore, HarnessConfig, run_tasks
from qpa.harness.diagnose import Diagnosis, diagnose, summarise
from qpa.harness.files import write_atomic
from qpa.harness.trace import redacted, transcript

SCORE, OUTCOMES, FAILURES, TRANSCRIPTS = "score.json", "outcomes.json", "failures.json", "transcripts.md"


class Outcomes(Record):
    """Per task id: success (0 or 1), output tokens, tool calls."""

    success: dict[str, float]
    output_tokens: dict[str, float]
    tool_calls: dict[str, float]


@dataclass
class Evaluation:
    """A finished evaluation."""

    score: SuiteScore
    trajectories: list[Trajectory]
    diagnoses: list[Diagnosis]
    unreadable: int  # damaged lines of an earlier process, run again


def evaluate(
    model: ChatModel,
    env: Env,
    tasks: Sequence[TaskSpec],
    folder: Path,
    *,
    identity: str,
    eta: HarnessConfig,
    skills: Sequence[Skill] = (),
    concurrency: int = 64,
    seed: int = 0,
    price: float | None = None,
    resample: int = 0,
    where: str = "",
    on_done: Callable[[Trajectory], None] | None = None,
) -> Evaluation:
    """Runs `tasks` at temperature 0, or finishes what `folder` holds, and writes the files above.

    `identity` says which weights these are, so that a folder is never continued with others. `price` is USD per
    million output tokens. `resample` is as in `run_tasks`. `where` says which backend it is, unless it is the plain
    sandbox: a folder is not continued elsewhere either.
    """
    settings = f"greedy, seed {seed}" + (f", {where}" if where else "")
    store = EvalStore(folder, model=identity, eta=eta, tasks=tasks, settings=settings)
    played = run_tasks(
        model,
        env,
        tasks,
        eta=eta,
        skills=skills,
        concurrency=concurrency,
        seed=seed,
        temperature=0.0,
        run_id="eval",
        store=store,
        resample=resample,
        on_done=on_done,
    )
    trajectories = asyncio.run(_and_close(model, played))
    catalog = env.catalog()
    diagnoses = [diagnose(t, t.task, catalog) for t in trajectories]
    result = Evaluation(
        score(tasks, trajectories, price_per_million_tokens=price), trajectories, diagnoses, len(store.bad)
    )
    _write(folder, result)
    write_suite_report(folder, identity, result.score, failures(result))
    return result


def load_outcomes(folder: Path) -> Outcomes:
    """What `evaluate` left; FileNotFoundError when it is not finished, ContractError when damaged."""
    return from_json((folder / OUTCOMES).read_bytes(), Outcomes)


def load_suite_score(folder: Path) -> SuiteScore:
    """The score in `folder`; raises like `load_outcomes`."""
    return load_score((folder / SCORE).read_bytes())


def failures(result: Evaluation) -> dict[str, dict[str, int]]:
    """Failed episodes by "side/class", and all episodes by StopReason."""
    failed = [d for d in result.diagnoses if d.side != "none"]
    return {"by_class": summarise(failed), "by_stop": dict(Counter(t.stop.value for t in result.trajectories))}


def summary(result: Evaluation) -> dict[str, Any]:
    """The numbers of a report as plain JSON: the score without its per-task part, and the failures."""
    plain = msgspec.to_builtins(result.score)
    del plain["outcomes"]
    return plain | {"failures": failures(result), "unreadable": result.unreadable}


async def _and_close(model: ChatModel, played: Coroutine[Any, Any, list[Trajectory]]) -> list[Trajectory]:
    """Connections of a remote model belong to this event loop and are closed within it."""
    try:
        return await played
    finally:
        if hasattr(model, "aclose"):
            await model.aclose()


def _write(folder: Path, result: Evaluation) -> None:
    ends = [(t.task.id, t) for t in result.trajectories]
    outcomes = Outcomes(
        success={i: float(result.score.outcomes[i]) for i, _ in ends},
        output_tokens={i: float(t.cost.output_tokens) for i, t in ends},
        tool_calls={i: float(t.cost.tool_calls) for i, t in ends},
    )
    by_class = failures(result) | {
        "episodes": [msgspec.to_builtins(d) for d in result.diagnoses if d.side != "none"],
    }
    failed_first = sorted(result.trajectories, key=lambda t: result.score.outcomes[t.task.id])
    text = "\n---\n\n".join(transcript(redacted(t)) for t in failed_first)
    write_atomic(folder / TRANSCRIPTS, text.encode("utf-8", "replace"))
    write_atomic(folder / FAILURES, json.dumps(by_class, indent=2, ensure_ascii=False).encode("utf-8", "replace"))
    write_atomic(folder / OUTCOMES, to_json(outcomes))
    write_atomic(folder / SCORE, save_score(result.score))
