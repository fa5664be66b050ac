"""Weights and the engine that plays them: the shipped base, an exported model, or a training checkpoint."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
from flax import nnx

from qpa.chat import ChatFormat
from qpa.chat.files import write_atomically
from qpa.chat.tokenizer import TOKENIZER_FILES, Tokenizer, load_tokenizer, tokenizer_files
from qpa.config import EngineConfig, LoopConfig, MeshConfig, ModelConfig, OptimizerConfig
from qpa.models import base
from qpa.models.base import CHECKSUMS, load_base
from qpa.models.engine import Engine
from qpa.models.hf import load_hf, save_hf
from qpa.models.transformer import Planner
from qpa.train.checkpoint import Checkpoints
from qpa.train.lock import run_lock
from qpa.train.mesh import make_mesh
from qpa.train.optimizer import make_optimizer
from qpa.train.state import create_state

FAMILY = "compact"  # the small planners' chat family
BASE_DIR = Path(base.__file__).parent / "base"
_CHECKPOINTS = "checkpoints"


@dataclass(frozen=True)
class Weights:
    """A planner's parameters (float32) with their shape, tokenizer, and 12 hex digits that identify them."""

    graphdef: nnx.GraphDef
    params: Any
    cfg: ModelConfig
    tokenizer: Tokenizer
    folder: Path  # where the tokenizer's files are
    digest: str

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
      source: a base (checksummed), an exported model (Hugging Face layout and a tokenizer), or the folder of a
        training stage, e.g. `runs/tiny/rl`, whose newest checkpoint is read.
      shape: what it must be; None takes what is there.

    Raises:
      FileNotFoundError, ValueError, CheckpointError: one line about what is missing or damaged.
    """
    folder = Path(source) if source else BASE_DIR
    tokenizer: Tokenizer
    if (folder / _CHECKPOINTS).is_dir():
        found = _from_checkpoint(folder)
    elif not source or (folder / CHECKSUMS).is_file():
        graphdef, params, cfg, tokenizer = load_base(folder)
        found = Weights(graphdef, params, cfg, tokenizer, folder, _digest(params))
    else:
        graphdef, params, cfg = load_hf(folder)
        tokenizer = load_tokenizer(folder)
        if tokenizer.vocab_size > cfg.vocab_size:
            raise ValueError(f"{folder}: the tokenizer has {tokenizer.vocab_size} ids, the model {cfg.vocab_size}")
        found = Weights(graphdef, params, cfg, tokenizer, folder, _digest(params))
    return found if shape is None else _shaped(found, shape, str(source) or "the shipped base")


def save_weights(folder: Path, like: Weights, params: Any) -> str:
    """Exports `params` beside the tokenizer of `like`, whole or not at all; returns their digest."""
    words = {file.name: file.read_bytes() for file in tokenizer_files(like.folder)}
    for name in TOKENIZER_FILES:
        for left in (folder / name, folder / f"{name}.partial"):  # an export cut short: `save_hf` replaces only its own
            left.unlink(missing_ok=True)
    save_hf(folder, params, like.cfg)
    for name, data in words.items():
        write_atomically(folder / name, data)
    return _digest(params)


def _shaped(weights: Weights, shape: ModelConfig, where: str) -> Weights:
    """Checks the shape, and takes over what is a choice of computation, not of shape."""
    choices = {name: getattr(shape, name) for name in ("attention_blocks", "scan_layers", "remat")}
    cfg = dataclasses.replace(weights.cfg, **choices)
    for field in dataclasses.fields(ModelConfig):
        have, want = getattr(cfg, field.name), getattr(shape, field.name)
        if have != want:
            raise ValueError(f"config.model.{field.name} is {want}, but {where} has {have}: make them equal")
    graphdef, _ = nnx.split(nnx.eval_shape(lambda: Planner(cfg, rngs=nnx.Rngs(0))), nnx.Param)
    return dataclasses.replace(weights, graphdef=graphdef, cfg=cfg)


def _from_checkpoint(folder: Path) -> Weights:
    """The newest checkpoint of a stage of `launch.loop`, whose `config.json` lies beside the folder."""
    file = folder.parent / "config.json"
    if not file.is_file():
        raise FileNotFoundError(f"{file}: no such file; a training folder is read with its run's config")
    config = json.loads(file.read_bytes())
    if folder.name not in ("sft", "rl", "round2"):
        raise ValueError(f"{folder}: not a training folder of a run (sft, rl or round2)")
    start = load_weights(config["base"])
    tx = make_optimizer(OptimizerConfig(**config[folder.name]["optimizer"]), 1)
    mesh = make_mesh(MeshConfig(data=1), jax.devices()[:1])
    with run_lock(folder):
        checkpoints = Checkpoints(folder / _CHECKPOINTS)
        try:
            found = checkpoints.restore(create_state(start.params, tx, mesh))
        finally:
            checkpoints.close()
    if found is None:
        raise FileNotFoundError(f"{folder / _CHECKPOINTS}: no checkpoint yet")
    return dataclasses.replace(start, params=found.state.params, digest=_digest(found.state.params))


def _digest(params: Any) -> str:
    digest = hashlib.sha256()
    for leaf in jax.tree.leaves(params):
        digest.update(jax.device_get(leaf).tobytes())
    return digest.hexdigest()[:12]
