"""Retrieval finds the tools a request needs, in both languages, and always gives the same answer."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from bench.retrieval_requests import BOTH, CHINESE

from qpa.bench import make_task, request_text, tool_index
from qpa.bench.retrieval import KEYWORDS_FILE, Keywords, ToolIndex, read_keywords, terms
from qpa.contract import Message, Role, ToolSpec
from qpa.envs.sandbox import catalog

NAMES = [spec.name for spec in catalog()]
INDEX = tool_index()
NONE = Keywords(en=[], zh=[])


def _spec(name: str, description: str = "", **arguments: dict) -> ToolSpec:
    return ToolSpec(name=name, description=description, parameters={"type": "object", "properties": arguments})


def _index(*specs: ToolSpec, **keywords: Keywords) -> ToolIndex:
    return ToolIndex(specs, {spec.name: keywords.get(spec.name, NONE) for spec in specs})


def test_every_tool_has_keywords_in_both_languages() -> None:
    pairs = json.loads(KEYWORDS_FILE.read_bytes(), object_pairs_hook=list)
    assert [name for name, _ in pairs] == NAMES  # as pairs: a second entry of a tool would replace the first unseen
    for name, entry in read_keywords().items():
        assert 4 <= len(entry.en) <= 12 and 4 <= len(entry.zh) <= 12, name
        assert not re.search("[㐀-鿿]", " ".join(entry.en)), name
        assert all(re.search("[㐀-鿿]", word) for word in entry.zh), name


def _share(requests: list[tuple[str, str]]) -> float:
    return sum(set(gold.split()) <= set(INDEX.recall(text)) for text, gold in requests) / len(requests)


def test_hand_written_requests_find_all_their_tools() -> None:
    assert _share([(english, gold) for english, _, gold in BOTH]) >= 0.9
    assert _share([(chinese, gold) for _, chinese, gold in BOTH]) >= 0.95
    assert _share(CHINESE) >= 0.95


@pytest.mark.parametrize(
    "tool", ["control_flashlight", "manage_alarm", "track_parcel", "scan_qr_code", "set_thermostat"]
)
def test_a_tool_is_the_best_answer_to_its_own_keywords(tool: str) -> None:
    entry = read_keywords()[tool]
    assert INDEX.recall(" ".join(entry.en), 1) == INDEX.recall("，".join(entry.zh), 1) == [tool]


def test_exactly_n_distinct_tools_best_first() -> None:
    best = INDEX.recall("打开手电筒", 342)
    assert Counter(best) == Counter(NAMES) and best[0] == "control_flashlight"
    for n in (0, 1, 15):
        assert INDEX.recall("打开手电筒", n) == best[:n]
    assert INDEX.recall("打开手电筒", 1000) == best
    assert len(INDEX.recall("打开手电筒")) == 15


def test_within_keeps_the_order_of_the_whole_ranking_however_it_is_given() -> None:
    some = {"manage_alarm", "control_flashlight", "set_camera_flash", "manage_note"}
    ranked = [name for name in INDEX.recall("torch flash", 342) if name in some]
    assert ranked[0] == "set_camera_flash" and ranked[1] == "control_flashlight"
    for within in (some, sorted(some), sorted(some, reverse=True) * 2):
        assert INDEX.recall("torch flash", 3, within) == ranked[:3]
        assert INDEX.recall("torch flash", 9, within) == ranked
    assert INDEX.recall("torch", within=[]) == []


def test_equal_scores_keep_the_order_of_the_catalogue() -> None:
    for nothing in ("", "  ?!", "the", "xyzzy"):
        assert INDEX.recall(nothing, 342) == NAMES
        assert INDEX.recall(nothing, 2, NAMES[7:3:-1]) == NAMES[4:6]


def test_same_answers_in_every_process() -> None:
    code = (
        "from qpa.bench import tool_index\n"
        "print([tool_index().recall(q, 342) for q in ('send him the file', '把文件发给他', 'app off')])"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
        for seed in ("1", "2")
    ]
    assert len(runs[0].stdout) > 1000 and runs[0].stdout == runs[1].stdout


def test_bad_calls_say_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="n is -1"):
        INDEX.recall("x", -1)
    with pytest.raises(ValueError, match="no such tool: fly, swim"):
        INDEX.recall("x", within=["swim", "manage_alarm", "fly"])


def test_a_rare_word_counts_more_a_long_tool_less_and_a_repeated_request_word_once() -> None:
    index = _index(
        _spec("aa", "phone phone"), _spec("bb", "phone lamp"), _spec("cc", "phone desk chair"), _spec("dd", "lamp")
    )
    assert index.recall("phone chair", 1) == ["cc"]
    assert index.recall("lamp", 2) == ["dd", "bb"]
    assert index.recall("phone", 3) == ["aa", "bb", "cc"]
    assert index.recall("chair lamp lamp lamp", 1) == ["cc"]


@pytest.mark.parametrize("query", ["lamps", "dim", "bulb color", "deep", "warm", "cold", "torch", "手电"])
def test_all_parts_of_a_tool_are_searched(query: str) -> None:
    choices = {"type": "array", "items": {"type": "string", "enum": ["cold_white"]}}
    tool = _spec("aim_lamp", "Dims it.", bulbColor={"enum": ["warm", "deep_red", 3]}, tones=choices)
    index = _index(_spec("zz", "Other."), tool, aim_lamp=Keywords(en=["torch"], zh=["手电筒"]))
    assert index.recall(query, 1) == ["aim_lamp"]


def test_chinese_is_searched_by_characters_and_pairs() -> None:
    assert terms("手电筒") == ["手", "电", "筒", "手电", "电筒"]
    assert terms("开Wi-Fi，灯") == ["开", "wi", "fi", "wifi", "灯"]
    index = _index(_spec("aa"), _spec("bb"), aa=Keywords(en=[], zh=["电手"]), bb=Keywords(en=[], zh=["手电"]))
    assert index.recall("手电", 1) == ["bb"]


def test_words_are_folded_and_stemmed_and_function_words_dropped() -> None:
    assert terms("Reminders reminding") == ["remind", "remind"]
    assert terms("WiFi ＷＩＦＩ Café") == ["wifi", "wifi", "cafe"]
    assert terms("Don't let it be, I'll do this") == []


def test_the_persons_turns_and_the_goal_are_searched() -> None:
    task = make_task("alarm_create", 1, "dev")
    task.history = [
        Message(role=Role.USER, content="Is the torch on?"),
        Message(role=Role.ASSISTANT, content="Yes, with the camera."),
    ]
    task.goal = "Then switch it off."
    assert request_text(task) == "Is the torch on?\nThen switch it off."


def test_keywords_and_tools_must_agree() -> None:
    with pytest.raises(ValueError, match="none for bb, cc"):
        ToolIndex([_spec("aa"), _spec("bb"), _spec("cc")], {"aa": NONE})
    with pytest.raises(ValueError, match="no such tool: bb"):
        ToolIndex([_spec("aa")], {"aa": NONE, "bb": NONE})


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "truncated"),
        ("[]", "Expected `object`"),
        ('{"aa": ["x"]}', "aa: Expected `object`"),
        ('{"aa": {"en": ["x"]}}', "aa: .*missing required field `zh`"),
        ('{"aa": {"en": ["x"], "zh": ["灯"], "fr": ["y"]}}', "aa: .*unknown field `fr`"),
        ('{"aa": {"en": "x", "zh": ["灯"]}}', r"aa: Expected `array`.*\$\.en"),
        ('{"aa": {"en": [1], "zh": ["灯"]}}', r"aa: Expected `str`.*\$\.en"),
        ('{"aa": {"en": [], "zh": ["灯"]}}', "aa: en: want distinct"),
        ('{"aa": {"en": ["x"], "zh": ["灯", " "]}}', "aa: zh: want distinct"),
        ('{"aa": {"en": ["x", "x"], "zh": ["灯"]}}', "aa: en: want distinct"),
    ],
)
def test_a_malformed_keyword_file_is_refused(content: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "words.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"words\.json: {reason}|words\.json: .*{reason}"):
        read_keywords(file)


def test_a_missing_keyword_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none\.json: .*No such file"):
        read_keywords(tmp_path / "none.json")
