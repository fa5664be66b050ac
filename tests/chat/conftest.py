"""A tiny trained tokenizer per model type, and the tools that the chat tests talk about."""

import pytest
from chat_samples import GLUE, corpus

from qpa.chat import ChatFormat, SentencePieceTokenizer, train_sentencepiece
from qpa.contract import ToolSpec


@pytest.fixture(scope="session", params=["bpe", "unigram"])
def any_tokenizer(request, tmp_path_factory) -> SentencePieceTokenizer:
    path = tmp_path_factory.mktemp("spm") / f"{request.param}.model"
    return train_sentencepiece(corpus(), 380, path, user_symbols=GLUE, model_type=request.param)


@pytest.fixture(scope="session")
def tokenizer(tmp_path_factory) -> SentencePieceTokenizer:
    path = tmp_path_factory.mktemp("spm") / "tiny.model"
    train_sentencepiece(corpus(), 420, path, user_symbols=GLUE)
    return SentencePieceTokenizer(path)


@pytest.fixture(scope="session", params=["qwen3", "compact", "qwen3_5", "qwen3_8"])
def chat_format(request, tokenizer) -> ChatFormat:
    return ChatFormat(tokenizer, request.param)


@pytest.fixture
def tools() -> list[ToolSpec]:
    alarm = {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["create", "delete", "query", "update"]},
            "time": {"type": "string"},
            "title": {"type": "string"},
        },
        "required": ["action"],
    }
    place = {
        "type": "object",
        "properties": {
            "place": {"anyOf": [{"type": "object"}, {"type": "null"}]},
            "tags": {"type": ["array", "null"]},
            "note": {"anyOf": [{"type": "string"}, {"type": "object"}]},
            "count": {"type": "integer"},
        },
        "required": ["place"],
    }
    return [
        ToolSpec(name="manage_alarm", description="Alarms.", parameters=alarm),
        ToolSpec(name="save_place", description="地点", parameters=place),
    ]
