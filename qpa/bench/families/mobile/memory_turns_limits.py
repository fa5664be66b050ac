"""Memory, several turns: what memory cannot answer, and what must not be saved; judged by calls or behaviour."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, ask, do, done, family
from qpa.bench.families.mobile.common import asked, online
from qpa.bench.families.mobile.memory_common import (
    ASSISTANT,
    MEMORY,
    SEARCH,
    Words,
    acquaintances,
    countdown_fact,
    look_up,
    met,
    told,
)
from qpa.bench.families.mobile.memory_profile import Fact, book, draw_life
from qpa.bench.families.mobile.memory_slots import Pair
from qpa.bench.families.tool_calls import contact_row
from qpa.bench.families.values import TITLES, Draw
from qpa.envs.sandbox.schema import World

METHODS = (("email", "邮件"), ("Bluetooth", "蓝牙"), ("message", "短信"))


def _sending(rng: Draw, names: tuple[str, ...], file: str) -> dict[str, list[dict[str, object]]]:
    """Contacts with addresses, the file, and everything switched on: any way of sending would work."""
    return {
        "contacts": [
            contact_row(701 + i, name, rng.phone(), email=f"friend{i}@example.com") for i, name in enumerate(names)
        ],
        "files": [{"id": "file_901", "name": file, "kind": "document", "size_kb": 90}],
        "settings": online(bluetooth="on"),
    }


def _way_fact(rng: Draw, name: str, way: Pair) -> Fact:
    english, chinese = way
    return Fact(
        rng.say(f"Files for {name}", f"给{name}发文件"),
        rng.say(f"Files for {name} go by {english}.", f"给{name}的文件用{chinese}发。"),
    )


_TURN_UNKNOWN = Words(
    english=(
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
)


@family("memory_turn_unknown", MEMORY, ASSISTANT, "single_record", "act", "recovery", "multi_turn")
def memory_turn_unknown(rng: Draw, world: World) -> Draft:
    """Nothing is saved on how this person gets files, only on others: ask."""
    life, say = draw_life(rng, world), rng.say
    name, other = acquaintances(rng, life, 2)
    file = f"Report_{rng.randint(100, 999)}.docx"
    near = _way_fact(rng, other, rng.choice(METHODS))
    found = book(rng, life, (), (near,), without=("channel",))
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
        phrasings=_TURN_UNKNOWN.english,
        chinese=_TURN_UNKNOWN.chinese,
        slots={"name": name},
        plan=plan,
        criteria=asked([word for pair in METHODS for word in pair], reads=(SEARCH,)),
        patch={"memories": found.rows, **_sending(rng, (name, other), file)},
        history=history,
        shown=("send_file",),
    )


_TURN_HALF_DECIDED = Words(
    english=(
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
)


@family("memory_turn_half_decided", MEMORY, ASSISTANT, "conflicting_records", "act", "recovery", "multi_turn")
def memory_turn_half_decided(rng: Draw, world: World) -> Draft:
    """The saved way was ruled out in the dialogue and no other was chosen: ask which."""
    life, say = draw_life(rng, world), rng.say
    name, other = acquaintances(rng, life, 2)
    file = f"Plan_{rng.randint(100, 999)}.docx"
    (english, chinese), other_way = rng.sample(METHODS, 2)
    gold, near = _way_fact(rng, name, (english, chinese)), _way_fact(rng, other, other_way)
    found = book(rng, life, (gold,), (near,), without=("channel",))
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
        phrasings=_TURN_HALF_DECIDED.english,
        chinese=_TURN_HALF_DECIDED.chinese,
        slots={"file": file, "name": name},
        plan=plan,
        criteria=asked([name, english, chinese], reads=(SEARCH,)),
        patch={"memories": found.rows, **_sending(rng, (name, other), file)},
        history=history,
        memories=found.ids,
        shown=("send_file",),
    )


_TURN_NOT_SAVED = Words(
    english=(
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
)


@family("memory_turn_not_saved", MEMORY, ASSISTANT, "single_record", "act", "boundary", "multi_turn")
def memory_turn_not_saved(rng: Draw, world: World) -> Draft:
    """A secret was told with the wish to forget it; later the usual countdown starts, and nothing is saved."""
    life, say = draw_life(rng, world), rng.say
    title, pin, (minutes, theirs) = rng.pick(TITLES), rng.randint(1000, 9999), rng.sample(range(6, 95), 2)
    near = countdown_fact(rng, title, theirs, life.named("partner"))
    found = book(rng, life, (countdown_fact(rng, title, minutes),), (near,))
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
        phrasings=_TURN_NOT_SAVED.english,
        chinese=_TURN_NOT_SAVED.chinese,
        slots={"title": title},
        plan=plan,
        criteria="tool",
        annotated=("manage_countdown",),
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
        shown=("add_user_memory",),
    )


_TURN_EXCEPTION = Words(
    english=(
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
        phrasings=_TURN_EXCEPTION.english,
        chinese=_TURN_EXCEPTION.chinese,
        slots={"title": title},
        plan=plan,
        criteria="tool",
        annotated=("manage_focus_timer",),
        patch={"memories": found.rows},
        history=history,
        memories=found.ids,
        shown=("replace_user_memory",),
    )


FAMILIES = (memory_turn_unknown, memory_turn_half_decided, memory_turn_not_saved, memory_turn_exception)
