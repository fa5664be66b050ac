"""Basic tool use in System Settings: one-call wishes about power and the phone itself; what its families share."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import online, phone
from qpa.bench.families.mobile.wishes import Wish, number, wished, worded
from qpa.bench.families.values import EVENTS, NAMES, TITLES, Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
SYSTEM = "System Settings"
STANDING_RULES = ("manage_automation_rule", "trigger_task")  # could do by rule what a setting does by itself


def phone_name(rng: Draw, world: World) -> str:
    """A name for a phone."""
    return rng.say("{}'s phone", "{}的手机").format(rng.pick(NAMES))


def newcomers(rng: Draw, world: World) -> list[str]:
    """Two names that no user profile has."""
    taken = {row["name"] for row in world.rows["user_profiles"]}
    return [name for name in rng.several(NAMES, 2 + len(taken)) if name not in taken][:2]


def newcomer(rng: Draw, world: World) -> str:
    """A name that no user profile has."""
    return newcomers(rng, world)[0]


def version(rng: Draw, world: World) -> str:
    """A system version newer than 15.0.0."""
    return f"15.{rng.randint(1, 6)}.{rng.randint(0, 9)}"


POWER = (
    Wish(
        calls=(do("manage_battery", mode="{mode}"),),
        slots={
            "mode old word": worded(
                ("super_saving", "normal", ("super power saving", "超级省电")),
                ("power_saving", "normal", ("power saving", "省电")),
                ("performance", "normal", ("performance", "性能")),
                ("normal", "power_saving", ("normal", "普通")),
            ),
            "hours": number(2, 9),
        },
        patch=phone(battery_mode="{old}", battery_level="64", game_mode="balanced", cooling_fan="off"),
        reply=("Battery mode: {word}.", "电池模式：{word}。"),
        english=(
            "Put the battery in {word} mode.",
            "Battery mode to {word}, please.",
            "I'll be out for {hours} hours, so switch the phone's battery mode to {word}.",
            "For the next {hours} hours I want the battery running in {word} mode, set that up now.",
        ),
        chinese=(
            "把电池模式切到{word}。",
            "电池调成{word}模式",
            "我要出门{hours}个小时，手机电池换成{word}模式吧",
            "接下来{hours}小时电池都用{word}模式，现在就切过去",
        ),
    ),
    Wish(
        calls=(do("manage_battery_saver_schedule", action="enable", threshold="{limit}"),),
        slots={"limit": number(10, 35, 5)},
        patch=phone(
            battery_saver_schedule="off", battery_saver_threshold="50", battery_level="80", battery_mode="normal"
        ),
        reply=("Power saving starts below {limit}%.", "电量低于{limit}%会自动省电。"),
        hidden=STANDING_RULES,
        english=(
            "Have power saving start by itself below {limit}% battery.",
            "Schedule the battery saver for {limit} percent.",
            "I always forget to save power. From now on the phone should do it on its own once the charge is under "
            "{limit}%.",
            "When I drop below {limit}% battery, let the battery saver kick in automatically from now on.",
        ),
        chinese=(
            "电量低于{limit}%时自动开启省电。",
            "把自动省电的电量设成{limit}%，打开它",
            "我老忘记开省电，以后电量掉到{limit}%以下就让手机自己开",
            "以后每次电量不到{limit}%，系统自动进省电模式，设一下",
        ),
    ),
    Wish(
        calls=(do("manage_charging_protection", action="enable", limit="{limit}"),),
        slots={"limit": number(80, 95, 5)},
        patch=phone(charging_protection="off"),
        reply=("Charging stops at {limit}%.", "充到{limit}%就停。"),
        hidden=STANDING_RULES,
        english=(
            "Stop charging at {limit}%.",
            "Charging protection on, limit {limit} percent.",
            "My charger stays in all night and I don't want to ruin the battery: never charge past {limit}%.",
            "To spare the battery, the phone should only ever be filled up to {limit}%.",
        ),
        chinese=(
            "充电充到{limit}%就停。",
            "打开充电保护，上限{limit}%",
            "我整晚插着充电器，怕伤电池，以后别充过{limit}%",
            "为了保护电池，以后最多只充到{limit}%",
        ),
    ),
    Wish(
        calls=(do("control_cooling_fan", action="enable", speed="{speed}"),),
        slots={"speed word": worded(("low", ("low", "低")), ("medium", ("medium", "中")), ("high", ("high", "高")))},
        patch=phone(cooling_fan="off", cooling_fan_speed="auto", battery_mode="normal"),
        english=(
            "Cooling fan on, {word} speed.",
            "Start the fan at {word} speed.",
            "The phone's getting hot in my hand, let its fan run on {word}.",
            "It's burning up here while I play. Could you switch the built-in fan on, at {word} speed?",
        ),
        chinese=(
            "打开散热风扇，{word}速。",
            "散热风扇开{word}速",
            "手机烫手了，让风扇用{word}速转起来",
            "打游戏打得手机发烫，把自带风扇开到{word}速吧",
        ),
    ),
    Wish(
        calls=(do("manage_game_manager", action="enable", gameMode="{mode}", blockNotifications=True),),
        slots={
            "mode word": worded(
                ("performance", ("performance", "性能")),
                ("balanced", ("balanced", "均衡")),
                ("power_saving", ("power saving", "省电")),
            )
        },
        patch=phone(game_manager="off", game_block_notifications="off", battery_mode="normal"),
        english=(
            "Game manager on in {word} mode, and block notifications in games.",
            "Turn the game manager on: {word} mode, no notifications while I play.",
            "I'm about to play ranked matches. Game manager on, mode {word}, and no pop-ups during the game.",
            "Set up the game manager for me, notifications blocked and the game mode on {word}.",
        ),
        chinese=(
            "打开游戏管家，{word}模式，屏蔽通知。",
            "开游戏管家，模式选{word}，玩的时候别弹通知",
            "我要打排位了，游戏管家开起来，用{word}模式，顺便把通知屏蔽了",
            "帮我启用游戏管家：游戏中屏蔽通知，模式是{word}",
        ),
    ),
    Wish(
        calls=(do("control_device_power", action="{action}"),),
        slots={
            "action word": worded(("restart", ("", "")), ("safe_mode", (" into safe mode", "并进入安全模式"))),
            "hours": number(2, 20),
        },
        patch=phone(safe_mode="off", hotspot="off"),
        reply=("The phone restarts.", "手机已重启。"),
        english=(
            "Restart the phone{word}.",
            "Reboot{word} now, please.",
            "It has been acting up for {hours} hours, so restart it{word}.",
            "I saved everything, go ahead and reboot my phone{word}.",
        ),
        chinese=(
            "重启手机{word}。",
            "现在重启{word}，谢谢",
            "手机卡了{hours}个小时了，重启一下{word}",
            "东西都存好了，帮我把手机重启{word}吧",
        ),
    ),
)

DEVICE = (
    Wish(
        calls=(do("manage_device_info", action="rename", deviceName="{name}"),),
        slots={"name": phone_name},
        reply=("The phone is now called {name}.", "手机改名为{name}了。"),
        english=(
            'Rename this phone to "{name}".',
            'Change the device name to "{name}".',
            'Everyone in the office sees the same model name on Bluetooth. Name my phone "{name}".',
            'I want other devices to see mine as "{name}", so give it that name.',
        ),
        chinese=(
            "把本机名称改成“{name}”。",
            "手机名字改为“{name}”",
            "办公室里蓝牙搜出来全是同一个型号，把我的手机命名为“{name}”",
            "想让别的设备看到我叫“{name}”，改一下本机名字",
        ),
    ),
    Wish(
        calls=(do("manage_location", action="enable", mode="{mode}"),),
        slots={
            "mode old word": worded(
                ("high_accuracy", "battery_saving", ("high accuracy", "高精度")),
                ("battery_saving", "high_accuracy", ("battery saving", "省电")),
                ("device_only", "high_accuracy", ("device only", "仅限设备")),
            ),
            "event": EVENTS,
        },
        patch=phone(location="off", location_mode="{old}"),
        english=(
            "Turn location on, {word} mode.",
            "Location services on please, mode {word}.",
            "I need to find the way to {event}, so switch on location in {word} mode.",
            "Maps can't tell where I am. Location should be on, and in {word} mode.",
        ),
        chinese=(
            "打开定位，用{word}模式。",
            "定位服务打开，模式选{word}",
            "一会儿去“{event}”要认路，定位打开，{word}模式",
            "地图不知道我在哪儿，把定位开了，模式用{word}的",
        ),
    ),
    Wish(
        calls=(do("manage_auto_date_time", action="disable", item="{item}"),),
        slots={"item word": worded(("time", ("clock", "时间")), ("time_zone", ("time zone", "时区")))},
        patch=phone(auto_time="on", auto_time_zone="on"),
        english=(
            "Don't set the {word} automatically any more.",
            "Automatic {word}: off.",
            "The phone keeps changing my {word} by itself when I travel, stop that.",
            "I'd rather adjust the {word} by hand, so turn off the automatic one.",
        ),
        chinese=(
            "关闭自动设置{word}。",
            "自动{word}关掉",
            "出差的时候手机老自己改{word}，别让它自动改了",
            "{word}我想自己手动调，把自动的关了",
        ),
    ),
    Wish(
        calls=(do("manage_system_update", action="{action}"),),
        slots={
            "action old word": worded(
                ("enable_auto", "off", ("on", "打开")),
                ("disable_auto", "on", ("off", "关闭")),
            ),
            "event": EVENTS,
        },
        patch=phone(auto_update="{old}"),
        english=(
            "Turn automatic system updates {word}.",
            "Automatic updates of the system: {word}, please.",
            "Before {event} starts, turn {word} the automatic system updates.",
            "The system updates itself in a way I don't like; automatic updating should be {word}.",
        ),
        chinese=(
            "{word}系统自动更新。",
            "帮我{word}自动更新系统",
            "“{event}”开始之前，{word}系统的自动更新",
            "系统更新的方式我不满意，自动更新给我{word}",
        ),
    ),
    Wish(
        calls=(do("manage_system_update", action="check"),),
        slots={"version": version},
        patch={
            "settings": online(
                system_version="15.0.0", update_state="unchecked", update_offered="{version}", battery_mode="normal"
            )
        },
        reply=("Version {version} is available.", "有新版本{version}。"),
        english=(
            "Check for a system update.",
            "Is there a new system version for my phone? Look on the server.",
            "A friend already got the new system. Check whether there's an update for me, don't download anything.",
            "Have the phone ask for system updates, just check.",
        ),
        chinese=(
            "检查系统更新。",
            "系统有没有新版本？联网查一下",
            "朋友已经收到新系统了，看看我的有没有更新，先别下载",
            "帮我检测一下系统更新，只检测",
        ),
    ),
    Wish(
        calls=(do("manage_developer_options", action="{action}", option="{option}"),),
        slots={
            "option word": worded(
                ("show_touches", ("showing touches", "显示触摸操作")),
                ("stay_awake", ("staying awake while charging", "充电时保持唤醒")),
            ),
            "action old said": worded(("enable", "off", ("on", "打开")), ("disable", "on", ("off", "关闭"))),
        },
        patch=phone(developer_options="on", developer_show_touches="{old}", developer_stay_awake="{old}"),
        english=(
            "In the developer options, turn {word} {said}.",
            "Developer options: {word} {said}, please.",
            "I'm testing my app, so turn {said} {word} in the developer options.",
            "Among the developer settings, {word} should be {said}.",
        ),
        chinese=(
            "开发者选项里{said}“{word}”。",
            "把开发者选项的{word}{said}",
            "我在调试自己的应用，开发者选项里的{word}帮我{said}",
            "开发者设置中有个{word}，{said}它",
        ),
    ),
    Wish(
        calls=(do("manage_user_profile", action="create", profileName="{name}"),),
        slots={"name": newcomer},
        reply=("The profile {name} is there.", "用户{name}已创建。"),
        english=(
            "Create a user profile named {name}.",
            "New user on this phone: {name}.",
            "{name} will use this phone too. Make a profile with that name, I'll stay in mine for now.",
            "Add another user profile and call it {name}.",
        ),
        chinese=(
            "新建一个用户，名字叫{name}。",
            "给手机加个用户{name}",
            "{name}以后也用这部手机，建个同名的用户，我先不切换",
            "再添加一个用户空间，名字就用{name}",
        ),
    ),
    Wish(
        calls=(do("manage_backup", action="create", backupName="{name}", location="{place}"),),
        slots={
            "place word": worded(("local", ("on the phone", "手机本地")), ("cloud", ("in the cloud", "云端"))),
            "name": TITLES,
        },
        patch={"settings": online()},
        reply=("Backup {name} is stored.", "备份“{name}”好了。"),
        english=(
            'Back up the phone settings {word} as "{name}".',
            'Make a backup {word}, name: "{name}".',
            'Before I change anything, save my settings {word} in a backup called "{name}".',
            'I need a settings backup {word} and it should be called "{name}".',
        ),
        chinese=(
            "把手机设置备份到{word}，备份名“{name}”。",
            "做个备份，存{word}，叫“{name}”",
            "改设置之前先备份一份到{word}，名字是“{name}”",
            "我要一个存在{word}的设置备份，取名“{name}”",
        ),
    ),
)


@family("system_power_set", TOOL, SYSTEM, "grounding", variants=len(POWER))
def system_power_set(rng: Draw, world: World) -> Draft:
    """One setting of battery, cooling, games or power."""
    return wished(rng, world, POWER)


@family("system_phone_set", TOOL, SYSTEM, "grounding", variants=len(DEVICE))
def system_phone_set(rng: Draw, world: World) -> Draft:
    """One thing about the phone itself: its name, location, updates, users, backups."""
    return wished(rng, world, DEVICE)


FAMILIES = (system_power_set, system_phone_set)
