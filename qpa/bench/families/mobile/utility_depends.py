"""Basic tool use in Utilities & Productivity: look-ups, conditions, and results that go into another call."""

from __future__ import annotations

import re
from datetime import date, timedelta

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import Branch, answered, branch, online, step
from qpa.bench.families.mobile.display_slots import TOOL
from qpa.bench.families.mobile.utility_slots import (
    CELLS,
    LANGUAGE,
    UTILITIES,
    checklist,
    fresh_page,
    item,
    list_name,
    sheet_file,
    sheet_rows,
    text_file,
    text_rows,
    two_items,
)
from qpa.bench.families.mobile.wishes import draw, fill
from qpa.bench.families.values import MESSAGES, Draw
from qpa.contract import BehaviorCriteria, Intent
from qpa.envs.sandbox.schema import World

# Web page -> what is asked about it, in English and Chinese, and a word of the answer.
_FACTS = {
    "museum.example": ("How much is a ticket for the museum", "博物馆门票多少钱", "12"),
    "library.example": ("For how many weeks can I borrow a book from the library", "图书馆的书能借几周", "4"),
    "swimhall.example": ("What does a day ticket for the pool cost", "游泳馆的日票多少钱", "6"),
    "bikes.example": ("What does an inspection at the bike shop cost", "自行车店检修一次多少钱", "45"),
    "cinema.example": ("At what time does Paper Planes start tonight", "今晚的《Paper Planes》几点开场", "21:15"),
    "passport.example": ("How many euros is a passport renewal", "护照换发要多少欧元", "70"),
    "yoga.example": ("At what time is the beginners' class", "初学者的课几点开始", "18:30"),
    "recipes.example/pancakes": ("How many grams of flour go into the pancakes", "做煎饼要多少克面粉", "250"),
    "recipes.example/soup": ("How many grams of lentils does the soup need", "做汤要多少克扁豆", "300"),
}


def page_fact(rng: Draw, world: World) -> Draft:
    """The page has to be opened before its text can be read."""
    title, url = draw(rng, world, {"title url": fresh_page("tab")}).values()
    while url not in _FACTS:
        title, url = draw(rng, world, {"title url": fresh_page("tab")}).values()
    english, chinese, fact = _FACTS[url]

    def plan() -> Plan:
        feedback = yield [do("browser_service", action="open", page=title)]
        text = feedback[0].payload["data"]["text"]
        return done(rng.say(f"The page says: {text}", f"网页上写着：{text}"))

    return Draft(
        phrasings=(
            "{question}? Look at the page {title}.",
            "Open {title} in the browser and tell me: {question}?",
            "The web page {title} should know. {question}?",
            "Could you check on {url} for me? {question}?",
        ),
        chinese=(
            "{question}？看看{title}的网页。",
            "浏览器打开{title}，告诉我{question}",
            "{title}的网页上应该有，{question}",
            "帮我去{url}查查，{question}？",
        ),
        slots={"question": rng.say(english, chinese), "title": title, "url": url},
        plan=plan,
        criteria=BehaviorCriteria(
            routes=[step("browser_service", action="open", page=page) for page in (title, url)],
            mentions=[[fact]],
            intent=Intent.FINISH,
            allow_writes=True,
        ),
        patch={"settings": online()},
    )


def fee_from_document(rng: Draw, world: World) -> Draft:
    """The amount stands in a document."""
    fee = rng.randrange(120, 990, 5)
    slots = draw(rng, world, {"file": text_file, "text": MESSAGES})
    line = rng.say(f"The monthly fee is {fee} yuan.", f"每月费用{fee}元。")

    def plan() -> Plan:
        feedback = yield [do("manage_document", action="read", fileName=slots["file"])]
        texts = " ".join(row["text"] for row in feedback[0].payload["data"]["items"])
        found = re.search(r"(?:fee is |每月费用)(\d+)", texts)
        assert found is not None
        yield [do("manage_expense", action="add", amount=int(found[1]), category="housing")]
        return done(rng.say(f"Recorded {found[1]}.", f"已记{found[1]}。"))

    return Draft(
        phrasings=(
            "Record this month's fee from {file} as a housing expense, without a note.",
            "{file} says what the monthly fee is. Enter it in my expenses, category housing, no note.",
            "I paid the monthly fee today. The amount is in {file}; log it under housing and leave the note empty.",
            "Find the monthly fee in {file} and put it down as today's housing expense. No note needed.",
        ),
        chinese=(
            "把{file}里写的每月费用记成一笔住房支出，不用备注。",
            "{file}里有每月费用，记到我的账上，类别住房，备注空着",
            "今天交了月费，金额在{file}里，记到住房类，不写备注",
            "去{file}找每月费用是多少，作为今天的住房支出记下来，备注不需要",
        ),
        slots=slots,
        plan=plan,
        patch=fill(text_rows("{text}", line), slots),
    )


def tick_or_add(rng: Draw, world: World) -> Draft:
    """What is on the list is ticked, what is not is added."""
    slots = draw(rng, world, {"list": list_name, "a b": two_items})
    there = rng.random() < 0.5

    def plan() -> Plan:
        feedback = yield [do("manage_checklist", action="query", listName=slots["list"])]
        action = "check" if slots["a"] in feedback[0].payload["data"]["open"] else "add"
        yield [do("manage_checklist", action=action, listName=slots["list"], items=[slots["a"]])]
        return done(rng.say("Done.", "好了。"))

    return Draft(
        phrasings=(
            "If {a} is on the checklist {list}, tick it; if not, add it there.",
            "Is {a} on my {list} list already? Then check it off, otherwise put it on.",
            "Look at {list}. Tick {a} in case it's listed, or else add {a} to it.",
            "I'm done with {a}, so tick that on {list}. Should it be missing there, add it without a tick.",
        ),
        chinese=(
            "“{list}”清单里要是有{a}就勾上，没有就加进去。",
            "看看“{list}”上有没有{a}，有就打勾，没有就添上",
            "查一下“{list}”，有{a}就标完成，否则把{a}加上",
            "{a}拿到了，“{list}”里有就勾掉；要是没列就加一项，先不勾",
        ),
        slots=slots,
        plan=plan,
        patch=fill(checklist("{a}", "{b}") if there else checklist("{b}"), slots),
    )


def pack_or_target(rng: Draw, world: World) -> Draft:
    """A missing language pack is downloaded; one that is there becomes the target."""
    slots = draw(rng, world, {"language word": LANGUAGE})
    there = rng.choice(("on", "off"))

    def plan() -> Plan:
        feedback = yield [do("manage_translation", action="query")]
        missing = slots["language"] not in feedback[0].payload["data"]["packs"]
        action = "download_pack" if missing else "set_target"
        yield [do("manage_translation", action=action, language=slots["language"])]
        return done(rng.say("Done.", "好了。"))

    return Draft(
        phrasings=(
            "If the {word} translation pack is missing, download it; if it's there, make {word} my target language.",
            "Do I have the {word} pack? If yes, translate into {word} by default. If no, only download the pack.",
            "Check the language packs. No {word}? Get it. Otherwise set {word} as the preferred target instead.",
            "The {word} pack: download it unless it's installed. When it is, choose {word} as translation target.",
        ),
        chinese=(
            "没有{word}翻译包就下载一个，有的话把{word}设成默认目标语言。",
            "看看有没有{word}包，有就默认翻译成{word}，没有就只下载",
            "检查一下语言包，没{word}就下，有就把首选目标语言改成{word}",
            "{word}的翻译包没装就下载；装了的话，把翻译目标设为{word}",
        ),
        slots=slots,
        plan=plan,
        patch={
            "settings": online(
                data_saver="off",
                translation_target="Japanese",
                **{f"translation_pack_{slots['language'].lower()}": there},
            )
        },
    )


def over_budget(rng: Draw, world: World) -> Draft:
    """The sum of a column decides whether anything is written."""
    cells = rng.sample(range(11, 99), 4)
    total, over = cells[0] + cells[2], rng.random() < 0.6
    limit = total + rng.randint(3, 12) * (-1 if over else 1)
    slots = draw(rng, world, {"file": sheet_file, **CELLS, "list": list_name, "item": item})
    slots |= dict(zip("abcd", cells, strict=True)) | {"limit": limit}

    def plan() -> Plan:
        feedback = yield [do("manage_spreadsheet", action="sum", fileName=slots["file"], column=slots["first"])]
        found = int(feedback[0].payload["data"]["sum"])
        if found > limit:
            yield [do("manage_checklist", action="add", listName=slots["list"], items=[slots["item"]])]
        return done(rng.say(f"The total is {found}.", f"合计是{found}。"))

    return Draft(
        phrasings=(
            "Sum up {first} in {file} and tell me; above {limit}, also add {item} to the checklist {list}.",
            "What do the {first} in {file} come to? If it's more than {limit}, put {item} on my {list} list.",
            "Tell me the total of column {first} in {file}. Over {limit}? Then put {item} on {list}.",
            "Only if {first} in {file} add up to over {limit}, add {item} to {list}. I want to hear the sum anyway.",
        ),
        chinese=(
            "{file}的{first}合计多少，告诉我；超过{limit}就在“{list}”清单加上{item}。",
            "算下{file}里{first}一共多少，大于{limit}的话把{item}写到“{list}”上",
            "报一下{file}中{first}列的总和，超{limit}就往“{list}”加{item}，不然别动",
            "{file}的{first}加起来要是超过{limit}，才把{item}加进“{list}”，总数反正告诉我",
        ),
        slots=slots,
        plan=plan,
        criteria="state" if over else answered([str(total), f"{total}.0"], reads=("manage_spreadsheet",)),
        patch={**fill(sheet_rows(), slots), **checklist(rng.say("string", "绳子"), name=slots["list"])},
        shown=("manage_checklist",),
    )


def workdays_line(rng: Draw, world: World) -> Draft:
    """A calculated number goes into a document."""
    first = date(2025, 2, 3) + timedelta(weeks=rng.randint(0, 12))
    last = first + timedelta(days=rng.randint(20, 120))
    slots = draw(rng, world, {"file": text_file, "text": MESSAGES}) | {"first": f"{first}", "last": f"{last}"}

    def plan() -> Plan:
        feedback = yield [do("calculate_date", action="workdays", date=slots["first"], endDate=slots["last"])]
        count = str(feedback[0].payload["data"]["workdays"])
        yield [do("manage_document", action="append", fileName=slots["file"], content=count)]
        return done(rng.say(f"{count} workdays, noted.", f"{count}个工作日，记好了。"))

    return Draft(
        phrasings=(
            "Count the workdays from {first} to {last}, both included, and append just the number to {file}.",
            "How many working days are {first} to {last} inclusive? Write only the figure as a new line in {file}.",
            "Add a line to {file} with nothing but the number of workdays between {first} and {last}, ends included.",
            "{file} needs one more line: the count of workdays {first} through {last}. Digits only, please.",
        ),
        chinese=(
            "算出{first}到{last}（含首尾）的工作日数，只把数字追加到{file}。",
            "{first}至{last}两头都算有几个工作日，光把数字写成{file}的新一行",
            "在{file}加一行，只写{first}到{last}含首尾的工作日天数",
            "{file}里要补一行：{first}到{last}含当天的工作日数量，只要数字",
        ),
        slots=slots,
        plan=plan,
        patch=fill(text_rows("{text}"), slots),
    )


BRANCHES: tuple[Branch, ...] = (
    page_fact,
    fee_from_document,
    tick_or_add,
    pack_or_target,
    over_budget,
    workdays_line,
)


@family("utility_depends", TOOL, UTILITIES, "dependency", variants=len(BRANCHES))
def utility_depends(rng: Draw, world: World) -> Draft:
    """Calls that depend on what other calls found."""
    return branch(rng, world, BRANCHES)


FAMILIES = (utility_depends,)
