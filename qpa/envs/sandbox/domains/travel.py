"""Travel & Lifestyle: its parts put together."""

from __future__ import annotations

import random

from qpa.envs.sandbox.domains import (
    travel_base,
    travel_health,
    travel_maps,
    travel_rides,
    travel_tickets,
    travel_transit,
    travel_weather,
)
from qpa.envs.sandbox.schema import Domain, World

_APPS = (("Weather", "tools"), ("Health", "health"), ("Alipay", "finance"), ("Trip.com", "travel"), ("Uber", "travel"))


def seed_rows(rng: random.Random, world: World) -> None:
    """The weather, the map, the accounts, the tickets on sale and the health records of one person."""
    for part in (travel_weather, travel_maps, travel_transit, travel_tickets, travel_health):
        part.seed_rows(rng, world)
    for name, category in _APPS:
        world.add("apps", name=name, category=category)
        world.add("store_apps", name=name, category=category)


DOMAIN = Domain(
    name=travel_base.NAME,
    schema=travel_base.SCHEMA
    + travel_weather.SCHEMA
    + travel_maps.SCHEMA
    + travel_tickets.SCHEMA
    + travel_health.SCHEMA,
    tools=(
        travel_weather.TOOLS
        + travel_maps.TOOLS
        + travel_transit.TOOLS
        + travel_tickets.TOOLS
        + travel_rides.TOOLS
        + travel_health.TOOLS
    ),
    seed_rows=seed_rows,
)
