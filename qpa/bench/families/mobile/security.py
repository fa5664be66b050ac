"""Basic tool use in Security & Privacy: requests about locks and fingers, and what the domain's families share."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.apps import QUIET_APPS, TOOL
from qpa.bench.families.mobile.common import Rows, settings
from qpa.bench.families.mobile.wishes import Slot, Wish, either, number, wished
from qpa.bench.families.values import DEVICES, Draw
from qpa.envs.sandbox.schema import World

SECURITY = "Security & Privacy"
SITES = tuple(
    f"{word}.example"
    for word in ("rail", "library", "photos", "winery", "gymclub", "taxes", "radio", "parcels", "school", "recipes")
)
USERS = ("nora.keller", "t.brandt", "lee1984", "pia.moss", "kofi.b", "yuki.sun", "marta.rey", "sam.oak")
FINGERS = ("Left ring", "Right ring", "Left little", "Right little", "Left middle", "Right middle")
CHINESE_FINGERS = ("左手无名指", "右手无名指", "左手小指", "右手小指", "左手中指", "右手中指")
finger, fingers = either(FINGERS, CHINESE_FINGERS), either(FINGERS, CHINESE_FINGERS, 2)


def secret(rng: Draw, world: World) -> str:
    """A password for a site."""
    return rng.password()


def code(rng: Draw, world: World) -> str:
    """A PIN of four digits."""
    return str(rng.randint(1000, 9999))


def codes(rng: Draw, world: World) -> list[str]:
    """Two different PINs."""
    return [str(n) for n in rng.sample(range(1000, 10000), 2)]


def locked(**more: str) -> list[dict[str, str]]:
    """Settings of a phone with a screen lock, which most protection needs."""
    return settings(**{"screen_lock": "pin", "screen_lock_password": "2580", "lockdown_mode": "off", **more})


def rule(name: str, item: str = "{app}") -> dict[str, str]:
    """A patched rule: app_lock, private_space, payment, unknown_sources, safe_folder or trusted_device."""
    return {"rule": name, "item": item}


def account(number_: int = 1, **columns: Any) -> dict[str, Any]:
    """A patched saved password."""
    row = {"site": "{site}", "username": "{user}", "password": "{old}", "updated_at": "2024-09-01T09:00:00"}
    return {"id": f"password_{700 + number_}", **row, **columns}


def enrolled(name: str = "{finger}", kind: str = "fingerprint") -> Rows:
    """A patch with a finger or a face."""
    return {"biometrics": [{"kind": kind, "name": name}]}


slot: Slot = number(1, 2)

LOCKS = (
    Wish(
        calls=(do("manage_app_lock", action="enable", appName="{app}"),),
        slots={"app": QUIET_APPS},
        patch={"apps": [{"name": "{app}"}], "settings": locked()},
        hidden=("manage_recent_apps",),
        english=(
            "Put an app lock on {app}.",
            "Nobody should get into {app} without unlocking. Turn on app lock for it.",
            "Lock {app} behind my PIN, please.",
            "My kid plays with my phone, so {app} should ask for the screen lock code first.",
        ),
        chinese=(
            "给{app}加上应用锁。",
            "别人不能随便进{app}，打开它的应用锁",
            "{app}用锁屏密码锁起来",
            "孩子老玩我手机，打开{app}之前要先验证密码",
        ),
    ),
    Wish(
        calls=(do("manage_screen_lock", action="set", lockType="pin", code="{new}", currentCode="{old}"),),
        slots={"old new": codes},
        patch={"settings": locked(screen_lock_password="{old}")},
        english=(
            "Change my screen lock PIN from {old} to {new}.",
            "My PIN is {old} now, make it {new}.",
            "New lock screen PIN please: {new}. The current one is {old}.",
            "My brother saw me type {old}. Set the screen PIN to {new} instead.",
        ),
        chinese=(
            "把锁屏PIN码从{old}改成{new}。",
            "现在的锁屏密码是{old}，换成新PIN码{new}",
            "锁屏PIN改为{new}，原来的是{old}",
            "我弟看到我输{old}了，锁屏PIN码换成{new}吧",
        ),
    ),
    Wish(
        calls=(do("manage_fingerprint", action="add", name="{finger}"),),
        slots={"finger": finger},
        patch={"settings": locked()},
        english=(
            'Add a fingerprint named "{finger}".',
            'Enrol another finger, call it "{finger}".',
            'I want to unlock with one more finger. Save it as "{finger}".',
            'New fingerprint: "{finger}".',
        ),
        chinese=(
            "添加指纹，名称“{finger}”。",
            "再录一个指纹，叫“{finger}”",
            "我想多用一根手指解锁，录入后存为“{finger}”",
            "新增指纹：“{finger}”",
        ),
    ),
    Wish(
        calls=(do("manage_smart_unlock", action="add", deviceName="{device}"),),
        slots={"device": DEVICES},
        patch={"bluetooth_devices": [{"name": "{device}", "kind": "device", "paired": 1}], "settings": locked()},
        hidden=("manage_trusted_devices",),
        english=(
            "Keep my phone unlocked while {device} is near.",
            "Use {device} for smart unlock.",
            "I don't want to type my code when {device} is connected. Add it to smart unlock.",
            "With {device} close by the phone should stay unlocked.",
        ),
        chinese=(
            "{device}在旁边时手机保持解锁。",
            "智能解锁里加上{device}",
            "连着{device}的时候不想输密码，把它加到智能解锁",
            "只要{device}在附近，手机就别锁",
        ),
    ),
    Wish(
        calls=(do("manage_fingerprint", action="rename", name="{finger}", newName="{name}"),),
        slots={"finger name": fingers},
        patch={**enrolled(), "settings": locked()},
        english=(
            'Rename the fingerprint "{finger}" to "{name}".',
            'The fingerprint "{finger}" is really another finger. Call it "{name}".',
            'Change the name of my "{finger}" print to "{name}".',
            'I labelled a fingerprint wrongly: not "{finger}" but "{name}".',
        ),
        chinese=(
            "把指纹“{finger}”改名为“{name}”。",
            "“{finger}”那个指纹其实是别的手指，名字改成“{name}”",
            "指纹“{finger}”重命名：“{name}”",
            "有个指纹标错了，不是“{finger}”，应该叫“{name}”",
        ),
    ),
    Wish(
        calls=(do("manage_sim_lock", action="enable", slot="{slot}", pin="{pin}"),),
        slots={"slot": slot, "pin": code},
        patch={
            "sims": [{"slot": "{slot}", "enabled": 1}],
            "settings": [{"key": "sim{slot}_lock", "value": "off"}, {"key": "sim{slot}_pin", "value": "{pin}"}],
        },
        english=(
            "Turn on the SIM lock for SIM {slot}, its PIN is {pin}.",
            "Protect SIM {slot} with its PIN {pin}.",
            "If my phone is stolen nobody should use SIM {slot}. Lock it, the SIM PIN is {pin}.",
            "SIM {slot} should ask for its PIN at start: {pin}.",
        ),
        chinese=(
            "打开卡{slot}的SIM卡锁，PIN码是{pin}。",
            "给SIM卡{slot}上锁，PIN是{pin}",
            "怕手机被偷，把SIM卡{slot}锁上，它的PIN码{pin}",
            "卡{slot}开机要输PIN，PIN码{pin}，帮我设上",
        ),
    ),
    Wish(
        calls=(do("manage_face_unlock", action="add", name="{face}"),),
        slots={
            "face": either(
                ("With beard", "With hat", "My twin", "Morning face", "With mask", "Contacts in"),
                ("留胡子", "戴帽子", "素颜", "戴口罩", "化妆后", "短发"),
            )
        },
        patch={"settings": locked(camera_access="on")},
        english=(
            'Add a face named "{face}" for face unlock.',
            'Face unlock often misses me. Enrol another face, "{face}".',
            'Save a second face called "{face}".',
            'Register my face once more as "{face}".',
        ),
        chinese=(
            "人脸解锁里添加一个面容，叫“{face}”。",
            "人脸解锁老认不出我，再录一个“{face}”",
            "再存一张脸，名称“{face}”",
            "把我的脸再录入一次，命名“{face}”",
        ),
    ),
    Wish(
        calls=(do("manage_biometric_use", action="enable", feature="payments"),),
        slots={"finger": finger},
        patch={**enrolled(), "settings": locked(biometric_payments="off")},
        english=(
            "Let me pay with my fingerprint.",
            "Turn on fingerprint for payments.",
            "I've enrolled my {finger} finger, now allow fingerprints for payments too.",
            "No more codes at the till: use biometrics for payments.",
        ),
        chinese=(
            "开启指纹支付。",
            "付款时可以用指纹验证",
            "我录了{finger}，支付也允许用指纹",
            "付钱不想再输密码，让支付用生物识别",
        ),
    ),
    Wish(
        calls=(do("manage_lockdown_mode", action="enable"),),
        patch={"settings": locked()},
        english=(
            "Turn on lockdown mode.",
            "Only my code should unlock the phone now, no fingerprints or face: lockdown mode.",
            "I'm at the border, put the phone into lockdown.",
        ),
        chinese=("打开锁定模式。", "现在只许用密码解锁，指纹人脸都不行，开锁定模式", "要过安检了，手机进入锁定模式"),
    ),
    Wish(
        calls=(do("manage_app_lock", action="disable", appName="{app}"),),
        slots={"app": QUIET_APPS},
        patch={"apps": [{"name": "{app}"}], "security_rules": [rule("app_lock")], "settings": locked()},
        english=(
            "Remove the app lock from {app}.",
            "I'm tired of typing my PIN for {app}. Take its app lock off.",
            "{app} no longer needs an app lock.",
        ),
        chinese=("取消{app}的应用锁。", "每次开{app}都要输密码太烦，解除它的应用锁", "{app}不用应用锁了"),
    ),
)


COMBINED = (
    Wish(
        calls=(
            do("manage_app_lock", action="enable", appName="{app}"),
            do("set_sound_mode", mode="silent"),
            do("manage_location", action="disable"),
        ),
        slots={"app": QUIET_APPS},
        patch={"apps": [{"name": "{app}"}], "settings": locked(sound_mode="normal", location="on")},
        english=(
            "Put an app lock on {app}, set the phone to silent and turn location off.",
            "Silent mode, no location, and {app} behind the app lock, please.",
            "I'm lending my phone out: location off, {app} locked with the app lock, sound mode silent.",
            "Three things for the meeting. Lock the app {app}. Phone on silent. Location services off.",
        ),
        chinese=(
            "给{app}加应用锁，手机调静音，再关掉定位。",
            "静音模式，定位关闭，{app}上应用锁",
            "手机要借人：关定位，{app}用应用锁锁上，声音模式设静音",
            "开会前三件事：{app}加应用锁，手机静音，定位服务关掉",
        ),
    ),
)


@family("security_locks", TOOL, SECURITY, "grounding", variants=len(LOCKS))
def security_locks(rng: Draw, world: World) -> Draft:
    """Screen, app and SIM locks, fingers and faces, trusted devices."""
    return wished(rng, world, LOCKS)


@family("security_combined", TOOL, SECURITY, "dependency", unseen="family")
def security_combined(rng: Draw, world: World) -> Draft:
    """Known tools of three domains that training never combines."""
    return wished(rng, world, COMBINED)


FAMILIES = (security_locks, security_combined)
