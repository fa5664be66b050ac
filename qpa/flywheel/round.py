"""One turn of the flywheel: plan -> tasks -> rollouts -> curation -> gate -> frozen release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from qpa.bench import oracle
from qpa.config import FlywheelConfig
from qpa.contract import Env, Skill, TaskSpec, Trajectory
from qpa.flywheel.collect import collect
from qpa.flywheel.construct import construct
from qpa.flywheel.curate import Curated, curate
from qpa.flywheel.gate import propose, review, revise
from qpa.flywheel.records import Decision, FlywheelError, HistoryEntry, Plan, Pool, Proposal, Ruling
from qpa.flywheel.release import Release, freeze, next_version, read_release, releases
from qpa.harness import Adapter, HarnessConfig

GATE = "gate"


async def run_round(
    env: Env,
    plan: Plan,
    cfg: FlywheelConfig,
    root: Path | str,
    seed: int,
    *,
    eta: HarnessConfig,
    candidates: int = 4,
    family: str = "compact",
    skills: Sequence[Skill] | Adapter = (),
    concurrency: int = 64,
    extra: Iterable[Trajectory] = (),
    history: Iterable[HistoryEntry] = (),
    on_done: Callable[[Trajectory], None] | None = None,
) -> Release:
    """Makes the next release of `root` and opens it.

    The parent is the newest release there; its tasks are not drawn again. `extra` trajectories (earlier or on-policy
    ones) go through the same curation before the new ones. Bundles and decisions are kept in `root/gate/<version>/`.
    The round is deterministic: after `GatePending`, write the decision and run it again. Raises `FlywheelError` when
    the gate rejects, and whatever `construct`, `collect` and `freeze` raise.
    """
    root = Path(root)
    done = releases(root)
    parents = [read_release(root / version) for version in done]
    taken = {task.id for parent in parents for task in parent.tasks()}
    tasks = construct(plan, seed, candidates=candidates, exclude=taken)
    rollouts = await collect(env, tasks, cfg, seed, concurrency, eta=eta, family=family, skills=skills, on_done=on_done)
    records = curate([*extra, *rollouts], oracle=oracle, catalog=env.catalog())
    proposal = propose(
        records,
        plan,
        version=next_version(root),
        parent=done[-1] if done else None,
        weights_before=parents[-1].manifest.weights if parents else None,
        history=history,
    )
    records, proposal, decision = pass_gate(records, plan, proposal, root / GATE, cfg.gate)
    directory = freeze(
        root, records, solvable(records), proposal, decision, harness_version=eta.label(), notes={"seed": str(seed)}
    )
    return read_release(directory)


def pass_gate(
    records: list[Curated], plan: Plan, proposal: Proposal, folder: Path, mode: str
) -> tuple[list[Curated], Proposal, Decision]:
    """Reviews a bundle, applying revisions, until one is approved; returns that bundle and its decision.

    Every bundle has a folder of its own, so the chain of revisions stays readable and can be replayed. Raises
    `FlywheelError` on rejection, `GatePending` when a person has to decide.
    """
    while True:
        place = folder / proposal.version / proposal.digest()[:12]
        decision = review(proposal, place, mode)
        if decision.ruling is Ruling.APPROVE:
            return records, proposal, decision
        if decision.ruling is Ruling.REJECT:
            raise FlywheelError(f"{proposal.version} rejected by {decision.reviewer}: {decision.reason} (see {place})")
        records, plan, revised = revise(records, plan, proposal, decision)
        if revised.digest() == proposal.digest():
            raise FlywheelError(f"{place}: the revision changes nothing: approve, reject or name a change")
        proposal = revised


def solvable(records: Iterable[Curated]) -> list[TaskSpec]:
    """The RL asset: the tasks that were seen to be solved, each once."""
    solved = (record.trajectory.task for record in records if record.pool is Pool.SFT)
    return list({task.id: task for task in solved}.values())
