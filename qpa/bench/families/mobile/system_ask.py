"""Basic tool use in System Settings: questions whose answers the phone knows."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import phone
from qpa.bench.families.mobile.system import SYSTEM, TOOL, version
from qpa.bench.families.mobile.wishes import Wish, number, wished, worded
from qpa.bench.families.values import EVENTS, NAMES, TITLES, Draw
from qpa.envs.sandbox.schema import World


def _hungriest(rng: Draw, world: World) -> list[object]:
    """The app that used most of the battery, and its share."""
    row = max(world.rows["battery_usage"], key=lambda row: row["percent"])
    return [row["app"], row["percent"]]


def _serial(rng: Draw, world: World) -> str:
    return f"R5{rng.randrange(10**8, 10**9)}"


def _since(rng: Draw, world: World) -> list[str]:
    """A time of this month: as stored, its day as stored and in words, its time of day."""
    day, time = rng.randint(2, 14), rng.time(8, 21)
    spoken = rng.say(f"January {day}", f"1月{day}日")
    return [f"2025-01-{day:02d}T{time}:00", f"2025-01-{day:02d}", spoken, time]


QUESTIONS = (
    Wish(
        calls=(do("query_battery", item="status"),),
        slots={"level": number(31, 97), "event": EVENTS},
        patch=phone(battery_level="{level}", charging="off", battery_mode="normal"),
        reply=("The battery is at {level}%.", "电量还有{level}%。"),
        mentions=(["{level}"],),
        english=(
            "How much battery do I have left?",
            "Battery level?",
            "Will the phone last until {event}? Just tell me what the battery stands at.",
            "I can't see the status bar, what percentage is the battery at right now?",
        ),
        chinese=(
            "还剩多少电？",
            "现在电量多少",
            "不知道能不能撑到“{event}”，告诉我手机还有百分之几的电",
            "我看不到状态栏，现在电池是百分之多少？",
        ),
    ),
    Wish(
        calls=(do("query_battery", item="health"),),
        slots={"health": number(71, 99), "cycles": number(100, 900), "name": NAMES},
        patch=phone(battery_health="{health}", battery_cycles="{cycles}"),
        reply=("Battery health is {health}% after {cycles} cycles.", "电池健康度{health}%，循环{cycles}次。"),
        mentions=(["{health}"], ["{cycles}"]),
        english=(
            "What's my battery health, and how many charge cycles has it had?",
            "Battery health in percent and number of cycles, please.",
            "{name} wants to buy my phone and asks for the battery's health and its charge cycles.",
            "How worn is the battery? Give me the health percentage and the cycle count.",
        ),
        chinese=(
            "电池健康度是多少，充放电循环了几次？",
            "查一下电池健康百分比和循环次数",
            "{name}想买我的手机，问电池健康度和循环次数",
            "电池损耗得怎么样？健康度和循环次数都告诉我",
        ),
    ),
    Wish(
        calls=(do("query_battery", item="app_usage"),),
        slots={"app percent": _hungriest, "event": EVENTS},
        reply=("{app}, with {percent}%.", "是{app}，占{percent}%。"),
        mentions=(["{app}"],),
        english=(
            "Which app uses the most battery?",
            "What's the app that drains my battery most?",
            "My phone was nearly empty after {event}. Which app is the worst battery eater?",
            "Something eats my battery. Name the app at the top of the list.",
        ),
        chinese=(
            "哪个应用最耗电？",
            "耗电第一的是哪个应用",
            "“{event}”之后手机快没电了，最费电的是哪个应用？",
            "总觉得有应用偷偷耗电，排第一的是谁？",
        ),
    ),
    Wish(
        calls=(do("manage_device_info", action="query", item="serial_number"),),
        slots={"serial": _serial, "name": NAMES},
        patch=phone(device_serial="{serial}"),
        reply=("The serial number is {serial}.", "序列号是{serial}。"),
        mentions=(["{serial}"],),
        english=(
            "What's the serial number of this phone?",
            "Serial number, please.",
            "{name} from the repair shop wants to know my phone's serial number. What is it?",
            "I'm filling in the warranty form and need this phone's serial number.",
        ),
        chinese=(
            "这部手机的序列号是多少？",
            "查一下本机序列号",
            "维修店的{name}要我的手机序列号，是多少？",
            "我在填保修单，需要这部手机的序列号",
        ),
    ),
    Wish(
        calls=(do("manage_device_info", action="query", item="system_version"),),
        slots={"version": version, "name": NAMES},
        patch=phone(system_version="{version}", update_offered="", update_state="unchecked"),
        reply=("It runs {version}.", "系统版本是{version}。"),
        mentions=(["{version}"],),
        english=(
            "Which system version is on my phone?",
            "System version?",
            "{name} can't reproduce my bug. Tell me the version of the system I have on here.",
            "What's the number of the system version I'm running right now?",
        ),
        chinese=(
            "我手机现在是什么系统版本？",
            "查系统版本号",
            "{name}复现不了我的问题，问我系统是哪个版本",
            "现在跑的系统版本号是多少？",
        ),
    ),
    Wish(
        calls=(do("manage_device_info", action="query", item="last_restart"),),
        slots={"stamp day spoken time": _since, "name": NAMES},
        patch=phone(last_restart="{stamp}"),
        reply=("On {spoken} ({day}) at {time}.", "{spoken}（{day}）{time}。"),
        mentions=(["{day}"],),
        english=(
            "When was this phone last restarted? Answer with the date as YYYY-MM-DD.",
            "Date of the last restart, please, in the form YYYY-MM-DD.",
            "{name} says I never reboot. On which date did I last? Year-month-day, in digits like 2025-01-31.",
            "I want to know the day the phone was last rebooted, written as YYYY-MM-DD.",
        ),
        chinese=(
            "手机上次重启是哪天？日期按YYYY-MM-DD的格式告诉我",
            "查上次重启日期，用YYYY-MM-DD的格式",
            "{name}说我从来不重启，我上次是哪天重启的？写成2025-01-31这样的数字",
            "我想知道最近一次重启的日期，按YYYY-MM-DD写",
        ),
    ),
    Wish(
        calls=(do("manage_backup", action="query"),),
        slots={"title": TITLES, "place word": worded(("local", ("phone", "本地")), ("cloud", ("cloud", "云端")))},
        patch={"backups": [{"name": "{title}", "location": "{place}", "created_at": "2025-01-14T20:30:00"}]},
        reply=("The newest is {title} ({word}).", "最新的是“{title}”（{word}）。"),
        mentions=(["{title}"],),
        english=(
            "What's my newest settings backup called?",
            "Name of the latest backup of the phone settings?",
            "I made a settings backup yesterday and forgot its name. Which one is the most recent?",
            "Look through the settings backups and tell me the name of the youngest one.",
        ),
        chinese=(
            "最新的设置备份叫什么？",
            "最近一次手机设置备份的名字是什么",
            "昨天做了个设置备份，忘了叫什么，最新的是哪个？",
            "看看设置备份，最近的那个叫什么名字",
        ),
    ),
    Wish(
        calls=(do("manage_user_profile", action="query"),),
        slots={"name": NAMES},
        patch={
            "user_profiles": [{"name": "Owner", "active": 0}, {"name": "{name}", "kind": "user", "active": 1}],
        },
        reply=("{name} is active.", "现在是{name}的用户。"),
        mentions=(["{name}"],),
        english=(
            "Whose user profile is active on this phone?",
            "Which profile am I in?",
            "Everything looks strange here. Which user's profile is the phone running in?",
            "The phone was passed around. Tell me which user profile is the current one.",
        ),
        chinese=(
            "手机现在用的是哪个用户？",
            "当前是谁的用户空间",
            "怎么看着不一样了，手机现在登的是哪个用户？",
            "手机刚才传了一圈，现在是哪个用户在用？",
        ),
    ),
    Wish(
        calls=(do("manage_account_sync", action="query", accountName="{account}"),),
        slots={
            "account": lambda rng, world: f"user{rng.randint(100, 999)}@gmail.com",
            "stamp day spoken time": _since,
        },
        patch={"accounts": [{"name": "{account}", "provider": "google", "sync": 1, "last_sync": "{stamp}"}]},
        reply=("On {day} at {time}.", "{day} {time}同步的。"),
        mentions=(["{day}"],),
        english=(
            "When did {account} last sync? Give me the date as YYYY-MM-DD.",
            "Last sync date of {account}, written YYYY-MM-DD?",
            "I'm missing mails in {account}. On what date was it last synced (YYYY-MM-DD)?",
            "Tell me the day {account} was synchronised most recently, in the form YYYY-MM-DD.",
        ),
        chinese=(
            "{account}上次同步是哪天？按YYYY-MM-DD告诉我",
            "查{account}最近同步日期，格式YYYY-MM-DD",
            "{account}好像少了邮件，上次同步的日期是哪天（YYYY-MM-DD）？",
            "{account}最近一次是哪天同步的，用YYYY-MM-DD写",
        ),
    ),
    Wish(
        calls=(do("manage_input_method", action="query"),),
        slots={
            "keyboard": lambda rng, world: rng.choice(("Grammarly", "Sogou Pinyin", "Microsoft SwiftKey", "Gboard")),
            "name": NAMES,
        },
        patch=phone(
            input_method="{keyboard}", input_methods_enabled="Gboard, Grammarly, Microsoft SwiftKey, Sogou Pinyin"
        ),
        reply=("You type with {keyboard}.", "现在用的是{keyboard}。"),
        mentions=(["{keyboard}"],),
        english=(
            "Which keyboard am I using?",
            "What's the keyboard I type with on this phone?",
            "{name} likes my keyboard and wants the same. What's it called?",
            "Remind me of the name of the keyboard that's in use here.",
        ),
        chinese=(
            "我现在用的是什么输入法？",
            "当前输入法是哪个",
            "{name}觉得我的键盘好用，也想装，叫什么？",
            "提醒我一下，正在用的键盘叫什么名字",
        ),
    ),
)


@family("system_asked", TOOL, SYSTEM, "grounding", variants=len(QUESTIONS))
def system_asked(rng: Draw, world: World) -> Draft:
    """A question that one reading call answers."""
    return wished(rng, world, QUESTIONS)


FAMILIES = (system_asked,)
