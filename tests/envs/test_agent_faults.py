"""Sub-agents that fail while they answer "done": by the fault plan, each in its way, and the same on every replay."""

from __future__ import annotations

from typing import Any

import pytest

from qpa.contract import EnvFailure, Fault, FaultMode, from_json, from_msgpack, to_json, to_msgpack

FILES = [
    {"id": "file_801", "name": "Zalgebra.pdf"},
    {"id": "file_802", "name": "Zbiology.pdf"},
    {"id": "file_803", "name": "Zcooking.docx"},
]
ORDER = 'move Zalgebra.pdf to School; send "see; you" to Bob'


def start(phone: Any, instruction: str, app: str = "File Manager") -> str:
    data = phone.data("control_gui_agent", action="start", appName=app, instruction=instruction)
    return data["sessionId"]


def failing(new_phone: Any, mode: FaultMode, **fault: Any) -> Any:
    plan = Fault(tool="control_gui_agent", first=1, mode=mode, **fault)
    return new_phone(patch={"files": FILES}, faults=[plan])


def written(phone: Any, table: str) -> list[Any]:
    return [c.new for c in phone.changes() if c.table == table]


def execute(phone: Any, session: str) -> dict[str, Any]:
    feedback = phone.use("control_gui_agent", action="execute", sessionId=session)
    assert feedback.ok and feedback.payload["message"] == "GUI task completed"
    return feedback.payload.get("data")


def test_nothing_done_and_nothing_told(new_phone: Any) -> None:
    phone = failing(new_phone, FaultMode.NO_OP)
    session = start(phone, ORDER)
    assert execute(phone, session) is None
    assert written(phone, "file_folders") == written(phone, "app_messages") == []
    assert phone.data("control_gui_agent", action="query", sessionId=session)["execution_status"] == "pending"
    assert execute(phone, session)["results"] == ["moved Zalgebra.pdf to School", "sent to Bob"]
    assert written(phone, "app_messages")[0]["content"] == "see; you"


def test_a_false_done_tells_of_what_it_did_not_do(new_phone: Any) -> None:
    phone = failing(new_phone, FaultMode.FALSE_DONE)
    session = start(phone, ORDER)
    told = execute(phone, session)
    assert told["execution_status"] == "completed" and len(told["results"]) == 2
    assert written(phone, "file_folders") == written(phone, "app_messages") == []
    assert execute(phone, session) == told  # the repetition does it
    assert len(written(phone, "app_messages")) == 1


def test_a_part_is_the_first_clause(new_phone: Any) -> None:
    phone = failing(new_phone, FaultMode.PARTIAL)
    assert execute(phone, start(phone, 'send "see; you" to Bob; delete Zalgebra.pdf'))["results"] == ["sent to Bob"]
    assert written(phone, "app_messages")[0]["content"] == "see; you"
    assert written(phone, "files") == []


@pytest.mark.parametrize(
    ("order", "result"),
    [
        ("delete Zalgebra.pdf", "deleted Zbiology.pdf"),
        ("move zalgebra.pdf to School", "moved Zbiology.pdf to School"),
        ("send Zalgebra.pdf to Bob", "sent Zbiology.pdf to Bob"),
        ("open the settings", "no data changed"),
    ],
)
def test_the_wrong_item_is_another_of_its_kind(new_phone: Any, order: str, result: str) -> None:
    phone = failing(new_phone, FaultMode.WRONG_ITEM)
    assert execute(phone, start(phone, order))["results"] == [result]


def test_the_wrong_person(new_phone: Any) -> None:
    people = [{"id": f"contact_80{i}", "name": n, "phone": f"555900{i}"} for i, n in enumerate(("Zed", "Zoe"))]
    phone = new_phone(patch={"contacts": people}, faults=[Fault(tool="trigger_task", mode=FaultMode.WRONG_ITEM)])
    phone.data("trigger_task", condition="Zed calls", operation="text Zed")
    assert [(r["condition"], r["operation"]) for r in written(phone, "automations")] == [("Zed calls", "text Zoe")]


@pytest.mark.parametrize("mode", [FaultMode.NO_OP, FaultMode.FALSE_DONE])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("trigger_task", {"condition": "I arrive", "operation": "text Bob"}),
        ("control_ai_image_agent", {"action": "generate", "prompt": "a kite"}),
        ("speaking_coach_agent", {"action": "start", "topic": "travel"}),
        ("scenario_dialogue_agent", {"action": "start", "scenario": "hotel"}),
        ("general_qa_agent", {"query": "What is the capital of France?"}),
    ],
)
def test_every_agent_can_pretend(new_phone: Any, mode: FaultMode, tool: str, arguments: dict[str, Any]) -> None:
    phone = new_phone(faults=[Fault(tool=tool, mode=mode)])
    honest = new_phone().use(tool, **arguments).payload
    told = phone.use(tool, **arguments).payload
    assert told == (honest if mode is FaultMode.FALSE_DONE else {k: honest[k] for k in ("success", "message")})
    assert phone.changes() == []
    assert phone.use(tool, **arguments).payload == honest


def test_a_call_that_fails_anyway_fails(new_phone: Any) -> None:
    phone = failing(new_phone, FaultMode.FALSE_DONE)
    assert phone.code("control_gui_agent", action="execute", sessionId=start(phone, "delete Nowhere.pdf")) == 404


def test_a_rate_hits_the_same_calls_on_every_replay(new_phone: Any) -> None:
    fault = Fault(tool="control_ai_image_agent", mode=FaultMode.NO_OP, count=1000, rate=0.4)
    runs = []
    for _ in range(2):
        phone = new_phone(faults=[fault])
        runs.append(
            [
                "data" in phone.use("control_ai_image_agent", action="generate", prompt=f"kite {i}").payload
                for i in range(100)
            ]
        )
    assert runs[0] == runs[1]
    assert 25 <= runs[0].count(False) <= 55
    twin = phone.session.fork()
    assert twin.changes() == phone.changes()


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(tool="manage_todo", mode=FaultMode.PARTIAL), "manage_todo is no sub-agent, so not partial"),
        (Fault(tool="trigger_task", rate=1.5), r"rate 1\.5 of trigger_task"),
    ],
)
def test_a_fault_that_cannot_be(new_phone: Any, fault: Fault, words: str) -> None:
    with pytest.raises(EnvFailure, match=words):
        new_phone(faults=[fault])


def test_faults_in_records() -> None:
    fault = Fault(tool="trigger_task", mode=FaultMode.WRONG_ITEM, rate=0.25, first=2, count=3)
    assert from_json(to_json(fault), Fault) == from_msgpack(to_msgpack(fault), Fault) == fault
    assert b"mode" not in to_json(Fault(tool="trigger_task"))
    assert from_json(to_json(Fault(tool="trigger_task")), Fault) == Fault(tool="trigger_task")


@pytest.mark.parametrize(
    ("order", "results"),
    [
        ("删除Zalgebra.pdf", ["deleted Zalgebra.pdf"]),
        (
            "请把Zalgebra.pdf和Zbiology.pdf移到课本文件夹里",
            ["moved Zalgebra.pdf to 课本", "moved Zbiology.pdf to 课本"],
        ),
        ("把Zcooking.docx删掉，然后下载地图.pdf", ["deleted Zcooking.docx", "downloaded 地图.pdf"]),
        ("给小明发消息：“六点见；别迟到”。下载菜单.docx", ["sent to 小明", "downloaded 菜单.docx"]),
        ("把Zcooking.docx发给妈妈", ["sent Zcooking.docx to 妈妈"]),
        ("把菜单.docx下载到厨房文件夹", ["downloaded 菜单.docx"]),
        ("打开设置看看", ["no data changed"]),
    ],
)
def test_orders_in_chinese(new_phone: Any, order: str, results: list[str]) -> None:
    phone = new_phone(patch={"files": FILES})
    assert execute(phone, start(phone, order))["results"] == results
