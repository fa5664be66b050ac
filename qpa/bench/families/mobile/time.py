"""Basic tool use in Time Management, beyond the families of the suite "core"."""

from __future__ import annotations

from datetime import date, timedelta

from qpa.bench.families.base import Draft, do, done, family
from qpa.bench.families.mobile.common import Request, course, one_of, settings, spoken_day, step
from qpa.bench.families.mobile.words import CITIES, Texts, clock_words, fresh, new_todos, weekday_words
from qpa.bench.families.values import TITLES, Draw
from qpa.contract import BehaviorCriteria, Dimension, Intent
from qpa.envs.sandbox.domains.time_clock import CITY_OFFSETS
from qpa.envs.sandbox.schema import WORLD_CLOCK, World

TOOL = Dimension.TOOL
TIME = "Time Management"


def new_titles(rng: Draw, world: World, count: int = 1) -> list[str]:
    """Titles that no alarm of the phone has."""
    return fresh(rng, TITLES, [row["title"] for row in world.rows["alarms"]], count)


REQUESTS = (
    Request(
        tool="set_time_format",
        arguments={"format": "12h"},
        patch={"settings": settings(time_format="24h")},
        english=(
            "Show the clock in 12-hour format.",
            "I can't do military time. Give me a clock with am and pm.",
            "12-hour clock, please.",
            "Why does my phone say 15:00? I want it to read 3 PM.",
        ),
        chinese=(
            "时间显示改成12小时制。",
            "别用24小时制了，我要分上午下午的",
            "时钟换成12小时的",
            "15:00看着别扭，能不能显示成下午3:00？",
        ),
    ),
    Request(
        tool="set_alarm_volume",
        draw=lambda rng, world: {"level": rng.choice([n for n in range(5, 100) if n not in (40, 60, 80)])},
        english=(
            "Set the alarm volume to {level}.",
            "My alarms should ring at volume {level}.",
            "Alarm volume {level}, please, leave the rest as it is.",
            "I keep sleeping through my alarms or jumping out of bed; put their loudness at {level} percent.",
        ),
        chinese=(
            "闹钟音量调到{level}。",
            "闹钟铃声音量设为{level}",
            "闹钟的音量改成{level}，别的声音不动",
            "早上闹钟那个音量不合适，给我定在百分之{level}",
        ),
    ),
    Request(
        tool="manage_stopwatch",
        arguments={"action": "start"},
        patch={"settings": settings(stopwatch="idle")},
        english=(
            "Start the stopwatch.",
            "Time me, I'm starting my lap. Use the stopwatch.",
            "Stopwatch, go!",
            "I want to see how long I can hold my breath. Run the stopwatch from now.",
        ),
        chinese=(
            "打开秒表开始计时。",
            "秒表，开始！",
            "我要跑一圈，帮我按秒表",
            "想看看我能憋气多久，从现在起用秒表计时",
        ),
    ),
    Request(
        tool="manage_bedtime",
        draw=lambda rng, world: {"action": "set", "bedtime": rng.time(20, 21), "wakeTime": rng.time(4, 5)},
        english=(
            "Set my bedtime to {bedtime} and my wake-up time to {wakeTime}.",
            "Bedtime schedule: to bed at {bedtime}, up at {wakeTime}.",
            "From now on I want to sleep from {bedtime} until {wakeTime}, change the bedtime schedule.",
            "New shift, so new sleep times: bed {bedtime}, wake {wakeTime}.",
        ),
        chinese=(
            "就寝时间设成{bedtime}，起床时间{wakeTime}。",
            "睡眠时间改一下：{bedtime}睡，{wakeTime}起",
            "把作息定为晚上{bedtime}上床、早上{wakeTime}起床",
            "换班了，以后{bedtime}睡觉{wakeTime}起床，就寝计划跟着改",
        ),
    ),
    Request(
        tool="manage_bedtime",
        arguments={"action": "enable"},
        patch={"settings": settings(bedtime_mode="off")},
        english=(
            "Turn on bedtime mode.",
            "Switch my bedtime schedule on, the times can stay.",
            "Enable bedtime, please.",
            "I've been up far too late. Activate the bedtime schedule I already have.",
        ),
        chinese=(
            "打开就寝模式。",
            "启用我的就寝计划，时间不用改",
            "开启睡眠作息",
            "最近总熬夜，把设好的就寝计划开起来吧",
        ),
    ),
    Request(
        tool="manage_reminder",
        draw=lambda rng, world: {
            "action": "create",
            "content": new_todos(rng, world)[0],
            "time": f"{rng.day()} {rng.time()}",
        },
        english=(
            "Remind me on {time} to {content}.",
            "Reminder for {time}: {content}.",
            "I must not forget this: {content}. Give me a reminder at {time}.",
            "Poke me at {time} so that I {content}, a reminder is enough.",
        ),
        chinese=(
            "{time}提醒我{content}。",
            "加个提醒：{time}，{content}",
            "我怕忘了{content}，{time}提醒我一下",
            "到{time}的时候弹个提醒，内容是{content}",
        ),
    ),
    Request(
        tool="manage_todo",
        draw=lambda rng, world: {"action": "create", "content": new_todos(rng, world)[0], "due": rng.day()},
        english=(
            "Add a to-do: {content}, due {due}.",
            "Put {content} on my to-do list for {due}.",
            "New task {content}, deadline {due}.",
            "By {due} I have to {content}; keep that on my to-do list.",
        ),
        chinese=(
            "新建待办：{content}，截止{due}。",
            "待办清单加一条{content}，{due}之前",
            "把{content}记到待办里，期限{due}",
            "{due}前得{content}，放进待办清单",
        ),
    ),
)


@family("time_set", TOOL, TIME, "grounding", variants=len(REQUESTS))
def time_set(rng: Draw, world: World) -> Draft:
    """One setting, reminder or to-do."""
    return one_of(rng, world, REQUESTS)


CITY_TEXTS: Texts = (
    (
        (
            "Set my time zone to {city}.",
            "I live in {city} now, so change the phone's time zone.",
            "Use {city} time on this phone.",
            "The clock is still on Shanghai time, it should follow {city}.",
        ),
        (
            "时区设为{city}。",
            "我搬到{city}了，手机时区改一下",
            "手机用{city}时间",
            "时间还是上海的，给我换成{city}时区",
        ),
    ),
    (
        (
            "Add {city} to my world clocks.",
            "Put a clock for {city} next to my other world clocks.",
            "World clock: add {city}, please.",
            "My sister moved to {city}; I'd like its time among my world clocks.",
        ),
        (
            "世界时钟加上{city}。",
            "在世界时钟里添一个{city}",
            "世界时钟，添加{city}",
            "我妹去了{city}，把那边的时间加进世界时钟",
        ),
    ),
    (
        (
            "Remove {city} from the world clocks.",
            "I don't need the {city} clock any more.",
            "Take {city} off my list of world clocks.",
            "The project with the people in {city} is over, so their world clock can go.",
        ),
        (
            "把{city}从世界时钟里去掉。",
            "{city}的时钟不用了，删了吧",
            "世界时钟列表里移除{city}",
            "跟{city}那边的项目结束了，那个世界时钟可以撤了",
        ),
    ),
)


@family("time_city", TOOL, TIME, "grounding", variants=3)
def time_city(rng: Draw, world: World) -> Draft:
    """A city named in the person's language: as time zone, as a new world clock, or as one that goes."""
    clocks = {row["city"] for row in world.rows["world_clocks"]}
    city = rng.choice([c for c in CITIES if c not in clocks])
    kind = rng.turn % 3
    english, chinese = CITY_TEXTS[kind]
    call, rows = (
        (do("set_time_zone", city=city), {"settings": settings(time_zone="Shanghai", auto_time_zone="off")}),
        (do("manage_world_clock", action="add", city=city), {}),
        (do("manage_world_clock", action="remove", city=city), {"world_clocks": [{"city": city}]}),
    )[kind]
    return Draft(
        phrasings=english,
        chinese=chinese,
        slots={"city": rng.say(city, CITIES[city])},
        plan=course([call], reply=done(rng.say(f"Done: {city}.", f"好了，{CITIES[city]}。"))),
        patch=rows,
    )


QUESTIONS: Texts = (
    (
        (
            "What time is it in {city}?",
            "How late is it in {city} right now?",
            "Current time in {city}?",
            "I want to ring a friend in {city}. What does the clock say there?",
        ),
        (
            "{city}现在几点？",
            "查一下{city}当前时间",
            "{city}那边这会儿是几点钟",
            "想给{city}的朋友打电话，那边现在几点了？",
        ),
    ),
    (
        (
            "How many days until {day}?",
            "Days left until {day}?",
            "We're leaving on {day}. How many days is that from today?",
            "I'm counting the days: how many are left before {day}?",
        ),
        ("离{day}还有几天？", "到{day}还剩多少天", "{day}出发，还有几天？", "帮我算算，今天距{day}有多少天"),
    ),
    (
        (
            "Which day of the week is {day}?",
            "What weekday does {day} fall on?",
            "{day}: is that a Monday, a Tuesday, or what?",
            "They want to meet on {day}. Which weekday would that be?",
        ),
        ("{day}是星期几？", "查一下{day}周几", "{day}那天是礼拜几", "对方约了{day}，那天星期几来着？"),
    ),
)


@family("time_questions", TOOL, TIME, "grounding", variants=3)
def time_questions(rng: Draw, world: World) -> Draft:
    """What time it is elsewhere, how many days are left, and which weekday a date is."""
    city, day = rng.choice(list(CITIES)), rng.day()
    there = WORLD_CLOCK + timedelta(hours=CITY_OFFSETS[city] - CITY_OFFSETS["Shanghai"])
    days = str((date.fromisoformat(day) - WORLD_CLOCK.date()).days)
    kind = rng.turn % 3
    english, chinese = QUESTIONS[kind]
    call, reply, fact, others = (
        (
            do("manage_world_clock", action="query", city=city),
            rng.say(f"It is {there:%H:%M} in {city}.", f"{CITIES[city]}现在是{there:%H:%M}。"),
            clock_words(f"{there:%H:%M}"),
            (),
        ),
        (
            do("calendar_service", action="days_until", date=day),
            rng.say(f"{days} days.", f"还有{days}天。"),
            [days],
            ("calculate_date",),
        ),
        (
            do("calendar_service", action="query_date", date=day),
            rng.say(f"It is a {weekday_words(day)[0]}.", f"是{weekday_words(day)[1]}。"),
            weekday_words(day),
            ("calculate_date",),
        ),
    )[kind]
    return Draft(
        phrasings=english,
        chinese=chinese,
        slots={"city": rng.say(city, CITIES[city]), "day": spoken_day(rng, day)},
        plan=course([call], reply=done(reply)),
        criteria=BehaviorCriteria(
            routes=[step(call[0]), *(step(name) for name in others)], mentions=[fact], intent=Intent.FINISH
        ),
        patch={"settings": settings(time_zone="Shanghai")},
    )


FAMILIES = (time_set, time_city, time_questions)
