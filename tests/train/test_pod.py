"""The configuration for Qwen3-8B: its SFT step is lowered for TPU and GPU, sharded 2 x 2 x 2, without being run."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve()


def lower():
    """Numbers about the state and the lowered step, from shapes alone."""
    import math

    import jax
    import jax.numpy as jnp
    from flax import nnx
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    from launch.configs import pod
    from qpa.config import MeshConfig
    from qpa.models.transformer import Planner
    from qpa.train.forward import chunk_rows, compile_step
    from qpa.train.mesh import BATCH_AXES, make_mesh
    from qpa.train.optimizer import make_optimizer
    from qpa.train.sft import sft_step
    from qpa.train.state import abstract_state

    cfg = pod.get_config()
    mesh = make_mesh(MeshConfig(2, 2, 2))
    graphdef, params = nnx.split(nnx.eval_shape(lambda: Planner(cfg.model, rngs=nnx.Rngs(0))), nnx.Param)
    tx = make_optimizer(cfg.sft.optimizer, cfg.sft.steps, mesh)
    state = abstract_state(params, tx, mesh)
    size = chunk_rows(cfg.sft.data.batch_size, mesh)
    chunks, length = -(-cfg.sft.data.batch_size // size), cfg.sft.data.sequence_length
    place = NamedSharding(mesh, P(None, BATCH_AXES))
    rows = {
        name: jax.ShapeDtypeStruct(
            (chunks, size, width), jnp.float32 if name == "weights" else jnp.int32, sharding=place
        )
        for names, width in (("tokens segments positions", length), ("index targets weights", length // 2))
        for name in names.split()
    }
    static = {"graphdef": graphdef, "tx": tx, "compute_dtype": cfg.sft.compute_dtype, "loss_chunk": cfg.sft.loss_chunk}
    traced = compile_step(sft_step, mesh, state, **static).trace(state, rows)
    text = traced.lower(lowering_platforms=("tpu",)).as_text()
    traced.lower(lowering_platforms=("cuda",))
    leaves = jax.tree.leaves(state)
    return {
        "parameters": sum(math.prod(x.shape) for x in jax.tree.leaves(params)),
        "bytes": sum(math.prod(x.shape) * x.dtype.itemsize for x in leaves),
        "bytes_per_device": sum(math.prod(x.sharding.shard_shape(x.shape)) * x.dtype.itemsize for x in leaves),
        "products": text.count("stablehlo.dot_general"),
        "logits": f"{size}x{cfg.sft.loss_chunk // size}x{cfg.model.vocab_size}xf32" in text,
        "all_logits": f"{size}x{length // 2}x{cfg.model.vocab_size}xf32" in text,
        "bfloat16": f"x{cfg.model.d_ff}xbf16" in text,
    }


def test_the_pod_step_lowers_for_tpu_and_gpu_with_its_state_split_over_the_parameter_axes():
    env = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    done = subprocess.run([sys.executable, str(HERE)], env=env, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["parameters"] == 8_190_735_360  # what Qwen3-8B has
    assert found["bytes"] // found["parameters"] == 12
    assert found["bytes_per_device"] < 1.001 * found["bytes"] / 4  # fsdp x tensor; `data` holds copies
    assert found["products"] < 60  # one traced layer, not 36
    assert found["bfloat16"] and found["logits"] and not found["all_logits"]


if __name__ == "__main__":
    print(json.dumps(lower()))
