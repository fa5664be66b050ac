"""What the planner reads and what is recorded, turn by turn."""

from __future__ import annotations

import asyncio
import json
import random

import msgspec
import pytest
from harness_doubles import ALARM, CREATE, SEARCH, StubEnv, TextModel, call_text, make_task, spec

from qpa.chat import ChatFormat, render, trajectory_tokens
from qpa.chat.markers import SPECIALS
from qpa.contract import (
    CallTools,
    ErrorType,
    Feedback,
    GenerateReply,
    Limits,
    Message,
    Role,
    Skill,
    StopReason,
    ToolKind,
)
from qpa.harness import Adapter, HarnessConfig, bare_eta, run_episode, tiny_eta
from qpa.harness.adapter import SKILL_PROTOCOL, AdapterError
from qpa.harness.context import tool_message


def play(model, env, task=None, **options):
    return asyncio.run(run_episode(model, env, task or make_task(), eta=options.pop("eta", tiny_eta()), **options))


# --- parse errors ---


def test_malformed_arguments_reach_no_tool_and_the_episode_goes_on():
    env = StubEnv()
    model = TextModel('<tool_call>\n{"name": "manage_alarm", "arguments": {"action":\n</tool_call>', CREATE, "Done.")
    trajectory = play(model, env)
    assert [call.id for call in env.stepped] == ["1.0"]
    first = trajectory.steps[0]
    assert first.parse_errors and len(first.feedback) == 1
    assert first.feedback[0].error_type is ErrorType.INVALID_ARGUMENT
    (seen,) = trajectory.steps[1].observation
    assert seen.role is Role.TOOL and seen.call_id is None
    assert json.loads(seen.content)["error"].startswith("invalid tool call: ")
    assert trajectory.stop is StopReason.FINISHED and trajectory.cost.turns == 3
    # Models that read messages see their own broken turn literally.
    assert model.requests[1].messages[-2].content == first.text


def test_a_readable_call_beside_an_unreadable_one_runs_and_both_are_answered():
    env = StubEnv()
    trajectory = play(TextModel(CREATE + "\n<tool_call>\nnonsense\n</tool_call>", "Done."), env)
    assert len(env.stepped) == 1
    assert [feedback.ok for feedback in trajectory.steps[0].feedback] == [True, False]
    ids = [feedback.call_id for feedback in trajectory.steps[0].feedback]
    assert len(set(ids)) == 2


def test_empty_reply_is_an_error_not_an_answer():
    trajectory = play(TextModel("", "Done."), StubEnv())
    assert trajectory.cost.turns == 2 and "empty" in trajectory.steps[0].parse_errors[0]


def test_call_ids_are_unique_across_turns_and_blocks():
    env = StubEnv()
    play(TextModel(CREATE + "\n" + CREATE, CREATE, "Done."), env)
    assert [call.id for call in env.stepped] == ["0.0", "0.1", "1.0"]


# --- context ---


def test_first_observation_has_system_history_and_goal():
    history = [Message(role=Role.USER, content="hi"), Message(role=Role.ASSISTANT, content="hello")]
    eta = HarnessConfig(system="Be brief.", domain_instructions={"Time": "Use 24 h.", "Notes": "Unused."})
    trajectory = play(TextModel("Done."), StubEnv(), make_task(history=history), eta=eta)
    system, *rest = trajectory.steps[0].observation
    assert system.content == "Be brief.\nUse 24 h.\nNow 2025-01-15 09:00 Wednesday"
    assert rest == [*history, Message(role=Role.USER, content="Set an alarm at 07:30.")]
    assert trajectory.harness_version == eta.label()


def test_tool_messages_are_one_level_utf8_json():
    env = StubEnv(lambda call: {"success": True, "data": {"标题": "晨跑", "n": 1}})
    trajectory = play(TextModel(CREATE, "Done."), env)
    assert trajectory.steps[1].observation[0].content == '{"success": true, "data": {"标题": "晨跑", "n": 1}}'


def loaded(call):
    payload = {"status": "loaded", "skill": "time-planning", "loaded_tools": ["manage_timer"], "unknown_tools": []}
    timer = spec("manage_timer", {"minutes": {"type": "integer"}})
    return Feedback(call_id=call.id, name=call.name, ok=True, payload=payload, loaded_tools=[timer, ALARM])


def answer_skill(call):
    return loaded(call) if call.name.startswith("skill__") else {"success": True}


def test_loading_a_skill_extends_the_visible_tools():
    env = StubEnv(answer_skill)
    use = call_text("manage_timer", '{"minutes": 5}')
    model = TextModel(use, call_text("skill__time_planning", '{"reason": "x"}'), use, "Done.")
    trajectory = play(model, env, make_task(skills=["time-planning"]))
    assert trajectory.steps[0].feedback[0].error_type is ErrorType.UNKNOWN_TOOL
    assert trajectory.steps[2].feedback[0].ok
    assert trajectory.tools == ["manage_alarm", "skill__time_planning", "manage_timer"]
    assert trajectory.loaded_skills == ["time-planning"]
    assert [len(request.tools) for request in model.requests] == [2, 2, 3, 3]
    # Only the tool that was not visible before gets a schema line.
    assert trajectory.steps[2].observation[0].content.endswith("}\nmanage_timer(minutes?:int)")


def test_models_without_a_family_get_no_schema_lines():
    model = TextModel(call_text("skill__time_planning", '{"reason": "x"}'), "Done.")
    del model.family
    trajectory = play(model, StubEnv(answer_skill), make_task(skills=["time-planning"]))
    assert "\n" not in trajectory.steps[1].observation[0].content


def test_skill_protocol_only_with_loaders_and_guidance_only_without():
    skills = [
        Skill(name="time-planning", description="d", instructions="## Rules\n- Query first.", tools=["manage_alarm"])
    ]
    eta = msgspec.structs.replace(tiny_eta(), adapter=True, skill_protocol=True)
    system = play(TextModel("Done."), StubEnv(), skills=skills, eta=eta).steps[0].observation[0].content
    assert "- Query first." in system and SKILL_PROTOCOL not in system
    task = make_task(skills=["time-planning"])
    system = play(TextModel("Done."), StubEnv(), task, skills=skills, eta=eta).steps[0].observation[0].content
    assert "- Query first." not in system and SKILL_PROTOCOL in system
    system = play(TextModel("Done."), StubEnv(), skills=skills, eta=tiny_eta()).steps[0].observation[0].content
    assert "- Query first." not in system


def test_an_adapter_for_other_schemas_is_refused():
    env = StubEnv()
    stale = Adapter.build([], [ALARM], {"manage_alarm": None})
    with pytest.raises(AdapterError, match="build it again"):
        play(TextModel("Done."), env, skills=stale, eta=HarnessConfig())


def test_retrieved_memories_come_from_successful_memory_tools_only():
    def answer(call):
        items = {"success": True, "data": {"items": [{"memory_id": "m1"}, {"memory_id": "m2"}, {"other": 1}]}}
        return (
            items if call.arguments["query"] == "gym" else {"success": False, "data": {"items": [{"memory_id": "m9"}]}}
        )

    def wrong(call):
        payload = answer(call)
        return Feedback(call_id=call.id, name=call.name, ok=payload["success"], payload=payload)

    search = '{"query": "%s"}'
    texts = [call_text("search_user_memory", search % query) for query in ("x", "gym", "gym")]
    trajectory = play(TextModel(*texts, "Done."), StubEnv(wrong), make_task(tools=["search_user_memory"]))
    assert SEARCH.kind is ToolKind.MEMORY
    assert trajectory.retrieved_memories == ["m1", "m2"]


# --- notices ---


def failing(call):
    payload = {"success": False, "error": "no", "code": 409}
    return Feedback(call_id=call.id, name=call.name, ok=False, payload=payload, error_type=ErrorType.CONFLICT, code=409)


def test_repeat_notice_fires_at_two_and_is_recorded():
    trajectory = play(TextModel(CREATE, CREATE, "Sorry, it failed."), StubEnv(failing))
    assert trajectory.steps[0].notices == []
    (notice,) = trajectory.steps[1].notices
    assert "manage_alarm" in notice and "2" in notice and len(notice.split()) <= 20
    assert trajectory.steps[1].observation[0].content.count("\n") == 0
    assert trajectory.steps[2].observation[0].content.endswith("\n" + notice)


def test_no_notice_when_switched_off():
    trajectory = play(TextModel(CREATE, CREATE, "Sorry."), StubEnv(failing), eta=bare_eta())
    assert not any(step.notices for step in trajectory.steps)


# --- token in, token out ---


class ByteTokenizer:
    """One id per UTF-8 byte, then the special tokens, then "ll" as one more way to write two bytes."""

    vocab_size = 256 + len(SPECIALS) + 2
    pad_id = vocab_size - 1
    merged_id = vocab_size - 2
    eos_id = 256 + SPECIALS.index("<|im_end|>")
    plain_markers: frozenset[str] = frozenset()

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def decode(self, ids) -> str:
        pieces = [bytes([i]) if i < 256 else b"ll" if i == self.merged_id else SPECIALS[i - 256].encode() for i in ids]
        return b"".join(pieces).decode("utf-8", "replace")

    def special_id(self, name: str) -> int:
        return 256 + SPECIALS.index(name)


class TokenModel:
    """Samples ids of its texts, writing "ll" by its merged id, which no re-encoding of the text would do."""

    def __init__(self, *texts: str, family: str = "compact", end: bool = True) -> None:
        self.name = "tokens"
        self.chat_format = ChatFormat(ByteTokenizer(), family, True)
        self.texts, self.end = texts, end
        self.prompts: list[list[int]] = []

    async def generate(self, request):
        self.prompts.append(request.prompt_ids)
        text = self.texts[min(request.turn, len(self.texts) - 1)]
        ids: list[int] = []
        for i, part in enumerate(text.split("ll")):
            ids += ([ByteTokenizer.merged_id] if i else []) + self.chat_format.encode_reply(part)
        ids = [*ids, *([ByteTokenizer.eos_id] if self.end else [])][: request.max_tokens]
        rng = random.Random(f"{request.seed}/{request.turn}")
        return GenerateReply(
            text=self.chat_format.tokenizer.decode(ids),
            token_ids=ids,
            log_probs=[-rng.random() for _ in ids],
            finish="length" if len(ids) == request.max_tokens else "stop",
            policy_version=3 + request.turn,
        )


@pytest.mark.parametrize("family", ["compact", "qwen3"])
@pytest.mark.parametrize("end", [True, False])
def test_sampled_ids_are_kept_and_never_encoded_again(family, end):
    model = TokenModel(
        CREATE + "\n" + CREATE, "<tool_call>\nbroken\n</tool_call>", "All is well.", family=family, end=end
    )
    trajectory = play(model, StubEnv(), make_task(limits=Limits(context_tokens=10**5)))
    assert trajectory.stop is StopReason.FINISHED
    ids, mask, log_probs = trajectory_tokens(trajectory, model.chat_format, [])
    context = [i for step in trajectory.steps for i in (*step.prompt_ids, *step.token_ids)]
    assert ids == context
    assert ByteTokenizer.merged_id in ids
    # Each prompt was exactly the record so far, and each is a prefix of the next.
    for i, prompt in enumerate(model.prompts):
        before = [t for step in trajectory.steps[:i] for t in (*step.prompt_ids, *step.token_ids)]
        assert prompt == before + trajectory.steps[i].prompt_ids
    assert sum(mask) == sum(len(step.token_ids) for step in trajectory.steps) == trajectory.cost.output_tokens
    assert [lp for lp, m in zip(log_probs, mask) if m] == [lp for step in trajectory.steps for lp in step.log_probs]
    assert trajectory.policy_versions == [3, 4, 5]
    assert trajectory.cost.prompt_tokens == len(ids) - sum(mask)


def test_token_context_equals_the_rendered_conversation():
    model = TokenModel(CREATE, "Done.")
    trajectory = play(model, StubEnv(), make_task(limits=Limits(context_tokens=10**5)))
    first, second = trajectory.steps
    assert isinstance(first.action, CallTools)
    conversation = [
        *first.observation,
        Message(role=Role.ASSISTANT, calls=first.action.calls),
        *second.observation,
        Message(role=Role.ASSISTANT, content="Done."),
    ]
    text = render(conversation, [ALARM], "compact")
    ids, _, _ = trajectory_tokens(trajectory, model.chat_format, [])
    assert model.chat_format.tokenizer.decode(ids) + "\n" == text


def test_budgets_bound_what_is_asked_for():
    class Endless(TokenModel):
        async def generate(self, request):
            reply = await super().generate(request)
            self.asked = [*getattr(self, "asked", []), request.max_tokens]
            return reply

    model = Endless("x" * 10_000)
    task = make_task(limits=Limits(output_tokens=100, context_tokens=10**5))
    trajectory = play(model, StubEnv(), task, max_turn_tokens=40)
    assert model.asked == [40, 40, 20]
    assert trajectory.stop is StopReason.TOKEN_LIMIT and trajectory.cost.output_tokens == 100
    start = len(trajectory.steps[0].prompt_ids)
    trajectory = play(Endless("x" * 10_000), StubEnv(), make_task(limits=Limits(context_tokens=start + 7)))
    assert trajectory.stop is StopReason.CONTEXT_LIMIT and trajectory.cost.output_tokens == 7


def test_token_native_model_must_return_its_ids():
    class Textual(TokenModel):
        async def generate(self, request):
            return GenerateReply(text="Done.")

    trajectory = play(Textual("Done."), StubEnv(), make_task(limits=Limits(context_tokens=10**5)))
    assert trajectory.stop is StopReason.MODEL_FAILURE and "no token ids" in trajectory.invalid_reason


def test_a_reply_with_too_few_log_probs_is_a_model_failure():
    class Lossy(TokenModel):
        async def generate(self, request):
            reply = await super().generate(request)
            return msgspec.structs.replace(reply, log_probs=reply.log_probs[:-1])

    trajectory = play(Lossy("Done."), StubEnv(), make_task(limits=Limits(context_tokens=10**5)))
    assert trajectory.stop is StopReason.MODEL_FAILURE and "log-probs" in trajectory.invalid_reason
    assert not trajectory.steps


def test_a_model_whose_own_context_is_full_ends_the_episode_by_name():
    class Full(TokenModel):
        released = ()

        async def generate(self, request):
            if request.turn == 0:
                return await super().generate(request)
            return GenerateReply(text="", finish="context")

        def release(self, episode):
            self.released += (episode,)

    model = Full(CREATE)
    trajectory = play(model, StubEnv(), make_task(limits=Limits(context_tokens=10**5)), run_id="r", seed=4)
    assert trajectory.stop is StopReason.CONTEXT_LIMIT and trajectory.valid
    assert len(trajectory.steps) == 1 and model.released == ("r/t1/4",)


def test_results_are_shown_within_etas_limits():
    payload = {"success": True, "data": {"items": [{"id": i, "score": 1.5} for i in range(4)], "total": 4}}
    feedback = Feedback(call_id="0.0", name="f", ok=True, payload=payload)
    eta = msgspec.structs.replace(bare_eta(), feedback_omit=["score", "total"], feedback_max_items=2)
    message = tool_message(feedback, eta=eta, new_tools=[], family=None, notice="")
    assert json.loads(message.content) == {"success": True, "data": {"items": [{"id": 0}, {"id": 1}]}}
    whole = tool_message(feedback, eta=bare_eta(), new_tools=[], family=None, notice="")
    assert json.loads(whole.content) == payload


def test_the_next_request_follows_within_four_turns_of_the_event_loop():
    """A batching engine waits that long between device calls, so that finished rows are refilled at once."""

    class Waiting:
        name, family = "waiting", "compact"
        reply: asyncio.Future

        async def generate(self, request):
            self.reply = asyncio.get_running_loop().create_future()
            return await self.reply

    async def main() -> int:
        model = Waiting()
        running = asyncio.create_task(run_episode(model, StubEnv(), make_task(), eta=tiny_eta()))
        while not hasattr(model, "reply"):
            await asyncio.sleep(0)
        first, turns = model.reply, 0
        first.set_result(GenerateReply(text=CREATE))
        while model.reply is first:
            await asyncio.sleep(0)
            turns += 1
        model.reply.set_result(GenerateReply(text="Done."))
        await running
        return turns

    assert asyncio.run(main()) <= 4


def test_eta_trims_what_is_shown_and_never_what_is_recorded():
    payload = {"success": True, "total": 4, "data": {"total": 4, "items": [{"id": i, "at": "x"} for i in range(4)]}}
    eta = HarnessConfig(feedback_omit=["total", "at"], feedback_max_items=2)
    trajectory = play(TextModel(CREATE, "Done."), StubEnv(lambda call: payload), eta=eta)
    assert json.loads(trajectory.steps[1].observation[0].content) == {
        "success": True,
        "data": {"items": [{"id": 0}, {"id": 1}]},
    }
    assert trajectory.steps[0].feedback[0].payload == payload
