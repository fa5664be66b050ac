"""The same numbers as Hugging Face transformers: logits, loss, gradients, greedy tokens; imported and exported back."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import reference
from flax import nnx
from reference import CASES, ROPES, torch, transformers

from qpa.models import load_hf, save_hf
from qpa.models.hf import _pieces
from qpa.models.transformer import flat_state, init_cache, packed_mask

LENGTH = 48
ROPE_CASES = [("llama", "linear"), ("llama", "llama3"), ("qwen3", "yarn"), ("qwen3", "yarn-set")]


@functools.cache
def loaded(folder):
    graphdef, params, cfg = load_hf(folder)
    return graphdef, params, cfg, jax.jit(lambda p, t, i, s: nnx.merge(graphdef, p)(t, i, s))


@pytest.fixture(scope="module", params=list(CASES))
def pair(request, tmp_path_factory):
    """(the reference model, ours from its checkpoint)."""
    model = reference.make(request.param)
    folder = tmp_path_factory.mktemp("hf")
    return model, loaded(reference.save(model, folder, max_shard_size="20KB"))


def tokens(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 61, shape)


def their_logits(model, ids, mask=None) -> np.ndarray:
    with torch.no_grad():
        given = {} if mask is None else {"attention_mask": torch.tensor(mask)}
        if mask is not None:
            given["position_ids"] = torch.tensor(np.maximum(np.cumsum(mask, axis=1) - 1, 0))
        return model(torch.tensor(ids), **given).logits.numpy()


def our_logits(ours, ids, mask) -> np.ndarray:
    positions = np.maximum(np.cumsum(mask, axis=1) - 1, 0)
    return np.asarray(ours[3](ours[1], ids, positions, mask))


@pytest.mark.parametrize("padding", ["none", "left", "right"])
def test_logits(pair, padding):
    ids, mask = tokens(1, 2, LENGTH), np.ones((2, LENGTH), int)
    if padding != "none":
        row, cut = mask[1], LENGTH // 3
        row[:cut] = 0
        mask[1] = row if padding == "left" else row[::-1]
    theirs, mine = their_logits(pair[0], ids, mask), our_logits(pair[1], ids, mask)
    assert theirs.std() > 0.3
    np.testing.assert_allclose(mine[mask == 1], theirs[mask == 1], atol=1e-4)


def test_packed_segments_are_rows_of_their_own(pair):
    model, ours = pair
    parts = [tokens(2, 11), tokens(3, 20), tokens(4, 9)]
    row, positions, segments = np.zeros((3, 1, LENGTH), int)
    start = 0
    for i, part in enumerate(parts):
        at = slice(start, start + len(part))
        row[0, at], positions[0, at], segments[0, at] = part, np.arange(len(part)), i + 1
        start += len(part)
    mine = np.asarray(ours[3](ours[1], np.tile(row, (2, 1)), np.tile(positions, (2, 1)), np.tile(segments, (2, 1))))[0]
    theirs = np.concatenate([their_logits(model, part[None])[0] for part in parts])
    np.testing.assert_allclose(mine[:start], theirs, atol=1e-4)


def test_loss_and_gradients(pair):
    model, (graphdef, params, _, _) = pair
    ids, mask = tokens(5, 2, LENGTH), np.ones((2, LENGTH), int)
    labels = ids.copy()
    labels[:, :10] = -100
    model.zero_grad()
    theirs = model(torch.tensor(ids), labels=torch.tensor(labels)).loss
    theirs.backward()

    def loss_fn(params):
        logits = nnx.merge(graphdef, params)(ids, np.tile(np.arange(LENGTH), (2, 1)), mask)
        log_probs = jax.nn.log_softmax(logits[:, :-1])
        picked = jnp.take_along_axis(log_probs, ids[:, 1:, None], axis=-1)[..., 0]
        return -picked[:, 9:].mean()

    loss, grads = jax.jit(jax.value_and_grad(loss_fn))(params)
    np.testing.assert_allclose(loss, theirs.item(), rtol=1e-5)
    wanted = reference.tensors(model)
    for keys, leaf in flat_state(grads).items():
        grad = np.asarray(leaf[...])
        for piece in _pieces(keys, grad.shape):
            mine = grad if piece.expert is None else grad[piece.expert]
            want = wanted.pop(piece.name)
            error = np.linalg.norm((mine.T if piece.transposed else mine) - want)
            assert error <= 1e-3 * np.linalg.norm(want) + 1e-8, piece.name
    assert not wanted


def greedy(ours, ids: list[int], count: int) -> list[int]:
    """Through the cache: the prompt in two calls of 8 and the rest, then token by token."""
    graphdef, params, cfg, _ = ours

    @jax.jit
    def extend(params, tokens, positions, cache):
        model = nnx.merge(graphdef, params)
        hidden, cache = model.extend(tokens, positions, cache)
        return model.logits(hidden), cache

    cache, out = init_cache(cfg, 1, LENGTH), []
    for start, stop in ((0, 8), (8, len(ids))):
        logits, cache = extend(params, np.array([ids[start:stop]]), np.arange(start, stop)[None], cache)
    while len(out) < count:
        out.append(int(logits[0, -1].argmax()))
        logits, cache = extend(params, np.array([[out[-1]]]), np.array([[len(ids) + len(out) - 1]]), cache)
    return out


def test_greedy_continuation_and_the_way_back(pair, tmp_path):
    model, ours = pair
    ids = tokens(6, 16).tolist()
    wanted = reference.greedy(model, ids, 24)
    assert greedy(ours, ids, 24) == wanted and len(set(wanted)) > 3
    changed = jax.tree.map(lambda x: x * 1.01, ours[1])  # as after training: not what transformers wrote
    save_hf(tmp_path / "m", changed, ours[2], max_shard_bytes=20_000)
    back = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "m")
    assert type(back) is type(model)
    mine = our_logits((ours[0], changed, *ours[2:]), tokens(1, 2, LENGTH), np.ones((2, LENGTH), int))
    np.testing.assert_allclose(mine, their_logits(back, tokens(1, 2, LENGTH)), atol=1e-4)
    assert reference.greedy(back, ids, 24) == greedy((ours[0], changed, *ours[2:]), ids, 24)


def test_the_load_balancing_loss(tmp_path):
    model = reference.make("moe")
    graphdef, params, *_ = loaded(reference.save(model, tmp_path))
    ids, mask = tokens(8, 2, LENGTH), np.ones((2, LENGTH), int)
    mask[1, 30:] = 0
    with torch.no_grad():
        theirs = model(torch.tensor(ids), attention_mask=torch.tensor(mask), output_router_logits=True).aux_loss

    @jax.jit
    def balance(params):
        positions = jnp.tile(jnp.arange(LENGTH), (2, 1))
        return (
            nnx.merge(graphdef, params).routed(ids, positions, packed_mask(jnp.asarray(mask)), mask)[1].balance_loss()
        )

    np.testing.assert_allclose(balance(params), theirs.item(), rtol=1e-5)


@pytest.mark.parametrize(("case", "rope"), ROPE_CASES)
def test_rope_scaling(case, rope, tmp_path):
    model = reference.make(case, ROPES[rope], theta=1e4)
    ours = loaded(reference.save(model, tmp_path / "theirs"))
    ids, mask = tokens(7, 2, 160), np.ones((2, 160), int)
    theirs = their_logits(model, ids)
    np.testing.assert_allclose(our_logits(ours, ids, mask), theirs, atol=1e-4)
    plain = their_logits(reference.make(case, theta=1e4), ids)
    assert abs(plain - theirs).max() > 0.05  # the scaling shows
    save_hf(tmp_path / "ours", ours[1], ours[2])
    back = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "ours")
    np.testing.assert_allclose(their_logits(back, ids), theirs, atol=1e-5)
    assert load_hf(tmp_path / "ours")[2] == ours[2]
