"""Apps & Storage: what an app may do (permissions, background work) and the data it keeps.

A row of `app_permissions` is a permission held; a permission without a row is denied. Any app may be given any.
"""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.apps_core import NAME, find_app, leave, page, put
from qpa.envs.sandbox.tool import ToolContext, bad, conflict, need, ok, tool

SCHEMA = """
CREATE TABLE app_permissions (
  app TEXT NOT NULL, permission TEXT NOT NULL, access TEXT NOT NULL DEFAULT 'always', PRIMARY KEY (app, permission)
) STRICT, WITHOUT ROWID;
"""

Permission = Literal[
    "camera",
    "microphone",
    "location",
    "contacts",
    "calendar",
    "storage",
    "phone",
    "sms",
    "display_over_apps",
    "install_unknown_apps",
    "modify_settings",
    "usage_access",
]
SPECIAL = ("display_over_apps", "install_unknown_apps", "modify_settings", "usage_access")
_IN_USE = {"location": ("while_using", "always", "ask"), "camera": ("while_using", "ask")}
_IN_USE["microphone"] = _IN_USE["camera"]


def access_levels(permission: str) -> tuple[str, ...]:
    """What may be chosen for a permission, the usual choice first."""
    return _IN_USE.get(permission, ("always",))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_app_permission(
    ctx: ToolContext,
    action: Literal["grant", "revoke", "query"],
    appName: str | None = None,
    permission: Permission | None = None,
    access: Literal["always", "while_using", "ask"] | None = None,
) -> dict[str, Any]:
    """Grant, revoke or query permissions by app or permission."""
    if access is not None and action != "grant":
        raise bad("access only goes with grant")
    if action == "query":
        return _query_permissions(ctx, appName, permission)
    app, wanted = find_app(ctx, need(appName, "appName"))["name"], need(permission, "a permission")
    held = ctx.one("SELECT access FROM app_permissions WHERE app = ? AND permission = ?", app, wanted)
    if action == "revoke":
        if held is None:
            return ok(f"{app}: {wanted} already denied")
        ctx.execute("DELETE FROM app_permissions WHERE app = ? AND permission = ?", app, wanted)
        return ok(f"{app}: {wanted} denied")
    levels = access_levels(wanted)
    level = access or levels[0]
    if level not in levels:
        raise bad(f"{wanted} access must be {'|'.join(levels)}")
    if held == {"access": level}:
        return ok(f"{app}: {wanted} already granted", access=level)
    if held is None:
        ctx.insert("app_permissions", app=app, permission=wanted, access=level)
    else:
        sql = "UPDATE app_permissions SET access = ? WHERE app = ? AND permission = ?"
        ctx.execute(sql, level, app, wanted)
    return ok(f"{app}: {wanted} granted", access=level)


def _query_permissions(ctx: ToolContext, app_name: str | None, permission: str | None) -> dict[str, Any]:
    if app_name is None and permission is None:
        raise bad("Give appName or permission")
    rows = ctx.rows("SELECT * FROM app_permissions ORDER BY app, permission")
    if permission is not None:
        rows = [row for row in rows if row["permission"] == permission]
    if app_name is None:
        return page([{"app": row["app"], "access": row["access"]} for row in rows], f"apps with {permission}")
    app = find_app(ctx, app_name)["name"]
    held = {row["permission"]: row["access"] for row in rows if row["app"] == app}
    if permission is not None:
        return ok(app, access=held.get(permission, "denied"))
    return ok(app, permissions=held)  # at most one of each kind, and a person needs all of them


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_app_battery_use(
    ctx: ToolContext, appName: str, mode: Literal["unrestricted", "optimized", "restricted"]
) -> dict[str, Any]:
    """Set how much an app may do in background."""
    app = find_app(ctx, appName)
    if mode == "restricted" and app["kind"] == "core":
        raise conflict(f"{app['name']} cannot be restricted")
    # A restricted app does not start by itself either.
    autostart = 0 if mode == "restricted" else app["autostart"]
    changed = put(ctx, app, battery=mode, autostart=autostart)
    return ok(f"{app['name']} {'' if changed else 'already '}{mode}")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_app_autostart(
    ctx: ToolContext, action: Literal["enable", "disable", "query"], appName: str | None = None
) -> dict[str, Any]:
    """Let an app start by itself or not, or list."""
    if action == "query":
        apps = ctx.rows("SELECT name FROM apps WHERE autostart = 1 ORDER BY name")
        if appName is not None:
            name = find_app(ctx, appName)["name"]
            apps = [app for app in apps if app["name"] == name]
        return page([{"app": app["name"]} for app in apps], "autostart apps")
    app = find_app(ctx, need(appName, "appName"))
    if action == "enable" and app["battery"] == "restricted":
        raise conflict(f"{app['name']} is restricted in background")
    if action == "enable" and not app["enabled"]:
        raise conflict(f"{app['name']} is disabled")
    changed = put(ctx, app, autostart=int(action == "enable"))
    return ok(f"{app['name']} autostart {'' if changed else 'already '}{'on' if action == 'enable' else 'off'}")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def clear_app_cache(ctx: ToolContext, appName: str | None = None) -> dict[str, Any]:
    """Clear the cache of one app, or of all."""
    apps = ctx.rows("SELECT * FROM apps ORDER BY name") if appName is None else [find_app(ctx, appName)]
    freed = sum(app["cache_mb"] for app in apps)
    for app in apps:
        put(ctx, app, cache_mb=0)
    return ok("Cache cleared" if freed else "Cache already clear", freed_mb=freed)


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def clear_app_data(ctx: ToolContext, appName: str) -> dict[str, Any]:
    """Reset an app: accounts, files, cache and permissions gone."""
    app = find_app(ctx, appName)
    if app["kind"] == "core":
        raise conflict(f"Data of {app['name']} cannot be cleared")
    changed = put(ctx, app, data_mb=0, cache_mb=0, running=0)
    leave(ctx, app["name"])
    ctx.execute("DELETE FROM notifications WHERE app = ?", app["name"])
    # Android resets the runtime permissions with the data; special access is kept.
    marks = ", ".join("?" * len(SPECIAL))
    sql = f"DELETE FROM app_permissions WHERE app = ? AND permission NOT IN ({marks})"
    ctx.execute(sql, app["name"], *SPECIAL)
    return ok(f"{app['name']} data {'' if changed else 'already '}cleared", freed_mb=app["data_mb"] + app["cache_mb"])


TOOLS = (manage_app_permission, set_app_battery_use, manage_app_autostart, clear_app_cache, clear_app_data)
