"""Environment server: any backend over HTTP and WebSocket, on a host without JAX.

    server = EnvServer(Service(SandboxEnv(verifier), ServerLimits()), Tokens({"trainer": token}))
    server.run()                        # until SIGTERM or Ctrl-C
    with server.in_thread() as url: ...  # beside other work: tests, notebooks

Operations and error body: `qpa.envs.server_messages`. Client: `qpa.envs.client.RemoteEnv`.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import socket
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import uvicorn
from starlette.routing import BaseRoute

from qpa.contract import EnvFailure, TaskSpec, ToolCall
from qpa.envs.server_auth import Tokens
from qpa.envs.server_http import make_app
from qpa.envs.server_metrics import log
from qpa.envs.server_ready import Readiness
from qpa.envs.server_service import Service

_STARTING_S = 30.0
_ENDING_S = 3  # for the connections, once their calls are answered
_LEAVING_S = 0.5  # for calls that were given up


@dataclass(frozen=True)
class Listen:
    """Where and how the server listens.

    Attributes:
      port: 0 takes a free one.
      certificate, key: PEM files for TLS; without them plain text, for loopback only.
      keepalive_s: between WebSocket pings; a peer that does not answer one in that time is gone. None: no pings.
      grace_s: at the end, how long calls under way may still take.
    """

    host: str = "127.0.0.1"
    port: int = 0
    certificate: str | None = None
    key: str | None = None
    keepalive_s: float | None = 20.0
    grace_s: float = 5.0

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("TLS needs both a certificate and a key")


class EnvServer:
    """One server process's worth: a backend, its leases, one listening socket."""

    def __init__(
        self,
        service: Service,
        tokens: Tokens,
        *,
        listen: Listen | None = None,
        probe: tuple[TaskSpec, ToolCall] | None = None,
        routes: Sequence[BaseRoute] = (),
    ) -> None:
        """Binds the socket, so that `url` is known. Raises OSError if the address is taken.

        `probe` is a harmless task and call for `/ready`; `routes` are further ones, as of `qpa.envs.openenv`.
        """
        listen = listen or Listen()
        self.service = service
        self._readiness = Readiness(self.service, probe)
        self._socket = _bind(listen.host, listen.port)
        scheme = "http" if listen.certificate is None else "https"
        host, port = self._socket.getsockname()[:2]
        self.url = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
        config = uvicorn.Config(
            make_app(self.service, tokens, self._readiness, routes),
            http="h11",
            ws="websockets-sansio",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws_max_size=self.service.limits.max_bytes,
            ws_per_message_deflate=False,  # small messages; deflate costs more than it saves
            ws_ping_interval=listen.keepalive_s,
            ws_ping_timeout=listen.keepalive_s,
            timeout_graceful_shutdown=_ENDING_S,
            ssl_certfile=listen.certificate,
            ssl_keyfile=listen.key,
        )
        self._uvicorn = _Uvicorn(config, self.service, self._readiness, self.url, listen.grace_s)

    def run(self) -> None:
        """Serves until SIGTERM or SIGINT, then stops cleanly."""
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(self._uvicorn.serve(sockets=[self._socket]))
            if left := asyncio.all_tasks(loop):  # backend calls that do not end; nothing waits for them for ever
                for task in left:
                    task.cancel()
                loop.run_until_complete(asyncio.wait(left, timeout=_LEAVING_S))
        finally:
            loop.close()

    @contextlib.contextmanager
    def in_thread(self) -> Iterator[str]:
        """Serves from a thread with an event loop of its own; gives the URL once it answers."""
        thread = threading.Thread(target=self.run, name="env-server", daemon=True)
        thread.start()
        try:
            if not self._uvicorn.serving.wait(_STARTING_S):
                raise RuntimeError(f"the server did not start within {_STARTING_S:.0f} s")
            yield self.url
        finally:
            self._uvicorn.should_exit = True
            thread.join(_STARTING_S)
            self._socket.close()


class _Uvicorn(uvicorn.Server):
    """uvicorn that warms up first, and tells the service of the end before it closes connections."""

    def __init__(
        self, config: uvicorn.Config, service: Service, readiness: Readiness, url: str, grace_s: float
    ) -> None:
        super().__init__(config)
        self._service, self._readiness, self._url, self._grace_s = service, readiness, url, grace_s
        self.serving = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        try:
            await self._readiness.check()  # also loads what the first session would wait for
        except EnvFailure as e:
            log(logging.WARNING, "not ready", cause=e.cause, message=str(e))
        if threading.current_thread() is threading.main_thread():
            gc.collect()
            gc.freeze()  # what lives as long as the process is never looked at again
        log(logging.INFO, "serving", url=self._url, backend=self._service.backend.name, pid=os.getpid())
        self.serving.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._service.drain(self._grace_s)
        await super().shutdown(sockets)


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named because asyncio sets TCP_NODELAY only then; without it an answer waits 40 ms for an ACK.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except BaseException:
        listener.close()
        raise
    return listener
