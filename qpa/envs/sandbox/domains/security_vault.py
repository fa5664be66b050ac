"""Security & Privacy, what is kept hidden: saved passwords, private space for apps, safe folder for files."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.links import find_named
from qpa.envs.sandbox.domains.phone_state import SHOWN, page
from qpa.envs.sandbox.domains.security_lock import (
    NAME,
    require_confirmation,
    require_screen_lock,
    rule_items,
    set_rule,
    switch_app_rule,
)
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, missing, need, ok, tool

SCHEMA = """
CREATE TABLE passwords (
  id TEXT PRIMARY KEY, site TEXT NOT NULL, username TEXT NOT NULL, password TEXT NOT NULL,
  updated_at TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
"""

MAX_PASSWORD = 64
_ALPHABETS = ("ABCDEFGHJKLMNPQRSTUVWXYZ", "abcdefghijkmnopqrstuvwxyz", "23456789", "!#$%&*+-=?@")  # no look-alikes


def is_weak(password: str) -> bool:
    """Shorter than 8 characters, or without a letter or a digit."""
    mixed = any(c.isdigit() for c in password) and any(c.isalpha() for c in password)
    return len(password) < 8 or not mixed


def _accounts(ctx: ToolContext, site: str | None, username: str | None) -> list[Row]:
    """Accounts of this site, or of sites that contain the word, with this user name when one is given."""
    rows = ctx.rows("SELECT * FROM passwords ORDER BY id")
    if username is not None:
        rows = [row for row in rows if row["username"].casefold() == username.casefold()]
    if site is None:
        return rows
    folded = site.casefold()
    exact = [row for row in rows if row["site"].casefold() == folded]
    return exact or [row for row in rows if folded in row["site"].casefold()]


def _account(ctx: ToolContext, site: str, username: str | None) -> Row:
    found = _accounts(ctx, site, username)
    if not found:
        raise missing(f"No password for {site[:30]}")
    if len(found) > 1:
        names = [f"{row['site']} {row['username']}" for row in found[:SHOWN]]
        raise conflict(f"{len(found)} accounts match: {', '.join(names)}")
    return found[0]


def _same(ctx: ToolContext, site: str, username: str) -> Row | None:
    """The account with exactly this site and user name."""
    return next((r for r in _accounts(ctx, site, username) if r["site"].casefold() == site.casefold()), None)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_password(
    ctx: ToolContext,
    action: Literal["save", "update", "query"],
    site: str | None = None,
    username: str | None = None,
    password: str | None = None,
) -> dict[str, Any]:
    """Save, update or list passwords, without showing them."""
    if action == "query":
        found = _accounts(ctx, site, username)
        items = [
            {"site": r["site"], "username": r["username"], "strength": "weak" if is_weak(r["password"]) else "strong"}
            for r in found[:SHOWN]
        ]
        return ok(f"{len(found)} passwords", items=items, total=len(found))
    place, secret = need(site, "a site"), need(password, "a password")
    if len(secret) > MAX_PASSWORD:
        raise bad(f"password is longer than {MAX_PASSWORD} characters")
    if action == "save":
        user = need(username, "a username")
        if _same(ctx, place, user):
            raise conflict("Account already saved; use update")
        _store(ctx, place, user, secret)
        return ok("Password saved", site=place, username=user)
    row = _account(ctx, place, username)
    if row["password"] == secret:
        return ok("Password already so", site=row["site"])
    _replace(ctx, row["id"], secret)
    return ok("Password updated", site=row["site"], username=row["username"])


def _store(ctx: ToolContext, site: str, username: str, password: str) -> None:
    row_id, at = ctx.new_id("password"), ctx.now.isoformat()
    ctx.insert("passwords", id=row_id, site=site, username=username, password=password, updated_at=at)


def _replace(ctx: ToolContext, row_id: str, password: str) -> None:
    sql = "UPDATE passwords SET password = ?, updated_at = ? WHERE id = ?"
    ctx.execute(sql, password, ctx.now.isoformat(), row_id)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def generate_password(ctx: ToolContext, site: str, username: str, length: int | None = None) -> dict[str, Any]:
    """Generate a strong password and save it for an account."""
    size = 16 if length is None else in_range("length", length, 8, MAX_PASSWORD)
    old = _same(ctx, site, username)
    # The old secret is part of the seed: generating again gives another password.
    seed = "\n".join((ctx.now.isoformat(), site.casefold(), username.casefold(), old["password"] if old else ""))
    secret = _generated(seed, size)
    if old is None:
        _store(ctx, site, username, secret)
    else:
        _replace(ctx, old["id"], secret)
    return ok("Password generated", site=site, username=username, replaced=old is not None)


def _generated(seed: str, length: int) -> str:
    letters = []
    for index in range(length):
        # One of each kind first, then of all kinds.
        alphabet = _ALPHABETS[index] if index < len(_ALPHABETS) else "".join(_ALPHABETS)
        digest = hashlib.sha256(f"{index}\n{seed}".encode()).digest()
        letters.append(alphabet[int.from_bytes(digest[:4], "big") % len(alphabet)])
    return "".join(letters)


@tool(domain=NAME, effect=Effect.READ)
def show_password(ctx: ToolContext, site: str, confirmed: bool, username: str | None = None) -> dict[str, Any]:
    """Show one saved password after the person confirmed."""
    row = _account(ctx, site, username)
    require_confirmation(confirmed)
    return ok("Password shown", site=row["site"], username=row["username"], password=row["password"])


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def delete_password(ctx: ToolContext, site: str, confirmed: bool, username: str | None = None) -> dict[str, Any]:
    """Delete one saved password for good."""
    row = _account(ctx, site, username)
    require_confirmation(confirmed)
    ctx.execute("DELETE FROM passwords WHERE id = ?", row["id"])
    return ok("Password deleted", site=row["site"], username=row["username"])


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_private_space(
    ctx: ToolContext, action: Literal["hide", "show", "query"], appName: str | None = None
) -> dict[str, Any]:
    """Hide an app in the private space, bring back, query."""
    if action == "query":
        apps = rule_items(ctx, "private_space")
        return page(f"{len(apps)} hidden apps", apps)
    require_screen_lock(ctx)
    return switch_app_rule(ctx, "private_space", "Hiding", action == "hide", appName)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_safe_folder(
    ctx: ToolContext, action: Literal["move_in", "move_out", "query"], fileName: str | None = None
) -> dict[str, Any]:
    """Hide photos and files in the safe folder, or list."""
    inside = rule_items(ctx, "safe_folder")
    if action == "query":
        return page(f"{len(inside)} files", inside)
    require_screen_lock(ctx)
    wanted = need(fileName, "fileName")
    if action == "move_out":
        name = find_named([{"name": item} for item in inside], "name", wanted, "Safe file")["name"]
        set_rule(ctx, "safe_folder", name, False)
        return ok("File moved out", fileName=name)
    name = find_named(ctx.rows("SELECT name FROM files ORDER BY name"), "name", wanted, "File")["name"]
    moved = set_rule(ctx, "safe_folder", name, True)
    return ok("File moved in" if moved else "File already inside", fileName=name)


TOOLS = (
    manage_password,
    generate_password,
    show_password,
    delete_password,
    manage_private_space,
    manage_safe_folder,
)
