"""The suite "mobile": the published benchmark's shape, executable. Scores are not comparable with the private original.

Test: 1,040 tool tasks, 376 memory tasks (176 single-turn, 200 multi-turn; half judged by state, half by calls or
behaviour), 200 skill instances in both routing settings, 89 sub-agent tasks; nearly half of each in Chinese. Families
that need an unseen tool or app, or are unseen as a whole, occur in test only and carry it in their split.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterable, Mapping

from qpa.bench.families.base import Family
from qpa.bench.rehearsal import SEEDS, SPLIT_OF_UNSEEN, TEST_SPLITS, Instance
from qpa.bench.retrieval import request_text, tool_index
from qpa.bench.suites import apportion, families, gold_tools, make_instance, make_task
from qpa.contract import Dimension, Fault, FaultMode, Split, StateCriteria, TaskSpec, ToolKind
from qpa.envs.sandbox import catalog

LANGUAGES = ("en", "zh")
CANDIDATES = 15  # N of Eq. 3
TEST = "test"
TEST_SIZES = {Dimension.TOOL: 1040, Dimension.SUBAGENT: 89}
SKILL_INSTANCES = 200  # each in both routing settings
# Memory tasks by (multi-turn, judged by state): 176 + 200 by turns, 188 + 188 by checker.
MEMORY_SIZES = {(False, True): 88, (False, False): 88, (True, True): 100, (True, False): 100}
PER_FAMILY = {Split.DEV: 4, Split.EVOLVE: 4}
MULTI_TURN = "multi_turn"
# End-to-end suites of long tasks: a comparison of shops that ends in an order; a customer's messages worked through.
USE_CASES = {"use_case_shopping": ("shop_compare", "shop_compare_three"), "use_case_crm": ("crm_follow_through",)}
USE_CASE_INSTANCES = 20  # of each family
FAULT_RATE = 0.3
_LEAST_SHARE = 3  # a family of one kind counts as one of so many


def load_mobile(
    split: Split | str, limit: int | None = None, *, recall: bool = True, candidates: int = CANDIDATES
) -> list[TaskSpec]:
    """The tasks of a split, or of all test splits for "test", families interleaved.

    With `recall` the retriever chooses the visible tools and may miss a needed one, as the protocol has it; without,
    needed tools are visible among the same number. Raises ValueError for the train split, which has no end.
    """
    if split == Split.TRAIN:
        raise ValueError("the train split has no end; use mobile_train_tasks(seed, n)")
    wanted = test_instances() if split == TEST or Split(split) in TEST_SPLITS else _held_out(Split(split))
    chosen = [i for i in wanted if split in (TEST, i.split)]
    return [make_mobile(i, recall, candidates) for i in chosen[:limit]]


def mobile_train_tasks(seed: int, n: int, weights: Mapping[str, float] | None = None) -> list[TaskSpec]:
    """`n` distinct training tasks in a seeded order, half in Chinese; `weights` as in `train_tasks`."""
    names = [f.name for f in families("mobile").values() if not f.unseen]
    shares = dict.fromkeys(names, 1.0) if weights is None else dict(weights)
    if strangers := [k for k, v in shares.items() if k not in names or v < 0]:
        raise ValueError(f"mobile_train_tasks: {strangers[0]!r} is no seen family, or its weight is negative")
    rng = random.Random(f"mobile-train:{seed}")
    picked = []
    for name, count in apportion(shares, n).items():
        for s in rng.sample(range(SEEDS), count):
            picked.append(Instance(name, Split.TRAIN, s, LANGUAGES[s % 2], _routing(name, s // 2)))
    rng.shuffle(picked)
    return [make_mobile(i, recall=False) for i in picked]


def load_use_case(name: str) -> list[TaskSpec]:
    """The test tasks of one of `USE_CASES`, needed tools visible."""
    members = [families("mobile")[family] for family in USE_CASES[name]]
    wanted = [i for number in range(USE_CASE_INSTANCES) for f in members for i in _test_instances(f, number)]
    return [make_mobile(i, recall=False) for i in wanted]


def make_mobile(instance: Instance, recall: bool, candidates: int = CANDIDATES) -> TaskSpec:
    """One task of the suite, with `candidates` visible tools; see `load_mobile`."""

    def needed_first(task: TaskSpec) -> list[str]:
        gold = gold_tools(task.id)
        rest = [n for n in recalled_tools(task, candidates) if n not in gold]
        return sorted([*gold, *rest[: max(0, candidates - len(gold))]])

    if recall:
        return make_instance(instance, candidates, lambda task: recalled_tools(task, candidates))
    return make_instance(instance, candidates, None if instance.split is Split.TRAIN else needed_first)


def with_faults(task: TaskSpec) -> TaskSpec:
    """The same task where a needed tool's first call may fail: a tool is unavailable, a sub-agent only says done.

    Each is hit with `FAULT_RATE`, always alike on a replay; calling again works, so every task can still be solved.
    """
    modes = itertools.cycle(FaultMode)
    for name in gold_tools(task.id):
        agent = _kinds()[name] is ToolKind.SUBAGENT
        more = {"mode": next(modes)} if agent else {"message": "Service unavailable, try again"}
        task.initial.faults.append(Fault(tool=name, rate=FAULT_RATE, **more))  # type: ignore[arg-type]
    return task


def recalled_tools(task: TaskSpec, candidates: int = CANDIDATES) -> list[str]:
    """A_0 without loaders (Eq. 3): the first `candidates` of the catalogue; memory tools are always there as well.

    A planner with a memory has its tools at hand whatever the request says: "as usual" names none of them.
    """
    found = tool_index().recall(request_text(task), candidates)
    if task.dimension is Dimension.MEMORY:
        found = list(dict.fromkeys([*_memory_tools(), *found]))
    return found


@functools.cache
def test_instances() -> tuple[Instance, ...]:
    """All instances of the test, families interleaved."""
    by_family = families("mobile")
    counts: dict[str, int] = {}
    for dimension, size in TEST_SIZES.items():
        counts |= _shared_out([f for f in by_family.values() if f.dimension is dimension], size)
    counts |= _shared_out([f for f in by_family.values() if f.dimension is Dimension.SKILL], SKILL_INSTANCES)
    for cell, size in MEMORY_SIZES.items():
        counts |= _shared_out([f for f in by_family.values() if _memory_cell(f) == cell], size)
    found = []
    for number in range(max(counts.values())):
        for name, count in counts.items():
            if number < count:
                found += _test_instances(by_family[name], number)
    return tuple(found)


def _test_instances(family: Family, number: int) -> list[Instance]:
    split = SPLIT_OF_UNSEEN.get(family.unseen, Split.TEST_UNSEEN_INSTANCE)
    routings = ("mtsr", "sor") if family.dimension is Dimension.SKILL else ("",)
    return [Instance(family.name, split, number, LANGUAGES[number % 2], routing) for routing in routings]


def _held_out(split: Split) -> list[Instance]:
    members = [f for f in families("mobile").values() if not f.unseen]
    return [
        Instance(f.name, split, number, LANGUAGES[number % 2], _routing(f.name, number // 2))
        for number in range(PER_FAMILY[split])
        for f in members
    ]


def _routing(name: str, number: int) -> str:
    is_skill = families("mobile")[name].dimension is Dimension.SKILL
    return ("mtsr", "sor")[number % 2] if is_skill else ""


def _shared_out(members: Iterable[Family], size: int) -> dict[str, int]:
    """Tasks by family: a family of many kinds of instances gets more, so that each kind occurs."""
    return apportion({f.name: float(max(f.variants, _LEAST_SHARE)) for f in members}, size)


@functools.cache
def _memory_cell(family: Family) -> tuple[bool, bool] | None:
    """(multi-turn, judged by state) of a memory family; a family has one of each."""
    if family.dimension is not Dimension.MEMORY:
        return None
    split = SPLIT_OF_UNSEEN.get(family.unseen, Split.DEV)
    task = make_task(family.name, 0, split, CANDIDATES, "en")
    return MULTI_TURN in family.capabilities, isinstance(task.criteria, StateCriteria)


@functools.cache
def _kinds() -> dict[str, ToolKind]:
    return {s.name: s.kind for s in catalog()}


@functools.cache
def _memory_tools() -> tuple[str, ...]:
    return tuple(name for name, kind in _kinds().items() if kind is ToolKind.MEMORY)


def recall_rates(tasks: Iterable[TaskSpec]) -> dict[str, tuple[int, int]]:
    """(tasks whose needed tools were all recalled, tasks) over everything, each language and each domain."""
    counted: dict[str, list[bool]] = {}
    for task in tasks:
        if task.dimension is Dimension.SKILL:
            continue  # there the loaders bring the tools
        complete = set(gold_tools(task.id)) <= set(recalled_tools(task))
        language = "Chinese" if ".zh" in task.id else "English"
        for key in ("all", language, task.domain):
            counted.setdefault(key, []).append(complete)
    return {key: (sum(hits), len(hits)) for key, hits in counted.items()}
