"""Utilities & Productivity, the web and languages: browser, bookmarks, history, translation and dictionary."""

from __future__ import annotations

import difflib
from datetime import timedelta
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains import phrases
from qpa.envs.sandbox.domains.links import find_named, online, require_online
from qpa.envs.sandbox.domains.phone_state import SHOWN, page
from qpa.envs.sandbox.domains.utility_convert import NAME
from qpa.envs.sandbox.domains.utility_data import PAGES, WORDS
from qpa.envs.sandbox.tool import Row, ToolContext, conflict, missing, need, ok, tool

SCHEMA = """
CREATE TABLE browser_entries (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
"""  # kind: tab | visit | bookmark

BUILT_IN = "English"  # the language pack every phone has


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def browser_service(
    ctx: ToolContext,
    action: Literal["open", "search", "close_tab", "close_all", "query"],
    page: str | None = None,
    keyword: str | None = None,
) -> dict[str, Any]:
    """Open or search web pages, close or list tabs."""
    if action == "search":
        return _search(ctx, need(keyword, "keyword"))
    if action == "open":
        return _open(ctx, need(page, "page"))
    tabs = _entries(ctx, "tab")
    if action == "query":
        return ok(f"{len(tabs)} tabs", items=_listed(tabs), total=len(tabs))
    if action == "close_all":
        ctx.execute("DELETE FROM browser_entries WHERE kind = 'tab'")
        return ok(f"{len(tabs)} tabs closed" if tabs else "Tabs already closed")
    tab = _entry(tabs, need(page, "page"), "Open tab")
    ctx.execute("DELETE FROM browser_entries WHERE id = ?", tab["id"])
    return ok("Tab closed", url=tab["url"])


def _search(ctx: ToolContext, keyword: str) -> dict[str, Any]:
    """Pages with any of the words, those with more of them first; a word in the title counts double."""
    _require_network(ctx)
    words = set(keyword.casefold().split())
    scored = []
    for url, (title, text) in PAGES.items():
        score = sum(2 * (w in title.casefold()) + (w in f"{url} {text}".casefold()) for w in words)
        if score:
            scored.append((-score, url, title))
    items = [{"url": url, "title": title} for _, url, title in sorted(scored)]
    return page(f"{len(items)} pages", items)


def _open(ctx: ToolContext, wanted: str) -> dict[str, Any]:
    _require_network(ctx)
    url, title = _page(wanted)
    if any(tab["url"] == url for tab in _entries(ctx, "tab")):
        return ok("Tab already open", url=url, title=title, text=PAGES[url][1])
    for kind in ("tab", "visit"):
        _add(ctx, kind, url, title)
    return ok("Page opened", url=url, title=title, text=PAGES[url][1])


def _require_network(ctx: ToolContext) -> None:
    require_online(ctx)


def _page(wanted: str) -> tuple[str, str]:
    """(address, title) of the page with this address or title."""
    bare = _bare(wanted)
    if bare in PAGES:
        return bare, PAGES[bare][0]
    rows = [{"url": url, "title": title} for url, (title, _) in PAGES.items()]
    found = find_named(rows, "title", wanted, "Page")
    return found["url"], found["title"]


def _bare(address: str) -> str:
    return address.casefold().removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")


def _entries(ctx: ToolContext, kind: str) -> list[Row]:
    return ctx.rows("SELECT * FROM browser_entries WHERE kind = ? ORDER BY at DESC, id DESC", kind)


def _entry(entries: list[Row], wanted: str, label: str) -> Row:
    bare = _bare(wanted)
    return next((e for e in entries if e["url"] == bare), None) or find_named(entries, "title", wanted, label)


def _add(ctx: ToolContext, kind: str, url: str, title: str) -> None:
    at = ctx.now.isoformat()
    ctx.insert("browser_entries", id=ctx.new_id(kind), kind=kind, url=url, title=title, at=at)


def _listed(entries: list[Row]) -> list[dict[str, Any]]:
    return [{"url": e["url"], "title": e["title"]} for e in entries[:SHOWN]]


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_bookmark(
    ctx: ToolContext, action: Literal["add", "remove", "query"], page: str | None = None
) -> dict[str, Any]:
    """Bookmark a web page, remove or list bookmarks."""
    bookmarks = _entries(ctx, "bookmark")
    if action == "query":
        return ok(f"{len(bookmarks)} bookmarks", items=_listed(bookmarks), total=len(bookmarks))
    if action == "remove":
        entry = _entry(bookmarks, need(page, "page"), "Bookmark")
        ctx.execute("DELETE FROM browser_entries WHERE id = ?", entry["id"])
        return ok("Bookmark removed", url=entry["url"])
    url, title = _page(need(page, "page"))
    if any(b["url"] == url for b in bookmarks):
        return ok("Already bookmarked", url=url)
    _add(ctx, "bookmark", url, title)
    return ok("Bookmark added", url=url)


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def manage_browser_history(
    ctx: ToolContext,
    action: Literal["query", "clear"],
    period: Literal["last_hour", "today", "last_week", "all"] = "all",
    keyword: str | None = None,
) -> dict[str, Any]:
    """List or clear visited pages, by period or keyword."""
    start = {
        "last_hour": (ctx.now - timedelta(hours=1)).isoformat(),
        "today": ctx.now.date().isoformat(),
        "last_week": (ctx.now - timedelta(days=7)).isoformat(),
        "all": "",
    }[period]
    found = [visit for visit in _entries(ctx, "visit") if visit["at"] >= start]
    if keyword is not None:
        wanted = keyword.casefold()
        found = [visit for visit in found if wanted in f"{visit['title']} {visit['url']}".casefold()]
    if action == "query":
        items = [{"url": v["url"], "title": v["title"], "at": v["at"]} for v in found[:SHOWN]]
        return ok(f"{len(found)} visits", items=items, total=len(found))
    for visit in found:
        ctx.execute("DELETE FROM browser_entries WHERE id = ?", visit["id"])
    return ok(f"{len(found)} visits cleared" if found else "History already clear")


@tool(domain=NAME, effect=Effect.READ)
def text_translate(ctx: ToolContext, text: str, targetLanguage: str | None = None) -> dict[str, Any]:
    """Translate a text; default is the preferred language."""
    target = phrases.language(targetLanguage or ctx.setting("translation_target", BUILT_IN))
    if not online(ctx) and not _downloaded(ctx, target):
        raise conflict(f"No network and no {target} pack")
    return ok("Translated", translation=phrases.translate(text, target), language=target)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_translation(
    ctx: ToolContext,
    action: Literal["download_pack", "remove_pack", "set_target", "query"],
    language: str | None = None,
) -> dict[str, Any]:
    """Manage offline language packs and the preferred target language."""
    if action == "query":
        packs = [name for name in phrases.LANGUAGES if _downloaded(ctx, name)]
        return ok("Translation settings", target=ctx.setting("translation_target", BUILT_IN), packs=packs)
    name = phrases.language(need(language, "language"))
    if action == "set_target":
        changed = ctx.set_setting("translation_target", name)
        return ok("Target language set" if changed else "Target language already set", target=name)
    wanted = action == "download_pack"
    if _downloaded(ctx, name) == wanted:
        return ok("Pack already downloaded" if wanted else "Pack already removed", language=name)
    if name == BUILT_IN:
        raise conflict(f"{BUILT_IN} is built in")
    if wanted:
        _require_network(ctx)
        on_wifi = ctx.one("SELECT 1 AS x FROM wifi_networks WHERE connected = 1")
        if on_wifi is None and ctx.setting("data_saver", "off") == "on":
            raise conflict("Data saver is on; use Wi-Fi")
    ctx.set_setting(_pack(name), "on" if wanted else "off")
    return ok("Pack downloaded" if wanted else "Pack removed", language=name)


def _pack(language: str) -> str:
    return f"translation_pack_{language.casefold()}"


def _downloaded(ctx: ToolContext, language: str) -> bool:
    return language == BUILT_IN or ctx.setting(_pack(language), "off") == "on"


@tool(domain=NAME, effect=Effect.READ)
def query_dictionary(ctx: ToolContext, word: str) -> dict[str, Any]:
    """Look up an English word's meaning."""
    folded = word.casefold()
    if folded not in WORDS:
        near = difflib.get_close_matches(folded[:40], WORDS, n=3)
        raise missing(f"No entry for {word[:20]}" + (f"; similar: {', '.join(near)}" if near else ""))
    kind, meaning, near_word = WORDS[folded]
    return ok("Entry found", word=folded, kind=kind, meaning=meaning, synonym=near_word)


TOOLS = (
    browser_service,
    manage_bookmark,
    manage_browser_history,
    text_translate,
    manage_translation,
    query_dictionary,
)
