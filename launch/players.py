"""Who plays, under which harness: the names that `launch.eval` and `launch.rl` take."""

from __future__ import annotations

from pathlib import Path

from launch.cli import UsageError
from launch.endpoint import PREFIX, remote_player
from qpa.config import LoopConfig
from qpa.contract import ChatModel
from qpa.harness import (
    GarbageModel,
    HarnessConfig,
    NullModel,
    RandomModel,
    ScriptedModel,
    bare_eta,
    benchmark_eta,
    load_eta,
    tiny_eta,
)

SCRIPTED = ("scripted:oracle", "scripted:null", "scripted:garbage", "scripted:random")


def harness_of(name: str) -> HarnessConfig:
    """ "on" (the small planners'), "off", "benchmark", or a file. Raises OSError and ContractError naming the file."""
    made = {"on": tiny_eta, "off": bare_eta, "benchmark": benchmark_eta}
    return made[name]() if name in made else load_eta(name)


def player_of(name: str, cfg: LoopConfig, request_fields: str | None = None) -> tuple[ChatModel, str]:
    """The policy and the identity of its weights.

    `name` is "base", a scripted one, an exported model's directory, a training folder, or an endpoint, for which
    `request_fields` is JSON to merge over its requests. Raises `UsageError` when it is none of these.
    """
    if name.startswith(PREFIX):
        return remote_player(name, request_fields)
    if request_fields is not None:
        raise UsageError(f"--request_fields is for --model={PREFIX}..., not for {name}")
    if name.startswith("scripted:"):
        return _scripted(name), name
    if name != "base" and not Path(name).is_dir():
        raise UsageError(f"--model={name}: no such directory, and not one of base, {', '.join(SCRIPTED)}, {PREFIX}URL")
    from launch.planner import load_weights, make_engine  # JAX: a scripted player needs none of it

    weights = load_weights(cfg.base if name == "base" else name)
    label = "base" if name == "base" else Path(name).name
    return make_engine(weights, cfg.engine, label), f"{label}:{weights.digest}"


def _scripted(name: str) -> ChatModel:
    if name == "scripted:oracle":
        from qpa.bench import oracle

        return ScriptedModel(oracle, name=name)
    if name == "scripted:null":
        return NullModel()
    if name == "scripted:garbage":
        return GarbageModel()
    if name == "scripted:random":
        return RandomModel()
    raise UsageError(f"--model={name}: the scripted players are {', '.join(SCRIPTED)}")
