"""Input & Interaction: the domain's seeded rows, and its parts put together."""

from __future__ import annotations

import random
from typing import get_args

from qpa.envs.sandbox.domains import input_gestures, input_screen, input_text, phrases
from qpa.envs.sandbox.schema import Domain, World

_SCREENS = {  # app -> what its screen says
    "Browser": "Museum opening hours: Tuesday to Sunday, 10 am to 6 pm. Tickets 12 euros.",
    "Calendar": "Wednesday, January 15. Team offsite on January 28, Room 301.",
    "Email": "Your order 58213 has shipped and arrives on Friday.",
    "Maps": "Central Station: 18 minutes by car, 7.2 km.",
    "Messages": "Your parcel is in locker 12. Pickup code 4471.",
    "Notes": "Gate code for the garage: 9035.",
    "WhatsApp": "Dinner on Saturday at 7 pm, Garden Cafe, table for six.",
}
_PICTURES = (  # file name, text, code
    ("Business_Card.jpg", "Iris Novak, Architect, 5550142", "MECARD:N:Iris Novak;TEL:5550142;;"),
    ("Concert_Poster.jpg", "Spring Concert, March 8, 8 pm, City Hall", "https://tickets.example/spring"),
    ("Receipt.jpg", "Green Market, January 12, total 23.80", ""),
    ("Whiteboard.jpg", "Launch plan: design in week 1, build in week 2, test in week 3", ""),
)
_CODES = (  # in front of the camera; the empty one means that nothing is there
    "",
    "https://menu.example/garden-cafe",
    "https://login.example/session/7f3a",
    "upi://pay?pn=BlueCup&am=4.50",
    "Locker 12, code 4471",
)
_CLIPS = ("12 Maple Street", "Order 58213", "https://tickets.example/spring", "Meeting moved to 3 pm", "5550142")
_SHORTCUTS = (("addr", "12 Maple Street"), ("brb", "Be right back"), ("omw", "On my way!"), ("ty", "Thank you!"))


def _seed_contents(rng: random.Random, world: World) -> None:
    """What screens, two pictures and the camera show. A Wi-Fi code is that of a network the phone has not saved."""
    apps = [row["name"] for row in world.rows["apps"]]
    for app in apps:
        if app in _SCREENS:
            world.add("visible_contents", source=app, text=_SCREENS[app])
    world.add("visible_contents", source="Wallet", text="Card ending in 4471", protected=1)
    wifi = next((row for row in world.rows.get("wifi_networks", []) if row["password"] and not row["saved"]), None)
    codes = list(_CODES)
    if wifi is not None:
        codes.append(f"WIFI:S:{wifi['ssid']};T:WPA;P:{wifi['password']};;")
    world.add("visible_contents", source="camera", code=rng.choice(codes))
    for name, text, code in sorted(rng.sample(_PICTURES, 2)):
        file_id = world.new_id("file")
        world.add("files", id=file_id, name=name, kind="image", size_kb=rng.randrange(300, 3000, 10))
        world.add("visible_contents", source=file_id, text=text, code=code)


def _seed_settings(rng: random.Random, world: World) -> None:
    screens = [row["source"] for row in world.rows["visible_contents"] if row["source"] in _SCREENS]
    settings = {
        "foreground_app": rng.choice(["", *screens]),
        "screen_overlay": "",
        "screen_power": "on",
        "always_on_display": "off",
        "aod_mode": rng.choice(("always", "tap")),
        "aod_start": "08:00",
        "aod_end": "22:00",
        "aod_style": rng.choice(("digital", "analog", "picture")),
        "one_handed_mode": "off",
        "one_handed_side": rng.choice(("left", "right")),
        "floating_ball": rng.choice(("on", "off")),
        "floating_ball_tap": "menu",
        "floating_ball_opacity": str(rng.randrange(30, 91, 10)),
        "smart_sidebar": rng.choice(("on", "off")),
        "sidebar_side": "right",
        "sidebar_apps": ", ".join(sorted(rng.sample(("Gallery", "Maps", "Music", "Notes"), 2))),
        "touch_sensitivity": "standard",
        "side_key_double": rng.choice(("camera", "off")),
        "side_key_long": "power_menu",
        "voice_typing": rng.choice(("on", "off")),
        "voice_typing_language": rng.choice(phrases.LANGUAGES),
        "voice_typing_punctuation": rng.choice(("on", "off")),
    }
    for name in get_args(input_gestures.AirGesture):
        settings[f"air_gesture_{name}"] = "on" if rng.random() < 0.2 else "off"
    for name in get_args(input_gestures.MotionGesture):
        settings[f"motion_{name}"] = rng.choice(("on", "off"))
    for name in get_args(input_gestures.ShortcutGesture):
        settings[f"gesture_{name}"] = rng.choice(("off", "off", "screenshot", "flashlight", "camera"))
    for item, values in input_text.KEYBOARD_SETTINGS.items():
        settings[f"keyboard_{item}"] = {"form": "standard", "incognito": "off"}.get(item) or rng.choice(values)
    known = {row["key"] for row in world.rows["settings"]}
    for key, value in settings.items():
        if key not in known:  # an earlier domain may say which app is in front
            world.add("settings", key=key, value=value)


def seed_rows(rng: random.Random, world: World) -> None:
    """Readable screens and pictures, switches, a clipboard history and a few typing shortcuts."""
    _seed_contents(rng, world)
    _seed_settings(rng, world)
    for index, text in enumerate(rng.sample(_CLIPS, 3)):
        world.add("clipboard_items", id=world.new_id("clip"), text=text, pinned=int(index == 0))
    for shortcut, phrase in sorted(rng.sample(_SHORTCUTS, 2)):
        world.add("text_shortcuts", shortcut=shortcut, phrase=phrase)


DOMAIN = Domain(
    input_screen.NAME,
    input_screen.SCHEMA + input_text.SCHEMA,
    input_screen.TOOLS + input_gestures.TOOLS + input_text.TOOLS,
    seed_rows,
)
