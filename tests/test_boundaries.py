"""The rooms of the architecture: who may import whom, which ones stay free of JAX, and the house numbers."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

ROOMS = ("contract", "config", "chat", "envs", "bench", "harness", "flywheel", "care", "models", "train")
MAY_IMPORT: dict[str, set[str]] = {
    "contract": set(),
    "config": set(),
    "chat": {"contract"},
    "envs": {"contract", "config"},
    "bench": {"contract", "config", "envs"},
    "harness": {"contract", "config", "chat"},
    "flywheel": {"contract", "config", "chat", "bench", "harness"},
    "care": set(),
    "models": {"config", "chat", "contract"},
    "train": set(ROOMS),
}
JAX_FREE = ("contract", "config", "chat", "envs", "bench", "harness", "flywheel")
HEAVY = ("jax", "grain", "orbax", "optax", "flax", "chex")  # all of these load JAX

MAX_FILE, MAX_FUNCTION = 400, 50


def _files(*folders: str) -> list[Path]:
    return sorted(p for folder in folders for p in (ROOT / folder).rglob("*.py"))


def _imports(file: Path) -> Iterator[str]:
    """Every module named in an import statement, wherever it stands."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:  # relative: resolve against the file's package
                package = file.relative_to(ROOT).with_suffix("").parts[: -node.level]
                module = ".".join([*package, module]).rstrip(".")
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if parts[0] == "qpa" and len(parts) > 1 else ""


def _offences(file: Path) -> list[str]:
    own = _room(".".join(file.relative_to(ROOT).with_suffix("").parts))
    allowed = MAY_IMPORT[own] | {own}
    found = []
    for module in _imports(file):
        room = _room(module)
        if room in ROOMS and room not in allowed:
            found.append(f"{file.relative_to(ROOT)} imports {module}")
        if module.split(".")[0] == "launch":
            found.append(f"{file.relative_to(ROOT)} imports {module}")
        if own in JAX_FREE and module.split(".")[0] in HEAVY:
            found.append(f"{file.relative_to(ROOT)} imports {module}")
    return found


def test_every_folder_is_a_room_of_the_table():
    found = {p.name.removesuffix(".py") for p in (ROOT / "qpa").iterdir() if p.suffix == ".py" or p.is_dir()}
    assert found - {"__init__", "__pycache__"} == set(ROOMS) == set(MAY_IMPORT)


def test_rooms_import_only_what_the_table_allows():
    files = [f for f in _files("qpa") if f.name != "__init__.py" or f.parent != ROOT / "qpa"]
    assert len(files) > 50
    assert [offence for file in files for offence in _offences(file)] == []


def test_a_forbidden_import_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    file = tmp_path / "qpa" / "harness" / "bad.py"
    file.parent.mkdir(parents=True)
    file.write_text(
        "def f():\n    from qpa import models\n    import jax.numpy\n    from ..envs import sandbox\n"
        "    import launch.cli\n"
    )
    found = " ".join(_offences(file))
    assert all(word in found for word in ("qpa.models", "jax.numpy", "qpa.envs", "launch.cli"))


def _loaded_by(code: str) -> set[str]:
    probe = f"import sys\n{code}\nprint(' '.join({{m.split('.')[0] for m in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, cwd=ROOT, check=True)
    return set(done.stdout.splitlines()[-1].split())


def _modules(room: str) -> list[str]:
    if (ROOT / "qpa" / f"{room}.py").exists():
        return [f"qpa.{room}"]
    return [
        ".".join(f.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for f in _files(f"qpa/{room}")
    ]


def test_the_host_side_never_loads_jax():
    modules = [m for room in JAX_FREE for m in _modules(room)]
    loaded = _loaded_by("import importlib\n" + "\n".join(f"importlib.import_module({m!r})" for m in modules))
    assert "qpa" in loaded
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize("script", ["tasks", "flywheel", "eval", "loop", "sft", "rl", "import_weights", "env_server"])
def test_help_of_a_launch_script_loads_neither_jax_nor_a_room(script):
    code = (
        f"import runpy\nsys.argv = ['{script}', '--help']\n"
        f"try:\n    runpy.run_module('launch.{script}', run_name='__main__')\nexcept SystemExit:\n    pass"
    )
    assert _loaded_by(code).isdisjoint({*HEAVY, "apsw", "matplotlib", "sentencepiece"})


def test_launch_tasks_works_without_jax():
    code = "from launch import task_views\ntask_views.list_tasks(task_views.select('core', 'dev', None, 1, 4, 0))"
    assert _loaded_by(code).isdisjoint(HEAVY)


def test_files_and_functions_stay_short():
    long = []
    for file in _files("qpa", "launch", "tests"):
        text, name = file.read_text(encoding="utf-8"), str(file.relative_to(ROOT))
        if (lines := text.count("\n")) > MAX_FILE:
            long.append(f"{name}: {lines} lines")
        long += [f"{name}: {f.name} has {_length(f)} lines" for f in _functions(text) if _length(f) > MAX_FUNCTION]
    assert long == []


def _functions(text: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [n for n in ast.walk(ast.parse(text)) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function's body: a signature with one argument a line and a long docstring are not complexity."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0
