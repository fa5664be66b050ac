"""Customer Management: who was meant, what they wrote, and a world in which it can be acted on."""

from __future__ import annotations

import random
import re

import pytest
from crm_phone import CUSTOMERS, start
from hostile_calls import assert_survives
from phone_rows import message
from phone_rows import operations as changed

from qpa.contract import ToolCall
from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains.crm import DOMAIN
from qpa.envs.sandbox.domains.crm_world import ASKS, TEAM, draw_brief, history
from qpa.envs.sandbox.schema import WORLD_CLOCK
from qpa.envs.sandbox.times import resolve

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
