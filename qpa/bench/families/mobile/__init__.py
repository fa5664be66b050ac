"""The families that only the suite "mobile" has, by domain."""

from __future__ import annotations

from qpa.bench.families.base import Family

MOBILE_FAMILIES: tuple[Family, ...] = ()
