"""A planner behind an OpenAI-compatible chat endpoint, for `run_episode` like any other model.

The `openai` client (extra "endpoint") sends the requests and repeats them: on connection errors, timeouts, 408, 409,
429 and 5xx, with exponential backoff and jitter or after what Retry-After says. What is left after that, and any other
refusal, is a `ModelFailure`: the episode is infrastructure, not a failed task.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from qpa.chat.wire import reply_text, wire_messages, wire_tools
from qpa.contract import GenerateReply, GenerateRequest, ModelFailure

RETRIES = 6  # about 20 s of waiting in all
TIMEOUT_S = 300.0  # one attempt
FIXED_FIELDS = ("messages", "model", "n", "stream", "tools")  # of a request: nobody may override them
_MAX_MESSAGE = 300  # characters of an endpoint's own error message
_NO_KEY = "none"  # the client wants a key; servers of one's own do not


class RemoteModel:
    """Asks one model of one endpoint.

    Args:
      base_url: what comes before /chat/completions, e.g. http://localhost:8000/v1.
      model: the endpoint's name of the model.
      api_key: sent as bearer token; empty for servers that want none.
      fields: merged over the fields of each request; None as a value leaves a field out.
      retries: how often a request is repeated.
      timeout_s: longest wait for one attempt.

    Raises:
      RuntimeError: the `openai` package is missing.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str = "",
        fields: Mapping[str, Any] | None = None,
        retries: int = RETRIES,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.name = f"openai:{base_url}#{model}"
        self._openai = _package()
        self._url, self._model, self._fields = base_url, model, dict(fields or {})
        self._options: dict[str, Any] = {"api_key": api_key or _NO_KEY, "base_url": base_url}
        self._options |= {"max_retries": retries, "timeout": timeout_s}
        self._client: Any = None

    async def generate(self, request: GenerateRequest) -> GenerateReply:
        """One answer; raises ModelFailure when there is none in time, retries included."""
        limit = None if request.time_left_s is None else _before(request.time_left_s)
        try:
            async with asyncio.timeout(limit):
                body = await self._post(request)
        except TimeoutError:
            raise ModelFailure(f"{self._url}: no answer before the episode's deadline, retries included") from None
        except self._openai.APIStatusError as e:
            if _too_long(e):
                return GenerateReply(text="", finish="context")
            raise ModelFailure(f"{self._url}: HTTP {e.status_code}: {_message(e)}") from None
        except self._openai.OpenAIError as e:
            cause = f" ({e.__cause__})" if e.__cause__ else ""
            raise ModelFailure(f"{self._url}: {e}{cause}") from None
        return _reply(self._url, body)

    async def aclose(self) -> None:
        """Closes the connections; the next request opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _post(self, request: GenerateRequest) -> bytes:
        if self._client is None:
            self._client = self._openai.AsyncOpenAI(**self._options)
        fields: dict[str, Any] = {
            "temperature": request.temperature,
            "max_tokens": request.max_tokens,
            "seed": request.seed,
            "tools": wire_tools(request.tools) or None,
            "top_p": request.top_p if request.top_p < 1 else None,
            "top_k": request.top_k or None,
            "min_p": request.min_p or None,
        }
        fields = {name: value for name, value in (fields | self._fields).items() if value is not None}
        # Raw: the client's own types break on what endpoints leave out or send in another type.
        raw = await self._client.chat.completions.with_raw_response.create(
            model=self._model, messages=wire_messages(request.messages), extra_body=fields
        )
        return raw.http_response.content


def list_models(base_url: str, api_key: str = "") -> list[str]:
    """Names of the models that an endpoint serves. Raises ModelFailure, and RuntimeError like `RemoteModel`."""
    openai = _package()
    try:
        with openai.OpenAI(api_key=api_key or _NO_KEY, base_url=base_url, timeout=10.0, max_retries=1) as client:
            return [str(model.id) for model in client.models.list().data]
    except openai.APIStatusError as e:
        raise ModelFailure(f"{base_url}/models: HTTP {e.status_code}: {_message(e)}") from None
    except (openai.OpenAIError, AttributeError, TypeError, ValueError) as e:  # the last three: a body of another shape
        raise ModelFailure(f"{base_url}/models: {e}") from None


def _package() -> Any:
    try:
        import openai
    except ImportError:
        raise RuntimeError('a remote endpoint needs the openai package: pip install -e ".[endpoint]"') from None
    return openai


def _before(seconds: float) -> float:
    """A little less than the time left, so that this model reports the failure before the runtime ends the episode."""
    return max(seconds / 2, seconds - 1.0)


def _reply(url: str, body: bytes) -> GenerateReply:
    try:
        answer = json.loads(body)
        choice = answer["choices"][0]
        text = reply_text(choice["message"])
        finish = choice.get("finish_reason")
        usage = answer.get("usage")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        start = " ".join(body[:_MAX_MESSAGE].decode("utf-8", "replace").split())
        raise ModelFailure(f"{url}: not a chat completion: {start!r}") from None
    output, thinking = _usage(usage if isinstance(usage, dict) else {})
    return GenerateReply(
        text=text,
        finish="length" if finish == "length" else "stop",
        output_tokens=output,
        thinking_tokens=thinking,
    )


def _usage(usage: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Output tokens with thinking, and thinking tokens, as far as they are reported."""
    details = usage.get("completion_tokens_details")
    output = _count(usage.get("completion_tokens"))
    thinking = _count(details.get("reasoning_tokens")) if isinstance(details, dict) else None
    if output is None or thinking is None:
        return output, None
    # Some endpoints count thinking apart from completion; then it can be the larger number.
    return (output, thinking) if thinking <= output else (output + thinking, thinking)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _message(error: Any) -> str:
    """The endpoint's own words about a refusal, on one line."""
    body = error.body
    for key in ("error", "message", "detail"):
        if isinstance(body, dict) and key in body:
            body = body[key]
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False) if body else error.response.text
    line = " ".join(text.split()) or error.response.reason_phrase
    return line if len(line) <= _MAX_MESSAGE else line[: _MAX_MESSAGE - 1] + "…"


def _too_long(error: Any) -> bool:
    """The request is longer than the model's own context: a named ending of the episode, not a broken service."""
    return error.status_code == 400 and (
        error.code == "context_length_exceeded" or "maximum context length" in _message(error)
    )
