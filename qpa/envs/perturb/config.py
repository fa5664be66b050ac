"""What is perturbed, how often, and three presets.

Rates are probabilities. Starting values follow published interruption and staleness figures; every kind is off until
its switch is on. What `heldout` draws from (dialogs, outages, app versions, locales) never occurs in the other two.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from qpa.contract import ContractError

POPUPS = ("update", "rate_us", "ad", "not_responding", "login_expired")
NOTICES = ("sms", "notification", "low_battery", "one_time_code", "incoming_call")
OUTAGES = ("offline", "slow", "captive_portal", "server_error")
LOCALES = ("en", "de", "zh", "ar")
ANDROIDS = (9, 11, 13)  # dialogs of these versions are worded differently
VERSIONS = (1, 2, 3)  # of every app; the last one is held out
DRAWS = ("group", "rollout")


@dataclass(slots=True)
class LatencyConfig:
    """Lognormal per kind of call on a virtual clock; nothing sleeps."""

    on: bool = False
    scale: float = 1.0  # of all medians, see `qpa.envs.perturb.latency`
    sigma: float = 0.5  # of the logarithm
    stall_rate: float = 0.01  # of calls
    stall_factor: float = 10.0
    deadline_ms: float = 0.0  # a slower call answers `timeout`, outcome unknown; 0: no deadline
    ran_rate: float = 0.5  # of the calls that timed out, those that did run


@dataclass(slots=True)
class StaleConfig:
    """Reads that show an earlier answer, or the beginning of a list. Marked in the log only."""

    on: bool = False
    stale_rate: float = 0.03  # of reads that were made before
    partial_rate: float = 0.03  # of reads with a list; the same read made again is whole
    keep: float = 0.5  # of the list's entries, rounded up


@dataclass(slots=True)
class InterruptConfig:
    """What comes between two calls. Each is over after a retry, a press of back or home, or a wait."""

    on: bool = False
    popup_rate: float = 0.1  # of episodes
    popups: tuple[str, ...] = ("update", "rate_us", "ad")
    patience: int = 2  # calls a dialog refuses before it goes away by itself
    permission_share: float = 0.2  # of episodes on a phone where every permission is asked for at its first use
    androids: tuple[int, ...] = ANDROIDS
    notice_rate: float = 0.05  # of episodes
    notices: tuple[str, ...] = ("sms", "notification", "low_battery")
    outage_rate: float = 0.05  # of episodes
    outages: tuple[str, ...] = ("offline", "slow")
    outage_steps: int = 2  # turns in which networked tools are unavailable


@dataclass(slots=True)
class DriftConfig:
    """Other versions of the apps: parameters renamed, added or removed, enum values renamed, descriptions reworded."""

    on: bool = False
    rate: float = 0.3  # of apps (tool domains), per episode
    versions: tuple[int, ...] = (1, 2)


@dataclass(slots=True)
class LocaleConfig:
    """Dates, times, numbers and the wording of messages."""

    on: bool = False
    rate: float = 0.3  # of episodes
    locales: tuple[str, ...] = ("en", "de", "zh")


@dataclass(slots=True)
class AgentFaultConfig:
    """Sub-agents that say "done" (rates of calls). Needs an inner backend that can set up a fault plan."""

    on: bool = False
    no_op: float = 0.05
    partial: float = 0.03
    wrong_item: float = 0.02
    false_done: float = 0.02


@dataclass(slots=True)
class InfraConfig:
    """Broken infrastructure, to test that it is masked. A resampled episode draws anew."""

    on: bool = False
    reset_rate: float = 0.0  # of resets
    disconnect_rate: float = 0.0  # of steps, half of them after the calls have run
    judge_rate: float = 0.0  # of verifications


@dataclass(slots=True)
class PerturbConfig:
    """All kinds. `draw` "group" hits all rollouts of a task in a run alike, "rollout" each in its own way."""

    name: str = "custom"
    clean_fraction: float = 0.5  # of draws that are left alone, so that clean skill is not lost
    draw: str = "group"
    latency: LatencyConfig = field(default_factory=LatencyConfig)
    stale: StaleConfig = field(default_factory=StaleConfig)
    interrupts: InterruptConfig = field(default_factory=InterruptConfig)
    drift: DriftConfig = field(default_factory=DriftConfig)
    locale: LocaleConfig = field(default_factory=LocaleConfig)
    agents: AgentFaultConfig = field(default_factory=AgentFaultConfig)
    infra: InfraConfig = field(default_factory=InfraConfig)


PROFILES = ("mild", "standard", "heldout")


def profile(name: str) -> PerturbConfig:
    """A preset: "mild" and "standard" to train with, "heldout" to test with, none of whose variants the others have.

    Raises ContractError for another name.
    """
    if name == "mild":
        return PerturbConfig(
            name=name,
            latency=LatencyConfig(on=True),
            stale=StaleConfig(on=True, stale_rate=0.01, partial_rate=0.01),
            interrupts=InterruptConfig(on=True, popup_rate=0.05, permission_share=0.1, outage_rate=0.02),
        )
    if name == "standard":
        return PerturbConfig(
            name=name,
            latency=LatencyConfig(on=True, deadline_ms=10_000.0),
            stale=StaleConfig(on=True),
            interrupts=InterruptConfig(on=True),
            drift=DriftConfig(on=True),
            locale=LocaleConfig(on=True),
            agents=AgentFaultConfig(on=True),
        )
    if name == "heldout":
        return PerturbConfig(
            name=name,
            clean_fraction=0.0,
            latency=LatencyConfig(on=True, sigma=0.8, deadline_ms=10_000.0),
            stale=StaleConfig(on=True),
            interrupts=InterruptConfig(
                on=True,
                popups=("not_responding", "login_expired"),
                notices=("one_time_code", "incoming_call"),
                outages=("captive_portal", "server_error"),
            ),
            drift=DriftConfig(on=True, versions=(VERSIONS[-1],)),
            locale=LocaleConfig(on=True, locales=("ar",)),
            agents=AgentFaultConfig(on=True),
        )
    raise ContractError(f"perturbation profile {name!r}: there is {', '.join(PROFILES)}")


_CHOICES: dict[str, tuple[Any, ...]] = {
    "popups": POPUPS,
    "notices": NOTICES,
    "outages": OUTAGES,
    "locales": LOCALES,
    "androids": ANDROIDS,
    "versions": VERSIONS,
}
_SHARES = ("rate", "share", "fraction", "keep", "no_op", "partial", "wrong_item", "false_done")


def check(config: PerturbConfig) -> None:
    """Raises ContractError naming the first field that no perturbation can have."""
    for path, value in _fields(config, ""):
        name = path.rpartition(".")[2]
        if name in _CHOICES:
            strange = [v for v in value if v not in _CHOICES[name]]
            if strange or not value:
                raise ContractError(f"perturb.{path}: {strange or 'empty'}; some of {_CHOICES[name]} are wanted")
        elif name.endswith(_SHARES) and not 0 <= value <= 1:
            raise ContractError(f"perturb.{path} is {value}; use 0 to 1")
        elif name in ("scale", "sigma", "stall_factor", "deadline_ms", "outage_steps") and value < 0:
            raise ContractError(f"perturb.{path} is {value}; use 0 or more")
    agents = config.agents
    if agents.no_op + agents.partial + agents.wrong_item + agents.false_done > 1:
        raise ContractError("perturb.agents: the four rates add up to more than 1")
    if config.draw not in DRAWS:
        raise ContractError(f"perturb.draw is {config.draw!r}; use one of {', '.join(DRAWS)}")
    if config.interrupts.patience < 1:
        raise ContractError("perturb.interrupts.patience is below 1: a dialog refuses at least one call")


def _fields(config: Any, path: str) -> Iterator[tuple[str, Any]]:
    for item in dataclasses.fields(config):
        value = getattr(config, item.name)
        if dataclasses.is_dataclass(value):
            yield from _fields(value, f"{path}{item.name}.")
        else:
            yield f"{path}{item.name}", value
