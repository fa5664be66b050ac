"""The families that only the suite "mobile" has, by domain."""

from __future__ import annotations

from qpa.bench.families.base import Family
from qpa.bench.families.mobile import (
    memory_act,
    memory_answer,
    memory_errands,
    memory_keep,
    memory_notes,
    memory_turns,
    memory_turns_answer,
    memory_turns_keep,
    memory_turns_limits,
    memory_turns_notes,
)

MOBILE_FAMILIES: tuple[Family, ...] = (
    *memory_act.FAMILIES,
    *memory_errands.FAMILIES,
    *memory_keep.FAMILIES,
    *memory_answer.FAMILIES,
    *memory_notes.FAMILIES,
    *memory_turns.FAMILIES,
    *memory_turns_keep.FAMILIES,
    *memory_turns_answer.FAMILIES,
    *memory_turns_limits.FAMILIES,
    *memory_turns_notes.FAMILIES,
)
