"""Fixtures of the sandbox tests."""

from __future__ import annotations

import pytest
from sandbox_phone import Phone


@pytest.fixture
def phone() -> Phone:
    return Phone()


@pytest.fixture
def new_phone() -> type[Phone]:
    return Phone
