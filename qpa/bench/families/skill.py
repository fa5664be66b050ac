"""Skill usage: load the right skill, then do the job. Odd seeds show loaders only (SOR), even ones tools too (MTSR)."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, Routing, do, done, family
from qpa.bench.families.tool_calls import contact_row, person
from qpa.bench.families.tool_network import network_row, settings
from qpa.bench.families.values import MESSAGES, NETWORKS, NOTES, TITLES, TODOS, Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.loaders import loader_name
from qpa.envs.sandbox.schema import World

SKILL = Dimension.SKILL
TIME = "Time Management"
CALLS = "Calls & Communication"
NETWORK = "Network & Connectivity"
RULES = ("unknown_numbers", "international", "telemarketing")
RULES_ZH = {"unknown_numbers": "陌生号码", "international": "国际来电", "telemarketing": "推销电话"}


def routing_of(rng: Draw) -> Routing:
    """Half of the instances of a family run in each setting."""
    return "sor" if rng.index % 2 else "mtsr"


def load(skill: str, reason: str) -> tuple[str, dict]:
    """A loader call."""
    return do(loader_name(skill), reason=reason)


@family("skill_alarm", SKILL, TIME, "single_skill")
def skill_alarm(rng: Draw, world: World) -> Draft:
    """Time planning: one alarm."""
    time, title = rng.time(), rng.pick(TITLES)

    def plan() -> Plan:
        yield [load("alarms-timers", "alarm")]
        yield [do("manage_alarm", action="create", time=time, title=title)]
        return done(rng.say(f"Done: alarm {time} {title}.", f"好了：{time}的闹钟{title}。"))

    return Draft(
        phrasings=(
            "Set an alarm for {time} called {title}.",
            "Wake me at {time}, label it {title}.",
            "I need a {title} alarm at {time}.",
            "Please add an alarm named {title} at {time}.",
        ),
        chinese=(
            "设个{time}的闹钟，名字叫{title}。",
            "{time}叫我，闹钟标签写{title}。",
            "帮我加一个{title}的闹钟，{time}响。",
            "闹钟，{time}，{title}。",
        ),
        slots={"time": time, "title": title},
        plan=plan,
        skills=("alarms-timers",),
        routing=routing_of(rng),
    )


@family("skill_reminder", SKILL, TIME, "single_skill")
def skill_reminder(rng: Draw, world: World) -> Draft:
    """Time planning: one reminder on a given day."""
    content, moment = rng.pick(TODOS), f"{rng.day()} {rng.time()}"

    def plan() -> Plan:
        yield [load("calendar-todos", "reminder")]
        yield [do("manage_reminder", action="create", content=content, time=moment)]
        return done(rng.say(f"Done: reminder {content}.", f"好了：到时提醒你{content}。"))

    return Draft(
        phrasings=(
            "Remind me to {content} on {moment}.",
            "Reminder for {moment}: {content}.",
            "I must {content} on {moment}, remind me.",
            "Set a reminder, {content}, at {moment}.",
        ),
        chinese=(
            "{moment}提醒我{content}。",
            "加个提醒：{content}，时间{moment}。",
            "到{moment}的时候记得提醒我{content}。",
            "我{moment}得{content}，帮我设个提醒吧。",
        ),
        slots={"content": content, "moment": moment},
        plan=plan,
        skills=("calendar-todos",),
        routing=routing_of(rng),
    )


@family("skill_message", SKILL, CALLS, "single_skill")
def skill_message(rng: Draw, world: World) -> Draft:
    """Calls and messaging: one text."""
    name, content = person(rng, world), rng.pick(MESSAGES)

    def plan() -> Plan:
        yield [load("messages-mail", "message")]
        yield [do("send_message", content=content, contact=name)]
        return done(rng.say(f"Done: texted {name}.", f"好了：已发给{name}。"))

    return Draft(
        phrasings=(
            'Text {name}: "{content}".',
            'Send {name} the message "{content}".',
            'Tell {name} by text "{content}".',
            'Message "{content}" to {name}, please.',
        ),
        chinese=(
            "给{name}发短信：“{content}”。",
            "发条短信告诉{name}“{content}”。",
            "帮我发短信，跟{name}说“{content}”。",
            "短信发{name}，内容是“{content}”，谢谢。",
        ),
        slots={"name": name, "content": content},
        plan=plan,
        patch={"contacts": [contact_row(701, name, rng.phone())], "settings": settings()},
        skills=("messages-mail",),
        routing=routing_of(rng),
    )


@family("skill_wifi", SKILL, NETWORK, "single_skill", "recovery")
def skill_wifi(rng: Draw, world: World) -> Draft:
    """Connectivity: a known network, Wi-Fi may be off."""
    ssid = rng.pick(NETWORKS)

    def plan() -> Plan:
        yield [load("wifi-hotspot", "wifi")]
        connect = do("connect_wifi", ssid=ssid)
        feedback = yield [connect]
        if not feedback[0].ok:
            yield [do("manage_wifi", action="enable")]
            yield [connect]
        return done(rng.say(f"Done: connected to {ssid}.", f"好了：已连接{ssid}。"))

    return Draft(
        phrasings=(
            "Connect to the saved Wi-Fi {ssid}.",
            "Join my known network {ssid}.",
            "Get me on {ssid}, it is saved.",
            "Use the Wi-Fi {ssid} you already know.",
        ),
        chinese=(
            "连上已保存的Wi-Fi {ssid}。",
            "帮我连{ssid}，这个网之前存过。",
            "用手机里存的那个{ssid}上网。",
            "连一下Wi-Fi“{ssid}”，密码手机早就记住了。",
        ),
        slots={"ssid": ssid},
        plan=plan,
        patch={
            "settings": settings(wifi=rng.choice(("on", "off"))),
            "wifi_networks": [network_row(ssid, rng.password(), saved=1)],
        },
        skills=("wifi-hotspot",),
        routing=routing_of(rng),
        shown=("manage_wifi",),
    )


@family("skill_protection", SKILL, CALLS, "single_skill", "conditional")
def skill_protection(rng: Draw, world: World) -> Draft:
    """Call protection: what to do depends on the rule's state, so it has to be queried."""
    rule, state, phone = rng.choice(RULES), rng.choice(("on", "off")), rng.phone()
    spoken = rng.say(rule.replace("_", " "), RULES_ZH[rule])

    def plan() -> Plan:
        yield [load("privacy-call-protection", "protection")]
        feedback = yield [do("manage_interception", action="query", rule=rule)]
        if feedback[0].payload["data"][rule] == "on":
            yield [do("manage_call_forwarding", action="enable", phoneNumber=phone)]
            return done(rng.say(f"Done: forwarding to {phone}.", f"好了：来电转到{phone}。"))
        yield [do("manage_interception", action="enable", rule=rule)]
        return done(rng.say(f"Done: blocking {spoken}.", f"好了：已拦截{spoken}。"))

    return Draft(
        phrasings=(
            "If {rule} calls are blocked, forward calls to {phone}; otherwise block them.",
            "Are {rule} calls blocked? Then forward calls to {phone}. If not, block them.",
            "Block {rule} calls; if they already are, forward calls to {phone}.",
            "Check {rule} blocking: when on, forward to {phone}, else switch it on.",
        ),
        chinese=(
            "要是已经在拦截{rule}了，就把来电转到{phone}；没有的话就打开拦截。",
            "看看{rule}拦截开了没：开着就把来电转接到{phone}，没开就开上。",
            "把{rule}拦掉；如果本来就拦着，那就设置来电转接到{phone}。",
            "{rule}拦截要是没开就帮我开；开着的话，来电都转到{phone}。",
        ),
        slots={"rule": spoken, "phone": phone},
        plan=plan,
        patch={"settings": settings(**{f"intercept_{rule}": state})},
        skills=("privacy-call-protection",),
        routing=routing_of(rng),
        shown=("manage_call_forwarding",),
    )


@family("skill_note", SKILL, "AI Assistant", "single_skill")
def skill_note(rng: Draw, world: World) -> Draft:
    """Personal assistant: one note."""
    content = rng.pick(NOTES)

    def plan() -> Plan:
        yield [load("ai-content-personal-assistant", "note")]
        yield [do("manage_note", action="create", content=content)]
        return done(rng.say(f"Noted: {content}.", f"记下了：{content}。"))

    return Draft(
        phrasings=(
            "Write a note: {content}.",
            "Make a note that {content}.",
            "Note down: {content}.",
            "New note, {content}, please.",
        ),
        chinese=(
            "记个笔记：{content}。",
            "写一条备忘，{content}。",
            "帮我记下来，{content}。",
            "怕忘了，笔记里记一句：{content}。",
        ),
        slots={"content": content},
        plan=plan,
        skills=("ai-content-personal-assistant",),
        routing=routing_of(rng),
    )


@family("skill_order", SKILL, NETWORK, "single_skill", "dependency")
def skill_order(rng: Draw, world: World) -> Draft:
    """The arbiter: a text must leave before airplane mode, in whatever order it was said."""
    name, content = person(rng, world), rng.pick(MESSAGES)

    def plan() -> Plan:
        yield [load("conflict-order-arbiter", "order")]
        yield [do("send_message", content=content, contact=name)]
        yield [do("manage_airplane_mode", action="enable")]
        return done(f"Done: texted {name}, airplane mode on.")

    return Draft(
        phrasings=(
            'Airplane mode on, and before that text {name} "{content}".',
            'Text {name} "{content}", then airplane mode.',
            'I board now: airplane mode, but {name} must still get "{content}".',
            'Turn on airplane mode once {name} was texted "{content}".',
        ),
        slots={"name": name, "content": content},
        plan=plan,
        criteria="tool",
        annotated=("send_message", "manage_airplane_mode"),
        patch={"contacts": [contact_row(701, name, rng.phone())], "settings": settings()},
        skills=("conflict-order-arbiter",),
        routing="mtsr",  # the arbiter loads no tools of its own
    )


@family("skill_pair", SKILL, TIME, "multi_skill", "parallel", unseen="family")
def skill_pair(rng: Draw, world: World) -> Draft:
    """Two skills are needed; training only ever loads one."""
    time, title, name, content = rng.time(), rng.pick(TITLES), person(rng, world), rng.pick(MESSAGES)

    def plan() -> Plan:
        yield [load("alarms-timers", "alarm"), load("messages-mail", "message")]
        yield [
            do("manage_alarm", action="create", time=time, title=title),
            do("send_message", content=content, contact=name),
        ]
        return done(rng.say(f"Done: alarm {time}, texted {name}.", f"好了：{time}的闹钟，也发给{name}了。"))

    return Draft(
        phrasings=(
            'Set a {title} alarm at {time} and text {name} "{content}".',
            'Text {name} "{content}" and wake me at {time} for {title}.',
            'Alarm {title} at {time}, then tell {name} by text "{content}".',
            'Two things: {title} alarm, {time}; message {name} "{content}".',
        ),
        chinese=(
            "定{time}的{title}闹钟，再给{name}发短信“{content}”。",
            "给{name}发短信“{content}”，另外{time}用{title}闹钟叫我。",
            "{title}闹钟设在{time}，然后短信告诉{name}“{content}”。",
            "两件事：{time}的闹钟，叫{title}；短信给{name}，“{content}”。",
        ),
        slots={"time": time, "title": title, "name": name, "content": content},
        plan=plan,
        patch={"contacts": [contact_row(701, name, rng.phone())], "settings": settings()},
        skills=("alarms-timers", "messages-mail"),
        routing=routing_of(rng),
    )


FAMILIES = (
    skill_alarm,
    skill_reminder,
    skill_message,
    skill_wifi,
    skill_protection,
    skill_note,
    skill_order,
    skill_pair,
)
