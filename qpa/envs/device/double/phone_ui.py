"""The double's screen: a stack of pages over the launcher, what taps and keys do to them, and the tree they show.

A page is built anew from the tables each time it is looked at. What is in front starts as the sandbox's
`foreground_app` and follows it whenever a tool changes it; walking on by taps is state of the screen alone and writes
no row, so that a course through the settings leaves only what it changed there. HOME and BACK on an app that the
tables have in front are the sandbox's own buttons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qpa.envs.device.double.phone_widgets import GROUP, LIST, TEXT, WIDTH, Node, Page, Screen, moved

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

STATUS_BAR, TITLE_BAR, NAVIGATION = 90, 170, 130  # pixels
MAX_PAGES = 30
MAX_TYPED = 10_000  # characters of one text field
LONG_PRESS_MS = 500
_FRAME = "android.widget.FrameLayout"


class Ui:
    """One for each episode."""

    def __init__(self, phone: SandboxPhone) -> None:
        self.phone = phone
        self.stack: list[Page] = [Page("launcher")]
        self.focus = ""  # the text field that typing goes to
        self.cursor = 0
        self._recorded: str | None = None
        self._tapped = False  # the screen is no longer what the tables have in front
        self.follow()

    # --- where we are -----------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Shows what the tables have in front, if that has changed."""
        front = self.phone.setting("foreground_app")
        overlay = self.phone.setting("screen_overlay")
        if f"{front}\n{overlay}" == self._recorded:
            return
        self._recorded = f"{front}\n{overlay}"
        self.stack = [Page("launcher")]
        if front:
            self.stack.append(app_page(front))
        if overlay in ("recents", "power_menu"):
            self.stack.append(Page(overlay))
        self.focus, self._tapped = "", False

    @property
    def page(self) -> Page:
        """The page on top."""
        self.follow()
        return self.stack[-1]

    def open(self, page: Page) -> None:
        """Puts a page on top."""
        self.follow()
        self._tapped = True
        del self.stack[MAX_PAGES:]
        self.stack.append(page)
        self._focus_first()

    def _focus_first(self) -> None:
        self.focus = self.stack[-1].focus
        self.cursor = len(self.stack[-1].fields.get(self.focus, ""))

    def to(self, kind: str, about: str = "", **fields: str) -> Callable[[], None]:
        """What a tap does that opens a page."""
        return lambda: self.open(Page(kind, about, dict(fields)))

    def shows(self, app: str) -> Callable[[], None]:
        """What a tap on an app's icon does."""
        return lambda: self.start(app_page(app))

    def calls(self, tool: str, **arguments: Any) -> Callable[[], object]:
        """What a tap does that calls a tool."""
        return lambda: self.do(tool, **arguments)

    def close(self) -> None:
        """Takes the top page away; the launcher stays."""
        self.focus = ""
        if len(self.stack) > 1:
            self.stack.pop()

    def start(self, *pages: Page) -> None:
        """A task of its own over the launcher."""
        self.follow()
        self.stack = [Page("launcher"), *pages]
        self._tapped = True
        self._focus_first()

    def screen(self) -> Screen:
        """The page on top, built from the tables."""
        from qpa.envs.device.double.phone_pages import build

        return build(self, self.page)

    def lit(self) -> bool:
        """Whether the display is on."""
        return self.phone.setting("screen_power", "on") == "on"

    def do(self, tool: str, **arguments: Any) -> bool:
        """Calls a sandbox tool; a refusal opens a dialog that says why."""
        answer = self.phone.use(tool, **arguments)
        if not answer.ok:
            self.open(Page("notice", str(answer.payload.get("error", "Failed"))))
        return answer.ok

    def size(self) -> tuple[int, int]:
        """Width and height as the screen is turned now."""
        width, height = self.phone.extras.override or self.phone.profile.screen()
        return (height, width) if self.rotation() else (width, height)

    def rotation(self) -> int:
        """1 while the screen is locked in landscape."""
        turned = self.phone.setting("locked_orientation", "portrait") == "landscape"
        return int(turned and not self.phone.is_on("auto_rotate"))

    # --- the tree ---------------------------------------------------------------------------------------------------

    def tree(self) -> tuple[Screen, Node]:
        """The window and its root node, boxes in screen pixels; rows outside the visible part are left out."""
        screen = self.screen()
        width, height = self.size()
        scale = width / WIDTH
        top, bottom = STATUS_BAR + TITLE_BAR, max(STATUS_BAR + TITLE_BAR + 1, height - NAVIGATION)
        total = sum(item.height for item in screen.items)
        page = self.stack[-1]
        page.scroll = min(max(0, page.scroll), max(0, total - (bottom - top)))
        listed, at = [], top - page.scroll
        for item in screen.items:
            if at + item.height > top and at < bottom:
                listed.append(moved(item.node, 0, at, scale, (top, bottom)))
            at += item.height
        content = Node(LIST, rid="content_list", box=(0, top, width, bottom), children=listed)
        content.scrollable = total > bottom - top
        limits = (0, height)
        bar = [moved(node, 0, STATUS_BAR, scale, limits) for node in screen.bar]
        title = Node(TEXT, screen.title, "toolbar_title", box=(round(48 * scale), STATUS_BAR, round(700 * scale), top))
        head = Node(GROUP, rid="toolbar", box=(0, STATUS_BAR, width, top), children=[title, *bar])
        root = Node(_FRAME, box=(0, 0, width, height), children=[head, content])
        return screen, self._focused(root)

    def _focused(self, node: Node) -> Node:
        children = [self._focused(child) for child in node.children]
        return replace(node, children=children, selected=node.selected or bool(self.focus and node.edits == self.focus))

    def nodes(self) -> Iterator[Node]:
        """Every node on the screen, outermost first."""

        def walk(node: Node) -> Iterator[Node]:
            yield node
            for child in node.children:
                yield from walk(child)

        return walk(self.tree()[1])

    # --- touch ------------------------------------------------------------------------------------------------------

    def tap(self, x: int, y: int) -> None:
        """Does what the innermost node there does; on nothing it is nothing."""
        if not self.lit():
            return
        hit = [n for n in self.nodes() if n.clickable and n.box[0] <= x < n.box[2] and n.box[1] <= y < n.box[3]]
        if not hit:
            return
        node = hit[-1]
        if node.edits:
            self.focus, self.cursor = node.edits, len(self.page.fields.get(node.edits, ""))
        elif node.slide is not None:
            node.slide(min(1.0, max(0.0, (x - node.box[0]) / max(1, node.box[2] - node.box[0] - 1))))
        elif node.on is not None:
            node.on()

    def swipe(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Scrolls by the distance; down from the top edge opens the notifications, along a slider moves it."""
        if not self.lit():
            return
        (x0, y0), (x1, y1) = start, end
        if abs(x1 - x0) > abs(y1 - y0):
            slides = [n for n in self.nodes() if n.slide is not None and _holds(n, x0, y0)]
            if slides:
                self.tap(x1, (slides[-1].box[1] + slides[-1].box[3]) // 2)
        elif y0 < STATUS_BAR and y1 > y0:
            self.open(Page("notifications"))
        else:
            self.page.scroll += y0 - y1
            self.tree()  # keeps it within the page

    # --- keys -------------------------------------------------------------------------------------------------------

    def type(self, words: str) -> None:
        """Puts text into the focused field at the cursor; without a focused field it goes nowhere."""
        if not self.focus or not self.lit():
            return
        before = self.page.fields.get(self.focus, "")
        new = (before[: self.cursor] + words + before[self.cursor :])[:MAX_TYPED]
        self.page.fields[self.focus] = new
        self.cursor = min(self.cursor + len(words), len(new))

    def erase(self, forward: bool = False) -> None:
        """DEL takes the character before the cursor, FORWARD_DEL the one after it."""
        value = self.page.fields.get(self.focus, "") if self.focus else ""
        at = self.cursor + (1 if forward else 0)
        if self.focus and 0 < at <= len(value):
            self.page.fields[self.focus] = value[: at - 1] + value[at:]
            self.cursor = at - 1

    def back(self) -> None:
        """The BACK key."""
        page = self.page
        if not self.lit():
            return
        if self._tapped:
            from qpa.envs.device.double.phone_pages import leave

            leave(self, page)
            self.close()
        else:
            self.phone.use("press_system_button", button="back")

    def home(self) -> None:
        """The HOME key."""
        self.follow()
        if not self.lit():
            return
        if self._tapped:
            from qpa.envs.device.double.phone_pages import leave

            leave(self, self.page)
            self.start()
        else:
            self.phone.use("press_system_button", button="home")


def _holds(node: Node, x: int, y: int) -> bool:
    return node.box[0] <= x < node.box[2] and node.box[1] <= y < node.box[3]


_APP_PAGES = {
    "Settings": "settings", "Clock": "alarms", "Messages": "messages", "Notes": "notes", "Calendar": "calendar",
    "Phone": "dialer", "File Manager": "files",
}  # fmt: skip


def app_page(name: str) -> Page:
    """The first page of a sandbox app."""
    return Page(_APP_PAGES.get(name, "app"), name)


def window_of(screen: Screen) -> str:
    """package/activity, as the window manager names a window."""
    return f"{screen.package}/{screen.activity}"
