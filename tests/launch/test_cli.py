"""Errors of one line, for what a person mistypes and for what the machine refuses."""

from __future__ import annotations

import asyncio
import errno

import pytest
from shrunk import run

from launch import cli
from qpa.contract import ContractError, TaskSpec, from_json
from qpa.flywheel import FlywheelError


def _raised(action) -> BaseException:
    try:
        action()
    except BaseException as e:
        return e
    raise AssertionError("nothing was raised")


def _decode_garbage():
    from_json(b'{"id": 3}', TaskSpec)


async def _grouped():
    async with asyncio.TaskGroup() as group:
        group.create_task(_fail())


async def _fail():
    raise FlywheelError("v0001: no")


def test_our_own_errors_become_their_message():
    assert "$.id" in cli.describe(_raised(_decode_garbage))
    assert cli.describe(FlywheelError("a\n  b")) == "a b"
    assert "TaskSpec" in cli.describe(ContractError("not a valid TaskSpec"))


def test_a_library_error_is_a_bug_and_keeps_its_traceback():
    bug = _raised(lambda: int("x"))
    assert cli.describe(bug) is None
    with pytest.raises(ValueError, match="invalid literal"):
        cli.report(bug)


def test_a_full_disk_names_the_file_and_what_to_do(capsys):
    assert cli.report(OSError(errno.ENOSPC, "No space left on device", "/x/state")) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "/x/state" in err and "free some" in err


def test_a_full_disk_is_known_whatever_library_met_it():
    assert "free some" in cli.describe(Exception("I/O error: No space left on device (os error 28)"))


def test_a_missing_file_is_named(tmp_path):
    missing = _raised(lambda: (tmp_path / "gone").read_bytes())
    assert cli.describe(missing) == f"{tmp_path / 'gone'}: No such file or directory"


def test_errors_of_concurrent_episodes_are_unwrapped(capsys):
    assert cli.report(_raised(lambda: asyncio.run(_grouped()))) == 1
    assert capsys.readouterr().err == "error: v0001: no\n"


def test_ctrl_c_is_one_line_and_130(capsys):
    assert cli.report(KeyboardInterrupt()) == 130
    assert "goes on from here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arg", "said"),
    [
        ("--config.rl.stps=3", "did you mean config.rl.steps?"),
        ("--config.p_low=0.1", "did you mean config.rl.care.p_low?"),
        ("--config.rl.steps=many", "invalid literal"),
        ("--run_dri=x", "did you mean --run_dir?"),
        ("--config=nowhere.py", "no such file"),
        ("resume", "unexpected argument"),
    ],
)
def test_a_mistyped_command_line_is_one_line_that_helps(arg, said):
    done = run("loop", arg)
    assert done.returncode in (1, 2)
    assert done.stderr.count("\n") == 1 and said in done.stderr, done.stderr


def test_nearest_looks_for_a_slip_in_the_last_part_first():
    known = ["rl.steps", "sft.steps", "rl.save_every", "seed"]
    assert cli.nearest("rl.step", known) == "rl.steps"
    assert cli.nearest("sft.stps", known) == "sft.steps"
    assert cli.nearest("zzz", known) == ""


def test_every_config_file_builds_and_names_its_own_run():
    found = {}
    for path in sorted((cli.ROOT / "launch" / "configs").glob("[a-z]*.py")):
        cfg = cli.load_config(str(path))
        found[path.stem] = (cfg.name, cfg.run_dir)
    assert found == {name: (name, f"runs/{name}") for name in ("mobile", "pod", "small", "tiny")}
