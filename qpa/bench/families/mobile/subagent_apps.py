"""Sub-agent families of apps and routines: which agent, with what in hand, and when not to delegate at all."""

from __future__ import annotations

from dataclasses import replace

from qpa.bench.families.base import Draft, Plan, ask, do, done, family
from qpa.bench.families.mobile.common import Request, asked, one_of, online, settings, talk
from qpa.bench.families.mobile.words import new_todos
from qpa.bench.families.subagent import handoff
from qpa.bench.families.tool_calls import person
from qpa.bench.families.values import EVENTS, MESSAGES, TITLES, TODOS, Draw
from qpa.contract import BehaviorCriteria, Dimension, Intent
from qpa.envs.sandbox.schema import World

SUBAGENT = Dimension.SUBAGENT
ASSISTANT = "AI Assistant"
CHATS = ("WhatsApp", "Telegram")
NOISES = (("Brown Hush", "White Hush"), ("Night Rain", "Fan Hum"), ("Deep Drone", "Soft Static"))
DIRECT = (
    Request(
        "manage_dark_mode",
        (
            "Switch the phone over to dark mode.",
            "Dark mode on, my eyes hurt.",
            "Could you make everything on the screen dark? I mean the dark mode.",
            "All this white is too bright in bed, give me the dark theme.",
        ),
        (
            "切换到深色模式。",
            "眼睛疼，开深色模式。",
            "把手机界面都变成深色的那个模式，打开一下。",
            "床上看白底太刺眼了，换深色主题。",
        ),
        {"action": "enable"},
        patch={"settings": settings(dark_mode="off")},
    ),
    Request(
        "manage_alarm",
        (
            "Set an alarm called {title} at {time}.",
            "Alarm at {time}, name it {title}, you needn't open the clock.",
            "{title} alarm for {time}, please.",
            "I have to be up for {title}: alarm at {time}, with that name.",
        ),
        (
            "设一个{time}的闹钟，叫{title}。",
            "{time}响个闹钟，名称{title}，不用打开时钟。",
            "帮我定{title}的闹钟，{time}。",
            "我要起来{title}，{time}的闹钟，就用这个名字。",
        ),
        {"action": "create"},
        draw=lambda rng, world: {"time": rng.time(), "title": rng.pick(TITLES)},
    ),
    Request(
        "manage_todo",
        (
            "Add {content} to my to-do list.",
            "New to-do: {content}.",
            "Don't let me forget to {content}, it belongs on the to-do list.",
            "To-do list, one more: {content}.",
        ),
        (
            "把{content}加到待办。",
            "新建待办：{content}。",
            "别让我忘了{content}，写进待办清单。",
            "待办清单再添一条：{content}。",
        ),
        {"action": "create"},
        draw=lambda rng, world: {"content": new_todos(rng, world)[0]},
    ),
)


@family("agent_not_needed", SUBAGENT, ASSISTANT, "grounding", "direct", variants=len(DIRECT))
def agent_not_needed(rng: Draw, world: World) -> Draft:
    """A direct tool does it: an agent that operates the screen would only add steps."""
    return replace(one_of(rng, world, DIRECT), shown=("control_gui_agent", "trigger_task", "general_qa_agent"))


@family("agent_week_files", SUBAGENT, ASSISTANT, "gui", "recovery")
def agent_week_files(rng: Draw, world: World) -> Draft:
    """SA-392: nothing is found by a search, "Files" is no app that the agent knows, File Manager is."""
    source, folder = rng.choice(CHATS), rng.pick(EVENTS)
    instruction = rng.say(
        f'collect the files of last week from {source}, group them by kind and save them in "{folder}"',
        f"把上周{source}里的文件找出来，按类型分组，存到“{folder}”",
    )

    def plan() -> Plan:
        yield [do("local_file_search", keyword=source, withinDays=7)]
        yield [do("control_gui_agent", action="start", appName="Files", instruction=instruction)]
        feedback = yield [do("control_gui_agent", action="start", appName="File Manager", instruction=instruction)]
        yield [do("control_gui_agent", action="execute", sessionId=feedback[0].payload["data"]["sessionId"])]
        return done(rng.say(f"Saved in {folder} by File Manager.", f"已用File Manager存到{folder}。"))

    return Draft(
        phrasings=(
            'In Files, collect what came from {source} last week, group it by kind and save it in "{folder}".',
            'Use Files to gather last week\'s {source} files, sorted into groups, in a folder called "{folder}".',
            'Have Files tidy up: all {source} files from last week, grouped, into "{folder}".',
            'My {source} files of last week are all over the place. Group them with Files and put them in "{folder}".',
        ),
        chinese=(
            "用Files把上周{source}的文件收集起来，按类型分组，存到“{folder}”。",
            "打开Files，上周{source}收到的文件分好组，放进“{folder}”文件夹。",
            "让Files整理一下：上周所有{source}文件，分组存进“{folder}”。",
            "上周{source}的文件乱七八糟，用Files分组，归到“{folder}”里。",
        ),
        slots={"source": source, "folder": folder},
        plan=plan,
        criteria=handoff("control_gui_agent", ["File Manager", source, folder], action="execute"),
    )


@family("agent_chat_message", SUBAGENT, ASSISTANT, "gui", "grounding")
def agent_chat_message(rng: Draw, world: World) -> Draft:
    """A message in a chat app: no tool sends it, so the screen has to be operated."""
    app, name, content = rng.choice(CHATS), person(rng, world), rng.pick(MESSAGES)
    instruction = rng.say(f'send "{content}" to {name}', f"给{name}发消息：“{content}”")

    def plan() -> Plan:
        feedback = yield [do("control_gui_agent", action="start", appName=app, instruction=instruction)]
        yield [do("control_gui_agent", action="execute", sessionId=feedback[0].payload["data"]["sessionId"])]
        return done(rng.say(f"Sent to {name} in {app}.", f"已在{app}发给{name}。"))

    return Draft(
        phrasings=(
            'Send {name} "{content}" on {app}.',
            'Write "{content}" to {name} in {app}, not as a text message.',
            'On {app}, let {name} know: "{content}".',
            '{name} only reads {app}, so put "{content}" there.',
        ),
        chinese=(
            "在{app}上给{name}发“{content}”。",
            "用{app}告诉{name}“{content}”，别发短信。",
            "{app}里跟{name}说一声：“{content}”。",
            "{name}只看{app}，就在那上面发“{content}”。",
        ),
        slots={"app": app, "name": name, "content": content},
        plan=plan,
        criteria=handoff("control_gui_agent", [app, name, content], action="execute"),
        shown=("send_message",),
    )


_NOISE_PLAYING = (
    (
        "The {sound} that's on may go on till the battery is below {level}%, have it stopped then.",
        "Let {sound} play on, but see to it that it stops once the battery falls under {level}%.",
        "I'm off to sleep; stop {sound} as soon as the battery drops under {level}%.",
        "Keep {sound} running and stop it when less than {level}% battery is left.",
    ),
    (
        "正在放的{sound}先放着，电量低于{level}%就停掉。",
        "{sound}接着放，等电量掉到{level}%以下给我停了。",
        "我要睡了，电量一低于{level}%就停掉{sound}。",
        "{sound}先别关，电量不到{level}%的时候再停。",
    ),
)
_NOISE_ABSENT = (
    (
        "Play {sound} and stop it after {minutes} minutes.",
        "Put on {sound} for {minutes} minutes, then it has to stop.",
        "I need {sound} to fall asleep, {minutes} minutes of it.",
        "{sound}, please, and silence again {minutes} minutes later.",
    ),
    (
        "播放{sound}，{minutes}分钟后停。",
        "放{minutes}分钟{sound}，然后停掉。",
        "我要听着{sound}睡觉，放{minutes}分钟就行。",
        "来点{sound}，{minutes}分钟后安静。",
    ),
)


@family("agent_noise_stop", SUBAGENT, ASSISTANT, "monitoring", "recovery", variants=2)
def agent_noise_stop(rng: Draw, world: World) -> Draft:
    """Like SA-391: a sound that is to stop later. Hand over the stop; but where the sound is nowhere, ask."""
    present, absent = rng.choice(NOISES)
    minutes, playing = rng.randint(10, 90), rng.turn % 2 == 0
    english, chinese = _NOISE_PLAYING if playing else _NOISE_ABSENT
    track = {"id": "track_881", "title": present, "artist": "Calm Lab", "album": "Calm Lab", "number": 1}
    level = rng.randint(8, 60)
    condition = rng.say(f"battery drops below {level}%", f"电量低于{level}%")

    def stopping() -> Plan:
        yield [do("trigger_task", condition=condition, operation=rng.say(f"stop {present}", f"停止播放{present}"))]
        return done(rng.say(f"It stops at {level}%.", f"到{level}%就停。"))

    def missing() -> Plan:
        yield [do("play_audio", title=absent)]
        yield [do("query_audio", keyword=absent)]
        return ask(rng.say(f"There is no {absent} here. Play {present}?", f"没找到{absent}，要换成{present}吗？"))

    state = "playing" if playing else "stopped"
    stopped = handoff("trigger_task", [str(level), rng.say("stop", "停")])
    return Draft(
        phrasings=english,
        chinese=chinese,
        slots={"sound": present if playing else absent, "minutes": minutes, "level": level},
        plan=stopping if playing else missing,
        criteria=stopped if playing else asked([absent], reads=("query_audio",)),
        patch={
            "media_tracks": [track],
            "settings": online(media_state=state, media_item="track_881" if playing else ""),
        },
        shown=("trigger_task",),
        hidden=("manage_automation_rule",),
    )


@family("agent_once_or_always", SUBAGENT, ASSISTANT, "monitoring", "grounding", variants=2)
def agent_once_or_always(rng: Draw, world: World) -> Draft:
    """A single occasion goes to the monitoring agent, a standing one becomes a rule."""
    name, todo, always = person(rng, world), rng.pick(TODOS), rng.turn % 2 == 1
    when = rng.say(f"{name} calls", f"{name}来电话")
    then = rng.say(f"remind me to {todo}", f"提醒我{todo}")

    def once() -> Plan:
        yield [do("trigger_task", condition=when, operation=then)]
        return done(rng.say("I keep an eye on it, once.", "好的，就这一次。"))

    def rule() -> Plan:
        yield [do("manage_automation_rule", action="create", trigger=when, operation=then)]
        return done(rng.say("The rule is set.", "规则已建好。"))

    criteria = (
        handoff("manage_automation_rule", [name, todo], action="create")
        if always
        else handoff("trigger_task", [name, todo])
    )
    return Draft(
        phrasings=(
            "Every time {name} calls, remind me to {todo}.",
            "From now on, whenever {name} calls I want to be reminded to {todo}.",
            "Make it a rule: {name} calls, I get reminded to {todo}.",
            "Each and every call from {name} should remind me to {todo}.",
        )
        if always
        else (
            "The next time {name} calls, remind me to {todo}, only that once.",
            "When {name} calls next, remind me to {todo}. Just the one time.",
            "Wait for {name}'s next call and remind me to {todo} then; a single time will do.",
            "One-off: {name} calls, you remind me to {todo}.",
        ),
        chinese=(
            "以后每次{name}来电话，都提醒我{todo}。",
            "只要{name}打电话来，每回都提醒我{todo}。",
            "立个规矩：{name}来电就提醒我{todo}，一直有效。",
            "{name}每打一次电话，就提醒我一次{todo}。",
        )
        if always
        else (
            "下次{name}来电话的时候提醒我{todo}，就这一次。",
            "等{name}打电话来，提醒我{todo}，一次就够。",
            "盯着{name}的下一个来电，到时提醒我{todo}，只用一回。",
            "一次性的：{name}来电，提醒我{todo}。",
        ),
        slots={"name": name, "todo": todo},
        plan=rule if always else once,
        criteria=criteria,
        shown=("trigger_task", "manage_automation_rule"),
    )


@family("agent_from_history", SUBAGENT, ASSISTANT, "monitoring", "reference")
def agent_from_history(rng: Draw, world: World) -> Draft:
    """Who and what was said before has to go into the hand-off."""
    name, content, level = person(rng, world), rng.pick(MESSAGES), rng.randint(5, 40)
    condition = rng.say(f"battery drops below {level}%", f"电量低于{level}%")
    operation = rng.say(f'text {name} "{content}"', f"给{name}发短信“{content}”")

    def plan() -> Plan:
        yield [do("trigger_task", condition=condition, operation=operation)]
        return done(rng.say(f"At {level}% the text goes to {name}.", f"到{level}%就给{name}发。"))

    return Draft(
        phrasings=(
            "Good. Hold it back till my battery is under {level}%, then text it.",
            "Don't send it yet. Do it once the battery drops below {level}%.",
            "Text that only when the battery gets below {level}%.",
            "Fine, but wait: below {level}% battery, and not before, it goes out.",
        ),
        chinese=(
            "好，先别发，等电量低于{level}%再发短信。",
            "现在不发，电量掉到{level}%以下的时候发出去。",
            "等手机电量不到{level}%再把这条发了。",
            "行，不过要等电量低于{level}%，到时才发。",
        ),
        slots={"level": level},
        plan=plan,
        criteria=handoff("trigger_task", [str(level), name, content]),
        history=talk(
            rng.say(f'I want to text {name} "{content}".', f"我想给{name}发短信“{content}”。"),
            rng.say(f'To {name}: "{content}". Now, or later?', f"发给{name}：“{content}”。现在发还是等会儿？"),
        ),
        hidden=("manage_automation_rule",),
    )


# What is left open: requests, the question it takes, and words that any such question has.
_UNSAID = (
    (
        (
            "Draw a picture for {name}.",
            "I'd like an image made for {name}.",
            "Can you paint something for {name}?",
            "{name} gets a picture from me, generate one.",
        ),
        (
            "给{name}画张图。",
            "帮我生成一张送{name}的图片。",
            "能画点什么给{name}吗？",
            "我要送{name}一张图，生成一下。",
        ),
        ("What should the picture show?", "图上要画什么？"),
        ["picture", "image", "draw", "show", "paint", "图", "画"],
    ),
    (
        (
            "Start a role-play with me as {name}.",
            "Let's play a dialogue scene, I'm {name}.",
            "I want a scenario dialogue in which I am {name}.",
            "Role-play time! Call me {name}.",
        ),
        (
            "来个角色扮演，我演{name}。",
            "咱们演一段情景对话，我叫{name}。",
            "我要情景对话，我是{name}。",
            "角色扮演开始吧，叫我{name}。",
        ),
        ("Which scenario shall we play?", "演什么场景？"),
        ["scenario", "scene", "situation", "topic", "about", "场景", "情景", "情境", "主题"],
    ),
    (
        (
            "Text {name} when it happens.",
            "As soon as it's so far, text {name}.",
            "Keep watching, and when the time is right text {name}.",
            "{name} should get a text once it happens.",
        ),
        (
            "到时候给{name}发短信。",
            "等那个发生了就给{name}发短信。",
            "盯着点，时候到了给{name}发个短信。",
            "一有情况就发短信给{name}。",
        ),
        ("What should I wait for, and what shall I text {name}?", "要等什么情况，给{name}发什么内容？"),
        ["wait", "when", "what should happen", "condition", "watch", "什么情况", "什么时候", "条件", "等什么"],
    ),
)


@family("agent_what_exactly", SUBAGENT, ASSISTANT, "recovery", variants=3)
def agent_what_exactly(rng: Draw, world: World) -> Draft:
    """An agent cannot start without its subject: ask for it."""
    name = person(rng, world)
    english, chinese, question, mentions = _UNSAID[rng.turn % len(_UNSAID)]

    def plan() -> Plan:
        yield from ()
        return ask(rng.say(*question).format(name=name))

    return Draft(
        phrasings=english,
        chinese=chinese,
        slots={"name": name},
        plan=plan,
        criteria=BehaviorCriteria(intent=Intent.ASK, mentions=[mentions]),
        shown=("control_ai_image_agent", "scenario_dialogue_agent", "trigger_task"),
    )


FAMILIES = (
    agent_not_needed,
    agent_week_files,
    agent_chat_message,
    agent_noise_stop,
    agent_once_or_always,
    agent_from_history,
    agent_what_exactly,
)
