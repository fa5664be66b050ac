"""Apps & Storage: notifications.

A row of `notifications` is waiting on the phone, snoozed or not; turning an app's notifications off removes its rows.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.apps_core import NAME, find_app, page, put
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, need, ok, single, tool

SCHEMA = """
CREATE TABLE notifications (
  id TEXT PRIMARY KEY, app TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL DEFAULT '', ongoing INTEGER NOT NULL DEFAULT 0, snoozed_until TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
"""

LISTENER = "BIND_NOTIFICATION_LISTENER_SERVICE"


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_app_notifications(
    ctx: ToolContext,
    action: Literal["enable", "disable", "query"],
    appName: str | None = None,
    level: Literal["priority", "default", "silent"] | None = None,
) -> dict[str, Any]:
    """Turn an app's notifications on (at a level) or off."""
    if level is not None and action != "enable":
        raise bad("level only goes with enable")
    if action == "query" and appName is None:
        apps = ctx.rows("SELECT name, notifications FROM apps WHERE notifications <> 'default' ORDER BY name")
        return page([{"app": app["name"], "level": app["notifications"]} for app in apps], "apps changed")
    app = find_app(ctx, need(appName, "appName"))
    if action == "query":
        return ok(app["name"], level=app["notifications"])
    if action == "disable":
        wanted = "off"
        ctx.execute("DELETE FROM notifications WHERE app = ?", app["name"])
    else:
        wanted = level or ("default" if app["notifications"] == "off" else app["notifications"])
    changed = put(ctx, app, notifications=wanted)
    return ok(f"{app['name']} notifications {'' if changed else 'already '}{wanted}")


@tool(domain=NAME, effect=Effect.READ, permission=LISTENER)
def query_notifications(
    ctx: ToolContext, appName: str | None = None, keyword: str | None = None, snoozed: bool = False
) -> dict[str, Any]:
    """List notifications, newest first, or the snoozed ones."""
    rows = [row for row in _chosen(ctx, appName, keyword) if _is_snoozed(ctx, row) == snoozed]
    shown = ("id", "app", "title", "text", "at") + (("snoozed_until",) if snoozed else ())
    return page([{column: row[column] for column in shown} for row in rows], "notifications")


def _chosen(ctx: ToolContext, app_name: str | None, keyword: str | None) -> list[Row]:
    rows = ctx.rows("SELECT * FROM notifications ORDER BY at DESC, id DESC")
    if app_name is not None:
        app = find_app(ctx, app_name)["name"]
        rows = [row for row in rows if row["app"] == app]
    if keyword is not None:
        wanted = keyword.casefold()
        rows = [row for row in rows if wanted in f"{row['title']}\n{row['text']}".casefold()]
    return rows


def _is_snoozed(ctx: ToolContext, row: Row) -> bool:
    return row["snoozed_until"] > ctx.now.isoformat()


def _one(ctx: ToolContext, notice_id: str | None, app_name: str | None, keyword: str | None) -> Row:
    if notice_id is None and app_name is None and keyword is None:
        raise bad("Give notificationId, appName or keyword")
    rows = [row for row in _chosen(ctx, app_name, keyword) if notice_id in (None, row["id"])]
    labelled = [row | {"label": f"{row['id']} {row['title'][:30]}"} for row in rows]
    row = single(labelled, "notification", "label")
    if row["ongoing"]:
        raise conflict("Notification is ongoing")
    return row


@tool(domain=NAME, effect=Effect.IRREVERSIBLE, permission=LISTENER)
def dismiss_notification(
    ctx: ToolContext, notificationId: str | None = None, appName: str | None = None, keyword: str | None = None
) -> dict[str, Any]:
    """Dismiss one notification."""
    row = _one(ctx, notificationId, appName, keyword)
    ctx.execute("DELETE FROM notifications WHERE id = ?", row["id"])
    return ok("Notification dismissed", id=row["id"])


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission=LISTENER)
def snooze_notification(
    ctx: ToolContext,
    notificationId: str | None = None,
    appName: str | None = None,
    keyword: str | None = None,
    minutes: int = 60,
) -> dict[str, Any]:
    """Bring one notification back later, 60 minutes by default."""
    pause = in_range("minutes", minutes, 1, 1440)
    row = _one(ctx, notificationId, appName, keyword)
    until = (ctx.now + timedelta(minutes=pause)).isoformat()
    ctx.execute(
        "UPDATE notifications SET snoozed_until = ? WHERE id = ? AND snoozed_until <> ?", until, row["id"], until
    )
    return ok("Notification snoozed", id=row["id"], until=until)


@tool(domain=NAME, effect=Effect.IRREVERSIBLE, permission=LISTENER)
def clear_notifications(ctx: ToolContext, appName: str | None = None) -> dict[str, Any]:
    """Clear all notifications, or all of one app."""
    shown = [row for row in _chosen(ctx, appName, None) if not _is_snoozed(ctx, row)]
    cleared = [row["id"] for row in shown if not row["ongoing"]]
    for notice_id in cleared:
        ctx.execute("DELETE FROM notifications WHERE id = ?", notice_id)
    message = f"{len(cleared)} notifications cleared" if cleared else "Notifications already clear"
    return ok(message, ongoing=len(shown) - len(cleared))


TOOLS = (
    manage_app_notifications,
    query_notifications,
    dismiss_notification,
    snooze_notification,
    clear_notifications,
)
