"""Kinds of pretraining documents. Each is a list of `Span`s: text (or a special token) and whether it is supervised.

Only spans that follow from what stands before them are supervised, so the loss is spent on skills, not on noise.
None of them holds a `<tool_call>`: acting in the chat frame is what the cold start has to teach.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from qpa.train.pretrain import words as w


class Span(NamedTuple):
    """A piece of a document; `special` text is one reserved token, emitted by id."""

    text: str
    supervised: bool = False
    special: bool = False


Document = list[Span]


def copy_text(rng: w.Source) -> Document:
    """A short text, then the same text again."""
    parts = [
        rng.choice((w.sentence, w.phrase, w.value, w.chinese, w.pseudo_word))(rng) for _ in range(rng.randrange(1, 5))
    ]
    text = rng.choice((" ", ", ", "\n", "; ")).join(parts)
    return [Span(text + rng.choice(("\n", " = ", "\ncopy: "))), Span(text + "\n", True)]


def _record(rng: w.Source, size: int, keys: list[str] | None = None) -> dict[str, object]:
    chosen = keys or rng.sample(w.KEYS, size)
    return {k: rng.randrange(1000) if rng.random() < 0.15 else w.value(rng) for k in chosen}


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def json_recall(rng: w.Source) -> Document:
    """A JSON object, then some of its values by key."""
    record = _record(rng, rng.randrange(2, 7))
    doc = [Span(_dump(record) + "\n")]
    for key in rng.sample(list(record), min(len(record), rng.randrange(1, 4))):
        doc += [Span(f"{key}: "), Span(f"{record[key]}\n", True)]
    return doc


def text_to_json(rng: w.Source) -> Document:
    """`key = value` lines in any order, then the JSON object with the keys asked for."""
    record = _record(rng, rng.randrange(2, 6))
    order = rng.sample(list(record), len(record))
    lines = "".join(f"{k} = {record[k]}\n" for k in order)
    asked = rng.sample(list(record), rng.randrange(1, len(record) + 1))
    out = {k: record[k] for k in asked}
    return [Span(f"{lines}{', '.join(asked)}\n"), Span(_dump(out) + "\n", True)]


def pick_item(rng: w.Source) -> Document:
    """A list of records; find one by a field, by order, or by the latest date, and give another field."""
    n = rng.randrange(2, 5)
    dates = rng.sample([f"202{y}-{m:02d}-{d:02d}" for y in (4, 5) for m in range(1, 13) for d in range(1, 29)], n)
    field = rng.choice(("title", "name", "content", "label"))
    items = [{"id": w.identifier(rng), field: w.phrase(rng), "updated": dates[i]} for i in range(n)]
    target = rng.randrange(n)
    kind = rng.random()
    if kind < 0.5:
        ask = f"id of {items[target][field]}: "
    elif kind < 0.75:
        target = max(range(n), key=lambda i: dates[i])
        ask = "latest id: "
    else:
        ask = f"{('first', 'second', 'third', 'fourth')[target]} id: "
    body = {"success": True, "message": f"Found {n} {rng.choice(w.NOUNS)}s", "data": {"items": items, "total": n}}
    return [
        Span("<tool_response>", special=True),
        Span("\n" + _dump(body) + "\n"),
        Span("</tool_response>", special=True),
        Span("\n" + ask),
        Span(str(items[target]["id"]) + "\n", True),
        Span(f"{field} of {items[target]['id']}: "),
        Span(items[target][field] + "\n", True),
    ]


# Argument kinds of made-up tools: name -> (value maker, lead-ins that introduce it in a sentence).
_ARGS: dict[str, tuple[Callable[[w.Source], str], tuple[str, ...]]] = {
    "time": (w.clock, ("at {}", "for {}", "by {}", "from {}")),
    "date": (w.date, ("on {}", "for {}", "this {}")),
    "when": (lambda r: f"{r.choice(('today', 'tomorrow', r.choice(w.DAYS)))} {w.clock(r)}", ("{}", "for {}", "on {}")),
    "city": (w.city, ("in {}", "to {}", "for {}", "near {}")),
    "person": (w.name, ("for {}", "with {}", "to {}", "from {}")),
    "title": (w.phrase, ("called {}", "named {}", "titled {}", "about {}", '"{}"', "for {}")),
    "text": (w.sentence, ('saying "{}"', 'with the text "{}"', ": {}", "that says {}")),
    "phone": (w.phone, ("with number {}", "at {}", "on {}", "number {}")),
    "count": (lambda r: str(r.randrange(1, 120)), ("{} of them", "to {}", "for {}", "with {}")),
    "code": (w.identifier, ("{}", "with id {}", "number {}")),
    "place": (w.pseudo_word, ("at {}", "in {}", "to {}", "from {}")),
}
_CHOICE_KEYS = ("mode", "type", "kind", "level", "format", "method", "category", "repeat", "style", "source")
_ACTIONS: dict[str, tuple[str, ...]] = {
    "enable": ("turn on", "enable", "switch on", "activate", "start using"),
    "disable": ("turn off", "disable", "switch off", "deactivate", "stop using"),
    "query": ("check", "show me", "is there", "what is", "look up", "tell me"),
    "create": ("create", "add", "make", "set", "new", "set up"),
    "delete": ("delete", "remove", "cancel", "get rid of", "clear"),
    "start": ("start", "begin", "run", "launch"),
    "stop": ("stop", "end", "finish", "quit"),
    "update": ("change", "update", "move", "edit"),
}
_OPENERS = ("", "please ", "Please ", "can you ", "Could you ", "I need to ", "I want to ", "let us ", "Hey, ", "now ")


class MadeUpTool(NamedTuple):
    """A tool that exists nowhere; its words say what it does."""

    name: str
    noun: str
    action: list[str]  # empty: the verb is in the name
    verb: str
    args: list[str]
    optional: list[str]
    choice: tuple[str, list[str]] | None  # an optional enum argument: (key, values)

    def signature(self) -> str:
        parts = [f"action:{'|'.join(self.action)}"] if self.action else []
        parts += [a + (":int" if a == "count" else "") for a in self.args]
        parts += [f"{a}?" + (":int" if a == "count" else "") for a in self.optional]
        if self.choice:
            parts.append(f"{self.choice[0]}?:{'|'.join(self.choice[1])}")
        return f"{self.name}({', '.join(parts)})"


def made_up_tool(rng: w.Source, banned: frozenset[str]) -> MadeUpTool:
    """A random tool whose name is not in `banned`."""
    while True:
        noun = rng.choice(w.NOUNS) if rng.random() < 0.7 else w.pseudo_word(rng)
        if rng.random() < 0.4:
            noun = f"{rng.choice(w.ADJECTIVES) if rng.random() < 0.5 else rng.choice(w.NOUNS)}_{noun}"
        args = rng.sample(list(_ARGS), rng.randrange(0, 4))
        cut = rng.randrange(0, len(args) + 1)
        choice = None
        if rng.random() < 0.35:
            choice = (rng.choice(_CHOICE_KEYS), rng.sample(w.ADJECTIVES + w.NOUNS, rng.randrange(2, 5)))
        if rng.random() < 0.6:
            actions = rng.sample(list(_ACTIONS), rng.randrange(2, 5))
            made = MadeUpTool(
                f"{rng.choice(('manage', 'control'))}_{noun}", noun, actions, "", args[:cut], args[cut:], choice
            )
        else:
            verb = rng.choice(w.VERBS)
            made = MadeUpTool(f"{verb}_{noun}", noun, [], verb, args[:cut], args[cut:], choice)
        if made.name not in banned:
            return made


def spoken_request(rng: w.Source, tool: MadeUpTool) -> tuple[str, dict[str, object]]:
    """A sentence that asks for `tool`, and the arguments that the sentence carries."""
    arguments: dict[str, object] = {}
    verb = tool.verb
    if tool.action:
        action = rng.choice(tool.action)
        arguments["action"] = action
        verb = rng.choice(_ACTIONS[action])
    used = tool.args + [a for a in tool.optional if rng.random() < 0.5]
    spoken = []
    for name in used:
        make, leads = _ARGS[name]
        text = make(rng)
        spoken.append(rng.choice(leads).format(text))
        arguments[name] = int(text) if name == "count" else text
    if tool.choice and rng.random() < 0.6:
        key, values = tool.choice
        arguments[key] = rng.choice(values)
        spoken.append(rng.choice(("{v} {k}", "{k} {v}", "as {v}", "{v}", "in {v} {k}")).format(k=key, v=arguments[key]))
    rng.shuffle(spoken)
    noun = tool.noun.replace("_", " ")
    article = rng.choice(("the ", "a ", "my ", "", "this "))
    words = [f"{verb} {article}{noun}", *spoken]
    if spoken and rng.random() < 0.2:
        words = [*spoken, f"{verb} {article}{noun}"]
    return rng.choice(_OPENERS) + " ".join(words) + rng.choice(("", ".", "?", " please", "!")), arguments


def signature_call(rng: w.Source, banned: frozenset[str] = frozenset()) -> Document:
    """Signatures of made-up tools, requests in words, and the JSON that a signature asks for (as plain text)."""
    tools = [made_up_tool(rng, banned) for _ in range(rng.randrange(1, 6))]
    doc = [
        Span("<tools>", special=True),
        Span("\n" + "\n".join(t.signature() for t in tools) + "\n"),
        Span("</tools>", special=True),
        Span("\n"),
    ]
    for _ in range(rng.randrange(1, 3)):
        chosen = rng.choice(tools)
        text, arguments = spoken_request(rng, chosen)
        doc += [Span(f"{text}\n"), Span(_dump({"name": chosen.name, "arguments": arguments}) + "\n", True)]
    return doc


def slots(rng: w.Source) -> Document:
    """A sentence that carries several values, then the values by kind."""
    names = rng.sample(list(_ARGS), rng.randrange(2, 5))
    values = {n: _ARGS[n][0](rng) for n in names}
    spoken = " ".join(rng.choice(_ARGS[n][1]).format(values[n]) for n in names)
    lead = f"{rng.choice(_OPENERS)}{rng.choice(w.VERBS)} the {rng.choice(w.NOUNS)} {spoken}"
    doc = [Span(lead + rng.choice(("", ".", "?")) + "\n")]
    for n in rng.sample(names, len(names)):
        doc += [Span(f"{n}: "), Span(values[n] + "\n", True)]
    return doc


def turn(role: str, text: str, supervised: bool = False) -> Document:
    """One message of the chat frame."""
    return [
        Span("<|im_start|>", special=True),
        Span(f"{role}\n"),
        Span(text, supervised),
        Span("<|im_end|>", supervised, special=True),
        Span("\n"),
    ]


def chat_echo(rng: w.Source) -> Document:
    """A chat in which the assistant repeats or looks up what the person said before."""
    doc: Document = []
    if rng.random() < 0.5:
        doc += turn("system", w.sentence(rng), False)
    facts: dict[str, str] = {}
    for _ in range(rng.randrange(1, 4)):
        if facts and rng.random() < 0.5:
            key = rng.choice(list(facts))
            doc += turn("user", rng.choice((f"What is my {key}?", f"the {key} again", f"{key}?")), False)
            doc += turn("assistant", facts[key], True)
            continue
        key, said = rng.choice(w.NOUNS), w.value(rng)
        facts[key] = said
        doc += turn("user", rng.choice((f"My {key} is {said}.", f"{key}: {said}", f"note the {key} {said}")), False)
        doc += turn("assistant", rng.choice((f"{key}: {said}", f"{said}.", f"OK, {said}.")), True)
    return doc


def prose(rng: w.Source) -> Document:
    """English and Chinese fragments, supervised throughout."""
    parts = [rng.choice((w.sentence, w.sentence, w.chinese))(rng) for _ in range(rng.randrange(2, 6))]
    return [Span(" ".join(parts) + "\n", True)]


# (maker, weight); signature_call takes the names it must avoid.
MIXTURE: tuple[tuple[Callable[..., Document], float], ...] = (
    (copy_text, 0.18),
    (json_recall, 0.12),
    (text_to_json, 0.12),
    (pick_item, 0.12),
    (signature_call, 0.26),
    (slots, 0.08),
    (chat_echo, 0.10),
    (prose, 0.02),
)


def document(rng: w.Source, banned: frozenset[str]) -> Document:
    """One document of the mixture; `banned` are tool names that must not occur (the real catalogue)."""
    maker = rng.choices([m for m, _ in MIXTURE], [weight for _, weight in MIXTURE])[0]
    return maker(rng, banned) if maker is signature_call else maker(rng)
