"""Basic tool use in Time Management: grounding, revision, references, ambiguity and conflicts."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, Plan, ask, do, done, family
from qpa.bench.families.values import EVENTS, PLACES, TITLES, TODOS, Draw
from qpa.contract import BehaviorCriteria, Dimension, Intent, Message, Role, ToolCall, to_json
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
TIME = "Time Management"
REPEATS: tuple[tuple[str, dict[str, str]], ...] = (
    ("", {}),
    (" every day", {"repeat": "daily"}),
    (" on weekdays", {"repeat": "weekdays"}),
)


def alarm_row(number: int, time: str, title: str, **more: Any) -> dict[str, Any]:
    """A patched alarm; its id is far from the seeded ones. `time` is HH:MM of tomorrow."""
    return {"id": f"alarm_{number}", "time": f"2025-01-16T{time}:00", "title": title, **more}


@family("alarm_create", TOOL, TIME, "grounding")
def alarm_create(rng: Draw, world: World) -> Draft:
    """One alarm with a time, a title and sometimes a repetition."""
    time, title = rng.time(), rng.pick(TITLES)
    words, repeat = rng.choice(REPEATS)

    def plan() -> Plan:
        yield [do("manage_alarm", action="create", time=time, title=title, **repeat)]
        return done(f"Done: alarm {time} {title}.")

    return Draft(
        phrasings=(
            "Set an alarm for {time}{words} called {title}.",
            "Wake me at {time}{words}, label it {title}.",
            "I need a {title} alarm at {time}{words}.",
            "Please add an alarm named {title} at {time}{words}.",
            "{title} alarm, {time}{words}, please.",
        ),
        slots={"time": time, "title": title, "words": words},
        plan=plan,
    )


@family("countdown_start", TOOL, TIME, "grounding")
def countdown_start(rng: Draw, world: World) -> Draft:
    """A labelled countdown."""
    minutes, label = rng.randint(2, 180), rng.pick(TITLES)

    def plan() -> Plan:
        yield [do("manage_countdown", action="start", minutes=minutes, label=label)]
        return done(f"Done: countdown {minutes} min {label}.")

    return Draft(
        phrasings=(
            "Start a {minutes} minute countdown for {label}.",
            "Count down {minutes} minutes, label {label}.",
            "Set a timer of {minutes} minutes called {label}.",
            "Give me a {label} countdown, {minutes} minutes.",
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
        return done(f"Done: {event} at {place}.")

    return Draft(
        phrasings=(
            "Schedule {event} on {moment} at {place}.",
            "Put {event} in my calendar: {moment}, {place}.",
            "Plan {event} for {moment} in {place}.",
            "Add an event {event}, {moment}, location {place}.",
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
        return done(f"Done: alarm {time} {title}.")

    return Draft(
        phrasings=(
            "Set a {title} alarm at {wrong}, no, make it {time}.",
            "Alarm {title} for {wrong}... wait, {time} is better.",
            "Wake me at {wrong} for {title}. Sorry, I meant {time}.",
            "{title} alarm at {wrong}, actually {time} instead.",
        ),
        slots={"wrong": wrong, "time": time, "title": title},
        plan=plan,
    )


@family("alarm_missing_time", TOOL, TIME, "recovery", "clarify")
def alarm_missing_time(rng: Draw, world: World) -> Draft:
    """The time is missing: the only right action is to ask for it."""
    title = rng.pick(TITLES)

    def plan() -> Plan:
        yield from ()
        return ask(f"What time for {title}?")

    return Draft(
        phrasings=(
            "Set an alarm called {title}.",
            "I need a {title} alarm.",
            "Please add an alarm for {title}.",
            "Wake me up for {title}.",
        ),
        slots={"title": title},
        plan=plan,
        criteria=BehaviorCriteria(intent=Intent.ASK, mentions=[["time", "when"], [title]]),
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
            return ask(f"Which one: {first} or {second}?")
        yield [do("manage_alarm", action="delete", alarmId=items[0]["id"])]
        return done(f"Done: {title} alarm deleted.")

    return Draft(
        phrasings=(
            "Delete my {title} alarm.",
            "Remove the {title} alarm, please.",
            "I no longer need the {title} alarm.",
            "Get rid of the alarm {title}.",
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
        Message(role=Role.USER, content=f"Set a {title} alarm for tomorrow {old}."),
        Message(role=Role.ASSISTANT, calls=[call]),
        Message(role=Role.TOOL, content=to_json(result).decode(), call_id="past_0", name="manage_alarm"),
        Message(role=Role.ASSISTANT, content=f"Done: alarm {old} {title}."),
    ]

    def plan() -> Plan:
        yield [do("manage_alarm", action="update", alarmId=row["id"], time=f"tomorrow {new}")]
        return done(f"Done: {title} at {new}.")

    return Draft(
        phrasings=(
            "Move it to {new}.",
            "Make that {new} instead.",
            "Change it to {new}, please.",
            "Actually, {new} would be better.",
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
        return done(f"Done: focus {minutes} min {task}.")

    others = [{**r, "status": "stopped"} for r in world.rows.get("focus_sessions", []) if r["status"] == "running"]
    return Draft(
        phrasings=(
            "Start a {minutes} minute focus timer for {task}, replacing any running one.",
            "Focus on {task} for {minutes} minutes; stop an old session if there is one.",
            "New {minutes} minute focus session, {task}, instead of whatever is running.",
            "Begin focusing on {task}, {minutes} minutes, even if another timer runs.",
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
        return done(f"Done: alarm {time}, todo {content}.")

    return Draft(
        phrasings=(
            "Set a {title} alarm at {time} and add the todo {content}.",
            "Add {content} to my todos and wake me at {time} for {title}.",
            "Two things: alarm {title} at {time}, todo {content}.",
            "Alarm at {time} called {title}, plus a todo: {content}.",
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
        return done(f"Done: anniversary {name}.")

    return Draft(
        phrasings=(
            "Create an anniversary called {name} on {day}.",
            "Add the anniversary {name}, date {day}.",
            "Please keep {name} on {day} as an anniversary.",
            "New anniversary: {name}, {day}.",
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
