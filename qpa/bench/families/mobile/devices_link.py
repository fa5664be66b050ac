"""Basic tool use in Devices & Cross-device: one-call wishes about trust, relays, car, watch, lost devices."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.devices import DEVICES
from qpa.bench.families.mobile.devices_screen import PHONES, TABLETS, WATCHES, around, document, known, machine
from qpa.bench.families.mobile.system import TOOL
from qpa.bench.families.mobile.wishes import Wish, number, wished, worded
from qpa.bench.families.values import EVENTS, MESSAGES, NAMES, Draw
from qpa.envs.sandbox.schema import World

LINKS = (
    Wish(
        calls=(do("manage_device_relay", action="{action}", content="{content}", deviceName="{device}"),),
        slots={
            "device": WATCHES,
            "content word": worded(("calls", ("calls", "来电")), ("notifications", ("notifications", "通知"))),
            "action old said": worded(("enable", 0, ("on", "打开")), ("disable", 1, ("off", "关闭"))),
        },
        patch=around(machine("watch", relay_calls="{old}", relay_notifications="{old}")),
        english=(
            "Turn {said} the relay of {word} to {device}.",
            "Relay {word} to {device}: {said}.",
            "About the {word} on my wrist: switch their relay to {device} {said}.",
            "Passing {word} on to {device} should be {said}, please.",
        ),
        chinese=(
            "{said}{device}的{word}流转。",
            "{word}转到{device}：{said}",
            "手腕上的{word}，把转接到{device}这项{said}",
            "{word}同步给{device}的功能请{said}",
        ),
    ),
    Wish(
        calls=(do("manage_car_link", action="start", connectionMethod="{method}"),),
        slots={
            "id device": known("car"),
            "method word": worded(("usb", ("by USB cable", "用USB线")), ("wireless", ("wirelessly", "无线"))),
            "event": EVENTS,
        },
        patch=around({"id": "{id}", "nearby": 1}),
        reply=("{device} shows the phone.", "已连上{device}。"),
        english=(
            "Connect the phone to the display of {device} {word}.",
            "Car link to {device}, {word}.",
            "I'm sitting in the car to drive to {event}. Bring my apps onto {device}, {word}.",
            "Start the car link with {device} {word}, I need the route to {event} up there.",
        ),
        chinese=(
            "{word}把手机连到车机{device}。",
            "手机车联{device}，{word}",
            "我上车了，要去“{event}”，{word}把应用投到{device}上",
            "{word}开车机互联{device}，去“{event}”的路要在上面看",
        ),
    ),
    Wish(
        calls=(do("manage_wearable_settings", action="set", settingItem="step_goal", settingValue="{steps}"),),
        slots={"id watch": known("watch"), "steps": lambda rng, world: str(rng.randrange(11000, 24000, 500))},
        patch={**around(), "bluetooth_devices": [{"name": "{watch}", "kind": "watch", "paired": 1, "connected": 1}]},
        reply=("The step goal is {steps}.", "步数目标是{steps}。"),
        english=(
            "Set the step goal on my watch to {steps}.",
            "Watch step goal: {steps}.",
            "I've become lazy. My watch should want {steps} steps a day from me.",
            "Raise the daily steps the watch aims for to {steps}.",
        ),
        chinese=(
            "手表的步数目标设为{steps}。",
            "手表每天步数目标改成{steps}",
            "最近太懒了，让手表每天要求我走{steps}步",
            "把手表的日步数目标提到{steps}",
        ),
    ),
    Wish(
        calls=(do("manage_wearable_settings", action="set", settingItem="{item}", settingValue="{value}"),),
        slots={
            "id watch": known("watch"),
            "item value old word said": worded(
                ("raise_to_wake", "on", "off", ("raise to wake", "抬腕亮屏"), ("on", "打开")),
                ("raise_to_wake", "off", "on", ("raise to wake", "抬腕亮屏"), ("off", "关闭")),
                ("sleep_tracking", "on", "off", ("sleep tracking", "睡眠监测"), ("on", "打开")),
                ("sedentary_reminder", "off", "on", ("the sedentary reminder", "久坐提醒"), ("off", "关闭")),
                (
                    "heart_rate_monitoring",
                    "continuous",
                    "off",
                    ("heart rate monitoring", "心率监测"),
                    ("to continuous", "设为连续"),
                ),
                ("vibration", "soft", "strong", ("vibration", "振动"), ("to soft", "调成柔和")),
            ),
            "name": NAMES,
        },
        patch={
            **around(**{"wearable_{item}": "{old}"}),
            "bluetooth_devices": [{"name": "{watch}", "kind": "watch", "paired": 1, "connected": 1}],
        },
        english=(
            "On my watch, turn {word} {said}.",
            "Watch settings: {word} {said}, please.",
            "{name} told me what to change on the watch: turn {word} {said}.",
            "My watch isn't set up well; I'd like {word} turned {said}.",
        ),
        chinese=(
            "把手表的{word}{said}。",
            "手表设置：{word}{said}",
            "{name}建议我把手表上的{word}{said}，弄一下",
            "手表没设好，我想把{word}{said}",
        ),
    ),
    Wish(
        calls=(do("set_nearby_visibility", visibility="{who}"),),
        slots={
            "who old word": worded(
                ("contacts", "hidden", ("only my contacts", "只有联系人")),
                ("hidden", "contacts", ("nobody", "谁都不")),
                ("everyone", "hidden", ("everyone", "所有人")),
            ),
            "event": EVENTS,
        },
        patch=around(nearby_visibility="{old}"),
        english=(
            "Let {word} nearby see this phone.",
            "Nearby visibility: {word}.",
            "People at {event} share files a lot. I want {word} around to be able to find my phone.",
            "During {event}, {word} nearby should see my phone for sharing.",
        ),
        chinese=(
            "附近{word}能看到这部手机。",
            "附近可见性：{word}能发现我",
            "“{event}”上大家都在传文件，附近{word}能搜到我的手机，设一下",
            "“{event}”期间，附近分享里{word}能看见我的手机",
        ),
    ),
    Wish(
        calls=(do("manage_trusted_devices", action="{action}", deviceName="{device}"),),
        slots={
            "device": TABLETS,
            "action old said": worded(("add", 0, ("Trust", "信任")), ("remove", 1, ("No longer trust", "不再信任"))),
            "name": NAMES,
        },
        patch=around(machine("tablet", trusted="{old}")),
        english=(
            "{said} the device {device}.",
            "{said} {device}, please.",
            "{name} and I talked about {device}. {said} that device from now on.",
            "A word on {device}, which {name} uses too: {said} it.",
        ),
        chinese=(
            "{said}设备{device}。",
            "{device}，{said}",
            "我和{name}商量过{device}的事了，以后{said}这台设备",
            "{device}{name}也在用，{said}它",
        ),
    ),
    Wish(
        calls=(do("find_my_device", action="ring", deviceName="{device}"),),
        slots={"device": TABLETS, "name": NAMES},
        patch=around(machine("tablet", owned=1, place="Home")),
        reply=("{device} is ringing.", "{device}在响了。"),
        english=(
            "Make {device} ring.",
            "Ring {device}, I can't find it.",
            "{name} put my {device} somewhere in the flat. Let it make a noise.",
            "Under which cushion is {device}? A loud ring would help.",
        ),
        chinese=(
            "让{device}响铃。",
            "{device}找不到了，响一下",
            "{name}不知把我的{device}放哪儿了，让它出个声",
            "{device}到底在哪个垫子下面？让它大声响起来",
        ),
    ),
    Wish(
        calls=(do("lock_lost_device", deviceName="{device}", message="{message}"),),
        slots={"device": PHONES, "message": MESSAGES},
        patch=around(machine("phone", owned=1, locked=0, place="Garden Cafe")),
        reply=("{device} is locked.", "{device}已锁定。"),
        english=(
            'I lost my {device}. Lock it now with the message "{message}".',
            'Lock the lost {device}, message on it: "{message}".',
            'My {device} is gone, I left it in a cafe. Lock it and let it say "{message}".',
            'Whoever finds my {device} shall read "{message}" and not get in: lock it as lost.',
        ),
        chinese=(
            "我的{device}丢了，马上锁定并显示“{message}”。",
            "锁定丢失的{device}，留言“{message}”",
            "{device}落在咖啡馆了，锁上它，屏幕写“{message}”",
            "捡到{device}的人只能看到“{message}”，进不去手机：按丢失锁定",
        ),
    ),
    Wish(
        calls=(do("manage_print_jobs", action="cancel", fileName="{file}"),),
        slots={"file": document, "copies": number(2, 40)},
        patch={
            **around(),
            "print_jobs": [{"id": "print_701", "file": "{file}", "printer": "Brother HL", "copies": "{copies}"}],
        },
        reply=("The print job of {file} is cancelled.", "{file}的打印取消了。"),
        english=(
            "Cancel printing {file}.",
            "Stop the print job for {file}.",
            "Oh no, I sent {file} to the printer with {copies} copies. Take it out of the queue.",
            "{file} needn't be printed after all, drop that job.",
        ),
        chinese=(
            "取消打印{file}。",
            "{file}的打印任务停掉",
            "糟了，{file}我发了{copies}份去打印，从队列里撤掉",
            "{file}不用打了，那个打印任务取消吧",
        ),
    ),
)


@family("device_link_set", TOOL, DEVICES, "grounding", variants=len(LINKS))
def device_link_set(rng: Draw, world: World) -> Draft:
    """One thing about devices around: relays, the car, the watch, trust, what is lost, what prints."""
    return wished(rng, world, LINKS)


FAMILIES = (device_link_set,)
