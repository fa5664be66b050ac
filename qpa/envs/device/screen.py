"""Hands and eyes on a screen: fresh trees, taps, typing. Every loop here is bounded."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass

from qpa.contract import ErrorType
from qpa.envs.device import parsers
from qpa.envs.device.grammar import VerbError, unavailable
from qpa.envs.device.hand import Hand
from qpa.envs.device.parsers import ParseError
from qpa.envs.device.tree import Node, dump_problem, parse_tree
from qpa.envs.device.verbs_ui import KEYBOARD, TREE_PATH

PULL_S = 10.0
LOOKS = 8  # trees read while waiting for one thing
PAUSE_S = 0.4  # between two looks: an app draws in less
_PIECES = re.compile(r"\n|%|[^%\n]+")


@dataclass(frozen=True)
class View:
    """A tree. `stale` means that a newer one could not be read: good for telling, not for tapping."""

    root: Node
    stale: bool = False
    problem: str = ""


class Screen:
    """The screen of one phone. `keyboard_changed` is called with the keyboard that was set before it is replaced."""

    def __init__(self, hand: Hand, keyboard_changed: Callable[[str], None] = lambda old: None) -> None:
        self.hand = hand
        self._last: Node | None = None
        self._keyboard_changed = keyboard_changed
        self._unicode: bool | None = None  # whether the unicode keyboard is set; None: not looked yet

    async def view(self) -> View:
        """The tree now; after two failures the last good one, marked stale.

        Raises `VerbError` (503) when there never was one: a failure is no empty screen.
        """
        problem = ""
        for verb in ("dump_tree", "dump_tree_short"):
            result = await self.hand.run(verb)
            out, err = result.stdout.decode("utf-8", "replace"), result.stderr.decode("utf-8", "replace")
            problem = dump_problem(out, err, result.exit_code)
            if problem:
                continue
            try:
                self._last = parse_tree(
                    await self.hand.link.pull(TREE_PATH, deadline_s=min(PULL_S, self.hand.longest_s))
                )
                return View(self._last)
            except ParseError as error:
                problem = str(error)
        if self._last is None:
            raise unavailable(f"The screen cannot be read: {problem}")
        return View(self._last, stale=True, problem=problem)

    async def look(self) -> Node:
        """The tree now. Raises `VerbError` (503) when only a stale one is to be had."""
        view = await self.view()
        if view.stale:
            raise unavailable(f"The screen cannot be read: {view.problem}")
        return view.root

    async def wait(self, wanted: Callable[[Node], Node | None], what: str, looks: int = LOOKS) -> Node:
        """The node, as soon as the screen shows it. Raises `VerbError` (404) after `looks` trees without it."""
        for attempt in range(looks):
            found = wanted(await self.look())
            if found is not None:
                return found
            if attempt + 1 < looks:
                await asyncio.sleep(PAUSE_S)
        raise VerbError(ErrorType.NOT_FOUND, f"Not on the screen: {what}")

    async def tap(self, node: Node, verb: str = "tap") -> None:
        """Taps a node's centre."""
        across, down = node.centre
        await self.hand.run(verb, x=across, y=down)

    async def press(self, key: str, times: int = 1) -> None:
        """Presses a key some times."""
        while times > 0:
            await self.hand.run("press", key=key, times=min(times, 200))
            times -= 200

    async def scroll_down(self) -> None:
        """Shows what is below: a swipe of half a screen."""
        width, height = self.hand.facts.width, self.hand.facts.height
        await self.hand.run("swipe", x1=width // 2, y1=height * 3 // 4, x2=width // 2, y2=height // 4, ms=400)

    async def fill(self, field: Node, text: str) -> None:
        """Replaces what a text field holds, and reads it back.

        Raises `VerbError` (503) when it then holds something else.
        """
        await self.tap(field)
        if field.text:
            await self.press("move_end")
            await self.press("delete", len(field.text))
        await self.type(text)
        now = await self.wait(
            lambda root: root.find(lambda node: node.bounds == field.bounds or node.resource == field.resource != ""),
            "the field just filled",
        )
        if now.text != text:
            raise unavailable(f"The field holds {now.text[:60]!r} instead of {text[:60]!r}")

    async def type(self, text: str) -> None:
        """Types into what has the focus; text beyond ASCII by a keyboard made for it, never by dropping characters."""
        if not text.isascii():
            await self._use_unicode_keyboard()
            await self.hand.run("type_any", text=text)
            return
        for piece in _PIECES.findall(text):
            if piece == "\n":
                await self.press("enter")
            else:
                await self.hand.run("type", text=piece)

    async def _use_unicode_keyboard(self) -> None:
        if self._unicode is None:
            self._unicode = KEYBOARD in (await self.hand.ask("list_keyboards")).split()
        if not self._unicode:
            raise unavailable(f"Text beyond ASCII needs the keyboard {KEYBOARD} on the phone")
        setting = "secure/default_input_method"
        now = parsers.setting(await self.hand.ask("get_setting", setting=setting)) or ""
        if now == KEYBOARD:
            return
        self._keyboard_changed(now)
        await self.hand.run("enable_keyboard", id=KEYBOARD)
        await self.hand.run("set_keyboard", id=KEYBOARD)
        if parsers.setting(await self.hand.ask("get_setting", setting=setting)) != KEYBOARD:
            raise unavailable("The phone did not take the keyboard for text beyond ASCII")
