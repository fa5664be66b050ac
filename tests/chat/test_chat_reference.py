"""Rendered text is the reference templates' text, character by character.

The reference is what Qwen's models ship with, and the prefix-preserving versions of it that TRL trains with: the
templates inside the installed `trl` package, run by transformers. Where those packages are not installed, digests of
their text stand in for them.
"""

import hashlib
import importlib.metadata

import pytest
from chat_conversations import CONVERSATIONS, OK, TOOLS, WAKE, call, result, says, system, user

from qpa.chat import render
from qpa.contract import Message, Role

# (family, preserve_thinking): the templates, and what they are told besides `enable_thinking`.
REFERENCES: dict[tuple[str, bool], list[tuple[str, dict[str, bool]]]] = {
    ("qwen3", True): [("qwen3_training", {})],
    ("qwen3", False): [("qwen3", {})],
    ("qwen3_5", True): [("qwen3_5_think_training", {}), ("qwen3_5_nothink_training", {})],
    ("qwen3_5", False): [("qwen3_5_think", {}), ("qwen3_5_nothink", {})],
    ("qwen3_6", True): [("qwen3_6_training", {}), ("qwen3_6", {"preserve_thinking": True})],
    ("qwen3_6", False): [("qwen3_6", {})],
    ("qwen3_8", True): [("qwen3_8_training", {}), ("qwen3_8", {})],
    ("qwen3_8", False): [("qwen3_8", {"preserve_thinking": False})],
}
VARIANTS = [(*key, thinking) for key in REFERENCES for thinking in (True, False)]
# (family, preserve_thinking, thinking): of trl 1.16.0, checked against it below.
DIGESTS: dict[tuple[str, bool, bool], str] = {
    ("qwen3", True, True): "75cc8b3c959618be",
    ("qwen3", True, False): "f8c221c61c991e41",
    ("qwen3", False, True): "4d0a63462da6ff4c",
    ("qwen3", False, False): "4c2b7a56ba3e395b",
    ("qwen3_5", True, True): "c9163672a50d25ce",
    ("qwen3_5", True, False): "c71a33318e441f80",
    ("qwen3_5", False, True): "0591fc63ae0ee676",
    ("qwen3_5", False, False): "190d1b5f7c056a4b",
    ("qwen3_6", True, True): "217c7f6064bbd2a3",
    ("qwen3_6", True, False): "c9d0f27b066ab694",
    ("qwen3_6", False, True): "7ef55e7021d984b3",
    ("qwen3_6", False, False): "0d64cbded60da182",
    ("qwen3_8", True, True): "85321b7103c9ea23",
    ("qwen3_8", True, False): "e3ac4990f928127f",
    ("qwen3_8", False, True): "90cc162887dfcd3b",
    ("qwen3_8", False, False): "1b61f3f3f1218c64",
}


def digest(texts) -> str:
    return hashlib.sha256("\x00".join(texts).encode()).hexdigest()[:16]


def rendered(family: str, preserve: bool, thinking: bool) -> dict[tuple[str, bool], str]:
    """(conversation, generation prompt) -> text."""
    return {
        (name, prompt): render(
            messages, tools, family, thinking=thinking, preserve_thinking=preserve, add_generation_prompt=prompt
        )
        for name, (messages, tools) in CONVERSATIONS.items()
        for prompt in (False, True)
    }


@pytest.mark.parametrize(("family", "preserve", "thinking"), VARIANTS)
def test_the_digest_of_the_reference(family, preserve, thinking):
    assert digest(rendered(family, preserve, thinking).values()) == DIGESTS[family, preserve, thinking]


# --- against the reference itself ----------------------------------------------------------------------------------


class Reference:
    """Renders by the templates inside the installed `trl`."""

    def __init__(self) -> None:
        self.render_template = pytest.importorskip("transformers.utils.chat_template_utils").render_jinja_template
        try:
            files = importlib.metadata.files("trl") or []
        except importlib.metadata.PackageNotFoundError:
            pytest.skip("the reference templates need the package trl")
        self.templates = {f.stem: f.read_text(encoding="utf-8") for f in files if f.suffix == ".jinja"}

    def __call__(
        self, messages, tools, template: str, thinking: bool, prompt: bool = False, **flags: bool | str
    ) -> str:
        texts, _ = self.render_template(
            [[self._message(m, thinking) for m in messages]],
            tools=[self._tool(spec) for spec in tools] or None,
            chat_template=self.templates[template],
            add_generation_prompt=prompt,
            enable_thinking=thinking,
            **flags,
        )
        return texts[0]

    def _message(self, message: Message, thinking: bool) -> dict:
        out = {"role": str(message.role), "content": message.content}
        if message.role == Role.ASSISTANT:
            out["reasoning_content"] = message.thought if thinking else ""
            functions = [{"name": c.name, "arguments": c.arguments} for c in message.calls]
            out["tool_calls"] = [{"type": "function", "function": f} for f in functions]
        return out

    def _tool(self, spec) -> dict:
        function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
        return {"type": "function", "function": function}


@pytest.fixture(scope="module")
def reference() -> Reference:
    return Reference()


@pytest.mark.parametrize(("family", "preserve", "thinking"), VARIANTS)
def test_equal_to_the_reference(reference, family, preserve, thinking):
    ours = rendered(family, preserve, thinking)
    for template, flags in REFERENCES[family, preserve]:
        theirs = {}
        for name, prompt in ours:
            messages, tools = CONVERSATIONS[name]
            theirs[name, prompt] = reference(messages, tools, template, thinking, prompt, **flags)
            assert ours[name, prompt] == theirs[name, prompt], (template, name)
        assert digest(theirs.values()) == DIGESTS[family, preserve, thinking]


# What a template knows and our messages cannot say, or what it refuses: (family, messages, tools, its text or error).
DIFFERENT = [
    ("qwen3_5", [says("a")], [], "No user query"),
    ("qwen3_6", [user("a"), system("b")], [], "System message must be at the beginning"),
    ("qwen3_8", [], [], "No messages provided"),
    ("qwen3_5", [result(OK), user("a")], [], "<tool_response>"),
    ("qwen3", [system(""), user("a")], TOOLS, "<|im_start|>system\n\n\n# Tools"),
    ("qwen3", [user("a"), says("\n", WAKE)], [], "</think>\n\n\n<tool_call>"),
    ("qwen3", [user("a"), says("", call('"'))], [], '"name": """'),
]


@pytest.mark.parametrize(("family", "messages", "tools", "theirs"), DIFFERENT)
def test_where_the_reference_differs(reference, family, messages, tools, theirs):
    template = REFERENCES[family, True][0][0]
    try:
        text = reference(messages, tools, template, True)
    except Exception as error:
        text = str(error)
    ours = render(messages, tools, family)
    assert theirs in text and ours != text
    assert ours.count("<|im_start|>") >= len(messages)


def test_a_reasoning_effort_other_than_the_default_is_another_family(reference):
    """Qwen3.8 with medium effort writes what "qwen3_6" writes."""
    for messages, tools in CONVERSATIONS.values():
        theirs = reference(messages, tools, "qwen3_8", True, reasoning_effort="medium")
        assert theirs == render(messages, tools, "qwen3_6") or messages[0].content.strip() == ""
