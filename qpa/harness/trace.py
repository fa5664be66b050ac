"""Trajectories on disk: exact JSON lines for machines, redacted Markdown and JSON for people."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from qpa.contract import CallTools, ContractError, Feedback, Message, Record, Role, Step, Trajectory, from_json, to_json
from qpa.harness.files import append_line, write_atomic
from qpa.harness.privacy import Redactor


class BadLine(Record):
    """A quarantined line: 1-based number, what is wrong, and its first 200 characters."""

    line: int
    reason: str
    text: str


class Traces(Record):
    """What a trace file holds. `bad` lines were left out; the file itself is never changed by reading."""

    trajectories: list[Trajectory]
    bad: list[BadLine]


def append_trace(path: str | os.PathLike[str], trajectory: Trajectory) -> None:
    """Appends one exact record; safe against a torn earlier append."""
    append_line(path, to_json(trajectory))


def write_traces(path: str | os.PathLike[str], trajectories: Iterable[Trajectory]) -> None:
    """Writes a complete file of exact records in one step."""
    write_atomic(path, b"".join(to_json(trajectory) + b"\n" for trajectory in trajectories))


def read_traces(path: str | os.PathLike[str]) -> Traces:
    """Reads every good line; corrupt ones are counted in `bad`.

    Raises:
      OSError: the file cannot be read.
    """
    good: list[Trajectory] = []
    bad: list[BadLine] = []
    for number, line in enumerate(Path(path).read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            good.append(from_json(line, Trajectory))
        except ContractError as e:
            bad.append(BadLine(line=number, reason=str(e), text=line[:200].decode("utf-8", "replace")))
    return Traces(trajectories=good, bad=bad)


def redacted(trajectory: Trajectory, redactor: Redactor | None = None) -> Trajectory:
    """A copy for people: personal data replaced everywhere, token ids and log-probs dropped (ids decode to text)."""
    redactor = redactor or Redactor()
    plain = redactor.value(msgspec.to_builtins(trajectory))
    for step in plain["steps"]:
        step.update(prompt_ids=[], token_ids=[], log_probs=[])
    return msgspec.convert(plain, Trajectory)


def export_traces(path: str | os.PathLike[str], trajectories: Iterable[Trajectory]) -> None:
    """Writes redacted records, each with tokens of its own, in one step."""
    write_traces(path, (redacted(trajectory) for trajectory in trajectories))


def export_markdown(path: str | os.PathLike[str], trajectory: Trajectory) -> None:
    """Writes the redacted transcript in one step."""
    write_atomic(path, transcript(redacted(trajectory)).encode("utf-8", "replace"))


def transcript(trajectory: Trajectory) -> str:
    """Markdown that a person can follow. Not redacted: pass `redacted(trajectory)` before it leaves the machine."""
    verdict, cost = trajectory.verdict, trajectory.cost
    outcome = "not verified" if verdict is None else ("success" if verdict.success else "failure")
    lines = [f"# {trajectory.task.id}", "", f"**Goal.** {_inline(trajectory.task.goal)}", ""]
    lines.append(
        f"{outcome}, stop `{trajectory.stop.value}`, policy `{trajectory.policy}`, harness "
        f"`{trajectory.harness_version}`, {cost.turns} turns, {cost.tool_calls} calls, {cost.output_tokens} tokens"
    )
    if not trajectory.valid:
        lines.append(f"\n**Invalid record:** {_inline(trajectory.invalid_reason)}")
    for step in trajectory.steps:
        lines += ["", *_step_lines(step)]
    if verdict is not None:
        lines += ["", f"## Verdict (progress {verdict.progress:.2f})", ""]
        for check in [*verdict.checks, *verdict.gates]:
            lines.append(f"- [{'x' if check.passed else ' '}] {_inline(check.name)} {_inline(check.detail)}".rstrip())
    return "\n".join(lines) + "\n"


def _step_lines(step: Step) -> Iterator[str]:
    yield f"## Turn {step.index + 1}"
    for message in step.observation:
        if message.role is not Role.TOOL:  # results are shown with the call that caused them
            yield from _block(message.role.value, message)
    if step.action.thought:
        yield f"\n> {_inline(step.action.thought)}"
    for error in step.parse_errors:
        yield f"\n- unreadable: {_inline(error)}"
    if isinstance(step.action, CallTools):
        results = {feedback.call_id: feedback for feedback in step.feedback}
        for call in step.action.calls:
            yield f"\n- `{call.name}` {_code(call.arguments)}"
            if call.id in results:
                yield _result_line(results[call.id])
    else:
        yield f"\n**{step.action.intent.value}**: {_inline(step.action.text)}"
    for notice in step.notices:
        yield f"\n*{_inline(notice)}*"


def _block(title: str, message: Message) -> Iterator[str]:
    yield f"\n*{title}*: {_inline(message.content)}"
    for call in message.calls:
        yield f"- `{call.name}` {_code(call.arguments)}"


def _result_line(feedback: Feedback) -> str:
    kind = "ok" if feedback.ok else (feedback.error_type or "error")
    return f"  - {kind}: {_code(feedback.payload)}"


def _inline(text: str) -> str:
    """One line without active Markdown: the text comes from models, tools and users."""
    return re.sub(r"([\\`*_|\[\]])", r"\\\1", " ".join(text.split())).replace("<", "&lt;")


def _code(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return "`` " + text.replace("``", "` `") + " ``"
