"""Skill packages: the standard's fields, the tolerant retry, and errors that name file and field."""

import json
from pathlib import Path

import pytest

from qpa.envs.skills import BUILTIN_DIR, SkillError, builtin_skills, load_skill, load_skills

NAMES = [
    "accessibility",
    "ai-content-personal-assistant",
    "alarms-timers",
    "apps-lifecycle",
    "apps-permissions-notices",
    "apps-storage-files",
    "bluetooth-nfc",
    "browser-reference",
    "calculation-conversion",
    "calendar-todos",
    "camera-record-screenshot",
    "clock-settings",
    "conflict-order-arbiter",
    "contacts-calls",
    "customer-crm",
    "devices-sharing",
    "display-screen-comfort",
    "documents-records",
    "emergency-safety",
    "focus-sound-notifications",
    "gallery-photos",
    "gestures-screen-control",
    "health-fitness",
    "home-screen",
    "language-input",
    "messages-mail",
    "mobile-network",
    "music-audio",
    "password-vault",
    "phone-migration-find",
    "power-performance-battery",
    "privacy-call-protection",
    "privacy-security-auth",
    "routines-automation",
    "screen-assistant",
    "shopping-orders",
    "smart-home",
    "system-maintenance",
    "travel-weather-navigation",
    "user-memory",
    "video-shows",
    "wallet-payments",
    "wifi-hotspot",
]


def write(root: Path, text: str, name: str = "my-skill", encoding: str = "utf-8") -> Path:
    folder = root / name
    folder.mkdir()
    (folder / "SKILL.md").write_bytes(text.encode(encoding))
    return folder


def test_all_fields_are_read(tmp_path):
    folder = write(
        tmp_path,
        "---\nname: my-skill\ndescription: Does a thing.\nlicense: MIT\ncompatibility: any phone\n"
        "allowed-tools: Read\nmetadata:\n  version: 1.10\n  tools: manage_wifi  query_data_usage\n  owner: team\n---\n"
        "\n## Rules\n- a\n\n---\n\n- b\n",
    )
    for path in (folder, folder / "SKILL.md", str(folder)):
        skill = load_skill(path)
        assert (skill.name, skill.description, skill.version) == ("my-skill", "Does a thing.", "1.10")
        assert skill.tools == ["manage_wifi", "query_data_usage"]
        assert skill.instructions == "## Rules\n- a\n\n---\n\n- b"
        assert skill.metadata == {
            "owner": "team",
            "license": "MIT",
            "compatibility": "any phone",
            "allowed-tools": "Read",
        }


def test_dashes_inside_a_value_do_not_end_the_header(tmp_path):
    skill = load_skill(write(tmp_path, "---\nname: my-skill\ndescription: dash --- inside\n---\nbody\n"))
    assert skill.description == "dash --- inside"
    assert skill.instructions == "body"


@pytest.mark.parametrize(
    "written, read",
    [
        ("Use when: the user travels", "Use when: the user travels"),
        ('Say "hi": then wait', 'Say "hi": then wait'),
        ("Path C:\\x: done", "Path C:\\x: done"),
        ('"Quoted: already"', "Quoted: already"),
        ("时间: 规划", "时间: 规划"),
    ],
)
def test_a_colon_in_a_description_is_tolerated(tmp_path, written, read):
    skill = load_skill(
        write(tmp_path, f"---\nname: my-skill\ndescription: {written}\nmetadata:\n  tools: a b\n---\nx\n")
    )
    assert skill.description == read
    assert skill.tools == ["a", "b"]


def test_byte_order_mark_and_windows_line_ends(tmp_path):
    skill = load_skill(write(tmp_path, "---\r\nname: my-skill\r\ndescription: d\r\n---\r\nx\r\n", encoding="utf-8-sig"))
    assert (skill.description, skill.instructions) == ("d", "x")


@pytest.mark.parametrize(
    "header, field",
    [
        ("description: d", "name"),
        ("name: my-skill", "description"),
        ("name: my-skill\ndescription: ''", "description"),
        ("name: my-skill\ndescription: [a, b]", "description"),
        ("name: other\ndescription: d", "name"),
        ("name: My-Skill\ndescription: d", "name"),
        ("name: my--skill\ndescription: d", "name"),
        (f"name: {'a' * 65}\ndescription: d", "name"),
        (f"name: my-skill\ndescription: {'a' * 1025}", "description"),
        (f"name: my-skill\ndescription: d\ncompatibility: {'a' * 501}", "compatibility"),
        ("name: my-skill\ndescription: d\nversion: 1", "version"),
        ("name: my-skill\ndescription: d\nmetadata: text", "metadata"),
        ("name: my-skill\ndescription: d\nmetadata:\n  tools: [a, b]", "metadata.tools"),
        ("name: my-skill\ndescription: d\nmetadata:\n  tools: a, b", "metadata.tools"),
        ("name: my-skill\ndescription: d\nmetadata:\n  tools: a a", "metadata.tools"),
        ("- a list", "front matter"),
        ("name: [broken", "front matter"),
        ("name: " + "[" * 600, "front matter"),
    ],
)
def test_errors_name_file_and_field(tmp_path, header, field):
    folder = write(tmp_path, f"---\n{header}\n---\nbody\n")
    with pytest.raises(SkillError) as e:
        load_skill(folder)
    assert e.value.field == field
    assert str(e.value).startswith(f"{folder / 'SKILL.md'}: {field}: ")
    assert "\n" not in str(e.value)


def test_limits_are_inclusive(tmp_path):
    skill = load_skill(write(tmp_path, f"---\nname: {'a' * 64}\ndescription: {'b' * 1024}\n---\n", name="a" * 64))
    assert (len(skill.name), len(skill.description), skill.instructions) == (64, 1024, "")


@pytest.mark.parametrize("text", ["", "no header\n", "---\nname: my-skill\ndescription: d\n"])
def test_missing_delimiters(tmp_path, text):
    with pytest.raises(SkillError, match="front matter"):
        load_skill(write(tmp_path, text))


def test_unreadable_files(tmp_path):
    with pytest.raises(SkillError, match="cannot be read"):
        load_skill(tmp_path / "absent")
    folder = tmp_path / "binary"
    folder.mkdir()
    (folder / "SKILL.md").write_bytes(b"---\nname: \xff\xfe\n---\n")
    with pytest.raises(SkillError, match="cannot be read"):
        load_skill(folder)
    with pytest.raises(SkillError, match="does not exist"):
        load_skills(tmp_path / "absent")


def test_a_directory_is_read_in_order_and_broken_packages_are_collected(tmp_path):
    for name in ("b", "a", "c"):
        write(tmp_path, f"---\nname: {name}\ndescription: d\n---\n", name=name)
    write(tmp_path, "nothing", name="broken")
    (tmp_path / "not-a-package").mkdir()
    with pytest.raises(SkillError, match="broken"):
        load_skills(tmp_path)
    rejected: list[SkillError] = []
    assert [s.name for s in load_skills(tmp_path, rejected)] == ["a", "b", "c"]
    assert [e.path.parent.name for e in rejected] == ["broken"]


def test_builtin_packages_are_short_and_complete():
    skills = builtin_skills()
    assert [s.name for s in skills] == NAMES
    for skill in skills:
        lines = skill.instructions.splitlines()
        assert 1 <= len(lines) <= 2
        assert all(len(line) <= 120 for line in lines)
        assert len(skill.instructions.split()) <= 20  # a planner of a few million parameters reads them
    assert [s.name for s in skills if not s.tools] == ["conflict-order-arbiter"]


def test_family_lines_only_name_tools_of_the_package():
    for skill in builtin_skills():
        for line in skill.instructions.splitlines():
            mentioned = {word.strip(",.;:") for word in line.split() if "_" in word}
            assert mentioned <= set(skill.tools), skill.name


def test_every_package_has_routing_examples():
    for skill in builtin_skills():
        examples = json.loads((BUILTIN_DIR / skill.name / "tests" / "routing.json").read_text(encoding="utf-8"))
        assert examples["skill"] == skill.name
        assert examples["should_load"] and examples["should_not_load"]
        assert not set(examples["should_load"]) & set(examples["should_not_load"])


def test_whoever_edits_a_builtin_skill_edits_a_copy():
    builtin_skills()[0].tools.append("nothing")
    assert "nothing" not in builtin_skills()[0].tools
