"""Tools without an implementation: a language model writes their answers, and every answer is checked against a log.

    rules = SimulatedRules(tools=[...], tables={...})            what is declared
    env = SimulatedEnv(model, rules, verifier=...)               plays; refuses answers that contradict the log
    validate_simulated(trajectory, rules)                        before a record trains anything

What a model says is only as good as these checks: its records are marked as needing validation, and curation and RL
refuse them until `validate_simulated` has passed them.
"""

from qpa.envs.simulated.env import SimulatedEnv
from qpa.envs.simulated.records import Answer, Fact, FactOp, Objection, Reason, SimulatedLimits
from qpa.envs.simulated.rules import SimulatedRules, TableSpec
from qpa.envs.simulated.validate import validate_simulated

__all__ = [
    "Answer",
    "Fact",
    "FactOp",
    "Objection",
    "Reason",
    "SimulatedEnv",
    "SimulatedLimits",
    "SimulatedRules",
    "TableSpec",
    "validate_simulated",
]
