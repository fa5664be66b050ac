"""launch.eval against an endpoint: the oracle behind HTTP solves everything, what trouble cost is repeated."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec

import pytest
from endpoint_double import COMPLETION_TOKENS, REASONING_TOKENS, THOUGHT, Answer, endpoint, play_oracle
from shrunk import run

from launch.cli import UsageError
from launch.configs import tiny
from launch.endpoint import remote_player
from launch.eval_run import show
from launch.evaluation import evaluate
from launch.players import player_of
from launch.tasksets import split_tasks
from qpa.bench import BenchVerifier, make_env
from qpa.contract import ModelFailure, Split, StopReason
from qpa.harness import RemoteModel, tiny_eta
from qpa.harness.runner import episode_seed

TASKS = 8
NEEDS_OPENAI = pytest.mark.skipif(find_spec("openai") is None, reason='needs the extra "endpoint"')


def dev_tasks():
    return split_tasks(tiny.get_config(), Split.DEV)


def evaluated(url, tasks, folder):
    """One evaluation as launch.eval makes it, with short retries."""
    model = RemoteModel(url, "m", retries=0)
    env = make_env(BenchVerifier())
    return evaluate(model, env, tasks, folder, identity="m", eta=tiny_eta(), concurrency=4, price=2.0)


@NEEDS_OPENAI
def test_the_oracle_behind_an_endpoint_solves_every_kind_of_task(tmp_path):
    every_dimension = {task.dimension: task for task in dev_tasks()}
    with_history = [task for task in dev_tasks() if task.history][:2]
    tasks = [task for task in every_dimension.values() if task not in with_history] + with_history
    with endpoint(play_oracle(tasks)) as served:
        result = evaluated(served.url, tasks, tmp_path)
    assert result.score.success.rate == 1.0 and len(every_dimension) == 4
    turns = sum(t.cost.turns for t in result.trajectories)
    assert len(served.requests) == turns > len(tasks)
    assert result.score.output_tokens == pytest.approx(turns * COMPLETION_TOKENS / len(tasks))
    assert result.score.thinking_tokens == pytest.approx(turns * REASONING_TOKENS / len(tasks))
    assert result.score.cost_per_1000_tasks == pytest.approx(result.score.output_tokens * 2 / 1000)
    assert THOUGHT not in json.dumps(served.requests) and THOUGHT in (tmp_path / "episodes.jsonl").read_text()


@NEEDS_OPENAI
def test_episodes_lost_to_the_endpoint_are_infrastructure_and_only_they_are_repeated(tmp_path):
    tasks = dev_tasks()[:5]
    lost = {episode_seed(0, task.id, 0) for task in tasks[1:3]}
    play = play_oracle(tasks)

    def down_for_some(request):
        return Answer({"error": {"message": "out of memory"}}, 500) if request["seed"] in lost else play(request)

    with endpoint(down_for_some) as served:
        first = evaluated(served.url, tasks, tmp_path)
    assert (first.score.infrastructure, first.score.success.successes) == (2, 3)
    assert [t.stop for t in first.trajectories[1:3]] == [StopReason.MODEL_FAILURE] * 2
    with endpoint(play) as served:
        second = evaluated(served.url, tasks, tmp_path)
    assert (second.score.infrastructure, second.score.success.successes) == (0, 5)
    assert {request["seed"] for request in served.requests} == lost


@NEEDS_OPENAI
def test_eval_from_the_command_line_asks_the_endpoint_for_its_model(tmp_path):
    tasks = dev_tasks()[:TASKS]
    args = ["--split=dev", f"--limit={TASKS}", f"--out={tmp_path / 'out'}", '--request_fields={"top_p": 1}']
    args += ["--concurrency=2", "--price_per_million_tokens=2"]
    with endpoint(play_oracle(tasks)) as served:
        done = run("eval", f"--model=openai:{served.url}", *args, OPENAI_API_KEY="k1")
    assert done.returncode == 0, done.stderr
    assert "USD with thinking" in done.stdout and "of them thinking" in done.stdout
    assert json.loads((tmp_path / "out" / "score.json").read_bytes())["success"]["successes"] == TASKS
    assert set(served.keys) == {"Bearer k1"} and served.most_in_flight <= 2
    assert {(r["model"], r["top_p"]) for r in served.requests} == {("planner-1", 1)}
    assert "k1" not in "".join(path.read_text() for path in (tmp_path / "out").iterdir())


@NEEDS_OPENAI
def test_eval_says_why_an_endpoint_answered_nothing(tmp_path, capsys):
    with endpoint(lambda request: Answer({"error": {"message": "invalid [key]"}}, 401)) as served:
        show("m", evaluated(served.url, dev_tasks()[:2], tmp_path))
    said = " ".join(capsys.readouterr().out.split())
    assert "infrastructure 2" in said
    assert f"2 x generate: ModelFailure: {served.url}: HTTP 401: invalid [key]" in said
    with pytest.raises(ModelFailure, match=f"{served.url}/models"):
        remote_player(f"openai:{served.url}", None)


@NEEDS_OPENAI
def test_the_identity_is_url_model_and_request_fields():
    name = "openai:http://h:1/v1#org/model-1"
    assert remote_player(name, None)[1] == name
    assert remote_player(name, '{"b": 1, "a": null}')[1] == name + ' {"a": null, "b": 1}'


@pytest.mark.parametrize(
    ("name", "fields", "said"),
    [
        ("openai:localhost:8000", None, "use openai:http://HOST:PORT/v1#MODEL"),
        ("openai:http://", None, "use openai:http://HOST:PORT/v1#MODEL"),
        ("openai:http://h:99999/v1#m", None, "use openai:http://HOST:PORT/v1#MODEL"),
        ("openai:http://me:secret@h/v1#m", None, "OPENAI_API_KEY"),
        ("openai:http://h/v1?key=secret#m", None, "OPENAI_API_KEY"),
        ("openai:http://h/v1#m", "{", "--request_fields: not JSON"),
        ("openai:http://h/v1#m", "[]", "--request_fields: use a JSON object"),
        ("openai:http://h/v1#m", '{"stream": true, "model": "x"}', "model, stream cannot be set"),
        ("scripted:null", "{}", "--request_fields is for --model=openai:"),
    ],
)
def test_a_malformed_endpoint_is_refused_before_anything_is_asked(name, fields, said):
    with pytest.raises(UsageError) as error:
        player_of(name, tiny.get_config(), fields)
    assert said in str(error.value) and "secret" not in str(error.value)


def test_without_the_client_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(RuntimeError, match=r"\[endpoint\]"):
        remote_player("openai:http://localhost:1/v1#m", None)
