"""Basic tool use in Utilities & Productivity: one-call wishes about documents, sheets, lists and expenses."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import phone
from qpa.bench.families.mobile.display_slots import TOOL
from qpa.bench.families.mobile.utility_slots import (
    BOUGHT,
    CELLS,
    NUMBERS,
    UTILITIES,
    checklist,
    expense,
    list_name,
    money,
    note,
    sheet_file,
    sheet_rows,
    text_file,
    text_rows,
    three_items,
    two_items,
)
from qpa.bench.families.mobile.wishes import Wish, either, number, wished
from qpa.bench.families.values import NOTES, Draw
from qpa.envs.sandbox.schema import World

SCAN = either(
    ("Lease_2025", "Warranty_Card", "School_Form", "Doctor_Letter", "Old_Diploma"),
    ("租约2025", "保修卡", "入学表", "诊断书", "旧毕业证"),
)

RECORDS = (
    Wish(
        calls=(do("manage_document", action="create", fileName="{file}", content="{text}"),),
        slots={"file": text_file, "text": NOTES},
        english=(
            'Create a document {file} with the line "{text}".',
            'New text file {file}, and write "{text}" into it.',
            'Start a document called {file}. First line: "{text}".',
            'I need a file {file} that says "{text}".',
        ),
        chinese=(
            "新建文档{file}，写上“{text}”。",
            "建一个文本文件{file}，内容是“{text}”",
            "开个新文档叫{file}，第一行“{text}”",
            "我要一个{file}，里面写“{text}”",
        ),
    ),
    Wish(
        calls=(do("manage_document", action="append", fileName="{file}", content="{text}"),),
        slots={"file": text_file, "text old": NOTES},
        patch=text_rows("{old}"),
        english=(
            'Add the line "{text}" to {file}.',
            'Append "{text}" at the end of {file}.',
            'Write "{text}" into {file}, below what is there.',
            'One more line for {file}: "{text}".',
        ),
        chinese=(
            "在{file}里加一行“{text}”。",
            "{file}末尾添上“{text}”",
            "把“{text}”写进{file}，接在后面",
            "{file}再补一行：“{text}”",
        ),
    ),
    Wish(
        calls=(do("manage_document", action="replace", fileName="{file}", line="{line}", content="{text}"),),
        slots={"file": text_file, "text a b": NOTES, "line": number(1, 2)},
        patch=text_rows("{a}", "{b}"),
        english=(
            'Replace line {line} of {file} with "{text}".',
            'Line {line} in {file} should read "{text}".',
            'Change {file}: in line {line} write "{text}" instead of what it says.',
            'There is a mistake in line {line} of {file}. The correct text is "{text}".',
        ),
        chinese=(
            "把{file}的第{line}行换成“{text}”。",
            "{file}第{line}行改为“{text}”",
            "改一下{file}，第{line}行写成“{text}”",
            "{file}第{line}行写错了，正确的是“{text}”",
        ),
    ),
    Wish(
        calls=(
            do("manage_spreadsheet", action="update", fileName="{file}", row="{row}", column="{first}", value="{new}"),
        ),
        slots={"file": sheet_file, **CELLS, "a b c d new more": NUMBERS},
        patch=sheet_rows(),
        english=(
            "In {file}, set {first} of {row} to {new}.",
            "{row} has {new} under {first} now, not {a}. Update {file}.",
            "Change the {first} cell in the row {row} of {file} to {new}.",
            "Correct {file} for me: row {row}, column {first}, value {new}.",
        ),
        chinese=(
            "{file}里{row}的{first}改成{new}。",
            "{row}的{first}现在是{new}，不是{a}，更新一下{file}",
            "把{file}中{row}那行的“{first}”改为{new}",
            "帮我订正{file}：行{row}，列{first}，值{new}",
        ),
    ),
    Wish(
        calls=(do("manage_spreadsheet", action="append", fileName="{file}", values=["{name}", "{new}", "{more}"]),),
        slots={
            "file": sheet_file,
            **CELLS,
            "a b c d new more": NUMBERS,
            "name": either(
                ("Tuesday", "Annex", "Harbor", "Reserve", "Sunday"), ("周二", "附楼", "码头", "备用", "周日")
            ),
        },
        patch=sheet_rows(),
        english=(
            "Add a row to {file}: {name}, {first} {new}, {second} {more}.",
            "{file} needs another row, {name} with {new} as {first} and {more} as {second}.",
            "New line in the sheet {file}: name {name}, {first} {new}, {second} {more}.",
            "Enter {name} in {file}, {first} is {new} and {second} is {more}.",
        ),
        chinese=(
            "{file}里加一行：{name}，{first}{new}，{second}{more}。",
            "{file}再添一行{name}，{first}是{new}，{second}是{more}",
            "表格{file}新增一行，名称{name}，{first}{new}，{second}{more}",
            "把{name}录进{file}，{first}填{new}，{second}填{more}",
        ),
    ),
    Wish(
        calls=(do("scan_document", fileName="{name}", pages="{pages}", format="pdf"),),
        slots={"name": SCAN, "pages": number(2, 12)},
        patch=phone(camera_access="on"),
        english=(
            "Scan {pages} pages into a PDF called {name}.",
            "I have {pages} sheets of paper here, scan them as {name}, PDF.",
            "Make a PDF scan with {pages} pages and name it {name}.",
            "Paper on the table, {pages} pages. Please scan them; the PDF shall be named {name}.",
        ),
        chinese=(
            "扫描{pages}页存成PDF，叫{name}。",
            "手上有{pages}张纸，扫成PDF，文件名{name}",
            "做个{pages}页的扫描件，PDF格式，命名{name}",
            "桌上的纸一共{pages}页，帮我扫描，PDF名字用{name}",
        ),
    ),
    Wish(
        calls=(do("manage_checklist", action="add", listName="{list}", items=["{a}", "{b}"]),),
        slots={"list": list_name, "a b c": three_items},
        patch=checklist("{c}"),
        english=(
            "Add {a} and {b} to the checklist {list}.",
            "We're out of {a}, {b} too. Put both on the {list} list.",
            "{list} checklist: add {a}, add {b}.",
            "Don't let me forget {a} and {b}, they belong on my {list} checklist.",
        ),
        chinese=(
            "清单“{list}”里加上{a}和{b}。",
            "{a}没了，{b}也没了，都写到“{list}”上",
            "“{list}”清单：加{a}，加{b}",
            "别忘了{a}跟{b}，记到“{list}”那个清单里",
        ),
    ),
    Wish(
        calls=(do("manage_checklist", action="check", listName="{list}", items=["{a}"]),),
        slots={"list": list_name, "a b": two_items},
        patch=checklist("{a}", "{b}"),
        english=(
            "Check off {a} on the {list} checklist.",
            "I've got the {a}, tick it on the list {list}.",
            "{a} is done, mark it on {list}.",
            "On my {list} checklist, put a tick at {a}.",
        ),
        chinese=(
            "清单“{list}”里的{a}打勾。",
            "{a}拿到了，“{list}”上勾掉",
            "{a}完成了，在“{list}”里标一下",
            "“{list}”清单，{a}那项勾上",
        ),
    ),
    Wish(
        calls=(do("manage_checklist", action="remove", listName="{list}", items=["{a}"]),),
        slots={"list": list_name, "a b": two_items},
        patch=checklist("{a}", "{b}"),
        english=(
            "Remove {a} from the {list} checklist.",
            "We don't need {a} after all, delete it from the list {list}.",
            "Strike {a} from {list} entirely, don't just tick it.",
            "{a} shouldn't be on my {list} checklist at all, take it off.",
        ),
        chinese=(
            "从清单“{list}”里删除{a}。",
            "{a}不需要了，“{list}”里删掉",
            "“{list}”上的{a}整个去掉，不是打勾",
            "{a}就不该在“{list}”清单里，移除它",
        ),
    ),
    Wish(
        calls=(do("manage_checklist", action="clear_checked", listName="{list}"),),
        slots={"list": list_name, "a b c": three_items},
        patch=checklist("{a}", done=("{b}", "{c}")),
        english=(
            "Clear the checked items from {list}.",
            "Everything ticked on the {list} checklist can disappear.",
            "Remove what's already done from my list {list}, keep the open ones.",
            "Tidy the checklist {list}: ticked entries out, {a} stays.",
        ),
        chinese=(
            "清掉“{list}”里已勾选的项目。",
            "“{list}”清单上打了勾的都去掉",
            "“{list}”里做完的删了，没做的留着",
            "整理一下“{list}”：勾过的清除，{a}保留",
        ),
    ),
    Wish(
        calls=(do("manage_expense", action="add", amount="{amount}", category="{category}", note="{note}"),),
        slots={"amount cents": money(3, 90), "note category word": BOUGHT},
        english=(
            'Record an expense of {amount}, category {word}, note "{note}".',
            'I just spent {amount} on "{note}". Put it down as {word}.',
            'New expense: "{note}", {amount}, {word}.',
            'Keep track of this: {amount} today, note "{note}", it counts as {word}.',
        ),
        chinese=(
            "记一笔支出{amount}，类别{word}，备注“{note}”。",
            "刚花了{amount}，备注“{note}”，算{word}",
            "新支出：“{note}”，{amount}，{word}类",
            "帮我记账，今天{amount}，备注写“{note}”，归到{word}",
        ),
    ),
    Wish(
        calls=(do("manage_expense", action="update", note="{note}", amount="{amount}"),),
        slots={"amount cents": money(3, 40), "old": number(5000, 9000, 25), "note": note},
        patch=expense("{old}", category="shopping"),
        english=(
            'Correct the expense "{note}" to {amount}.',
            'The "{note}" expense was {amount}, I had typed it wrong.',
            'Change the amount of my expense "{note}", it should be {amount}.',
            'My books say something else, but "{note}" cost {amount}. Fix that expense.',
        ),
        chinese=(
            "把支出“{note}”改成{amount}。",
            "“{note}”那笔其实是{amount}，之前输错了",
            "修改“{note}”这笔支出的金额，应为{amount}",
            "账上不对，“{note}”花了{amount}，更正一下",
        ),
    ),
    Wish(
        calls=(do("manage_expense", action="delete", note="{note}"),),
        slots={"note": note, "amount cents": money(3, 90)},
        patch=expense(category="shopping"),
        english=(
            'Delete the expense "{note}".',
            'I got my money back for "{note}", so remove that expense for good.',
            'The expense "{note}" over {amount} isn\'t mine, delete it.',
            'Take "{note}" out of my expenses, I\'m sure.',
        ),
        chinese=(
            "删除支出“{note}”。",
            "“{note}”退款了，这笔支出删掉",
            "“{note}”那笔{amount}不是我的，删除它",
            "支出里的“{note}”去掉，我确定",
        ),
    ),
)


@family("utility_record_set", TOOL, UTILITIES, "grounding", variants=len(RECORDS))
def utility_record_set(rng: Draw, world: World) -> Draft:
    """One call: documents, sheets, scans, checklists and expenses."""
    return wished(rng, world, RECORDS)


FAMILIES = (utility_record_set,)
