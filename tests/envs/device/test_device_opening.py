"""From an inventory and a grants file to an environment."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from env_phones import env_over, task_of

from qpa.contract import Effect, EnvFailure, FailureCause
from qpa.envs.device.double.phone import SandboxPhone
from qpa.envs.device.enrolment import DeviceKind, EnrolledDevice, Enrolment, EnrolmentError
from qpa.envs.device.env import default_grants
from qpa.envs.device.hand import GRANTS
from qpa.envs.device.opening import open_devices, read_grants

DEVICE = EnrolledDevice(serial="R5CT30ABCDE", kind=DeviceKind.PHONE)


def test_grants_are_given_to_tasks_by_name(tmp_path: Path):
    path = tmp_path / "grants.json"
    path.write_text(json.dumps({"device-*": ["tap_send"], "device-test": ["call"], "other": ["uninstall"]}))
    assert read_grants(path)(task_of([]), DEVICE) == {"tap_send", "call"}


@pytest.mark.parametrize("text", ["{", "[]", '{"a": "call"}', '{"a": ["shell"]}', '{"a": [1]}'])
def test_a_bad_grants_file_is_refused_by_name(text: str, tmp_path: Path):
    path = tmp_path / "grants.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"grants\.json"):
        read_grants(path)


def test_by_default_a_double_may_do_what_its_inventory_says_and_a_phone_nothing_for_good():
    assert default_grants(task_of([]), DEVICE) == frozenset()
    assert default_grants(task_of([]), EnrolledDevice(serial="a:1", kind=DeviceKind.EMULATOR)) == frozenset()
    assert default_grants(task_of([]), EnrolledDevice(serial="a:1", kind=DeviceKind.DOUBLE)) == GRANTS
    assert DEVICE.effects == [Effect.READ, Effect.REVERSIBLE]


def test_a_bad_inventory_starts_no_server(tmp_path: Path):
    path = tmp_path / "devices.yaml"
    path.write_text("devices: [{serial: '; reboot', kind: phone}]")
    with pytest.raises(EnrolmentError, match=r"devices\.yaml"), open_devices(path, tmp_path / "journals"):
        pass


def test_health_is_a_round_trip_to_every_device(tmp_path: Path):
    env, links = env_over(tmp_path, SandboxPhone(12), SandboxPhone(14))
    links[1].fail = lambda argv: EnvFailure("phone-1: offline", FailureCause.CONNECTION)
    one, two = asyncio.run(env.health())
    assert one.problem == "" and one.facts is not None and one.facts.sdk == 31 and one.facts.double
    assert two.problem == "phone-1: offline" and two.facts is None


def test_what_must_be_put_back_lies_beside_the_inventory_whoever_plays(tmp_path: Path):
    """Evaluations with folders of their own, RL and a server find each other's journals."""
    path = tmp_path / "devices.yaml"
    path.write_text("devices: [{serial: '127.0.0.1:5655', kind: double}]")
    with open_devices(path):
        assert (tmp_path / "devices.journals").is_dir()
    with open_devices(path, tmp_path / "elsewhere"):
        assert (tmp_path / "elsewhere").is_dir()
    without_a_file = open_devices(Enrolment([DEVICE]))
    with pytest.raises(ValueError, match="needs a folder for its journals"), without_a_file:
        pass
