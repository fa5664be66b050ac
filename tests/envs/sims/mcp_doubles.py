"""Tasks, configurations and processes around `mcp_server_double`."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from qpa.contract import Feedback, Resources, Split, TaskSpec, ToolCall, ToolCriteria
from qpa.envs.mcp import McpEnv, McpLimits, McpServer

DOUBLE = str(Path(__file__).with_name("mcp_server_double.py"))


def stdio_server(variant: str = "", **more: Any) -> McpServer:
    return McpServer(name="double", command=[sys.executable, DOUBLE, "stdio", f"--variant={variant}"], **more)


@contextlib.contextmanager
def http_server(variant: str = "", **more: Any) -> Iterator[McpServer]:
    """A server process on a free loopback port."""
    process = subprocess.Popen([sys.executable, DOUBLE, "http", f"--variant={variant}"], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        yield McpServer(name="double", url=f"http://127.0.0.1:{port}/mcp", **more)
    finally:
        process.kill()
        process.wait(timeout=10)
        process.stdout.close()


def quick(**more: float) -> McpLimits:
    return msgspec.convert({"close_s": 0.5, **more}, McpLimits)


def task(*tools: str, **more: Any) -> TaskSpec:
    fields: dict[str, Any] = {
        "id": "mcp-task",
        "goal": "Use the server.",
        "criteria": ToolCriteria(steps=[]),
        "dimension": "tool",
        "domain": "Double",
        "family": "double",
        "split": Split.TRAIN,
        "resources": Resources(tools=list(tools)),
    } | more
    return msgspec.convert({key: msgspec.to_builtins(value) for key, value in fields.items()}, TaskSpec)


def call(name: str, id_: str = "c0", /, **arguments: Any) -> ToolCall:
    return ToolCall(id=id_, name=name, arguments=arguments)


def play(env: McpEnv, *blocks: list[ToolCall]) -> list[list[Feedback]]:
    """One session, one block after the other, everything closed at the end."""

    async def run() -> list[list[Feedback]]:
        names = list(dict.fromkeys(c.name for block in blocks for c in block))
        session = await env.reset(task(*names))
        try:
            return [await env.step(session, block) for block in blocks]
        finally:
            await env.close(session)
            await env.aclose()

    return asyncio.run(asyncio.wait_for(run(), 30))
