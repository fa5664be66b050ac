"""The two transports over one `Service`: HTTP routes and the WebSocket, as a Starlette application."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from qpa.contract import ContractError, FailureCause
from qpa.envs import server_messages as m
from qpa.envs.server_auth import Guard, Tokens
from qpa.envs.server_messages import CODECS, JSON, MSGPACK, Codec, Refusal
from qpa.envs.server_metrics import log
from qpa.envs.server_ready import Readiness
from qpa.envs.server_service import Service

_MEDIA = {JSON: JSON, MSGPACK: MSGPACK, "application/x-msgpack": MSGPACK, "application/vnd.msgpack": MSGPACK}
_READABLE = {"catalog": m.CatalogRequest, "about": m.AboutRequest, "list": m.ListRequest}  # also by GET
_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def make_app(service: Service, tokens: Tokens, readiness: Readiness, more: Sequence[BaseRoute] = ()) -> Guard:
    """The ASGI application, with further routes such as `qpa.envs.openenv.routes`.

    Its lifespan starts and stops the service.
    """
    http = _Http(service, readiness)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        service.start()
        yield
        await service.stop()

    routes: list[BaseRoute] = [
        Route("/health", http.health, methods=["GET"]),
        Route("/ready", http.ready, methods=["GET"]),
        Route("/metrics", http.metrics, methods=["GET"]),
        WebSocketRoute("/v1/socket", lambda ws: Socket(service, ws).run()),
        Route("/v1/{operation}", http.read, methods=["GET"]),
        Route("/v1/{operation}", http.operate, methods=["POST"]),
        *more,
    ]
    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers={Refusal: http.refused, HTTPException: http.no_route, Exception: http.bug},  # type: ignore[dict-item]
    )
    app.router.redirect_slashes = False
    return Guard(app, tokens, service.metrics)


class _Http:
    def __init__(self, service: Service, readiness: Readiness) -> None:
        self._service, self._readiness = service, readiness

    async def health(self, request: Request) -> Response:
        """The process answers; see `ready` for the backend."""
        return Response(b'{"status":"ok"}', media_type=JSON)

    async def ready(self, request: Request) -> Response:
        """A round trip to the backend succeeded a moment ago."""
        seconds = await self._readiness.check()
        return Response(CODECS[JSON].encode({"status": "ready", "seconds": seconds}), media_type=JSON)

    async def metrics(self, request: Request) -> Response:
        """Prometheus exposition."""
        return Response(self._service.metrics.text(), media_type=_METRICS_TYPE)

    async def read(self, request: Request) -> Response:
        """An operation without a body."""
        name = request.path_params["operation"]
        kind = _READABLE.get(name)
        if kind is None:
            raise _unknown(name) if name not in m.REQUESTS else HTTPException(405)
        codec = CODECS[_MEDIA.get(request.headers.get("accept", JSON), JSON)]
        return self._answer(codec, await self._service.handle(request.scope["owner"], kind(request_id="get")))

    async def operate(self, request: Request) -> Response:
        """Any operation."""
        name = request.path_params["operation"]
        if name not in m.REQUESTS:
            raise _unknown(name)
        media = _MEDIA.get(request.headers.get("content-type", "").partition(";")[0].strip().lower())
        if media is None:
            text = f"send {JSON} or {MSGPACK}"
            raise Refusal(text, FailureCause.REQUEST, "content-type", status=415)
        codec, body = CODECS[media], await read_body(request, self._service.limits.max_bytes)
        try:
            message = codec.decode(body, m.REQUESTS[name])
        except ContractError as e:
            self._service.metrics.refuse("body")
            raise Refusal(str(e), FailureCause.REQUEST, name) from None
        return self._answer(codec, await self._service.handle(request.scope["owner"], message))

    def _answer(self, codec: Codec, result: Any) -> Response:
        try:
            return Response(codec.encode(result), media_type=codec.media_type)
        except OverflowError:  # an integer that only JSON can say
            return Response(CODECS[JSON].encode(result), media_type=JSON)

    async def refused(self, request: Request, error: Exception) -> Response:
        """The typed error body."""
        assert isinstance(error, Refusal)
        headers = {"retry-after": f"{max(1, round(error.retry_after_s))}"} if error.retry_after_s else {}
        return Response(CODECS[JSON].encode(error.body()), error.status, headers, media_type=JSON)

    async def no_route(self, request: Request, error: Exception) -> Response:
        """404 and 405, typed."""
        status = getattr(error, "status_code", 404)
        text = f"no such route: {request.method} {request.url.path[:100]}"
        return await self.refused(request, Refusal(text, FailureCause.REQUEST, "path", status=status))

    async def bug(self, request: Request, error: Exception) -> Response:
        """What nobody foresaw: logged with its traceback, told without."""
        log(logging.ERROR, "bug", path=request.url.path[:100], trace=error)
        text = f"the server failed: {type(error).__name__}"
        return await self.refused(request, Refusal(text, FailureCause.BACKEND, "server", status=500))


def _unknown(name: str) -> Refusal:
    text = f"no operation {name[:40]!r}; there are {', '.join(m.OPERATIONS)}"
    return Refusal(text, FailureCause.REQUEST, "path", status=404)


async def read_body(request: Request, most: int) -> bytes:
    """The body, at most so many bytes of it. Raises `Refusal` for more, and for a caller that went away."""
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > most:
                raise Refusal(f"more than {most} bytes", FailureCause.REQUEST, "body", status=413)
            parts.append(part)
    except ClientDisconnect:
        raise Refusal("the caller went away", FailureCause.CONNECTION, "body", status=400) from None
    return b"".join(parts)


class Socket:
    """One WebSocket: any number of requests at a time, answered as they finish. Sessions outlive it."""

    def __init__(self, service: Service, ws: WebSocket) -> None:
        self._service, self._ws = service, ws
        self._owner: str = ws.scope["owner"]
        self._room = asyncio.Semaphore(service.limits.max_in_flight)
        self._running: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Serves until the other side leaves; what it asked for still ends, so that a repeat finds its answer."""
        await self._ws.accept()
        loop = asyncio.get_running_loop()
        while True:
            message = await self._ws.receive()
            if message["type"] == "websocket.disconnect":
                return
            await self._room.acquire()
            task = loop.create_task(self._serve(message))
            self._running.add(task)
            task.add_done_callback(self._served)

    def _served(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._room.release()
        if not task.cancelled() and (error := task.exception()) is not None:
            log(logging.ERROR, "bug", path="/v1/socket", trace=error)

    async def _serve(self, message: Any) -> None:
        data: bytes | str | None = message.get("bytes")
        codec = CODECS[MSGPACK]
        if data is None:
            data, codec = message["text"], CODECS[JSON]
        request_id = ""
        try:
            request = self._decode(codec, data)
            request_id = request.request_id
            result = await self._service.handle(self._owner, request)
            try:
                answer = codec.answer(request_id, result)
            except OverflowError:
                codec = CODECS[JSON]
                answer = codec.answer(request_id, result)
        except Refusal as e:
            answer = codec.answer(request_id or _head(codec, data), error=e.body())
        with contextlib.suppress(Exception):  # the other side is gone; the answer stays in the journal
            await self._ws.send(
                {"type": "websocket.send", "text": answer.decode()}
                if codec.is_text
                else {"type": "websocket.send", "bytes": answer}
            )

    def _decode(self, codec: Codec, data: bytes | str) -> Any:
        try:
            return codec.decode(data, m.Request)
        except ContractError as e:
            self._service.metrics.refuse("frame")
            raise Refusal(str(e), FailureCause.REQUEST, "frame") from None


def _head(codec: Codec, data: bytes | str) -> str:
    try:
        return codec.decode(data, m.RequestHead).request_id
    except ContractError:
        return ""
