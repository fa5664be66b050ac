"""Basic tool use in Calls & Communication: recipients, permissions, ambiguity, references and refusals."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, Plan, ask, do, done, family, refuse
from qpa.bench.families.tool_network import network_row, settings
from qpa.bench.families.values import MESSAGES, NAMES, NETWORKS, Draw
from qpa.contract import BehaviorCriteria, Dimension, Intent, Message, Role, ToolCall, ToolStep, to_json
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
CALLS = "Calls & Communication"
LAST_NAMES = ("Abel", "Berg", "Cruz", "Dorn", "Engel", "Frost", "Gruber", "Haas", "Ito", "Jansen", "Klein", "Lund")
# How namesakes are told apart in a Chinese phone book: a word after the name.
LABELS = ("公司", "同学", "邻居", "客户", "健身房", "家长群", "房东", "物业", "老乡", "球友", "驾校", "装修")
# What no tool of the sandbox can do; {n} makes the number of requests large.
IMPOSSIBLE = tuple(
    f"{verb} {thing}"
    for verb, things in (
        (
            "order",
            ("pizza", "sushi", "ramen", "tacos", "curry", "a salad", "noodles", "ice cream", "flowers", "a sofa"),
        ),
        ("book", ("a taxi", "a hotel", "a flight", "a train seat", "a haircut", "a table", "a tennis court")),
        ("buy", ("shoes", "stamps", "a lamp", "a bike", "coffee beans", "a jacket", "concert tickets", "paint")),
        ("unlock", ("the front door", "the garage", "the car", "the safe", "the office")),
        ("cook", ("dinner", "pasta", "rice", "soup", "breakfast")),
        ("vacuum", ("the kitchen", "the hall", "the bedroom", "the stairs")),
        ("measure", ("my pulse", "my weight", "the humidity", "the noise outside", "my height")),
        ("repair", ("the oven", "the washing machine", "my bike", "the roof", "the screen", "the printer")),
    )
    for thing in things
)


def person(rng: Draw, world: World) -> str:
    """A first name that no contact of the world shares a word with."""
    taken = {word.casefold() for row in world.rows["contacts"] for word in row["name"].split()}
    while True:
        name = rng.pick(NAMES)
        if name.casefold() not in taken:
            return name


def people(rng: Draw, world: World, count: int) -> list[str]:
    """Distinct names as in `person`."""
    found: list[str] = []
    while len(found) < count:
        name = person(rng, world)
        if name not in found:
            found.append(name)
    return found


def contact_row(number: int, name: str, phone: str, **more: Any) -> dict[str, Any]:
    """A patched contact; phones are stored as digits."""
    return {"id": f"contact_{number}", "name": name, "phone": phone.replace("-", ""), **more}


@family("message_send", TOOL, CALLS, "grounding")
def message_send(rng: Draw, world: World) -> Draft:
    """A text to a saved contact."""
    name, content = person(rng, world), rng.pick(MESSAGES)

    def plan() -> Plan:
        yield [do("send_message", content=content, contact=name)]
        return done(rng.say(f"Done: texted {name}.", f"短信已发给{name}。"))

    return Draft(
        phrasings=(
            'Text {name}: "{content}".',
            'Send {name} the message "{content}".',
            'Tell {name} by text "{content}".',
            'Message "{content}" to {name}, please.',
        ),
        chinese=(
            "给{name}发短信：“{content}”。",
            "发条短信给{name}，内容是“{content}”。",
            "短信告诉{name}“{content}”。",
            "我这会儿腾不出手打字，替我给{name}发个短信说“{content}”。",
        ),
        slots={"name": name, "content": content},
        plan=plan,
        patch={"contacts": [contact_row(701, name, rng.phone())], "settings": settings()},
    )


@family("message_revised", TOOL, CALLS, "revision")
def message_revised(rng: Draw, world: World) -> Draft:
    """The recipient is corrected within the utterance."""
    (wrong, name), content = people(rng, world, 2), rng.pick(MESSAGES)

    def plan() -> Plan:
        yield [do("send_message", content=content, contact=name)]
        return done(rng.say(f"Done: texted {name}.", f"短信已发给{name}。"))

    return Draft(
        phrasings=(
            'Text {wrong} "{content}", no, send it to {name}.',
            'Tell {wrong} "{content}"... sorry, I mean {name}.',
            'Send "{content}" to {wrong}, wait, to {name} instead.',
            'Message {wrong} "{content}". Actually not {wrong}, {name}.',
        ),
        chinese=(
            "给{wrong}发短信“{content}”，不对，发给{name}。",
            "短信告诉{wrong}“{content}”……说错了，是{name}。",
            "把“{content}”发短信给{wrong}，等等，改成发给{name}。",
            "给{wrong}发个短信：“{content}”。哎不是{wrong}，应该是{name}。",
        ),
        slots={"wrong": wrong, "name": name, "content": content},
        plan=plan,
        patch={
            "contacts": [contact_row(701, wrong, rng.phone()), contact_row(702, name, rng.phone())],
            "settings": settings(),
        },
    )


@family("message_ambiguous", TOOL, CALLS, "recovery", "clarify")
def message_ambiguous(rng: Draw, world: World) -> Draft:
    """Two contacts share the first name (409): ask which, send nothing."""
    first, content = person(rng, world), rng.pick(MESSAGES)
    a, b = (f"{first} {last}" for last in sorted(rng.sample(LABELS if rng.chinese else LAST_NAMES, 2)))

    def plan() -> Plan:
        yield [do("send_message", content=content, contact=first)]
        return ask(rng.say(f"Which one: {a} or {b}?", f"发给哪一位，{a}还是{b}？"))

    return Draft(
        phrasings=(
            'Text {name}: "{content}".',
            'Send {name} the message "{content}".',
            'Tell {name} by text "{content}".',
            'Message "{content}" to {name}, please.',
        ),
        chinese=(
            "给{name}发短信：“{content}”。",
            "发条短信给{name}，内容是“{content}”。",
            "短信告诉{name}“{content}”。",
            "替我给{name}发个短信说一声“{content}”。",
        ),
        slots={"name": first, "content": content},
        plan=plan,
        criteria=BehaviorCriteria(
            routes=[
                ToolStep(name="send_message", arguments={"contact": first, "content": content}),
                ToolStep(name="query_contacts", arguments={"name": first}),
            ],
            intent=Intent.ASK,
            mentions=[[a], [b]],
        ),
        patch={
            "contacts": [contact_row(701, a, rng.phone()), contact_row(702, b, rng.phone())],
            "settings": settings(),
        },
    )


@family("reach_denied", TOOL, CALLS, "recovery", "permission")
def reach_denied(rng: Draw, world: World) -> Draft:
    """The permission is missing (403): report it and ask, claim nothing."""
    name = person(rng, world)
    tool, permission, phrasings, chinese, word = rng.choice(
        (
            (
                "make_call",
                "CALL_PHONE",
                ("Call {name}.", "Ring {name}, please.", "Phone {name} now.", "Dial {name}."),
                ("打给{name}。", "给{name}拨个电话。", "现在就打电话给{name}。", "帮我联系一下{name}，直接打电话。"),
                "",
            ),
            (
                "send_message",
                "SEND_SMS",
                ('Text {name}: "{w}".', 'Send {name} "{w}".', 'Message {name} "{w}".', 'Tell {name} by text "{w}".'),
                (
                    "给{name}发短信：“{w}”。",
                    "短信告诉{name}“{w}”。",
                    "发条短信给{name}，说“{w}”。",
                    "替我短信回{name}：“{w}”。",
                ),
                rng.pick(MESSAGES),
            ),
        )
    )
    extra = {"content": word} if word else {}

    def plan() -> Plan:
        yield [do(tool, contact=name, **extra)]
        return ask(rng.say(f"Permission {permission} is denied. Grant it?", f"没有{permission}权限，要开启吗？"))

    return Draft(
        phrasings=phrasings,
        chinese=chinese,
        slots={"name": name, "w": word},
        plan=plan,
        criteria=BehaviorCriteria(
            routes=[ToolStep(name=tool, arguments={"contact": name, **extra})],
            intent=Intent.ASK,
            mentions=[["权限" if rng.chinese else "permission"]],
        ),
        patch={"contacts": [contact_row(701, name, rng.phone())], "settings": settings()},
        denied=(permission,),
    )


@family("contact_unknown", TOOL, CALLS, "recovery", "clarify")
def contact_unknown(rng: Draw, world: World) -> Draft:
    """Nobody has that name (404): ask for the number instead of guessing."""
    name = person(rng, world)

    def plan() -> Plan:
        yield [do("make_call", contact=name)]
        return ask(rng.say(f"No contact {name}. What number?", f"通讯录里没有{name}，号码是多少？"))

    return Draft(
        phrasings=("Call {name}.", "Ring {name}, please.", "Phone {name} now.", "Give {name} a call."),
        chinese=(
            "给{name}打电话。",
            "拨一下{name}的电话。",
            "现在就打给{name}。",
            "我有急事找{name}，帮我打个电话过去。",
        ),
        slots={"name": name},
        plan=plan,
        criteria=BehaviorCriteria(
            routes=[
                ToolStep(name="make_call", arguments={"contact": name}),
                ToolStep(name="query_contacts", arguments={"name": name}),
            ],
            intent=Intent.ASK,
            mentions=[[name], ["号码", "电话", "谁"] if rng.chinese else ["number", "who"]],
        ),
        patch={"settings": settings()},
    )


@family("forward_to_contact", TOOL, CALLS, "dependency")
def forward_to_contact(rng: Draw, world: World) -> Draft:
    """The number has to be looked up before calls can be forwarded to it."""
    name = person(rng, world)

    def plan() -> Plan:
        feedback = yield [do("query_contacts", name=name)]
        phone = feedback[0].payload["data"]["items"][0]["phone"]
        yield [do("manage_call_forwarding", action="enable", phoneNumber=phone)]
        return done(rng.say(f"Done: calls forwarded to {name}.", f"来电已转接给{name}。"))

    return Draft(
        phrasings=(
            "Forward my calls to {name}.",
            "Find {name}'s number and forward calls to it.",
            "Let {name} get my calls from now on.",
            "All calls should go to {name}'s phone.",
        ),
        chinese=(
            "把我的来电转接给{name}。",
            "查一下{name}的号码，来电都转到那里。",
            "以后我的电话都让{name}接。",
            "我要休假了，打给我的电话全部转到{name}的手机上。",
        ),
        slots={"name": name},
        plan=plan,
        patch={"contacts": [contact_row(701, name, rng.phone())]},
    )


@family("text_new_contact", TOOL, CALLS, "reference")
def text_new_contact(rng: Draw, world: World) -> Draft:
    """A pronoun refers to the contact saved in the previous turn."""
    name, phone, content, number = person(rng, world), rng.phone(), rng.pick(MESSAGES), rng.randint(200, 900)
    row = contact_row(number, name, phone)
    call = ToolCall(id="past_0", name="add_contact", arguments={"name": name, "phoneNumber": phone})
    result = {
        "success": True,
        "message": "Contact added",
        "data": {"id": row["id"], "name": name, "phone": row["phone"]},
    }
    history = [
        Message(
            role=Role.USER, content=rng.say(f"Save {name} as a contact, {phone}.", f"把{name}存到通讯录，{phone}。")
        ),
        Message(role=Role.ASSISTANT, calls=[call]),
        Message(role=Role.TOOL, content=to_json(result).decode(), call_id="past_0", name="add_contact"),
        Message(role=Role.ASSISTANT, content=rng.say(f"Done: contact {name}.", f"联系人{name}已保存。")),
    ]

    def plan() -> Plan:
        yield [do("send_message", content=content, contact=name)]
        return done(rng.say(f"Done: texted {name}.", f"短信已发给{name}。"))

    return Draft(
        phrasings=(
            'Now text them "{content}".',
            'Send that number "{content}".',
            'Good. Message them: "{content}".',
            'Tell this new contact "{content}" by text.',
        ),
        chinese=(
            "现在给TA发短信：“{content}”。",
            "发条短信到这个号码：“{content}”。",
            "好，给这位发个短信说“{content}”。",
            "那就发短信跟刚存的这个人打个招呼，写“{content}”。",
        ),
        slots={"content": content},
        plan=plan,
        patch={"contacts": [row], "settings": settings()},
        history=history,
    )


@family("refuse_unsupported", TOOL, "AI Assistant", "recovery", "boundary")
def refuse_unsupported(rng: Draw, world: World) -> Draft:
    """No visible tool can do it: say so, do nothing."""
    request = rng.pick(IMPOSSIBLE)

    def plan() -> Plan:
        yield from ()
        return refuse(f"I can't {request}.")

    return Draft(
        phrasings=(
            "Please {request} for me.",
            "Can you {request} right now?",
            "I want you to {request}.",
            "Go ahead and {request} at {hour}.",
            "{Request} as soon as possible.",
        ),
        slots={"request": request, "Request": request.capitalize(), "hour": rng.time()},
        plan=plan,
        criteria=BehaviorCriteria(intent=Intent.REFUSE, mentions=[[request.partition(" ")[2]]]),
        hidden=("control_gui_agent", "trigger_task", "manage_automation_rule"),
    )


@family("wifi_and_message", TOOL, CALLS, "dependency", "parallel", unseen="family")
def wifi_and_message(rng: Draw, world: World) -> Draft:
    """Two known tools of two domains that training never combines."""
    ssid, password, name, content = rng.pick(NETWORKS), rng.password(), person(rng, world), rng.pick(MESSAGES)

    def plan() -> Plan:
        yield [do("connect_wifi", ssid=ssid, password=password), do("send_message", content=content, contact=name)]
        return done(rng.say(f"Done: connected to {ssid}, texted {name}.", f"已连上{ssid}，短信已发给{name}。"))

    return Draft(
        phrasings=(
            'Connect to {ssid}, password {password}, and text {name} "{content}".',
            'Text {name} "{content}" and join Wi-Fi {ssid} with password {password}.',
            'Join {ssid} (password {password}), then message {name}: "{content}".',
            'Two things: Wi-Fi {ssid}, password {password}; text {name} "{content}".',
        ),
        chinese=(
            "连Wi-Fi {ssid}，密码{password}，再给{name}发短信“{content}”。",
            "给{name}发短信说“{content}”，顺便连上{ssid}，密码是{password}。",
            "先连{ssid}（密码{password}），再短信告诉{name}“{content}”。",
            "两件事：无线网{ssid}，密码{password}，连上；再发短信给{name}：“{content}”。",
        ),
        slots={"ssid": ssid, "password": password, "name": name, "content": content},
        plan=plan,
        patch={
            "contacts": [contact_row(701, name, rng.phone())],
            "settings": settings(wifi="on"),
            "wifi_networks": [network_row(ssid, password)],
        },
    )


FAMILIES = (
    message_send,
    message_revised,
    message_ambiguous,
    reach_denied,
    contact_unknown,
    forward_to_contact,
    text_new_contact,
    refuse_unsupported,
    wifi_and_message,
)
