"""How a server is reached, what it may cost, and how far its word is taken."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import msgspec

from qpa.contract import ContractError, Effect, Record

_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
_PREFIX = re.compile(r"[A-Za-z0-9_-]{0,40}")


class McpLimits(Record):
    """Deadlines in seconds, sizes in characters or bytes.

    Attributes:
      connect_s: start or connection, negotiation, and the listing of all tools.
      call_s: one call. Keep it below the runtime's `call_timeout_s`: a server that hangs is the environment's failure.
      close_s: how long a server may take to end by itself before its process group is killed.
      message_bytes: largest message taken from a server; a larger one ends the connection.
      text_chars: longest text of a result, and of a description; the rest is cut, and said to be.
      data_chars: largest structured result, as JSON; a larger one is left out, and said to be.
      tools: most tools of one server.
    """

    connect_s: float = 15.0
    call_s: float = 25.0
    close_s: float = 2.0
    message_bytes: int = 4 * 2**20
    text_chars: int = 4000
    data_chars: int = 16_000
    tools: int = 500


class McpServer(Record):
    """One server: a command (arguments one by one; no shell) or a streamable HTTP URL.

    Attributes:
      env: variables for the command, over a short list that is inherited (PATH, HOME, LANG, ...).
      headers: sent with each HTTP request, e.g. authorization.
      prefix: put before its tools' names, so that they clash with no others.
      shared: why one connection may serve all sessions, e.g. "stateless". Empty: each session has its own.
      trust_annotations: take the server's hints (readOnlyHint, ...) for what its tools do. They are claims of the
        server; without trust every tool counts as one that changes things outside.
      effects: what single tools do, by the server's own names; over any annotation.
    """

    name: str
    command: list[str] = msgspec.field(default_factory=list)
    url: str = ""
    env: dict[str, str] = msgspec.field(default_factory=dict)
    cwd: str | None = None
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    prefix: str = ""
    shared: str = ""
    trust_annotations: bool = False
    effects: dict[str, Effect] = msgspec.field(default_factory=dict)
    limits: McpLimits = msgspec.field(default_factory=McpLimits)

    def check(self) -> None:
        """Raises `ContractError` naming the server and the field."""
        where = f"mcp server {self.name!r}"
        if not _NAME.fullmatch(self.name):
            raise ContractError(f"{where}: name must be 1 to 40 of A-Z a-z 0-9 _ -")
        if not _PREFIX.fullmatch(self.prefix):
            raise ContractError(f"{where}: prefix must be at most 40 of A-Z a-z 0-9 _ -")
        if bool(self.command) == bool(self.url):
            raise ContractError(f"{where}: give either command or url")
        if any(not isinstance(part, str) or "\x00" in part for part in self.command):
            raise ContractError(f"{where}: command must be a list of texts without NUL")
        if self.url and (urlsplit(self.url).scheme not in ("http", "https") or not urlsplit(self.url).hostname):
            raise ContractError(f"{where}: url must be http(s)://host...")
        if self.url and (self.env or self.cwd):
            raise ContractError(f"{where}: env and cwd are for a command")
        if self.command and self.headers:
            raise ContractError(f"{where}: headers are for a url")
