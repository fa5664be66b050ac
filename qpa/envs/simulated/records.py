"""What the model writes: an answer in the published envelope and the facts that it makes true."""

from __future__ import annotations

import enum
import re
from typing import Any

import msgspec

from qpa.contract import ERROR_CODES, ErrorType, Record, to_msgpack


class FactOp(enum.StrEnum):
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


class Fact(Record):
    """One change of the simulated world: the thing `id` of kind (or table) `kind` now has these field values."""

    op: FactOp
    kind: str
    id: str
    values: dict[str, Any] = msgspec.field(default_factory=dict)


class Answer(Record):
    """A parsed answer; `payload` is the envelope exactly as the planner will read it."""

    payload: dict[str, Any]
    facts: list[Fact] = msgspec.field(default_factory=list)

    @property
    def ok(self) -> bool:
        return self.payload.get("success") is True

    @property
    def code(self) -> int:
        return 200 if self.ok else int(self.payload["code"])


class Reason(enum.StrEnum):
    """Why an answer is refused."""

    MALFORMED = "malformed"  # not one JSON object of the two members
    ENVELOPE = "envelope"  # not one of the two published shapes
    SIZE = "size"
    SCHEMA = "schema"  # the tool's declared result schema, or a declared table
    INVENTED_ID = "invented_id"
    STALE_ID = "stale_id"  # a new thing with an id that was there before
    CONTRADICTION = "contradiction"  # another value than the one that holds
    IMPOSSIBLE_SUCCESS = "impossible_success"  # unknown thing, denied permission, planned fault, found after not found
    RESURRECTED = "resurrected"  # a deleted thing is back
    READ_WROTE = "read_wrote"  # a reading tool changed something
    SILENT_WRITE = "silent_write"  # something was made or removed, says the answer, and no fact says what
    FAILED_WROTE = "failed_wrote"  # a failed call changed something
    UNPLANNED_FAULT = "unplanned_fault"  # a service fault or denial that the task does not plan
    UNRECORDED = "unrecorded"  # an answer in a record that the state log does not have


class Objection(Record):
    """One reason to refuse an answer; `text` is told to the model."""

    reason: Reason
    text: str

    def __str__(self) -> str:
        return f"{self.reason.value}: {self.text}"


class SimulatedLimits(Record):
    """Bounds of one session.

    Attributes:
      attempts: answers that the model may write for one call.
      answer_chars, prompt_chars: longest answer taken, longest prompt sent.
      answer_tokens: asked of the model for one answer.
      step_s: longest wait for all answers of one block, retries included. Keep it below the runtime's
        `call_timeout_s`: a slow simulator is the environment's failure, not a tool's timeout.
    """

    attempts: int = 3
    answer_chars: int = 20_000
    prompt_chars: int = 400_000
    answer_tokens: int = 4096
    step_s: float = 25.0


_MAX_DEPTH = 32
_ERROR_OF = {code: error for error, code in ERROR_CODES.items()} | {404: ErrorType.NOT_FOUND}
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"\A```(?:json)?\s*\n(.*?)\n?```\Z", re.DOTALL)


def error_type(code: int) -> ErrorType:
    """The contract's error of a published code."""
    return _ERROR_OF[code]


def parse_answer(text: str, limits: SimulatedLimits) -> Answer | Objection:
    """Reads a model's whole reply; never raises. A thought before and a code fence around the JSON are taken off."""
    if len(text) > limits.answer_chars:
        return Objection(Reason.SIZE, f"the answer has {len(text)} characters, at most {limits.answer_chars} are taken")
    body = _THOUGHT.sub("", text).strip()
    if fenced := _FENCE.match(body):
        body = fenced[1]
    try:
        data = msgspec.json.decode(body.encode())
        if _depth(data) > _MAX_DEPTH:
            return Objection(Reason.SIZE, f"nested deeper than {_MAX_DEPTH} levels")
        to_msgpack(data)  # what cannot be recorded (a number beyond 64 bits) cannot be answered either
    except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError) as e:
        return Objection(Reason.MALFORMED, f"not one JSON object: {str(e)[:200]}")
    if not isinstance(data, dict) or set(data) - {"answer", "facts"} or not isinstance(data.get("answer"), dict):
        return Objection(Reason.MALFORMED, 'expected {"answer": {...}, "facts": [...]} and no other member')
    try:
        facts = msgspec.convert(data.get("facts", []), list[Fact])
    except (msgspec.ValidationError, RecursionError) as e:
        return Objection(Reason.MALFORMED, f"facts: {str(e)[:200]}")
    if problem := envelope_problem(data["answer"]):
        return Objection(Reason.ENVELOPE, problem)
    return Answer(payload=data["answer"], facts=facts)


def envelope_problem(payload: dict[str, Any]) -> str:
    """Why a payload is neither of the two published envelopes; "" if it is."""
    success = payload.get("success")
    if success is True:
        if set(payload) - {"success", "message", "data"} or not isinstance(payload.get("message"), str):
            return 'a success is {"success": true, "message": text, "data": {...}}'
        return "" if isinstance(payload.get("data", {}), dict) else "`data` must be an object"
    if success is False:
        code = payload.get("code")
        if set(payload) != {"success", "error", "code"} or not isinstance(payload["error"], str):
            return 'a failure is {"success": false, "error": text, "code": number}'
        if type(code) is not int or code not in _ERROR_OF:
            return f"code must be one of {', '.join(map(str, sorted(_ERROR_OF)))}"
        return ""
    return "`success` must be true or false"


def _depth(value: Any) -> int:
    """Levels of nesting, counted without recursion."""
    deepest, waiting = 0, [(value, 1)]
    while waiting:
        item, level = waiting.pop()
        deepest = max(deepest, level)
        if isinstance(item, dict | list) and level <= _MAX_DEPTH:
            waiting += [(one, level + 1) for one in (item.values() if isinstance(item, dict) else item)]
    return deepest
