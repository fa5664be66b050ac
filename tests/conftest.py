"""Order of the test files: long ones first, so that two test processes end at about the same time."""

from __future__ import annotations

import pytest

LONGEST = ("test_loop.py", "test_mobile_families.py", "test_bad_input.py", "test_devices.py", "test_rl.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))
