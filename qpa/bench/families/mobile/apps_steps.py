"""Basic tool use in Apps & Storage: what has to be looked up, tried or put right before the wish can be fulfilled."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.apps import APPS, APPS_STORAGE, QUIET_APPS, STORE, TOOL, notice, offer
from qpa.bench.families.mobile.apps_files import CHINESE_DOCUMENTS, DOCUMENTS, VIDEOS, document, file_row, folder, label
from qpa.bench.families.mobile.common import branch, online, settings
from qpa.bench.families.mobile.wishes import Wish, draw, either, fill, wished
from qpa.bench.families.values import EVENTS, Draw
from qpa.envs.sandbox.schema import World


def install_offline(rng: Draw, world: World) -> Draft:
    """The store needs a network; mobile data may be switched on only when nothing else carries traffic."""
    app, offline = rng.pick(STORE), rng.random() < 0.6
    networks = [{"ssid": row["ssid"], "connected": 0} for row in world.rows["wifi_networks"]]
    if not offline:
        networks[0] |= {"connected": 1, "saved": 1}

    def plan() -> Plan:
        install = do("install_app", appName=app)
        feedback = yield [install]
        if not feedback[0].ok:
            yield [do("manage_mobile_data", action="enable")]
            yield [install]
        return done(rng.say(f"{app} is installed.", f"{app}装好了。"))

    state = {"wifi": "off" if offline else "on", "mobile_data": "off", "airplane_mode": "off", "data_saver": "off"}
    return Draft(
        phrasings=(
            "Install {app}. Turn mobile data on only if there's no connection.",
            "I want {app} on this phone; if you can't get online, use mobile data.",
            "Put {app} on my phone. No network? Then, and only then, switch on mobile data.",
            "Get {app} from the store. Leave mobile data off unless the install fails without it.",
        ),
        chinese=(
            "安装{app}，没网的话才打开移动数据。",
            "帮我装{app}，要是连不上网就开移动数据",
            "下载安装{app}，有网就别动移动数据，没网再开",
            "去商店装个{app}，除非没网装不了，否则不要开流量",
        ),
        slots={"app": app},
        plan=plan,
        patch={"store_apps": [fill(offer(), {"app": app})], "wifi_networks": networks, "settings": settings(**state)},
        shown=("manage_mobile_data",),
    )


def uninstall_older(rng: Draw, world: World) -> Draft:
    """Which of two apps goes depends on when they were used."""
    first, second = rng.several(APPS, 2)
    days = sorted(rng.sample(range(1, 29), 2))
    rng.shuffle(days)
    used = dict(zip((first, second), (f"2024-12-{day:02d}T18:00:00" for day in days), strict=True))

    def plan() -> Plan:
        feedback = yield [do("query_app_info", appName=first), do("query_app_info", appName=second)]
        a, b = (f.payload["data"]["last_used"] for f in feedback)
        gone = first if a < b else second
        yield [do("uninstall_app", appName=gone)]
        return done(rng.say(f"{gone} is uninstalled.", f"{gone}已卸载。"))

    return Draft(
        phrasings=(
            "Uninstall {first} or {second}, whichever I haven't used for longer.",
            "I don't need both {first} and {second}. Remove the one I opened less recently.",
            "Compare when I last used {first} and {second}, and uninstall the one that was used longer ago.",
            "One of {first} and {second} has to go: check which was last opened earlier and uninstall that one.",
        ),
        chinese=(
            "{first}和{second}，哪个更久没用就卸载哪个。",
            "{first}、{second}留一个就够，把更长时间没打开的那个卸了",
            "看看{first}和{second}上次使用时间，卸载用得更早的那个",
            "{first}和{second}里必须删一个，查一下哪个更久没打开，卸掉它",
        ),
        slots={"first": first, "second": second},
        plan=plan,
        patch={"apps": [{"name": n, "kind": "user", "last_used": at, "running": 0} for n, at in used.items()]},
        shown=("uninstall_app",),
    )


def notice_branch(rng: Draw, world: World) -> Draft:
    """What happens depends on whether a notification is there."""
    app, (title, other), minutes = rng.pick(QUIET_APPS), rng.several(EVENTS, 2), rng.randrange(10, 120, 5)
    there = rng.random() < 0.5
    rows = [notice(1, title if there else other, minutes=rng.randint(10, 59), app=app)]

    def plan() -> Plan:
        feedback = yield [do("query_notifications", appName=app)]
        found = [item["id"] for item in feedback[0].payload["data"]["items"] if item["title"] == title]
        if found:
            yield [do("snooze_notification", notificationId=found[0], minutes=minutes)]
            return done(rng.say(f"{title} comes back in {minutes} minutes.", f"“{title}”{minutes}分钟后再提醒。"))
        yield [do("manage_app_notifications", action="enable", appName=app, level="priority")]
        return done(rng.say(f"Nothing yet; {app} has priority now.", f"还没有，{app}的通知已设为优先。"))

    return Draft(
        phrasings=(
            "If {app} has notified me about {title}, snooze that for {minutes} minutes; if not, make {app}'s "
            "notifications priority.",
            "Is there a notification {title} from {app}? Then bring it back in {minutes} minutes. Otherwise set "
            "{app} to priority notifications.",
            "Snooze the {title} notification of {app} {minutes} minutes if it's there, else make {app} notifications "
            "priority.",
            "I'm waiting for {title} from {app}. Already there: show it again in {minutes} minutes. Not there: "
            "priority for {app}'s notifications so I won't miss it.",
        ),
        chinese=(
            "如果{app}有“{title}”的通知，就延后{minutes}分钟；没有就把{app}的通知设为优先。",
            "看看{app}来没来“{title}”的通知，来了就{minutes}分钟后再提醒我，没来就把它的通知调成优先",
            "{app}的“{title}”通知要是已经到了，稍后{minutes}分钟再弹；没到的话{app}通知改优先",
            "我在等{app}的“{title}”。通知到了就推迟{minutes}分钟，还没到就把{app}通知级别设成优先，免得漏了",
        ),
        slots={"app": app, "title": title, "minutes": minutes},
        plan=plan,
        patch={"apps": [{"name": app, "enabled": 1, "notifications": "default"}], "notifications": rows},
        shown=("snooze_notification", "manage_app_notifications"),
    )


SET_UP = Wish(
    calls=(
        do("install_app", appName="{app}"),
        do("manage_app_permission", action="grant", appName="{app}", permission="camera", access="while_using"),
        do("manage_app_notifications", action="enable", appName="{app}", level="silent"),
    ),
    slots={"app": STORE},
    patch={"store_apps": [offer()], "settings": online(data_saver="off")},
    english=(
        "Install {app}, let it use the camera while I use it, and make its notifications silent.",
        "Get {app}, camera access during use only, and it should notify me silently.",
        "Set up {app} for me: install it, allow the camera while in use, notifications on silent.",
        "I need {app} with camera permission (only in use) but without noisy notifications, so silent. It isn't "
        "installed yet.",
    ),
    chinese=(
        "安装{app}，允许它使用期间用相机，通知设为静默。",
        "装一下{app}，相机权限只给使用时，通知改成静默",
        "帮我弄好{app}：先装上，使用时可以用摄像头，消息通知静默",
        "我要用{app}，还没装，装好后相机仅使用期间允许，通知别出声，设静默",
    ),
)


def card_or_cloud(rng: Draw, world: World) -> Draft:
    """Where a file goes depends on the space that is left."""
    file, limit = rng.pick(VIDEOS), rng.randint(4, 30)
    total = limit + rng.choice((-2, 2))

    def plan() -> Plan:
        feedback = yield [do("query_storage", storage="sd_card")]
        if feedback[0].payload["data"]["free_gb"] > limit:
            yield [do("move_file", fileName=file, storage="sd_card")]
            return done(rng.say(f"{file} is on the SD card.", f"{file}已移到SD卡。"))
        yield [do("manage_cloud_drive", action="upload", fileName=file)]
        return done(rng.say(f"{file} is in the cloud drive.", f"{file}已上传云盘。"))

    return Draft(
        phrasings=(
            "If the SD card has more than {limit} GB free, move {file} there, otherwise upload it to the cloud.",
            "Check the SD card: over {limit} GB left means {file} moves onto it, if not, upload {file} to my cloud "
            "drive.",
            "Move {file} to the memory card, provided more than {limit} GB are free on it. Else put it in the cloud.",
            "I'd like {file} on the SD card but not if that has {limit} GB or less to spare; upload it to the cloud "
            "drive in that case.",
        ),
        chinese=(
            "SD卡剩余超过{limit}GB就把{file}移过去，否则上传到云盘。",
            "看看SD卡，空闲大于{limit}GB就挪{file}过去，不够就传云盘",
            "{file}移到存储卡，前提是卡上还有{limit}GB以上，不然就放云盘",
            "我想把{file}放SD卡，但卡的剩余空间不到{limit}GB就别放了，改传云盘",
        ),
        slots={"file": file, "limit": limit},
        plan=plan,
        patch={
            "files": [file_row(1, file, "video", size_kb=300_000)],
            "settings": online(sd_card="on", sd_total_mb=str(total * 1024), cloud_total_mb="15360", data_saver="off"),
        },
        shown=("move_file", "manage_cloud_drive"),
    )


def newest_renamed(rng: Draw, world: World) -> Draft:
    """Which file is meant has to be found out by date."""
    drawn = draw(rng, world, {"where": folder, "name": label, "a b c": either(DOCUMENTS, CHINESE_DOCUMENTS, 3)})
    where, name, *names = drawn.values()
    days = rng.sample(range(1, 14), 3)
    rows = [
        file_row(i, file, modified_at=f"2025-01-{day:02d}T10:00:00")
        for i, (file, day) in enumerate(zip(names, days, strict=True), start=1)
    ]

    def plan() -> Plan:
        feedback = yield [do("local_file_search", folder=where, sortBy="recent")]
        newest = feedback[0].payload["data"]["items"][0]["name"]
        yield [do("rename_file", fileName=newest, newName=name)]
        return done(rng.say(f"{newest} is renamed.", f"{newest}已重命名。"))

    return Draft(
        phrasings=(
            'Rename the newest file in the folder {folder} to "{name}".',
            'The latest file in {folder} should be called "{name}".',
            'Look in my {folder} folder, take the most recently changed file and name it "{name}".',
            'I just saved something in the folder {folder}. Whatever is most recent there, rename it "{name}".',
        ),
        chinese=(
            "把“{folder}”文件夹里最新的文件改名为“{name}”。",
            "“{folder}”里最近修改的那个文件，名字改成“{name}”",
            "去“{folder}”文件夹找最新的一个文件，重命名成“{name}”",
            "我刚在“{folder}”文件夹存了东西，把里面最新的那个文件叫做“{name}”",
        ),
        slots={"folder": where, "name": name},
        plan=plan,
        patch={"files": rows, "file_folders": [{"file": file, "folder": where} for file in names]},
        shown=("rename_file",),
    )


def card_unmounted(rng: Draw, world: World) -> Draft:
    """The card may have to be mounted first (409)."""
    file, mounted = rng.pick(VIDEOS), rng.random() < 0.4

    def plan() -> Plan:
        move = do("move_file", fileName=file, storage="sd_card")
        feedback = yield [move]
        if not feedback[0].ok:
            yield [do("manage_sd_card", action="mount")]
            yield [move]
        return done(rng.say(f"{file} is on the SD card.", f"{file}已移到SD卡。"))

    return Draft(
        phrasings=(
            "Move {file} to the SD card, mount the card if it isn't.",
            "{file} should be on the memory card. In case the card isn't mounted, do that first.",
            "Put {file} on the SD card; I'm not sure it's mounted, so mount it when needed.",
            "I think I ejected the SD card. Mount it again if so, and move {file} onto it.",
        ),
        chinese=(
            "把{file}移到SD卡，没挂载就先挂载。",
            "{file}要放到存储卡上，卡没装载的话先装载",
            "{file}挪到SD卡里，不确定卡挂没挂上，需要的话先挂载",
            "我好像弹出过SD卡，要是没挂载就重新挂上，再把{file}移进去",
        ),
        slots={"file": file},
        plan=plan,
        patch={
            "files": [file_row(1, file, "video", size_kb=300_000)],
            "settings": settings(sd_card="on" if mounted else "off", sd_total_mb="65536"),
        },
        shown=("manage_sd_card",),
    )


FETCH = Wish(
    calls=(
        do("manage_cloud_drive", action="download", fileName="{file}"),
        do("move_file", fileName="{file}", folder="{folder}"),
    ),
    slots={"file": document, "folder": folder},
    patch={"cloud_files": [{"name": "{file}", "kind": "document", "size_kb": 700}], "settings": online()},
    english=(
        "Download {file} from the cloud and put it in the folder {folder}.",
        "I need {file} from my cloud drive in the {folder} folder of this phone.",
        "Get {file} down from the cloud drive; it goes to {folder}, not to the downloads.",
        "{file} is only in the cloud. Save it on the phone, in my folder {folder}.",
    ),
    chinese=(
        "从云盘下载{file}，放到“{folder}”文件夹。",
        "云盘里的{file}给我存到手机的“{folder}”文件夹",
        "把{file}从云盘下下来，挪到“{folder}”，别留在下载目录",
        "{file}只在云盘有，下载到手机“{folder}”文件夹里",
    ),
)

APP_STEPS = (install_offline, uninstall_older, notice_branch, lambda rng, world: wished(rng, world, (SET_UP,)))
FILE_STEPS = (card_or_cloud, newest_renamed, card_unmounted, lambda rng, world: wished(rng, world, (FETCH,)))


@family("apps_steps", TOOL, APPS_STORAGE, "dependency", variants=len(APP_STEPS))
def apps_steps(rng: Draw, world: World) -> Draft:
    """Wishes about apps that need a look, a condition or several calls."""
    return branch(rng, world, APP_STEPS)


@family("apps_files_steps", TOOL, APPS_STORAGE, "dependency", variants=len(FILE_STEPS))
def apps_files_steps(rng: Draw, world: World) -> Draft:
    """Wishes about files that need a look, a condition or several calls."""
    return branch(rng, world, FILE_STEPS)


FAMILIES = (apps_steps, apps_files_steps)
