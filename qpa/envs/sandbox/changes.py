"""SQLite changesets as contract rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import apsw

from qpa.contract import RowChange
from qpa.envs.sandbox.schema import Table


def row_changes(changeset: bytes, tables: Mapping[str, Table]) -> list[RowChange]:
    """Net changes, sorted by table and key.

    `old` and `new` hold the whole row (key included) for a delete or an insert, the changed columns for an update.
    """
    found = []
    for change in apsw.Changeset.iter(changeset):
        table = tables[change.name]
        old, new = _columns(table, change.old), _columns(table, change.new)
        whole = new if change.op == "INSERT" else old
        key = {k: whole[k] for k in table.key}
        if change.op == "UPDATE":  # SQLite gives an update's key with its old values only
            old = {c: v for c, v in old.items() if c not in key}
        found.append(RowChange(table=table.name, op=change.op.lower(), key=key, old=old, new=new))
    return sorted(found, key=lambda c: (c.table, [str(v) for v in c.key.values()], c.op))


def _columns(table: Table, values: Any) -> dict[str, Any]:
    if values is None:
        return {}
    return {c: v for c, v in zip(table.columns, values, strict=True) if v is not apsw.no_change}
