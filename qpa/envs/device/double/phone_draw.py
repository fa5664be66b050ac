"""The double's screen as a picture: boxes and readable text of the same nodes that the tree shows."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from qpa.contract import EnvFailure
from qpa.envs.device.double.phone_profile import has
from qpa.envs.device.double.phone_widgets import BUTTON, EDIT, SEEK, SWITCH, Node

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

_BLACK, _WHITE, _GREY, _BLUE = (0, 0, 0), (255, 255, 255), (150, 150, 150), (26, 115, 232)
_TEXT_SIZE = 44  # pixels
_FONTS: dict[int, Any] = {}


def picture(phone: SandboxPhone, png: bool) -> bytes:
    """PNG, or the raw form of `screencap`: width, height, format 1 and colour space as 32-bit words, then RGBA.

    Raises `EnvFailure` without Pillow. A window that forbids capturing is black from Android 12.
    """
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise EnvFailure("the double's screencap needs Pillow: pip install 'qpa[device]'") from None
    size = phone.ui.size()
    dark = phone.is_on("dark_mode")
    back, ink = (_BLACK, _WHITE) if dark else (_WHITE, _BLACK)
    image = Image.new("RGB", size, _BLACK if _hidden(phone) else back)
    if not _hidden(phone):
        if _TEXT_SIZE not in _FONTS:
            _FONTS[_TEXT_SIZE] = ImageFont.load_default(_TEXT_SIZE)
        draw = ImageDraw.Draw(image)
        draw.text((40, 20), f"{phone.now:%H:%M}", fill=_GREY, font=_FONTS[_TEXT_SIZE])
        for node in phone.ui.nodes():
            _draw(draw, node, ink, _FONTS[_TEXT_SIZE])
    if png:
        stream = io.BytesIO()
        image.save(stream, "PNG", compress_level=1)
        return stream.getvalue()
    words = [*size, 1] + ([1] if has(phone.api, "long_display_ids") else [])
    return b"".join(word.to_bytes(4, "little") for word in words) + image.convert("RGBA").tobytes()


def _hidden(phone: SandboxPhone) -> bool:
    """The display is off, or the app in front forbids capturing its window."""
    if not phone.ui.lit():
        return True
    if not has(phone.api, "secure_black"):
        return False
    page = phone.ui.page
    sql = "SELECT 1 AS x FROM visible_contents WHERE source = ? AND protected = 1"
    return page.kind == "app" and bool(phone.rows(sql, page.about))


def _draw(draw: Any, node: Node, ink: tuple[int, int, int], font: Any) -> None:
    left, top, right, bottom = node.box
    if right - left < 2 or bottom - top < 2:
        return
    if node.cls == SWITCH:
        draw.rounded_rectangle(
            (left, top, right - 1, bottom - 1), (bottom - top) // 2, fill=_BLUE if node.checked else _GREY
        )
        middle = right - (bottom - top) // 2 if node.checked else left + (bottom - top) // 2
        radius = (bottom - top) // 2 - 6
        draw.ellipse((middle - radius, top + 6, middle + radius, bottom - 6), fill=_WHITE)
        return
    if node.cls in (EDIT, BUTTON):
        draw.rectangle((left, top, right - 1, bottom - 1), outline=_BLUE if node.selected else _GREY, width=3)
    if node.cls == SEEK:
        share = float(node.text or 0) / 100
        middle = (top + bottom) // 2
        draw.rectangle((left, middle - 4, right - 1, middle + 4), fill=_GREY)
        draw.rectangle((left, middle - 8, left + round((right - left) * share), middle + 8), fill=_BLUE)
        return
    shown = node.text or (node.desc if not node.children else "")
    for number, line in enumerate(shown.splitlines()[:20]):
        draw.text((left + 12, top + 12 + 52 * number), line[:60], fill=ink, font=font)
