"""How long a call would have taken: a virtual clock, so that a thousand slow episodes cost no time."""

from __future__ import annotations

import math

from qpa.contract import ToolCall, ToolKind, ToolSpec
from qpa.envs.perturb.calls import only_reads
from qpa.envs.perturb.config import LatencyConfig
from qpa.envs.perturb.draws import Draws

# Medians in milliseconds, after timings of adb: an action, an app's start, the UI tree, a screenshot, a query.
MEDIAN_MS = {
    "act": 150.0,
    "read": 400.0,
    "screenshot": 400.0,
    "tree": 1000.0,
    "launch": 1500.0,
    "agent": 1500.0,
    "memory": 60.0,
    "load": 20.0,
}
_NAMED = {"open_app": "launch", "take_screenshot": "screenshot", "extract_screen_text": "tree"}


def kind_of(call: ToolCall, spec: ToolSpec | None) -> str:
    """The key of `MEDIAN_MS`."""
    if spec is not None and spec.kind is not ToolKind.DIRECT:
        return {ToolKind.SUBAGENT: "agent", ToolKind.MEMORY: "memory", ToolKind.SKILL: "load"}[spec.kind]
    return _NAMED.get(call.name) or ("read" if only_reads(call, spec) else "act")


def sample_ms(config: LatencyConfig, draws: Draws, call: ToolCall, spec: ToolSpec | None, number: int) -> float:
    """Milliseconds of the tool's `number`-th call in this episode."""
    median = config.scale * MEDIAN_MS[kind_of(call, spec)]
    value = median * math.exp(config.sigma * draws.normal("latency", call.name, number))
    stalled = draws.hit(config.stall_rate, "stall", call.name, number)
    return value * config.stall_factor if stalled else value
