"""Time Management: alarms, timers, schedules, to-dos, reminders and the clock's settings."""

from __future__ import annotations

import random
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.schema import Domain, World
from qpa.envs.sandbox.tool import ToolContext, conflict, ok, tool

NAME = "Time Management"

SCHEMA = """
CREATE TABLE alarms (
  id TEXT PRIMARY KEY, time TEXT NOT NULL, title TEXT NOT NULL DEFAULT '', repeat TEXT NOT NULL DEFAULT 'once',
  enabled INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;
"""


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_time_format(ctx: ToolContext, format: Literal["12h", "24h"]) -> dict[str, Any]:
    """Set the clock format."""
    if not ctx.set_setting("time_format", format):
        raise conflict(f"Time format is already {format}")
    return ok("Time format set", format=format)


def seed_rows(rng: random.Random, world: World) -> None:
    """Settings of the clock."""
    world.add("settings", key="time_format", value="24h")


DOMAIN = Domain(NAME, SCHEMA, (set_time_format,), seed_rows)
