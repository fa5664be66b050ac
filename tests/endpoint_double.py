"""An OpenAI-compatible endpoint on a real TCP port that answers what a test tells it, and the oracle behind one."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from qpa.bench import oracle
from qpa.contract import CallTools, TaskSpec
from qpa.harness.runner import episode_seed

COMPLETION_TOKENS, REASONING_TOKENS = 20, 5
THOUGHT = "a thought that nobody sends back"


@dataclass
class Answer:
    """One HTTP answer; `body` is sent literally if it is text, else as JSON."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def completion(message: dict[str, Any], finish: str = "stop", usage: Any = None) -> Answer:
    """A chat completion as endpoints send it."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return Answer({"id": "c", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage})


def call(name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    """A message with one tool call; `arguments` as they stand."""
    return {
        "content": None,
        "tool_calls": [{"id": "x1", "type": "function", "function": {"name": name, "arguments": arguments}} | more],
    }


class Endpoint:
    """What a test sees of the server: its URL, the requests it got, how many were in flight at once."""

    def __init__(self, answer: Callable[[dict[str, Any]], Answer]) -> None:
        self.answer = answer
        self.url = ""
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.most_in_flight = 0
        self._in_flight = 0
        self._lock = threading.Lock()

    def serve(self, request: dict[str, Any], key: str) -> Answer:
        with self._lock:
            self.requests.append(request)
            self.keys.append(key)
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            problem = _problem(request)
            return Answer({"error": {"message": problem}}, 400) if problem else self.answer(request)
        finally:
            with self._lock:
                self._in_flight -= 1


@contextlib.contextmanager
def endpoint(answer: Callable[[dict[str, Any]], Answer]) -> Iterator[Endpoint]:
    """Serves on a free port of this machine until the block ends."""
    double = Endpoint(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(Answer({"object": "list", "data": [{"id": "planner-1", "object": "model"}]}))

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._send(double.serve(request, self.headers.get("Authorization", "")))

        def _send(self, answer: Answer) -> None:
            body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
            self.send_response(answer.status)
            for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # the client may have given up
                self.wfile.write(body.encode())

        def log_message(self, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

    with Server(("127.0.0.1", 0), Handler) as server:
        double.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield double
        finally:
            server.shutdown()
            thread.join()


def play_oracle(tasks: Sequence[TaskSpec], seed: int = 0) -> Callable[[dict[str, Any]], Answer]:
    """Answers with the oracle's next action; the request's seed says which task is played."""
    by_seed = {episode_seed(seed, task.id, 0): task for task in tasks}

    def answer(request: dict[str, Any]) -> Answer:
        actions = oracle(by_seed[request["seed"]])
        said = [i for i, message in enumerate(request["messages"]) if message["role"] == "user"]
        turn = sum(message["role"] == "assistant" for message in request["messages"][said[-1] :])
        usage = {
            "prompt_tokens": 100,
            "completion_tokens": COMPLETION_TOKENS,
            "completion_tokens_details": {"reasoning_tokens": REASONING_TOKENS},
        }
        message: dict[str, Any] = {"content": "Done.", "reasoning_content": THOUGHT}
        if turn < len(actions):
            action = actions[turn]
            if isinstance(action, CallTools):
                functions = [{"name": c.name, "arguments": json.dumps(c.arguments)} for c in action.calls]
                calls = [{"id": f"id{i}", "type": "function", "function": f} for i, f in enumerate(functions)]
                message |= {"content": None, "tool_calls": calls}
            else:
                message["content"] = action.text
        return completion(message, "tool_calls" if "tool_calls" in message else "stop", usage)

    return answer


def _problem(request: dict[str, Any]) -> str:
    """What a strict endpoint refuses: tool messages without their call, calls without an answer, empty turns."""
    waiting: set[str] = set()
    for message in request["messages"]:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return f"tool message for an unknown call {message['tool_call_id']}"
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return f"no tool message for {sorted(waiting)}"
        for wanted in message.get("tool_calls", ()):
            json.loads(wanted["function"]["arguments"])
            waiting.add(wanted["id"])
        if not message["content"] and not waiting:
            return f"empty {message['role']} message"
    return f"no tool message for {sorted(waiting)}" if waiting else ""
