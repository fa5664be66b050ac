"""System Settings, second half: language, typing, control centre, desktop, accounts, profiles, backups."""

from __future__ import annotations

from typing import Any

import pytest
from phone_rows import changed_or_gone as changed
from phone_rows import message
from system_phone import NOW, WORLD, start, values

from qpa.envs.sandbox.domains.system_desktop import TILES

# --- language, typing, navigation -------------------------------------------------------------------------------------


def test_languages(new_phone):
    phone = start(new_phone)
    expected = {"language": "English", "added": ["English", "German"], "total": 2}
    assert phone.data("manage_language", action="query") == expected
    assert phone.code("manage_language", action="set") == 400
    assert phone.code("manage_language", action="set", language="Klingon") == 404
    several = phone.use("manage_language", action="set", language="Chinese")
    assert several.code == 409 and "Chinese (Simplified), Chinese (Traditional)" in several.payload["error"]
    assert phone.code("manage_language", action="remove", language="English") == 409  # in use
    phone.data("manage_language", action="set", language="german")
    assert values(phone) == {"language": "German"}
    assert message(phone, "manage_language", action="set", language="German") == "System language already set"
    phone.data("manage_language", action="remove", language="English")
    phone.data("manage_language", action="set", language="Thai")
    assert values(phone) == {"language": "Thai", "language_list": "German, Thai"}
    phone.data("manage_language", action="add", language="Korean")
    assert message(phone, "manage_language", action="add", language="Korean") == "Korean already added"
    assert message(phone, "manage_language", action="remove", language="Dutch") == "Dutch already removed"
    assert values(phone) == {"language": "Thai", "language_list": "German, Thai, Korean"}


def test_regional_preferences(new_phone):
    phone = start(new_phone)
    assert phone.code("manage_regional_preferences", action="set") == 400
    assert phone.code("manage_regional_preferences", action="set", region="Atlantis") == 404
    assert phone.code("manage_regional_preferences", action="set", region="united") == 409
    assert phone.code("manage_regional_preferences", action="query", temperatureUnit="celsius") == 400
    wanted = {"region": "japan", "temperatureUnit": "fahrenheit"}
    assert message(phone, "manage_regional_preferences", action="set", **wanted) == "Regional preferences set"
    assert values(phone) == {"region": "Japan", "temperature_unit": "fahrenheit"}
    again = message(phone, "manage_regional_preferences", action="set", **wanted)
    assert again == "Regional preferences already set"
    assert phone.data("manage_regional_preferences", action="query")["region"] == "Japan"


def test_input_methods(new_phone):
    phone = start(new_phone)
    assert phone.code("manage_input_method", action="set", inputMethod="swiftkey") == 409  # not enabled
    assert phone.code("manage_input_method", action="set", inputMethod="Typewriter") == 404
    assert phone.code("manage_input_method", action="disable", inputMethod="Gboard") == 409
    phone.data("manage_input_method", action="enable", inputMethod="swiftkey")
    assert values(phone) == {"input_methods_enabled": "Gboard, Voice Typing, Microsoft SwiftKey"}
    again = message(phone, "manage_input_method", action="enable", inputMethod="swiftkey")
    assert again == "Microsoft SwiftKey already enabled"
    phone.data("manage_input_method", action="set", inputMethod="swiftkey")
    assert message(phone, "manage_input_method", action="set", inputMethod="swiftkey") == "Keyboard already set"
    phone.data("manage_input_method", action="disable", inputMethod="Gboard")
    enabled = {"input_methods_enabled": "Voice Typing, Microsoft SwiftKey"}
    assert values(phone) == enabled | {"input_method": "Microsoft SwiftKey"}
    assert phone.data("manage_input_method", action="query")["others"] == ["Gboard", "Grammarly", "Sogou Pinyin"]


def test_voice_typing_cannot_glide(new_phone):
    phone = start(new_phone, input_method="Voice Typing")
    assert phone.code("manage_keyboard_option", action="enable", option="glide_typing") == 409
    phone.data("manage_keyboard_option", action="enable", option="suggestions")
    assert values(phone) == {"keyboard_suggestions": "on"}


def test_navigation_and_touch(new_phone):
    phone = start(new_phone)
    assert phone.code("manage_navigation_mode", action="set") == 400
    assert phone.code("manage_navigation_mode", action="set", swapButtons=True) == 409
    phone.data("manage_navigation_mode", action="set", mode="three_buttons", swapButtons=True)
    assert values(phone) == {"navigation_mode": "three_buttons", "navigation_swap_buttons": "on"}
    again = message(phone, "manage_navigation_mode", action="set", mode="three_buttons")
    assert again == "Navigation mode already set"
    assert phone.data("manage_touch_hold_delay", action="set", delay="short") == {"delay": "short"}
    assert message(phone, "manage_touch_hold_delay", action="set", delay="short").endswith("already set")
    assert phone.code("manage_touch_hold_delay", action="set", delay="never") == 400
    assert values(phone)["touch_hold_delay"] == "short"


# --- control centre, status bar, desktop ------------------------------------------------------------------------------


def test_control_center_tiles(new_phone):
    phone = start(new_phone)
    tiles = "Wi-Fi, Bluetooth, Flashlight, NFC, Location"
    assert phone.data("manage_control_center", action="query")["tiles"] == tiles.split(", ")
    assert phone.code("manage_control_center", action="add", tile="Teleport") == 404
    assert phone.code("manage_control_center", action="move", tile="Hotspot", position=1) == 404
    assert phone.code("manage_control_center", action="move", tile="NFC") == 400
    for position in (0, 6, 10**6):
        assert phone.code("manage_control_center", action="move", tile="NFC", position=position) == 400
    assert message(phone, "manage_control_center", action="add", tile="nfc") == "Tile already added"
    assert message(phone, "manage_control_center", action="remove", tile="Hotspot") == "Tile already removed"
    assert message(phone, "manage_control_center", action="move", tile="NFC", position=4) == "Tile already there"
    assert phone.changes() == []
    phone.data("manage_control_center", action="move", tile="nfc", position=1)
    assert values(phone) == {"control_center_tiles": "NFC, Wi-Fi, Bluetooth, Flashlight, Location"}
    phone.data("manage_control_center", action="add", tile="Dark mode", position=2)
    phone.data("manage_control_center", action="add", tile="Screen cast")
    phone.data("manage_control_center", action="remove", tile="Bluetooth")
    expected = "NFC, Dark mode, Wi-Fi, Flashlight, Location, Screen cast"
    assert values(phone) == {"control_center_tiles": expected}


def test_control_center_keeps_between_four_and_sixteen_tiles(new_phone):
    few = start(new_phone, control_center_tiles="Wi-Fi, NFC, Alarm, Location")
    assert few.code("manage_control_center", action="remove", tile="NFC") == 409
    many = start(new_phone, control_center_tiles=", ".join(TILES[:16]))
    assert many.code("manage_control_center", action="add", tile="Wi-Fi") == 409


def test_status_bar(new_phone):
    phone = start(new_phone)
    assert phone.code("manage_status_bar_display", action="enable") == 400
    phone.data("manage_status_bar_display", action="enable", item="network_speed")
    assert phone.data("manage_status_bar_display", action="query") == {"shown": ["network_speed"]}


@pytest.fixture
def desk(new_phone: Any) -> Any:
    """A desktop with one folder (Games: Zed Chess), the icon of Zed Mail on page 2 and a widget on page 2."""
    rows = [
        {"kind": "folder", "name": "Games", "page": 1},
        {"kind": "app", "name": "Zed Chess", "page": 0, "folder": "Games"},
        {"kind": "app", "name": "Zed Mail", "page": 2},
        {"kind": "widget", "name": "Weather", "page": 2},
    ]
    for row in WORLD["desktop_items"]:
        if row["kind"] == "app":  # every other icon leaves with its app
            rows.append({"kind": "app", "name": row["name"], "page": 1, "folder": ""})
    return start(new_phone, {"desktop_items": rows})


def test_desktop_layout(desk):
    assert desk.code("manage_desktop_layout", action="set") == 400
    assert desk.code("manage_desktop_layout", action="lock", grid="4x5") == 400
    desk.data("manage_desktop_layout", action="set", grid="5x6", iconSize="large", showAppNames=True)
    assert values(desk) == {"desktop_grid": "5x6", "desktop_icon_size": "large", "desktop_app_names": "on"}
    assert message(desk, "manage_desktop_layout", action="set", grid="5x6") == "Desktop layout already set"
    expected = {"grid": "5x6", "iconSize": "large", "showAppNames": "on", "locked": False}
    assert desk.data("manage_desktop_layout", action="query") == expected


def test_a_locked_desktop_refuses_changes(desk):
    assert message(desk, "manage_desktop_layout", action="unlock") == "Layout lock already off"
    desk.data("manage_desktop_layout", action="lock")
    assert values(desk) == {"desktop_lock": "on"}
    assert desk.code("manage_desktop_layout", action="set", grid="5x6") == 409
    assert desk.code("manage_desktop_page", action="add") == 409
    assert desk.code("manage_desktop_icon", action="remove", appName="Zed Mail") == 409
    assert desk.code("manage_desktop_widget", action="remove", widget="Weather") == 409
    assert desk.code("manage_desktop_folder", action="delete", folderName="Games") == 409
    assert desk.data("manage_desktop_icon", action="query", appName="Zed Mail")["total"] == 1
    desk.data("manage_desktop_layout", action="unlock")
    assert desk.changes() == []


def test_desktop_pages(desk):
    assert desk.code("manage_desktop_page", action="remove") == 400
    assert desk.code("manage_desktop_page", action="remove", page=9) == 404
    assert desk.code("manage_desktop_page", action="remove", page=1) == 409  # main
    assert desk.code("manage_desktop_page", action="remove", page=2) == 409  # not empty
    assert message(desk, "manage_desktop_page", action="set_main", page=1) == "Main page already set"
    assert desk.data("manage_desktop_page", action="add") == {"page": 4}
    desk.data("manage_desktop_page", action="set_main", page=4)
    desk.data("manage_desktop_icon", action="move", appName="Zed Mail", page=4)
    desk.data("manage_desktop_widget", action="move", widget="Weather", page=1)
    for row in WORLD["desktop_items"]:
        if row["kind"] == "widget" and row["name"] != "Weather":
            desk.data("manage_desktop_widget", action="move", widget=row["name"], page=1)
    desk.data("manage_desktop_page", action="remove", page=2)
    found = changed(desk)
    assert found["desktop_items", "app", "Zed Mail"] == {"page": 3}
    assert found["settings", "desktop_main_page"] == {"value": "3"}
    assert desk.data("manage_desktop_page", action="query") == {"pages": 3, "mainPage": 3}


def test_at_most_nine_pages(new_phone):
    assert start(new_phone, desktop_pages="9").code("manage_desktop_page", action="add") == 409


def test_desktop_icons(desk):
    assert desk.code("manage_desktop_icon", action="add", appName="Not Installed") == 404
    assert desk.code("manage_desktop_icon", action="move", appName="Zed Golf", page=1) == 404  # not on the desktop
    assert desk.code("manage_desktop_icon", action="move", appName="Zed Mail") == 400
    assert desk.code("manage_desktop_icon", action="move", appName="zed", page=1) == 409
    assert desk.code("manage_desktop_icon", action="add", appName="Zed Golf", page=4) == 404
    desk.data("manage_desktop_icon", action="add", appName="zed golf", page=3)
    golf = ("desktop_items", "app", "Zed Golf")
    assert changed(desk) == {golf: {"kind": "app", "name": "Zed Golf", "page": 3, "folder": ""}}
    assert message(desk, "manage_desktop_icon", action="add", appName="Zed Golf") == "Icon already on the desktop"
    assert message(desk, "manage_desktop_icon", action="move", appName="Zed Golf", page=3) == "App already on page 3"
    desk.data("manage_desktop_icon", action="remove", appName="Zed Golf")
    desk.data("manage_desktop_icon", action="move", appName="Zed Chess", page=2)
    assert changed(desk) == {("desktop_items", "app", "Zed Chess"): {"page": 2, "folder": ""}}


def test_an_icon_goes_with_its_app(desk):
    desk.session._db.execute("DELETE FROM apps WHERE name = 'Zed Mail'")
    assert desk.code("manage_desktop_icon", action="query", appName="Zed Mail") == 404


def test_desktop_widgets(desk):
    assert desk.code("manage_desktop_widget", action="add", widget="Horoscope") == 404
    assert desk.code("manage_desktop_widget", action="move", widget="Weather") == 400
    assert message(desk, "manage_desktop_widget", action="add", widget="weather") == "Widget already on the desktop"
    desk.data("manage_desktop_widget", action="remove", widget="Weather")
    assert changed(desk)["desktop_items", "widget", "Weather"] is None
    assert desk.code("manage_desktop_widget", action="remove", widget="Weather") == 404
    assert desk.data("manage_desktop_widget", action="add", widget="Weather", page=3) == {
        "widget": "Weather",
        "page": 3,
    }
    assert changed(desk) == {("desktop_items", "widget", "Weather"): {"page": 3}}
    items = desk.data("manage_desktop_widget", action="query", page=3)["items"]
    assert {"widget": "Weather", "page": 3} in items


def test_a_full_page_takes_no_more(new_phone):
    rows = [{"kind": "folder", "name": f"F{i}", "page": 3} for i in range(21)]
    elsewhere = [{"kind": r["kind"], "name": r["name"], "page": 2} for r in WORLD["desktop_items"] if r["page"] == 3]
    phone = start(new_phone, {"desktop_items": rows + elsewhere})  # 21 of 24 cells
    assert phone.code("manage_desktop_widget", action="add", widget="Step counter", page=3) == 409  # needs 4
    for name in ("Fa", "Fb", "Fc"):
        phone.data("manage_desktop_folder", action="create", folderName=name, page=3)
    assert phone.code("manage_desktop_folder", action="create", folderName="Fd", page=3) == 409
    assert phone.code("manage_desktop_layout", action="set", grid="4x5") == 409
    phone.data("manage_desktop_layout", action="set", grid="5x6")
    phone.data("manage_desktop_widget", action="add", widget="Step counter", page=3)


def test_desktop_folders(desk):
    assert desk.code("manage_desktop_folder", action="create", folderName="games") == 409
    assert desk.code("manage_desktop_folder", action="create", folderName="x" * 31) == 400
    assert desk.code("manage_desktop_folder", action="create", folderName="New", appNames=["Nope"]) == 404
    desk.data("manage_desktop_folder", action="create", folderName="Tasks", appNames=["Zed Mail", "zed golf"])
    assert changed(desk) == {
        ("desktop_items", "folder", "Tasks"): {"kind": "folder", "name": "Tasks", "page": 1, "folder": ""},
        ("desktop_items", "app", "Zed Mail"): {"page": 0, "folder": "Tasks"},
        ("desktop_items", "app", "Zed Golf"): {"kind": "app", "name": "Zed Golf", "page": 0, "folder": "Tasks"},
    }
    add = {"action": "add_apps", "folderName": "Tasks", "appNames": ["Zed Mail"]}
    assert message(desk, "manage_desktop_folder", **add) == "Apps already in folder"
    view = desk.data("manage_desktop_folder", action="query", folderName="tasks")["items"]
    assert view == [{"folder": "Tasks", "page": 1, "apps": ["Zed Golf", "Zed Mail"], "total": 2}]
    assert desk.code("manage_desktop_folder", action="remove_apps", folderName="Tasks", appNames=["Zed Chess"]) == 404
    desk.data("manage_desktop_folder", action="remove_apps", folderName="Tasks", appNames=["Zed Mail", "zed mail"])
    assert changed(desk)["desktop_items", "app", "Zed Mail"] == {"page": 1}
    desk.data("manage_desktop_folder", action="move", folderName="Tasks", page=2)
    desk.data("manage_desktop_folder", action="delete", folderName="Tasks")
    assert changed(desk)["desktop_items", "app", "Zed Golf"]["page"] == 2
    assert ("desktop_items", "folder", "Tasks") not in changed(desk)


def test_renaming_a_folder_takes_its_apps_along(desk):
    rename = {"action": "rename", "folderName": "Games"}
    assert desk.code("manage_desktop_folder", **rename) == 400
    other = next(r["name"] for r in WORLD["desktop_items"] if r["kind"] == "folder")
    assert desk.code("manage_desktop_folder", **rename, newName=other.upper()) == 409
    assert message(desk, "manage_desktop_folder", **rename, newName="Games") == "Folder already has that name"
    desk.data("manage_desktop_folder", **rename, newName="Play")
    assert changed(desk) == {
        ("desktop_items", "folder", "Games"): None,
        ("desktop_items", "folder", "Play"): {"kind": "folder", "name": "Play", "page": 1, "folder": ""},
        ("desktop_items", "app", "Zed Chess"): {"folder": "Play"},
    }


# --- accounts, profiles, backups --------------------------------------------------------------------------------------


def test_accounts(new_phone):
    phone = start(new_phone)
    known = [row["name"] for row in WORLD["accounts"]]
    add = {"action": "add", "accountName": "Zoe@mail.example.com", "provider": "google"}
    assert phone.code("manage_account", **add) == 409  # offline
    phone.data("manage_mobile_data", action="enable")
    assert phone.code("manage_account", **(add | {"accountName": "zoe"})) == 400
    assert phone.code("manage_account", action="add", accountName="zoe@mail.example.com") == 400
    assert phone.code("manage_account", **(add | {"accountName": known[0].upper()})) == 409
    phone.data("manage_account", **add)
    account = {"name": "Zoe@mail.example.com", "provider": "google", "sync": 1, "last_sync": ""}
    assert changed(phone)["accounts", "Zoe@mail.example.com"] == account
    assert phone.data("manage_account", action="query")["total"] == len(known) + 1
    assert phone.code("manage_account", action="remove", accountName="nobody@x.org") == 404
    phone.data("manage_account", action="remove", accountName="zoe")
    assert values(phone) == {"mobile_data": "on"}


def test_the_last_account_takes_automatic_backup_with_it(new_phone):
    phone = start(new_phone, auto_backup="on")
    known = [row["name"] for row in WORLD["accounts"]]
    for name in known:
        assert ("settings", "auto_backup") not in changed(phone)
        phone.data("manage_account", action="remove", accountName=name)
    assert changed(phone)["settings", "auto_backup"] == {"value": "off"}
    assert phone.code("manage_backup", action="enable_auto") == 409
    assert phone.code("manage_backup", action="create", location="cloud") == 409


def test_account_sync(new_phone):
    name = "zoe@mail.example.com"
    rows = {"accounts": [{"name": name, "sync": 1}]}
    phone = start(new_phone, rows)
    assert phone.data("manage_account_sync", action="enable") == {"enabled": True}
    assert values(phone) == {"auto_sync": "on"}
    assert message(phone, "manage_account_sync", action="enable") == "Automatic sync already on"
    assert message(phone, "manage_account_sync", action="enable", accountName="zoe") == "Sync already enabled"
    assert phone.code("manage_account_sync", action="sync_now", accountName="zoe") == 409  # offline
    phone.data("manage_mobile_data", action="enable")
    phone.data("manage_account_sync", action="sync_now", accountName="zoe")
    assert changed(phone)["accounts", name] == {"last_sync": NOW}
    phone.data("manage_account_sync", action="disable", accountName="zoe")
    assert changed(phone)["accounts", name] == {"last_sync": NOW, "sync": 0}
    assert phone.code("manage_account_sync", action="sync_now", accountName="zoe") == 409
    status = phone.data("manage_account_sync", action="query", accountName="zoe")
    assert status["items"] == [{"account": name, "sync": False, "last_sync": NOW}]
    assert phone.code("manage_account_sync", action="enable", accountName="nobody") == 404
    saving = start(new_phone, rows, mobile_data="on", battery_mode="super_saving")
    assert saving.code("manage_account_sync", action="sync_now", accountName="zoe") == 409


def test_accounts_need_their_permission(new_phone):
    phone = new_phone(denied_permissions=["GET_ACCOUNTS"])
    assert phone.code("manage_account", action="query") == 403
    assert phone.code("manage_account_sync", action="query") == 403


def test_user_profiles(new_phone):
    phone = start(new_phone)
    assert phone.code("manage_user_profile", action="create", profileName="guest") == 409
    assert phone.code("manage_user_profile", action="delete", profileName="Owner") == 409
    assert phone.code("manage_user_profile", action="switch", profileName="Nobody") == 404
    assert message(phone, "manage_user_profile", action="switch", profileName="owner") == "Already in Owner"
    phone.data("manage_user_profile", action="create", profileName="Tutor")
    assert changed(phone) == {("user_profiles", "Tutor"): {"name": "Tutor", "kind": "user", "active": 0}}
    phone.data("manage_user_profile", action="switch", profileName="Guest")
    for tool, arguments in (
        ("manage_user_profile", {"action": "create", "profileName": "Second"}),
        ("manage_user_profile", {"action": "delete", "profileName": "Tutor"}),
        ("manage_developer_options", {"action": "enable"}),
        ("reset_settings", {"scope": "network"}),
        ("factory_reset", {"confirm": True}),
    ):
        assert phone.code(tool, **arguments) == 409, tool
    phone.data("manage_user_profile", action="switch", profileName="Owner")
    phone.data("manage_user_profile", action="delete", profileName="Tutor")
    assert phone.changes() == []
    for name in ("P1", "P2"):
        phone.data("manage_user_profile", action="create", profileName=name)
    assert phone.code("manage_user_profile", action="create", profileName="P3") == 409


def test_backups_bring_settings_back(new_phone):
    phone = start(new_phone)
    assert phone.code("manage_backup", action="create", location="cloud") == 409  # offline
    assert phone.code("manage_backup", action="restore", location="cloud", backupName="x") == 400
    phone.data("manage_backup", action="create", backupName="Quiet setup")
    key = ("backups", "Quiet setup")
    row = changed(phone)[key]
    assert row["location"] == "local" and row["created_at"] == NOW and '"language":"English"' in row["content"]
    assert phone.code("manage_backup", action="create", backupName="quiet SETUP") == 409
    unchanged = message(phone, "manage_backup", action="restore", backupName="Quiet")
    assert unchanged == "Settings already as in the backup"
    phone.data("manage_language", action="set", language="Thai")
    phone.data("manage_navigation_mode", action="set", mode="three_buttons")
    restored = phone.data("manage_backup", action="restore", backupName="quiet setup")
    assert restored == {"backup": "Quiet setup", "settings_changed": 3}
    assert set(changed(phone)) == {key}
    phone.data("manage_backup", action="delete", backupName="Quiet setup")
    assert phone.changes() == []
    assert phone.code("manage_backup", action="restore", backupName="Quiet setup") == 404
    assert phone.data("manage_backup", action="create")["backup"] == "Backup 2025-01-15 09:00"


def test_cloud_backups_need_a_network(new_phone):
    old = {"name": "Old cloud", "location": "cloud", "content": '{"language":"Thai"}'}
    phone = start(new_phone, {"backups": [old]})
    assert phone.code("manage_backup", action="restore", backupName="Old cloud") == 409
    phone.data("manage_backup", action="enable_auto")
    assert message(phone, "manage_backup", action="enable_auto") == "Automatic backup already on"
    phone.data("manage_mobile_data", action="enable")
    phone.data("manage_backup", action="restore", backupName="Old cloud")
    assert values(phone) == {"auto_backup": "on", "mobile_data": "on", "language": "Thai"}


def test_at_most_eight_backups(new_phone):
    phone = start(new_phone, {"backups": [{"name": f"B{i}"} for i in range(6)]})
    assert phone.code("manage_backup", action="create") == 409
    assert len(phone.data("manage_backup", action="query")["items"]) == 5
