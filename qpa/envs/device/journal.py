"""What a session may have changed on a phone, on the host's disk, so that a crash does not leave it changed."""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from qpa.contract import ContractError, Record, RowChange, from_msgpack, to_msgpack


class JournalState(Record):
    """One phone's open account.

    Attributes:
      serial, task, epoch: whose lease wrote it.
      keyboard: the input method to set again; "" if it was not touched.
      changes: whole rows before and after, in the order in which they were sent; a change stands here before it is.
    """

    serial: str
    task: str
    epoch: int
    keyboard: str = ""
    changes: list[RowChange] = msgspec.field(default_factory=list)


class Journal:
    """The file of one serial. Every write is whole or not there: a new file is synced, then renamed over the old."""

    def __init__(self, folder: Path, serial: str) -> None:
        """`folder` is made if needed."""
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{re.sub(r'[^A-Za-z0-9._-]', '_', serial)}.journal"
        self.serial = serial
        self.state: JournalState | None = None

    def left(self) -> JournalState | None:
        """What an earlier session did not undo; None if there is nothing.

        Raises `ContractError` for a file that is not this serial's journal: a person must look.
        """
        try:
            state = from_msgpack(self.path.read_bytes(), JournalState)
        except FileNotFoundError:
            return None
        if state.serial != self.serial:
            raise ContractError(f"{self.path} belongs to {state.serial}, not to {self.serial}")
        return state

    def begin(self, task: str, epoch: int) -> None:
        """Opens an account; nothing is written until something is to change."""
        self.state = JournalState(serial=self.serial, task=task, epoch=epoch)

    def note(self, change: RowChange) -> None:
        """Writes down a change that is about to be sent."""
        assert self.state is not None, "begin() first"
        self.state.changes.append(change)
        self._save()

    def note_keyboard(self, old: str) -> None:
        """Writes down the keyboard that is about to be replaced; only the first one counts."""
        assert self.state is not None, "begin() first"
        if not self.state.keyboard:
            self.state.keyboard = old
            self._save()

    def settle(self) -> None:
        """Everything is undone."""
        self.path.unlink(missing_ok=True)
        self.state = None

    def _save(self) -> None:
        draft = self.path.with_suffix(".tmp")
        with draft.open("wb") as file:
            file.write(to_msgpack(self.state))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path)
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
