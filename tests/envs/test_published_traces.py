"""The six published traces against this phone, call by call: the envelopes' shape and the kinds of state change."""

from __future__ import annotations

from typing import Any

from qpa.bench.rehearsal import domains_of, make_env
from qpa.bench.replay import run_now
from qpa.contract import (
    Dimension,
    ErrorType,
    Fault,
    InitialState,
    Resources,
    Split,
    TaskSpec,
    ToolCall,
    ToolCriteria,
)

Call = tuple[str, dict[str, Any]]


class Phone:
    """A session of world 0 (a TV in the living room, a large screen in the bedroom) that answers calls."""

    def __init__(
        self, patch: dict[str, list[dict[str, Any]]], skills: tuple[str, ...] = (), faults: tuple = ()
    ) -> None:
        self.env = make_env()
        task = TaskSpec(
            id="published",
            goal="",
            criteria=ToolCriteria(steps=[]),
            dimension=Dimension.TOOL,
            domain="",
            family="",
            split=Split.DEV,
            resources=Resources(tools=[] if skills else list(domains_of("en")), skills=list(skills)),
            initial=InitialState(patch=patch, faults=list(faults)),
        )
        self.session = run_now(self.env.reset(task))
        self.made = 0

    def call(self, *calls: Call) -> list[dict[str, Any]]:
        block = []
        for name, arguments in calls:
            self.made += 1
            block.append(ToolCall(id=f"call_{self.made}", name=name, arguments=arguments))
        return [f.payload for f in run_now(self.env.step(self.session, block))]

    def changed(self) -> set[tuple[str, str]]:
        return {(c.op, c.table) for c in self.session.changes()}


def settings(**values: str) -> list[dict[str, str]]:
    return [{"key": k, "value": v} for k, v in values.items()]


def memory(number: int, content: str) -> dict[str, str]:
    at = "2024-05-01T09:00:00"
    row = {"id": f"mem_{number:04d}", "category": "routines_habits", "title": "habit", "content": content}
    return {**row, "created_at": at, "updated_at": at}


def test_t1_memory_guided_planning() -> None:
    phone = Phone(
        {
            "apps": [{"name": "Code Editor", "category": "tools"}],
            "devices": [{"id": "device_010", "name": "MacBook Pro", "kind": "laptop", "nearby": 1, "trusted": 1}],
            "settings": settings(wifi="on", bluetooth="on", airplane_mode="off", developer_options="on"),
            "memories": [
                memory(900, "Coding workflow steps: Code Editor on the phone, keyboard sharing, then USB debugging"),
                memory(901, "The long-code mobile development workflow has three steps"),
            ],
        }
    )
    (first,) = phone.call(("search_user_memory", {"query": "long-code mobile development workflow"}))
    assert (
        first["success"]
        and first["message"].startswith("Found")
        and first["data"]["items"][0]["memory_id"] == "mem_0901"
    )
    query = "coding workflow steps phone script editor keyboard sharing"
    (second,) = phone.call(("search_user_memory", {"query": query, "searchMode": "relevance"}))
    top = second["data"]["items"][0]
    item = "memory_id category title content tags source created_at updated_at relevance_score"
    assert top["memory_id"] == "mem_0900" and list(top) == item.split()
    (opened,) = phone.call(("open_app", {"appName": "Code Editor"}))
    assert opened["status"] == "success" and opened["appName"] == "Code Editor" and "data" not in opened
    sharing = {"action": "enable", "targetDeviceType": "phone", "sourceDeviceType": "laptop"}
    shared, debug = phone.call(("manage_keyboard_mouse_sharing", sharing), ("manage_usb_debug", {"action": "enable"}))
    assert shared["success"] and shared["data"]["connection_status"] == "connected"
    for side in ("source_device", "target_device"):
        assert {"device_type", "device_name", "device_id"} <= set(shared["data"][side])
    assert debug["data"]["usb_debug_enabled"] is True and debug["data"]["developer_options_enabled"] is True
    assert phone.changed() == {("update", "apps"), ("update", "settings")}


def test_t2_multi_turn_state_tracking() -> None:
    phone = Phone(
        {
            "settings": settings(wifi="on", airplane_mode="off", mobile_data="on", hotspot="off", casting_device=""),
        }
    )
    start = {"action": "start", "targetDeviceType": "tv", "targetDeviceName": "living room"}
    other = {"action": "start", "castDirection": "cast_out", "connectionMethod": "wireless"}
    other |= {"targetDeviceType": "large_screen", "targetDeviceName": "bedroom"}
    (casting,) = phone.call(("control_screen_casting", start))
    assert (
        casting["data"]["status"] == "casting" and casting["data"]["target_device"]["device_name"] == "Living Room TV"
    )
    assert casting["data"]["castDirection"] == "cast_out" and casting["data"]["connectionMethod"] == "wireless"
    (refused,) = phone.call(("control_screen_casting", other))
    assert refused["success"] is False and refused["code"] == 409 and "stop" in refused["error"]
    (hotspot,) = phone.call(("manage_hotspot", {"action": "enable"}))
    assert hotspot["success"] and hotspot["action"] == "enable"
    assert hotspot["hotspot_status"].keys() == {"enabled", "ssid", "password"}
    change = {"settingItem": "hotspot_name", "settingValue": "GuestOnly"}
    (named,) = phone.call(("configure_hotspot", change))
    assert named["status"] == "success" and named["new_value"] == "GuestOnly" and named["code"] == 200
    assert named["settingItem"] == "hotspot_name" and "old_value" in named
    (stopped,) = phone.call(("control_screen_casting", {"action": "stop"}))
    assert stopped["data"] == {
        "status": "idle",
        "previous_device": "Living Room TV",
        "previous_direction": "cast_out",
    }
    (again,) = phone.call(("control_screen_casting", other))
    assert again["data"]["target_device"]["device_type"] == "large_screen"
    (wrong,) = phone.call(("control_screen_casting", {"action": "start", "connectionMethod": "string"}))
    assert wrong["code"] == 400 and all(
        m in wrong["error"] for m in ("wireless", "trusted_ring", "AirView", "smart_space")
    )
    assert phone.changed() == {("update", "settings")}


def test_t3_sub_agent_coordination() -> None:
    phone = Phone({})
    download = "Download Algebra.pdf, Biology.docx, English.docx from the group Class 10A"
    (started,) = phone.call(("control_gui_agent", {"action": "start", "appName": "WhatsApp", "instruction": download}))
    data = started["data"]
    assert data["appName"] == "WhatsApp" and (data["status"], data["execution_status"]) == ("active", "pending")
    (done,) = phone.call(("control_gui_agent", {"action": "execute", "sessionId": data["sessionId"]}))
    assert (done["data"]["status"], done["data"]["execution_status"]) == ("completed", "completed")
    assert [s["action"] for s in done["data"]["steps"]] == ["launch_app", "operate_ui", "verify_result"]
    assert [s["step"] for s in done["data"]["steps"]] == [1, 2, 3]
    move = "Move Algebra.pdf to Math, then move Biology.docx to Science, then move English.docx to English"
    (second,) = phone.call(("control_gui_agent", {"action": "start", "appName": "File Manager", "instruction": move}))
    session = second["data"]["sessionId"]
    assert session != data["sessionId"] and session.startswith("gui_agent_")
    (moved,) = phone.call(("control_gui_agent", {"action": "execute", "sessionId": session}))
    assert moved["data"]["execution_status"] == "completed"
    assert phone.changed() == {("insert", t) for t in ("files", "file_folders", "gui_sessions")}


def test_t4_personalised_state_correction() -> None:
    note = "When Mom reads long notifications and can tap normally, use Select to Speak as the reading aid"
    switches = settings(talkback="on", select_to_speak="off", talkback_speech_rate="1.5")
    phone = Phone({"memories": [memory(900, note)], "settings": switches})
    query = "accessibility routine reading aid when user can tap normally, which reading aid to enable"
    found, talkback, speak = phone.call(
        ("search_user_memory", {"query": query, "maxResults": 10}),
        ("manage_talkback", {"action": "query"}),
        ("manage_select_to_speak", {"action": "query"}),
    )
    assert found["data"]["items"][0]["memory_id"] == "mem_0900" and len(found["data"]["items"]) <= 10
    assert talkback["data"]["enabled"] is True and speak["data"]["enabled"] is False
    heard = {"pitch": 1.0, "sound_feedback": True, "speech_rate": 1.5, "vibration_feedback": True}
    assert talkback["data"]["settings"] == heard
    aid = {"highlight_color": "blue", "language": "en-US", "read_in_background": False, "speech_rate": 1.0}
    assert speak["data"]["settings"] == aid
    on, off = phone.call(("manage_select_to_speak", {"action": "enable"}), ("manage_talkback", {"action": "disable"}))
    assert on["data"]["enabled"] is True and off["data"]["enabled"] is False
    assert phone.changed() == {("update", "settings")}


def test_t5_skill_guided_ordering() -> None:
    names = ("ai-content-personal-assistant", "power-performance-battery", "conflict-order-arbiter")
    phone = Phone({"notes": []}, skills=names)
    loaded = phone.call(*((f"skill__{n.replace('-', '_')}", {"reason": "the request"}) for n in names))
    for name, answer in zip(names, loaded):
        assert answer["status"] == "loaded" and answer["skill"] == name and answer["instructions"]
        assert answer["unknown_tools"] == [] and bool(answer["loaded_tools"]) == (name != "conflict-order-arbiter")
    (note,) = phone.call(("manage_note", {"action": "create", "content": "Meet at the west entrance at 8"}))
    assert note["data"]["content"] == "Meet at the west entrance at 8" and note["data"]["noteId"]
    (off,) = phone.call(("control_device_power", {"action": "power_off"}))
    assert off["success"] and off["action"] == "power_off" and "data" not in off
    (late,) = phone.call(("manage_note", {"action": "query"}))
    assert late["success"] is False and late["code"] == 409
    assert phone.changed() == {("insert", "notes"), ("update", "settings")}


def test_t6_error_recovery() -> None:
    message = "fromUnit or toUnit does not belong to the supported units of the specified category"
    fault = Fault(tool="convert_unit", error_type=ErrorType.INVALID_ARGUMENT, message=message, count=2)
    coach = {"id": "contact_801", "name": "coach", "phone": "13811112222"}
    phone = Phone({"contacts": [coach], "settings": settings(airplane_mode="off")}, faults=(fault,))
    (health,) = phone.call(("query_health_data", {"dataType": "weight", "date": "today"}))
    data = health["data"]
    assert health["message"] == "Found 1 health data records." and data["total"] == 1 and data["unit"] == "kilograms"
    item = data["items"][0]
    assert item["id"] == "hd_weight_20250115_001" and item["sourceApp"]
    for units in (("kilograms", "pounds"), ("kg", "lbs")):
        call = {"category": "weight", "fromUnit": units[0], "toUnit": units[1], "value": 70}
        assert phone.call(("convert_unit", call)) == [{"success": False, "error": message, "code": 400}]
    (sum_,) = phone.call(("calculate_expression", {"expression": "70 * 2.2046226218", "precision": 2}))
    assert sum_["data"]["result"] == 154.32 and sum_["data"]["precision"] == 2
    text = "Hi coach, my weight today is 154.32 pounds (70 kg)."
    (sent,) = phone.call(("send_message", {"content": text, "phoneNumber": "138-1111-2222"}))
    assert sent["data"]["messageType"] == "text" and sent["data"]["id"].startswith("msg_")
    assert phone.changed() == {("insert", "messages")}
