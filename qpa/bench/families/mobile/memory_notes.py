"""Memory, one turn: records that the assistant words itself.

The wording is free, so the checker looks at the fields: which record, which category, and the terms that any sensible
sentence contains.
"""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import step
from qpa.bench.families.mobile.memory_common import (
    ASSISTANT,
    FOODS,
    MEMORY,
    Words,
    acquaintances,
    allergy_fact,
    kept,
    look_up,
    met,
    note_fact,
    note_pair,
)
from qpa.bench.families.mobile.memory_profile import Fact, book, conflicting, draw_life
from qpa.bench.families.mobile.memory_slots import SLOTS, Pair
from qpa.bench.families.mobile.memory_topics import HABIT, INFO
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.schema import World

APPS: tuple[Pair, ...] = tuple((name, name) for name in ("Anki", "Quizlet", "Memrise", "Duolingo", "Busuu", "Drops"))
WEEKDAYS = SLOTS["day"]
# What one does in one way at a time: title, sentence with {value}, and the ways.
PRACTICES: tuple[tuple[Pair, Pair, tuple[Pair, ...]], ...] = (
    (
        ("bedtime vocabulary app", "睡前背单词软件"),
        ("Learns bedtime vocabulary with {value}.", "睡前用{value}背单词。"),
        APPS,
    ),
    (("bin day", "倒垃圾的日子"), ("Puts the bins out on {value}.", "{value}倒垃圾。"), WEEKDAYS),
    (("window cleaning day", "擦窗户的日子"), ("Cleans the windows on {value}.", "{value}擦窗户。"), WEEKDAYS),
)


_UPDATE_PRACTICE = Words(
    english=(
        "Update what you saved about my {thing}: it is {new} now.",
        "My {thing} changed from {old} to {new}. Correct it in your memory.",
        "{thing}: no longer {old}, {new} from now on. Please keep your memory of me in step.",
        "Since last week {new} is my {thing}. You still have the old one saved, put that right.",
    ),
    chinese=(
        "更新一下你记的我{thing}，现在是{new}。",
        "我{thing}从{old}换成{new}了，把记忆改过来。",
        "{thing}不再是{old}，以后是{new}，你那边记的同步一下。",
        "上周起我{thing}改成{new}了，你存的还是旧的，改正一下。",
    ),
)


@family("memory_update_practice", MEMORY, ASSISTANT, "single_record", "replace", "single_turn", variants=3)
def memory_update_practice(rng: Draw, world: World) -> Draft:
    """A habit changed: the saved record is rewritten, no second one appears (MEM-0043)."""
    life, say = draw_life(rng, world), rng.say
    title, text, values = PRACTICES[rng.turn % len(PRACTICES)]
    thing, sentence = say(*title), say(*text)
    old, new, theirs = (say(*pair) for pair in rng.sample(values, 3))
    partner = life.named("partner")
    gold = Fact(thing, sentence.format(value=old), HABIT)
    near = (Fact(f"{partner}: {thing}", f"{partner}: {sentence.format(value=theirs)}", HABIT),)
    found = book(rng, life, (gold,), near)

    def plan() -> Plan:
        feedback = yield [look_up(thing)]
        met(feedback[0], *found.ids)
        yield [do("replace_user_memory", memoryId=found.ids[0], content=sentence.format(value=new))]
        return done(say(f"Updated: {thing} is {new}.", f"更新好了：{thing}改成{new}。"))

    return Draft(
        phrasings=_UPDATE_PRACTICE.english,
        chinese=_UPDATE_PRACTICE.chinese,
        slots={"thing": thing, "old": old, "new": new},
        plan=plan,
        criteria=kept(step("replace_user_memory", memoryId=found.ids[0]), payload=(new,)),
        patch={"memories": found.rows},
        memories=found.ids,
        shown=("add_user_memory",),
    )


_TOLD_AGAIN = Words(
    english=(
        "Remember that my {thing} is {new} now, and don't leave a contradicting note behind.",
        "Keep in mind: {thing} is {new} from today. One entry is enough, in case you had something else.",
        "Note to memory, {thing} {new}. If there's an older one, it should become this.",
        "I've been given another {thing}, namely {new}. Make sure your memory only knows that one, by updating it.",
    ),
    chinese=(
        "记住我的{thing}现在是{new}，别留下互相矛盾的记录。",
        "记一下：{thing}从今天起是{new}，要是以前记过别的，改成这个，一条就够。",
        "{thing}是{new}，存到记忆里；有旧的就直接更新旧的。",
        "我换了{thing}，新的是{new}，你更新一下，记忆里只保留这一个。",
    ),
)


@family("memory_told_again", MEMORY, ASSISTANT, "single_record", "replace", "single_turn")
def memory_told_again(rng: Draw, world: World) -> Draft:
    """It sounds like something new, but the thing is saved with another value: update it instead of adding a twin."""
    life, say = draw_life(rng, world), rng.say
    thing, old, new = note_pair(rng)
    found = book(rng, life, (note_fact(rng, thing, old),))

    def plan() -> Plan:
        feedback = yield [look_up(thing)]
        met(feedback[0], *found.ids)
        yield [do("replace_user_memory", memoryId=found.ids[0], content=say(f"{thing} is {new}", f"{thing}是{new}"))]
        return done(say(f"Noted: {thing} is {new} now.", f"记好了：{thing}现在是{new}。"))

    return Draft(
        phrasings=_TOLD_AGAIN.english,
        chinese=_TOLD_AGAIN.chinese,
        slots={"thing": thing, "new": new},
        plan=plan,
        criteria=kept(step("replace_user_memory", memoryId=found.ids[0]), payload=(new,)),
        patch={"memories": found.rows},
        memories=found.ids,
        shown=("add_user_memory",),
    )


_ADD_OWN_WORDS = Words(
    english=(
        "I just learnt that {name} is allergic to {food}. Keep that in mind for good.",
        "{name} had to see a doctor after eating {food}, it's an allergy. Please remember it.",
        "Save this: no {food} for {name}, allergy!",
        "Before I cook for {name} again: {food} is out because of an allergy, so note that in your memory.",
    ),
    chinese=(
        "我刚知道{name}对{food}过敏，你长期记着。",
        "{name}吃了{food}进了医院，是过敏，帮我记住这事。",
        "存一下：{name}不能吃{food}，过敏！",
        "下次给{name}做饭得注意，{food}过敏，你记到记忆里。",
    ),
)


@family("memory_add_own_words", MEMORY, ASSISTANT, "single_record", "add", "single_turn")
def memory_add_own_words(rng: Draw, world: World) -> Draft:
    """Something new about a person, told in passing; what is saved about others stays."""
    life, say = draw_life(rng, world), rng.say
    name, other = acquaintances(rng, life, 2)
    food, theirs = (say(*pair) for pair in rng.sample(FOODS, 2))
    near = (allergy_fact(rng, other, theirs),)
    found = book(rng, life, (), near, without=("eats",))

    def plan() -> Plan:
        yield [look_up(say(f"{name} allergy", f"{name}过敏"))]
        content = say(f"{name} is allergic to {food}.", f"{name}对{food}过敏。")
        yield [do("add_user_memory", content=content, memoryCategory=INFO)]
        return done(say(f"I'll remember it: {name} and {food}.", f"记住了：{name}不能吃{food}。"))

    return Draft(
        phrasings=_ADD_OWN_WORDS.english,
        chinese=_ADD_OWN_WORDS.chinese,
        slots={"name": name, "food": food},
        plan=plan,
        criteria=kept(step("add_user_memory", memoryCategory=INFO), payload=(name, food), reads=()),
        patch={"memories": found.rows},
        shown=("replace_user_memory",),
    )


_SETTLE_CONFLICT = Words(
    english=(
        "{name} moved again, to {city}. Rewrite the latest entry on where {name} lives, the older stays as history.",
        "Where {name} lives: the latest record should say {city} now. Leave earlier ones alone.",
        "{city} is {name}'s new home. Update only the newest memory about that.",
        "Change the record on {name}'s home that you updated last: {city} now. I keep the earlier one on purpose.",
    ),
    chinese=(
        "{name}又搬了，去了{city}。把关于{name}住处最新的那条改掉，更早的留作历史。",
        "{name}住在哪儿，最近那条改成{city}，以前的别动。",
        "{name}的新家在{city}，只更新最新的那条记忆。",
        "{name}住处最后更新的那条换成{city}，之前那条我是特意留的。",
    ),
)


@family("memory_settle_conflict", MEMORY, ASSISTANT, "conflicting_records", "replace", "single_turn")
def memory_settle_conflict(rng: Draw, world: World) -> Draft:
    """Two records disagree and neither is right any more: the newer one gets the new value, the older stays."""
    life, say = draw_life(rng, world), rng.say
    name = acquaintances(rng, life, 1)[0]
    old, newer, now = rng.sample(SLOTS["city"], 3)
    title = say(f"Where {name} lives", f"{name}住在哪里")
    stale, fresh = conflicting(
        rng,
        (title, say(f"{name} lives in {old[0]}.", f"{name}住在{old[1]}。")),
        (title, say(f"{name} moved and lives in {newer[0]}.", f"{name}搬家了，住在{newer[1]}。")),
    )
    found = book(rng, life, (stale, fresh), without=("lives", "met"))

    def plan() -> Plan:
        feedback = yield [look_up(title)]
        met(feedback[0], *found.ids)
        content = say(f"{name} lives in {now[0]}.", f"{name}住在{now[1]}。")
        yield [do("replace_user_memory", memoryId=found.ids[1], content=content)]
        return done(say(f"Updated: {name} lives in {now[0]}.", f"更新了：{name}住在{now[1]}。"))

    return Draft(
        phrasings=_SETTLE_CONFLICT.english,
        chinese=_SETTLE_CONFLICT.chinese,
        slots={"name": name, "city": say(*now)},
        plan=plan,
        criteria=kept(step("replace_user_memory", memoryId=found.ids[1]), payload=(say(*now),)),
        patch={"memories": found.rows},
        memories=found.ids,
        shown=("add_user_memory",),
    )


FAMILIES = (memory_update_practice, memory_told_again, memory_add_own_words, memory_settle_conflict)
