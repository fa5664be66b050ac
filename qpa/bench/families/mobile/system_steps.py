"""Basic tool use in System Settings: what must be looked up, decided or put right before the wish can be fulfilled."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import answered, branch, online, phone, settings
from qpa.bench.families.mobile.system import SYSTEM, TOOL, newcomer
from qpa.bench.families.mobile.system_desktop import ICONS, desk, icon
from qpa.bench.families.mobile.wishes import Wish, number, wished
from qpa.bench.families.values import EVENTS, NAMES, NETWORKS, TITLES, Draw
from qpa.envs.sandbox.schema import World


def on_wifi(rng: Draw, world: World) -> dict[str, Any]:
    """A connected network in place of whichever was; Wi-Fi must be on."""
    others = [{"ssid": row["ssid"], "connected": 0} for row in world.rows["wifi_networks"]]
    return {"wifi_networks": [*others, {"ssid": rng.pick(NETWORKS), "password": "", "saved": 1, "connected": 1}]}


def update_through(rng: Draw, world: World) -> Draft:
    """Check, download and install; how far the phone already is has to be read."""
    state = ("unchecked", "available", "downloaded")[rng.turn // len(STEPS) % 3]
    new, event = f"15.0.{rng.randint(3, 30)}", rng.pick(EVENTS)

    def plan() -> Plan:
        feedback = yield [do("manage_system_update", action="check")]
        if feedback[0].payload["data"]["state"] == "available":
            yield [do("manage_system_update", action="download")]
        yield [do("manage_system_update", action="install")]
        return done(rng.say(f"The phone now runs {new}.", f"已更新到{new}。"))

    values = {"update_state": state, "update_offered": new, "system_version": "15.0.2", "battery_level": "82"}
    return Draft(
        phrasings=(
            "Bring the system up to date: check, download and install. Restarting is fine.",
            "There should be a new system version. Get it and install it, restart included.",
            "I won't need the phone before {event}, so install the latest system update, however far it has got.",
            "Do the whole system update for me now, all the way through the reboot, before {event}.",
        ),
        chinese=(
            "把系统更新到最新：检查、下载、安装，重启没关系。",
            "应该有新系统了，下载并安装，可以重启",
            "“{event}”之前我不用手机，把最新的系统更新装好，不管现在进行到哪一步",
            "赶在“{event}”前把系统升级从头到尾做完，包括重启",
        ),
        slots={"event": event},
        plan=plan,
        patch={"settings": online(wifi="on", **values), **on_wifi(rng, world)},
    )


def usb_debug(rng: Draw, world: World) -> Draft:
    """USB debugging is refused while the developer options are off (409)."""
    name, ready = rng.pick(NAMES), rng.random() < 0.3

    def plan() -> Plan:
        call = do("manage_usb_debug", action="enable")
        feedback = yield [call]
        if not feedback[0].ok:
            yield [do("manage_developer_options", action="enable")]
            yield [call]
        return done(rng.say("USB debugging is on.", "USB调试开了。"))

    return Draft(
        phrasings=(
            "Turn on USB debugging, with the developer options if they're needed.",
            "I need USB debugging; enable developer options too should they be off.",
            "{name} is going to debug an app on my phone by cable. Get USB debugging going, whatever it requires.",
            "USB debugging on, please. If developer mode is what's missing, switch that on first, {name} said.",
        ),
        chinese=(
            "打开USB调试，需要的话把开发者选项也打开。",
            "我要用USB调试，开发者选项没开就一起开",
            "{name}要用数据线在我手机上调试应用，把USB调试弄好，缺什么就开什么",
            "USB调试给我打开，{name}说要是差开发者选项就先开那个",
        ),
        slots={"name": name},
        plan=plan,
        patch=phone(developer_options="on" if ready else "off", usb_debug="off"),
        shown=("manage_developer_options",),
    )


def battery_branch(rng: Draw, world: World) -> Draft:
    """The charge decides which of two settings changes."""
    limit, low = rng.randint(35, 70), rng.random() < 0.5
    level = limit + rng.randint(3, 20) * (-1 if low else 1)

    def plan() -> Plan:
        feedback = yield [do("query_battery")]
        if feedback[0].payload["data"]["level"] < limit:
            yield [do("manage_battery", mode="super_saving")]
            return done(rng.say(f"{level}%: super saving is on.", f"电量{level}%，超级省电开了。"))
        yield [do("manage_location", action="enable")]
        return done(rng.say(f"{level}%: location is on.", f"电量{level}%，定位开了。"))

    return Draft(
        phrasings=(
            "If the battery is below {limit}%, switch to super saving, otherwise turn location on.",
            "Less than {limit}% battery? Super power saving. If not, enable location.",
            "I'd like location on, but only if the battery isn't below {limit}%; if it is, use super power saving.",
            "Check the charge. Under {limit} percent I want super saving mode; with more than that, location.",
        ),
        chinese=(
            "电量低于{limit}%就开超级省电，否则打开定位。",
            "电池不到{limit}%？那就超级省电，够的话开定位",
            "我想开定位，但电量不能低于{limit}%，低于的话改开超级省电",
            "看下电量，{limit}%以下进超级省电模式，多于这个就把定位打开",
        ),
        slots={"limit": limit},
        plan=plan,
        patch=phone(
            battery_level=str(level),
            battery_mode="normal",
            charging="off",
            location="off",
            game_mode="balanced",
            cooling_fan="off",
        ),
        shown=("manage_battery", "manage_location"),
    )


def keyboard_missing(rng: Draw, world: World) -> Draft:
    """A keyboard has to be enabled before it can be chosen (409)."""
    keyboard, name = rng.choice(("Grammarly", "Sogou Pinyin", "Microsoft SwiftKey")), rng.pick(NAMES)

    def plan() -> Plan:
        choose = do("manage_input_method", action="set", inputMethod=keyboard)
        feedback = yield [choose]
        if not feedback[0].ok:
            yield [do("manage_input_method", action="enable", inputMethod=keyboard)]
            yield [choose]
        return done(rng.say(f"You type with {keyboard} now.", f"输入法已换成{keyboard}。"))

    return Draft(
        phrasings=(
            "I want to type with {keyboard} from now on.",
            "Make {keyboard} my keyboard, enable it if necessary.",
            "{name} swears by {keyboard}. Use it for typing here too.",
            "Get rid of the standard keyboard's typos: {keyboard} shall be the one in use, as {name} has it.",
        ),
        chinese=(
            "以后打字都用{keyboard}。",
            "输入法换成{keyboard}，没启用就启用",
            "{name}一直夸{keyboard}，我这儿打字也用它",
            "现在的键盘老出错，像{name}一样用{keyboard}当输入法",
        ),
        slots={"keyboard": keyboard, "name": name},
        plan=plan,
        patch=phone(input_method="Gboard", input_methods_enabled="Gboard, Voice Typing"),
    )


def locked_desktop(rng: Draw, world: World) -> Draft:
    """The layout is locked (409): unlock, move, lock again, as the user says."""
    app, page, locked = rng.choice(ICONS), rng.randint(2, 3), rng.random() < 0.7

    def plan() -> Plan:
        move = do("manage_desktop_icon", action="move", appName=app, page=page)
        feedback = yield [move]
        if not feedback[0].ok:
            yield [do("manage_desktop_layout", action="unlock")]
            yield [move, do("manage_desktop_layout", action="lock")]
        return done(rng.say(f"{app} is on page {page}.", f"{app}在第{page}页了。"))

    return Draft(
        phrasings=(
            "Move {app} to page {page} of the desktop. If the layout is locked, unlock it and lock it again after.",
            "{app} icon to page {page}, please; a locked layout may be opened for that, but lock it again.",
            "The icon of {app} belongs on page {page}. Should the layout be locked, only open it for that long.",
            "Put {app} on desktop page {page} and leave the lock of the layout the way you find it.",
        ),
        chinese=(
            "把{app}移到桌面第{page}页，布局锁着就先解锁，弄完再锁上。",
            "{app}图标放第{page}页，桌面锁定的话可以解开，之后要锁回去",
            "{app}应该在第{page}页，要是布局锁住了，就临时解锁一下",
            "把{app}挪到桌面第{page}页，布局锁原来什么样最后还是什么样",
        ),
        slots={"app": app, "page": page},
        plan=plan,
        patch=desk(icon(app), desktop_lock="on" if locked else "off"),
        shown=("manage_desktop_layout",),
    )


def older_backup(rng: Draw, world: World) -> Draft:
    """Which backup goes has to be read off the list."""
    (first, second), days = rng.several(TITLES, 2), rng.sample(range(1, 14), 2)
    rows = [
        {"name": name, "location": "local", "created_at": f"2025-01-{day:02d}T12:00:00"}
        for name, day in zip((first, second), days, strict=True)
    ]

    def plan() -> Plan:
        feedback = yield [do("manage_backup", action="query")]
        made = {item["name"]: item["created_at"] for item in feedback[0].payload["data"]["items"]}
        gone = min((first, second), key=lambda name: made[name])
        yield [do("manage_backup", action="delete", backupName=gone)]
        return done(rng.say(f"The backup {gone} is deleted.", f"备份“{gone}”删掉了。"))

    return Draft(
        phrasings=(
            'Of the settings backups "{first}" and "{second}", delete the older one.',
            'Delete the older of my backups "{first}" and "{second}".',
            'I don\'t need both settings backups, "{first}" and "{second}". The one made earlier can go for good.',
            'Look when the backups "{first}" and "{second}" were made, and delete whichever is older.',
        ),
        chinese=(
            "设置备份“{first}”和“{second}”，删掉更早的那个。",
            "把“{first}”“{second}”两个备份里旧的删了",
            "备份“{first}”和“{second}”留一个就够，更早做的那个彻底删掉",
            "看看备份“{first}”和“{second}”分别是什么时候做的，旧的删除",
        ),
        slots={"first": first, "second": second},
        plan=plan,
        patch={"backups": rows},
    )


def hungry_app(rng: Draw, world: World) -> Draft:
    """The battery knows which app to restrict."""
    top = max(world.rows["battery_usage"], key=lambda row: row["percent"])
    app, event = rng.choice(("Netflix", "Spotify", "Telegram", "Waze", "WhatsApp")), rng.pick(EVENTS)
    use = [{"app": top["app"], "percent": 0}, {"app": app, "percent": top["percent"] + 1}]

    def plan() -> Plan:
        feedback = yield [do("query_battery", item="app_usage")]
        found = feedback[0].payload["data"]["items"][0]["app"]
        yield [do("set_app_battery_use", appName=found, mode="restricted")]
        return done(rng.say(f"{found} is restricted.", f"已限制{found}的后台耗电。"))

    return Draft(
        phrasings=(
            "Restrict the background battery use of the app that drains the battery most.",
            "Find the app with the highest battery use and set its background use to restricted.",
            "The phone has to survive {event}. Whatever app ate most of the battery, restrict it in the background.",
            "Which app needs the most battery? Its background activity should be restricted until after {event}.",
        ),
        chinese=(
            "把最耗电的应用设为限制后台用电。",
            "找出耗电第一的应用，后台耗电改成受限",
            "手机得撑过“{event}”，哪个应用耗电最多就限制它的后台用电",
            "看看谁最费电，把它的后台用电设成“限制”，撑过“{event}”再说",
        ),
        slots={"event": event},
        plan=plan,
        patch={"apps": [{"name": app, "kind": "user", "battery": "optimized"}], "battery_usage": use},
    )


def profile_from_guest(rng: Draw, world: World) -> Draft:
    """Only the owner may add users (409): go back to the owner's profile first."""
    name, guest = newcomer(rng, world), rng.random() < 0.7

    def plan() -> Plan:
        create = do("manage_user_profile", action="create", profileName=name)
        feedback = yield [create]
        if not feedback[0].ok:
            yield [do("manage_user_profile", action="switch", profileName="Owner")]
            yield [create]
        return done(rng.say(f"{name} has a profile.", f"{name}的用户建好了。"))

    return Draft(
        phrasings=(
            "Create a user profile {name}. If the guest is active, switch to Owner for it and stay there.",
            "Add the user {name}; leave guest mode for Owner if that's in the way.",
            "{name} needs a profile on my phone. It may still be in guest mode, then go back to Owner first.",
            "New profile: {name}. Should the phone refuse because of the guest session, change to Owner and retry.",
        ),
        chinese=(
            "新建用户{name}，如果现在是访客，就先切回Owner并留在那里。",
            "加一个用户{name}，访客模式不让加的话切到Owner",
            "给{name}在我手机上建个用户，手机可能还在访客模式，那就先换回Owner",
            "新用户：{name}。要是因为访客身份被拒绝，就切到Owner再建一次",
        ),
        slots={"name": name},
        plan=plan,
        patch={"user_profiles": [{"name": "Owner", "active": int(not guest)}, {"name": "Guest", "active": int(guest)}]},
    )


def update_known(rng: Draw, world: World) -> Draft:
    """A charge that already suffices needs nothing but the answer."""
    limit = rng.randint(40, 60)
    level = limit + rng.randint(5, 30)

    def plan() -> Plan:
        yield [do("query_battery")]
        return done(rng.say(f"The battery is at {level}%, nothing changed.", f"电量{level}%，没有改动。"))

    return Draft(
        phrasings=(
            "Turn on power saving if the battery is under {limit}%. If not, just tell me the level.",
            "Under {limit}% battery I want power saving; above that only say how much is left.",
            "How full is the battery? Change to power saving only in case it's less than {limit}%.",
            "Tell me the battery percentage, and if it's lower than {limit}, put the phone in power saving.",
        ),
        chinese=(
            "电量低于{limit}%就开省电模式，不然只告诉我还有多少。",
            "电池{limit}%以下开省电，以上就说个电量",
            "电池还有百分之几？不到{limit}%才切省电模式",
            "告诉我电量百分比，如果比{limit}低，就进省电模式",
        ),
        slots={"limit": limit},
        plan=plan,
        criteria=answered([str(level)], reads=("query_battery",)),
        patch=phone(battery_level=str(level), battery_mode="normal", charging="off"),
        shown=("manage_battery",),
    )


STEPS = (
    update_through,
    usb_debug,
    battery_branch,
    keyboard_missing,
    locked_desktop,
    older_backup,
    hungry_app,
    profile_from_guest,
    update_known,
)


@family("system_steps", TOOL, SYSTEM, "dependency", variants=len(STEPS))
def system_steps(rng: Draw, world: World) -> Draft:
    """One of the dependent errands."""
    return branch(rng, world, STEPS)


MIXED = (
    Wish(
        calls=(
            do("manage_regional_preferences", action="set", firstDayOfWeek="monday"),
            do("manage_dark_mode", action="enable"),
            do("set_alarm_volume", level="{level}"),
        ),
        slots={"level": number(15, 95, 5)},
        patch={"settings": settings(first_day_of_week="sunday", dark_mode="off", alarm_volume="5")},
        english=(
            "Weeks start on Monday, dark mode on, alarm volume {level}.",
            "Three things: dark mode, alarms at volume {level}, and Monday as the first day of the week.",
            "I like it dark, my alarms at {level} and my weeks from Monday on. Set the phone up that way.",
            "Alarm volume {level}, please, and a dark interface; also let every week begin with Monday.",
        ),
        chinese=(
            "每周从周一开始，打开深色模式，闹钟音量{level}。",
            "三件事：深色模式、闹钟音量调到{level}、一周第一天设为周一",
            "我喜欢深色界面，闹钟音量{level}，一周从周一算，照这样设",
            "闹钟音量{level}，界面要深色，另外每周以周一开头",
        ),
    ),
    Wish(
        calls=(
            do("control_cooling_fan", action="enable", speed="low"),
            do("manage_countdown", action="start", minutes="{minutes}", label="{title}"),
            do("manage_status_bar_display", action="enable", item="network_speed"),
        ),
        slots={"minutes": number(12, 90), "title": TITLES},
        patch=phone(cooling_fan="off", cooling_fan_speed="auto", battery_mode="normal", status_bar_network_speed="off"),
        english=(
            'Fan on low, a {minutes} minute countdown "{title}", and show the network speed in the status bar.',
            'Start a countdown of {minutes} minutes labelled "{title}", run the cooling fan on low, network speed '
            "in the status bar.",
            'Status bar with network speed, cooling fan on low, countdown "{title}" for {minutes} minutes.',
            'I have {minutes} minutes, count them down as "{title}". The fan goes on low, and I want to see the '
            "network speed up in the status bar.",
        ),
        chinese=(
            "散热风扇开低速，倒计时{minutes}分钟叫“{title}”，状态栏显示网速。",
            "开一个{minutes}分钟的倒计时，名字“{title}”，风扇低速，状态栏要有网速",
            "麻烦了：状态栏显示网速、散热风扇低速、倒计时“{title}”{minutes}分钟",
            "我只有{minutes}分钟，用“{title}”倒计时，风扇低速转，顶上状态栏把网速显示出来",
        ),
    ),
)


@family("system_mixed", TOOL, SYSTEM, "dependency", unseen="family", variants=len(MIXED))
def system_mixed(rng: Draw, world: World) -> Draft:
    """Known tools of several domains that training never combines."""
    return wished(rng, world, MIXED)


FAMILIES = (system_steps, system_mixed)
