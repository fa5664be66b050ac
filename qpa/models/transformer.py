"""A decoder in Flax NNX: RMSNorm, GQA, RoPE (half split), SwiGLU or experts, tied head; Qwen3, Qwen3-MoE or Llama.

Legend: B batch, T query tokens, Q chosen ones, S cached or key positions, D model width, K key-value heads,
H head width, V vocabulary, L layers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from qpa.config import ModelConfig
from qpa.models.attention import Attention, LayerCache, take_at
from qpa.models.layers import MLP, RMSNorm, product
from qpa.models.moe import MoE, Routing
from qpa.models.rope import check_scaling, rotary

REMAT = ("none", "full", "dots")


class Block(nnx.Module):
    def __init__(self, cfg: ModelConfig, rngs: nnx.Rngs):
        self.input_layernorm = RMSNorm(cfg.d_model, cfg.norm_eps)
        self.self_attn = Attention(cfg, rngs)
        self.post_attention_layernorm = RMSNorm(cfg.d_model, cfg.norm_eps)
        self.mlp = MoE(cfg, rngs) if cfg.n_experts else MLP(cfg, rngs)

    def __call__(self, x_BTD, cos, sin, mask_BTS, cache, positions_BT, weights_BT=None, index_BQ=None):
        """With `index`, a layer without cache gives what it gives at these positions, and computes no more."""
        y, cache = self.self_attn(self.input_layernorm(x_BTD), cos, sin, mask_BTS, cache, positions_BT, index_BQ)
        x_BTD = take_at(x_BTD, index_BQ) + y
        y = self.post_attention_layernorm(x_BTD)
        y, routing = self.mlp(y, weights_BT) if isinstance(self.mlp, MoE) else (self.mlp(y), None)
        return x_BTD + y, cache, routing


class Planner(nnx.Module):
    """The planner policy. Module names follow the Hugging Face layout, so checkpoints map one to one.

    Raises ValueError for a shape that cannot be computed. `scan_layers` changes how the layers are traced, never the
    parameters: the loop stacks them for the call (one more copy of the layers while it runs, gradients included), so
    checkpoints, optimiser state and engine are the same either way. Calls with a cache always run unrolled: a loop
    would copy the cache once per token.
    """

    def __init__(self, cfg: ModelConfig, *, rngs: nnx.Rngs):
        _check(cfg)
        self.cfg = cfg
        # Small embeddings: with a tied head, unit-scale ones would start far above the uniform loss ln V.
        self.embed_tokens = nnx.Param(jax.random.normal(rngs.params(), (cfg.vocab_size, cfg.d_model)) * 0.02)
        self.layers = nnx.List([Block(cfg, rngs) for _ in range(cfg.n_layers)])
        self.norm = RMSNorm(cfg.d_model, cfg.norm_eps)
        self.head_product = product
        self.token_rows = None  # of an adapter: `qpa.models.lora.TokenRows`
        if not cfg.tie_embeddings:
            self.lm_head = nnx.Param(jax.random.normal(rngs.params(), (cfg.d_model, cfg.vocab_size)) * 0.02)

    def hidden(self, tokens_BT, positions_BT, mask_BTS, cache: list[LayerCache] | None = None):
        """Final normalised states [B, T, D] and the updated cache (None without one)."""
        if cache is None:
            return self.routed(tokens_BT, positions_BT, mask_BTS)[0], None
        x = self._embed(tokens_BT)
        cos, sin = rotary(positions_BT, self.cfg)
        new_cache = []
        for layer, layer_cache in zip(self.layers, cache, strict=True):
            x, layer_cache, _ = layer(x, cos, sin, mask_BTS, layer_cache, positions_BT)
            new_cache.append(layer_cache)
        return self.norm(x), new_cache

    def routed(self, tokens_BT, positions_BT, mask_BTS, weights_BT: jax.Array | None = None):
        """Final normalised states [B, T, D] and, if `weights` count tokens, where these went.

        -> (states, `Routing` with [L, E] and [L]); None without weights, or without experts.
        """
        x = self._embed(tokens_BT)
        cos, sin = rotary(positions_BT, self.cfg)

        def run(x: jax.Array, layer: nnx.Module) -> tuple[jax.Array, Routing | None]:
            x, _, routing = layer(x, cos, sin, mask_BTS, None, positions_BT, weights_BT)
            return x, routing

        x, routing = _in_turn(run, x, list(self.layers), self.cfg)
        return self.norm(x), routing

    def hidden_at(self, tokens_BT, positions_BT, mask_BTT, index_BQ: jax.Array) -> jax.Array:
        """`hidden` at Q positions of every row, [B, Q, D]: all that the last layer computes for the others is keys.

        Unless the layers run as a loop, which takes them all alike.
        """
        if self.cfg.scan_layers:
            return take_at(self.hidden(tokens_BT, positions_BT, mask_BTT)[0], index_BQ)
        x = self._embed(tokens_BT)
        cos, sin = rotary(positions_BT, self.cfg)

        def run(x: jax.Array, layer: nnx.Module, index: jax.Array | None = None) -> tuple[jax.Array, None]:
            return layer(x, cos, sin, mask_BTT, None, positions_BT, index_BQ=index)[0], None

        x, _ = _in_turn(run, x, list(self.layers)[:-1], self.cfg)
        x, _ = _in_turn(partial(run, index=index_BQ), x, [self.layers[-1]], self.cfg)
        return self.norm(x)

    def _embed(self, tokens_BT: jax.Array) -> jax.Array:
        # In the type of the layers' matrices; the table may be wider, so that its gradient is summed in float32.
        x = self.embed_tokens[...][tokens_BT].astype(self.layers[0].self_attn.q_proj.kernel[...].dtype)
        return x if self.token_rows is None else self.token_rows.embed(tokens_BT, x)

    def logits(self, hidden_BTD: jax.Array) -> jax.Array:
        """float32 logits [B, T, V]."""
        tied = self.cfg.tie_embeddings
        head = self.embed_tokens[...] if tied else self.lm_head[...]
        logits = self.head_product(hidden_BTD, head.astype(hidden_BTD.dtype), 1 if tied else 0, jnp.float32)
        return logits if self.token_rows is None else self.token_rows.score(hidden_BTD, logits)

    def __call__(self, tokens_BT: jax.Array, positions_BT: jax.Array, segments_BT: jax.Array) -> jax.Array:
        """Logits [B, T, V] of packed rows. Tokens attend within their segment; segment 0 is padding."""
        x, _ = self.hidden(tokens_BT, positions_BT, packed_mask(segments_BT))
        return self.logits(x)

    def extend(self, tokens_BT: jax.Array, positions_BT: jax.Array, cache: list[LayerCache]):
        """Appends tokens to a KV cache -> (hidden [B, T, D], cache). Padding has position S and changes nothing."""
        s = cache[0].v.shape[2]
        mask = jnp.arange(s)[None, None, :] <= positions_BT[:, :, None]
        return self.hidden(tokens_BT, positions_BT, mask, cache)


def _in_turn(run: Callable[..., Any], x: jax.Array, layers: list[Block], cfg: ModelConfig):
    """`x, out = run(x, layer)` through layers of one kind, unrolled or as a loop -> (x, stacked outs)."""
    split = [nnx.split(layer) for layer in layers]

    def step(x: jax.Array, params: nnx.State) -> tuple[jax.Array, Any]:
        return run(x, nnx.merge(split[0][0], params))

    if cfg.remat != "none":
        # "dots" keeps products with weights; attention's scores, whose size is quadratic, are made again.
        policy = jax.checkpoint_policies.dots_with_no_batch_dims_saveable if cfg.remat == "dots" else None
        step = jax.checkpoint(step, policy=policy, prevent_cse=not cfg.scan_layers)
    states = [params for _, params in split]
    if cfg.scan_layers:
        return jax.lax.scan(step, x, jax.tree.map(lambda *leaves: jnp.stack(leaves), *states))
    outs = []
    for params in states:
        x, out = step(x, params)
        outs.append(out)
    return x, jax.tree.map(lambda *leaves: jnp.stack(leaves), *outs) if outs else None


def _check(cfg: ModelConfig) -> None:
    check_scaling(cfg.rope_scaling)
    if cfg.remat not in REMAT:
        raise ValueError(f"model.remat is {cfg.remat!r}; use one of {', '.join(REMAT)}")
    if cfg.n_experts and not (1 <= cfg.experts_per_token <= cfg.n_experts and cfg.d_expert > 0):
        raise ValueError(
            f"model: {cfg.experts_per_token} of {cfg.n_experts} experts of width {cfg.d_expert} cannot be computed"
        )


def packed_mask(segments_BT: jax.Array) -> jax.Array:
    """Causal block-diagonal mask [B, T, T] of packed rows."""
    t = segments_BT.shape[1]
    same = segments_BT[:, :, None] == segments_BT[:, None, :]
    return same & jnp.tril(jnp.ones((t, t), bool))[None]


def init_cache(cfg: ModelConfig, batch: int, length: int, dtype: jnp.dtype = jnp.float32) -> list[LayerCache]:
    """An empty cache for `batch` rows of `length` positions."""
    keys, values = (cfg.head_dim, length), (length, cfg.head_dim)
    return [
        LayerCache(*(jnp.zeros((batch, cfg.n_kv_heads, *shape), dtype) for shape in (keys, values)))
        for _ in range(cfg.n_layers)
    ]


def create(cfg: ModelConfig, seed: int = 0) -> tuple[nnx.GraphDef, nnx.State]:
    """A freshly initialised planner, split for plain `jax.jit`: (graphdef, params)."""
    return nnx.split(Planner(cfg, rngs=nnx.Rngs(seed)), nnx.Param)


def flat_state(state: nnx.State) -> dict[tuple[Any, ...], Any]:
    """{("layers", 0, "mlp", "up_proj", "kernel"): leaf}."""
    return dict(nnx.to_flat_state(state))


def param_count(params: nnx.State) -> int:
    """Number of parameters (a tied head counts once)."""
    return sum(x.size for x in jax.tree.leaves(params))
