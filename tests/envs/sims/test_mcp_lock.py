"""Pinned definitions: what changed is named, and nothing of it is played."""

from __future__ import annotations

import asyncio
import json

import pytest
from mcp_doubles import call, http_server, play, quick, stdio_server, task

from qpa.contract import ContractError, Effect, EnvFailure, FailureCause
from qpa.envs.mcp import McpEnv, pin, read_lock
from qpa.envs.mcp.lock import digest
from qpa.envs.mcp.text import clean


@pytest.fixture(scope="module")
def lock(tmp_path_factory):
    path = tmp_path_factory.mktemp("mcp") / "lock.json"
    found = asyncio.run(pin([stdio_server()], path))
    assert len(found["double"]) == 16  # four pages
    return path


@pytest.mark.parametrize(
    ("variant", "named"),
    [
        ("description", "'add' changed its description"),
        ("schema", "'add' changed its inputSchema"),
        ("hint", "'add' changed its annotations"),
        ("missing", "'echo' is missing"),
    ],
)
def test_a_changed_definition_is_named_and_not_played(lock, variant, named):
    env = McpEnv([stdio_server(variant, limits=quick())], lock)
    with pytest.raises(EnvFailure) as caught:
        play(env, [call("pid")])
    assert named in str(caught.value) and caught.value.cause is FailureCause.BACKEND


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_tool_that_appears_while_a_session_runs_ends_it(lock, transport):
    """The notice of the change comes on its own stream: the block that caused it may come back, the next may not."""

    async def run(env):
        session = await env.reset(task("rug_pull", "pid"))
        try:
            for i in range(200):
                await env.step(session, [call("rug_pull" if i == 0 else "pid", str(i))])
        finally:
            await env.close(session)

    def check(server):
        with pytest.raises(EnvFailure, match="'stealer' is new"):
            asyncio.run(run(McpEnv([server], lock)))

    if transport == "stdio":
        check(stdio_server(limits=quick()))
    else:
        with http_server(limits=quick()) as server:
            check(server)
            with pytest.raises(EnvFailure, match="'stealer' is new"):  # and no later session begins
                play(McpEnv([server], lock), [call("pid")])


def test_the_planner_sees_the_pinned_definitions_only(lock):
    env = McpEnv([stdio_server("description")], lock)
    assert next(s for s in env.catalog() if s.name == "add").description == "Adds two numbers"


def test_hints_count_only_when_trusted_and_configuration_counts_more(lock):
    def effects(**more):
        return {s.name: s.effect for s in McpEnv([stdio_server(**more)], lock).catalog()}

    assert set(effects().values()) == {Effect.EXTERNAL}
    trusted = effects(trust_annotations=True)
    assert [trusted[n] for n in ("echo", "note_add", "fail", "hang")] == [
        Effect.READ,
        Effect.REVERSIBLE,
        Effect.IRREVERSIBLE,
        Effect.EXTERNAL,
    ]
    assert effects(effects={"note/add": Effect.READ})["note_add"] is Effect.READ
    with pytest.raises(ContractError, match="'nothing'"):
        effects(effects={"nothing": Effect.READ})


def test_prefixes_keep_two_servers_apart(lock):
    one, two = stdio_server(limits=quick()), stdio_server(limits=quick(), prefix="other_")
    two.name = "second"
    both = lock.parent / "both.json"
    data = json.loads(lock.read_bytes())
    data["servers"]["second"] = data["servers"]["double"]
    both.write_text(json.dumps(data))
    env = McpEnv([one, two], both)
    assert {"echo", "other_echo"} <= {s.name for s in env.catalog()}
    first, second = play(env, [call("pid", "1"), call("other_pid", "2")])[0]
    assert first.payload["message"] != second.payload["message"]
    two.prefix = ""
    with pytest.raises(ContractError, match="prefix"):
        McpEnv([one, two], both)


def test_a_lock_that_was_edited_is_not_believed(lock, tmp_path):
    data = json.loads(lock.read_bytes())
    edited = tmp_path / "lock.json"
    data["servers"]["double"]["add"]["definition"]["description"] = "Better words"
    edited.write_text(json.dumps(data))
    with pytest.raises(ContractError, match="double/add"):
        read_lock(edited, [stdio_server()])
    for content in ("{", '{"version": 2, "servers": {}}', '{"version": 1, "servers": {}}'):
        edited.write_text(content)
        with pytest.raises(ContractError, match=r"lock\.json"):
            read_lock(edited, [stdio_server()])
    with pytest.raises(ContractError, match="no lock file"):
        read_lock(tmp_path / "none.json", [])


@pytest.mark.parametrize(
    ("variant", "named"), [("no_object", "'add' has an unusable schema"), ("endless", "twice|end")]
)
def test_a_listing_that_cannot_be_used_is_not_pinned(tmp_path, variant, named):
    with pytest.raises((ContractError, EnvFailure), match=named):
        asyncio.run(pin([stdio_server(variant, limits=quick())], tmp_path / "lock.json"))
    assert not (tmp_path / "lock.json").exists()


def test_a_digest_is_of_the_content_and_not_of_its_spelling():
    assert digest({"a": 1, "b": {"c": [1, 2], "d": "é"}}) == digest({"b": {"d": "é", "c": [1, 2]}, "a": 1})
    assert digest({"a": 1}) != digest({"a": True})


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://evil\x07link\x1b]8;;\x07", "link"),
        ("a\x00b\x08c\x9b31md\r\ne\tf", "abcd\ne\tf"),
        ("pay\u202egnp.exe\u2066\U000e0041\ufeff\u200b\ud800", "paygnp.exe"),
        ("👩‍👧 می‌خواهم", "👩‍👧 می‌خواهم"),
    ],
)
def test_unseen_characters_go_and_joined_letters_stay(text, kept):
    assert clean(text, 100) == kept
