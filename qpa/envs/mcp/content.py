"""An MCP result as feedback in the published envelope."""

from __future__ import annotations

import json
import re
from typing import Any

import mcp_types as types
import msgspec

from qpa.contract import ERROR_CODES, ErrorType, Feedback, ToolCall
from qpa.envs.mcp.config import McpLimits
from qpa.envs.mcp.text import clean, clean_value

# Servers report errors in free words; the closed set of the contract needs one of its own. First match counts.
_WORDS = (
    (ErrorType.PERMISSION_DENIED, r"permission|denied|forbidden|not allowed|unauthori[sz]ed|access"),
    (ErrorType.NOT_FOUND, r"not found|no such|does not exist|doesn't exist|unknown"),
    (ErrorType.CONFLICT, r"already|conflict|in use|locked"),
    (ErrorType.TIMEOUT, r"timed? ?out|deadline"),
    (ErrorType.UNAVAILABLE, r"unavailable|try again|rate limit|too many|offline|unreachable|busy"),
    (ErrorType.INVALID_ARGUMENT, r"invalid|required|must be|validation|argument|malformed|expected"),
)
_OF_CODE = {code: error for error, code in ERROR_CODES.items()} | {404: ErrorType.NOT_FOUND}
_MAX_BLOCKS = 50


def feedback(call: ToolCall, result: types.CallToolResult, limits: McpLimits) -> Feedback:
    """Success: texts as message, structured content as data, other content described in it. isError: an error."""
    texts, others = _blocks(result.content, limits)
    text = clean("\n".join(texts), limits.text_chars)
    if result.is_error:
        return failure(call, error_of(text, result.structured_content), text or "the tool failed and did not say why")
    data = _data(result.structured_content, limits)
    if data and _repeats(texts, result.structured_content):
        text = ""
    if others:
        data = {**data, "content": others}
    payload = {"success": True, "message": text, "data": data}
    return Feedback(call_id=call.id, name=call.name, ok=True, payload=payload)


def failure(call: ToolCall, error: ErrorType, text: str) -> Feedback:
    """The tool's own failure."""
    code = ERROR_CODES[error]
    payload = {"success": False, "error": text, "code": code}
    return Feedback(call_id=call.id, name=call.name, ok=False, payload=payload, error_type=error, code=code)


def error_of(text: str, structured: Any) -> ErrorType:
    """The contract's error for a tool's: by a numeric code in its structured content, else by its words."""
    if isinstance(structured, dict):
        for name in ("code", "status", "statusCode"):
            code = structured.get(name)
            if isinstance(code, int) and code in _OF_CODE:
                return _OF_CODE[code]
    for error, words in _WORDS:
        if re.search(words, text, re.IGNORECASE):
            return error
    return ErrorType.INTERNAL


def _blocks(content: list[types.ContentBlock], limits: McpLimits) -> tuple[list[str], list[dict[str, Any]]]:
    """Texts, and one description per other block: media never goes into a planner's context."""
    texts: list[str] = []
    others: list[dict[str, Any]] = []
    for block in content[:_MAX_BLOCKS]:
        if isinstance(block, types.TextContent):
            texts.append(block.text)
        elif isinstance(block, types.ImageContent | types.AudioContent):
            others.append({"type": block.type, "mimeType": block.mime_type, "bytes": len(block.data) * 3 // 4})
        elif isinstance(block, types.ResourceLink):
            others.append({"type": block.type, "uri": str(block.uri), "name": block.name})
        elif isinstance(block.resource, types.TextResourceContents):
            others.append({"type": block.type, "uri": str(block.resource.uri), "text": block.resource.text})
        else:
            size = len(block.resource.blob) * 3 // 4
            others.append({"type": block.type, "uri": str(block.resource.uri), "bytes": size})
    if len(content) > _MAX_BLOCKS:
        others.append({"type": "omitted", "blocks": len(content) - _MAX_BLOCKS})
    return texts, clean_value(others, limits.text_chars)


def _data(structured: Any, limits: McpLimits) -> dict[str, Any]:
    if structured is None:
        return {}
    value = clean_value(structured, limits.text_chars)
    size = len(json.dumps(value, ensure_ascii=False))
    if size > limits.data_chars:
        return {"omitted": f"structured content of {size} characters, at most {limits.data_chars} are taken"}
    return value if isinstance(value, dict) else {"result": value}


def _repeats(texts: list[str], structured: Any) -> bool:
    """Servers send structured content as text too, for older clients; the planner need not read it twice."""
    if len(texts) != 1:
        return False
    try:
        said = msgspec.json.decode(texts[0].encode("utf-8", "replace"))
    except (msgspec.MsgspecError, RecursionError):
        said = texts[0]
    return bool(said == structured) or (isinstance(structured, dict) and structured == {"result": said})
