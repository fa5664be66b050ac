"""Basic tool use in Utilities & Productivity: what earlier turns refer to, and wishes that are corrected."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import online, phone
from qpa.bench.families.mobile.display_slots import TOOL
from qpa.bench.families.mobile.utility_slots import (
    BOUGHT,
    CELLS,
    NUMBERS,
    UTILITIES,
    checklist,
    entry,
    expense,
    fresh_page,
    list_name,
    money,
    sheet_file,
    sheet_rows,
    text_file,
    text_rows,
    three_items,
)
from qpa.bench.families.mobile.wishes import Past, Wish, either, number, wished, worded
from qpa.bench.families.values import MESSAGES, NOTES, Draw
from qpa.envs.sandbox.schema import World

RECEIPT = either(
    ("Receipt_0114.pdf", "Bill_Front.jpg", "Invoice_331.pdf", "Till_Slip.jpg", "Payment_Proof.pdf"),
    ("收据0114.pdf", "账单正面.jpg", "发票331.pdf", "小票.jpg", "付款凭证.pdf"),
)

REFERENCE = (
    Wish(
        past=(
            Past(
                ('Record {amount} for "{note}", category {word}.', "记一笔{amount}，“{note}”，类别{word}。"),
                ("Recorded.", "记好了。"),
                do("manage_expense", action="add", amount="{amount}", note="{note}", category="{category}"),
                {"id": "expense_701", "date": "2025-01-15", "amount": "{amount}", "category": "{category}"},
            ),
        ),
        calls=(do("manage_expense", action="update", expenseId="expense_701", receipt="{file}"),),
        slots={"amount cents": money(3, 90), "note category word": BOUGHT, "file": RECEIPT},
        patch={
            **expense(day="2025-01-15", category="{category}"),
            "files": [{"id": "file_704", "name": "{file}", "kind": "document", "size_kb": 90}],
        },
        english=(
            "Attach {file} to it as the receipt.",
            "The receipt for that is {file}, add it.",
            "Put {file} with it as its receipt, please.",
            "That expense has a receipt too: {file}. Link them.",
        ),
        chinese=(
            "把{file}作为它的收据附上。",
            "那笔的收据是{file}，加上去",
            "收据用{file}，给它挂上",
            "这笔支出还有票据{file}，关联一下",
        ),
    ),
    Wish(
        past=(
            Past(
                ("Put {a}, {b} and {c} on the checklist {list}.", "清单“{list}”加上{a}、{b}和{c}。"),
                ("Added: 1. {a}, 2. {b}, 3. {c}.", "已添加：1. {a}，2. {b}，3. {c}。"),
                do("manage_checklist", action="add", listName="{list}", items=["{a}", "{b}", "{c}"]),
                {"listName": "{list}", "items": ["{a}", "{b}", "{c}"]},
            ),
        ),
        calls=(do("manage_checklist", action="check", listName="{list}", items=["{b}"]),),
        slots={"list": list_name, "a b c": three_items},
        patch=checklist("{a}", "{b}", "{c}"),
        english=(
            "I already have the second one, tick it.",
            "Check off number two.",
            "Oh, the middle one is done. Mark it.",
            "Of those three, put a tick at the second.",
        ),
        chinese=("第二样已经有了，勾上。", "2号打勾", "中间那个搞定了，标完成", "这三样里的第二个，勾掉它"),
    ),
    Wish(
        past=(
            Past(
                ("Open the page {title}.", "打开{title}的网页。"),
                ("{title} is open.", "{title}已经打开了。"),
                do("browser_service", action="open", page="{title}"),
                {"url": "{url}", "title": "{title}"},
            ),
        ),
        calls=(do("manage_bookmark", action="add", page="{url}"),),
        slots={"title url": fresh_page("tab", "visit", "bookmark")},
        patch={
            "settings": online(),
            "browser_entries": [
                entry("tab", at="2025-01-15T08:58:00"),
                entry("visit", at="2025-01-15T08:58:00"),
            ],
        },
        english=(
            "Bookmark it.",
            "Good one. Save that page to my bookmarks.",
            "I'll want this page again, add it to the bookmarks.",
            "Keep that among my bookmarks, would you?",
        ),
        chinese=("收藏它。", "不错，把这个网页加到书签", "以后还要看这页，加书签", "把刚才那个存进书签吧"),
    ),
    Wish(
        past=(
            Past(
                ('Create the document {file} with the line "{a}".', "新建文档{file}，写上“{a}”。"),
                ("{file} is there, with one line.", "{file}建好了，有一行。"),
                do("manage_document", action="create", fileName="{file}", content="{a}"),
                {"id": "file_701", "fileName": "{file}"},
            ),
        ),
        calls=(do("manage_document", action="append", fileName="{file}", content="{b}"),),
        slots={"file": text_file, "a b": NOTES},
        patch=text_rows("{a}"),
        english=(
            'Add this to it: "{b}".',
            'Another line in there: "{b}".',
            'And "{b}" below that.',
            'Now let the same document also say "{b}", on a line of its own.',
        ),
        chinese=("再加上“{b}”。", "里面再写一行“{b}”", "下面接着写“{b}”", "同一个文档里另起一行，写“{b}”"),
    ),
    Wish(
        past=(
            Past(
                ("Which two tabs did I open this morning?", "我早上开的两个标签是什么？"),
                ("1. {first}, 2. {second}.", "1. {first}，2. {second}。"),
            ),
        ),
        calls=(do("browser_service", action="close_tab", page="{first}"),),
        slots={"first second url other": fresh_page("tab", count=2)},
        patch={
            "browser_entries": [
                entry("tab", "{url}", "{first}", "2025-01-15T08:20:00"),
                entry("tab", "{other}", "{second}", "2025-01-15T08:10:00"),
            ]
        },
        english=(
            "Close the first one.",
            "Number one can be closed.",
            "The former isn't needed, close that tab. I'm still reading the other.",
            "Shut the one you named first.",
        ),
        chinese=("关掉第一个。", "1号可以关了", "前面那个不需要，关掉标签，后面的我还在看", "你先说的那个，关了吧"),
    ),
    Wish(
        past=(
            Past(
                ("In {file}, set {first} of {row} to {new}.", "{file}里{row}的{first}改成{new}。"),
                ("{row} has {new} now.", "{row}已改为{new}。"),
                do(
                    "manage_spreadsheet",
                    action="update",
                    fileName="{file}",
                    row="{row}",
                    column="{first}",
                    value="{new}",
                ),
                {"row": "{row}", "column": "{first}", "value": "{new}"},
            ),
        ),
        calls=(
            do(
                "manage_spreadsheet", action="update", fileName="{file}", row="{other}", column="{first}", value="{new}"
            ),
        ),
        slots={"file": sheet_file, **CELLS, "a b c d new more": NUMBERS},
        patch=sheet_rows(a="{new}"),
        english=(
            "The same for {other}.",
            "{other} gets that value too.",
            "And also in the row {other}, please.",
            "Do that for {other} as well, same column.",
        ),
        chinese=("{other}也一样。", "{other}那行也改成这个数", "{other}同样处理", "同一列，{other}也照这样改"),
    ),
)

REVISION = (
    Wish(
        calls=(do("manage_expense", action="add", amount="{amount}", category="{category}", note="{note}"),),
        slots={
            "amount cents": money(3, 90),
            "wrong": number(100, 190),
            "note category word": BOUGHT,
        },
        english=(
            'Log {wrong} for "{note}" under {word}. No, {amount}.',
            'Expense "{note}", {word}, {wrong}... wait, the receipt says {amount}.',
            'I paid {wrong}, sorry, {amount} for "{note}". Record it as {word}.',
            '"{note}" goes into my expenses, category {word}. I thought {wrong}, but it was {amount}.',
        ),
        chinese=(
            "“{note}”记{wrong}，{word}类，不对，是{amount}。",
            "支出“{note}”，{word}，{wrong}……等下，小票上是{amount}",
            "花了{wrong}，哦不，{amount}，备注“{note}”，记到{word}",
            "“{note}”入账，类别{word}，我以为是{wrong}，其实{amount}",
        ),
    ),
    Wish(
        calls=(do("manage_checklist", action="add", listName="{list}", items=["{a}", "{c}"]),),
        slots={"list": list_name, "a b c": three_items, "text": MESSAGES},
        patch=checklist("{text}"),
        english=(
            "Add {a} and {b} to {list}. No, not {b}, {c}.",
            "On the checklist {list}: {a}, {b}... scratch {b}, take {c}.",
            "{list} list, please add {a} plus {b}, I mean {c}.",
            "I need {a} and {b} on {list}. Hold on, we have {b}; make it {a} and {c}.",
        ),
        chinese=(
            "“{list}”加{a}和{b}，不对，不要{b}，要{c}。",
            "清单“{list}”：{a}、{b}……{b}去掉，换成{c}",
            "“{list}”里加上{a}和{b}，说错了，是{a}和{c}",
            "{a}和{b}记到“{list}”，等等，{b}家里有，那就{a}和{c}",
        ),
    ),
    Wish(
        calls=(do("scan_document", fileName="{name}", pages="{pages}", format="pdf"),),
        slots={
            "name": either(
                ("Lease_Copy", "Tax_Form", "Visa_Letter", "Exam_Sheet", "Deed"),
                ("租约副本", "税表", "签证函", "试卷", "房契"),
            ),
            "pages": number(5, 12),
            "wrong": number(2, 4),
        },
        patch=phone(camera_access="on"),
        english=(
            "Scan {wrong} pages as PDF {name}. Oh, it's {pages} pages.",
            "PDF scan named {name}, {wrong} sheets... no, I count {pages}.",
            "Please scan {wrong}, sorry, {pages} pages into a PDF called {name}.",
            "{name} as a PDF scan. I said {wrong} pages on the phone, but {pages} is correct.",
        ),
        chinese=(
            "扫{wrong}页成PDF，叫{name}，哦，是{pages}页。",
            "PDF扫描件{name}，{wrong}张……不，数了下{pages}张",
            "帮我扫{wrong}页，不对，{pages}页，存PDF，名字{name}",
            "{name}扫成PDF，之前说{wrong}页，正确的是{pages}页",
        ),
    ),
    Wish(
        past=(
            Past(
                ('Append "{wrong}" to {file}.', "{file}末尾加“{wrong}”。"),
                ("Added as line 2.", "已加在第2行。"),
                do("manage_document", action="append", fileName="{file}", content="{wrong}"),
                {"fileName": "{file}", "line": 2},
            ),
        ),
        calls=(do("manage_document", action="replace", fileName="{file}", line=2, content="{text}"),),
        slots={"file": text_file, "old": MESSAGES, "text wrong": NOTES},
        patch=text_rows("{old}", "{wrong}"),
        english=(
            'That was wrong, it should say "{text}" there.',
            'No, change that line to "{text}".',
            'I misread it. Instead of what you added, write "{text}".',
            'Correction: "{text}" in place of that line.',
        ),
        chinese=(
            "写错了，那行应该是“{text}”。",
            "不对，那一行改成“{text}”",
            "我看错了，刚加的换成“{text}”",
            "更正：那行用“{text}”代替",
        ),
    ),
    Wish(
        past=(
            Past(
                ("Remove the bookmark {title}.", "删掉书签{title}。"),
                ("The bookmark {title} is removed.", "书签{title}已删除。"),
                do("manage_bookmark", action="remove", page="{title}"),
                {"url": "{url}"},
            ),
        ),
        calls=(do("manage_bookmark", action="add", page="{title}"),),
        slots={"title url": fresh_page("bookmark")},
        english=(
            "Hm, I do need it. Undo that.",
            "No, wrong one! Put that bookmark back.",
            "I changed my mind, restore it.",
            "Take that back, please, I want it among my bookmarks after all.",
        ),
        chinese=(
            "嗯，还是要用，撤销吧。",
            "删错了！把那个书签加回来",
            "我改主意了，恢复它",
            "还是收回刚才的，我书签里要留着它",
        ),
    ),
    Wish(
        calls=(do("manage_translation", action="set_target", language="{language}"),),
        slots={
            "language word wrong": worded(
                ("French", ("French", "法语"), ("German", "德语")),
                ("German", ("German", "德语"), ("Spanish", "西班牙语")),
                ("Spanish", ("Spanish", "西班牙语"), ("French", "法语")),
            ),
            "text": MESSAGES,
        },
        patch=phone(translation_target="Japanese"),
        english=(
            "Translate into {wrong} by default. No, {word}.",
            "My preferred translation language is {wrong}... er, {word}. Set it.",
            "Change the translator's target to {wrong}, or rather {word}.",
            "Default translation language: first I wanted {wrong}, but {word} it is.",
        ),
        chinese=(
            "默认翻译成{wrong}，不，{word}。",
            "翻译首选语言设{wrong}……呃，{word}",
            "把翻译目标改成{wrong}，算了还是{word}",
            "默认翻译语言，本来想选{wrong}，现在定{word}",
        ),
    ),
)


@family("utility_reference", TOOL, UTILITIES, "reference", variants=len(REFERENCE))
def utility_reference(rng: Draw, world: World) -> Draft:
    """The object or the value is that of an earlier turn."""
    return wished(rng, world, REFERENCE)


@family("utility_revision", TOOL, UTILITIES, "revision", variants=len(REVISION))
def utility_revision(rng: Draw, world: World) -> Draft:
    """The wish is corrected within the utterance or in the next turn."""
    return wished(rng, world, REVISION)


FAMILIES = (utility_reference, utility_revision)
