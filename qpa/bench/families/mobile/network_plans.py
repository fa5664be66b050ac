"""Basic tool use in Network & Connectivity: families whose expert looks up, refers back, undoes, mends, or asks."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import branch, course, online, past_turn, settings
from qpa.bench.families.mobile.network import NETWORK, TOOL, VPNS, device_row, new_devices, new_networks, vpn_rows
from qpa.bench.families.mobile.words import ORDINALS
from qpa.bench.families.tool_network import network_row
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.schema import World


@family("network_vpn_first", TOOL, NETWORK, "dependency", "conditional", variants=2)
def network_vpn_first(rng: Draw, world: World) -> Draft:
    """A VPN needs a connection to run over (409): mobile data goes on first, but only when there is none."""
    profile, offline = rng.choice(VPNS)[0], rng.turn % 2 == 0

    def plan() -> Plan:
        connect = do("manage_vpn", action="connect", profile=profile)
        feedback = yield [connect]
        if not feedback[0].ok:
            yield [do("manage_mobile_data", action="enable")]
            yield [connect]
        return done(rng.say(f"{profile} is connected.", f"{profile}已连接。"))

    link = {} if offline else {"connected": 1}
    (ssid,) = new_networks(rng, world)
    return Draft(
        phrasings=(
            "Connect {profile}. If I'm offline, turn on mobile data for it.",
            "I need {profile}; use mobile data when there is no other connection.",
            "Start {profile}, and only if there's no network switch mobile data on first.",
            "Get {profile} running. No idea whether I have internet; if not, mobile data may be turned on.",
        ),
        chinese=(
            "连接{profile}，没网的话就打开移动数据。",
            "我要用{profile}，要是没有网络就开流量",
            "启动{profile}，只有没网时才先开移动数据",
            "把{profile}连上，不知道现在有没有网，没有就把移动数据打开",
        ),
        slots={"profile": profile},
        plan=plan,
        patch={
            "settings": settings(airplane_mode="off", wifi="on", mobile_data="off", hotspot="off"),
            "wifi_networks": [
                *({**row, "connected": 0} for row in world.rows["wifi_networks"]),
                network_row(ssid, rng.password(), saved=1, **link),
            ],
            "vpn_profiles": vpn_rows(),
        },
        shown=("manage_mobile_data",),
    )


@family("network_share", TOOL, NETWORK, "dependency", "parallel", variants=2)
def network_share(rng: Draw, world: World) -> Draft:
    """A hotspot with a name and a password: two settings, then the switch, which needs mobile data (409)."""
    (ssid,), password, data = new_networks(rng, world), rng.password(), ("on", "off")[rng.turn % 2]

    def plan() -> Plan:
        yield [
            do("configure_hotspot", settingItem="hotspot_name", settingValue=ssid),
            do("configure_hotspot", settingItem="password", settingValue=password),
        ]
        feedback = yield [do("manage_hotspot", action="enable")]
        if not feedback[0].ok:
            yield [do("manage_mobile_data", action="enable")]
            yield [do("manage_hotspot", action="enable")]
        return done(rng.say(f"The hotspot {ssid} is on.", f"热点{ssid}已打开。"))

    return Draft(
        phrasings=(
            "Open a hotspot called {ssid} with the password {password}; turn on mobile data if it's off.",
            "Share my internet: hotspot {ssid}, password {password}, and mobile data on if needed.",
            "Hotspot name {ssid}, password {password}, then switch it on. It needs mobile data, so check that too.",
            "The others want to get online through me. Hotspot {ssid}, {password} as password, on, with mobile data.",
        ),
        chinese=(
            "开个热点，名称{ssid}，密码{password}，移动数据没开就打开。",
            "把网分享出去：热点叫{ssid}，密码{password}，需要的话开移动数据",
            "热点名改成{ssid}，密码设{password}，然后打开，流量关着就先开流量",
            "大家想蹭我的网，热点设成{ssid}、密码{password}再开起来，移动数据也要开着",
        ),
        slots={"ssid": ssid, "password": password},
        plan=plan,
        patch={
            "settings": settings(
                airplane_mode="off",
                mobile_data=data,
                hotspot="off",
                hotspot_name="MyPhone",
                hotspot_password="start12345",
            )
        },
        shown=("manage_mobile_data",),
    )


@family("network_pick", TOOL, NETWORK, "reference")
def network_pick(rng: Draw, world: World) -> Draft:
    """One of the paired devices that the previous turn listed."""
    rows: list[dict[str, Any]] = [{**row, "connected": 0} for row in world.rows["bluetooth_devices"]]
    rows += [device_row(name, paired=1) for name in new_devices(rng, world, 2)]
    paired = sorted(row["name"] for row in rows if row["paired"])
    others = sorted(row["name"] for row in rows if not row["paired"])
    place = rng.randrange(3)
    return Draft(
        phrasings=(
            "Connect the {nth} one.",
            "The {nth} of those, please connect it.",
            "Use the {nth} one.",
            "I have the {nth} one with me today, so hook that up.",
        ),
        chinese=("连{nth}。", "连接其中{nth}", "就用{nth}吧，连上", "今天带的是{nth}，帮我连它"),
        slots={"nth": rng.say(*ORDINALS[place])},
        plan=course(
            [do("pair_bluetooth_device", deviceName=paired[place])],
            reply=done(rng.say(f"{paired[place]} is connected.", f"{paired[place]}已连接。")),
        ),
        patch={"settings": settings(bluetooth="on", airplane_mode="off"), "bluetooth_devices": rows},
        history=past_turn(
            rng.say("Which devices is my phone paired with?", "我的手机配对过哪些设备？"),
            "manage_bluetooth",
            {"action": "query"},
            {"enabled": True, "connected": [], "paired": paired, "others": others},
            rng.say("Paired: ", "已配对：") + rng.say(", ", "、").join(paired) + rng.say(".", "。"),
        ),
    )


@family("network_redo", TOOL, NETWORK, "revision", variants=3)
def network_redo(rng: Draw, world: World) -> Draft:
    """Another hotspot name while speaking, a SIM switch undone, or another VPN than the last turn's."""
    return branch(rng, world, (_hotspot_renamed, _sim_undone, _vpn_replaced))


def _hotspot_renamed(rng: Draw, world: World) -> Draft:
    wrong, name = new_networks(rng, world, 2)
    return Draft(
        phrasings=(
            "Call my hotspot {wrong}, no, {name}.",
            "Hotspot name {wrong}. Wait, that's taken: {name}.",
            "Rename the hotspot to {wrong}... actually {name} is nicer.",
            "My hotspot should be called {wrong}. Oh, my neighbour has that one. Then {name}.",
        ),
        chinese=(
            "热点名称改成{wrong}，不对，改成{name}。",
            "热点叫{wrong}……等等，还是叫{name}",
            "把热点改名为{wrong}，算了，{name}更好",
            "热点名就用{wrong}吧，哎邻居家叫这个，那用{name}",
        ),
        slots={"wrong": wrong, "name": name},
        plan=course(
            [do("configure_hotspot", settingItem="hotspot_name", settingValue=name)],
            reply=done(rng.say(f"The hotspot is called {name}.", f"热点名称已改为{name}。")),
        ),
        patch={"settings": settings(hotspot_name="MyPhone")},
    )


def _sim_undone(rng: Draw, world: World) -> Draft:
    now = rng.randint(1, 2)
    before = 3 - now
    return Draft(
        phrasings=(
            "Undo that, data should stay on SIM {before}.",
            "No, go back to the other card.",
            "That was a mistake, switch back.",
            "Hm, it's even slower than before. Use the previous SIM for data again.",
        ),
        chinese=(
            "撤销，数据还用卡{before}。",
            "不行，换回另一张卡",
            "弄错了，切回去",
            "怎么更慢了，还是用原来那张卡上网吧",
        ),
        slots={"before": before},
        plan=course(
            [do("manage_sim", action="switch", slot=before)],
            reply=done(rng.say(f"Data is on SIM {before} again.", f"数据已切回卡{before}。")),
        ),
        patch={"sims": [{**row, "enabled": 1, "is_data": int(row["slot"] == now)} for row in world.rows["sims"]]},
        history=past_turn(
            rng.say(f"Use SIM {now} for data instead of SIM {before}.", f"上网从卡{before}换到卡{now}。"),
            "manage_sim",
            {"action": "switch", "slot": now},
            {"slot": now},
            rng.say(f"SIM {now} is used for data.", f"已改用卡{now}上网。"),
        ),
    )


def _vpn_replaced(rng: Draw, world: World) -> Draft:
    (wrong, _), (profile, _) = rng.sample(VPNS, 2)
    return Draft(
        phrasings=(
            "Not that one, {profile}.",
            "Sorry, I meant {profile}.",
            "Change it to {profile}, please.",
            "Wrong VPN! It has to be {profile}, not {wrong}.",
        ),
        chinese=(
            "不是这个，要{profile}。",
            "说错了，是{profile}",
            "换成{profile}",
            "连错了，应该连{profile}，不是{wrong}",
        ),
        slots={"profile": profile, "wrong": wrong},
        plan=course(
            [do("manage_vpn", action="connect", profile=profile)],
            reply=done(rng.say(f"{profile} is connected.", f"{profile}已连接。")),
        ),
        patch={"settings": online(), "vpn_profiles": vpn_rows(wrong)},
        history=past_turn(
            rng.say(f"Connect {wrong}.", f"连接{wrong}。"),
            "manage_vpn",
            {"action": "connect", "profile": wrong},
            {"connected": wrong},
            rng.say(f"{wrong} is connected.", f"{wrong}已连接。"),
        ),
    )


FAMILIES = (network_vpn_first, network_share, network_pick, network_redo)
