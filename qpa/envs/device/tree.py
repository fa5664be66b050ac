"""The screen as uiautomator sees it: nodes with text, and where to tap them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from qpa.envs.device.parsers import ParseError

MAX_NODES = 20_000
MAX_SHOWN = 500  # characters of a node's text that are kept
_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
_DUMPED = re.compile(r"UI hier\w+ dumped to: ?\S+", re.IGNORECASE)


@dataclass(frozen=True)
class Node:
    """One view. `bounds` are pixels: left, top, right, bottom."""

    text: str = ""
    description: str = ""
    resource: str = ""  # without the package: "id/title" of "android:id/title" is "title"
    kind: str = ""  # the class's last word
    package: str = ""
    bounds: tuple[int, int, int, int] = (0, 0, 0, 0)
    clickable: bool = False
    checked: bool = False
    enabled: bool = True
    focused: bool = False
    scrollable: bool = False
    children: tuple[Node, ...] = field(default=())

    @property
    def centre(self) -> tuple[int, int]:
        left, top, right, bottom = self.bounds
        return (left + right) // 2, (top + bottom) // 2

    @property
    def seen(self) -> bool:
        """Whether it has an area to tap."""
        return self.bounds[2] > self.bounds[0] and self.bounds[3] > self.bounds[1]

    @property
    def label(self) -> str:
        """What a person reads on it."""
        return self.text or self.description

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in drawing order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def find(self, wanted: Callable[[Node], bool]) -> Node | None:
        """The first node that fits and can be tapped."""
        return next((node for node in self.walk() if node.seen and wanted(node)), None)

    def by_id(self, resource: str) -> Node | None:
        """The first node with this resource id."""
        return self.find(lambda node: node.resource == resource)

    def text_of(self, resource: str) -> str:
        """The text of the first node with this resource id, tappable or not; "" without one."""
        return next((node.text for node in self.walk() if node.resource == resource), "")

    def by_text(self, text: str) -> Node | None:
        """The first node that reads exactly so, ignoring case."""
        wanted = text.casefold()
        return self.find(lambda node: wanted in (node.text.casefold(), node.description.casefold()))


def dump_problem(stdout: str, stderr: str, exit_code: int) -> str:
    """Why `uiautomator dump` wrote no tree; "" if it did. The success line is misspelt on every version."""
    said = f"{stdout}\n{stderr}"
    for line in said.splitlines():
        if line.strip().startswith("ERROR"):
            return line.strip()[:200]
    if exit_code == 137 or "Killed" in said:
        return "uiautomator was killed"
    if exit_code != 0 or not _DUMPED.search(said):
        return f"no tree: exit code {exit_code}, {' '.join(said.split())[:160]!r}"
    return ""


def parse_tree(data: bytes) -> Node:
    """The root of a dumped hierarchy. Raises `ParseError` for anything but a whole tree with at least one node."""
    start = data.find(b"<?xml") if b"<?xml" in data else data.find(b"<hierarchy")
    end = data.rfind(b"</hierarchy>")
    if start < 0 or end < 0:
        raise ParseError(f"no whole hierarchy in {len(data)} bytes")
    document = data[start : end + len(b"</hierarchy>")]
    if b"<!DOCTYPE" in document or b"<!ENTITY" in document:
        raise ParseError("a hierarchy has no document type")
    try:
        root = ET.fromstring(document)
    except ET.ParseError as error:
        raise ParseError(f"hierarchy is not XML: {error}") from None
    if sum(1 for _ in root.iter()) > MAX_NODES:
        raise ParseError(f"hierarchy has more than {MAX_NODES} nodes")
    try:
        children = tuple(_node(child) for child in root if child.tag == "node")
    except RecursionError:
        raise ParseError("hierarchy is too deep") from None
    if not children:
        raise ParseError("hierarchy is empty")
    return Node(kind="hierarchy", children=children)


def _node(element: ET.Element) -> Node:
    read = element.attrib.get
    match = _BOUNDS.fullmatch(read("bounds", ""))
    left, top, right, bottom = (int(number) for number in match.groups()) if match else (0, 0, 0, 0)
    return Node(
        text=read("text", "")[:MAX_SHOWN],
        description=read("content-desc", "")[:MAX_SHOWN],
        resource=read("resource-id", "").rpartition("/")[2],
        kind=read("class", "").rpartition(".")[2],
        package=read("package", ""),
        bounds=(left, top, right, bottom),
        clickable=read("clickable") == "true",
        checked=read("checked") == "true",
        enabled=read("enabled", "true") == "true",
        focused=read("focused") == "true",
        scrollable=read("scrollable") == "true",
        children=tuple(_node(child) for child in element if child.tag == "node"),
    )
