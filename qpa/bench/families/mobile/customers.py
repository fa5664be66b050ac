"""Customer Management: one-call errands."""

from __future__ import annotations

from qpa.bench.families.base import Draft, family
from qpa.bench.families.mobile.common import spoken_day
from qpa.bench.families.mobile.customers_world import CRM, MEMBERS, TAGS, TOOL, coming, customer, who
from qpa.bench.families.mobile.errands import Errand, Prepared, one_errand
from qpa.bench.families.values import MESSAGES, Draw
from qpa.envs.sandbox.domains.crm_world import PRODUCTS
from qpa.envs.sandbox.schema import World


def _new(rng: Draw, world: World) -> Prepared:
    row = customer(rng)
    arguments = {"company": row["company"], "contactName": row["contact"], "email": row["email"], "phone": row["phone"]}
    return Prepared(arguments)


def _new_mail(rng: Draw, world: World) -> Prepared:
    row = customer(rng)
    email = f"office{rng.randint(2, 99)}@{row['company'].split()[0].lower()}.example"
    return Prepared({"customer": row["contact"], "email": email}, who(row), {"company": row["company"]})


def _new_value(rng: Draw, world: World) -> Prepared:
    row = customer(rng)
    return Prepared({"customer": row["company"], "value": row["value"] + 500 * rng.randint(1, 60)}, who(row))


def _tag(rng: Draw, world: World) -> Prepared:
    row = customer(rng)
    return Prepared({"action": "add", "customer": row["contact"], "tag": rng.choice(TAGS)}, who(row))


def _untag(rng: Draw, world: World) -> Prepared:
    tag = rng.choice(TAGS)
    row = customer(rng, tags=tag)
    return Prepared({"action": "remove", "customer": row["contact"], "tag": tag}, who(row))


def _assign(rng: Draw, world: World) -> Prepared:
    row = customer(rng)
    return Prepared({"customer": row["company"], "owner": rng.choice(MEMBERS)}, who(row))


def _call_log(rng: Draw, world: World) -> Prepared:
    row = customer(rng)
    return Prepared({"customer": row["contact"], "activity": "call", "text": rng.pick(MESSAGES)}, who(row))


def _chat(rng: Draw, world: World) -> Prepared:
    row = customer(rng)
    return Prepared({"customer": row["contact"], "channel": "chat", "text": rng.pick(MESSAGES)}, who(row))


def _qualify(rng: Draw, world: World) -> Prepared:
    row = customer(rng)
    return Prepared({"customer": row["contact"], "stage": "qualified"}, who(row), {"company": row["company"]})


_WHY = ("too expensive", "went with a rival", "project cancelled", "no budget this year", "no reply for months")
_WHY_ZH = ("价格太高", "选了竞争对手", "项目取消", "今年没有预算", "几个月没回复")


def _lose(rng: Draw, world: World) -> Prepared:
    row = customer(rng, stage=rng.choice(("lead", "qualified")))
    reason = rng.choice(_WHY_ZH if rng.chinese else _WHY)
    return Prepared({"customer": row["company"], "stage": "lost", "reason": reason}, who(row))


def _plan_call(rng: Draw, world: World) -> Prepared:
    row, (date, time) = customer(rng), coming(rng)
    note = rng.pick(MESSAGES)
    arguments = {"action": "create", "customer": row["contact"], "kind": "call", "due": f"{date} {time}", "note": note}
    return Prepared(arguments, who(row), {"day": spoken_day(rng, date), "time": time})


def _finish(rng: Draw, world: World) -> Prepared:
    row, (date, time) = customer(rng), coming(rng)
    task = {"id": "follow_up_701", "customer_id": row["id"], "kind": "demo", "due": f"{date}T{time}:00"}
    arguments = {"action": "complete", "customer": row["contact"], "kind": "demo"}
    return Prepared(arguments, who(row, crm_follow_ups=[task]), {"company": row["company"]})


def _deal(rng: Draw, world: World) -> Prepared:
    row, (date, _) = customer(rng), coming(rng, 60)
    title, amount = rng.pick(PRODUCTS), 250 * rng.randint(8, 200)
    arguments = {"action": "create", "customer": row["contact"], "title": title, "amount": amount, "closeDate": date}
    return Prepared(arguments, who(row), {"day": spoken_day(rng, date)})


def _quote(rng: Draw, world: World) -> Prepared:
    row, (date, _) = customer(rng, stage="qualified"), coming(rng, 60)
    product, amount = rng.pick(PRODUCTS), 250 * rng.randint(8, 200)
    arguments = {
        "action": "create",
        "customer": row["company"],
        "product": product,
        "amount": amount,
        "validUntil": date,
    }
    return Prepared(arguments, who(row), {"day": spoken_day(rng, date)})


ERRANDS = (
    Errand(
        "add_customer",
        (
            "New customer: {contactName} of {company}, {email}, phone {phone}.",
            "Add {contactName} from {company} to my customers. Mail {email}, number {phone}.",
            "I met {contactName} ({company}) at the fair. Put them in the CRM: {email}, {phone}.",
        ),
        (
            "新增客户：{company}的{contactName}，邮箱{email}，电话{phone}。",
            "把{company}的{contactName}加进客户，邮箱{email}，号码{phone}。",
            "展会上认识了{contactName}（{company}），录入CRM，{email}，{phone}。",
        ),
        _new,
        ("{contactName} is a customer now.", "{contactName}已加入客户。"),
    ),
    Errand(
        "update_customer",
        (
            "The email of {customer} at {company} is now {email}.",
            "Change customer {customer}'s mail address to {email}.",
            "My mails to {customer} bounce. The right address is {email}, fix it in the CRM.",
        ),
        (
            "客户{customer}（{company}）的邮箱改成{email}。",
            "把客户{customer}的邮件地址更新为{email}。",
            "给{customer}的邮件老被退，CRM里邮箱应该是{email}，改一下。",
        ),
        _new_mail,
        ("{customer} has the new address.", "{customer}的邮箱已更新。"),
    ),
    Errand(
        "update_customer",
        (
            "Set the value of the customer {customer} to {value} euros.",
            "{customer} is worth {value} euros to us now, note that on the customer card.",
            "Customer {customer}: value {value}.",
        ),
        (
            "客户{customer}的价值改成{value}欧元。",
            "{customer}现在价值{value}欧元，客户卡上更新。",
            "客户{customer}，价值{value}。",
        ),
        _new_value,
        ("The value is {value} now.", "价值已改为{value}。"),
    ),
    Errand(
        "manage_customer_tag",
        (
            "Tag the customer {customer} as {tag}.",
            'Give {customer} the customer tag "{tag}".',
            "{customer} belongs to {tag}, put that tag on the customer.",
        ),
        (
            "给客户{customer}打上标签“{tag}”。",
            "客户{customer}加个“{tag}”标签。",
            "{customer}属于“{tag}”，在客户上标一下。",
        ),
        _tag,
        ("Tagged {customer}.", "已给{customer}打上标签{tag}。"),
    ),
    Errand(
        "manage_customer_tag",
        (
            "Remove the tag {tag} from the customer {customer}.",
            'Customer {customer} is no longer "{tag}", drop that tag.',
            'Take "{tag}" off {customer} in the CRM.',
        ),
        (
            "把客户{customer}的“{tag}”标签去掉。",
            "客户{customer}不再是“{tag}”了，删掉这个标签。",
            "CRM里{customer}的标签“{tag}”移除。",
        ),
        _untag,
        ("The tag is off.", "标签{tag}已移除。"),
    ),
    Errand(
        "assign_customer",
        (
            "Assign the customer {customer} to {owner}.",
            "{owner} takes over {customer} from me, change the owner.",
            "I'm off for a while, so {owner} should be responsible for the customer {customer}.",
        ),
        (
            "把客户{customer}分配给{owner}。",
            "{customer}以后由{owner}负责，改一下负责人。",
            "我要休假，客户{customer}交给{owner}跟。",
        ),
        _assign,
        ("{owner} is responsible now.", "已分配给{owner}。"),
    ),
    Errand(
        "log_customer_activity",
        (
            'I just called {customer}. Log the call: "{text}".',
            'Log a phone call with the customer {customer}, text "{text}".',
            'Call with {customer} done, write "{text}" into the customer history as a call.',
        ),
        (
            "刚跟{customer}通了电话，记录这次通话：“{text}”。",
            "客户{customer}记一次电话，内容“{text}”。",
            "和{customer}打完电话了，客户历史里按电话记上“{text}”。",
        ),
        _call_log,
        ("The call is logged.", "通话已记录。"),
    ),
    Errand(
        "send_customer_message",
        (
            'Send the customer {customer} a chat: "{text}".',
            'Chat to {customer} from the CRM, "{text}".',
            'Tell {customer} in the customer chat "{text}".',
        ),
        (
            "给客户{customer}发聊天消息：“{text}”。",
            "从CRM里给{customer}发条聊天：“{text}”。",
            "在客户聊天里告诉{customer}：“{text}”。",
        ),
        _chat,
        ("Sent to {customer}.", "已发给{customer}。"),
    ),
    Errand(
        "move_customer_stage",
        (
            "Move {customer} of {company} to qualified.",
            "{customer} is a qualified customer now, update the stage.",
            "Pipeline: {customer} ({company}) goes from lead to qualified.",
        ),
        (
            "把{company}的{customer}移到qualified阶段。",
            "客户{customer}的阶段改成qualified。",
            "销售管道里{customer}（{company}）从lead变为qualified。",
        ),
        _qualify,
        ("{customer} is qualified.", "{customer}已移到qualified。"),
    ),
    Errand(
        "move_customer_stage",
        (
            "We lost {customer}: {reason}. Move the customer to lost.",
            "Set the customer {customer} to lost, reason: {reason}.",
            "No use going on with {customer}. Mark them as lost, and the reason is {reason}.",
        ),
        (
            "客户{customer}丢了，原因：{reason}，移到lost。",
            "把客户{customer}设为lost，理由是{reason}。",
            "{customer}没戏了，标成lost，原因写{reason}。",
        ),
        _lose,
        ("{customer} is marked as lost.", "{customer}已标记为lost。"),
    ),
    Errand(
        "manage_follow_up",
        (
            'Plan a follow-up call with {customer} on {day} at {time}, note "{note}".',
            'I have to call the customer {customer} on {day}, {time}. Follow-up with the note "{note}".',
            'Customer {customer}: follow-up call {day} {time}; the note says "{note}".',
        ),
        (
            "安排{day}{time}给客户{customer}打跟进电话，备注“{note}”。",
            "{day}{time}要给{customer}打电话，建个客户跟进，备注“{note}”。",
            "客户{customer}：{day}{time}电话跟进，备注写“{note}”。",
        ),
        _plan_call,
        ("The call is planned.", "跟进电话已安排。"),
    ),
    Errand(
        "manage_follow_up",
        (
            "The demo for {customer} is done, tick off the follow-up.",
            "Complete the open demo follow-up of {customer} at {company}.",
            "I gave {customer} the demo this morning already. That follow-up is finished.",
        ),
        (
            "给{customer}的演示做完了，跟进任务勾掉。",
            "把{company}的{customer}那个demo跟进标为完成。",
            "今早已经给{customer}做过演示了，那条跟进完成了。",
        ),
        _finish,
        ("The follow-up is done.", "跟进已完成。"),
    ),
    Errand(
        "manage_deal",
        (
            'Open a deal "{title}" with {customer} over {amount} euros, closing on {day}.',
            "New deal for the customer {customer}: {title}, {amount} euros, close date {day}.",
            "Good news, {customer} wants {title}. Enter the deal under that title, {amount} euros, to be closed on "
            "{day}.",
        ),
        (
            "给{customer}新建商机“{title}”，{amount}欧元，{day}成交。",
            "客户{customer}的新交易：{title}，金额{amount}欧元，预计{day}关闭。",
            "好消息，{customer}要{title}，就用这个标题建个交易，{amount}欧元，成交日期{day}。",
        ),
        _deal,
        ("The deal {title} is open.", "商机{title}已创建。"),
    ),
    Errand(
        "manage_quote",
        (
            "Draft a quote for {customer}: {product}, {amount} euros, valid until {day}.",
            "Prepare a quote over {amount} euros for {product} to the customer {customer}, good until {day}. Don't "
            "send it.",
            "{customer} needs a quote. {product}, {amount} euros, valid to {day}; only a draft for now.",
        ),
        (
            "给{customer}起草报价：{product}，{amount}欧元，有效期到{day}。",
            "准备一份给客户{customer}的报价，{product}，{amount}欧元，{day}前有效，先别发。",
            "{customer}要报价，{product}，{amount}欧元，有效至{day}，先存草稿。",
        ),
        _quote,
        ("The quote is drafted.", "报价已起草。"),
    ),
)


@family("crm_set", TOOL, CRM, "grounding", unseen="app", variants=len(ERRANDS))
def crm_set(rng: Draw, world: World) -> Draft:
    """One call on a customer, a follow-up, a deal or a quote."""
    return one_errand(rng, world, ERRANDS)


FAMILIES = (crm_set,)
