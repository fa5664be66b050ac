"""Customer Management: changes of mind, within a sentence and across turns."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, done, family
from qpa.bench.families.mobile.common import branch, course, past_turn, spoken_day
from qpa.bench.families.mobile.customers_world import CRM, TAGS, TOOL, coming, customer, who
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.domains.crm_world import PRODUCTS
from qpa.envs.sandbox.schema import World


def _amount(rng: Draw, world: World) -> Draft:
    """The amount of a new deal is corrected within one utterance."""
    row, title = customer(rng), rng.pick(PRODUCTS)
    wrong, amount = sorted(rng.sample(range(2000, 60000, 250), 2))
    return Draft(
        phrasings=(
            'New deal "{title}" with {contact}, {wrong} euros, no, {amount}. No close date yet.',
            "Open a deal for {company}: {title}, {wrong}... sorry, {amount} euros. We don't know the date yet.",
            "Deal {title} for the customer {contact} over {wrong} euros. Wait, they added something: {amount}. "
            "Without a date.",
            'Enter a deal titled "{title}" for {contact}, {wrong} I think, hm, let me look, it\'s {amount} '
            "euros; date open.",
        ),
        chinese=(
            "给{contact}新建商机“{title}”，{wrong}欧元，不对，{amount}，成交日期先不填。",
            "{company}开个交易：{title}，{wrong}……说错了，{amount}欧元，日期还不知道。",
            "客户{contact}的商机{title}，{wrong}欧元。等等，他们又加了东西，{amount}，不填日期。",
            "给{contact}录一笔商机，标题{title}，好像{wrong}，我看看，是{amount}欧元，日期待定。",
        ),
        slots={
            "title": title,
            "contact": row["contact"],
            "company": row["company"],
            "wrong": wrong,
            "amount": amount,
        },
        plan=course(
            [do("manage_deal", action="create", customer=row["contact"], title=title, amount=amount)],
            reply=done(rng.say(f"The deal over {amount} is open.", f"{amount}欧元的商机已创建。")),
        ),
        patch=who(row),
    )


def _later(rng: Draw, world: World) -> Draft:
    """A follow-up just planned is moved."""
    row = customer(rng)
    (old, at), (new, time) = coming(rng, 9), coming(rng)
    while (old, at) == (new, time):
        new, time = coming(rng)
    task = {"id": "follow_up_701", "customer_id": row["id"], "kind": "call", "due": f"{old}T{at}:00"}
    call = {"action": "create", "customer": row["contact"], "kind": "call", "due": f"{old} {at}"}
    result = {"id": task["id"], "customer": row["contact"], "kind": "call", "due": task["due"]}
    return Draft(
        phrasings=(
            "Make it {day} at {time} instead.",
            "Hm, {day}, {time} suits me better. Move it.",
            "No, reschedule that to {day} {time}.",
            "I just saw my calendar: {day} at {time} is the only free slot, so move that call.",
        ),
        chinese=(
            "改到{day}{time}吧。",
            "嗯，{day}{time}更合适，挪一下。",
            "不，改期到{day}{time}。",
            "刚看了日历，只有{day}{time}有空，那个电话挪过去。",
        ),
        slots={"day": spoken_day(rng, new), "time": time},
        plan=course(
            [do("manage_follow_up", action="reschedule", followUpId=task["id"], due=f"{new} {time}")],
            reply=done(rng.say(f"Moved to {time}.", f"已改到{time}。")),
        ),
        history=past_turn(
            rng.say(
                f"Plan a call with the customer {row['contact']} on {spoken_day(rng, old)} at {at}.",
                f"安排{spoken_day(rng, old)}{at}给客户{row['contact']}打电话。",
            ),
            "manage_follow_up",
            call,
            result,
            rng.say("The call is planned.", "电话已安排。"),
        ),
        patch=who(row, crm_follow_ups=[task]),
    )


def _not_that_tag(rng: Draw, world: World) -> Draft:
    """A tag just added is replaced by another."""
    row, (old, new) = customer(rng), rng.sample(TAGS, 2)
    row["tags"] = old
    return Draft(
        phrasings=(
            'Not "{old}", I meant "{new}". Swap them.',
            'Sorry, wrong tag. Replace it with "{new}".',
            'Take that tag away again and put "{new}" there instead.',
            'Oh no, "{old}" is somebody else! Here it should say "{new}", nothing else.',
        ),
        chinese=(
            "不是“{old}”，我说的是“{new}”，换一下。",
            "标签打错了，换成“{new}”。",
            "刚才那个标签去掉，改成“{new}”。",
            "哎，“{old}”是别人！这位应该是“{new}”，只留这个。",
        ),
        slots={"old": old, "new": new},
        plan=course(
            [
                do("manage_customer_tag", action="remove", customer=row["contact"], tag=old),
                do("manage_customer_tag", action="add", customer=row["contact"], tag=new),
            ],
            reply=done(rng.say(f'The tag is "{new}" now.', f"标签已换成“{new}”。")),
        ),
        history=past_turn(
            rng.say(f'Tag the customer {row["contact"]} as "{old}".', f"给客户{row['contact']}打上“{old}”标签。"),
            "manage_customer_tag",
            {"action": "add", "customer": row["contact"], "tag": old},
            {"customer": row["contact"], "tags": [old]},
            rng.say("Tagged.", "已打上标签。"),
        ),
        patch=who(row),
    )


def _undone(rng: Draw, world: World) -> Draft:
    """A stage just moved is moved back."""
    row = customer(rng, stage="qualified")
    return Draft(
        phrasings=(
            "Undo that, {contact} stays a lead.",
            "Oops, put {contact} back to lead.",
            "That was too early, back to lead please.",
            "My colleague says {company} isn't ready. Reverse that last move.",
        ),
        chinese=(
            "撤销刚才的，{contact}还是lead。",
            "哎呀，把{contact}改回lead。",
            "太早了，退回lead吧。",
            "同事说{company}还没到时候，把刚才那步退回去。",
        ),
        slots={"contact": row["contact"], "company": row["company"]},
        plan=course(
            [do("move_customer_stage", customer=row["contact"], stage="lead")],
            reply=done(rng.say(f"{row['contact']} is a lead again.", f"{row['contact']}已改回lead。")),
        ),
        history=past_turn(
            rng.say(f"Move the customer {row['contact']} to qualified.", f"把客户{row['contact']}移到qualified。"),
            "move_customer_stage",
            {"customer": row["contact"], "stage": "qualified"},
            {"customer": row["contact"], "stage": "qualified", "previous": "lead"},
            rng.say("Moved to qualified.", "已移到qualified。"),
        ),
        patch=who(row),
    )


_CHANGES = (_amount, _later, _not_that_tag, _undone)


@family("crm_change", TOOL, CRM, "revision", unseen="app", variants=len(_CHANGES))
def crm_change(rng: Draw, world: World) -> Draft:
    """An amount, a time, a tag or a stage is taken back."""
    return branch(rng, world, _CHANGES)


FAMILIES = (crm_change,)
