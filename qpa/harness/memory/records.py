"""What a memory is: a layer, an owner, a provenance tier and links to its sources (method part A8.3)."""

from __future__ import annotations

import enum

import msgspec

from qpa.contract import Record


class Layer(enum.StrEnum):
    """Typed layers; they differ in access and trust. Review records document maintenance and are never recalled."""

    USER_MODEL = "user_model"
    EPISODIC = "episodic"
    LONG_TERM = "long_term"
    PROSPECTIVE = "prospective"
    REVIEW = "review"


class Tier(enum.StrEnum):
    """Who vouches for a record. The channel a memory arrives by decides, never its content."""

    USER = "user"
    AGENT = "agent"
    EXTERNAL = "external"
    SYSTEM = "system"


# A record may be replaced only by one that is trusted at least as much: a web page cannot overrule the user.
TRUST: dict[Tier, int] = {Tier.EXTERNAL: 0, Tier.AGENT: 1, Tier.SYSTEM: 2, Tier.USER: 3}


class Owner(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Scope of private memories; all three parts must match on every read, write, update and delete."""

    workspace: str
    user: str
    agent: str


class MemoryRecord(Record):
    """One stored memory. Times are ISO 8601 local times given by the caller; the store reads no clock."""

    id: str
    owner: Owner
    layer: Layer
    tier: Tier
    text: str
    created_at: str
    # Ids of source events, or of the memories this one was derived from.
    sources: list[str] = msgspec.field(default_factory=list)
    original: str = ""  # the lossless dialogue behind a summary
    importance: float = 0.5  # [0, 1]
    expires_at: str = ""  # "" = never
    condition: str = ""  # prospective layer: when to act
    done: bool = False  # prospective layer
    superseded_by: str = ""  # id of the record that replaced this one


class MemoryRefused(ValueError):  # noqa: N818 - a policy decision with a reason, not a malfunction
    """The store will not do this; the message says why. A foreign record is reported exactly like an absent one."""
