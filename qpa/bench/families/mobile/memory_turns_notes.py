"""Memory, several turns: records that the assistant words itself after a dialogue; judged by their fields."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import step
from qpa.bench.families.mobile.memory_common import (
    ASSISTANT,
    MEMORY,
    Words,
    acquaintances,
    date_fact,
    dates,
    kept,
    look_up,
    met,
    told,
)
from qpa.bench.families.mobile.memory_notes import PRACTICES
from qpa.bench.families.mobile.memory_profile import Fact, book, draw_life
from qpa.bench.families.mobile.memory_topics import EVENT
from qpa.bench.families.values import EVENTS, Draw
from qpa.envs.sandbox.schema import World

_TURN_ADD = Words(
    english=(
        "Yes. Remember the {event} with its right date (written {form}), as an important event.",
        "Keep that in memory as an event for me: {name}'s {event}, and the date as {form}.",
        "Save it as an important event, date in the form {form}.",
        "I'm bound to forget that {event}. Put it into your memory of important events, write the date as {form}.",
    ),
    chinese=(
        "对，把{event}和正确的日期（写成{form}）记成重要事件。",
        "帮我记到记忆里，算重要事件：{name}的{event}，日期按{form}的格式。",
        "存成重要事件，日期写成{form}的形式。",
        "这个{event}我肯定会忘，你记进重要事件，日期格式{form}。",
    ),
)


@family("memory_turn_add", MEMORY, ASSISTANT, "single_record", "add", "multi_turn")
def memory_turn_add(rng: Draw, world: World) -> Draft:
    """An event whose day was corrected in the dialogue is saved once, with the last day; others' events stay."""
    life, say = draw_life(rng, world), rng.say
    name, other = acquaintances(rng, life, 2)
    event, (day, wrong) = rng.pick(EVENTS), dates(rng, 2)
    found = book(rng, life, (), (date_fact(rng, other, event, wrong),))
    history = told(
        rng,
        2,
        (
            f"{name}'s {event} is on {wrong}.",
            "Thanks for telling me.",
            f"Sorry, I misread that: {day}.",
            f"{name}'s {event} on {day}, then.",
        ),
        (f"{name}的{event}是{wrong}。", "知道了。", f"看错了，是{day}。", f"那就是{name}的{event}，{day}。"),
    )

    def plan() -> Plan:
        yield [look_up(f"{name} {event}")]
        content = say(f"{name}'s {event} is on {day}.", f"{name}的{event}是{day}。")
        yield [do("add_user_memory", content=content, memoryCategory=EVENT)]
        return done(say(f"I'll remember {name}'s {event}: {day}.", f"记住了，{name}的{event}是{day}。"))

    return Draft(
        phrasings=_TURN_ADD.english,
        chinese=_TURN_ADD.chinese,
        slots={"event": event, "name": name, "form": "YYYY-MM-DD"},
        plan=plan,
        criteria=kept(step("add_user_memory", memoryCategory=EVENT), payload=(name, event, day), reads=()),
        patch={"memories": found.rows},
        history=history,
        shown=("replace_user_memory",),
    )


_TURN_REPLACE = Words(
    english=(
        "Bring the saved {thing} in line with that.",
        "Now you may update my {thing} in memory, instead of adding another entry.",
        "OK, change the record of my {thing}.",
        "So what you have saved about the {thing} no longer holds. Correct it accordingly, one entry only.",
    ),
    chinese=(
        "把记忆里的{thing}照这个改。",
        "现在可以更新我{thing}那条了，别新增，改原来那条。",
        "好，我{thing}那条改一下。",
        "那你记的{thing}就不对了，相应改过来，只留一条。",
    ),
)


@family("memory_turn_replace", MEMORY, ASSISTANT, "single_record", "replace", "multi_turn", variants=3)
def memory_turn_replace(rng: Draw, world: World) -> Draft:
    """A habit was tried out in the dialogue and is now settled: the saved record is rewritten."""
    life, say = draw_life(rng, world), rng.say
    title, text, values = PRACTICES[rng.turn % len(PRACTICES)]
    thing, sentence = say(*title), say(*text)
    old, tried, new = (say(*pair) for pair in rng.sample(values, 3))
    partner = life.named("partner")
    gold = Fact(thing, sentence.format(value=old))
    near = (Fact(f"{partner}: {thing}", f"{partner}: {sentence.format(value=tried)}"),)
    found = book(rng, life, (gold,), near)
    history = told(
        rng,
        1,
        (
            f"For my {thing} I've been trying {tried} this week.",
            "Shall I remember that?",
            "No, it was just a try and it didn't suit me.",
            "Then I leave the record alone.",
            f"{new} works, though. I'll stay with {new}.",
            f"{new} it is.",
        ),
        (
            f"我{thing}这周试了{tried}。",
            "要记下来吗？",
            "不用，就是试试，不合适。",
            "那记录先不动。",
            f"{new}倒是挺好，我就定{new}了。",
            f"好，就{new}。",
        ),
    )

    def plan() -> Plan:
        feedback = yield [look_up(thing)]
        met(feedback[0], *found.ids)
        yield [do("replace_user_memory", memoryId=found.ids[0], content=sentence.format(value=new))]
        return done(say(f"Your {thing} is {new} in memory now.", f"你{thing}已改成{new}。"))

    return Draft(
        phrasings=_TURN_REPLACE.english,
        chinese=_TURN_REPLACE.chinese,
        slots={"thing": thing},
        plan=plan,
        criteria=kept(step("replace_user_memory", memoryId=found.ids[0]), payload=(new,)),
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
        shown=("add_user_memory",),
    )


_TURN_REPLACE_ONE = Words(
    english=(
        "Right. Correct that one in memory, dates the way you have them.",
        "Exactly, update the {event} that moved. Keep the date format.",
        "Yes, the moved {event}: fix the saved date, same format as before.",
        "Quite so. Leave the other {event} alone and set right the one that changed, date written as so far.",
    ),
    chinese=(
        "对，把那条记忆改过来，日期格式照旧。",
        "没错，更新改期的那个{event}，日期还是那种写法。",
        "是的，改期的{event}，把记的日期改掉，格式不变。",
        "正是，另一个{event}别动，改期的那个更正一下，日期写法和以前一样。",
    ),
)


@family("memory_turn_replace_one", MEMORY, ASSISTANT, "multi_record", "replace", "multi_turn")
def memory_turn_replace_one(rng: Draw, world: World) -> Draft:
    """Two people were talked about; the saved day of the one who changed it is rewritten."""
    life, say = draw_life(rng, world), rng.say
    name, other = acquaintances(rng, life, 2)
    event, (old, theirs, new) = rng.pick(EVENTS), dates(rng, 3)
    found = book(rng, life, (date_fact(rng, name, event, old), date_fact(rng, other, event, theirs)))
    history = told(
        rng,
        2,
        (
            f"{name} and {other} both have a {event} coming up, you have both days.",
            "Yes, I remember both.",
            f"One of them was put off to {new}: not {other}'s.",
            f"Then it is {name}'s that moved to {new}.",
        ),
        (
            f"{name}和{other}都有{event}，两个日子你都记着。",
            "对，都记着。",
            f"有一个改到{new}了，不是{other}的。",
            f"那就是{name}的改到{new}。",
        ),
    )

    def plan() -> Plan:
        feedback = yield [look_up(f"{name} {other} {event}")]
        met(feedback[0], *found.ids)
        content = say(f"{name}'s {event} is on {new}.", f"{name}的{event}是{new}。")
        yield [do("replace_user_memory", memoryId=found.ids[0], content=content)]
        return done(say(f"{name}'s {event} is on {new} now.", f"{name}的{event}改成{new}了。"))

    return Draft(
        phrasings=_TURN_REPLACE_ONE.english,
        chinese=_TURN_REPLACE_ONE.chinese,
        slots={"event": event},
        plan=plan,
        criteria=kept(step("replace_user_memory", memoryId=found.ids[0]), payload=(name, new)),
        patch={"memories": found.rows},
        history=history,
        memories=found.ids[:1],
        shown=("add_user_memory",),
    )


FAMILIES = (memory_turn_add, memory_turn_replace, memory_turn_replace_one)
