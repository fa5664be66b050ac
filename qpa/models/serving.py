"""The engine's form of a planner: its own copy of the weights, with the matrices of the layers kept [out, inp].

A decoding step has few rows, and few rows are multiplied fastest by a matrix that lies that way: see
`layers.decoding_product`.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from qpa.models.layers import decoding_product, dot_general_turned
from qpa.models.transformer import flat_state

_ROUTER = "gate"  # read as it is, not multiplied by a linear layer


def serving_graph(graphdef: nnx.GraphDef, params: nnx.State) -> nnx.GraphDef:
    """The planner that reads what `serving_params` makes."""
    model = nnx.merge(graphdef, params)
    model.head_product = decoding_product
    for layer in model.layers:
        for part in (*vars(layer.self_attn).values(), *vars(layer.mlp).values()):
            if isinstance(part, nnx.Linear):
                part.dot_general = dot_general_turned
    return nnx.split(model, nnx.Param)[0]


def serving_params(params: nnx.State, device: jax.Device, dtype: jnp.dtype = jnp.float32) -> nnx.State:
    """A private copy on `device`, whatever mesh the parameters live on: matrices in `dtype`, norms in float32."""

    def served(keys: tuple[Any, ...], leaf: Any) -> Any:
        x = jax.device_put(leaf[...], device)
        turned = keys[-1] == "kernel" and keys[-2] != _ROUTER
        own = x.T if turned else jnp.array(x, copy=True)
        return leaf.replace(own.astype(dtype if x.ndim > 1 else x.dtype))

    return nnx.from_flat_state({keys: served(keys, leaf) for keys, leaf in flat_state(params).items()})
