"""Basic tool use in Calls & Communication: families whose expert looks up, refers back, or repairs."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.calls import CALLS, TOOL, late
from qpa.bench.families.mobile.common import branch, course, past_turn, settings
from qpa.bench.families.mobile.words import ORDINALS, Texts
from qpa.bench.families.tool_calls import contact_row, people, person
from qpa.bench.families.values import MESSAGES, Draw
from qpa.envs.sandbox.schema import World

RADIO = settings(airplane_mode="off")


REPLIES: Texts = (
    (
        (
            "Call back whoever I missed last.",
            "Return my last missed call.",
            "I missed a call just now, ring them back.",
            "Who tried to reach me last without luck? Call that person.",
        ),
        (
            "给最近一个未接来电回电话。",
            "刚才那个没接到的电话，帮我打回去",
            "回拨最后一个未接",
            "有个电话没来得及接，回一个过去吧",
        ),
    ),
    (
        (
            'Answer my newest unread text with "{content}".',
            'Reply "{content}" to whoever sent me the latest unread message.',
            'I have a new text that I haven\'t read. Text back "{content}".',
            'Whoever just texted me should get "{content}" as an answer.',
        ),
        (
            "最新那条未读短信，回“{content}”。",
            "给刚发短信给我的人回一句“{content}”",
            "有条新短信还没看，直接短信回复“{content}”",
            "谁刚给我发了短信，回TA“{content}”就好",
        ),
    ),
    (
        (
            'Text "{content}" to the person who left my newest voicemail.',
            'See who left the latest voicemail and text them "{content}".',
            'Somebody talked to my voicemail this morning. Send that person the text "{content}".',
            'I can\'t call back now, so text the last voicemail caller "{content}".',
        ),
        (
            "给最近在语音信箱留言的人发短信：“{content}”。",
            "看看最新的语音留言是谁的，短信发TA“{content}”",
            "早上有人给我语音留言了，发短信跟TA说“{content}”",
            "现在没法回电话，给留言的那位发条短信“{content}”",
        ),
    ),
)


@family("calls_reply", TOOL, CALLS, "dependency", variants=3)
def calls_reply(rng: Draw, world: World) -> Draft:
    """Whom to reach is only in a log: the last missed call, the newest unread text, the newest voicemail."""
    name, phone, content = person(rng, world), rng.phone(), rng.pick(MESSAGES)
    kind = rng.turn % 3
    look = (
        do("query_call_log", callType="missed"),
        do("query_messages", unreadOnly=True),
        do("manage_voicemail", action="query"),
    )[kind]
    english, chinese = REPLIES[kind]

    def plan() -> Plan:
        feedback = yield [look]
        newest = feedback[0].payload["data"]["items"][0]["phone"]
        yield [do("send_message", content=content, phoneNumber=newest) if kind else do("make_call", phoneNumber=newest)]
        return done(rng.say(f"Done: {name}.", f"好了，{name}。"))

    rows: dict[str, list[dict[str, Any]]] = (
        {"calls": [late(1, "calls", 58, name, phone, direction="missed")]},
        {"messages": [late(1, "messages", 57, name, phone, content=rng.say("Call me?", "在吗？"), unread=1)]},
        {"voicemails": [late(1, "voicemails", 56, name, phone, text=rng.say("Call me.", "请回电。"))]},
    )[kind]
    return Draft(
        phrasings=english,
        chinese=chinese,
        slots={"content": content},
        plan=plan,
        patch={"contacts": [contact_row(701, name, phone)], "settings": RADIO, **rows},
    )


@family("calls_pick", TOOL, CALLS, "reference", variants=2)
def calls_pick(rng: Draw, world: World) -> Draft:
    """One of three people whom the previous turn listed."""
    names, place, content = people(rng, world, 3), rng.randrange(3), rng.pick(MESSAGES)
    group = rng.say("choir", "合唱团")
    rows = [contact_row(701 + n, name, rng.phone(), group_name=group) for n, name in enumerate(names)]
    items = [{"id": r["id"], "name": r["name"], "phone": r["phone"], "group": group} for r in rows]
    if rng.turn % 2:
        call = do("make_call", contact=names[place])
        english: tuple[str, ...] = (
            "Call the {nth} one.",
            "Ring the {nth}, please.",
            "The {nth} of them, phone that one.",
            "I think the {nth} person on that list can help. Give them a ring.",
        )
        chinese: tuple[str, ...] = ("打给{nth}。", "给{nth}打个电话", "拨{nth}的号码", "{nth}应该能帮上忙，打电话过去")
    else:
        call = do("send_message", content=content, contact=names[place])
        english = (
            'Text the {nth} one "{content}".',
            'Send "{content}" to the {nth} of them as a text.',
            'The {nth}, please: text "{content}".',
            'Only the {nth} person on that list needs to know: text them "{content}".',
        )
        chinese = (
            "给{nth}发短信“{content}”。",
            "短信发给{nth}：“{content}”",
            "{nth}吧，发个短信说“{content}”",
            "这事只用告诉{nth}，短信写“{content}”",
        )
    return Draft(
        phrasings=english,
        chinese=chinese,
        slots={"nth": rng.say(*ORDINALS[place]), "content": content},
        plan=course([call], reply=done(rng.say(f"Done: {names[place]}.", f"好了，{names[place]}。"))),
        patch={"contacts": rows, "settings": RADIO},
        history=past_turn(
            rng.say("Who is in my contact group choir?", "我的合唱团分组里有谁？"),
            "query_contacts",
            {"group": group},
            {"items": items, "total": 3},
            rng.say(", ", "、").join(names) + rng.say(".", "。"),
        ),
    )


@family("calls_redo", TOOL, CALLS, "revision", variants=2)
def calls_redo(rng: Draw, world: World) -> Draft:
    """What the last turn did was wrong: a contact's number, or where calls are forwarded."""
    return branch(rng, world, (_number_redone, _forwarding_redone))


def _number_redone(rng: Draw, world: World) -> Draft:
    name, wrong, phone = person(rng, world), rng.phone(), rng.phone()
    row = contact_row(701, name, wrong)
    return Draft(
        phrasings=(
            "I misread that number, it's {phone}.",
            "Sorry, the right number is {phone}. Correct it.",
            "No, {phone}. Fix the contact, please.",
            "They've just told me I got it wrong; it should have been {phone}.",
        ),
        chinese=(
            "号码看错了，是{phone}。",
            "不好意思，正确的是{phone}，改一下",
            "不对，应该是{phone}，把刚存的改过来",
            "人家说我记错了，要存的是{phone}才对",
        ),
        slots={"phone": phone},
        plan=course(
            [do("update_contact", name=name, phoneNumber=phone)],
            reply=done(rng.say(f"Done: {name}, {phone}.", f"改好了，{name}：{phone}。")),
        ),
        patch={"contacts": [row]},
        history=past_turn(
            rng.say(f"Save {name}, {wrong}.", f"存一下{name}，{wrong}。"),
            "add_contact",
            {"name": name, "phoneNumber": wrong},
            {"id": row["id"], "name": name, "phone": row["phone"]},
            rng.say(f"Saved {name}.", f"{name}已保存。"),
        ),
    )


def _forwarding_redone(rng: Draw, world: World) -> Draft:
    wrong, phone = rng.phone(), rng.phone()
    digits = wrong.replace("-", "")
    return Draft(
        phrasings=(
            "Not there! Forward them to {phone} instead.",
            "Change of plan, they should go to {phone}.",
            "Sorry, I meant {phone}.",
            "That phone is switched off, so send the calls to {phone} rather than there.",
        ),
        chinese=(
            "不是那个号，转到{phone}。",
            "计划变了，改转{phone}",
            "说错了，应该是{phone}",
            "那个手机关机了，还是把来电转到{phone}吧",
        ),
        slots={"phone": phone},
        plan=course(
            [do("manage_call_forwarding", action="enable", phoneNumber=phone)],
            reply=done(rng.say(f"Done: forwarded to {phone}.", f"好了，来电转到{phone}。")),
        ),
        patch={"settings": settings(call_forwarding="on", call_forwarding_number=digits)},
        history=past_turn(
            rng.say(f"Forward my calls to {wrong}.", f"来电转接到{wrong}。"),
            "manage_call_forwarding",
            {"action": "enable", "phoneNumber": wrong},
            {"enabled": True, "phone": digits},
            rng.say(f"Calls go to {wrong} now.", f"来电已转到{wrong}。"),
        ),
    )


FAMILIES = (calls_reply, calls_pick, calls_redo)
