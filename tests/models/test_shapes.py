"""Experts against a plain formula, the loop over layers and remat against the unrolled model, and experts served."""

from __future__ import annotations

import asyncio
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from tiny import CFG, ENGINE, MOE, Format, abstract, log_softmax, prompt, random_params, request

from qpa.config import ModelConfig, RopeScaling
from qpa.models import moe
from qpa.models.engine import Engine
from qpa.models.transformer import Planner, packed_mask

PARAMS = jax.tree.map(lambda x: x - 0.25 if x.ndim > 1 else x, random_params(MOE))
TOKENS = np.random.default_rng(0).integers(4, 64, (2, 40))
POSITIONS = np.tile(np.arange(40), (2, 1))
SEGMENTS = np.ones((2, 40), int)
SEGMENTS[1, 30:] = 0


def plain(x, chosen, weights, gate, up, down):
    """Every expert on every token."""
    share = jnp.zeros((len(x), gate.shape[0])).at[jnp.arange(len(x))[:, None], chosen].set(weights)
    inner = jax.nn.silu(jnp.einsum("md,edf->mef", x, gate)) * jnp.einsum("md,edf->mef", x, up)
    return jnp.einsum("mef,efd,me->md", inner, down, share)


@pytest.mark.parametrize("tokens", [1, 100])
@pytest.mark.parametrize("skewed", [False, True])
def test_experts_are_the_plain_formula_and_so_are_their_gradients(tokens, skewed):
    rng = np.random.default_rng(tokens)
    x, *weights = (rng.normal(size=s).astype(np.float32) / 3 for s in ((tokens, 8), (6, 8, 4), (6, 8, 4), (6, 4, 8)))
    chosen = rng.permuted(np.tile(np.arange(6), (tokens, 1)), axis=1)[:, :2]
    chosen = np.tile([5, 0], (tokens, 1)) if skewed else chosen
    share = rng.random((tokens, 2)).astype(np.float32)
    out = rng.normal(size=x.shape).astype(np.float32)

    def ours(x, share, *weights):
        experts = moe.Experts(ModelConfig(d_model=8, n_experts=6, d_expert=4), nnx.Rngs(0))
        experts.gate_proj, experts.up_proj, experts.down_proj = (nnx.Param(w) for w in weights)
        return (experts(x, jnp.asarray(chosen), share) * out).sum()

    def theirs(x, share, *weights):
        return (plain(x, chosen, share, *weights) * out).sum()

    got, want = (jax.jit(jax.value_and_grad(f, range(5)))(x, share, *weights) for f in (ours, theirs))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=2e-5), got, want)


def test_the_ragged_product_of_tpus_is_the_blocked_one():
    rng = np.random.default_rng(0)
    plan = moe._plan(jnp.asarray(rng.integers(0, 6, 70)), 6)
    x = jnp.asarray(rng.normal(size=(*plan.source.shape, 8)).astype(np.float32))
    x = jnp.where((plan.source < 70)[..., None], x, 0)
    w = jnp.asarray(rng.normal(size=(6, 8, 4)).astype(np.float32))
    blocked, ragged = (f(x, w, plan.owner, plan.blocks) for f in (moe._blocked, moe._ragged))
    np.testing.assert_allclose(blocked, ragged, atol=1e-5)
    assert sorted(np.asarray(plan.source[plan.source < 70])) == list(range(70)) and float(abs(blocked).max()) > 1


def test_routing_counts_weighted_tokens_only():
    model = nnx.merge(abstract(MOE)[0], PARAMS)
    _, routing = model.routed(TOKENS, POSITIONS, packed_mask(jnp.asarray(SEGMENTS)), SEGMENTS)
    assert routing.assigned.shape == (2, 8) and routing.tokens.tolist() == [70, 70]
    np.testing.assert_allclose(routing.assigned.sum(1), [210, 210])
    np.testing.assert_allclose(routing.probs.sum(1), [70, 70], rtol=1e-5)
    shares, means = routing.fractions()
    np.testing.assert_allclose((shares.sum(), means.sum()), (6, 2), rtol=1e-5)
    pooled = 8 * ((routing.assigned.sum(0) / 140) * (routing.probs.sum(0) / 140)).sum()
    np.testing.assert_allclose(routing.balance_loss(), pooled, rtol=1e-6)
    even = moe.Routing(jnp.full(8, 3 / 8), jnp.full(8, 1 / 8), jnp.ones(()))
    np.testing.assert_allclose(even.balance_loss(), 3.0, rtol=1e-6)


def loss_and_grads(cfg):
    graphdef = abstract(cfg)[0]

    def loss_fn(params):
        model = nnx.merge(graphdef, params)
        hidden, routing = model.routed(TOKENS, POSITIONS, packed_mask(jnp.asarray(SEGMENTS)), SEGMENTS)
        return jax.nn.logsumexp(model.logits(hidden)).mean() + routing.balance_loss(), routing

    fn = jax.jit(jax.value_and_grad(loss_fn, has_aux=True))
    return fn(PARAMS), str(jax.make_jaxpr(fn)(PARAMS))


@pytest.fixture(scope="module")
def unrolled():
    return loss_and_grads(MOE)


@pytest.mark.parametrize(("scan", "remat"), [(True, "none"), (False, "dots"), (True, "full")])
def test_the_loop_over_layers_and_remat_change_no_result(unrolled, scan, remat):
    got, program = loss_and_grads(dataclasses.replace(MOE, scan_layers=scan, remat=remat))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5), got, unrolled[0])
    assert ("length=2" in program) is scan and ("remat" in program or "checkpoint" in program) is (remat != "none")
    assert "length=2" not in unrolled[1] and "checkpoint" not in unrolled[1]


@pytest.mark.parametrize("changes", [{}, {"scan_layers": True, "remat": "full"}, {"n_layers": 1}, {"n_experts": 0}])
def test_states_at_chosen_positions_are_those_of_all_positions(changes):
    cfg = dataclasses.replace(MOE, **changes)
    graphdef, params = abstract(cfg)[0], random_params(cfg)
    index = jnp.asarray([[0, 7, 7, 30], [3, 4, 33, 0]])
    mask = packed_mask(jnp.asarray(SEGMENTS))

    def summed(params, chosen):
        model = nnx.merge(graphdef, params)
        if chosen:
            at = model.hidden_at(TOKENS, POSITIONS, mask, index)
        else:
            at = jnp.take_along_axis(model.hidden(TOKENS, POSITIONS, mask)[0], index[..., None], axis=1)
        return (at * jnp.cos(jnp.arange(at.size)).reshape(at.shape)).sum(), at

    fn = jax.jit(jax.value_and_grad(summed, has_aux=True), static_argnums=1)
    got, want = fn(params, True), fn(params, False)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4), got, want)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"remat": "some"}, "model.remat is 'some'"),
        ({"n_experts": 4, "experts_per_token": 5}, "5 of 4 experts"),
        ({"rope_scaling": RopeScaling("ntk")}, "rope_scaling.kind is 'ntk'"),
        ({"rope_scaling": RopeScaling("llama3", 8.0, high_freq_factor=1.0)}, "must exceed low_freq_factor"),
        ({"rope_scaling": RopeScaling("yarn", float("nan"))}, "rope_scaling.factor must be positive"),
    ],
)
def test_shapes_that_cannot_be_computed(changes, match):
    with pytest.raises(ValueError, match=match):
        Planner(dataclasses.replace(CFG, **changes), rngs=nnx.Rngs(0))


def test_the_engine_serves_experts_and_neighbours_change_nothing():
    graphdef = abstract(MOE)[0]

    def generate(*requests):
        engine = Engine(graphdef, PARAMS, MOE, dataclasses.replace(ENGINE, prefill_buckets=(32,)), Format())

        async def main():
            return await asyncio.gather(*(engine.generate(r) for r in requests))

        return asyncio.run(main())

    requests = [request(f"e{i}", prompt(i, 9 + 4 * i), seed=3) for i in range(5)]
    together = generate(*requests)
    assert [(r.token_ids, r.log_probs) for r in together] == [
        (r.token_ids, r.log_probs) for q in requests for r in generate(q)
    ]
    forward = jax.jit(lambda p, t, i, s: nnx.merge(graphdef, p)(t, i, s))
    for ask, reply in zip(requests[:2], together):
        ids = list(ask.prompt_ids) + reply.token_ids
        tokens, segments = np.zeros((2, 1, 64), int)
        tokens[0, : len(ids)], segments[0, : len(ids)] = ids, 1
        want = log_softmax(forward(PARAMS, tokens, np.arange(64)[None], segments)[0])
        at = len(ask.prompt_ids) - 1 + np.arange(len(reply.token_ids))
        np.testing.assert_allclose(reply.log_probs, want[at, reply.token_ids], atol=1e-4)
