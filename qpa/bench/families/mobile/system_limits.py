"""Basic tool use in System Settings: what is missing, ambiguous, refused, impossible, or fails once."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import PERMISSION, online, phone
from qpa.bench.families.mobile.system import STANDING_RULES, SYSTEM, TOOL, newcomer, version
from qpa.bench.families.mobile.wishes import Wish, number, wished
from qpa.bench.families.values import EVENTS, NAMES, TITLES, Draw
from qpa.contract import ErrorType, Fault, Intent
from qpa.envs.sandbox.schema import World

ASK, REFUSE = Intent.ASK, Intent.REFUSE


def _account(rng: Draw, world: World) -> str:
    return f"user{rng.randint(100, 999)}@gmail.com"


def _alike(rng: Draw, world: World) -> list[str]:
    """A name and two accounts that contain it."""
    name = rng.choice(("lena", "marc", "nora", "oleg", "pia", "sven"))
    return [name, f"{name}.work{rng.randint(1, 99)}@gmail.com", f"{name}.home{rng.randint(1, 99)}@yahoo.com"]


TROUBLE = (
    Wish(
        slots={"name": NAMES},
        reply=("Which email address does the account have?", "账号的邮箱地址是什么？"),
        intent=ASK,
        mentions=(["address", "email", "e-mail", "邮箱", "地址", "邮件"],),
        shown=("manage_account",),
        english=(
            "Add my work Google account to this phone.",
            "Put another Google account on the phone, please.",
            "{name} from IT says my Google account should be on this phone as well. Add it.",
            "I have a second Google account that {name} made for me, add it here.",
        ),
        chinese=(
            "把我的工作谷歌账号加到手机上。",
            "手机上再加一个谷歌账号",
            "IT的{name}说我的谷歌账号也要加到这部手机，加一下",
            "{name}帮我注册了第二个谷歌账号，添加到这里",
        ),
    ),
    Wish(
        calls=(do("manage_battery", mode="performance"),),
        slots={"level": number(6, 18), "title": TITLES},
        patch=phone(battery_mode="normal", charging="off", battery_level="{level}", battery_saver_schedule="off"),
        reply=(
            "The battery is too low for performance mode. Can you charge first?",
            "电量太低，不能开性能模式，先充电好吗？",
        ),
        intent=ASK,
        mentions=(["battery", "charge", "电量", "充电", "电池"],),
        routes=(do("query_battery"),),
        english=(
            "Switch the battery mode to performance.",
            "Battery in performance mode, now.",
            "{title} lags on this phone, put the battery mode on performance.",
            "Full power for {title}: performance is the battery mode I want.",
        ),
        chinese=(
            "电池模式切到性能。",
            "电池马上调成性能模式",
            "用手机弄“{title}”太卡了，电池模式换成性能",
            "为了“{title}”火力全开，电池模式要性能的",
        ),
    ),
    Wish(
        calls=(do("manage_system_update", action="install"),),
        slots={"level": number(6, 27), "version": version},
        patch=phone(
            charging="off",
            battery_level="{level}",
            battery_mode="normal",
            battery_saver_schedule="off",
            update_state="downloaded",
            update_offered="{version}",
            system_version="15.0.0",
        ),
        reply=("The battery is below 30%. Can you plug in the charger first?", "电量不到30%，先插上充电器好吗？"),
        intent=ASK,
        mentions=(["battery", "charge", "charger", "电量", "充电", "充电器"],),
        routes=(do("query_battery"),),
        english=(
            "Install the system update that's downloaded.",
            "{version} is downloaded, install it now.",
            "The new system waits on the phone for ages. Install {version}, a restart is fine.",
            "Go ahead with the update to {version}, it's already on the phone.",
        ),
        chinese=(
            "把下载好的系统更新装上。",
            "{version}已经下好了，现在安装",
            "新系统下载好久了，装{version}吧，可以重启",
            "升级到{version}，安装包已经在手机里了",
        ),
    ),
    Wish(
        calls=(do("manage_account", action="add", accountName="{account}", provider="google"),),
        slots={"account": _account},
        patch={"settings": online()},
        denied=("GET_ACCOUNTS",),
        reply=("The accounts permission is missing. Will you grant it?", "没有账号权限，要授予吗？"),
        intent=ASK,
        mentions=(PERMISSION,),
        english=(
            "Add the Google account {account}.",
            "Put {account} on this phone, it's a Google account.",
            "I can't see my mails here, so add my Google account {account}.",
            "Sign me in on this phone with Google, the address is {account}.",
        ),
        chinese=(
            "添加谷歌账号{account}。",
            "把{account}加到手机，是谷歌账号",
            "这里看不到我的邮件，加上我的谷歌账号{account}",
            "用谷歌在手机上登录，地址是{account}",
        ),
    ),
    Wish(
        calls=(do("manage_user_profile", action="switch", profileName="{name}"),),
        slots={"name": newcomer},
        reply=("There is no profile {name}. Shall I create it?", "没有{name}这个用户，要新建吗？"),
        intent=ASK,
        mentions=(["{name}"],),
        routes=(do("manage_user_profile", action="query"),),
        english=(
            "Switch to {name}'s user profile.",
            "User profile: {name}.",
            "{name} wants the phone for a while. Change to that user profile.",
            "Hand the phone over to {name}, I mean the user profile.",
        ),
        chinese=(
            "切换到{name}的用户。",
            "用户切到{name}",
            "{name}要用一会儿手机，切到那个用户",
            "把手机交给{name}，就是换成那个用户空间",
        ),
    ),
    Wish(
        calls=(do("manage_account_sync", action="sync_now", accountName="{account}"),),
        slots={"account": _account, "event": EVENTS},
        patch={
            "accounts": [{"name": "{account}", "provider": "google", "sync": 1, "last_sync": "2025-01-12T08:00:00"}],
            "settings": online(battery_mode="normal"),
        },
        faults=(Fault(tool="manage_account_sync", error_type=ErrorType.UNAVAILABLE),),
        reply=("{account} is synced.", "{account}已同步。"),
        english=(
            "Sync {account} now.",
            "Bring {account} up to date.",
            "The mails about {event} aren't here yet. Sync {account} right away.",
            "Synchronise the account {account}, I'm waiting for something on {event}.",
        ),
        chinese=(
            "现在同步{account}。",
            "马上把{account}同步一下",
            "“{event}”的邮件还没到，立刻同步{account}",
            "同步账号{account}，我在等“{event}”的消息",
        ),
    ),
    Wish(
        calls=(do("manage_language", action="remove", language="French"),),
        slots={"name": NAMES},
        patch=phone(language="French", language_list="English, French"),
        reply=("French is the system language. Which one shall replace it?", "法语是系统语言，换成哪种语言再删？"),
        intent=ASK,
        mentions=(["French", "法语"],),
        routes=(do("manage_language", action="query"),),
        english=(
            "Remove French from the phone's languages.",
            "Delete French in the language list.",
            "{name} set up French on this phone, I don't want it in the language list. Remove it.",
            "French can leave the list of languages, only {name} ever used it.",
        ),
        chinese=(
            "把法语从手机语言里删掉。",
            "语言列表里去掉法语",
            "{name}给手机加了法语，我不想要，从语言列表删除",
            "法语不用留在语言列表里了，只有{name}用过",
        ),
    ),
    Wish(
        calls=(do("manage_desktop_widget", action="add", widget="{widget}"),),
        slots={
            "widget": lambda rng, world: rng.choice(
                ("Stocks", "Horoscope", "Sudoku", "Moon phase", "Radio", "Compass")
            ),
            "name": NAMES,
        },
        patch=phone(desktop_lock="off"),
        reply=("There is no widget {widget}. Would you like another one?", "没有{widget}这个小部件，换一个可以吗？"),
        intent=ASK,
        mentions=(["{widget}"],),
        routes=(do("manage_desktop_widget", action="query"),),
        english=(
            "Add the {widget} widget to the desktop.",
            "{widget} widget on my home screen, please.",
            "{name} has a {widget} widget on the home screen. I want that too.",
            "It would be nice to have {widget} on the desktop, as a widget like {name}'s.",
        ),
        chinese=(
            "桌面加上{widget}小部件。",
            "主屏幕放一个{widget}小组件",
            "{name}桌面上有{widget}小部件，我也要",
            "想在桌面上看到{widget}，跟{name}一样的小组件",
        ),
    ),
    Wish(
        calls=(do("manage_account_sync", action="disable", accountName="{name}"),),
        slots={"name account other": _alike},
        patch={
            "accounts": [
                {"name": "{account}", "provider": "google", "sync": 1},
                {"name": "{other}", "provider": "yahoo", "sync": 1},
            ]
        },
        reply=("Which one: {account} or {other}?", "是哪个：{account}还是{other}？"),
        intent=ASK,
        mentions=(["{account}"], ["{other}"]),
        routes=(do("manage_account_sync", action="query"), do("manage_account", action="query")),
        english=(
            "Turn off sync for my {name} account.",
            "Don't sync the account of {name} any more.",
            "The account with {name} in it eats data. Stop syncing it.",
            "Sync for {name}: off. That account only.",
        ),
        chinese=(
            "关掉我{name}账号的同步。",
            "{name}那个账号别再同步了",
            "带{name}的账号太费流量，停止同步",
            "{name}的同步关闭，只关这一个账号",
        ),
    ),
    Wish(
        slots={
            "thing": lambda rng, world: rng.choice(
                (
                    ("more memory chips", "内存条"),
                    ("a bigger battery", "更大的电池"),
                    ("a second screen", "第二块屏幕"),
                    ("a headphone socket", "耳机孔"),
                )
            )[rng.chinese],
            "name": NAMES,
        },
        reply=("I can't build {thing} into a phone.", "抱歉，我没法给手机装{thing}。"),
        intent=REFUSE,
        mentions=(["{thing}"],),
        hidden=("control_gui_agent", *STANDING_RULES),
        english=(
            "Build {thing} into this phone now.",
            "Give the phone {thing}, please.",
            "{name}'s phone is better than mine. Upgrade this one with {thing} right away.",
            "I want {thing} in here, just install it in the phone for me, like {name} has.",
        ),
        chinese=(
            "现在给这部手机装上{thing}。",
            "请给手机加个{thing}",
            "{name}的手机比我的好，马上给这台升级，装上{thing}",
            "我要{thing}，像{name}那样，直接给手机装一个",
        ),
    ),
)


@family("system_trouble", TOOL, SYSTEM, "recovery", variants=len(TROUBLE))
def system_trouble(rng: Draw, world: World) -> Draft:
    """Something is missing, ambiguous, refused, impossible or fails once."""
    return wished(rng, world, TROUBLE)


FAMILIES = (system_trouble,)
