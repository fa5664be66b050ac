"""Many devices in one process."""

from __future__ import annotations

import asyncio

import pytest
from wire_phone import WirePhone
from wire_rig import link

from qpa.envs.device.double.fleet import Fleet

DEVICES = 64


def test_64_devices_answer_at_once_each_for_itself(server):
    with Fleet(WirePhone, DEVICES) as fleet:
        links = [link(server, serial) for serial in fleet.serials]

        async def use(index: int) -> None:
            for _ in range(3):
                assert (await links[index].shell("id", deadline_s=60)).stdout == f"index={index}\n".encode()

        async def main() -> None:
            await asyncio.gather(*map(use, range(DEVICES)))

        asyncio.run(main())
        assert len(set(fleet.serials)) == DEVICES
        for index in (0, DEVICES - 1):
            assert fleet.on_phone(index, lambda phone: phone.commands.count("id")) == 3


def test_ports_can_be_chosen_and_survive_a_restart():
    with Fleet(WirePhone, 1) as fleet:
        port = fleet.devices[0].port
        fleet.restart(0)
        assert fleet.devices[0].port == port
    with Fleet(WirePhone, 1, first_port=port) as fleet:
        assert fleet.serials == [f"127.0.0.1:{port}"]
        with pytest.raises(OSError, match="in use"), Fleet(WirePhone, 1, first_port=port):
            pass


@pytest.mark.parametrize(("count", "port"), [(0, 0), (2, 80), (10, 65530)])
def test_impossible_fleets_are_refused(count, port):
    with pytest.raises(ValueError, match="a fleet needs"):
        Fleet(WirePhone, count, first_port=port)
