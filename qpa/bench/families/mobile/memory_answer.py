"""Memory, one turn: answers from what is saved, questions where it fails or objects, and things not to be saved."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, ask, do, done, family
from qpa.bench.families.mobile.common import answered, asked, online
from qpa.bench.families.mobile.memory_act import ROOMS, thermostats
from qpa.bench.families.mobile.memory_common import (
    ASSISTANT,
    FOODS,
    MEMORY,
    SEARCH,
    Words,
    acquaintances,
    allergy_fact,
    countdown_fact,
    look_up,
    met,
    note_pair,
)
from qpa.bench.families.mobile.memory_profile import Fact, book, conflicting, draw_life
from qpa.bench.families.mobile.memory_slots import SLOTS
from qpa.bench.families.mobile.memory_topics import HABIT, INFO
from qpa.bench.families.values import TITLES, Draw
from qpa.envs.sandbox.schema import World

_QUESTION = Words(
    english=(
        "What was my {thing} again?",
        "I told you my {thing} once, which one is it?",
        "My {thing}, quickly.",
        "Standing here without a clue: can you look up my own {thing}?",
    ),
    chinese=(
        "我的{thing}是多少来着？",
        "我之前跟你说过我的{thing}，是哪个？",
        "快，我的{thing}。",
        "我站在这儿想不起来了，帮我查查我自己的{thing}。",
    ),
)


@family("memory_question", MEMORY, ASSISTANT, "single_record", "act", "question", "single_turn")
def memory_question(rng: Draw, world: World) -> Draft:
    """The user's own value, not the partner's."""
    life, say = draw_life(rng, world), rng.say
    thing, value, other = note_pair(rng)
    partner = life.named("partner")
    gold = Fact(thing, say(f"{thing} is {value}.", f"{thing}是{value}。"), INFO)
    near = (
        Fact(
            say(f"{partner}'s {thing}", f"{partner}的{thing}"),
            say(f"{partner}'s {thing} is {other}.", f"{partner}的{thing}是{other}。"),
            INFO,
        ),
    )
    found = book(rng, life, (gold,), near)

    def plan() -> Plan:
        feedback = yield [look_up(thing)]
        met(feedback[0], *found.ids)
        return done(say(f"Your {thing} is {value}.", f"你的{thing}是{value}。"))

    return Draft(
        phrasings=_QUESTION.english,
        chinese=_QUESTION.chinese,
        slots={"thing": thing},
        plan=plan,
        criteria=answered([value], reads=(SEARCH,)),
        patch={"memories": found.rows},
        memories=found.ids,
    )


_QUESTION_LATEST = Words(
    english=(
        "In which city does {name} live now?",
        "I want to visit {name}. Which town is that these days?",
        "{name}'s current city?",
        "Remind me where {name} has a flat at the moment, I've mentioned it.",
    ),
    chinese=(
        "{name}现在住在哪个城市？",
        "我想去看看{name}，人如今在哪座城市来着？",
        "{name}目前在哪个城市住？",
        "提醒我一下，{name}眼下住哪儿，我跟你提过的。",
    ),
)


@family("memory_question_latest", MEMORY, ASSISTANT, "conflicting_records", "act", "question", "single_turn")
def memory_question_latest(rng: Draw, world: World) -> Draft:
    """Where somebody lives now; the older record names another city."""
    life, say = draw_life(rng, world), rng.say
    name = acquaintances(rng, life, 1)[0]
    old, new = rng.sample(SLOTS["city"], 2)
    where = say(f"Where {name} lives", f"{name}住在哪里")
    stale, fresh = conflicting(
        rng,
        (where, say(f"{name} lives in {old[0]}.", f"{name}住在{old[1]}。")),
        (where, say(f"{name} has a new flat in {new[0]} and lives there.", f"{name}在{new[1]}找了新房子，住过去了。")),
    )
    found = book(rng, life, (stale, fresh), without=("lives", "met"))

    def plan() -> Plan:
        feedback = yield [look_up(say(f"where {name} lives", f"{name}住在哪里"))]
        met(feedback[0], *found.ids)
        return done(say(f"{name} lives in {new[0]} now.", f"{name}现在住在{new[1]}。"))

    return Draft(
        phrasings=_QUESTION_LATEST.english,
        chinese=_QUESTION_LATEST.chinese,
        slots={"name": name},
        plan=plan,
        criteria=answered(list(new), reads=(SEARCH,)),
        patch={"memories": found.rows},
        memories=found.ids,
    )


_QUESTION_SUM = Words(
    english=(
        "How many minutes do {a} and {b} take me together?",
        "I do {a} and {b} one after the other today. How long is that in minutes?",
        "{a} plus {b}: total minutes?",
        "If I fit in both {a} and {b} as I usually do them, how many minutes do I need?",
    ),
    chinese=(
        "我{a}加上{b}一共要多少分钟？",
        "今天我先{a}再{b}，按平时的用时总共几分钟？",
        "{a}和{b}合计多少分钟？",
        "要是{a}、{b}都照常做一遍，我得留出多少分钟？",
    ),
)


@family("memory_question_sum", MEMORY, ASSISTANT, "multi_record", "act", "question", "single_turn")
def memory_question_sum(rng: Draw, world: World) -> Draft:
    """Two saved durations, added up; a child's are different."""
    life, say = draw_life(rng, world), rng.say
    (a, b), (first, second, theirs) = rng.several(TITLES, 2), rng.sample(range(10, 60), 3)
    child = life.named("son")
    gold = (
        Fact(say(f"{a}: time", f"{a}用时"), say(f"{a} takes {first} minutes.", f"{a}要{first}分钟。")),
        Fact(say(f"{b}: time", f"{b}用时"), say(f"{b} takes {second} minutes.", f"{b}要{second}分钟。")),
    )
    near = (
        Fact(
            say(f"{child}: {a}", f"{child}的{a}"),
            say(f"{child} needs {theirs} minutes for {a}.", f"{child}{a}要{theirs}分钟。"),
        ),
    )
    found = book(rng, life, gold, near)

    def plan() -> Plan:
        feedback = yield [look_up(say(f"{a} minutes", f"{a}用时")), look_up(say(f"{b} minutes", f"{b}用时"))]
        met(feedback[0], found.ids[0])
        met(feedback[1], found.ids[1])
        return done(say(f"Together {first + second} minutes.", f"一共{first + second}分钟。"))

    return Draft(
        phrasings=_QUESTION_SUM.english,
        chinese=_QUESTION_SUM.chinese,
        slots={"a": a, "b": b},
        plan=plan,
        criteria=answered([str(first + second)], reads=(SEARCH,)),
        patch={"memories": found.rows},
        memories=found.ids,
    )


_UNKNOWN = Words(
    english=(
        "Set the {room} to my usual night temperature.",
        "The {room} thermostat should go to what I always have there at night.",
        "{room}, night temperature as always.",
        "Somebody sleeps in the {room} tonight, heat it like I normally do for the night.",
    ),
    chinese=(
        "把{room}调到我平时夜里的温度。",
        "{room}的温控器照我一贯的夜间温度来。",
        "{room}，夜里的温度，老样子。",
        "今晚有人睡{room}，按我平时晚上那样调好温度。",
    ),
)


@family("memory_unknown", MEMORY, ASSISTANT, "single_record", "act", "recovery", "single_turn")
def memory_unknown(rng: Draw, world: World) -> Draft:
    """The usual temperature of a room that was never told: ask, do not borrow another room's."""
    life, say = draw_life(rng, world), rng.say
    (device, english, chinese), *others = rng.sample(ROOMS, 3)
    room = say(english, chinese)
    near = [
        Fact(
            say(f"{en} at night", f"{zh}晚上"),
            say(f"The {en} is kept at {(t := rng.randint(17, 23))} degrees at night.", f"晚上{zh}是{t}度。"),
        )
        for _, en, zh in others
    ]
    found = book(rng, life, (), near)

    def plan() -> Plan:
        yield [look_up(say(f"{room} night degrees", f"{room}晚上多少度"))]
        return ask(
            say(f"No temperature is saved for the {room}. How many degrees?", f"没有记过{room}的温度，要调到多少度？")
        )

    return Draft(
        phrasings=_UNKNOWN.english,
        chinese=_UNKNOWN.chinese,
        slots={"room": room},
        plan=plan,
        criteria=asked(["temperature", "degrees", "温度", "多少度", "几度"], reads=(SEARCH,)),
        patch={"memories": found.rows, "home_devices": thermostats(device), "settings": online()},
        shown=("set_thermostat",),
    )


_WARNS = Words(
    english=(
        "Remind me at {time} to buy {food} for {name}. If you know anything against it, ask me first.",
        "{name} comes to dinner: reminder at {time}, get {food}. Check what we know; ask if it doesn't fit {name}.",
        "{time} reminder, {food} for {name}, unless {name} can't have that; then ask me.",
        "A surprise for {name}: remind me at {time} to buy {food}, but come back to me if that's a bad idea.",
    ),
    chinese=(
        "{time}提醒我给{name}买{food}，要是你知道有什么不合适，先问我。",
        "{name}要来吃饭，{time}提醒我给{name}买{food}，先看看记忆里{name}的情况，不行就问我。",
        "{time}提醒，给{name}带{food}，除非{name}不能吃，那就先问我一声。",
        "想用{food}给{name}一个惊喜，{time}提醒我去买，万一对{name}不好就先跟我确认。",
    ),
)


@family("memory_warns", MEMORY, ASSISTANT, "conflicting_records", "act", "recovery", "single_turn")
def memory_warns(rng: Draw, world: World) -> Draft:
    """What is saved about the guest speaks against the request, and the user wants to hear that first."""
    life, say = draw_life(rng, world), rng.say
    name, other = acquaintances(rng, life, 2)
    (food, _), time = (say(*pair) for pair in rng.sample(FOODS, 2)), rng.time(12, 18)
    gold = allergy_fact(rng, name, food)
    near = (
        Fact(
            say(f"{other} and {food}", f"{other}和{food}"),
            say(f"{other} loves {food}.", f"{other}特别爱吃{food}。"),
            INFO,
        ),
    )
    found = book(rng, life, (gold,), near)

    def plan() -> Plan:
        feedback = yield [look_up(say(f"{name} {food} allergy", f"{name} {food} 过敏"))]
        met(feedback[0], *found.ids)
        return ask(say(f"{name} is allergic to {food}. Something else instead?", f"{name}对{food}过敏，要换成别的吗？"))

    return Draft(
        phrasings=_WARNS.english,
        chinese=_WARNS.chinese,
        slots={"name": name, "food": food, "time": time},
        plan=plan,
        criteria=asked(["allergic", "allergy", "过敏"], reads=(SEARCH,)),
        patch={"memories": found.rows},
        memories=found.ids,
        shown=("manage_reminder",),
    )


_NOT_SAVED = Words(
    english=(
        "Today's locker code is {code}, don't keep that. Start my usual {title} countdown, labelled {title}.",
        "Guest PIN today: {code}. Not for your memory! Now the {title} countdown, as long as always, label {title}.",
        "Start the countdown {title} with my usual minutes. Tonight's door code is {code}, nothing to remember.",
        "Said aloud, not to be saved: {code} is today's gate code. And my normal {title} countdown, call it {title}.",
    ),
    chinese=(
        "今天储物柜密码是{code}，哪儿都别存。帮我开始平时的{title}倒计时，标签写{title}。",
        "今天访客密码{code}，不用记！现在照老规矩跑{title}倒计时，标签{title}。",
        "按我平时的分钟数开个倒计时，标签{title}。今晚门禁是{code}，就用一次，不必记。",
        "我就念一遍，不要保存：{code}是今天的门码。然后开始我惯常的{title}倒计时，名字叫{title}。",
    ),
)


@family("memory_not_saved", MEMORY, ASSISTANT, "single_record", "act", "boundary", "single_turn")
def memory_not_saved(rng: Draw, world: World) -> Draft:
    """A secret of the day is said in passing and must not be saved; only the usual countdown starts."""
    life, say = draw_life(rng, world), rng.say
    title, code, (minutes, theirs) = rng.pick(TITLES), rng.randint(1000, 9999), rng.sample(range(6, 95), 2)
    near = countdown_fact(rng, title, theirs, life.named("daughter"))
    found = book(rng, life, (countdown_fact(rng, title, minutes),), (near,))

    def plan() -> Plan:
        feedback = yield [look_up(say(f"{title} countdown minutes", f"{title} 倒计时 分钟"))]
        met(feedback[0], *found.ids)
        yield [do("manage_countdown", action="start", minutes=minutes, label=title)]
        return done(
            say(
                f"{title}: {minutes} minutes are running, nothing was saved.",
                f"{title}倒计时{minutes}分钟开始了，别的没有记。",
            )
        )

    return Draft(
        phrasings=_NOT_SAVED.english,
        chinese=_NOT_SAVED.chinese,
        slots={"title": title, "code": code},
        plan=plan,
        criteria="tool",
        annotated=("manage_countdown",),
        patch={"memories": found.rows},
        memories=found.ids,
        shown=("add_user_memory",),
    )


_EXCEPTION = Words(
    english=(
        "Start my {title} focus session, today {more} minutes longer than usual. Task name {title}; the habit stays.",
        "Focus timer for the task {title}: my normal length plus {more} minutes, only this time.",
        "Usual {title} focus, +{more} minutes as a one-time exception, task {title}. Leave what is saved.",
        "More time today: focus on {title} (task name) {more} minutes beyond what is saved, and leave the saved one.",
    ),
    chinese=(
        "开始我的{title}专注，今天比平时多{more}分钟，任务名{title}，习惯不用改。",
        "专注计时，任务{title}：在我平常的时长上加{more}分钟，就这一次。",
        "{title}专注照旧再加{more}分钟，临时的，任务写{title}，记忆里的别动。",
        "今天要多用点时间，{title}专注（任务就叫这个）比记着的时长多{more}分钟，记录保持原样。",
    ),
)


@family("memory_exception", MEMORY, ASSISTANT, "single_record", "act", "boundary", "single_turn")
def memory_exception(rng: Draw, world: World) -> Draft:
    """Once longer than usual; the habit itself stays as it is saved."""
    life, say = draw_life(rng, world), rng.say
    title, minutes, more, theirs = rng.pick(TITLES), rng.randint(10, 60), rng.randrange(5, 30, 5), rng.randint(61, 90)
    partner = life.named("partner")
    gold = Fact(
        say(f"Focus for {title}", f"{title}专注"),
        say(f"Focus sessions for {title} last {minutes} minutes.", f"{title}的专注时长是{minutes}分钟。"),
        HABIT,
    )
    near = (
        Fact(
            say(f"{partner} and {title}", f"{partner}和{title}"),
            say(f"{partner} focuses on {title} for {theirs} minutes.", f"{partner}{title}专注{theirs}分钟。"),
        ),
    )
    found = book(rng, life, (gold,), near)

    def plan() -> Plan:
        feedback = yield [look_up(say(f"focus session {title}", f"{title} 专注 时长"))]
        met(feedback[0], *found.ids)
        yield [do("manage_focus_timer", action="start", minutes=minutes + more, task=title)]
        return done(
            say(
                f"Focus on {title} for {minutes + more} minutes, just today.",
                f"{title}专注{minutes + more}分钟，仅这一次。",
            )
        )

    return Draft(
        phrasings=_EXCEPTION.english,
        chinese=_EXCEPTION.chinese,
        slots={"title": title, "more": more},
        plan=plan,
        criteria="tool",
        annotated=("manage_focus_timer",),
        patch={"memories": found.rows},
        memories=found.ids,
        shown=("replace_user_memory",),
    )


FAMILIES = (
    memory_question,
    memory_question_latest,
    memory_question_sum,
    memory_unknown,
    memory_warns,
    memory_not_saved,
    memory_exception,
)
