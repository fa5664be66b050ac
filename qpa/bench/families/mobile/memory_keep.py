"""Memory, one turn: adding, replacing and removing records whose words or targets the user names; judged by state.

What is saved is dictated word for word, so that comparing rows is fair; free wording is judged in `memory_notes`.
"""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.memory import items_of
from qpa.bench.families.mobile.memory_common import (
    ASSISTANT,
    FOODS,
    MEMORY,
    SEARCH,
    Words,
    acquaintances,
    look_up,
    met,
    note_fact,
    note_pair,
    stranger,
)
from qpa.bench.families.mobile.memory_profile import Fact, book, draw_life
from qpa.bench.families.mobile.memory_slots import SLOTS
from qpa.bench.families.mobile.memory_topics import EVENT, HABIT, INFO
from qpa.bench.families.values import EVENTS, PLACES, TITLES, Draw
from qpa.envs.sandbox.schema import World


def facts_about(rng: Draw, name: str, count: int) -> list[Fact]:
    """Different things one has told about a person who is not in the profile."""
    say = rng.say
    food, city, day = say(*rng.choice(FOODS)), say(*rng.choice(SLOTS["city"])), say(*rng.choice(SLOTS["day"]))
    (flat, owed, desk), title = rng.sample(range(11, 99), 3), rng.pick(TITLES)
    facts = [
        Fact(
            say(f"{name} and food", f"{name}的饮食"), say(f"{name} can't stand {food}.", f"{name}受不了{food}。"), INFO
        ),
        Fact(
            say(f"{name}'s flat", f"{name}的住处"),
            say(f"{name} rents flat {flat} in {city}.", f"{name}在{city}租了{flat}号房。"),
            INFO,
        ),
        Fact(
            say(f"{title} with {name}", f"和{name}{title}"),
            say(f"Does {title} with {name} on {day}s.", f"{day}和{name}一起{title}。"),
            HABIT,
        ),
        Fact(
            say(f"Borrowed from {name}", f"借{name}的钱"),
            say(f"Owed {name} {owed} euros last spring.", f"去年春天欠{name}{owed}块钱。"),
            EVENT,
        ),
        Fact(
            say(f"{name}'s desk", f"{name}的工位"),
            say(f"{name} sits at desk {desk}.", f"{name}坐{desk}号工位。"),
            INFO,
        ),
    ]
    return rng.sample(facts, count)


_ADD_DICTATED = Words(
    english=(
        'Remember, in exactly these words: "{content}".',
        'New for your memory, please save it word for word: "{content}".',
        'Put this into memory as it stands: "{content}".',
        'I keep forgetting this. Save the sentence "{content}" for me, no changes.',
    ),
    chinese=(
        "记住这句话，一字不改：“{content}”。",
        "往记忆里存一条，原话是：“{content}”。",
        "帮我记下来，就写“{content}”，别的不用加。",
        "我老是忘，你把“{content}”这句原样存到记忆里。",
    ),
)


@family("memory_add_dictated", MEMORY, ASSISTANT, "single_record", "add", "single_turn", variants=3)
def memory_add_dictated(rng: Draw, world: World) -> Draft:
    """Dictated words about a person, of each category in turn; similar things are saved about others."""
    life, say = draw_life(rng, world), rng.say
    name, other = acquaintances(rng, life, 2)
    food, day, on = say(*rng.choice(FOODS)), say(*rng.choice(SLOTS["day"])), rng.day()
    time, event = rng.time(8, 20), rng.pick(EVENTS)
    category, content, similar = (
        (
            INFO,
            say(f"{name} is allergic to {food}", f"{name}对{food}过敏"),
            say(f"{other} is allergic to pollen.", f"{other}对花粉过敏。"),
        ),
        (
            EVENT,
            say(f"{name}'s {event} is on {on}", f"{name}的{event}是{on}"),
            say(f"{other}'s {event} was in May.", f"{other}的{event}在5月。"),
        ),
        (
            HABIT,
            say(f"{name} comes over every {day} at {time}", f"{name}每{day}{time}来家里"),
            say(f"{other} comes over every month.", f"{other}每个月来家里。"),
        ),
    )[rng.turn % 3]
    found = book(rng, life, (), (Fact(other, similar, category),), without=("meets",))

    def plan() -> Plan:
        yield [look_up(content)]
        yield [do("add_user_memory", content=content, memoryCategory=category)]
        return done(say(f"Saved: {content}.", f"记下了：{content}。"))

    return Draft(
        phrasings=_ADD_DICTATED.english,
        chinese=_ADD_DICTATED.chinese,
        slots={"content": content},
        plan=plan,
        patch={"memories": found.rows},
        shown=("replace_user_memory",),
    )


_REPLACE_DICTATED = Words(
    english=(
        'My {thing} has changed. Replace what you saved about it by the words "{content}".',
        'The entry about my {thing} is out of date, overwrite it with "{content}".',
        'Memory update, my own {thing}: the record shall read "{content}" from now on.',
        'They gave me a new {thing}! Don\'t add a second entry, just turn the old one into "{content}".',
    ),
    chinese=(
        "我的{thing}变了，把原来那条记忆改成“{content}”。",
        "我{thing}那条过时了，内容直接换成“{content}”。",
        "更新记忆：我自己的{thing}，以后就写“{content}”。",
        "我换了新的{thing}，别新建，把旧的那条改写成“{content}”。",
    ),
)


@family("memory_replace_dictated", MEMORY, ASSISTANT, "single_record", "replace", "single_turn")
def memory_replace_dictated(rng: Draw, world: World) -> Draft:
    """The user's own record is overwritten; another person's thing of the same kind stays."""
    life, say = draw_life(rng, world), rng.say
    thing, old, new = note_pair(rng)
    partner, content = life.named("partner"), say(f"{thing} is {new}", f"{thing}是{new}")
    gold = note_fact(rng, thing, old)
    near = (
        Fact(
            say(f"{partner}'s {thing}", f"{partner}的{thing}"),
            say(f"{partner}: {thing} is {new}.", f"{partner}的{thing}是{new}。"),
            INFO,
        ),
    )
    found = book(rng, life, (gold,), near)

    def plan() -> Plan:
        feedback = yield [look_up(thing)]
        met(feedback[0], *found.ids)
        yield [do("replace_user_memory", memoryId=found.ids[0], content=content)]
        return done(say(f"Updated: {content}.", f"改好了：{content}。"))

    return Draft(
        phrasings=_REPLACE_DICTATED.english,
        chinese=_REPLACE_DICTATED.chinese,
        slots={"thing": thing, "content": content},
        plan=plan,
        patch={"memories": found.rows},
        memories=found.ids,
        shown=("add_user_memory",),
    )


_FORGET_PERSON = Words(
    english=(
        "Forget everything you have saved about {name}. I'm sure, don't ask again.",
        "{name} and I lost touch. Delete every memory that is about {name}, yes, all of them for good.",
        "Erase all records on {name}, I confirm it.",
        "Please remove whatever mentions {name} from your memory, every single entry; I have thought it over.",
    ),
    chinese=(
        "把关于{name}的记忆全忘掉，我确定，不用再问。",
        "我和{name}没联系了，凡是说到{name}的记忆都删了吧，确认删除。",
        "清除所有{name}的记录，我确认。",
        "记忆里只要提到{name}的，一条不留全删掉，我想清楚了。",
    ),
)


@family("memory_forget_person", MEMORY, ASSISTANT, "multi_record", "remove", "single_turn")
def memory_forget_person(rng: Draw, world: World) -> Draft:
    """Every record about one person goes, wherever it was told; everybody else's stay."""
    life, say = draw_life(rng, world), rng.say
    name = stranger(rng, world, life)
    found = book(rng, life, facts_about(rng, name, rng.randint(2, 4)), facts_about(rng, life.named("best friend"), 2))

    def plan() -> Plan:
        feedback = yield [look_up(name, maxResults=20)]
        met(feedback[0], *found.ids)
        about = [item["memory_id"] for item in items_of(feedback[0]) if name in item["title"] + item["content"]]
        yield [do("remove_user_memory", memoryId=memory) for memory in about]
        return done(say(f"Everything about {name} is forgotten.", f"关于{name}的记忆都删掉了。"))

    return Draft(
        phrasings=_FORGET_PERSON.english,
        chinese=_FORGET_PERSON.chinese,
        slots={"name": name},
        plan=plan,
        patch={"memories": found.rows},
        memories=found.ids,
        hidden=("replace_user_memory",),
    )


_CANCELLED_EVENT = Words(
    english=(
        "The {event} is called off. Delete the date and the place you remembered for it.",
        "{event} won't happen after all, so drop both entries about it from memory.",
        "Remove from memory when and where the {event} is; it's cancelled.",
        "Turns out there will be no {event}. Clear what you saved on its date and venue, nothing else, no confirming.",
    ),
    chinese=(
        "{event}取消了，之前记的时间和地点都删掉。",
        "{event}办不成了，把记忆里关于它的两条都去掉。",
        "{event}不办了，记忆里它什么时候、在哪儿，一并删除。",
        "结果{event}黄了，它的日期和地点那两条记忆清掉，别的别动，不用再确认。",
    ),
)


@family("memory_cancelled_event", MEMORY, ASSISTANT, "multi_record", "remove", "single_turn")
def memory_cancelled_event(rng: Draw, world: World) -> Draft:
    """Both records of an event that will not happen; a friend's event and another one of the user's stay."""
    life, say = draw_life(rng, world), rng.say
    (event, other), (place, elsewhere) = rng.several(EVENTS, 2), rng.several(PLACES, 2)
    day, friend = rng.day(), life.named("best friend")
    gold = (
        Fact(event, say(f"The {event} is on {day}.", f"{event}定在{day}。"), EVENT),
        Fact(
            say(f"{event}, where", f"{event}地点"),
            say(f"The {event} will be held at {place}.", f"{event}在{place}举行。"),
            EVENT,
        ),
    )
    near = (
        Fact(other, say(f"The {other} is on {rng.day()}.", f"{other}定在{rng.day()}。"), EVENT),
        Fact(
            say(f"{other}, where", f"{other}地点"),
            say(f"The {other} will be held at {elsewhere}.", f"{other}在{elsewhere}举行。"),
            EVENT,
        ),
        Fact(
            say(f"{friend}'s plans", f"{friend}的安排"),
            say(f"{friend} goes to {place} now and then.", f"{friend}偶尔去{place}。"),
            INFO,
        ),
    )
    found = book(rng, life, gold, near)

    def plan() -> Plan:
        feedback = yield [look_up(event)]
        met(feedback[0], *found.ids)
        yield [do("remove_user_memory", memoryId=memory) for memory in found.ids]
        return done(say(f"Removed what was saved about {event}.", f"{event}的记忆删掉了。"))

    return Draft(
        phrasings=_CANCELLED_EVENT.english,
        chinese=_CANCELLED_EVENT.chinese,
        slots={"event": event},
        plan=plan,
        patch={"memories": found.rows},
        memories=found.ids,
        shown=(SEARCH,),
        hidden=("replace_user_memory",),
    )


FAMILIES = (memory_add_dictated, memory_replace_dictated, memory_forget_person, memory_cancelled_event)
