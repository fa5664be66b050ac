"""A session asks the database once for a setting; forks and undone calls must not show through that."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from qpa.contract import ToolCall
from qpa.envs.sandbox.domains import tools_by_name
from qpa.envs.sandbox.tool import Tool, ToolContext, bad


def test_a_fork_knows_the_settings_of_the_moment(new_phone: Any) -> None:
    phone = new_phone()
    assert phone.use("manage_nfc", action="query").ok  # reads settings before they change
    was = phone.data("manage_nfc", action="query")["enabled"]
    phone.use("manage_nfc", action="disable" if was else "enable")
    twin = phone.session.fork()
    query = ToolCall(id="q", name="manage_nfc", arguments={"action": "query"})
    assert asyncio.run(phone.env.step(twin, [query]))[0].payload["data"]["enabled"] is not was
    phone.use("control_device_power", action="power_off")
    off = phone.session.fork()
    assert [a.code for a in asyncio.run(phone.env.step(off, [query]))] == [409]


def test_an_undone_call_leaves_no_setting_behind(new_phone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(ctx: ToolContext, format: str) -> dict[str, Any]:
        ctx.set_setting("nfc", "on")
        raise bad("No")

    spec = tools_by_name()["set_time_format"].spec
    monkeypatch.setitem(tools_by_name(), "set_time_format", Tool(spec, half))
    phone = new_phone(patch={"settings": [{"key": "nfc", "value": "off"}]})
    assert phone.use("set_time_format", format="12h").code == 400
    assert phone.data("manage_nfc", action="query")["enabled"] is False
