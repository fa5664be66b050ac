"""Generation speed: plain decoding and the agent workload, for qpa's engine and the peers that are installed.

    python -m benchmarks.engine --repeats=3 --peer_python=PATH_OF_A_PYTHON_WITH_TUNIX

Hugging Face is a peer if torch and transformers can be imported here; its greedy tokens are compared with qpa's on the
same fp32 weights. Seconds are medians of `--repeats`, after one run that compiles (of the peers' agent loops only the
first batch); beside each stands what a product of two 2,048 x 2,048 matrices reached just before. Quote ratios, not
seconds: the machine's speed changes.
"""

from __future__ import annotations

import asyncio
import dataclasses
import importlib.util
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np
from absl import app, flags

from benchmarks.probe import gflops
from benchmarks.workloads import (
    NEW,
    PROMPT,
    SHAPE,
    SPECIAL,
    Episode,
    agent_episodes,
    decode_prompts,
    in_batches,
    median_seconds,
    sampled_tokens,
)
from qpa.chat.markers import END_OF_TEXT, IM_END, IM_START
from qpa.config import EngineConfig, ModelConfig
from qpa.contract import GenerateRequest
from qpa.models.engine import Engine
from qpa.models.hf import save_hf
from qpa.models.transformer import create

_BATCHES = flags.DEFINE_list("batches", ["8", "32"], "rows of the decode workload; empty: leave it out")
_TASKS = flags.DEFINE_integer("tasks", 16, "tasks of the agent workload; 0: leave it out")
_GROUP = flags.DEFINE_integer("group", 8, "episodes per task")
_TURNS = flags.DEFINE_integer("turns", 5, "turns per episode")
_LAYERS = flags.DEFINE_integer("layers", SHAPE["n_layers"], "layers of the model; fewer only to try the script")
_REPEATS = flags.DEFINE_integer("repeats", 3, "timed runs of each measurement", lower_bound=1)
_ROWS = flags.DEFINE_integer("decode_rows", 32, "sequences per decode call in the agent workload")
_PEER_BATCH = flags.DEFINE_integer("peer_batch", 32, "episodes per batch of the peers in the agent workload")
_PEER_PYTHON = flags.DEFINE_string("peer_python", None, "interpreter that has tunix; not given: tunix is left out")
_VARIANTS = flags.DEFINE_bool("variants", True, "agent workload: also with few slots, and with inexact reuse")
_HUGGING_FACE = flags.DEFINE_bool("hugging_face", True, "run transformers too, where it is installed")


def config() -> ModelConfig:
    return ModelConfig(**SHAPE)


class Ids:
    """The least a chat format needs; the stop tokens are the ids that the model cannot sample."""

    family = "compact"

    @property
    def tokenizer(self) -> Ids:
        return self

    def special_id(self, name: str) -> int:
        return SHAPE["vocab_size"] - 1 - (IM_END, END_OF_TEXT, IM_START).index(name)

    def decode(self, ids: Any) -> str:
        return ""


def model() -> tuple[Any, Any]:
    """Random weights with logits apart enough that two correct programs choose the same tokens."""
    graphdef, params = create(config(), 0)
    table = np.array(params["embed_tokens"].get_value()) * 12
    table[-SPECIAL:] = table[1 : SPECIAL + 1] / 2  # a smaller logit than another id's: greedy never takes them
    params["embed_tokens"].set_value(jnp.asarray(table))
    return graphdef, params


@dataclasses.dataclass
class Row:
    name: str
    seconds: float
    tokens: int
    probe: float
    note: str = ""

    def show(self, base: float) -> None:
        speed, ratio = self.tokens / self.seconds, self.seconds / base
        print(
            f"{self.name:32} {self.seconds:9.2f} s {speed:9.0f} tok/s {ratio:7.2f}x {self.probe:6.0f}  {self.note}",
            flush=True,
        )


# --- qpa -----------------------------------------------------------------------------------------------------------


def engine(parts: tuple[Any, Any], **sizes: Any) -> Engine:
    return Engine(*parts, config(), EngineConfig(**sizes), Ids())


async def play(eng: Engine, name: str, episode: Episode, **fields: Any) -> list[list[int]]:
    """One episode; the sampled ids of its turns."""
    ids, out = list(episode.prompt), []
    for turn, length in enumerate(episode.lengths):
        request = GenerateRequest(
            episode=name, turn=turn, messages=[], tools=[], prompt_ids=ids, max_tokens=length, **fields
        )
        reply = await eng.generate(request)
        assert len(reply.token_ids) == length, f"{name} ended with {reply.finish} after {len(reply.token_ids)} tokens"
        out.append(reply.token_ids)
        ids = ids + reply.token_ids + episode.environment[turn]
    eng.release(name)
    return out


def play_all(eng: Engine, episodes: list[Episode], **fields: Any) -> list[list[list[int]]]:
    async def main() -> list[list[list[int]]]:
        return await asyncio.gather(*(play(eng, f"e{i}", e, **fields) for i, e in enumerate(episodes)))

    for lane in eng._lanes:
        lane.table.invalidate()  # the keys and values of the run before
    return asyncio.run(main())


def qpa_row(name: str, eng: Engine, episodes: list[Episode], **fields: Any) -> Row:
    speed = gflops()
    play_all(eng, episodes, **fields)  # compiles
    before = eng.stats()
    seconds = median_seconds(lambda: play_all(eng, episodes, **fields), _REPEATS.value)
    runs, change = _REPEATS.value + 1, {k: v - before[k] for k, v in eng.stats().items()}
    host = change["host_seconds"] / (change["host_seconds"] + change["device_seconds"])
    note = f"host {host:.1%}, {before['programs']:.0f} programs, then {change['programs']:.0f} more"
    note += f"; prefilled {change['prefill_tokens'] / runs:.0f}, reused {change['reused_tokens'] / runs:.0f}"
    return Row(name, seconds, sampled_tokens(episodes), speed, note)


def keep_sampled(eng: Engine) -> None:
    """Lets a slot keep the keys and values that decoding wrote: what exact reuse costs is the difference."""
    for lane in eng._lanes:
        collect = lane._collect

        def kept(slot: Any, job: Any, *sampled: Any, collect: Callable[..., None] = collect) -> None:
            collect(slot, job, *sampled)
            if slot.job is None:
                slot.tokens = job.ids[:-1]

        lane._collect = kept  # type: ignore[method-assign]


# --- Hugging Face --------------------------------------------------------------------------------------------------


def hugging_face(parts: tuple[Any, Any]) -> Callable[[list[list[int]], int], list[list[int]]] | None:
    """Greedy generation by transformers on the same weights, or None if it is not installed."""
    if not _HUGGING_FACE.value or not all(importlib.util.find_spec(name) for name in ("torch", "transformers")):
        return None
    import torch
    from transformers import AutoModelForCausalLM

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "checkpoint")
        save_hf(path, parts[1], config())
        peer = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)
    peer.generation_config.eos_token_id = None

    def generate(contexts: list[list[int]], count: int) -> list[list[int]]:
        width = max(map(len, contexts))
        ids = torch.tensor([[0] * (width - len(c)) + c for c in contexts])
        mask = torch.tensor([[0] * (width - len(c)) + [1] * len(c) for c in contexts])
        with torch.inference_mode():
            out = peer.generate(
                ids, attention_mask=mask, max_new_tokens=count, min_new_tokens=count, do_sample=False, pad_token_id=0
            )
        return out[:, width:].tolist()

    return generate


def agreement(ours: list[list[list[int]]], theirs: list[list[list[int]]]) -> str:
    """How many episodes have the same greedy tokens throughout."""
    same = sum(a == b for a, b in zip(ours, theirs, strict=True))
    return f"identical greedy tokens in {same} of {len(ours)} episodes"


# --- the workloads -------------------------------------------------------------------------------------------------


def hugging_face_row(eng: Engine, episodes: list[Episode], batch: int, peer: Any) -> list[Row]:
    """A row for `hugging_face`'s generation, its greedy tokens held against the engine's; none without it."""
    if peer is None:
        return []
    speed, ours = gflops(), play_all(eng, episodes, temperature=0.0)
    theirs: list[Any] = []
    seconds = median_seconds(
        lambda: theirs.append(in_batches(episodes, batch, peer)),
        _REPEATS.value,
        lambda: in_batches(episodes[:batch], batch, peer),
    )
    return [Row("Hugging Face generate", seconds, sampled_tokens(episodes), speed, agreement(ours, theirs[-1]))]


def tunix_row(workload: str, tokens: int, **job: Any) -> list[Row]:
    """A row for tunix in its own interpreter; none if that is not given."""
    if not _PEER_PYTHON.value:
        return []
    job = {"batches": [], "tasks": 0, "layers": _LAYERS.value, "repeats": _REPEATS.value} | job
    speed = gflops()
    command = [_PEER_PYTHON.value, "-m", "benchmarks.peers.tunix_engine", json.dumps(job)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"tunix in {_PEER_PYTHON.value} failed:\n{done.stderr[-2000:]}")
    return [Row("tunix", json.loads(done.stdout.splitlines()[-1])["seconds"][workload], tokens, speed)]


def show(title: str, rows: Iterator[Row]) -> None:
    """Prints each row when it is measured; the first one is what the others are compared with."""
    print(f"\n{title}\n{'':32} {'median':>11} {'':15} {'to qpa':>8} {'probe':>6}", flush=True)
    base = 0.0
    for row in rows:
        base = base or row.seconds
        row.show(base)


def decode(parts: tuple[Any, Any], batch: int, peer: Any) -> Iterator[Row]:
    episodes = [Episode(ids, [NEW], [[]]) for ids in decode_prompts(batch)]
    sizes = {"slots": batch, "decode_rows": batch, "context": PROMPT + NEW, "prefill_buckets": (PROMPT,)}
    eng = engine(parts, **sizes)
    yield qpa_row("qpa", eng, episodes)
    yield qpa_row("qpa, top-p 0.9 and top-k 50", eng, episodes, top_p=0.9, top_k=50)
    yield from hugging_face_row(eng, episodes, batch, peer)
    yield from tunix_row(f"decode {batch}", sampled_tokens(episodes), batches=[batch])


def agent(parts: tuple[Any, Any], episodes: list[Episode], peer: Any) -> Iterator[Row]:
    context = -(-max(e.total for e in episodes) // 64) * 64
    sizes = {"slots": len(episodes), "decode_rows": min(_ROWS.value, len(episodes)), "context": context}
    eng = engine(parts, **sizes)
    yield qpa_row("qpa", eng, episodes, temperature=0.0)
    if _VARIANTS.value:
        few = engine(
            parts, **sizes | {"slots": -(-len(episodes) // 4), "decode_rows": min(_ROWS.value, len(episodes) // 4)}
        )
        yield qpa_row("qpa, a quarter of the slots", few, episodes, temperature=0.0)
        inexact = engine(parts, **sizes)
        keep_sampled(inexact)
        yield qpa_row("qpa, sampled keys kept (inexact)", inexact, episodes, temperature=0.0)
    batch = _PEER_BATCH.value
    yield from hugging_face_row(eng, episodes, batch, peer)
    job = {"tasks": _TASKS.value, "group": _GROUP.value, "turns": _TURNS.value, "batch": batch}
    yield from tunix_row("agent", sampled_tokens(episodes), **job)


def main(_: list[str]) -> None:
    SHAPE["n_layers"] = _LAYERS.value
    parts = model()
    peer = hugging_face(parts)
    for batch in map(int, _BATCHES.value):
        title = f"decode: {batch} rows, prompt {PROMPT}, {NEW} new tokens, prefill included"
        show(title, decode(parts, batch, peer))
    if _TASKS.value:
        episodes = agent_episodes(_TASKS.value, _GROUP.value, _TURNS.value)
        sizes = f"{_TASKS.value} tasks x {_GROUP.value}, {_TURNS.value} turns"
        title = f"agent: {sizes}, {sampled_tokens(episodes)} sampled tokens"
        show(title, agent(parts, episodes, peer))


if __name__ == "__main__":
    app.run(main)
