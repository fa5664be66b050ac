"""Blocking calls that their caller can walk away from.

A thread that waits for a hung device cannot be stopped, but its socket can be shut down, which ends the wait. The
caller returns at its deadline whatever the thread does; threads that have not ended yet are counted and bounded.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable
from typing import TypeVar

from qpa.contract import EnvFailure, FailureCause

T = TypeVar("T")


class Line:
    """The socket of one call, shared by the thread that uses it and the caller that may cut it.

    Attributes:
      sent: the request has left; from then on it may have run.
    """

    def __init__(self) -> None:
        self.sent = False
        self._cut = False
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()

    def hold(self, connection: socket.socket) -> None:
        """Takes the socket that the call waits on; raises `ConnectionAbortedError` if the caller has left."""
        with self._lock:
            self._socket = connection
            if not self._cut:
                return
        connection.close()
        raise ConnectionAbortedError("the caller has left")

    def cut(self) -> None:
        """Ends every wait on the socket, now and later."""
        with self._lock:
            self._cut = True
            if self._socket is not None:
                with contextlib.suppress(OSError):  # it is closed already
                    self._socket.shutdown(socket.SHUT_RDWR)


class Callers:
    """Runs blocking calls in threads of their own, each until its deadline.

    Attributes:
      limit: calls at a time, abandoned ones included; one more fails with cause CAPACITY.
    """

    def __init__(self, limit: int = 256):
        self.limit = limit
        self._running: set[threading.Thread] = set()
        self._abandoned: set[threading.Thread] = set()
        self._lock = threading.Lock()

    @property
    def abandoned(self) -> int:
        """Threads whose caller has left and that have not ended yet."""
        with self._lock:
            return len(self._abandoned)

    async def run(self, call: Callable[[Line], T], deadline_s: float, what: str) -> T:
        """The result of `call(line)`; raises what it raised, or `EnvFailure` with cause DEADLINE or CAPACITY."""
        if deadline_s <= 0:
            raise EnvFailure(f"{what}: no time left", FailureCause.DEADLINE)
        line, done = Line(), asyncio.get_running_loop().create_future()
        thread = threading.Thread(target=self._body, args=(call, line, done), name=f"adb {what}"[:60], daemon=True)
        with self._lock:
            if len(self._running) >= self.limit:
                raise EnvFailure(f"{what}: {self.limit} device calls are under way already", FailureCause.CAPACITY)
            self._running.add(thread)
        try:
            thread.start()
        except RuntimeError as e:  # the system has no more threads
            with self._lock:
                self._running.discard(thread)
            raise EnvFailure(f"{what}: {e}", FailureCause.CAPACITY) from None
        try:
            async with asyncio.timeout(deadline_s):
                return await done
        except TimeoutError:
            raise EnvFailure(f"{what}: no answer in {deadline_s:.3g} s", FailureCause.DEADLINE) from None
        finally:
            if not done.done() or done.cancelled():
                line.cut()
                with self._lock:
                    self._abandoned |= {thread} & self._running

    def _body(self, call: Callable[[Line], T], line: Line, done: asyncio.Future[T]) -> None:
        result: T
        error: BaseException | None = None
        try:
            result = call(line)
        except BaseException as e:  # it belongs to the caller
            error = e

        def report() -> None:
            if done.done():
                return
            if error is not None:
                done.set_exception(error)
            else:
                done.set_result(result)

        with self._lock:
            self._running.discard(threading.current_thread())
            self._abandoned.discard(threading.current_thread())
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            done.get_loop().call_soon_threadsafe(report)
