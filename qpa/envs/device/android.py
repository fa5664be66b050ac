"""Names that the sandbox's phone and an Android phone use for the same thing: settings, streams, packages, keys.

Data only. `DeviceEnv` reads it from one side and the device double from the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ON_OFF: Mapping[str, str] = {"on": "1", "off": "0"}


@dataclass(frozen=True)
class SettingKey:
    """Where `settings get|put` keeps a setting of the sandbox.

    Attributes:
      namespace: system, secure or global.
      name: Android's key.
      values: the sandbox's word -> Android's value; empty means that the text is the same.
      full: with a number here, the sandbox's 0..100 is Android's 0..full, rounded.
      default: the sandbox's word where Android has no value; "" says that it cannot be known.
      locked: may be read and not written (it would cut the connection, or does nothing).
    """

    namespace: str
    name: str
    values: Mapping[str, str] | None = None
    full: int = 0
    default: str = ""
    locked: bool = False

    def encode(self, word: str) -> str | None:
        """Android's value; None when there is none for this word."""
        if self.full:
            return str(round(int(word) * self.full / 100)) if word.isascii() and word.isdigit() else None
        return word if self.values is None else self.values.get(word)

    def decode(self, value: str) -> str | None:
        """The sandbox's word; None for a value it has no word for."""
        if self.full:
            return str(round(int(value) * 100 / self.full)) if value.isascii() and value.isdigit() else None
        if self.values is None:
            return value
        return next((word for word, code in self.values.items() if _same(code, value)), None)


def _same(code: str, value: str) -> bool:
    """Equal as text or as numbers: some versions print a scale as 1, others as 1.0."""
    try:
        return float(code) == float(value)
    except ValueError:
        return code == value


_SWITCHES = {
    "auto_brightness": ("system", "screen_brightness_mode"),
    "auto_rotate": ("system", "accelerometer_rotation"),
    "screen_attention": ("secure", "adaptive_sleep"),
    "wake_lift": ("secure", "doze_pulse_on_pick_up"),
    "wake_double_tap": ("secure", "doze_pulse_on_double_tap"),
    "always_on_display": ("secure", "doze_always_on"),
    "eye_comfort": ("secure", "night_display_activated"),
    "magnification": ("secure", "accessibility_display_magnification_enabled"),
    "color_correction": ("secure", "accessibility_display_daltonizer_enabled"),
    "captions": ("secure", "accessibility_captioning_enabled"),
    "mono_audio": ("system", "master_mono"),
    "vibrate_touch": ("system", "haptic_feedback_enabled"),
    "vibrate_calls": ("system", "vibrate_when_ringing"),
    "sound_touch": ("system", "sound_effects_enabled"),
    "sound_dial_pad": ("system", "dtmf_tone"),
    "sound_screen_lock": ("system", "lockscreen_sounds_enabled"),
    "sound_charging": ("secure", "charging_sounds_enabled"),
    "auto_time": ("global", "auto_time"),
    "auto_time_zone": ("global", "auto_time_zone"),
    "developer_show_touches": ("system", "show_touches"),
    "status_bar_battery_percentage": ("system", "status_bar_show_battery_percent"),
    "status_bar_clock_seconds": ("secure", "clock_seconds"),
    "one_handed_mode": ("secure", "one_handed_mode_enabled"),
}
_TIMEOUTS = {
    "15s": "15000", "30s": "30000", "1min": "60000", "2min": "120000", "5min": "300000", "10min": "600000",
    "30min": "1800000", "never": "2147483647",
}  # fmt: skip

# Switches that a phone without a value may have on.
_OWN_DEFAULT = frozenset(
    {"vibrate_touch", "sound_touch", "sound_dial_pad", "sound_screen_lock", "sound_charging", "auto_time"}
    | {"auto_time_zone", "auto_rotate", "auto_brightness", "wake_lift", "wake_double_tap", "vibrate_calls"}
)

# Settings that are nothing but a row of Android's settings provider.
SETTINGS: Mapping[str, SettingKey] = {
    **{
        key: SettingKey(space, name, ON_OFF, default="" if key in _OWN_DEFAULT else "off")
        for key, (space, name) in _SWITCHES.items()
    },
    "brightness": SettingKey("system", "screen_brightness", full=255),
    "locked_orientation": SettingKey("system", "user_rotation", {"portrait": "0", "landscape": "1"}),
    "screen_timeout": SettingKey("system", "screen_off_timeout", _TIMEOUTS),
    "refresh_rate": SettingKey("system", "peak_refresh_rate", {"60Hz": "60.0", "90Hz": "90.0", "120Hz": "120.0"}),
    "font_size": SettingKey(
        "system",
        "font_scale",
        {"small": "0.85", "default": "1.0", "large": "1.15", "extra_large": "1.3", "huge": "1.5"},
    ),
    "bold_text": SettingKey("secure", "font_weight_adjustment", {"on": "300", "off": "0"}, default="off"),
    "touch_hold_delay": SettingKey("secure", "long_press_timeout", {"short": "400", "medium": "1000", "long": "1500"}),
    "time_format": SettingKey("system", "time_12_24", {"12h": "12", "24h": "24"}),
    "device_name": SettingKey("global", "device_name"),
    "developer_stay_awake": SettingKey("global", "stay_on_while_plugged_in", {"on": "7", "off": "0"}, default="off"),
    "battery_saver_threshold": SettingKey("global", "low_power_trigger_level"),
    "battery_mode": SettingKey("global", "low_power", {"normal": "0", "power_saving": "1"}),
    "navigation_mode": SettingKey("secure", "navigation_mode", {"three_buttons": "0", "gestures": "2"}, locked=True),
    "developer_options": SettingKey("global", "development_settings_enabled", ON_OFF, locked=True),
    "usb_debug": SettingKey("global", "adb_enabled", ON_OFF, locked=True),
}

# Audio streams by the sandbox's volume setting: the numbers of AudioManager.STREAM_*.
STREAMS: Mapping[str, int] = {
    "call_volume": 0, "ring_volume": 2, "media_volume": 3, "alarm_volume": 4, "notification_volume": 5,
}  # fmt: skip

RINGER_MODES: Mapping[str, str] = {"silent": "0", "vibrate": "1", "normal": "2"}  # global mode_ringer

ZONES: Mapping[str, str] = {  # the sandbox's city -> tz database
    "Beijing": "Asia/Shanghai", "Berlin": "Europe/Berlin", "Cairo": "Africa/Cairo", "Dubai": "Asia/Dubai",
    "Hangzhou": "Asia/Shanghai", "London": "Europe/London", "Los Angeles": "America/Los_Angeles",
    "Moscow": "Europe/Moscow", "Mumbai": "Asia/Kolkata", "New York": "America/New_York", "Paris": "Europe/Paris",
    "Seoul": "Asia/Seoul", "Shanghai": "Asia/Shanghai", "Singapore": "Asia/Singapore", "Sydney": "Australia/Sydney",
    "Tokyo": "Asia/Tokyo",
}  # fmt: skip

# Apps that phones have under these names. An inventory may add the packages of its own phones.
PACKAGES: Mapping[str, str] = {
    "App Store": "com.android.vending",
    "Amazon Music": "com.amazon.mp3",
    "Browser": "com.android.chrome",
    "Calendar": "com.google.android.calendar",
    "Camera": "com.android.camera2",
    "Clock": "com.google.android.deskclock",
    "Duolingo": "com.duolingo",
    "Email": "com.google.android.gm",
    "Etsy": "com.etsy.android",
    "File Manager": "com.google.android.documentsui",
    "Firefox": "org.mozilla.firefox",
    "Gallery": "com.google.android.apps.photos",
    "Instagram": "com.instagram.android",
    "Maps": "com.google.android.apps.maps",
    "Messages": "com.google.android.apps.messaging",
    "Music": "com.google.android.apps.youtube.music",
    "Netflix": "com.netflix.mediaclient",
    "Notes": "com.google.android.keep",
    "Outlook": "com.microsoft.office.outlook",
    "Phone": "com.google.android.dialer",
    "Settings": "com.android.settings",
    "Spotify": "com.spotify.music",
    "Telegram": "org.telegram.messenger",
    "Uber": "com.ubercab",
    "Wallet": "com.google.android.apps.walletnfcrel",
    "Waze": "com.waze",
    "WhatsApp": "com.whatsapp",
}


def package_of(app: str, known: Mapping[str, str] | None = None) -> str:
    """The package of an app by its name; one without a known package gets `app.qpa.` and its letters and digits."""
    for table in (known or {}, PACKAGES):
        if app in table:
            return table[app]
    letters = "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}" for c in app.casefold() if c != " ")
    return f"app.qpa.a{letters}"


# Keys that may be pressed, by the sandbox's button names and those the verbs need.
KEYS: Mapping[str, str] = {
    "home": "KEYCODE_HOME", "back": "KEYCODE_BACK", "recents": "KEYCODE_APP_SWITCH", "enter": "KEYCODE_ENTER",
    "volume_up": "KEYCODE_VOLUME_UP", "volume_down": "KEYCODE_VOLUME_DOWN", "wakeup": "KEYCODE_WAKEUP",
    "sleep": "KEYCODE_SLEEP", "power": "KEYCODE_POWER", "end_call": "KEYCODE_ENDCALL", "delete": "KEYCODE_DEL",
    "move_end": "KEYCODE_MOVE_END", "media_play": "KEYCODE_MEDIA_PLAY", "media_pause": "KEYCODE_MEDIA_PAUSE",
    "media_stop": "KEYCODE_MEDIA_STOP", "media_next": "KEYCODE_MEDIA_NEXT", "media_previous": "KEYCODE_MEDIA_PREVIOUS",
}  # fmt: skip
