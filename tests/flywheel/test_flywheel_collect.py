"""Expert rollouts on the real sandbox, and whole rounds of the flywheel."""

from __future__ import annotations

import asyncio
from collections import Counter

import msgspec
import pytest

from qpa.bench import BenchVerifier, make_env, make_task, oracle
from qpa.bench.suites import families
from qpa.chat.parser import reply_intent
from qpa.config import FlywheelConfig
from qpa.contract import CallTools, ErrorType, Intent, Reply, Split, StopReason, to_msgpack
from qpa.flywheel.collect import collect
from qpa.flywheel.construct import construct, coverage, repair_class, uniform_plan
from qpa.flywheel.curate import curate
from qpa.flywheel.gate import DECISION, GatePending
from qpa.flywheel.personas import MAX_REPLY_WORDS, Persona, wordy
from qpa.flywheel.records import Curation, FlywheelError, HistoryEntry, Plan, Pool, Repair, RepairClass
from qpa.flywheel.round import run_round
from qpa.flywheel.slips import SlipKind
from qpa.harness import tiny_eta

SEEN = sorted(f.name for f in families().values() if not f.unseen)
FEW = ["alarm_create", "wifi_connect", "contact_unknown"]
CODES = {
    SlipKind.WRONG_ENUM: {ErrorType.INVALID_ARGUMENT},
    SlipKind.MISSING_ARGUMENT: {ErrorType.INVALID_ARGUMENT},
    SlipKind.UNKNOWN_TOOL: {ErrorType.UNKNOWN_TOOL},
    SlipKind.WRONG_ENTITY: {ErrorType.NOT_FOUND, ErrorType.CONFLICT},
    SlipKind.PREMATURE_CALL: {ErrorType.NOT_FOUND, ErrorType.CONFLICT, ErrorType.UNKNOWN_TOOL},
    SlipKind.MALFORMED_JSON: {ErrorType.INVALID_ARGUMENT},
}


def _env():
    return make_env(BenchVerifier())


def _collect(tasks, *, mistakes=0.0, verbose=0.5, seed=0, **options):
    cfg = FlywheelConfig(mistake_rate=mistakes, verbose_rate=verbose)
    return asyncio.run(collect(_env(), tasks, cfg, seed, eta=tiny_eta(), **options))


@pytest.fixture(scope="module")
def every_family():
    return [make_task(name, seed, Split.TRAIN) for name in SEEN for seed in (1, 2)]


@pytest.fixture(scope="module")
def with_slips(every_family):
    return _collect(every_family, mistakes=1.0)


@pytest.mark.parametrize("verbose", [0.0, 1.0])
def test_every_family_verifies_in_both_personas(every_family, verbose):
    rollouts = _collect(every_family, verbose=verbose)
    persona = Persona.CAREFUL if verbose else Persona.CONCISE
    assert [t.task.id for t in rollouts if not (t.verdict and t.verdict.success)] == []
    assert {t.provenance.notes["persona"] for t in rollouts} == {persona}  # the fallback to concise was never needed


def test_careful_rollouts_cost_more_and_think(every_family):
    concise, careful = _collect(every_family, verbose=0.0), _collect(every_family, verbose=1.0)
    assert all(not s.action.thought for t in concise for s in t.steps)
    assert all(s.action.thought for t in careful for s in t.steps if isinstance(s.action, CallTools))
    pairs = list(zip(concise, careful, strict=True))
    assert all(b.cost.output_tokens >= a.cost.output_tokens for a, b in pairs)
    assert sum(b.cost.tool_calls for _, b in pairs) > sum(a.cost.tool_calls for a, _ in pairs)
    words = [len(s.action.thought.split()) for t in careful for s in t.steps if s.action.thought]
    assert max(words) <= 16 and min(words) >= 4


def test_wordy_replies_keep_their_intent_and_stay_short(every_family):
    import random

    for task in every_family:
        reply = oracle(task)[-1]
        assert isinstance(reply, Reply)
        for seed in range(5):
            said = wordy(reply, random.Random(seed))
            assert reply_intent(said.text) is reply.intent
            assert said == reply or len(said.text.split()) <= MAX_REPLY_WORDS
    assert wordy(Reply(text="x " * 40), random.Random(0)).text == "x " * 40
    assert reply_intent(wordy(Reply(text="I can't.", intent=Intent.REFUSE), random.Random(1)).text) is Intent.REFUSE


def test_slips_come_back_as_the_errors_they_are_meant_to_be(with_slips):
    slipped = [t for t in with_slips if "slip" in t.provenance.notes]
    assert len(slipped) > 0.8 * len(with_slips)
    assert {t.provenance.notes["slip"] for t in slipped} == set(SlipKind)
    for t in slipped:
        notes = t.provenance.notes
        step = t.steps[int(notes["slip_turn"])]
        assert {f.error_type for f in step.feedback} <= CODES[SlipKind(notes["slip"])], t.task.id
        assert step.feedback
        assert (notes["slip"] == SlipKind.MALFORMED_JSON) == bool(step.parse_errors)
    assert all(t.verdict and t.verdict.success for t in with_slips)


def test_curation_masks_exactly_the_slips(with_slips):
    for record in curate(with_slips, oracle=oracle):
        assert record.pool is Pool.SFT, record.reasons
        notes = record.trajectory.provenance.notes
        masked = [s.index for s in record.trajectory.steps if s.erroneous]
        assert masked == ([int(notes["slip_turn"])] if "slip" in notes else []), record.id
        assert (record.decision is Curation.CORRECT) == bool(masked)
        for turn in masked:  # what follows a mistake is the verified recovery: supervised
            assert not record.trajectory.steps[turn + 1].erroneous


def test_the_detector_needs_the_oracle_only_where_errors_are_wanted(with_slips):
    """Without the oracle some probing calls are masked too, and some probes' mistakes are not; most agree."""
    exact, blind = curate(with_slips, oracle=oracle), curate(with_slips)
    same = sum(a.trajectory == b.trajectory for a, b in zip(exact, blind, strict=True))
    assert same > 0.85 * len(exact)


def test_rollouts_depend_on_seed_and_task_only(every_family):
    tasks = every_family[::9]
    one = _collect(tasks, mistakes=0.5, concurrency=1)
    many = _collect(tasks[::-1], mistakes=0.5, concurrency=8)[::-1]
    other = _collect(tasks, mistakes=0.5, seed=1)
    assert [to_msgpack(t) for t in one] == [to_msgpack(t) for t in many]
    assert [to_msgpack(t) for t in one] != [to_msgpack(t) for t in other]
    assert all(t.cost.wall_s == 0.0 for t in one)


def test_a_repeated_task_gets_different_rollouts(every_family):
    first, second = _collect([every_family[0]] * 2, mistakes=0.5)
    assert first.provenance.seed != second.provenance.seed


def test_rates_are_respected():
    tasks = [make_task("alarm_create", seed, Split.TRAIN) for seed in range(60)]
    rollouts = _collect(tasks, mistakes=0.2, verbose=0.25)
    personas = Counter(t.provenance.notes["persona"] for t in rollouts)
    slips = sum("slip" in t.provenance.notes for t in rollouts)
    assert 5 <= personas["careful"] <= 25
    assert 4 <= slips <= 22


def test_a_broken_oracle_costs_its_task_only(every_family):
    def moody(task):
        if task.id == every_family[1].id:
            raise RuntimeError("no plan")
        return oracle(task)

    seen = []
    found = _collect(every_family[:3], oracle=moody, on_done=seen.append)
    assert [t.valid for t in found] == [True, False, True]
    assert "no plan" in found[1].invalid_reason and found[1].stop is StopReason.MODEL_FAILURE
    assert len(seen) == 3
    assert curate(found)[1].decision is Curation.REJECT


def test_qwen3_texts_carry_their_think_blocks(every_family):
    (t,) = _collect(every_family[:1], family="qwen3", verbose=0.0)
    assert all(s.text.startswith("<think>") for s in t.steps)
    with pytest.raises(ValueError, match="concurrency"):
        _collect(every_family[:1], concurrency=0)


def test_construct_follows_the_plan():
    plan = Plan(
        count=20,
        weights={"alarm_create": 0.75, "wifi_connect": 0.25},
        repairs=[Repair(kind=RepairClass.RECOVERY, families=["wifi_connect"], count=5)],
    )
    tasks = construct(plan, 7)
    counts = coverage(tasks)
    assert counts["family"] == {"alarm_create": 15, "wifi_connect": 10}
    assert counts["capability"]["repair:recovery"] == 5
    assert {repair_class(t) for t in tasks[20:]} == {RepairClass.RECOVERY}
    assert repair_class(tasks[0]) is None
    assert sum(counts["pattern"].values()) == sum(counts["domain"].values()) == 25
    assert counts["tool"]["manage_alarm"] >= 15
    assert len({t.id for t in tasks}) == 25 and all(t.split is Split.TRAIN for t in tasks)
    again = construct(plan, 7, exclude={t.id for t in tasks[:10]})
    assert len(again) == 25 and not {t.id for t in again} & {t.id for t in tasks[:10]}
    assert [t.id for t in construct(plan, 7)] == [t.id for t in tasks]
    with pytest.raises(FlywheelError, match="nope"):
        construct(Plan(count=1, weights={"nope": 1.0}), 0)


def test_recovery_repair_tasks_always_get_a_slip():
    plan = Plan(count=0, weights={"alarm_create": 1.0})
    plan.repairs = [Repair(kind=RepairClass.RECOVERY, families=["alarm_create"], count=6)]
    assert all("slip" in t.provenance.notes for t in _collect(construct(plan, 0), mistakes=0.0))


def _round(root, plan, **options):
    cfg = FlywheelConfig(mistake_rate=0.3, gate=options.pop("gate", "auto"))
    return asyncio.run(run_round(_env(), plan, cfg, root, options.pop("seed", 0), eta=tiny_eta(), **options))


def test_two_rounds_make_two_linked_releases(tmp_path):
    plan = uniform_plan(12, FEW)
    first = _round(tmp_path, plan)
    assert first.manifest.version == "v0001" and first.manifest.parent is None
    stored = list(first.trajectories())
    assert len(stored) == 12 and all(t.verdict.success for t in stored)
    assert any(s.erroneous for t in stored for s in t.steps)
    assert {t.id for t in first.tasks()} == {t.task.id for t in stored}
    assert first.manifest.harness_version == tiny_eta().label()
    plan.weights = {"alarm_create": 0.2, "contact_unknown": 0.3, "wifi_connect": 0.5}
    history = [HistoryEntry(gap="wifi_connect fails", update="up-weighted")]
    second = _round(tmp_path, plan, history=history, extra=stored[:2])
    assert (second.manifest.version, second.manifest.parent) == ("v0002", "v0001")
    assert second.manifest.weights == plan.weights and second.manifest.history == history
    ids = [t.task.id for t in second.trajectories()]
    assert ids[:2] == [t.task.id for t in stored[:2]]
    assert not {t.task.id for t in stored} & set(ids[2:])


def test_a_manual_round_waits_and_goes_on_when_run_again(tmp_path):
    plan = uniform_plan(6, FEW)
    for _ in range(2):
        with pytest.raises(GatePending):
            _round(tmp_path, plan, gate="manual")
    (folder,) = (tmp_path / "gate" / "v0001").iterdir()
    template = msgspec.json.decode((folder / "decision.template.json").read_bytes())
    answer = template | {"ruling": "revise", "reviewer": "Ada", "reason": "less wifi", "weights": {"wifi_connect": 0.1}}
    (folder / DECISION).write_bytes(msgspec.json.encode(answer))
    with pytest.raises(GatePending):
        _round(tmp_path, plan, gate="manual")
    (revised,) = (p for p in (tmp_path / "gate" / "v0001").iterdir() if p != folder)
    template = msgspec.json.decode((revised / "decision.template.json").read_bytes())
    answer = template | {"ruling": "approve", "reviewer": "Ada", "reason": "fine now"}
    (revised / DECISION).write_bytes(msgspec.json.encode(answer))
    release = _round(tmp_path, plan, gate="manual")
    assert release.manifest.decision.reviewer == "Ada"
    assert release.manifest.weights["wifi_connect"] == pytest.approx(0.1 / (0.1 + 2 / 3))


def test_a_rejected_round_leaves_no_release(tmp_path):
    bad = _collect([make_task("alarm_create", 0, Split.DEV)])
    with pytest.raises(FlywheelError, match=r"rejected by auto-gate.*held-out"):
        _round(tmp_path, uniform_plan(12, FEW), extra=bad)
    assert not (tmp_path / "v0001").exists()
