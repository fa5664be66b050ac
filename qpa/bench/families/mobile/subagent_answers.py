"""Sub-agent families of answers, pictures and practice: what one gives, the next step or another agent takes."""

from __future__ import annotations

from datetime import date, timedelta

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import step, talk
from qpa.bench.families.subagent import ANSWERS, LANGUAGES, LANGUAGES_ZH, QUESTIONS, QUESTIONS_ZH, handoff
from qpa.bench.families.tool_calls import person
from qpa.bench.families.values import PROMPTS, TOPICS, Draw
from qpa.contract import BehaviorCriteria, Dimension
from qpa.envs.sandbox.domains.facts import FACTS, FACTS_ZH
from qpa.envs.sandbox.schema import WORLD_CLOCK, World

SUBAGENT = Dimension.SUBAGENT
ASSISTANT = "AI Assistant"
WEEKDAYS = (
    ("Monday", "星期一"),
    ("Wednesday", "星期三"),
    ("Friday", "星期五"),
    ("Saturday", "星期六"),
    ("Sunday", "星期日"),
)
NTH = (("first", "第一个"), ("second", "第二个"), ("third", "第三个"))
# Of the facts, by their place: those answered by one name, and those whose answer can be drawn.
NAMED = (0, 1, 2, 3, 4, 5, 8, 9)
DRAWABLE = {8: "Jupiter", 9: "Mercury", 11: "cheetah", 12: "blue whale"}
DRAWABLE_ZH = {8: "木星", 9: "水星", 11: "猎豹", 12: "蓝鲸"}


def _question(rng: Draw, number: int) -> str:
    return rng.say(FACTS[number].question, FACTS_ZH[number].question)


@family("agent_saturday", SUBAGENT, ASSISTANT, "qa", "dependency")
def agent_saturday(rng: Draw, world: World) -> Draft:
    """SA-650: the days until the n-th weekday of next month, worked out, and a question for the agent."""
    nth, weekday = rng.randrange(3), rng.choice(WEEKDAYS)
    question = rng.choice(QUESTIONS_ZH if rng.chinese else QUESTIONS)
    first = date(2025, 2, 1)
    index = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday").index(weekday[0])
    day = first + timedelta(days=(index - first.weekday()) % 7 + 7 * nth)
    left = str((day - WORLD_CLOCK.date()).days)

    def plan() -> Plan:
        yield [do("calendar_service", action="days_until", date=day.isoformat())]
        feedback = yield [do("general_qa_agent", query=question)]
        answer = feedback[0].payload["data"]["answer"]
        return done(rng.say(f"{left} days, until {day}. And: {answer}.", f"还有{left}天，是{day}。另外：{answer}。"))

    criteria = BehaviorCriteria(routes=[step("general_qa_agent")], mentions=[[left], ANSWERS[question]])
    return Draft(
        phrasings=(
            "How many days are left until the {nth} {weekday} of next month? And ask the answers agent: {question}",
            "Two questions. Days until next month's {nth} {weekday}? And, from the question agent: {question}",
            "Work out how far away the {nth} {weekday} of next month is in days, then look up: {question}",
            "For the quiz I need the days till the {nth} {weekday} in next month, and this looked up: {question}",
        ),
        chinese=(
            "离下个月{nth}{weekday}还有几天？再问一下问答助手：{question}",
            "两个问题：下个月{nth}{weekday}还有多少天？另外让问答助手查查：{question}",
            "算一下到下个月{nth}{weekday}还剩几天，然后帮我查：{question}",
            "答题要用：距离下月{nth}{weekday}多少天，还有查一下{question}",
        ),
        slots={"nth": rng.say(*NTH[nth]), "weekday": rng.say(*weekday), "question": question},
        plan=plan,
        criteria=criteria,
        shown=("calculate_date",),
    )


@family("agent_answer_kept", SUBAGENT, ASSISTANT, "qa", "dependency")
def agent_answer_kept(rng: Draw, world: World) -> Draft:
    """The agent's answer becomes a to-do."""
    number = rng.choice(NAMED)
    question, known = _question(rng, number), ANSWERS[_question(rng, number)]

    def plan() -> Plan:
        feedback = yield [do("general_qa_agent", query=question)]
        answer = feedback[0].payload["data"]["answer"]
        yield [do("manage_todo", action="create", content=answer)]
        return done(rng.say(f"Noted: {answer}.", f"待办已加：{answer}。"))

    routes = [step("manage_todo", action="create", content=answer) for answer in dict.fromkeys(known)]
    return Draft(
        phrasings=(
            "{question} Ask the answers agent and put just its answer on my to-do list.",
            "Look this up with the question agent: {question} Then make a to-do of the bare answer.",
            "I want a to-do that is nothing but the looked-up answer to this: {question}",
            "Find out with the agent, then to-do list, the answer only: {question}",
        ),
        chinese=(
            "{question}问一下问答助手，只把答案加进待办。",
            "让问答助手查：{question}然后用答案本身建一条待办。",
            "帮我查清楚再记成待办，待办里只写答案：{question}",
            "先问问答助手，再把答案（只要答案）写进待办：{question}",
        ),
        slots={"question": question},
        plan=plan,
        criteria=BehaviorCriteria(routes=routes, reads=["general_qa_agent"], allow_writes=True),
    )


@family("agent_relay", SUBAGENT, ASSISTANT, "qa", "image", "dependency")
def agent_relay(rng: Draw, world: World) -> Draft:
    """One agent finds out what the other one draws."""
    number, extra = rng.choice(sorted(DRAWABLE)), rng.pick(PROMPTS)
    question, thing = _question(rng, number), rng.say(DRAWABLE[number], DRAWABLE_ZH[number])

    def plan() -> Plan:
        feedback = yield [do("general_qa_agent", query=question)]
        answer = feedback[0].payload["data"]["answer"]
        yield [
            do(
                "control_ai_image_agent",
                action="generate",
                prompt=rng.say(f"{answer} with a {extra}", f"{answer}和{extra}"),
            )
        ]
        return done(rng.say(f"The picture of {thing} is ready.", f"{thing}的图画好了。"))

    criteria = handoff("control_ai_image_agent", [thing, extra], action="generate")
    criteria.reads = ["general_qa_agent"]
    return Draft(
        phrasings=(
            "Ask the answers agent: {question} Then have a picture of it drawn, together with a {extra}.",
            "{question} Look it up with the agent, and generate an image of the answer next to a {extra}.",
            "I need an image of a {extra} and of whatever answers this, so look it up first: {question}",
            "First let the question agent tell us: {question} Then an image, please, of that and a {extra}.",
        ),
        chinese=(
            "先问问答助手：{question}然后画一张它和{extra}在一起的图。",
            "{question}让助手查一下，再把答案和{extra}生成到一张图里。",
            "我要一张图，上面有{extra}和下面问题的答案，先查：{question}",
            "让问答助手告诉我们：{question}再请画一张图，有它，还有{extra}。",
        ),
        slots={"question": question, "extra": extra},
        plan=plan,
        criteria=criteria,
    )


@family("agent_second_picture", SUBAGENT, ASSISTANT, "image", "reference")
def agent_second_picture(rng: Draw, world: World) -> Draft:
    """The picture to change is known by what it shows; its id has to be looked up."""
    first, second, change = rng.several(PROMPTS, 3)
    rows = [{"id": f"image_88{i}", "prompt": prompt} for i, prompt in enumerate((first, second))]

    def plan() -> Plan:
        feedback = yield [do("control_ai_image_agent", action="query")]
        items = feedback[0].payload["data"]["items"]
        image = next(item["imageId"] for item in items if item["prompt"] == second)
        prompt = rng.say(f"add a {change}", f"加上{change}")
        yield [do("control_ai_image_agent", action="edit", imageId=image, prompt=prompt)]
        return done(rng.say(f"Now with a {change}.", f"已加上{change}。"))

    return Draft(
        phrasings=(
            "Add a {change} to the picture of the {second} you made.",
            "The generated {second} image needs a {change} in it.",
            "Remember the {second} you drew? Put a {change} into that one.",
            "Edit the {second} picture, not the other one: there should be a {change} too.",
        ),
        chinese=(
            "在你画的{second}那张图上加一个{change}。",
            "之前生成的{second}的图，再添上{change}。",
            "还记得你画的{second}吗？往那张里加个{change}。",
            "改{second}那张，不是另一张：还要有{change}。",
        ),
        slots={"second": second, "change": change},
        plan=plan,
        criteria=handoff("control_ai_image_agent", [change], action="edit", imageId="image_881"),
        patch={"images": rows},
    )


@family("agent_card_idea", SUBAGENT, ASSISTANT, "image", "reference")
def agent_card_idea(rng: Draw, world: World) -> Draft:
    """What shall be drawn was settled two turns ago."""
    name, chosen, dropped = person(rng, world), *rng.several(PROMPTS, 2)

    def plan() -> Plan:
        yield [do("control_ai_image_agent", action="generate", prompt=chosen)]
        return done(rng.say(f"The {chosen} for {name} is drawn.", f"给{name}的{chosen}画好了。"))

    return Draft(
        phrasings=(
            "Draw it then, it's for {name}.",
            "Good, now generate that picture for {name}.",
            "Perfect, make the image. {name} will love it.",
            "Go on and draw the one for {name}.",
        ),
        chinese=(
            "那就画吧，送{name}的。",
            "好，现在给{name}生成那张图。",
            "就这样，画出来，{name}肯定喜欢。",
            "画{name}那张吧。",
        ),
        slots={"name": name},
        plan=plan,
        criteria=handoff("control_ai_image_agent", [chosen], action="generate"),
        history=talk(
            rng.say(
                f"I want a card for {name}, perhaps a {dropped} on it.", f"想给{name}做张卡片，也许画个{dropped}。"
            ),
            rng.say(f"A {dropped}, or something else?", f"画{dropped}，还是别的？"),
            rng.say(f"No, rather a {chosen}.", f"算了，换成{chosen}。"),
            rng.say(f"A {chosen} it is.", f"好，那就{chosen}。"),
        ),
    )


@family("agent_next_lesson", SUBAGENT, ASSISTANT, "practice", "dependency", "revision")
def agent_next_lesson(rng: Draw, world: World) -> Draft:
    """A lesson still runs: it has to end before the next one begins."""
    topic, language = rng.pick(TOPICS), rng.choice(LANGUAGES)
    spoken = rng.say(language, LANGUAGES_ZH[language])
    running = {"id": "practice_881", "agent": "speaking_coach", "topic": rng.pick(TOPICS), "language": "English"}

    def plan() -> Plan:
        yield [do("speaking_coach_agent", action="stop")]
        yield [do("speaking_coach_agent", action="start", topic=topic, language=language)]
        return done(rng.say(f"On to {language}: {topic}.", f"接着练{spoken}：{topic}。"))

    routes = [step("speaking_coach_agent", action="start", language=n) for n in dict.fromkeys((language, spoken))]
    return Draft(
        phrasings=(
            "Enough of this lesson. Go on with spoken {language} about {topic}.",
            "End the speaking lesson and start a new one: {language}, topic {topic}.",
            "Let the coach change over to {language} now, a new lesson on {topic}.",
            "This lesson bores me, I'd rather practise speaking {language}, on {topic}.",
        ),
        chinese=(
            "这节课就到这儿，接着练{language}口语，讲{topic}。",
            "结束现在的口语课，重新开一节：{language}，主题{topic}。",
            "让口语教练换成{language}，新的一节讲{topic}。",
            "这课太无聊了，我想改练{language}口语，聊{topic}。",
        ),
        slots={"topic": topic, "language": spoken},
        plan=plan,
        criteria=BehaviorCriteria(routes=routes, payload=[topic], allow_writes=True),
        patch={"practice_sessions": [running]},
        hidden=("scenario_dialogue_agent",),
    )


FAMILIES = (
    agent_saturday,
    agent_answer_kept,
    agent_relay,
    agent_second_picture,
    agent_card_idea,
    agent_next_lesson,
)
