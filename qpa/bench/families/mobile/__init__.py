"""The families that only the suite "mobile" has, by domain."""

from __future__ import annotations

from qpa.bench.families.base import Family
from qpa.bench.families.mobile import (
    customers,
    customers_ask,
    customers_change,
    customers_follow,
    customers_work,
    shopping,
    shopping_ask,
    shopping_changes,
    shopping_compare,
    shopping_food,
    shopping_orders,
    travel,
    travel_ask,
    travel_cancel,
    travel_daily,
    travel_limits,
    travel_money,
    travel_rides,
    travel_tickets,
    travel_trouble,
)

MOBILE_FAMILIES: tuple[Family, ...] = (
    *customers.FAMILIES,
    *customers_ask.FAMILIES,
    *customers_change.FAMILIES,
    *customers_follow.FAMILIES,
    *customers_work.FAMILIES,
    *shopping.FAMILIES,
    *shopping_ask.FAMILIES,
    *shopping_changes.FAMILIES,
    *shopping_compare.FAMILIES,
    *shopping_food.FAMILIES,
    *shopping_orders.FAMILIES,
    *travel.FAMILIES,
    *travel_ask.FAMILIES,
    *travel_cancel.FAMILIES,
    *travel_daily.FAMILIES,
    *travel_limits.FAMILIES,
    *travel_money.FAMILIES,
    *travel_rides.FAMILIES,
    *travel_tickets.FAMILIES,
    *travel_trouble.FAMILIES,
)
