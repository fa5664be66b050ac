"""Basic tool use in Devices & Cross-device: what must be looked up, decided or put right before the wish is met."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import answered, branch
from qpa.bench.families.mobile.devices import DEVICES, LIGHTS, PLUGS, THERMOSTAT, VACUUM, home
from qpa.bench.families.mobile.devices_screen import LAPTOPS, PHONES, TVS, around, machine
from qpa.bench.families.mobile.system import TOOL
from qpa.bench.families.mobile.wishes import Wish, number, wished
from qpa.bench.families.mobile.words import fresh, todo_contents
from qpa.bench.families.values import EVENTS, NAMES, TITLES, Draw
from qpa.envs.sandbox.schema import World


def cast_radios(rng: Draw, world: World) -> Draft:
    """Casting needs Wi-Fi (409): switch it on when that is what is missing."""
    device, event, off = rng.pick(TVS), rng.pick(EVENTS), rng.random() < 0.7

    def plan() -> Plan:
        call = do("control_screen_casting", action="start", targetDeviceName=device)
        feedback = yield [call]
        if not feedback[0].ok:
            yield [do("manage_wifi", action="enable")]
            yield [call]
        return done(rng.say(f"The screen is on {device}.", f"已投屏到{device}。"))

    return Draft(
        phrasings=(
            "Cast to {device}; turn Wi-Fi on if that needs it.",
            "Screen on {device}, please, Wi-Fi may be switched on for it.",
            "{event} is about to start and I want it on {device}. Cast my screen, with whatever has to be on for that.",
            "Mirror the phone on {device} for {event}. Should Wi-Fi be off, enable it.",
        ),
        chinese=(
            "投屏到{device}，需要的话打开Wi-Fi。",
            "屏幕投到{device}，可以开Wi-Fi",
            "“{event}”快开始了，我要在{device}上看，投屏吧，该开的都开",
            "为了“{event}”把手机画面投到{device}，Wi-Fi没开就打开",
        ),
        slots={"device": device, "event": event},
        plan=plan,
        patch=around(machine("tv", device, trusted=0), wifi="off" if off else "on"),
        shown=("manage_wifi",),
    )


def nearest_screen(rng: Draw, world: World) -> Draft:
    """Which of two screens it is depends on which one is around."""
    first, second, there = *rng.several(TVS, 2), rng.random() < 0.5

    def plan() -> Plan:
        call = do("control_screen_casting", action="start", targetDeviceName=first)
        feedback = yield [call]
        target = first if feedback[0].ok else second
        if target == second:
            yield [do("control_screen_casting", action="start", targetDeviceName=second)]
        return done(rng.say(f"The screen is on {target}.", f"已投屏到{target}。"))

    return Draft(
        phrasings=(
            "Cast to {first} if it's nearby, otherwise to {second}.",
            "Screen on {first}; if that one isn't around, on {second}.",
            "I prefer {first}, but it may be unplugged and out of reach. Cast there or else to {second}.",
            "Try {first} for casting. Not within reach? Then {second} will do.",
        ),
        chinese=(
            "{first}在附近就投屏到它，否则投到{second}。",
            "投到{first}，要是不在旁边就投{second}",
            "最好投到{first}，不过它可能没插电连不上，那就投{second}",
            "先试试投屏到{first}，够不着就{second}",
        ),
        slots={"first": first, "second": second},
        plan=plan,
        patch=around(machine("tv", first, 1, trusted=0, nearby=int(there)), machine("tv", second, 2, trusted=0)),
    )


def trust_then_work(rng: Draw, world: World) -> Draft:
    """Collaboration wants a trusted partner (409)."""
    device, trusted, name = rng.pick(LAPTOPS), rng.random() < 0.3, rng.pick(NAMES)

    def plan() -> Plan:
        call = do("manage_screen_collaboration", action="start", deviceName=device, mode="extend")
        feedback = yield [call]
        if not feedback[0].ok:
            yield [do("manage_trusted_devices", action="add", deviceName=device)]
            yield [call]
        return done(rng.say(f"Working together with {device}.", f"已和{device}协同。"))

    return Draft(
        phrasings=(
            "Start screen collaboration with {device}, extended. Trust it first if it isn't yet.",
            "Extend my screen with {device} by collaboration; it may be added to the trusted devices.",
            "{name} gave me {device} for work. Set up extended screen collaboration with it, you may trust it.",
            "Screen collaboration, extended, partner {device}. It's {name}'s and trustworthy, mark it so if needed.",
        ),
        chinese=(
            "和{device}开多屏协同，扩展模式，没信任的话先信任它。",
            "用{device}扩展我的屏幕，走多屏协同，可以加入信任设备",
            "{name}给了我{device}办公，跟它开扩展的多屏协同，可以信任它",
            "多屏协同，扩展模式，对象{device}。是{name}的，信得过，需要就设为信任",
        ),
        slots={"device": device, "name": name},
        plan=plan,
        patch=around(machine("laptop", device, trusted=int(trusted))),
        shown=("manage_trusted_devices",),
    )


def warm_branch(rng: Draw, world: World) -> Draft:
    """What the thermostat says decides."""
    limit, over = rng.randint(20, 25), rng.random() < 0.5
    level, plug = limit + (2 if over else -2), rng.choice(PLUGS)

    def plan() -> Plan:
        feedback = yield [do("query_home_devices", deviceType="thermostat")]
        if feedback[0].payload["data"]["items"][0]["temperature"] > limit:
            yield [do("set_thermostat", temperature=limit)]
            return done(rng.say(f"The thermostat is at {limit} °C.", f"温控器调到{limit}度了。"))
        yield [do("control_smart_plug", action="on", deviceName=plug)]
        return done(rng.say(f"{plug} is on.", f"{plug}开了。"))

    return Draft(
        phrasings=(
            "If the thermostat is set above {limit} °C, lower it to {limit}; otherwise turn on the {plug}.",
            "Thermostat over {limit} degrees? Down to {limit}. If not, {plug} on.",
            "Look at the thermostat: more than {limit} °C is a waste, then make it {limit}. Else switch on the {plug}.",
            "I don't want to heat beyond {limit} °C, so correct the thermostat if it's set higher, and if it isn't, "
            "just turn the {plug} on.",
        ),
        chinese=(
            "温控器要是设得高于{limit}度就降到{limit}度，否则打开{plug}。",
            "温控器超过{limit}度？调到{limit}，没超过就开{plug}",
            "看下温控器，设到{limit}度以上太浪费，那就改成{limit}度，不然就打开{plug}",
            "我不想超过{limit}度，温控器设高了就改回{limit}度，没设高就把{plug}打开",
        ),
        slots={"limit": limit, "plug": plug},
        plan=plan,
        patch=home(
            {"name": THERMOSTAT, "power": 1, "level": level, "mode": "heat"},
            *({"name": name, "power": 0} for name in PLUGS),
        ),
        shown=("set_thermostat", "control_smart_plug"),
    )


def which_burn(rng: Draw, world: World) -> Draft:
    """Only those lamps that are off need switching on, so the state has to be read."""
    lit = rng.sample(LIGHTS, 2)
    level = rng.randrange(20, 80, 5)

    def plan() -> Plan:
        feedback = yield [do("query_home_devices", deviceType="light")]
        burning = [item["name"] for item in feedback[0].payload["data"]["items"] if item.get("on")]
        yield [do("control_light", action="on", deviceName=name, brightness=level) for name in burning]
        return done(rng.say(f"{' and '.join(burning)} are at {level}%.", f"{'和'.join(burning)}调到{level}%了。"))

    return Draft(
        phrasings=(
            "Dim the lights that are on to {level}%, and leave the others off.",
            "Every lamp that burns: {level} percent. Don't switch any other on.",
            "It's too bright at home. Whatever light is on goes to {level}%, the rest stays off.",
            "Find out which lights are on and set just those to {level}% brightness.",
        ),
        chinese=(
            "把亮着的灯都调到{level}%，没开的别开。",
            "亮着的每盏灯：{level}%，其他的不要开",
            "家里太亮了，开着的灯都降到{level}%，关着的不动",
            "看看哪些灯开着，只把那些调到{level}%亮度",
        ),
        slots={"level": level},
        plan=plan,
        patch=home(*({"name": name, "power": int(name in lit), "level": 95} for name in LIGHTS)),
        shown=("control_light",),
    )


def migrate(rng: Draw, world: World) -> Draft:
    """The contents have to be chosen before the migration starts."""
    device, name = rng.pick(PHONES), rng.pick(NAMES)

    def plan() -> Plan:
        yield [do("manage_phone_migration", action="choose_contents", contents=["contacts", "documents"])]
        yield [do("start_phone_migration", direction="send", deviceName=device)]
        return done(rng.say(f"Moving to {device}.", f"正在迁移到{device}。"))

    return Draft(
        phrasings=(
            "Move only my contacts and documents to the new phone {device}, start now.",
            "Migrate contacts and documents, nothing else, from here to {device}.",
            "{name} sold me {device}. Start the phone migration to it, but only contacts and documents.",
            "My new phone is {device}. Just contacts and documents should move over, get it going.",
        ),
        chinese=(
            "只把联系人和文档迁移到新手机{device}，现在开始。",
            "迁移联系人和文档到{device}，别的不要",
            "{name}卖了台{device}给我，开始换机迁移过去，只要联系人和文档",
            "我的新手机是{device}，只搬联系人和文档，开始吧",
        ),
        slots={"device": device, "name": name},
        plan=plan,
        patch=around(
            machine("phone", device), migration_contents="photos,videos", battery_level="85", device_power="on"
        ),
    )


def fattest_job(rng: Draw, world: World) -> Draft:
    """Which print job goes has to be read off the queue."""
    files, copies = [f"Handout_{n}.pdf" for n in rng.sample(range(100, 1000), 2)], rng.sample(range(4, 60), 2)
    jobs = [
        {"id": f"print_70{i}", "file": file, "printer": "Brother HL", "copies": count}
        for i, (file, count) in enumerate(zip(files, copies, strict=True), start=1)
    ]

    def plan() -> Plan:
        feedback = yield [do("manage_print_jobs", action="query")]
        job = max(feedback[0].payload["data"]["items"], key=lambda item: item["copies"])
        yield [do("manage_print_jobs", action="cancel", jobId=job["jobId"])]
        return done(rng.say(f"{job['file']} won't be printed.", f"{job['file']}的打印取消了。"))

    return Draft(
        phrasings=(
            "Cancel the print job with the most copies.",
            "One job in the print queue has far too many copies, the one with the most. Cancel it.",
            "I mistyped a number when printing {a} or {b}. Whichever waiting job has the most copies, cancel that.",
            "Paper is short: of the jobs waiting at the printer, {a} among them, the one with most copies must go.",
        ),
        chinese=(
            "取消份数最多的那个打印任务。",
            "打印队列里有个任务份数太多，把份数最多的取消",
            "打印{a}或{b}的时候数字输错了，看哪个任务份数最多就取消哪个",
            "纸不够了，排队打印的里面（比如{a}），份数最多的那个撤掉",
        ),
        slots={"a": files[0], "b": files[1]},
        plan=plan,
        patch={**around(), "print_jobs": jobs},
    )


def vacuum_known(rng: Draw, world: World) -> Draft:
    """A robot at work needs nothing but the answer."""
    event = rng.pick(EVENTS)

    def plan() -> Plan:
        yield [do("query_home_devices", deviceType="vacuum")]
        return done(rng.say("It is cleaning already.", "它已经在打扫了。"))

    return Draft(
        phrasings=(
            "Is the robot vacuum working? Only if it's docked, start it.",
            "Start the vacuum if it sits in its dock. Otherwise just tell me what it's doing.",
            "The floor must be clean before {event}. What's the robot vacuum doing? Start it only from the dock.",
            "See what the vacuum is up to before {event}; in case it's docked let it clean, else leave it alone.",
        ),
        chinese=(
            "扫地机在干活吗？在充电座上才启动它。",
            "扫地机要是停在座上就开始打扫，不然只告诉我它在干什么",
            "“{event}”之前地要扫干净，扫地机现在什么状态？停在座上才启动",
            "“{event}”前看看扫地机在做什么，停在座上就让它扫，否则别动它",
        ),
        slots={"event": event},
        plan=plan,
        criteria=answered(
            ["cleaning", "vacuuming", "working", "打扫", "清扫", "扫地", "工作"], reads=("query_home_devices",)
        ),
        patch=home({"name": VACUUM, "mode": "cleaning", "area": ""}),
        shown=("control_vacuum",),
    )


STEPS = (cast_radios, nearest_screen, trust_then_work, warm_branch, which_burn, migrate, fattest_job, vacuum_known)


@family("device_steps", TOOL, DEVICES, "dependency", variants=len(STEPS))
def device_steps(rng: Draw, world: World) -> Draft:
    """One of the dependent errands."""
    return branch(rng, world, STEPS)


MIXED = (
    Wish(
        calls=(
            do("control_light", action="on", deviceName="{lamp}", brightness="{level}"),
            do("set_alarm_volume", level="{volume}"),
            do("manage_dark_mode", action="enable"),
        ),
        slots={"lamp": LIGHTS, "level": number(15, 60, 5), "volume": number(20, 90, 5)},
        patch=home({"name": "{lamp}", "power": 0, "level": 5}, alarm_volume="5", dark_mode="off"),
        english=(
            "{lamp} at {level}%, alarm volume {volume}, and dark mode on.",
            "Bedtime: {lamp} on at {level} percent, dark mode on, alarms at volume {volume}.",
            "Getting sleepy. Dark mode on the phone, the {lamp} at {level}%, and my alarm should ring at {volume}.",
            "Three things before bed: dark mode on the phone, alarm volume {volume}, {lamp} at {level}%.",
        ),
        chinese=(
            "{lamp}开到{level}%，闹钟音量{volume}，打开深色模式。",
            "要睡了：{lamp}{level}%，深色模式打开，闹钟音量调到{volume}",
            "困了，手机开深色模式，{lamp}亮度{level}%，闹钟音量{volume}",
            "睡前三件事：手机深色模式打开，闹钟音量{volume}，{lamp}开到{level}%",
        ),
    ),
    Wish(
        calls=(
            do("control_screen_casting", action="start", targetDeviceName="{device}"),
            do("control_smart_plug", action="on", deviceName="Coffee Maker"),
            do("manage_todo", action="create", content="{todo}"),
        ),
        slots={"device": TVS, "todo": lambda rng, world: fresh(rng, TITLES, todo_contents(world))[0]},
        patch={
            **around(machine("tv", trusted=0)),
            "home_devices": [{"name": "Coffee Maker", "online": 1, "power": 0}],
        },
        english=(
            'Cast to {device}, Coffee Maker on, and put "{todo}" on my to-do list.',
            'New to-do "{todo}"; then my screen on {device} and the Coffee Maker running.',
            'Coffee Maker on, screen cast to {device}, and so I don\'t forget: to-do "{todo}".',
            'Comfortable morning, please: picture on {device}, Coffee Maker on. And note the to-do "{todo}".',
        ),
        chinese=(
            "投屏到{device}，打开Coffee Maker，再加个待办“{todo}”。",
            "新建待办“{todo}”，然后屏幕投到{device}，Coffee Maker打开",
            "Coffee Maker打开，手机投到{device}，免得忘了，待办加一条“{todo}”",
            "舒服的早晨：画面投到{device}，Coffee Maker开起来，另外记个待办“{todo}”",
        ),
    ),
)


@family("device_mixed", TOOL, DEVICES, "dependency", unseen="family", variants=len(MIXED))
def device_mixed(rng: Draw, world: World) -> Draft:
    """Known tools of several domains that training never combines."""
    return wished(rng, world, MIXED)


FAMILIES = (device_steps, device_mixed)
