"""Memory, several turns: answers, questions and unsaved exceptions; judged by calls or behaviour."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, done, family
from qpa.bench.families.mobile.common import answered
from qpa.bench.families.mobile.memory_common import (
    ASSISTANT,
    FOODS,
    MEMORY,
    SEARCH,
    Words,
    acquaintances,
    allergy_fact,
    look_up,
    met,
    told,
)
from qpa.bench.families.mobile.memory_profile import Fact, book, conflicting, draw_life
from qpa.bench.families.mobile.memory_slots import SLOTS
from qpa.bench.families.values import TITLES, Draw
from qpa.envs.sandbox.schema import World

_TURN_QUESTION = Words(
    english=(
        "What was it again that tonight's guest is allergic to?",
        "Which food must I leave out for this guest because of an allergy?",
        "Tonight's guest: allergic to what? I leave in {n} minutes.",
        "Before I go shopping in {n} minutes: the person coming tonight has an allergy, doesn't she or he? To what?",
    ),
    chinese=(
        "今晚来的这位对什么过敏来着？",
        "这位客人因为过敏不能吃哪样东西？",
        "今晚的客人对什么过敏？我{n}分钟后出门。",
        "我{n}分钟后去买菜，今晚来的人是不是有过敏？对什么？",
    ),
)


@family("memory_turn_question", MEMORY, ASSISTANT, "single_record", "act", "question", "multi_turn", "reference")
def memory_turn_question(rng: Draw, world: World) -> Draft:
    """Whom the question is about stands two turns back."""
    life, say = draw_life(rng, world), rng.say
    name, other = acquaintances(rng, life, 2)
    food, theirs = (say(*pair) for pair in rng.sample(FOODS, 2))
    gold = allergy_fact(rng, name, food)
    near = (allergy_fact(rng, other, theirs),)
    found = book(rng, life, (gold,), near, without=("eats",))
    history = told(
        rng,
        3,
        (
            f"{other} can't make it tonight, {name} is coming instead.",
            f"So dinner is with {name}. Anything to prepare?",
            "I'm writing the shopping list right now.",
            "Tell me if I can help.",
        ),
        (
            f"今晚{other}来不了，换{name}来。",
            f"那就是和{name}吃晚饭，要准备什么吗？",
            "我正在列买菜清单。",
            "需要帮忙就说。",
        ),
    )

    def plan() -> Plan:
        feedback = yield [look_up(say(f"{name} allergy", f"{name}过敏"))]
        met(feedback[0], *found.ids)
        return done(say(f"{name} is allergic to {food}.", f"{name}对{food}过敏。"))

    return Draft(
        phrasings=_TURN_QUESTION.english,
        chinese=_TURN_QUESTION.chinese,
        slots={"n": rng.randint(2, 30)},
        plan=plan,
        criteria=answered([food], reads=(SEARCH,)),
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
    )


_TURN_LATEST = Words(
    english=(
        "And what is the new job of the one who started afresh? I told you.",
        "For the second card: which profession is it now? I have {n} minutes left.",
        "The one with the new job, what does that person do these days? {n} lines are still empty.",
        "The post goes in {n} minutes and I'm at the card about the new work. Which job is it?",
    ),
    chinese=(
        "换工作的那位现在做什么？我跟你说过。",
        "第二张贺卡：现在的职业是什么来着？我只剩{n}分钟。",
        "有新工作的那个人，眼下是做哪行的？还空着{n}行没写。",
        "还有{n}分钟就要寄了，新工作那张，是什么工作来着？",
    ),
)


@family("memory_turn_latest", MEMORY, ASSISTANT, "conflicting_records", "act", "question", "multi_turn")
def memory_turn_latest(rng: Draw, world: World) -> Draft:
    """A pronoun and two records that disagree: the one updated last holds."""
    life, say = draw_life(rng, world), rng.say
    name, other = acquaintances(rng, life, 2)
    old, new = rng.sample(SLOTS["job"], 2)
    title = say(f"{name}'s work", f"{name}的工作")
    stale, fresh = conflicting(
        rng,
        (title, say(f"{name} works as {old[0]}.", f"{name}的工作是{old[1]}。")),
        (title, say(f"{name} changed jobs and is {new[0]}.", f"{name}换了工作，现在是{new[1]}。")),
    )
    found = book(rng, life, (stale, fresh), without=("job",))
    english_job = new[0].partition(" ")[2]
    history = told(
        rng,
        2,
        (
            f"I'm writing a card to {name} and {other}.",
            "What is the occasion?",
            f"{other} has a birthday, and {name} started something new at work.",
            f"Then two cards: a birthday for {other}, a new start for {name}.",
        ),
        (
            f"我在给{name}和{other}写贺卡。",
            "是什么事？",
            f"{other}过生日，{name}换了新工作。",
            f"那就两张：{other}的生日卡，{name}的新工作贺卡。",
        ),
    )

    def plan() -> Plan:
        feedback = yield [look_up(title)]
        met(feedback[0], *found.ids)
        return done(say(f"{name} is {new[0]} now.", f"{name}现在是{new[1]}。"))

    return Draft(
        phrasings=_TURN_LATEST.english,
        chinese=_TURN_LATEST.chinese,
        slots={"n": rng.randint(2, 30)},
        plan=plan,
        criteria=answered([english_job, new[1]], reads=(SEARCH,)),
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
    )


_TURN_DIFFERENCE = Words(
    english=(
        "Yes. How many minutes more than I usually need for the two of them?",
        "By how many minutes is that over my usual total for {a} and {b}?",
        "Difference to my normal time for both, in minutes?",
        "You know what {a} and {b} each take me normally. How much longer was it today, in minutes?",
    ),
    chinese=(
        "比，这两样加起来比平时多用了几分钟？",
        "比我{a}和{b}平时的总时长超了多少分钟？",
        "和两样平常的合计差几分钟？",
        "{a}、{b}平时各要多久你知道，今天多花了多少分钟？",
    ),
)


@family("memory_turn_difference", MEMORY, ASSISTANT, "multi_record", "act", "question", "multi_turn")
def memory_turn_difference(rng: Draw, world: World) -> Draft:
    """Today's duration was said, the usual one is the sum of two records."""
    life, say = draw_life(rng, world), rng.say
    (a, b), (first, second, over) = rng.several(TITLES, 2), rng.sample(range(11, 50), 3)
    today = first + second + over
    gold = (
        Fact(say(f"{a}: time", f"{a}用时"), say(f"{a} takes {first} minutes.", f"{a}要{first}分钟。")),
        Fact(say(f"{b}: time", f"{b}用时"), say(f"{b} takes {second} minutes.", f"{b}要{second}分钟。")),
    )
    found = book(rng, life, gold)
    history = told(
        rng,
        2,
        (
            f"Today {a} and {b} took me {today} minutes together.",
            "That sounds like a long session.",
            "It felt like one.",
            "Do you want to compare?",
        ),
        (f"今天{a}加{b}一共花了我{today}分钟。", "听着挺久的。", "感觉也是。", "要和平时比一比吗？"),
    )

    def plan() -> Plan:
        feedback = yield [look_up(say(f"{a} minutes", f"{a}用时")), look_up(say(f"{b} minutes", f"{b}用时"))]
        met(feedback[0], found.ids[0])
        met(feedback[1], found.ids[1])
        return done(say(f"{over} minutes longer than usual.", f"比平时多了{over}分钟。"))

    return Draft(
        phrasings=_TURN_DIFFERENCE.english,
        chinese=_TURN_DIFFERENCE.chinese,
        slots={"a": a, "b": b},
        plan=plan,
        criteria=answered([str(over)], reads=(SEARCH,)),
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
    )


FAMILIES = (
    memory_turn_question,
    memory_turn_latest,
    memory_turn_difference,
)
