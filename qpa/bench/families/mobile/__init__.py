"""The families that only the suite "mobile" has, by domain."""

from __future__ import annotations

from qpa.bench.families.base import Family
from qpa.bench.families.mobile import memory_act

MOBILE_FAMILIES: tuple[Family, ...] = (*memory_act.FAMILIES,)
