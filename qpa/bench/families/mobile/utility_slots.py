"""Files, lists, pages, expenses and dates that the families of Utilities & Productivity draw from."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.mobile.common import Rows
from qpa.bench.families.mobile.wishes import Slot, either, worded
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.domains.utility_data import PAGES
from qpa.envs.sandbox.schema import World

UTILITIES = "Utilities & Productivity"

_TEXTS = (
    ("Camp_Log.docx", "Club_Rules.txt", "Garden_Diary.md", "Moving_Plan.docx", "Radio_Script.txt", "Tour_Notes.docx"),
    ("露营日志.docx", "社团章程.txt", "菜园日记.md", "搬家方案.docx", "广播稿.txt", "游览笔记.docx"),
)
_SHEETS = (
    ("Bee_Hives.xlsx", "Club_Fees.xlsx", "Fuel_Log.xlsx", "Seed_Orders.xlsx", "Team_Hours.xlsx"),
    ("蜂箱记录.xlsx", "社费明细.xlsx", "加油记录.xlsx", "种子订单.xlsx", "团队工时.xlsx"),
)
_LISTS = (
    ("Beach day", "Baby bag", "Craft box", "First aid kit", "School start", "Sunday brunch"),
    ("海边清单", "宝宝包", "手工箱", "急救包", "开学清单", "周末早午餐"),
)
_ITEMS = (
    ("bandages", "crayons", "diapers", "glue", "honey", "lemons", "napkins", "pretzels", "scissors", "thermos"),
    ("绷带", "蜡笔", "尿布", "胶水", "蜂蜜", "柠檬", "餐巾纸", "椒盐饼", "剪刀", "保温瓶"),
)
_NOTES = (
    ("Piano tuning", "Umbrella", "Printer ink", "Garden soil", "Bike lights", "Tea set", "Yoga mat", "Board game"),
    ("调钢琴", "雨伞", "打印机墨水", "花园营养土", "自行车灯", "茶具", "瑜伽垫", "桌游"),
)
text_file, sheet_file = either(*_TEXTS), either(*_SHEETS)
list_name, item, note = either(*_LISTS), either(*_ITEMS), either(*_NOTES)
two_texts, two_items, three_items = either(*_TEXTS, 2), either(*_ITEMS, 2), either(*_ITEMS, 3)

BOUGHT = worded(  # note, category, how a person says it
    (("Piano tuning", "调钢琴"), "leisure", ("leisure", "休闲")),
    (("Board game", "桌游"), "leisure", ("leisure", "休闲")),
    (("Printer ink", "打印机墨水"), "shopping", ("shopping", "购物")),
    (("Tea set", "茶具"), "shopping", ("shopping", "购物")),
    (("Garden soil", "花园营养土"), "housing", ("housing", "住房")),
    (("Bike lights", "自行车灯"), "transport", ("transport", "交通")),
    (("Yoga mat", "瑜伽垫"), "health", ("health", "健康")),
    (("Lemon cake", "柠檬蛋糕"), "food", ("food", "餐饮")),
)
LANGUAGE = worded(("French", ("French", "法语")), ("German", ("German", "德语")), ("Spanish", ("Spanish", "西班牙语")))
CELLS = {  # a sheet of two columns of numbers
    "first second": worded((("Hours", "工时"), ("Cost", "费用")), (("Boxes", "箱数"), ("Weight", "重量"))),
    "row other": worded((("Monday", "周一"), ("Friday", "周五")), (("North", "北区"), ("South", "南区"))),
}


def _numbers(rng: Draw, world: World) -> list[str]:
    return [str(n) for n in rng.sample(range(11, 99), 6)]


NUMBERS: Slot = _numbers  # the four that `sheet_rows` holds, and two others


def text_rows(*lines: str) -> Rows:
    """The text document "file" with these lines."""
    kept = [{"file_id": "file_701", "line": i, "text": text} for i, text in enumerate(lines, start=1)]
    return {
        "files": [{"id": "file_701", "name": "{file}", "kind": "document", "size_kb": 14}],
        "document_lines": kept,
    }


def sheet_rows(a: str = "{a}") -> Rows:
    """The sheet "file" of the slots `CELLS`, with the numbers of the slots a, b, c and d."""
    lines = ("Name | {first} | {second}", f"{{row}} | {a} | {{b}}", "{other} | {c} | {d}")
    return {
        "files": [{"id": "file_702", "name": "{file}", "kind": "spreadsheet", "size_kb": 22}],
        "document_lines": [{"file_id": "file_702", "line": i, "text": text} for i, text in enumerate(lines, start=1)],
    }


def checklist(*items: str, done: tuple[str, ...] = (), name: str = "{list}") -> Rows:
    """A checklist with open and with ticked items."""
    rows = [{"list_name": name, "item": text, "done": 0} for text in items]
    return {"list_items": rows + [{"list_name": name, "item": text, "done": 1} for text in done]}


def expense(cents: str = "{cents}", day: str = "2025-01-14", **more: Any) -> Rows:
    """A patched expense with the slot "note"."""
    return {"expenses": [{"id": "expense_701", "date": day, "cents": cents, "note": "{note}", **more}]}


def entry(kind: str, url: str = "{url}", title: str = "{title}", at: str = "2025-01-14T20:10:00") -> dict[str, Any]:
    """A patched tab, visit or bookmark."""
    return {"id": f"{kind}_7{at[11:13]}{at[14:16]}", "kind": kind, "url": url, "title": title, "at": at}


def fresh_page(*kinds: str, count: int = 1) -> Slot:
    """Titles, then addresses, of pages that the browser has in none of these kinds."""

    def drawn(rng: Draw, world: World) -> list[str]:
        taken = {row["url"] for row in world.rows["browser_entries"] if row["kind"] in kinds}
        urls = rng.sample([url for url in PAGES if url not in taken], count)
        return [*(PAGES[url][0] for url in urls), *urls]

    return drawn


def money(low: int, high: int) -> Slot:
    """An amount as a number, and in cents."""

    def drawn(rng: Draw, world: World) -> list[float]:
        cents = rng.randrange(low * 100, high * 100, 25)
        return [cents // 100 if cents % 100 == 0 else cents / 100, cents]

    return drawn
