"""The adapter speaks only about visible tools, and not at all when the planner chooses skills itself."""

from __future__ import annotations

import pytest
from harness_doubles import ALARM, LOADER, NOTE, SEARCH, spec

from qpa.contract import Skill
from qpa.harness.adapter import SKILL_PROTOCOL, Adapter, AdapterError, first_claims

TIME = Skill(
    name="time-planning",
    description="Time.",
    instructions=(
        "## Tool Families\n- Time: manage_alarm, manage_timer\n- Plans: manage_todo\n\n## Rules\n"
        "- Query before you change.\n- manage_timer counts down.\n- Use manage_alarm, else manage_timer.\n"
        "## Multi-turn\n- Keep the alarm of the last turn."
    ),
    tools=["manage_alarm", "manage_timer", "manage_todo"],
)
NOTES = Skill(name="notes", description="Notes.", instructions="- Copy text exactly.", tools=["manage_note"])
ORDER = Skill(name="order", description="Order.", instructions="## Rules\n- Keep the order.", tools=[])
CATALOG = [ALARM, spec("manage_timer"), spec("manage_todo"), NOTE, LOADER]


def build(**options):
    return Adapter.build([TIME, NOTES, ORDER], CATALOG, **options)


def test_guidance_is_filtered_to_visible_tools():
    text = build().guidance({"manage_alarm"}, False, 1000)
    assert text == (
        "[time-planning]\n- Time: manage_alarm\n- Query before you change.\n"
        "- Use manage_alarm, else manage_timer.\n[order]\n- Keep the order."
    )


def test_multi_turn_section_needs_a_conversation():
    adapter = build()
    assert "Keep the alarm" not in adapter.guidance({"manage_alarm"}, False, 1000)
    assert "Keep the alarm" in adapter.guidance({"manage_alarm"}, False, 1000, multi_turn=True)


def test_no_guidance_without_a_mapped_tool():
    assert build().guidance({"other"}, False, 1000) == ""


def test_exposed_loaders_give_the_generic_protocol_only():
    text = build().guidance({"manage_alarm", "skill__time_planning"}, True, 1000)
    assert text == SKILL_PROTOCOL
    assert "time" not in text and "manage_" not in text


@pytest.mark.parametrize("limit", range(0, 160, 7))
def test_limit_cuts_between_lines(limit):
    adapter = build()
    full = adapter.guidance({"manage_alarm", "manage_note"}, False, 10_000).split("\n")
    text = adapter.guidance({"manage_alarm", "manage_note"}, False, limit)
    lines = text.split("\n") if text else []
    assert len(text) <= limit and lines == full[: len(lines)]
    assert not lines or not lines[-1].startswith("[")


def test_mapping_must_be_complete_and_unambiguous():
    with pytest.raises(AdapterError, match=r"search_user_memory \(no skill\)"):
        Adapter.build([TIME, NOTES], [*CATALOG, SEARCH])
    greedy = Skill(name="greedy", description="d", instructions="i", tools=["manage_note"])
    with pytest.raises(AdapterError, match=r"manage_note \(notes, greedy\)"):
        Adapter.build([TIME, NOTES, greedy], CATALOG)
    adapter = Adapter.build(
        [TIME, NOTES, greedy], [*CATALOG, SEARCH], {"manage_note": "greedy", "search_user_memory": None}
    )
    assert adapter.index["manage_note"] == "greedy" and "search_user_memory" not in adapter.index
    with pytest.raises(AdapterError, match="override manage_nothing"):
        build(overrides={"manage_nothing": "notes"})


def test_first_claims_make_any_set_of_skills_usable():
    catalog = [*CATALOG, SEARCH]
    adapter = Adapter.build([NOTES, TIME], catalog, first_claims([NOTES, TIME], catalog))
    assert set(adapter.index) == {"manage_alarm", "manage_timer", "manage_todo", "manage_note"}


def test_digest_follows_the_schemas():
    adapter = build()
    assert adapter.matches(list(reversed(CATALOG)))
    assert not adapter.matches([*CATALOG[1:], spec("manage_alarm")])
