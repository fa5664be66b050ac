"""The one loop of the system: collection, RL, evaluation and serving all run episodes through `run_episode`.

    observation = [system (eta), history, request]
    repeat: model -> text -> action;  calls -> executor -> feedback -> next observation
    until the planner replies in words or a limit, a deadline or a failure ends it; then verify and close

A model is token-native when it has a `chat_format`: then sampled ids are kept and only new messages are encoded
(`chat.TokenBuffer`), and each step records prompt ids, sampled ids, log-probs and the policy version. Other models get
messages and tools. A model may also have `begin_episode(episode, task)` and `release(episode)`: scripted models
learn there which task is played, engines free what they keep per episode.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

from qpa.chat import ParsedReply, TokenBuffer, parse_reply
from qpa.contract import (
    INFRASTRUCTURE_STOPS,
    CallTools,
    ChatModel,
    Cost,
    Env,
    ErrorType,
    Feedback,
    GenerateReply,
    GenerateRequest,
    Intent,
    Message,
    Provenance,
    Reply,
    Skill,
    Step,
    StopReason,
    TaskSpec,
    ToolSpec,
    Trajectory,
    error_feedback,
)
from qpa.harness import context
from qpa.harness.adapter import Adapter
from qpa.harness.deadline import EpisodeCancelled, bounded, within
from qpa.harness.eta import HarnessConfig
from qpa.harness.executor import Executor, failure_reason
from qpa.harness.memory import MemoryStore, Owner
from qpa.harness.notices import RepeatNotice

_STOP_OF = {Intent.FINISH: StopReason.FINISHED, Intent.ASK: StopReason.ASKED, Intent.REFUSE: StopReason.REFUSED}
_CLOSING_S = 10.0  # grace for verify and close, which come after the episode's own deadline


class _Ended(Exception):  # noqa: N818 - an ending with a name
    def __init__(self, stop: StopReason, reason: str = "") -> None:
        super().__init__(reason)
        self.stop = stop
        self.reason = reason


async def run_episode(
    model: ChatModel,
    env: Env,
    task: TaskSpec,
    *,
    eta: HarnessConfig,
    skills: Sequence[Skill] | Adapter = (),
    memory: MemoryStore | None = None,
    owner: Owner | None = None,
    seed: int = 0,
    temperature: float = 1.0,
    run_id: str = "",
    clock: Callable[[], float] = time.monotonic,
    verify: bool = True,
    stop_when_verified: bool = False,
    max_turn_tokens: int | None = None,
    call_timeout_s: float = 30.0,
    cancel: asyncio.Event | None = None,
) -> Trajectory:
    """Runs one episode to a named end and returns its record; a model, tool or backend failure is never raised.

    Args:
      eta: the harness configuration.
      skills: packages for the Scenario Adapter, or a built `Adapter` (built once for many episodes; needed to choose
        between skills that claim the same tool, where plain packages let the first one win).
      memory, owner: persistent memory to recall evidence from, and whose.
      seed: keys the model's random stream together with `run_id` and the task's id.
      run_id: recorded as the provenance's source.
      clock: monotonic seconds, for cost and deadline accounting.
      verify: False leaves `verdict` None.
      stop_when_verified: verify after every block of calls and stop at the first success.
      max_turn_tokens: limit of one reply; None leaves only the task's own limits.
      call_timeout_s: longest wait for one block of tool calls.
      cancel: set it to end the episode as `cancelled`. Cancelling the asyncio task instead closes the session and
        raises CancelledError.

    Raises:
      AdapterError: the adapter was built for other tool schemas.
      ValueError: memory without owner.
    """
    if memory is not None and owner is None:
        raise ValueError("run_episode got a memory but no owner; memories are always read for someone")
    episode = _Episode(model, env, task, eta, seed, temperature, run_id, clock, cancel)
    episode.max_turn_tokens = max_turn_tokens
    try:
        evidence = context.recall(memory, owner, task)
        return await episode.run(skills, evidence, verify, stop_when_verified, call_timeout_s)
    finally:
        await episode.close()
        if hasattr(model, "release"):
            model.release(episode.id)


class _Episode:
    """State of one run; every method either advances it or raises `_Ended`."""

    def __init__(
        self,
        model: ChatModel,
        env: Env,
        task: TaskSpec,
        eta: HarnessConfig,
        seed: int,
        temperature: float,
        run_id: str,
        clock: Callable[[], float],
        cancel: asyncio.Event | None,
    ) -> None:
        self.model, self.env, self.task, self.eta = model, env, task, eta
        self.seed, self.temperature, self.run_id = seed, temperature, run_id
        self.clock, self.cancel = clock, cancel
        self.id = f"{run_id}/{task.id}/{seed}"
        self.max_turn_tokens: int | None = None
        chat_format = getattr(model, "chat_format", None)
        self.buffer = TokenBuffer(chat_format) if chat_format is not None else None
        self.family: str | None = chat_format.family if chat_format is not None else getattr(model, "family", None)
        self.session: Any = None
        self.visible: dict[str, ToolSpec] = {}
        self.started = clock()
        self.cost = Cost()
        self.steps: list[Step] = []
        self.messages: list[Message] = []
        self.retrieved: list[str] = []
        self.loaded: list[str] = []
        self.notes: dict[str, str] = {}
        self.notices = RepeatNotice(eta.repeat_threshold) if eta.repeat_notice else None

    # --- the loop ---

    async def run(
        self, skills: Sequence[Skill] | Adapter, evidence: str, verify: bool, stop_when_verified: bool, call_s: float
    ) -> Trajectory:
        try:
            adapter = await self._set_up(skills)
            executor = Executor(self.env, self.session, call_timeout_s=call_s, clock=self.clock)
            new = context.first_messages(self.task, self.eta, self.visible, adapter, evidence)
            while True:
                step, text = await self._turn(new)
                if isinstance(step.action, Reply):
                    raise _Ended(_STOP_OF[step.action.intent])
                new = await self._execute(executor, step)
                self.messages = [*self.messages, context.assistant_message(step.action, text, step.text)]
                if stop_when_verified and (await self._verify(StopReason.VERIFIED)).success:
                    raise _Ended(StopReason.VERIFIED)
        except _Ended as ended:
            return await self._finish(ended, verify)

    async def _set_up(self, skills: Sequence[Skill] | Adapter) -> Adapter | None:
        try:
            if hasattr(self.model, "begin_episode"):
                self.model.begin_episode(self.id, self.task)
        except Exception as e:
            raise _Ended(StopReason.MODEL_FAILURE, failure_reason("begin_episode", e)) from None
        try:
            catalog = self.env.catalog()
            self.visible = context.visible_tools(self.task, catalog)
        except Exception as e:
            raise _Ended(StopReason.ENV_FAILURE, failure_reason("catalog", e)) from None
        adapter = context.adapter_for(skills, catalog) if self.eta.adapter else None
        try:
            await self._reset(self.remaining_s / 2)  # half, so that a hanging first try leaves time for the second
        except _Ended as first:
            if first.stop is StopReason.CANCELLED:
                raise
            self.notes["reset_retried"] = first.reason
            await self._reset(self.remaining_s)
        return adapter

    async def _reset(self, seconds: float) -> None:
        started = self.clock()
        try:
            self.session = await bounded(self.env.reset(self.task), seconds, self.cancel)
            if own := getattr(self.session, "catalog", None):
                self.visible = context.visible_tools(self.task, own)
        except EpisodeCancelled:
            raise _Ended(StopReason.CANCELLED, "cancelled before it started") from None
        except Exception as e:
            raise _Ended(StopReason.ENV_FAILURE, failure_reason("reset", e)) from None
        finally:
            self.cost.env_s += self.clock() - started

    async def _turn(self, new: list[Message]) -> tuple[Step, str]:
        """One model call: extends the context by `new`, samples, parses, records. Returns the step and its words."""
        self._check_limits()
        first = not self.steps
        self.messages = [*self.messages, *new]
        step = Step(index=len(self.steps), observation=new, text="", action=CallTools(calls=[]))
        if self.buffer is not None:
            step.prompt_ids = self.buffer.extend(new, list(self.visible.values()) if first else None)
            self.cost.prompt_tokens += len(step.prompt_ids)
            used = len(self.buffer.ids)
        else:
            self.cost.prompt_tokens += sum(context.estimate_tokens(message.content) for message in new)
            used = self.cost.prompt_tokens + self.cost.output_tokens
        room = self.task.limits.context_tokens - used
        if room <= 0:
            raise _Ended(StopReason.CONTEXT_LIMIT)
        reply = await self._generate(step, room)
        self.steps.append(step)
        self.cost.turns += 1
        text = self._read(step, reply)
        if reply.finish == "context" or (reply.finish == "length" and len(step.token_ids) >= room):
            raise _Ended(StopReason.CONTEXT_LIMIT)
        if reply.finish == "length" and self.cost.output_tokens >= self.task.limits.output_tokens:
            raise _Ended(StopReason.TOKEN_LIMIT)
        return step, text

    def _check_limits(self) -> None:
        if self.cancel is not None and self.cancel.is_set():
            raise _Ended(StopReason.CANCELLED, "cancelled")
        if self.remaining_s <= 0:
            raise _Ended(StopReason.DEADLINE)
        if self.cost.turns >= self.task.limits.turns:
            raise _Ended(StopReason.TURN_LIMIT)
        if self.cost.output_tokens >= self.task.limits.output_tokens:
            raise _Ended(StopReason.TOKEN_LIMIT)

    async def _generate(self, step: Step, room: int) -> GenerateReply:
        limit = min(room, self.task.limits.output_tokens - self.cost.output_tokens)
        request = GenerateRequest(
            episode=self.id,
            turn=step.index,
            messages=list(self.messages),
            tools=list(self.visible.values()),
            prompt_ids=list(self.buffer.ids) if self.buffer is not None else [],
            max_tokens=limit if self.max_turn_tokens is None else min(limit, self.max_turn_tokens),
            temperature=self.temperature,
            seed=self.seed,
            time_left_s=self.remaining_s,
        )
        started = self.clock()
        try:
            reply = await within(self.model.generate(request), self.remaining_s, self.cancel)
        except TimeoutError:
            raise _Ended(StopReason.DEADLINE) from None
        except EpisodeCancelled:
            raise _Ended(StopReason.CANCELLED, "cancelled") from None
        except Exception as e:
            raise _Ended(StopReason.MODEL_FAILURE, failure_reason("generate", e)) from None
        finally:
            self.cost.model_s += self.clock() - started
        self._record(step, reply)
        return reply

    def _record(self, step: Step, reply: GenerateReply) -> None:
        """Keeps what was sampled, exactly; a reply that could not be trained on is a model failure."""
        if self.buffer is not None:
            if not reply.token_ids and reply.finish == "context":
                raise _Ended(StopReason.CONTEXT_LIMIT)  # the model's own context is full already
            problem = "" if reply.token_ids else "a token-native model returned no token ids"
            if len(reply.log_probs) not in (0, len(reply.token_ids)):
                problem = f"{len(reply.token_ids)} token ids but {len(reply.log_probs)} log-probs"
            if problem:
                raise _Ended(StopReason.MODEL_FAILURE, f"generate: {problem}")
            self.buffer.sampled(reply.token_ids, reply.log_probs, reply.policy_version)
        step.text = reply.text.encode("utf-8", "replace").decode()
        step.token_ids = list(reply.token_ids)
        step.log_probs = list(reply.log_probs)
        step.policy_version = reply.policy_version
        self.cost.output_tokens += self._output_tokens(reply)

    def _read(self, step: Step, reply: GenerateReply) -> str:
        """Parses the step's text into its action; returns the words outside of thought and calls."""
        in_thought = self.buffer is not None and self.buffer.format.opens_thought
        parsed = parse_reply(step.text, list(self.visible.values()), self.family or "qwen3", in_thought=in_thought)
        self.cost.thinking_tokens += self._thinking_tokens(reply, parsed.thought)
        if reply.finish in ("length", "context"):
            # A cut-off reply may end in a call that only looks complete: nothing of it is executed.
            parsed = ParsedReply(parsed.thought, parsed.text, [], ["the reply was cut off; write less"])
        step.parse_errors = list(parsed.errors)
        step.action = context.action_of(parsed, step.index)
        return parsed.text

    async def _execute(self, executor: Executor, step: Step) -> list[Message]:
        """Runs the step's calls and returns the tool messages of the next observation."""
        assert isinstance(step.action, CallTools)
        calls = step.action.calls
        self.cost.tool_calls += len(calls)
        for call in calls:
            self.cost.by_tool[call.name] = self.cost.by_tool.get(call.name, 0) + 1
        result = await executor.execute(calls, self.visible, remaining_s=self.remaining_s, cancel=self.cancel)
        self.cost.env_s += result.seconds
        step.feedback = result.feedback
        if result.failure:
            raise _Ended(StopReason.ENV_FAILURE, result.failure)
        if result.cancelled:
            raise _Ended(StopReason.CANCELLED, "cancelled")
        unread = [error for error in step.parse_errors if not error.startswith("repaired: ")]
        if unread:
            text = "invalid tool call: " + "; ".join(unread)
            step.feedback.append(error_feedback(f"{step.index}.{len(calls)}", "", ErrorType.INVALID_ARGUMENT, text))
        return [self._tool_message(step, feedback) for feedback in step.feedback]

    def _tool_message(self, step: Step, feedback: Feedback) -> Message:
        new_tools = [spec for spec in feedback.loaded_tools if spec.name not in self.visible]
        self.visible |= {spec.name: spec for spec in new_tools}
        _add_new(self.retrieved, context.retrieved_ids(feedback, self.visible.get(feedback.name)))
        if feedback.ok and feedback.payload.get("status") == "loaded" and "skill" in feedback.payload:
            _add_new(self.loaded, [str(feedback.payload["skill"])])
        notice = (self.notices.observe(feedback) if self.notices is not None else None) or ""
        if notice:
            step.notices.append(notice)
        return context.tool_message(feedback, eta=self.eta, new_tools=new_tools, family=self.family, notice=notice)

    # --- the end ---

    async def _finish(self, ended: _Ended, verify: bool) -> Trajectory:
        trajectory = self._trajectory(ended.stop, ended.reason)
        if verify and ended.stop not in INFRASTRUCTURE_STOPS:
            try:
                trajectory.verdict = await self._verify(ended.stop)
            except _Ended as failed:
                trajectory.stop, trajectory.valid, trajectory.invalid_reason = failed.stop, False, failed.reason
        self.cost.wall_s = self.clock() - self.started
        return trajectory

    async def _verify(self, stop: StopReason) -> Any:
        started = self.clock()
        try:
            work = self.env.verify(self.session, self._trajectory(stop, ""))
            return await bounded(work, max(self.remaining_s, _CLOSING_S))
        except Exception as e:
            raise _Ended(StopReason.ENV_FAILURE, failure_reason("verify", e)) from None
        finally:
            self.cost.env_s += self.clock() - started

    def _trajectory(self, stop: StopReason, reason: str) -> Trajectory:
        self.notes.update(getattr(self.session, "notes", {}))  # the backend's own word about this episode
        versions = sorted({step.policy_version for step in self.steps if step.token_ids})
        return Trajectory(
            task=self.task,
            steps=self.steps,
            stop=stop,
            backend=str(getattr(self.session, "backend", "") or getattr(self.env, "name", "sandbox")),
            policy=self.model.name,
            policy_versions=versions,
            harness_version=self.eta.label(),
            tools=list(self.visible),
            cost=self.cost,
            valid=stop not in INFRASTRUCTURE_STOPS,
            invalid_reason=reason if stop in INFRASTRUCTURE_STOPS else "",
            retrieved_memories=self.retrieved,
            loaded_skills=self.loaded,
            provenance=Provenance(source=self.run_id, seed=self.seed, notes=self.notes),
        )

    async def close(self) -> None:
        """Closes the session, whatever happened; a backend that cannot even close is noted, not raised."""
        session, self.session = self.session, None
        if session is None:
            return
        try:
            await bounded(self.env.close(session), _CLOSING_S)
        except Exception as e:
            self.notes["close_failed"] = failure_reason("close", e)

    @property
    def remaining_s(self) -> float:
        """Seconds until the task's deadline, never negative."""
        return max(0.0, self.task.limits.deadline_s - (self.clock() - self.started))

    def _output_tokens(self, reply: GenerateReply) -> int:
        if reply.output_tokens is not None:
            return reply.output_tokens
        return len(reply.token_ids) or context.estimate_tokens(reply.text)

    def _thinking_tokens(self, reply: GenerateReply, thought: str) -> int:
        if reply.thinking_tokens is not None:
            return reply.thinking_tokens
        if not thought:
            return 0
        if self.buffer is None:
            return min(context.estimate_tokens(thought), self._output_tokens(reply))
        return len(self.buffer.format.encode_reply(f"<think>\n{thought}\n</think>\n\n"))


def _add_new(known: list[str], values: Sequence[str]) -> None:
    known += [value for value in dict.fromkeys(values) if value not in known]
