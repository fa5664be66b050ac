"""Skill families: loading before the work."""

from __future__ import annotations

from dataclasses import replace

from qpa.bench.families.base import Call, Draft, Plan, Routing
from qpa.bench.families.mobile.common import Request, one_of
from qpa.bench.families.skill import load
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.schema import World

ROUTING: Routing = "mtsr"  # the suite plays every instance in both settings


def loads(skills: tuple[str, ...]) -> list[Call]:
    """One loader call for each skill."""
    return [load(skill, skill.replace("-", " ")) for skill in skills]


def guided(draft: Draft, *skills: str) -> Draft:
    """The draft with its skills demanded, and loaded before its plan runs."""
    inner = draft.plan

    def plan() -> Plan:
        yield loads(skills)
        return (yield from inner())

    return replace(draft, plan=plan, skills=skills, routing=ROUTING)


def guided_one_of(rng: Draw, world: World, requests: tuple[tuple[str, Request], ...]) -> Draft:
    """A draft of one of the (skill, request) pairs, in turns as in `one_of`."""
    skill = requests[rng.turn % len(requests)][0]
    return guided(one_of(rng, world, tuple(request for _, request in requests)), skill)
