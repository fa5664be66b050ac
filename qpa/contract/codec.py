"""Strict encoding and decoding, JSON and MessagePack."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from qpa.contract.base import SCHEMA_VERSION, ContractError

T = TypeVar("T")


def to_json(value: Any) -> bytes:
    """JSON bytes of a contract value (UTF-8, stable field order)."""
    return msgspec.json.encode(value)


def to_msgpack(value: Any) -> bytes:
    """MessagePack bytes of a contract value."""
    return msgspec.msgpack.encode(value)


def from_json(data: bytes | str, type_: type[T]) -> T:
    """Strictly decodes JSON; raises `ContractError` naming the path, e.g. "... - at `$.task.goal`"."""
    try:
        value = msgspec.json.decode(data, type=type_)
    except msgspec.MsgspecError as e:
        raise ContractError(f"not a valid {_name(type_)}: {e}") from None
    except (UnicodeDecodeError, RecursionError) as e:
        raise ContractError(f"not a valid {_name(type_)}: {type(e).__name__}: {e}") from None
    return _check_version(value, type_)


def from_msgpack(data: bytes, type_: type[T]) -> T:
    """Strictly decodes MessagePack; raises `ContractError` naming the path."""
    try:
        value = msgspec.msgpack.decode(data, type=type_)
    except msgspec.MsgspecError as e:
        raise ContractError(f"not a valid {_name(type_)}: {e}") from None
    except (UnicodeDecodeError, RecursionError) as e:
        raise ContractError(f"not a valid {_name(type_)}: {type(e).__name__}: {e}") from None
    return _check_version(value, type_)


def _check_version(value: T, type_: type[T]) -> T:
    version = getattr(value, "schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        raise ContractError(
            f"{_name(type_)} has schema_version {version}, this code reads {SCHEMA_VERSION} - at `$.schema_version`"
        )
    return value


def _name(type_: Any) -> str:
    return getattr(type_, "__name__", str(type_))
