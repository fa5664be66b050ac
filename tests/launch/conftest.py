"""A base of a few thousand parameters for the shrunk loop."""

from __future__ import annotations

from pathlib import Path

import pytest
import shrunk


@pytest.fixture(scope="session")
def base(tmp_path_factory) -> Path:
    """The directory of an untrained base with a tokenizer of its own."""
    return shrunk.make_base(tmp_path_factory.mktemp("base") / "base")


@pytest.fixture
def loop_args(base) -> list[str]:
    """Flags of a shrunk loop."""
    return [shrunk.CONFIG, f"--config.base={base}"]
