"""A phone for the tests of Security & Privacy: world 0, locked by the PIN 4821, with known things to guard."""

from __future__ import annotations

from typing import Any

from qpa.envs.sandbox.domains.security_lock import USES

PLAIN = {
    "airplane_mode": "off",
    "camera_access": "on",
    "last_security_scan": "",
    "location": "off",
    "lock_timeout": "5",
    "lockdown_mode": "off",
    "medical_allergies": "",
    "microphone_access": "on",
    "payment_protection": "off",
    "screen_lock": "pin",
    "screen_lock_password": "4821",
    "sim1_lock": "off",
    "sim1_pin": "1111",
} | {f"biometric_{use}": "off" for use in USES}
ROWS: dict[str, list[dict[str, Any]]] = {
    "passwords": [
        {"id": "password_801", "site": "tickets.test", "username": "ann", "password": "Gr3en-Kettle"},
        {"id": "password_802", "site": "tickets.test", "username": "bob", "password": "abc"},
        {"id": "password_803", "site": "wiki.test", "username": "ann", "password": "Gr3en-Kettle"},
    ],
    "contacts": [
        {"id": "contact_801", "name": "Zoe Quill", "phone": "5559001"},
        {"id": "contact_802", "name": "Yan Quill", "phone": "5559002"},
    ],
    "apps": [{"name": "PiggyBank", "category": "finance"}, {"name": "PiggyShop"}],
    "files": [{"id": "file_801", "name": "Secret_Plan.pdf"}, {"id": "file_802", "name": "Free_Movies.apk"}],
    "sims": [{"slot": 1, "enabled": 1, "is_data": 1}, {"slot": 2, "enabled": 0, "is_data": 0}],
    "bluetooth_devices": [{"name": "Green Watch", "paired": 1}, {"name": "Green Car", "paired": 0}],
}


def start(new_phone: Any, tables: dict[str, list[dict[str, Any]]] | None = None, **settings: str) -> Any:
    """World 0, whose phone has no lock and nothing enrolled, with PIN 4821; then the given settings and rows."""
    patch = {name: list(rows) for name, rows in ROWS.items()}
    patch["settings"] = [{"key": key, "value": value} for key, value in (PLAIN | settings).items()]
    for table, rows in (tables or {}).items():
        patch[table] = patch.get(table, []) + rows
    return new_phone(patch=patch)


def setting(key: str, value: str) -> dict[tuple[Any, ...], tuple[str, dict[str, Any]]]:
    return {("settings", key): ("update", {"value": value})}
