"""Who may call: bearer tokens, compared in constant time; no browser, whatever it carries."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import re
import secrets
import stat
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from qpa.contract import FailureCause
from qpa.envs.server_messages import CODECS, JSON, Refusal
from qpa.envs.server_metrics import Metrics

TOKEN_VARIABLE = "QPA_ENV_TOKEN"
OPEN_PATHS = frozenset({"/health", "/openenv/health"})  # say nothing that a port scan does not
BASIC_PREFIX = "/openenv/"  # OpenEnv's client sends no header of ours, but the user and password of its URL
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{22,256}")  # 22 characters of 6 bits are 128 bits
_DISTINCT = 8  # characters of a token; fewer are a pattern, not chance

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Tokens:
    """Owners by token; only digests are kept."""

    def __init__(self, tokens: Mapping[str, str]) -> None:
        """`tokens` by owner. Raises ValueError for none, a weak one, or one that two owners share."""
        if not tokens:
            raise ValueError("no token: nobody could call")
        for owner, token in tokens.items():
            check_token(token, f"the token of {owner}")
        self._digests = [(owner, _digest(token)) for owner, token in tokens.items()]
        if len({digest for _, digest in self._digests}) < len(self._digests):
            raise ValueError("two owners have the same token")

    def owner(self, presented: str) -> str | None:
        """Whose token this is, in a time that does not depend on how much of it is right."""
        digest, found = _digest(presented), None
        for owner, known in self._digests:
            if hmac.compare_digest(digest, known):
                found = owner
        return found


def check_token(token: str, where: str) -> str:
    """The token. Raises ValueError, which does not quote it, for fewer than 128 bits or other characters."""
    if not _TOKEN.fullmatch(token) or len(set(token)) < _DISTINCT:
        raise ValueError(f"{where}: want 22 to 256 random characters of A-Z a-z 0-9 . _ ~ + / = -")
    return token


def new_token() -> str:
    """A fresh token of 256 bits."""
    return secrets.token_urlsafe(32)


def read_tokens(path: str | os.PathLike[str]) -> dict[str, str]:
    """Tokens by owner from a file with one `TOKEN` or `OWNER TOKEN` per line; a line alone is owner "default".

    Raises:
      ValueError: naming the line, for a weak or doubled entry, or a file that everyone may read.
      OSError: there is no such file.
    """
    file = Path(path)
    if stat.S_IMODE(file.stat().st_mode) & stat.S_IROTH:
        raise ValueError(f"{file}: everyone on this host may read it; chmod 600 it")
    tokens: dict[str, str] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        words = line.split()
        if not words:
            continue
        owner, token = ("default", *words) if len(words) == 1 else (words[0], " ".join(words[1:]))
        if owner in tokens:
            raise ValueError(f"{file}:{number}: owner {owner} has a token already")
        tokens[owner] = check_token(token, f"{file}:{number}")
    if not tokens:
        raise ValueError(f"{file}: no token in it")
    return tokens


def write_token(path: str | os.PathLike[str]) -> str:
    """Makes a token file that only its user may read. Raises FileExistsError for one that is there."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    token = new_token()
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(token + "\n")
    return token


def find_token(path: str | os.PathLike[str] | None = None) -> str:
    """A caller's token: the first of the file, or the environment variable's. Raises ValueError if there is none."""
    if path is not None:
        return next(iter(read_tokens(path).values()))
    if token := os.environ.get(TOKEN_VARIABLE):
        return check_token(token, TOKEN_VARIABLE)
    raise ValueError(f"no token: name its file, or set {TOKEN_VARIABLE}")


class Guard:
    """ASGI middleware: lets known owners in (`scope["owner"]`) and answers everyone else with the typed error body."""

    def __init__(self, app: App, tokens: Tokens, metrics: Metrics) -> None:
        self._app, self._tokens, self._metrics = app, tokens, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        try:
            scope["owner"] = self._admit(scope)
        except Refusal as e:
            self._metrics.refuse(e.what)
            return await refuse(scope, send, e)
        await self._app(scope, receive, send)

    def _admit(self, scope: Scope) -> str:
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if any(name == b"origin" for name, _ in scope["headers"]):
            raise Refusal("browsers are not served", FailureCause.REQUEST, "origin", status=403)
        if scope["path"] in OPEN_PATHS:
            return ""
        owner = None
        if len(given) == 1:
            token = _presented(given[0].decode("latin-1"), basic=scope["path"].startswith(BASIC_PREFIX))
            owner = self._tokens.owner(token)
        if owner is None:
            text = "missing or unknown token: send Authorization: Bearer TOKEN"
            raise Refusal(text, FailureCause.REQUEST, "authorization", status=401)
        return owner


async def refuse(scope: Scope, send: Send, failure: Refusal) -> None:
    """Sends the typed error body, also as the answer to a WebSocket handshake."""
    kind = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
    if kind != "http.response" and kind not in scope.get("extensions", {}):
        return await send({"type": "websocket.close", "code": 1008, "reason": failure.what})
    headers = [(b"content-type", JSON.encode())]
    if failure.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": f"{kind}.start", "status": failure.status, "headers": headers})
    await send({"type": f"{kind}.body", "body": CODECS[JSON].encode(failure.body())})


def _presented(header: str, *, basic: bool) -> str:
    scheme, _, value = header.partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if basic and scheme.lower() == "basic":
        try:
            return base64.b64decode(value.strip(), validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return ""
    return ""


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
