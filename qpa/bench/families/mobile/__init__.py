"""The families that only the suite "mobile" has, by domain."""

from __future__ import annotations

from qpa.bench.families.base import Family
from qpa.bench.families.mobile import (
    skill_arbiter,
    skill_care,
    skill_pairs,
    skill_single,
    skill_teams,
    subagent_answers,
    subagent_apps,
    subagent_faults,
)

MOBILE_FAMILIES: tuple[Family, ...] = (
    *skill_single.FAMILIES,
    *skill_care.FAMILIES,
    *skill_pairs.FAMILIES,
    *skill_teams.FAMILIES,
    *skill_arbiter.FAMILIES,
    *subagent_apps.FAMILIES,
    *subagent_answers.FAMILIES,
    *subagent_faults.FAMILIES,
)
