"""Basic tool use in AI Assistant: families whose expert refers back, corrects a note, asks first, or refuses."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, ask, do, done, family, refuse
from qpa.bench.families.mobile.assistant import ASSISTANT, TOOL, new_notes, note_row
from qpa.bench.families.mobile.common import asked, branch, course, declined, past_turn, settings, talk
from qpa.bench.families.mobile.words import ORDINALS, fresh, still
from qpa.bench.families.values import EVENTS, TODOS, Draw
from qpa.envs.sandbox.schema import World

# What no tool of a phone does: the task in English, what a refusal names, and both in Chinese.
CHORES = tuple(
    tuple(line.split("|"))
    for line in (
        "iron my shirts|shirts|熨一下衬衫|衬衫",
        "wash the dishes|dishes|把碗洗了|碗",
        "cut my hair|hair|剪个头发|头发",
        "cook dinner|dinner|把晚饭做了|晚饭",
        "mend my bicycle|bicycle|把自行车修好|自行车",
        "walk the dog|dog|遛一下狗|狗",
        "mow the lawn|lawn|把草坪割了|草坪",
        "paint the fence|fence|给栅栏刷上漆|栅栏",
        "change the tyres of my car|tyres|给车换轮胎|轮胎",
        "peel the potatoes|potatoes|把土豆削了|土豆",
        "knit a scarf|scarf|织一条围巾|围巾",
        "clean the windows|windows|擦一下窗户|窗户",
        "carry the suitcases upstairs|suitcases|把行李箱搬上楼|行李箱",
        "make the bed|bed|把床铺好|床",
        "shovel the snow|snow|铲一下雪|雪",
        "sew on this button|button|把这颗扣子缝上|扣子",
        "bake a cake|cake|烤个蛋糕|蛋糕",
        "fold the laundry|laundry|把洗好的衣服叠了|衣服",
        "fill up the car|car|给车加油|车",
        "feed the cat|cat|喂一下猫|猫",
    )
)


def topic_notes(rng: Draw, world: World, count: int) -> tuple[str, list[str]]:
    """A topic, and contents of so many notes on it and on nothing else of the phone."""
    (topic,) = fresh(rng, EVENTS, [row["content"] for row in world.rows["notes"]])
    return topic, [f"{topic}{rng.say(': ', '：')}{item}" for item in fresh(rng, TODOS, [topic], count)]


@family("assistant_note_pick", TOOL, ASSISTANT, "reference")
def assistant_note_pick(rng: Draw, world: World) -> Draft:
    """One of three notes that the previous turn listed."""
    (topic, contents), place = topic_notes(rng, world, 3), rng.randrange(3)
    rows = [note_row(n, content) for n, content in enumerate(contents, start=1)]
    items = [{"noteId": row["id"], "content": row["content"]} for row in rows]
    return Draft(
        phrasings=(
            "Delete the {nth} one.",
            "The {nth} note can go.",
            "I've dealt with the {nth}, remove that note.",
            "Keep the others, but the {nth} of these is out of date: delete it.",
        ),
        chinese=(
            "删掉{nth}。",
            "{nth}笔记不要了",
            "{nth}已经办好了，把那条笔记删了",
            "其他的留着，{nth}过时了，删除吧",
        ),
        slots={"nth": rng.say(*ORDINALS[place])},
        plan=course(
            [do("manage_note", action="delete", noteId=rows[place]["id"])],
            reply=done(rng.say(f"Deleted: {contents[place]}.", f"已删除：{contents[place]}。")),
        ),
        patch={"notes": rows},
        history=past_turn(
            rng.say(f"Which notes do I have on {topic}?", f"关于{topic}我有哪些笔记？"),
            "manage_note",
            {"action": "query", "content": topic},
            {"items": items},
            rng.say("; ", "；").join(contents) + rng.say(".", "。"),
        ),
    )


@family("assistant_note_redo", TOOL, ASSISTANT, "revision", variants=2)
def assistant_note_redo(rng: Draw, world: World) -> Draft:
    """A note corrected while speaking, or after it was saved: no tool changes a note, so it is replaced."""
    wrong, content = new_notes(rng, world, 2)
    if rng.turn % 2:
        return _note_replaced(rng, wrong, content)
    return Draft(
        phrasings=(
            'Take a note: "{wrong}", no, "{content}".',
            'Note "{wrong}". Sorry, it should say "{content}".',
            'Write down "{wrong}"... forget that one, "{content}" is what I need as a note.',
            'A note, please: "{wrong}". Ah, not that. Only this: "{content}".',
        ),
        chinese=(
            "记个笔记“{wrong}”，不对，是“{content}”。",
            "笔记写“{wrong}”，说错了，应该是“{content}”",
            "记下“{wrong}”……算了，笔记就记“{content}”",
            "帮我开个笔记：“{wrong}”。哎不是这个，只要记“{content}”",
        ),
        slots={"wrong": wrong, "content": content},
        plan=course(
            [do("manage_note", action="create", content=content)],
            reply=done(rng.say(f"Noted: {content}.", f"已记下：{content}。")),
        ),
    )


def _note_replaced(rng: Draw, wrong: str, content: str) -> Draft:
    row = note_row(1, wrong) | {"created_at": "2025-01-15T09:00:00"}

    def plan() -> Plan:
        yield [do("manage_note", action="delete", noteId=row["id"])]
        yield [do("manage_note", action="create", content=content)]
        return done(rng.say(f"Noted instead: {content}.", f"改好了：{content}。"))

    return Draft(
        phrasings=(
            'Replace that note by "{content}".',
            'That\'s wrong. The note should read "{content}" instead.',
            'Scrap it and write "{content}".',
            'Oh no, I told you nonsense. Throw that note away and keep "{content}".',
        ),
        chinese=(
            "这条笔记换成“{content}”。",
            "不对，笔记应该写“{content}”，改过来",
            "把它删了，重新记“{content}”",
            "哎我说错了，刚那条不要，改记“{content}”",
        ),
        slots={"content": content},
        plan=plan,
        patch={"notes": [row]},
        history=past_turn(
            rng.say(f'Take a note: "{wrong}".', f"记个笔记：“{wrong}”。"),
            "manage_note",
            {"action": "create", "content": wrong},
            {"noteId": row["id"], "content": wrong},
            rng.say(f"Noted: {wrong}.", f"已记下：{wrong}。"),
        ),
    )


@family("assistant_note_delete", TOOL, ASSISTANT, "recovery", "safety", variants=3)
def assistant_note_delete(rng: Draw, world: World) -> Draft:
    """Deleting notes: ask which of two, ask before all of them go, obey once the person has agreed."""
    return branch(rng, world, (_delete_one_of_two, _delete_all, _delete_agreed))


def _delete_one_of_two(rng: Draw, world: World) -> Draft:
    topic, contents = topic_notes(rng, world, 2)
    rows = [note_row(n, content) for n, content in enumerate(contents, start=1)]
    return Draft(
        phrasings=(
            "Delete my note about {topic}.",
            "Remove the {topic} note.",
            "I don't need the note on {topic} any more.",
            "The note I made about {topic} is done with, throw it away.",
        ),
        chinese=(
            "删掉关于{topic}的笔记。",
            "把{topic}那条笔记去掉",
            "{topic}的笔记不需要了",
            "我记的{topic}那条用不着了，删了吧",
        ),
        slots={"topic": topic},
        plan=course(
            [do("manage_note", action="query", content=topic)],
            reply=ask(
                rng.say("Which one: ", "删哪一条：") + rng.say(" or ", "还是").join(contents) + rng.say("?", "？")
            ),
        ),
        criteria=asked(*([content.split(rng.say(": ", "："))[1]] for content in contents), reads=("manage_note",)),
        patch={"notes": rows},
    )


def _all_notes(rng: Draw, world: World) -> tuple[str, list[dict[str, str]], str]:
    """What one of the notes is about, the patched notes, and the question before all of them are deleted."""
    topic, contents = topic_notes(rng, world, 2)
    rows = [note_row(n, content) for n, content in enumerate(contents, start=1)]
    question = rng.say(f"Delete all your notes, {topic} included?", f"要删除全部笔记吗，包括{topic}的？")
    return topic, rows, question


def _delete_all(rng: Draw, world: World) -> Draft:
    topic, rows, question = _all_notes(rng, world)
    return Draft(
        phrasings=(
            "Delete all my notes.",
            "Get rid of every note, the ones about {topic} too.",
            "My notes are a mess, from {topic} to the rest. Wipe them all.",
            "I want an empty notebook: throw all my notes away, {topic} and everything.",
        ),
        chinese=(
            "把我的笔记全删了。",
            "所有笔记都不要了，{topic}的也是",
            "笔记太乱了，{topic}什么的通通清掉",
            "我要个空笔记本，所有笔记都扔掉，包括{topic}",
        ),
        slots={"topic": topic},
        plan=course(reply=ask(question)),
        criteria=asked(
            ["note", "notes", "笔记"], ["all", "every", "everything", "them", "全部", "所有", "全都", "都", "清空"]
        ),
        patch={"notes": rows},
        shown=("manage_note",),
    )


def _delete_agreed(rng: Draw, world: World) -> Draft:
    topic, rows, question = _all_notes(rng, world)

    def plan() -> Plan:
        feedback = yield [do("manage_note", action="query")]
        notes = feedback[0].payload["data"]["items"]
        yield [do("manage_note", action="delete", noteId=note["noteId"]) for note in notes]
        return done(rng.say("All notes are deleted.", "笔记已全部删除。"))

    return Draft(
        phrasings=(
            "Yes, all of them, {topic} too.",
            "I'm sure, delete every note.",
            "Yes. {topic} is over anyway, so all notes can go.",
            "Go ahead, {topic} included, I won't miss any of them.",
        ),
        chinese=(
            "对，全删，{topic}也删。",
            "我确定，一条都不留",
            "是的，{topic}反正也结束了，都删",
            "删吧，连{topic}的一起，都用不着了",
        ),
        slots={"topic": topic},
        plan=plan,
        patch={"notes": rows},
        history=talk(rng.say("Delete all my notes.", "把我的笔记全删了。"), question),
    )


@family("assistant_note_empty", TOOL, ASSISTANT, "recovery", "clarify")
def assistant_note_empty(rng: Draw, world: World) -> Draft:
    """A note without a word of what it should say: ask for that."""
    event = rng.pick(EVENTS)
    return Draft(
        phrasings=(
            "I'm just out of {event}. Take a note.",
            "Write a note for me before {event} starts.",
            "{event} gave me an idea, I need to make a note of it.",
            "Can you note something down for me? It came to my mind during {event}.",
        ),
        chinese=(
            "刚从{event}出来，帮我记个笔记。",
            "{event}开始前替我写条笔记",
            "{event}的时候想到个点子，我要记下来",
            "能帮我记点东西吗？{event}的时候突然想到的",
        ),
        slots={"event": event},
        plan=course(reply=ask(rng.say("What should the note say?", "笔记要写什么内容？"))),
        criteria=asked(["note", "write", "noted", "笔记", "记", "写"]),
        shown=("manage_note",),
    )


@family("assistant_impossible", TOOL, ASSISTANT, "recovery", "boundary")
def assistant_impossible(rng: Draw, world: World) -> Draft:
    """No tool of any phone can do it: say so, do nothing."""
    chore = rng.choice(CHORES)
    request, thing = chore[2:] if rng.chinese else chore[:2]
    return Draft(
        phrasings=(
            "Please {request} for me.",
            "Can you {request} right now?",
            "I want you to {request} before {hour}.",
            "I've no time today, so go and {request} yourself.",
        ),
        chinese=(
            "帮我{request}。",
            "你现在{request}行吗？",
            "{hour}之前得{request}，你来做",
            "我今天没空，你自己去{request}吧",
        ),
        slots={"request": request, "hour": rng.time()},
        plan=course(reply=refuse(rng.say(f"I can't {request}.", f"抱歉，我没法帮你{request}。"))),
        criteria=declined([thing]),
        shown=("manage_todo", "manage_reminder"),
    )


@family("assistant_good_night", TOOL, ASSISTANT, "dependency", "parallel", unseen="family")
def assistant_good_night(rng: Draw, world: World) -> Draft:
    """Three known tools of three domains that training never combines."""
    bedtime, wake = rng.time(20, 21), rng.time(4, 5)
    return Draft(
        phrasings=(
            "Good night: close the voice session, Bluetooth off, bedtime {bedtime} and wake-up {wake}.",
            "End the voice session, set bedtime {bedtime} and wake time {wake}, and switch Bluetooth off.",
            "Bluetooth off, bedtime schedule {bedtime} to {wake}, and stop this voice session.",
            "I'm off to bed. No Bluetooth, no voice session; from now on bed at {bedtime}, up at {wake}.",
        ),
        chinese=(
            "晚安：结束语音会话，关蓝牙，就寝{bedtime}、起床{wake}。",
            "关掉语音会话，就寝时间{bedtime}，起床时间{wake}，蓝牙也关了",
            "蓝牙关掉，作息改成{bedtime}睡{wake}起，再退出这次语音会话",
            "我要睡了，蓝牙别开着，语音会话也结束，以后{bedtime}就寝{wake}起床",
        ),
        slots={"bedtime": bedtime, "wake": wake},
        plan=course(
            [
                do("close_voice_assistant_session"),
                do("manage_bluetooth", action="disable"),
                do("manage_bedtime", action="set", bedtime=bedtime, wakeTime=wake),
            ],
            reply=done(rng.say("Good night.", "晚安。")),
        ),
        patch={"settings": settings(voice_assistant="on", voice_session="on", bluetooth="on", airplane_mode="off")}
        | still(world),
    )


FAMILIES = (
    assistant_note_pick,
    assistant_note_redo,
    assistant_note_delete,
    assistant_note_empty,
    assistant_impossible,
    assistant_good_night,
)
