"""Basic tool use in Network & Connectivity, beyond the families of the suite "core": one-call wishes and questions."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import Request, Rows, answered_by, course, one_of, online, settings, step
from qpa.bench.families.mobile.words import Texts, fresh, still
from qpa.bench.families.tool_network import network_row
from qpa.bench.families.values import DEVICES, NETWORKS, Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
NETWORK = "Network & Connectivity"
VPNS = (("Office VPN", "vpn.office.example"), ("Home VPN", "home.example"), ("Travel VPN", "travel.example"))
CARRIERS = {"China Mobile": ["中国移动"], "Unicom": ["联通", "中国联通"], "Vodafone": ["沃达丰"]}


def vpn_rows(connected: str = "") -> list[dict[str, Any]]:
    """The seeded VPN profiles, at most one of them connected."""
    return [{"name": name, "server": server, "connected": int(name == connected)} for name, server in VPNS]


def new_networks(rng: Draw, world: World, count: int = 1) -> list[str]:
    """Names that cannot be mistaken for a network in range."""
    return fresh(rng, NETWORKS, [row["ssid"] for row in world.rows["wifi_networks"]], count)


def new_devices(rng: Draw, world: World, count: int = 1) -> list[str]:
    """Names that cannot be mistaken for a known Bluetooth device."""
    return fresh(rng, DEVICES, [row["name"] for row in world.rows["bluetooth_devices"]], count)


def device_row(name: str, **more: int) -> dict[str, Any]:
    """A patched Bluetooth device."""
    return {"name": name, "kind": "device", "paired": 0, "connected": 0, **more}


REQUESTS = (
    Request(
        tool="manage_wifi",
        arguments={"action": "disable"},
        patch={"settings": settings(wifi="on", airplane_mode="off")},
        english=(
            "Turn off Wi-Fi.",
            "No Wi-Fi for now, please.",
            "This Wi-Fi is slower than my data plan. Switch it off.",
            "I'd rather go without Wi-Fi out here, disable it.",
        ),
        chinese=("关闭Wi-Fi。", "先把无线网关了", "这儿的Wi-Fi还没流量快，关掉吧", "出门了用不着Wi-Fi，帮我关一下"),
    ),
    Request(
        tool="manage_bluetooth",
        arguments={"action": "enable"},
        patch={"settings": settings(bluetooth="off", airplane_mode="off")},
        english=(
            "Turn on Bluetooth.",
            "Bluetooth on, please.",
            "My earbuds will need Bluetooth in a minute, switch it on already.",
            "The car can't see my phone, because Bluetooth is off. Change that.",
        ),
        chinese=("打开蓝牙。", "蓝牙开一下", "一会儿要用耳机，先把蓝牙打开", "车机搜不到我手机，蓝牙没开，开一下"),
    ),
    Request(
        tool="manage_nfc",
        arguments={"action": "enable", "mode": "tap_to_pay"},
        patch={"settings": settings(nfc="off", nfc_mode="read_write")},
        english=(
            "Turn on NFC in tap-to-pay mode.",
            "Set NFC up for tapping to pay.",
            "NFC on, mode tap to pay.",
            "I'm at the till and want to tap my phone to pay, so switch NFC to that.",
        ),
        chinese=(
            "打开NFC，模式用碰一碰支付。",
            "NFC开成刷手机付款的模式",
            "开启NFC的支付模式",
            "在收银台了，要碰手机付钱，NFC给我打开调到支付",
        ),
    ),
    Request(
        tool="manage_airplane_mode",
        arguments={"action": "enable"},
        patch={"settings": online()},
        english=(
            "Turn on airplane mode.",
            "Airplane mode, please.",
            "The plane is about to take off, so flight mode on.",
            "The crew wants all phones in airplane mode. Do that.",
        ),
        chinese=("打开飞行模式。", "开飞行模式", "飞机要起飞了，切到飞行模式", "空姐让开飞行模式，帮我开上"),
    ),
    Request(
        tool="manage_mobile_data",
        arguments={"action": "disable"},
        patch={"settings": online()},
        english=(
            "Turn off mobile data.",
            "Stop using my data plan: mobile data off.",
            "I'm roaming and it costs a fortune. Switch mobile data off.",
            "My data allowance is nearly gone, so no more mobile data.",
        ),
        chinese=(
            "关闭移动数据。",
            "别用流量了，把移动数据关掉",
            "漫游太贵，关了移动数据",
            "这个月套餐快用光了，数据流量先停掉",
        ),
    ),
    Request(
        tool="manage_hotspot",
        arguments={"action": "enable"},
        patch={"settings": online(hotspot="off")},
        english=(
            "Turn on my hotspot.",
            "Start the personal hotspot, the settings are fine.",
            "My laptop needs internet. Open the hotspot.",
            "Let my friend use my connection, switch the hotspot on.",
        ),
        chinese=("打开个人热点。", "开热点，设置不用动", "电脑没网，帮我开下手机热点", "朋友想蹭个网，把热点打开"),
    ),
    Request(
        tool="manage_data_saver",
        arguments={"action": "enable"},
        patch={"settings": settings(data_saver="off")},
        english=(
            "Turn on data saver.",
            "Save mobile data from now on, use the data saver.",
            "Data saver on, please.",
            "Apps eat up my data in the background; the data saver should stop that.",
        ),
        chinese=(
            "打开省流量模式。",
            "流量要省着点用，开省流量模式",
            "开启流量节省",
            "后台软件太费流量了，把省流量打开",
        ),
    ),
    Request(
        tool="manage_sim",
        draw=lambda rng, world: {"action": "disable", "slot": rng.randint(1, 2)},
        english=(
            "Turn off SIM {slot}.",
            "Disable the card in SIM slot {slot}.",
            "I don't use SIM {slot} at the moment, deactivate it.",
            "Only one of my cards is needed here, so switch SIM {slot} off.",
        ),
        chinese=("停用卡{slot}。", "把SIM {slot}关掉", "{slot}号卡槽的SIM卡先禁用", "这边只用一张卡，卡{slot}关了吧"),
    ),
    Request(
        tool="configure_hotspot",
        arguments={"settingItem": "band", "settingValue": "5GHz"},
        patch={"settings": settings(hotspot_band="2.4GHz")},
        english=(
            "Set the hotspot to the 5 GHz band.",
            "My hotspot should use 5 GHz.",
            "Switch the hotspot's band from 2.4 to 5 GHz.",
            "The hotspot is slow on 2.4 GHz, put it on the faster band.",
        ),
        chinese=("热点频段改成5GHz。", "个人热点用5G频段", "热点从2.4换到5GHz", "热点2.4G太慢，换到更快的那个频段"),
    ),
    Request(
        tool="manage_vpn",
        draw=lambda rng, world: {"action": "connect", "profile": rng.choice(VPNS)[0]},
        patch={"settings": online(), "vpn_profiles": vpn_rows()},
        english=(
            "Connect to {profile}.",
            "Start the VPN {profile}.",
            "I need {profile} for this, connect it please.",
            "Route my traffic through {profile}.",
        ),
        chinese=("连接{profile}。", "开一下VPN，用{profile}", "我要走{profile}，连上", "上网流量都走{profile}"),
    ),
    Request(
        tool="manage_vpn",
        arguments={"action": "disconnect"},
        patch={"settings": online(), "vpn_profiles": vpn_rows("Office VPN")},
        english=(
            "Disconnect the VPN.",
            "I'm done working, end the VPN.",
            "VPN off, please.",
            "Some pages won't load through the VPN, so cut it.",
        ),
        chinese=("断开VPN。", "下班了，VPN断掉", "关掉VPN", "挂着VPN有些网页打不开，断了吧"),
    ),
)


@family("network_set", TOOL, NETWORK, "grounding", variants=len(REQUESTS))
def network_set(rng: Draw, world: World) -> Draft:
    """One radio, hotspot, SIM or VPN setting."""
    draft = one_of(rng, world, REQUESTS)
    draft.patch = still(world) | draft.patch
    return draft


LINKS: Texts = (
    (
        (
            "Forget the network {ssid}.",
            "Delete {ssid} from my saved Wi-Fi networks.",
            "My phone shouldn't remember {ssid} any more.",
            "I moved out there, so remove the Wi-Fi {ssid} from the phone.",
        ),
        (
            "忘记网络{ssid}。",
            "把{ssid}从保存的Wi-Fi里删掉",
            "手机别再记着{ssid}了",
            "那边退租了，Wi-Fi {ssid}不用再存着",
        ),
    ),
    (
        (
            "Connect to {ssid}, the password is saved.",
            "Join my saved Wi-Fi {ssid}.",
            "Switch over to the network {ssid}; I've used it before.",
            "{ssid} should work here without asking for the password again. Get me on it.",
        ),
        (
            "连上{ssid}，密码存过了。",
            "连接已保存的Wi-Fi {ssid}",
            "换到{ssid}这个网，以前连过",
            "{ssid}我之前连过，不用再输密码，直接连",
        ),
    ),
    (
        (
            "Disconnect the {device}.",
            "Cut the Bluetooth connection to {device}.",
            "{device} can be disconnected, but stay paired.",
            "The sound still goes to {device}. Disconnect it, I want to hear it here.",
        ),
        (
            "断开{device}。",
            "把{device}的蓝牙连接断了",
            "{device}先断开，配对留着",
            "声音还在{device}那儿放，断开它",
        ),
    ),
)


@family("network_link", TOOL, NETWORK, "grounding", variants=3)
def network_link(rng: Draw, world: World) -> Draft:
    """One Wi-Fi network or Bluetooth device: forgotten, joined from the saved ones, or disconnected."""
    (ssid,), (device,) = new_networks(rng, world), new_devices(rng, world)
    saved: Rows = {
        "settings": settings(wifi="on", airplane_mode="off"),
        "wifi_networks": [network_row(ssid, rng.password(), saved=1)],
    }
    kind = rng.turn % 3
    english, chinese = LINKS[kind]
    call, rows = (
        (do("forget_wifi", ssid=ssid), saved),
        (do("connect_wifi", ssid=ssid), saved),
        (
            do("disconnect_bluetooth_device", deviceName=device),
            {"settings": settings(bluetooth="on"), "bluetooth_devices": [device_row(device, paired=1, connected=1)]},
        ),
    )[kind]
    return Draft(
        phrasings=english,
        chinese=chinese,
        slots={"ssid": ssid, "device": device},
        plan=course([call], reply=done(rng.say("Done.", "好了。"))),
        patch=rows,
    )


QUESTIONS: Texts = (
    (
        (
            "How many megabytes of mobile data did I use {when}?",
            "Mobile data used {when}, in MB?",
            "My plan isn't big. How many MB have I gone through {when}?",
            "Tell me the MB of mobile data that went out {when}.",
        ),
        (
            "我{when}用了多少MB流量？",
            "{when}流量用了几兆",
            "查查{when}的移动数据用量，多少MB",
            "套餐不大，{when}跑了多少MB了？",
        ),
    ),
    (
        (
            "Which Wi-Fi am I on?",
            "What network is my phone connected to?",
            "Name the Wi-Fi I'm using right now.",
            "The colleague asks which Wi-Fi I got on. Which one is it?",
        ),
        ("我现在连的是哪个Wi-Fi？", "手机连着什么网络", "当前Wi-Fi叫什么", "同事问我用的哪个无线网，叫啥名字？"),
    ),
    (
        (
            "What is the password of my hotspot?",
            "Hotspot password?",
            "My friend wants to use my hotspot. Which password does it have?",
            "I set up a hotspot ages ago and forgot its password. Look it up.",
        ),
        ("我的热点密码是什么？", "热点密码多少", "朋友要连我热点，密码是啥", "热点早就设过了，密码忘了，帮我看看"),
    ),
    (
        (
            "Which carrier is my mobile data going through?",
            "Whose SIM card do I use for data?",
            "I have two cards in here. Which provider carries the data?",
            "Before I complain about slow data: which carrier's card is it running on?",
        ),
        (
            "我现在用哪家运营商的卡上网？",
            "移动数据走的是哪家的卡",
            "两张卡，上网用的哪个运营商",
            "网速慢想投诉，先看看流量走的哪家运营商？",
        ),
    ),
)


@family("network_questions", TOOL, NETWORK, "grounding", variants=4)
def network_questions(rng: Draw, world: World) -> Draft:
    """How much data is used, which network is connected, the hotspot's password, whose card carries data."""
    (ssid,), password, used = new_networks(rng, world), rng.password(), rng.randint(101, 899)
    period, when = rng.choice((("today", ("today", "今天")), ("week", ("this week", "这周"))))
    sim = next(row for row in world.rows["sims"] if row["is_data"])
    carrier = sim["carrier"]
    kind = rng.turn % 4
    english, chinese = QUESTIONS[kind]
    call, fact, rows = (
        (do("query_data_usage", period=period), [str(used)], {"data_usage": [{"period": period, "used_mb": used}]}),
        (
            do("manage_wifi", action="query"),
            [ssid],
            {
                "settings": settings(wifi="on", airplane_mode="off"),
                "wifi_networks": [
                    *({**row, "connected": 0} for row in world.rows["wifi_networks"]),
                    network_row(ssid, password, saved=1, connected=1),
                ],
            },
        ),
        (do("manage_hotspot", action="query"), [password], {"settings": settings(hotspot_password=password)}),
        (do("manage_sim", action="query"), [carrier, *CARRIERS.get(carrier, [])], {"settings": online()}),
    )[kind]
    others = ["manage_mobile_data"] if call[0] == "manage_sim" else []
    return Draft(
        phrasings=english,
        chinese=chinese,
        slots={"when": rng.say(*when)},
        plan=course([call], reply=done(rng.say(f"It is {fact[0]}.", f"是{fact[0]}。"))),
        criteria=answered_by(fact, routes=[step(tool) for tool in (call[0], *others)]),
        patch=rows,
    )


@family("network_pair", TOOL, NETWORK, "dependency", variants=2)
def network_pair(rng: Draw, world: World) -> Draft:
    """A device to connect while Bluetooth may be off (409): then it is switched on first."""
    (device,), off = new_devices(rng, world), rng.turn % 2 == 1

    def plan() -> Plan:
        pair = do("pair_bluetooth_device", deviceName=device)
        feedback = yield [pair]
        if not feedback[0].ok:
            yield [do("manage_bluetooth", action="enable")]
            yield [pair]
        return done(rng.say(f"{device} is connected.", f"{device}已连接。"))

    return Draft(
        phrasings=(
            "Connect {device} and switch Bluetooth on if need be.",
            "Pair {device}; if Bluetooth is off, turn it on first.",
            "I want to use {device} now. Do whatever Bluetooth needs for that.",
            "Get {device} working with this phone, and should Bluetooth be off, just enable it.",
        ),
        chinese=(
            "连接{device}，蓝牙没开就打开。",
            "配对{device}，要是蓝牙关着先开蓝牙",
            "我现在要用{device}，蓝牙该开就开",
            "让{device}跟手机连上，蓝牙没开的话你直接开",
        ),
        slots={"device": device},
        plan=plan,
        patch={
            "settings": settings(bluetooth="off" if off else "on", airplane_mode="off"),
            "bluetooth_devices": [*still(world)["bluetooth_devices"], device_row(device)],
        },
        shown=("manage_bluetooth",),
    )


FAMILIES = (network_set, network_link, network_questions, network_pair)
