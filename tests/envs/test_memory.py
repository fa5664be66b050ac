"""User memory: ranked search, writes that search sees at once, forks, and coherent seeded records."""

from __future__ import annotations

from collections import Counter

import pytest

from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains.memory import search
from qpa.envs.sandbox.domains.memory_world import memory_facts

TRIP, RENTAL = "Kayaks on the lake at", "The kayak rental is closed in winter."
RECORDS = [
    {"id": "mem_0901", "title": "Kayak trip", "content": f"{TRIP} 07:10.", "updated_at": "2024-03-01T10:00:00",
     "tags": "water boat"},
    {"id": "mem_0902", "title": "Kayak trip", "content": f"{TRIP} 08:40.", "updated_at": "2024-09-01T10:00:00",
     "tags": "water boat"},
    {"id": "mem_0903", "title": "Rental", "content": RENTAL, "updated_at": "2024-12-01T10:00:00",
     "category": "important_event"},
]  # fmt: skip


@pytest.fixture
def kayaks(new_phone):
    return new_phone(patch={"memories": RECORDS})


def ids(phone, **arguments):
    return [i["memory_id"] for i in phone.data("search_user_memory", **arguments)["items"]]


def test_relevance_order_and_item_shape(kayaks):
    data = kayaks.data("search_user_memory", query="my usual kayaking trip on the lake")
    assert [i["memory_id"] for i in data["items"][:3]] == ["mem_0902", "mem_0901", "mem_0903"]
    first = data["items"][0]
    assert first == {
        "memory_id": "mem_0902",
        "category": "important_info",
        "title": "Kayak trip",
        "content": "Kayaks on the lake at 08:40.",
        "tags": ["water", "boat"],
        "source": "chat",
        "created_at": "2024-06-01",
        "updated_at": "2024-09-01",
        "relevance_score": first["relevance_score"],
    }
    scores = [i["relevance_score"] for i in data["items"]]
    assert scores == sorted(scores, reverse=True) and all(s == round(s, 1) > 0 for s in scores)
    assert data["total"] == len(data["items"])
    assert kayaks.changes() == []


def test_equal_scores_put_the_newer_record_first():
    rows = [r | {"tags": ""} for r in RECORDS[:2]]
    for order in (rows, rows[::-1]):
        hits = search(order, "kayak lake")
        assert [r["id"] for r, _ in hits] == ["mem_0902", "mem_0901"] and hits[0][1] == hits[1][1]
    same = [r | {"updated_at": "2024-01-01T00:00:00"} for r in rows]
    assert [r["id"] for r, _ in search(same[::-1], "kayak")] == ["mem_0901", "mem_0902"]


def test_recency_mode_is_newest_first_among_relevant_records(kayaks):
    assert ids(kayaks, query="kayak", searchMode="recency")[:3] == ["mem_0903", "mem_0902", "mem_0901"]
    assert ids(kayaks, query="kayak trip lake", searchMode="recency") == ["mem_0902", "mem_0901"]


def test_category_filter(kayaks):
    assert ids(kayaks, query="kayak", memoryCategory="important_event") == ["mem_0903"]
    assert ids(kayaks, query="kayak", memoryCategory="routines_habits") == []
    assert kayaks.code("search_user_memory", query="kayak", memoryCategory="other") == 400


def test_the_number_of_hits(new_phone):
    phone = new_phone(patch={"memories": [{"id": f"mem_{900 + n:04d}", "content": f"quokka {n}"} for n in range(25)]})
    assert len(ids(phone, query="quokka")) == 5
    assert len(ids(phone, query="quokka", maxResults=2)) == 2
    assert len(ids(phone, query="quokka", maxResults=20)) == 20
    assert phone.code("search_user_memory", query="quokka", maxResults=0) == 400
    assert phone.code("search_user_memory", query="quokka", maxResults=21) == 400


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "NEAR(",
        "a AND OR NOT",
        "title:x*",
        "-",
        "^",
        "the of",
        " ".join(f"w{n}" for n in range(400)),
        "😀",
        "'; --",
    ],
)
def test_any_text_is_a_query(phone, query):
    assert phone.use("search_user_memory", query=query).ok


def test_a_query_of_common_words_still_searches(new_phone):
    phone = new_phone(patch={"memories": [{"id": "mem_0901", "title": "The Who", "content": "Likes this band."}]})
    assert "mem_0901" in ids(phone, query="who", maxResults=20)


def test_text_without_spaces_is_searchable(new_phone):
    phone = new_phone(patch={"memories": [{"id": "mem_0901", "title": "闹钟", "content": "健身日闹钟是六点"}]})
    assert ids(phone, query="健身") == ["mem_0901"]


def test_a_new_memory_is_found_and_a_duplicate_is_refused(kayaks):
    made = kayaks.data(
        "add_user_memory", content="Plays the ocarina on Sundays in the old park", memoryCategory="routines_habits"
    )
    assert made["memory_id"] == "mem_0904"
    assert ids(kayaks, query="ocarina") == ["mem_0904"]
    (change,) = kayaks.changes()
    assert (change.table, change.op, change.new["category"]) == ("memories", "insert", "routines_habits")
    assert change.new["title"] == "Plays the ocarina on Sundays"
    assert change.new["updated_at"] == "2025-01-15T09:00:00"
    arguments = {"memoryCategory": "important_info"}
    assert kayaks.code("add_user_memory", content="plays the  OCARINA on sundays in the old park.", **arguments) == 409
    named = kayaks.data("add_user_memory", content="Owns a lute", title="Lute", **arguments)["memory_id"]
    assert kayaks.data("search_user_memory", query="lute")["items"][0]["title"] == "Lute" and named == "mem_0905"


def test_replacing(kayaks):
    kayaks.data("replace_user_memory", memoryId="mem_0902", content="Kayaks on the river at 09:15.")
    (change,) = kayaks.changes()
    assert (change.key, change.new) == (
        {"id": "mem_0902"},
        {"content": "Kayaks on the river at 09:15.", "updated_at": "2025-01-15T09:00:00"},
    )
    assert ids(kayaks, query="kayak river")[0] == "mem_0902"
    assert kayaks.code("replace_user_memory", memoryId="mem_9999", content="x") == 404
    assert kayaks.code("replace_user_memory", memoryId="mem_0901", content="Kayaks on the river at 09:15.") == 409
    before = kayaks.changes()
    same = kayaks.use("replace_user_memory", memoryId="mem_0902", content="Kayaks on the river at 09:15.")
    assert same.payload["message"] == "Memory already so" and kayaks.changes() == before


def test_removing(kayaks):
    kayaks.data("remove_user_memory", memoryId="mem_0902")
    assert [(c.op, c.key) for c in kayaks.changes()] == [("delete", {"id": "mem_0902"})]
    assert ids(kayaks, query="kayak trip")[:2] == ["mem_0901", "mem_0903"]
    assert kayaks.code("remove_user_memory", memoryId="mem_0902") == 404


def test_a_fork_searches_its_own_records(kayaks):
    kayaks.data("replace_user_memory", memoryId="mem_0901", content="Rows a dinghy.")
    original = kayaks.session
    kayaks.session = original.fork()
    assert ids(kayaks, query="dinghy") == ["mem_0901"]
    kayaks.data("remove_user_memory", memoryId="mem_0901")
    assert ids(kayaks, query="dinghy") == []
    kayaks.session = original
    assert ids(kayaks, query="dinghy") == ["mem_0901"]


# --- seeded records ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_seeded_records_are_coherent(seed):
    world = make_world(seed)
    facts = memory_facts(world)
    assert 24 <= len(facts) <= 40
    assert [(f.id, f.content, f.updated_at) for f in facts] == [
        (r["id"], r["content"], r["updated_at"]) for r in world.rows["memories"]
    ]
    assert {f.category for f in facts} == {"routines_habits", "important_info", "important_event"}
    assert len({f.content for f in facts}) == len(facts)
    assert max(Counter(f.subject for f in facts if not f.superseded).values()) == 1
    for fact in facts:
        assert all(value in fact.content for value in fact.values.values())
        assert fact.created_at <= fact.updated_at < "2025-01-15"
        assert fact.id == f"mem_{int(fact.id[4:]):04d}"


def test_superseded_records_have_a_newer_one_that_differs():
    for seed in range(30):
        facts = memory_facts(make_world(seed))
        old = [f for f in facts if f.superseded]
        assert 3 <= len(old) <= 6
        for fact in old:
            (valid,) = [f for f in facts if f.subject == fact.subject and not f.superseded]
            assert valid.updated_at[:10] > fact.updated_at[:10] and valid.values != fact.values


def test_memories_only_name_what_the_phone_has():
    known = {"contact": ("contacts", "name"), "profile": ("vpn_profiles", "name"), "ssid": ("wifi_networks", "ssid"),
             "device": ("bluetooth_devices", "name"), "password": ("wifi_networks", "password")}  # fmt: skip
    seen = Counter()
    for seed in range(30):
        world = make_world(seed)
        for fact in memory_facts(world):
            for slot, (table, column) in known.items():
                if slot in fact.values:
                    seen[slot] += 1
                    assert fact.values[slot] in {r[column] for r in world.rows[table]}, fact.content
    assert min(seen[slot] for slot in known) > 3


def test_the_valid_record_is_found_first_by_its_title():
    for seed in (1, 4, 6, 9):
        rows = make_world(seed).rows["memories"]
        for fact in memory_facts(make_world(seed)):
            found = search(rows, fact.title)[0][0]
            assert found["title"] == fact.title, (seed, fact.title)
