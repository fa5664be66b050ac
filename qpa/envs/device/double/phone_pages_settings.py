"""The settings app of the double: pages of switches, sliders and choices over the sandbox's settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from qpa.envs.device.double.phone_base import whole
from qpa.envs.device.double.phone_settings import store
from qpa.envs.device.double.phone_settings import switch as put_switch
from qpa.envs.device.double.phone_widgets import Item, Page, Screen, button, choice, entry, row, slider, switch, text

if TYPE_CHECKING:
    from qpa.envs.device.double.phone_ui import Ui

PACKAGE = "com.android.settings"
_SUB = "com.android.settings.SubSettings"
_TOOLS = {
    "airplane_mode": "manage_airplane_mode",
    "bluetooth": "manage_bluetooth",
    "dark_mode": "manage_dark_mode",
    "data_saver": "manage_data_saver",
    "dnd": "manage_do_not_disturb",
    "hotspot": "manage_hotspot",
    "location": "manage_location",
    "mobile_data": "manage_mobile_data",
    "nfc": "manage_nfc",
    "select_to_speak": "manage_select_to_speak",
    "talkback": "manage_talkback",
    "wifi": "manage_wifi",
}
_ROOT = (
    ("Network & internet", "network"), ("Connected devices", "bluetooth"), ("Apps", "apps"),
    ("Notifications", "dnd"), ("Battery", "battery"), ("Sound & vibration", "sound"), ("Display", "display"),
    ("Location", "location"), ("Accessibility", "accessibility"), ("Date & time", "date"), ("About phone", "about"),
)  # fmt: skip
_SWITCHES: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {  # page -> title, (label, sandbox switch)
    "network": ("Network & internet", (("Wi-Fi", "wifi"), ("Mobile data", "mobile_data"),
                                       ("Airplane mode", "airplane_mode"), ("Hotspot", "hotspot"),
                                       ("Data Saver", "data_saver"), ("NFC", "nfc"))),
    "dnd": ("Do Not Disturb", (("Do Not Disturb", "dnd"),)),
    "location": ("Location", (("Use location", "location"),)),
    "date": ("Date & time", (("Automatic date and time", "auto_time"), ("Automatic time zone", "auto_time_zone"))),
    "accessibility": ("Accessibility", (("TalkBack", "talkback"), ("Select to Speak", "select_to_speak"),
                                        ("Magnification", "magnification"), ("Color correction", "color_correction"),
                                        ("Caption preferences", "captions"), ("Bold text", "bold_text"),
                                        ("Mono audio", "mono_audio"))),
    "display": ("Display", (("Dark theme", "dark_mode"), ("Adaptive brightness", "auto_brightness"),
                            ("Night Light", "eye_comfort"), ("Auto-rotate screen", "auto_rotate"),
                            ("Screen attention", "screen_attention"),
                            ("Always show time and info", "always_on_display"), ("Lift to check phone", "wake_lift"),
                            ("Tap to check phone", "wake_double_tap"))),
    "sound": ("Sound & vibration", (("Do Not Disturb", "dnd"), ("Vibrate for calls", "vibrate_calls"),
                                    ("Touch vibration", "vibrate_touch"), ("Touch sounds", "sound_touch"),
                                    ("Dial pad tones", "sound_dial_pad"), ("Screen locking sound", "sound_screen_lock"),
                                    ("Charging sounds", "sound_charging"))),
}  # fmt: skip
_VOLUMES = (("Media volume", "media"), ("Call volume", "call"), ("Ring volume", "ring"),
            ("Notification volume", "notification"), ("Alarm volume", "alarm"))  # fmt: skip
_CHOICES = {  # page -> title, sandbox key, tool, argument, values with labels
    "timeout": ("Screen timeout", "screen_timeout", "set_screen_timeout", "timeout",
                (("15 seconds", "15s"), ("30 seconds", "30s"), ("1 minute", "1min"), ("2 minutes", "2min"),
                 ("5 minutes", "5min"), ("10 minutes", "10min"), ("30 minutes", "30min"), ("Never", "never"))),
    "font": ("Font size", "font_size", "manage_font_size", "size",
             (("Small", "small"), ("Default", "default"), ("Large", "large"),
              ("Extra large", "extra_large"), ("Huge", "huge"))),
    "ringer": ("Ring mode", "sound_mode", "set_sound_mode", "mode",
               (("Ring", "normal"), ("Vibrate", "vibrate"), ("Silent", "silent"))),
    "saver": ("Battery mode", "battery_mode", "manage_battery", "mode",
              (("Normal", "normal"), ("Performance", "performance"), ("Battery Saver", "power_saving"),
               ("Extreme Battery Saver", "super_saving"))),
}  # fmt: skip


def _toggle(ui: Ui, label: str, key: str) -> Item:
    on = ui.phone.is_on(key)

    def flip() -> None:
        tool = _TOOLS.get(key, "")
        if tool:
            ui.do(tool, action="disable" if on else "enable")
        elif error := put_switch(ui.phone, key, not on):
            ui.open(Page("notice", error.partition(": ")[2]))

    return switch(label, on, flip)


def _link(ui: Ui, label: str, kind: str, summary: str = "") -> Item:
    return row(label, summary, ui.to(f"settings:{kind}"))


def _settings(ui: Ui, page: Page) -> Screen:
    return Screen(PACKAGE, f"{PACKAGE}.Settings", "Settings", [_link(ui, label, kind) for label, kind in _ROOT])


def _switches(kind: str) -> Callable[[Ui, Page], Screen]:
    def build(ui: Ui, page: Page) -> Screen:
        title, switches = _SWITCHES[kind]
        items = [_toggle(ui, label, key) for label, key in switches]
        if kind == "network":
            items.insert(1, _link(ui, "Wi-Fi networks", "wifi"))
        elif kind == "display":
            items[1:1] = [_brightness(ui), _link(ui, "Screen timeout", "timeout"), _link(ui, "Font size", "font")]
        elif kind == "sound":
            items[0:0] = [_volume(ui, label, stream) for label, stream in _VOLUMES]
            items.append(_link(ui, "Ring mode", "ringer", ui.phone.setting("sound_mode", "normal")))
        return Screen(PACKAGE, _SUB, title, items)

    return build


def _brightness(ui: Ui) -> Item:
    percent = whole(ui.phone.setting("brightness", "50"), 50) or 50

    def slide(part: float) -> None:
        error = store(ui.phone, "brightness", str(round(100 * part)))
        if error:
            ui.open(Page("notice", error.partition(": ")[2]))

    return slider("Brightness level", percent, slide, "brightness_seekbar")


def _volume(ui: Ui, label: str, stream: str) -> Item:
    percent = whole(ui.phone.setting(f"{stream}_volume", "50"), 50) or 0

    def slide(part: float) -> None:
        level = round(100 * part)
        if stream == "alarm":
            ui.do("set_alarm_volume", level=level)
        else:
            ui.do("manage_volume", action="set", stream=stream, level=level)

    return slider(label, percent, slide, f"{stream}_volume_seekbar")


def _choices(kind: str) -> Callable[[Ui, Page], Screen]:
    def build(ui: Ui, page: Page) -> Screen:
        title, key, tool, argument, values = _CHOICES[kind]
        now = ui.phone.setting(key)

        def picks(value: str) -> Callable[[], None]:
            def pick() -> None:
                extra = {"action": "set"} if tool == "manage_font_size" else {}
                if ui.do(tool, **{argument: value}, **extra):
                    ui.close()

            return pick

        items = [choice(label, value == now, picks(value)) for label, value in values]
        return Screen(PACKAGE, _SUB, title, items)

    return build


def _wifi(ui: Ui, page: Page) -> Screen:
    items = [_toggle(ui, "Use Wi-Fi", "wifi")]
    if ui.phone.is_on("wifi"):
        for network in ui.phone.rows("SELECT * FROM wifi_networks ORDER BY ssid"):
            state = "Connected" if network["connected"] else "Saved" if network["saved"] else ""
            items.append(
                row(
                    network["ssid"],
                    state,
                    _join(ui, network["ssid"], bool(network["password"] and not network["saved"])),
                )
            )
    return Screen(PACKAGE, _SUB, "Wi-Fi", items)


def _join(ui: Ui, ssid: str, asks: bool) -> Callable[[], object]:
    if asks:
        return ui.to("settings:wifi_password", ssid)
    return ui.calls("connect_wifi", ssid=ssid)


def _wifi_password(ui: Ui, page: Page) -> Screen:
    def connect() -> None:
        password = page.fields.get("password", "")
        ui.close()
        ui.do("connect_wifi", ssid=page.about, **({"password": password} if password.strip() else {}))

    items = [
        entry(page.fields.get("password", ""), "password", "Password"),
        button("Connect", connect, "android:id/button1"),
    ]
    return Screen(PACKAGE, _SUB, page.about, items)


def _bluetooth(ui: Ui, page: Page) -> Screen:
    items = [_toggle(ui, "Use Bluetooth", "bluetooth")]
    if ui.phone.is_on("bluetooth"):
        items.append(row("Pair new device", "", lambda: ui.open(Page("settings:pair"))))
        for device in ui.phone.rows("SELECT * FROM bluetooth_devices WHERE paired = 1 ORDER BY name"):
            name, connected = device["name"], bool(device["connected"])

            def act(name: str = name, connected: bool = connected) -> None:
                if connected:
                    ui.open(Page("settings:bluetooth_device", name))
                else:
                    ui.do("pair_bluetooth_device", deviceName=name)

            items.append(row(name, "Connected" if connected else "", act))
    return Screen(PACKAGE, _SUB, "Connected devices", items)


def _pair(ui: Ui, page: Page) -> Screen:
    found = ui.phone.rows("SELECT name FROM bluetooth_devices WHERE paired = 0 ORDER BY name")
    items = [text("Available devices")]
    items += [row(d["name"], "", ui.to("settings:pair_confirm", d["name"])) for d in found]
    return Screen(PACKAGE, _SUB, "Pair new device", items)


def _pair_confirm(ui: Ui, page: Page) -> Screen:
    def pair() -> None:
        ui.close()
        ui.close()
        ui.do("pair_bluetooth_device", deviceName=page.about)

    items = [
        text(f"Pair with {page.about}?", "android:id/message"),
        button("Pair", pair, "android:id/button1"),
        button("Cancel", ui.close, "android:id/button2"),
    ]
    return Screen(PACKAGE, f"{PACKAGE}.bluetooth.BluetoothPairingDialog", "", items)


def _bluetooth_device(ui: Ui, page: Page) -> Screen:
    items = [button("Disconnect", lambda: ui.open(Page("settings:disconnect", page.about)), "button2")]
    return Screen(PACKAGE, _SUB, page.about, items)


def _disconnect(ui: Ui, page: Page) -> Screen:
    def disconnect() -> None:
        ui.close()
        ui.close()
        ui.do("disconnect_bluetooth_device", deviceName=page.about)

    items = [
        text(f"Disconnect from {page.about}?", "android:id/message"),
        button("OK", disconnect, "android:id/button1"),
        button("Cancel", ui.close, "android:id/button2"),
    ]
    return Screen(PACKAGE, _SUB, "", items)


def _battery(ui: Ui, page: Page) -> Screen:
    level = ui.phone.setting("battery_level", "50")
    items = [text(f"{level}%"), _link(ui, "Battery mode", "saver", ui.phone.setting("battery_mode", "normal"))]
    return Screen(PACKAGE, _SUB, "Battery", items)


def _apps(ui: Ui, page: Page) -> Screen:
    items = [row(app["name"], "", ui.to("settings:app", app["name"])) for app in ui.phone.apps()]
    return Screen(PACKAGE, _SUB, "Apps", items)


def _app(ui: Ui, page: Page) -> Screen:
    app = next((row for row in ui.phone.apps() if row["name"] == page.about), None)
    enabled = bool(app and app["enabled"])
    word, action = ("Disable", "disable") if enabled else ("Enable", "enable")
    items = [
        button("Force stop", lambda: ui.do("force_stop_app", appName=page.about), "force_stop"),
        button(word, lambda: ui.do("manage_disabled_apps", action=action, appName=page.about), "disable"),
        button("Clear storage", lambda: ui.do("clear_app_data", appName=page.about), "clear_data"),
        button("Clear cache", lambda: ui.do("clear_app_cache", appName=page.about), "clear_cache"),
    ]
    return Screen(PACKAGE, f"{PACKAGE}.applications.InstalledAppDetails", page.about, items)


def _about(ui: Ui, page: Page) -> Screen:
    phone = ui.phone
    items = [
        row("Device name", phone.setting("device_name"), lambda: ui.open(Page("settings:name"))),
        row("Model", phone.setting("device_model")),
        row("Android version", str(phone.android)),
    ]
    return Screen(PACKAGE, _SUB, "About phone", items)


def _name(ui: Ui, page: Page) -> Screen:
    def rename() -> None:
        name = page.fields.get("name", "")
        ui.close()
        ui.do("manage_device_info", action="rename", deviceName=name)

    page.fields.setdefault("name", ui.phone.setting("device_name"))
    items = [
        entry(page.fields["name"], "name", "Device name", "android:id/edit"),
        button("OK", rename, "android:id/button1"),
    ]
    return Screen(PACKAGE, _SUB, "Device name", items)


PAGES: dict[str, Callable[[Ui, Page], Screen]] = {
    "settings": _settings,
    **{f"settings:{kind}": _switches(kind) for kind in _SWITCHES},
    **{f"settings:{kind}": _choices(kind) for kind in _CHOICES},
    "settings:about": _about,
    "settings:app": _app,
    "settings:apps": _apps,
    "settings:battery": _battery,
    "settings:bluetooth": _bluetooth,
    "settings:bluetooth_device": _bluetooth_device,
    "settings:disconnect": _disconnect,
    "settings:name": _name,
    "settings:pair": _pair,
    "settings:pair_confirm": _pair_confirm,
    "settings:wifi": _wifi,
    "settings:wifi_password": _wifi_password,
}
