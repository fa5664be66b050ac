"""AI Assistant: notes, switches, personal search, sub-agents that act, and skill loaders."""

from __future__ import annotations

import asyncio

import pytest

from qpa.contract import ErrorType, Fault, ToolCall, ToolKind
from qpa.envs.sandbox import SandboxEnv, catalog
from qpa.envs.sandbox.domains.facts import FACTS, FACTS_ZH, answer
from qpa.envs.skills import builtin_skills

FILES = [{"id": "file_801", "name": "Algebra.pdf"}, {"id": "file_802", "name": "Biology.docx"}]


def operate(phone, app, instruction):
    session = phone.data("control_gui_agent", action="start", appName=app, instruction=instruction)["sessionId"]
    return phone.data("control_gui_agent", action="execute", sessionId=session)


def rows(phone, table):
    return [c.new for c in phone.changes() if c.table == table and c.op == "insert"]


# --- notes, search, switches ---------------------------------------------------------------------------------------


def test_notes(new_phone):
    phone = new_phone(
        patch={"notes": [{"id": "note_070", "content": "Old map"}, {"id": "note_071", "content": "Old key"}]}
    )
    made = phone.data("manage_note", action="create", content="Meet at 8")
    assert made["noteId"] == "note_072"
    assert rows(phone, "notes") == [{"id": "note_072", "content": "Meet at 8", "created_at": "2025-01-15T09:00:00"}]
    assert phone.code("manage_note", action="create", content="meet AT 8") == 409
    assert phone.code("manage_note", action="create") == 400
    assert phone.code("manage_note", action="delete") == 400
    assert phone.code("manage_note", action="delete", noteId="note_999") == 404
    assert phone.code("manage_note", action="delete", content="Old") == 409
    phone.data("manage_note", action="delete", content="old map")
    phone.data("manage_note", action="delete", noteId="note_072")
    assert [(c.op, c.key) for c in phone.changes()] == [("delete", {"id": "note_070"})]
    assert phone.data("manage_note", action="query", content="OLD")["items"] == [
        {"noteId": "note_071", "content": "Old key"}
    ]


def test_personal_search_reads_every_source(new_phone):
    phone = new_phone(
        patch={
            "contacts": [{"id": "contact_801", "name": "Zed Quill", "phone": "5559999"}],
            "notes": [{"id": "note_801", "content": "ask zed about tea"}],
            "schedules": [{"id": "schedule_801", "event": "Lunch with Zed", "datetime": "2025-01-16T12:00:00"}],
        }
    )
    found = phone.data("search_personal_information", keyword="ZED")
    assert [(i["source"], i["id"]) for i in found["items"]] == [
        ("contacts", "contact_801"),
        ("notes", "note_801"),
        ("schedules", "schedule_801"),
    ]
    assert "5559999" in found["items"][0]["text"]
    assert phone.data("search_personal_information", keyword="zed", source="notes")["total"] == 1
    assert phone.data("search_personal_information", keyword="zzzz")["items"] == []
    assert phone.data("search_personal_information", keyword="note_801")["items"] == []  # ids are not content


@pytest.mark.parametrize("feature", ["smart_stay", "gaze_wake", "noise_detection"])
def test_perception(new_phone, feature):
    phone = new_phone(patch={"settings": [{"key": feature, "value": "off"}]})
    assert phone.code("manage_smart_perception", action="enable") == 400
    phone.data("manage_smart_perception", action="enable", feature=feature)
    assert [c.key for c in phone.changes()] == [{"key": feature}]
    assert (
        phone.use("manage_smart_perception", action="enable", feature=feature).payload["message"].endswith("already on")
    )
    assert phone.data("manage_smart_perception", action="query")[feature] is True
    assert phone.data("manage_smart_perception", action="query", feature=feature) == {feature: True}


def test_captions(new_phone):
    phone = new_phone(
        patch={"settings": [{"key": "ai_caption", "value": "off"}, {"key": "ai_caption_language", "value": "English"}]}
    )
    assert phone.code("manage_ai_caption", action="enable", language="Klingon") == 404
    assert phone.code("manage_ai_caption", action="disable", language="French") == 400
    assert phone.data("manage_ai_caption", action="enable", language="french") == {
        "enabled": True,
        "language": "French",
    }
    assert len(phone.changes()) == 2
    assert phone.use("manage_ai_caption", action="enable").payload["message"] == "AI caption already on"


def test_voice_assistant(new_phone):
    phone = new_phone(
        patch={"settings": [{"key": "voice_assistant", "value": "on"}, {"key": "voice_session", "value": "on"}]}
    )
    assert phone.use("close_voice_assistant_session").payload["message"] == "Voice session closed"
    assert phone.use("close_voice_assistant_session").payload["message"] == "Voice session already closed"
    assert [c.key for c in phone.changes()] == [{"key": "voice_session"}]
    phone = new_phone(
        patch={"settings": [{"key": "voice_assistant", "value": "on"}, {"key": "voice_session", "value": "on"}]}
    )
    assert phone.data("manage_voice_assistant", action="disable")["session"] == "off"
    assert phone.code("manage_voice_assistant", action="disable", wakeWord="Hey") == 400
    assert phone.data("manage_voice_assistant", action="enable", wakeWord="Hey Mimi")["wakeWord"] == "Hey Mimi"


def test_avatar(phone):
    phone.data("display_avatar_expression", expression="wave")
    assert [(c.key, c.new) for c in phone.changes()] == [({"key": "avatar_expression"}, {"value": "wave"})]
    assert phone.use("display_avatar_expression", expression="wave").payload["message"] == "Expression already shown"
    assert phone.code("display_avatar_expression", expression="grin") == 400


# --- sub-agents ----------------------------------------------------------------------------------------------------


def test_gui_agent_downloads_then_moves_files(phone):
    done = operate(phone, "whatsapp", "Open group Class 10A, download Algebra.pdf and English.docx")
    assert done["appName"] == "WhatsApp" and done["execution_status"] == "completed"
    assert [s["action"] for s in done["steps"]] == ["launch_app", "operate_ui", "verify_result"]
    assert [(f["name"], f["kind"]) for f in rows(phone, "files")] == [
        ("Algebra.pdf", "document"),
        ("English.docx", "document"),
    ]
    assert {f["folder"] for f in rows(phone, "file_folders")} == {"Download"}
    done = operate(phone, "File Manager", "Move Algebra.pdf to Math, English.docx to the Mother Tongue folder")
    assert done["results"] == ["moved Algebra.pdf to Math", "moved English.docx to Mother Tongue"]
    assert {(f["file"], f["folder"]) for f in rows(phone, "file_folders")} == {
        ("Algebra.pdf", "Math"),
        ("English.docx", "Mother Tongue"),
    }


@pytest.mark.parametrize(
    "instruction, folders",
    [
        ("move Algebra.pdf and Biology.docx to Science", {"Algebra.pdf": "Science", "Biology.docx": "Science"}),
        ('Please put algebra.pdf into folder "This Week\'s Files"', {"Algebra.pdf": "This Week's Files"}),
        ("Move Biology.docx to A, then move Biology.docx to B.", {"Biology.docx": "B"}),
        (
            "save Notes.txt to the Lists folder and move Algebra.pdf to Math",
            {"Notes.txt": "Lists", "Algebra.pdf": "Math"},
        ),
        ("download Algebra.pdf", {}),
        ("scroll to the end", {}),
    ],
)
def test_gui_agent_reads_instructions(new_phone, instruction, folders):
    phone = new_phone(patch={"files": FILES})
    operate(phone, "File Manager", instruction)
    assert {f["file"]: f["folder"] for f in rows(phone, "file_folders")} == folders


@pytest.mark.parametrize(
    "instruction, recipient, content",
    [
        ('send "On my way; save B.pdf. Then move it" to Bob', "Bob", "On my way; save B.pdf. Then move it"),
        ("Open the chat and send see you at ten to Class 10A in Telegram", "Class 10A", "see you at ten"),
        ("tell Mom that I am late", "Mom", "I am late"),
        ("Reply to Ann: yes, gladly", "Ann", "yes, gladly"),
        ("send Bob: back to work", "Bob", "back to work"),
        ("forward algebra.pdf to Bob, Ann", "Bob, Ann", "Algebra.pdf"),
    ],
)
def test_gui_agent_sends_inside_apps(new_phone, instruction, recipient, content):
    phone = new_phone(patch={"files": FILES})
    operate(phone, "Telegram", instruction)
    assert [c.table for c in phone.changes()] == ["app_messages", "gui_sessions"]
    (message,) = rows(phone, "app_messages")
    assert (message["app"], message["recipient"], message["content"]) == ("Telegram", recipient, content)


def test_gui_agent_deletes_files(new_phone):
    phone = new_phone(patch={"files": FILES, "file_folders": [{"file": "Algebra.pdf", "folder": "Math"}]})
    operate(phone, "File Manager", "delete Algebra.pdf")
    assert [(c.table, c.op) for c in phone.changes()] == [
        ("file_folders", "delete"),
        ("files", "delete"),
        ("gui_sessions", "insert"),
    ]


def test_a_failed_execution_changes_nothing_and_stays_pending(new_phone):
    phone = new_phone(patch={"files": FILES})
    instruction = "move Algebra.pdf to Math, then move Missing.pdf to Math"
    session = phone.data("control_gui_agent", action="start", appName="File Manager", instruction=instruction)
    assert session["status"] == "active" and session["execution_status"] == "pending"
    assert phone.code("control_gui_agent", action="execute", sessionId=session["sessionId"]) == 404
    status = phone.data("control_gui_agent", action="query", sessionId=session["sessionId"])
    assert status["execution_status"] == "pending"
    assert rows(phone, "file_folders") == []


def test_gui_agent_refuses_what_it_cannot_do(phone):
    for name, near in (("Files", "File Manager"), ("Galery", "Gallery"), ("photos", "Gallery")):
        feedback = phone.use("control_gui_agent", action="start", appName=name, instruction="open it")
        assert feedback.code == 404 and feedback.payload["error"].endswith(f"available: {near}")
    unlike = phone.use("control_gui_agent", action="start", appName="Qqqq", instruction="open it")
    assert unlike.code == 404 and "available" not in unlike.payload["error"]
    assert phone.code("control_gui_agent", action="start", instruction="open it") == 400
    assert phone.code("control_gui_agent", action="start", appName="Maps") == 400
    assert phone.code("control_gui_agent", action="execute") == 400
    assert phone.code("control_gui_agent", action="execute", sessionId="gui_agent_077") == 404
    assert phone.data("control_gui_agent", action="query")["items"] == []


def test_an_app_without_gui_support_is_unsupported(new_phone):
    phone = new_phone(patch={"apps": [{"name": "Vault", "supports_gui": 0}]})
    assert phone.code("control_gui_agent", action="start", appName="Vault", instruction="open it") == 404


def test_executing_twice_acts_once(phone):
    args = {"appName": "WhatsApp", "instruction": 'send "hi" to Bob'}
    session = phone.data("control_gui_agent", action="start", **args)["sessionId"]
    phone.data("control_gui_agent", action="execute", sessionId=session)
    again = phone.use("control_gui_agent", action="execute", sessionId=session)
    assert again.payload["message"] == "GUI session already completed"
    assert len(rows(phone, "app_messages")) == 1


@pytest.mark.parametrize(
    "piece", ["a", " ", "a.pdf ", "a.pdf, ", '"', "send a to ", "then ", "\ue0000\ue001 ", "move a.pdf to a ", "; "]
)
def test_long_odd_instructions_are_survived(new_phone, piece):
    phone = new_phone(patch={"files": [{"id": "file_801", "name": "a.pdf"}]})
    text = ("move x " + piece * 1000)[:1990] + "end"
    assert operate(phone, "Maps", text)["execution_status"] == "completed"


def test_sub_agents_fail_by_the_fault_plan(new_phone):
    phone = new_phone(faults=[Fault(tool="control_gui_agent", error_type=ErrorType.UNAVAILABLE, first=1)])
    args = {"appName": "WhatsApp", "instruction": 'send "hi" to Bob'}
    session = phone.data("control_gui_agent", action="start", **args)["sessionId"]
    assert phone.code("control_gui_agent", action="execute", sessionId=session) == 503
    phone.data("control_gui_agent", action="execute", sessionId=session)
    assert len(rows(phone, "app_messages")) == 1


def test_image_agent(phone):
    first = phone.data("control_ai_image_agent", action="generate", prompt="a red kite")["imageId"]
    second = phone.data("control_ai_image_agent", action="edit", prompt="make it blue", imageId=first)["imageId"]
    assert [(r["id"], r["prompt"], r["parent"]) for r in rows(phone, "images")] == [
        (first, "a red kite", ""),
        (second, "make it blue", first),
    ]
    assert phone.code("control_ai_image_agent", action="generate") == 400
    assert phone.code("control_ai_image_agent", action="generate", prompt="x", imageId=first) == 400
    assert phone.code("control_ai_image_agent", action="edit", prompt="x") == 400
    assert phone.code("control_ai_image_agent", action="edit", prompt="x", imageId="image_777") == 404
    assert phone.code("control_ai_image_agent", action="query", imageId="image_777") == 404
    assert phone.data("control_ai_image_agent", action="query", imageId=first)["items"] == [
        {"imageId": first, "prompt": "a red kite"}
    ]


def test_practice_agents_hold_one_session_each(phone):
    assert phone.code("speaking_coach_agent", action="stop") == 409
    phone.data("speaking_coach_agent", action="start", topic="travel", language="French")
    assert phone.code("speaking_coach_agent", action="start") == 409
    assert phone.code("scenario_dialogue_agent", action="start") == 400
    phone.data("scenario_dialogue_agent", action="start", scenario="hotel check-in")
    phone.data("speaking_coach_agent", action="stop")
    assert phone.code("speaking_coach_agent", action="stop") == 409
    assert {(r["agent"], r["topic"], r["language"], r["status"]) for r in rows(phone, "practice_sessions")} == {
        ("speaking_coach", "travel", "French", "ended"),
        ("scenario_dialogue", "hotel check-in", "", "active"),
    }
    assert phone.data("speaking_coach_agent", action="start")["topic"] == "daily life"


def test_question_answering(phone):
    assert phone.data("general_qa_agent", query="Tell me the capital of Japan please")["answer"] == "Tokyo"
    assert phone.code("general_qa_agent", query="What is the almanac of tomorrow?") == 404
    assert phone.code("general_qa_agent", query="capital") == 404
    assert phone.changes() == []


def test_every_fact_is_found_by_its_question():
    assert len(FACTS) >= 40
    assert [f.question for f in (*FACTS, *FACTS_ZH) if answer(f.question) != f.answer] == []
    assert len(FACTS_ZH) == len(FACTS)


# --- skill loaders -------------------------------------------------------------------------------------------------


def test_loading_a_skill_makes_its_tools_callable(new_phone):
    phone = new_phone(tools=[], skills=[])
    skills = builtin_skills()
    phone.task.resources.skills = [s.name for s in skills]
    phone.env = SandboxEnv(skills=skills)
    phone.session = asyncio.run(phone.env.reset(phone.task))
    assert phone.code("manage_wifi", action="query") == 404
    (feedback,) = phone.step(ToolCall(id="s", name="skill__wifi_hotspot", arguments={"reason": "Wi-Fi"}))
    skill = next(s for s in skills if s.name == "wifi-hotspot")
    assert feedback.payload == {
        "status": "loaded",
        "skill": "wifi-hotspot",
        "loaded_tools": skill.tools,
        "unknown_tools": [],
        "instructions": skill.instructions,
    }
    assert [spec.name for spec in feedback.loaded_tools] == skill.tools
    assert phone.use("manage_wifi", action="query").ok
    arbiter = phone.use("skill__conflict_order_arbiter", reason="order")
    assert arbiter.ok and arbiter.payload["loaded_tools"] == [] and arbiter.loaded_tools == []


def test_the_built_in_skills_cover_the_whole_catalogue():
    listed = {name for skill in builtin_skills() for name in skill.tools}
    assert listed == {spec.name for spec in catalog()}


def test_kinds_of_the_assistant_tools():
    kinds = {kind: [s.name for s in catalog() if s.kind == kind] for kind in ToolKind}
    assert len(kinds[ToolKind.MEMORY]) == 4
    assert set(kinds[ToolKind.SUBAGENT]) == {
        "trigger_task",
        "control_gui_agent",
        "general_qa_agent",
        "control_ai_image_agent",
        "speaking_coach_agent",
        "scenario_dialogue_agent",
    }
