"""A fake actor: a one-turn game over token ids, played by the published weights. Solved by an even first token."""

import asyncio

import jax
import numpy as np
from flax import nnx

from qpa.config import EngineConfig
from qpa.contract import (
    BehaviorCriteria,
    Cost,
    Dimension,
    GenerateRequest,
    Message,
    Reply,
    Role,
    Split,
    Step,
    StopReason,
    TaskSpec,
    Trajectory,
    Verdict,
)
from qpa.models.engine import Engine

PROMPT = [1, 2, 3]
TURN = 4


def make_task(name: str, family: str = "f") -> TaskSpec:
    return TaskSpec(
        id=name, goal="g", criteria=BehaviorCriteria(), dimension=Dimension.TOOL, domain="d", family=family,
        split=Split.TRAIN,
    )  # fmt: skip


def make_trajectory(task, token_ids, log_probs, *, success, progress=0.0, version=0, tokens=None, calls=0, **kw):
    step = Step(
        index=0, observation=[Message(role=Role.USER, content="g")], text="", action=Reply(text=""),
        prompt_ids=PROMPT, token_ids=list(token_ids), log_probs=list(log_probs), policy_version=version,
    )  # fmt: skip
    cost = Cost(output_tokens=len(token_ids) if tokens is None else tokens, tool_calls=calls, turns=1)
    verdict = Verdict(success=success, progress=progress)
    return Trajectory(
        **{"task": task, "steps": [step], "stop": StopReason.FINISHED, "verdict": verdict, "cost": cost} | kw
    )


def tokenize(t):
    step = t.steps[0]
    env, own = len(step.prompt_ids), len(step.token_ids)
    return step.prompt_ids + step.token_ids, [0] * env + [1] * own, [0.0] * env + step.log_probs


class FakeActor:
    def __init__(self, graphdef):
        self.versions, self.params, self.device_seconds = [], None, 0.0

        @jax.jit
        def log_probs(params, ids):
            at = np.broadcast_to(np.arange(ids.shape[1]), ids.shape)
            return jax.nn.log_softmax(nnx.merge(graphdef, params)(ids, at, np.ones_like(at)))

        self._log_probs = log_probs

    def publish(self, params, version):
        self.params = jax.device_get(params)
        self.versions.append(version)

    def run(self, tasks, seed):
        rng = np.random.default_rng(seed)
        ids = np.tile(np.array(PROMPT + [0] * TURN, np.int32), (len(tasks), 1))
        chosen = np.zeros((len(tasks), TURN))
        for k in range(TURN):
            log_probs = np.asarray(self._log_probs(self.params, ids))[:, len(PROMPT) + k - 1]
            noise = rng.gumbel(size=log_probs.shape)
            ids[:, len(PROMPT) + k] = np.argmax(log_probs + noise, axis=-1)
            chosen[:, k] = np.take_along_axis(log_probs, ids[:, len(PROMPT) + k, None], 1)[:, 0]
        self.device_seconds += 1e-4
        own = ids[:, len(PROMPT) :]
        return [
            make_trajectory(
                task, own[i].tolist(), chosen[i].tolist(), success=bool(own[i, 0] % 2 == 0),
                progress=float((own[i] % 2 == 0).mean()), version=self.versions[-1],
            )
            for i, task in enumerate(tasks)
        ]  # fmt: skip

    def stats(self):
        return {"device_seconds": self.device_seconds, "compile_seconds": 0.0}


class _Tokenizer:
    def special_id(self, name):
        return {"<|im_end|>": 10, "<|im_start|>": 11, "<|endoftext|>": 12}[name]

    def decode(self, ids):
        return " ".join(map(str, ids))


class EngineActor(FakeActor):
    """The same game, played by the real generation engine."""

    def __init__(self, graphdef, params, cfg):
        self.versions, self.format = [], type("Format", (), {"tokenizer": _Tokenizer(), "family": "compact"})()
        sizes = EngineConfig(slots=4, context=32, decode_chunk=2, prefill_buckets=(4, 8))
        self.engine = Engine(graphdef, params, cfg, sizes, self.format)

    def publish(self, params, version):
        self.versions.append(version)
        self.engine.update_params(params, version)

    def run(self, tasks, seed):
        def request(i):
            sampling = {"max_tokens": TURN + 2, "temperature": 1.0, "seed": seed}
            return GenerateRequest(episode=str(i), turn=0, messages=[], tools=[], prompt_ids=PROMPT, **sampling)

        async def play():
            return await asyncio.gather(*(self.engine.generate(request(i)) for i in range(len(tasks))))

        return [
            make_trajectory(
                task, r.token_ids, r.log_probs, success=r.token_ids[0] % 2 == 0, version=r.policy_version,
                progress=sum(t % 2 == 0 for t in r.token_ids) / len(r.token_ids),
            )
            for task, r in zip(tasks, asyncio.run(play()), strict=True)
        ]  # fmt: skip

    def stats(self):
        return self.engine.stats()
