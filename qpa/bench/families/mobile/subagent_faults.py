"""Sub-agents that say "done" and did not do it: look at what they did, and mend it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from qpa.bench.families.base import Call, Draft, Plan, do, done, family
from qpa.bench.families.tool_calls import people, person
from qpa.bench.families.values import MESSAGES, TITLES, Draw
from qpa.contract import Dimension, Fault, FaultMode, Feedback
from qpa.envs.sandbox.schema import World

SUBAGENT = Dimension.SUBAGENT
ASSISTANT = "AI Assistant"
CHATS = ("WhatsApp", "Telegram")
AGENT = "control_gui_agent"


def _operate(app: str, instruction: str) -> Generator[list[Call], list[Feedback], tuple[str, dict[str, Any]]]:
    """Starts and executes; the session id, and what the agent tells of its work."""
    feedback = yield [do(AGENT, action="start", appName=app, instruction=instruction)]
    session = feedback[0].payload["data"]["sessionId"]
    feedback = yield [do(AGENT, action="execute", sessionId=session)]
    return session, feedback[0].payload.get("data", {})


@family("agent_false_done", SUBAGENT, ASSISTANT, "gui", "recovery", variants=2)
def agent_false_done(rng: Draw, world: World) -> Draft:
    """The session is still pending although the agent said that it is completed: execute it again."""
    app, name, content = rng.choice(CHATS), person(rng, world), rng.pick(MESSAGES)
    mode = (FaultMode.FALSE_DONE, FaultMode.NO_OP)[rng.turn % 2]

    def plan() -> Plan:
        instruction = rng.say(f'send "{content}" to {name}', f"给{name}发消息：“{content}”")
        session, _ = yield from _operate(app, instruction)
        feedback = yield [do(AGENT, action="query", sessionId=session)]
        if feedback[0].payload["data"]["execution_status"] != "completed":
            yield [do(AGENT, action="execute", sessionId=session)]
        return done(rng.say(f"Sent to {name}, on the second try.", f"第二次才成功，已发给{name}。"))

    return Draft(
        phrasings=(
            'Send {name} "{content}" on {app}, and check that the session really completed.',
            'It is important that {name} gets "{content}" in {app}: verify afterwards that it was done.',
            'On {app}, tell {name} "{content}". The agent failed me yesterday, so look whether it went through.',
            '"{content}" has to reach {name} by {app}. Don\'t just believe the agent, query its session afterwards.',
        ),
        chinese=(
            "在{app}上给{name}发“{content}”，发完查一下会话是不是真的完成了。",
            "{app}上一定要让{name}收到“{content}”，做完核实一下。",
            "用{app}跟{name}说“{content}”。昨天那个代理没办成，所以要看看到底发没发出去。",
            "“{content}”必须通过{app}发到{name}那儿，别光信代理说的，事后查它的会话状态。",
        ),
        slots={"app": app, "name": name, "content": content},
        plan=plan,
        faults=(Fault(tool=AGENT, mode=mode, first=1),),
    )


@family("agent_half_done", SUBAGENT, ASSISTANT, "gui", "recovery")
def agent_half_done(rng: Draw, world: World) -> Draft:
    """Only the first of two messages is among the results: the second one is sent again, the first is not."""
    app, (first, second) = rng.choice(CHATS), people(rng, world, 2)
    one, two = rng.several(MESSAGES, 2)
    orders = [
        rng.say(f'send "{text}" to {who}', f"给{who}发消息：“{text}”") for who, text in ((first, one), (second, two))
    ]

    def plan() -> Plan:
        _, told = yield from _operate(app, "; ".join(orders))
        if len(told["results"]) < len(orders):
            yield from _operate(app, orders[1])
        return done(rng.say(f"Both {first} and {second} have it.", f"{first}和{second}都发到了。"))

    return Draft(
        phrasings=(
            'On {app}, send {first} "{one}" and {second} "{two}"; see that both go out, each once.',
            'Two messages in {app}: "{one}" to {first}, "{two}" to {second}. Make sure neither is left out or doubled.',
            'Tell {first} "{one}" and {second} "{two}", both on {app}, and check what was really sent.',
            '{app}: {first} gets "{one}", {second} gets "{two}". If the agent drops one, send just that one again.',
        ),
        chinese=(
            "在{app}上给{first}发“{one}”，给{second}发“{two}”，两条都要发出去，各一次。",
            "{app}发两条消息：“{one}”给{first}，“{two}”给{second}，别漏也别重复。",
            "用{app}跟{first}说“{one}”，跟{second}说“{two}”，看看实际发了哪些。",
            "{app}：{first}收“{one}”，{second}收“{two}”。要是代理漏了一条，就只补发那条。",
        ),
        slots={"app": app, "first": first, "second": second, "one": one, "two": two},
        plan=plan,
        faults=(Fault(tool=AGENT, mode=FaultMode.PARTIAL, first=1),),
    )


@family("agent_wrong_file", SUBAGENT, ASSISTANT, "gui", "recovery")
def agent_wrong_file(rng: Draw, world: World) -> Draft:
    """The results name another file than the one wanted: send the right one and own up."""
    app, name = rng.choice(CHATS), person(rng, world)
    wanted, other = (f"{title.replace(' ', '_')}_{rng.randint(10, 99)}.docx" for title in rng.several(TITLES, 2))
    instruction = rng.say(f"send {wanted} to {name}", f"把{wanted}发给{name}")

    def plan() -> Plan:
        _, told = yield from _operate(app, instruction)
        if wanted not in told["results"][0]:
            yield from _operate(app, instruction)
        return done(
            rng.say(
                f"A wrong file went to {name} first, then {wanted}.", f"先误发了别的文件，现已把{wanted}发给{name}。"
            )
        )

    return Draft(
        phrasings=(
            "Send the file {wanted} to {name} on {app} and see that it is really that one.",
            "{name} waits for {wanted}, send it in {app} and tell me if anything goes wrong.",
            "On {app}, {wanted} goes to {name}. Check which file was sent, and correct it if need be.",
            "{app}: get {wanted} to {name}, the right file in the end whatever the agent does.",
        ),
        chinese=(
            "在{app}上把文件{wanted}发给{name}，确认发的就是这个。",
            "{name}在等{wanted}，用{app}发过去，有问题告诉我。",
            "{app}上把{wanted}传给{name}，核对一下发的是哪个文件，错了就重发。",
            "{app}：把{wanted}发到{name}那儿，不管代理怎么弄，最后得是对的文件。",
        ),
        slots={"app": app, "name": name, "wanted": wanted},
        plan=plan,
        patch={
            "files": [
                {"id": f"file_88{i}", "name": file, "kind": "document", "size_kb": 90}
                for i, file in enumerate((wanted, other))
            ]
        },
        faults=(Fault(tool=AGENT, mode=FaultMode.WRONG_ITEM, first=1),),
    )


FAMILIES = (agent_false_done, agent_half_done, agent_wrong_file)
