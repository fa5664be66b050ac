"""Stages that judge: evaluations, the harness revision, the second round, and the comparisons of the report."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import msgspec

from launch import stages_train
from launch.compare import compare
from launch.context import Context
from launch.evaluation import Evaluation, load_outcomes, summary
from launch.pipeline import Outcome
from launch.stages_data import make_release, release_outcome, score_metrics
from launch.tasksets import TEST_SPLITS
from qpa.contract import Split, Trajectory
from qpa.flywheel import Tally, competence, failure_counts, read_release, tally, update_plan
from qpa.flywheel.balance import Competence
from qpa.flywheel.records import Plan
from qpa.harness import HarnessConfig, bare_eta, save_eta, tiny_eta
from qpa.harness.coevolve import accept, check_revision, load_history, propose_revision, record_revision
from qpa.harness.trace import read_traces, redacted, transcript

ETA_HISTORY, ETA_CURRENT = "eta/history.json", "eta/current.json"
INSTANCES = Split.TEST_UNSEEN_INSTANCE
_REPAIR_SHARE = 4  # of a second round's tasks, one in so many comes as a repair set
_PER_FAMILY = 12  # tasks of a second round per family on average, so that a down-sampled one still has some
_EXAMPLES = 2  # transcripts of a kind in the report
# Row, its paired partner: what the report compares.
COMPARISONS = (("rl", "sft"), ("rl", "rl-harness-off"), ("round2", "rl"))


def evaluate_stage(ctx: Context, system: str) -> Outcome:
    """A trained model on dev and both test splits."""
    model, identity = ctx.planner(system)
    scores = {
        system: {
            s.value: summary(ctx.evaluate(model, identity, system, s, tiny_eta())) for s in (Split.DEV, *TEST_SPLITS)
        }
    }
    return Outcome({"scores": scores}, score_metrics(scores), _say(scores, system))


def harness_stage(ctx: Context) -> Outcome:
    """The harness: off against on, then one revision of eta from evolve evidence, rule-checked, kept if no worse."""
    model, identity = ctx.planner("rl")
    off = {s.value: summary(ctx.evaluate(model, identity, "rl-harness-off", s, bare_eta())) for s in TEST_SPLITS}
    eta = tiny_eta()
    before = ctx.evaluate(model, identity, "rl", Split.EVOLVE, eta)
    revised = propose_revision(eta, before.diagnoses, _by_domain(before))
    revision: dict[str, Any] = {"evolve_before": before.score.success.rate, "accepted": False, "problems": []}
    scores = {"rl-harness-off": off, "rl": {Split.EVOLVE.value: summary(before)}}
    if revised is not None:
        problems = check_revision(eta, revised, ctx.tasks(Split.EVOLVE))
        after = None
        if not problems:
            tried = ctx.evaluate(model, identity, f"rl-eta-v{revised.version}", Split.EVOLVE, revised)
            scores[f"rl-eta-v{revised.version}"] = {Split.EVOLVE.value: summary(tried)}
            after = tried.score.success.rate
        accepted = after is not None and accept(before.score.success.rate, after)
        _record(ctx, revised, before.score.success.rate, after, accepted, problems)
        revision |= {
            "evolve_after": after,
            "accepted": accepted,
            "problems": problems,
            "note": revised.note,
            "changed": _changes(eta, revised),
        }
        eta = revised if accepted else eta
    save_eta(eta, ctx.run / ETA_CURRENT)
    revision["eta"] = msgspec.to_builtins(eta)
    verdict = "nothing to revise" if revised is None else ("accepted" if revision["accepted"] else "refused")
    say = f"harness off {off[INSTANCES.value]['success']['rate']:.0%} of unseen instances; revision of eta: {verdict}"
    metrics = score_metrics(scores)
    metrics.append({"step": 0, "kind": "eta", "version": eta.version, "accepted": revision["accepted"]})
    return Outcome({"scores": scores, "revision": revision}, metrics, say)


def _by_domain(result: Evaluation) -> dict[str, float]:
    """Success rate by domain."""
    members: dict[str, list[bool]] = {}
    for t in result.trajectories:
        members.setdefault(t.task.domain, []).append(result.score.outcomes[t.task.id])
    return {domain: sum(values) / len(values) for domain, values in sorted(members.items())}


def _record(
    ctx: Context, eta: HarnessConfig, before: float, after: float | None, accepted: bool, problems: Sequence[str]
) -> None:
    """Adds the revision to the history once, however often the stage is started."""
    path = ctx.run / ETA_HISTORY
    if any(entry.digest == eta.digest() for entry in load_history(path).entries):
        return
    record_revision(
        path,
        eta,
        reason=eta.note,
        accepted=accepted,
        problems=problems,
        evolve_before=before,
        evolve_after=after,
    )


def _changes(old: HarnessConfig, new: HarnessConfig) -> dict[str, list[Any]]:
    fields = [f for f in HarnessConfig.__struct_fields__ if f not in ("version", "parent", "note")]
    return {f: [getattr(old, f), getattr(new, f)] for f in fields if getattr(old, f) != getattr(new, f)}


def round2_stage(ctx: Context) -> Outcome:
    """The second turn: dev and RL statistics become new weights and repair sets, a new release, a short RL run."""
    first = read_release(ctx.run / "releases" / "v0001")
    eta = _current_eta(ctx)
    model, identity = ctx.planner("rl")
    dev = ctx.evaluate(model, identity, "rl", Split.DEV, tiny_eta())  # already on disk: read, not run
    found = competence(tally(dev.trajectories), _on_policy(ctx))
    needed = ctx.cfg.round2.steps * ctx.cfg.round2.tasks_per_step
    count = max(needed, _PER_FAMILY * len(first.manifest.weights))
    plan, history = update_plan(
        Plan(count=count, weights=first.manifest.weights),
        found,
        failure_counts(dev.trajectories, ctx.catalog),
        preserve_fraction=ctx.cfg.flywheel.preserve_fraction,
        repair_count=count // _REPAIR_SHARE,
    )
    release = make_release(ctx, "v0002", plan, eta, history)
    folder, out = ctx.run / "round2", ctx.model_dir("round2")
    trained = stages_train.rl(ctx, ctx.cfg.round2, release, ctx.weights("rl"), eta, folder, out)
    model, identity = ctx.planner("round2")
    scores = {"round2": {s.value: summary(ctx.evaluate(model, identity, "round2", s, eta)) for s in TEST_SPLITS}}
    results = {
        "competence": {f: _plain(c) for f, c in found.items()},
        "release": release_outcome(release).results,
        "rl": trained.results,
        "eta": eta.label(),
        "scores": scores,
    }
    metrics = [*release_outcome(release).metrics, *trained.metrics, *score_metrics(scores)]
    return Outcome(results, metrics, f"release v0002, {_say(scores, 'round2')}")


def _current_eta(ctx: Context) -> HarnessConfig:
    return load_history(ctx.run / ETA_HISTORY).current() or tiny_eta()


def _on_policy(ctx: Context) -> dict[str, Tally]:
    """Groups played in RL as trials; their successes from the running rates."""
    record = next((r for r in ctx.run.records() if r.stage.partition("-")[2] == "rl"), None)
    rates = record.results["families"] if record is not None else {}
    return {f: Tally(round(r["rate"] * r["groups"]), r["groups"]) for f, r in rates.items()}


def _plain(value: Competence) -> dict[str, Any]:
    return dataclasses.asdict(value) | {"status": value.status.value}


def report_stage(ctx: Context) -> Outcome:
    """Paired comparisons, computed from the outcomes on disk, and the transcripts that the report shows."""
    comparisons = []
    for a, b in COMPARISONS:
        for split in TEST_SPLITS:
            ours, theirs = (load_outcomes(ctx.run / "eval" / f"{x}-{split.value}") for x in (a, b))
            comparisons.append({"split": split.value, **compare(a, ours, b, theirs).as_dict()})
    metrics = [
        {
            "step": 0,
            "kind": "comparison",
            "a": c["a"],
            "b": c["b"],
            "split": c["split"],
            "success_difference": c["success"][0],
            "success_low": c["success"][1],
            "success_high": c["success"][2],
            "token_ratio": c["token_ratio"][0] if c["token_ratio"] else None,
        }
        for c in comparisons
    ]
    results = {"comparisons": comparisons, "transcripts": _examples(ctx)}
    return Outcome(results, metrics, f"{len(comparisons)} paired comparisons")


def _examples(ctx: Context) -> list[dict[str, str]]:
    """A few redacted transcripts: plain successes, recoveries from an error, and failures."""
    found: dict[str, list[Trajectory]] = {"success": [], "recovery": [], "failure": []}
    for t in read_traces(ctx.run / "eval" / f"rl-{INSTANCES.value}" / "episodes.jsonl").trajectories:
        erred = any(not f.ok for step in t.steps for f in step.feedback)
        solved = t.verdict is not None and t.verdict.success
        found["failure" if not solved else "recovery" if erred else "success"].append(t)
    shown = []
    for kind, episodes in found.items():
        for t in sorted(episodes, key=lambda t: t.task.id)[:_EXAMPLES]:
            shown.append({"kind": kind, "task": t.task.id, "text": transcript(redacted(t))})
    return shown


def _say(scores: dict[str, dict[str, Any]], system: str) -> str:
    parts = []
    for split, name in zip(TEST_SPLITS, ("unseen instances", "unseen families")):
        parts.append(f"{scores[system][split.value]['success']['rate']:.0%} of {name}")
    return f"{system}: " + ", ".join(parts)
