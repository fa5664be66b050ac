"""Sub-agent collaboration: the right route and a complete hand-off; what the agent makes of it is not scored."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.tool_calls import person
from qpa.bench.families.values import EVENTS, NAMES, PLACES, PROMPTS, TODOS, TOPICS, Draw
from qpa.contract import BehaviorCriteria, Dimension, ToolStep
from qpa.envs.sandbox.domains.facts import FACTS
from qpa.envs.sandbox.schema import World

SUBAGENT = Dimension.SUBAGENT
ASSISTANT = "AI Assistant"
LANGUAGES = ("English", "French", "German", "Japanese", "Spanish", "Italian")
QUESTIONS = tuple(fact.question for fact in FACTS)
ANSWERS = {fact.question: fact.answer for fact in FACTS}
ALIASES = (
    ("Files", "File Manager"),
    ("Photos", "Gallery"),
    ("Album", "Gallery"),
    ("SMS", "Messages"),
    ("Player", "Music"),
)


def handoff(name: str, payload: list[str], **arguments: Any) -> BehaviorCriteria:
    """The route must be taken with these arguments, and the calls must say every payload term."""
    return BehaviorCriteria(routes=[ToolStep(name=name, arguments=arguments)], payload=payload, allow_writes=True)


def errand(rng: Draw) -> tuple[str, str]:
    """Something to do inside an app that changes no data, and its key term."""
    key = rng.choice((rng.pick(NAMES), rng.pick(EVENTS), rng.pick(PLACES)))
    return rng.choice(("open {}", "search for {}", "show {}", "scroll to {}", "pin {}")).format(key), key


@family("gui_errand", SUBAGENT, ASSISTANT, "gui")
def gui_errand(rng: Draw, world: World) -> Draft:
    """Start a GUI session, then execute it."""
    app = rng.choice(sorted(r["name"] for r in world.rows["apps"] if r["supports_gui"]))
    instruction, key = errand(rng)

    def plan() -> Plan:
        feedback = yield [do("control_gui_agent", action="start", appName=app, instruction=instruction)]
        session = feedback[0].payload["data"]["sessionId"]
        yield [do("control_gui_agent", action="execute", sessionId=session)]
        return done(f"Done in {app}.")

    return Draft(
        phrasings=(
            "In the {app} app, {instruction}.",
            "Open {app} and {instruction}.",
            "Use the app {app} to {instruction}.",
            "Please {instruction} in {app}.",
        ),
        slots={"app": app, "instruction": instruction},
        plan=plan,
        criteria=handoff("control_gui_agent", [app, instruction.split()[0], key], action="execute"),
    )


@family("gui_fallback", SUBAGENT, ASSISTANT, "gui", "recovery")
def gui_fallback(rng: Draw, world: World) -> Draft:
    """The named app is not supported; the error names one that is."""
    wrong, app = rng.choice(ALIASES)
    instruction, key = errand(rng)

    def plan() -> Plan:
        yield [do("control_gui_agent", action="start", appName=wrong, instruction=instruction)]
        feedback = yield [do("control_gui_agent", action="start", appName=app, instruction=instruction)]
        session = feedback[0].payload["data"]["sessionId"]
        yield [do("control_gui_agent", action="execute", sessionId=session)]
        return done(f"Done in {app}.")

    return Draft(
        phrasings=(
            "In the {wrong} app, {instruction}.",
            "Open {wrong} and {instruction}.",
            "Use the app {wrong} to {instruction}.",
            "Please {instruction} in {wrong}.",
        ),
        slots={"wrong": wrong, "instruction": instruction},
        plan=plan,
        criteria=handoff("control_gui_agent", [app, instruction.split()[0], key], action="execute"),
    )


@family("monitor_once", SUBAGENT, ASSISTANT, "monitoring")
def monitor_once(rng: Draw, world: World) -> Draft:
    """Hands a condition and an operation to the monitoring agent."""
    condition = rng.choice(
        (
            f"battery drops below {rng.randint(5, 60)}%",
            f"I arrive at {rng.pick(PLACES)}",
            f"{person(rng, world)} calls",
            f"it is colder than {rng.randint(1, 19)} degrees",
        )
    )
    operation = rng.choice((f"remind me to {rng.pick(TODOS)}", "turn on data saver", f"text {person(rng, world)}"))

    def plan() -> Plan:
        yield [do("trigger_task", condition=condition, operation=operation)]
        return done("Done: task is set.")

    return Draft(
        phrasings=(
            "When {condition}, {operation}.",
            "Once {condition}, {operation}, just this time.",
            "Watch until {condition}, then {operation}.",
            "As soon as {condition}: {operation}.",
        ),
        slots={"condition": condition, "operation": operation},
        plan=plan,
        criteria=handoff("trigger_task", [condition, operation]),
        hidden=("manage_automation_rule",),
    )


@family("qa_fact", SUBAGENT, ASSISTANT, "qa")
def qa_fact(rng: Draw, world: World) -> Draft:
    """Asks the question-answering agent and passes its answer on."""
    question = rng.pick(QUESTIONS)
    inner = question[0].lower() + question[1:]

    def plan() -> Plan:
        feedback = yield [do("general_qa_agent", query=question)]
        return done(f"{feedback[0].payload['data']['answer']}.")

    criteria = handoff("general_qa_agent", [])
    criteria.mentions = [[ANSWERS[question]]]
    criteria.allow_writes = False
    return Draft(
        phrasings=(
            "{q}",
            "Look this up: {q}",
            "Quick question: {inner}",
            "I wonder: {inner}",
            "Please find out: {inner}",
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
        return done(f"Done: image of {prompt}.")

    return Draft(
        phrasings=(
            "Draw a {prompt}.",
            "Generate an image of a {prompt}.",
            "Make me a picture: {prompt}.",
            "I would like an image with a {prompt}.",
        ),
        slots={"prompt": prompt},
        plan=plan,
        criteria=handoff("control_ai_image_agent", [prompt], action="generate"),
    )


@family("coach_start", SUBAGENT, ASSISTANT, "practice")
def coach_start(rng: Draw, world: World) -> Draft:
    """A speaking lesson with topic and language."""
    topic, language = rng.pick(TOPICS), rng.choice(LANGUAGES)

    def plan() -> Plan:
        yield [do("speaking_coach_agent", action="start", topic=topic, language=language)]
        return done(f"Started: {language}, {topic}.")

    return Draft(
        phrasings=(
            "Let me practise speaking {language} about {topic}.",
            "Start the speaking coach: {language}, topic {topic}.",
            "I want a {language} speaking lesson on {topic}.",
            "Coach me in spoken {language}, about {topic}.",
        ),
        slots={"topic": topic, "language": language},
        plan=plan,
        criteria=handoff("speaking_coach_agent", [topic, language], action="start"),
        hidden=("scenario_dialogue_agent",),
    )


@family("scenario_start", SUBAGENT, ASSISTANT, "practice", unseen="family")
def scenario_start(rng: Draw, world: World) -> Draft:
    """A role-play: an agent that training never used."""
    scenario = rng.pick(TOPICS)

    def plan() -> Plan:
        yield [do("scenario_dialogue_agent", action="start", scenario=scenario)]
        return done(f"Started: {scenario}.")

    return Draft(
        phrasings=(
            "Start a role-play about {scenario}.",
            "Let us do a scenario dialogue on {scenario}.",
            "I want to play the scenario {scenario}.",
            "Begin a dialogue scenario: {scenario}.",
        ),
        slots={"scenario": scenario},
        plan=plan,
        criteria=handoff("scenario_dialogue_agent", [scenario], action="start"),
        hidden=("speaking_coach_agent",),
    )


FAMILIES = (gui_errand, gui_fallback, monitor_once, qa_fact, image_generate, coach_start, scenario_start)
