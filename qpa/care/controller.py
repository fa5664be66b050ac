"""The bounded controller of phi = (lambda_prog, lambda_eff, p_low, p_high) (Eq. 6).

A controller only proposes; what it proposes is checked here and either becomes the next phi as a whole or changes
nothing. Rewards and advantages stay rule-based. A language model's answer is text from outside: strict JSON or refused.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

RANGES: dict[str, tuple[float, float]] = {
    "lambda_prog": (0.0, 1.0),
    "lambda_eff": (0.0, 0.3),
    "p_low": (0.0, 0.5),
    "p_high": (0.1, 0.95),
}
MIN_GAP = 0.1  # p_high - p_low: the outcome regime never vanishes
MAX_STEP: dict[str, float] = {"lambda_prog": 0.25, "lambda_eff": 0.05, "p_low": 0.1, "p_high": 0.1}
_ROUNDING = 1e-9  # of sums like .7 + .1, so that a full step is a full step
_QUOTE = 120  # characters of a refused proposal kept in the log


@dataclasses.dataclass(frozen=True)
class Phi:
    """What the controller may set; held fixed between two decisions and used in rewards and calibration alike.

    Raises:
      ValueError: Eq. 5's own conditions fail. A start outside `RANGES` is allowed (ablations); proposals are not.
    """

    lambda_prog: float = 0.5
    lambda_eff: float = 0.1
    p_low: float = 0.25
    p_high: float = 0.8

    def __post_init__(self) -> None:
        if not (0 <= self.p_low < self.p_high < 1):
            raise ValueError(f"phi needs 0 <= p_low < p_high < 1, got p_low={self.p_low}, p_high={self.p_high}")
        for name in ("lambda_prog", "lambda_eff"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise ValueError(f"phi needs {name} finite and >= 0, got {value}")

    def as_dict(self) -> dict[str, float]:
        return dataclasses.asdict(self)


class Applied(NamedTuple):
    """Outcome of a proposal: the phi to use now, whether it is the proposed one, and why not."""

    phi: Phi
    accepted: bool
    reasons: list[str]


class Controller(Protocol):
    """f_LLM of Eq. 6. `dev_summary` (M^val, the primary signal) and `train_summary` (S^train) are plain dicts."""

    def propose(self, train_summary: dict, dev_summary: dict, phi: Phi) -> dict | str:
        """The next phi as a dict of all four values, or the same as JSON text."""
        ...


def validate(proposal: Mapping[str, Any], current: Phi) -> list[str]:
    """Reasons to refuse `proposal` (empty: admissible): names, numbers, ranges, gap, step from `current`."""
    names = set(RANGES)
    reasons = [f"{name} is missing" for name in RANGES if name not in proposal]
    reasons += [f"{str(name)[:_QUOTE]!r} is not a parameter" for name in proposal if name not in names]
    if reasons:
        return reasons
    for name, (low, high) in RANGES.items():
        value = proposal[name]
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            reasons.append(f"{name} must be a finite number, got {str(value)[:_QUOTE]}")
            continue
        if not low - _ROUNDING <= value <= high + _ROUNDING:
            reasons.append(f"{name}={value} is outside [{low}, {high}]")
        # Measured from the nearest admissible value, so that a start outside the ranges can come back.
        step = abs(value - min(max(getattr(current, name), low), high))
        if step > MAX_STEP[name] + _ROUNDING:
            reasons.append(f"{name} moves by {step:.4g}, more than {MAX_STEP[name]}")
    if not reasons and proposal["p_high"] < proposal["p_low"] + MIN_GAP - _ROUNDING:
        reasons.append(f"p_high={proposal['p_high']} is less than p_low={proposal['p_low']} + {MIN_GAP}")
    return reasons


def apply_proposal(raw: Any, current: Phi) -> Applied:
    """Parses and checks a proposal; anything invalid keeps `current`. Never raises.

    Args:
      raw: a mapping, or text that is exactly one JSON object (no fence, no prose, no NaN, no repeated key).
    """
    if isinstance(raw, (str, bytes)):
        try:
            raw = json.loads(raw, object_pairs_hook=_unique, parse_constant=_no_constant)
        except (ValueError, RecursionError) as e:
            return Applied(current, False, [f"not strict JSON: {str(e)[:_QUOTE]}"])
    if not isinstance(raw, Mapping):
        return Applied(current, False, [f"expected a JSON object, got {type(raw).__name__}"])
    try:
        reasons = validate(raw, current)
    except OverflowError:  # an integer beyond float
        reasons = ["a number is too large"]
    if reasons:
        return Applied(current, False, reasons)
    clipped = {name: min(max(float(raw[name]), low), high) for name, (low, high) in RANGES.items()}
    return Applied(Phi(**clipped), True, [])


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a key is repeated")
    return out


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


@dataclasses.dataclass(frozen=True)
class Decision:
    """One line of the controller's log: what was proposed at which update, and what became of it."""

    update: int
    before: Phi
    phi: Phi
    accepted: bool
    reasons: list[str]
    proposal: Any
    train: dict
    dev: dict

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON-ready values."""
        return dataclasses.asdict(self)


def decide(controller: Controller, train_summary: dict, dev_summary: dict, phi: Phi, *, update: int) -> Decision:
    """Asks `controller` and applies its answer; a controller that raises is a refused proposal, not a failed run."""
    proposal: Any = None
    try:
        proposal = controller.propose(dict(train_summary), dict(dev_summary), phi)
        applied = apply_proposal(proposal, phi)
    except Exception as e:
        applied = Applied(phi, False, [f"controller failed: {type(e).__name__}: {str(e)[:_QUOTE]}"])
    kept = {k: proposal[k] for k in RANGES if k in proposal} if isinstance(proposal, Mapping) else None
    shown = kept if applied.accepted and kept else str(proposal)[: 4 * _QUOTE]
    return Decision(update, phi, applied.phi, applied.accepted, applied.reasons, shown, train_summary, dev_summary)


class RuleController:
    """A deterministic controller: efficiency pressure follows what the held-out set can afford.

    Reads `dev_summary`: success (rate), tasks (count), cost (mean e) and `history`, the same three of earlier
    evaluations, oldest first; and of `train_summary` the shares of `summarise_groups`. Stateless, so there is nothing
    to checkpoint. Rules, first match wins; changes are then cut to the admissible ranges:

    1. dev success fell below its recent mean by more than one standard error: less lambda_eff, higher p_high.
    2. most groups are in the progress regime: more lambda_prog.
    3. dev success held, and enough groups are mastered: a little more lambda_eff.
    4. otherwise, also without a history or any dev task: hold.
    """

    recent = 3  # evaluations averaged as the reference: a single best one is biased upwards by noise
    many_failing = 0.5
    many_mastered = 0.3

    def propose(self, train_summary: dict, dev_summary: dict, phi: Phi) -> dict[str, float]:
        """Moves at most one rule's parameters; a missing train key counts as share 0."""
        change = self._change(train_summary, dev_summary)
        out = {}
        for name, (low, high) in RANGES.items():
            out[name] = min(max(getattr(phi, name), low), high) + change.get(name, 0.0)
            out[name] = round(min(max(out[name], low), high), 6)
        out["p_high"] = max(out["p_high"], round(out["p_low"] + MIN_GAP, 6))
        return out

    def _change(self, train: dict, dev: dict) -> dict[str, float]:
        history = list(dev.get("history", []))[-self.recent :]
        tasks = dev.get("tasks", 0)
        if not history or tasks <= 0:
            return {}
        now = dev["success"]
        reference = sum(h["success"] for h in history) / len(history)
        noise = math.sqrt((now * (1 - now) + reference * (1 - reference)) / tasks)
        if reference - now > noise:
            return {"lambda_eff": -0.05, "p_high": 0.05}
        if train.get("progress_share", 0.0) > self.many_failing:
            return {"lambda_prog": 0.1}
        if train.get("efficiency_share", 0.0) >= self.many_mastered:
            return {"lambda_eff": 0.02}
        return {}
