"""Which records may train something: those of an untrusted backend only after its validator has passed them.

The mark is bound to the content, so a record that is changed after its validation counts as unvalidated again.
"""

from __future__ import annotations

import hashlib
import re

from qpa.contract.codec import to_msgpack
from qpa.contract.trajectory import Trajectory

UNTRUSTED_BACKENDS = frozenset({"simulated"})  # whatever wraps them: a part of the backend's name decides
VALIDATION = "validation"  # key of the provenance note
NEEDED = "needed"  # its value from the backend; the validator puts the record's digest in its place


def validation_problem(trajectory: Trajectory) -> str:
    """Why an untrusted backend's record must not be trained on yet; "" for validated and for trusted ones."""
    mark = trajectory.provenance.notes.get(VALIDATION, "")
    if not mark and UNTRUSTED_BACKENDS.isdisjoint(re.split(r"[^a-z]+", trajectory.backend.lower())):
        return ""
    if mark in ("", NEEDED):
        return f"backend {trajectory.backend} is not trusted and the record was not validated"
    return "" if mark == _digest(trajectory) else "the record was changed after its validation"


def mark_validated(trajectory: Trajectory) -> None:
    """Notes in the record that its backend's validator found nothing. For validators only."""
    trajectory.provenance.notes[VALIDATION] = _digest(trajectory)


def _digest(trajectory: Trajectory) -> str:
    """Of what was asked, done and answered; training fields (token ids, error marks) may change afterwards."""
    steps = [[s.action, s.feedback] for s in trajectory.steps]
    return hashlib.sha256(to_msgpack([trajectory.backend, trajectory.task, steps])).hexdigest()
