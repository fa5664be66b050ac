"""Customer Management: errands of several steps, what was meant, and changes of mind."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import branch, course, past_turn, spoken_day
from qpa.bench.families.mobile.customers_world import (
    CRM,
    MEMBERS,
    TAGS,
    TOOL,
    coming,
    customer,
    customers,
    mailbox,
    who,
)
from qpa.bench.families.values import MESSAGES, Draw
from qpa.envs.sandbox.domains.crm_world import PRODUCTS
from qpa.envs.sandbox.schema import World


def quote_of(row: dict[str, Any], product: str, amount: int, status: str) -> dict[str, Any]:
    """A patched quote that is still valid."""
    return {
        "id": "quote_701",
        "customer_id": row["id"],
        "product": product,
        "amount": amount,
        "status": status,
        "valid_until": "2025-02-20",
    }


def _send_and_move(rng: Draw, world: World) -> Draft:
    """The stage follows the quote, so the order of the two matters."""
    row, product = customer(rng, stage="proposal"), rng.pick(PRODUCTS)
    return Draft(
        phrasings=(
            "Send {contact} the {product} quote and move them on to negotiation.",
            "Customer {contact}: into negotiation, and the drafted quote for {product} goes out.",
            "The {product} quote for {company} is still a draft. Send it, then set the customer to negotiation.",
            "{contact} called and wants to talk prices for the {product}. Out with the quote, and negotiation in "
            "the pipeline.",
        ),
        chinese=(
            "把{product}的报价发给{contact}，阶段移到negotiation。",
            "客户{contact}：{product}的报价草稿发出去，然后改成negotiation。",
            "{company}的{product}报价还是草稿，发出去，再把客户推进到negotiation。",
            "{contact}来电想谈{product}的价格，报价发出，管道里移到negotiation。",
        ),
        slots={"contact": row["contact"], "company": row["company"], "product": product},
        plan=course(
            [do("manage_quote", action="send", customer=row["contact"], product=product)],
            [do("move_customer_stage", customer=row["contact"], stage="negotiation")],
            reply=done(rng.say("The quote is out, now negotiation.", "报价已发，阶段改为negotiation。")),
        ),
        patch=who(row, crm_quotes=[quote_of(row, product, row["value"], "draft")]),
    )


def _if_accepted(rng: Draw, world: World) -> Draft:
    """The quote's state decides between a win and a call."""
    row, product, (date, time) = customer(rng, stage="negotiation"), rng.pick(PRODUCTS), coming(rng)
    accepted = rng.random() < 0.5
    note = rng.pick(MESSAGES)
    look = [do("manage_quote", action="query", customer=row["contact"])]
    if accepted:
        act = do("move_customer_stage", customer=row["contact"], stage="won")
        reply = done(rng.say("The quote is accepted, so they are won.", "报价已接受，客户移到won。"))
    else:
        act = do(
            "manage_follow_up", action="create", customer=row["contact"], kind="call", due=f"{date} {time}", note=note
        )
        reply = done(rng.say("Not accepted yet; the call is planned.", "还没接受，已安排电话。"))
    return Draft(
        phrasings=(
            "If {contact}'s {product} quote is accepted, move the customer to won; if not, plan a call on {day} "
            'at {time} with the note "{note}".',
            "Check {company}'s quote. Accepted means stage won, otherwise a follow-up call {day} {time}, note "
            '"{note}".',
            "Has {contact} accepted our quote for {product}? Then won. Else a call follow-up for {day}, {time}, noted "
            '"{note}".',
            "I lost track of {contact}. Quote accepted: set them to won. Anything else: I must call on {day} at "
            '{time}, put that in the CRM with the note "{note}".',
        ),
        chinese=(
            "{contact}的{product}报价要是已接受就移到won，没有的话安排{day}{time}电话跟进，备注“{note}”。",
            "看一下{company}的报价，接受了就改成won，否则{day}{time}建个电话跟进，备注“{note}”。",
            "{contact}接受{product}的报价了吗？接受就won，没接受就{day}{time}打电话跟进，备注写“{note}”。",
            "{contact}那边我跟丢了。报价已接受：设为won；否则我{day}{time}得打电话，CRM里建跟进，备注“{note}”。",
        ),
        slots={
            "contact": row["contact"],
            "company": row["company"],
            "product": product,
            "day": spoken_day(rng, date),
            "time": time,
            "note": note,
        },
        plan=course(look, [act], reply=reply),
        patch=who(row, crm_quotes=[quote_of(row, product, row["value"], "accepted" if accepted else "sent")]),
        shown=("move_customer_stage", "manage_follow_up"),
    )


def _all_tagged(rng: Draw, world: World) -> Draft:
    """Everybody with a tag, who has to be found first."""
    tag, member = rng.choice(TAGS), rng.choice(MEMBERS)
    *rows, other = customers(rng, rng.randint(3, 4))
    for row in rows:
        row["tags"] = tag

    def plan() -> Plan:
        found = yield [do("query_customers", tag=tag)]
        ids = [item["id"] for item in found[0].payload["data"]["items"]]
        yield [do("assign_customer", customer=each, owner=member) for each in ids]
        return done(rng.say(f"{len(ids)} customers now belong to {member}.", f"已把{len(ids)}位客户分配给{member}。"))

    return Draft(
        phrasings=(
            'Assign all customers tagged "{tag}" to {member}.',
            "{member} takes over every customer with the tag {tag}.",
            'Whoever carries the tag "{tag}": new owner {member}.',
            'We split the work: {member} gets all my "{tag}" customers, by tag. Change their owners.',
        ),
        chinese=(
            "把所有带“{tag}”标签的客户分配给{member}。",
            "标签是{tag}的客户都由{member}接手。",
            "凡是打了“{tag}”标签的，负责人改成{member}。",
            "我们分工了，“{tag}”标签的客户全归{member}，改一下负责人。",
        ),
        slots={"tag": tag, "member": member},
        plan=plan,
        patch={"crm_customers": [*rows, other]},
    )


def _quote_first(rng: Draw, world: World) -> Draft:
    """The stage wants a quote that does not exist yet."""
    row, product = customer(rng, stage="qualified"), rng.pick(PRODUCTS)
    amount = 250 * rng.randint(20, 200)
    move = do("move_customer_stage", customer=row["contact"], stage="proposal")

    def plan() -> Plan:
        feedback = yield [move]
        if not feedback[0].ok:
            yield [
                do("manage_quote", action="create", customer=row["contact"], product=product, amount=amount),
            ]
            yield [move]
        return done(rng.say("A quote is drafted, stage proposal.", "已起草报价并移到proposal。"))

    return Draft(
        phrasings=(
            "Move {contact} to proposal; if a quote is needed for that, draft one for {product} over {amount} euros.",
            "{company} goes to proposal. Should the CRM want a quote: {product}, {amount} euros, as a draft.",
            "Stage proposal for {contact}, and when it complains about a missing quote, make one: {amount} euros, "
            "{product}.",
            "I want to see {contact} under proposal. Whatever it takes, a drafted quote for {product} at {amount} "
            "euros is fine.",
        ),
        chinese=(
            "把{contact}移到proposal，需要报价的话就起草一份{product}的，{amount}欧元。",
            "{company}推进到proposal，要是系统要报价，就建草稿：{product}，{amount}欧元。",
            "{contact}改成proposal阶段，如果提示缺报价，就做一份{amount}欧元的{product}报价草稿。",
            "我要{contact}进到proposal，缺什么补什么，可以起草{product}、{amount}欧元的报价。",
        ),
        slots={"contact": row["contact"], "company": row["company"], "product": product, "amount": amount},
        plan=plan,
        patch=who(row),
    )


_STEPS = (_send_and_move, _if_accepted, _all_tagged, _quote_first)


@family("crm_steps", TOOL, CRM, "dependency", unseen="app", variants=len(_STEPS))
def crm_steps(rng: Draw, world: World) -> Draft:
    """Steps that depend on each other or on what is found."""
    return branch(rng, world, _STEPS)


# --- what was meant -------------------------------------------------------------------------------------------------


def _that_one(rng: Draw, world: World) -> Draft:
    """The customer of the turn before."""
    row, (date, time), note = customer(rng), coming(rng), rng.pick(MESSAGES)
    card = {**row, "summary": "", "tags": [], "openFollowUps": 0, "openDeals": 0, "messages": 0}
    return Draft(
        phrasings=(
            'Plan a meeting with them on {day} at {time}, note "{note}".',
            'I want to see that customer on {day}, {time}. Follow-up meeting, noted "{note}".',
            'Good. A follow-up of the kind meeting then, {day} {time}; the note is "{note}".',
            'They sound promising, so let\'s meet: {day} at {time}. Put the follow-up in with "{note}" as the note.',
        ),
        chinese=(
            "安排{day}{time}跟他们见面，备注“{note}”。",
            "{day}{time}我想见这个客户，建个会面跟进，备注写“{note}”。",
            "好，那就加一条会面类型的跟进，{day}{time}，备注“{note}”。",
            "听着有戏，约个会面吧，{day}{time}，跟进备注“{note}”。",
        ),
        slots={"day": spoken_day(rng, date), "time": time, "note": note},
        plan=course(
            [
                do(
                    "manage_follow_up",
                    action="create",
                    customer=row["contact"],
                    kind="meeting",
                    due=f"{date} {time}",
                    note=note,
                )
            ],
            reply=done(rng.say(f"Meeting with {row['contact']} planned.", f"与{row['contact']}的会面已安排。")),
        ),
        history=past_turn(
            rng.say(f"Show me the customer {row['company']}.", f"看一下客户{row['company']}。"),
            "view_customer",
            {"customer": row["company"]},
            card,
            rng.say(
                f"{row['contact']}, a lead worth {row['value']} euros.",
                f"{row['contact']}，lead，价值{row['value']}欧元。",
            ),
        ),
        patch=who(row),
    )


def _of_the_list(rng: Draw, world: World) -> Draft:
    """One of the customers listed a turn ago, by place or value."""
    rows = customers(rng, 3, stage="qualified")
    for row, value in zip(rows, rng.sample(range(4000, 60000, 500), 3), strict=True):
        row["value"] = value
    seeded = [{"id": r["id"], "stage": "lead"} for r in world.rows["crm_customers"] if r["stage"] == "qualified"]
    which, english, chinese = rng.choice(
        (
            (rows[0], "first one", "第一个"),
            (rows[1], "second one", "第二个"),
            (rows[2], "last one", "最后一个"),
            (max(rows, key=lambda r: r["value"]), "one with the highest value", "价值最高的那个"),
            (min(rows, key=lambda r: r["value"]), "one with the lowest value", "价值最低的那个"),
        )
    )
    items = [{name: r[name] for name in ("id", "contact", "company", "stage", "value")} for r in rows]
    lines = "; ".join(f"{r['contact']} ({r['company']}), {r['value']}" for r in rows)
    tag = rng.choice(TAGS)
    return Draft(
        phrasings=(
            'Tag the {which} as "{tag}".',
            "The {which} gets the tag {tag}.",
            'Add the customer tag "{tag}" to the {which}.',
            'Interesting. Let me remember the {which} with the tag "{tag}".',
        ),
        chinese=(
            "给{which}打上“{tag}”标签。",
            "{which}加标签{tag}。",
            "在{which}客户上标“{tag}”。",
            "有意思，{which}先打个“{tag}”标签记着。",
        ),
        slots={"which": rng.say(english, chinese), "tag": tag},
        plan=course(
            [do("manage_customer_tag", action="add", customer=which["id"], tag=tag)],
            reply=done(rng.say(f"{which['contact']} is tagged.", f"已给{which['contact']}打上标签。")),
        ),
        history=past_turn(
            rng.say("Which customers are qualified?", "哪些客户是qualified阶段？"),
            "query_customers",
            {"stage": "qualified"},
            {"items": items, "total": 3},
            rng.say(f"Three: {lines}.", f"有三位：{lines}。"),
        ),
        patch={"crm_customers": [*rows, *seeded]},
    )


def _who_wrote(rng: Draw, world: World) -> Draft:
    """The customer is known only by what they wrote."""
    row, note = customer(rng), rng.pick(MESSAGES)
    _, messages = mailbox(rng, row)
    word = rng.choice(
        ("fireproof", "left-handed", "wheelchair", "turquoise", "solar", "Esperanto", "helicopter", "bamboo")
    )
    messages[-2] |= {"text": f"Do you have a {word} version as well?", "direction": "in", "author": row["contact"]}
    return Draft(
        phrasings=(
            'Some customer wrote about a "{word}" version. Log a note there: "{note}".',
            'Find the customer who asked for something {word} and note "{note}" in the history.',
            'Who mentioned "{word}"? For that customer, log the note "{note}".',
            'I forget names, but the word "{word}" was in the customer\'s message. Log "{note}" as a note for them.',
        ),
        chinese=(
            "有个客户消息里提到“{word}”，给他记条备注：“{note}”。",
            "找到问过{word}的那位客户，历史里记一条备注“{note}”。",
            "谁提到过“{word}”？给这个客户记录备注“{note}”。",
            "名字我忘了，消息里有“{word}”这个词的客户，加一条备注“{note}”。",
        ),
        slots={"word": word, "note": note},
        plan=course(
            [do("query_customer_messages", keyword=word)],
            [do("log_customer_activity", customer=row["contact"], activity="note", text=note)],
            reply=done(rng.say(f"Noted for {row['contact']}.", f"已给{row['contact']}记下备注。")),
        ),
        patch=who(row, crm_messages=messages),
    )


_REFERENCES = (_that_one, _of_the_list, _who_wrote)


@family("crm_reference", TOOL, CRM, "reference", unseen="app", variants=len(_REFERENCES))
def crm_reference(rng: Draw, world: World) -> Draft:
    """A customer named by the turn before, a list, or what they wrote."""
    return branch(rng, world, _REFERENCES)


FAMILIES = (crm_steps, crm_reference)
