"""The application domains, in catalogue and seeding order."""

from __future__ import annotations

import functools

from qpa.contract import ToolSpec
from qpa.envs.sandbox.domains import (
    apps_storage,
    assistant,
    calls,
    crm,
    devices,
    display_sound,
    input_interaction,
    media,
    network,
    security,
    shopping,
    system_settings,
    time_management,
    travel,
    utilities,
)
from qpa.envs.sandbox.schema import Domain
from qpa.envs.sandbox.tool import Tool

DOMAINS: tuple[Domain, ...] = (
    time_management.DOMAIN,
    calls.DOMAIN,
    network.DOMAIN,
    assistant.DOMAIN,
    apps_storage.DOMAIN,
    media.DOMAIN,
    display_sound.DOMAIN,
    devices.DOMAIN,
    input_interaction.DOMAIN,
    system_settings.DOMAIN,
    utilities.DOMAIN,
    security.DOMAIN,
    crm.DOMAIN,
    travel.DOMAIN,
    shopping.DOMAIN,
)


@functools.cache
def tools_by_name() -> dict[str, Tool]:
    """Every domain tool; raises ValueError when two share a name."""
    tools: dict[str, Tool] = {}
    for domain in DOMAINS:
        for item in domain.tools:
            if item.spec.name in tools:
                raise ValueError(f"two sandbox tools are named {item.spec.name!r}")
            tools[item.spec.name] = item
    return tools


@functools.cache
def specs_by_name() -> dict[str, ToolSpec]:
    """Every domain tool's spec, shared by all sessions: for reading only."""
    return {name: item.spec for name, item in tools_by_name().items()}


def catalog() -> list[ToolSpec]:
    """Every domain tool's spec, in a fixed order (skill loaders: see `SandboxEnv.catalog`)."""
    return list(specs_by_name().values())
