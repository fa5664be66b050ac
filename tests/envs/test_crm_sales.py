"""Customer Management, the selling: moves that the pipeline allows, follow-ups, deals and quotes."""

from __future__ import annotations

import pytest
from crm_phone import start
from phone_rows import message
from phone_rows import operations as changed

from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains.crm_sales import MOVES


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
