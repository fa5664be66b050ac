"""Basic tool use in Display & Sound: one-call wishes about do-not-disturb, its exceptions and its schedules."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import do
from qpa.bench.families.mobile.common import Rows, phone
from qpa.bench.families.mobile.display_slots import clock, span
from qpa.bench.families.mobile.wishes import Slot, Wish, number, worded
from qpa.bench.families.tool_calls import contact_row, person
from qpa.bench.families.values import EVENTS, Draw
from qpa.envs.sandbox.schema import World

SOURCES = worded(
    ("alarms", ("alarms", "闹钟")),
    ("reminders", ("reminders", "提醒事项")),
    ("events", ("calendar events", "日程")),
    ("repeat_callers", ("people who call twice in a row", "重复来电")),
    ("starred_contacts", ("starred contacts", "星标联系人")),
)
REPEATS = worded(("daily", ("every day", "每天")), ("weekdays", ("on weekdays", "工作日")))


def schedule(name: str = "{name}", start: str = "{start}", end: str = "{end}", **more: Any) -> dict[str, Any]:
    """A patched do-not-disturb schedule."""
    return {"name": name, "start_time": start, "end_time": end, **more}


def friend(rng: Draw, world: World) -> list[str]:
    """A name that no contact has, and a number."""
    return [person(rng, world), rng.phone()]


FRIEND: dict[str, Slot] = {"name phone": friend}


def contact(**more: Any) -> Rows:
    """The contact of the slots `FRIEND`."""
    return {"contacts": [contact_row(701, "{name}", "{phone}", **more)]}


QUIET = (
    Wish(
        calls=(do("manage_do_not_disturb", action="enable"),),
        slots={"event": EVENTS},
        patch=phone(dnd="off", dnd_until=""),
        english=(
            "Turn on do not disturb.",
            "{event} is starting, put the phone on do-not-disturb until I say otherwise.",
            "I don't want to be disturbed now, so switch on do not disturb.",
            "DND on, please. I'll turn it off myself when the {event} is over.",
        ),
        chinese=(
            "打开勿扰模式。",
            "{event}要开始了，开勿扰，我说关再关",
            "现在别让任何消息打扰我，把勿扰打开",
            "开一下免打扰，{event}结束了我自己关",
        ),
    ),
    Wish(
        calls=(do("manage_do_not_disturb", action="enable", until="{until}"),),
        slots={"until": clock(10, 22), "event": EVENTS},
        patch=phone(dnd="off", dnd_until=""),
        english=(
            "Do not disturb until {until}.",
            "{event} today: keep the phone on do-not-disturb till {until}.",
            "Turn on DND now and let it end at {until}.",
            "I need quiet for the {event}, so do-not-disturb from now to {until}.",
        ),
        chinese=(
            "开勿扰到{until}。",
            "今天有{event}，勿扰模式开到{until}",
            "现在打开免打扰，{until}自动结束",
            "{event}需要安静，从现在起到{until}开勿扰",
        ),
    ),
    Wish(
        calls=(do("manage_do_not_disturb", action="disable"),),
        slots={"event": EVENTS},
        patch=phone(dnd="on", dnd_until=""),
        english=(
            "Turn off do not disturb.",
            "{event} is over, calls may come through again. End do-not-disturb.",
            "DND off, please.",
            "You can stop do-not-disturb now, I'm done with the {event}.",
        ),
        chinese=(
            "关闭勿扰模式。",
            "{event}结束了，可以来电话了，勿扰关掉",
            "把免打扰关了",
            "{event}忙完了，勿扰可以停了",
        ),
    ),
    Wish(
        calls=(do("manage_dnd_exceptions", action="allow", source="{source}"),),
        slots={"source word": SOURCES},
        patch=phone(
            **{
                f"dnd_allow_{source}": "off"
                for source in ("alarms", "reminders", "events", "repeat_callers", "starred_contacts")
            }
        ),
        english=(
            "Allow {word} during do-not-disturb.",
            "Even in DND, {word} should get through.",
            "Make an exception from do-not-disturb for {word}.",
            "I missed something important last night: let {word} through when do-not-disturb is on.",
        ),
        chinese=(
            "勿扰模式下允许{word}。",
            "开了勿扰，{word}也要能响",
            "给勿扰加个例外：{word}",
            "昨晚错过了要紧事，勿扰的时候{word}放行吧",
        ),
    ),
    Wish(
        calls=(do("manage_dnd_exceptions", action="block", source="{source}"),),
        slots={"source word": SOURCES},
        patch=phone(
            **{
                f"dnd_allow_{source}": "on"
                for source in ("alarms", "reminders", "events", "repeat_callers", "starred_contacts")
            }
        ),
        english=(
            "Block {word} in do-not-disturb.",
            "No {word} either while DND is on.",
            "Take {word} off the things that get through do-not-disturb.",
            "Do-not-disturb lets {word} in. It shouldn't.",
        ),
        chinese=(
            "勿扰模式下屏蔽{word}。",
            "开勿扰的时候{word}也别进来",
            "把{word}从勿扰的例外里去掉",
            "勿扰居然还放行{word}，给我拦掉",
        ),
    ),
    Wish(
        calls=(do("manage_dnd_exceptions", action="allow", contact="{name}"),),
        slots=FRIEND,
        patch=contact(),
        english=(
            "Let {name} through do-not-disturb.",
            "{name} may always reach me, also when DND is on.",
            "Add {name} to the people do-not-disturb makes an exception for.",
            "If {name} calls in the night I want to hear it in spite of do-not-disturb.",
        ),
        chinese=(
            "勿扰时允许{name}打进来。",
            "开着勿扰也要让{name}能找到我",
            "把{name}加到勿扰的例外联系人里",
            "{name}半夜打电话我得听见，勿扰别拦",
        ),
    ),
    Wish(
        calls=(
            do(
                "manage_dnd_schedule",
                action="create",
                name="{name}",
                startTime="{start}",
                endTime="{end}",
                repeat="{repeat}",
            ),
        ),
        slots={"name": EVENTS, "start end": span(9, 19), "repeat word": REPEATS},
        english=(
            "Create a do-not-disturb schedule called {name}, {start} to {end} {word}.",
            "{word}, from {start} until {end}, do-not-disturb by itself please. Name the schedule {name}.",
            "Set up a DND schedule {name}: {word}, starts {start}, ends {end}.",
            "I want no disturbance {word} between {start} and {end}, as a schedule named {name}.",
        ),
        chinese=(
            "新建勿扰计划“{name}”，{word}{start}到{end}。",
            "{word}从{start}到{end}自动勿扰，计划名叫“{name}”",
            "加一个免打扰时段，名称“{name}”，{word}，{start}开始{end}结束",
            "{word}{start}到{end}之间别让人打扰我，存成勿扰计划“{name}”",
        ),
    ),
    Wish(
        calls=(do("manage_dnd_schedule", action="update", name="{name}", endTime="{later}"),),
        slots={"name": EVENTS, "start end": span(9, 17), "later": clock(22, 23)},
        patch={"dnd_schedules": [schedule()]},
        english=(
            "Let the do-not-disturb schedule {name} end at {later} instead of {end}.",
            "My {name} DND schedule stops at {end}, that's too early. Make it {later}.",
            "Extend the do-not-disturb schedule {name} to {later}.",
            "{name}, the DND schedule: new end time {later}, same start.",
        ),
        chinese=(
            "勿扰计划“{name}”改到{later}结束。",
            "“{name}”这个勿扰计划{end}就结束太早了，改成{later}",
            "把勿扰计划“{name}”延长到{later}",
            "“{name}”勿扰计划的结束时间换成{later}，开始时间不变",
        ),
    ),
    Wish(
        calls=(do("manage_dnd_schedule", action="disable", name="{name}"),),
        slots={"name": EVENTS, "start end": span(9, 19), "days": number(3, 9)},
        patch={"dnd_schedules": [schedule(enabled=1)]},
        english=(
            "Disable the do-not-disturb schedule {name}, but keep it.",
            "Pause my DND schedule {name}; I'll want it back in {days} days.",
            "Switch the {name} do-not-disturb schedule off without deleting it.",
            "There's no {name} for {days} days, so its DND schedule shouldn't run. Don't throw it away.",
        ),
        chinese=(
            "停用勿扰计划“{name}”，别删。",
            "“{name}”的勿扰计划先关掉，{days}天后还要用",
            "把“{name}”勿扰计划关一下，保留着",
            "这{days}天没有{name}，那个勿扰计划先别执行，但不要删除",
        ),
    ),
    Wish(
        calls=(do("manage_dnd_schedule", action="delete", name="{name}"),),
        slots={"name": EVENTS, "start end": span(9, 19)},
        patch={"dnd_schedules": [schedule()]},
        english=(
            "Delete the do-not-disturb schedule {name}.",
            "I never have {name} any more, remove that DND schedule for good.",
            "Get rid of the {name} schedule in do-not-disturb.",
            "The DND schedule {name}, {start} to {end}, can be deleted.",
        ),
        chinese=(
            "删除勿扰计划“{name}”。",
            "以后没有{name}了，把那个勿扰计划删掉",
            "“{name}”这条免打扰计划不要了",
            "{start}到{end}的勿扰计划“{name}”可以删了",
        ),
    ),
)
