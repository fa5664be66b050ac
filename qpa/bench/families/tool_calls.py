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
        return done(f"Done: texted {name}.")

    return Draft(
        phrasings=(
            'Text {name}: "{content}".',
            'Send {name} the message "{content}".',
            'Tell {name} by text "{content}".',
            'Message "{content}" to {name}, please.',
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
        return done(f"Done: texted {name}.")

    return Draft(
        phrasings=(
            'Text {wrong} "{content}", no, send it to {name}.',
            'Tell {wrong} "{content}"... sorry, I mean {name}.',
            'Send "{content}" to {wrong}, wait, to {name} instead.',
            'Message {wrong} "{content}". Actually not {wrong}, {name}.',
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
    a, b = (f"{first} {last}" for last in sorted(rng.sample(LAST_NAMES, 2)))

    def plan() -> Plan:
        yield [do("send_message", content=content, contact=first)]
        return ask(f"Which one: {a} or {b}?")

    return Draft(
        phrasings=(
            'Text {name}: "{content}".',
            'Send {name} the message "{content}".',
            'Tell {name} by text "{content}".',
            'Message "{content}" to {name}, please.',
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
    tool, permission, phrasings, word = rng.choice(
        (
            (
                "make_call",
                "CALL_PHONE",
                ("Call {name}.", "Ring {name}, please.", "Phone {name} now.", "Dial {name}."),
                "",
            ),
            (
                "send_message",
                "SEND_SMS",
                ('Text {name}: "{w}".', 'Send {name} "{w}".', 'Message {name} "{w}".', 'Tell {name} by text "{w}".'),
                rng.pick(MESSAGES),
            ),
        )
    )
    extra = {"content": word} if word else {}

    def plan() -> Plan:
        yield [do(tool, contact=name, **extra)]
        return ask(f"Permission {permission} is denied. Grant it?")

    return Draft(
        phrasings=phrasings,
        slots={"name": name, "w": word},
        plan=plan,
        criteria=BehaviorCriteria(
            routes=[ToolStep(name=tool, arguments={"contact": name, **extra})],
            intent=Intent.ASK,
            mentions=[["permission"]],
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
        return ask(f"No contact {name}. What number?")

    return Draft(
        phrasings=("Call {name}.", "Ring {name}, please.", "Phone {name} now.", "Give {name} a call."),
        slots={"name": name},
        plan=plan,
        criteria=BehaviorCriteria(
            routes=[
                ToolStep(name="make_call", arguments={"contact": name}),
                ToolStep(name="query_contacts", arguments={"name": name}),
            ],
            intent=Intent.ASK,
            mentions=[[name], ["number", "who"]],
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
        return done(f"Done: calls forwarded to {name}.")

    return Draft(
        phrasings=(
            "Forward my calls to {name}.",
            "Find {name}'s number and forward calls to it.",
            "Let {name} get my calls from now on.",
            "All calls should go to {name}'s phone.",
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
        Message(role=Role.USER, content=f"Save {name} as a contact, {phone}."),
        Message(role=Role.ASSISTANT, calls=[call]),
        Message(role=Role.TOOL, content=to_json(result).decode(), call_id="past_0", name="add_contact"),
        Message(role=Role.ASSISTANT, content=f"Done: contact {name}."),
    ]

    def plan() -> Plan:
        yield [do("send_message", content=content, contact=name)]
        return done(f"Done: texted {name}.")

    return Draft(
        phrasings=(
            'Now text them "{content}".',
            'Send that number "{content}".',
            'Good. Message them: "{content}".',
            'Tell this new contact "{content}" by text.',
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
        return done(f"Done: connected to {ssid}, texted {name}.")

    return Draft(
        phrasings=(
            'Connect to {ssid}, password {password}, and text {name} "{content}".',
            'Text {name} "{content}" and join Wi-Fi {ssid} with password {password}.',
            'Join {ssid} (password {password}), then message {name}: "{content}".',
            'Two things: Wi-Fi {ssid}, password {password}; text {name} "{content}".',
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
