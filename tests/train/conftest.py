"""Fixtures of the training tests."""

import jax
import pytest
from jax.experimental.compilation_cache import compilation_cache
from train_samples import tiny_planner

from qpa.config import MeshConfig
from qpa.train.mesh import make_mesh


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """Where this session keeps compiled programs: resumed runs and child processes need the same ones again."""
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture(scope="module", autouse=True)
def cheap_compilation(compiled):
    """Compiles fast rather than well, once per program; the programs run for milliseconds."""
    options = {
        "jax_disable_most_optimizations": True,
        "jax_compilation_cache_dir": str(compiled),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    before = {name: jax.config.values[name] for name in options}
    for values in (options, before):
        for name, value in values.items():
            jax.config.update(name, value)
        compilation_cache.reset_cache()
        if values is options:
            yield


@pytest.fixture(scope="session")
def tiny():
    """(graphdef, params) of a two-layer planner."""
    return tiny_planner()


@pytest.fixture(scope="session")
def mesh():
    return make_mesh(MeshConfig(data=1), devices=jax.devices()[:1])
