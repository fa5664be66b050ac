"""What every launch script shares: flags without surprises, and one clear line instead of a wall of traceback."""

from __future__ import annotations

import dataclasses
import difflib
import errno
import logging
import os
import re
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from absl import app, flags
from ml_collections import config_flags

from qpa import config

ROOT = Path(__file__).resolve().parents[1]
TINY = str(ROOT / "launch" / "configs" / "tiny.py")
INTERRUPTED = 130  # 128 + SIGINT, what a shell reports
_OURS = tuple(f"{ROOT / room}{os.sep}" for room in ("qpa", "launch"))
_OVERRIDE = re.compile(r"--?(?:no)?config\.([\w.]+)")
_FULL = (errno.ENOSPC, errno.EDQUOT)


class UsageError(ValueError):
    """The command line asks for something that does not exist; the message names what does."""


def run(main: Callable[[], int | None]) -> NoReturn:
    """Parses the flags, calls `main()` and exits: 0 or its return value, 1 after a known error, 130 after Ctrl-C."""

    def guarded(argv: Sequence[str]) -> int:
        # Libraries log through `logging`; only what a person should act on is shown.
        logging.getLogger().setLevel(logging.WARNING)
        logging.getLogger("absl").setLevel(logging.ERROR)  # storage libraries warn their developers there
        try:
            if len(argv) > 1:
                raise UsageError(f"unexpected argument {argv[1]!r}: options are written --name=value")
            return main() or 0
        except BaseException as e:
            return report(e)

    app.run(guarded, flags_parser=_parse)
    raise AssertionError("app.run never returns")


def report(error: BaseException) -> int:
    """Prints a known error as one line on stderr and returns the exit code; anything else is raised again."""
    error = _single(error)
    if isinstance(error, KeyboardInterrupt):
        print("\nstopped: what is done is kept; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
    line = describe(error)
    if line is None:
        raise error
    print(f"error: {line}", file=sys.stderr)
    return 1


def describe(error: BaseException) -> str | None:
    """One line for an error that is not a bug of ours, else None.

    Known are the project's own exceptions, values refused by the project's own checks, and what the operating system
    refuses. An error from inside a library is a bug until proven otherwise and keeps its traceback.
    """
    ours = type(error).__module__.partition(".")[0] in ("qpa", "launch", "__main__")
    line = " ".join(f"{error}".split()) or type(error).__name__
    if getattr(error, "errno", None) in _FULL or "No space left on device" in line:
        filename = getattr(error, "filename", None)
        where = f" while writing {filename}" if filename else f" ({line})" if ours else ""
        return f"no space left on the device{where}: free some and start the same command again, nothing done is lost"
    if isinstance(error, OSError) and error.strerror and not isinstance(error, ConnectionError):
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    refused = isinstance(error, (ValueError, RuntimeError, OSError)) and _raised_by_us(error)
    return line if ours or refused else None


def _single(error: BaseException) -> BaseException:
    """The one error inside groups of one: concurrent episodes wrap what they raise."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error


def _raised_by_us(error: BaseException) -> bool:
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and frames[-1].filename.startswith(_OURS)


# --- flags ---------------------------------------------------------------------------------------------------------

flags.disclaim_key_flags()  # a flag defined here belongs to the script, so its --help shows it


def config_flag(default: str = TINY) -> flags.FlagHolder:
    """Defines --config; overrides are --config.some.key=value, and a key that does not exist ends the program."""
    try:
        _check_overrides(sys.argv, default)
        return config_flags.DEFINE_config_file(
            "config", default, "config file; --config.KEY=VALUE overrides one field, e.g. --config.rl.steps=20"
        )
    except (UsageError, flags.Error) as e:
        print(f"error: {e}", file=sys.stderr)
        raise SystemExit(2) from None


def _parse(argv: Sequence[str]) -> list[str]:
    """absl's parser with errors of one line: what is wrong, and the nearest thing that exists."""
    try:
        return flags.FLAGS(list(argv))
    except flags.UnrecognizedFlagError as e:
        near = nearest(e.flagname, list(flags.FLAGS))
        print(f"error: unknown flag --{e.flagname}{near and f': did you mean --{near}?'}", file=sys.stderr)
    except flags.Error as e:
        print(f"error: {' '.join(str(e).split())}", file=sys.stderr)
    raise SystemExit(2)


def _check_overrides(argv: Sequence[str], default: str) -> None:
    """Every --config.some.key must name a field, before the flag library meets it with a stack trace."""
    known = list(_keys(load_config(_config_path(argv, default))))
    for arg in argv[1:]:
        if (match := _OVERRIDE.match(arg)) and match[1] not in known:
            near = nearest(match[1], known)
            raise UsageError(f"config has no key {match[1]!r}" + (f": did you mean config.{near}?" if near else ""))


def _config_path(argv: Sequence[str], path: str) -> str:
    for arg, following in zip(argv, [*argv[1:], ""]):
        if match := re.fullmatch(r"--?config(?:=(.*))?", arg):
            path = match[1] if match[1] is not None else following
    return path


def load_config(path: str) -> Any:
    """`get_config()` of a config file. Raises `UsageError` when there is none."""
    if not Path(path).is_file():
        have = ", ".join(f"launch/configs/{p.name}" for p in sorted((ROOT / "launch/configs").glob("[a-z]*.py")))
        raise UsageError(f"--config={path}: no such file; the project has {have}")
    get_config = runpy.run_path(path).get("get_config")
    if get_config is None:
        raise UsageError(f"--config={path}: it has no get_config()")
    try:
        return get_config()
    except AttributeError as e:
        found = re.fullmatch(r"'(\w+)' object has no attribute '(\w+)'", str(e))
        kind = getattr(config, found[1], None) if found else None
        if found is None or kind is None:
            raise
        near = nearest(found[2], [f.name for f in dataclasses.fields(kind)])
        raise UsageError(
            f"--config={path}: {found[1]} has no field {found[2]!r}" + (near and f": did you mean {near}?")
        ) from None


def _keys(tree: Any, prefix: str = "") -> Iterator[str]:
    for field in dataclasses.fields(tree):
        value = getattr(tree, field.name)
        yield prefix + field.name
        if dataclasses.is_dataclass(value):
            yield from _keys(value, f"{prefix}{field.name}.")


def nearest(name: str, known: Sequence[str]) -> str:
    """The known name most like `name`; for a dotted one, a slip in the last part is looked for first."""
    head, _, last = name.rpartition(".")
    siblings = {k.rpartition(".")[2]: k for k in known if k.rpartition(".")[0] == head}
    for choices, word in ((siblings, last), ({k: k for k in known}, name)):
        if found := difflib.get_close_matches(word, list(choices), n=1, cutoff=0.5):
            return choices[found[0]]
    return next((k for k in known if k.rpartition(".")[2] == last), "")
