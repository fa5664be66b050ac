"""Customer Management: who was meant, what they wrote, and moves that the pipeline allows."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from hostile_calls import assert_survives

from qpa.contract import ToolCall
from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains.crm import DOMAIN
from qpa.envs.sandbox.domains.crm_sales import MOVES
from qpa.envs.sandbox.domains.crm_world import ASKS, TEAM, draw_brief, history
from qpa.envs.sandbox.schema import WORLD_CLOCK
from qpa.envs.sandbox.times import resolve

CUSTOMERS = [
    {"id": "customer_801", "company": "Zenith Toys", "contact": "Uma Quist", "email": "uma@zenith.test", "value": 9000},
    {"id": "customer_802", "company": "Yonder Travel", "contact": "Uma Reyes", "stage": "proposal", "value": 5000},
    {"id": "customer_803", "company": "Zenith Books", "contact": "Xaver Quist", "stage": "negotiation"},
]
ROWS: dict[str, list[dict[str, Any]]] = {
    "crm_customers": CUSTOMERS,
    "crm_messages": [
        {"id": "entry_801", "customer_id": "customer_801", "channel": "mail", "author": "Uma Quist",
         "at": "2025-01-14T10:00:00", "text": "Our budget is 12,000 euros."},
        {"id": "entry_802", "customer_id": "customer_801", "channel": "chat", "author": "Uma Quist",
         "at": "2025-01-14T11:00:00", "text": "Please call me on January 22 at 10:30."},
        {"id": "entry_803", "customer_id": "customer_802", "channel": "call", "direction": "out", "author": "Me",
         "at": "2025-01-14T12:00:00", "text": "Wants a demo."},
    ],
    "crm_quotes": [
        {"id": "quote_801", "customer_id": "customer_802", "product": "tents", "amount": 5000, "status": "sent",
         "valid_until": "2025-02-01"},
        {"id": "quote_802", "customer_id": "customer_803", "product": "shelves", "amount": 700,
         "valid_until": "2025-01-10"},
    ],
    "crm_deals": [
        {"id": "deal_801", "customer_id": "customer_801", "title": "Spring toys", "amount": 4000},
        {"id": "deal_802", "customer_id": "customer_801", "title": "Summer toys", "amount": 6000, "status": "won"},
    ],
    "crm_follow_ups": [
        {"id": "follow_up_801", "customer_id": "customer_801", "kind": "call", "due": "2025-01-15T08:00:00"},
        {"id": "follow_up_802", "customer_id": "customer_801", "kind": "mail", "due": "2025-01-15"},
        {"id": "follow_up_803", "customer_id": "customer_802", "kind": "demo", "due": "2025-01-10", "done": 1},
    ],
}  # fmt: skip


def start(new_phone: Any, online: bool = True) -> Any:
    world = make_world(0).rows
    patch = ROWS | {
        "settings": [{"key": "mobile_data", "value": "on" if online else "off"}],
        "wifi_networks": [{"ssid": row["ssid"], "connected": 0} for row in world["wifi_networks"]],
    }
    return new_phone(patch=patch)


def changed(phone: Any) -> dict[tuple[Any, ...], tuple[str, dict[str, Any]]]:
    return {(c.table, *c.key.values()): (c.op, c.new) for c in phone.changes()}


def message(phone: Any, tool: str, **arguments: Any) -> str:
    feedback = phone.use(tool, **arguments)
    assert feedback.ok, feedback.payload
    return feedback.payload["message"]


# --- customers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wanted, row_id",
    [
        ("customer_801", "customer_801"),
        ("zenith toys", "customer_801"),
        ("Uma Reyes", "customer_802"),
        ("travel", "customer_802"),
        ("Xaver", "customer_803"),
        ("quist xaver", "customer_803"),
    ],
)
def test_a_customer_is_found_by_company_or_person(new_phone, wanted, row_id):
    assert start(new_phone).data("view_customer", customer=wanted)["id"] == row_id


def test_an_ambiguous_customer_is_named_with_alternatives(new_phone):
    refused = start(new_phone).use("view_customer", customer="Uma")
    assert refused.code == 409
    assert refused.payload["error"] == (
        "2 customers match: customer_801 Uma Quist (Zenith Toys), customer_802 Uma Reyes (Yonder Travel)"
    )
    assert start(new_phone).code("view_customer", customer="Nobody") == 404


def test_cards_and_lists(new_phone):
    phone = start(new_phone)
    card = phone.data("view_customer", customer="Zenith Toys")
    assert card == CUSTOMERS[0] | {
        "phone": "",
        "stage": "lead",
        "owner": "Me",
        "tags": [],
        "summary": "",
        "openFollowUps": 2,
        "openDeals": 1,
        "messages": 2,
    }
    found = phone.data("query_customers", keyword="zenith", stage="lead", owner="me")
    item = {"id": "customer_801", "contact": "Uma Quist", "company": "Zenith Toys", "stage": "lead", "value": 9000}
    assert found == {"items": [item], "total": 1}
    assert len(phone.data("query_customers")["items"]) == 5 and phone.data("query_customers")["total"] == 8
    assert phone.data("query_customers", tag="no such")["total"] == 0
    assert phone.code("query_customers", owner="Nobody") == 404
    assert phone.changes() == []


def test_adding_and_changing_customers(new_phone):
    phone = start(new_phone)
    phone.data("add_customer", company="Vela", contactName="Tess Moor", email="tess@vela.test", phone="555-1234")
    phone.data("update_customer", customer="Uma Reyes", value=7500, email="uma@yonder.test")
    new = {"id": "customer_804", "company": "Vela", "contact": "Tess Moor", "email": "tess@vela.test"}
    defaults = {"phone": "5551234", "stage": "lead", "value": 0, "owner": "Me", "tags": "", "summary": ""}
    assert changed(phone) == {
        ("crm_customers", "customer_802"): ("update", {"value": 7500, "email": "uma@yonder.test"}),
        ("crm_customers", "customer_804"): ("insert", new | defaults),
    }
    assert message(phone, "update_customer", customer="Uma Reyes", value=7500) == "Customer already so"
    assert phone.code("update_customer", customer="Uma Reyes") == 400
    assert phone.code("update_customer", customer="Uma Reyes", company="vela", contactName="Tess moor") == 409
    assert phone.code("add_customer", company="VELA", contactName="tess moor") == 409
    for wrong in ({"email": "tess"}, {"email": "@vela.test"}, {"phone": "abc"}, {"value": -1}):
        assert phone.code("add_customer", company="New", contactName="New", **wrong) == 400


def test_deleting_a_customer_takes_everything_along_once_confirmed(new_phone):
    phone = start(new_phone)
    assert phone.code("delete_customer", customer="Zenith Toys", confirmed=False) == 400
    phone.data("delete_customer", customer="Zenith Toys", confirmed=True)
    assert {c.op for c in phone.changes()} == {"delete"}
    assert [c.key["id"] for c in phone.changes()] == [
        "customer_801",
        "deal_801",
        "deal_802",
        "follow_up_801",
        "follow_up_802",
        "entry_801",
        "entry_802",
    ]
    assert phone.code("delete_customer", customer="Zenith Toys", confirmed=True) == 404


def test_assignment(new_phone):
    phone = start(new_phone)
    assert phone.data("assign_customer", customer="Zenith Toys", owner="alice")["owner"] == "Alice Reed"
    assert changed(phone) == {("crm_customers", "customer_801"): ("update", {"owner": "Alice Reed"})}
    assert message(phone, "assign_customer", customer="Zenith Toys", owner="Alice Reed") == "Already assigned"
    refused = phone.use("assign_customer", customer="Zenith Toys", owner="Bob")
    assert refused.code == 404 and ", ".join(TEAM) in refused.payload["error"]


def test_tags(new_phone):
    phone = start(new_phone)
    phone.data("manage_customer_tag", action="add", customer="Zenith Toys", tag="VIP")
    phone.data("manage_customer_tag", action="add", customer="Zenith Toys", tag="abroad")
    assert changed(phone) == {("crm_customers", "customer_801"): ("update", {"tags": "abroad, vip"})}
    assert message(phone, "manage_customer_tag", action="add", customer="Zenith Toys", tag="Vip") == "Already tagged"
    assert phone.data("manage_customer_tag", action="query", customer="Zenith Toys")["tags"] == ["abroad", "vip"]
    assert phone.data("query_customers", tag="vip")["total"] == 1
    for tag in ("vip", "abroad"):
        phone.data("manage_customer_tag", action="remove", customer="Zenith Toys", tag=tag)
    assert phone.changes() == []
    assert (
        message(phone, "manage_customer_tag", action="remove", customer="Zenith Toys", tag="x") == "Tag already absent"
    )
    for wrong in ({"tag": "a, b"}, {"tag": "x" * 31}, {}):
        assert phone.code("manage_customer_tag", action="add", customer="Zenith Toys", **wrong) == 400


def test_a_summary_is_the_planners_own_text(new_phone):
    phone = start(new_phone)
    phone.data("save_customer_summary", customer="Zenith Toys", summary="Wants toys, 12,000 euros.")
    assert changed(phone) == {("crm_customers", "customer_801"): ("update", {"summary": "Wants toys, 12,000 euros."})}
    again = message(phone, "save_customer_summary", customer="Zenith Toys", summary="Wants toys, 12,000 euros.")
    assert again == "Summary already so"
    assert phone.code("save_customer_summary", customer="Zenith Toys", summary="x" * 601) == 400


# --- history --------------------------------------------------------------------------------------------------------


def test_history_is_read_newest_first(new_phone):
    phone = start(new_phone)
    found = phone.data("query_customer_messages", customer="Uma Quist")
    assert [item["channel"] for item in found["items"]] == ["chat", "mail"] and found["total"] == 2
    last = phone.data("query_customer_messages", customer="Uma Quist", channel="mail", maxResults=1)
    text = "Our budget is 12,000 euros."
    assert last["items"] == [{"channel": "mail", "author": "Uma Quist", "at": "2025-01-14T10:00:00", "text": text}]
    assert phone.data("query_customer_messages", keyword="12,000 EURO")["items"][0]["text"] == text
    assert phone.data("query_customer_messages", customer="Uma Reyes", direction="in")["total"] == 0
    assert phone.code("query_customer_messages", customer="Nobody") == 404
    assert phone.code("query_customer_messages", maxResults=6) == 400
    assert phone.changes() == []


def test_logging_and_writing(new_phone):
    phone = start(new_phone)
    phone.data("log_customer_activity", customer="Zenith Toys", activity="call", text="Agreed on price.")
    phone.data("send_customer_message", customer="Zenith Toys", channel="mail", text="See you.", subject="Visit")
    row = {"customer_id": "customer_801", "direction": "out", "author": "Me", "at": "2025-01-15T09:00:00"}
    call = {"id": "entry_804", "channel": "call", "subject": "", "text": "Agreed on price."}
    mail = {"id": "entry_805", "channel": "mail", "subject": "Visit", "text": "See you."}
    assert changed(phone) == {
        ("crm_messages", "entry_804"): ("insert", row | call),
        ("crm_messages", "entry_805"): ("insert", row | mail),
    }
    assert phone.code("send_customer_message", customer="Uma Reyes", channel="mail", text="x") == 409  # no address
    assert phone.code("send_customer_message", customer="Uma Reyes", channel="chat", text="x", subject="y") == 400
    phone.data("send_customer_message", customer="Uma Reyes", channel="chat", text="x")
    offline = start(new_phone, online=False)
    assert offline.code("send_customer_message", customer="Uma Reyes", channel="chat", text="x") == 409


# --- selling --------------------------------------------------------------------------------------------------------


def test_a_stage_is_moved_as_far_as_the_quotes_carry(new_phone):
    phone = start(new_phone)
    moved = phone.data("move_customer_stage", customer="Uma Reyes", stage="negotiation")
    assert moved == {"customer": "Uma Reyes", "stage": "negotiation", "previous": "proposal"}
    assert changed(phone) == {("crm_customers", "customer_802"): ("update", {"stage": "negotiation"})}
    assert message(phone, "move_customer_stage", customer="Uma Reyes", stage="negotiation") == "Already in negotiation"
    refused = phone.use("move_customer_stage", customer="Uma Reyes", stage="won")
    assert refused.code == 409 and refused.payload["error"] == "Needs a quote: accepted"
    phone.data("manage_quote", action="accept", customer="Uma Reyes")
    phone.data("move_customer_stage", customer="Uma Reyes", stage="won")
    assert phone.code("move_customer_stage", customer="Uma Reyes", stage="lost", reason="x") == 409
    phone.data("move_customer_stage", customer="Zenith Toys", stage="qualified")
    assert phone.code("move_customer_stage", customer="Zenith Toys", stage="proposal") == 409  # no quote at all
    assert phone.code("move_customer_stage", customer="Zenith Toys", stage="won") == 409


def test_losing_a_customer_needs_a_reason_and_leaves_a_note(new_phone):
    phone = start(new_phone)
    assert phone.code("move_customer_stage", customer="Xaver", stage="lost") == 400
    assert phone.code("move_customer_stage", customer="Xaver", stage="proposal", reason="x") == 400
    phone.data("move_customer_stage", customer="Xaver", stage="lost", reason="Too expensive")
    assert [(c.table, c.op, c.new.get("text", "")) for c in phone.changes()] == [
        ("crm_customers", "update", ""),
        ("crm_messages", "insert", "Lost: Too expensive"),
    ]
    phone.data("move_customer_stage", customer="Xaver", stage="lead")


def test_every_stage_can_be_left_for_known_stages_only():
    assert {stage for moves in MOVES.values() for stage in moves} == set(MOVES)
    assert all(stage not in moves for stage, moves in MOVES.items())


def test_pipeline_adds_up(new_phone):
    rows = make_world(0).rows["crm_customers"]
    pipeline = start(new_phone).data("query_pipeline")
    assert list(pipeline) == list(MOVES)
    assert sum(stage["customers"] for stage in pipeline.values()) == len(rows) + 3
    assert sum(stage["value"] for stage in pipeline.values()) == sum(row["value"] for row in rows) + 14000


def test_follow_ups(new_phone):
    phone = start(new_phone)
    made = phone.data("manage_follow_up", action="create", customer="Uma Quist", kind="call", due="January 22 at 10:30")
    assert made == {"id": "follow_up_804", "customer": "Uma Quist", "kind": "call", "due": "2025-01-22T10:30:00"}
    phone.data("manage_follow_up", action="complete", followUpId="follow_up_801")
    phone.data("manage_follow_up", action="reschedule", customer="Uma Quist", kind="mail", due="Friday")
    new = {"id": "follow_up_804", "customer_id": "customer_801", "kind": "call", "due": "2025-01-22T10:30:00"}
    assert changed(phone) == {
        ("crm_follow_ups", "follow_up_801"): ("update", {"done": 1}),
        ("crm_follow_ups", "follow_up_802"): ("update", {"due": "2025-01-17"}),
        ("crm_follow_ups", "follow_up_804"): ("insert", new | {"note": "", "done": 0}),
    }
    same = message(phone, "manage_follow_up", action="complete", followUpId="follow_up_801")
    assert same == "Follow-up already done"
    same = message(phone, "manage_follow_up", action="reschedule", followUpId="follow_up_802", due="Jan 17")
    assert same == "Follow-up already so"
    phone.data("manage_follow_up", action="delete", followUpId="follow_up_804")
    assert len(phone.changes()) == 2


def test_overdue_follow_ups(new_phone):
    phone = start(new_phone)
    due = phone.data("manage_follow_up", action="query", customer="Uma Quist", status="overdue")
    assert [item["id"] for item in due["items"]] == ["follow_up_801"]  # at 08:00; the other is for all of today
    assert phone.data("manage_follow_up", action="query", customer="Uma Quist", due="today")["total"] == 2
    assert phone.data("manage_follow_up", action="query", customer="Uma Reyes", status="done")["total"] == 1
    assert phone.changes() == []


@pytest.mark.parametrize(
    "code, arguments",
    [
        (400, {"action": "create", "customer": "Uma Quist", "kind": "call"}),
        (400, {"action": "create", "customer": "Uma Quist", "due": "Friday"}),
        (400, {"action": "create", "customer": "Uma Quist", "kind": "call", "due": "yesterday"}),
        (400, {"action": "create", "customer": "Uma Quist", "kind": "call", "due": "today 08:00"}),
        (409, {"action": "create", "customer": "Uma", "kind": "call", "due": "Friday"}),
        (409, {"action": "create", "customer": "Uma Quist", "kind": "mail", "due": "today"}),
        (409, {"action": "complete", "customer": "Uma Quist"}),
        (404, {"action": "complete", "customer": "Uma Reyes"}),
        (404, {"action": "complete", "followUpId": "follow_up_999"}),
        (409, {"action": "reschedule", "followUpId": "follow_up_803", "due": "Friday"}),
        (400, {"action": "delete"}),
    ],
)
def test_follow_ups_refuse(new_phone, code, arguments):
    assert start(new_phone).code("manage_follow_up", **arguments) == code


def test_deals(new_phone):
    phone = start(new_phone)
    phone.data("manage_deal", action="create", customer="Xaver", title="Shelves", amount=700, closeDate="Jan 31")
    phone.data("manage_deal", action="update", customer="Zenith Toys", amount=4500)
    new = {"id": "deal_803", "customer_id": "customer_803", "title": "Shelves", "amount": 700, "status": "open"}
    assert changed(phone) == {
        ("crm_deals", "deal_801"): ("update", {"amount": 4500}),
        ("crm_deals", "deal_803"): ("insert", new | {"close_date": "2025-01-31"}),
    }
    assert message(phone, "manage_deal", action="update", customer="Zenith Toys", amount=4500) == "Deal already so"
    phone.data("manage_deal", action="win", customer="Zenith Toys")
    phone.data("manage_deal", action="lose", dealId="deal_803")
    assert [c.new.get("status") for c in phone.changes()] == ["won", "lost"]
    assert message(phone, "manage_deal", action="win", dealId="deal_801") == "Deal already won"
    assert phone.data("manage_deal", action="query", customer="Xaver")["items"] == [
        {"id": "deal_803", "customer": "Xaver Quist", "title": "Shelves", "amount": 700}
        | {"status": "lost", "close_date": "2025-01-31"}
    ]


@pytest.mark.parametrize(
    "code, arguments",
    [
        (400, {"action": "create", "customer": "Xaver", "title": "Shelves"}),
        (400, {"action": "create", "customer": "Xaver", "title": "Shelves", "amount": 0}),
        (400, {"action": "create", "customer": "Xaver", "title": "S", "amount": 1, "closeDate": "yesterday"}),
        (409, {"action": "create", "customer": "Zenith Toys", "title": "spring toys", "amount": 1}),
        (400, {"action": "update", "dealId": "deal_801"}),
        (409, {"action": "update", "dealId": "deal_802", "amount": 1}),
        (409, {"action": "lose", "customer": "Zenith Toys", "title": "summer"}),
        (404, {"action": "win", "customer": "Xaver"}),
        (404, {"action": "win", "dealId": "deal_999"}),
        (400, {"action": "win"}),
    ],
)
def test_deals_refuse(new_phone, code, arguments):
    assert start(new_phone).code("manage_deal", **arguments) == code


def test_quotes(new_phone):
    phone = start(new_phone)
    drafted = phone.data("manage_quote", action="create", customer="Zenith Toys", product="kites", amount=800)
    assert drafted == {"id": "quote_803", "customer": "Uma Quist", "amount": 800}
    phone.data("manage_quote", action="send", customer="Zenith Toys")
    phone.data("manage_quote", action="reject", quoteId="quote_801")
    new = {"id": "quote_803", "customer_id": "customer_801", "product": "kites", "amount": 800, "status": "sent"}
    assert changed(phone) == {
        ("crm_quotes", "quote_801"): ("update", {"status": "rejected"}),
        ("crm_quotes", "quote_803"): ("insert", new | {"valid_until": "2025-02-14"}),
    }
    assert message(phone, "manage_quote", action="send", quoteId="quote_803") == "Quote already sent"
    assert phone.data("manage_quote", action="query", customer="Zenith Toys")["total"] == 1


@pytest.mark.parametrize(
    "code, arguments",
    [
        (400, {"action": "create", "customer": "Xaver", "product": "lamps"}),
        (400, {"action": "create", "customer": "Xaver", "product": "lamps", "amount": 5, "validUntil": "yesterday"}),
        (409, {"action": "send", "quoteId": "quote_802"}),  # expired
        (409, {"action": "accept", "quoteId": "quote_802"}),  # never sent
        (404, {"action": "send", "customer": "Uma Quist"}),
        (404, {"action": "accept", "customer": "Uma Reyes", "product": "boats"}),
        (404, {"action": "send", "quoteId": "quote_999"}),
        (400, {"action": "send"}),
    ],
)
def test_quotes_refuse(new_phone, code, arguments):
    assert start(new_phone).code("manage_quote", **arguments) == code


def test_a_quote_is_not_sent_offline_nor_made_for_a_lost_customer(new_phone):
    phone = start(new_phone, online=False)
    phone.data("manage_quote", action="create", customer="Xaver", product="lamps", amount=5)
    assert phone.code("manage_quote", action="send", customer="Xaver", product="lamps") == 409
    phone.data("move_customer_stage", customer="Xaver", stage="lost", reason="Closed")
    assert phone.code("manage_quote", action="create", customer="Xaver", product="lamps", amount=5) == 409


# --- all of it ------------------------------------------------------------------------------------------------------


def test_the_follow_up_of_a_last_mail_is_added_and_the_customer_moved(phone):
    """What a seeded history asks for can be done, and shows in two rows."""
    rows = make_world(0).rows
    customer = next(row for row in rows["crm_customers"] if row["stage"] == "proposal")
    mails = phone.data("query_customer_messages", customer=customer["contact"], channel="mail", maxResults=1)
    kind, due = read_ask(mails["items"][0]["text"])
    arguments = {"action": "create", "customer": customer["company"], "kind": kind, "due": due}
    move = {"customer": customer["company"], "stage": "negotiation"}
    done = phone.step(
        ToolCall(id="1", name="manage_follow_up", arguments=arguments),
        ToolCall(id="2", name="move_customer_stage", arguments=move),
    )
    assert [feedback.ok for feedback in done] == [True, True]
    assert [(c.table, c.op) for c in phone.changes()] == [("crm_customers", "update"), ("crm_follow_ups", "insert")]


def read_ask(text: str) -> tuple[str, str]:
    """(kind, due words) of the follow-up that a mail asks for."""
    for kind, template in ASKS.items():
        pattern = re.escape(template).replace(re.escape("{when}"), "(.+)")
        if match := re.fullmatch(pattern, text):
            return kind, match[1]
    raise AssertionError(text)


@pytest.mark.parametrize("seed", range(40))
def test_a_history_says_every_fact_of_its_brief(seed):
    rng = random.Random(seed)
    brief = draw_brief(rng)
    rows = history(rng, brief, "Ada Lund", "Me")
    assert 3 <= len(rows) <= 8
    assert [row["at"] for row in rows] == sorted({row["at"] for row in rows})
    assert rows[-1]["at"] < WORLD_CLOCK.isoformat()
    said = " ".join(row["text"] for row in rows if row["author"] == "Ada Lund")
    assert all(fact in said for fact in (brief.product, f"{brief.budget:,}", brief.decider, brief.objection))
    deadline = re.search(r"everything by (\w+ \d+)\.", said)
    assert deadline and resolve(deadline[1], WORLD_CLOCK, "date") == brief.deadline
    assert (rows[-1]["channel"], rows[-1]["direction"]) == ("mail", "in")
    kind, due = read_ask(rows[-1]["text"])
    assert (kind, resolve(due, WORLD_CLOCK, "due")) == (brief.ask, brief.due)


@pytest.mark.parametrize("seed", range(20))
def test_seeded_customers_are_told_apart_and_agree_with_their_papers(seed):
    rows = make_world(seed).rows
    customers = rows["crm_customers"]
    assert len({row["contact"] for row in customers}) == len({row["company"] for row in customers}) == 5
    assert len({row["contact"].split()[0] for row in customers}) == 4  # one first name is shared
    assert any(row["stage"] == "proposal" for row in customers)
    quotes = {row["customer_id"]: row["status"] for row in rows["crm_quotes"]}
    needed = {"lead": None, "qualified": "draft", "proposal": "sent", "negotiation": "sent", "won": "accepted"}
    for row in customers:
        assert quotes.get(row["id"]) == needed[row["stage"]]
        assert 3 <= sum(entry["customer_id"] == row["id"] for entry in rows["crm_messages"]) <= 8
    ids = {row["id"] for row in customers}
    for table in ("crm_messages", "crm_quotes", "crm_deals", "crm_follow_ups"):
        assert {row["customer_id"] for row in rows[table]} <= ids
    assert max(row["at"] for row in rows["crm_messages"]) < WORLD_CLOCK.isoformat()


def test_worlds_differ():
    assert make_world(1).rows["crm_customers"] != make_world(2).rows["crm_customers"]
    assert make_world(1).rows["crm_messages"] == make_world(1).rows["crm_messages"]


@pytest.mark.parametrize("spec", [tool.spec for tool in DOMAIN.tools], ids=lambda spec: spec.name)
def test_odd_values_never_break_a_tool(new_phone, spec):
    assert len(spec.description.split()) <= 10
    assert_survives(start(new_phone), spec)


def test_the_domain_is_large_enough():
    assert len(DOMAIN.tools) >= 10
