"""Customer Management, the second seed use case from end to end: read what a customer wrote and act on it.

A summary is free text, so its criteria must not depend on taste. Where rows are compared, the request dictates the
facts and their form (" / " between them, digits without separators, an ISO date): one text is right, and comparison
ignores case and spaces. `crm_summary` leaves the wording free and asks only that the facts that have one spelling
(product, name, plain digits) occur in what is saved for this customer.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from qpa.bench.families.base import Call, Draft, ask, do, done, family
from qpa.bench.families.mobile.common import asked, branch, course, step
from qpa.bench.families.mobile.customers_world import CRM, LAST, TAGS, TOOL, customer, customers, mailbox, named, who
from qpa.bench.families.values import MESSAGES, Draw
from qpa.contract import BehaviorCriteria, Intent
from qpa.envs.sandbox.domains.crm_world import ASKS, Brief
from qpa.envs.sandbox.schema import World

Row = dict[str, Any]
READERS = ("manage_follow_up", "save_customer_summary", "move_customer_stage")
_FORM = 'product / budget / who signs / deadline", the budget in plain digits and the deadline as YYYY-MM-DD'
_FORM_ZH = "产品 / 预算 / 签字人 / 截止日期”，预算只写数字，日期用YYYY-MM-DD，产品和名字照原文"


@family("crm_summary", TOOL, CRM, "dependency", unseen="app")
def crm_summary(rng: Draw, world: World) -> Draft:
    """A summary in one's own words that must hold the facts asked for."""
    row = customer(rng)
    brief, messages = mailbox(rng, row)
    text = rng.say(
        f"Wants {brief.product}, budget {brief.budget}. {brief.decider} signs.",
        f"需要{brief.product}，预算{brief.budget}，{brief.decider}签字。",
    )
    return Draft(
        phrasings=(
            "Read what {contact} wrote and save a short summary on the customer card: the product, the budget in plain "
            "digits, and who signs, names as they wrote them.",
            "Summarise {company}'s messages on their card. I need in it what product they want, the budget as "
            "digits only without separators and the full name of whoever signs, spelled as in the messages.",
            "Put a summary of {contact}'s messages on the customer card; product, signer's full name and budget "
            "(just the digits) must be in it, word for word.",
            "Nobody reads the long history of {company}. Save something brief on the card that has the product and the "
            "signer's full name as written, and the budget, digits only.",
        ),
        chinese=(
            "看看{contact}写了什么，在客户卡上存个简短摘要：产品、预算（只写数字）、谁签字，产品和名字照原文写。",
            "把{company}的消息总结到客户卡上，要有他们要的产品、预算的纯数字（不加分隔符）和签字人全名，按原文写。",
            "给{contact}的消息做个摘要存到客户卡，产品、签字人全名、预算数字（不带逗号）都要有，照抄原文。",
            "{company}的历史太长没人看，在客户卡上存段简短的话，写上原文的产品、签字人全名，还有预算，只要数字。",
        ),
        slots={"contact": row["contact"], "company": row["company"]},
        plan=course(
            read(row),
            [do("save_customer_summary", customer=row["contact"], summary=text)],
            reply=done(rng.say("The summary is saved.", "摘要已保存。")),
        ),
        criteria=BehaviorCriteria(
            routes=named("save_customer_summary", row),
            payload=[brief.product, str(brief.budget), brief.decider],
            reads=["query_customer_messages"],
            intent=Intent.FINISH,
            allow_writes=True,
        ),
        patch=who(row, crm_messages=messages),
    )


def read(row: Row) -> list[Call]:
    """Both channels: each holds at most five messages of the customer."""
    ask_for = {"customer": row["contact"], "direction": "in"}
    return [do("query_customer_messages", channel=channel, **ask_for) for channel in ("mail", "chat")]


def _dictated(brief: Brief) -> str:
    """The summary in the form that the request dictates."""
    return f"{brief.product} / {brief.budget} / {brief.decider} / {brief.deadline}"


def _follow_up(row: Row, kind: str, due: str, note: str) -> Call:
    return do("manage_follow_up", action="create", customer=row["id"], kind=kind, due=due[:16], note=note)


def _long(
    rng: Draw,
    row: Row,
    brief: Brief,
    messages: list[Row],
    wording: tuple[Sequence[str], Sequence[str]],
    *blocks: list[Call],
    slots: dict[str, Any] | None = None,
    **tables: list[Row],
) -> Draft:
    """Find the customer, look at the card, read everything, save the summary, then `blocks`."""
    words = {"contact": row["contact"], "company": row["company"], "form": rng.say(_FORM, _FORM_ZH)}
    return Draft(
        phrasings=tuple(wording[0]),
        chinese=tuple(wording[1]),
        slots={**words, **(slots or {})},
        plan=course(
            [do("query_customers", keyword=row["company"])],
            [do("view_customer", customer=row["id"]), *read(row)],
            [do("save_customer_summary", customer=row["id"], summary=_dictated(brief))],
            *blocks,
            reply=done(
                rng.say(
                    f"All done for {row['contact']}: {_dictated(brief)}.",
                    f"{row['contact']}已处理好：{_dictated(brief)}。",
                )
            ),
        ),
        patch=who(row, crm_messages=messages, **tables),
        shown=READERS,
    )


def _plain(rng: Draw, world: World) -> Draft:
    """Summary, the follow-up asked for, and the next stage."""
    row = customer(rng)
    brief, messages = mailbox(rng, row)
    english = (
        "Go through {contact}'s mails and chats ({company}). Save a summary in exactly this form: \"{form}. Then "
        "plan the follow-up they ask for, with the product as its note, and move them to qualified.",
        'Customer {company}: read the mails and chats, save the summary as "{form}; create the follow-up that '
        "{contact} wants, note is just the product, and set the stage to qualified.",
        'Please work through everything {contact} of {company} has sent. I need on the card "{form}. Also the '
        "follow-up they requested (note: the product) and the stage qualified.",
        'I was away for weeks. Catch up with {company} for me: summary "{form}, the follow-up {contact} asked for with '
        "the product in the note, and from lead to qualified in the pipeline.",
    )
    chinese = (
        "看完{company}的{contact}发来的邮件和聊天，按这个格式存摘要：“{form}。再按对方要求建跟进，备注只写产品，"
        "阶段改成qualified。",
        "客户{company}：读邮件和聊天，摘要存成“{form}；建{contact}要的那条跟进，备注写产品，阶段设为qualified。",
        "把{company}的{contact}发的内容都过一遍，客户卡上写“{form}。对方要求的跟进也建上（备注：产品），"
        "阶段移到qualified。",
        "我出差了几周，{company}那边帮我补上：摘要“{form}，{contact}要求的跟进建好，备注填产品，"
        "管道里从lead改成qualified。",
    )
    return _long(
        rng,
        row,
        brief,
        messages,
        (english, chinese),
        [_follow_up(row, brief.ask, brief.due, brief.product)],
        [do("move_customer_stage", customer=row["id"], stage="qualified")],
    )


def _with_deal(rng: Draw, world: World) -> Draft:
    """The facts of the messages become a deal too."""
    row = customer(rng)
    brief, messages = mailbox(rng, row)
    english = (
        "Read {contact}'s mails and chats ({company}), save the summary \"{form}, create the follow-up they ask "
        "for with the product as note, and open a deal: title the product, amount their budget, close date their "
        "deadline.",
        "Turn {company}'s messages into work: summary in the form \"{form}; the follow-up {contact} wants, noted "
        "with the product; and a deal named after the product over the budget, closing on the deadline.",
        'What {contact} of {company} wrote in mail and chat should be on the card as "{form}. Plan what they ask '
        "for (note: product). Then a deal with product as title, budget as amount, deadline as close date.",
        "New lead, {company}! Dig out of {contact}'s messages the summary \"{form}, put the follow-up they want "
        "in with the product as note, and enter the deal: product, budget, and it closes at their deadline.",
    )
    chinese = (
        "读{company}的{contact}的邮件和聊天，存摘要“{form}。按对方要求建跟进，备注写产品，再开个商机：标题是产品，"
        "金额是预算，成交日是截止日期。",
        "把{company}的消息变成任务：摘要格式“{form}；{contact}要的跟进，备注写产品；商机以产品命名，金额为预算，"
        "截止日期那天成交。",
        "{company}的{contact}在邮件和聊天里写的，客户卡上存“{form}。对方要求的跟进安排上（备注：产品），"
        "然后建商机，产品作标题，预算作金额，截止日期作成交日期。",
        "新线索{company}！从{contact}的消息里整理摘要“{form}，把要求的跟进建上，备注产品，再录商机：产品、预算，"
        "截止日成交。",
    )
    deal = {"title": brief.product, "amount": brief.budget, "closeDate": brief.deadline}
    return _long(
        rng,
        row,
        brief,
        messages,
        (english, chinese),
        [_follow_up(row, brief.ask, brief.due, brief.product)],
        [do("manage_deal", action="create", customer=row["id"], **deal)],
    )


def _two_asks(rng: Draw, world: World) -> Draft:
    """The customer asks for two follow-ups, the second in a chat."""
    row = customer(rng)
    brief, messages = mailbox(rng, row)
    kind = rng.choice(sorted(k for k in ASKS if k != brief.ask))
    when = datetime.fromisoformat(brief.due).replace(hour=17, minute=15)
    said = ASKS[kind].format(when=f"{when:%B} {when.day} at {when:%H:%M}")
    chat = {"channel": "chat", "direction": "in", "author": row["contact"], "at": "2025-01-15T08:10:00", "text": said}
    messages.append({"id": "entry_720", "customer_id": row["id"], "subject": "", **chat})
    english = (
        '{contact} of {company} wants several things. Read mails and chats, save the summary "{form}, and create a '
        "follow-up for each thing they ask for, noted with the product; then stage qualified.",
        'Read all of {company}, mail and chat. Summary on the card: "{form}. Every follow-up {contact} asks for '
        "goes into the CRM with the product as note. Stage: qualified.",
        "Customer {contact} ({company}): all follow-ups they request in mail or chat, each with the product as "
        'note, the stage qualified, and a summary "{form}.',
        "I promised {contact} from {company} not to forget anything. So check mail and chat, plan each follow-up asked "
        'for (note: the product), set qualified, and write the summary "{form}.',
    )
    chinese = (
        "{company}的{contact}提了好几件事，邮件聊天都看，存摘要“{form}。每件要求各建一条跟进，备注写产品，"
        "阶段改qualified。",
        "把{company}的邮件和聊天全读一遍，客户卡摘要：“{form}。{contact}要的每条跟进都建上，备注写产品，"
        "阶段qualified。",
        "客户{contact}（{company}）：邮件或聊天里要求的跟进全部建好，每条备注写产品，阶段qualified，摘要存“{form}。",
        "我答应{company}的{contact}一件都不漏。邮件聊天都查，逐条建跟进（备注：产品），设为qualified，摘要写“{form}。",
    )
    return _long(
        rng,
        row,
        brief,
        messages,
        (english, chinese),
        [
            _follow_up(row, brief.ask, brief.due, brief.product),
            _follow_up(row, kind, when.isoformat(), brief.product),
        ],
        [do("move_customer_stage", customer=row["id"], stage="qualified")],
    )


def _to_proposal(rng: Draw, world: World) -> Draft:
    """The stage needs a quote, which is drafted from the messages."""
    row = customer(rng, stage="qualified")
    brief, messages = mailbox(rng, row)
    english = (
        "Read {contact}'s mails and chats ({company}) and save the summary \"{form}. Draft a quote for the "
        "product at their budget, move them to proposal and plan the follow-up they ask for, with the product as "
        "note.",
        '{company} is ready for a proposal: summary "{form} on the card, a quote draft (product and budget as '
        "{contact} wrote), stage proposal, and the requested follow-up noted with the product.",
        'From the messages of {contact}, {company}: the summary "{form}; a drafted quote over the budget for the '
        "product; proposal as the stage; the follow-up they want, note: product.",
        "Let's get {company} moving. Take product and budget from what {contact} wrote for a quote draft, stage "
        'proposal, follow-up as asked with the product as note, and leave the summary "{form}.',
    )
    chinese = (
        "看{company}的{contact}的邮件和聊天，存摘要“{form}。按产品和预算起草报价，阶段移到proposal，"
        "再建对方要的跟进，备注写产品。",
        "{company}可以报价了：客户卡摘要“{form}；按{contact}写的产品和预算建报价草稿，阶段proposal，"
        "要求的跟进备注写产品。",
        "根据{company}的{contact}的消息：摘要“{form}；以预算为金额的产品报价草稿；阶段proposal；要求的跟进，"
        "备注：产品。",
        "推进一下{company}，从{contact}的消息里取产品和预算起草报价，阶段proposal，跟进照要求建，备注写产品，"
        "摘要留“{form}。",
    )
    quote = {"product": brief.product, "amount": brief.budget}
    return _long(
        rng,
        row,
        brief,
        messages,
        (english, chinese),
        [do("manage_quote", action="create", customer=row["id"], **quote)],
        [do("move_customer_stage", customer=row["id"], stage="proposal")],
        [_follow_up(row, brief.ask, brief.due, brief.product)],
    )


def _by_budget(rng: Draw, world: World) -> Draft:
    """The budget in the messages decides between the next stage and a tag."""
    row = customer(rng)
    brief, messages = mailbox(rng, row)
    large, tag = rng.random() < 0.5, rng.choice(TAGS)
    limit = brief.budget + (-1 if large else 1) * 500 * rng.randint(1, 6)
    text = rng.pick(MESSAGES)
    act = (
        do("move_customer_stage", customer=row["id"], stage="qualified")
        if large
        else do("manage_customer_tag", action="add", customer=row["id"], tag=tag)
    )
    english = (
        "Read {contact}'s mails and chats ({company}), save the summary \"{form}. Budget of {limit} euros or "
        'more: move them to qualified. Less: only the tag "{tag}". Either way chat "{text}" to them.',
        "Summary of {company}'s messages please: \"{form}. If {contact}'s budget reaches {limit} euros the stage is "
        'qualified, otherwise tag them "{tag}". Send the chat "{text}" in any case.',
        'Check what {contact} of {company} can spend. From {limit} euros on qualified, below just tagged "{tag}"; '
        'reply by chat "{text}"; and keep the summary "{form}.',
        "My rule is {limit} euros: with that budget or more {company} is qualified, with less {contact} merely "
        'gets the tag "{tag}". Find out from mail and chat, answer "{text}" in the chat, and save the summary '
        '"{form}.',
    )
    chinese = (
        "看{company}的{contact}的邮件和聊天，存摘要“{form}。预算达到{limit}欧元就移到qualified，"
        "不到只打标签“{tag}”，都要发聊天“{text}”。",
        "总结{company}的消息：“{form}。{contact}的预算不低于{limit}欧元阶段就qualified，否则标“{tag}”，"
        "最后都发聊天消息“{text}”。",
        "查查{company}的{contact}能花多少，{limit}欧元及以上qualified，以下只加标签“{tag}”，聊天回复“{text}”，"
        "摘要存“{form}。",
        "我的标准是{limit}欧元：{company}预算够就qualified，不够{contact}就只打“{tag}”标签。看邮件和聊天，"
        "聊天里回“{text}”，摘要存“{form}。",
    )
    return _long(
        rng,
        row,
        brief,
        messages,
        (english, chinese),
        [act, do("send_customer_message", customer=row["id"], channel="chat", text=text)],
        slots={"limit": limit, "tag": tag, "text": text},
    )


def _which_one(rng: Draw, world: World) -> Draft:
    """Two customers share the last name: asked before anything is written."""
    last, rows = rng.choice(LAST), customers(rng, 2)
    for row in rows:
        row["contact"] = f"{row['contact'].split()[0]} {last}"
    groups = [[row["contact"], row["contact"].split()[0], row["company"]] for row in rows]
    first, second = (f"{row['contact']} ({row['company']})" for row in rows)
    return Draft(
        phrasings=(
            'Read what customer {last} wrote and save the summary "{form}. Then the follow-up they ask for, and '
            "qualified.",
            'Customer {last}: summary "{form}, the requested follow-up, stage qualified.',
            "Work through {last}'s messages in the CRM, summary \"{form}; plan the follow-up and move the stage "
            "to qualified.",
            'I have to report about {last} at noon. Summary on the card, "{form}, follow-up as they want it, '
            "qualified.",
        ),
        chinese=(
            "看看客户{last}写了什么，存摘要“{form}。再建对方要的跟进，阶段qualified。",
            "客户{last}：摘要“{form}，建要求的跟进，阶段qualified。",
            "处理CRM里{last}的消息，摘要“{form}；安排跟进，阶段移到qualified。",
            "中午要汇报{last}的情况，客户卡上存摘要“{form}，跟进照要求建，阶段qualified。",
        ),
        slots={"last": last, "form": rng.say(_FORM, _FORM_ZH)},
        plan=course(
            [do("query_customers", keyword=last)],
            reply=ask(rng.say(f"Which one, {first} or {second}?", f"是哪位，{first}还是{second}？")),
        ),
        criteria=asked(
            *groups, routes=(step("query_customers"), step("view_customer"), step("query_customer_messages"))
        ),
        patch={"crm_customers": rows},
        shown=READERS,
    )


_VARIANTS = (_plain, _with_deal, _two_asks, _to_proposal, _by_budget, _which_one)


@family(
    "crm_follow_through",
    TOOL,
    CRM,
    "dependency",
    "recovery",
    "long_horizon",
    "use_case",
    unseen="app",
    variants=len(_VARIANTS),
)
def crm_follow_through(rng: Draw, world: World) -> Draft:
    """What a customer wrote becomes a summary, follow-ups and the next step in the pipeline."""
    return branch(rng, world, _VARIANTS)


FAMILIES = (crm_summary, crm_follow_through)
