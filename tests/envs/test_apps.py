"""Apps & Storage: apps from the store to the recent list, what they may do, and their notifications."""

from __future__ import annotations

from typing import Any

import pytest
from apps_phone import patched, said
from phone_rows import changed_or_gone as changed

from qpa.envs.sandbox import make_world

NOW = "2025-01-15T09:00:00"
APPS = [
    {"name": "Zeta Chat", "category": "social", "version": "1.0", "running": 1, "last_used": "2025-01-15T08:00:00"},
    {"name": "Zeta Web", "category": "tools", "kind": "system", "roles": "browser", "cache_mb": 7},
    {"name": "Yak Web", "category": "tools", "roles": "browser", "size_mb": 20, "data_mb": 5, "cache_mb": 3},
    {"name": "Quay", "category": "travel", "running": 1, "last_used": "2025-01-15T07:00:00", "locked": 1},
]
STORE = [
    {"name": "Zeta Chat", "category": "social", "version": "1.1", "size_mb": 40},
    {"name": "Big Race", "category": "games", "size_mb": 101, "version": "3.0"},
    {"name": "Big Rook", "category": "games", "size_mb": 10},
]
NOTICES = [
    {"id": "notification_801", "app": "Zeta Chat", "title": "Ann", "text": "Hi", "at": "2025-01-15T08:01:00"},
    {"id": "notification_802", "app": "Zeta Chat", "title": "Bea", "text": "Tea?", "at": "2025-01-15T08:02:00"},
    {"id": "notification_803", "app": "Quay", "title": "Route", "ongoing": 1, "at": "2025-01-15T08:03:00"},
]
ROOM = {"storage_total_mb": "131072", "storage_system_mb": "1000", "storage_media_mb": "0"}


def start(new_phone: Any, tables: dict[str, list[dict[str, Any]]] | None = None, **settings: str) -> Any:
    """Only `APPS` run, Zeta Chat in front; mobile data is the only network and there is room."""
    world = make_world(0).rows
    base = {"foreground_app": "Zeta Chat", "mobile_data": "on", "data_saver": "off", "wifi": "on", "battery_mode": ""}
    patch: dict[str, list[dict[str, Any]]] = {
        "settings": [{"key": k, "value": v} for k, v in (base | ROOM | settings).items()],
        "wifi_networks": [{"ssid": r["ssid"], "connected": 0} for r in world["wifi_networks"]],
        "apps": [{"name": r["name"], "running": 0, "cache_mb": 0, "notifications": "default"} for r in world["apps"]]
        + APPS,
        "store_apps": STORE,
        "notifications": NOTICES,
    }
    return new_phone(patch=patched(patch, tables))


@pytest.fixture
def own(new_phone: Any) -> Any:
    return start(new_phone)


# --- opening and closing -------------------------------------------------------------------------------------------


def test_opening_puts_an_app_in_front(own):
    done = own.use("open_app", appName="yak web")
    assert done.payload == {"status": "success", "message": "Yak Web opened", "appName": "Yak Web"}
    assert changed(own) == {
        ("apps", "Yak Web"): {"running": 1, "last_used": NOW},
        ("settings", "foreground_app"): {"value": "Yak Web"},
    }
    assert said(own, "open_app", appName="Yak Web app") == "Yak Web already open"
    assert said(own, "open_app", appName="Quay") == "Quay opened"  # from the background
    assert own.code("open_app", appName="Nowhere") == 404
    several = own.use("open_app", appName="zeta")
    assert several.code == 409 and several.payload["error"].endswith("match: Zeta Chat, Zeta Web")


def test_opening_is_refused_when_disabled_or_in_super_saving(new_phone):
    phone = start(new_phone, {"apps": [{"name": "Zeta Web", "enabled": 0}]}, battery_mode="super_saving")
    assert phone.code("open_app", appName="Zeta Web") == 409
    assert phone.code("open_app", appName="Yak Web") == 409
    assert phone.use("open_app", appName="Phone").ok


def test_closing_and_force_stopping(own):
    assert said(own, "close_app", appName="Zeta Chat") == "Zeta Chat closed"
    front = {("apps", "Zeta Chat"): {"running": 0}, ("settings", "foreground_app"): {"value": ""}}
    assert changed(own) == front
    assert said(own, "close_app", appName="Zeta Chat") == "Zeta Chat already closed"
    own.use("force_stop_app", appName="Quay")
    stopped = {("apps", "Quay"): {"running": 0, "stopped": 1}, ("notifications", "notification_803"): None}
    assert changed(own) == front | stopped
    assert said(own, "force_stop_app", appName="Quay") == "Quay already stopped"
    own.use("open_app", appName="Quay")
    assert changed(own)["apps", "Quay"] == {"last_used": NOW}  # runs again, no longer stopped
    assert own.code("force_stop_app", appName="Settings") == 409
    assert own.code("close_app", appName="Nowhere") == 404


def test_recent_apps(own):
    assert own.data("manage_recent_apps", action="query")["items"] == [
        {"app": "Zeta Chat", "locked": False},
        {"app": "Quay", "locked": True},
    ]
    own.use("open_app", appName="Yak Web")
    own.use("open_app", appName="Notes")
    assert own.data("manage_recent_apps", action="query")["items"][0]["app"] == "Notes"
    assert own.data("manage_recent_apps", action="clear", keepApps=["notes"]) == {"kept": ["Notes", "Quay"]}
    assert changed(own)["apps", "Zeta Chat"] == {"running": 0} and ("apps", "Quay") not in changed(own)
    assert own.data("manage_recent_apps", action="clear") == {"kept": ["Quay"]}
    assert changed(own)["settings", "foreground_app"] == {"value": ""}
    assert said(own, "manage_recent_apps", action="clear") == "Recent apps already clear"
    assert said(own, "manage_recent_apps", action="lock", appName="Quay") == "Quay already locked"
    own.use("manage_recent_apps", action="unlock", appName="Quay")
    assert changed(own)["apps", "Quay"] == {"locked": 0}
    assert own.data("manage_recent_apps", action="clear") == {"kept": []}
    for wrong in (
        {"action": "lock"},
        {"action": "query", "keepApps": ["Quay"]},
        {"action": "clear", "appName": "Quay"},
    ):
        assert own.code("manage_recent_apps", **wrong) == 400
    assert own.code("manage_recent_apps", action="clear", keepApps=["Nowhere"]) == 404


def test_listing_apps(own):
    listed = own.data("query_apps", category="Social")
    mine = {"app": "Zeta Chat", "size_mb": 50, "last_used": "2025-01-15"}
    assert mine in listed["items"] and listed["total"] == len(listed["items"])
    assert len(own.data("query_apps")["items"]) == 5
    sizes = [i["size_mb"] for i in own.data("query_apps", sortBy="largest")["items"]]
    assert sizes == sorted(sizes, reverse=True)
    used = [i["last_used"] for i in own.data("query_apps", sortBy="least_used")["items"]]
    assert used == sorted(used)
    totals = [own.data("query_apps", kind=kind)["total"] for kind in ("all", "user", "system")]
    assert totals[0] == totals[1] + totals[2]
    own.use("manage_hidden_apps", action="hide", appName="Zeta Chat")
    assert own.data("query_apps")["total"] == totals[0] - 1
    info = own.data("query_app_info", appName="yak web")
    assert (info["version"], info["data_mb"], info["running"], info["battery"]) == ("1.0", 5, False, "optimized")
    assert own.code("query_app_info", appName="Nowhere") == 404


# --- disabled, hidden, dual, default -------------------------------------------------------------------------------


def test_disabling_takes_an_app_out_of_use(new_phone):
    phone = start(new_phone, default_app_browser="Yak Web", foreground_app="Yak Web")
    assert said(phone, "manage_disabled_apps", action="disable", appName="Yak Web") == "Yak Web disabled"
    after = changed(phone)
    assert after.pop(("settings", "default_app_browser"))["value"] == "Browser"  # the first one built in
    assert after == {("apps", "Yak Web"): {"enabled": 0}, ("settings", "foreground_app"): {"value": ""}}
    assert said(phone, "manage_disabled_apps", action="disable", appName="Yak Web") == "Yak Web already disabled"
    assert phone.data("manage_disabled_apps", action="query")["items"] == [{"app": "Yak Web"}]
    assert phone.code("manage_app_autostart", action="enable", appName="Yak Web") == 409
    phone.use("manage_disabled_apps", action="enable", appName="Yak Web")
    assert ("apps", "Yak Web") not in changed(phone)
    assert phone.code("manage_disabled_apps", action="disable", appName="Settings") == 409
    assert phone.code("manage_disabled_apps", action="disable") == 400


@pytest.mark.parametrize(
    "tool, on, off, column",
    [("manage_hidden_apps", "hide", "unhide", "hidden"), ("manage_dual_app", "create", "remove", "cloned")],
)
def test_hidden_and_dual_apps(own, tool, on, off, column):
    assert " already " in said(own, tool, action=off, appName="Zeta Chat")
    own.use(tool, action=on, appName="Zeta Chat")
    assert changed(own) == {("apps", "Zeta Chat"): {column: 1}}
    assert " already " in said(own, tool, action=on, appName="Zeta Chat")
    assert {"app": "Zeta Chat"} in own.data(tool, action="query")["items"]
    assert own.data(tool, action="query", appName="Quay")["total"] == 0
    own.use(tool, action=off, appName="Zeta Chat")
    assert own.changes() == []
    assert own.code(tool, action=on, appName="Phone") == 409
    assert own.code("manage_dual_app", action="create", appName="Quay") == 409  # no chat app
    assert own.code(tool, action=on) == 400


def test_default_apps(new_phone):
    phone = start(new_phone, default_app_browser="Browser")
    assert phone.data("manage_default_app", action="set", role="browser", appName="Yak Web") == {"app": "Yak Web"}
    assert changed(phone) == {("settings", "default_app_browser"): {"value": "Yak Web"}}
    message = said(phone, "manage_default_app", action="set", role="browser", appName="Yak Web")
    assert message == "Default browser already so"
    assert phone.data("manage_default_app", action="query", role="browser") == {"browser": "Yak Web"}
    assert len(phone.data("manage_default_app", action="query")) == 7
    wrong = phone.use("manage_default_app", action="set", role="browser", appName="Quay")
    assert wrong.code == 409 and "Yak Web" in wrong.payload["error"]
    assert phone.code("manage_default_app", action="set", appName="Quay") == 400
    assert phone.code("manage_default_app", action="reset", role="browser", appName="Quay") == 400
    phone.use("manage_default_app", action="reset", role="browser")
    assert phone.changes() == []


# --- the store -----------------------------------------------------------------------------------------------------


def test_installing(own):
    assert own.code("install_app", appName="Nowhere") == 404
    assert own.code("install_app", appName="big r") == 409
    assert own.data("install_app", appName="big rook") == {"version": "1.0", "size_mb": 10}
    (row,) = own.changes()
    assert (row.op, row.key, row.new["category"], row.new["kind"]) == ("insert", {"name": "Big Rook"}, "games", "user")
    assert said(own, "install_app", appName="Big Rook") == "Big Rook already installed"
    assert said(own, "install_app", appName="settings") == "Settings already installed"
    found = own.data("search_app_store", keyword="BIG")
    assert [(i["app"], i["installed"]) for i in found["items"]] == [("Big Race", False), ("Big Rook", True)]
    assert own.data("search_app_store", keyword="big", category="Travel")["total"] == 0
    own.use("uninstall_app", appName="Big Rook")
    assert own.changes() == []


def test_the_store_needs_a_network_and_data_saver_wants_wifi(new_phone):
    offline = start(new_phone, mobile_data="off")
    assert offline.code("install_app", appName="Big Rook") == 409
    assert offline.code("search_app_store") == 409
    assert offline.code("manage_app_updates", action="update_all") == 409
    saving = start(new_phone, data_saver="on")
    refused = saving.use("install_app", appName="Big Race")
    assert (refused.code, refused.payload["error"]) == (409, "Data saver is on; 101 MB needs Wi-Fi")
    assert saving.use("install_app", appName="Big Rook").ok
    on_wifi = start(new_phone, {"wifi_networks": [{"ssid": "Den", "connected": 1}]}, data_saver="on", mobile_data="off")
    assert on_wifi.use("install_app", appName="Big Race").ok


def test_installing_needs_room(new_phone):
    phone = start(new_phone, storage_total_mb="100")
    assert phone.code("install_app", appName="Big Rook") == 409
    assert phone.data("query_storage")["free_gb"] == 0


def test_uninstalling(new_phone):
    held = [{"app": "Zeta Chat", "permission": "camera"}]
    phone = start(new_phone, {"app_permissions": held})
    assert phone.code("uninstall_app", appName="Camera") == 409  # a system app
    assert phone.code("uninstall_app", appName="Nowhere") == 404
    assert phone.data("uninstall_app", appName="Zeta Chat") == {"freed_mb": 50}
    assert changed(phone) == {
        ("apps", "Zeta Chat"): None,
        ("app_permissions", "Zeta Chat", "camera"): None,
        ("notifications", "notification_801"): None,
        ("notifications", "notification_802"): None,
        ("settings", "foreground_app"): {"value": ""},
    }


@pytest.mark.parametrize("permission, tool", [("INSTALL", "install_app"), ("DELETE", "uninstall_app")])
def test_the_store_asks_for_permission(new_phone, permission, tool):
    phone = new_phone(denied_permissions=[f"REQUEST_{permission}_PACKAGES"])
    assert phone.code(tool, appName="WhatsApp") == 403


def test_updates(own):
    mine = {"app": "Zeta Chat", "version": "1.1", "size_mb": 40}
    assert own.data("manage_app_updates", action="query", appName="Zeta Chat")["items"] == [mine]
    own.use("manage_app_updates", action="update", appName="Zeta Chat")
    assert changed(own) == {("apps", "Zeta Chat"): {"version": "1.1", "size_mb": 40}}
    assert said(own, "manage_app_updates", action="update", appName="Zeta Chat") == "Already up to date"
    own.use("manage_app_updates", action="update_all")
    assert own.data("manage_app_updates", action="query")["total"] == 0
    assert said(own, "manage_app_updates", action="update_all") == "Already up to date"
    assert own.code("manage_app_updates", action="update") == 400
    assert own.code("manage_app_updates", action="update_all", appName="Quay") == 400


def test_auto_update(new_phone):
    phone = start(new_phone, app_auto_update="off")
    assert said(phone, "set_app_auto_update", mode="off") == "Auto-update already set"
    assert phone.data("set_app_auto_update", mode="wifi_only") == {"mode": "wifi_only"}
    assert changed(phone) == {("settings", "app_auto_update"): {"value": "wifi_only"}}


# --- permissions, background, data ---------------------------------------------------------------------------------


def test_permissions(own):
    mine = {"appName": "Quay", "permission": "location"}
    assert own.data("manage_app_permission", action="query", **mine) == {"access": "denied"}
    assert own.data("manage_app_permission", action="grant", **mine) == {"access": "while_using"}
    assert said(own, "manage_app_permission", action="grant", **mine) == "Quay: location already granted"
    own.use("manage_app_permission", action="grant", access="always", **mine)
    (row,) = own.changes()
    assert (row.op, row.new) == ("insert", {"app": "Quay", "permission": "location", "access": "always"})
    assert own.data("manage_app_permission", action="query", appName="Quay") == {"permissions": {"location": "always"}}
    who = own.data("manage_app_permission", action="query", permission="location")["items"]
    assert {"app": "Quay", "access": "always"} in who
    own.use("manage_app_permission", action="revoke", **mine)
    assert own.changes() == []
    assert said(own, "manage_app_permission", action="revoke", **mine) == "Quay: location already denied"


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "query"},
        {"action": "grant", "appName": "Quay"},
        {"action": "grant", "permission": "camera"},
        {"action": "grant", "appName": "Quay", "permission": "camera", "access": "always"},
        {"action": "grant", "appName": "Quay", "permission": "sms", "access": "while_using"},
        {"action": "revoke", "appName": "Quay", "permission": "sms", "access": "ask"},
    ],
)
def test_bad_permission_calls(own, arguments):
    assert own.code("manage_app_permission", **arguments) == 400


def test_background_use(new_phone):
    phone = start(new_phone, {"apps": [{"name": "Quay", "autostart": 1}]})
    assert {"app": "Quay"} in phone.data("manage_app_autostart", action="query", appName="Quay")["items"]
    phone.use("set_app_battery_use", appName="Quay", mode="restricted")
    assert changed(phone) == {("apps", "Quay"): {"battery": "restricted", "autostart": 0}}
    assert said(phone, "set_app_battery_use", appName="Quay", mode="restricted") == "Quay already restricted"
    assert phone.code("manage_app_autostart", action="enable", appName="Quay") == 409
    phone.use("set_app_battery_use", appName="Quay", mode="optimized")
    phone.use("manage_app_autostart", action="enable", appName="Quay")
    assert phone.changes() == []
    assert said(phone, "manage_app_autostart", action="enable", appName="Quay") == "Quay autostart already on"
    assert phone.code("manage_app_autostart", action="disable") == 400
    assert phone.code("set_app_battery_use", appName="Phone", mode="restricted") == 409


def test_cache_and_data(own):
    assert own.data("clear_app_cache", appName="Yak Web") == {"freed_mb": 3}
    assert changed(own) == {("apps", "Yak Web"): {"cache_mb": 0}}
    assert said(own, "clear_app_cache", appName="Yak Web") == "Cache already clear"
    assert own.data("clear_app_cache") == {"freed_mb": 7}
    assert own.code("clear_app_cache", appName="Nowhere") == 404
    own.use("manage_app_permission", action="grant", appName="Zeta Chat", permission="camera")
    own.use("manage_app_permission", action="grant", appName="Zeta Chat", permission="usage_access")
    own.use("clear_app_data", appName="Zeta Chat")
    after = changed(own)
    assert after["apps", "Zeta Chat"] == {"running": 0} and after["notifications", "notification_801"] is None
    assert [k for k in after if k[0] == "app_permissions"] == [("app_permissions", "Zeta Chat", "usage_access")]
    assert said(own, "clear_app_data", appName="Zeta Chat") == "Zeta Chat data already cleared"
    assert own.data("clear_app_data", appName="Yak Web") == {"freed_mb": 5}
    assert own.code("clear_app_data", appName="Settings") == 409


# --- notifications -------------------------------------------------------------------------------------------------


def test_app_notifications(own):
    assert own.data("manage_app_notifications", action="query", appName="Zeta Chat") == {"level": "default"}
    own.use("manage_app_notifications", action="disable", appName="Zeta Chat")
    assert changed(own) == {
        ("apps", "Zeta Chat"): {"notifications": "off"},
        ("notifications", "notification_801"): None,
        ("notifications", "notification_802"): None,
    }
    assert said(own, "manage_app_notifications", action="disable", appName="Zeta Chat").endswith("already off")
    own.use("manage_app_notifications", action="enable", appName="Zeta Chat", level="silent")
    assert own.data("manage_app_notifications", action="query")["items"] == [{"app": "Zeta Chat", "level": "silent"}]
    assert said(own, "manage_app_notifications", action="enable", appName="Zeta Chat").endswith("already silent")
    assert own.code("manage_app_notifications", action="disable", appName="Zeta Chat", level="silent") == 400
    assert own.code("manage_app_notifications", action="enable") == 400


def test_notification_list(own):
    items = own.data("query_notifications", appName="Zeta Chat")["items"]
    assert [i["title"] for i in items] == ["Bea", "Ann"]
    assert items[1] == {
        "id": "notification_801",
        "app": "Zeta Chat",
        "title": "Ann",
        "text": "Hi",
        "at": "2025-01-15T08:01:00",
    }
    assert own.data("query_notifications", keyword="TEA?")["total"] == 1
    several = own.use("dismiss_notification", appName="Zeta Chat")
    assert several.code == 409 and "notification_801 Ann" in several.payload["error"]
    assert own.code("dismiss_notification") == 400
    assert own.code("dismiss_notification", notificationId="notification_999") == 404
    assert own.code("dismiss_notification", appName="Quay") == 409  # ongoing
    own.use("dismiss_notification", appName="Zeta Chat", keyword="ann")
    assert changed(own) == {("notifications", "notification_801"): None}


def test_snoozing_and_clearing(own):
    until = "2025-01-15T09:30:00"
    assert own.data("snooze_notification", keyword="tea", minutes=30)["until"] == until
    assert changed(own) == {("notifications", "notification_802"): {"snoozed_until": until}}
    assert own.data("query_notifications", appName="Zeta Chat")["total"] == 1
    assert own.data("query_notifications", snoozed=True)["items"][0]["snoozed_until"] == until
    assert own.code("snooze_notification", keyword="tea", minutes=1441) == 400
    assert own.code("snooze_notification", keyword="nothing such") == 404
    assert own.data("clear_notifications", appName="Zeta Chat") == {"ongoing": 0}
    assert changed(own)["notifications", "notification_801"] is None
    own.data("clear_notifications")
    assert said(own, "clear_notifications") == "Notifications already clear"
    left = [c.key["id"] for c in own.changes() if c.op == "delete"]
    assert "notification_803" not in left and "notification_802" not in left


@pytest.mark.parametrize("tool", ["query_notifications", "dismiss_notification", "clear_notifications"])
def test_reading_notifications_needs_its_permission(new_phone, tool):
    assert new_phone(denied_permissions=["BIND_NOTIFICATION_LISTENER_SERVICE"]).code(tool) == 403
