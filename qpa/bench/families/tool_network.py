"""Basic tool use in Network & Connectivity: dependencies, state-dependent branches, retries and contradictions."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, Plan, ask, do, done, family
from qpa.bench.families.values import DEVICES, NAMES, NETWORKS, Draw
from qpa.contract import BehaviorCriteria, Dimension, ErrorType, Fault, Intent
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
NETWORK = "Network & Connectivity"
# What a person calls it in English and Chinese, its tool, its settings key. Enabling one never touches another.
SWITCHES = (
    ("Wi-Fi", "Wi-Fi", "manage_wifi", "wifi"),
    ("Bluetooth", "蓝牙", "manage_bluetooth", "bluetooth"),
    ("mobile data", "移动数据", "manage_mobile_data", "mobile_data"),
    ("NFC", "NFC", "manage_nfc", "nfc"),
    ("data saver", "省流量模式", "manage_data_saver", "data_saver"),
)


def settings(**values: str) -> list[dict[str, Any]]:
    """Patched device settings; airplane mode is off unless given."""
    return [{"key": k, "value": v} for k, v in {"airplane_mode": "off", **values}.items()]


def network_row(ssid: str, password: str, **more: int) -> dict[str, Any]:
    """A patched network in range."""
    return {"ssid": ssid, "password": password, "saved": 0, "connected": 0, **more}


def connect_plan(ssid: str, password: str, reply: str) -> Plan:
    """Connects, switching Wi-Fi on when that is what is missing."""
    connect = do("connect_wifi", ssid=ssid, password=password)
    feedback = yield [connect]
    if not feedback[0].ok:
        yield [do("manage_wifi", action="enable")]
        yield [connect]
    return done(reply)


@family("wifi_connect", TOOL, NETWORK, "dependency", "recovery")
def wifi_connect(rng: Draw, world: World) -> Draft:
    """A new network with its password; Wi-Fi may be off (409)."""
    ssid, password = rng.pick(NETWORKS), rng.password()
    reply = rng.say(f"Done: connected to {ssid}.", f"已连上{ssid}。")
    return Draft(
        phrasings=(
            "Connect to Wi-Fi {ssid}, password {password}.",
            "Join the network {ssid} with password {password}.",
            "Get me on {ssid}, the password is {password}.",
            "Use the Wi-Fi {ssid}; password: {password}.",
        ),
        chinese=(
            "连一下Wi-Fi {ssid}，密码{password}。",
            "加入网络“{ssid}”，密码是{password}。",
            "帮我连上{ssid}，密码：{password}。",
            "老板说这儿的无线网叫{ssid}，密码{password}，给我连上吧。",
        ),
        slots={"ssid": ssid, "password": password},
        plan=lambda: connect_plan(ssid, password, reply),
        patch={
            "settings": settings(wifi=rng.choice(("on", "off"))),
            "wifi_networks": [network_row(ssid, password)],
        },
        shown=("manage_wifi",),
    )


@family("switch_branch", TOOL, NETWORK, "dependency", "conditional")
def switch_branch(rng: Draw, world: World) -> Draft:
    """Query one switch, then enable one of two others depending on it."""
    switches = rng.sample(SWITCHES, 3)
    a, b, c = (rng.say(*names) for *names, _, _ in switches)
    (tool_a, key_a), (tool_b, key_b), (tool_c, key_c) = (switch[2:] for switch in switches)
    state = rng.choice(("on", "off"))

    def plan() -> Plan:
        feedback = yield [do(tool_a, action="query")]
        tool, name = (tool_b, b) if feedback[0].payload["data"]["enabled"] else (tool_c, c)
        yield [do(tool, action="enable")]
        return done(rng.say(f"Done: {name} on.", f"{name}已打开。"))

    return Draft(
        phrasings=(
            "If {a} is on, turn on {b}; otherwise turn on {c}.",
            "Check {a}: when on, enable {b}, else enable {c}.",
            "Turn on {b} if {a} is on, otherwise {c}.",
            "Is {a} on? Then switch on {b}. If not, {c}.",
        ),
        chinese=(
            "如果{a}开着，就打开{b}；不然就打开{c}。",
            "看看{a}：开着就开{b}，没开就开{c}。",
            "{a}是开的话帮我开{b}，否则开{c}。",
            "{a}现在开着吗？开着就把{b}也打开，没开的话打开{c}就好。",
        ),
        slots={"a": a, "b": b, "c": c},
        plan=plan,
        patch={"settings": settings(**{key_a: state, key_b: "off", key_c: "off"})},
        shown=(tool_b, tool_c),
    )


@family("hotspot_configure", TOOL, NETWORK, "grounding")
def hotspot_configure(rng: Draw, world: World) -> Draft:
    """One hotspot setting out of three."""
    item, *labels, value = rng.choice(
        (
            ("hotspot_name", "name", "名称", rng.pick(NETWORKS)),
            ("password", "password", "密码", rng.password()),
            ("max_devices", "device limit", "最大连接数", str(rng.randint(1, 10))),
        )
    )
    label = rng.say(*labels)

    def plan() -> Plan:
        yield [do("configure_hotspot", settingItem=item, settingValue=value)]
        return done(rng.say(f"Done: hotspot {label} {value}.", f"热点{label}已设为{value}。"))

    return Draft(
        phrasings=(
            "Set the hotspot {label} to {value}.",
            "Change my hotspot's {label} to {value}.",
            "Hotspot {label}: {value}, please.",
            "Make {value} the {label} of my hotspot.",
        ),
        chinese=(
            "把热点的{label}设成{value}。",
            "热点{label}改一下，改成{value}。",
            "我的热点，{label}用{value}。",
            "朋友要蹭我热点，先把{label}换成{value}。",
        ),
        slots={"label": label, "value": value},
        plan=plan,
        patch={
            "settings": settings(hotspot_name="MyPhone", hotspot_password="start12345", hotspot_max_devices="99"),
        },
    )


@family("device_pair_retry", TOOL, NETWORK, "recovery", "transient")
def device_pair_retry(rng: Draw, world: World) -> Draft:
    """The service may be unavailable once (503): retry once, change nothing else."""
    device, flaky = rng.pick(DEVICES), rng.random() < 0.6

    def plan() -> Plan:
        pair = do("pair_bluetooth_device", deviceName=device)
        feedback = yield [pair]
        if not feedback[0].ok:
            yield [pair]
        return done(rng.say(f"Done: {device} connected.", f"{device}已连接。"))

    return Draft(
        phrasings=(
            "Pair my {device}.",
            "Connect the Bluetooth device {device}.",
            "Please pair with {device}.",
            "Link the {device} to my phone.",
        ),
        chinese=(
            "配对我的{device}。",
            "连接蓝牙设备“{device}”。",
            "帮我跟{device}配个对。",
            "把{device}连到手机上，要是没反应就再试一次。",
        ),
        slots={"device": device},
        plan=plan,
        patch={
            "settings": settings(bluetooth="on"),
            "bluetooth_devices": [{"name": device, "kind": "device", "paired": 0, "connected": 0}],
        },
        faults=(Fault(tool="pair_bluetooth_device", error_type=ErrorType.UNAVAILABLE),) if flaky else (),
    )


@family("saver_by_usage", TOOL, NETWORK, "dependency", "conditional")
def saver_by_usage(rng: Draw, world: World) -> Draft:
    """Acts on a result's value: data saver only above a limit."""
    limit, over = rng.randint(2, 9) * 1000, rng.random() < 0.5
    used = limit + rng.randint(200, 900) * (1 if over else -1)

    def plan() -> Plan:
        feedback = yield [do("query_data_usage", period="month")]
        amount = feedback[0].payload["data"]["used_mb"]
        if amount <= limit:
            return done(rng.say(f"Used {amount} MB, nothing changed.", f"本月用了{amount} MB，没有改动。"))
        yield [do("manage_data_saver", action="enable")]
        return done(rng.say(f"Used {amount} MB, data saver on.", f"本月用了{amount} MB，省流量模式已打开。"))

    return Draft(
        phrasings=(
            "If I used more than {limit} MB this month, turn on data saver.",
            "Turn on data saver if this month's usage is above {limit} MB.",
            "Check my data this month; over {limit} MB means data saver on.",
            "Data saver on, but only if I used over {limit} MB this month.",
        ),
        chinese=(
            "这个月流量要是超过{limit} MB，就打开省流量模式。",
            "本月用量高于{limit} MB的话，开启省流量模式。",
            "查查我这个月的流量，过了{limit} MB就把省流量打开。",
            "月底了怕流量不够，这个月用了超过{limit} MB才开省流量模式，没超就别动。",
        ),
        slots={"limit": limit},
        plan=plan,
        criteria="state" if over else BehaviorCriteria(reads=["query_data_usage"], mentions=[[str(used)]]),
        patch={
            "settings": settings(data_saver="off"),
            "data_usage": [{"period": "month", "used_mb": used}],
        },
        shown=("manage_data_saver",),
    )


@family("airplane_contradiction", TOOL, NETWORK, "recovery", "clarify")
def airplane_contradiction(rng: Draw, world: World) -> Draft:
    """Airplane mode contradicts a link that should stay: ask which matters more, change nothing."""
    name, ssid = rng.pick(NAMES), rng.pick(NETWORKS)
    link, chinese_link, named, tool = rng.choice(
        (
            ("hotspot", "热点", ["热点"], "manage_hotspot"),
            ("mobile data", "移动数据", ["移动数据", "流量"], "manage_mobile_data"),
            (f"call with {name}", f"和{name}的通话", ["通话", "电话"], "end_call"),
            (f"download from {ssid}", f"通过{ssid}的下载", ["下载"], "manage_wifi"),
        )
    )
    link = rng.say(link, chinese_link)
    mentions = [["飞行模式"], named] if rng.chinese else [["airplane mode", "airplane"], [link]]

    def plan() -> Plan:
        yield from ()
        return ask(rng.say(f"Airplane mode or the {link}?", f"飞行模式和{link}只能选一个，要哪个？"))

    return Draft(
        phrasings=(
            "Turn on airplane mode but keep the {link} running.",
            "Airplane mode now, and the {link} must not stop.",
            "Switch to airplane mode without losing the {link}.",
            "Keep my {link} alive while you enable airplane mode.",
        ),
        chinese=(
            "打开飞行模式，但是{link}不能断。",
            "开飞行模式，{link}要一直保持。",
            "切到飞行模式，别影响{link}。",
            "飞机要起飞了，飞行模式打开，不过{link}得给我留着。",
        ),
        slots={"link": link},
        plan=plan,
        criteria=BehaviorCriteria(intent=Intent.ASK, mentions=mentions),
        shown=("manage_airplane_mode", tool),
    )


FAMILIES = (
    wifi_connect,
    switch_branch,
    hotspot_configure,
    device_pair_retry,
    saver_by_usage,
    airplane_contradiction,
)
