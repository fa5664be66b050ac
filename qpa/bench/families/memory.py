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
    row = memory_row(number, f"{title} alarm", f"The {title} alarm is at {time}.")

    def plan() -> Plan:
        feedback = yield [do("search_user_memory", query=f"{title} alarm")]
        hit(feedback[0], row["id"])
        yield [do("manage_alarm", action="create", time=time, title=title)]
        return done(f"Done: alarm {time} {title}.")

    return Draft(
        phrasings=(
            "Set my usual {title} alarm.",
            "I need the {title} alarm at its usual time.",
            "Create the {title} alarm the way I always have it.",
            "You know when my {title} alarm is, set it.",
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
    short, long = "{0} takes {1} minutes.", "As told, the time for {0} is {1} minutes in all."
    texts = [short, long]
    rng.shuffle(texts)
    ids = rng.sample(range(number, number + 9), 2)
    stale = memory_row(ids[0], f"{title} time", texts[0].format(title, old), "2024-09-04")
    fresh = memory_row(ids[1], f"{title} time", texts[1].format(title, new), "2024-12-11")

    def plan() -> Plan:
        feedback = yield [do("search_user_memory", query=f"{title} time")]
        hit(feedback[0], stale["id"])
        hit(feedback[0], fresh["id"])
        yield [do("manage_countdown", action="start", minutes=new, label=title)]
        return done(f"Done: countdown {new} min {title}.")

    return Draft(
        phrasings=(
            "Start my usual {title} countdown.",
            "Countdown for {title}, as long as usual.",
            "Run the {title} timer with my saved minutes.",
            "{title} countdown, you know how long.",
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
    when = memory_row(number, f"{event} time", f"{event} starts at {time}.")
    where = memory_row(number + 1, f"{event} place", f"{event} is held in {place}.")

    def plan() -> Plan:
        feedback = yield [do("search_user_memory", query=event)]
        hit(feedback[0], when["id"])
        hit(feedback[0], where["id"])
        yield [do("manage_schedule", action="create", event=event, datetime=f"{day} {time}", location=place)]
        return done(f"Done: {event} at {place}.")

    return Draft(
        phrasings=(
            "Schedule {event} on {day}, usual time and place.",
            "Put {event} in my calendar for {day}, as always.",
            "{event} is on {day}; use the saved time and place.",
            "Plan {event} for {day} where and when it usually is.",
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
            ("important_event", f"{rng.pick(EVENTS)} is on {rng.day()}"),
            ("routines_habits", f"{rng.pick(TITLES)} is usually at {rng.time()}"),
        )
    )

    def plan() -> Plan:
        yield [do("add_user_memory", content=content, memoryCategory=category)]
        return done(f"Saved: {content}.")

    return Draft(
        phrasings=(
            "Remember this: {content}.",
            "Save to memory: {content}.",
            "Keep in mind: {content}.",
            "Please memorise: {content}.",
        ),
        slots={"content": content},
        plan=plan,
        shown=("search_user_memory", "replace_user_memory"),
    )


def saved_note(rng: Draw, number: int) -> tuple[dict[str, Any], str, str]:
    """A saved fact "X is V": its row, X, and another value that X may take."""
    thing, _, value = rng.pick(NOTES).partition(" is ")
    other = rng.pick(NOTES).partition(" is ")[2]
    while other == value:
        other = rng.pick(NOTES).partition(" is ")[2]
    row = memory_row(number, thing, f"{thing} is {value}", category="important_info")
    return row, thing, other


@family("memory_replace", MEMORY, ASSISTANT, "single_record", "replace")
def memory_replace(rng: Draw, world: World) -> Draft:
    """The saved value changed: replace that record, add no second one."""
    row, thing, value = saved_note(rng, rng.randint(200, 900))

    def plan() -> Plan:
        feedback = yield [do("search_user_memory", query=thing)]
        hit(feedback[0], row["id"])
        yield [do("replace_user_memory", memoryId=row["id"], content=f"{thing} is {value}")]
        return done(f"Updated: {thing} is {value}.")

    return Draft(
        phrasings=(
            "My {thing} is {value} now, update what you saved.",
            "Change the saved {thing} to {value}.",
            "Correct your memory: {thing} is {value}.",
            "Update my {thing}, it is now {value}.",
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
        return done(f"Removed: {thing}.")

    return Draft(
        phrasings=(
            "Forget my {thing}.",
            "Delete the saved {thing} from memory.",
            "Remove what you know about my {thing}.",
            "My {thing} should not be in memory anymore.",
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
    row = memory_row(rng.randint(200, 900), f"Files for {name}", f"Files for {name} go by {method}.")
    history = [
        Message(role=Role.USER, content=f"Is {file} on my phone?"),
        Message(role=Role.ASSISTANT, content=f"Yes, {file} is saved."),
    ]

    def plan() -> Plan:
        feedback = yield [do("search_user_memory", query=f"files for {name}")]
        hit(feedback[0], row["id"])
        yield [do("send_file", fileName=file, contact=name, method=method)]
        return done(f"Done: sent {file}.")

    return Draft(
        phrasings=(
            "Send it to {name} the usual way.",
            "Good, {name} needs it, sent as always.",
            "Pass it on to {name} the way I normally do.",
            "Please send that to {name}, you know how.",
        ),
        slots={"name": name},
        plan=plan,
        patch={
            "memories": [row],
            "contacts": [contact_row(701, name, rng.phone(), email=f"{name.lower()}@example.com")],
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
    new = memory_row(ids[1], thing, f"{thing} is {value}", "2024-12-02", "important_info")

    def plan() -> Plan:
        feedback = yield [do("search_user_memory", query=thing)]
        hit(feedback[0], new["id"])
        hit(feedback[0], old["id"])
        yield [do("remove_user_memory", memoryId=old["id"])]
        return done(f"Removed: old {thing}.")

    return Draft(
        phrasings=(
            "My {thing} is saved twice, remove the older record.",
            "Delete the outdated {thing} from memory, keep the newer.",
            "Two memories about my {thing}: drop the old one.",
            "Clean up my saved {thing}, only the latest stays.",
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
