"""How requests travel to one environment server: one WebSocket for all of them, or HTTP with kept connections.

Every request carries an id under which the server acts once, so a lost connection is opened again and the same bytes
are sent again. Whatever goes wrong is an `EnvFailure` with its cause.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Protocol

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from qpa.contract import ContractError, EnvFailure, FailureCause
from qpa.envs import server_messages as m
from qpa.envs.server_messages import CODECS, JSON, MSGPACK, Codec

_PAUSES_S = (0.02, 0.1, 0.3, 0.5)  # before the second, third, ... try
_CLOSED_TOO_BIG = 1009


@dataclass(frozen=True)
class Address:
    """One server and how to reach it.

    Attributes:
      url: `http://host:port`, or `https://`.
      ca_file: PEM of who signed the server's certificate; None: the system's.
      patience_s: how long a lost or refused connection is tried again.
      keepalive_s: between WebSocket pings; None: none.
    """

    url: str
    token: str
    ca_file: str | None = None
    patience_s: float = 2.0
    keepalive_s: float | None = 20.0

    def __post_init__(self) -> None:
        if not self.url.startswith(("http://", "https://")):
            raise ValueError(f"url {self.url!r}: want http:// or https://")

    def tls(self) -> ssl.SSLContext | None:
        """The context for an https URL."""
        if not self.url.startswith("https://"):
            return None
        return ssl.create_default_context(cafile=self.ca_file)


class Transport(Protocol):
    """Sends one encoded request and returns the encoded result."""

    async def call(self, operation: str, request_id: str, codec: Codec, body: bytes) -> tuple[Codec, bytes]: ...

    async def close(self) -> None: ...


class _Lost(Exception):  # noqa: N818 - an event, not an error: the same request may go again
    """The connection ended before the answer."""


class SocketTransport:
    """All requests over one WebSocket, answered in any order."""

    def __init__(self, address: Address) -> None:
        self._address, self._tls = address, address.tls()
        self._url = "ws" + address.url.removeprefix("http").rstrip("/") + "/v1/socket"
        self._connection: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()
        self._waiting: dict[str, asyncio.Future[tuple[Codec, m.AnswerFrame]]] = {}

    async def call(self, operation: str, request_id: str, codec: Codec, body: bytes) -> tuple[Codec, bytes]:
        """Sends the frame until it is answered; gives up after `patience_s` without a connection."""
        async for _ in _tries(self._address):
            with contextlib.suppress(_Lost):
                answered, frame = await self._exchange(request_id, body.decode() if codec.is_text else body)
                if frame.error is not None:
                    raise failure_of(frame.error)
                return answered, bytes(frame.result)
        raise EnvFailure(f"{self._address.url}: no connection to the server", FailureCause.CONNECTION)

    async def close(self) -> None:
        """Closes the connection; the server keeps the sessions."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()
        if self._reader is not None:
            await asyncio.wait({self._reader}, timeout=1.0)

    def drop(self) -> None:
        """Cuts the connection without a word, as a network does."""
        if self._connection is not None:
            self._connection.transport.abort()

    async def _exchange(self, request_id: str, data: str | bytes) -> tuple[Codec, m.AnswerFrame]:
        connection = await self._connected()
        answer = self._waiting.get(request_id)
        if answer is None:
            answer = self._waiting[request_id] = asyncio.get_running_loop().create_future()
        try:
            await connection.send(data)
            return await answer
        except ConnectionClosed as e:
            raise self._lost(e) from None
        finally:
            self._waiting.pop(request_id, None)

    async def _connected(self) -> ClientConnection:
        if self._connection is not None:
            return self._connection
        async with self._opening:
            if self._connection is None:
                self._connection = await self._open()
                self._reader = asyncio.get_running_loop().create_task(self._read(self._connection))
            return self._connection

    async def _open(self) -> ClientConnection:
        try:
            return await connect(
                self._url,
                additional_headers={"authorization": f"Bearer {self._address.token}"},
                proxy=None,  # a proxy of the environment never stands between hosts of one cluster
                compression=None,
                max_size=None,  # what our own server answers
                ping_interval=self._address.keepalive_s,
                ping_timeout=self._address.keepalive_s,
                open_timeout=10.0,
                close_timeout=1.0,
                ssl=self._tls,
            )
        except InvalidStatus as e:
            raise failure_of_status(e.response.status_code, bytes(e.response.body or b"")) from None
        except ssl.SSLError as e:
            raise EnvFailure(f"{self._address.url}: {e}", FailureCause.REQUEST) from None
        except (OSError, TimeoutError, InvalidHandshake, EOFError) as e:
            raise _Lost(str(e)) from None

    async def _read(self, connection: ClientConnection) -> None:
        ended: Exception
        try:
            while True:
                data = await connection.recv()
                codec = CODECS[JSON if isinstance(data, str) else MSGPACK]
                frame: m.AnswerFrame = codec.decode(data, m.AnswerFrame)
                waiting = self._waiting.get(frame.request_id)
                if waiting is not None and not waiting.done():
                    waiting.set_result((codec, frame))
        except ConnectionClosed as e:
            ended = self._lost(e)
        except ContractError as e:
            ended = EnvFailure(f"{self._address.url}: unreadable answer: {e}", FailureCause.BACKEND)
            connection.transport.abort()
        if self._connection is connection:
            self._connection = None
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(ended)
                waiting.exception()

    def _lost(self, closed: ConnectionClosed) -> Exception:
        if closed.rcvd is not None and closed.rcvd.code == _CLOSED_TOO_BIG:
            return EnvFailure("the request is larger than the server takes", FailureCause.REQUEST)
        return _Lost(str(closed))


class HttpTransport:
    """One POST per request over kept connections."""

    def __init__(self, address: Address, connections: int = 64) -> None:
        self._address = address
        self._client = httpx.AsyncClient(
            base_url=address.url,
            headers={"authorization": f"Bearer {address.token}"},
            trust_env=False,
            verify=address.tls() or True,
            timeout=httpx.Timeout(None, connect=10.0),  # `RemoteEnv` bounds every operation
            limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
        )

    async def call(self, operation: str, request_id: str, codec: Codec, body: bytes) -> tuple[Codec, bytes]:
        """Posts until it is answered; gives up after `patience_s` without a connection."""
        headers = {"content-type": codec.media_type}
        async for _ in _tries(self._address):
            with contextlib.suppress(httpx.TransportError):
                answer = await self._client.post(f"/v1/{operation}", content=body, headers=headers)
                return read_answer(answer)
        raise EnvFailure(f"{self._address.url}: no connection to the server", FailureCause.CONNECTION)

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.aclose()


def get_now(address: Address, operation: str, request: Any, seconds: float) -> tuple[Codec, bytes]:
    """One request that blocks the caller's thread: for what must be known before anything can be awaited."""
    codec = CODECS[MSGPACK]
    headers = {"authorization": f"Bearer {address.token}", "content-type": codec.media_type}
    try:
        with httpx.Client(trust_env=False, verify=address.tls() or True, timeout=seconds) as client:
            url = f"{address.url.rstrip('/')}/v1/{operation}"
            return read_answer(client.post(url, content=codec.encode(request), headers=headers))
    except httpx.TimeoutException:
        raise EnvFailure(f"{address.url}: no answer in {seconds:.3g} s", FailureCause.DEADLINE) from None
    except httpx.TransportError as e:
        raise EnvFailure(f"{address.url}: {type(e).__name__}: {e}", FailureCause.CONNECTION) from None


def read_answer(answer: httpx.Response) -> tuple[Codec, bytes]:
    """The result's codec and bytes. Raises `EnvFailure` for everything but 200."""
    if answer.status_code != 200:
        raise failure_of_status(answer.status_code, answer.content)
    codec = CODECS.get(answer.headers.get("content-type", ""))
    if codec is None:
        raise EnvFailure("this is not an environment server", FailureCause.REQUEST)
    return codec, answer.content


def failure_of(error: m.ErrorBody) -> m.Refusal:
    """The server's refusal, as it raised it."""
    return m.Refusal(f"{error.what}: {error.message}", error.cause, error.what, retry_after_s=error.retry_after_s)


def failure_of_status(status: int, body: bytes) -> EnvFailure:
    """The typed body if there is one; else a gateway between has answered, and its status must do."""
    with contextlib.suppress(ContractError):
        return failure_of(CODECS[JSON].decode(body, m.ErrorBody))
    cause = FailureCause.TRANSIENT if status in (429, 502, 503, 504) else FailureCause.REQUEST
    return EnvFailure(f"HTTP {status}: {bytes(body[:200])!r}", cause)


async def _tries(address: Address) -> AsyncIterator[int]:
    """Yields once per try, pausing between, for `patience_s` without an answer."""
    loop = asyncio.get_running_loop()
    end = loop.time() + address.patience_s
    attempt = 0
    while True:
        begin = loop.time()
        yield attempt
        if loop.time() - begin > address.patience_s:
            end = loop.time() + address.patience_s  # it was connected for long: a new loss, new patience
        pause = _PAUSES_S[min(attempt, len(_PAUSES_S) - 1)]
        if loop.time() + pause > end:
            return
        await asyncio.sleep(pause)
        attempt += 1
