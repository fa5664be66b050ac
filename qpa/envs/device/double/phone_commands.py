"""All commands of the double's shell by name."""

from __future__ import annotations

from qpa.envs.device.double import (
    phone_am,
    phone_cmd,
    phone_content,
    phone_dumpsys,
    phone_input,
    phone_media,
    phone_packages,
    phone_settings,
    phone_system,
    phone_toybox,
    phone_toybox_files,
)
from qpa.envs.device.double.phone_base import Command

COMMANDS: dict[str, Command] = {
    **phone_toybox.COMMANDS,
    **phone_toybox_files.COMMANDS,
    **phone_am.COMMANDS,
    **phone_cmd.COMMANDS,
    **phone_content.COMMANDS,
    **phone_dumpsys.COMMANDS,
    **phone_input.COMMANDS,
    **phone_media.COMMANDS,
    **phone_packages.COMMANDS,
    **phone_settings.COMMANDS,
    **phone_system.COMMANDS,
}
