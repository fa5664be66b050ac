"""Constrained tool calls: what the grammar lets through, and that the engine's replies stay within it."""

from __future__ import annotations

import asyncio
import builtins
import dataclasses
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from bpe_samples import qwen_like, smollm2_like
from flax import nnx
from tiny import CFG, ENGINE

from qpa.chat import load_tokenizer, parse_reply
from qpa.chat.hf_tokenizer import take_over
from qpa.chat.markers import CALL_CLOSE, CALL_OPEN, IM_END, SPECIALS, THINK_CLOSE, THINK_OPEN
from qpa.chat.tokenizer import SentencePieceTokenizer
from qpa.contract import GenerateRequest, ToolSpec
from qpa.models import constrain
from qpa.models.constrain import ToolGrammars
from qpa.models.engine import Engine
from qpa.models.transformer import create, packed_mask

TOKENIZER = SentencePieceTokenizer(Path(constrain.__file__).parent / "base" / "tokenizer.model")
VOCAB = TOKENIZER.vocab_size + 7  # a model's padded rows
ALARM = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["create", "delete"]},
        "loud": {"type": "boolean"},
        "days": {"type": "array", "items": {"type": "string", "enum": ["mon", "周二"]}, "maxItems": 2},
        "at": {"type": "object", "properties": {"hour": {"type": "integer"}}, "required": ["hour"]},
        "type": {"type": ["integer", "null"], "minimum": 3},  # a name that is also a keyword
    },
    "required": ["action"],
}
TOOLS = [
    ToolSpec(name="alarm", description="", parameters=ALARM),
    ToolSpec(name='"odd"\nname', description="", parameters={"type": "object"}),
]


@dataclasses.dataclass
class Format:
    tokenizer: SentencePieceTokenizer = TOKENIZER
    family: str = "compact"
    thinking: bool = False


@pytest.fixture(scope="module")
def grammars():
    pytest.importorskip("llguidance")
    return ToolGrammars(TOKENIZER, VOCAB, "compact")


def encode(text: str) -> list[int]:
    """Ids of a text in which special tokens stand between '¦' marks."""
    parts = text.split("¦")
    return [i for p in parts for i in ([TOKENIZER.special_id(p)] if p in SPECIALS else TOKENIZER.encode(p))]


def allowed(constraint) -> np.ndarray:
    words = np.zeros(-(-VOCAB // 32), np.int32)
    constraint.fill(words)
    return np.flatnonzero((words[:, None] >> np.arange(32)).reshape(-1)[:VOCAB] & 1)


def accepted(grammars, text: str, tools=TOOLS) -> str:
    """How much of a reply the grammar lets through."""
    constraint, ids = grammars.start("tools", tools), encode(text)
    for n, token in enumerate(ids):
        if token not in allowed(constraint):
            return TOKENIZER.decode(ids[:n])
        constraint.advance(token)
    return TOKENIZER.decode(ids)


def call(name: str, arguments: str) -> str:
    return f'¦{CALL_OPEN}¦\n{{"name": {name}, "arguments": {arguments}}}\n¦{CALL_CLOSE}¦'


GOOD = [
    "",
    "Hello 世界 🙂 {<b>",
    call('"alarm"', '{"action": "create"}'),
    f"¦{THINK_OPEN}¦\nhmm\n¦{THINK_CLOSE}¦\n\nNow:\n" + call('"alarm"', '{"action": "delete", "loud": true}'),
    call('"alarm"', '{"action": "create", "days": ["mon", "周二"], "at": {"hour": 7}, "type": null}') + "\n"
    + call('"\\"odd\\"\\nname"', "{}"),
]  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_free_text_and_calls_that_fit_pass(grammars, text):
    whole = text + f"¦{IM_END}¦"
    assert accepted(grammars, whole) == whole.replace("¦", "")


BAD = [
    (call('"alarms"', "{}"), '{"name": "alarm'),  # no such tool
    (call('"alarm"', "{}"), '"arguments": {'),  # required
    (call('"alarm"', '{"action": "crash"}'), '"action": "cr'),
    (call('"alarm"', '{"action": "create", "loud": 1}'), '"loud": '),
    (call('"alarm"', '{"action": "create", "at": {"hour": 7.5}}'), '"hour": 7'),
    (call('"alarm"', '{"action": "create", "at": {"hour": 7, "x": 1}}'), '"hour": 7'),
    (call('"alarm"', '{"action": "create", "at": {"hour": 9999999999999999}}'), "999999999999999"),  # over 53 bits
    (call('"alarm"', '{"action": "create", "type": 2}'), '"type": 2'),
    (call('"alarm"', '{"action": "create", "volume": 1}'), '"create", "'),  # unknown key
    (call('"\\"odd\\"\\nname"', '{"x": 1}'), '"arguments": {'),
    (f"¦{CALL_OPEN}¦ {{", CALL_OPEN),  # another spacing
    (f"¦{CALL_OPEN}¦\n¦{IM_END}¦", f"{CALL_OPEN}\n"),  # unfinished
    (f"so¦{CALL_CLOSE}¦", "so"),
    (f"spelled {CALL_OPEN}", "spelled <tool_call"),
    (f"¦{THINK_OPEN}¦so {THINK_CLOSE}", f"{THINK_OPEN}so </think"),
]


@pytest.mark.parametrize(("text", "until"), BAD)
def test_what_does_not_fit_stops_where_it_goes_wrong(grammars, text, until):
    plain = text.replace("¦", "")
    last_good = plain.index(until) + len(until)
    assert last_good < len(plain) and len(accepted(grammars, text)) <= last_good  # tokens straddle the place


def test_without_tools_there_are_no_calls_and_padded_ids_are_never_allowed(grammars):
    assert accepted(grammars, f"a¦{CALL_OPEN}¦", tools=[]) == "a"
    assert accepted(grammars, "a") == "a"
    ids = allowed(grammars.start("tools", TOOLS))
    assert max(ids) < TOKENIZER.vocab_size and TOKENIZER.pad_id not in ids and len(ids) > 2500


def test_a_grammar_is_compiled_once_per_set_of_tools(grammars):
    before = grammars._compiled.cache_info()
    for _ in range(3):
        grammars.start("tools", [ToolSpec(name="new", description="", parameters={})])
    after = grammars._compiled.cache_info()
    assert (after.misses - before.misses, after.hits - before.hits) == (1, 2)


def test_bad_settings_are_said(grammars, monkeypatch):
    with pytest.raises(ValueError, match="constrain is 'json'"):
        grammars.start("json", TOOLS)
    with pytest.raises(ValueError, match=r"no grammar for the tools t: .*strin"):
        schema = {"type": "object", "properties": {"a": {"type": "strin"}}}
        grammars.start("tools", [ToolSpec(name="t", description="", parameters=schema)])
    with pytest.raises(ValueError, match="no grammar for the tools t: "):
        grammars.start("tools", [ToolSpec(name="t", description="", parameters={"properties": [1]})])
    with pytest.raises(ValueError, match="chat family is 'qwen3xml'"):
        ToolGrammars(TOKENIZER, VOCAB, "qwen3xml")
    with pytest.raises(ValueError, match="object has no token_bytes"):
        ToolGrammars(object(), VOCAB, "qwen3")


def test_a_missing_package_is_said(monkeypatch):
    real = builtins.__import__

    def fake(name, *args, **kwargs):
        if name == "llguidance":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", fake)
    with pytest.raises(RuntimeError, match=r"constrained tool calls need llguidance: pip install -e .*constrain"):
        ToolGrammars(TOKENIZER, VOCAB, "qwen3")


# --- in the engine -------------------------------------------------------------------------------------------------

PROMPT = encode("set an alarm")
CONFIG = dataclasses.replace(CFG, vocab_size=VOCAB, tie_embeddings=False)
GRAPHDEF, PARAMS = create(CONFIG, 0)


@jax.jit
def forward(params, ids):
    """Final states [T, D] and logits [T, V] of one sequence."""
    model = nnx.merge(GRAPHDEF, params)
    hidden, _ = model.hidden(ids[None], jnp.arange(len(ids))[None], packed_mask(jnp.ones((1, len(ids)), jnp.int32)))
    return hidden[0], model.logits(hidden)[0]


def at_end(params, ids):
    """Of the last token, padded behind so that it compiles once."""
    return tuple(x[len(ids) - 1] for x in forward(params, np.array(ids + [0] * (64 - len(ids)))))


@pytest.fixture(scope="module")
def engine():
    """A random model whose likeliest first token opens a call."""
    pytest.importorskip("llguidance")
    hidden, _ = at_end(PARAMS, PROMPT)
    PARAMS["lm_head"].set_value(PARAMS["lm_head"].get_value().at[:, TOKENIZER.special_id(CALL_OPEN)].set(hidden))
    return Engine(GRAPHDEF, PARAMS, CONFIG, dataclasses.replace(ENGINE, context=192, prefill_buckets=(8,)), Format())


def request(episode, **fields):
    options = {"max_tokens": 44, "tools": TOOLS, "prompt_ids": PROMPT, "constrain": "tools"} | fields
    return GenerateRequest(episode=episode, turn=0, messages=[], **options)


def gather(eng, *requests):
    async def main():
        return await asyncio.gather(*(eng.generate(r) for r in requests))

    return asyncio.run(main())


def test_a_random_model_calls_declared_tools_with_valid_arguments(engine):
    complete = 0
    for reply in gather(engine, *(request(f"e{i}") for i in range(12))):
        assert reply.text.startswith(f'{CALL_OPEN}\n{{"name": "')
        if CALL_CLOSE in reply.text:
            parsed = parse_reply(reply.text.split(CALL_CLOSE)[0] + CALL_CLOSE, TOOLS)
            assert not parsed.errors and parsed.calls[0].name in {tool.name for tool in TOOLS}
            assert parsed.calls[0].name != "alarm" or parsed.calls[0].arguments["action"] in ("create", "delete")
            complete += 1
    assert complete >= 6


def test_log_probs_are_those_among_the_allowed_ids(engine, grammars):
    (reply,) = gather(engine, request("p", temperature=0.7, top_k=3, raw_log_probs=True, max_tokens=12))
    (greedy,) = gather(engine, request("p", temperature=0.0, max_tokens=12))
    constraint = grammars.start("tools", TOOLS)
    for i, token in enumerate(reply.token_ids):
        logits = np.asarray(at_end(PARAMS, PROMPT + reply.token_ids[:i])[1], np.float64)
        raw = logits - np.log(np.exp(logits).sum())
        assert abs(reply.raw_log_probs[i] - raw[token]) < 1e-4
        masked = np.full(VOCAB, -np.inf)
        may = allowed(constraint)
        masked[may] = logits[may] / 0.7
        masked[masked < np.sort(masked)[-3]] = -np.inf
        assert abs(reply.log_probs[i] - (masked[token] - np.log(np.exp(masked).sum()))) < 1e-4
        constraint.advance(token)
    assert greedy.token_ids[0] == TOKENIZER.special_id(CALL_OPEN) and greedy.text != reply.text


def test_constrained_and_other_calls_do_not_see_each_other(engine):
    requests = [request(f"n{i}", constrain="tools" if i % 2 else "", top_p=0.9 if i % 3 else 1.0) for i in range(8)]
    requests[5].stop_ids = [encode(f"¦{CALL_OPEN}¦\n")]
    alone = [gather(engine, r)[0] for r in requests]
    assert gather(engine, *requests) == alone
    assert alone[5].finish == "stop" and alone[5].text == ""


@pytest.mark.parametrize("kind", [qwen_like, smollm2_like])
def test_a_byte_level_tokenizer_makes_the_same_grammar(tmp_path, kind):
    pytest.importorskip("llguidance")
    folder = kind(tmp_path / "tokenizer")
    if kind is smollm2_like:
        take_over(folder)
    tokenizer = load_tokenizer(folder)
    constraint = ToolGrammars(tokenizer, tokenizer.vocab_size + 3, "qwen3").start("tools", TOOLS)
    rest = '\n{"name": "alarm", "arguments": {"action": "create", "days": ["周二"]}}\n'
    for token in [tokenizer.special_id("<tool_call>"), *tokenizer.encode(rest), tokenizer.special_id("</tool_call>")]:
        words = np.zeros(-(-(tokenizer.vocab_size + 3) // 32), np.int32)
        constraint.fill(words)
        assert words[token // 32] >> (token % 32) & 1, tokenizer.decode([token])
        constraint.advance(token)
