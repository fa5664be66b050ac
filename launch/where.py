"""The flags of the scripts that play episodes: on which backend, under which perturbation."""

from __future__ import annotations

from absl import flags

from qpa.config import LoopConfig

_BACKEND = flags.DEFINE_string(
    "backend",
    None,
    "where episodes are played: sandbox, local:N (N servers on this machine), URL,URL,... of servers, double:N (phones "
    "that are programs), device:FILE (enrolled phones), mcp:FILE, simulated:openai:URL#MODEL, or several joined by +; "
    "default: env.backend of the config",
)
_PERTURB = flags.DEFINE_string("perturb", None, "mild, standard or heldout; default: env.perturb of the config")


def apply(cfg: LoopConfig) -> LoopConfig:
    """The config with what the flags say."""
    cfg.env.backend = cfg.env.backend if _BACKEND.value is None else _BACKEND.value
    cfg.env.perturb = cfg.env.perturb if _PERTURB.value is None else _PERTURB.value
    return cfg
