"""Tool calls as `<function=...>` blocks, the format of Qwen3-Coder and of Qwen3.5 and later: written, read, typed.

    <tool_call>
    <function=set_alarm>
    <parameter=time>
    07:30
    </parameter>
    </function>
    </tool_call>

A string argument stands there as it is, without escapes; any other value as JSON. So the text alone does not say what
type a value has (the tool's schema does), nor, in the last resort, where a string ends. The rules for the reader:

* A value begins after `<parameter=name>` and one newline, if there is one. It ends before the first `</parameter>`, and
  one newline before that, that is followed (spaces and newlines aside) by what can follow: the next parameter,
  `</function>` with `</tool_call>`, another function or the end of the turn behind it, or `</tool_call>`. All else in
  between is data, tags, quotes and further newlines included.
* A value that holds a line `<parameter=name>`, or a line `<tool_call>` before a line `<function=name>`, is refused: its
  own end was probably forgotten.
* After a block that began and cannot be read, the rest of the reply is not executed: values have no quotes, so a call
  that a value only quotes cannot be told from a real one.

What no reader can tell apart: a string that holds `</parameter>` *with* such a sequel. It ends there. A planner that
copies hostile text into an argument can be made to write a call like that; the JSON families escape their strings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from qpa.chat import scan
from qpa.chat.kinds import kind, kinds
from qpa.chat.markers import CALL_CLOSE, CALL_OPEN, IM_END
from qpa.chat.scan import CallBody

XML_FAMILIES = ("qwen3_5", "qwen3_6", "qwen3_8")
PYTHON_SCALARS = "qwen3_5"  # the family whose template writes True and None where the later ones write true and null
EFFORT = "qwen3_8"  # the family whose template names the reasoning effort

_EFFORT = (
    "Reasoning effort is set to xhigh. Please think carefully through the task, validate key assumptions, consider "
    "plausible alternatives, and prioritize correctness, consistency, and clarity in the final answer."
)
_BEFORE = "# Tools\n\nYou have access to the following functions:\n\n<tools>\n"
_AFTER = (
    "\n</tools>\n\nIf you choose to call a function ONLY reply in the following format with NO suffix:\n\n"
    "<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>\n"
    "<parameter=example_parameter_2>\nThis is the value for the second parameter\nthat can span\nmultiple lines\n"
    "</parameter>\n</function>\n</tool_call>\n\n<IMPORTANT>\nReminder:\n"
    "- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within "
    "<tool_call></tool_call> XML tags\n- Required parameters MUST be specified\n"
    "- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT "
    "after\n- If there is no function call available, answer the question like normal with your current knowledge and "
    "do not tell the user about function calls\n</IMPORTANT>"
)
_NAME = r"[^\s<>]+"
_FUNCTION = re.compile(rf"<function=({_NAME})>")
_PARAMETER = re.compile(rf"<parameter=({_NAME})>\n?")
_FUNCTION_CLOSE = "</function>"
_VALUE_END = re.compile(
    rf"\n?</parameter>(?=\s*+(?:<parameter={_NAME}>|{CALL_CLOSE}"
    rf"|{_FUNCTION_CLOSE}\s*+(?:{CALL_CLOSE}|<function={_NAME}>|{CALL_OPEN}|{re.escape(IM_END)}|\Z)))"
)
_FORGOTTEN_END = re.compile(rf"^(?:<parameter={_NAME}>|{CALL_OPEN}\n<function={_NAME}>)$", re.MULTILINE)
_PYTHON = {"True": True, "False": False, "None": None}


# --- writing -------------------------------------------------------------------------------------------------------


def system_parts(text: str | None, tool_lines: str, family: str, thinking: bool) -> list[tuple[str, bool]] | None:
    """The system turn as (part, whether the part is ours, so that its tags are tokens); None: there is no turn.

    Args:
      text: the system message, None if there is none.
      tool_lines: one JSON schema per line, "" without tools.
    """
    out: list[tuple[str, bool]] = []
    if family == EFFORT and thinking:
        out.append((_EFFORT, True))
    if tool_lines:
        out += [(f"\n\n{_BEFORE}" if out else _BEFORE, True), (tool_lines, False), (_AFTER, True)]
    text = text.strip() if text is not None else None
    if text:
        out.append((f"\n\n{text}" if out else text, False))
    elif text is None or family == EFFORT:
        return out or None
    return out


def call_text(name: str, arguments: Mapping[str, Any], family: str) -> str:
    """What stands between `<tool_call>` and `</tool_call>`."""
    parameters = (
        f"<parameter={key}>\n{_value_text(value, family)}\n</parameter>\n" for key, value in arguments.items()
    )
    return f"\n<function={name}>\n{''.join(parameters)}</function>\n"


def _value_text(value: Any, family: str) -> str:
    if isinstance(value, str):
        return value
    if family == PYTHON_SCALARS and not isinstance(value, (dict, list)):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


# --- reading -------------------------------------------------------------------------------------------------------


def read_call(text: str, start: int) -> CallBody:
    """Reads the block behind an open tag that ends at `start`; all values are still text (`CallBody.typed` is False).

    JSON is read as the JSON families read it. The cost is linear: every search starts where the last one ended.
    """
    position = scan.skip_space(text, start)
    if text.startswith(("{", "["), position):
        body = scan.read_call(text, start)
        return body if body.problem else body._replace(repairs=(*body.repairs, "JSON instead of <function=...>"))
    if not text.startswith("<function", position):
        return CallBody(scan.resync(text, start), [], "expected <function=name>")
    values: list[Any] = []
    repairs: list[str] = []
    while text.startswith("<function", position) or not values:
        problem, position, value = _read_function(text, position, repairs)
        if problem:
            return CallBody(len(text), [], problem)
        values.append(value)
        end, position = position, scan.skip_space(text, position)
    return scan.closed(text, end, values, repairs, "function block")._replace(typed=False)


def _read_function(text: str, start: int, repairs: list[str]) -> tuple[str, int, dict[str, Any]]:
    """The problem ("" if there is none), where reading stopped, and the call."""
    head = _FUNCTION.match(text, start)
    if head is None:
        return "expected <function=name>", start, {}
    arguments: dict[str, str] = {}
    position = scan.skip_space(text, head.end())
    while match := _PARAMETER.match(text, position):
        name = match[1]
        end = _VALUE_END.search(text, match.end())
        value = text[match.end() : end.start()] if end else ""
        if end is None or _FORGOTTEN_END.search(value):
            return f"parameter {name[:40]!r} was not closed: nothing was executed after it", position, {}
        if name in arguments:
            return f"duplicate parameter {name[:40]!r}", position, {}
        arguments[name] = value
        position = scan.skip_space(text, end.end())
    if text.startswith(_FUNCTION_CLOSE, position):
        position += len(_FUNCTION_CLOSE)
    elif text.startswith(CALL_CLOSE, position):
        repairs.append(f"missing {_FUNCTION_CLOSE}")
    else:
        return f"expected <parameter=name> or {_FUNCTION_CLOSE} in <function={head[1][:40]}>", position, {}
    return "", position, {"name": head[1], "arguments": arguments}


def unwrapped_call(text: str) -> bool:
    """Whether words hold a function block, which is a call only inside `<tool_call>`."""
    return _FUNCTION.search(text) is not None


# --- typing --------------------------------------------------------------------------------------------------------


def typed(
    arguments: Mapping[str, str], schema: Mapping[str, Any] | None, family: str, repairs: list[str]
) -> dict[str, Any]:
    """Values of the types that the tool's schema declares.

    * A parameter that may be a string stays as it was sent, except that `null` is null where the schema admits both.
    * One that may not is decoded as JSON; as a Python literal, which is noted in `repairs`; if neither gives a declared
      type it stays text, and the schema check reports it.
    * One that is declared without a type is decoded if it is a JSON object or array.
    * One that is not declared, or of an unknown tool, stays as it was sent.

    For "qwen3_5" `True`, `False` and `None` are no literals to be noted: its template writes them.
    """
    properties = (schema or {}).get("properties")
    declared = properties if isinstance(properties, dict) else {}
    return {
        key: _typed_value(value, _declared_kinds(declared[key]), key, family, repairs) if key in declared else value
        for key, value in arguments.items()
    }


def _typed_value(text: str, admitted: set[str], key: str, family: str, repairs: list[str]) -> Any:
    if "string" in admitted:
        nulls = ("null", "None") if family == PYTHON_SCALARS else ("null",)
        return None if text in nulls and "null" in admitted else text
    try:
        value = scan.decode_object_text(text)
    except ValueError:
        value = text
    if _fits(value, admitted or {"array", "object"}):
        return value
    literal = text.strip()
    if family == PYTHON_SCALARS and literal in _PYTHON and _fits(_PYTHON[literal], admitted):
        return _PYTHON[literal]
    loose = scan.read_loose(literal, 0)
    if loose is not None and loose[1] == len(literal) and _fits(loose[0], admitted):
        repairs.append(f"{key[:40]!r} was a Python literal, not JSON")
        return loose[0]
    return text


def _fits(value: Any, admitted: set[str]) -> bool:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return bool(admitted & {"integer", "number"})
    return kind(value) in admitted


def _declared_kinds(schema: Any) -> set[str]:
    """The types that a parameter's schema names, or else those of the values that it allows."""
    if not isinstance(schema, dict):
        return set()
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    allowed = values if isinstance(values, list) else []
    return kinds(schema) or {kind(value) for value in allowed}
