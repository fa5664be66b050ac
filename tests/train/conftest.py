"""Fixtures of the training tests."""

import jax
import pytest
from train_samples import tiny_planner

from qpa.config import MeshConfig
from qpa.train.mesh import make_mesh


@pytest.fixture(scope="session")
def tiny():
    """(graphdef, params) of a two-layer planner."""
    return tiny_planner()


@pytest.fixture(scope="session")
def mesh():
    return make_mesh(MeshConfig(data=1), devices=jax.devices()[:1])
