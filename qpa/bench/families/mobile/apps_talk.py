"""Basic tool use in Apps & Storage across turns: what "it" or "the second one" is, and changes of mind."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.apps import APPS, APPS_STORAGE, QUIET_APPS, TOOL, app_row
from qpa.bench.families.mobile.apps_files import (
    CHINESE_DOCUMENTS,
    DOCUMENTS,
    binned,
    document,
    file_row,
    files,
    folders,
)
from qpa.bench.families.mobile.common import branch, past_turn, settings
from qpa.bench.families.mobile.wishes import Past, Wish, either, number, wished
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.schema import World

FOUND = ["{first}", "{second}", "{third}"]
ORDINALS = (("first", "第一个"), ("second", "第二个"), ("third", "第三个"))


def listed_app(rng: Draw, world: World) -> Draft:
    """One of the apps that the assistant listed by size."""
    names, position = rng.several(APPS, 3), rng.randrange(3)
    sizes = sorted(rng.sample(range(4000, 9000), 3), reverse=True)
    rows = [
        {"name": name, "size_mb": 100, "cache_mb": 700, "data_mb": size - 800, "hidden": 0}
        for name, size in zip(names, sizes, strict=True)
    ]
    items = [{"app": name, "size_mb": size} for name, size in zip(names, sizes, strict=True)]
    question = rng.say("Which apps are the largest?", "哪些应用最占空间？")
    answer = "; ".join(f"{item['app']} {item['size_mb']} MB" for item in items)

    def plan() -> Plan:
        yield [do("clear_app_cache", appName=names[position])]
        return done(rng.say(f"Cache of {names[position]} cleared.", f"{names[position]}的缓存已清除。"))

    english, chinese = ORDINALS[position]
    return Draft(
        phrasings=(
            "Clear the cache of the {ordinal} one.",
            "OK, empty the {ordinal} one's cache for now.",
            "The {ordinal} of those: clear its cache, but not its data.",
            "Hm, let's begin with the {ordinal} app on that list. Just the cache, please.",
        ),
        chinese=(
            "清除{ordinal}的缓存。",
            "好，先把{ordinal}的缓存清了",
            "刚才列的{ordinal}，清它的缓存，数据别动",
            "嗯，那就从列表里{ordinal}应用开始吧，只清缓存",
        ),
        slots={"ordinal": rng.say(english, chinese)},
        plan=plan,
        patch={"apps": rows, "settings": settings(storage_total_mb="524288")},
        history=past_turn(
            question, "query_apps", {"sortBy": "largest"}, {"items": items, "total": len(world.rows["apps"])}, answer
        ),
    )


def same_access(rng: Draw, world: World) -> Draft:
    """The access of one app is what another one has."""
    model, app = rng.several(QUIET_APPS, 2)
    access = rng.choice(("while_using", "always", "ask"))

    def plan() -> Plan:
        feedback = yield [do("manage_app_permission", action="query", appName=model, permission="location")]
        level = feedback[0].payload["data"]["access"]
        yield [do("manage_app_permission", action="grant", appName=app, permission="location", access=level)]
        return done(rng.say(f"{app} has the same access now.", f"{app}的权限已经一样了。"))

    return Draft(
        phrasings=(
            "Give {app} the same location access as {model}.",
            "{app} may use my location just like {model} does.",
            "Whatever {model} is allowed to do with my location, allow {app} that too.",
            "I set up the location permission of {model} the way I like it. Do the same for {app}.",
        ),
        chinese=(
            "给{app}和{model}一样的定位权限。",
            "{app}的位置权限跟{model}设成一样",
            "{model}能怎么用定位，{app}也给同样的",
            "{model}的位置权限我已经设好了，{app}照着它设",
        ),
        slots={"app": app, "model": model},
        plan=plan,
        patch={
            "apps": [{"name": app, "enabled": 1}, {"name": model, "enabled": 1}],
            "app_permissions": [{"app": model, "permission": "location", "access": access}],
        },
    )


LISTED_FILE = Wish(
    calls=(do("delete_file", fileName="{second}"),),
    slots={"first second third": either(DOCUMENTS, CHINESE_DOCUMENTS, 3), "days": number(3, 9)},
    patch=files(
        file_row(1, "{first}", modified_at="2025-01-14T20:00:00"),
        file_row(2, "{second}", modified_at="2025-01-14T18:00:00"),
        file_row(3, "{third}", modified_at="2025-01-14T16:00:00"),
    ),
    past=(
        Past(
            ("Which documents did I change lately?", "我最近改过哪些文档？"),
            ("{first}, {second} and {third}.", "{first}、{second}和{third}。"),
            do("local_file_search", kind="document", withinDays="{days}"),
            {"items": [{"name": name, "folder": "Documents", "size_kb": 640} for name in FOUND], "total": 3},
        ),
    ),
    english=(
        "Delete the second one.",
        "The second one can go into the bin.",
        "I don't need the one in the middle, delete it.",
        "Keep the first and the last of them, throw the other one away.",
    ),
    chinese=("删除第二个。", "第二个扔回收站吧", "中间那个不要了，删掉", "第一个和最后一个留着，另外那个删了"),
)

THAT_APP = Wish(
    calls=(do("manage_app_autostart", action="disable", appName="{app}"),),
    slots={"app": APPS, "data": number(200, 900)},
    patch=app_row(autostart=1, battery="optimized", data_mb="{data}"),
    past=(
        Past(
            ("How much data does {app} keep on my phone?", "{app}在手机里存了多少数据？"),
            ("{data} MB. By the way, it starts by itself.", "{data}MB。另外它会自启动。"),
            do("query_app_info", appName="{app}"),
            {"data_mb": "{data}", "enabled": True, "autostart": True},
        ),
    ),
    english=(
        "Oh, stop it from starting by itself.",
        "I don't want that. Switch off its autostart, please.",
        "Then it shouldn't launch on its own any longer.",
        "The data is fine. But it must not start unless I open it.",
    ),
    chinese=(
        "那别让它自启动了。",
        "我可不想这样，把它的自启动关掉",
        "以后不许它自己启动",
        "数据没关系，不过只有我打开它才能启动",
    ),
)

REFERENCE = (
    listed_app,
    same_access,
    lambda rng, world: wished(rng, world, (LISTED_FILE,)),
    lambda rng, world: wished(rng, world, (THAT_APP,)),
)

REVISED = (
    Wish(
        calls=(do("manage_app_notifications", action="enable", appName="{app}", level="silent"),),
        slots={"app": APPS},
        patch=app_row(notifications="default"),
        english=(
            "Turn {app}'s notifications off... no, just make them silent.",
            "Block notifications from {app}. Wait, silent is enough, I still want to see them.",
            "No more notifications from {app}! Hm, rather leave them on, but set to silent.",
            "Notifications of {app} off, actually don't, silent will do.",
        ),
        chinese=(
            "关掉{app}的通知……算了，设成静默就行。",
            "屏蔽{app}的通知。等等，静默就够了，我还想看到",
            "不要{app}的通知了！嗯，还是留着吧，改成静默",
            "{app}通知关了吧，哎先别关，静默通知就好",
        ),
    ),
    Wish(
        calls=(do("force_stop_app", appName="{app}"),),
        slots={"app wrong": APPS},
        patch={"apps": [{"name": name, "running": 1, "stopped": 0} for name in ("{app}", "{wrong}")]},
        english=(
            "Force stop {wrong}, sorry, I mean {app}.",
            "{wrong} hangs. Force-stop it. No wait, it's {app} that hangs, stop that one instead.",
            "Force {wrong} to stop... not {wrong}, {app}!",
            "Please force stop {wrong}. Oh, {wrong} is fine, {app} is the frozen one, so that.",
        ),
        chinese=(
            "强行停止{wrong}，不对，是{app}。",
            "{wrong}卡了，强制停止它。等下，卡的是{app}，停{app}",
            "强制停止{wrong}……不是{wrong}，是{app}！",
            "麻烦强停{wrong}。哦{wrong}没事，卡住的是{app}，停这个",
        ),
    ),
    Wish(
        calls=(do("manage_disabled_apps", action="enable", appName="{app}"),),
        slots={"app": APPS},
        patch=app_row() | {"apps": [{"name": "{app}", "enabled": 0, "running": 0}]},
        past=(
            Past(
                ("Disable {app}.", "停用{app}。"),
                ("{app} is disabled.", "{app}已停用。"),
                do("manage_disabled_apps", action="disable", appName="{app}"),
            ),
        ),
        english=(
            "Undo that.",
            "Hm, I need it after all. Enable it again.",
            "Sorry, that was a mistake, please reverse it.",
            "My boss just wrote to me there. Make it usable again.",
        ),
        chinese=("撤销刚才的操作。", "唉还是得用它，重新启用吧", "弄错了，改回来", "老板刚在上面找我，把它恢复使用"),
    ),
    Wish(
        calls=(do("manage_recycle_bin", action="restore", fileName="{file}"),),
        slots={"file": document},
        patch=binned(deleted_at="2025-01-15T08:58:00"),
        past=(
            Past(
                ("Delete {file}.", "删除{file}。"),
                ("{file} is in the recycle bin.", "{file}已移到回收站。"),
                do("delete_file", fileName="{file}"),
                {"name": "{file}"},
            ),
        ),
        english=(
            "Oh no, I still need it. Get it back.",
            "Undo the deletion.",
            "Wrong file! Restore it, please.",
            "Wait, my sister wants to read that first. Bring it back.",
        ),
        chinese=("糟了，还要用，弄回来。", "撤销删除", "删错文件了！恢复一下", "等等，我姐还要看呢，把它找回来"),
    ),
    Wish(
        calls=(do("move_file", fileName="{file}", folder="{folder}"),),
        slots={"file": document, "folder wrong": folders},
        patch=files(),
        english=(
            "Move {file} to the folder {wrong}, no, to {folder}.",
            "Put {file} into {wrong}... actually the folder {folder} is better.",
            "{file} goes into the folder {wrong}. Wait, {folder}!",
            "Could you file {file} under {wrong}? Scratch that, use the folder {folder}.",
        ),
        chinese=(
            "把{file}移到“{wrong}”文件夹，不，移到“{folder}”。",
            "{file}放进“{wrong}”……还是“{folder}”文件夹更合适",
            "{file}挪到“{wrong}”文件夹。等等，是“{folder}”！",
            "{file}归到“{wrong}”吧？算了，用“{folder}”文件夹",
        ),
    ),
    Wish(
        calls=(
            do("manage_hidden_apps", action="unhide", appName="{wrong}"),
            do("manage_hidden_apps", action="hide", appName="{app}"),
        ),
        slots={"app wrong": APPS},
        patch={"apps": [{"name": "{app}", "hidden": 0}, {"name": "{wrong}", "hidden": 1}]},
        past=(
            Past(
                ("Hide the icon of {wrong}.", "隐藏{wrong}的图标。"),
                ("The icon of {wrong} is hidden.", "{wrong}的图标已隐藏。"),
                do("manage_hidden_apps", action="hide", appName="{wrong}"),
            ),
        ),
        english=(
            "That's the wrong one. Show it again and hide {app} instead.",
            "No, not that! I meant {app}. Put the other icon back.",
            "Swap that: its icon visible again, {app}'s icon hidden.",
            "I mixed them up, {app} should be hidden and that one shown.",
        ),
        chinese=(
            "弄错了，把它显示出来，改为隐藏{app}。",
            "不是这个！我说的是{app}，刚才那个恢复显示",
            "换一下：它的图标放出来，{app}的图标藏起来",
            "我记混了，该隐藏的是{app}，那个要显示",
        ),
    ),
)


@family("apps_reference", TOOL, APPS_STORAGE, "reference", variants=len(REFERENCE))
def apps_reference(rng: Draw, world: World) -> Draft:
    """An app or a file of an earlier turn, or a setting like that of another app."""
    return branch(rng, world, REFERENCE)


@family("apps_revised", TOOL, APPS_STORAGE, "revision", variants=len(REVISED))
def apps_revised(rng: Draw, world: World) -> Draft:
    """The person corrects himself, within one sentence or after it was done."""
    return wished(rng, world, REVISED)


FAMILIES = (apps_reference, apps_revised)
