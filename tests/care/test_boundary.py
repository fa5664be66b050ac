"""CARE is usable in someone else's trainer: it imports nothing else of qpa, and names load lazily."""

from __future__ import annotations

import subprocess
import sys


def test_imports_nothing_of_qpa_and_policy_loss_is_the_function():
    code = (
        "import sys, qpa.care; assert 'jax' not in sys.modules, 'eager import';"
        "from qpa.care.objective import policy_loss_sums; from qpa.care import policy_loss;"
        "import qpa.care as care; [getattr(care, n) for n in care.__all__]; assert callable(care.policy_loss);"
        "assert callable(policy_loss);"
        "bad = [m for m in sys.modules if m.startswith('qpa.') and not m.startswith('qpa.care')]; assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
