"""How the double's screen is shown: trees, scrolling, rotation, pictures."""

from __future__ import annotations

import io

import pytest
from double_phone import CALM, Handset
from PIL import Image

from qpa.envs.device.double.phone import SandboxPhone
from qpa.envs.device.double.phone_profile import Profile


@pytest.fixture
def hand() -> Handset:
    return Handset(14, patch=CALM)


def test_the_tree_s_shape(hand: Handset):
    out = hand.sh("uiautomator", "dump", "/dev/tty")
    assert out.startswith(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"><node index=\"0\" text=\"\""
    )
    assert out.endswith("</hierarchy>UI hierchary dumped to: /dev/tty\n")
    assert hand.sh("uiautomator", "dump") == "UI hierchary dumped to: /sdcard/window_dump.xml\n"
    assert hand.all("uiautomator", "dump", "/system/x.xml")[1].startswith(
        "java.io.FileNotFoundException: /system/x.xml (Read-only file system)"
    )
    assert 'display-id="0"' in out and "display-id" not in Handset(13).sh("uiautomator", "dump", "/dev/tty")
    hand.sh("input", "keyevent", "POWER")
    assert hand.sh("uiautomator", "dump") == "ERROR: null root node returned by UiTestAutomationBridge.\n"
    hand.sh("input", "tap", "500", "500")
    hand.sh("input", "keyevent", "WAKEUP")
    assert hand.changed() == {}


def test_names_that_xml_cannot_hold():
    hand = Handset(
        14, patch=CALM | {"notes": [{"id": "note_050", "content": 'a<b> & "c"\n\x07d\x00'.replace("\x00", "")}]}
    )
    hand.sh("am", "start", "-n", "com.google.android.keep/.activities.BrowseActivity")
    assert hand.find(text='a<b> & "c"\n.d')


def test_long_lists_scroll(hand: Handset):
    hand.sh("am", "start", "-a", "android.settings.APPLICATION_SETTINGS")
    top = [n["text"] for n in hand.find(id="title")]
    assert hand.find(id="content_list")[0]["scrollable"] == "true"
    for _ in range(40):
        hand.sh("input", "swipe", "500", "2000", "500", "400", "200")
    end = [n["text"] for n in hand.find(id="title")]
    assert top[0] == hand.phone.apps()[0]["name"] and end[-1] == hand.phone.apps()[-1]["name"]
    hand.sh("input", "swipe", "500", "400", "500", "99999", "200")
    assert [n["text"] for n in hand.find(id="title")] == top


def test_rotation_turns_the_sizes():
    turned = [{"key": "auto_rotate", "value": "off"}, {"key": "locked_orientation", "value": "landscape"}]
    hand = Handset(14, patch={"settings": turned})
    assert (
        'rotation="1"' in hand.sh("uiautomator", "dump", "/dev/tty") and hand.tree()[0]["bounds"] == "[0,0][2340,1080]"
    )


def picture(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def test_screencap(hand: Handset):
    phone = hand.phone
    image = picture(phone.shell("screencap -p").stdout)
    assert image.size == (1080, 2340) and len(image.getcolors(1 << 20) or []) > 2
    assert picture(phone.shell("screencap -p -d 4619827259835644672").stdout).size == (1080, 2340)
    assert phone.shell("screencap -p -d 7").exit_code == 1
    assert phone.shell("screencap /sdcard/s.png").exit_code == 0 and picture(phone.read("/sdcard/s.png") or b"")
    raw = phone.shell("screencap").stdout
    assert (
        raw[:16] == b"".join(n.to_bytes(4, "little") for n in (1080, 2340, 1, 1)) and len(raw) == 16 + 4 * 1080 * 2340
    )
    hand.sh("cmd", "uimode", "night", "yes")
    assert picture(phone.shell("screencap -p").stdout).getpixel((1000, 2300)) == (0, 0, 0)
    assert phone.crashes == []


def test_two_displays_warn_before_the_picture():
    phone = SandboxPhone(14, Profile(displays=2))
    out = phone.shell("screencap -p").stdout
    assert out.startswith(b"[Warning] Multiple displays were found") and picture(out[out.index(b"\x89PNG") :])
    assert phone.shell("screencap -p -d 4619827259835644673").stdout.startswith(b"\x89PNG")


def test_a_protected_window_is_black():
    patch = CALM | {
        "visible_contents": [{"source": "Wallet", "text": "Card ending in 4471", "protected": 1}],
        "apps": [{"name": "Wallet", "enabled": 1}],
    }
    hand = Handset(14, patch=patch)
    hand.sh("am", "start", "com.google.android.apps.walletnfcrel")
    assert picture(hand.phone.shell("screencap -p").stdout).getcolors() == [(1080 * 2340, (0, 0, 0))]
    assert hand.find(text="Card ending in 4471") and "SECURE" in hand.sh("dumpsys", "window", "windows")
