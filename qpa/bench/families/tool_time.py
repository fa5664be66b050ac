"""Basic tool use in Time Management: grounding, revision, references, ambiguity and conflicts."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, Plan, ask, do, done, family
from qpa.bench.families.values import EVENTS, PLACES, TITLES, TODOS, Draw
from qpa.contract import BehaviorCriteria, Dimension, Intent, Message, Role, ToolCall, to_json
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
TIME = "Time Management"
REPEATS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("", "", {}),
    (" every day", "每天", {"repeat": "daily"}),
    (" on weekdays", "工作日", {"repeat": "weekdays"}),
)


def alarm_row(number: int, time: str, title: str, **more: Any) -> dict[str, Any]:
    """A patched alarm; its id is far from the seeded ones. `time` is HH:MM of tomorrow."""
    return {"id": f"alarm_{number}", "time": f"2025-01-16T{time}:00", "title": title, **more}


@family("alarm_create", TOOL, TIME, "grounding")
def alarm_create(rng: Draw, world: World) -> Draft:
    """One alarm with a time, a title and sometimes a repetition."""
    time, title = rng.time(), rng.pick(TITLES)
    words, chinese_words, repeat = rng.choice(REPEATS)

    def plan() -> Plan:
        yield [do("manage_alarm", action="create", time=time, title=title, **repeat)]
        return done(rng.say(f"Done: alarm {time} {title}.", f"好了，{time}的“{title}”闹钟已设好。"))

    return Draft(
        phrasings=(
            "Set an alarm for {time}{words} called {title}.",
            "Wake me at {time}{words}, label it {title}.",
            "I need a {title} alarm at {time}{words}.",
            "Please add an alarm named {title} at {time}{words}.",
            "{title} alarm, {time}{words}, please.",
        ),
        chinese=(
            "帮我定一个{words}{time}的闹钟，名字叫“{title}”。",
            "{words}{time}叫我起来，闹钟标签写“{title}”。",
            "我需要一个“{title}”的闹钟，{words}{time}响。",
            "加个闹钟：{title}，{words}{time}。",
            "{words}{time}得去{title}，怕忘了，给我上个闹钟，就叫“{title}”。",
        ),
        slots={"time": time, "title": title, "words": rng.say(words, chinese_words)},
        plan=plan,
    )


@family("countdown_start", TOOL, TIME, "grounding")
def countdown_start(rng: Draw, world: World) -> Draft:
    """A labelled countdown."""
    minutes, label = rng.randint(2, 180), rng.pick(TITLES)

    def plan() -> Plan:
        yield [do("manage_countdown", action="start", minutes=minutes, label=label)]
        return done(rng.say(f"Done: countdown {minutes} min {label}.", f"开始了，“{label}”倒计时{minutes}分钟。"))

    return Draft(
        phrasings=(
            "Start a {minutes} minute countdown for {label}.",
            "Count down {minutes} minutes, label {label}.",
            "Set a timer of {minutes} minutes called {label}.",
            "Give me a {label} countdown, {minutes} minutes.",
        ),
        chinese=(
            "开始{minutes}分钟倒计时，标签写“{label}”。",
            "给“{label}”倒数{minutes}分钟。",
            "设一个{minutes}分钟的倒计时，叫“{label}”。",
            "我马上要{label}，帮我计{minutes}分钟，倒计时就用这个名字。",
        ),
        slots={"minutes": minutes, "label": label},
        plan=plan,
    )


@family("schedule_create", TOOL, TIME, "grounding")
def schedule_create(rng: Draw, world: World) -> Draft:
    """A calendar event with a moment and a place."""
    event, place = rng.pick(EVENTS), rng.pick(PLACES)
    moment = f"{rng.day()} {rng.time()}"

    def plan() -> Plan:
        yield [do("manage_schedule", action="create", event=event, datetime=moment, location=place)]
        return done(rng.say(f"Done: {event} at {place}.", f"好了，{event}已安排在{place}。"))

    return Draft(
        phrasings=(
            "Schedule {event} on {moment} at {place}.",
            "Put {event} in my calendar: {moment}, {place}.",
            "Plan {event} for {moment} in {place}.",
            "Add an event {event}, {moment}, location {place}.",
        ),
        chinese=(
            "帮我安排{event}，时间{moment}，地点{place}。",
            "日历里加一条：{event}，{moment}，在{place}。",
            "把{event}记到日程里，{moment}，{place}。",
            "{moment}在{place}有个{event}，别让我忘了，写进日历吧。",
        ),
        slots={"event": event, "moment": moment, "place": place},
        plan=plan,
    )


@family("alarm_revised", TOOL, TIME, "revision")
def alarm_revised(rng: Draw, world: World) -> Draft:
    """The user corrects the time within one utterance; only the last one counts."""
    (wrong, time), title = rng.times(2), rng.pick(TITLES)

    def plan() -> Plan:
        yield [do("manage_alarm", action="create", time=time, title=title)]
        return done(rng.say(f"Done: alarm {time} {title}.", f"好了，{time}的“{title}”闹钟已设好。"))

    return Draft(
        phrasings=(
            "Set a {title} alarm at {wrong}, no, make it {time}.",
            "Alarm {title} for {wrong}... wait, {time} is better.",
            "Wake me at {wrong} for {title}. Sorry, I meant {time}.",
            "{title} alarm at {wrong}, actually {time} instead.",
        ),
        chinese=(
            "定个{wrong}的“{title}”闹钟，不对，改成{time}。",
            "{wrong}叫我{title}……等等，还是{time}吧，闹钟名就叫“{title}”。",
            "“{title}”闹钟设到{wrong}，哦说错了，是{time}。",
            "给我上个“{title}”闹钟，{wrong}响，算了有点不合适，就{time}吧。",
        ),
        slots={"wrong": wrong, "time": time, "title": title},
        plan=plan,
    )


@family("alarm_missing_time", TOOL, TIME, "recovery", "clarify")
def alarm_missing_time(rng: Draw, world: World) -> Draft:
    """The time is missing: the only right action is to ask for it."""
    title = rng.pick(TITLES)
    times = ["几点", "时间", "什么时候"] if rng.chinese else ["time", "when"]

    def plan() -> Plan:
        yield from ()
        return ask(rng.say(f"What time for {title}?", f"“{title}”的闹钟定在几点？"))

    return Draft(
        phrasings=(
            "Set an alarm called {title}.",
            "I need a {title} alarm.",
            "Please add an alarm for {title}.",
            "Wake me up for {title}.",
        ),
        chinese=(
            "帮我定一个“{title}”的闹钟。",
            "我要一个叫“{title}”的闹钟。",
            "加个闹钟，名字是“{title}”。",
            "到时候叫我{title}，用闹钟提醒。",
        ),
        slots={"title": title},
        plan=plan,
        criteria=BehaviorCriteria(intent=Intent.ASK, mentions=[times, [title]]),
        shown=("manage_alarm",),
    )


@family("alarm_delete", TOOL, TIME, "dependency", "clarify")
def alarm_delete(rng: Draw, world: World) -> Draft:
    """Query first: one alarm of that title is deleted, two need a question."""
    # A query matches part of a title, so neither the phone's own alarms nor the other one may match this title.
    (title, other), (first, second) = rng.several(TITLES, 2), sorted(rng.times(2))
    while any(title.lower() in taken.lower() for taken in [other, *(row["title"] for row in world.rows["alarms"])]):
        title, other = rng.several(TITLES, 2)
    twice = rng.random() < 0.5
    rows = [alarm_row(701, first, title), alarm_row(702, second, title if twice else other)]
    question = BehaviorCriteria(intent=Intent.ASK, reads=["manage_alarm"], mentions=[[first], [second]])

    def plan() -> Plan:
        feedback = yield [do("manage_alarm", action="query", title=title)]
        items = feedback[0].payload["data"]["items"]
        if len(items) > 1:
            return ask(rng.say(f"Which one: {first} or {second}?", f"删哪一个，{first}的还是{second}的？"))
        yield [do("manage_alarm", action="delete", alarmId=items[0]["id"])]
        return done(rng.say(f"Done: {title} alarm deleted.", f"“{title}”闹钟已删除。"))

    return Draft(
        phrasings=(
            "Delete my {title} alarm.",
            "Remove the {title} alarm, please.",
            "I no longer need the {title} alarm.",
            "Get rid of the alarm {title}.",
        ),
        chinese=(
            "把“{title}”那个闹钟删了。",
            "删除“{title}”闹钟。",
            "“{title}”的闹钟用不着了，去掉吧。",
            "以后不用再{title}了，那个“{title}”闹钟帮我删掉。",
        ),
        slots={"title": title},
        plan=plan,
        criteria=question if twice else "state",
        patch={"alarms": rows},
    )


@family("alarm_move_history", TOOL, TIME, "reference")
def alarm_move_history(rng: Draw, world: World) -> Draft:
    """A pronoun refers to an alarm of the previous turn; its id is in the earlier tool result."""
    (old, new), title, number = rng.times(2), rng.pick(TITLES), rng.randint(200, 900)
    row = alarm_row(number, old, title)
    call = ToolCall(
        id="past_0", name="manage_alarm", arguments={"action": "create", "time": f"tomorrow {old}", "title": title}
    )
    result = {"success": True, "message": "Alarm created", "data": {"id": row["id"], "time": row["time"]}}
    history = [
        Message(
            role=Role.USER,
            content=rng.say(f"Set a {title} alarm for tomorrow {old}.", f"定一个明天{old}的“{title}”闹钟。"),
        ),
        Message(role=Role.ASSISTANT, calls=[call]),
        Message(role=Role.TOOL, content=to_json(result).decode(), call_id="past_0", name="manage_alarm"),
        Message(
            role=Role.ASSISTANT, content=rng.say(f"Done: alarm {old} {title}.", f"好了，{old}的“{title}”闹钟已设好。")
        ),
    ]

    def plan() -> Plan:
        yield [do("manage_alarm", action="update", alarmId=row["id"], time=f"tomorrow {new}")]
        return done(rng.say(f"Done: {title} at {new}.", f"“{title}”改到{new}了。"))

    return Draft(
        phrasings=(
            "Move it to {new}.",
            "Make that {new} instead.",
            "Change it to {new}, please.",
            "Actually, {new} would be better.",
        ),
        chinese=(
            "改到{new}。",
            "还是{new}吧。",
            "把它挪到{new}，谢谢。",
            "我想了想，{new}更合适，帮我调一下。",
        ),
        slots={"new": new},
        plan=plan,
        patch={"alarms": [row]},
        history=history,
    )


@family("focus_replace", TOOL, TIME, "recovery", "conflict")
def focus_replace(rng: Draw, world: World) -> Draft:
    """Starting may run into a 409; then the old session is stopped first."""
    minutes, task, running = rng.randint(5, 120), rng.pick(TITLES), rng.random() < 0.6
    stale = {"id": "focus_701", "task": "Old task", "minutes": 30, "status": "running" if running else "stopped"}

    def plan() -> Plan:
        start = do("manage_focus_timer", action="start", minutes=minutes, task=task)
        feedback = yield [start]
        if not feedback[0].ok:
            yield [do("manage_focus_timer", action="stop")]
            yield [start]
        return done(rng.say(f"Done: focus {minutes} min {task}.", f"开始专注“{task}”，{minutes}分钟。"))

    others = [{**r, "status": "stopped"} for r in world.rows.get("focus_sessions", []) if r["status"] == "running"]
    return Draft(
        phrasings=(
            "Start a {minutes} minute focus timer for {task}, replacing any running one.",
            "Focus on {task} for {minutes} minutes; stop an old session if there is one.",
            "New {minutes} minute focus session, {task}, instead of whatever is running.",
            "Begin focusing on {task}, {minutes} minutes, even if another timer runs.",
        ),
        chinese=(
            "给“{task}”开一个{minutes}分钟的专注计时，有正在跑的就换掉。",
            "我要专注“{task}”{minutes}分钟，之前的专注要是还在就停掉。",
            "新开{minutes}分钟专注，任务是“{task}”，替换当前的。",
            "开始专注“{task}”，{minutes}分钟，别管有没有别的专注在跑，停了它就行。",
        ),
        slots={"minutes": minutes, "task": task},
        plan=plan,
        patch={"focus_sessions": [*others, stale]},
    )


@family("alarm_and_todo", TOOL, TIME, "dependency", "parallel")
def alarm_and_todo(rng: Draw, world: World) -> Draft:
    """Two independent requests: one parallel block."""
    time, title, content = rng.time(), rng.pick(TITLES), rng.pick(TODOS)
    while any(content.lower() == row["content"].lower() for row in world.rows["todos"]):
        content = rng.pick(TODOS)  # a to-do that is open already would be a 409

    def plan() -> Plan:
        yield [
            do("manage_alarm", action="create", time=time, title=title),
            do("manage_todo", action="create", content=content),
        ]
        return done(rng.say(f"Done: alarm {time}, todo {content}.", f"好了，闹钟{time}，待办“{content}”。"))

    return Draft(
        phrasings=(
            "Set a {title} alarm at {time} and add the todo {content}.",
            "Add {content} to my todos and wake me at {time} for {title}.",
            "Two things: alarm {title} at {time}, todo {content}.",
            "Alarm at {time} called {title}, plus a todo: {content}.",
        ),
        chinese=(
            "定一个{time}的“{title}”闹钟，再加个待办：{content}。",
            "待办里加上“{content}”，然后{time}叫我{title}，闹钟名就是“{title}”。",
            "两件事：闹钟“{title}”{time}，待办“{content}”。",
            "{time}要{title}，上个同名闹钟；还有别忘了{content}，记到待办里。",
        ),
        slots={"time": time, "title": title, "content": content},
        plan=plan,
    )


@family("anniversary_create", TOOL, TIME, "grounding", unseen="family")
def anniversary_create(rng: Draw, world: World) -> Draft:
    """A tool that training never used, of the familiar `manage_x` shape."""
    name, day = rng.pick(EVENTS), rng.day()

    def plan() -> Plan:
        yield [do("manage_anniversary", action="create", name=name, date=day)]
        return done(rng.say(f"Done: anniversary {name}.", f"纪念日“{name}”已添加。"))

    return Draft(
        phrasings=(
            "Create an anniversary called {name} on {day}.",
            "Add the anniversary {name}, date {day}.",
            "Please keep {name} on {day} as an anniversary.",
            "New anniversary: {name}, {day}.",
        ),
        chinese=(
            "新建一个纪念日，叫“{name}”，日期{day}。",
            "把{day}记成纪念日“{name}”。",
            "加个纪念日：{name}，{day}。",
            "{day}是{name}，帮我存到纪念日里。",
        ),
        slots={"name": name, "day": day},
        plan=plan,
    )


FAMILIES = (
    alarm_create,
    countdown_start,
    schedule_create,
    alarm_revised,
    alarm_missing_time,
    alarm_delete,
    alarm_move_history,
    focus_replace,
    alarm_and_todo,
    anniversary_create,
)
