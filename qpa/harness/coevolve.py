"""U_H of Eq. 12: diagnoses become a reviewed, versioned revision of the harness configuration.

The editor here is a bounded rule: one short instruction or one switch per revision, for the most frequent failure
class that is not addressed yet. Every proposal passes `check_revision`, and `accept` compares the evolve-set scores.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from qpa.contract import Record, TaskSpec, from_json, to_json
from qpa.harness.diagnose import Diagnosis, Side
from qpa.harness.eta import HarnessConfig
from qpa.harness.files import write_atomic

EDITABLE = ("system", "domain_instructions", "adapter", "repeat_notice", "skill_protocol")
_LINEAGE = ("version", "parent", "note")

# Class of A8.5 -> instruction. Short, general, and never about one task.
_INSTRUCTIONS = {
    "task_decomposition": "Do every part of the request.",
    "route_selection": "Pick the narrowest tool that fits.",
    "argument_grounding": "Copy values exactly from the request or results.",
    "state_tracking": "Never repeat a call that succeeded.",
    "error_recovery": "After an error, change the call.",
    "task_closure": "Answer only when tools confirmed everything.",
    "retrieval": "Search memory by person, activity and property.",
    "stale_memory": "Trust the newest memory.",
}
# Class -> switch that is turned on before any instruction is written.
_SWITCHES = {
    "error_recovery": "repeat_notice",
    "skill_guidance": "skill_protocol",
    "route_selection": "adapter",
    "task_decomposition": "adapter",
}
_MIN_LEAK_WORDS = 5  # so many consecutive words of a goal or memory are a quotation
_MIN_LEAK_CHARS = 12  # so long a value from a task's data is a quotation


def propose_revision(
    eta: HarnessConfig, diagnoses: Sequence[Diagnosis], scores: Mapping[str, float]
) -> HarnessConfig | None:
    """The next configuration, or None when nothing is left to improve.

    Args:
      eta: the configuration under which the episodes ran.
      diagnoses: of all evolve episodes; only model and harness failures count.
      scores: success rate by domain on the evolve set. A failure class that sits in one domain only gets a domain
        instruction there, unless all domains score alike.
    """
    failures = [d for d in diagnoses if d.side in (Side.MODEL, Side.HARNESS)]
    ranked = sorted(Counter(d.cls for d in failures).items(), key=lambda item: (-item[1], item[0]))
    for cls, count in ranked:
        domain = _focus([d.domain for d in failures if d.cls == cls], scores)
        revised = _edit(eta, cls, domain)
        if revised is not None:
            note = f"{cls}: {count} of {len(diagnoses)} episodes" + (f" in {domain}" if domain else "")
            return msgspec.structs.replace(revised, version=eta.version + 1, parent=eta.digest(), note=note)
    return None


def check_revision(old: HarnessConfig, new: HarnessConfig, tasks: Iterable[TaskSpec] = ()) -> list[str]:
    """Reasons why `new` must not follow `old`; empty when it may.

    Args:
      tasks: the evolve tasks; their ids, goals, histories and data must not appear in any instruction.
    """
    problems = []
    if new.version != old.version + 1:
        problems.append(f"version is {new.version}, must be {old.version + 1}")
    if new.parent != old.digest():
        problems.append(f"parent is {new.parent or 'empty'}, must be {old.digest()}")
    changed = [f for f in HarnessConfig.__struct_fields__ if getattr(old, f) != getattr(new, f)]
    problems += [f"field {f} may not be edited" for f in changed if f not in (*EDITABLE, *_LINEAGE)]
    if not any(f in EDITABLE for f in changed):
        problems.append("nothing was changed")
    for where, text in _texts(new).items():
        words = len(text.split())
        if words > old.max_words:
            problems.append(f"{where} has {words} words, at most {old.max_words} are allowed")
        if "<|" in text or "<tool_call>" in text:
            problems.append(f"{where} contains chat markup")
    added = "\n".join(text for where, text in _texts(new).items() if text != _texts(old).get(where))
    for task in tasks:
        problems += [f"leaks {what} of task {task.id}" for what in _leaks(added, task)]
    return problems


def accept(evolve_before: float, evolve_after: float) -> bool:
    """Whether a revision may be used: its evolve score must not be lower."""
    return evolve_after >= evolve_before


class HistoryEntry(Record):
    """One reviewed revision, kept whether accepted or not."""

    eta: HarnessConfig
    digest: str
    reason: str
    accepted: bool
    problems: list[str] = msgspec.field(default_factory=list)
    evolve_before: float | None = None
    evolve_after: float | None = None


class History(Record):
    """All versions in order, oldest first."""

    entries: list[HistoryEntry] = msgspec.field(default_factory=list)

    def current(self) -> HarnessConfig | None:
        """The last accepted configuration."""
        return next((entry.eta for entry in reversed(self.entries) if entry.accepted), None)


def load_history(path: str | os.PathLike[str]) -> History:
    """The history at `path`, empty when there is none yet; raises ContractError naming a damaged file."""
    file = Path(path)
    if not file.exists():
        return History()
    try:
        return from_json(file.read_bytes(), History)
    except ValueError as e:
        raise type(e)(f"{file}: {e}") from None


def record_revision(
    path: str | os.PathLike[str],
    eta: HarnessConfig,
    *,
    reason: str,
    accepted: bool,
    problems: Sequence[str] = (),
    evolve_before: float | None = None,
    evolve_after: float | None = None,
) -> History:
    """Adds one entry to the history file, atomically, and returns the whole history."""
    entry = HistoryEntry(
        eta=eta,
        digest=eta.digest(),
        reason=reason,
        accepted=accepted,
        problems=list(problems),
        evolve_before=evolve_before,
        evolve_after=evolve_after,
    )
    history = History(entries=[*load_history(path).entries, entry])
    write_atomic(path, to_json(history) + b"\n")
    return history


def _focus(domains: Sequence[str], scores: Mapping[str, float]) -> str:
    """The single domain of a failure class, when another domain scores better; "" for a general failure."""
    distinct = set(domains)
    if len(distinct) != 1 or len(set(scores.values())) < 2:
        return ""
    domain = distinct.pop()
    return domain if domain and scores.get(domain, 1.0) < max(scores.values()) else ""


def _edit(eta: HarnessConfig, cls: str, domain: str) -> HarnessConfig | None:
    switch = _SWITCHES.get(cls)
    if switch and not getattr(eta, switch) and (switch != "adapter" or eta.adapter_max_chars > 0):
        return msgspec.structs.replace(eta, **{switch: True})
    sentence = _INSTRUCTIONS.get(cls)
    if sentence is None or any(sentence in text for text in _texts(eta).values()):
        return None
    text = eta.domain_instructions.get(domain, "") if domain else eta.system
    longer = f"{text} {sentence}".strip()
    if len(longer.split()) > eta.max_words:
        return None
    if domain:
        return msgspec.structs.replace(eta, domain_instructions={**eta.domain_instructions, domain: longer})
    return msgspec.structs.replace(eta, system=longer)


def _texts(eta: HarnessConfig) -> dict[str, str]:
    return {"system": eta.system} | {f"domain_instructions[{d}]": t for d, t in sorted(eta.domain_instructions.items())}


def _leaks(text: str, task: TaskSpec) -> list[str]:
    found = []
    words = f" {' '.join(_words(text))} "
    if task.id and task.id.casefold() in text.casefold():
        found.append("the id")
    if _quotes(words, task.goal):
        found.append("the goal")
    if any(_quotes(words, message.content) for message in task.history):
        found.append("the conversation")
    values = [v for rows in task.initial.patch.values() for row in rows for v in row.values() if isinstance(v, str)]
    if any(_quotes(words, v) or (len(v) >= _MIN_LEAK_CHARS and v.casefold() in text.casefold()) for v in values):
        found.append("data")
    return found


def _quotes(words: str, source: str) -> bool:
    spoken = _words(source)
    spans = (spoken[i : i + _MIN_LEAK_WORDS] for i in range(len(spoken) - _MIN_LEAK_WORDS + 1))
    return any(f" {' '.join(span)} " in words for span in spans)


def _words(text: str) -> list[str]:
    # Chinese has no spaces: each character counts as a word.
    return re.findall(r"[㐀-鿿]|[^\W㐀-鿿]+", text.casefold())
