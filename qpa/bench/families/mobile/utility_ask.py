"""Basic tool use in Utilities & Productivity: questions about what documents, sheets, lists and the browser hold."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import phone
from qpa.bench.families.mobile.display_slots import TOOL
from qpa.bench.families.mobile.utility_slots import (
    CELLS,
    LANGUAGE,
    NUMBERS,
    UTILITIES,
    checklist,
    entry,
    expense,
    fresh_page,
    list_name,
    note,
    sheet_file,
    sheet_rows,
    text_file,
    text_rows,
    three_items,
)
from qpa.bench.families.mobile.wishes import Wish, either, wished
from qpa.bench.families.values import MESSAGES, Draw
from qpa.envs.sandbox.schema import World

_FACT = either(
    ("locker code", "gate code", "seat number", "tent spot", "desk number"),
    ("储物柜密码", "大门密码", "座位号", "帐篷位", "工位号"),
)


def _code(rng: Draw, world: World) -> str:
    return f"{rng.choice('ABCDEFGH')}{rng.randint(12, 98)}"


def _summed(rng: Draw, world: World) -> list[Any]:
    a, b, c, d = rng.sample(range(11, 99), 4)
    return [a, b, c, d, a + c]


def _spent(rng: Draw, world: World) -> list[Any]:
    cents = rng.randrange(300, 9900, 25)
    return [cents, cents / 100, f"{cents / 100:.2f}"]


ASK = (
    Wish(
        calls=(do("manage_document", action="read", fileName="{file}"),),
        slots={"file": text_file, "fact": _FACT, "code": _code, "text": MESSAGES},
        patch=text_rows("{text}", "{fact}: {code}"),
        mentions=(["{code}"],),
        reply=("The {fact} is {code}.", "{fact}是{code}。"),
        english=(
            "Which {fact} did I write down in {file}?",
            "Read {file} and tell me the {fact}.",
            "I'm standing here without my {fact}. It's in {file}, isn't it?",
            "What does {file} say about the {fact}?",
        ),
        chinese=(
            "{file}里记的{fact}是什么？",
            "读一下{file}，告诉我{fact}",
            "我人到了，忘了{fact}，{file}里应该有",
            "{file}里{fact}写的是多少",
        ),
    ),
    Wish(
        calls=(do("manage_spreadsheet", action="read", fileName="{file}", row="{row}", column="{first}"),),
        slots={"file": sheet_file, **CELLS, "a b c d new more": NUMBERS},
        patch=sheet_rows(),
        routes=(do("manage_spreadsheet", action="read", fileName="{file}"),),
        mentions=(["{a}"],),
        reply=("{row}: {first} {a}.", "{row}的{first}是{a}。"),
        english=(
            "What is the {first} value of {row} in {file}?",
            "Look into {file}: which number stands under {first} for {row}?",
            "I need one number from {file}, row {row}, column {first}.",
            "{file} again. {row}, how much {first}?",
        ),
        chinese=(
            "{file}里{row}的{first}是多少？",
            "查一下{file}，{row}那行{first}是几",
            "我要{file}里的一个数，{row}行{first}列",
            "还是{file}，{row}的{first}写了多少",
        ),
    ),
    Wish(
        calls=(do("manage_spreadsheet", action="sum", fileName="{file}", column="{first}"),),
        slots={"file": sheet_file, **CELLS, "a b c d total": _summed},
        patch=sheet_rows(),
        routes=(do("manage_spreadsheet", action="read", fileName="{file}"),),
        mentions=(["{total}", "{total}.0"],),
        reply=("{first} add up to {total}.", "{first}合计{total}。"),
        english=(
            "What's the total of the {first} column in {file}?",
            "Add up {first} in {file} for me.",
            "I have to report the sum of {first} from the sheet {file}. What is it?",
            "{file}: {first}, all rows together?",
        ),
        chinese=(
            "{file}里{first}这一列合计多少？",
            "帮我把{file}的{first}加起来",
            "要上报{file}中{first}的总和，是多少",
            "{file}的{first}，所有行加一块是几",
        ),
    ),
    Wish(
        calls=(do("manage_checklist", action="query", listName="{list}"),),
        slots={"list": list_name, "a b c": three_items},
        patch=checklist("{a}", "{b}", done=("{c}",)),
        mentions=(["{a}"], ["{b}"]),
        reply=("{a} and {b} are open.", "还剩{a}和{b}。"),
        english=(
            "What's still open on the checklist {list}?",
            "Which things on {list} haven't I ticked off?",
            "I'm in the shop. What do I still need from my {list} list?",
            "Tell me what is left to do on {list}.",
        ),
        chinese=(
            "清单“{list}”还有哪些没勾？",
            "“{list}”上我还差什么",
            "我在店里，“{list}”里还要买哪些",
            "说一下“{list}”剩下没完成的",
        ),
    ),
    Wish(
        calls=(do("manage_expense", action="query", note="{note}"),),
        slots={"note": note, "cents amount plain": _spent},
        patch=expense(category="shopping"),
        routes=(do("manage_expense", action="query"),),
        mentions=(["{amount}", "{plain}"],),
        reply=("{plain}.", "花了{plain}。"),
        english=(
            'How much did I spend on "{note}" this month?',
            'What did "{note}" cost me? I logged it in my expenses.',
            'Look in my expenses: the amount for "{note}"?',
            "My wife asks about the price of \"{note}\". It's among this month's expenses.",
        ),
        chinese=(
            "这个月“{note}”花了多少？",
            "“{note}”多少钱来着，我记过账",
            "查一下账，“{note}”那笔是多少",
            "老婆问“{note}”的价钱，这个月的支出里有",
        ),
    ),
    Wish(
        calls=(do("browser_service", action="query"),),
        slots={"title url": fresh_page("tab")},
        patch={"browser_entries": [entry("tab", at="2025-01-15T08:40:00")]},
        mentions=(["{title}"],),
        reply=("{title} and others.", "有{title}等。"),
        english=(
            "Which tabs are open in my browser? One was something I looked at around 8:40.",
            "List my open browser tabs.",
            "I left some pages open in the browser. Which ones?",
            "Read me the titles of the tabs that are open, don't close any.",
        ),
        chinese=(
            "浏览器开着哪些标签页？",
            "列一下打开的网页标签",
            "浏览器里好像留了几个页面没关，都是什么",
            "念一下现在开着的标签标题，别关",
        ),
    ),
    Wish(
        calls=(do("manage_bookmark", action="query"),),
        slots={"title url": fresh_page("bookmark")},
        patch={"browser_entries": [entry("bookmark", at="2025-01-15T08:45:00")]},
        mentions=(["{title}"],),
        reply=("{title} and others.", "有{title}等。"),
        english=(
            "What bookmarks do I have?",
            "Which pages have I bookmarked?",
            "I saved a page this morning. Tell me what's in my bookmarks.",
            "Go through my bookmarks and name them.",
        ),
        chinese=("我有哪些书签？", "我收藏了哪些网页", "早上存过一个网页，看看书签里都有什么", "把我的书签报一遍"),
    ),
    Wish(
        calls=(do("manage_translation", action="query"),),
        slots={"language word": LANGUAGE},
        patch=phone(translation_target="{language}"),
        mentions=(["{language}", "{word}"],),
        reply=("Into {word}.", "译成{word}。"),
        english=(
            "Into which language do I translate by default?",
            "What's my preferred translation language?",
            "If I just say translate, which language comes out?",
            "Check the translator: what's its target language now?",
        ),
        chinese=(
            "默认翻译成哪种语言？",
            "我的翻译首选语言是什么",
            "我只说翻译的话，会译成什么语言",
            "看看翻译设置，目标语言现在是哪个",
        ),
    ),
    Wish(
        calls=(do("manage_browser_history", action="query", period="today"),),
        slots={"title url": fresh_page("visit")},
        patch={"browser_entries": [entry("visit", at="2025-01-15T08:57:00")]},
        routes=(do("manage_browser_history", action="query"),),
        mentions=(["{title}"],),
        reply=("{title} was the last one.", "最后看的是{title}。"),
        english=(
            "Which web page did I visit last?",
            "What was I looking at in the browser just before nine?",
            "I closed a page a few minutes ago by mistake. Which one was it, says the history?",
            "Name the latest page in my browsing history.",
        ),
        chinese=(
            "我最后访问的网页是哪个？",
            "快九点的时候我在浏览器看什么",
            "几分钟前误关了一个网页，历史里看看是哪个",
            "浏览记录里最新的一条是什么",
        ),
    ),
)


@family("utility_ask", TOOL, UTILITIES, "grounding", variants=len(ASK))
def utility_ask(rng: Draw, world: World) -> Draft:
    """A question that one look answers."""
    return wished(rng, world, ASK)


FAMILIES = (utility_ask,)
