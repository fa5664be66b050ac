"""Basic tool use in Apps & Storage: running apps and waiting notifications, and what the domain's families share."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import Rows, settings
from qpa.bench.families.mobile.wishes import Wish, number, wished
from qpa.bench.families.values import EVENTS, Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
APPS_STORAGE = "Apps & Storage"
# Apps without seeded permissions and notifications, and none named like a service of the phone.
APPS = (
    "Alipay",
    "Amazon",
    "Duolingo",
    "Ele.me",
    "Etsy",
    "Instagram",
    "JD",
    "Netflix",
    "Outlook",
    "Spotify",
    "Telegram",
    "Trip.com",
    "Uber",
    "Waze",
    "WhatsApp",
)
QUIET_APPS = tuple(app for app in APPS if app not in ("Telegram", "WhatsApp"))
# What the store has besides the seeded apps; none is installed.
STORE = (
    "Breadbook",
    "Cloudmoss",
    "Dovetail",
    "Loopline",
    "Mossy",
    "Noodle Radio",
    "Papertrain",
    "Pixelpond",
    "Quillpad",
    "Sketchly",
    "Skyferry",
    "Starmap",
    "Tidepool",
    "Trailmix",
    "Wordmill",
)


def app_row(**columns: Any) -> Rows:
    """The row of the slot "app", for a patch."""
    return {"apps": [{"name": "{app}", "enabled": 1, **columns}]}


def notice(number_: int, title: str, text: str = "", minutes: int = 40, app: str = "{app}") -> dict[str, Any]:
    """A patched notification of the last hour; its id is far from the seeded ones."""
    return {
        "id": f"notification_{700 + number_}",
        "app": app,
        "title": title,
        "text": text,
        "at": f"2025-01-15T08:{minutes}:00",
    }


def offer(app: str = "{app}", size_mb: Any = 60, version: str = "3.2") -> dict[str, Any]:
    """A patched app of the store."""
    return {"name": app, "category": "tools", "version": version, "size_mb": size_mb}


RUNNING = (
    Wish(
        calls=(do("open_app", appName="{app}"),),
        slots={"app": APPS},
        patch={**app_row(running=0), "settings": settings(foreground_app="", battery_mode="normal")},
        english=(
            "Open {app}.",
            "Can you pull up {app} for me?",
            "bring up {app} please, I want to look something up in it",
            "Take me to {app}, I'll do the rest myself.",
        ),
        chinese=("打开{app}。", "帮我把{app}打开一下", "我要进{app}看点东西", "直接带我去{app}就行，剩下的我自己来"),
    ),
    Wish(
        calls=(do("manage_recent_apps", action="clear", keepApps=["{app}"]),),
        slots={"app": APPS},
        patch=app_row(running=1),
        english=(
            "Close all my recent apps except {app}.",
            "Clear the recents, but leave {app} running.",
            "The phone is crawling. Shut everything that's open, only {app} should stay.",
            "Sweep away the open apps; I still need {app}, so not that one.",
        ),
        chinese=(
            "清理最近任务，只保留{app}。",
            "把后台应用全关了，{app}别关",
            "手机好卡，除了{app}其他开着的应用都关掉吧",
            "最近任务一键清理一下，不过{app}我还在用，留着",
        ),
    ),
    Wish(
        calls=(do("force_stop_app", appName="{app}"),),
        slots={"app": APPS},
        patch=app_row(running=1, stopped=0),
        english=(
            "Force stop {app}.",
            "{app} is frozen again. Force-stop it, please.",
            "Make {app} stop completely, background work and all, until I open it again.",
            "Don't just close {app}, force it to stop.",
        ),
        chinese=(
            "强行停止{app}。",
            "{app}卡死了，帮我强制停止",
            "把{app}连后台一起彻底停掉，等我自己再打开",
            "{app}光关掉没用，给我强行停止它",
        ),
    ),
    Wish(
        calls=(do("set_app_battery_use", appName="{app}", mode="restricted"),),
        slots={"app": APPS},
        patch=app_row(battery="optimized"),
        english=(
            "Restrict {app}'s background battery use.",
            "{app} drains my battery even when I don't use it. Restrict what it does in the background.",
            "Set the battery use of {app} to restricted.",
            "In the background {app} should be allowed as little battery as possible.",
        ),
        chinese=(
            "把{app}的后台耗电设为受限。",
            "{app}不用的时候也在掉电，限制它的后台用电",
            "{app}的电池用量改成受限模式",
            "{app}在后台太费电了，把它的后台活动限制到最低",
        ),
    ),
    Wish(
        calls=(do("close_app", appName="{app}"),),
        slots={"app": APPS},
        patch=app_row(running=1),
        english=(
            "Close {app}.",
            "I'm finished with {app}, close it please.",
            "{app} can be closed now, I'm done for today.",
            "Get {app} off my screen, simply close it.",
        ),
        chinese=("关闭{app}。", "{app}用完了，关掉吧", "把{app}关一下，谢谢", "今天不看{app}了，帮我关了它"),
    ),
    Wish(
        calls=(do("manage_recent_apps", action="lock", appName="{app}"),),
        slots={"app": APPS},
        patch=app_row(running=1, locked=0),
        hidden=("manage_app_lock",),
        english=(
            "Lock {app} in the recent apps so clearing them doesn't close it.",
            "Whenever I clear recents {app} dies too. Pin it there so that it survives.",
            "Keep {app} locked in my recents list.",
            "{app} should stay open when I swipe away all recent apps; lock it there.",
        ),
        chinese=(
            "在最近任务里把{app}锁定，清理时不要关掉它。",
            "每次清后台{app}都被杀掉，帮我在最近任务里锁住它",
            "最近任务里给{app}上个锁",
            "清理最近任务的时候我想让{app}一直留着，把它在那里锁定",
        ),
    ),
    Wish(
        calls=(do("manage_disabled_apps", action="disable", appName="{app}"),),
        slots={"app": APPS},
        patch=app_row(),
        english=(
            "Disable {app}, but don't uninstall it.",
            "I'm taking a break from {app}. Disable it without deleting anything.",
            "Deactivate the app {app} in the phone's app settings; my data should stay.",
            "{app} stays installed, but it should be disabled.",
        ),
        chinese=(
            "停用{app}，但不要卸载。",
            "最近想戒{app}，先把它停用，数据留着",
            "把{app}这个应用禁用掉，别删",
            "{app}保留安装，不过请设为停用",
        ),
    ),
    Wish(
        calls=(do("manage_app_autostart", action="disable", appName="{app}"),),
        slots={"app": APPS},
        patch=app_row(autostart=1, battery="optimized"),
        english=(
            "Turn off autostart for {app}.",
            "Why does {app} start by itself? Stop it from doing that.",
            "Don't let {app} launch on its own any more.",
            "{app} must not start when the phone boots; only I open it.",
        ),
        chinese=(
            "关闭{app}的自启动。",
            "{app}老是自己启动，不许它自启了",
            "别让{app}开机自己跑起来",
            "{app}只能我手动打开，把自启动关了",
        ),
    ),
    Wish(
        calls=(do("manage_hidden_apps", action="hide", appName="{app}"),),
        slots={"app": APPS},
        patch=app_row(hidden=0),
        hidden=("manage_private_space", "manage_desktop_icon"),
        english=(
            "Hide {app}'s icon in the app list.",
            "Make the icon of {app} invisible, but keep the app.",
            "My kids keep tapping {app}. Hide its icon, nothing else.",
            "{app} should no longer show up among my app icons; hide it.",
        ),
        chinese=(
            "隐藏{app}的图标。",
            "把{app}的应用图标藏起来，应用留着",
            "孩子老点{app}，把它的图标隐藏了吧",
            "应用列表里别再显示{app}了，隐藏图标就行",
        ),
    ),
)


NOTICES = (
    Wish(
        calls=(do("dismiss_notification", keyword="{title}"),),
        slots={"app": QUIET_APPS, "title other": EVENTS},
        patch={
            **app_row(notifications="default"),
            "notifications": [notice(1, "{title}", minutes=31), notice(2, "{other}", minutes=44)],
        },
        english=(
            "Dismiss the {app} notification about {title}.",
            "Swipe away the notification {title} from {app}, leave the rest.",
            "I've read the {title} one from {app}, get rid of that notification.",
            "From {app}: the notification {title} can go. Only that one.",
        ),
        chinese=(
            "把{app}关于“{title}”的通知划掉。",
            "{app}那条“{title}”的通知看过了，清掉它，其他留着",
            "删掉通知栏里{app}的“{title}”",
            "{app}的通知里只把“{title}”这条清除",
        ),
    ),
    Wish(
        calls=(do("snooze_notification", appName="{app}", minutes="{minutes}"),),
        slots={"app": QUIET_APPS, "title": EVENTS, "minutes": number(10, 180, 5)},
        patch={**app_row(notifications="default"), "notifications": [notice(1, "{title}")]},
        english=(
            "Snooze the notification from {app} for {minutes} minutes.",
            "Not now. Show me that {app} notification again in {minutes} minutes.",
            "Put off the {app} notification about {title} by {minutes} minutes.",
            "I'm driving, bring the {title} notification of {app} back after {minutes} minutes.",
        ),
        chinese=(
            "把{app}的通知延后{minutes}分钟。",
            "现在没空，{app}那条通知{minutes}分钟后再弹出来",
            "{app}关于“{title}”的通知，稍后{minutes}分钟再提醒",
            "在开车，{app}的“{title}”通知过{minutes}分钟再显示",
        ),
    ),
    Wish(
        calls=(do("clear_notifications", appName="{app}"),),
        slots={"app": QUIET_APPS, "title other": EVENTS},
        patch={
            **app_row(notifications="default"),
            "notifications": [notice(1, "{title}", minutes=21), notice(2, "{other}", minutes=52)],
        },
        english=(
            "Clear all notifications from {app}.",
            "Wipe everything {app} has put in my notification shade.",
            "All those {app} notifications can go, I've seen them.",
            "Tidy up: remove the waiting notifications of {app}, the others stay.",
        ),
        chinese=(
            "清除{app}的所有通知。",
            "通知栏里{app}的消息全清掉",
            "{app}那一堆通知我都看过了，都划掉吧",
            "整理下通知栏，{app}的全部清除，其他应用的留着",
        ),
    ),
    Wish(
        calls=(do("clear_notifications"),),
        slots={"app": QUIET_APPS, "title": EVENTS},
        patch={**app_row(notifications="default"), "notifications": [notice(1, "{title}")]},
        english=(
            "Clear all my notifications.",
            "Empty the whole notification shade.",
            "Every notification can go, the one about {title} from {app} too.",
            "I've been through all notifications, even {app}'s {title}. Clear the lot.",
        ),
        chinese=(
            "清空所有通知。",
            "通知栏全部清掉",
            "通知都不用留了，{app}的“{title}”也一起清掉",
            "我都看完了，包括{app}的“{title}”，通知栏一键清空",
        ),
    ),
)


@family("apps_running", TOOL, APPS_STORAGE, "grounding", variants=len(RUNNING))
def apps_running(rng: Draw, world: World) -> Draft:
    """Opening, closing, hiding, disabling an app, and what it may do in the background."""
    return wished(rng, world, RUNNING)


@family("apps_notices", TOOL, APPS_STORAGE, "grounding", variants=len(NOTICES))
def apps_notices(rng: Draw, world: World) -> Draft:
    """Notifications that go away or come back later."""
    return wished(rng, world, NOTICES)


FAMILIES = (apps_running, apps_notices)
