"""Basic tool use in Devices & Cross-device: one-call wishes between two screens, and files and keys that move."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import Rows, online
from qpa.bench.families.mobile.devices import DEVICES
from qpa.bench.families.mobile.system import TOOL
from qpa.bench.families.mobile.wishes import Slot, Wish, wished, worded
from qpa.bench.families.values import EVENTS, NAMES, Draw
from qpa.envs.sandbox.schema import World

# Machines that no world has; none is part of another's name.
TVS = ("Den TV", "Attic TV", "Garage TV", "Guest Room TV", "Studio TV", "Basement TV", "Patio TV")
TABLETS = ("Lenovo Tab P12", "iPad Air", "Honor Pad 9", "Oppo Pad 2", "Fire Max 11", "Nokia T21", "Vivo Pad 3")
LAPTOPS = ("Zenbook 14", "Surface Go", "Swift X", "Aero 16", "MateBook D", "Pavilion 15", "Spectre x360")
PHONES = ("Moto G84", "Zenfone 10", "Nord 3", "Xperia 5", "Galaxy A55", "Find X7", "Honor 200")
WATCHES = ("Orbit Watch", "Pace 3", "Venu Sq", "Amazfit GTR", "Ticwatch Pro", "Vivofit 4", "Watch GT 4")
IDLE = dict.fromkeys(
    (
        "casting_device",
        "casting_direction",
        "casting_method",
        "collaboration_device",
        "collaboration_mode",
        "keyboard_sharing_source",
        "keyboard_sharing_target",
        "car_link",
        "car_link_method",
        "migration_device",
        "migration_direction",
        "migration_started_at",
    ),
    "",
)


def machine(kind: str, name: str = "{device}", number_: int = 1, **columns: Any) -> dict[str, Any]:
    """A patched device nearby; its id is far from the seeded ones."""
    known = {"nearby": 1, "trusted": 1, "owned": 0, "online": 1}
    return {"id": f"device_{700 + number_}", "name": name, "kind": kind, **known, **columns}


def around(*devices: dict[str, Any], **values: str) -> Rows:
    """A phone with both radios on and nothing running, and these devices."""
    state = {"wifi": "on", "bluetooth": "on", "battery_mode": "normal", **IDLE, **values}
    return {"settings": online(**state), "devices": list(devices)}


def known(kind: str) -> Slot:
    """Id and name of the one device of this kind that every world has: a laptop, watch or car."""

    def found(rng: Draw, world: World) -> list[str]:
        row = next(row for row in world.rows["devices"] if row["kind"] == kind)
        return [row["id"], row["name"]]

    return found


def document(rng: Draw, world: World) -> str:
    """The name of a file that no world has."""
    return f"Handout_{rng.randint(100, 999)}.pdf"


FILE = {"id": "file_701", "name": "{file}", "kind": "document", "size_kb": 120}

SCREENS = (
    Wish(
        calls=(do("control_screen_casting", action="start", targetDeviceName="{device}"),),
        slots={"device": TVS, "event": EVENTS},
        patch=around(machine("tv", trusted=0)),
        reply=("The screen is on {device}.", "已投屏到{device}。"),
        english=(
            "Cast my screen to {device}.",
            "Put the phone's screen on {device}.",
            "Everyone wants to see the pictures of {event}. Show my screen on {device}.",
            "I'd like the {event} clips big: mirror this phone to {device}, wirelessly.",
        ),
        chinese=(
            "投屏到{device}。",
            "把手机屏幕投到{device}上",
            "大家都想看“{event}”的照片，把我的屏幕放到{device}上",
            "“{event}”的视频想看大的，手机无线投屏到{device}",
        ),
    ),
    Wish(
        calls=(do("control_screen_casting", action="start", castDirection="cast_in", targetDeviceName="{device}"),),
        slots={"device": TABLETS, "name": NAMES},
        patch=around(machine("tablet", trusted=0)),
        reply=("{device} is shown here.", "{device}的画面在手机上了。"),
        english=(
            "Show the screen of {device} on this phone, by casting.",
            "Cast in from {device} to my phone.",
            "{name} is drawing on {device} and I want to watch it here. Cast that screen to my phone.",
            "The other way round, please: the screen of {device} should be cast onto this phone.",
        ),
        chinese=(
            "把{device}的屏幕投到这部手机上。",
            "从{device}投屏到我手机",
            "{name}在{device}上画画，我想在手机上看，把它的屏幕投过来",
            "反过来投：{device}的画面投到手机上",
        ),
    ),
    Wish(
        calls=(do("manage_screen_collaboration", action="start", deviceName="{device}", mode="{mode}"),),
        slots={
            "device": LAPTOPS,
            "mode word": worded(("mirror", ("mirrored", "镜像")), ("extend", ("extended", "扩展"))),
        },
        patch=around(machine("laptop")),
        english=(
            "Start screen collaboration with {device}, {word}.",
            "Multi-screen collaboration: {device}, {word} display.",
            "I want to work across the phone and {device}. Start collaborating with the screen {word}.",
            "Bring {device} and my phone together in screen collaboration, in the {word} way.",
        ),
        chinese=(
            "和{device}开始多屏协同，{word}模式。",
            "多屏协同{device}，屏幕{word}",
            "我要在手机和{device}上一起干活，开多屏协同，用{word}",
            "把{device}和手机用多屏协同连起来，{word}方式",
        ),
    ),
    Wish(
        calls=(do("manage_clipboard_sharing", action="enable"),),
        slots={"name": NAMES},
        patch=around(machine("laptop", LAPTOPS[0]), clipboard_sharing="off"),
        english=(
            "Turn on clipboard sharing.",
            "Share the clipboard with my trusted devices.",
            "I copy {name}'s addresses here and want to paste them on the laptop. Switch that on.",
            "What I copy on the phone should be ready to paste on my other devices, like {name} has it.",
        ),
        chinese=(
            "打开剪贴板共享。",
            "跟我信任的设备共享剪贴板",
            "我在手机上复制{name}的地址，想在电脑上直接粘贴，把这个打开",
            "手机上复制的内容要能在其他设备上粘贴，像{name}那样",
        ),
    ),
    Wish(
        calls=(do("share_file_nearby", fileName="{file}", deviceName="{device}"),),
        slots={"file": document, "device": PHONES},
        patch={**around(machine("phone")), "files": [FILE]},
        hidden=("send_file",),
        reply=("{file} is sent to {device}.", "{file}已发给{device}。"),
        english=(
            "Share {file} with the nearby device {device}.",
            "Nearby share: {file} to {device}.",
            "The person next to me holds {device} and needs {file}. Send it over wirelessly.",
            "Can {device}, which is right here, get my {file} by nearby sharing?",
        ),
        chinese=(
            "把{file}分享给附近的{device}。",
            "附近分享：{file}发到{device}",
            "旁边的人用的是{device}，要{file}，无线传过去",
            "{device}就在旁边，用附近分享把{file}传给它好吗？",
        ),
    ),
    Wish(
        calls=(do("manage_phone_migration", action="choose_contents", contents=["{first}", "{second}"]),),
        slots={
            "first one": worded(("contacts", ("contacts", "联系人")), ("call_log", ("call log", "通话记录"))),
            "second other": worded(("videos", ("videos", "视频")), ("documents", ("documents", "文档"))),
        },
        patch=around(migration_contents="photos"),
        english=(
            "For the phone migration choose only {one} and {other}.",
            "Migration contents: {one} and {other}, nothing else.",
            "I'll move to a new phone tomorrow. Select {one} and {other} as what gets migrated, don't start yet.",
            "When I migrate phones, just the {one} and the {other} should come along; set that for later.",
        ),
        chinese=(
            "换机迁移只选{one}和{other}。",
            "迁移内容：{one}、{other}，别的不要",
            "明天要换新手机，迁移内容先选好{one}和{other}，先别开始",
            "换机的时候只带{one}和{other}过去，先设好",
        ),
    ),
    Wish(
        calls=(do("manage_keyboard_mouse_sharing", action="enable"),),
        slots={"id device": known("laptop"), "event": EVENTS},
        patch=around({"id": "{id}", "nearby": 1, "trusted": 1}),
        reply=("{device} types on the phone now.", "可以用{device}的键鼠操作手机了。"),
        english=(
            "Let me use the keyboard and mouse of {device} on this phone.",
            "Keyboard and mouse sharing from {device} to the phone, please.",
            "I have long replies to write for {event}. Share the laptop {device}'s keyboard and mouse with the phone.",
            "Typing about {event} on glass is awful, I'd rather use the keys and mouse of {device} here.",
        ),
        chinese=(
            "用{device}的键盘鼠标操作这部手机。",
            "把{device}的键鼠共享给手机",
            "“{event}”要回好多字，把笔记本{device}的键盘鼠标共享到手机",
            "在屏幕上打“{event}”的内容太难受，我想用{device}的键鼠来操作手机",
        ),
    ),
)


@family("device_screen_set", TOOL, DEVICES, "grounding", variants=len(SCREENS))
def device_screen_set(rng: Draw, world: World) -> Draft:
    """One thing between two screens, or moved from one device to another."""
    return wished(rng, world, SCREENS)


FAMILIES = (device_screen_set,)
