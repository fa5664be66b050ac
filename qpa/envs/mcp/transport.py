"""Bounded transports. The SDK's own reads a line of any length and lets a server's errors reach our terminal."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import anyio
import anyio.abc
import httpx2
import mcp_types as types
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from qpa.envs.mcp.config import McpServer

_INHERITED = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER")
_TAIL = 2000  # bytes of a server's error output that are kept
_POLL_S = 0.01
_KILL_S = 2.0  # until the event loop has seen a killed process end
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Trouble:
    """What a transport knows about its end: why it closed the connection, and the server's last words."""

    def __init__(self) -> None:
        self.reason = ""
        self._tail = b""

    def hear(self, data: bytes) -> None:
        self._tail = (self._tail + data)[-_TAIL:]

    @property
    def last_words(self) -> str:
        return self._tail.decode("utf-8", "replace")


@asynccontextmanager
async def stdio(server: McpServer, trouble: Trouble) -> AsyncIterator[Any]:
    """Starts the command in a process group of its own; on leaving, nothing of the group is left.

    Raises:
      OSError: the command cannot be started.
    """
    environment = {name: os.environ[name] for name in _INHERITED if name in os.environ} | server.env
    process = await anyio.open_process(
        server.command, env=environment, cwd=server.cwd, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        to_session, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, from_session = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as group, to_session, incoming, outgoing, from_session:
            group.start_soon(_read, process, to_session, server.limits.message_bytes, trouble)
            group.start_soon(_write, process, from_session, to_session)
            group.start_soon(_listen, process, trouble)
            try:
                yield incoming, outgoing
            finally:
                with anyio.CancelScope(shield=True):
                    incoming.close()
                    await _stop(process, server.limits.close_s)
                group.cancel_scope.cancel()
    finally:
        _kill_group(process.pid)  # also where the loop itself is being torn down, and nothing can be awaited


async def _read(process: anyio.abc.Process, to_session: Any, limit: int, trouble: Trouble) -> None:
    """One message per line; what is no message is dropped, as some servers print to their standard output."""
    assert process.stdout is not None
    buffer = bytearray()
    with suppress(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        async with to_session:
            while True:
                buffer += await process.stdout.receive()
                *lines, rest = bytes(buffer).split(b"\n")
                if max(map(len, (*lines, rest))) > limit:
                    trouble.reason = f"a message of more than {limit} bytes"
                    return
                buffer = bytearray(rest)
                for line in lines:
                    with suppress(ValueError):
                        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                        await to_session.send(SessionMessage(message))


async def _write(process: anyio.abc.Process, from_session: Any, to_session: Any) -> None:
    assert process.stdin is not None
    try:
        async for message in from_session:
            body = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            await process.stdin.send(body.encode("utf-8", "replace") + b"\n")
    except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        await to_session.aclose()  # the session sees the end instead of waiting for ever


async def _listen(process: anyio.abc.Process, trouble: Trouble) -> None:
    assert process.stderr is not None
    with suppress(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        while True:
            trouble.hear(await process.stderr.receive())


async def _stop(process: anyio.abc.Process, grace_s: float) -> None:
    """Closes the server's input, waits, then ends its whole group, first politely."""
    if process.stdin is not None:
        with suppress(OSError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            await process.stdin.aclose()
    if not await _ended(process, grace_s):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGTERM)
        await _ended(process, grace_s)
    _kill_group(process.pid)
    await _ended(process, _KILL_S)
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError, anyio.ClosedResourceError, anyio.BrokenResourceError):
                await stream.aclose()
    # asyncio's own transport stays open while a stranger holds a pipe's other end; nothing public reaches it.
    inner = getattr(getattr(process, "_process", None), "_transport", None)
    if inner is not None:
        with suppress(PermissionError):
            inner.close()


async def _ended(process: anyio.abc.Process, seconds: float) -> bool:
    """Whether the process ends in time. Polled: `wait` also waits for pipes that a grandchild may hold open."""
    end = anyio.current_time() + seconds
    while process.returncode is None:
        if anyio.current_time() >= end:
            return False
        await anyio.sleep(_POLL_S)
    return True


def _kill_group(pid: int) -> None:
    # The group outlives its leader while a member lives, so its id is not reused before.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


@asynccontextmanager
async def http(server: McpServer, trouble: Trouble) -> AsyncIterator[Any]:
    """Streamable HTTP with the server's headers; proxies of the environment are not used for this machine."""
    limits = server.limits

    async def bound(response: httpx2.Response) -> None:
        # Event streams are unbounded as a whole; the SDK bounds each event.
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            response.stream = _BoundedStream(response.stream, limits.message_bytes, trouble)

    client = httpx2.AsyncClient(
        headers=server.headers,
        timeout=httpx2.Timeout(limits.connect_s, read=None),  # every wait has a deadline of the caller's
        trust_env=urlsplit(server.url).hostname not in _LOOPBACK,
        event_hooks={"response": [bound]},
    )
    most = limits.message_bytes
    async with client, streamable_http_client(server.url, http_client=client, max_sse_event_size=most) as streams:
        yield streams


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: Any, limit: int, trouble: Trouble) -> None:
        self._inner, self._limit, self._trouble = inner, limit, trouble

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total = 0
        async for chunk in self._inner:
            total += len(chunk)
            if total > self._limit:
                self._trouble.reason = f"a message of more than {self._limit} bytes"
                raise httpx2.ReadError(self._trouble.reason)
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


def of(server: McpServer, trouble: Trouble) -> Any:
    """The transport that the server's configuration asks for."""
    return stdio(server, trouble) if server.command else http(server, trouble)
