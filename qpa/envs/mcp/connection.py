"""One connection to one server, owned by a task of its own; every wait has a deadline and every end a cause.

The SDK's connections must be left by the task that entered them, and a session's calls come from many tasks: the owner
enters, tells that it is ready, waits to be stopped, and leaves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, TypeVar

import httpx2
import mcp_types as types
import pydantic
from mcp import Client
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from qpa.contract import ContractError, EnvFailure, FailureCause
from qpa.envs.mcp import transport
from qpa.envs.mcp.config import McpServer
from qpa.envs.mcp.lock import Pinned, pinned
from qpa.envs.mcp.text import clean

T = TypeVar("T")
_SHOWN = 300  # characters of a server's words in a failure
_MAX_PAGES = 100
_CLOSING_S = 10.0  # beyond the server's own grace, until its owner is cancelled


class Connection:
    """Made by `connect`. `stale` is set when the server says that its tools have changed."""

    def __init__(self, server: McpServer) -> None:
        self.server = server
        self.stale = False
        self._trouble = transport.Trouble()
        self._client: Any = None
        self._ready = asyncio.Event()
        self._stop = asyncio.Event()
        self._blind = False  # the stream of change notices is gone: look before every use
        self._end: BaseException | None = None
        self._owner = asyncio.create_task(self._own(), name=f"mcp:{server.name}")

    @classmethod
    async def connect(cls, server: McpServer) -> Connection:
        """Connects and negotiates within the deadline; raises `EnvFailure` and leaves nothing behind if it cannot."""
        connection = cls(server)
        try:
            async with asyncio.timeout(server.limits.connect_s):
                await connection._unless_ended(connection._ready.wait)
        except TimeoutError:
            raise EnvFailure(
                f"mcp server {server.name}: no connection within {server.limits.connect_s:g} s", FailureCause.DEADLINE
            ) from None
        finally:
            if not connection._ready.is_set():
                await connection.close()
        return connection

    @property
    def alive(self) -> bool:
        return not self._owner.done()

    async def tools(self) -> dict[str, Pinned]:
        """What the server offers now, all pages; raises `EnvFailure`."""
        self.stale = self._blind
        try:
            return pinned(self.server.name, await self._bounded(self._pages, self.server.limits.connect_s))
        except ContractError as e:
            raise EnvFailure(str(e)) from None

    async def call(self, tool: str, arguments: dict[str, Any]) -> types.CallToolResult | None:
        """One call, never repeated; None where the tool asks its client for input. Raises `EnvFailure`, `MCPError`.

        An `MCPError` that comes through is the server's refusal of the arguments.
        """
        result = await self._bounded(
            lambda: self._client.session.call_tool(tool, arguments, allow_input_required=True),
            self.server.limits.call_s,
        )
        return result if isinstance(result, types.CallToolResult) else None

    async def close(self) -> None:
        """Ends the connection and the server's process group; bounded, and may be called twice."""
        self._stop.set()
        if not self._ready.is_set():
            self._owner.cancel()  # still within the negotiation, which does not look at `_stop`
        await asyncio.wait({self._owner}, timeout=self.server.limits.close_s * 2 + _CLOSING_S)
        if not self._owner.done():
            self._owner.cancel()
            await asyncio.wait({self._owner}, timeout=_CLOSING_S)

    # --- the owner ---

    async def _own(self) -> None:
        try:
            client = Client(
                transport.of(self.server, self._trouble),
                message_handler=self._on_message,
                client_info=types.Implementation(name="qpa", version="1"),
            )
            async with client, AsyncExitStack() as stack:
                self._client = client
                watch = await self._watch(client, stack)
                self._ready.set()
                try:
                    await self._stop.wait()
                finally:
                    if watch is not None:
                        watch.cancel()
        except BaseException as e:
            self._end = e
            if not isinstance(e, Exception):
                raise

    async def _watch(self, client: Any, stack: AsyncExitStack) -> asyncio.Task[None] | None:
        """Newer servers tell of changes on a stream that must be asked for; older ones just do."""
        capability = client.server_capabilities.tools
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS or not (capability and capability.list_changed):
            return None
        try:
            stream = await stack.enter_async_context(client.listen(tools_list_changed=True))
        except (MCPError, SubscriptionLost):
            self.stale = self._blind = True
            return None

        async def follow() -> None:
            try:
                async for _ in stream:
                    pass  # each event reaches `_on_message` too
            except SubscriptionLost:
                pass
            self.stale = self._blind = True

        return asyncio.create_task(follow(), name=f"mcp:{self.server.name}:changes")

    async def _on_message(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self.stale = True

    async def _pages(self) -> list[types.Tool]:
        found: list[types.Tool] = []
        cursor: str | None = None
        seen: set[str] = set()
        for _ in range(_MAX_PAGES):
            # Not the client's own `list_tools`: a server's caching hints must not hide a change.
            page = await self._client.session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
            found += page.tools
            cursor = page.next_cursor
            if len(found) > self.server.limits.tools:
                raise ContractError(f"mcp server {self.server.name!r} lists more than {self.server.limits.tools} tools")
            if cursor is None:
                return found
            if cursor in seen:
                break
            seen.add(cursor)
        raise ContractError(f"mcp server {self.server.name!r}: its list of tools has no end")

    # --- waiting ---

    async def _bounded(self, work: Callable[[], Awaitable[T]], seconds: float) -> T:
        try:
            async with asyncio.timeout(seconds) as scope:
                return await self._unless_ended(work)
        except (EnvFailure, ContractError):
            raise
        except TimeoutError:
            late = scope.expired()
            text = f"no answer within {seconds:g} s; it may or may not have run" if late else "timed out by itself"
            raise self._failure(text, FailureCause.DEADLINE) from None
        except MCPError as e:
            if e.code == types.INVALID_PARAMS:
                raise
            raise self._of(e) from e
        except Exception as e:
            raise self._of(e) from e

    async def _unless_ended(self, work: Callable[[], Awaitable[T]]) -> T:
        """Awaits the work, or raises as soon as the connection has ended: nobody would answer any more."""
        if self._owner.done():
            raise self._ended()
        task = asyncio.ensure_future(work())
        try:
            await asyncio.wait({task, self._owner}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise self._ended()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task}, timeout=1.0)

    def _ended(self) -> EnvFailure:
        if self._end is None:
            return self._failure("the connection is closed", FailureCause.CONNECTION)
        return self._of(self._end)

    def _of(self, error: BaseException) -> EnvFailure:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        text = f"{type(error).__name__}: {error}"
        if isinstance(error, EnvFailure):
            return error
        if self._trouble.reason:
            return self._failure(self._trouble.reason, FailureCause.BACKEND)
        if isinstance(error, MCPError) and error.code == types.CONNECTION_CLOSED:
            return self._failure("the server has ended", FailureCause.CONNECTION)
        if isinstance(error, MCPError):
            cause = FailureCause.DEADLINE if error.code == types.REQUEST_TIMEOUT else FailureCause.BACKEND
            return self._failure(f"error {error.code}: {error.message}", cause)
        if isinstance(error, httpx2.TransportError | ConnectionError):
            return self._failure(text, FailureCause.CONNECTION)
        if isinstance(error, pydantic.ValidationError):
            text = f"an answer that is not of the protocol ({error.error_count()} errors)"
        return self._failure(text, FailureCause.BACKEND)

    def _failure(self, text: str, cause: FailureCause) -> EnvFailure:
        said = " ".join(clean(self._trouble.last_words, _SHOWN * 4).split())[-_SHOWN:]
        words = f" (its last words: {said})" if said and cause is FailureCause.CONNECTION else ""
        return EnvFailure(f"mcp server {self.server.name}: {clean(text, _SHOWN)}{words}", cause)
