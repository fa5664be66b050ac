"""Where one domain's state decides what another domain's tool may do."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from qpa.envs.sandbox.domains import DOMAINS
from qpa.envs.sandbox.schema import World
from qpa.envs.sandbox.world import make_world

SESSIONS = {
    "casting_device": "Living Room TV",
    "casting_direction": "cast_out",
    "casting_method": "wireless",
    "collaboration_device": "Tab S9",
    "collaboration_mode": "mirror",
    "keyboard_sharing_source": "Laptop",
    "keyboard_sharing_target": "Tab S9",
}


def patch(**settings: str) -> dict[str, list[dict[str, str]]]:
    return {"settings": [{"key": key, "value": value} for key, value in settings.items()]}


def cleared(phone) -> set[str]:
    return {c.key["key"] for c in phone.changes() if c.table == "settings" and c.new == {"value": ""}}


@pytest.mark.parametrize(
    ("tool", "method", "ended"),
    [
        ("manage_wifi", "wireless", {"casting", "collaboration"}),
        ("manage_bluetooth", "wireless", {"collaboration", "keyboard_sharing"}),
        ("manage_bluetooth", "smart_space", {"casting", "collaboration", "keyboard_sharing"}),
    ],
)
def test_a_radio_that_goes_off_ends_what_it_carries(new_phone, tool, method, ended):
    phone = new_phone(patch=patch(wifi="on", bluetooth="on", **SESSIONS | {"casting_method": method}))
    assert phone.use(tool, action="disable").ok
    assert cleared(phone) == {key for key in SESSIONS if key.rpartition("_")[0] in ended}


@pytest.mark.parametrize(
    ("sensor", "tool", "arguments"),
    [
        ("camera", "take_photo", {}),
        ("camera", "scan_qr_code", {}),
        ("microphone", "control_voice_recorder", {"action": "start"}),
        ("microphone", "record_video", {"action": "start"}),
    ],
)
def test_a_sensor_that_is_switched_off_serves_no_app(new_phone, sensor, tool, arguments):
    free = patch(battery_mode="normal", camera_access="on", microphone_access="on", video_recording="off")
    phone = new_phone(patch=free)
    assert phone.use("manage_sensor_access", sensor=sensor, action="disable").ok
    feedback = phone.use(tool, **arguments)
    assert feedback.code == 409 and "access is off" in feedback.payload["error"]


def test_every_seeded_setting_has_one_owner():
    world = World(5, {t: make_world(5).rows[t] for t in ("files", "apps")})
    for domain in DOMAINS:
        domain.seed_rows(random.Random(f"seam:{domain.name}"), world)
    counts = Counter(row["key"] for row in world.rows["settings"])
    assert [key for key, n in counts.items() if n > 1] == []
    assert {row["key"] for row in make_world(5).rows["settings"]} == set(counts)
