"""S^train of Eq. 6: recent on-policy group statistics, as the controller reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpa.care.schedule import Regime


def summarise_groups(success: Any, progress: Any, cost: Any, regime: Any, valid: Any = None) -> dict[str, float]:
    """Statistics of groups [N, G] with regimes [N], over valid members only.

    Returns:
      groups: number of groups with a valid member; success, progress, cost: means over members; cost_of_successes: mean
      cost of successful members (the level of effort that works); progress_share, outcome_share, efficiency_share:
      shares of groups per regime. Every entry is 0 where nothing was counted.
    """
    s, p, e = (np.asarray(x, float) for x in (success, progress, cost))
    keep = np.ones(s.shape, bool) if valid is None else np.asarray(valid, bool)
    keep = keep & np.isfinite(s) & np.isfinite(p) & np.isfinite(e)
    used = np.asarray(regime)[keep.any(axis=-1)]

    def mean(x: np.ndarray, on: np.ndarray) -> float:
        return float(x[on].mean()) if on.any() else 0.0

    out = {
        "groups": float(len(used)),
        "success": mean(s, keep),
        "progress": mean(p, keep),
        "cost": mean(e, keep),
        "cost_of_successes": mean(e, keep & (s > 0)),
    }
    for r in Regime:
        out[f"{r.name.lower()}_share"] = float((used == r).mean()) if len(used) else 0.0
    return out
