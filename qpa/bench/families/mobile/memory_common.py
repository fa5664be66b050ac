"""What the memory families share: people outside the user's circle, days, small talk, and criteria of free wording."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from qpa.bench.families.base import Call, do
from qpa.bench.families.memory import hit
from qpa.bench.families.mobile.common import talk
from qpa.bench.families.mobile.memory_profile import Fact, Life
from qpa.bench.families.mobile.memory_slots import SLOTS
from qpa.bench.families.mobile.memory_topics import EVENT, INFO
from qpa.bench.families.tool_calls import person
from qpa.bench.families.values import NOTES, Draw
from qpa.bench.retrieval import terms
from qpa.contract import BehaviorCriteria, Dimension, Feedback, Intent, Message, ToolStep
from qpa.envs.sandbox.schema import WORLD_CLOCK, World

MEMORY = Dimension.MEMORY
SEARCH = "search_user_memory"
ASSISTANT = "AI Assistant"
FOODS = (
    ("peanuts", "花生"),
    ("shrimp", "虾"),
    ("kiwi", "猕猴桃"),
    ("sesame", "芝麻"),
    ("walnuts", "核桃"),
    ("mango", "芒果"),
    ("celery", "芹菜"),
    ("mustard", "芥末"),
)
MEETINGS = (  # what takes place again and again
    ("Team sync", "团队周会"),
    ("Book club", "读书会"),
    ("Choir practice", "合唱排练"),
    ("Chess evening", "棋友会"),
    ("Band practice", "乐队排练"),
    ("Journal club", "文献会"),
    ("Board meeting", "董事会"),
    ("Language tandem", "语言角"),
    ("Supervision hour", "督导会"),
    ("Sketching circle", "写生小组"),
    ("Code review", "代码评审"),
    ("Debate club", "辩论社"),
)
_SMALL_TALK = (
    (("Morning! Did the backup finish?", "Yes, everything is backed up."), ("早，备份好了吗？", "好了，都备份完了。")),
    (("I slept badly.", "Sorry to hear that. Take it slowly today."), ("昨晚没睡好。", "那今天悠着点。")),
    (("Thanks for yesterday.", "You're welcome."), ("昨天谢谢你。", "不客气。")),
    (("What a week.", "Nearly over, hang in there."), ("这周真够呛。", "快过去了，再坚持一下。")),
    (("It's raining again here.", "Better take a coat."), ("这边又下雨了。", "出门带件外套吧。")),
    (("I'm just having a coffee.", "Enjoy it."), ("我先喝杯咖啡。", "慢慢喝。")),
    (("The new screen is lovely.", "Glad you like it."), ("新屏幕真不错。", "喜欢就好。")),
)


class Words(NamedTuple):
    """A request in several ways in each language."""

    english: tuple[str, ...]
    chinese: tuple[str, ...]


def look_up(query: str, **more: object) -> Call:
    """A search of the user's memories."""
    return do(SEARCH, query=query, **more)


def met(feedback: Feedback, *ids: str) -> None:
    """Raises KeyError when a search missed one of these: the family would then be unsolvable."""
    for memory in ids:
        hit(feedback, memory)


def stranger(rng: Draw, world: World, life: Life) -> str:
    """A first name that neither a contact nor anyone in `life` has, and that a search tells from a common word."""
    known = {name for *_, name in life.people}
    while (name := person(rng, world)) in known or not terms(name):  # the stem of "Ines" is "in"
        pass
    return name


def acquaintances(rng: Draw, life: Life, count: int) -> list[str]:
    """Names of distinct grown people that every profile of `life` speaks about."""
    return rng.sample([name for _, _, child, name in life.people[:9] if not child], count)


def coming_day(rng: Draw) -> tuple[str, str]:
    """A day of the coming week in the task's language, and its date."""
    day = WORLD_CLOCK.date() + timedelta(days=rng.randint(1, 6))
    return rng.say(*SLOTS["day"][day.weekday()]), day.isoformat()


def note_pair(rng: Draw) -> tuple[str, str, str]:
    """A thing one notes down, its value, and another value it may take."""
    verb = rng.say(" is ", "是")
    thing, _, value = rng.pick(NOTES).partition(verb)
    while (other := rng.pick(NOTES).partition(verb)[2]) == value:
        pass
    return thing, value, other


def dates(rng: Draw, count: int) -> list[str]:
    """Distinct coming days, YYYY-MM-DD."""
    found: list[str] = []
    while len(found) < count:
        if (day := rng.day()) not in found:
            found.append(day)
    return found


def place_rows(*names: str) -> list[dict[str, object]]:
    """Rows of places on the map."""
    return [
        {"name": name, "address": f"{n} Elm Road", "category": "service", "x_m": 700 * n, "y_m": 400 * n}
        for n, name in enumerate(names, start=2)
    ]


def countdown_fact(rng: Draw, title: str, minutes: int, who: str = "") -> Fact:
    """How long a countdown is, the user's or somebody else's."""
    owner = rng.say(f"{who}'s ", f"{who}的") if who else ""
    name = owner + rng.say(f"{title} countdown", f"{title}倒计时")
    return Fact(name, rng.say(f"{'' if who else 'The '}{name} is {minutes} minutes.", f"{name}是{minutes}分钟。"))


def note_fact(rng: Draw, thing: str, value: str, who: str = "") -> Fact:
    """What a thing of the user's or of somebody else's is."""
    name = rng.say(f"{who}'s {thing}", f"{who}的{thing}") if who else thing
    return Fact(name, rng.say(f"{name} is {value}.", f"{name}是{value}。"), INFO)


def allergy_fact(rng: Draw, who: str, food: str) -> Fact:
    """What somebody must not eat."""
    return Fact(
        rng.say(f"{who}: allergy", f"{who}过敏"), rng.say(f"{who} is allergic to {food}.", f"{who}对{food}过敏。"), INFO
    )


def date_fact(rng: Draw, who: str, event: str, day: str) -> Fact:
    """When somebody's event is."""
    return Fact(
        rng.say(f"{who}'s {event}", f"{who}的{event}"),
        rng.say(f"{who}'s {event} is on {day}.", f"{who}的{event}是{day}。"),
        EVENT,
    )


def small_talk(rng: Draw, most: int) -> list[Message]:
    """Up to `most` exchanges about nothing, for the beginning of a history."""
    chosen = rng.sample(_SMALL_TALK, rng.randint(0, most))
    return [m for english, chinese in chosen for m in talk(*(chinese if rng.chinese else english))]


def kept(*routes: ToolStep, payload: tuple[str, ...] = (), reads: tuple[str, ...] = (SEARCH,)) -> BehaviorCriteria:
    """A memory was written by one of the routes, whatever its wording, with these terms in it; nothing else was."""
    return BehaviorCriteria(
        routes=list(routes), payload=list(payload), reads=list(reads), intent=Intent.FINISH, allow_writes=True
    )


def told(rng: Draw, most: int, *english_then_chinese: tuple[str, ...]) -> list[Message]:
    """A history: up to `most` exchanges of small talk, then the turns in the task's language."""
    english, chinese = english_then_chinese
    return [*small_talk(rng, most), *talk(*(chinese if rng.chinese else english))]
