"""Memory, several turns: saving or forgetting what the dialogue corrected or confirmed; judged by state."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.memory import items_of
from qpa.bench.families.mobile.memory_common import (
    ASSISTANT,
    FOODS,
    MEMORY,
    Words,
    acquaintances,
    look_up,
    met,
    note_fact,
    note_pair,
    stranger,
    told,
)
from qpa.bench.families.mobile.memory_keep import facts_about
from qpa.bench.families.mobile.memory_profile import Fact, book, conflicting, draw_life
from qpa.bench.families.mobile.memory_topics import INFO
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.schema import World

ORDINALS = (("first", "第一"), ("second", "第二"), ("third", "第三"))


_TURN_SAVE_SENTENCE = Words(
    english=(
        "Yes, save that for {name}.",
        "Exactly, keep it as you just put it, {name} counts on me.",
        "Yes please, those words.",
        "That's the one. Into memory with it, word for word, {name} will be glad.",
        "Right, store the corrected sentence about {name} as you read it out.",
    ),
    chinese=(
        "对，{name}这条就这么存。",
        "没错，照你刚说的记，{name}指望着我呢。",
        "好，就这句话。",
        "就是它，一字不差存进去，{name}会高兴的。",
        "对，把改过的关于{name}的那句照念的存下来。",
    ),
)


@family("memory_turn_save_sentence", MEMORY, ASSISTANT, "single_record", "add", "multi_turn")
def memory_turn_save_sentence(rng: Draw, world: World) -> Draft:
    """The assistant proposed a sentence, the user corrected it and now agrees to it word for word."""
    life, say = draw_life(rng, world), rng.say
    name, other = acquaintances(rng, life, 2)
    food, wrong = (say(*pair) for pair in rng.sample(FOODS, 2))
    content, draft = (say(f"{name} is allergic to {f}", f"{name}对{f}过敏") for f in (food, wrong))
    near = (
        Fact(
            say(f"{other}: allergy", f"{other}过敏"),
            say(f"{other} is allergic to {wrong}.", f"{other}对{wrong}过敏。"),
            INFO,
        ),
    )
    found = book(rng, life, (), near, without=("eats",))
    history = told(
        rng,
        1,
        (
            f"{name} told me about an allergy to {wrong}.",
            f'Should I remember "{draft}"?',
            f"No wait, it was {food}, not {wrong}.",
            f'Then it would be "{content}", as important information. Shall I save exactly that?',
        ),
        (
            f"{name}跟我说对{wrong}过敏。",
            f"要记住“{draft}”吗？",
            f"等等，是{food}，不是{wrong}。",
            f"那就是“{content}”，作为重要信息。要原样保存吗？",
        ),
    )

    def plan() -> Plan:
        yield [look_up(content)]
        yield [do("add_user_memory", content=content, memoryCategory=INFO)]
        return done(say(f"Saved: {content}.", f"记下了：{content}。"))

    return Draft(
        phrasings=_TURN_SAVE_SENTENCE.english,
        chinese=_TURN_SAVE_SENTENCE.chinese,
        slots={"name": name},
        plan=plan,
        patch={"memories": found.rows},
        history=history,
        shown=("replace_user_memory",),
    )


_TURN_OVERWRITE = Words(
    english=(
        "Yes, put exactly that in place of what you have on my {thing}.",
        "Right, overwrite my old {thing} with that sentence.",
        "Yes, my {thing}, as you say it.",
        "Correct. Don't keep both, turn my entry on the {thing} into those words.",
    ),
    chinese=(
        "对，我{thing}那条就换成这句。",
        "没错，用这句话盖掉我旧的{thing}。",
        "对，我的{thing}，就按你说的写。",
        "是的，别两条都留，把我{thing}那条改成这几个字。",
    ),
)


@family("memory_turn_overwrite", MEMORY, ASSISTANT, "single_record", "replace", "multi_turn")
def memory_turn_overwrite(rng: Draw, world: World) -> Draft:
    """The new wording was agreed on; the record that it replaces has to be found among others of its kind."""
    life, say = draw_life(rng, world), rng.say
    thing, old, new = note_pair(rng)
    partner, content = life.named("partner"), say(f"{thing} is {new}", f"{thing}是{new}")
    gold = note_fact(rng, thing, old)
    near = (note_fact(rng, thing, old, partner),)
    found = book(rng, life, (gold,), near)
    history = told(
        rng,
        2,
        (
            f"They gave me a new {thing} today.",
            "What is it now?",
            f"{new}. The one you have is useless.",
            f'So the record should read "{content}" in place of the old one?',
        ),
        (
            f"今天给我换了新的{thing}。",
            "现在是多少？",
            f"{new}，你记的那个没用了。",
            f"那就把旧的那条改成“{content}”？",
        ),
    )

    def plan() -> Plan:
        feedback = yield [look_up(thing)]
        met(feedback[0], *found.ids)
        yield [do("replace_user_memory", memoryId=found.ids[0], content=content)]
        return done(say(f"Replaced: {content}.", f"改好了：{content}。"))

    return Draft(
        phrasings=_TURN_OVERWRITE.english,
        chinese=_TURN_OVERWRITE.chinese,
        slots={"thing": thing},
        plan=plan,
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
        shown=("add_user_memory",),
    )


_TURN_FORGET_ONE = Words(
    english=(
        "The {nth} one is no longer needed, delete it. Only that, and I'm sure.",
        "Forget the {nth} of them, keep the rest.",
        "Number {number} can go.",
        "Interesting what you keep about {name}... remove the {nth} entry for good, please, nothing else.",
    ),
    chinese=(
        "{nth}条不需要了，删掉，只删这条，我确定。",
        "把{nth}条忘了，其余留着。",
        "第{number}条可以删了。",
        "原来你记了{name}这么多……{nth}条彻底删掉吧，别的不动。",
    ),
)


@family("memory_turn_forget_one", MEMORY, ASSISTANT, "single_record", "remove", "multi_turn", "reference")
def memory_turn_forget_one(rng: Draw, world: World) -> Draft:
    """The assistant read out three records; the user drops one by its place in that list."""
    life, say = draw_life(rng, world), rng.say
    name = stranger(rng, world, life)
    facts = facts_about(rng, name, 3)
    place = rng.randrange(3)
    chosen, kept_ones = facts[place], [f for f in facts if f is not facts[place]]
    found = book(rng, life, (chosen,), kept_ones)
    listed = " ".join(f"{n}. {f.content}" for n, f in enumerate(facts, start=1))
    history = told(
        rng,
        2,
        (f"What do you have saved about {name}?", f"Three things: {listed}"),
        (f"关于{name}你都记了什么？", f"三条：{listed}"),
    )

    def plan() -> Plan:
        feedback = yield [look_up(f"{name} {chosen.content}", maxResults=10)]
        met(feedback[0], *found.ids)
        yield [do("remove_user_memory", memoryId=found.ids[0])]
        return done(say("That one is forgotten, the other two stay.", "这条删了，另外两条还在。"))

    return Draft(
        phrasings=_TURN_FORGET_ONE.english,
        chinese=_TURN_FORGET_ONE.chinese,
        slots={"nth": say(*ORDINALS[place]), "number": place + 1, "name": name},
        plan=plan,
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
        shown=("replace_user_memory",),
    )


_TURN_FORGET_PERSON = Words(
    english=(
        "Yes, all of them.",
        "Yes, delete everything about {name}.",
        "Do it, all {count}.",
        "I'm certain. Nothing on {name} shall be left.",
        "Yes, go ahead and wipe the lot on {name}.",
    ),
    chinese=(
        "对，全部删掉。",
        "是的，{name}的都删了。",
        "删吧，{count}条都不要。",
        "我确定，{name}的一条也别留。",
        "嗯，把{name}的统统清掉。",
    ),
)


@family("memory_turn_forget_person", MEMORY, ASSISTANT, "multi_record", "remove", "multi_turn")
def memory_turn_forget_person(rng: Draw, world: World) -> Draft:
    """The assistant asked before deleting for good; after the yes, every record about the person goes."""
    life, say = draw_life(rng, world), rng.say
    name = stranger(rng, world, life)
    count = rng.randint(2, 4)
    found = book(rng, life, facts_about(rng, name, count), facts_about(rng, life.named("colleague"), 2))
    history = told(
        rng,
        1,
        (
            f"{name} has left the team and the town.",
            "That's a pity.",
            f"I don't want anything about {name} in your memory any more.",
            f"I have {count} memories about {name}. Deleting cannot be undone. Shall I delete all {count}?",
        ),
        (
            f"{name}离职了，也离开这座城市了。",
            "真可惜。",
            f"你的记忆里别再留{name}的东西了。",
            f"关于{name}有{count}条记忆，删除后无法恢复。{count}条全删吗？",
        ),
    )

    def plan() -> Plan:
        feedback = yield [look_up(name, maxResults=20)]
        met(feedback[0], *found.ids)
        about = [item["memory_id"] for item in items_of(feedback[0]) if name in item["title"] + item["content"]]
        yield [do("remove_user_memory", memoryId=memory) for memory in about]
        return done(say(f"All {count} are gone.", f"{count}条都删了。"))

    return Draft(
        phrasings=_TURN_FORGET_PERSON.english,
        chinese=_TURN_FORGET_PERSON.chinese,
        slots={"name": name, "count": count},
        plan=plan,
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
        hidden=("replace_user_memory",),
    )


_TURN_OUTDATED = Words(
    english=(
        "So delete the outdated one about my {thing}, for good.",
        "Then remove the other record on my {thing}.",
        "Drop the wrong one of my two {thing} entries.",
        "Clear up my {thing} then: what no longer holds goes, what holds stays.",
    ),
    chinese=(
        "那就把我{thing}过时的那条删掉。",
        "那另外那条我的{thing}去掉吧。",
        "我{thing}的两条里，错的那条删了。",
        "那把我的{thing}理一理，作废的删掉，有效的留着。",
    ),
)


@family("memory_turn_outdated", MEMORY, ASSISTANT, "conflicting_records", "remove", "multi_turn", unseen="family")
def memory_turn_outdated(rng: Draw, world: World) -> Draft:
    """The dialogue settles which of two contradicting records is wrong: by its date, the older."""
    life, say = draw_life(rng, world), rng.say
    thing, old, new = note_pair(rng)
    partner = life.named("partner")
    stale, fresh = conflicting(
        rng,
        (thing, say(f"{thing} is {old}.", f"{thing}是{old}。")),
        (thing, say(f"The {thing} is {new} now.", f"{thing}现在是{new}。")),
    )
    near = (note_fact(rng, thing, old, partner),)
    found = book(rng, life, (stale, fresh), near)
    history = told(
        rng,
        2,
        (
            f"Why do you tell me two different values for my {thing}?",
            "There are two records about it from different times.",
            "I see. The one you updated last is right.",
            "Good to know.",
        ),
        (f"我的{thing}怎么有两个说法？", "有两条记忆，不同时间记的。", "最近更新的那条是对的。", "知道了。"),
    )

    def plan() -> Plan:
        feedback = yield [look_up(thing)]
        met(feedback[0], *found.ids)
        yield [do("remove_user_memory", memoryId=found.ids[0])]
        return done(say(f"The outdated {thing} is gone.", f"过时的{thing}已经删掉。"))

    return Draft(
        phrasings=_TURN_OUTDATED.english,
        chinese=_TURN_OUTDATED.chinese,
        slots={"thing": thing},
        plan=plan,
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
        shown=("replace_user_memory",),
    )


FAMILIES = (
    memory_turn_save_sentence,
    memory_turn_overwrite,
    memory_turn_forget_one,
    memory_turn_forget_person,
    memory_turn_outdated,
)
