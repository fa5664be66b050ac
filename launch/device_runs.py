"""What `launch.devices` does."""

from __future__ import annotations

import asyncio
from collections import Counter

from rich.table import Table

from launch import eval_run
from launch.console import make_console
from launch.tasksets import split_tasks
from qpa.config import LoopConfig
from qpa.envs.device.env import DeviceEnv


def look(env: DeviceEnv) -> int:
    """Prints what each device is and may be asked for; 1 if one does not answer."""
    found = asyncio.run(env.health())
    table = Table("serial", "label", "kind", "Android API", "model", "screen", "allowed", "ready")
    for device in found:
        facts = device.facts
        said = [str(facts.sdk), facts.model, f"{facts.width}x{facts.height}"] if facts else ["", "", ""]
        allowed = ", ".join(effect.value for effect in device.device.effects)
        ready = device.problem or "yes"
        table.add_row(device.device.serial, device.device.label, device.device.kind.value, *said, allowed, ready)
    make_console().print(table)
    return int(any(device.problem for device in found))


def play(env: DeviceEnv, cfg: LoopConfig, *, model: str, split: str, limit: int | None, harness: str, out: str) -> int:
    """Evaluates on the tasks that a device can play; tells which it cannot, and why."""
    cfg.bench.suite = "core"
    every = split_tasks(cfg, split)[:limit]
    reasons = Counter(env.supports(task) for task in every)
    tasks = [task for task in every if not env.supports(task)]
    console = make_console()
    for reason, count in sorted(reasons.items()):
        if reason:
            console.print(f"left out {count}: {reason}", highlight=False, markup=False)
    if not tasks:
        return 1
    cfg.concurrency = len(env.devices())
    title = f"{model} on {split}"
    result = eval_run.play(env, cfg, tasks, model=model, title=title, harness=harness, out=out, backend="devices")
    eval_run.show(model, result)
    return 0
