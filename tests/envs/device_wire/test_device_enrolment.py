"""The inventory: strict decoding, the grammar of serials, safe defaults."""

from __future__ import annotations

import json

import pytest

from qpa.contract import Effect
from qpa.envs.device.enrolment import DeviceKind, EnrolmentError, check_serial, load_enrolment

GOOD = """
devices:
  - serial: "127.0.0.1:5555"
    kind: double
    label: first double
  - serial: R5CT30ABCDE
    kind: phone
    effects: [read]
    limits: {calls_per_s: 10, deadline_s: 30}
"""


@pytest.fixture
def read(tmp_path):
    def read(text: str, name: str = "devices.yaml"):
        file = tmp_path / name
        file.write_text(text)
        return load_enrolment(file)

    return read


def test_yaml_and_json_say_the_same(read):
    inventory = read(GOOD)
    assert inventory.device("R5CT30ABCDE").limits.calls_per_s == 10
    assert inventory.device("127.0.0.1:5555").kind is DeviceKind.DOUBLE
    import yaml

    assert read(json.dumps(yaml.safe_load(GOOD)), "devices.json") == inventory


def test_what_cannot_be_undone_is_off_unless_listed(read):
    device = read("devices: [{serial: a, kind: double}]").device("a")
    assert [e in device.effects for e in Effect] == [True, True, False, False]
    assert read("devices: [{serial: a, kind: phone, effects: [external]}]").device("a").effects == [Effect.EXTERNAL]


def test_a_serial_outside_the_inventory_is_refused(read):
    with pytest.raises(EnrolmentError, match="not enrolled"):
        read(GOOD).device("127.0.0.1:5556")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("devices: [{serial: a}]", r"kind.*devices\[0\]"),
        ("devices: [{serial: a, kind: toaster}]", r"toaster.*devices\[0\].kind"),
        ("devices: [{serial: a, kind: phone, verbs: all}]", r"verbs.*devices\[0\]"),
        ("devices: [{serial: 12345, kind: phone}]", r"int.*devices\[0\].serial"),
        ("devices: [{serial: a, kind: phone, effects: [all]}]", r"all.*effects"),
        ("devices: [{serial: a, kind: phone, limits: {deadline_s: 0}}]", r"deadline_s.*limits"),
        ("devices: [{serial: a, kind: phone, limits: {output_bytes: 99999999999}}]", r"output_bytes.*limits"),
        ("devices: [{serial: a, kind: phone}, {serial: a, kind: double}]", "listed twice"),
        ("devices: [{serial: a, kind: phone, kind: double}]", "'kind' is given twice"),
        ("devices: [{serial: 'a; reboot', kind: phone}]", r"serial.*devices\[0\]"),
        ("devices: !!python/object/apply:os.system [id]", "python/object"),
        ("devices: [", "devices.yaml"),
        ("", "devices.yaml"),
        ("[" * 1100, "devices.yaml"),
    ],
)
def test_a_bad_inventory_says_where_and_why(read, text, reason):
    with pytest.raises(EnrolmentError, match=reason):
        read(text)


@pytest.mark.parametrize(
    "serial",
    ["R5CT30ABCDE", "emulator-5554", "127.0.0.1:5555", "lab-phone.local:40001", "[::1]:5555", "adb-X1-a._adb-tls._tcp"],
)
def test_serials_as_adb_writes_them_are_taken(serial):
    assert check_serial(serial) == serial


@pytest.mark.parametrize(
    "serial",
    ["", "-s", "--help", "a b", "a;reboot", "$(id)", "`id`", "a\n", "a:0", "a:65536", "a:5555:shell", "a:x", "../x",
     "é", "a" * 200, "host::x", "[::1]", "a\0", "a|b", "a&b", "'a'"],
)  # fmt: skip
def test_what_could_be_misread_is_no_serial(serial):
    with pytest.raises(EnrolmentError, match="not a device serial"):
        check_serial(serial)
