"""`RemoteEnv` on a network that loses connections, answers and servers."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
from collections.abc import Callable

import pytest
from server_doubles import TRANSPORTS, Scripted, alarm, cause_of, remote, served, some_tasks

from qpa.contract import EnvFailure


class Cutter:
    """A TCP relay that can cut every connection, after the request went through and before its answer comes back."""

    def __init__(self, url: str) -> None:
        self.port = int(url.rsplit(":", 1)[1])
        self.cut_after: Callable[[bytes], bool] = lambda data: False
        self.cuts = 0

    async def __aenter__(self) -> str:
        self._server = await asyncio.start_server(self._relay, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aexit__(self, *error: object) -> None:
        self._server.close()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.port)
        back = asyncio.create_task(self._pump(up_reader, writer))
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                up_writer.write(data)
                await up_writer.drain()
                if self.cut_after(data):
                    self.cuts += 1
                    back.cancel()
                    writer.transport.abort()
                    break
        up_writer.close()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_an_answer_lost_with_its_connection_is_asked_for_again_and_acts_once(transport):
    backend = Scripted()

    async def main(url: str) -> int:
        cutter = Cutter(url)
        async with cutter as relay, remote(relay, transport=transport) as env:
            await env.connect()
            chance = random.Random(0)
            cutter.cut_after = lambda data: chance.random() < 0.4
            session = await env.reset(some_tasks()[0])
            for number in range(12):
                assert (await env.step(session, [alarm(f"{number}")]))[0].call_id == f"{number}"
            await env.close(session)
            return cutter.cuts

    with served(backend) as server:
        assert asyncio.run(main(server.url)) >= 4
        assert server.metric("qpa_env_replayed_total") >= 2
        assert list(backend.executed.values()) == [1] * 12 and backend.counts["reset"] == 1 and not backend.open


def test_other_requests_of_a_cut_connection_come_through_too():
    backend = Scripted()

    async def main(url: str) -> None:
        async with remote(url) as env:
            sessions = await asyncio.gather(*(env.reset(some_tasks()[0]) for _ in range(20)))
            steps = [asyncio.ensure_future(env.step(s, [alarm(str(i))])) for i, s in enumerate(sessions)]
            await asyncio.sleep(0)
            env._transport.drop()
            assert [f[0].call_id for f in await asyncio.gather(*steps)] == [str(i) for i in range(20)]
            await asyncio.gather(*(env.close(s) for s in sessions))

    with served(backend) as server:
        asyncio.run(main(server.url))
    assert len(backend.executed) == 20 and set(backend.executed.values()) == {1} and not backend.open


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_server_that_is_gone_is_a_connection_failure(transport):
    async def main(url: str) -> None:
        async with remote(url, transport=transport, patience_s=0.2) as env:
            with pytest.raises(EnvFailure) as error:
                await env.reset(some_tasks()[0])
            assert cause_of(error) == "connection"
            with pytest.raises(EnvFailure) as error:
                env.catalog()
            assert cause_of(error) == "connection"

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        asyncio.run(main(f"http://127.0.0.1:{free.getsockname()[1]}"))


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_server_that_does_not_answer_costs_the_deadline(transport, monkeypatch):
    monkeypatch.setattr("qpa.envs.client._GRACE_S", 0.2)

    async def main() -> None:
        silent = await asyncio.start_server(lambda reader, writer: asyncio.sleep(20), "127.0.0.1", 0)
        url = f"http://127.0.0.1:{silent.sockets[0].getsockname()[1]}"
        async with remote(url, transport=transport, deadlines_s={"reset": 0.1}) as env:
            with pytest.raises(EnvFailure) as error:
                await env.reset(some_tasks()[0])
            assert cause_of(error) == "deadline"
        silent.close()

    asyncio.run(asyncio.wait_for(main(), 10))
