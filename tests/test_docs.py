"""README and docs say nothing that the tree does not have: links, paths, names, flags, and snippets that run.

Conventions of the pages: a block ```python runnable is executed, and a ```text block right after it is its output.
In prose a code span with a slash is a path of the tree (`path::test_name` also names a function in it), and one that
starts with `qpa.` or `launch.` is a module or a name in one. What a run makes is written as `runs/...`.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from launch import cli

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SPAN = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"\.?[\w\-.]+(/[\w\-.]+)+/?(::\w+)?|\.?[\w\-.]+/")
DOTTED = re.compile(r"(qpa|launch)(\.\w+)+")
COMMAND = re.compile(r"python -m launch\.(\w+)((?:[ \t]+(?:\\\n[ \t]*)?[^\s|`#]+)*)")
TARGET = re.compile(r"(?:^|`)make ([a-z]+)\b", re.M)

# Runs every block in a namespace of its own and reports what each one printed or how it failed.
DRIVER = """
import contextlib, io, json, sys, traceback
results = []
for source in json.load(sys.stdin):
    out, failed = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(source, "<block>", "exec"), {"__name__": "block"})
    except BaseException:
        failed = traceback.format_exc()
    results.append([out.getvalue(), failed])
json.dump(results, sys.stdout)
"""


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _prose(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def _spans() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for text in SPAN.findall(_prose(page)):
            yield _name(page), text


def _blocks() -> list[tuple[str, str, str | None]]:
    """(where, source, wanted output or None) of every runnable block."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        fences = list(FENCE.finditer(text))
        for fence, following in zip(fences, [*fences[1:], None]):
            if fence[1] != "python runnable":
                continue
            adjacent = following and following[1] == "text" and not text[fence.end() : following.start()].strip()
            line = text.count("\n", 0, fence.start()) + 1
            found.append((f"{_name(page)}:{line}", fence[2], following[2] if adjacent else None))
    return found


BLOCKS = _blocks()


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory) -> list[tuple[str, str]]:
    """What the blocks printed and how they failed; one process, since most of their time is imports."""
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps([source for _, source, _ in BLOCKS]),
        capture_output=True,
        text=True,
        cwd=tmp_path_factory.mktemp("snippets"),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_front_page_and_the_pages_it_promises_exist():
    assert len(PAGES) > 8
    assert "docs/method.md" in LINK.findall(PAGES[0].read_text(encoding="utf-8"))
    assert any(where.startswith("README.md") for where, _, _ in BLOCKS)


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_relative_link_leads_somewhere(page):
    links = [link.partition("#")[0] for link in LINK.findall(_prose(page)) if "://" not in link]
    missing = [link for link in links if link and not (page.parent / link).exists()]
    assert not missing


def test_every_path_in_a_code_span_exists():
    missing = []
    for page, text in _spans():
        if not PATH.fullmatch(text) or text.startswith("runs/"):
            continue
        path, _, function = text.partition("::")
        file = ROOT / path
        defined = re.compile(rf"^(async )?def {function}\(", re.M)
        if not file.exists() or (function and not defined.search(file.read_text(encoding="utf-8"))):
            missing.append(f"{page}: {text}")
    assert not missing


def test_every_module_and_name_in_a_code_span_exists():
    missing = []
    for page, text in _spans():
        if (match := DOTTED.match(text)) and not _known(match[0].split(".")):
            missing.append(f"{page}: {text}")
    assert not missing


def _known(parts: list[str]) -> bool:
    """A module, or a name that its source mentions."""
    path = ROOT
    for depth, part in enumerate(parts):
        if (path / f"{part}.py").is_file():  # before a folder of that name: data lies beside its module
            rest = parts[depth + 1 :]
            source = (path / f"{part}.py").read_text(encoding="utf-8")
            return not rest or re.search(rf"\b{rest[0]}\b", source) is not None
        if not (path / part).is_dir():
            return re.search(rf"\b{part}\b", (path / "__init__.py").read_text(encoding="utf-8")) is not None
        path /= part
    return True


@pytest.mark.parametrize("at", range(len(BLOCKS)), ids=[where for where, _, _ in BLOCKS])
def test_every_runnable_block_runs_and_prints_what_the_page_shows(at, outcomes):
    _, _, wanted = BLOCKS[at]
    printed, failed = outcomes[at]
    assert not failed, failed
    if wanted is not None:
        assert printed == wanted


def _commands() -> list[tuple[str, str, list[str]]]:
    """(page, script, arguments) of every launch command on the pages."""
    return [
        (_name(page), script, rest.replace("\\\n", " ").split())
        for page in PAGES
        for script, rest in COMMAND.findall(page.read_text(encoding="utf-8"))
    ]


@functools.cache
def _flags(script: str) -> set[str]:
    command = [sys.executable, "-m", f"launch.{script}", "--helpfull"]
    text = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False).stdout
    return set(re.findall(r"^\s+(?:-\S,)?--(?:\[no\])?(\w+):", text, re.M))


def _config_keys(config: object, prefix: str = "config") -> Iterator[str]:
    for field in dataclasses.fields(config):  # type: ignore[arg-type]
        yield f"{prefix}.{field.name}"
        value = getattr(config, field.name)
        if dataclasses.is_dataclass(value):
            yield from _config_keys(value, f"{prefix}.{field.name}")


def test_every_flag_of_a_command_exists():
    commands, keys = _commands(), set(_config_keys(cli.load_config(cli.TINY)))
    assert len(commands) > 10
    wrong = []
    for page, script, arguments in commands:
        assert (ROOT / "launch" / f"{script}.py").is_file(), f"{page}: launch.{script}"
        for argument in arguments:
            name, _, value = argument.removeprefix("--").strip("[]-").partition("=")
            if not argument.startswith(("--", "[--")):
                wrong.append(f"{page}: {script} {argument}")
            elif name == "config" and value:
                wrong += [] if (ROOT / value).is_file() else [f"{page}: {value}"]
            elif name.startswith("config."):
                wrong += [] if name in keys else [f"{page}: --{name}"]
            elif name not in _flags(script):
                wrong.append(f"{page}: {script} --{name}")
    assert not wrong


def test_every_flag_named_in_prose_exists_somewhere():
    known = set().union(*(_flags(script) for _, script, _ in _commands()))
    named = [(page, match[1]) for page, text in _spans() if (match := re.match(r"--(\w+)(?:=|$)", text))]
    assert len(named) > 5
    assert not [f"{page}: --{name}" for page, name in named if name not in known]


def test_every_config_key_and_make_target_exists():
    keys = set(_config_keys(cli.load_config(cli.TINY)))
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    named = [(page, text) for page, text in _spans() if re.fullmatch(r"config(\.\w+)+", text) and text != "config.json"]
    wrong = [f"{page}: {text}" for page, text in named if text not in keys]
    for page in PAGES:
        called = TARGET.findall(page.read_text(encoding="utf-8"))
        wrong += [f"{_name(page)}: make {target}" for target in called if target not in targets]
    assert not wrong
