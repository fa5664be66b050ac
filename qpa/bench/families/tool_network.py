"""Basic tool use in Network & Connectivity: dependencies, state-dependent branches, retries and contradictions."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, Plan, ask, do, done, family
from qpa.bench.families.values import DEVICES, NAMES, NETWORKS, Draw
from qpa.contract import BehaviorCriteria, Dimension, ErrorType, Fault, Intent
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
NETWORK = "Network & Connectivity"
# What a person calls it, its tool, its settings key. Enabling one of these never touches another.
SWITCHES = (
    ("Wi-Fi", "manage_wifi", "wifi"),
    ("Bluetooth", "manage_bluetooth", "bluetooth"),
    ("mobile data", "manage_mobile_data", "mobile_data"),
    ("NFC", "manage_nfc", "nfc"),
    ("data saver", "manage_data_saver", "data_saver"),
)


def settings(**values: str) -> list[dict[str, Any]]:
    """Patched device settings; airplane mode is off unless given."""
    return [{"key": k, "value": v} for k, v in {"airplane_mode": "off", **values}.items()]


def network_row(ssid: str, password: str, **more: int) -> dict[str, Any]:
    """A patched network in range."""
    return {"ssid": ssid, "password": password, "saved": 0, "connected": 0, **more}


def connect_plan(ssid: str, password: str) -> Plan:
    """Connects, switching Wi-Fi on when that is what is missing."""
    connect = do("connect_wifi", ssid=ssid, password=password)
    feedback = yield [connect]
    if not feedback[0].ok:
        yield [do("manage_wifi", action="enable")]
        yield [connect]
    return done(f"Done: connected to {ssid}.")


@family("wifi_connect", TOOL, NETWORK, "dependency", "recovery")
def wifi_connect(rng: Draw, world: World) -> Draft:
    """A new network with its password; Wi-Fi may be off (409)."""
    ssid, password = rng.pick(NETWORKS), rng.password()
    return Draft(
        phrasings=(
            "Connect to Wi-Fi {ssid}, password {password}.",
            "Join the network {ssid} with password {password}.",
            "Get me on {ssid}, the password is {password}.",
            "Use the Wi-Fi {ssid}; password: {password}.",
        ),
        slots={"ssid": ssid, "password": password},
        plan=lambda: connect_plan(ssid, password),
        patch={
            "settings": settings(wifi=rng.choice(("on", "off"))),
            "wifi_networks": [network_row(ssid, password)],
        },
        shown=("manage_wifi",),
    )


@family("switch_branch", TOOL, NETWORK, "dependency", "conditional")
def switch_branch(rng: Draw, world: World) -> Draft:
    """Query one switch, then enable one of two others depending on it."""
    (a, tool_a, key_a), (b, tool_b, key_b), (c, tool_c, key_c) = rng.sample(SWITCHES, 3)
    state = rng.choice(("on", "off"))

    def plan() -> Plan:
        feedback = yield [do(tool_a, action="query")]
        tool, name = (tool_b, b) if feedback[0].payload["data"]["enabled"] else (tool_c, c)
        yield [do(tool, action="enable")]
        return done(f"Done: {name} on.")

    return Draft(
        phrasings=(
            "If {a} is on, turn on {b}; otherwise turn on {c}.",
            "Check {a}: when on, enable {b}, else enable {c}.",
            "Turn on {b} if {a} is on, otherwise {c}.",
            "Is {a} on? Then switch on {b}. If not, {c}.",
        ),
        slots={"a": a, "b": b, "c": c},
        plan=plan,
        patch={"settings": settings(**{key_a: state, key_b: "off", key_c: "off"})},
        shown=(tool_b, tool_c),
    )


@family("hotspot_configure", TOOL, NETWORK, "grounding")
def hotspot_configure(rng: Draw, world: World) -> Draft:
    """One hotspot setting out of three."""
    item, label, value = rng.choice(
        (
            ("hotspot_name", "name", rng.pick(NETWORKS)),
            ("password", "password", rng.password()),
            ("max_devices", "device limit", str(rng.randint(1, 10))),
        )
    )

    def plan() -> Plan:
        yield [do("configure_hotspot", settingItem=item, settingValue=value)]
        return done(f"Done: hotspot {label} {value}.")

    return Draft(
        phrasings=(
            "Set the hotspot {label} to {value}.",
            "Change my hotspot's {label} to {value}.",
            "Hotspot {label}: {value}, please.",
            "Make {value} the {label} of my hotspot.",
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
        return done(f"Done: {device} connected.")

    return Draft(
        phrasings=(
            "Pair my {device}.",
            "Connect the Bluetooth device {device}.",
            "Please pair with {device}.",
            "Link the {device} to my phone.",
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
            return done(f"Used {amount} MB, nothing changed.")
        yield [do("manage_data_saver", action="enable")]
        return done(f"Used {amount} MB, data saver on.")

    return Draft(
        phrasings=(
            "If I used more than {limit} MB this month, turn on data saver.",
            "Turn on data saver if this month's usage is above {limit} MB.",
            "Check my data this month; over {limit} MB means data saver on.",
            "Data saver on, but only if I used over {limit} MB this month.",
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
    link, tool = rng.choice(
        (
            ("hotspot", "manage_hotspot"),
            ("mobile data", "manage_mobile_data"),
            (f"call with {rng.pick(NAMES)}", "end_call"),
            (f"download from {rng.pick(NETWORKS)}", "manage_wifi"),
        )
    )

    def plan() -> Plan:
        yield from ()
        return ask(f"Airplane mode or the {link}?")

    return Draft(
        phrasings=(
            "Turn on airplane mode but keep the {link} running.",
            "Airplane mode now, and the {link} must not stop.",
            "Switch to airplane mode without losing the {link}.",
            "Keep my {link} alive while you enable airplane mode.",
        ),
        slots={"link": link},
        plan=plan,
        criteria=BehaviorCriteria(intent=Intent.ASK, mentions=[["airplane mode", "airplane"], [link]]),
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
