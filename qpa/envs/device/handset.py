"""What a table's reader and writer gets to work with: one phone, its clock, and what a phone cannot be asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from qpa.envs.device import parsers
from qpa.envs.device.hand import Hand
from qpa.envs.device.screen import Screen
from qpa.envs.sandbox.context import Row


@dataclass
class Handset:
    """One phone during one episode.

    Attributes:
      now: the phone's local time as last read.
      rows: the companion's rows of a table, for what the phone shows elsewhere (a caller's name).
      memo: what this session set and the phone does not tell (the number calls are forwarded to).
      packages: app name -> package, from the inventory.
      visited: packages that were opened to read or write something, at nobody's order.
    """

    hand: Hand
    screen: Screen
    rows: Callable[[str], list[Row]] = lambda table: []
    now: datetime = datetime(1970, 1, 1)
    memo: dict[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    visited: set[str] = field(default_factory=set)

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.hand.facts.zone)

    async def read_clock(self) -> None:
        """Asks the phone for its time."""
        self.now, _ = parsers.clock(await self.hand.ask("clock"))

    def to_ms(self, moment: str) -> int:
        """Milliseconds since 1970 of the phone's local ISO time."""
        return int(datetime.fromisoformat(moment).replace(tzinfo=self.zone).timestamp() * 1000)

    def to_local(self, ms: int) -> str:
        """The phone's local ISO time, to the second."""
        return datetime.fromtimestamp(ms // 1000, self.zone).replace(tzinfo=None).isoformat()

    async def table(self, name: str, *columns: str) -> list[dict[str, str | None]]:
        """All rows of a provider's table; only the last column may hold free text."""
        return parsers.rows(await self.hand.ask("query", table=name, columns=columns), columns)

    async def texts(self, name: str, column: str) -> dict[int, str]:
        """One column of free text by row id, "" for NULL."""
        return {int(row["_id"] or 0): row[column] or "" for row in await self.table(name, "_id", column)}


class PhoneTable(ABC):
    """How one table of the sandbox is kept by a phone.

    Attributes:
      name: the sandbox's table.
      key: its key column; "id" is generated, anything else is the phone's own name for the row.
      columns: those that the phone shows.
    """

    name: str
    key: str
    columns: tuple[str, ...]

    def content(self, row: Row) -> tuple[Any, ...]:
        """What makes two rows the same to a person: all that the phone shows."""
        return tuple(row[column] for column in self.columns)

    @abstractmethod
    async def read(self, phone: Handset) -> list[Row]:
        """Rows of `columns` (and the key, unless generated); "ref" is the phone's own id, where it has one."""

    @abstractmethod
    async def insert(self, phone: Handset, row: Row) -> None:
        """Makes the row. Raises `VerbError` (503) where a phone cannot."""

    @abstractmethod
    async def update(self, phone: Handset, ref: Any, old: Row, new: Row) -> None:
        """Makes the row `old`, which the phone calls `ref`, into `new`."""

    @abstractmethod
    async def delete(self, phone: Handset, ref: Any, old: Row) -> None:
        """Removes the row."""
