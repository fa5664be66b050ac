"""What phones of Android 8 to 16 print, read as values; and what cannot be read, refused."""

from __future__ import annotations

import struct
import zlib
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qpa.envs.device import parsers
from qpa.envs.device.parsers import Notice, ParseError
from qpa.envs.device.pictures import SIGNATURE, read_screenshot
from qpa.envs.device.tree import dump_problem, parse_tree

FOCUS = {
    "8, one display": ("  mCurrentFocus=Window{5e9b13b u0 com.ubercab/com.ubercab.Main}\n", "com.ubercab"),
    "10, two displays": (
        "  Display: mDisplayId=0\n  mCurrentFocus=null\n"
        "  Display: mDisplayId=1\n  mCurrentFocus=Window{5e9b13b u0 com.waze/.FreeMap}\n",
        "com.waze",
    ),
    "14, two displays with a window each": (
        "  mCurrentFocus=Window{1 u0 com.desktop/.Main}\n  mCurrentFocus=Window{2 u0 com.waze/.FreeMap}\n",
        "com.waze",
    ),
    "12, work profile": ("  mCurrentFocus=Window{a1 u10 com.app.one/com.app.one.A t7}\n", "com.app.one"),
    "14, shade": ("  mCurrentFocus=Window{a1 u0 NotificationShade}\n", "NotificationShade"),
    "9, not responding": (
        "  mCurrentFocus=Window{a1 u0 Application Not Responding: com.app}\n",
        "Application Not Responding: com.app",
    ),
    "13, none": ("  mCurrentFocus=null\n", None),
    "empty": ("", None),
}


@pytest.mark.parametrize("name", FOCUS)
def test_focus(name: str):
    text, package = FOCUS[name]
    assert parsers.focus(text) == package


@pytest.mark.parametrize(
    "text",
    [
        "    mResumedActivity: ActivityRecord{8f7 u0 com.a.b/.Main t12}\n",  # to 11
        "  topResumedActivity=ActivityRecord{8f7 u0 com.a.b/.Main t12}\n",  # 12 on
        "  ResumedActivity: ActivityRecord{8f7 u0 com.a.b/.Main t12}\n",  # 10, last
        "  ResumedActivity:ActivityRecord{8f7 u0 com.a.b/.Main} t12}\n",  # 14
    ],
)
def test_resumed_activity(text: str):
    assert parsers.resumed(text) == "com.a.b"
    assert parsers.resumed("nothing\n") is None


def test_rows_keep_commas_equals_signs_and_newlines_of_the_last_column():
    text = (
        "Row: 0 _id=5, type=1, body=Hello, World, read=1\n"
        "Row: 1 _id=6, type=2, body=a=b\nRow: two\n\nlast, _id=7\n"
        "Row: 2 _id=7, type=1, body=NULL\n"
        "Row: 3 _id=8, type=1, body=\n"
    )
    assert parsers.rows(text, ("_id", "type", "body")) == [
        {"_id": "5", "type": "1", "body": "Hello, World, read=1"},
        {"_id": "6", "type": "2", "body": "a=b\nRow: two\n\nlast, _id=7"},
        {"_id": "7", "type": "1", "body": None},
        {"_id": "8", "type": "1", "body": ""},
    ]
    assert parsers.rows("No result found.\n", ("_id",)) == []
    assert parsers.rows("Row: 0 _id=5\r\n", ("_id",)) == [{"_id": "5"}]  # a terminal of Android 8


@settings(deadline=None)  # the machine may be busy
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=30), max_size=4))
def test_rows_read_back_what_the_command_prints(texts: list[str]):
    texts = [text for text in texts if text != "NULL" and "Row: " not in text]
    printed = "".join(f"Row: {i} _id={i}, data1={text}\n" for i, text in enumerate(texts)) or "No result found.\n"
    found = parsers.rows(printed, ("_id", "data1"))
    assert [row["data1"] for row in found] == texts


@pytest.mark.parametrize(
    "text", ["", "Error while accessing provider:sms\n", "Row: 0 body=x, _id=1\n", "Row: 0 _id=1\n"]
)
def test_rows_of_another_shape_are_refused(text: str):
    with pytest.raises(ParseError):
        parsers.rows(text, ("_id", "body"))


def test_settings_and_properties():
    assert parsers.setting("null\n") is None
    assert parsers.setting("128\n") == "128"
    assert parsers.setting("Ana's phone, =x \n") == "Ana's phone, =x "
    text = "[ro.build.version.sdk]: [33]\n[persist.x]: [two\nlines]\n[empty]: []\n"
    assert parsers.properties(text) == {"ro.build.version.sdk": "33", "persist.x": "two\nlines", "empty": ""}


def test_screen_size_and_clock():
    assert parsers.screen_size("Physical size: 1440x2560\n") == (1440, 2560)
    assert parsers.screen_size("Physical size: 1440x2560\nOverride size: 1080x1920\n") == (1080, 1920)
    assert parsers.clock("2025-01-15T09:00:00 1736902800\n") == (datetime(2025, 1, 15, 9), 1736902800)
    for bad in ("", "Wed Jan 15", "2025-01-15T09:00:00 now"):
        with pytest.raises(ParseError):
            parsers.clock(bad)
    with pytest.raises(ParseError):
        parsers.screen_size("Error\n")


def test_volume_of_both_tools():
    old = "[v] will control stream=4 (STREAM_ALARM)\n[v] will get volume\n[v] Connecting to AudioService\n"
    old += "[v] volume is 5 in range [1..7]\n"
    assert parsers.volume(old) == (5, 1, 7)
    assert parsers.volume("[V] volume is 80 in range [0..100]\n") == (80, 0, 100)
    with pytest.raises(ParseError):
        parsers.volume("[v] nothing\n")


def test_alarm_clocks_of_old_and_new_versions():
    old = (
        "  Next alarm clock information:\n    user:0 pendingSend:false time:1736926500000 = 2025-01-15 15:35:00 = +6h\n"
    )
    assert parsers.alarm_clocks(old) == ["2025-01-15T15:35:00"]
    new = old + "    RTW_WAKEUP #2: Alarm{a type 0}\n      Alarm clock:\n        triggerTime=2025-01-16 07:15:00.000\n"
    assert parsers.alarm_clocks(new) == ["2025-01-15T15:35:00", "2025-01-16T07:15:00"]
    assert parsers.alarm_clocks("Pending alarm batches: 0\n") == []


def test_telephony_with_one_and_two_sims():
    assert parsers.telephony("mCallState=0\n mCallForwarding=false\n") == parsers.Telephony(0, False)
    two = "Phone Id=0\n  mCallState=0\n  mCallForwarding=false\nPhone Id=1\n  mCallState=2\n  mCallForwarding=true\n"
    assert parsers.telephony(two) == parsers.Telephony(2, True)
    with pytest.raises(ParseError):
        parsers.telephony("")


def test_battery():
    text = "Current Battery Service state:\n  AC powered: false\n  status: 3\n  level: 85\n  temperature: 255\n"
    assert parsers.battery(text) == parsers.Battery(85, False, 25.5)
    assert parsers.battery(text.replace("status: 3", "status: 5")).charging
    with pytest.raises(ParseError):
        parsers.battery("Can't find service: battery\n")


def test_switches_that_say_neither_are_refused():
    assert parsers.on_off("Night mode: yes\n", ["mode: yes"], ["mode: no"])
    assert not parsers.on_off("Night mode: no\n", ["mode: yes"], ["mode: no"])
    with pytest.raises(ParseError):
        parsers.on_off("Night mode: auto\n", ["mode: yes"], ["mode: no"])


def test_wifi():
    saved = (
        "Network Id      SSID                         Security type\n"
        "0            Home Net 5G                         wpa2-psk\n"
        "0            Home Net 5G                         wpa3-sae^\n"
        "12           CafeLibre                           open\n"
    )
    assert parsers.wifi_saved(saved) == {"Home Net 5G": 0, "CafeLibre": 12}
    assert parsers.wifi_saved("No networks\n") == {}
    found = (
        "    BSSID              Frequency      RSSI           Age(sec)     SSID                                 Flags\n"
        "  00:13:10:85:fe:01       2447    -50(0:-50/1:-70)     2.301    CafeLibre                          [ESS]\n"
        "  00:13:10:85:fe:02       5180    -61                  2.301    Home Net 5G            [WPA2-PSK-CCMP][ESS]\n"
        "  00:13:10:85:fe:03       5180    -61                  2.301                           [WPA2-PSK-CCMP][ESS]\n"
    )
    assert parsers.wifi_found(found) == {"CafeLibre": False, "Home Net 5G": True}
    assert parsers.wifi_connected('Wifi is enabled\nWifi is connected to "Home Net 5G"\nWifiInfo: x\n') == "Home Net 5G"
    assert parsers.wifi_connected("Wifi is enabled\nWifi is not connected\n") == ""


def test_bonded_devices():
    text = (
        "Bluetooth Status\n  enabled: true\nBonded devices:\n  AA:BB:CC:DD:EE:01 [ DUAL ] AirBuds Pro (Connected)\n"
        "  XX:XX:XX:XX:EE:02 [  LE  ] Fit Watch\n\nProfile: x\n  AA:BB:CC:DD:EE:03 [ DUAL ] Not bonded\n"
    )
    assert parsers.bonded(text) == {"AirBuds Pro": True, "Fit Watch": False}
    assert parsers.bonded("enabled: false\n") == {}


def test_packages_and_launcher():
    assert parsers.packages("package:com.a\npackage:org.b.c\n\n") == {"com.a", "org.b.c"}
    brief = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\ncom.a/.Main\n"
    assert parsers.launcher(brief) == "com.a/.Main"
    assert parsers.launcher("No activity found\n") is None


NOTIFICATIONS = {
    "8": (
        "    NotificationRecord(0x07eef771: pkg=com.whatsapp user=UserHandle{0} id=3 tag=a b importance=3 "
        "key=0|com.whatsapp|3|a b|10001: Notification(channel=c)\n"
        "      extras={\n        android.title=Ali, =x\n        android.text=See you\n      }\n"
    ),
    "14": (
        "    NotificationRecord(0x07eef771: pkg=com.whatsapp user=UserHandle{0} id=3 tag=a b importance=3 "
        "key=0|com.whatsapp|3|a b|10001: Notification(channel=c)\n"
        "      extras={\n        android.title=String (Ali, =x)\n"
        "        android.text=SpannableString (See you)\n      }\n"
    ),
}


@pytest.mark.parametrize("version", NOTIFICATIONS)
def test_notifications(version: str):
    (found,) = parsers.notifications(NOTIFICATIONS[version] * 2)
    assert (found.package, found.title, found.text) == ("com.whatsapp", "Ali, =x", "See you")
    assert parsers.notifications("Current Notification Manager state:\n") == []
    assert isinstance(found, Notice)


# --- screens ---------------------------------------------------------------------------------------------------------

TREE = (
    b"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
    b'<hierarchy rotation="0"><node index="0" text="" resource-id="" class="android.widget.FrameLayout" '
    b'package="com.a" content-desc="" clickable="false" enabled="true" bounds="[0,0][1080,2400]">'
    b'<node text="Save &amp; go&#10;on" resource-id="com.a:id/save" class="android.widget.Button" package="com.a" '
    b'content-desc="Save" clickable="true" checked="true" enabled="false" bounds="[10,20][110,70]" />'
    b"</node></hierarchy>"
)


def test_a_tree_is_read():
    root = parse_tree(TREE)
    button = root.by_id("save")
    assert button is not None
    assert (button.text, button.kind, button.centre) == ("Save & go\non", "Button", (60, 45))
    assert button.clickable and button.checked and not button.enabled
    assert parse_tree(b"UI hierchary dumped to: /dev/tty\n" + TREE + b"\ntrailing").by_text("save") is not None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"ERROR: null root node returned by UiTestAutomationBridge.\n",
        TREE[:-14],
        b'<hierarchy rotation="0"></hierarchy>',
        b"<hierarchy><node></hierarchy>",
        b'<!DOCTYPE x [<!ENTITY a "b">]>' + TREE,
        b"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'b'>]><hierarchy><node text='&a;'/></hierarchy>",
        b"<hierarchy>" + b"<node>" * 5000 + b"</node>" * 5000 + b"</hierarchy>",
    ],
    ids=["nothing", "error", "cut", "empty", "broken", "prefixed", "entity", "deep"],
)
def test_a_failure_is_never_an_empty_tree(data: bytes):
    if data.startswith(b"<!DOCTYPE"):
        assert parse_tree(data).by_id("save") is not None  # what stands before the document is not read
        return
    with pytest.raises(ParseError):
        parse_tree(data)


@pytest.mark.parametrize(
    ("out", "err", "code", "problem"),
    [
        ("UI hierchary dumped to: /data/local/tmp/x.xml\n", "", 0, ""),
        ("UI hierarchy dumped to: /x.xml\n", "", 0, ""),
        ("ERROR: could not get idle state.\n", "", 0, "ERROR: could not get idle state."),
        ("", "ERROR: could not get idle state.\n", 0, "ERROR: could not get idle state."),
        ("ERROR: null root node returned by UiTestAutomationBridge.\n", "", 0, "ERROR: null root"),
        ("Killed \n", "", 137, "uiautomator was killed"),
        ("", "", 137, "uiautomator was killed"),
        ("", "", 0, "no tree"),
        ("UI hierchary dumped to: /x.xml\n", "", 1, "no tree"),
    ],
)
def test_whether_a_tree_was_dumped(out: str, err: str, code: int, problem: str):
    found = dump_problem(out, err, code)
    assert found.startswith(problem) and bool(found) == bool(problem)


def png(width: int, height: int, colour: tuple[int, ...], last: tuple[int, ...] | None = None) -> bytes:
    """A PNG of one colour (RGB or RGBA), its last pixel of another."""
    pixels = [colour] * (width * height)
    if last:
        pixels[-1] = last
    lines = [b"\0" + b"".join(bytes(p) for p in pixels[y * width : (y + 1) * width]) for y in range(height)]

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2 if len(colour) == 3 else 6, 0, 0, 0)
    idat = zlib.compress(b"".join(lines))
    half = len(idat) // 2
    parts = [chunk(b"IHDR", header), chunk(b"IDAT", idat[:half]), chunk(b"IDAT", idat[half:]), chunk(b"IEND", b"")]
    return SIGNATURE + b"".join(parts)


def test_a_screenshot_is_found_between_other_bytes():
    image = png(5, 4, (10, 20, 30))
    banner = b"[Warning] Multiple displays were found, but no display id was specified! Defaulting to display 46198\n"
    shot = read_screenshot(banner + image + b"\ntrailing")
    assert (shot.data, shot.width, shot.height, shot.black) == (image, 5, 4, False)


def test_a_black_screenshot_says_so():
    assert read_screenshot(png(5, 4, (0, 0, 0))).black
    assert read_screenshot(png(5, 4, (0, 0, 0, 255))).black
    assert not read_screenshot(png(5, 4, (0, 0, 0, 255), last=(0, 0, 1, 255))).black


def test_every_cut_of_a_screenshot_is_noticed():
    image = png(5, 4, (10, 20, 30))
    for size in range(len(image)):
        with pytest.raises(ParseError):
            read_screenshot(image[:size])


def test_a_damaged_screenshot_is_refused():
    image = bytearray(png(5, 4, (10, 20, 30)))
    image[60] ^= 1
    with pytest.raises(ParseError):
        read_screenshot(bytes(image))
    huge = SIGNATURE + struct.pack(">I", 13) + b"IHDR" + struct.pack(">IIBBBBB", 2**20, 2**20, 8, 2, 0, 0, 0)
    huge += struct.pack(">I", zlib.crc32(huge[12:])) + png(1, 1, (0, 0, 0))[33:]
    with pytest.raises(ParseError, match="pixels"):
        read_screenshot(huge)
