"""Memory, one turn: phone actions whose parameters only the saved records give; judged by state."""

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
    look_up,
    met,
)
from qpa.bench.families.mobile.memory_profile import Fact, book, conflicting, draw_life
from qpa.bench.families.mobile.memory_slots import SLOTS, Pair
from qpa.bench.families.mobile.memory_topics import HABIT
from qpa.bench.families.tool_calls import contact_row
from qpa.bench.families.values import TITLES, Draw
from qpa.envs.sandbox.schema import World

ROOMS = (  # as the device is named, as people say it
    ("Bedroom", "bedroom", "卧室"),
    ("Nursery", "nursery", "婴儿房"),
    ("Guest Room", "guest room", "客房"),
    ("Attic", "attic room", "阁楼"),
)


_NORMAL = ("normal", "正常响铃")
SOUND_MODES = (("silent", "silent", "静音"), ("vibrate", "vibrate", "振动"))


def thermostats(*rooms: str) -> list[dict[str, object]]:
    """Rows of running thermostats."""
    return [
        {
            "name": f"{r} Thermostat",
            "kind": "thermostat",
            "room": r,
            "online": 1,
            "power": 1,
            "level": 26,
            "mode": "heat",
        }
        for r in rooms
    ]


_DAY_ALARM = Words(
    english=(
        "Set an alarm called {title} for this coming {day}, at my usual time for it.",
        "I've got {title} on {day}. Wake me when I always get up for it then, alarm name {title}.",
        "Alarm {title}, {day}, usual time please.",
        "This {day} I need my {title} alarm. Same time I always have on {day}s, and just call it {title}.",
        "Don't let me miss {title} on {day}: an alarm named {title}, you know at what time I have it on that day.",
    ),
    chinese=(
        "这{day}有{title}，按我平时的时间定个闹钟，名字就叫{title}。",
        "帮我定这{day}的{title}闹钟，时间照旧，标题写{title}。",
        "{day}的{title}闹钟，老时间，叫{title}就行。",
        "别让我这{day}睡过头耽误{title}，闹钟叫{title}，几点你知道的。",
        "这个{day}又要{title}了，按{day}一贯的点儿叫我，闹钟标题{title}。",
    ),
)


@family("memory_day_alarm", MEMORY, ASSISTANT, "single_record", "act", "single_turn")
def memory_day_alarm(rng: Draw, world: World) -> Draft:
    """The time of one weekday, beside another day's and another person's."""
    life, title, (day, date) = draw_life(rng, world), rng.pick(TITLES), coming_day(rng)
    other_day = rng.choice([d for d in (rng.say(*pair) for pair in SLOTS["day"]) if d != day])
    time, *others = (rng.time(5, 8), rng.time(9, 10), rng.time(11, 12))
    child = life.named("daughter")
    say = rng.say
    gold = Fact(
        f"{day} {title}", say(f"For {title} on {day}s the alarm is at {time}.", f"{day}有{title}，闹钟定在{time}。")
    )
    near = (
        Fact(
            f"{other_day} {title}",
            say(
                f"For {title} on {other_day}s the alarm is at {others[0]}.",
                f"{other_day}有{title}，闹钟定在{others[0]}。",
            ),
        ),
        Fact(
            f"{child}: {title}",
            say(f"{child}'s {title} alarm on {day}s is at {others[1]}.", f"{child}{day}的{title}闹钟是{others[1]}。"),
        ),
    )
    found = book(rng, life, (gold,), near)

    def plan() -> Plan:
        feedback = yield [look_up(say(f"{title} {day} alarm", f"{day} {title} 闹钟"))]
        met(feedback[0], *found.ids)
        yield [do("manage_alarm", action="create", time=f"{date} {time}", title=title)]
        return done(say(f"Alarm {title} set for {day} {time}.", f"好了，{day}{time}的{title}闹钟定好了。"))

    return Draft(
        phrasings=_DAY_ALARM.english,
        chinese=_DAY_ALARM.chinese,
        slots={"title": title, "day": day},
        plan=plan,
        patch={"memories": found.rows},
        memories=found.ids,
    )


_ROOM_TEMPERATURE = Words(
    english=(
        "Set the {room} thermostat to the temperature I like for the night.",
        "I'm off to bed soon, get the {room} to my usual night temperature.",
        "{room}: night temperature, as I have it now.",
        "It's far too warm in the {room}. Put it where I keep it at night these days.",
        "Could you bring the {room} to what I normally sleep at? I don't remember the number.",
    ),
    chinese=(
        "把{room}的温控器调到我晚上睡觉的温度。",
        "我一会儿就睡了，{room}调成平时夜里的温度。",
        "{room}，夜间温度，按我现在的习惯。",
        "{room}太热了，调回我最近睡觉用的温度吧。",
        "帮我把{room}弄到我睡觉时习惯的那个度数，具体多少我忘了。",
    ),
)


def _other_temperatures(
    rng: Draw, room: str, other: str, partner: str, degrees: tuple[int, int, int]
) -> tuple[Fact, ...]:
    """By day, in another room, and what the partner would like."""
    say, (by_day, elsewhere, theirs) = rng.say, degrees
    return (
        Fact(
            say(f"{room} by day", f"{room}白天"),
            say(f"By day the {room} is at {by_day} degrees.", f"白天{room}是{by_day}度。"),
        ),
        Fact(
            say(f"{other} at night", f"{other}晚上"),
            say(f"The {other} is at {elsewhere} degrees for the night.", f"晚上{other}是{elsewhere}度。"),
        ),
        Fact(
            say(f"{partner} and the cold", f"{partner}怕冷"),
            say(f"{partner} would sleep at {theirs} degrees.", f"{partner}想睡觉时调到{theirs}度。"),
        ),
    )


@family("memory_room_temperature", MEMORY, ASSISTANT, "conflicting_records", "act", "single_turn")
def memory_room_temperature(rng: Draw, world: World) -> Draft:
    """The night temperature was changed once; other rooms, the day and the partner have theirs."""
    life, say = draw_life(rng, world), rng.say
    (device, english, chinese), (_, other_en, other_zh) = rng.sample(ROOMS, 2)
    room, other = say(english, chinese), say(other_en, other_zh)
    old, new, by_day, theirs, elsewhere = rng.sample(range(16, 25), 5)
    stale, fresh = conflicting(
        rng,
        (
            say(f"{room} at night", f"{room}晚上"),
            say(f"Sleeps with the {room} at {old} degrees.", f"睡觉时{room}调到{old}度。"),
        ),
        (
            say(f"{room} at night", f"{room}晚上"),
            say(f"Now keeps the {room} at {new} degrees for the night.", f"现在晚上睡觉{room}保持{new}度。"),
        ),
        HABIT,
    )
    near = _other_temperatures(rng, room, other, life.named("partner"), (by_day, elsewhere, theirs))
    found = book(rng, life, (stale, fresh), near)

    def plan() -> Plan:
        feedback = yield [
            look_up(say(f"{room} night degrees", f"{room}晚上睡觉多少度")),
            do("query_home_devices", deviceType="thermostat"),
        ]
        met(feedback[0], *found.ids)
        yield [do("set_thermostat", deviceName=f"{device} Thermostat", temperature=new)]
        return done(say(f"The {room} is set to {new} degrees.", f"{room}调到{new}度了。"))

    return Draft(
        phrasings=_ROOM_TEMPERATURE.english,
        chinese=_ROOM_TEMPERATURE.chinese,
        slots={"room": room},
        plan=plan,
        patch={"memories": found.rows, "home_devices": thermostats(device), "settings": online()},
        memories=found.ids,
    )


_MEETING_QUIET = Words(
    english=(
        "{event} is about to start. Set the phone up as I always have it there; today {guest} may get through too.",
        "Going into {event}: usual sound, do-not-disturb and callers, plus {guest} as an exception today.",
        "Quiet me down for {event} the usual way, and let {guest} through as well this once.",
        "Phone to my {event} settings please, same people allowed as ever, and for once {guest} too.",
        "I'm waiting for something from {guest}, but {event} begins now. My usual set-up, with {guest} let through.",
    ),
    chinese=(
        "{event}马上开始了，手机按我一贯的设置来，今天再让{guest}也能打进来。",
        "我要去{event}了：声音、勿扰和能打进来的人都照旧，今天额外加上{guest}。",
        "按{event}的老规矩静下来，这次{guest}也放行。",
        "手机切到我{event}时的状态，平时放行的人不变，今天破例多一个{guest}。",
        "我在等{guest}的消息，可是{event}要开始了，照平时那样设好，顺便放行{guest}。",
    ),
)


def _quiet_facts(rng: Draw, event: str, mode: Pair, callers: tuple[str, str]) -> tuple[Fact, Fact]:
    """How the phone is set during an event, and who may get through then."""
    say, (english, chinese), (a, b) = rng.say, mode, callers
    return (
        Fact(
            say(f"Phone during {event}", f"{event}时的手机"),
            say(
                f"During {event} the phone is on {english} and do-not-disturb is on.",
                f"{event}时手机{chinese}，并打开勿扰。",
            ),
        ),
        Fact(
            say(f"Calls during {event}", f"{event}时的来电"),
            say(
                f"{a} and {b} may get through do-not-disturb during {event}.",
                f"{event}时{a}和{b}可以不受勿扰限制。",
            ),
        ),
    )


@family("memory_meeting_quiet", MEMORY, ASSISTANT, "multi_record", "act", "single_turn")
def memory_meeting_quiet(rng: Draw, world: World) -> Draft:
    """Sound mode from one record, callers from another, and a guest for today that stays unsaved."""
    life, say = draw_life(rng, world), rng.say
    event, other_event = (say(*pair) for pair in rng.sample(MEETINGS, 2))
    a, b, guest, d = acquaintances(rng, life, 4)
    mode, english, chinese = rng.choice(SOUND_MODES)
    gold = _quiet_facts(rng, event, (english, chinese), (a, b))
    found = book(rng, life, gold, _quiet_facts(rng, other_event, _NORMAL, (d, a)))

    def plan() -> Plan:
        feedback = yield [look_up(say(f"phone calls during {event} do-not-disturb", f"{event}时手机 来电 勿扰"))]
        met(feedback[0], *found.ids)
        yield [
            do("set_sound_mode", mode=mode),
            do("manage_do_not_disturb", action="enable"),
            *(do("manage_dnd_exceptions", action="allow", contact=name) for name in (a, b, guest)),
        ]
        return done(
            say(
                f"Ready: {english}, and {a}, {b} and {guest} get through.",
                f"设好了：{chinese}，{a}、{b}和{guest}能打进来。",
            )
        )

    return Draft(
        phrasings=_MEETING_QUIET.english,
        chinese=_MEETING_QUIET.chinese,
        slots={"event": event, "guest": guest},
        plan=plan,
        patch={
            "memories": found.rows,
            "contacts": [contact_row(701 + i, name, rng.phone()) for i, name in enumerate((a, b, guest, d))],
            "settings": online(sound_mode="normal", dnd="off", dnd_until=""),
        },
        memories=found.ids,
    )


FAMILIES = (memory_day_alarm, memory_room_temperature, memory_meeting_quiet)
