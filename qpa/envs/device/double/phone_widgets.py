"""The pieces a screen of the double is made of: nodes with a box, and rows of them that are stacked and scrolled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

Box = tuple[int, int, int, int]  # left, top, right, bottom in pixels

TEXT = "android.widget.TextView"
EDIT = "android.widget.EditText"
BUTTON = "android.widget.Button"
SWITCH = "android.widget.Switch"
IMAGE = "android.widget.ImageView"
SEEK = "android.widget.SeekBar"
GROUP = "android.view.ViewGroup"
LIST = "androidx.recyclerview.widget.RecyclerView"
ROW = 176  # pixels; a row with a second line is taller
WIDTH = 1080  # boxes inside a row are in thousandths of this width's pixels, scaled to the screen's


@dataclass
class Node:
    """A node of the view tree. `on` is what a tap does, `slide` gets the tap's place along the node (0 to 1)."""

    cls: str = TEXT
    text: str = ""
    rid: str = ""  # a name, or "package:id/name" for another package's
    desc: str = ""
    box: Box = (0, 0, 0, 0)
    on: Callable[[], object] | None = None
    slide: Callable[[float], None] | None = None
    edits: str = ""  # the page's text field that this node edits
    checkable: bool = False
    checked: bool = False
    scrollable: bool = False
    selected: bool = False
    enabled: bool = True
    children: list[Node] = field(default_factory=list)

    @property
    def clickable(self) -> bool:
        """Whether a tap does something."""
        return self.on is not None or self.slide is not None or bool(self.edits)


@dataclass
class Item:
    """A row: its height and its node, whose boxes count from the row's corner at `WIDTH` pixels across."""

    node: Node
    height: int = ROW


@dataclass
class Page:
    """Where the screen is: a kind of page, what it is about, and what was typed and scrolled there."""

    kind: str
    about: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    scroll: int = 0
    focus: str = ""  # the field that typing goes to at first
    marks: set[str] = field(default_factory=set)  # expanded rows and the like


@dataclass
class Screen:
    """A page as it is now: which window it is, and its rows."""

    package: str
    activity: str  # full class name
    title: str
    items: list[Item]
    bar: list[Node] = field(default_factory=list)  # buttons of the title bar, boxes in screen pixels at `WIDTH`


def text(words: str, rid: str = "") -> Item:
    """A line of text, taller for a long one."""
    height = ROW + 60 * (len(words) // 45 + words.count("\n"))
    return Item(Node(TEXT, words, rid, box=(48, 16, 1032, height - 16)), height)


def row(
    title: str, summary: str = "", on: Callable[[], object] | None = None, rid: str = "android:id/title", desc: str = ""
) -> Item:
    """A list row with a title and a second line."""
    height = ROW + (44 if summary else 0)
    inner = [Node(TEXT, title, rid, box=(48, 30, 800, 110))]
    if summary:
        inner.append(Node(TEXT, summary, "android:id/summary", box=(48, 112, 800, height - 16)))
    return Item(Node(GROUP, desc=desc, box=(0, 0, WIDTH, height), on=on, children=inner), height)


def switch(title: str, checked: bool, on: Callable[[], object], summary: str = "") -> Item:
    """A row that switches something; the whole row may be tapped."""
    item = row(title, summary, on)
    knob = Node(SWITCH, "", "android:id/switch_widget", box=(880, 48, 1032, 128), checkable=True, checked=checked)
    item.node.children.append(knob)
    return item


def choice(title: str, selected: bool, on: Callable[[], object]) -> Item:
    """One of several values."""
    node = Node(
        "android.widget.CheckedTextView", title, "android:id/text1", box=(0, 0, WIDTH, ROW), on=on, checkable=True,
        checked=selected,
    )  # fmt: skip
    return Item(node)


def slider(title: str, percent: int, slide: Callable[[float], None], rid: str = "seekbar") -> Item:
    """A value from 0 to 100: a tap or a swipe's end sets it."""
    bar = Node(
        SEEK, f"{percent}.0", f"com.android.settings:id/{rid}", f"{title} {percent}%", (60, 110, 1020, 190), slide=slide
    )
    label = Node(TEXT, title, "android:id/title", box=(48, 20, 800, 100))
    return Item(Node(GROUP, box=(0, 0, WIDTH, 220), children=[label, bar]), 220)


def entry(value: str, name: str, hint: str, rid: str = "") -> Item:
    """A text field; an empty one shows its hint, as the accessibility tree gives it."""
    return Item(Node(EDIT, value or hint, rid or name, box=(48, 24, 1032, 152), edits=name))


def button(label: str, on: Callable[[], object], rid: str = "", desc: str = "") -> Item:
    """A button over the width."""
    return Item(Node(BUTTON, label, rid, desc, (48, 24, 1032, 152), on=on))


def moved(node: Node, left: int, top: int, scale: float, limits: tuple[int, int]) -> Node:
    """The node and its children at their places on the screen, cut off at the top and bottom given."""
    x0, y0, x1, y1 = node.box
    low, high = limits
    box = (
        left + round(x0 * scale),
        min(max(top + y0, low), high),
        left + round(x1 * scale),
        min(max(top + y1, low), high),
    )
    inner = [moved(child, left, top, scale, limits) for child in node.children]
    return replace(node, box=box, children=[child for child in inner if child.box[1] < child.box[3]])
