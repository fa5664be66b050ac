"""Basic tool use in AI Assistant: notes, captions, perception, the voice assistant, and what the phone knows."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import Request, answered, course, one_of, settings, step
from qpa.bench.families.mobile.words import Texts, fresh
from qpa.bench.families.tool_calls import contact_row, person
from qpa.bench.families.values import EVENTS, MESSAGES, NOTES, PLACES, Draw
from qpa.contract import BehaviorCriteria, Dimension, Intent
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
ASSISTANT = "AI Assistant"
WAKE_WORDS = tuple(
    f"{greeting} {name}"
    for greeting in ("Hey", "Hi", "Okay", "Hello")
    for name in ("Juno", "Pico", "Rio", "Miso", "Kiwi", "Bento", "Fidget", "Pepper")
)
CHINESE_WAKE_WORDS = tuple(
    f"{greeting}{name}"
    for greeting in ("你好", "嗨", "早呀", "在吗")
    for name in ("小河", "小桥", "豆豆", "米粒", "糖糖", "小风", "阿布", "团子")
)


def new_notes(rng: Draw, world: World, count: int = 1) -> list[str]:
    """Contents that no note of the phone has."""
    return fresh(rng, NOTES, [row["content"] for row in world.rows["notes"]], count)


def wake_word(rng: Draw) -> str:
    """A wake word that no phone has."""
    return rng.pick(CHINESE_WAKE_WORDS if rng.chinese else WAKE_WORDS)


def note_row(number: int, content: str) -> dict[str, str]:
    """A patched note; its id is far from the seeded ones."""
    return {"id": f"note_{700 + number}", "content": content, "created_at": "2025-01-14T20:00:00"}


def split_note(rng: Draw, content: str) -> tuple[str, str]:
    """What a value of `NOTES` is about, and the code it holds."""
    label, _, code = content.partition(rng.say(" is ", "是"))
    return label, code


def caption(language: str, english: str, chinese: str) -> Request:
    """Live captions in one language, named as people do."""
    return Request(
        tool="manage_ai_caption",
        arguments={"action": "enable", "language": language},
        patch={"settings": settings(ai_caption="off", ai_caption_language="English")},
        english=(
            f"Turn on AI captions in {english}.",
            f"Show me live AI captions, {english} ones.",
            f"I can't follow what they're saying. AI captions in {english}, please.",
            f"Caption whatever is being said around here, with the AI, in {english}.",
        ),
        chinese=(
            f"打开AI字幕，语言用{chinese}。",
            f"开实时AI字幕，要{chinese}的",
            f"听不太懂他们说什么，AI字幕开{chinese}",
            f"帮我把AI字幕打开，显示成{chinese}，不然跟不上",
        ),
    )


def expression(name: str, english: str, chinese: str) -> Request:
    """One face of the assistant's avatar."""
    return Request(
        tool="display_avatar_expression",
        arguments={"expression": name},
        patch={"settings": settings(avatar_expression="smile")},
        english=(
            f"Make the avatar {english}.",
            f"Let your avatar {english} for me.",
            f"My daughter wants to see the assistant's avatar {english}.",
            f"Could the little assistant figure {english} now?",
        ),
        chinese=(
            f"让虚拟形象{chinese}。",
            f"你的虚拟形象{chinese}给我看看",
            f"孩子想看助手的虚拟形象{chinese}",
            f"助手那个小人能不能{chinese}？",
        ),
    )


REQUESTS = (
    Request(
        tool="manage_note",
        draw=lambda rng, world: {"action": "create", "content": new_notes(rng, world)[0]},
        english=(
            'Take a note: "{content}".',
            'Note down "{content}".',
            'I have to write this down before I forget it: "{content}". Make it a note.',
            'New note with exactly these words: "{content}".',
        ),
        chinese=(
            "记个笔记：“{content}”。",
            "帮我记下“{content}”，存成笔记",
            "新建一条笔记，写“{content}”",
            "怕一会儿忘了，开个笔记写上“{content}”",
        ),
    ),
    caption("French", "French", "法语"),
    caption("Japanese", "Japanese", "日语"),
    Request(
        tool="manage_smart_perception",
        arguments={"action": "enable", "feature": "gaze_wake"},
        patch={"settings": settings(gaze_wake="off")},
        english=(
            "Turn on gaze wake.",
            "The screen should wake up when I look at it. Use gaze wake.",
            "Enable the perception feature gaze wake.",
            "My hands are full of dough; let the phone wake when it notices my gaze.",
        ),
        chinese=(
            "打开注视唤醒。",
            "我一看手机屏幕就亮，开这个注视唤醒",
            "开启智慧感知里的注视唤醒",
            "手上都是面粉，让手机感应到我的目光就唤醒",
        ),
    ),
    Request(
        tool="manage_smart_perception",
        arguments={"action": "disable", "feature": "noise_detection"},
        patch={"settings": settings(noise_detection="on")},
        english=(
            "Turn off noise detection.",
            "The phone needn't listen for noise any more, switch that detection off.",
            "Disable the perception feature noise detection.",
            "It keeps reporting sounds in the house. No more noise detection, please.",
        ),
        chinese=(
            "关闭噪声检测。",
            "不用再检测周围的噪音了，关掉",
            "把智慧感知里的噪声检测停用",
            "老是提示家里有声音，噪声检测关了吧",
        ),
    ),
    Request(
        tool="manage_voice_assistant",
        draw=lambda rng, world: {
            "action": "enable",
            "wakeWord": wake_word(rng),
        },
        patch={"settings": settings(voice_assistant="off", voice_session="off")},
        english=(
            'Turn on the voice assistant with the wake word "{wakeWord}".',
            'Voice assistant on. It should listen to "{wakeWord}".',
            'I want to say "{wakeWord}" to start the voice assistant, which is off at the moment.',
            'Enable the voice assistant, and "{wakeWord}" is what wakes it.',
        ),
        chinese=(
            "打开语音助手，唤醒词用“{wakeWord}”。",
            "开启语音助手，我喊“{wakeWord}”它就应",
            "语音助手现在关着，开一下，唤醒词设成“{wakeWord}”",
            "以后我想喊“{wakeWord}”叫语音助手，把它打开并设好",
        ),
    ),
    Request(
        tool="manage_voice_assistant",
        arguments={"action": "disable"},
        patch={"settings": settings(voice_assistant="on", voice_session="off")},
        english=(
            "Turn off the voice assistant.",
            "No voice assistant any more, please disable it.",
            "The voice assistant wakes up whenever the TV is on. Switch it off for good.",
            "I don't like a phone that listens to me: voice assistant off.",
        ),
        chinese=(
            "关闭语音助手。",
            "语音助手不用了，停用",
            "一开电视语音助手就被叫醒，把它关了",
            "不喜欢手机听我说话，语音助手关掉",
        ),
    ),
    Request(
        tool="close_voice_assistant_session",
        patch={"settings": settings(voice_assistant="on", voice_session="on")},
        english=(
            "Close the voice session.",
            "End this voice conversation, but leave the voice assistant on.",
            "That was all. You can end the voice assistant's session.",
            "Stop listening for now: close the running voice session, nothing else.",
        ),
        chinese=(
            "结束语音会话。",
            "这次语音对话先到这儿，助手别关",
            "没别的事了，把语音助手的会话关掉",
            "先别听了，退出当前的语音会话就行",
        ),
    ),
    expression("wave", "wave", "挥挥手"),
    expression("sleep", "sleep", "睡觉"),
    expression("think", "look as if it were thinking", "做个思考的表情"),
)


@family("assistant_set", TOOL, ASSISTANT, "grounding", variants=len(REQUESTS))
def assistant_set(rng: Draw, world: World) -> Draft:
    """One note, or one setting of the assistant."""
    return one_of(rng, world, REQUESTS)


QUESTIONS: Texts = (
    (
        (
            "What was my {label} again? I have it in my notes.",
            "Look up the {label} I noted.",
            "I wrote the {label} down somewhere on this phone. What is it?",
            "Standing here and can't remember the {label}. Find it in my personal information.",
        ),
        (
            "我的{label}是多少来着？记在笔记里的。",
            "查一下我记过的{label}",
            "{label}我在手机里写过，是什么？",
            "一时想不起{label}，在我的个人信息里找找",
        ),
    ),
    (
        (
            'Who sent me "{said}"?',
            'Someone texted me "{said}". Who was that?',
            'Which person wrote "{said}" in a message to me?',
            'I remember a message saying "{said}", but not who it came from. Search for it.',
        ),
        (
            "是谁给我发的“{said}”？",
            "有人发短信说“{said}”，谁发的",
            "哪个人给我发过消息“{said}”",
            "我记得有条消息写“{said}”，忘了是谁，搜一下",
        ),
    ),
    (
        (
            "Where does {event} take place?",
            "Where do I have to go for {event}?",
            "{event} is in my calendar. Where is it?",
            "I'm dressed for {event} but forgot the place. Where was it?",
        ),
        (
            "{event}在哪里？",
            "我的{event}安排在什么地方",
            "日历里的{event}，地点是哪儿",
            "要出门去{event}，忘了在哪，查一下地点",
        ),
    ),
)


@family("assistant_find", TOOL, ASSISTANT, "grounding", variants=3)
def assistant_find(rng: Draw, world: World) -> Draft:
    """A fact somewhere in the person's notes, messages or calendar."""
    (content,), name, place = new_notes(rng, world), person(rng, world), rng.pick(PLACES)
    (said,) = fresh(rng, MESSAGES, [row["content"] for row in world.rows["messages"]])
    (event,) = fresh(rng, EVENTS, [row["event"] for row in world.rows["schedules"]])
    label, code = split_note(rng, content)
    kind = rng.turn % 3
    english, chinese = QUESTIONS[kind]
    keyword, fact, other, rows = (
        (label, code, "manage_note", {"notes": [note_row(1, content)]}),
        (
            said,
            name,
            "query_messages",
            {
                "messages": [
                    {"id": "msg_701", "name": name, "phone": "13900001111", "content": said}
                    | {"at": "2025-01-15T08:57:00", "unread": 0}
                ]
            },
        ),
        (
            event,
            place,
            "manage_schedule",
            {"schedules": [{"id": "schedule_701", "event": event, "datetime": f"{rng.day()}T10:00:00"}]},
        ),
    )[kind]
    for row in rows.get("schedules", []):
        row["location"] = place
    return Draft(
        phrasings=english,
        chinese=chinese,
        slots={"label": label, "said": said, "event": event},
        plan=course(
            [do("search_personal_information", keyword=keyword)], reply=done(rng.say(f"It is {fact}.", f"是{fact}。"))
        ),
        criteria=BehaviorCriteria(
            routes=[step("search_personal_information"), step(other)], mentions=[[fact]], intent=Intent.FINISH
        ),
        patch=rows,
    )


@family("assistant_text_code", TOOL, ASSISTANT, "dependency")
def assistant_text_code(rng: Draw, world: World) -> Draft:
    """What a note holds has to be read before it can be sent, and only the code is wanted."""
    (content,), name = new_notes(rng, world), person(rng, world)
    label = split_note(rng, content)[0]

    def plan() -> Plan:
        feedback = yield [do("manage_note", action="query", content=label)]
        found = split_note(rng, feedback[0].payload["data"]["items"][0]["content"])[1]
        yield [do("send_message", content=found, contact=name)]
        return done(rng.say(f"Texted {name}: {found}.", f"已发给{name}：{found}。"))

    return Draft(
        phrasings=(
            "Look up my {label} in the notes and text just the code or number to {name}.",
            "{name} needs my {label}; it's in a note. Text only the value itself.",
            "My {label} is noted on this phone. Send {name} a text with nothing but that.",
            "I'm driving. {name} waits for my {label}, which I noted down: text the bare value, no other word.",
        ),
        chinese=(
            "笔记里有我的{label}，把号码本身发短信给{name}，别的不写。",
            "{name}要我的{label}，在笔记里，短信只发那个值",
            "查一下笔记里的{label}，单把它发短信给{name}",
            "我在开车，{name}等着要我的{label}，笔记里记过，短信里只写那串就行",
        ),
        slots={"label": label, "name": name},
        plan=plan,
        patch={
            "notes": [note_row(1, content)],
            "contacts": [contact_row(701, name, rng.phone())],
            "settings": settings(airplane_mode="off"),
        },
    )


@family("assistant_if_on", TOOL, ASSISTANT, "dependency", "conditional", variants=2)
def assistant_if_on(rng: Draw, world: World) -> Draft:
    """A new wake word, but only for a voice assistant that is on: the word cannot be set without switching it on."""
    word, on = wake_word(rng), rng.turn % 2 == 0

    def plan() -> Plan:
        feedback = yield [do("manage_voice_assistant", action="query")]
        if not feedback[0].payload["data"]["enabled"]:
            return done(rng.say("The voice assistant is off, nothing changed.", "语音助手是关闭的，没有改动。"))
        yield [do("manage_voice_assistant", action="enable", wakeWord=word)]
        return done(rng.say(f"It listens to {word} now.", f"唤醒词已改成{word}。"))

    return Draft(
        phrasings=(
            'If the voice assistant is on, make "{word}" its wake word. If it\'s off, leave it off and tell me.',
            'Is the voice assistant on? Then change the wake word to "{word}"; otherwise just say so.',
            "New wake word \"{word}\" for the voice assistant, but don't switch it on if it's off, only let me know.",
            'Check the voice assistant first: on means wake word "{word}", off means hands off and a word to me.',
        ),
        chinese=(
            "语音助手要是开着，唤醒词改成“{word}”；关着就别动，告诉我一声。",
            "语音助手开着没？开着就换唤醒词“{word}”，没开的话跟我说就行",
            "给语音助手换个唤醒词“{word}”，不过它要是关着就别打开，告诉我",
            "先看语音助手的状态：开着就用“{word}”当唤醒词，关着别管，说一声",
        ),
        slots={"word": word},
        plan=plan,
        criteria="state"
        if on
        else answered(
            ["off", "disabled", "not on", "isn't on", "not enabled", "关", "没开", "未开启", "未启用", "没有开"],
            reads=("manage_voice_assistant",),
        ),
        patch={"settings": settings(voice_assistant="on" if on else "off", voice_session="off", wake_word="Hello Qiu")},
    )


FAMILIES = (assistant_set, assistant_find, assistant_text_code, assistant_if_on)
