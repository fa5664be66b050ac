"""Perturbation of any backend: domain randomisation, seeded, logged, each kind with its own switch."""

from __future__ import annotations

from qpa.envs.perturb.config import PerturbConfig, profile
from qpa.envs.perturb.env import PerturbedEnv
from qpa.envs.perturb.session import PerturbedSession

__all__ = ["PerturbConfig", "PerturbedEnv", "PerturbedSession", "profile"]
