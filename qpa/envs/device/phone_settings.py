"""The sandbox's settings on a phone: which of them it has, how each is read, and how it is changed."""

from __future__ import annotations

from collections.abc import Mapping

from qpa.contract import ErrorType
from qpa.envs.device import parsers, settings_screens
from qpa.envs.device.android import RINGER_MODES, SETTINGS, STREAMS, ZONES, package_of
from qpa.envs.device.grammar import VerbError, unavailable
from qpa.envs.device.handset import Handset
from qpa.envs.device.table_apps import in_front, open_app

# Switches that the settings provider shows and another command sets: key -> (verb, setting, values that mean on).
_SHOWN: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "airplane_mode": ("set_airplane_mode", "global/airplane_mode_on", ("1",)),
    "bluetooth": ("set_bluetooth", "global/bluetooth_on", ("1",)),
    "dnd": ("set_dnd", "global/zen_mode", ("1", "2", "3")),
    "mobile_data": ("set_mobile_data", "global/mobile_data", ("1",)),
    "wifi": ("set_wifi", "global/wifi_on", ("1", "2")),
}
# Switches that a command tells: key -> (verb that sets, verb that asks, words for on, words for off).
_TOLD: Mapping[str, tuple[str, str, tuple[str, ...], tuple[str, ...]]] = {
    "dark_mode": ("set_dark_mode", "get_dark_mode", ("Night mode: yes",), ("Night mode: no",)),
    "data_saver": ("set_data_saver", "get_data_saver", ("status: enabled",), ("status: disabled",)),
    "nfc": ("set_nfc", "get_nfc", ("mState=on",), ("mState=off",)),
}
_BATTERY = ("battery_level", "charging", "battery_temperature")
_FORWARDING = ("call_forwarding", "call_forwarding_number")
_OTHERS = ("device_model", "foreground_app", "location", "sound_mode", "time_zone")

KEYS = frozenset({*SETTINGS, *STREAMS, *_SHOWN, *_TOLD, *_BATTERY, *_FORWARDING, *_OTHERS})
READ_ONLY = frozenset({*_BATTERY, "device_model", *(key for key, place in SETTINGS.items() if place.locked)})
SETTABLE = KEYS - READ_ONLY


async def get(phone: Handset, key: str) -> str:
    """The sandbox's word for how the setting stands. Raises `VerbError` (503) when the phone has no such word."""
    if key in SETTINGS:
        return await _plain(phone, key)
    if key in STREAMS:
        level, low, high = parsers.volume(await phone.hand.ask("get_volume", stream=STREAMS[key]))
        return str(round((level - low) * 100 / max(1, high - low)))
    if key in _SHOWN:
        _, setting, on = _SHOWN[key]
        return _word(parsers.setting(await phone.hand.ask("get_setting", setting=setting)) in on)
    if key in _TOLD:
        _, verb, yes, no = _TOLD[key]
        return _word(parsers.on_off(await phone.hand.ask(verb), yes, no))
    if key in _BATTERY:
        battery = parsers.battery(await phone.hand.ask("get_battery"))
        words = str(battery.level), _word(battery.charging), str(round(battery.temperature))
        return words[_BATTERY.index(key)]
    if key in _FORWARDING:
        on_now = parsers.telephony(await phone.hand.ask("get_telephony")).forwarding
        if key == "call_forwarding":
            return _word(on_now)
        return phone.memo.get(key, "")
    return await _other(phone, key)


async def put(phone: Handset, key: str, word: str) -> None:
    """Changes a setting. Raises `VerbError` (503) when the phone has no such value or no command for it."""
    if key in READ_ONLY:
        raise unavailable(f"A phone's {key.replace('_', ' ')} cannot be set by a command")
    if key in SETTINGS:
        place = SETTINGS[key]
        value = place.encode(word)
        if value is None:
            raise unavailable(f"The phone has no {key.replace('_', ' ')} {word[:30]!r}")
        await phone.hand.run("put_setting", setting=f"{place.namespace}/{place.name}", value=value)
    elif key in STREAMS:
        _, low, high = parsers.volume(await phone.hand.ask("get_volume", stream=STREAMS[key]))
        level = low + round(int(word) * (high - low) / 100)
        await phone.hand.run("set_volume", stream=STREAMS[key], level=level)
    elif key in _SHOWN:
        await _switch(phone, key, word == "on")
    elif key in _TOLD:
        await phone.hand.run(_TOLD[key][0], on=word == "on")
    elif key in _FORWARDING:
        await _forward(phone, key, word)
    else:
        await _put_other(phone, key, word)


async def _switch(phone: Handset, key: str, on: bool) -> None:
    """By its command, or on the Settings app's screen where the version has none."""
    if phone.hand.facts.over_network and (key, on) in (("wifi", False), ("airplane_mode", True)):
        raise unavailable("It would cut the connection to this phone; use a cable")
    try:
        await phone.hand.run(_SHOWN[key][0], on=on)
    except VerbError as error:
        if error.error_type is not ErrorType.UNAVAILABLE or key not in settings_screens.SWITCHES:
            raise
        await settings_screens.flip(phone, key, on)


def _word(on: bool) -> str:
    return "on" if on else "off"


async def _plain(phone: Handset, key: str) -> str:
    place = SETTINGS[key]
    setting = f"{place.namespace}/{place.name}"
    value = parsers.setting(await phone.hand.ask("get_setting", setting=setting))
    word = place.default if value is None else place.decode(value)
    if not word:
        raise unavailable(f"The phone's {setting} is {value!r}, for which there is no word here")
    return word


async def _other(phone: Handset, key: str) -> str:
    if key == "location":
        answer = await phone.hand.ask("get_location")
        return _word(answer.strip() not in ("0", "false", "null", ""))
    if key == "sound_mode":
        mode = parsers.setting(await phone.hand.ask("get_setting", setting="global/mode_ringer"))
        return next((word for word, code in RINGER_MODES.items() if code == mode), "normal")
    if key == "time_zone":
        zone = parsers.properties(await phone.hand.ask("properties")).get("persist.sys.timezone", "")
        kept = [row["value"] for row in phone.rows("settings") if row["key"] == "time_zone"]
        cities = [city for city, name in ZONES.items() if name == zone]
        if not cities:
            raise unavailable(f"The phone's time zone is {zone[:40]!r}, for which there is no city here")
        return next((city for city in cities if city in kept), cities[0])
    if key == "device_model":
        return phone.hand.facts.model
    package = await in_front(phone)
    return next((row["name"] for row in phone.rows("apps") if package_of(row["name"], phone.packages) == package), "")


async def _put_other(phone: Handset, key: str, word: str) -> None:
    if key == "location":
        await phone.hand.run("set_location", on=word == "on")
    elif key == "sound_mode":
        await phone.hand.run("set_ringer", mode=word)
    elif key == "time_zone":
        await phone.hand.run("set_zone", zone=ZONES[word])
    elif key == "foreground_app" and word:
        await open_app(phone, package_of(word, phone.packages))
    elif key == "foreground_app":
        await phone.screen.press("home")
    else:
        raise unavailable(f"No command sets {key.replace('_', ' ')}")


async def _forward(phone: Handset, key: str, word: str) -> None:
    """One dialled code sets both rows: the number is in it, and switching off needs none."""
    known = phone.memo.get("call_forwarding_number", "")
    if key == "call_forwarding_number":
        phone.memo["wanted_number"] = word
        if await get(phone, "call_forwarding") != "on":
            return  # the switch, which comes next, dials it
    number = phone.memo.get("wanted_number") or known
    on = key == "call_forwarding_number" or word == "on"
    if on and not number:
        raise unavailable("The number to forward to is not known")
    await phone.hand.run("forward_calls", number=number if on else "")
    if on:
        phone.memo["call_forwarding_number"] = number
