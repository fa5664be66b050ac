"""Basic tool use in Devices & Cross-device: questions about devices, and what earlier turns meant or take back."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.devices import DEVICES, LIGHTS, THERMOSTAT, home
from qpa.bench.families.mobile.devices_screen import PHONES, TABLETS, TVS, WATCHES, around, document, machine
from qpa.bench.families.mobile.system import TOOL
from qpa.bench.families.mobile.wishes import Past, Wish, number, wished
from qpa.bench.families.values import EVENTS, NAMES, PLACES, TITLES, Draw
from qpa.envs.sandbox.schema import World


def _documents(rng: Draw, world: World) -> list[str]:
    """Two names of files as in `document`."""
    return [f"Handout_{number_}.pdf" for number_ in rng.sample(range(100, 1000), 2)]


QUESTIONS = (
    Wish(
        calls=(do("find_my_device", action="locate", deviceName="{device}"),),
        slots={"device": TABLETS, "place": PLACES, "name": NAMES},
        patch=around(machine("tablet", owned=1, place="{place}")),
        reply=("{device} is at {place}.", "{device}在{place}。"),
        mentions=(["{place}"],),
        english=(
            "Where is my {device}?",
            "Locate {device}.",
            "I've been looking for {device} all morning, {name} hasn't seen it either. Where is it?",
            "Tell me the place where my {device} is right now.",
        ),
        chinese=(
            "我的{device}在哪儿？",
            "定位一下{device}",
            "找{device}找了一上午，{name}也没看见，它在哪里？",
            "告诉我{device}现在在什么地方",
        ),
    ),
    Wish(
        calls=(do("query_pairing_log", deviceName="{device}", event="failed"),),
        slots={"device": WATCHES, "day": number(2, 14), "name": NAMES},
        patch={
            **around(machine("watch", trusted=0)),
            "pairing_log": [
                {"id": "pairing_701", "device": "{device}", "event": "failed", "at": "2025-01-{day:02d}T10:15:00"}
            ],
        },
        reply=("On 2025-01-{day:02d}.", "2025-01-{day:02d}失败的。"),
        mentions=(["2025-01-{day:02d}"],),
        english=(
            "On what date did pairing {device} fail? Use YYYY-MM-DD.",
            "Date of the failed pairing with {device}, as YYYY-MM-DD?",
            "{name} tried to pair {device} and it failed. Which day was that (YYYY-MM-DD)?",
            "Look up when {device} couldn't be paired and give me the date like 2025-01-31.",
        ),
        chinese=(
            "{device}是哪天配对失败的？按YYYY-MM-DD回答",
            "查{device}配对失败的日期，格式YYYY-MM-DD",
            "{name}配对{device}没成功，是哪一天（YYYY-MM-DD）？",
            "看看{device}什么时候没配上，日期写成2025-01-31这样",
        ),
    ),
    Wish(
        calls=(do("query_home_devices", deviceName=THERMOSTAT),),
        slots={"degrees": number(16, 29), "event": EVENTS},
        patch=home({"name": THERMOSTAT, "power": 1, "level": "{degrees}", "mode": "heat"}),
        reply=("It is set to {degrees} °C.", "设定的是{degrees}度。"),
        mentions=(["{degrees}"],),
        english=(
            "What temperature is the thermostat set to, in Celsius?",
            "Thermostat's target temperature?",
            "I left for {event} in a hurry. How many degrees did I leave the thermostat at?",
            "To how many degrees is the living room being heated right now?",
        ),
        chinese=(
            "温控器设的是多少度？",
            "温控器目标温度是几度",
            "我急着去“{event}”，出门时温控器开在多少度？",
            "客厅现在制热设定到几度？",
        ),
    ),
    Wish(
        calls=(do("query_home_devices", deviceName="{lamp}"),),
        slots={"lamp": LIGHTS, "level": number(20, 99), "event": EVENTS},
        patch=home({"name": "{lamp}", "power": 1, "level": "{level}", "mode": "warm"}),
        reply=("{lamp} is at {level}%.", "{lamp}亮度{level}%。"),
        mentions=(["{level}"],),
        english=(
            "How bright is the {lamp} right now, in percent?",
            "Brightness of the {lamp}?",
            "I want the same light for {event} again. To what percentage is the {lamp} dimmed?",
            "The {lamp} looks just right. Tell me its brightness in percent.",
        ),
        chinese=(
            "{lamp}现在亮度是百分之多少？",
            "{lamp}多亮",
            "下次“{event}”还想要这样的光，{lamp}现在调到百分之几？",
            "{lamp}这个亮度正好，告诉我是百分之多少",
        ),
    ),
    Wish(
        calls=(do("query_nearby_devices", deviceType="watch"),),
        slots={"device": WATCHES, "name": NAMES},
        patch=around(machine("watch", trusted=0)),
        reply=("{device} is nearby.", "附近有{device}。"),
        mentions=(["{device}"],),
        english=(
            "Which watches are nearby?",
            "List the watches around me.",
            "{name} is wearing a watch I don't know. What watches does my phone see nearby?",
            "I'd like to hear the names of all watches within reach.",
        ),
        chinese=(
            "附近有哪些手表？",
            "列出周围的手表",
            "{name}戴的手表我没见过，手机能搜到附近哪些手表？",
            "周围搜得到的手表都叫什么？",
        ),
    ),
    Wish(
        calls=(do("manage_print_jobs", action="query", fileName="{file}"),),
        slots={"file": document, "copies": number(2, 40), "name": NAMES},
        patch={
            **around(),
            "print_jobs": [{"id": "print_701", "file": "{file}", "printer": "Brother HL", "copies": "{copies}"}],
        },
        reply=("{copies} copies are waiting.", "在等着打{copies}份。"),
        mentions=(["{copies}"],),
        english=(
            "How many copies of {file} are waiting to be printed?",
            "Copies of {file} in the print queue?",
            "{name} asks whether I ordered enough prints of {file}. How many copies are queued?",
            "Check the print job of {file}, what number of copies does it say?",
        ),
        chinese=(
            "{file}排队打印的是多少份？",
            "打印队列里{file}几份",
            "{name}问我{file}打够了没有，队列里是几份？",
            "看下{file}的打印任务，写的是多少份？",
        ),
    ),
)

REFERENCES = (
    Wish(
        calls=(do("control_light", action="on", deviceName="{lamp}", brightness="{level}"),),
        slots={"lamp": LIGHTS, "level": number(15, 60, 5), "event": EVENTS},
        patch=home({"name": "{lamp}", "power": 1, "level": 100}),
        past=(
            Past(
                ("Turn on the {lamp}.", "打开{lamp}。"),
                ("The {lamp} is on, at 100%.", "{lamp}开了，亮度100%。"),
                do("control_light", action="on", deviceName="{lamp}"),
                {"devices": ["{lamp}"], "total": 1},
            ),
        ),
        english=(
            "Dim it to {level}%.",
            "Too bright, {level} percent is enough.",
            "Not like an operating room! For {event} it should be at {level}%.",
            "Fine, but bring it down to {level} percent, that's cosier.",
        ),
        chinese=(
            "调暗到{level}%。",
            "太亮了，{level}%就够",
            "跟手术室似的！“{event}”开到{level}%就行",
            "可以，不过降到{level}%更舒服",
        ),
    ),
    Wish(
        calls=(do("control_screen_casting", action="start", targetDeviceName="{second}"),),
        slots={"first second": TVS, "event": EVENTS},
        patch=around(machine("tv", "{first}", 1, trusted=0), machine("tv", "{second}", 2, trusted=0)),
        past=(
            Past(
                ("Which TVs can I cast to?", "能投屏到哪些电视？"),
                ("For example: 1. {first}, 2. {second}.", "比如：1. {first}，2. {second}。"),
            ),
        ),
        english=(
            "The second one, start casting.",
            "Cast to number two.",
            "Let's watch {event} on the latter, cast my screen there.",
            "Not the first, the other one you named: put my screen on it.",
        ),
        chinese=(
            "投到第二个。",
            "就投2号",
            "“{event}”在后面那个上看，把屏幕投过去",
            "不要第一个，你说的另一个，投屏到它上面",
        ),
    ),
    Wish(
        calls=(do("manage_trusted_devices", action="remove", deviceName="{device}"),),
        slots={"device": TABLETS, "name": NAMES},
        patch={
            **around(machine("tablet")),
            "pairing_log": [{"id": "pairing_701", "device": "{device}", "at": "2025-01-15T08:40:00"}],
        },
        past=(
            Past(
                ("Trust {name}'s tablet, {device}.", "信任{name}的平板{device}。"),
                ("{device} is trusted.", "已信任{device}。"),
                do("manage_trusted_devices", action="add", deviceName="{device}"),
                {"device": "{device}"},
            ),
        ),
        english=(
            "{name} has left. Don't trust it any longer.",
            "That device shouldn't be trusted any more.",
            "We're done with the drawings, so take the trust away from it again.",
            "I don't want {name} to reach my phone from there now, revoke what I gave it.",
        ),
        chinese=(
            "{name}走了，别再信任它了。",
            "那台设备取消信任",
            "图都画完了，把给它的信任收回来",
            "不想让{name}再从那台设备连我的手机，撤掉信任",
        ),
    ),
    Wish(
        calls=(do("share_file_nearby", fileName="{other}", deviceName="{device}"),),
        slots={"device": PHONES, "file other": _documents},
        patch={
            **around(machine("phone")),
            "files": [
                {"id": "file_701", "name": "{file}", "kind": "document", "size_kb": 120},
                {"id": "file_702", "name": "{other}", "kind": "document", "size_kb": 300},
            ],
        },
        hidden=("send_file",),
        past=(
            Past(
                ("Nearby share {file} to {device}.", "用附近分享把{file}发给{device}。"),
                ("{file} is sent to {device}.", "{file}已发给{device}。"),
                do("share_file_nearby", fileName="{file}", deviceName="{device}"),
                {"fileName": "{file}", "device": "{device}"},
            ),
        ),
        english=(
            "{other} as well, the same way.",
            "Send {other} there too.",
            "They need one more: {other}, to the same device.",
            "Now {other}, same receiver, again by nearby share.",
        ),
        chinese=(
            "{other}也同样发一下。",
            "{other}也发过去",
            "对方还要一个：{other}，发到同一台设备",
            "再发{other}，还是给它，也用附近分享",
        ),
    ),
)

REVISIONS = (
    Wish(
        calls=(do("control_light", action="on", deviceName="{lamp}", brightness="{level}"),),
        slots={"wrong lamp": LIGHTS, "level": number(15, 90, 5)},
        patch=home({"name": "{lamp}", "power": 0, "level": 5}, {"name": "{wrong}", "power": 0, "level": 5}),
        english=(
            "{wrong} on at {level}%, no, the {lamp}.",
            "Turn on the {wrong}... sorry, I mean the {lamp}, at {level} percent.",
            "Switch the {wrong} to {level}%. Wait, not that one, leave it off and take the {lamp}.",
            "Brightness {level} for the {wrong}. Hm, the {lamp} is nicer, use only that one.",
        ),
        chinese=(
            "{wrong}开到{level}%，不，是{lamp}。",
            "打开{wrong}……说错了，是{lamp}，亮度{level}%",
            "把{wrong}开到{level}%。等等，不是它，别开，开{lamp}",
            "{wrong}亮度{level}，嗯，还是{lamp}好看，只开{lamp}吧",
        ),
    ),
    Wish(
        calls=(
            do("control_screen_casting", action="stop"),
            do("control_screen_casting", action="start", targetDeviceName="{device}"),
        ),
        slots={"wrong device": TVS, "name": NAMES},
        patch=around(
            machine("tv", "{wrong}", 1, trusted=0),
            machine("tv", "{device}", 2, trusted=0),
            casting_device="{wrong}",
            casting_direction="cast_out",
            casting_method="wireless",
        ),
        past=(
            Past(
                ("Cast my screen to {wrong}.", "投屏到{wrong}。"),
                ("The screen is on {wrong}.", "已投屏到{wrong}。"),
                do("control_screen_casting", action="start", targetDeviceName="{wrong}"),
                {"status": "casting"},
            ),
        ),
        english=(
            "Wrong room, I meant {device}.",
            "No, on {device} instead.",
            "{name} wants to sleep in there. Take it over to {device}.",
            "Change of plan: the picture moves to {device}.",
        ),
        chinese=(
            "房间错了，是{device}。",
            "不，换成{device}",
            "{name}要在那边睡觉，改投到{device}",
            "计划变了，画面挪到{device}上",
        ),
    ),
    Wish(
        calls=(do("set_thermostat", temperature="{degrees}"),),
        slots={"wrong degrees": lambda rng, world: rng.sample(range(18, 27), 2), "event": EVENTS},
        patch=home({"name": THERMOSTAT, "power": 1, "level": 29, "mode": "heat"}),
        english=(
            "Thermostat to {wrong} degrees, or rather {degrees}.",
            "Set the thermostat to {wrong} °C... no, {degrees}.",
            "We need {wrong} degrees in the living room for {event}, hm, {degrees} is better. Set the thermostat.",
            "Make the thermostat {wrong}; scratch that, {degrees} degrees it is.",
        ),
        chinese=(
            "温控器调到{wrong}度，还是{degrees}度吧。",
            "温控器设{wrong}度……不，{degrees}度",
            "“{event}”的时候客厅要{wrong}度，嗯，{degrees}度更好，调温控器",
            "温控器{wrong}度，算了，就{degrees}度",
        ),
    ),
    Wish(
        calls=(do("manage_home_scene", action="delete", sceneName="{scene}"),),
        slots={"scene": TITLES, "lamp": LIGHTS},
        patch={**home(), "home_scenes": [{"name": "{scene}", "steps": "{lamp}=on"}]},
        past=(
            Past(
                ('Create a home scene "{scene}" that turns on the {lamp}.', "建个家居场景“{scene}”，打开{lamp}。"),
                ("The scene {scene} is saved.", "场景“{scene}”建好了。"),
                do("manage_home_scene", action="create", sceneName="{scene}", steps=["{lamp}=on"]),
                {"scene": "{scene}"},
            ),
        ),
        english=(
            "On second thought I don't need it, undo that.",
            "Remove this scene again.",
            "Silly idea, it's just one lamp. Take the scene away again.",
            "Forget it, there shouldn't be such a scene after all.",
        ),
        chinese=("想想用不着，撤销吧。", "这个场景删掉", "就一盏灯，没必要，把刚才的场景去掉", "算了，不要这个场景了"),
    ),
)


@family("device_asked", TOOL, DEVICES, "grounding", variants=len(QUESTIONS))
def device_asked(rng: Draw, world: World) -> Draft:
    """A question that one reading call answers."""
    return wished(rng, world, QUESTIONS)


@family("device_reference", TOOL, DEVICES, "reference", variants=len(REFERENCES))
def device_reference(rng: Draw, world: World) -> Draft:
    """What is meant stands in the turn before."""
    return wished(rng, world, REFERENCES)


@family("device_revision", TOOL, DEVICES, "revision", variants=len(REVISIONS))
def device_revision(rng: Draw, world: World) -> Draft:
    """The user corrects himself or takes something back."""
    return wished(rng, world, REVISIONS)


FAMILIES = (device_asked, device_reference, device_revision)
