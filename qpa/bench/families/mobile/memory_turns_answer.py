"""Memory, several turns: answers, questions and unsaved exceptions; judged by calls or behaviour."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, ask, do, done, family
from qpa.bench.families.mobile.common import answered, asked, online
from qpa.bench.families.mobile.memory_common import (
    ASSISTANT,
    FOODS,
    MEMORY,
    SEARCH,
    acquaintances,
    look_up,
    met,
)
from qpa.bench.families.mobile.memory_profile import Fact, book, conflicting, draw_life
from qpa.bench.families.mobile.memory_topics import INFO, SLOTS
from qpa.bench.families.mobile.memory_turns import told
from qpa.bench.families.tool_calls import contact_row
from qpa.bench.families.values import TITLES, Draw
from qpa.envs.sandbox.schema import World

METHODS = (("email", "email", "邮件"), ("bluetooth", "Bluetooth", "蓝牙"), ("message", "message", "短信"))


@family("memory_turn_question", MEMORY, ASSISTANT, "single_record", "act", "question", "multi_turn", "reference")
def memory_turn_question(rng: Draw, world: World) -> Draft:
    """Whom the question is about stands two turns back."""
    life, say = draw_life(rng, world), rng.say
    name, other = acquaintances(rng, life, 2)
    food, theirs = (say(*pair) for pair in rng.sample(FOODS, 2))
    gold = Fact(
        say(f"{name}: allergy", f"{name}过敏"), say(f"{name} is allergic to {food}.", f"{name}对{food}过敏。"), INFO
    )
    near = (
        Fact(
            say(f"{other}: allergy", f"{other}过敏"),
            say(f"{other} is allergic to {theirs}.", f"{other}对{theirs}过敏。"),
            INFO,
        ),
    )
    found = book(rng, life, (gold,), near, without=("eats",))
    history = told(
        rng,
        3,
        (
            f"{other} can't make it tonight, {name} is coming instead.",
            f"So dinner is with {name}. Anything to prepare?",
            "I'm writing the shopping list right now.",
            "Tell me if I can help.",
        ),
        (
            f"今晚{other}来不了，换{name}来。",
            f"那就是和{name}吃晚饭，要准备什么吗？",
            "我正在列买菜清单。",
            "需要帮忙就说。",
        ),
    )

    def plan() -> Plan:
        feedback = yield [look_up(say(f"{name} allergy", f"{name}过敏"))]
        met(feedback[0], *found.ids)
        return done(say(f"{name} is allergic to {food}.", f"{name}对{food}过敏。"))

    return Draft(
        phrasings=(
            "What was it again that tonight's guest is allergic to?",
            "Which food must I leave out for this guest because of an allergy?",
            "Tonight's guest: allergic to what? I leave in {n} minutes.",
            "Before I go shopping in {n} minutes: the person coming tonight has an allergy, doesn't she or he? To what?",
        ),
        chinese=(
            "今晚来的这位对什么过敏来着？",
            "这位客人因为过敏不能吃哪样东西？",
            "今晚的客人对什么过敏？我{n}分钟后出门。",
            "我{n}分钟后去买菜，今晚来的人是不是有过敏？对什么？",
        ),
        slots={"n": rng.randint(2, 30)},
        plan=plan,
        criteria=answered([food], reads=(SEARCH,)),
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
    )


@family("memory_turn_latest", MEMORY, ASSISTANT, "conflicting_records", "act", "question", "multi_turn")
def memory_turn_latest(rng: Draw, world: World) -> Draft:
    """A pronoun and two records that disagree: the one updated last holds."""
    life, say = draw_life(rng, world), rng.say
    name, other = acquaintances(rng, life, 2)
    old, new = rng.sample(SLOTS["job"], 2)
    title = say(f"{name}'s work", f"{name}的工作")
    stale, fresh = conflicting(
        rng,
        (title, say(f"{name} works as {old[0]}.", f"{name}的工作是{old[1]}。")),
        (title, say(f"{name} changed jobs and is {new[0]}.", f"{name}换了工作，现在是{new[1]}。")),
    )
    found = book(rng, life, (stale, fresh), without=("job",))
    english_job = new[0].partition(" ")[2]
    history = told(
        rng,
        2,
        (
            f"I'm writing a card to {name} and {other}.",
            "What is the occasion?",
            f"{other} has a birthday, and {name} started something new at work.",
            f"Then two cards: a birthday for {other}, a new start for {name}.",
        ),
        (
            f"我在给{name}和{other}写贺卡。",
            "是什么事？",
            f"{other}过生日，{name}换了新工作。",
            f"那就两张：{other}的生日卡，{name}的新工作贺卡。",
        ),
    )

    def plan() -> Plan:
        feedback = yield [look_up(title)]
        met(feedback[0], *found.ids)
        return done(say(f"{name} is {new[0]} now.", f"{name}现在是{new[1]}。"))

    return Draft(
        phrasings=(
            "And what is the new job of the one who started afresh? I told you.",
            "For the second card: which profession is it now?",
            "The one with the new job, what does that person do these days?",
            "The post goes in {n} minutes and I'm at the card about the new work. Which job is it?",
        ),
        chinese=(
            "换工作的那位现在做什么？我跟你说过。",
            "第二张贺卡：现在的职业是什么来着？",
            "有新工作的那个人，眼下是做哪行的？",
            "还有{n}分钟就要寄了，新工作那张，是什么工作来着？",
        ),
        slots={"n": rng.randint(2, 30)},
        plan=plan,
        criteria=answered([english_job, new[1]], reads=(SEARCH,)),
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
    )


@family("memory_turn_difference", MEMORY, ASSISTANT, "multi_record", "act", "question", "multi_turn")
def memory_turn_difference(rng: Draw, world: World) -> Draft:
    """Today's duration was said, the usual one is the sum of two records."""
    life, say = draw_life(rng, world), rng.say
    (a, b), (first, second, over) = rng.several(TITLES, 2), rng.sample(range(11, 50), 3)
    today = first + second + over
    gold = (
        Fact(say(f"{a}: time", f"{a}用时"), say(f"{a} takes {first} minutes.", f"{a}要{first}分钟。")),
        Fact(say(f"{b}: time", f"{b}用时"), say(f"{b} takes {second} minutes.", f"{b}要{second}分钟。")),
    )
    found = book(rng, life, gold)
    history = told(
        rng,
        2,
        (
            f"Today {a} and {b} took me {today} minutes together.",
            "That sounds like a long session.",
            "It felt like one.",
            "Do you want to compare?",
        ),
        (f"今天{a}加{b}一共花了我{today}分钟。", "听着挺久的。", "感觉也是。", "要和平时比一比吗？"),
    )

    def plan() -> Plan:
        feedback = yield [look_up(say(f"{a} minutes", f"{a}用时")), look_up(say(f"{b} minutes", f"{b}用时"))]
        met(feedback[0], found.ids[0])
        met(feedback[1], found.ids[1])
        return done(say(f"{over} minutes longer than usual.", f"比平时多了{over}分钟。"))

    return Draft(
        phrasings=(
            "Yes. How many minutes more than I usually need for the two of them?",
            "By how many minutes is that over my usual total for {a} and {b}?",
            "Difference to my normal time for both, in minutes?",
            "You know what {a} and {b} each take me normally. How much longer was it today, in minutes?",
        ),
        chinese=(
            "比，这两样加起来比平时多用了几分钟？",
            "比我{a}和{b}平时的总时长超了多少分钟？",
            "和两样平常的合计差几分钟？",
            "{a}、{b}平时各要多久你知道，今天多花了多少分钟？",
        ),
        slots={"a": a, "b": b},
        plan=plan,
        criteria=answered([str(over)], reads=(SEARCH,)),
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
    )


def _sending(rng: Draw, names: tuple[str, ...], file: str) -> dict[str, list[dict[str, object]]]:
    """Contacts with addresses, the file, and everything switched on: any way of sending would work."""
    return {
        "contacts": [
            contact_row(701 + i, name, rng.phone(), email=f"friend{i}@example.com") for i, name in enumerate(names)
        ],
        "files": [{"id": "file_901", "name": file, "kind": "document", "size_kb": 90}],
        "settings": online(bluetooth="on"),
    }


@family("memory_turn_unknown", MEMORY, ASSISTANT, "single_record", "act", "recovery", "multi_turn")
def memory_turn_unknown(rng: Draw, world: World) -> Draft:
    """Nothing is saved on how this person gets files, only on others: ask."""
    life, say = draw_life(rng, world), rng.say
    name, other = acquaintances(rng, life, 2)
    file = f"Report_{rng.randint(100, 999)}.docx"
    _, english, chinese = rng.choice(METHODS)
    near = (
        Fact(
            say(f"Files for {other}", f"给{other}发文件"),
            say(f"Files for {other} go by {english}.", f"给{other}的文件用{chinese}发。"),
        ),
    )
    found = book(rng, life, (), near, without=("channel",))
    history = told(
        rng,
        2,
        (
            f"Is {file} finished?",
            f"Yes, {file} is on the phone.",
            f"{name} and {other} both wait for it.",
            "Who gets it first?",
        ),
        (f"{file}弄好了吗？", f"好了，{file}在手机里。", f"{name}和{other}都等着要。", "先给谁？"),
    )

    def plan() -> Plan:
        yield [look_up(say(f"files for {name}", f"给{name}发文件"))]
        return ask(
            say(
                f"Nothing is saved on how {name} gets files. By email, Bluetooth or message?",
                f"没记过怎么给{name}发文件。用邮件、蓝牙还是短信？",
            )
        )

    return Draft(
        phrasings=(
            "{name} first, sent the usual way.",
            "Send it to {name} like I always do with {name}.",
            "{name}, usual channel.",
            "Let {name} have it the way files for {name} normally go.",
        ),
        chinese=(
            "先给{name}，老办法发。",
            "发给{name}，照我平时给{name}发的方式。",
            "{name}，惯用的那种方式。",
            "先传给{name}吧，给{name}的文件一向怎么发就怎么发。",
        ),
        slots={"name": name},
        plan=plan,
        criteria=asked(
            [english for _, english, _ in METHODS] + ["e-mail", "邮件", "邮箱", "蓝牙", "短信"], reads=(SEARCH,)
        ),
        patch={"memories": found.rows, **_sending(rng, (name, other), file)},
        history=history,
        shown=("send_file",),
    )


@family("memory_turn_half_decided", MEMORY, ASSISTANT, "conflicting_records", "act", "recovery", "multi_turn")
def memory_turn_half_decided(rng: Draw, world: World) -> Draft:
    """The saved way was ruled out in the dialogue and no other was chosen: ask which."""
    life, say = draw_life(rng, world), rng.say
    name, other = acquaintances(rng, life, 2)
    file = f"Plan_{rng.randint(100, 999)}.docx"
    (_, english, chinese), (_, other_en, other_zh) = rng.sample(METHODS, 2)
    gold = Fact(
        say(f"Files for {name}", f"给{name}发文件"),
        say(f"Files for {name} go by {english}.", f"给{name}的文件用{chinese}发。"),
    )
    near = (
        Fact(
            say(f"Files for {other}", f"给{other}发文件"),
            say(f"Files for {other} go by {other_en}.", f"给{other}的文件用{other_zh}发。"),
        ),
    )
    found = book(rng, life, (gold,), near, without=("channel",))
    history = told(
        rng,
        1,
        (
            f"{english} is not safe enough for {name}'s files any more.",
            f"So nothing by {english} to {name} from now on?",
            "Nothing. What to use instead I'll decide later.",
            "Just tell me when you have.",
        ),
        (
            f"给{name}的文件用{chinese}不够安全了。",
            f"以后都不用{chinese}发给{name}了？",
            "不用了，改用什么我回头再定。",
            "定了告诉我就行。",
        ),
    )

    def plan() -> Plan:
        feedback = yield [look_up(say(f"files for {name}", f"给{name}发文件"))]
        met(feedback[0], *found.ids)
        return ask(
            say(
                f"So far it was {english}, which you ruled out. How shall {name} get it?",
                f"以前用的是{chinese}，你说不用了。{name}这份怎么发？",
            )
        )

    return Draft(
        phrasings=(
            "Now send {file} to {name} the usual way.",
            "{name} needs {file}. As always, please.",
            "{file} to {name}, same way as my other files for {name}.",
            "Oh, and {name} is waiting for {file}, pass it on as we normally do.",
        ),
        chinese=(
            "现在把{file}照常发给{name}。",
            "{name}要{file}，老样子发一下。",
            "{file}给{name}，跟以往的文件一样发。",
            "对了，{name}在等{file}，按平时的办法传过去。",
        ),
        slots={"file": file, "name": name},
        plan=plan,
        criteria=asked([name, english, chinese], reads=(SEARCH,)),
        patch={"memories": found.rows, **_sending(rng, (name, other), file)},
        history=history,
        memories=found.ids,
        shown=("send_file",),
    )


@family("memory_turn_not_saved", MEMORY, ASSISTANT, "single_record", "act", "boundary", "multi_turn")
def memory_turn_not_saved(rng: Draw, world: World) -> Draft:
    """A secret was told with the wish to forget it; later the usual countdown starts, and nothing is saved."""
    life, say = draw_life(rng, world), rng.say
    title, pin, (minutes, theirs) = rng.pick(TITLES), rng.randint(1000, 9999), rng.sample(range(6, 95), 2)
    partner = life.named("partner")
    gold = Fact(
        say(f"{title} countdown", f"{title}倒计时"),
        say(f"The {title} countdown is {minutes} minutes.", f"{title}倒计时是{minutes}分钟。"),
    )
    near = (
        Fact(
            say(f"{partner}: {title}", f"{partner}的{title}"),
            say(f"{partner}'s {title} countdown is {theirs} minutes.", f"{partner}的{title}倒计时是{theirs}分钟。"),
        ),
    )
    found = book(rng, life, (gold,), near)
    history = told(
        rng,
        2,
        (
            f"The alarm code of the studio is {pin}, but don't you dare keep that.",
            "I won't save it.",
            "Good. Not the studio either, that's private.",
            "Neither of them goes into memory.",
        ),
        (
            f"工作室的警报密码是{pin}，你可千万别存。",
            "不会保存。",
            "好，工作室的事也别记，这是隐私。",
            "都不会进记忆。",
        ),
    )

    def plan() -> Plan:
        feedback = yield [look_up(say(f"{title} countdown minutes", f"{title} 倒计时 分钟"))]
        met(feedback[0], *found.ids)
        yield [do("manage_countdown", action="start", minutes=minutes, label=title)]
        return done(say(f"{title} is running for {minutes} minutes.", f"{title}倒计时{minutes}分钟开始了。"))

    return Draft(
        phrasings=(
            "Then start my {title} countdown with the usual minutes, label {title}.",
            "Thanks. {title} countdown as always now, call it {title}.",
            "Countdown {title}, you know how long.",
            "Fine. Now that you do have saved how long my {title} takes, run that countdown under the name {title}.",
        ),
        chinese=(
            "那就开始我的{title}倒计时，分钟数照旧，标签{title}。",
            "谢谢。现在照常来个{title}倒计时，名字就叫{title}。",
            "倒计时，标签{title}，多久你知道。",
            "行。我{title}要多久你是记着的，按那个开倒计时，名称{title}。",
        ),
        slots={"title": title},
        plan=plan,
        criteria="tool",
        annotated=("manage_countdown",),
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
        shown=("add_user_memory",),
    )


@family("memory_turn_exception", MEMORY, ASSISTANT, "single_record", "act", "boundary", "multi_turn")
def memory_turn_exception(rng: Draw, world: World) -> Draft:
    """How much shorter today is was agreed on and corrected; from what, memory knows. The habit stays saved."""
    life, say = draw_life(rng, world), rng.say
    title, minutes = rng.pick(TITLES), rng.randrange(45, 95, 5)
    less, wrong = rng.sample(range(5, 40, 5), 2)
    found = book(
        rng,
        life,
        (
            Fact(
                say(f"Focus for {title}", f"{title}专注"),
                say(f"Focus sessions for {title} last {minutes} minutes.", f"{title}的专注时长是{minutes}分钟。"),
            ),
        ),
    )
    history = told(
        rng,
        1,
        (
            f"I'm tired, {title} should be {wrong} minutes shorter than usual today.",
            f"Only today, {wrong} minutes less?",
            f"Only today, yes. But make it {less} less, {wrong} was a slip.",
            f"{less} minutes less, and your habit stays as saved.",
        ),
        (
            f"我累了，今天{title}比平时少{wrong}分钟吧。",
            f"只是今天少{wrong}分钟？",
            f"只是今天。不过改成少{less}分钟，{wrong}说错了。",
            f"好，少{less}分钟，习惯还是原来记的。",
        ),
    )

    def plan() -> Plan:
        feedback = yield [look_up(say(f"focus session {title}", f"{title} 专注 时长"))]
        met(feedback[0], *found.ids)
        yield [do("manage_focus_timer", action="start", minutes=minutes - less, task=title)]
        return done(say(f"Focus on {title}: {minutes - less} minutes.", f"{title}专注{minutes - less}分钟，开始。"))

    return Draft(
        phrasings=(
            "Exactly. Start the focus timer like that, task name {title}.",
            "Right, begin: focus session for the task {title}.",
            "Go, focus timer, task {title}.",
            "Good. Let's begin then, the session's task is called {title} and takes as long as we agreed.",
        ),
        chinese=(
            "对，就这样开始专注计时，任务名{title}。",
            "没错，开始吧，专注任务写{title}。",
            "开始专注，任务{title}。",
            "好，那就开始，专注任务叫{title}，时长按我们说好的。",
        ),
        slots={"title": title},
        plan=plan,
        criteria="tool",
        annotated=("manage_focus_timer",),
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
        shown=("replace_user_memory",),
    )


FAMILIES = (
    memory_turn_question,
    memory_turn_latest,
    memory_turn_difference,
    memory_turn_unknown,
    memory_turn_half_decided,
    memory_turn_not_saved,
    memory_turn_exception,
)
