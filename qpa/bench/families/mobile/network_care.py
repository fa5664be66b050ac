"""Basic tool use in Network & Connectivity: families whose expert runs into an obstacle or has to ask first."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, Plan, ask, do, done, family
from qpa.bench.families.mobile.common import PERMISSION, asked, course, online, settings, step, talk
from qpa.bench.families.mobile.network import NETWORK, TOOL, device_row, new_devices, new_networks
from qpa.bench.families.mobile.words import still
from qpa.bench.families.tool_network import network_row
from qpa.bench.families.values import TITLES, Draw
from qpa.envs.sandbox.schema import World

# How a question may say that a network is not there, and that a card is the only one.
AWAY = [
    "find",
    "found",
    "range",
    "see",
    "available",
    "exist",
    "nearby",
    "visible",
    "no network",
    "there is no",
    "找不到",
    "没找到",
    "没有",
    "搜不到",
    "附近",
    "不存在",
    "不在范围",
]
ONLY = ["only", "last", "no other", "one active", "other sim", "唯一", "只有", "只剩", "最后", "另一张", "仅"]
WIFI_ON = settings(wifi="on", airplane_mode="off")


@family("network_join", TOOL, NETWORK, "recovery", "clarify", variants=2)
def network_join(rng: Draw, world: World) -> Draft:
    """A network that is not in range (404), or a new one without its password: both need a question."""
    (ssid,), password = new_networks(rng, world), rng.password()
    if rng.turn % 2:
        return Draft(
            phrasings=(
                "I'm new here. Connect me to the Wi-Fi {ssid}.",
                "Get me on {ssid}, I've never used that network before.",
                "This place has a protected Wi-Fi called {ssid}. It's my first time here; connect me.",
                "First day at the new office, and they say the Wi-Fi is {ssid} and has a password. Join it, please.",
            ),
            chinese=(
                "我第一次来，帮我连Wi-Fi {ssid}。",
                "连一下{ssid}，这个网以前没用过，要密码的",
                "这儿的加密无线网叫{ssid}，头一回来，给我连上",
                "新公司第一天上班，听说无线网是{ssid}，有密码，帮我连",
            ),
            slots={"ssid": ssid},
            plan=course(reply=ask(rng.say(f"What is the password of {ssid}?", f"{ssid}的密码是什么？"))),
            criteria=asked([ssid], ["password", "密码"]),
            patch={"settings": WIFI_ON, "wifi_networks": [network_row(ssid, password)]},
            shown=("connect_wifi",),
        )
    return Draft(
        phrasings=(
            "Connect to {ssid}, password {password}.",
            "Join the Wi-Fi {ssid}; the password is {password}.",
            "Get me online through {ssid} with {password}.",
            "They gave me this: network {ssid}, password {password}. Connect, please.",
        ),
        chinese=(
            "连接{ssid}，密码{password}。",
            "连Wi-Fi {ssid}，密码是{password}",
            "用{password}这个密码连上{ssid}",
            "他们给我的：网络{ssid}，密码{password}，帮我连一下",
        ),
        slots={"ssid": ssid, "password": password},
        plan=course(
            [do("connect_wifi", ssid=ssid, password=password)],
            reply=ask(
                rng.say(f"There is no {ssid} nearby. Which network should I use?", f"找不到{ssid}，要连别的网络吗？")
            ),
        ),
        criteria=asked(
            [ssid],
            AWAY,
            routes=(step("connect_wifi", ssid=ssid, password=password), step("manage_wifi", action="query")),
        ),
        patch={"settings": WIFI_ON},
    )


@family("network_denied", TOOL, NETWORK, "recovery", "permission", variants=2)
def network_denied(rng: Draw, world: World) -> Draft:
    """The permission for Wi-Fi or Bluetooth connections is missing (403): report it and ask."""
    (ssid,), (device,) = new_networks(rng, world), new_devices(rng, world)
    if rng.turn % 2:
        call, permission = do("pair_bluetooth_device", deviceName=device), "BLUETOOTH_CONNECT"
        english: tuple[str, ...] = (
            "Pair {device}.",
            "Connect my phone with {device}.",
            "{device} is charged and waiting, connect it.",
            "I'd like the sound on {device} now, so pair the two.",
        )
        chinese: tuple[str, ...] = (
            "配对{device}。",
            "手机连一下{device}",
            "{device}充好电了，连上吧",
            "想用{device}听，给配个对",
        )
    else:
        call, permission = do("connect_wifi", ssid=ssid), "CHANGE_WIFI_STATE"
        english = (
            "Connect to my saved Wi-Fi {ssid}.",
            "Go back to the network {ssid}, you have the password.",
            "Use the Wi-Fi {ssid}, it's saved.",
            "{ssid} is in range again and the phone knows it, so connect.",
        )
        chinese = (
            "连上保存过的{ssid}。",
            "换回{ssid}，密码手机里有",
            "用{ssid}这个网，存过的",
            "又能搜到{ssid}了，之前连过，连吧",
        )
    return Draft(
        phrasings=english,
        chinese=chinese,
        slots={"ssid": ssid, "device": device},
        plan=course(
            [call],
            reply=ask(
                rng.say(f"The permission {permission} is missing. Grant it?", f"缺少{permission}权限，要开启吗？")
            ),
        ),
        criteria=asked(PERMISSION, routes=(step(call[0], **call[1]),)),
        patch={
            "settings": [*WIFI_ON, *settings(bluetooth="on")],
            "wifi_networks": [network_row(ssid, rng.password(), saved=1)],
            "bluetooth_devices": [device_row(device)],
        },
        denied=(permission,),
    )


@family("network_last_sim", TOOL, NETWORK, "recovery", "conflict", variants=2)
def network_last_sim(rng: Draw, world: World) -> Draft:
    """The only active SIM cannot be switched off (409): ask, unless the person said that the other takes over."""
    allowed, (slot, other) = rng.turn % 2 == 1, rng.sample((1, 2), 2)

    def plan() -> Plan:
        feedback = yield [do("manage_sim", action="disable", slot=slot)]
        if not feedback[0].ok and not allowed:
            return ask(
                rng.say(
                    f"SIM {slot} is the only active one. Turn SIM {other} on first?",
                    f"卡{slot}是唯一启用的卡，要先启用卡{other}吗？",
                )
            )
        yield [do("manage_sim", action="enable", slot=other)]
        yield [do("manage_sim", action="disable", slot=slot)]
        return done(rng.say(f"SIM {other} has taken over.", f"已改用卡{other}。"))

    english: tuple[str, ...] = (
        "Turn SIM {slot} off.",
        "Deactivate the SIM in slot {slot}.",
        "I'm not paying for SIM {slot} any more, disable it.",
        "SIM {slot} only gets spam calls. Take it out of service.",
    )
    chinese: tuple[str, ...] = (
        "关闭SIM {slot}。",
        "{slot}号卡槽停用",
        "卡{slot}不想用了，禁用吧",
        "卡{slot}净接骚扰电话，停掉它",
    )
    if allowed:
        english = tuple(f"{text} SIM {{other}} should be on instead." for text in english)
        chinese = tuple(f"{text.rstrip('。')}，改成启用卡{{other}}。" for text in chinese)
    return Draft(
        phrasings=english,
        chinese=chinese,
        slots={"slot": slot, "other": other},
        plan=plan,
        criteria="state"
        if allowed
        else asked(
            ONLY,
            routes=(step("manage_sim", action="disable", slot=slot), step("manage_sim", action="query")),
        ),
        patch={
            "sims": [
                {**row, "enabled": int(row["slot"] == slot), "is_data": int(row["slot"] == slot)}
                for row in world.rows["sims"]
            ]
        },
    )


@family("network_forget_all", TOOL, NETWORK, "recovery", "safety", variants=2)
def network_forget_all(rng: Draw, world: World) -> Draft:
    """Every saved network, passwords and all: ask first, and do it once the person has agreed."""
    names = new_networks(rng, world, 2)
    rows = [network_row(name, rng.password(), saved=1) for name in names]
    question = rng.say("Forget all saved Wi-Fi networks and their passwords?", "要忘记所有保存的Wi-Fi和密码吗？")
    if rng.turn % 2:
        return _forget_agreed(rng, names[0], rows, question)
    return Draft(
        phrasings=(
            "Forget all my Wi-Fi networks.",
            "Delete every saved Wi-Fi network, {name} and all the rest.",
            "Clear the whole list of saved networks, it's a mess.",
            "I don't want this phone to know any Wi-Fi any more, {name} or whatever.",
        ),
        chinese=(
            "把保存的Wi-Fi全忘掉。",
            "所有存过的无线网都删了，{name}什么的一起",
            "保存的网络太乱，整个列表清空",
            "手机里一个Wi-Fi都不想留，像{name}这些都去掉",
        ),
        slots={"name": names[0]},
        plan=course(reply=ask(question)),
        criteria=asked(
            ["wi-fi", "wifi", "network", "networks", "无线", "网络"],
            ["all", "every", "everything", "them", "全部", "所有", "全都", "都", "清空"],
        ),
        patch={"wifi_networks": rows},
        shown=("forget_wifi", "manage_wifi"),
    )


def _forget_agreed(rng: Draw, name: str, rows: list[dict[str, Any]], question: str) -> Draft:
    def plan() -> Plan:
        feedback = yield [do("manage_wifi", action="query")]
        yield [do("forget_wifi", ssid=ssid) for ssid in feedback[0].payload["data"]["saved"]]
        return done(rng.say("All saved networks are forgotten.", "已忘记所有保存的网络。"))

    return Draft(
        phrasings=(
            "Yes, all of them, {name} too.",
            "I'm sure. Forget every one.",
            "Yes. I know all the passwords by heart, {name} included.",
            "Go ahead, I mean every saved network, also {name}.",
        ),
        chinese=(
            "对，全部忘掉，{name}也是。",
            "确定，一个不留",
            "是的，密码我都记得，{name}也一起",
            "删吧，保存的每一个都要忘掉，包括{name}",
        ),
        slots={"name": name},
        plan=plan,
        patch={"wifi_networks": rows},
        history=talk(rng.say("Forget all my Wi-Fi networks.", "把保存的Wi-Fi全忘掉。"), question),
    )


@family("network_flight", TOOL, NETWORK, "dependency", unseen="family")
def network_flight(rng: Draw, world: World) -> Draft:
    """Three known tools that training never combines; airplane mode would switch Bluetooth off, so it comes first."""
    minutes, label = rng.randint(40, 600), rng.pick(TITLES)

    def plan() -> Plan:
        yield [do("manage_airplane_mode", action="enable")]
        yield [
            do("manage_bluetooth", action="enable"),
            do("manage_countdown", action="start", minutes=minutes, label=label),
        ]
        return done(rng.say(f"Have a good flight, {minutes} minutes.", f"旅途愉快，倒计时{minutes}分钟。"))

    return Draft(
        phrasings=(
            "Taking off: airplane mode, but keep Bluetooth on, and a {minutes} minute countdown called {label}.",
            "Flight mode on, Bluetooth on for my headphones, and count down {minutes} minutes, label {label}.",
            "Airplane mode with Bluetooth on, please; also a countdown {label} of {minutes} minutes.",
            "We land in {minutes} minutes: count that down as {label}, go to airplane mode, and leave me Bluetooth.",
        ),
        chinese=(
            "要起飞了：开飞行模式，蓝牙留着，再来个{minutes}分钟的倒计时，叫“{label}”。",
            "飞行模式打开，蓝牙也要开着听歌，倒计时{minutes}分钟，标签“{label}”",
            "切到飞行模式但蓝牙保持打开，另外开一个{minutes}分钟的“{label}”倒计时",
            "还有{minutes}分钟落地，用“{label}”倒计时，飞行模式开起来，蓝牙别关",
        ),
        slots={"minutes": minutes, "label": label},
        plan=plan,
        patch={"settings": online(bluetooth="off")} | still(world),
    )


FAMILIES = (network_join, network_denied, network_last_sim, network_forget_all, network_flight)
