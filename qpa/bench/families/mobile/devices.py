"""Basic tool use in Devices & Cross-device: the smart home; what the domain's families share."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import Rows, online
from qpa.bench.families.mobile.system import TOOL
from qpa.bench.families.mobile.wishes import Wish, number, wished, worded
from qpa.bench.families.values import EVENTS, TITLES, Draw
from qpa.envs.sandbox.schema import World

DEVICES = "Devices & Cross-device"
LIGHTS = ("Bedroom Light", "Bedside Lamp", "Kitchen Light", "Living Room Light", "Reading Lamp")
PLUGS = ("Coffee Maker", "Fan Plug")
THERMOSTAT, VACUUM = "Living Room Thermostat", "Robot Vacuum"
COLORS = (
    ("warm", "cool", ("warm", "暖")),
    ("neutral", "warm", ("neutral", "自然")),
    ("cool", "warm", ("cool", "冷")),
)


def home(*devices: dict[str, Any], **values: str) -> Rows:
    """An online phone, and these devices of the home, which can be reached."""
    return {"settings": online(**values), "home_devices": [{"online": 1, **device} for device in devices]}


def every(names: tuple[str, ...], **columns: Any) -> list[dict[str, Any]]:
    """All of these devices in the same state."""
    return [{"name": name, **columns} for name in names]


HOME = (
    Wish(
        calls=(do("control_light", action="on", deviceName="{lamp}", brightness="{level}", color="{color}"),),
        slots={"lamp": LIGHTS, "level": number(15, 95, 5), "color old word": worded(*COLORS)},
        patch=home({"name": "{lamp}", "power": 0, "level": 10, "mode": "{old}"}),
        reply=("{lamp} is on.", "{lamp}开了。"),
        english=(
            "{lamp} on at {level}%, {word} light.",
            "Turn the {lamp} on, brightness {level}, color {word}.",
            "I can't see a thing by the {lamp}. Switch it on, {level} percent and {word}, please.",
            "Some {word} light from the {lamp} would be lovely, {level}% bright.",
        ),
        chinese=(
            "打开{lamp}，亮度{level}%，{word}光。",
            "{lamp}开到{level}%，用{word}色光",
            "黑得什么都看不见，{lamp}开一下，{level}%，{word}光的",
            "{lamp}来点{word}光吧，亮度{level}%",
        ),
    ),
    Wish(
        calls=(do("control_light", action="off", room="all"),),
        slots={"event": EVENTS},
        patch=home(*every(LIGHTS, power=1)),
        reply=("All lights are off.", "灯全关了。"),
        english=(
            "Turn off all the lights at home.",
            "Lights out, everywhere in the house.",
            "I've left for {event} and nobody's home. Please switch off every light.",
            "Not a single lamp in the house needs to burn during {event}.",
        ),
        chinese=(
            "把家里的灯全关了。",
            "全屋关灯",
            "我出门去“{event}”了，家里没人，灯都关掉",
            "“{event}”的时候家里一盏灯都不用亮，全关吧",
        ),
    ),
    Wish(
        calls=(do("control_smart_plug", action="{action}", deviceName="{plug}"),),
        slots={
            "plug": lambda rng, world: rng.choice(PLUGS),
            "action old said": worded(("on", 0, ("on", "打开")), ("off", 1, ("off", "关掉"))),
            "event": EVENTS,
        },
        patch=home({"name": "{plug}", "power": "{old}"}),
        english=(
            "Turn the {plug} {said}.",
            "{plug}: {said}, please.",
            "I'm on my way back from {event}, turn {said} the {plug} at home already.",
            "Could you see to it that the {plug} is switched {said}? I forgot it because of {event}.",
        ),
        chinese=(
            "{said}{plug}。",
            "{plug}帮我{said}",
            "我正从“{event}”往家赶，先把家里的{plug}{said}",
            "光顾着“{event}”忘了，{plug}{said}一下好吗",
        ),
    ),
    Wish(
        calls=(do("set_thermostat", temperature="{degrees}", mode="{mode}"),),
        slots={
            "degrees": number(19, 25),
            "mode word": worded(("heat", ("heating", "制热")), ("cool", ("cooling", "制冷"))),
            "event": EVENTS,
        },
        patch=home({"name": THERMOSTAT, "power": 0, "level": 17, "mode": "auto"}),
        english=(
            "Thermostat to {degrees} degrees Celsius, {word}.",
            "Switch the thermostat on: {word}, {degrees} °C.",
            "After {event} I want it comfortable at home. Run the thermostat on {word} with {degrees} degrees Celsius.",
            "The living room isn't comfortable. Get the thermostat to run on {word}, {degrees} °C, please.",
        ),
        chinese=(
            "温控器设成{word}{degrees}度。",
            "打开温控器，{word}，{degrees}摄氏度",
            "“{event}”完了回家想舒服点，温控器开{word}，{degrees}度",
            "客厅待着不舒服，用温控器{word}到{degrees}度",
        ),
    ),
    Wish(
        calls=(do("set_thermostat", temperature="{degrees}", unit="fahrenheit"),),
        slots={"degrees": lambda rng, world: rng.choice((70, 72, 74, 76, 77, 79))},
        patch=home({"name": THERMOSTAT, "power": 1, "level": 18, "mode": "heat"}),
        english=(
            "Set the thermostat to {degrees} degrees Fahrenheit.",
            "Thermostat: {degrees} °F.",
            "It's chilly here. I grew up with Fahrenheit, so make the thermostat {degrees}°F.",
            "Heat the living room up to {degrees} Fahrenheit, the thermostat is already on.",
        ),
        chinese=(
            "温控器设为{degrees}华氏度。",
            "温控器调到{degrees}°F",
            "有点冷，我习惯华氏度，把温控器调成{degrees}°F",
            "温控器已经开着，客厅升到{degrees}华氏度",
        ),
    ),
    Wish(
        calls=(do("control_vacuum", action="start", room="{room}", suction="{suction}"),),
        slots={
            "room word": worded(
                ("Kitchen", ("kitchen", "厨房")),
                ("Bedroom", ("bedroom", "卧室")),
                ("Living Room", ("living room", "客厅")),
            ),
            "suction old said": worded(
                ("quiet", 3, ("quiet", "安静")), ("standard", 1, ("standard", "标准")), ("max", 1, ("max", "最大"))
            ),
            "event": EVENTS,
        },
        patch=home({"name": VACUUM, "mode": "docked", "level": "{old}", "area": ""}),
        reply=("The {word} is being vacuumed.", "开始打扫{word}。"),
        english=(
            "Vacuum the {word} on {said} suction.",
            "Robot vacuum: {word}, suction {said}.",
            "Crumbs everywhere in the {word} after {event}. Send the robot there, suction {said}.",
            "Guests come for {event}, let the robot do the {word} with {said} suction.",
        ),
        chinese=(
            "扫地机打扫{word}，吸力{said}。",
            "让扫地机器人去{word}，{said}吸力",
            "“{event}”之后{word}一地碎屑，派扫地机去扫，吸力用{said}",
            "“{event}”要来客人，让机器人把{word}扫了，吸力{said}",
        ),
    ),
    Wish(
        calls=(do("control_vacuum", action="{action}"),),
        slots={
            "action english_ chinese_": lambda rng, world: rng.choice(
                (("pause", "pause", "先停一下"), ("dock", "go back to its dock", "回去充电座"))
            ),
            "event": EVENTS,
        },
        patch=home({"name": VACUUM, "mode": "cleaning", "area": ""}),
        english=(
            "The vacuum should {english_}.",
            "Make the robot vacuum {english_}, please.",
            "I'm on a call about {event} and the vacuum is so loud. Let it {english_}.",
            "{event} starts in a minute, tell the robot vacuum to {english_}.",
        ),
        chinese=(
            "让扫地机{chinese_}。",
            "扫地机器人{chinese_}",
            "我在为“{event}”开电话会，扫地机太吵了，让它{chinese_}",
            "“{event}”马上开始，叫扫地机{chinese_}",
        ),
    ),
    Wish(
        calls=(do("manage_home_scene", action="run", sceneName="{scene}"),),
        slots={"scene": TITLES, "lamp other": LIGHTS},
        patch={
            **home({"name": "{lamp}", "power": 1}, {"name": "{other}", "power": 0}),
            "home_scenes": [{"name": "{scene}", "steps": "{lamp}=off; {other}=on"}],
        },
        reply=("The scene {scene} is on.", "场景“{scene}”已执行。"),
        english=(
            'Run the home scene "{scene}".',
            'Start my "{scene}" scene at home.',
            'I set up a smart home scene called "{scene}" for moments like this, start it.',
            'Home like in the scene "{scene}", please.',
        ),
        chinese=(
            "执行家居场景“{scene}”。",
            "家里启动“{scene}”场景",
            "我专门设过一个智能家居场景叫“{scene}”，现在运行它",
            "家里按“{scene}”那个场景来",
        ),
    ),
    Wish(
        calls=(do("manage_home_scene", action="create", sceneName="{scene}", steps=["{lamp}={level}", "{plug}=on"]),),
        slots={
            "scene": TITLES,
            "lamp": LIGHTS,
            "plug": lambda rng, world: rng.choice(PLUGS),
            "level": number(10, 90, 5),
        },
        patch=home(),
        hidden=("manage_automation_rule",),
        reply=("The scene {scene} is saved.", "场景“{scene}”建好了。"),
        english=(
            'Create a home scene "{scene}": {lamp} at {level}%, {plug} on.',
            'New smart home scene "{scene}" with the {lamp} dimmed to {level} and the {plug} on.',
            'I want one word for it: save {lamp} at {level} percent plus {plug} on as the home scene "{scene}".',
            'Make me a scene for the house, name "{scene}"; first the {lamp} goes to {level}%, then the {plug} on.',
        ),
        chinese=(
            "建一个家居场景“{scene}”：{lamp}亮度{level}%，{plug}打开。",
            "新增智能家居场景“{scene}”，{lamp}调到{level}，{plug}开",
            "我想一句话搞定：把{lamp}{level}%加上{plug}打开，存成家居场景“{scene}”",
            "给家里做个场景叫“{scene}”，先是{lamp}到{level}%，然后{plug}打开",
        ),
    ),
)

CURTAINS = ("Bedroom Curtain", "Living Room Curtain")
CURTAIN = (
    Wish(
        calls=(do("control_curtain", action="set", deviceName="{curtain}", position="{level}"),),
        slots={"curtain": lambda rng, world: rng.choice(CURTAINS), "level": number(15, 85, 5)},
        patch=home({"name": "{curtain}", "level": 0}),
        english=(
            "Open the {curtain} to {level}%.",
            "{curtain} at {level} percent.",
            "The sun blinds me, but I want some light: leave the {curtain} {level}% open.",
        ),
        chinese=(
            "把{curtain}拉开到{level}%。",
            "{curtain}开{level}%",
            "太阳晃眼，但还想有点光，{curtain}就开{level}%吧",
        ),
    ),
    Wish(
        calls=(do("control_curtain", action="{action}", room="all"),),
        slots={
            "action old said": worded(("open", 0, ("Open", "打开")), ("close", 100, ("Close", "拉上"))),
            "event": EVENTS,
        },
        patch=home(*every(CURTAINS, level="{old}")),
        english=(
            "{said} all curtains.",
            "{said} the curtains in the whole house before {event}.",
            "Time for {event}. {said} every curtain we have, please.",
        ),
        chinese=(
            "{said}所有窗帘。",
            "“{event}”之前把全屋的窗帘{said}",
            "该“{event}”了，家里的窗帘统统{said}",
        ),
    ),
    Wish(
        calls=(do("print_file", fileName="{file}", printerName="{printer}", copies="{copies}", color=True),),
        slots={
            "file": lambda rng, world: f"Handout_{rng.randint(100, 999)}.pdf",
            "printer": lambda rng, world: f"Brother HL-{rng.randint(1000, 9999)}",
            "copies": number(2, 9),
        },
        patch={
            **home(wifi="on"),
            "files": [{"id": "file_701", "name": "{file}", "kind": "document", "size_kb": 120}],
            "devices": [{"id": "device_701", "name": "{printer}", "kind": "printer", "nearby": 1}],
        },
        english=(
            "Print {copies} copies of {file} in color on the {printer}.",
            "{file} on the {printer}, {copies} times, in color.",
            "I need {copies} colored copies of {file} for the meeting, the {printer} is the one beside me.",
        ),
        chinese=(
            "用{printer}彩印{copies}份{file}。",
            "{file}在{printer}上打{copies}份，彩色",
            "开会要用，{file}彩色打印{copies}份，就用我旁边的{printer}",
        ),
    ),
)


@family("device_home_set", TOOL, DEVICES, "grounding", variants=len(HOME))
def device_home_set(rng: Draw, world: World) -> Draft:
    """One thing at home: lights, plugs, warmth, cleaning, scenes."""
    return wished(rng, world, HOME)


@family("device_curtain_print", TOOL, DEVICES, "grounding", unseen="tool", variants=len(CURTAIN))
def device_curtain_print(rng: Draw, world: World) -> Draft:
    """Curtains and printing."""
    return wished(rng, world, CURTAIN)


FAMILIES = (device_home_set, device_curtain_print)
