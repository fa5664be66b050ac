"""Mixture of experts as in Qwen3-MoE: a float32 softmax over experts, the top k, every token to its k experts.

No token is dropped and none is computed by an expert that did not get it: assignments are sorted by expert into blocks
of rows that belong to one expert each, and one matrix product runs per block. On TPU that is `jax.lax.ragged_dot`,
which has a kernel there; elsewhere XLA expands that operation to every row times every expert, so the blocks are run
one by one, as many as there are. A row's result does not depend on the rows around it. Over a mesh the compiler
gathers the tokens of a call for the sort; experts are split over the batch axes.

Legend: B batch, T tokens, M = B T tokens of a call, k experts of a token, E experts, D model width, F expert width,
S blocks, b rows of a block.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx

from qpa.config import ModelConfig
from qpa.models.layers import dense

_BLOCK_ROWS = 8, 128  # fewer: products too small to be fast; more: mostly filler


class Routing(NamedTuple):
    """Where weighted tokens went, as sums: add over microbatches and hosts, then divide by `tokens`.

    With one row per layer where several layers are meant: [L, E] and [L].
    """

    assigned: jax.Array  # [E], how many tokens got each expert
    probs: jax.Array  # [E], the router's probability of each expert
    tokens: jax.Array  # scalar

    def fractions(self) -> tuple[jax.Array, jax.Array]:
        """(share of tokens that got each expert, mean router probability), each [..., E]."""
        tokens = jnp.maximum(self.tokens, 1.0)[..., None]
        return self.assigned / tokens, self.probs / tokens

    def balance_loss(self) -> jax.Array:
        """The load-balancing loss (Fedus et al. 2021, eq. 4-6; layers pooled): k if balanced, up to E if collapsed."""
        layers = Routing(*(x.sum(0) for x in self)) if self.assigned.ndim == 2 else self
        assigned, probs = layers.fractions()
        return assigned.shape[-1] * jnp.sum(assigned * probs)


class Experts(nnx.Module):
    def __init__(self, cfg: ModelConfig, rngs: nnx.Rngs):
        def stack(out: int, inp: int) -> nnx.Param:
            return nnx.Param(jax.random.normal(rngs.params(), (cfg.n_experts, inp, out)) * inp**-0.5)

        self.gate_proj = stack(cfg.d_expert, cfg.d_model)
        self.up_proj = stack(cfg.d_expert, cfg.d_model)
        self.down_proj = stack(cfg.d_model, cfg.d_expert)

    def __call__(self, x_MD: jax.Array, chosen_Mk: jax.Array, weights_Mk: jax.Array) -> jax.Array:
        """The weighted sum of every token's experts -> [M, D]."""
        m, k = chosen_Mk.shape
        plan = _plan(chosen_Mk.reshape(-1), self.gate_proj.shape[0])
        rows_SbD = jnp.where((plan.source < m * k)[..., None], x_MD[jnp.minimum(plan.source // k, m - 1)], 0)
        gate = _products(rows_SbD, self.gate_proj[...], plan)
        up = _products(rows_SbD, self.up_proj[...], plan)
        out = _products(jax.nn.silu(gate) * up, self.down_proj[...], plan)
        out_MkD = out.reshape(-1, out.shape[-1])[plan.slot].reshape(m, k, -1)
        return jnp.einsum("mkd,mk->md", out_MkD, weights_Mk.astype(out.dtype))


class MoE(nnx.Module):
    def __init__(self, cfg: ModelConfig, rngs: nnx.Rngs):
        self.cfg = cfg
        self.gate = dense(cfg.n_experts, cfg.d_model, rngs)
        self.experts = Experts(cfg, rngs)

    def __call__(self, x_BTD: jax.Array, weights_BT: jax.Array | None = None) -> tuple[jax.Array, Routing | None]:
        """-> (y [B, T, D], where the tokens went, counted with `weights`; None without them)."""
        cfg = self.cfg
        x_MD = x_BTD.reshape(-1, x_BTD.shape[-1])
        logits_ME = x_MD.astype(jnp.float32) @ self.gate.kernel[...].astype(jnp.float32)
        probs_ME = jax.nn.softmax(logits_ME, axis=-1)
        top_Mk, chosen_Mk = jax.lax.top_k(probs_ME, cfg.experts_per_token)
        share_Mk = top_Mk / top_Mk.sum(axis=-1, keepdims=True) if cfg.norm_topk else top_Mk
        y = self.experts(x_MD, chosen_Mk, share_Mk).reshape(x_BTD.shape)
        if weights_BT is None:
            return y, None
        weight_M = weights_BT.reshape(-1).astype(jnp.float32)
        assigned_E = jnp.zeros(cfg.n_experts).at[chosen_Mk].add(weight_M[:, None])
        return y, Routing(assigned_E, weight_M @ probs_ME, weight_M.sum())


# --- rows by expert ---------------------------------------------------------------------------------------------------


class _Plan(NamedTuple):
    """How A = M k assignments fill S blocks; the last blocks may be empty."""

    source: jax.Array  # [S, b], the assignment in each row; A: filler
    slot: jax.Array  # [A], the row of each assignment, counted through all blocks
    owner: jax.Array  # [S], the expert of each block
    blocks: jax.Array  # [E], blocks of each expert


def _plan(expert_A: jax.Array, n_experts: int) -> _Plan:
    n = expert_A.shape[0]
    low, high = _BLOCK_ROWS
    b = min(high, max(low, 1 << (n // n_experts).bit_length()))
    total = (n + min(n_experts, n) * (b - 1)) // b  # enough for any split of n rows
    order_A = jnp.argsort(expert_A)  # stable: an expert's rows stay in the order of their tokens
    sizes_E = jnp.zeros(n_experts, jnp.int32).at[expert_A].add(1)
    blocks_E = -(-sizes_E // b)
    ends_E = jnp.cumsum(blocks_E)
    sorted_A = expert_A[order_A]
    rank_A = jnp.arange(n) - (jnp.cumsum(sizes_E) - sizes_E)[sorted_A]
    place_A = (ends_E - blocks_E)[sorted_A] * b + rank_A
    source = jnp.full(total * b, n, jnp.int32).at[place_A].set(order_A.astype(jnp.int32))
    slot_A = jnp.zeros(n, jnp.int32).at[order_A].set(place_A)
    owner_S = jnp.minimum(jnp.searchsorted(ends_E, jnp.arange(total), side="right"), n_experts - 1)
    return _Plan(source.reshape(total, b), slot_A, owner_S, blocks_E)


def _products(x_SbI: jax.Array, w_EIO: jax.Array, plan: _Plan) -> jax.Array:
    """Every block times its expert's matrix -> [S, b, O]."""
    return jax.lax.platform_dependent(x_SbI, w_EIO, plan.owner, plan.blocks, tpu=_ragged, default=_blocked)


def _ragged(x_SbI: jax.Array, w_EIO: jax.Array, owner_S: jax.Array, blocks_E: jax.Array) -> jax.Array:
    s, b, _ = x_SbI.shape
    return jax.lax.ragged_dot(x_SbI.reshape(s * b, -1), w_EIO, blocks_E * b).reshape(s, b, -1)


@jax.custom_vjp
def _blocked(x_SbI: jax.Array, w_EIO: jax.Array, owner_S: jax.Array, blocks_E: jax.Array) -> jax.Array:
    def step(i: jax.Array, y: jax.Array) -> jax.Array:
        return y.at[i].set(x_SbI[i] @ w_EIO[owner_S[i]])

    shape = (*x_SbI.shape[:2], w_EIO.shape[2])
    return jax.lax.fori_loop(0, blocks_E.sum(), step, jnp.zeros(shape, x_SbI.dtype))


def _forward(x_SbI, w_EIO, owner_S, blocks_E):
    return _blocked(x_SbI, w_EIO, owner_S, blocks_E), (x_SbI, w_EIO, owner_S, blocks_E)


def _backward(saved, dy_SbO):
    """Written out: the derived one would add a whole dw [E, I, O] per block; this adds one expert's, in float32."""
    x_SbI, w_EIO, owner_S, blocks_E = saved

    def step(i: jax.Array, carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        dx, dw = carry
        expert = owner_S[i]
        added = jnp.einsum("bi,bo->io", x_SbI[i], dy_SbO[i], preferred_element_type=jnp.float32)
        return dx.at[i].set(dy_SbO[i] @ w_EIO[expert].T), dw.at[expert].add(added)

    zeros = jnp.zeros(x_SbI.shape, x_SbI.dtype), jnp.zeros(w_EIO.shape, jnp.float32)
    dx, dw = jax.lax.fori_loop(0, blocks_E.sum(), step, zeros)
    return dx, dw.astype(w_EIO.dtype), None, None


_blocked.defvjp(_forward, _backward)
