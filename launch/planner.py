"""Weights and the engine that plays them: the shipped base, an exported model, or a training checkpoint."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
from flax import nnx

from qpa.chat import ChatFormat
from qpa.chat.files import write_atomic
from qpa.chat.tokenizer import TOKENIZER_FILES, Tokenizer, tokenizer_files
from qpa.config import EngineConfig, LoopConfig, LoraConfig, MeshConfig, ModelConfig, OptimizerConfig
from qpa.models import base, peft
from qpa.models.base import CHECKSUMS, load_base, load_model
from qpa.models.engine import Engine
from qpa.models.hf import save_hf
from qpa.models.lora import add_lora, fingerprint, merge
from qpa.models.transformer import Planner
from qpa.train.checkpoint import Checkpoints
from qpa.train.lock import run_lock
from qpa.train.mesh import make_mesh
from qpa.train.optimizer import make_optimizer
from qpa.train.processes import host_copy, wait_for_all
from qpa.train.state import abstract_state

FAMILY = "compact"  # the small planners' chat family
BASE_DIR = Path(base.__file__).parent / "base"
_CHECKPOINTS = "checkpoints"


@dataclass(frozen=True)
class Weights:
    """A planner's parameters (float32) with their shape, tokenizer, 12 hex digits that identify them, and the directory
    they are from ("" for the shipped base)."""

    graphdef: nnx.GraphDef
    params: Any
    cfg: ModelConfig
    tokenizer: Tokenizer
    folder: Path  # where the tokenizer's files are
    digest: str
    source: str = ""

    @property
    def chat_format(self) -> ChatFormat:
        """How messages become this planner's tokens."""
        return ChatFormat(self.tokenizer, family=FAMILY, thinking=True)


def make_engine(weights: Weights, cfg: EngineConfig, name: str) -> Engine:
    """The batching engine over `weights`; `name` is the policy in trajectories."""
    return Engine(weights.graphdef, weights.params, weights.cfg, cfg, weights.chat_format, name=name)


class Planners:
    """One engine for every checkpoint of a run: it is compiled once, weights are swapped in."""

    def __init__(self, cfg: LoopConfig):
        self._cfg = cfg.engine
        self._engine: Engine | None = None

    def use(self, weights: Weights, name: str) -> Engine:
        """The engine with `weights`, from now on called `name`. Raises ValueError for another shape."""
        if self._engine is None:
            self._engine = make_engine(weights, self._cfg, name)
        else:
            self._engine.update_params(weights.params, 0)
        self._engine.name = name
        return self._engine


def load_weights(source: str | Path, shape: ModelConfig | None = None) -> Weights:
    """The weights of a directory; "" is the base shipped with the package.

    Args:
      source: a base (checksummed), an exported model (Hugging Face layout and a tokenizer), a LoRA adapter in PEFT's
        layout, merged into the base it names, or the folder of a training stage, e.g. `runs/tiny/rl`, whose newest
        checkpoint is read.
      shape: what it must be; None takes what is there.

    Raises:
      FileNotFoundError, ValueError, CheckpointError: one line about what is missing or damaged.
    """
    folder = Path(source) if source else BASE_DIR
    if (folder / _CHECKPOINTS).is_dir():
        found = _from_checkpoint(folder)
    elif (folder / peft.CONFIG).is_file():
        found = _from_adapter(folder)
    else:
        load = load_base if not source or (folder / CHECKSUMS).is_file() else load_model
        graphdef, params, cfg, tokenizer = load(folder)
        found = Weights(graphdef, params, cfg, tokenizer, folder, fingerprint(params))
    found = dataclasses.replace(found, source=str(source))
    return found if shape is None else _shaped(found, shape, str(source) or "the shipped base")


def save_weights(folder: Path, like: Weights, params: Any) -> str:
    """Exports `params` beside the tokenizer of `like`, whole or not at all; returns their digest.

    Of several processes all bring the same `params`, the first one writes, and all return when that is done.
    """
    params = host_copy(params)
    if jax.process_index() == 0:
        _write(folder, like, params)
    wait_for_all(f"{folder} exported")
    return fingerprint(params)


def _write(folder: Path, like: Weights, params: Any) -> None:
    words = {file.name: file.read_bytes() for file in tokenizer_files(like.folder)}
    for name in TOKENIZER_FILES:
        # Of this export's predecessor, which may have been cut short: `save_hf` replaces only its own.
        for left in (folder / name, *folder.glob(f".{name}.*.partial")):
            left.unlink(missing_ok=True)
    save_hf(folder, params, like.cfg)
    for name, data in words.items():
        write_atomic(folder / name, data)


def save_trained(folder: Path, like: Weights, params: Any, lora: LoraConfig) -> str:
    """Exports what training on `like` ended with, as `save_weights`; returns the model's digest.

    With LoRA `params` are the adapter: it is merged, and written alone too, in PEFT's layout, to `adapter_dir(folder)`.
    """
    if lora.rank == 0:
        return save_weights(folder, like, params)
    adapter = jax.device_get(host_copy(params))
    if jax.process_index() == 0:
        peft.save_adapter(adapter_dir(folder), adapter, lora, base=like.source)
    return save_weights(folder, like, merge(like.params, adapter, lora))


def adapter_dir(folder: Path) -> Path:
    """Where the adapter lies that was merged into an exported model."""
    return folder.with_name(f"{folder.name}-adapter")


def computed_as(weights: Weights, shape: ModelConfig) -> Weights:
    """`weights` with what in `shape` is a choice of computation, not of shape."""
    choices = {name: getattr(shape, name) for name in ("attention_blocks", "scan_layers", "remat")}
    cfg = dataclasses.replace(weights.cfg, **choices)
    graphdef, _ = nnx.split(nnx.eval_shape(lambda: Planner(cfg, rngs=nnx.Rngs(0))), nnx.Param)
    return dataclasses.replace(weights, graphdef=graphdef, cfg=cfg)


def _shaped(weights: Weights, shape: ModelConfig, where: str) -> Weights:
    """Checks the shape, and takes over what is a choice of computation."""
    found = computed_as(weights, shape)
    for field in dataclasses.fields(ModelConfig):
        have, want = getattr(found.cfg, field.name), getattr(shape, field.name)
        if have != want:
            raise ValueError(f"config.model.{field.name} is {want}, but {where} has {have}: make them equal")
    return found


def _from_checkpoint(folder: Path) -> Weights:
    """The newest checkpoint of a stage of `launch.loop`, whose `config.json` lies beside the folder."""
    file = folder.parent / "config.json"
    if not file.is_file():
        raise FileNotFoundError(f"{file}: no such file; a training folder is read with its run's config")
    config = json.loads(file.read_bytes())
    if folder.name not in ("sft", "rl", "round2"):
        raise ValueError(f"{folder}: not a training folder of a run (sft, rl or round2)")
    start = load_weights(config["base"])
    lora = LoraConfig(**config[folder.name].get("lora", {}))  # runs begun before there was LoRA have no such key
    like = add_lora(start.graphdef, start.params, lora)[1] if lora.rank else start.params
    tx = make_optimizer(OptimizerConfig(**config[folder.name]["optimizer"]), 1)
    mesh = make_mesh(MeshConfig(data=1), jax.local_devices()[:1])
    with run_lock(folder):
        checkpoints = Checkpoints(folder / _CHECKPOINTS)
        try:
            found = checkpoints.restore(abstract_state(like, tx, mesh))
        finally:
            checkpoints.close()
    if found is None:
        raise FileNotFoundError(f"{folder / _CHECKPOINTS}: no checkpoint yet")
    params = found.state.params
    if lora.rank:
        start = _adapters_base(folder, start, found.host["lora"]["base"])
        params = merge(start.params, params, lora)
    return dataclasses.replace(start, params=params, digest=fingerprint(params))


def _adapters_base(folder: Path, start: Weights, digest: str) -> Weights:
    """The weights that a LoRA checkpoint was trained on: the run's base, or a model that the run exported."""
    exported = sorted(p.parent for p in (folder.parent / "models").glob("*/config.json"))
    for found in (start, *map(load_weights, exported)):
        if found.digest == digest:
            return found
    raise ValueError(
        f"{folder}: its adapter belongs to weights {digest}, which are neither the run's base nor one of its models"
    )


def _from_adapter(folder: Path) -> Weights:
    """An adapter merged into its base: the shipped one if it names none."""
    source = peft.read_config(folder).get("base_model_name_or_path") or ""
    if not isinstance(source, str) or (source and Path(source).absolute() == folder.absolute()):
        raise ValueError(f"{folder / peft.CONFIG}: base_model_name_or_path must name another directory, got {source!r}")
    start = load_weights(source)
    lora, _, adapter = peft.load_adapter(folder, start.graphdef, start.params)
    params = merge(start.params, adapter, lora)
    return dataclasses.replace(start, params=params, digest=fingerprint(params))
