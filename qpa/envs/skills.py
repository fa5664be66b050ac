"""Reads skill packages: a folder with a `SKILL.md` of YAML front matter and a Markdown body (agentskills.io).

The standard knows six front matter fields; versions and tool lists live under `metadata`, so a package stays valid
for every other reader. Authors write these files by hand, so the parser is strict about what a field may hold and
tolerant about one thing only: an unquoted value with a colon, by far the most common mistake in published skills.
"""

from __future__ import annotations

import copy
import functools
import re
from pathlib import Path

import yaml

from qpa.contract import Skill

FILE_NAME = "SKILL.md"
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
MAX_LENGTHS = {"name": 64, "description": 1024, "compatibility": 500}  # characters, from the standard
BUILTIN_DIR = Path(__file__).parent / "sandbox" / "skills"

_YAML_ERRORS = (yaml.YAMLError, RecursionError)  # deep nesting overflows PyYAML's recursive composer
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_TOOL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_PLAIN_VALUE = re.compile(r"^(\s*[A-Za-z0-9_-]+:[ \t]+)([^\s\"'|>\[{&*!#].*?)[ \t]*$")


class SkillError(ValueError):
    """A skill package that cannot be used; the message names the file, the field and the reason."""

    def __init__(self, path: Path, field: str, reason: str):
        super().__init__(f"{path}: {field}: {reason}")
        self.path = path
        self.field = field


def load_skill(path: str | Path) -> Skill:
    """Reads one package from its folder or its `SKILL.md`.

    `Skill.metadata` keeps the remaining metadata, and `license`, `compatibility` and `allowed-tools` where given.

    Raises:
      SkillError: the file is missing or unreadable, or a field breaks the standard.
    """
    file = Path(path)
    if file.name != FILE_NAME:
        file = file / FILE_NAME
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as e:
        raise SkillError(file, "file", f"cannot be read: {e}") from None
    header, body = _split(file, text)
    fields = _parse_header(file, header)
    name, description = _checked_text(file, fields, "name"), _checked_text(file, fields, "description")
    _check_name(file, name)
    metadata = _checked_metadata(file, fields)
    version = metadata.pop("version", "1.0")
    tools = _checked_tools(file, metadata.pop("tools", ""))
    for key in ("license", "compatibility", "allowed-tools"):
        if key in fields:
            metadata[key] = _checked_text(file, fields, key)
    return Skill(name=name, description=description, instructions=body, tools=tools, version=version, metadata=metadata)


def load_skills(directory: str | Path, rejected: list[SkillError] | None = None) -> list[Skill]:
    """Reads every package directly under `directory`, ordered by name; folders without a `SKILL.md` are no packages.

    Args:
      directory: the folder that holds the packages.
      rejected: where given, broken packages are appended here and the others are still returned.

    Raises:
      SkillError: the folder is missing, or a package is broken and `rejected` is not given.
    """
    root = Path(directory)
    if not root.is_dir():
        raise SkillError(root, "directory", "does not exist or is not a directory")
    skills = []
    for folder in sorted(root.iterdir()):
        if not (folder / FILE_NAME).is_file():
            continue
        try:
            skills.append(load_skill(folder))
        except SkillError as e:
            if rejected is None:
                raise
            rejected.append(e)
    return skills


def builtin_skills() -> list[Skill]:
    """The packages that ship with the sandbox, ordered by name; copies, so that a caller may edit its own."""
    return copy.deepcopy(_builtin())


@functools.cache
def _builtin() -> list[Skill]:
    return load_skills(BUILTIN_DIR)


def _split(file: Path, text: str) -> tuple[str, str]:
    # Only a line that is nothing but dashes delimits: "description: dash --- inside" must not end the header.
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        raise SkillError(file, "front matter", "the first line must be '---'")
    for i, line in enumerate(lines[1:], start=1):
        if line.rstrip() == "---":
            return "\n".join(lines[1:i]), "\n".join(lines[i + 1 :]).strip()
    raise SkillError(file, "front matter", "no closing '---' line")


def _parse_header(file: Path, header: str) -> dict[str, object]:
    try:
        fields = _load_yaml(header)
    except _YAML_ERRORS as first:
        try:
            fields = _load_yaml(_quote_colons(header))
        except _YAML_ERRORS:
            raise SkillError(file, "front matter", f"is not valid YAML: {_one_line(first)}") from None
    if not isinstance(fields, dict):
        raise SkillError(file, "front matter", "must be a mapping of fields to values")
    for key in fields:
        if key not in FIELDS:
            raise SkillError(file, str(key), f"unknown field, use one of {', '.join(FIELDS)} (versions: metadata)")
    return fields


def _load_yaml(text: str) -> object:
    # BaseLoader leaves every scalar a string, so `version: 1.0` and `name: on` mean what the author wrote.
    return yaml.load(text, Loader=yaml.BaseLoader)


def _quote_colons(header: str) -> str:
    lines = []
    for line in header.split("\n"):
        match = _PLAIN_VALUE.match(line)
        if match and ":" in match[2]:
            escaped = match[2].replace("\\", "\\\\").replace('"', '\\"')
            line = f'{match[1]}"{escaped}"'
        lines.append(line)
    return "\n".join(lines)


def _checked_text(file: Path, fields: dict[str, object], key: str) -> str:
    value = fields.get(key)
    if value is None:
        raise SkillError(file, key, "is required")
    if not isinstance(value, str):
        raise SkillError(file, key, f"must be text, got a {type(value).__name__}")
    value = value.strip()
    if not value:
        raise SkillError(file, key, "must not be empty")
    limit = MAX_LENGTHS.get(key)
    if limit and len(value) > limit:
        raise SkillError(file, key, f"has {len(value)} characters, at most {limit} are allowed")
    return value


def _check_name(file: Path, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise SkillError(file, "name", f"{name!r} must be lowercase letters, digits and single hyphens between them")
    folder = file.resolve().parent.name
    if name != folder:
        raise SkillError(file, "name", f"{name!r} must equal its directory name {folder!r}")


def _checked_metadata(file: Path, fields: dict[str, object]) -> dict[str, str]:
    value = fields.get("metadata", {})
    if not isinstance(value, dict):
        raise SkillError(file, "metadata", "must be a mapping of keys to text")
    for key, item in value.items():
        if not isinstance(key, str) or not isinstance(item, str):
            raise SkillError(file, f"metadata.{key}", "must be text")
    return dict(value)


def _checked_tools(file: Path, listed: str) -> list[str]:
    tools = listed.split()
    for i, tool in enumerate(tools):
        if not _TOOL_NAME.fullmatch(tool):
            raise SkillError(file, "metadata.tools", f"{tool!r} is not a tool name; separate names by spaces")
        if tool in tools[:i]:
            raise SkillError(file, "metadata.tools", f"lists {tool!r} twice")
    return tools


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
