"""Memory, several turns: the dialogue gives one half of what is meant, the saved records the other; judged by state."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import online
from qpa.bench.families.mobile.memory_common import (
    ASSISTANT,
    MEETINGS,
    MEMORY,
    Words,
    acquaintances,
    coming_day,
    dates,
    look_up,
    met,
    told,
)
from qpa.bench.families.mobile.memory_profile import Fact, book, draw_life
from qpa.bench.families.mobile.memory_slots import Pair
from qpa.bench.families.tool_calls import contact_row
from qpa.bench.families.values import PLACES, TITLES, Draw
from qpa.envs.sandbox.schema import World

# Kind of document as people say it, and the beginning of its file name.
DOCUMENTS: tuple[tuple[Pair, str], ...] = (
    (("meeting documents", "会议资料"), "Meeting_Minutes"),
    (("contracts", "合同"), "Contract"),
    (("invoices", "发票"), "Invoice"),
    (("lecture notes", "讲义"), "Lecture"),
    (("travel papers", "行程单"), "Itinerary"),
)

COMPUTERS = ("MacBook Pro", "ThinkPad X1", "Surface Laptop", "Office iMac", "Studio PC", "Dell XPS 13", "Galaxy Book")


_TURN_DOCUMENT = Words(
    english=(
        "Yes, send it now the way I normally transfer {documents}.",
        "Please do, to the usual device like all my {documents}.",
        "Yes. Same route as always for {documents}.",
        "Go on then, you know where and how my {documents} go.",
    ),
    chinese=(
        "对，按我平时传{documents}的办法现在发。",
        "发吧，和其他{documents}一样传到老地方。",
        "好，{documents}一贯怎么传就怎么传。",
        "那就传过去吧，我的{documents}往哪儿传、怎么传你清楚。",
    ),
)


def _transfer_fact(rng: Draw, documents: str, device: str) -> Fact:
    return Fact(
        rng.say(f"Sending {documents}", f"传{documents}"),
        rng.say(f"Transfers {documents} to {device} by Bluetooth.", f"{documents}用蓝牙传到{device}。"),
    )


@family("memory_turn_document", MEMORY, ASSISTANT, "single_record", "act", "multi_turn")
def memory_turn_document(rng: Draw, world: World) -> Draft:
    """The file was found in the dialogue, device and way of sending are a habit (MEM-MT0421)."""
    life, say = draw_life(rng, world), rng.say
    (kind, stem), (other_kind, _) = rng.sample(DOCUMENTS, 2)
    file, device, other_device = f"{stem}_{rng.randint(100, 999)}.docx", *rng.sample(COMPUTERS, 2)
    documents, others = say(*kind), say(*other_kind)
    partner = life.named("partner")
    gold = _transfer_fact(rng, documents, device)
    near = (
        _transfer_fact(rng, others, other_device),
        Fact(
            say(f"{partner} and {documents}", f"{partner}的{documents}"),
            say(f"{partner} gets {documents} by email.", f"{partner}的{documents}走邮件。"),
        ),
    )
    found = book(rng, life, (gold,), near)
    history = told(
        rng,
        2,
        (
            f"Which of the {documents} did I save last?",
            f"{file} is the latest one.",
            "Has it been sent yet?",
            f"No, {file} has not been sent. Shall I?",
        ),
        (f"我最后存的{documents}是哪份？", f"最新的是{file}。", "发出去了吗？", f"还没有，{file}没发过，要发吗？"),
    )

    def plan() -> Plan:
        feedback = yield [look_up(say(f"sending {documents}", f"传{documents}"))]
        met(feedback[0], *found.ids)
        yield [do("send_file", fileName=file, contact=device, method="bluetooth")]
        return done(say(f"{file} went to {device}.", f"{file}已经传到{device}。"))

    return Draft(
        phrasings=_TURN_DOCUMENT.english,
        chinese=_TURN_DOCUMENT.chinese,
        slots={"documents": documents},
        plan=plan,
        patch={
            "memories": found.rows,
            "files": [{"id": "file_901", "name": file, "kind": "document", "size_kb": 80}],
            "settings": online(bluetooth="on"),
        },
        history=history,
        memories=found.ids,
    )


_TURN_BACK_TO_NORMAL = Words(
    english=(
        "For this {day} it's back to normal: set the alarm {title} at my usual time.",
        "On {day} the old time applies again. Alarm please, name {title}.",
        "Now the one for {day}, regular time, called {title}.",
        "The exception is over by {day}, so give me an alarm named {title} as I normally have it.",
    ),
    chinese=(
        "这{day}恢复正常，按平时的时间定{title}的闹钟，名字就是{title}。",
        "{day}又是老时间了，定个闹钟，标题{title}。",
        "接着定这{day}的，正常时间，叫{title}。",
        "到{day}就不用例外了，闹钟{title}照我一贯的点来。",
    ),
)


@family("memory_turn_back_to_normal", MEMORY, ASSISTANT, "single_record", "act", "multi_turn")
def memory_turn_back_to_normal(rng: Draw, world: World) -> Draft:
    """A temporary exception was talked about; what is wanted now is the habit."""
    life, say = draw_life(rng, world), rng.say
    title, (day, date) = rng.pick(TITLES), coming_day(rng)
    usual, exception, theirs = rng.time(6, 8), rng.time(9, 10), rng.time(11, 12)
    child = life.named("son")
    gold = Fact(
        say(f"{title} alarm", f"{title}闹钟"), say(f"The {title} alarm rings at {usual}.", f"{title}的闹钟是{usual}。")
    )
    near = (
        Fact(
            say(f"{child}: {title}", f"{child}的{title}"),
            say(f"{child}'s {title} alarm rings at {theirs}.", f"{child}的{title}闹钟是{theirs}。"),
        ),
    )
    found = book(rng, life, (gold,), near)
    history = told(
        rng,
        2,
        (
            f"{title} is only at {exception} this morning, because of the holiday plan.",
            f"Then today {exception}, as an exception. Nothing saved has changed.",
            "Right, it was just for today.",
            "Understood.",
        ),
        (
            f"因为节日安排，今天早上的{title}推迟到{exception}。",
            f"那今天就{exception}，算临时的，原来记的没变。",
            "对，只有今天这样。",
            "明白。",
        ),
    )

    def plan() -> Plan:
        feedback = yield [look_up(say(f"{title} alarm", f"{title}闹钟"))]
        met(feedback[0], *found.ids)
        yield [do("manage_alarm", action="create", time=f"{date} {usual}", title=title)]
        return done(say(f"Alarm {title} is set for {day}, {usual}.", f"{day}{usual}的{title}闹钟定好了。"))

    return Draft(
        phrasings=_TURN_BACK_TO_NORMAL.english,
        chinese=_TURN_BACK_TO_NORMAL.chinese,
        slots={"day": day, "title": title},
        plan=plan,
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
    )


_TURN_CALL = Words(
    english=(
        "Let's call back then, the way we always do.",
        "OK, ring back. Same kind of call as usual between us.",
        "Return the call, usual form, I have {n} minutes.",
        "Fine, I have {n} minutes: call back just like we normally talk.",
        "I'd better answer that. Start our usual sort of call, it's been {n} days.",
    ),
    chinese=(
        "那就回过去吧，还用我们平时那种方式。",
        "好，回个电话，照我俩一贯的形式。",
        "回拨，老样子，{n}分钟后我还有事。",
        "行，我有{n}分钟，像往常那样打回去。",
        "还是回一下吧，都{n}天没聊了，就用我们平时的那种通话。",
    ),
)


def _call_fact(rng: Draw, name: str, kind: Pair) -> Fact:
    english, chinese = kind
    return Fact(
        rng.say(f"Calling {name}", f"给{name}打电话"),
        rng.say(f"With {name} it is always a {english}.", f"和{name}总是打{chinese}电话。"),
    )


@family("memory_turn_call", MEMORY, ASSISTANT, "single_record", "act", "multi_turn")
def memory_turn_call(rng: Draw, world: World) -> Draft:
    """Who is meant stands in the dialogue, how they talk in memory."""
    life, say = draw_life(rng, world), rng.say
    name, other = acquaintances(rng, life, 2)
    kinds = (("video", "video call", "视频"), ("voice", "voice call", "语音"))
    (way, english, chinese), (_, other_en, other_zh) = rng.sample(kinds, 2)
    found = book(
        rng,
        life,
        (_call_fact(rng, name, (english, chinese)),),
        (_call_fact(rng, other, (other_en, other_zh)),),
        without=("calls", "channel"),
    )
    history = told(
        rng,
        2,
        (
            f"Has {other} or {name} been trying to reach me?",
            f"{name} asked you to ring back, {other} did not.",
            f"{name} again... what was it about?",
            "No reason was given.",
        ),
        (
            f"{other}和{name}谁找过我？",
            f"{name}请你回个电话，{other}没有。",
            f"又是{name}啊，说什么事了吗？",
            "没说原因。",
        ),
    )

    def plan() -> Plan:
        feedback = yield [look_up(say(f"calling {name}", f"给{name}打电话"))]
        met(feedback[0], *found.ids)
        yield [do("make_call", contact=name, callType=way)]
        return done(say(f"Calling {name}, {english}.", f"正在给{name}打{chinese}电话。"))

    return Draft(
        phrasings=_TURN_CALL.english,
        chinese=_TURN_CALL.chinese,
        slots={"n": rng.randint(3, 20)},
        plan=plan,
        patch={
            "memories": found.rows,
            "contacts": [contact_row(701 + i, who, rng.phone()) for i, who in enumerate((name, other))],
            "settings": online(),
        },
        history=history,
        memories=found.ids,
    )


_TURN_EVENT = Words(
    english=(
        "The date holds. Enter it as {event}, usual time and usual place.",
        "Checked. Add {event} to my calendar on that day, at the hour and place it always has.",
        "OK, in with it: {event}, time and venue as ever.",
        "All right, create the event {event} for the corrected day. When and where is the same as always.",
    ),
    chinese=(
        "日期没错，录入吧，就叫{event}，时间地点照旧。",
        "核对过了，那天加个日程{event}，几点、在哪儿都和平时一样。",
        "好，记进去：{event}，老时间老地方。",
        "行了，按改过的日期建个{event}，时间和地点一直没变。",
    ),
)


def _place_fact(rng: Draw, event: str, place: str) -> Fact:
    return Fact(
        rng.say(f"{event}: place", f"{event}地点"),
        rng.say(f"The {event} always takes place at {place}.", f"{event}总在{place}。"),
    )


@family("memory_turn_event", MEMORY, ASSISTANT, "multi_record", "act", "multi_turn")
def memory_turn_event(rng: Draw, world: World) -> Draft:
    """The day was corrected in the dialogue; time and place are two saved habits."""
    life, say = draw_life(rng, world), rng.say
    (event, other), (place, elsewhere) = (say(*pair) for pair in rng.sample(MEETINGS, 2)), rng.several(PLACES, 2)
    time, (day, wrong_day) = rng.time(9, 20), dates(rng, 2)
    gold = (
        Fact(
            say(f"{event}: time", f"{event}时间"),
            say(f"The {event} always starts at {time}.", f"{event}总是{time}开始。"),
        ),
        _place_fact(rng, event, place),
    )
    found = book(rng, life, gold, (_place_fact(rng, other, elsewhere),))
    history = told(
        rng,
        1,
        (
            f"The next {event} will be on {wrong_day}.",
            f"Shall I put it in the calendar for {wrong_day}?",
            f"Wait, they moved it. It's {day}.",
            f"{day}, noted. Should I enter it?",
            "Hold on, let me check something first.",
            "Sure, I'm here.",
        ),
        (
            f"下次{event}是{wrong_day}。",
            f"要放进{wrong_day}的日历吗？",
            f"等等，他们改了，是{day}。",
            f"好，{day}。要录入吗？",
            "先别急，我核对一下。",
            "好的，我等着。",
        ),
    )

    def plan() -> Plan:
        feedback = yield [look_up(say(f"{event} time place", f"{event} 时间 地点"))]
        met(feedback[0], *found.ids)
        yield [do("manage_schedule", action="create", event=event, datetime=f"{day} {time}", location=place)]
        return done(say(f"{event} is in: {day} {time}, {place}.", f"{event}已录入：{day} {time}，{place}。"))

    return Draft(
        phrasings=_TURN_EVENT.english,
        chinese=_TURN_EVENT.chinese,
        slots={"event": event},
        plan=plan,
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
    )


FAMILIES = (
    memory_turn_document,
    memory_turn_back_to_normal,
    memory_turn_call,
    memory_turn_event,
)
