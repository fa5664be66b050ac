"""Sub-agents: the GUI agent, the image agent, the two practice partners and the question-answering agent.

Each is a small scripted policy over the same databases as every other tool. The GUI agent reads its instruction
clause by clause and does what it understands (download, move or delete files, send a message inside an app); a clause
that names something absent fails the whole execution, which then can be repeated after a correction.
"""

from __future__ import annotations

import difflib
import re
from typing import Any, Literal

from qpa.contract import Effect, ToolKind
from qpa.envs.sandbox.domains.agent_orders import (
    DOWNLOAD,
    FILE,
    KIND_OF,
    MOVE,
    SEND,
    TELL,
    VERBS,
    Order,
    heard,
    in_english,
)
from qpa.envs.sandbox.domains.facts import answer
from qpa.envs.sandbox.domains.memory import DOMAIN_NAME
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, missing, need, ok, tool

SCHEMA = """
CREATE TABLE gui_sessions (
  id TEXT PRIMARY KEY, app TEXT NOT NULL, instruction TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'active',
  execution_status TEXT NOT NULL DEFAULT 'pending', created_at TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE file_folders (file TEXT PRIMARY KEY, folder TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE app_messages (
  id TEXT PRIMARY KEY, app TEXT NOT NULL, recipient TEXT NOT NULL, content TEXT NOT NULL,
  sent_at TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE images (
  id TEXT PRIMARY KEY, prompt TEXT NOT NULL, parent TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE practice_sessions (
  id TEXT PRIMARY KEY, agent TEXT NOT NULL, topic TEXT NOT NULL DEFAULT '', language TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL DEFAULT 'active', started_at TEXT NOT NULL DEFAULT '', ended_at TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
"""

DOWNLOAD_FOLDER = "Download"
_APP_ALIASES = {
    "album": "Gallery",
    "alarm": "Clock",
    "docs": "Notes",
    "files": "File Manager",
    "my files": "File Manager",
    "navigation": "Maps",
    "pay": "Wallet",
    "photos": "Gallery",
    "player": "Music",
    "sms": "Messages",
    "wechat": "WhatsApp",
}
_FILES = rf"{FILE}(?:(?:, and | ?, ?| and | ){FILE})*"
_FILE_RE = re.compile(FILE, re.IGNORECASE)
_MOVE_RE = re.compile(
    rf"(?P<files>{_FILES}) (?:in)?to (?:the )?(?:folder )?(?P<folder>[\w'&-]+(?: (?!and\b|folder\b)[\w'&-]+)*)",
    re.IGNORECASE,
)
_SEND_TO_RE = re.compile(r"^\w+ (?P<what>.+?) to (?P<who>.+)$")
_TELL_RE = re.compile(r"^(?:reply to|\w+) (?P<who>[^:,]+?)(?: ?[:,] ?| saying | that )(?P<what>.+)$", re.IGNORECASE)
_VERB_RE = re.compile(rf"\b(?:{VERBS})\b", re.IGNORECASE)


@tool(domain=DOMAIN_NAME, effect=Effect.EXTERNAL, kind=ToolKind.SUBAGENT)
def control_gui_agent(
    ctx: ToolContext,
    action: Literal["start", "execute", "query"],
    appName: str | None = None,
    instruction: str | None = None,
    sessionId: str | None = None,
) -> dict[str, Any]:
    """Let the GUI agent operate an app: start, then execute."""
    if action == "start":
        app = _app(ctx, need(appName, "appName"))
        row = ctx.insert(
            "gui_sessions",
            id=ctx.new_id("gui_agent"),
            app=app,
            instruction=need(instruction, "instruction"),
            status="active",
            execution_status="pending",
            created_at=ctx.now.isoformat(),
        )
        return ok("GUI session started", **_gui_view(row))
    if action == "query" and sessionId is None:
        rows = ctx.rows("SELECT * FROM gui_sessions ORDER BY id")
        return ok(f"{len(rows)} GUI sessions", items=[_gui_view(row) for row in rows])
    session_id = need(sessionId, "sessionId")
    session = ctx.one("SELECT * FROM gui_sessions WHERE id = ?", session_id)
    if session is None:
        raise missing(f"No GUI session {session_id[:30]}")
    if action == "query":
        return ok("GUI session status", **_gui_view(session))
    if session["execution_status"] == "completed":
        return ok("GUI session already completed", **_gui_view(session))
    results = _operate(ctx, session["app"], heard(ctx, session["instruction"]))
    ctx.execute("UPDATE gui_sessions SET status = 'completed', execution_status = 'completed' WHERE id = ?", session_id)
    done = {**session, "status": "completed", "execution_status": "completed"}
    steps = [
        {"step": number, "action": step, "status": "completed"}
        for number, step in enumerate(("launch_app", "operate_ui", "verify_result"), start=1)
    ]
    return ok("GUI task completed", **_gui_view(done), results=results, steps=steps)


def _gui_view(session: Row) -> dict[str, Any]:
    return {
        "sessionId": session["id"],
        "appName": session["app"],
        "status": session["status"],
        "execution_status": session["execution_status"],
    }


def _app(ctx: ToolContext, name: str) -> str:
    apps = {r["name"].casefold(): r["name"] for r in ctx.rows("SELECT name FROM apps WHERE supports_gui ORDER BY name")}
    folded = name.casefold()
    if folded in apps:
        return apps[folded]
    alias = _APP_ALIASES.get(folded, "")
    near = [alias.casefold()] if alias.casefold() in apps else difflib.get_close_matches(folded, apps, n=1, cutoff=0.5)
    hint = f"; available: {apps[near[0]]}" if near else ""
    raise missing(f"App {name[:30]} is not supported{hint}")


def _operate(ctx: ToolContext, app: str, instruction: str) -> list[str]:
    """Does every clause in order; returns one line per effect. Raises 404 for a file that is not there."""
    order = Order(instruction)
    results: list[str] = []
    for clause in order.clauses:
        results += _do_clause(ctx, app, in_english(clause), order)
    return results or ["no data changed"]


def _do_clause(ctx: ToolContext, app: str, clause: str, order: Order) -> list[str]:
    found = _VERB_RE.search(clause)
    if found is None:
        return []
    verb, rest = found[0].casefold(), clause[found.start() :]
    if verb in SEND or verb in TELL:
        first, second = (_SEND_TO_RE, _TELL_RE) if verb in SEND and ":" not in rest else (_TELL_RE, _SEND_TO_RE)
        match = first.match(rest) or second.match(rest)
        return [_send_in_app(ctx, app, order.plain(match["who"]), order.plain(match["what"]))] if match else []
    plain = order.plain(rest)
    folders = {name: match["folder"] for match in _MOVE_RE.finditer(plain) for name in _FILE_RE.findall(match["files"])}
    if verb in MOVE:
        return [_move(ctx, name, folder) for name, folder in folders.items()]
    if verb in DOWNLOAD:
        return [_download(ctx, name, folders.get(name, DOWNLOAD_FOLDER)) for name in _FILE_RE.findall(plain)]
    return [_delete(ctx, name) for name in _FILE_RE.findall(plain)]


def _send_in_app(ctx: ToolContext, app: str, recipient: str, content: str) -> str:
    recipient = re.sub(rf" (?:in|on|via|with) {re.escape(app)}$", "", recipient, flags=re.IGNORECASE)
    told = f"sent to {recipient}"
    if _FILE_RE.fullmatch(content):
        content = _file(ctx, content)["name"]
        told = f"sent {content} to {recipient}"
    ctx.insert(
        "app_messages",
        id=ctx.new_id("app_msg"),
        app=app,
        recipient=recipient,
        content=content,
        sent_at=ctx.now.isoformat(),
    )
    return told


def _download(ctx: ToolContext, name: str, folder: str) -> str:
    if ctx.one("SELECT id FROM files WHERE name = ? COLLATE NOCASE", name):
        return f"already have {name}"
    kind = KIND_OF[name.rpartition(".")[2].casefold()]
    ctx.insert("files", id=ctx.new_id("file"), name=name, kind=kind, size_kb=0)
    ctx.insert("file_folders", file=name, folder=folder)
    return f"downloaded {name}"


def _move(ctx: ToolContext, name: str, folder: str) -> str:
    known = _file(ctx, name)["name"]
    sql = "INSERT INTO file_folders (file, folder) VALUES (?, ?) ON CONFLICT (file) DO UPDATE SET folder = ?"
    ctx.execute(sql, known, folder, folder)
    return f"moved {known} to {folder}"


def _delete(ctx: ToolContext, name: str) -> str:
    row = _file(ctx, name)
    ctx.execute("DELETE FROM files WHERE id = ?", row["id"])
    ctx.execute("DELETE FROM file_folders WHERE file = ?", row["name"])
    return f"deleted {row['name']}"


def _file(ctx: ToolContext, name: str) -> Row:
    row = ctx.one("SELECT id, name FROM files WHERE name = ? COLLATE NOCASE ORDER BY id", name)
    if row is None:
        raise missing(f"File not found: {name[:60]}")
    return row


@tool(domain=DOMAIN_NAME, effect=Effect.READ, kind=ToolKind.SUBAGENT)
def general_qa_agent(ctx: ToolContext, query: str) -> dict[str, Any]:
    """Ask the question-answering agent for a known fact."""
    found = answer(heard(ctx, query))
    if found is None:
        raise missing("No entry for this question")
    return ok("Answer found", answer=found)


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE, kind=ToolKind.SUBAGENT)
def control_ai_image_agent(
    ctx: ToolContext,
    action: Literal["generate", "edit", "query"],
    prompt: str | None = None,
    imageId: str | None = None,
) -> dict[str, Any]:
    """Generate an image, edit one, or query images."""
    if action == "query":
        rows = ctx.rows("SELECT id, prompt FROM images ORDER BY id")
        items = [{"imageId": r["id"], "prompt": r["prompt"]} for r in rows if imageId in (None, r["id"])]
        if imageId is not None and not items:
            raise missing(f"No image {imageId[:30]}")
        return ok(f"{len(items)} images", items=items)
    wanted = heard(ctx, need(prompt, "prompt"))
    parent = ""
    if action == "edit":
        parent = need(imageId, "imageId")
        if ctx.one("SELECT id FROM images WHERE id = ?", parent) is None:
            raise missing(f"No image {parent[:30]}")
    elif imageId is not None:
        raise bad("imageId only goes with edit")
    row = ctx.insert("images", id=ctx.new_id("image"), prompt=wanted, parent=parent, created_at=ctx.now.isoformat())
    return ok("Image edited" if parent else "Image generated", imageId=row["id"])


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE, kind=ToolKind.SUBAGENT)
def speaking_coach_agent(
    ctx: ToolContext, action: Literal["start", "stop"], topic: str | None = None, language: str = "English"
) -> dict[str, Any]:
    """Start or stop a speaking lesson with the coach."""
    return _practise(ctx, "speaking_coach", action, topic or "daily life", language)


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE, kind=ToolKind.SUBAGENT)
def scenario_dialogue_agent(
    ctx: ToolContext, action: Literal["start", "stop"], scenario: str | None = None
) -> dict[str, Any]:
    """Start or stop a role-play of a scenario."""
    topic = need(scenario, "scenario") if action == "start" else ""
    return _practise(ctx, "scenario_dialogue", action, topic, "")


def _practise(ctx: ToolContext, agent: str, action: str, topic: str, language: str) -> dict[str, Any]:
    active = ctx.one(
        "SELECT id FROM practice_sessions WHERE agent = ? AND status = 'active' ORDER BY id LIMIT 1", agent
    )
    at = ctx.now.isoformat()
    if action == "stop":
        if active is None:
            raise conflict("No active session")
        ctx.execute("UPDATE practice_sessions SET status = 'ended', ended_at = ? WHERE id = ?", at, active["id"])
        return ok("Session ended", sessionId=active["id"])
    if active is not None:
        raise conflict(f"Session {active['id']} is still active")
    row = ctx.insert(
        "practice_sessions",
        id=ctx.new_id("practice"),
        agent=agent,
        topic=heard(ctx, topic),
        language=language,
        status="active",
        started_at=at,
    )
    return ok("Session started", sessionId=row["id"], topic=topic)


TOOLS = (
    control_gui_agent,
    general_qa_agent,
    control_ai_image_agent,
    speaking_coach_agent,
    scenario_dialogue_agent,
)
