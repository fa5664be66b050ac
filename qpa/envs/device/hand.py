"""One phone under its rules: looks a verb up in the closed table, asks the grants, sends it, judges the answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from qpa.contract import Effect, EnvFailure, ErrorType, FailureCause
from qpa.envs.device.base import DeviceLink, ShellResult
from qpa.envs.device.grammar import Facts, VerbError
from qpa.envs.device.verbs import INTENTS, STATE, Verb
from qpa.envs.device.verbs_data import DATA
from qpa.envs.device.verbs_ui import APPS, DOUBLE, SCREEN

VERBS: Mapping[str, Verb] = MappingProxyType({**STATE, **INTENTS, **DATA, **APPS, **SCREEN, **DOUBLE})
EFFECTS = frozenset(Effect)
NEED_GRANT = frozenset({Effect.IRREVERSIBLE, Effect.EXTERNAL})
GRANTS = frozenset(name for name, verb in VERBS.items() if verb.effect in NEED_GRANT)
MAX_OUTPUT = 32 * 1024 * 1024  # bytes of one answer


class UnknownOutcome(EnvFailure):
    """A verb that must not be repeated got no answer in time. It may or may not have run: look before going on."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: no answer in time", FailureCause.DEADLINE)


@dataclass
class Hand:
    """Sends verbs over one link.

    Attributes:
      link: the enrolled serial.
      facts: what is known of the phone.
      effects: what the inventory allows on this serial.
      grants: irreversible and external verbs that this task may use.
      longest_s: no call is given more seconds, whatever its verb would.
      sent: names of the verbs sent, in order, for logs and tests.
    """

    link: DeviceLink
    facts: Facts = field(default_factory=Facts)
    effects: Collection[Effect] = EFFECTS
    grants: Collection[str] = frozenset()
    longest_s: float = 120.0
    sent: list[str] = field(default_factory=list)

    def permit(self, name: str) -> Verb:
        """The verb, if it exists and may be used now. Raises `VerbError`: 404 unknown, 403 not allowed or granted."""
        verb = VERBS.get(name)
        if verb is None:
            raise VerbError(ErrorType.UNKNOWN_TOOL, f"No verb {name[:40]!r}")
        if verb.effect not in self.effects:
            raise VerbError(ErrorType.PERMISSION_DENIED, f"This phone's inventory allows nothing {verb.effect.value}")
        if verb.effect in NEED_GRANT and name not in self.grants:
            raise VerbError(ErrorType.PERMISSION_DENIED, f"Not granted for this task: {name}")
        return verb

    async def run(self, name: str, /, **given: Any) -> ShellResult:
        """Sends one verb.

        Raises:
          VerbError: the verb may not be sent, or the phone refused.
          UnknownOutcome: no answer in time to a verb that must not be repeated.
          EnvFailure: none to one that may, or no phone.
        """
        verb = self.permit(name)
        argv = verb.build(self.facts, given)
        self.sent.append(name)
        try:
            result = await self.link.shell(*argv, deadline_s=self._deadline(verb), idempotent=verb.idempotent)
        except EnvFailure as failure:
            if failure.cause is FailureCause.DEADLINE and not verb.idempotent:
                raise UnknownOutcome(f"{self.link.serial}: {name}") from failure
            raise
        if len(result.stdout) > MAX_OUTPUT:
            raise EnvFailure(f"{self.link.serial}: {name} answered {len(result.stdout)} bytes", FailureCause.BACKEND)
        verb.judge(result)
        return result

    async def ask(self, name: str, /, **given: Any) -> str:
        """`run`, the standard output as text."""
        return (await self.run(name, **given)).stdout.decode("utf-8", "replace")

    async def screenshot(self) -> bytes:
        """The raw answer to `screencap -p`, to be read by `pictures.png`."""
        verb = self.permit("screenshot")
        self.sent.append("screenshot")
        return await self.link.exec_out(*verb.build(self.facts, {}), deadline_s=self._deadline(verb), idempotent=True)

    def _deadline(self, verb: Verb) -> float:
        return min(verb.deadline_s, self.longest_s)
