"""The closed table of tools on a phone: where each lives, and what of the phone it reads and changes.

A tool of the phone runs in the sandbox's own code over the phone's state, so that its arguments, words and errors are
those of training; what it changed there is then done to the phone. A tool of the host never touches a phone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from qpa.contract import RowChange
from qpa.envs.device.handset import PhoneTable
from qpa.envs.device.phone_settings import SETTABLE
from qpa.envs.device.table_apps import Apps, Notes, Notifications
from qpa.envs.device.table_clock import Alarms, Timers
from qpa.envs.device.table_people import Contacts, Events
from qpa.envs.device.table_radios import BluetoothDevices, WifiNetworks
from qpa.envs.device.table_traffic import Calls, Messages

_ALL: tuple[PhoneTable, ...] = (
    *(Alarms(), Timers(), Events(alert=False), Events(alert=True), Contacts(), Calls(), Messages()),
    *(WifiNetworks(), BluetoothDevices(), Apps(), Notifications(), Notes()),
)
TABLES: Mapping[str, PhoneTable] = {table.name: table for table in _ALL}
SEEDABLE = frozenset({"alarms", "contacts", "notes", "reminders", "schedules"})  # rows a host may put on a phone

# Tools that have nothing to do with the phone in the hand: the assistant's own memory and agents, arithmetic.
HOST = frozenset(
    {
        *("search_user_memory", "add_user_memory", "replace_user_memory", "remove_user_memory"),
        *("general_qa_agent", "control_ai_image_agent", "speaking_coach_agent", "scenario_dialogue_agent"),
        *("trigger_task", "manage_automation_rule", "display_avatar_expression", "calendar_service"),
        *("calculate_expression", "convert_unit", "convert_currency", "calculate_date", "text_translate"),
        "query_dictionary",
    }
)
HOST_TABLES = frozenset({"memories", "images", "practice_sessions", "automations", "gui_sessions"})
GUI_AGENT = "control_gui_agent"


@dataclass(frozen=True)
class Binding:
    """What a tool of the phone needs.

    Attributes:
      tables, settings: read before the tool runs; only these may it change.
      loose: further changes that the phone makes by itself or has no place for: tables, or "settings:" and a key, both
        with wildcards. They are not checked.
      only: argument -> the values that a phone can do (None: left out); others are unavailable.
      by: an argument whose value says which of the tables are needed.
    """

    tables: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    only: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    by: str = ""

    def refusal(self, arguments: Mapping[str, Any]) -> str:
        """Why a phone cannot do this call; "" if it can."""
        for name, values in self.only.items():
            if arguments.get(name) not in values:
                return f"A phone has no command for {name} {arguments.get(name, 'left out')}"
        return ""

    def needed(self, arguments: Mapping[str, Any]) -> tuple[str, ...]:
        """The tables that this call reads."""
        named = arguments.get(self.by)
        return (named,) if named in self.tables else self.tables

    def covers(self, change: RowChange) -> bool:
        """Whether the phone can be made to show the change."""
        if change.table == "settings":
            return change.key["key"] in self.settings
        return change.table in self.tables

    def leaves(self, change: RowChange) -> bool:
        """Whether the change is not to be looked at."""
        name = f"settings:{change.key['key']}" if change.table == "settings" else change.table
        return any(fnmatchcase(name, pattern) for pattern in self.loose)


def _settings(*keys: str, loose: tuple[str, ...] = (), **only: tuple[Any, ...]) -> Binding:
    return Binding(settings=keys, loose=loose, only=only)


_LINKS: tuple[str, ...] = ("vpn_profiles", "settings:hotspot", "settings:casting_*", "settings:collaboration_*")
_LINKS += ("settings:keyboard_sharing_*",)
_PEOPLE = Binding(tables=("contacts",))
_WIFI = Binding(tables=("wifi_networks",), settings=("wifi",), loose=_LINKS)
_BLUETOOTH = Binding(tables=("bluetooth_devices",), settings=("bluetooth",), loose=_LINKS)
_APP = Binding(tables=("apps",), settings=("foreground_app",), loose=("notifications", "settings:default_app_*"))
_VOLUMES = ("media_volume", "ring_volume", "notification_volume", "call_volume")
_MUTED = ("settings:*_volume_before_mute",)

BINDINGS: Mapping[str, Binding] = {
    "manage_alarm": Binding(tables=("alarms",)),
    "manage_countdown": Binding(tables=("countdowns",)),
    "manage_schedule": Binding(tables=("schedules",)),
    "manage_reminder": Binding(tables=("reminders",)),
    "set_time_zone": _settings("time_zone"),
    "set_time_format": _settings("time_format"),
    "set_alarm_volume": _settings("alarm_volume"),
    "add_contact": _PEOPLE,
    "update_contact": _PEOPLE,
    "delete_contact": _PEOPLE,
    "query_contacts": _PEOPLE,
    "make_call": Binding(tables=("contacts", "calls"), settings=("airplane_mode",)),
    "end_call": Binding(tables=("calls",)),
    "query_call_log": Binding(tables=("contacts", "calls")),
    "manage_call_forwarding": _settings("call_forwarding", "call_forwarding_number"),
    "send_message": Binding(tables=("contacts", "messages"), settings=("airplane_mode",)),
    "query_messages": Binding(tables=("contacts", "messages")),
    "search_personal_information": Binding(tables=("contacts", "notes", "messages", "schedules"), by="source"),
    "manage_wifi": _WIFI,
    "connect_wifi": _WIFI,
    "forget_wifi": _WIFI,
    "manage_bluetooth": _BLUETOOTH,
    "pair_bluetooth_device": _BLUETOOTH,
    "disconnect_bluetooth_device": _BLUETOOTH,
    "manage_mobile_data": _settings("mobile_data", "airplane_mode", loose=_LINKS),
    "manage_airplane_mode": Binding(
        tables=("wifi_networks", "bluetooth_devices"),
        settings=("airplane_mode", "wifi", "bluetooth", "mobile_data"),
        loose=_LINKS,
    ),
    "manage_nfc": _settings("nfc", mode=(None,)),
    "manage_data_saver": _settings("data_saver"),
    "manage_brightness": _settings("brightness", "auto_brightness"),
    "manage_auto_brightness": _settings("auto_brightness"),
    "manage_dark_mode": _settings("dark_mode", action=("enable", "disable")),
    "manage_eye_comfort": _settings("eye_comfort", action=("enable", "disable"), level=(None,)),
    "manage_auto_rotate": _settings("auto_rotate", "locked_orientation"),
    "set_screen_timeout": _settings("screen_timeout"),
    "set_refresh_rate": _settings("refresh_rate", rate=("60Hz", "90Hz", "120Hz")),
    "manage_font_size": _settings("font_size"),
    "manage_bold_text": _settings("bold_text"),
    "manage_screen_attention": _settings("screen_attention"),
    "manage_wake_gesture": _settings("wake_lift", "wake_double_tap"),
    "manage_volume": _settings(*_VOLUMES, "sound_mode", loose=_MUTED),
    "set_sound_mode": _settings("sound_mode", "ring_volume", loose=_MUTED),
    "manage_vibration": _settings("vibrate_calls", "vibrate_touch", type=("calls", "touch")),
    "manage_system_sounds": _settings(
        *("sound_touch", "sound_dial_pad", "sound_screen_lock", "sound_charging"),
        sound=("touch", "dial_pad", "screen_lock", "charging"),
    ),
    "manage_mono_audio": _settings("mono_audio"),
    "manage_do_not_disturb": _settings("dnd", loose=("settings:dnd_until",), until=(None,)),
    "manage_always_on_display": _settings("always_on_display", action=("enable", "disable"), mode=(None,)),
    "manage_one_handed_mode": _settings("one_handed_mode", action=("enable", "disable"), side=(None,)),
    "manage_location": _settings("location", mode=(None,)),
    "manage_auto_date_time": _settings("auto_time", "auto_time_zone"),
    "manage_device_info": _settings("device_name", "device_model", item=(None, "name", "model")),
    "manage_developer_options": _settings(
        *("developer_options", "developer_show_touches", "developer_stay_awake"), option=("show_touches", "stay_awake")
    ),
    "manage_magnification": _settings("magnification", action=("enable", "disable"), area=(None,)),
    "manage_color_correction": _settings("color_correction", action=("enable", "disable"), mode=(None,)),
    "manage_caption_preference": _settings("captions", action=("enable", "disable"), textSize=(None,), style=(None,)),
    "manage_touch_hold_delay": _settings("touch_hold_delay"),
    "manage_status_bar_display": _settings(
        *("status_bar_battery_percentage", "status_bar_clock_seconds"), item=("battery_percentage", "clock_seconds")
    ),
    "query_battery": _settings(
        *("battery_level", "charging", "battery_temperature", "battery_mode"), item=(None, "status")
    ),
    "open_app": _APP,
    "close_app": _APP,
    "force_stop_app": _APP,
    "manage_disabled_apps": _APP,
    "query_notifications": Binding(tables=("apps", "notifications")),
    "manage_note": Binding(tables=("notes",)),
}

_WHY: Mapping[str, str] = {
    "configure_hotspot": "the hotspot's name and password are on a settings screen only",
    "manage_bedtime": "the Clock has no intent for bedtime",
    "manage_focus_timer": "Android has no focus timer",
    "manage_hotspot": "switching the hotspot needs root",
    "manage_interception": "call screening belongs to the dialler app",
    "manage_stopwatch": "the Clock has no intent for its stopwatch",
    "manage_todo": "Android keeps no to-do list",
    "manage_usb_debug": "switching it would cut this connection",
    "manage_voicemail": "voicemail belongs to the carrier",
    "manage_world_clock": "the Clock has no intent for cities",
    "query_data_usage": "usage is kept per network and user, not as the plan counts it",
    "send_email": "no account's mailbox is open to a shell",
    "query_emails": "no account's mailbox is open to a shell",
    "send_file": "sharing goes through an app's own screen",
    "snooze_alarm": "only an alarm that rings can be snoozed",
}


def why_not(tool: str) -> str:
    """Why a tool cannot be had on a phone, in a few words; "" if it can."""
    if tool in BINDINGS or tool in HOST or tool == GUI_AGENT or tool.startswith("skill__"):
        return ""
    return _WHY.get(tool, "no command of Android's shell does it")


def writable(change: RowChange) -> bool:
    """Whether some tool can bring this change about here, on the phone or on the host."""
    if change.table == "settings":
        return change.key.get("key") in SETTABLE or change.key.get("key") == "avatar_expression"
    return change.table in HOST_TABLES or any(change.table in binding.tables for binding in BINDINGS.values())
