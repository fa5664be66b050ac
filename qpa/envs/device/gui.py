"""The GUI agent on a phone: a scripted policy over the screen's tree that finds, taps, types and looks again.

It understands orders such as "open Wi-Fi", "tap Network, then type hello into Search", "send 'On my way' to Ana": each
clause is a verb and what it is about. What it cannot find on the screen it says; it never guesses a coordinate.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field

from qpa.contract import ErrorType
from qpa.envs.device.android import package_of
from qpa.envs.device.grammar import VerbError, unavailable
from qpa.envs.device.handset import Handset
from qpa.envs.device.table_apps import in_front, open_app
from qpa.envs.device.tree import Node

MAX_STEPS = 25  # taps, texts, keys and swipes of one order
SCROLLS = 4  # screens searched for one thing
_QUOTES = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'"})
_CLAUSE = re.compile(r"\s*(?:,\s*(?:and\s+)?(?:then\s+)?|;\s*|\.\s+|\band then\b|\bthen\b|\band\b)\s*", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)")
_SEND = re.compile(r"^(?:send|message|text|share) (?P<what>.+?) to (?P<who>.+)$", re.IGNORECASE)
_TELL = re.compile(r"^(?:send|tell|message|text|reply to) (?P<who>[^:]+?)(?::| that | saying )\s*(?P<what>.+)$", re.I)
_TYPE = re.compile(r"^(?:type|enter|write|input) (?P<what>.+?)(?: (?:in|into|in to|on) (?P<where>.+))?$", re.IGNORECASE)
_SEARCH = re.compile(r"^(?:search for|search|look for|find) (?P<what>.+)$", re.IGNORECASE)
_TAP = re.compile(
    r"^(?:open|tap|tap on|press|click|click on|choose|select|go to|play|show|turn on|turn off|view) (?P<what>.+)$",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"^(?:please|the|a|an|my|on|to|in)\s+|\s+(?:button|tab|item|app|page|screen|please)$", re.IGNORECASE
)
_RISKY = re.compile(
    r"\b(?:send|pay|buy|order|delete|remove|uninstall|confirm|purchase|transfer|erase)\b", re.IGNORECASE
)


@dataclass
class GuiAgent:
    """One order on one phone. `steps` names what was done, for the answer; `left` is what is still allowed."""

    phone: Handset
    steps: list[str] = field(default_factory=list)
    left: int = MAX_STEPS

    async def run(self, app: str, instruction: str) -> list[str]:
        """Opens the app and does every clause; returns one line per effect.

        Raises:
          VerbError: 404 for what is not on the screen, 400 for a clause that it does not understand, 403 for a tap
            that would need a grant, 503 when the phone does not do it; what was done before stays done.
        """
        package = package_of(app, self.phone.packages)
        await open_app(self.phone, package)
        self.steps.append("launch_app")
        results = []
        for clause in clauses(instruction, app):
            results.append(await self._do(clause))
        self.steps.append("verify_result")
        front = await in_front(self.phone)
        if front != package:
            raise unavailable(f"{app} is no longer in front; there is {front[:60] or 'nothing'}")
        return results or ["opened " + app]

    async def _do(self, clause: str) -> str:
        said = _SEND.match(clause) if ":" not in clause else None
        said = said or _TELL.match(clause)
        if said:
            return await self._send(_bare(said["who"]), _unquoted(said["what"]))
        typed = _TYPE.match(clause)
        if typed:
            return await self._type(_unquoted(typed["what"]), _bare(typed["where"] or ""))
        sought = _SEARCH.match(clause)
        if sought:
            return await self._type(_unquoted(sought["what"]), "search", enter=True)
        tapped = _TAP.match(clause)
        if tapped:
            return await self._tap(_bare(tapped["what"]))
        raise VerbError(ErrorType.INVALID_ARGUMENT, f"The GUI agent does not understand: {clause[:60]}")

    async def _tap(self, what: str) -> str:
        node = await self._find(what)
        before = _state(await self.phone.screen.look())
        await self._touch(node)
        if _state(await self.phone.screen.look()) == before:
            raise unavailable(f"Tapping {node.label[:40] or what} changed nothing on the screen")
        return f"opened {node.label[:60] or what}"

    async def _type(self, text: str, where: str, enter: bool = False) -> str:
        field_ = await self._field(where)
        self._spend("type_text")
        await self.phone.screen.fill(field_, text)
        if enter:
            self._spend("press_enter")
            await self.phone.screen.press("enter")
        return f"typed {text[:60]}"

    async def _send(self, who: str, what: str) -> str:
        self.phone.hand.permit("tap_send")
        root = await self.phone.screen.look()
        to = _edit(root, "recipient") or _edit(root, "to")
        if to is not None:
            self._spend("type_text")
            await self.phone.screen.fill(to, who)
        else:
            await self._touch(await self._find(who))
        body = await self._field("message")
        self._spend("type_text")
        await self.phone.screen.fill(body, what)
        button = (await self.phone.screen.look()).find(lambda n: n.clickable and n.label.casefold().startswith("send"))
        if button is None:
            raise VerbError(ErrorType.NOT_FOUND, "Not on the screen: a send button")
        self._spend("tap_send")
        await self.phone.screen.tap(button, verb="tap_send")
        after = await self.phone.screen.look()
        still = _edit(after, "message")
        if still is not None and still.text == what:
            raise unavailable("The message still stands unsent in its field")
        return f"sent to {who}"

    async def _touch(self, node: Node) -> None:
        risky = _RISKY.search(node.label) is not None
        self._spend("tap")
        await self.phone.screen.tap(node, verb="tap_send" if risky else "tap")

    async def _field(self, where: str) -> Node:
        root = await self.phone.screen.look()
        found = _edit(root, where) if where else None
        if found is None and where == "search":
            icon = best(root, "search")
            if icon is not None:
                await self._touch(icon)
                root = await self.phone.screen.look()
                found = _edit(root, where)
        found = found or root.find(lambda n: n.kind == "EditText" and n.focused)
        fields = [node for node in root.walk() if node.kind == "EditText" and node.seen]
        if found is None and len(fields) == 1:
            found = fields[0]
        if found is None:
            raise VerbError(ErrorType.NOT_FOUND, f"Not on the screen: a field for {where or 'text'}")
        return found

    async def _find(self, what: str) -> Node:
        """The best node for some words, scrolled to."""
        for scroll in range(SCROLLS + 1):
            root = await self.phone.screen.look()
            node = best(root, what)
            if node is not None:
                return node
            if scroll == SCROLLS or root.find(lambda n: n.scrollable) is None:
                break
            self._spend("scroll")
            await self.phone.screen.scroll_down()
        raise VerbError(ErrorType.NOT_FOUND, f"Not on the screen: {what[:60]}")

    def _spend(self, step: str) -> None:
        self.left -= 1
        if self.left < 0:
            raise unavailable(f"The GUI agent gave up after {MAX_STEPS} steps")
        self.steps.append(step)


def clauses(instruction: str, app: str) -> list[str]:
    """The orders of an instruction, quoted text kept whole; opening the app itself is none."""
    text = instruction.translate(_QUOTES).strip().rstrip(".")
    kept = _QUOTED.findall(text)
    for number, quoted in enumerate(kept):
        text = text.replace(quoted, f"\x00{number}\x00", 1)
    name = re.escape(app)
    text = re.sub(rf"^\s*(?:in|on|using|with) (?:the )?{name}(?: app)?\s*,?\s*", "", text, flags=re.IGNORECASE)
    text = re.sub(rf"\s+(?:in|on|using|with) (?:the )?{name}(?: app)?$", "", text, flags=re.IGNORECASE)
    found = []
    for part in _CLAUSE.split(text):
        whole = re.sub(r"\x00(\d+)\x00", lambda m: kept[int(m[1])], part).strip()
        whole = re.sub(r"^please\s+", "", whole, flags=re.IGNORECASE)
        if whole and not re.fullmatch(rf"(?:open|launch|start) (?:the )?{name}(?: app)?", whole, re.IGNORECASE):
            found.append(whole)
    return found


def best(root: Node, what: str) -> Node | None:
    """The node that reads most like the words: all of it, then a part of it, then nearly so."""
    wanted = what.casefold()
    shown = [node for node in root.walk() if node.seen and node.enabled and node.label]
    for fits in (
        lambda label: label == wanted,
        lambda label: wanted in label,
        lambda label: set(wanted.split()) <= set(re.findall(r"\w+", label)),
        lambda label: difflib.SequenceMatcher(None, wanted, label).ratio() > 0.85,
    ):
        found = [node for node in shown if fits(node.label.casefold())]
        if found:
            return next((node for node in found if node.clickable), found[0])
    return None


def _edit(root: Node, where: str) -> Node | None:
    wanted = where.casefold().replace(" ", "_")

    def fits(node: Node) -> bool:
        names = (node.resource.casefold(), node.description.casefold().replace(" ", "_"), node.text.casefold())
        return node.kind == "EditText" and any(wanted in name for name in names)

    return root.find(fits)


def _state(root: Node) -> list[tuple[str, str, bool, bool]]:
    return [(node.resource, node.label, node.checked, node.focused) for node in root.walk()]


def _bare(text: str) -> str:
    text = _unquoted(text)
    while True:
        shorter = _NOISE.sub("", text.strip())
        if shorter == text:
            return text
        text = shorter


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'" else text
