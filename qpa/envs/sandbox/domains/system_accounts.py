"""System Settings: accounts and their sync, user profiles, backups.

A backup holds the values of `BACKED_UP` settings as JSON; restoring it writes them back. The owner's profile manages
the others, and exactly one profile is active.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.links import find_named, online, require_online
from qpa.envs.sandbox.domains.phone_state import SHOWN, is_on
from qpa.envs.sandbox.domains.system_common import NAME, require_owner, same, switch, turn_off
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, need, ok, tool

SCHEMA = """
CREATE TABLE accounts (
  name TEXT PRIMARY KEY, provider TEXT NOT NULL DEFAULT 'google', sync INTEGER NOT NULL DEFAULT 1,
  last_sync TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE user_profiles (
  name TEXT PRIMARY KEY, kind TEXT NOT NULL DEFAULT 'user', active INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE backups (
  name TEXT PRIMARY KEY, location TEXT NOT NULL DEFAULT 'local', created_at TEXT NOT NULL DEFAULT '',
  content TEXT NOT NULL DEFAULT '{}'
) STRICT, WITHOUT ROWID;
"""

BACKED_UP = (
    "control_center_tiles",
    "desktop_app_names",
    "desktop_grid",
    "desktop_icon_size",
    "input_method",
    "input_methods_enabled",
    "language",
    "language_list",
    "navigation_mode",
    "region",
    "touch_hold_delay",
)
MAX_PROFILES, MAX_BACKUPS, MAX_NAME = 5, 8, 40
_ADDRESS = re.compile(r"[^@\s,]{1,64}@[^@\s,.]+(?:\.[^@\s,.]+)*\.[^@\s,.]{2,}")


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="GET_ACCOUNTS")
def manage_account(
    ctx: ToolContext,
    action: Literal["add", "remove", "query"],
    accountName: str | None = None,
    provider: Literal["google", "microsoft", "yahoo", "exchange"] | None = None,
) -> dict[str, Any]:
    """Add, remove or list accounts on the phone."""
    accounts = ctx.rows("SELECT * FROM accounts ORDER BY name")
    if action == "query":
        items = [{"account": row["name"], "provider": row["provider"]} for row in accounts[:SHOWN]]
        return ok(f"{len(accounts)} accounts", items=items, total=len(accounts))
    wanted = need(accountName, "accountName")
    if action == "remove":
        account = find_named(accounts, "name", wanted, "Account")
        ctx.execute("DELETE FROM accounts WHERE name = ?", account["name"])
        if len(accounts) == 1:
            turn_off(ctx, "auto_backup")  # nothing is left to keep it in
        return ok("Account removed", account=account["name"])
    if len(wanted) > 100 or not _ADDRESS.fullmatch(wanted):
        raise bad("accountName must be an email address")
    owner = need(provider, "provider")
    if same(wanted, [row["name"] for row in accounts]):
        raise conflict("Account already exists")
    require_online(ctx)
    ctx.insert("accounts", name=wanted, provider=owner)
    return ok("Account added", account=wanted)


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="GET_ACCOUNTS")
def manage_account_sync(
    ctx: ToolContext, action: Literal["enable", "disable", "sync_now", "query"], accountName: str | None = None
) -> dict[str, Any]:
    """Turn account sync on or off, or sync now."""
    accounts = ctx.rows("SELECT * FROM accounts ORDER BY name")
    if accountName is not None:
        accounts = [find_named(accounts, "name", accountName, "Account")]
    if action == "query":
        items = [
            {"account": row["name"], "sync": bool(row["sync"]), "last_sync": row["last_sync"]}
            for row in accounts[:SHOWN]
        ]
        return ok("Sync status", automatic=is_on(ctx, "auto_sync"), items=items, total=len(accounts))
    if action == "sync_now":
        return _sync_now(ctx, accounts)
    if accountName is None:
        return switch(ctx, "auto_sync", "Automatic sync", action)
    name, wanted = accounts[0]["name"], int(action == "enable")
    if accounts[0]["sync"] == wanted:
        return ok(f"Sync already {action}d", account=name)
    ctx.execute("UPDATE accounts SET sync = ? WHERE name = ?", wanted, name)
    return ok(f"Sync {action}d", account=name)


def _sync_now(ctx: ToolContext, accounts: list[Row]) -> dict[str, Any]:
    names = [row["name"] for row in accounts if row["sync"]]
    if not names:
        raise conflict("Sync is off for every account" if len(accounts) != 1 else "Sync is off for this account")
    require_online(ctx)
    if ctx.setting("battery_mode", "normal") == "super_saving":
        raise conflict("Super saving is on")
    for name in names:
        ctx.execute("UPDATE accounts SET last_sync = ? WHERE name = ?", ctx.now.isoformat(), name)
    return ok("Synced", accounts=names[:SHOWN], total=len(names))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_user_profile(
    ctx: ToolContext, action: Literal["create", "switch", "delete", "query"], profileName: str | None = None
) -> dict[str, Any]:
    """Create, switch, delete or list user profiles and guest."""
    profiles = ctx.rows("SELECT * FROM user_profiles ORDER BY name")
    active = next((row["name"] for row in profiles if row["active"]), "")
    if action == "query":
        return ok("User profiles", active=active, profiles=[row["name"] for row in profiles])
    wanted = need(profileName, "profileName")
    if action == "create":
        return _create_profile(ctx, profiles, wanted)
    profile = find_named(profiles, "name", wanted, "Profile")
    if action == "switch":
        if profile["active"]:
            return ok(f"Already in {active}", active=active)
        ctx.execute("UPDATE user_profiles SET active = 0 WHERE active = 1")
        ctx.execute("UPDATE user_profiles SET active = 1 WHERE name = ?", profile["name"])
        return ok(f"Switched to {profile['name']}", active=profile["name"])
    require_owner(ctx)
    if profile["kind"] != "user":
        raise conflict(f"{profile['name']} cannot be deleted")
    ctx.execute("DELETE FROM user_profiles WHERE name = ?", profile["name"])
    return ok("Profile deleted", profile=profile["name"])


def _create_profile(ctx: ToolContext, profiles: list[Row], name: str) -> dict[str, Any]:
    require_owner(ctx)
    _check_name(name, profiles, "Profile")
    if len(profiles) >= MAX_PROFILES:
        raise conflict(f"At most {MAX_PROFILES} profiles fit")
    ctx.insert("user_profiles", name=name)
    return ok("Profile created", profile=name)


def _check_name(name: str, rows: list[Row], label: str) -> None:
    if len(name) > MAX_NAME:
        raise bad(f"Name is longer than {MAX_NAME} characters")
    if same(name, [row["name"] for row in rows]):
        raise conflict(f"{label} already exists: {name}")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_backup(
    ctx: ToolContext,
    action: Literal["create", "restore", "delete", "enable_auto", "disable_auto", "query"],
    backupName: str | None = None,
    location: Literal["local", "cloud"] | None = None,
) -> dict[str, Any]:
    """Create, restore, delete or list backups of phone settings."""
    if location is not None and action != "create":
        raise bad("location only goes with create")
    backups = ctx.rows("SELECT * FROM backups ORDER BY created_at DESC, name")
    if action == "query":
        items = [{name: row[name] for name in ("name", "location", "created_at")} for row in backups[:SHOWN]]
        return ok(f"{len(backups)} backups", items=items, total=len(backups), automatic=is_on(ctx, "auto_backup"))
    if action.endswith("auto"):
        if action == "enable_auto":
            _need_account(ctx)
        return switch(ctx, "auto_backup", "Automatic backup", action.removesuffix("_auto"))
    if action == "create":
        return _create_backup(ctx, backups, backupName, location or "local")
    backup = find_named(backups, "name", need(backupName, "backupName"), "Backup")
    if action == "restore":
        return _restore(ctx, backup)
    ctx.execute("DELETE FROM backups WHERE name = ?", backup["name"])
    return ok("Backup deleted", backup=backup["name"])


def _need_account(ctx: ToolContext) -> None:
    if ctx.one("SELECT name FROM accounts") is None:
        raise conflict("No account for cloud backup")


def _create_backup(ctx: ToolContext, backups: list[Row], name: str | None, location: str) -> dict[str, Any]:
    if location == "cloud":
        _need_account(ctx)
        require_online(ctx)
    name = name or f"Backup {ctx.now:%Y-%m-%d %H:%M}"
    _check_name(name, backups, "Backup")
    if len(backups) >= MAX_BACKUPS:
        raise conflict(f"At most {MAX_BACKUPS} backups fit")
    content = saved({row["key"]: row["value"] for row in ctx.rows("SELECT key, value FROM settings")})
    ctx.insert("backups", name=name, location=location, created_at=ctx.now.isoformat(), content=content)
    return ok("Backup created", backup=name, location=location)


def saved(settings: dict[str, str]) -> str:
    """The content of a backup made of these settings."""
    kept = {key: settings[key] for key in BACKED_UP if key in settings}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def _restore(ctx: ToolContext, backup: Row) -> dict[str, Any]:
    if backup["location"] == "cloud" and not online(ctx):
        raise conflict("No network")
    content = json.loads(backup["content"])
    changed = sum(ctx.set_setting(key, content[key]) for key in BACKED_UP if key in content)
    if not changed:
        return ok("Settings already as in the backup", backup=backup["name"])
    return ok("Backup restored", backup=backup["name"], settings_changed=changed)


TOOLS = (manage_account, manage_account_sync, manage_user_profile, manage_backup)
