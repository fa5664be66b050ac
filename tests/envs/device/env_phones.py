"""Device environments over doubles in this process, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verb_phones import InProcessLink

from qpa.bench import BenchVerifier
from qpa.contract import Effect, Feedback, StateCriteria, TaskSpec, ToolCall
from qpa.contract.base import Dimension, Split
from qpa.contract.tasks import InitialState, Resources
from qpa.envs.device.double.phone import SandboxPhone
from qpa.envs.device.enrolment import DeviceKind, EnrolledDevice, Enrolment
from qpa.envs.device.env import DeviceEnv
from qpa.envs.device.session import DeviceSession
from qpa.envs.sandbox import catalog

EVERYTHING = list(Effect)


def task_of(tools: Sequence[str], patch: dict[str, list[dict[str, Any]]] | None = None, **initial: Any) -> TaskSpec:
    """A task that wants nothing, with these tools."""
    return TaskSpec(
        id="device-test",
        goal="none",
        criteria=StateCriteria(delta=[]),
        dimension=Dimension.TOOL,
        domain="none",
        family="none",
        split=Split.DEV,
        resources=Resources(tools=list(tools)),
        initial=InitialState(patch=patch or {}, **initial),
    )


def env_over(
    folder: Path,
    *phones: SandboxPhone,
    kind: DeviceKind = DeviceKind.DOUBLE,
    effects: Sequence[Effect] = (),
    serials: Sequence[str] = (),
    **more: Any,
) -> tuple[DeviceEnv, list[InProcessLink]]:
    """An environment over these phones, and their links."""
    allowed = list(effects) or EVERYTHING
    names = list(serials) or [f"phone-{i}" for i in range(len(phones))]
    devices = [EnrolledDevice(serial=name, kind=kind, effects=allowed) for name in names]
    links = {d.serial: InProcessLink(phone, d.serial) for d, phone in zip(devices, phones, strict=True)}
    more.setdefault("verifier", BenchVerifier(catalog()))
    env = DeviceEnv(Enrolment(devices=devices), lambda device: links[device.serial], folder, **more)
    return env, list(links.values())


class Player:
    """Calls tools one by one in an open session."""

    def __init__(self, env: DeviceEnv, session: DeviceSession) -> None:
        self.env, self.session, self._made = env, session, 0

    async def __call__(self, tool: str, **arguments: Any) -> Feedback:
        self._made += 1
        call = ToolCall(id=f"call-{self._made}", name=tool, arguments=arguments)
        return (await self.env.step(self.session, [call]))[0]
