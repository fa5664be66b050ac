"""Phones behind the `Env` Protocol: leases, setting up and putting back, verification by what the phone shows."""

from __future__ import annotations

import asyncio
import base64
import binascii
import dataclasses
import logging
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from qpa.contract import (
    ContractError,
    Effect,
    EnvFailure,
    Evidence,
    FailureCause,
    Feedback,
    Skill,
    TaskSpec,
    ToolCall,
    ToolSpec,
    Trajectory,
    Verdict,
    Verifier,
    from_msgpack,
    to_msgpack,
)
from qpa.envs.base import Capabilities
from qpa.envs.device import parsers, readback
from qpa.envs.device.base import DeviceLink
from qpa.envs.device.bindings import SEEDABLE
from qpa.envs.device.enrolment import DeviceKind, EnrolledDevice, Enrolment
from qpa.envs.device.grammar import Facts, VerbError
from qpa.envs.device.hand import GRANTS, Hand
from qpa.envs.device.handset import Handset
from qpa.envs.device.journal import Journal
from qpa.envs.device.mirror import undo
from qpa.envs.device.screen import Screen
from qpa.envs.device.session import DeviceSession, Lease
from qpa.envs.device.supports import missing_for
from qpa.envs.device.verbs_ui import SCRATCH
from qpa.envs.loops import PerLoop
from qpa.envs.sandbox import loaders
from qpa.envs.sandbox.domains import catalog
from qpa.envs.skills import builtin_skills

CLOCK_S = 300  # a task's clock and a phone's may differ by this much
PUSH_S = 20.0
_log = logging.getLogger(__name__)

Grants = Callable[[TaskSpec, EnrolledDevice], Collection[str]]


def default_grants(task: TaskSpec, device: EnrolledDevice) -> Collection[str]:
    """On a double everything that its inventory allows, on a phone nothing that cannot be undone."""
    return GRANTS if device.kind is DeviceKind.DOUBLE else frozenset()


@dataclasses.dataclass
class _Place:
    """One enrolled serial: its link, how often it was leased, and what runs on it."""

    device: EnrolledDevice
    link: DeviceLink
    journal: Journal
    epoch: int = 0


@dataclasses.dataclass(frozen=True)
class DeviceHealth:
    """What a device said of itself; `problem` is "" if it can be used, and `facts` then there."""

    device: EnrolledDevice
    facts: Facts | None
    problem: str


class DeviceEnv:
    """As many episodes at a time as there are enrolled phones; each phone has one.

    Every call is under its verb's deadline; a phone that hangs costs that, and the episode it is in.
    """

    name = "device"

    def __init__(
        self,
        enrolment: Enrolment,
        connect: Callable[[EnrolledDevice], DeviceLink],
        journals: Path,
        *,
        verifier: Verifier | None = None,
        skills: list[Skill] | None = None,
        grants: Grants = default_grants,
        packages: Mapping[str, str] | None = None,
        wait_s: float = 60.0,
    ) -> None:
        """`connect` makes the link of an enrolled device; `journals` is a folder that outlives the process.

        Args:
          grants: names of `hand.GRANTS` that a task may use on a device; the inventory's effects hold besides.
          packages: app name -> package, of apps that `android.PACKAGES` does not know.
          wait_s: how long `reset` waits for a free phone before it fails with CAPACITY.
        """
        self._verifier, self._grants, self._packages, self._wait_s = verifier, grants, packages or {}, wait_s
        listed = builtin_skills() if skills is None else skills
        self._skills = {loaders.loader_name(skill.name): skill for skill in listed}
        self._places = [
            _Place(device, connect(device), Journal(journals, device.serial)) for device in enrolment.devices
        ]
        self._free: deque[_Place] = deque(self._places)
        self._freed = PerLoop(asyncio.Condition)
        self._kinds = {device.kind for device in enrolment.devices}

    def capabilities(self) -> Capabilities:
        """One life, no branching; a double starts anywhere, a phone only where a host can bring it."""
        doubles = self._kinds == {DeviceKind.DOUBLE}
        return Capabilities(backend=self.name, deterministic=doubles, seeding="any" if doubles else "listed")

    def supports(self, task: TaskSpec) -> str:
        """Why no enrolled device can play the task; "" if one can."""
        return missing_for(task, double=DeviceKind.DOUBLE in self._kinds)

    def devices(self) -> list[EnrolledDevice]:
        """Everything that is enrolled."""
        return [place.device for place in self._places]

    async def health(self) -> list[DeviceHealth]:
        """One real round trip to every device, leased or not: what it is, or why it cannot be used now."""
        return list(await asyncio.gather(*(self._health(place) for place in self._places)))

    async def _health(self, place: _Place) -> DeviceHealth:
        try:
            facts = await _facts(self._hand(place), place.device)
        except (EnvFailure, parsers.ParseError, VerbError) as error:
            return DeviceHealth(place.device, None, str(error))
        return DeviceHealth(place.device, facts, "")

    def catalog(self) -> list[ToolSpec]:
        """Every tool of the sandbox, then one loader per skill: what a phone cannot do answers `unavailable`."""
        return catalog() + [loaders.loader_spec(skill) for skill in self._skills.values()]

    async def reset(self, task: TaskSpec) -> DeviceSession:
        """Leases a free phone and brings it to the task's initial state.

        A phone that does not answer is put at the end of the queue and the next is tried, each once.

        Raises:
          EnvFailure: UNSUPPORTED, CAPACITY when none gets free in time, or what the last phone failed with.
        """
        reason = self.supports(task)
        if reason:
            raise EnvFailure(f"task {task.id}: {reason}", FailureCause.UNSUPPORTED)
        failure: EnvFailure | None = None
        for _ in self._places:
            place = await self._take()
            try:
                return await self._open(place, task)
            except EnvFailure as e:
                failure = e
                await self._give(place)
                if e.cause not in (FailureCause.CONNECTION, FailureCause.DEADLINE, FailureCause.TRANSIENT):
                    raise
                _log.warning("%s: %s", place.device.serial, e)
            except BaseException:
                await self._give(place)
                raise
        raise failure or EnvFailure("no device is enrolled", FailureCause.CAPACITY)

    async def step(self, session: DeviceSession, calls: Sequence[ToolCall]) -> list[Feedback]:
        """One feedback per call, in order; a repeated call id replays its answer and sends nothing."""
        return await session.step(calls)

    async def verify(self, session: DeviceSession, trajectory: Trajectory) -> Verdict:
        """The injected verifier's judgement of what the phone shows."""
        if self._verifier is None:
            raise ContractError("DeviceEnv has no verifier: construct it as DeviceEnv(..., verifier=...)")
        return self._verifier.verify(session.task, await self.evidence(session), trajectory)

    async def evidence(self, session: DeviceSession) -> Evidence:
        """Net changes of the phone (a double tells them, a phone is read again) and of the host, and what was called.

        Raises `EnvFailure` when the phone cannot be read.
        """
        if session.closed or not session.lease.valid():
            raise EnvFailure(f"device session {session.id} is over", FailureCause.LEASE)
        host = session.host_changes()
        try:
            if session.phone.hand.facts.double:
                device = _decode(await session.phone.hand.ask("double_evidence")).changes
            else:
                device = await readback.changes(session)
        except VerbError as error:
            raise EnvFailure(f"{session.lease.serial}: {error.message}") from error
        changes = readback.merge(readback.without_visits(session, device), host)
        return Evidence(changes=changes, operations=list(session.operations))

    async def close(self, session: DeviceSession) -> None:
        """Puts the phone back as it was and frees it; closing twice is fine. What cannot be put back is logged."""
        if session.closed:
            return
        session.close()
        place = next(p for p in self._places if p.device.serial == session.lease.serial)
        if place.epoch != session.lease.epoch:
            return
        try:
            await self._restore(place, session.phone)
        except (EnvFailure, VerbError, parsers.ParseError) as error:
            # The journal stays: the next session on this phone tries again, before anything else.
            _log.warning("%s: not restored: %s", place.device.serial, error)
        finally:
            await self._give(place)

    # --- leases -------------------------------------------------------------------------------------------------------

    async def _take(self) -> _Place:
        freed = self._freed.get()
        async with freed:
            try:
                async with asyncio.timeout(self._wait_s):
                    await freed.wait_for(lambda: bool(self._free))
            except TimeoutError:
                raise EnvFailure(
                    f"all {len(self._places)} devices are leased for {self._wait_s:g} s", FailureCause.CAPACITY
                ) from None
            place = self._free.popleft()
            place.epoch += 1
            return place

    async def _give(self, place: _Place) -> None:
        place.epoch += 1  # whoever still holds the old lease is refused
        self._free.append(place)  # before anything that a cancelled caller might not come back from
        freed = self._freed.get()
        async with freed:
            freed.notify()

    # --- setting up ---------------------------------------------------------------------------------------------------

    async def _open(self, place: _Place, task: TaskSpec) -> DeviceSession:
        epoch = place.epoch
        serial = place.device.serial
        try:
            phone = await self._handset(place, task)
            await self._restore(place, phone)  # what an earlier crash left
            lease = Lease(serial, epoch, lambda: place.epoch == epoch)
            session = DeviceSession(f"device-{serial}-{epoch}", task, self._skills, phone, lease)
            place.journal.begin(task.id, epoch)
            if phone.hand.facts.double:
                await self._load(phone, task, epoch)
                await phone.read_clock()
            else:
                session.mirror.note = lambda change: place.journal.note(change.record())
                await self._bring(session, task)
            return session
        except VerbError as error:
            raise EnvFailure(f"{serial}: {error.message}") from error
        except (parsers.ParseError, ContractError) as error:
            raise EnvFailure(f"{serial}: {error}") from error

    def _hand(self, place: _Place) -> Hand:
        return Hand(place.link, effects=place.device.effects, longest_s=place.device.limits.deadline_s)

    async def _handset(self, place: _Place, task: TaskSpec) -> Handset:
        hand = self._hand(place)
        hand.facts = await _facts(hand, place.device)
        hand.grants = frozenset(self._grants(task, place.device))
        return Handset(hand, Screen(hand, place.journal.note_keyboard), packages=self._packages)

    async def _load(self, phone: Handset, task: TaskSpec, epoch: int) -> None:
        """Gives a double the task; the host plays its faults and denied permissions itself."""
        initial = msgspec.structs.replace(task.initial, faults=[], denied_permissions=[])
        data = to_msgpack(msgspec.structs.replace(task, initial=initial))
        name = f"qpa-task-{epoch}.msgpack"
        await phone.hand.link.push(SCRATCH + name, data, deadline_s=min(PUSH_S, phone.hand.longest_s))
        await phone.hand.run("double_load", name=name)
        await phone.hand.run("remove_scratch", name=name)
        properties = parsers.properties(await phone.hand.ask("properties"))
        zone = properties.get("persist.sys.timezone") or "UTC"
        phone.hand.facts = dataclasses.replace(phone.hand.facts, zone=zone, model=properties["ro.product.model"])

    async def _bring(self, session: DeviceSession, task: TaskSpec) -> None:
        """Brings a phone to what the task's patch says; the rest of its world is the phone's own."""
        phone = session.phone
        await phone.read_clock()
        apart = abs((phone.now - datetime.fromisoformat(task.initial.clock)).total_seconds())
        if apart > CLOCK_S:
            raise EnvFailure(
                f"task {task.id}: its clock is {task.initial.clock}, the phone's {phone.now.isoformat()}",
                FailureCause.UNSUPPORTED,
            )
        session.follows_clock = True
        await readback.seed(session, {name: rows for name, rows in task.initial.patch.items() if name in SEEDABLE})
        await readback.start(session)

    async def _restore(self, place: _Place, phone: Handset) -> None:
        """Undoes what the journal has, then forgets it. A double is only reset."""
        left = place.journal.left()
        if left is not None:
            await phone.read_clock()
            # What was allowed to be done may be undone, whatever the task at hand may do.
            hand = dataclasses.replace(phone.hand, grants=GRANTS, effects=frozenset(Effect))
            before = dataclasses.replace(phone, hand=hand, screen=Screen(hand), rows=lambda table: [])
            stays = await undo(before, left.changes)
            if left.keyboard:
                try:
                    await hand.run("set_keyboard", id=left.keyboard)
                except VerbError as error:  # it was removed: no reason to lose the phone
                    stays.append(f"keyboard: {error.message}")
            if stays:
                _log.warning("%s: cannot be undone: %s (task %s)", place.device.serial, ", ".join(stays), left.task)
        if phone.hand.facts.double:
            await phone.hand.run("double_reset")
        place.journal.settle()


async def _facts(hand: Hand, device: EnrolledDevice) -> Facts:
    """What is to be known of a phone; one that has not booted fails as TRANSIENT."""
    properties = parsers.properties(await hand.ask("properties"))
    if properties.get("sys.boot_completed") != "1":
        raise EnvFailure(f"{device.serial}: has not booted", FailureCause.TRANSIENT)
    try:
        sdk = int(properties["ro.build.version.sdk"])
    except (KeyError, ValueError):
        raise EnvFailure(f"{device.serial}: does not tell its API level") from None
    double = device.kind is DeviceKind.DOUBLE
    if double:
        try:
            double = (await hand.ask("double_version")).startswith("qpa-double")
        except VerbError:  # no such command
            double = False
        if not double:
            raise EnvFailure(f"{device.serial}: enrolled as a double, and is none")
    width, height = parsers.screen_size(await hand.ask("screen_size"))
    zone = properties.get("persist.sys.timezone") or "UTC"
    remote = device.kind is DeviceKind.PHONE and ":" in device.serial
    return Facts(sdk, width, height, zone, double, properties.get("ro.product.model", ""), remote)


def _decode(text: str) -> Evidence:
    try:
        return from_msgpack(base64.b64decode("".join(text.split()), validate=True), Evidence)
    except (binascii.Error, ContractError) as error:
        raise EnvFailure(f"the double's evidence cannot be read: {error}") from error
