"""Basic tool use in Calls & Communication, beyond the families of the suite "core": one-call wishes and questions."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, do, done, family
from qpa.bench.families.mobile.common import Request, answered_by, course, one_of, settings, step
from qpa.bench.families.mobile.words import Texts
from qpa.bench.families.tool_calls import contact_row, people, person
from qpa.bench.families.values import EVENTS, MESSAGES, Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.domains.call_contacts import RINGTONES
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
CALLS = "Calls & Communication"
RADIO = {"settings": settings(airplane_mode="off")}
MAILS = ("ping", "mail", "post", "desk", "info", "team", "office", "hello")
GROUPS = ("family", "work", "friends", "school")


def address(rng: Draw) -> str:
    """An email address that no contact has."""
    return f"{rng.choice(MAILS)}{rng.randint(10, 99)}@example.org"


def late(number: int, table: str, minute: int, name: str, phone: str, **more: Any) -> dict[str, Any]:
    """A patched row of a log, later than every seeded one; phones are stored as digits."""
    row = {"id": f"{table}_{700 + number}", "name": name, "phone": phone.replace("-", "")}
    return row | {"at": f"2025-01-15T08:{minute}:00"} | more


REQUESTS = (
    Request(
        tool="add_contact",
        draw=lambda rng, world: {"name": person(rng, world), "phoneNumber": rng.phone()},
        english=(
            "Save {name} with the number {phoneNumber}.",
            "New contact: {name}, {phoneNumber}.",
            "I've just met {name}. The number is {phoneNumber}, please keep it.",
            "Put {name} into my phone book, {phoneNumber}.",
        ),
        chinese=(
            "存一下{name}的电话，{phoneNumber}。",
            "新建联系人{name}，号码{phoneNumber}",
            "刚认识了{name}，手机号是{phoneNumber}，帮我记到通讯录",
            "通讯录里加个人：{name}，{phoneNumber}",
        ),
    ),
    Request(
        tool="send_message",
        draw=lambda rng, world: {"content": rng.pick(MESSAGES), "phoneNumber": rng.phone()},
        patch=RADIO,
        english=(
            'Text {phoneNumber}: "{content}".',
            'Send "{content}" as a text to {phoneNumber}.',
            'There is no contact for it, but please text the number {phoneNumber} "{content}".',
            'The plumber\'s number is {phoneNumber}. Tell him by text: "{content}".',
        ),
        chinese=(
            "给{phoneNumber}发短信：“{content}”。",
            "发条短信到{phoneNumber}，写“{content}”",
            "这个号没存，{phoneNumber}，短信发“{content}”",
            "师傅的电话是{phoneNumber}，发个短信跟他说“{content}”",
        ),
    ),
    Request(
        tool="make_call",
        draw=lambda rng, world: {"phoneNumber": rng.phone(), "callType": "video"},
        patch=RADIO,
        english=(
            "Start a video call to {phoneNumber}.",
            "Video call {phoneNumber}, please.",
            "I want to see who I'm talking to: call {phoneNumber} with video.",
            "Ring {phoneNumber}, but as a video call so that I can show the damage.",
        ),
        chinese=(
            "给{phoneNumber}打视频电话。",
            "视频呼叫{phoneNumber}",
            "拨{phoneNumber}，要视频通话",
            "打{phoneNumber}，开视频，我要给对方看看东西",
        ),
    ),
    Request(
        tool="send_email",
        draw=lambda rng, world: {"to": address(rng), "subject": rng.pick(EVENTS), "body": rng.pick(MESSAGES)},
        english=(
            'Email {to}, subject "{subject}", saying "{body}".',
            'Send an email to {to} with the subject "{subject}" and the text "{body}".',
            'Mail to {to}. Subject: "{subject}". Body: "{body}".',
            'Write to {to} by email: the subject is "{subject}", and I just want to say "{body}".',
        ),
        chinese=(
            "给{to}发邮件，主题“{subject}”，内容“{body}”。",
            "发一封邮件到{to}，标题写“{subject}”，正文“{body}”",
            "邮件：收件人{to}，主题“{subject}”，正文“{body}”",
            "帮我写邮件给{to}，主题是“{subject}”，里面就说“{body}”",
        ),
    ),
    Request(
        tool="set_ringtone",
        draw=lambda rng, world: {"ringtone": rng.choice(RINGTONES[:3])},
        patch={"settings": settings(ringtone="Waves")},
        english=(
            "Change my ringtone to {ringtone}.",
            "I want {ringtone} as my ringtone.",
            "When someone calls, the phone should play {ringtone}.",
            "I'm tired of this ringtone, use {ringtone} for all my calls.",
        ),
        chinese=(
            "来电铃声换成{ringtone}。",
            "铃声设为{ringtone}",
            "有人打电话的时候响{ringtone}",
            "现在的铃声听腻了，来电都用{ringtone}吧",
        ),
    ),
    Request(
        tool="manage_interception",
        arguments={"action": "enable", "rule": "telemarketing"},
        patch={"settings": settings(intercept_telemarketing="off")},
        english=(
            "Block telemarketing calls.",
            "Someone tries to sell me insurance every day. Block telemarketers.",
            "Turn on the interception of telemarketing calls.",
            "No more sales calls, please have the phone intercept telemarketing.",
        ),
        chinese=(
            "拦截推销电话。",
            "天天有人打电话卖保险，把推销电话拦了",
            "打开推销来电拦截",
            "骚扰推销太多了，帮我开启推销电话的拦截规则",
        ),
    ),
    Request(
        tool="manage_interception",
        arguments={"action": "enable", "rule": "international"},
        patch={"settings": settings(intercept_international="off")},
        english=(
            "Block international calls.",
            "I know nobody abroad, so intercept calls from other countries.",
            "Turn on the rule against international calls.",
            "Strange foreign numbers ring me at night. Stop international calls from getting through.",
        ),
        chinese=(
            "拦截国际来电。",
            "国外的号码打来都拦掉",
            "开启国际电话拦截",
            "半夜老有境外号码打过来，国际来电给我拦截",
        ),
    ),
    Request(
        tool="manage_call_forwarding",
        draw=lambda rng, world: {"action": "enable", "phoneNumber": rng.phone()},
        english=(
            "Forward my calls to {phoneNumber}.",
            "Until I say otherwise, calls should go to {phoneNumber}.",
            "Call forwarding to {phoneNumber}, please.",
            "I leave this phone at home today, so let my calls ring at {phoneNumber}.",
        ),
        chinese=(
            "来电转接到{phoneNumber}。",
            "把打给我的电话都转到{phoneNumber}",
            "开呼叫转移，转到{phoneNumber}",
            "今天这个手机不带出门，来电全部转移到{phoneNumber}",
        ),
    ),
    Request(
        tool="manage_voicemail",
        arguments={"action": "enable"},
        patch={"settings": settings(voicemail="off")},
        english=(
            "Turn on voicemail.",
            "Callers should be able to leave me a message; switch voicemail on.",
            "Enable my voicemail, please.",
            "If I don't pick up, people should reach my voicemail. It seems to be off.",
        ),
        chinese=(
            "打开语音信箱。",
            "开启语音留言，没接到电话好让人留言",
            "把语音信箱启用",
            "我没接的话让对方能语音留言，信箱好像没开",
        ),
    ),
)


@family("calls_set", TOOL, CALLS, "grounding", variants=len(REQUESTS))
def calls_set(rng: Draw, world: World) -> Draft:
    """One call, message, contact or call setting."""
    return one_of(rng, world, REQUESTS)


CHANGES: Texts = (
    (
        (
            "{name} has a new number: {phone}.",
            "Change {name}'s number to {phone}.",
            "Update the contact {name}, the phone is {phone} now.",
            "The number I have of {name} is dead, it should be {phone}.",
        ),
        (
            "{name}换号了，{phone}。",
            "把{name}的电话改成{phone}",
            "更新联系人{name}，号码是{phone}",
            "{name}原来那个号停机了，现在用{phone}，通讯录里改一下",
        ),
    ),
    (
        (
            "Rename the contact {name} to {new}.",
            "{name} should be called {new} in my contacts.",
            "Change the name of {name} in the phone book, it is {new}.",
            "I saved someone under the wrong name: it says {name}, but it should be {new}.",
        ),
        (
            "联系人{name}改名为{new}。",
            "通讯录里的{name}名字改成{new}",
            "把{name}这个联系人重命名成{new}",
            "名字存错了，写的是{name}，其实叫{new}，改一下",
        ),
    ),
    (
        (
            "Put {name} into the group {group}.",
            "{name} belongs to {group}, change the group of that contact.",
            "Move the contact {name} to {group}.",
            "Sort {name} into my contact group {group}, please.",
        ),
        (
            "把{name}放到“{group}”分组。",
            "联系人{name}的分组改成“{group}”",
            "{name}移到“{group}”组里",
            "给{name}换个分组，归到“{group}”",
        ),
    ),
    (
        (
            "Use the ringtone {ringtone} when {name} calls.",
            "Give {name} a ringtone of their own: {ringtone}.",
            "Set {ringtone} for calls from {name}, nobody else.",
            "I'd like to hear at once that it's {name}: let {ringtone} play for that contact.",
        ),
        (
            "{name}来电时用{ringtone}铃声。",
            "给{name}单独设个铃声：{ringtone}",
            "{name}打来的电话响{ringtone}，别人不变",
            "想一听就知道是{name}，专属铃声设成{ringtone}",
        ),
    ),
    (
        (
            "Hang up on {name}.",
            "End the call with {name}.",
            "I'm done talking to {name}, hang up.",
            "{name} doesn't hear me any more. Just end this call.",
        ),
        (
            "把跟{name}的电话挂了。",
            "结束和{name}的通话",
            "跟{name}聊完了，挂断吧",
            "{name}那边听不见了，先挂掉这通电话",
        ),
    ),
)


@family("calls_contact_change", TOOL, CALLS, "grounding", variants=5)
def calls_contact_change(rng: Draw, world: World) -> Draft:
    """One change of a saved contact: number, name, group, ringtone; or the end of a call with one."""
    (name, new), phone, ringtone = people(rng, world, 2), rng.phone(), rng.choice(RINGTONES)
    group = rng.choice(GROUPS)
    kind = rng.turn % 5
    english, chinese = CHANGES[kind]
    call = (
        do("update_contact", name=name, phoneNumber=phone),
        do("update_contact", name=name, newName=new),
        do("update_contact", name=name, group=group),
        do("set_ringtone", ringtone=ringtone, contact=name),
        do("end_call"),
    )[kind]
    active = [late(1, "calls", 59, name, phone, direction="outgoing", status="active")] if call[0] == "end_call" else []
    return Draft(
        phrasings=english,
        chinese=chinese,
        slots={"name": name, "new": new, "phone": phone, "ringtone": ringtone, "group": group},
        plan=course([call], reply=done(rng.say(f"Done: {name}.", f"好了，{name}。"))),
        patch={"contacts": [contact_row(701, name, rng.phone(), group_name="other")], "calls": active},
    )


QUESTIONS: Texts = (
    (
        (
            "What is {name}'s number?",
            "Read me the number I have of {name}.",
            "Which phone number did I save for {name}?",
            "Someone wants to reach {name}. Which number should I give them?",
        ),
        ("{name}的电话是多少？", "查一下{name}的号码", "我存的{name}手机号是哪个", "有人要找{name}，把号码报给我"),
    ),
    (
        (
            "Whose call did I miss last?",
            "Who was my last missed call from?",
            "Somebody rang and I didn't get to the phone in time. Who was it?",
            "My last missed call, who was that?",
        ),
        (
            "最近一个未接来电是谁的？",
            "刚才谁打我电话我没接到",
            "看看最后一个未接是谁打的",
            "手机刚响过没来得及接，谁啊？",
        ),
    ),
    (
        (
            "What is the newest email from {sender} about?",
            "Subject of the latest mail from {sender}?",
            "{sender} wrote to me this morning. What about?",
            "I'm waiting for a mail from {sender}. What subject does the last one have?",
        ),
        (
            "{sender}最新那封邮件是什么主题？",
            "{sender}早上发来的邮件讲什么的",
            "看看{sender}最近一封邮件的标题",
            "我在等{sender}的邮件，最后一封主题写的啥？",
        ),
    ),
    (
        (
            "What does the newest voicemail say?",
            "Read me my latest voicemail.",
            "Somebody left a message on my voicemail this morning. What is it?",
            "I can't listen now. What was said in the most recent voicemail?",
        ),
        (
            "最新的语音留言说了什么？",
            "念一下最近一条语音信箱留言",
            "早上有人在语音信箱留言，讲的什么",
            "现在不方便听，最近那条语音留言内容是啥？",
        ),
    ),
)


@family("calls_questions", TOOL, CALLS, "grounding", variants=4)
def calls_questions(rng: Draw, world: World) -> Draft:
    """A number, the last missed call, the subject of the newest mail, what was left on the voicemail."""
    name, phone, subject, said = person(rng, world), rng.phone(), rng.pick(EVENTS), rng.pick(MESSAGES)
    digits, sender = phone.replace("-", ""), address(rng)
    kind = rng.turn % 4
    english, chinese = QUESTIONS[kind]
    call, fact, rows = (
        (
            do("query_contacts", name=name),
            [digits, phone, f"{digits[:3]} {digits[3:7]} {digits[7:]}"],
            {"contacts": [contact_row(701, name, phone)]},
        ),
        (
            do("query_call_log", callType="missed"),
            [name],
            {"calls": [late(1, "calls", 58, name, phone, direction="missed")]},
        ),
        (
            do("query_emails", sender=sender),
            [subject],
            {
                "emails": [
                    {"id": "email_701", "sender": sender, "recipient": "me@example.com", "subject": subject}
                    | {"at": "2025-01-15T08:57:00", "unread": 1}
                ]
            },
        ),
        (
            do("manage_voicemail", action="query"),
            [said],
            {"voicemails": [late(1, "voicemails", 56, name, phone, text=said)]},
        ),
    )[kind]
    others = {"query_contacts": ["search_personal_information"]}.get(call[0], [])
    return Draft(
        phrasings=english,
        chinese=chinese,
        slots={"name": name, "sender": sender},
        plan=course([call], reply=done(rng.say(f"It is {fact[0]}.", f"是这个：{fact[0]}。"))),
        criteria=answered_by(fact, routes=[step(tool) for tool in (call[0], *others)]),
        patch=rows,
    )


FAMILIES = (calls_set, calls_contact_change, calls_questions)
