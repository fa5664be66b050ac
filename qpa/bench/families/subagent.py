"""Sub-agent collaboration: the right route and a complete hand-off; what the agent makes of it is not scored."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.tool_calls import person
from qpa.bench.families.values import EVENTS, NAMES, PLACES, PROMPTS, TODOS, TOPICS, Draw
from qpa.contract import BehaviorCriteria, Dimension, ToolStep
from qpa.envs.sandbox.domains.facts import FACTS, FACTS_ZH
from qpa.envs.sandbox.schema import World

SUBAGENT = Dimension.SUBAGENT
ASSISTANT = "AI Assistant"
LANGUAGES = ("English", "French", "German", "Japanese", "Spanish", "Italian")
LANGUAGES_ZH = dict(zip(LANGUAGES, ("英语", "法语", "德语", "日语", "西班牙语", "意大利语"), strict=True))
QUESTIONS = tuple(fact.question for fact in FACTS)
QUESTIONS_ZH = tuple(fact.question for fact in FACTS_ZH)
# Whoever asks about a Chinese question in English gets the English answer, which is as good.
ANSWERS = {fact.question: [fact.answer] for fact in FACTS} | {
    chinese.question: [chinese.answer, english.answer] for chinese, english in zip(FACTS_ZH, FACTS, strict=True)
}
ALIASES = (
    ("Files", "File Manager"),
    ("Photos", "Gallery"),
    ("Album", "Gallery"),
    ("SMS", "Messages"),
    ("Player", "Music"),
)
ERRANDS = (
    ("open {}", "打开{}"),
    ("search for {}", "搜索{}"),
    ("show {}", "显示{}"),
    ("scroll to {}", "翻到{}"),
    ("pin {}", "置顶{}"),
)


def handoff(name: str, payload: list[str], **arguments: Any) -> BehaviorCriteria:
    """The route must be taken with these arguments, and the calls must say every payload term."""
    return BehaviorCriteria(routes=[ToolStep(name=name, arguments=arguments)], payload=payload, allow_writes=True)


def errand(rng: Draw) -> tuple[str, list[str], str]:
    """Something to do inside an app that changes no data, the verb if the hand-off must say it, and its key term."""
    key = rng.choice((rng.pick(NAMES), rng.pick(EVENTS), rng.pick(PLACES)))
    english, chinese = rng.choice(ERRANDS)
    # A Chinese instruction may well say the same with another verb.
    return rng.say(english, chinese).format(key), [] if rng.chinese else [english.split()[0]], key


@family("gui_errand", SUBAGENT, ASSISTANT, "gui")
def gui_errand(rng: Draw, world: World) -> Draft:
    """Start a GUI session, then execute it."""
    app = rng.choice(sorted(r["name"] for r in world.rows["apps"] if r["supports_gui"]))
    instruction, verb, key = errand(rng)

    def plan() -> Plan:
        feedback = yield [do("control_gui_agent", action="start", appName=app, instruction=instruction)]
        session = feedback[0].payload["data"]["sessionId"]
        yield [do("control_gui_agent", action="execute", sessionId=session)]
        return done(rng.say(f"Done in {app}.", f"已在{app}里完成。"))

    return Draft(
        phrasings=(
            "In the {app} app, {instruction}.",
            "Open {app} and {instruction}.",
            "Use the app {app} to {instruction}.",
            "Please {instruction} in {app}.",
        ),
        chinese=(
            "在{app}里{instruction}。",
            "打开{app}，{instruction}。",
            "用{app}这个应用帮我{instruction}。",
            "麻烦到{app}里面{instruction}一下。",
        ),
        slots={"app": app, "instruction": instruction},
        plan=plan,
        criteria=handoff("control_gui_agent", [app, *verb, key], action="execute"),
    )


@family("gui_fallback", SUBAGENT, ASSISTANT, "gui", "recovery")
def gui_fallback(rng: Draw, world: World) -> Draft:
    """The named app is not supported; the error names one that is."""
    wrong, app = rng.choice(ALIASES)
    instruction, verb, key = errand(rng)

    def plan() -> Plan:
        yield [do("control_gui_agent", action="start", appName=wrong, instruction=instruction)]
        feedback = yield [do("control_gui_agent", action="start", appName=app, instruction=instruction)]
        session = feedback[0].payload["data"]["sessionId"]
        yield [do("control_gui_agent", action="execute", sessionId=session)]
        return done(rng.say(f"Done in {app}.", f"已在{app}里完成。"))

    return Draft(
        phrasings=(
            "In the {wrong} app, {instruction}.",
            "Open {wrong} and {instruction}.",
            "Use the app {wrong} to {instruction}.",
            "Please {instruction} in {wrong}.",
        ),
        chinese=(
            "在{wrong}里{instruction}。",
            "打开{wrong}，{instruction}。",
            "用{wrong}这个应用帮我{instruction}。",
            "麻烦到{wrong}里面{instruction}一下。",
        ),
        slots={"wrong": wrong, "instruction": instruction},
        plan=plan,
        criteria=handoff("control_gui_agent", [app, *verb, key], action="execute"),
    )


@family("monitor_once", SUBAGENT, ASSISTANT, "monitoring")
def monitor_once(rng: Draw, world: World) -> Draft:
    """Hands a condition and an operation to the monitoring agent."""
    level, place, caller, degrees = rng.randint(5, 60), rng.pick(PLACES), person(rng, world), rng.randint(1, 19)
    condition, when = rng.choice(
        (
            (rng.say(f"battery drops below {level}%", f"电量低于{level}%"), f"{level}"),
            (rng.say(f"I arrive at {place}", f"我到{place}"), place),
            (rng.say(f"{caller} calls", f"{caller}来电话"), caller),
            (rng.say(f"it is colder than {degrees} degrees", f"气温低于{degrees}度"), f"{degrees}"),
        )
    )
    todo, friend = rng.pick(TODOS), person(rng, world)
    operation, what = rng.choice(
        (
            (rng.say(f"remind me to {todo}", f"提醒我{todo}"), todo),
            (rng.say("turn on data saver", "打开省流量模式"), "流量"),
            (rng.say(f"text {friend}", f"给{friend}发短信"), friend),
        )
    )

    def plan() -> Plan:
        yield [do("trigger_task", condition=condition, operation=operation)]
        return done(rng.say("Done: task is set.", "好了，任务已设好。"))

    return Draft(
        phrasings=(
            "When {condition}, {operation}.",
            "Once {condition}, {operation}, just this time.",
            "Watch until {condition}, then {operation}.",
            "As soon as {condition}: {operation}.",
        ),
        chinese=(
            "等{condition}的时候，{operation}。",
            "{condition}了就{operation}，只要这一次。",
            "帮我盯着，一旦{condition}，就{operation}。",
            "要是{condition}，{operation}。",
        ),
        slots={"condition": condition, "operation": operation},
        plan=plan,
        criteria=handoff("trigger_task", [when, what] if rng.chinese else [condition, operation]),
        hidden=("manage_automation_rule",),
    )


@family("qa_fact", SUBAGENT, ASSISTANT, "qa")
def qa_fact(rng: Draw, world: World) -> Draft:
    """Asks the question-answering agent and passes its answer on."""
    question = rng.pick(QUESTIONS_ZH if rng.chinese else QUESTIONS)
    inner = question[0].lower() + question[1:]

    def plan() -> Plan:
        feedback = yield [do("general_qa_agent", query=question)]
        answer = feedback[0].payload["data"]["answer"]
        return done(rng.say(f"{answer}.", f"答案是{answer}。"))

    criteria = handoff("general_qa_agent", [])
    criteria.mentions = [ANSWERS[question]]
    criteria.allow_writes = False
    return Draft(
        phrasings=(
            "{q}",
            "Look this up: {q}",
            "Quick question: {inner}",
            "I wonder: {inner}",
            "Please find out: {inner}",
        ),
        chinese=(
            "{q}",
            "帮我查一下：{q}",
            "问你个问题，{q}",
            "我想知道，{q}",
        ),
        slots={"q": question, "inner": inner},
        plan=plan,
        criteria=criteria,
    )


@family("image_generate", SUBAGENT, ASSISTANT, "image")
def image_generate(rng: Draw, world: World) -> Draft:
    """A picture from a prompt."""
    prompt = rng.pick(PROMPTS)

    def plan() -> Plan:
        yield [do("control_ai_image_agent", action="generate", prompt=prompt)]
        return done(rng.say(f"Done: image of {prompt}.", f"好了：{prompt}的图片。"))

    return Draft(
        phrasings=(
            "Draw a {prompt}.",
            "Generate an image of a {prompt}.",
            "Make me a picture: {prompt}.",
            "I would like an image with a {prompt}.",
        ),
        chinese=(
            "画一个{prompt}。",
            "生成一张{prompt}的图片。",
            "给我来张图：{prompt}。",
            "我想要一张图，上面是{prompt}。",
        ),
        slots={"prompt": prompt},
        plan=plan,
        criteria=handoff("control_ai_image_agent", [prompt], action="generate"),
    )


@family("coach_start", SUBAGENT, ASSISTANT, "practice")
def coach_start(rng: Draw, world: World) -> Draft:
    """A speaking lesson with topic and language."""
    topic, language = rng.pick(TOPICS), rng.choice(LANGUAGES)
    spoken = rng.say(language, LANGUAGES_ZH[language])

    def plan() -> Plan:
        yield [do("speaking_coach_agent", action="start", topic=topic, language=language)]
        return done(rng.say(f"Started: {language}, {topic}.", f"开始了：{spoken}，{topic}。"))

    criteria = handoff("speaking_coach_agent", [topic, language], action="start")
    if rng.chinese:  # the language may be named in either one
        routes = [ToolStep("speaking_coach_agent", {"action": "start", "language": n}) for n in (language, spoken)]
        criteria.routes, criteria.payload = routes, [topic]

    return Draft(
        phrasings=(
            "Let me practise speaking {language} about {topic}.",
            "Start the speaking coach: {language}, topic {topic}.",
            "I want a {language} speaking lesson on {topic}.",
            "Coach me in spoken {language}, about {topic}.",
        ),
        chinese=(
            "我想练{language}口语，聊聊{topic}。",
            "打开口语教练：{language}，主题{topic}。",
            "陪我练一节{language}口语课，讲{topic}。",
            "{language}口语练习，话题就选{topic}吧。",
        ),
        slots={"topic": topic, "language": spoken},
        plan=plan,
        criteria=criteria,
        hidden=("scenario_dialogue_agent",),
    )


@family("scenario_start", SUBAGENT, ASSISTANT, "practice", unseen="family")
def scenario_start(rng: Draw, world: World) -> Draft:
    """A role-play: an agent that training never used."""
    scenario = rng.pick(TOPICS)

    def plan() -> Plan:
        yield [do("scenario_dialogue_agent", action="start", scenario=scenario)]
        return done(rng.say(f"Started: {scenario}.", f"开始了：{scenario}。"))

    return Draft(
        phrasings=(
            "Start a role-play about {scenario}.",
            "Let us do a scenario dialogue on {scenario}.",
            "I want to play the scenario {scenario}.",
            "Begin a dialogue scenario: {scenario}.",
        ),
        chinese=(
            "开始一段关于{scenario}的角色扮演。",
            "来个情景对话，场景是{scenario}。",
            "我想演练{scenario}这个场景。",
            "情景对话：{scenario}，开始吧。",
        ),
        slots={"scenario": scenario},
        plan=plan,
        criteria=handoff("scenario_dialogue_agent", [scenario], action="start"),
        hidden=("speaking_coach_agent",),
    )


FAMILIES = (gui_errand, gui_fallback, monitor_once, qa_fact, image_generate, coach_start, scenario_start)
