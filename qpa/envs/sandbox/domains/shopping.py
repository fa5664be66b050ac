"""Shopping: three shops and two food apps, their carts and orders."""

from __future__ import annotations

import random

from qpa.envs.sandbox.domains import shopping_catalog, shopping_orders
from qpa.envs.sandbox.schema import Domain, World


def seed_rows(rng: random.Random, world: World) -> None:
    """Offers, orders, coupons, addresses and the apps themselves; needs the travel domain's accounts and places."""
    shopping_catalog.seed_rows(rng, world)
    shopping_orders.seed_rows(rng, world)
    for category, apps in (("shopping", shopping_catalog.SHOPS), ("food", shopping_catalog.FOOD_APPS)):
        for app in apps:
            world.add("apps", name=app, category=category)
            world.add("store_apps", name=app, category=category)


DOMAIN = Domain(
    name=shopping_catalog.NAME,
    schema=shopping_catalog.SCHEMA + shopping_orders.SCHEMA,
    tools=shopping_catalog.TOOLS + shopping_orders.TOOLS,
    seed_rows=seed_rows,
)
