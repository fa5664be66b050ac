"""Memory usage: act on, add, replace and remove what is saved about the user; single, conflicting and several records.

Gold records are patched among the world's own two dozen memories, so the search has to name the subject.
"""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.tool_calls import contact_row, person
from qpa.bench.families.tool_network import settings
from qpa.bench.families.values import EVENTS, NOTES, PLACES, TITLES, Draw
from qpa.contract import Dimension, Feedback, Message, Role
from qpa.envs.sandbox.schema import World

MEMORY = Dimension.MEMORY
ASSISTANT = "AI Assistant"
METHODS = ("email", "bluetooth", "message")
METHODS_ZH = {"email": "邮件", "bluetooth": "蓝牙", "message": "短信"}


def memory_row(
    number: int, title: str, content: str, updated: str = "2024-11-02", category: str = ""
) -> dict[str, Any]:
    """A patched memory; `updated` is a date."""
    return {
        "id": f"mem_{number:04d}",
        "category": category or "routines_habits",
        "title": title,
        "content": content,
        "tags": "",
        "created_at": "2024-05-01T09:00:00",
        "updated_at": f"{updated}T09:00:00",
    }


def items_of(feedback: Feedback) -> list[dict[str, Any]]:
    """The hits of a search."""
    return feedback.payload["data"]["items"]


def hit(feedback: Feedback, memory: str) -> dict[str, Any]:
    """The hit with this id; raises KeyError when the search missed it, so a broken family cannot go unnoticed."""
    return {item["memory_id"]: item for item in items_of(feedback)}[memory]


@family("memory_alarm", MEMORY, ASSISTANT, "single_record", "act")
def memory_alarm(rng: Draw, world: World) -> Draft:
    """One saved time, used for an alarm."""
    title, time, number = rng.pick(TITLES), rng.time(), rng.randint(200, 900)
    say = rng.say
    row = memory_row(
        number,
        say(f"{title} alarm", f"{title}闹钟"),
        say(f"The {title} alarm is at {time}.", f"{title}的闹钟是{time}。"),
    )

    def plan() -> Plan:
        feedback = yield [do("search_user_memory", query=say(f"{title} alarm", f"{title}闹钟"))]
        hit(feedback[0], row["id"])
        yield [do("manage_alarm", action="create", time=time, title=title)]
        return done(say(f"Done: alarm {time} {title}.", f"好了，{time}的{title}闹钟。"))

    return Draft(
        phrasings=(
            "Set my usual {title} alarm.",
            "I need the {title} alarm at its usual time.",
            "Create the {title} alarm the way I always have it.",
            "You know when my {title} alarm is, set it.",
        ),
        chinese=(
            "定我平时的{title}闹钟，名字就叫{title}。",
            "{title}的闹钟照老时间来一个，标题{title}。",
            "帮我设{title}闹钟，时间跟往常一样。",
            "我{title}的闹钟几点你知道，定上吧，叫{title}。",
        ),
        slots={"title": title},
        plan=plan,
        patch={"memories": [row]},
        memories=(row["id"],),
    )


@family("memory_countdown", MEMORY, ASSISTANT, "conflicting_records", "act")
def memory_countdown(rng: Draw, world: World) -> Draft:
    """Two saved durations disagree: the one updated last holds, wherever the search ranks it."""
    title, number = rng.pick(TITLES), rng.randint(200, 900)
    old, new = rng.sample(range(3, 120), 2)
    say = rng.say
    short = say("{0} takes {1} minutes.", "{0}要{1}分钟。")
    long = say("As told, the time for {0} is {1} minutes in all.", "说过的，{0}的用时一共是{1}分钟。")
    texts = [short, long]
    rng.shuffle(texts)
    ids = rng.sample(range(number, number + 9), 2)
    name = say(f"{title} time", f"{title}用时")
    stale = memory_row(ids[0], name, texts[0].format(title, old), "2024-09-04")
    fresh = memory_row(ids[1], name, texts[1].format(title, new), "2024-12-11")

    def plan() -> Plan:
        feedback = yield [do("search_user_memory", query=name)]
        hit(feedback[0], stale["id"])
        hit(feedback[0], fresh["id"])
        yield [do("manage_countdown", action="start", minutes=new, label=title)]
        return done(say(f"Done: countdown {new} min {title}.", f"好了，{title}倒计时{new}分钟。"))

    return Draft(
        phrasings=(
            "Start my usual {title} countdown.",
            "Countdown for {title}, as long as usual.",
            "Run the {title} timer with my saved minutes.",
            "{title} countdown, you know how long.",
        ),
        chinese=(
            "开始我平时的{title}倒计时，标签{title}。",
            "{title}倒计时，跟往常一样长，名字写{title}。",
            "按你记的分钟数给{title}倒计时，标签就用{title}。",
            "来个{title}倒计时，多久你知道，标签{title}。",
        ),
        slots={"title": title},
        plan=plan,
        patch={"memories": [stale, fresh]},
        memories=(stale["id"], fresh["id"]),
    )


@family("memory_schedule", MEMORY, ASSISTANT, "multi_record", "act")
def memory_schedule(rng: Draw, world: World) -> Draft:
    """A time from one record and a place from another make one event."""
    event, place, time, day = rng.pick(EVENTS), rng.pick(PLACES), rng.time(), rng.day()
    number = rng.randint(200, 900)
    say = rng.say
    when = memory_row(
        number, say(f"{event} time", f"{event}时间"), say(f"{event} starts at {time}.", f"{event}{time}开始。")
    )
    where = memory_row(
        number + 1,
        say(f"{event} place", f"{event}地点"),
        say(f"{event} is held in {place}.", f"{event}在{place}举行。"),
    )

    def plan() -> Plan:
        feedback = yield [do("search_user_memory", query=event)]
        hit(feedback[0], when["id"])
        hit(feedback[0], where["id"])
        yield [do("manage_schedule", action="create", event=event, datetime=f"{day} {time}", location=place)]
        return done(say(f"Done: {event} at {place}.", f"好了，{event}，地点{place}。"))

    return Draft(
        phrasings=(
            "Schedule {event} on {day}, usual time and place.",
            "Put {event} in my calendar for {day}, as always.",
            "{event} is on {day}; use the saved time and place.",
            "Plan {event} for {day} where and when it usually is.",
        ),
        chinese=(
            "{day}安排{event}，时间地点用你记着的。",
            "把{event}放进{day}的日历，几点在哪儿我跟你说过。",
            "{event}在{day}，用你记的时间和地点建日程。",
            "给{day}排上{event}，时间地点照记忆里的来。",
        ),
        slots={"event": event, "day": day},
        plan=plan,
        patch={"memories": [when, where]},
        memories=(when["id"], where["id"]),
    )


@family("memory_add", MEMORY, ASSISTANT, "single_record", "add")
def memory_add(rng: Draw, world: World) -> Draft:
    """A new fact with the right category."""
    category, content = rng.choice(
        (
            ("important_info", rng.pick(NOTES)),
            ("important_event", rng.say("{} is on {}", "{}是{}").format(rng.pick(EVENTS), rng.day())),
            ("routines_habits", rng.say("{} is usually at {}", "{}一般是{}").format(rng.pick(TITLES), rng.time())),
        )
    )

    def plan() -> Plan:
        yield [do("add_user_memory", content=content, memoryCategory=category)]
        return done(rng.say(f"Saved: {content}.", f"记下了：{content}。"))

    return Draft(
        phrasings=(
            "Remember this: {content}.",
            "Save to memory: {content}.",
            "Keep in mind: {content}.",
            "Please memorise: {content}.",
        ),
        chinese=(
            "记住这句话：{content}。",
            "存到记忆里：{content}。",
            "帮我原样记着：{content}。",
            "麻烦记一条：{content}。",
        ),
        slots={"content": content},
        plan=plan,
        shown=("search_user_memory", "replace_user_memory"),
    )


def saved_note(rng: Draw, number: int) -> tuple[dict[str, Any], str, str]:
    """A saved fact "X is V": its row, X, and another value that X may take."""
    verb = rng.say(" is ", "是")
    thing, _, value = rng.pick(NOTES).partition(verb)
    other = rng.pick(NOTES).partition(verb)[2]
    while other == value:
        other = rng.pick(NOTES).partition(verb)[2]
    row = memory_row(number, thing, f"{thing}{verb}{value}", category="important_info")
    return row, thing, other


@family("memory_replace", MEMORY, ASSISTANT, "single_record", "replace")
def memory_replace(rng: Draw, world: World) -> Draft:
    """The saved value changed: replace that record, add no second one."""
    row, thing, value = saved_note(rng, rng.randint(200, 900))
    content = rng.say(f"{thing} is {value}", f"{thing}是{value}")

    def plan() -> Plan:
        feedback = yield [do("search_user_memory", query=thing)]
        hit(feedback[0], row["id"])
        yield [do("replace_user_memory", memoryId=row["id"], content=content)]
        return done(rng.say(f"Updated: {content}.", f"更新了：{content}。"))

    return Draft(
        phrasings=(
            "My {thing} is {value} now, update what you saved.",
            "Change the saved {thing} to {value}.",
            "Correct your memory: {thing} is {value}.",
            "Update my {thing}, it is now {value}.",
        ),
        chinese=(
            "我的{thing}换了，把你记的改成“{thing}是{value}”。",
            "更新记忆：{thing}是{value}，原来那条改掉，原话这么写。",
            "你记错了，“{thing}是{value}”才对，照这句改。",
            "把我{thing}那条记忆的内容改成“{thing}是{value}”。",
        ),
        slots={"thing": thing, "value": value},
        plan=plan,
        patch={"memories": [row]},
        memories=(row["id"],),
        shown=("add_user_memory",),
    )


@family("memory_remove", MEMORY, ASSISTANT, "single_record", "remove")
def memory_remove(rng: Draw, world: World) -> Draft:
    """Removes exactly the record the user named."""
    row, thing, _ = saved_note(rng, rng.randint(200, 900))

    def plan() -> Plan:
        feedback = yield [do("search_user_memory", query=thing)]
        hit(feedback[0], row["id"])
        yield [do("remove_user_memory", memoryId=row["id"])]
        return done(rng.say(f"Removed: {thing}.", f"删掉了：{thing}。"))

    return Draft(
        phrasings=(
            "Forget my {thing}.",
            "Delete the saved {thing} from memory.",
            "Remove what you know about my {thing}.",
            "My {thing} should not be in memory anymore.",
        ),
        chinese=(
            "忘掉我的{thing}。",
            "把记忆里的{thing}删了。",
            "你记的我的{thing}，删掉吧。",
            "我的{thing}别再留在记忆里了。",
        ),
        slots={"thing": thing},
        plan=plan,
        patch={"memories": [row]},
        memories=(row["id"],),
        shown=("replace_user_memory",),
    )


@family("memory_send_file", MEMORY, ASSISTANT, "single_record", "act", "multi_turn")
def memory_send_file(rng: Draw, world: World) -> Draft:
    """The file comes from the dialogue, the way of sending from memory."""
    name, file, method = person(rng, world), rng.choice(world.rows["files"])["name"], rng.choice(METHODS)
    say = rng.say
    row = memory_row(
        rng.randint(200, 900),
        say(f"Files for {name}", f"给{name}的文件"),
        say(f"Files for {name} go by {method}.", f"给{name}的文件用{METHODS_ZH[method]}发。"),
    )
    history = [
        Message(role=Role.USER, content=say(f"Is {file} on my phone?", f"{file}在我手机上吗？")),
        Message(role=Role.ASSISTANT, content=say(f"Yes, {file} is saved.", f"在，{file}存着呢。")),
    ]

    def plan() -> Plan:
        feedback = yield [do("search_user_memory", query=say(f"files for {name}", f"给{name}的文件"))]
        hit(feedback[0], row["id"])
        yield [do("send_file", fileName=file, contact=name, method=method)]
        return done(say(f"Done: sent {file}.", f"好了，{file}发出去了。"))

    return Draft(
        phrasings=(
            "Send it to {name} the usual way.",
            "Good, {name} needs it, sent as always.",
            "Pass it on to {name} the way I normally do.",
            "Please send that to {name}, you know how.",
        ),
        chinese=(
            "照平时的方式发给{name}。",
            "好，{name}要这个，老办法发过去。",
            "把它传给{name}，怎么发跟往常一样。",
            "发给{name}吧，用什么方式你知道的。",
        ),
        slots={"name": name},
        plan=plan,
        patch={
            "memories": [row],
            "contacts": [
                contact_row(701, name, rng.phone(), email=say(f"{name.lower()}@example.com", "friend@example.com"))
            ],
            "settings": settings(bluetooth="on"),
        },
        history=history,
        memories=(row["id"],),
    )


@family("memory_remove_older", MEMORY, ASSISTANT, "conflicting_records", "remove", unseen="family")
def memory_remove_older(rng: Draw, world: World) -> Draft:
    """Saved twice: only the record updated first is removed."""
    number = rng.randint(200, 900)
    row, thing, value = saved_note(rng, number)
    ids = rng.sample(range(number, number + 9), 2)
    old = {**row, "id": f"mem_{ids[0]:04d}", "updated_at": "2024-08-19T09:00:00"}
    content = rng.say(f"{thing} is {value}", f"{thing}是{value}")
    new = memory_row(ids[1], thing, content, "2024-12-02", "important_info")

    def plan() -> Plan:
        feedback = yield [do("search_user_memory", query=thing)]
        hit(feedback[0], new["id"])
        hit(feedback[0], old["id"])
        yield [do("remove_user_memory", memoryId=old["id"])]
        return done(rng.say(f"Removed: old {thing}.", f"旧的{thing}删掉了。"))

    return Draft(
        phrasings=(
            "My {thing} is saved twice, remove the older record.",
            "Delete the outdated {thing} from memory, keep the newer.",
            "Two memories about my {thing}: drop the old one.",
            "Clean up my saved {thing}, only the latest stays.",
        ),
        chinese=(
            "我的{thing}记了两遍，删掉旧的那条。",
            "把过时的{thing}从记忆里删了，新的留着。",
            "{thing}有两条记忆，去掉早的那条。",
            "整理一下我的{thing}，只留最新的。",
        ),
        slots={"thing": thing},
        plan=plan,
        patch={"memories": [old, new]},
        memories=(old["id"], new["id"]),
        shown=("replace_user_memory",),
    )


FAMILIES = (
    memory_alarm,
    memory_countdown,
    memory_schedule,
    memory_add,
    memory_replace,
    memory_remove,
    memory_send_file,
    memory_remove_older,
)
