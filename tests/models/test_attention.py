"""Attention and weight products, whose backward passes are written by hand, against JAX's own gradients."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from qpa.config import ModelConfig
from qpa.models.attention import SAME_BITS_TO, LayerCache, any_length, attend, attend_cached
from qpa.models.layers import product
from qpa.models.transformer import packed_mask

B, T, K, G, H = 2, 13, 2, 3, 8


def arrays(seed: int, *shapes: tuple[int, ...], dtype: str = "float32") -> list[jax.Array]:
    rng = np.random.default_rng(seed)
    return [jnp.asarray(rng.normal(size=shape), dtype) for shape in shapes]


def plain_attention(q: jax.Array, k: jax.Array, v: jax.Array, mask: jax.Array) -> jax.Array:
    """The textbook's softmax(q k / sqrt(H)) v, one einsum after the other."""
    scores = jnp.einsum("bktgh,bksh->bktgs", q, k) / np.sqrt(H)
    probs = jax.nn.softmax(jnp.where(mask[:, None, :, None], scores, -jnp.inf), axis=-1)
    return jnp.einsum("bktgs,bksh->bktgh", probs, v)


def close(found: object, expected: object, tolerance: float) -> None:
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        a, b = np.asarray(a, np.float32), np.asarray(b, np.float32)
        assert np.abs(a - b).max() <= tolerance * np.abs(b).max()


@pytest.mark.parametrize("blocks", [1, 3, 5, 20])
def test_attention_and_its_gradients_are_the_textbooks(blocks: int) -> None:
    q, k, v, d_out = arrays(0, (B, K, T, G, H), (B, K, T, H), (B, K, T, H), (B, K, T, G, H))
    segments = jnp.asarray([[1] * 6 + [2] * 4 + [0] * 3, [1] * T])
    mask = packed_mask(segments)
    out, back = jax.vjp(lambda *x: attend(*x, mask, blocks), q, k, v)
    expected, plain_back = jax.vjp(lambda *x: plain_attention(*x, mask), q, k, v)
    close(out, expected, 1e-6)
    close(back(d_out), plain_back(d_out), 1e-5)


@pytest.mark.parametrize("width", [48, 64])
@pytest.mark.parametrize("length", [128, 192, 256, 320, 512, 768, 1024, 1344])
def test_a_query_over_a_cache_does_not_see_how_long_it_is(width: int, length: int) -> None:
    """To the last bit, up to contexts that fill it: a call reads as much as the longest of its contexts needs."""
    b, n, longest = 8, 4, SAME_BITS_TO
    cfg = ModelConfig(n_heads=n, head_dim=width)
    assert any_length(cfg, b, min(length, 256), length) and any_length(cfg, b, 256, longest)
    q, k, v = arrays(6, (b, n, 1, width), (b, 2, width, longest), (b, 2, longest, width))
    attend_jitted = jax.jit(attend_cached)

    def read(size: int, context: np.ndarray) -> np.ndarray:
        cache = LayerCache(k[..., :size], v[:, :, :size])
        return np.asarray(attend_jitted(q, cache, jnp.arange(size)[None, None] < context[:, None, None]))

    rng = np.random.default_rng(length)
    for shortest in (1, max(1, length - 70), max(1, length - 12)):
        context = rng.integers(shortest, length + 1, b)
        first = read(length, context)
        np.testing.assert_array_equal(read(longest, context), first)
    scores = np.einsum("bkgh,bkhs->bkgs", np.float64(q).reshape(b, 2, -1, width), np.float64(k)) / np.sqrt(width)
    probs = np.where(np.arange(longest) < context[:, None, None, None], np.exp(scores), 0)
    expected = np.einsum("bkgs,bksh->bkgh", probs / probs.sum(-1, keepdims=True), np.float64(v))
    np.testing.assert_allclose(first.reshape(b, 2, -1, width), expected, atol=1e-5)


@pytest.mark.parametrize(("step", "longest"), [(192, 768), (336, 1344), (256, 896), (256, 1792), (64, 256)])
def test_where_the_length_reaches_into_the_bits_it_is_kept_to_a_job_s_own(step: int, longest: int) -> None:
    """Other cuts of the sums over positions, more positions than were tried, or too few scores."""
    assert not any_length(ModelConfig(n_heads=4, head_dim=64), 8, step, longest)
    assert not any_length(ModelConfig(n_heads=4, head_dim=128), 8, 256, 768)


def test_attention_keeps_nothing_of_the_size_of_its_scores() -> None:
    q, k, v = arrays(5, (B, K, T, G, H), (B, K, T, H), (B, K, T, H))
    mask = packed_mask(jnp.ones((B, T), jnp.int32))
    _, back = jax.vjp(lambda *x: attend(*x, mask, 2), q, k, v)
    kept = [x for x in jax.tree.leaves(back) if x.dtype == jnp.float32]
    assert len(kept) == 5 and max(x.size for x in kept) == q.size < B * K * G * T * T


def test_attention_in_bfloat16_sums_in_float32() -> None:
    shapes = (B, K, T, G, H), (B, K, T, H), (B, K, T, H), (B, K, T, G, H)
    q, k, v, d_out = arrays(1, *shapes, dtype="bfloat16")
    mask = packed_mask(jnp.ones((B, T), jnp.int32))
    out, back = jax.vjp(lambda *x: attend(*x, mask, 2), q, k, v)
    wide = [x.astype(jnp.float32) for x in (q, k, v)]
    expected, plain_back = jax.vjp(lambda *x: plain_attention(*x, mask), *wide)
    assert {x.dtype for x in (out, *back(d_out))} == {jnp.dtype("bfloat16")}
    close(out, expected, 2**-7)
    close(back(d_out), plain_back(d_out.astype(jnp.float32)), 2**-6)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("lead", [(5,), (2, 5), (2, 3, 5), (70,)])
def test_a_weight_product_and_its_gradients_are_matmuls(axis: int, lead: tuple[int, ...]) -> None:
    x, weights, d_out = arrays(2, (*lead, 4), (4, 7) if axis == 0 else (7, 4), (*lead, 7))
    out, back = jax.vjp(lambda x, w: product(x, w, axis), x, weights)
    expected, plain_back = jax.vjp(lambda x, w: x @ (w if axis == 0 else w.T), x, weights)
    close(out, expected, 1e-6)
    close(back(d_out), plain_back(d_out), 1e-6)


def test_a_weight_product_keeps_types() -> None:
    """bfloat16 factors, float32 logits: each gradient has the type of its factor."""
    x, weights = arrays(3, (2, 5, 4), (7, 4), dtype="bfloat16")
    (d_out,) = arrays(4, (2, 5, 7))
    out, back = jax.vjp(lambda x, w: product(x, w, 1, jnp.float32), x, weights)
    d_x, d_weights = back(d_out)
    assert (out.dtype, d_x.dtype, d_weights.dtype) == (jnp.float32, jnp.bfloat16, jnp.bfloat16)
    close(d_weights, np.einsum("bti,btj->ij", d_out, x.astype(jnp.float32)), 2**-7)
