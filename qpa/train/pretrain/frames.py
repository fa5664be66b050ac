"""Chat-frame documents over made-up tools: signatures in the system block, JSON of the right signature as the answer.

The JSON stands in the assistant's turn as plain text, never inside `<tool_call>`: the frame in which a planner *acts*
is left for the cold start, so the base alone cannot complete a single task.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from qpa.train.pretrain import words as w
from qpa.train.pretrain.documents import Document, MadeUpTool, Span, made_up_tool, spoken_request, turn

_SYSTEM = ("", "", "", "Answer with JSON.", "Use the signatures.", "Give the object that fits.")
_OK = ("created", "updated", "saved", "done", "changed", "sent", "started", "found", "set")


def _call(name: str, arguments: dict[str, object]) -> str:
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)


def _result(payload: object, extra: str = "") -> Document:
    return [
        Span("<|im_start|>", special=True),
        Span("user\n"),
        Span("<tool_response>", special=True),
        Span("\n" + json.dumps(payload, ensure_ascii=False) + extra + "\n"),
        Span("</tool_response>", special=True),
        Span("<|im_end|>", special=True),
        Span("\n"),
    ]


def _system(rng: w.Source, signatures: list[str]) -> Document:
    rng.shuffle(signatures)
    text = rng.choice(_SYSTEM)
    return [
        Span("<|im_start|>", special=True),
        Span("system\n" + text + ("\n" if text else "")),
        Span("<tools>", special=True),
        Span("\n" + "\n".join(signatures) + "\n"),
        Span("</tools>", special=True),
        Span("<|im_end|>", special=True),
        Span("\n"),
    ]


def _success(rng: w.Source, noun: str, **data: object) -> dict[str, object]:
    return {"success": True, "message": f"{noun.capitalize()} {rng.choice(_OK)}", "data": data}


def _closing(arguments: dict[str, object]) -> str:
    values = [str(v) for k, v in arguments.items() if k not in ("action", "code")]
    return f"Done: {', '.join(values)}." if values else "Done."


def single(rng: w.Source, banned: frozenset[str]) -> Document:
    """One request, one object, a result, a closing line that repeats the values; sometimes a second request."""
    tools = [made_up_tool(rng, banned) for _ in range(rng.randrange(2, 5))]
    doc = _system(rng, [t.signature() for t in tools])
    for _ in range(rng.choice((1, 1, 2))):
        chosen = rng.choice(tools)
        request, arguments = spoken_request(rng, chosen)
        doc += turn("user", request) + turn("assistant", _call(chosen.name, arguments), True)
        echo = {k: v for k, v in arguments.items() if k != "action"}
        doc += _result(_success(rng, chosen.noun.replace("_", " "), id=w.identifier(rng), **echo))
        doc += turn("assistant", _closing(arguments), True)
    return doc


def both(rng: w.Source, banned: frozenset[str]) -> Document:
    """Two requests in one sentence, two objects in one turn."""
    tools = [made_up_tool(rng, banned) for _ in range(rng.randrange(2, 4))]
    one, two = rng.sample(tools, 2)
    (ask_one, args_one), (ask_two, args_two) = spoken_request(rng, one), spoken_request(rng, two)
    doc = _system(rng, [t.signature() for t in tools])
    doc += turn("user", f"{ask_one} {rng.choice(('and', 'Also', 'then', 'plus'))} {ask_two}")
    calls = _call(one.name, args_one) + "\n" + _call(two.name, args_two)
    return doc + turn("assistant", calls, True)


def _listing(rng: w.Source, title: str, n: int) -> tuple[list[dict[str, object]], str]:
    """`n` items in random order, one of them titled `title` -> (items, its id)."""
    items: list[dict[str, object]] = [
        {"id": w.identifier(rng), "title": w.phrase(rng), "time": w.clock(rng)} for _ in range(n)
    ]
    target = rng.choice(items)
    target["title"] = title
    return items, str(target["id"])


def look_up_first(rng: w.Source, banned: frozenset[str]) -> Document:
    """The id is not in the request: list first, then use the id of the entry that matches."""
    noun = rng.choice(w.NOUNS) if rng.random() < 0.7 else w.pseudo_word(rng)
    name = f"{rng.choice(('manage', 'control'))}_{noun}"
    if name in banned:
        return single(rng, banned)
    verb, action = rng.choice((("Delete", "delete"), ("Remove", "delete"), ("Stop", "stop"), ("Turn off", "disable")))
    title, actions = w.phrase(rng), ["query", action, "create"]
    rng.shuffle(actions)
    others = [made_up_tool(rng, banned).signature() for _ in range(rng.randrange(1, 3))]
    doc = _system(rng, [f"{name}(action:{'|'.join(actions)}, title?, time?, code?)", *others])
    doc += turn("user", f"{verb} {rng.choice(('the', 'my'))} {noun} {rng.choice(('called ', 'named ', ''))}{title}.")
    doc += turn("assistant", _call(name, {"action": "query", "title": title}), True)
    items, found = _listing(rng, title, rng.randrange(1, 4))
    doc += _result({"success": True, "message": f"Found {len(items)} {noun}s", "data": {"items": items}})
    doc += turn("assistant", _call(name, {"action": action, "code": found}), True)
    return doc + _result(_success(rng, noun, id=found)) + turn("assistant", f"Done: {title}.", True)


def recall_first(rng: w.Source, banned: frozenset[str]) -> Document:
    """A value is only in a stored record: search, then use it; with two records the later one holds."""
    tools = [made_up_tool(rng, banned) for _ in range(2)]
    subject, noun = w.phrase(rng), rng.choice(w.NOUNS)
    key, make = rng.choice((("time", w.clock), ("place", w.pseudo_word), ("phone", w.phone), ("city", w.city)))
    name, value = f"{rng.choice(w.VERBS)}_{noun}", make(rng)
    search = f"{rng.choice(('look', 'find', 'fetch'))}_{rng.choice(('record', 'fact', 'entry'))}"
    if name in banned or search in banned:
        return single(rng, banned)
    doc = _system(rng, [f"{name}(title, {key}?)", f"{search}(query)", *(t.signature() for t in tools[:1])])
    doc += turn("user", f"{name.split('_')[0].capitalize()} the {noun} for {subject} {rng.choice(_USUAL)}.")
    doc += turn("assistant", _call(search, {"query": subject}), True)
    records = [{"id": w.identifier(rng), "content": f"{subject} {key} is {value}", "updated": "2024-11-02"}]
    if rng.random() < 0.5:
        old = {"id": w.identifier(rng), "content": f"{subject} {key} is {make(rng)}", "updated": "2024-03-05"}
        records.insert(rng.randrange(2), old)
    doc += _result({"success": True, "message": f"Found {len(records)} entries", "data": {"items": records}})
    doc += turn("assistant", _call(name, {"title": subject, key: value}), True)
    return (
        doc + _result(_success(rng, noun, id=w.identifier(rng))) + turn("assistant", f"Done: {subject} {value}.", True)
    )


_USUAL = ("as usual", "like always", "as saved", "the usual way", "as I told you")


def unpack_first(rng: w.Source, banned: frozenset[str]) -> Document:
    """Signatures arrive in a result: open the kit whose name fits, then use one of its signatures."""
    kits = rng.sample(w.NOUNS, 3)
    inside: list[MadeUpTool] = [made_up_tool(rng, banned) for _ in range(rng.randrange(2, 5))]
    chosen, kit = rng.choice(inside), rng.choice(kits)
    request, arguments = spoken_request(rng, chosen)
    doc = _system(rng, [f"kit__{k}(reason)" for k in kits])
    doc += turn("user", f"{request} ({kit})")
    doc += turn("assistant", _call(f"kit__{kit}", {"reason": kit}), True)
    doc += _result({"status": "loaded", "kit": kit}, "\n" + "\n".join(t.signature() for t in inside))
    doc += turn("assistant", _call(chosen.name, arguments), True)
    doc += _result(_success(rng, chosen.noun.replace("_", " "), id=w.identifier(rng)))
    return doc + turn("assistant", _closing(arguments), True)


MIXTURE: tuple[tuple[Callable[[w.Source, frozenset[str]], Document], float], ...] = (
    (single, 0.40),
    (both, 0.10),
    (look_up_first, 0.20),
    (recall_first, 0.18),
    (unpack_first, 0.12),
)


def frame(rng: w.Source, banned: frozenset[str]) -> Document:
    """One chat-frame document of the mixture."""
    maker = rng.choices([m for m, _ in MIXTURE], [weight for _, weight in MIXTURE])[0]
    return maker(rng, banned)
