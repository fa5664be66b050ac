"""Sub-agents that answer "done" and have not: the contract's own fault plan, drawn per call."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from qpa.contract import Fault, FaultMode, TaskSpec, ToolKind, ToolSpec
from qpa.envs.perturb.config import AgentFaultConfig
from qpa.envs.perturb.draws import Draws

_CALLS = 8  # of one tool in one episode, at most, that can be hit


def with_agent_faults(
    task: TaskSpec, config: AgentFaultConfig, draws: Draws, catalog: Iterable[ToolSpec]
) -> tuple[TaskSpec, list[Fault]]:
    """The task with further faults after its own, and these."""
    rates = {
        FaultMode.NO_OP: config.no_op,
        FaultMode.PARTIAL: config.partial,
        FaultMode.WRONG_ITEM: config.wrong_item,
        FaultMode.FALSE_DONE: config.false_done,
    }
    faults = []
    for spec in catalog:
        if spec.kind is not ToolKind.SUBAGENT:
            continue
        for number in range(_CALLS):
            left = draws.uniform("agent", spec.name, number)
            for mode, rate in rates.items():
                left -= rate
                if left < 0:
                    faults.append(Fault(tool=spec.name, first=number, mode=mode))
                    break
    if not faults:
        return task, []
    initial = msgspec.structs.replace(task.initial, faults=[*task.initial.faults, *faults])
    return msgspec.structs.replace(task, initial=initial), faults
