"""Apps & Storage: opening and closing apps, recents, and what an app is to the phone (disabled, hidden, dual, default).

The app in front is the setting `foreground_app` ("" is the home screen); it always runs. Closing ends an app for now;
a force-stopped one stays stopped until it is opened again.
"""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.apps_core import (
    NAME,
    ROLES,
    built_in,
    can_take,
    find_app,
    leave,
    page,
    put,
    retire,
)
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, need, ok, tool

DUAL_CATEGORIES = ("communication", "social")
Role = Literal["browser", "email", "gallery", "maps", "messages", "music", "phone"]


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def open_app(ctx: ToolContext, appName: str) -> dict[str, Any]:
    """Open an app on the screen."""
    app = find_app(ctx, appName)
    name = app["name"]
    if not app["enabled"]:
        raise conflict(f"{name} is disabled")
    if app["kind"] == "user" and ctx.setting("battery_mode") == "super_saving":
        raise conflict(f"Super battery saving blocks {name}")
    message = f"{name} already open"
    if not app["running"] or ctx.setting("foreground_app") != name:
        put(ctx, app, running=1, stopped=0, last_used=ctx.now.isoformat())
        ctx.set_setting("foreground_app", name)
        message = f"{name} opened"
    return {"status": "success", "message": message, "appName": name}


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def close_app(ctx: ToolContext, appName: str) -> dict[str, Any]:
    """Close a running app."""
    app = find_app(ctx, appName)
    if not app["running"]:
        return ok(f"{app['name']} already closed")
    put(ctx, app, running=0)
    leave(ctx, app["name"])
    return ok(f"{app['name']} closed")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def force_stop_app(ctx: ToolContext, appName: str) -> dict[str, Any]:
    """Stop an app and its background work until reopened."""
    app = find_app(ctx, appName)
    if app["kind"] == "core":
        raise conflict(f"{app['name']} cannot be stopped")
    if not put(ctx, app, running=0, stopped=1):
        return ok(f"{app['name']} already stopped")
    leave(ctx, app["name"])
    ctx.execute("DELETE FROM notifications WHERE app = ?", app["name"])
    return ok(f"{app['name']} stopped")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_recent_apps(
    ctx: ToolContext,
    action: Literal["query", "clear", "lock", "unlock"],
    appName: str | None = None,
    keepApps: list[str] | None = None,
) -> dict[str, Any]:
    """List recent apps, close all but some, or lock one."""
    if keepApps is not None and action != "clear":
        raise bad("keepApps only goes with clear")
    if appName is not None and action in ("query", "clear"):
        raise bad("appName only goes with lock or unlock")
    if action in ("lock", "unlock"):
        app = find_app(ctx, need(appName, "appName"))
        changed = put(ctx, app, locked=int(action == "lock"))
        return ok(f"{app['name']} {'' if changed else 'already '}{action}ed")
    running = ctx.rows("SELECT name, locked FROM apps WHERE running = 1 ORDER BY last_used DESC, name")
    front = ctx.setting("foreground_app")
    if action == "query":
        running.sort(key=lambda app: app["name"] != front)
        items = [{"app": app["name"], "locked": bool(app["locked"])} for app in running]
        return page(items, "recent apps")
    kept = {find_app(ctx, name)["name"] for name in keepApps or []}
    closed = [app["name"] for app in running if not app["locked"] and app["name"] not in kept]
    for name in closed:
        ctx.execute("UPDATE apps SET running = 0 WHERE name = ?", name)
        leave(ctx, name)
    left = [app["name"] for app in running if app["name"] not in closed]
    return ok(f"{len(closed)} apps closed" if closed else "Recent apps already clear", kept=left[:5])


@tool(domain=NAME, effect=Effect.READ)
def query_apps(
    ctx: ToolContext,
    kind: Literal["all", "user", "system"] = "all",
    category: str | None = None,
    sortBy: Literal["name", "largest", "least_used"] = "name",
) -> dict[str, Any]:
    """List installed apps by name, size or last use."""
    apps = ctx.rows("SELECT * FROM apps WHERE hidden = 0 ORDER BY name")
    if kind != "all":
        apps = [app for app in apps if (app["kind"] == "user") == (kind == "user")]
    if category is not None:
        apps = [app for app in apps if app["category"] == category.casefold()]
    if sortBy == "largest":
        apps.sort(key=_total_mb, reverse=True)
    elif sortBy == "least_used":
        apps.sort(key=lambda app: app["last_used"])
    items = [{"app": app["name"], "size_mb": _total_mb(app), "last_used": app["last_used"][:10]} for app in apps]
    return page(items, "apps")


def _total_mb(app: Row) -> int:
    return app["size_mb"] + app["data_mb"] + app["cache_mb"]


@tool(domain=NAME, effect=Effect.READ)
def query_app_info(ctx: ToolContext, appName: str) -> dict[str, Any]:
    """Show one app's version, storage and settings."""
    app = find_app(ctx, appName)
    texts = ("version", "kind", "category", "size_mb", "data_mb", "cache_mb", "notifications", "battery", "last_used")
    switches = ("running", "enabled", "hidden", "cloned", "autostart")
    return ok(app["name"], **{c: app[c] for c in texts}, **{c: bool(app[c]) for c in switches})


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_disabled_apps(
    ctx: ToolContext, action: Literal["disable", "enable", "query"], appName: str | None = None
) -> dict[str, Any]:
    """Disable or re-enable an app, or list disabled ones."""
    if action == "query":
        return _listed(ctx, appName, "enabled = 0", "disabled apps")
    app = find_app(ctx, need(appName, "appName"))
    if action == "disable" and app["kind"] == "core":
        raise conflict(f"{app['name']} cannot be disabled")
    if bool(app["enabled"]) == (action == "enable"):
        return ok(f"{app['name']} already {action}d")
    if action == "enable":
        put(ctx, app, enabled=1)
    else:
        put(ctx, app, enabled=0, running=0)
        retire(ctx, app)
    return ok(f"{app['name']} {action}d")


def _listed(ctx: ToolContext, app_name: str | None, condition: str, noun: str) -> dict[str, Any]:
    """The apps of a condition, or whether one app is among them."""
    apps = [app["name"] for app in ctx.rows(f"SELECT name FROM apps WHERE {condition} ORDER BY name")]
    if app_name is not None:
        name = find_app(ctx, app_name)["name"]
        apps = [app for app in apps if app == name]
    return page([{"app": app} for app in apps], noun)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_hidden_apps(
    ctx: ToolContext, action: Literal["hide", "unhide", "query"], appName: str | None = None
) -> dict[str, Any]:
    """Hide or show an app's icon, or list hidden ones."""
    if action == "query":
        return _listed(ctx, appName, "hidden = 1", "hidden apps")
    app = find_app(ctx, need(appName, "appName"))
    if action == "hide" and app["kind"] == "core":
        raise conflict(f"{app['name']} cannot be hidden")
    word = "hidden" if action == "hide" else "shown"
    changed = put(ctx, app, hidden=int(action == "hide"))
    return ok(f"{app['name']} {'' if changed else 'already '}{word}")


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def manage_dual_app(
    ctx: ToolContext, action: Literal["create", "remove", "query"], appName: str | None = None
) -> dict[str, Any]:
    """Clone an app for a second account, or remove it."""
    if action == "query":
        return _listed(ctx, appName, "cloned = 1", "dual apps")
    app = find_app(ctx, need(appName, "appName"))
    if action == "create":
        if app["kind"] != "user" or app["category"] not in DUAL_CATEGORIES:
            raise conflict(f"{app['name']} cannot be cloned")
        if not app["enabled"]:
            raise conflict(f"{app['name']} is disabled")
    word = "cloned" if action == "create" else "without clone"
    changed = put(ctx, app, cloned=int(action == "create"))
    return ok(f"{app['name']} {'' if changed else 'already '}{word}")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_default_app(
    ctx: ToolContext, action: Literal["set", "reset", "query"], role: Role | None = None, appName: str | None = None
) -> dict[str, Any]:
    """Choose, reset or query the default app of a role."""
    if appName is not None and action != "set":
        raise bad("appName only goes with set")
    if action == "query":
        shown = ROLES if role is None else (role,)
        return ok("Default apps", **{name: ctx.setting(f"default_app_{name}") for name in shown})
    wanted = need(role, "a role")
    if action == "reset":
        name = built_in(ctx, wanted)
        if not name:
            raise conflict(f"No built-in {wanted} app")
    else:
        app = find_app(ctx, need(appName, "appName"))
        name = app["name"]
        if not can_take(app, wanted):
            fit = [a["name"] for a in ctx.rows("SELECT * FROM apps ORDER BY name") if can_take(a, wanted)]
            raise conflict(f"{name} is no {wanted} app; use: {', '.join(fit[:5])}")
    changed = ctx.set_setting(f"default_app_{wanted}", name)
    return ok(f"Default {wanted} {'set' if changed else 'already so'}", app=name)


TOOLS = (
    open_app,
    close_app,
    force_stop_app,
    manage_recent_apps,
    query_apps,
    query_app_info,
    manage_disabled_apps,
    manage_hidden_apps,
    manage_dual_app,
    manage_default_app,
)
