"""The human gate: everything a release would change is proposed together, decided once, and recorded.

folder/proposal.json            the bundle
folder/decision.template.json   what to fill in (manual mode)
folder/decision.json            the answer, of a person or of the rule checks
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from qpa.contract import ContractError, Split, from_json, to_json
from qpa.flywheel.curate import Curated, content_digest, removal
from qpa.flywheel.records import (
    Curation,
    Decision,
    FlywheelError,
    HistoryEntry,
    Plan,
    Pool,
    Proposal,
    Ruling,
    normalised,
)
from qpa.harness.files import write_atomic

AUTO_REVIEWER = "auto-gate"
PROPOSAL, DECISION, TEMPLATE = "proposal.json", "decision.json", "decision.template.json"
_BLANK = "<fill in>"
# What the rule checks accept without a person.
MAX_QUARANTINED = 0.1  # share of all records
MIN_YIELD = 0.5  # share of all records that reach the SFT pool
MAX_WEIGHT_STEP = 10.0  # largest change of one family's weight, up or down, in one release


class GatePending(FlywheelError):  # noqa: N818 - a state, not a fault
    """A person has to decide; the message says in one line which file to write."""


def propose(
    records: Sequence[Curated],
    plan: Plan,
    *,
    version: str,
    parent: str | None = None,
    weights_before: Mapping[str, float] | None = None,
    history: Iterable[HistoryEntry] = (),
) -> Proposal:
    """The bundle for a release of `records` sampled by the plan's weights. Raises `FlywheelError` on bad weights."""
    families = Counter(r.trajectory.task.family for r in records if r.pool is Pool.SFT)
    return Proposal(
        version=version,
        parent=parent,
        additions=dict(sorted(families.items())),
        removals=[removal(r) for r in records if r.decision is Curation.REJECT],
        quarantine=[removal(r) for r in records if r.decision is Curation.QUARANTINE],
        weights_before=normalised(dict(weights_before)) if weights_before else {},
        weights_after=normalised(plan.weights),
        repairs=plan.repairs,
        quality=quality(records),
        history=list(history),
        content=content_digest(records),
    )


def quality(records: Sequence[Curated]) -> dict[str, float]:
    """Indicators over all curated records, as shares unless named otherwise."""
    total = max(1, len(records))
    sft = [r for r in records if r.pool is Pool.SFT]
    verified = sum(r.trajectory.verdict is not None and r.trajectory.verdict.success for r in sft)
    steps = [s for r in sft for s in r.trajectory.steps]
    return {
        "records": float(len(records)),
        "sft_yield": len(sft) / total,
        "sft_verified": verified / max(1, len(sft)),
        "corrected": sum(r.decision is Curation.CORRECT for r in records) / total,
        "quarantined": sum(r.decision is Curation.QUARANTINE for r in records) / total,
        "rejected": sum(r.decision is Curation.REJECT for r in records) / total,
        "held_out": sum(r.trajectory.task.split is not Split.TRAIN for r in records) / total,
        "failures": sum(r.pool is Pool.FAILURES for r in records) / total,
        "erroneous_turns": sum(s.erroneous for s in steps) / max(1, len(steps)),
    }


def review(proposal: Proposal, folder: Path | str, mode: str = "auto") -> Decision:
    """The decision about a bundle, which is written to `folder` first.

    A valid `decision.json` for this bundle always stands. Otherwise "auto" decides by rule checks and records it,
    "manual" writes a template and raises `GatePending`. Raises `FlywheelError` for an unknown mode and for a decision
    file that is malformed, unfilled or signed as the auto-gate in manual mode.
    """
    if mode not in ("auto", "manual"):
        raise FlywheelError(f"gate mode is {mode!r}: use auto or manual")
    folder = Path(folder)
    write_atomic(folder / PROPOSAL, msgspec.json.format(to_json(proposal), indent=2) + b"\n")
    given = _read_decision(folder / DECISION)
    if given is not None and given.proposal == proposal.digest():
        if mode == "manual" and given.reviewer == AUTO_REVIEWER:
            raise FlywheelError(
                f"{folder / DECISION}: signed by {AUTO_REVIEWER}, manual mode needs a person's decision"
            )
        return given
    if mode == "manual":
        _write_template(proposal, folder)
        stale = " (the one there is for an earlier bundle)" if given else ""
        raise GatePending(
            f"{proposal.version} waits for review{stale}: read {folder / PROPOSAL}, "
            f"fill in {TEMPLATE} and save it as {folder / DECISION}"
        )
    failed = rule_checks(proposal)
    decision = Decision(
        proposal=proposal.digest(),
        ruling=Ruling.REJECT if failed else Ruling.APPROVE,
        reviewer=AUTO_REVIEWER,
        reason="; ".join(failed) or "all rule checks passed",
    )
    write_atomic(folder / DECISION, to_json(decision) + b"\n")
    return decision


def rule_checks(proposal: Proposal) -> list[str]:
    """What speaks against approving without a person; empty when nothing does."""
    failed = []
    shares = proposal.quality
    total = sum(proposal.additions.values())
    if total == 0:
        failed.append("no training record")
    if shares.get("sft_verified", 0.0) < 1.0:
        failed.append("unverified records in the training pool")
    if shares.get("quarantined", 0.0) > MAX_QUARANTINED:
        failed.append(f"{shares['quarantined']:.0%} quarantined, at most {MAX_QUARANTINED:.0%}")
    if shares.get("sft_yield", 0.0) < MIN_YIELD:
        failed.append(f"only {shares.get('sft_yield', 0.0):.0%} usable, at least {MIN_YIELD:.0%}")
    if shares.get("held_out", 0.0) > 0:
        failed.append("held-out records were offered for training: find out how they got here")
    for family, weight in proposal.weights_after.items():
        before = proposal.weights_before.get(family)
        if weight > 0 and not proposal.additions.get(family):
            failed.append(f"family {family} has weight but no record")
        if before and not 1 / MAX_WEIGHT_STEP <= weight / before <= MAX_WEIGHT_STEP:
            failed.append(f"weight of {family} changes {weight / before:.2g} times in one step")
    unweighted = sorted(set(proposal.additions) - set(proposal.weights_after))
    if unweighted:
        failed.append(f"family {unweighted[0]} has records but no weight")
    if proposal.parent and not proposal.history:
        failed.append("an update without a history entry")
    return failed


def revise(
    records: Sequence[Curated], plan: Plan, proposal: Proposal, decision: Decision
) -> tuple[list[Curated], Plan, Proposal]:
    """Applies a `revise` decision: dropped records are rejected, weights replaced; the new bundle needs its own review.

    Raises `FlywheelError` when the decision is not a revision of this proposal, or names unknown records or families.
    """
    if decision.ruling is not Ruling.REVISE or decision.proposal != proposal.digest():
        raise FlywheelError(f"{proposal.version}: not a revision of this proposal: nothing to apply")
    unknown = sorted(set(decision.drop) - {r.id for r in records}) + sorted(set(decision.weights) - set(plan.weights))
    if unknown:
        raise FlywheelError(f"{proposal.version}: revision names {unknown[0]!r}, which is not in the bundle")
    why = [f"dropped by {decision.reviewer}: {decision.reason}"]
    kept = [
        msgspec.structs.replace(r, decision=Curation.REJECT, reasons=[*r.reasons, *why]) if r.id in decision.drop else r
        for r in records
    ]
    new_plan = msgspec.structs.replace(plan, weights=normalised(plan.weights | decision.weights))
    new_proposal = propose(
        kept,
        new_plan,
        version=proposal.version,
        parent=proposal.parent,
        weights_before=proposal.weights_before,
        history=proposal.history,
    )
    return kept, new_plan, new_proposal


def _read_decision(path: Path) -> Decision | None:
    try:
        decision = from_json(path.read_bytes(), Decision)
    except FileNotFoundError:
        return None
    except ContractError as e:
        raise FlywheelError(f"{path}: {e}; correct the file") from None
    for name in ("reviewer", "reason"):
        value = getattr(decision, name).strip()
        if not value or value == _BLANK:
            raise FlywheelError(f"{path}: {name} is not filled in")
    if decision.ruling is not Ruling.REVISE and (decision.drop or decision.weights):
        raise FlywheelError(f"{path}: drop and weights go with ruling revise, not {decision.ruling}")
    if decision.ruling is Ruling.REVISE and not (decision.drop or decision.weights):
        raise FlywheelError(f"{path}: ruling revise needs drop or weights; to send everything back use reject")
    return decision


def _write_template(proposal: Proposal, folder: Path) -> None:
    template = {
        "proposal": proposal.digest(),
        "ruling": "approve|revise|reject",
        "reviewer": _BLANK,
        "reason": _BLANK,
        "drop": [],
        "weights": {},
    }
    write_atomic(folder / TEMPLATE, msgspec.json.format(msgspec.json.encode(template), indent=2) + b"\n")
