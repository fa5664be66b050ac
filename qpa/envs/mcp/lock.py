"""Pinned tool definitions: a file that a person has read, and a server must still match.

    {"version": 1, "servers": {"files": {"read_file": {"sha256": "...", "definition": {...}}}}}

The digest is over the canonical JSON of name, description, input schema, output schema and annotations. The planner
sees the definitions of the file, never those of the server.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from mcp_types import Tool

from qpa.contract import ContractError, Effect, Record, ToolSpec, from_json
from qpa.envs.mcp.config import McpServer
from qpa.envs.mcp.text import clean, clean_value
from qpa.envs.schemas import SchemaCheck, SchemaError, object_schema

_UNFIT = re.compile(r"[^A-Za-z0-9_-]")
_MAX_NAME = 64  # what endpoints take as a function name


class Pinned(Record):
    """One tool as it was reviewed."""

    sha256: str
    definition: dict[str, Any]


class Lock(Record):
    """Server name -> tool name (the server's own) -> definition."""

    version: int
    servers: dict[str, dict[str, Pinned]]


def pinned(server: str, tools: Sequence[Tool]) -> dict[str, Pinned]:
    """The tools of a listing, checked and digested.

    Raises:
      ContractError: two tools of one name, or a schema that is none.
    """
    found: dict[str, Pinned] = {}
    for tool in tools:
        if tool.name in found:
            raise ContractError(f"mcp server {server!r} lists {tool.name!r} twice")
        annotations = tool.annotations.model_dump(by_alias=True, exclude_none=True) if tool.annotations else None
        definition = {
            "name": tool.name,
            "description": tool.description or "",
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema,
            "annotations": annotations,
        }
        try:
            object_schema(tool.input_schema)
            if tool.output_schema is not None:
                SchemaCheck(tool.output_schema)
        except SchemaError as e:
            raise ContractError(f"mcp server {server!r}: tool {tool.name!r} has an unusable schema: {e}") from None
        found[tool.name] = Pinned(sha256=digest(definition), definition=definition)
    return found


def digest(definition: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical JSON: sorted members, UTF-8."""
    return hashlib.sha256(msgspec.json.encode(definition, order="deterministic")).hexdigest()


def differences(lock: Mapping[str, Pinned], live: Mapping[str, Pinned]) -> list[str]:
    """What a server offers now that is not what was pinned, each naming the tool; empty when all is the same."""
    found = [f"{name!r} is missing" for name in lock if name not in live]
    found += [f"{name!r} is new" for name in live if name not in lock]
    for name, was in lock.items():
        if name in live and live[name].sha256 != was.sha256:
            now = live[name].definition
            members = [m for m in was.definition if _canonical(was.definition[m]) != _canonical(now.get(m))]
            found.append(f"{name!r} changed its {' and '.join(members)}")
    return found


def read_lock(path: Path | str, servers: Sequence[McpServer]) -> Lock:
    """The lock file, checked: every server is in it and every digest is that of its definition.

    Raises:
      ContractError: the file is missing, malformed or edited by hand, or lacks a server.
    """
    try:
        lock = from_json(Path(path).read_bytes(), Lock)
    except FileNotFoundError:
        raise ContractError(f"{path}: no lock file; make it with qpa.envs.mcp.pin and read it") from None
    except ContractError as e:
        raise ContractError(f"{path}: {e}") from None
    if lock.version != 1:
        raise ContractError(f"{path}: version {lock.version}, this code reads 1")
    for server in servers:
        if server.name not in lock.servers:
            raise ContractError(f"{path}: has no server {server.name!r}; pin again")
    for name, tools in lock.servers.items():
        for tool, entry in tools.items():
            if digest(entry.definition) != entry.sha256 or entry.definition.get("name") != tool:
                raise ContractError(f"{path}: {name}/{tool}: the digest is not that of the definition; pin again")
    return lock


def write_lock(path: Path | str, servers: Mapping[str, Mapping[str, Pinned]]) -> None:
    """Replaces the file in one piece; readable, sorted, one stable form for a diff."""
    lock = {"version": 1, "servers": msgspec.to_builtins(servers)}
    text = msgspec.json.format(msgspec.json.encode(lock, order="sorted"), indent=1)
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with open(temporary, "wb") as file:
        file.write(text + b"\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def tool_specs(server: McpServer, tools: Mapping[str, Pinned]) -> dict[str, ToolSpec]:
    """The planner's view: its name for each tool -> spec, in the file's order.

    Raises:
      ContractError: two names become one, a name is too long, or `effects` names no tool.
    """
    unknown = [name for name in server.effects if name not in tools]
    if unknown:
        raise ContractError(f"mcp server {server.name!r}: effects name {unknown[0]!r}, which is no pinned tool")
    found: dict[str, ToolSpec] = {}
    for name, entry in tools.items():
        shown = local_name(server, name)
        if shown in found or not shown or len(shown) > _MAX_NAME:
            raise ContractError(f"mcp server {server.name!r}: tool {name!r} cannot be called {shown!r}; use a prefix")
        limit = server.limits.text_chars
        found[shown] = ToolSpec(
            name=shown,
            description=clean(entry.definition["description"], limit),
            parameters=clean_value(entry.definition["inputSchema"], limit),
            domain=f"mcp:{server.name}",
            effect=effect(server, name, entry.definition.get("annotations") or {}),
        )
    return found


def local_name(server: McpServer, tool: str) -> str:
    """What the planner calls a tool: the prefix and the name, other characters than letters, digits, _ - as _."""
    return server.prefix + _UNFIT.sub("_", tool)


def effect(server: McpServer, tool: str, annotations: Mapping[str, Any]) -> Effect:
    """What calling the tool can change; the worst case unless the configuration says or trusts otherwise."""
    if tool in server.effects:
        return server.effects[tool]
    if not server.trust_annotations:
        return Effect.EXTERNAL
    if annotations.get("readOnlyHint") is True:
        return Effect.READ
    if annotations.get("openWorldHint") is not False:
        return Effect.EXTERNAL
    return Effect.REVERSIBLE if annotations.get("destructiveHint") is False else Effect.IRREVERSIBLE


def _canonical(value: Any) -> bytes:
    return msgspec.json.encode(value, order="deterministic")
