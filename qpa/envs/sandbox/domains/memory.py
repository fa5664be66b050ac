"""User memory: records about the person that tools search, add, replace and remove.

Search is BM25 over an FTS5 index that is built from the `memories` table for each query, outside the episode's
database: an index can then never disagree with its rows, be missing in a fork, or show up in a changeset. With the few
dozen records of a world that costs about a millisecond.
"""

from __future__ import annotations

import re
from typing import Any, Literal

import apsw

from qpa.contract import Effect, ToolKind
from qpa.envs.sandbox.tool import Row, ToolContext, conflict, in_range, missing, ok, tool

DOMAIN_NAME = "AI Assistant"
Category = Literal["routines_habits", "important_info", "important_event"]

SCHEMA = """
CREATE TABLE memories (
  id TEXT PRIMARY KEY, category TEXT NOT NULL DEFAULT 'important_info', title TEXT NOT NULL DEFAULT '',
  content TEXT NOT NULL, tags TEXT NOT NULL DEFAULT '', source TEXT NOT NULL DEFAULT 'chat',
  created_at TEXT NOT NULL DEFAULT '2024-06-01T09:00:00', updated_at TEXT NOT NULL DEFAULT '2024-06-01T09:00:00'
) STRICT, WITHOUT ROWID;
"""

DEFAULT_HITS = 5
MAX_HITS = 20
TITLE_WORDS = 5  # of the content, when no title is given
RECENCY_FLOOR = 0.5  # of the best score: newest first must not mean any record that shares one word

_WORD = re.compile(r"\w+")
_CJK = re.compile(r"([\u3040-\u30ff\u3400-\u9fff])")  # written without spaces: index every character
_STOP_WORDS = frozenset(
    _WORD.findall(
        "a an and are as at be by do for from have i in is it me my of on or our that the their this to was what when "
        "where which who with you your use usual usually saved"
    )
)


def search(rows: list[Row], query: str) -> list[tuple[Row, float]]:
    """Rows that share a word with `query`, best first, with BM25 scores of one decimal.

    Title words count double. Ties go to the row updated last, then to the lower id.
    """
    words = [w.casefold() for w in _WORD.findall(_spaced(query))]
    words = [w for w in dict.fromkeys(words) if w not in _STOP_WORDS] or words
    if not words or not rows:
        return []
    index = apsw.Connection(":memory:")
    index.execute("CREATE VIRTUAL TABLE hits USING fts5(title, content, tags, tokenize='porter unicode61')")
    with index:  # one transaction: FTS5 would write a segment of its own for every row
        index.executemany(
            "INSERT INTO hits (rowid, title, content, tags) VALUES (?, ?, ?, ?)",
            [(i, *(_spaced(row[c]) for c in ("title", "content", "tags"))) for i, row in enumerate(rows)],
        )
    match = " OR ".join(f'"{word}"' for word in words)
    scores = "SELECT rowid, -bm25(hits, 2.0, 1.0, 1.0) FROM hits WHERE hits MATCH ?"
    found: list[Any] = index.execute(scores, (match,)).fetchall()
    index.close()
    scored = [(rows[i], round(score, 1) + 0.0) for i, score in found]
    scored.sort(key=lambda hit: hit[0]["id"])
    scored.sort(key=lambda hit: (hit[1], hit[0]["updated_at"]), reverse=True)
    return scored


def _spaced(text: str) -> str:
    """The text with every character that is written without spaces apart."""
    return text if text.isascii() else _CJK.sub(r" \1 ", text)


@tool(domain=DOMAIN_NAME, effect=Effect.READ, kind=ToolKind.MEMORY)
def search_user_memory(
    ctx: ToolContext,
    query: str,
    memoryCategory: Category | None = None,
    maxResults: int = DEFAULT_HITS,
    searchMode: Literal["relevance", "recency"] = "relevance",
) -> dict[str, Any]:
    """Search what is saved about the user."""
    in_range("maxResults", maxResults, 1, MAX_HITS)
    rows = ctx.rows("SELECT * FROM memories ORDER BY id")
    if memoryCategory is not None:
        rows = [r for r in rows if r["category"] == memoryCategory]
    hits = search(rows, query)
    if searchMode == "recency":
        hits = [h for h in hits if h[1] >= RECENCY_FLOOR * hits[0][1]]
        hits.sort(key=lambda hit: hit[0]["updated_at"], reverse=True)
    items = [_item(row, score) for row, score in hits[:maxResults]]
    return ok(f"Found {len(items)} memories", items=items, total=len(items))


def _item(row: Row, score: float) -> dict[str, Any]:
    """A record as the benchmark publishes it (method B8, shape 6); times are days, which is what was learnt when."""
    return {
        "memory_id": row["id"],
        "category": row["category"],
        "title": row["title"],
        "content": row["content"],
        "tags": row["tags"].split(),
        "source": row["source"],
        "created_at": row["created_at"][:10],
        "updated_at": row["updated_at"][:10],
        "relevance_score": score,
    }


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE, kind=ToolKind.MEMORY)
def add_user_memory(
    ctx: ToolContext, content: str, memoryCategory: Category, title: str | None = None
) -> dict[str, Any]:
    """Save a new fact about the user."""
    _refuse_duplicate(ctx, content, but_id="")
    number = ctx.new_id("mem").rpartition("_")[2]
    memory_id = f"mem_{int(number):04d}"
    at = ctx.now.isoformat()
    ctx.insert(
        "memories",
        id=memory_id,
        category=memoryCategory,
        title=title or " ".join(content.split()[:TITLE_WORDS]),
        content=content,
        source="chat",
        created_at=at,
        updated_at=at,
    )
    return ok("Memory saved", memory_id=memory_id)


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE, kind=ToolKind.MEMORY)
def replace_user_memory(ctx: ToolContext, memoryId: str, content: str) -> dict[str, Any]:
    """Replace the content of one memory."""
    memory = _memory(ctx, memoryId)
    if memory["content"] == content:
        return ok("Memory already so", memory_id=memoryId)
    _refuse_duplicate(ctx, content, but_id=memoryId)
    ctx.execute("UPDATE memories SET content = ?, updated_at = ? WHERE id = ?", content, ctx.now.isoformat(), memoryId)
    return ok("Memory replaced", memory_id=memoryId)


@tool(domain=DOMAIN_NAME, effect=Effect.IRREVERSIBLE, kind=ToolKind.MEMORY)
def remove_user_memory(ctx: ToolContext, memoryId: str) -> dict[str, Any]:
    """Delete one memory for good."""
    _memory(ctx, memoryId)
    ctx.execute("DELETE FROM memories WHERE id = ?", memoryId)
    return ok("Memory removed", memory_id=memoryId)


def _memory(ctx: ToolContext, memory_id: str) -> Row:
    row = ctx.one("SELECT * FROM memories WHERE id = ?", memory_id)
    if row is None:
        raise missing(f"No memory {memory_id[:20]}")
    return row


def _refuse_duplicate(ctx: ToolContext, content: str, but_id: str) -> None:
    wanted = _folded(content)
    for row in ctx.rows("SELECT id, content FROM memories ORDER BY id"):
        if row["id"] != but_id and _folded(row["content"]) == wanted:
            raise conflict(f"Already saved as {row['id']}")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


TOOLS = (search_user_memory, add_user_memory, replace_user_memory, remove_user_memory)
