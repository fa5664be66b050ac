"""What a run trains: every parameter, or a LoRA adapter beside frozen ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
from flax import nnx
from jax.sharding import Mesh

from qpa.config import LoraConfig
from qpa.models.lora import add_lora, fingerprint, merge
from qpa.train.checkpoint import CheckpointError
from qpa.train.mesh import place_tree, tree_shardings


class Tuning(NamedTuple):
    """`nnx.merge(graphdef, params, *frozen)` is the model; only `params` get gradients and optimiser state."""

    graphdef: nnx.GraphDef
    params: Any  # to start from
    frozen: tuple[Any, ...]  # on the mesh; never donated, never written
    whole: Callable[[Any], Any]  # trained params -> parameters of the plain model, as the engine takes them
    record: dict[str, Any]  # the checkpoint's note on what is frozen; empty if nothing is

    def check(self, host: Mapping[str, Any], where: object) -> None:
        """Raises `CheckpointError` if a checkpoint's `host` is of an adapter of another base or kind."""
        # Checkpoints from before tokens could be trained do not name any.
        mine, theirs = self.record.get("lora", {}), {"trainable_tokens": []} | host.get("lora", {})
        for key in mine:
            if mine[key] != theirs.get(key):
                what = "base model" if key == "base" else f"lora.{key}"
                raise CheckpointError(
                    f"{where}: the adapter's {what} is {theirs.get(key)}, this run has {mine[key]}; "
                    "use the same, or another run_dir"
                )


def make_tuning(graphdef: nnx.GraphDef, params: Any, lora: LoraConfig, mesh: Mesh, seed: int) -> Tuning:
    """Everything if `lora.rank` is 0, else a fresh adapter, drawn from `seed`, beside `params` on `mesh`.

    Raises ValueError as `add_lora` does.
    """
    if lora.rank == 0:
        return Tuning(graphdef, params, (), lambda params: params, {})
    adapted, adapter = add_lora(graphdef, params, lora, seed)
    base = place_tree(mesh, params)
    merged = jax.jit(partial(merge, lora=lora), out_shardings=tree_shardings(mesh, base))
    lists = {"modules": sorted(lora.modules), "trainable_tokens": list(lora.trainable_tokens)}
    note = dataclasses.asdict(lora) | lists | {"base": fingerprint(params)}
    return Tuning(adapted, adapter, (base,), partial(merged, base), {"lora": note})
