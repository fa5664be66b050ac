"""Apps & Storage: the store. `apps` holds what is installed, `store_apps` all that the store offers."""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.apps_core import (
    NAME,
    find,
    find_app,
    page,
    require_network,
    require_space,
    retire,
)
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, need, ok, tool

SCHEMA = """
CREATE TABLE store_apps (
  name TEXT PRIMARY KEY, category TEXT NOT NULL DEFAULT '', roles TEXT NOT NULL DEFAULT '',
  version TEXT NOT NULL DEFAULT '1.0', size_mb INTEGER NOT NULL DEFAULT 50
) STRICT, WITHOUT ROWID;
"""


def _installed(ctx: ToolContext) -> dict[str, Row]:
    return {row["name"]: row for row in ctx.rows("SELECT * FROM apps ORDER BY name")}


@tool(domain=NAME, effect=Effect.READ)
def search_app_store(ctx: ToolContext, keyword: str | None = None, category: str | None = None) -> dict[str, Any]:
    """Search the app store by name or category."""
    require_network(ctx)
    rows = ctx.rows("SELECT * FROM store_apps ORDER BY name")
    if keyword is not None:
        rows = [row for row in rows if keyword.casefold() in row["name"].casefold()]
    if category is not None:
        rows = [row for row in rows if row["category"] == category.casefold()]
    installed = _installed(ctx)
    items = [
        {
            "app": row["name"],
            "category": row["category"],
            "size_mb": row["size_mb"],
            "installed": row["name"] in installed,
        }
        for row in rows
    ]
    return page(items, "store apps")


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="REQUEST_INSTALL_PACKAGES")
def install_app(ctx: ToolContext, appName: str) -> dict[str, Any]:
    """Install an app from the store."""
    installed = _installed(ctx)
    same = next((name for name in installed if name.casefold() == appName.casefold()), None)
    if same is not None:
        return ok(f"{same} already installed")
    offer = find(ctx.rows("SELECT * FROM store_apps ORDER BY name"), "name", appName, "store app")
    if offer["name"] in installed:
        return ok(f"{offer['name']} already installed")
    require_network(ctx, offer["size_mb"])
    require_space(ctx, 1024 * offer["size_mb"])
    ctx.insert("apps", **offer)
    return ok(f"{offer['name']} installed", version=offer["version"], size_mb=offer["size_mb"])


@tool(domain=NAME, effect=Effect.IRREVERSIBLE, permission="REQUEST_DELETE_PACKAGES")
def uninstall_app(ctx: ToolContext, appName: str) -> dict[str, Any]:
    """Uninstall an app with all its data."""
    app = find_app(ctx, appName)
    if app["kind"] != "user":
        raise conflict(f"{app['name']} is a system app")
    ctx.execute("DELETE FROM apps WHERE name = ?", app["name"])
    ctx.execute("DELETE FROM app_permissions WHERE app = ?", app["name"])
    retire(ctx, app)
    return ok(f"{app['name']} uninstalled", freed_mb=app["size_mb"] + app["data_mb"] + app["cache_mb"])


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="REQUEST_INSTALL_PACKAGES")
def manage_app_updates(
    ctx: ToolContext, action: Literal["query", "update", "update_all"], appName: str | None = None
) -> dict[str, Any]:
    """List available updates, update one app or all."""
    if appName is not None and action == "update_all":
        raise bad("appName only goes with update or query")
    sql = (
        "SELECT s.name, s.version, s.size_mb, a.size_mb AS old_mb FROM store_apps s JOIN apps a ON a.name = s.name "
        "WHERE a.enabled = 1 AND a.version <> s.version ORDER BY s.name"
    )
    pending = ctx.rows(sql)
    if action == "update" or appName is not None:
        app = find_app(ctx, need(appName, "appName"))
        if action == "update" and not app["enabled"]:
            raise conflict(f"{app['name']} is disabled")
        pending = [row for row in pending if row["name"] == app["name"]]
    if action == "query":
        return page([{"app": r["name"], "version": r["version"], "size_mb": r["size_mb"]} for r in pending], "updates")
    if not pending:
        return ok("Already up to date")
    require_network(ctx, max(row["size_mb"] for row in pending))
    require_space(ctx, 1024 * sum(max(0, row["size_mb"] - row["old_mb"]) for row in pending))
    for row in pending:
        ctx.execute(
            "UPDATE apps SET version = ?, size_mb = ? WHERE name = ?", row["version"], row["size_mb"], row["name"]
        )
    return ok(f"{len(pending)} apps updated", apps=[row["name"] for row in pending][:5])


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_app_auto_update(ctx: ToolContext, mode: Literal["off", "wifi_only", "any_network"]) -> dict[str, Any]:
    """Choose when apps update by themselves."""
    changed = ctx.set_setting("app_auto_update", mode)
    return ok(f"Auto-update {'set' if changed else 'already set'}", mode=mode)


TOOLS = (search_app_store, install_app, uninstall_app, manage_app_updates, set_app_auto_update)
