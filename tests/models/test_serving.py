"""The engine's form of the weights: the same planner, with turned matrices of its own."""

from __future__ import annotations

import asyncio
import dataclasses
from functools import partial

import jax
import numpy as np
import pytest
from flax import nnx
from tiny import CFG, MOE, PARAMS, abstract, engine, full_logits, log_softmax, prompt, random_params, request

from qpa.config import ModelConfig
from qpa.models.layers import decoding_product
from qpa.models.serving import serving_graph, serving_params
from qpa.models.transformer import flat_state, init_cache

UNTIED = dataclasses.replace(CFG, tie_embeddings=False)


@pytest.mark.parametrize("tokens", [1, 40])
@pytest.mark.parametrize("cfg", [CFG, MOE, UNTIED], ids=["dense", "experts", "untied"])
def test_the_served_planner_is_the_trained_one(cfg: ModelConfig, tokens: int) -> None:
    graphdef, _ = abstract(cfg)
    params = jax.tree.map(lambda x: x - 0.25 if x.ndim > 1 else x, random_params(cfg))
    own = serving_params(params, jax.devices()[0])
    rng = np.random.default_rng(0)
    ids, positions = rng.integers(0, cfg.vocab_size, (3, tokens)), np.tile(np.arange(tokens), (3, 1))

    def logits(graphdef: nnx.GraphDef, params: nnx.State) -> jax.Array:
        model = nnx.merge(graphdef, params)
        return model.logits(model.extend(ids, positions, init_cache(cfg, 3, 64))[0])

    expected = jax.jit(partial(logits, graphdef))(params)
    found = jax.jit(partial(logits, serving_graph(graphdef, params)))(own)
    np.testing.assert_allclose(found, expected, atol=1e-4 * np.abs(expected).max())


def test_served_weights_are_a_copy() -> None:
    params = random_params(MOE)
    own = {keys: leaf[...] for keys, leaf in flat_state(serving_params(params, jax.devices()[0])).items()}
    before = {keys: np.array(x) for keys, x in own.items()}
    jax.tree.map(lambda x: x.delete(), params)  # as donating them to the next update does
    for keys, x in own.items():
        np.testing.assert_array_equal(x, before[keys])


@pytest.mark.parametrize("rows", [2, 8, 32, 64, 128])
def test_a_row_of_a_product_does_not_see_its_neighbours(rows: int) -> None:
    """To the last bit, wherever it stands: what an engine samples may not depend on its batch."""
    rng = np.random.default_rng(rows)
    weights, row = rng.normal(size=(1024, 384)).astype(np.float32), rng.normal(size=384).astype(np.float32)
    multiply = jax.jit(lambda x: decoding_product(x, weights, 1))

    def at(place: int) -> np.ndarray:
        x = rng.normal(size=(rows, 384)).astype(np.float32)
        x[place] = row
        return np.asarray(multiply(x)[place])

    first = at(0)
    for place in (1, rows // 2, rows - 1):
        np.testing.assert_array_equal(at(place), first)


def test_a_bfloat16_engine_samples_from_nearly_the_same_distribution() -> None:
    eng, ids = engine(compute_dtype="bfloat16"), prompt(0, 20)
    lane = eng._lanes[0]
    assert {str(x.dtype) for part in lane._cache for x in part} == {"bfloat16"}
    assert {str(x.dtype) for x in jax.tree.leaves(lane.params) if x.ndim > 1} == {"bfloat16"}
    reply = asyncio.run(eng.generate(request("b", ids)))
    logits = full_logits(PARAMS, ids + reply.token_ids)[len(ids) - 1 : -1]
    gaps = np.abs(reply.log_probs - log_softmax(logits)[np.arange(len(logits)), reply.token_ids])
    assert 1e-5 < gaps.max() < 0.1


def test_an_engine_refuses_other_types() -> None:
    with pytest.raises(ValueError, match=r"engine\.compute_dtype must be 'float32' or 'bfloat16', got 'float16'"):
        engine(compute_dtype="float16")
