"""Basic tool use in Apps & Storage: what apps may do, where they come from, and questions about them."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.apps import APPS, APPS_STORAGE, QUIET_APPS, STORE, TOOL, app_row, notice, offer
from qpa.bench.families.mobile.common import Rows, online, settings
from qpa.bench.families.mobile.wishes import Wish, number, wished
from qpa.bench.families.values import EVENTS, Draw
from qpa.envs.sandbox.schema import World

BROWSERS = ("Firefox", "Harbor Browser", "Puffin", "Swiftfox", "Vellum Browser", "Kestrel")
PLAYERS = ("Spotify", "Tunebox", "Vinylist", "Echo Garden", "Cassette", "Hummer")


def _permission(access: str = "", **columns: Any) -> Rows:
    held = [{"app": "{app}", "access": access, **columns}] if access else []
    return {**app_row(), "app_permissions": held}


SETTINGS = (
    Wish(
        calls=(do("manage_app_permission", action="revoke", appName="{app}", permission="microphone"),),
        slots={"app": QUIET_APPS},
        patch=_permission("while_using", permission="microphone"),
        english=(
            "Take the microphone permission away from {app}.",
            "{app} has no business listening to me. Only for that app, no microphone any more.",
            "Revoke {app}'s access to the mic.",
            "I don't want {app} to be able to use the microphone.",
        ),
        chinese=(
            "取消{app}的麦克风权限。",
            "{app}凭什么听我说话，只把它的麦克风权限关掉",
            "不允许{app}使用麦克风",
            "我不想让{app}能用麦克风，收回它的权限",
        ),
    ),
    Wish(
        calls=(do("manage_app_notifications", action="disable", appName="{app}"),),
        slots={"app": APPS},
        patch=app_row(notifications="default"),
        english=(
            "Turn off notifications from {app}.",
            "{app} never stops buzzing. I don't want any notifications from it.",
            "No more {app} notifications, please.",
            "Block everything that {app} would notify me about.",
        ),
        chinese=(
            "关闭{app}的通知。",
            "{app}一直弹消息，烦死了，它的通知全关了",
            "不要再收到{app}的任何通知",
            "把{app}的通知权限关掉，一条都别弹",
        ),
    ),
    Wish(
        calls=(do("manage_default_app", action="set", role="browser", appName="{app}"),),
        slots={"app": BROWSERS},
        patch={**app_row(roles="browser"), "settings": settings(default_app_browser="Browser")},
        english=(
            "Make {app} my default browser.",
            "Links should open in {app} from now on.",
            "Use {app} as the standard browser, please.",
            "I've switched to {app}; every web link should go there by default.",
        ),
        chinese=(
            "把{app}设为默认浏览器。",
            "以后链接都用{app}打开",
            "默认浏览器换成{app}",
            "我改用{app}上网了，网页链接默认都走它",
        ),
    ),
    Wish(
        calls=(do("install_app", appName="{app}"),),
        slots={"app": STORE},
        patch={"store_apps": [offer()], "settings": online(data_saver="off")},
        english=(
            "Install {app}.",
            "Get me the app {app} from the store.",
            "A friend told me about {app}. Put it on my phone.",
            "Download and install {app}, I'd like to try it later.",
        ),
        chinese=(
            "安装{app}。",
            "去应用商店下载一个{app}",
            "朋友推荐了{app}，帮我装上",
            "我想试试{app}，下载安装一下",
        ),
    ),
    Wish(
        calls=(
            do("manage_app_permission", action="grant", appName="{app}", permission="location", access="while_using"),
        ),
        slots={"app": QUIET_APPS},
        patch=_permission(),
        english=(
            "Let {app} see my location while I'm using it.",
            "{app} may use my location, but only while it is open.",
            "Give {app} location access, just during use.",
            "While I have {app} in front of me it can know where I am, otherwise not.",
        ),
        chinese=(
            "允许{app}在使用期间获取位置。",
            "{app}可以定位，但只在我用它的时候",
            "给{app}位置权限，仅使用时允许",
            "我开着{app}的时候它可以知道我在哪，其他时候不行",
        ),
    ),
    Wish(
        calls=(do("manage_app_notifications", action="enable", appName="{app}", level="priority"),),
        slots={"app": APPS},
        patch=app_row(notifications="default"),
        english=(
            "Set {app}'s notifications to priority.",
            "I can't miss anything from {app}: make its notifications priority.",
            "Notifications of {app} are important, give them the priority level.",
            "Raise {app} notifications to priority, please.",
        ),
        chinese=(
            "把{app}的通知设为优先。",
            "{app}的消息不能漏，通知级别调成优先",
            "{app}通知很重要，设成优先级别",
            "请把{app}的通知提升到优先",
        ),
    ),
    Wish(
        calls=(do("clear_app_cache", appName="{app}"),),
        slots={"app": APPS, "size": number(120, 900)},
        patch=app_row(cache_mb="{size}"),
        english=(
            "Clear {app}'s cache.",
            "{app} is acting up and hoarding {size} MB of cache. Clear that, but keep my login.",
            "Empty the cache of {app}, not its data.",
            "Get rid of the {size} MB cache {app} has piled up.",
        ),
        chinese=(
            "清除{app}的缓存。",
            "{app}缓存都{size}MB了，清一下，登录别动",
            "只清{app}的缓存，数据保留",
            "把{app}攒的{size}MB缓存清掉",
        ),
    ),
    Wish(
        calls=(do("manage_app_updates", action="update", appName="{app}"),),
        slots={"app": STORE},
        patch={
            **app_row(version="3.1", size_mb=60, category="tools"),
            "store_apps": [offer()],
            "settings": online(data_saver="off"),
        },
        english=(
            "Update {app}.",
            "Get the newest version of {app}, only that one.",
            "{app} says it's outdated. Bring it up to date.",
            "There's a new release of {app}; update it, leave the other apps alone.",
        ),
        chinese=(
            "更新{app}。",
            "把{app}升到最新版，别的不用管",
            "{app}提示版本太旧，帮我更新一下",
            "{app}出新版本了，只更新它",
        ),
    ),
    Wish(
        calls=(do("set_app_auto_update", mode="wifi_only"),),
        patch={"settings": settings(app_auto_update="any_network")},
        english=(
            "Let apps update themselves on Wi-Fi only.",
            "App auto-updates are eating my data plan. Only over Wi-Fi from now on.",
            "Automatic app updates: Wi-Fi only.",
        ),
        chinese=(
            "应用只在WiFi下自动更新。",
            "自动更新把流量跑光了，以后只许连WiFi时更新应用",
            "应用自动更新改成仅WiFi",
        ),
    ),
    Wish(
        calls=(do("manage_default_app", action="reset", role="music"),),
        slots={"app": PLAYERS},
        patch={**app_row(roles="music"), "settings": settings(default_app_music="{app}")},
        english=(
            "Reset the default music app, I don't want {app} for that any more.",
            "Music shouldn't open in {app} by default. Go back to the phone's own player.",
            "{app} is my default music app; set that back to the built-in one.",
        ),
        chinese=(
            "默认音乐应用别用{app}了，恢复成系统自带的。",
            "音乐默认用{app}打开，改回系统播放器",
            "现在默认音乐应用是{app}，请重置为自带应用",
        ),
    ),
    Wish(
        calls=(do("manage_app_updates", action="update_all"),),
        patch={
            "apps": [{"name": "Quillpad", "version": "3.1", "size_mb": 60}],
            "store_apps": [offer("Quillpad")],
            "settings": online(data_saver="off", storage_total_mb="524288"),
        },
        english=("Update all my apps.", "Install every app update there is.", "Bring all apps up to date, please."),
        chinese=("更新所有应用。", "有更新的应用全部更新一下", "把手机里的应用都升到最新版"),
    ),
)

QUESTIONS = (
    Wish(
        calls=(do("query_notifications", appName="{app}"),),
        slots={"app": QUIET_APPS, "title": EVENTS, "code": number(1000, 9999)},
        patch={**app_row(notifications="default"), "notifications": [notice(1, "{title}", "Code {code}")]},
        mentions=(["{code}"],),
        reply=("The code is {code}.", "验证码是{code}。"),
        english=(
            "What code did {app} just send me in its notification?",
            "{app} notified me about {title}. Which code does it give?",
            "Read me the code from the {app} notification.",
            "There's a code in the notification from {app}, tell me what it is but don't dismiss it.",
        ),
        chinese=(
            "{app}刚才通知里的验证码是多少？",
            "{app}发了“{title}”的通知，里面的码是什么",
            "念一下{app}通知里的那个码",
            "{app}的通知里有个码，告诉我是多少，别把通知清了",
        ),
    ),
    Wish(
        calls=(do("query_apps", sortBy="largest"),),
        slots={"app": APPS, "size": number(4000, 9000)},
        patch={**app_row(data_mb="{size}", hidden=0), "settings": settings(storage_total_mb="524288")},
        mentions=(["{app}"],),
        reply=("{app} takes up the most space.", "{app}占的空间最多。"),
        english=(
            "Which app takes up the most space on my phone?",
            "Tell me the biggest app I have installed.",
            "Something is hogging my storage. Which app is the worst?",
            "What's the one app that uses more storage than any other?",
        ),
        chinese=(
            "哪个应用占的空间最大？",
            "看看我手机上最大的应用是哪个",
            "存储老是不够，最占地方的是哪个应用",
            "所有应用里谁最占空间，告诉我名字",
        ),
    ),
    Wish(
        calls=(do("search_app_store", keyword="{app}"),),
        slots={"app": STORE, "size": number(20, 400)},
        patch={"store_apps": [offer(size_mb="{size}")], "settings": online()},
        mentions=(["{size}", "{size}MB"],),
        reply=("{app} is a {size} MB download.", "{app}要下载{size}MB。"),
        english=(
            "How big is {app} in the app store?",
            "Before I install {app}: how many MB is it?",
            "I'm on a tight data plan. How large would the download of {app} be?",
            "Look up {app} in the store and tell me its size, don't install it yet.",
        ),
        chinese=(
            "应用商店里的{app}有多大？",
            "装{app}之前先看看它多少兆",
            "流量不多了，下载{app}要多少MB？",
            "去商店查一下{app}的大小，先别装",
        ),
    ),
    Wish(
        calls=(do("manage_app_permission", action="query", permission="sms"),),
        slots={"app": QUIET_APPS},
        patch=_permission("always", permission="sms"),
        mentions=(["{app}"],),
        reply=("Only {app}.", "只有{app}。"),
        english=(
            "Which app has permission to read my text messages?",
            "Is any app allowed to access my SMS? Tell me which.",
            "Someone knows my verification codes... which app holds the SMS permission?",
            "Name the app that may access SMS.",
        ),
        chinese=(
            "哪个应用有读取短信的权限？",
            "有没有应用能看我的短信？是哪个",
            "感觉验证码被人看了，短信权限给了哪个应用",
            "告诉我谁拿了短信权限",
        ),
    ),
    Wish(
        calls=(do("query_app_info", appName="{app}"),),
        slots={"app": APPS, "version": lambda rng, world: f"{rng.randint(2, 40)}.{rng.randint(10, 99)}"},
        patch=app_row(version="{version}"),
        mentions=(["{version}"],),
        reply=("You have {app} {version}.", "{app}现在是{version}版。"),
        english=(
            "Which version of {app} do I have?",
            "Support wants to know my {app} version number.",
            "What's the version of the installed {app}?",
            "Check the version of {app} on this phone, please.",
        ),
        chinese=(
            "我的{app}是什么版本？",
            "客服问我{app}的版本号，是多少",
            "查一下手机上{app}的版本",
            "我装的{app}是几点几版的",
        ),
    ),
    Wish(
        calls=(do("manage_default_app", action="query", role="browser"),),
        slots={"app": BROWSERS},
        patch={**app_row(roles="browser"), "settings": settings(default_app_browser="{app}")},
        mentions=(["{app}"],),
        reply=("It's {app}.", "是{app}。"),
        english=(
            "What's my default browser?",
            "Which app opens web links by default?",
            "When I tap a link, which browser does the phone use?",
            "I forgot which browser I set as the standard one. Which is it?",
        ),
        chinese=(
            "我的默认浏览器是哪个？",
            "点链接默认用哪个应用打开",
            "网页链接现在是用什么浏览器开的",
            "忘了把哪个设成默认浏览器了，帮我看看",
        ),
    ),
    Wish(
        calls=(do("query_app_info", appName="{app}"),),
        slots={"app": APPS, "size": number(120, 990)},
        patch=app_row(cache_mb="{size}"),
        mentions=(["{size}", "{size}MB"],),
        reply=("{size} MB.", "有{size}MB。"),
        english=(
            "How much cache has {app} built up?",
            "What's the size of the {app} cache, in MB?",
            "Is it worth clearing {app}'s cache? Tell me how big it is first.",
            "Just tell me how many MB of cache {app} holds.",
        ),
        chinese=(
            "{app}的缓存有多大？",
            "看看{app}攒了多少MB缓存",
            "{app}的缓存值得清吗，先告诉我有多少兆",
            "{app}缓存占了多少MB，只查不清",
        ),
    ),
)


@family("apps_settings", TOOL, APPS_STORAGE, "grounding", variants=len(SETTINGS))
def apps_settings(rng: Draw, world: World) -> Draft:
    """Permissions, notification levels, default apps, installing and updating."""
    return wished(rng, world, SETTINGS)


@family("apps_questions", TOOL, APPS_STORAGE, "grounding", variants=len(QUESTIONS))
def apps_questions(rng: Draw, world: World) -> Draft:
    """Facts about apps, their notifications and the store, read with a tool and answered."""
    return wished(rng, world, QUESTIONS)


FAMILIES = (apps_settings, apps_questions)
