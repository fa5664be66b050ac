"""What a sub-agent reads in its order: clauses, quoted text and file names, in English and Chinese.

Also how it misreads it where the task's fault plan says so (`Fault.mode` of `qpa.contract.tasks`).
"""

from __future__ import annotations

import re

from qpa.contract import FaultMode
from qpa.envs.sandbox.context import ToolContext

KINDS = {
    "document": "pdf doc docx txt ppt pptx md",
    "spreadsheet": "xls xlsx csv",
    "image": "jpg jpeg png heic",
    "video": "mp4 mov",
    "audio": "mp3 wav",
    "archive": "zip",
}
KIND_OF = {extension: kind for kind, extensions in KINDS.items() for extension in extensions.split()}
_EXTENSIONS = "|".join(sorted(KIND_OF, key=len, reverse=True))
# Not `\b` at the end: Chinese goes on without a space.
FILE = rf"[\w()&-]+\.(?:{_EXTENSIONS})(?![A-Za-z0-9_])"
SEND, TELL = ("send", "post", "forward", "share"), ("text", "tell", "message", "reply")
DOWNLOAD, MOVE, DELETE = ("download", "save", "fetch"), ("move", "put"), ("delete", "remove")
VERBS = "|".join(SEND + TELL + DOWNLOAD + MOVE + DELETE)

_CLAUSE_RE = re.compile(
    rf"; ?|\. |,? (?:and )?then |,? and (?=(?:{VERBS}) )"
    r"|[；。] ?|，?(?:然后|接着|再)|，(?=请?(?:把|将|给|删|下载|保存|发))",
    re.IGNORECASE,
)
_QUOTE_RE = re.compile(r'["“]([^"”]*)["”]')
_MARK_RE = re.compile("\ue000([0-9]+)\ue001")
_FILE_LIST_RE = re.compile(rf"(\.(?:{_EXTENSIONS}))(?:和|、|以及|，)", re.IGNORECASE)
_INTO = r"(?:文件夹|目录)?(?:里面|里|中|下)?"
# How a Chinese clause says what the agent does; the first pattern that covers all of it counts.
_CHINESE = tuple(
    (re.compile(pattern), english)
    for pattern, english in (
        (rf"(?:把|将)?(?P<a>.+?)(?:移动|移|挪|放)(?:到|进|入)(?P<b>.+?){_INTO}", "move {a} to {b}"),
        (rf"(?:把|将)(?P<a>.+?)(?:下载|保存|存)(?:到|在|进)(?P<b>.+?){_INTO}", "download {a} to {b}"),
        (rf"(?:下载|保存)(?P<a>.+?)(?:到|在|进)(?P<b>.+?){_INTO}", "download {a} to {b}"),
        (r"(?:把|将)(?P<a>.+?)(?:删除|删掉|删了)", "delete {a}"),
        (r"(?:删除|删掉)(?P<a>.+)", "delete {a}"),
        (r"(?:把|将)(?P<a>.+?)(?:下载|保存)(?:下来)?", "download {a}"),
        (r"(?:下载|保存)(?P<a>.+)", "download {a}"),
        (r"(?:把|将|发送|发)(?P<a>.+?)(?:发送给|转发给|发给|给)(?P<b>.+)", "send {a} to {b}"),
        (r"给(?P<b>.+?)(?:发送|发)(?:消息|短信|信息)?[:：，]?(?P<a>.+)", "send {a} to {b}"),
    )
)


class Order:
    """An instruction as clauses. Quoted text is somebody's message: it is neither split nor read as an order."""

    def __init__(self, instruction: str) -> None:
        self._quotes: list[str] = []
        masked = _QUOTE_RE.sub(self._keep, instruction.replace("\ue000", "").replace("\ue001", ""))
        flat = "; ".join(" ".join(line.split()) for line in masked.splitlines())
        self.clauses = [clause.strip(" .，") for clause in _CLAUSE_RE.split(flat)]

    def plain(self, clause: str) -> str:
        """Text of a clause, or a part of one, with its quotes."""
        return _MARK_RE.sub(lambda match: self._quotes[int(match[1])], clause).strip()

    def first(self) -> str:
        """The first clause as it was written."""
        return _MARK_RE.sub(lambda match: f'"{self._quotes[int(match[1])]}"', self.clauses[0])

    def _keep(self, match: re.Match[str]) -> str:
        self._quotes.append(match[1])
        return f"\ue000{len(self._quotes) - 1}\ue001"


def in_english(clause: str) -> str:
    """A Chinese clause in the words that the agent acts on; any other as it is."""
    if clause.isascii():
        return clause
    text = _FILE_LIST_RE.sub(r"\1 and ", re.sub(r"^(?:请|麻烦)?(?:帮我|你)?", "", clause))
    for pattern, english in _CHINESE:
        if match := pattern.fullmatch(text):
            return english.format(**match.groupdict())
    return clause


def heard(ctx: ToolContext, order: str) -> str:
    """The order as the agent takes it: as given, only its first clause, or about another item."""
    if ctx.fault is FaultMode.PARTIAL:
        return Order(order).first()
    if ctx.fault is FaultMode.WRONG_ITEM:
        return _about_another(ctx, order)
    return order


def _about_another(ctx: ToolContext, order: str) -> str:
    """The first file named in place of another of its extension, else the first contact in place of the next one."""
    files = [row["name"] for row in ctx.rows("SELECT name FROM files ORDER BY name")]
    people = [row["name"] for row in ctx.rows("SELECT name FROM contacts ORDER BY name")]
    for names in (files, people):
        for name in names:
            found = re.search(re.escape(name), order, re.IGNORECASE)
            kin = [n for n in names if n != name and (names is people or _extension(n) == _extension(name))]
            if found and kin:
                other = next((n for n in kin if n > name), kin[0])
                return order[: found.start()] + other + order[found.end() :]
    return order


def _extension(name: str) -> str:
    return name.rpartition(".")[2].casefold()
