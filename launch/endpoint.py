"""--model=openai:http://host:port/v1#model: which endpoint, which model, which request fields."""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import urlsplit

from launch.cli import UsageError
from qpa.harness.remote import FIXED_FIELDS, RemoteModel, list_models

PREFIX = "openai:"
KEY = "OPENAI_API_KEY"


def remote_player(name: str, fields: str | None) -> tuple[RemoteModel, str]:
    """The planner behind an endpoint and its identity: URL, model and request fields.

    Raises `UsageError` for a malformed name, `ModelFailure` when the endpoint cannot say which model it has.
    """
    url, model = _parse(name)
    extra = request_fields(fields)
    key = os.environ.get(KEY, "")
    if not model:
        served = list_models(url, key)
        if len(served) != 1:
            shown = ", ".join(served[:12]) + (" ..." if len(served) > 12 else "")
            raise UsageError(f"--model={name}: add #MODEL; {url} serves {shown or 'no model'}")
        model = served[0]
    player = RemoteModel(url, model, api_key=key, fields=extra)
    return player, player.name + (f" {json.dumps(extra, sort_keys=True, ensure_ascii=False)}" if extra else "")


def request_fields(text: str | None) -> dict[str, Any]:
    """The fields of --request_fields. Raises `UsageError` unless it is a JSON object that leaves the rest alone."""
    if text is None:
        return {}
    try:
        fields = json.loads(text)
    except ValueError as e:
        raise UsageError(f"--request_fields: not JSON: {e}") from None
    if not isinstance(fields, dict):
        raise UsageError('--request_fields: use a JSON object, e.g. \'{"reasoning_effort": "low"}\'')
    if fixed := [field for field in FIXED_FIELDS if field in fields]:
        raise UsageError(f"--request_fields: {', '.join(fixed)} cannot be set")
    return fields


def _parse(name: str) -> tuple[str, str]:
    address = name.removeprefix(PREFIX)
    url, _, model = address.partition("#")
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise UsageError(f"--model={name}: use {PREFIX}http://HOST:PORT/v1#MODEL")
    if parts.username is not None or parts.query:
        raise UsageError(f"--model: {PREFIX}URL#MODEL takes no user and no query; the key goes into {KEY}")
    return url.rstrip("/"), model
