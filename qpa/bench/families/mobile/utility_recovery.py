"""Basic tool use in Utilities & Productivity: wishes that meet an error, an ambiguity or a limit."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, ask, do, family
from qpa.bench.families.mobile.common import PERMISSION, asked, online, settings, step, turn
from qpa.bench.families.mobile.display_slots import TOOL
from qpa.bench.families.mobile.utility_slots import (
    LANGUAGE,
    UTILITIES,
    fresh_page,
    item,
    list_name,
    note,
    text_file,
    text_rows,
    two_items,
)
from qpa.bench.families.mobile.wishes import Wish, draw, either, number, wished
from qpa.bench.families.values import EVENTS, MESSAGES, NOTES, Draw
from qpa.contract import ErrorType, Fault, Intent
from qpa.envs.sandbox.schema import World


def _reports(rng: Draw, world: World) -> list[str]:
    """A topic and two documents named after it."""
    topic = rng.pick(EVENTS).replace(" ", "_")
    return [topic, f"{topic}_A.docx", f"{topic}_B.docx"]


def offline(rng: Draw, world: World) -> Draft:
    """Nothing carries traffic (409): say so and ask."""
    title, url = draw(rng, world, {"title url": fresh_page("tab")}).values()

    def plan() -> Plan:
        yield [do("browser_service", action="open", page=title)]
        return ask(rng.say("There's no network. Shall I turn on mobile data?", "没有网络，要打开移动数据吗？"))

    return Draft(
        phrasings=(
            "Open {title} in the browser.",
            "Show me the page {url}.",
            "I want to read {title}, open the page please.",
            "Go to {url} for me.",
        ),
        chinese=("浏览器打开{title}。", "给我看{url}这个网页", "我想看{title}，打开网页", "帮我上{url}"),
        slots={"title": title, "url": url},
        plan=plan,
        criteria=asked(
            [
                "network",
                "internet",
                "offline",
                "connection",
                "Wi-Fi",
                "mobile data",
                "网络",
                "联网",
                "断网",
                "移动数据",
            ],
            routes=(
                *(step("browser_service", action="open", page=page) for page in (title, url)),
                step("manage_mobile_data", action="query"),
                step("manage_wifi", action="query"),
            ),
        ),
        patch={
            "settings": settings(mobile_data="off", hotspot="off"),
            "wifi_networks": [{"ssid": row["ssid"], "connected": 0} for row in world.rows["wifi_networks"]],
            "vpn_profiles": [{"name": row["name"], "connected": 0} for row in world.rows["vpn_profiles"]],
        },
    )


RECOVERY = (
    Wish(
        calls=(do("manage_document", action="append", fileName="{topic}", content="{text}"),),
        slots={"topic a b": _reports, "text": MESSAGES},
        patch={
            "files": [
                {"id": f"file_70{i}", "name": name, "kind": "document", "size_kb": 12}
                for i, name in ((1, "{a}"), (2, "{b}"))
            ]
        },
        routes=(do("local_file_search"),),
        intent=Intent.ASK,
        mentions=(["{a}"], ["{b}"]),
        reply=("Which one, {a} or {b}?", "是{a}还是{b}？"),
        english=(
            'Add the line "{text}" to the document {topic}.',
            'Write "{text}" at the end of my {topic} document.',
            'Append to the {topic} file: "{text}".',
            'My document {topic} needs one more line, "{text}".',
        ),
        chinese=(
            "文档{topic}加一行“{text}”。",
            "在{topic}文档末尾写“{text}”",
            "{topic}文件里追加“{text}”",
            "{topic}那个文档再补一行“{text}”",
        ),
    ),
    Wish(
        calls=(do("scan_document", fileName="{name}", pages="{pages}", format="pdf"),),
        slots={
            "name": either(
                ("Claim_Form", "Cert_Copy", "Rent_Slip", "Badge_Scan", "Meal_Plan"),
                ("理赔表", "证书复印件", "租金条", "工牌页", "食谱单"),
            ),
            "pages": number(2, 9),
        },
        denied=("CAMERA",),
        intent=Intent.ASK,
        mentions=(PERMISSION,),
        reply=("The camera permission is missing. Will you grant it?", "没有相机权限，要授权吗？"),
        english=(
            "Scan {pages} pages to a PDF named {name}.",
            "I've got {pages} sheets to scan, PDF please, call it {name}.",
            "Make the PDF {name} from {pages} paper pages.",
            "Please scan what's on my desk, {pages} pages, as {name} in PDF.",
        ),
        chinese=(
            "扫{pages}页，存为PDF {name}。",
            "有{pages}张纸要扫描，PDF，叫{name}",
            "把{pages}页纸做成PDF，命名为{name}",
            "桌上{pages}页帮我扫了，PDF名{name}",
        ),
    ),
    Wish(
        slots={"note": note, "item": item},
        intent=Intent.ASK,
        mentions=(["how much", "amount", "cost", "price", "多少", "金额", "几块"],),
        reply=("How much was it?", "花了多少钱？"),
        shown=("manage_expense",),
        english=(
            'Record an expense for "{note}" under shopping.',
            'I bought "{note}", put that in my expenses as shopping.',
            'New shopping expense today, note "{note}".',
            '"{note}" has to go into my expenses. Category shopping.',
        ),
        chinese=(
            "记一笔购物支出“{note}”。",
            "我买了“{note}”，记到账上，购物类",
            "今天新增购物支出，备注“{note}”",
            "“{note}”要入账，类别购物",
        ),
    ),
    Wish(
        calls=(do("manage_checklist", action="check", listName="{list}", items=["{a}"]),),
        slots={"list": list_name, "a b": two_items},
        routes=(do("manage_checklist", action="query"),),
        intent=Intent.ASK,
        mentions=(["{list}"],),
        reply=("There's no list {list}. Which one do you mean?", "没有“{list}”这个清单，你指哪一个？"),
        english=(
            "Tick off {a} on my checklist {list}.",
            "{a} is done, check it on {list}.",
            "On the list {list}, mark {a} as done please.",
            "I have the {a}. Put a tick on the {list} checklist.",
        ),
        chinese=(
            "“{list}”清单里勾掉{a}。",
            "{a}搞定了，在“{list}”上打勾",
            "把“{list}”的{a}标为完成",
            "{a}有了，“{list}”清单打个勾",
        ),
    ),
    Wish(
        calls=(do("manage_translation", action="download_pack", language="{language}"),),
        slots={"language word": LANGUAGE, "event": EVENTS},
        patch={
            "settings": online(
                data_saver="off", **{f"translation_pack_{key}": "off" for key in ("french", "german", "spanish")}
            )
        },
        faults=(Fault(tool="manage_translation", error_type=ErrorType.UNAVAILABLE),),
        english=(
            "Get the {word} pack for offline translation.",
            "Before the {event} I need {word} offline in the translator.",
            "Download {word} so that I can translate without a network.",
            "The offline language pack {word}, please fetch it.",
        ),
        chinese=(
            "把{word}离线翻译包下好。",
            "{event}之前翻译里要有离线{word}",
            "下载{word}，没网也能翻译的那种",
            "{word}的离线语言包，帮我下载",
        ),
    ),
    Wish(
        calls=(do("manage_document", action="replace", fileName="{file}", line=2, content="{text}"),),
        slots={
            "file": either(
                ("Policy_Terms.pdf", "Signed_Offer.pdf", "Ticket_Rules.pdf", "Court_Notice.pdf", "Bank_Letter.pdf"),
                ("保单条款.pdf", "录用函.pdf", "票务规定.pdf", "法院通知.pdf", "银行函件.pdf"),
            ),
            "text": NOTES,
        },
        patch={"files": [{"id": "file_701", "name": "{file}", "kind": "document", "size_kb": 300}]},
        routes=(do("manage_document", action="read", fileName="{file}"), do("local_file_search")),
        intent=Intent.REFUSE,
        mentions=(["PDF", "{file}", "edit", "change", "编辑", "修改", "改"],),
        reply=("I can't edit {file}.", "抱歉，{file}不能编辑。"),
        english=(
            'Change line 2 of {file} to "{text}".',
            'In {file}, replace the second line with "{text}".',
            '{file}: line 2 should say "{text}".',
            'The second line of {file} is wrong, write "{text}" there.',
        ),
        chinese=(
            "{file}的第2行改成“{text}”。",
            "把{file}第二行换成“{text}”",
            "{file}：第2行应为“{text}”",
            "{file}第二行不对，改写成“{text}”",
        ),
    ),
    Wish(
        calls=(do("manage_document", action="create", fileName="{file}", content="{text}"),),
        slots={"file": text_file, "text old": NOTES},
        patch=text_rows("{old}"),
        routes=(do("manage_document", action="read", fileName="{file}"), do("local_file_search")),
        intent=Intent.ASK,
        mentions=(["exists", "already", "there is", "已经", "已有", "存在", "同名"],),
        reply=("{file} already exists. Add to it, or another name?", "{file}已经存在，接着写还是换个名字？"),
        english=(
            'Create a new document {file} that says "{text}".',
            'Start a fresh file {file} with "{text}".',
            'Make a new text document, name {file}, content "{text}".',
            'I need a brand-new {file}. First line "{text}".',
        ),
        chinese=(
            "新建文档{file}，内容“{text}”。",
            "建一个全新的{file}，写“{text}”",
            "新建文本文档，名字{file}，写上“{text}”",
            "我要一个新的{file}，第一行“{text}”",
        ),
    ),
)


@family("utility_recovery", TOOL, UTILITIES, "recovery", variants=len(RECOVERY) + 1)
def utility_recovery(rng: Draw, world: World) -> Draft:
    """Something is missing, ambiguous, forbidden, taken or unreachable."""
    chosen = turn(rng, (None, *RECOVERY))
    return offline(rng, world) if chosen is None else wished(rng, world, (chosen,))


FAMILIES = (utility_recovery,)
