"""`settings`: Android's three tables of settings, read from the sandbox's one.

Keys of `android.SETTINGS` and those below stand for settings of the sandbox; anything else is a row that means
nothing to it. Writing a key that Android only keeps as a record (`wifi_on`, `airplane_mode_on`) is stored and read
back, and switches nothing, as on a phone; the record gives way when the thing itself changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from qpa.envs.device.android import RINGER_MODES, SETTINGS
from qpa.envs.device.base import ShellResult
from qpa.envs.device.double.phone_base import Command, err, exception_of, lines
from qpa.envs.device.double.phone_profile import ADB_KEYBOARD, INPUT_METHODS, app_of, has
from qpa.envs.sandbox.domains.call_contacts import RINGTONES
from qpa.envs.sandbox.domains.display_audio import NOTIFICATION_SOUNDS

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

NAMESPACES = ("system", "secure", "global")
Read = Callable[["SandboxPhone"], str | None]
_SWITCH_TOOLS: dict[str, tuple[str, dict[str, str]]] = {  # switch -> tool and its arguments beside the action
    "always_on_display": ("manage_always_on_display", {}),
    "auto_brightness": ("manage_auto_brightness", {}),
    "auto_rotate": ("manage_auto_rotate", {}),
    "auto_time": ("manage_auto_date_time", {"item": "time"}),
    "auto_time_zone": ("manage_auto_date_time", {"item": "time_zone"}),
    "bold_text": ("manage_bold_text", {}),
    "captions": ("manage_caption_preference", {}),
    "color_correction": ("manage_color_correction", {}),
    "developer_show_touches": ("manage_developer_options", {"option": "show_touches"}),
    "developer_stay_awake": ("manage_developer_options", {"option": "stay_awake"}),
    "eye_comfort": ("manage_eye_comfort", {}),
    "magnification": ("manage_magnification", {}),
    "mono_audio": ("manage_mono_audio", {}),
    "one_handed_mode": ("manage_one_handed_mode", {}),
    "screen_attention": ("manage_screen_attention", {}),
    "sound_charging": ("manage_system_sounds", {"sound": "charging"}),
    "sound_dial_pad": ("manage_system_sounds", {"sound": "dial_pad"}),
    "sound_screen_lock": ("manage_system_sounds", {"sound": "screen_lock"}),
    "sound_touch": ("manage_system_sounds", {"sound": "touch"}),
    "status_bar_battery_percentage": ("manage_status_bar_display", {"item": "battery_percentage"}),
    "status_bar_clock_seconds": ("manage_status_bar_display", {"item": "clock_seconds"}),
    "vibrate_calls": ("manage_vibration", {"type": "calls"}),
    "vibrate_touch": ("manage_vibration", {"type": "touch"}),
    "wake_double_tap": ("manage_wake_gesture", {"gesture": "double_tap"}),
    "wake_lift": ("manage_wake_gesture", {"gesture": "lift"}),
}
_CHOICE_TOOLS: dict[str, tuple[str, str, dict[str, str]]] = {  # setting -> tool, argument for the value, others
    "battery_mode": ("manage_battery", "mode", {}),
    "device_name": ("manage_device_info", "deviceName", {"action": "rename"}),
    "font_size": ("manage_font_size", "size", {"action": "set"}),
    "refresh_rate": ("set_refresh_rate", "rate", {}),
    "screen_timeout": ("set_screen_timeout", "timeout", {}),
    "time_format": ("set_time_format", "format", {}),
    "touch_hold_delay": ("manage_touch_hold_delay", "delay", {"action": "set"}),
}
_TALKBACK = "com.google.android.marvin.talkback/com.google.android.marvin.talkback.TalkBackService"
_SPEAK = "com.google.android.marvin.talkback/com.google.android.accessibility.selecttospeak.SelectToSpeakService"
_SERVICES = {"talkback": _TALKBACK, "select_to_speak": _SPEAK}


def switch(phone: SandboxPhone, key: str, on: bool) -> str:
    """Switches a sandbox setting by its tool; the refusal as Java says it, or ""."""
    tool, arguments = _SWITCH_TOOLS[key]
    answer = phone.use(tool, action="enable" if on else "disable", **arguments)
    return "" if answer.ok else exception_of(answer)


def store(phone: SandboxPhone, key: str, word: str) -> str:
    """Gives a sandbox setting a value, by its tool where there is one."""
    if key in _SWITCH_TOOLS:
        return switch(phone, key, word == "on")
    if key == "brightness":
        answer = phone.use("manage_brightness", action="set", level=min(100, max(1, int(word))))
        return "" if answer.ok else exception_of(answer)
    if key in _CHOICE_TOOLS:
        tool, name, others = _CHOICE_TOOLS[key]
        answer = phone.use(tool, **{name: word}, **others)
        return "" if answer.ok else exception_of(answer)
    phone.session.write(lambda ctx: ctx.set_setting(key, word))
    return ""


# --- keys beside android.SETTINGS ------------------------------------------------------------------------------------


def _flag(key: str) -> Read:
    return lambda phone: str(int(phone.is_on(key)))


def _wifi(phone: SandboxPhone) -> str | None:
    """0 off, 1 on, 2 on in airplane mode, 3 off by airplane mode."""
    if phone.is_on("airplane_mode"):
        return "2" if phone.is_on("wifi") else "3"
    return _flag("wifi")(phone)


def _location(phone: SandboxPhone) -> str:
    modes = {"high_accuracy": "3", "battery_saving": "2", "device_only": "1"}
    if not phone.is_on("location"):
        return "0"
    return "3" if has(phone.api, "cmd_location") else modes.get(phone.setting("location_mode"), "3")


def _providers(phone: SandboxPhone) -> str:
    return "gps,network" if phone.is_on("location") else ""


def _night(phone: SandboxPhone) -> str:
    return "2" if phone.is_on("dark_mode") else "1"


def _ringer(phone: SandboxPhone) -> str | None:
    return RINGER_MODES.get(phone.setting("sound_mode", "normal"))


def keyboard(phone: SandboxPhone) -> str:
    """The id of the keyboard in use."""
    return phone.extras.keyboard or INPUT_METHODS.get(phone.setting("input_method", "Gboard"), INPUT_METHODS["Gboard"])


def keyboards(phone: SandboxPhone, every: bool = False) -> list[str]:
    """Ids of the enabled keyboards, or of all that are there."""
    enabled = phone.setting("input_methods_enabled", "Gboard").split(", ")
    found = [i for name, i in INPUT_METHODS.items() if every or name in enabled]
    return found + [i for i in (ADB_KEYBOARD,) if every or i in phone.extras.keyboards]


def _services(phone: SandboxPhone) -> str | None:
    return ":".join(name for key, name in _SERVICES.items() if phone.is_on(key)) or None


def _sound(key: str, names: tuple[str, ...]) -> Read:
    def read(phone: SandboxPhone) -> str | None:
        name = phone.setting(key)
        if name not in names or name == "None":
            return None
        number, title = 20 + names.index(name), name.replace(" ", "%20")
        return f"content://media/internal/audio/media/{number}?title={title}&canonical=1"

    return read


def _next_alarm(phone: SandboxPhone) -> str:
    sql = "SELECT time FROM alarms WHERE enabled = 1 AND time > ? ORDER BY time LIMIT 1"
    found = phone.rows(sql, phone.now.isoformat())
    moment = phone.local(phone.millis(found[0]["time"])) if found else None
    return f"{moment:%a %H:%M}" if moment else ""


def _volume(setting: str) -> Read:
    return lambda phone: phone.setting(setting) or None


def _default(role: str) -> Read:
    return lambda phone: app_of(phone.setting(f"default_app_{role}")).package


_RECORDS: dict[tuple[str, str], Read] = {  # read from the sandbox; writing them has no effect on it
    ("global", "airplane_mode_on"): _flag("airplane_mode"),
    ("global", "bluetooth_on"): _flag("bluetooth"),
    ("global", "mobile_data"): _flag("mobile_data"),
    ("global", "mode_ringer"): _ringer,
    ("global", "wifi_on"): _wifi,
    ("secure", "bluetooth_name"): lambda phone: phone.setting("device_name") or None,
    ("secure", "dialer_default_application"): _default("phone"),
    ("secure", "enabled_input_methods"): lambda phone: ":".join(keyboards(phone)),
    ("secure", "location_providers_allowed"): _providers,
    ("secure", "sms_default_application"): _default("messages"),
    ("secure", "ui_night_mode"): _night,
    ("system", "next_alarm_formatted"): _next_alarm,
    ("system", "notification_sound"): _sound("notification_sound", NOTIFICATION_SOUNDS),
    ("system", "ringtone"): _sound("ringtone", RINGTONES),
    ("system", "volume_alarm"): _volume("alarm_volume"),
    ("system", "volume_music"): _volume("media_volume"),
    ("system", "volume_notification"): _volume("notification_volume"),
    ("system", "volume_ring"): _volume("ring_volume"),
    ("system", "volume_voice"): _volume("call_volume"),
} | {
    (spec.namespace, spec.name): (lambda phone, key=key: _encoded(phone, key))
    for key, spec in SETTINGS.items()
    if spec.locked
}


def _set_zen(phone: SandboxPhone, value: str) -> None:
    phone.use("manage_do_not_disturb", action="disable" if value == "0" else "enable")


def _set_location(phone: SandboxPhone, value: str) -> None:
    phone.use("manage_location", action="disable" if value == "0" else "enable")


def _set_keyboard(phone: SandboxPhone, value: str) -> None:
    select_keyboard(phone, value)


def select_keyboard(phone: SandboxPhone, wanted: str) -> bool:
    """Makes an enabled keyboard the current one; False for an unknown or disabled one."""
    if wanted not in keyboards(phone):
        return False
    name = next((name for name, i in INPUT_METHODS.items() if i == wanted), "")
    phone.extras.keyboard = "" if name else wanted
    if name and name != phone.setting("input_method", "Gboard"):
        phone.use("manage_input_method", action="set", inputMethod=name)
    return True


def _set_services(phone: SandboxPhone, value: str) -> None:
    wanted = value.split(":")
    for key, tool in (("talkback", "manage_talkback"), ("select_to_speak", "manage_select_to_speak")):
        phone.use(tool, action="enable" if _SERVICES[key] in wanted else "disable")


_LIVE: dict[tuple[str, str], tuple[Read, Callable[[SandboxPhone, str], Any]]] = {
    ("global", "zen_mode"): (_flag("dnd"), _set_zen),
    ("secure", "default_input_method"): (keyboard, _set_keyboard),
    ("secure", "enabled_accessibility_services"): (_services, _set_services),
}
_OLD_LOCATION = ("secure", "location_mode")
_BY_NAME = {(spec.namespace, spec.name): key for key, spec in SETTINGS.items() if not spec.locked}
_FIRST = {  # rows that every phone has
    ("secure", "android_id"): "9774d56d682e549c",
    ("secure", "user_setup_complete"): "1",
    ("global", "device_provisioned"): "1",
    ("global", "window_animation_scale"): "1.0",
    ("global", "transition_animation_scale"): "1.0",
    ("global", "animator_duration_scale"): "1.0",
}


def _encoded(phone: SandboxPhone, key: str) -> str | None:
    found = phone.rows("SELECT value FROM settings WHERE key = ?", key)
    return SETTINGS[key].encode(found[0]["value"]) if found else None


def get(phone: SandboxPhone, namespace: str, name: str) -> str | None:
    """A setting's value; None for none."""
    place = (namespace, name)
    if place in _BY_NAME:
        return _encoded(phone, _BY_NAME[place])
    if place in _LIVE:
        return _LIVE[place][0](phone)
    if place == _OLD_LOCATION and not has(phone.api, "cmd_location"):
        return _location(phone)
    stored = phone.extras.settings.get(place)
    record = _location if place == _OLD_LOCATION else _RECORDS.get(place)
    if record is None:
        return stored if stored is not None else _FIRST.get(place)
    actual = record(phone)
    if stored is not None and phone.extras.shadowed.get(place) == str(actual):
        return stored
    return actual


def put(phone: SandboxPhone, namespace: str, name: str, value: str) -> None:
    """Writes a setting. What the sandbox refuses or has no word for changes nothing, as a value out of range."""
    place = (namespace, name)
    if place in _BY_NAME:
        word = SETTINGS[_BY_NAME[place]].decode(value)
        if word is not None:
            store(phone, _BY_NAME[place], word)
    elif place in _LIVE:
        _LIVE[place][1](phone, value)
    elif place == _OLD_LOCATION and not has(phone.api, "cmd_location"):
        _set_location(phone, value)
    else:
        record = _location if place == _OLD_LOCATION else _RECORDS.get(place)
        phone.extras.settings[place] = value
        if record is not None:
            phone.extras.shadowed[place] = str(record(phone))


def names(phone: SandboxPhone, namespace: str) -> list[str]:
    """The keys of a namespace that have a value."""
    known = {*_BY_NAME, *_LIVE, *_RECORDS, *_FIRST, *phone.extras.settings, _OLD_LOCATION}
    return sorted(name for space, name in known if space == namespace and get(phone, space, name) is not None)


def settings(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`settings get|put|delete|list NAMESPACE [KEY] [VALUE]`."""
    if "--user" in args and (place := args.index("--user")) < len(args) - 1:
        args = args[:place] + args[place + 2 :]
    verb = args[0] if args else ""
    if verb not in ("get", "put", "delete", "list"):
        return err(f"Invalid command: {verb}" if verb else "Bad arguments", 255)
    if len(args) < 2:
        return err("Bad arguments", 255)
    namespace = args[1].lower()
    if namespace not in NAMESPACES:
        return err(f"Invalid namespace '{args[1]}'", 255)
    if verb == "list":
        return lines(*(f"{name}={get(phone, namespace, name)}" for name in names(phone, namespace)))
    if len(args) < (4 if verb == "put" else 3):
        return err("Bad arguments", 255)
    if verb == "get":
        value = get(phone, namespace, args[2])
        return lines("null" if value is None else value)
    if verb == "put":
        put(phone, namespace, args[2], args[3])
        return ShellResult()
    gone = phone.extras.settings.pop((namespace, args[2]), None) is not None
    return lines(f"Deleted {int(gone)} rows")


COMMANDS: dict[str, Command] = {"settings": settings}
