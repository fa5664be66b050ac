"""From a backend's name to a live backend: in this process, on servers, on phones, mixed, perturbed. JAX-free.

sandbox                     in this process
local:2                     two server processes on this machine, which end with this one
http://HOST:8700,http://..  environment servers (launch.env_server) as one pool
double:8@13                 eight phones that are programs, of Android 13, behind a real adb server
device:devices.yaml         enrolled phones (docs/devices.md)
mcp:servers.json            the pinned tools of MCP servers: {"servers": [...], "lock": "mcp.lock.json"}
simulated:openai:URL#MODEL  the sandbox's tools, played by a language model
A+B                         a mix: tasks go to A, and to B its share of those that it can play
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from launch.cli import UsageError
from qpa.config import EnvConfig
from qpa.contract import Record, Trajectory, from_json, validation_problem
from qpa.envs.base import Backend

FORMS = (
    "sandbox", "local:N", "http://HOST:PORT,...", "double:N@ANDROID", "device:FILE", "mcp:FILE",
    "simulated:openai:URL#MODEL",
)  # fmt: skip
_LOCAL = re.compile(r"local(?::(\d+))?")
_DOUBLE = re.compile(r"double(?::(\d+))?(?:@(\d+))?")
_ANDROID = 14
_STARTING_S, _STOPPING_S = 60.0, 10.0
_URL = re.compile(r'"url": ?"([^"]+)"')


@contextlib.contextmanager
def open_backend(cfg: EnvConfig, folder: Path, *, group_size: int = 1, seed: int = 0) -> Iterator[Backend]:
    """The backend of a config; `folder` gets what the things that it starts write down.

    Raises `UsageError` for a backend or preset that does not exist, and what is wrong with a server or device.
    """
    with contextlib.ExitStack() as stack:
        parts = [stack.enter_context(open_part(name, folder, cfg.token_file)) for name in cfg.backend.split("+")]
        yield perturbed(mixed(parts, cfg, group_size, seed), cfg, seed)


def where(cfg: EnvConfig) -> str:
    """What distinguishes results on this backend from others; "" for the sandbox, wherever it runs."""
    kinds = ["sandbox" if _sandbox(name) else name for name in cfg.backend.split("+")]
    parts = [] if kinds == ["sandbox"] else [f"backend {'+'.join(kinds)}"]
    return ", ".join([*parts, f"perturbed: {cfg.perturb}"] if cfg.perturb else parts)


def mixed(parts: list[Backend], cfg: EnvConfig, group_size: int, seed: int) -> Backend:
    """The first backend, with a share for each of the others."""
    if len(parts) == 1:
        return parts[0]
    from qpa.envs.mix import HybridEnv, Member

    later = [Member(part, cfg.share, cfg.budget, seconds=cfg.seconds) for part in parts[1:]]
    return HybridEnv([Member(parts[0]), *later], group_size=group_size, seed=seed)


def perturbed(backend: Backend, cfg: EnvConfig, seed: int) -> Backend:
    """The backend under the config's preset, if it names one."""
    if not cfg.perturb:
        return backend
    from qpa.envs.perturb.config import PROFILES, profile
    from qpa.envs.perturb.env import PerturbedEnv

    if cfg.perturb not in PROFILES:
        raise UsageError(f"config.env.perturb={cfg.perturb}: the presets are {', '.join(PROFILES)}")
    return PerturbedEnv(backend, profile(cfg.perturb), seed)


def open_part(name: str, folder: Path, token_file: str = "") -> contextlib.AbstractContextManager[Backend]:
    """One backend that is no mix. Raises like `open_backend`."""
    if name == "sandbox":
        return contextlib.nullcontext(make_sandbox())
    if match := _LOCAL.fullmatch(name):
        return _local(int(match[1] or 1), folder)
    if match := _DOUBLE.fullmatch(name):
        return _doubles(int(match[1] or 1), int(match[2] or _ANDROID), folder)
    if name.startswith(("http://", "https://")):
        return contextlib.nullcontext(_pool(name.split(","), token_file or None))
    kind, _, rest = name.partition(":")
    if kind == "device" and rest:
        return _devices(rest)
    if kind == "mcp" and rest:
        return contextlib.nullcontext(_mcp(Path(rest)))
    if kind == "simulated" and rest:
        return contextlib.nullcontext(_simulated(rest))
    raise UsageError(f"backend {name!r}: want one of {', '.join(FORMS)}, or several joined by +")


def validate(played: Iterable[Trajectory]) -> None:
    """Holds the records of a simulated backend against its log; those that stand may then train."""
    for trajectory in played:
        if validation_problem(trajectory):
            from qpa.envs.simulated import validate_simulated
            from qpa.envs.simulated.sandbox_rules import sandbox_rules

            validate_simulated(trajectory, sandbox_rules())


def make_sandbox() -> Backend:
    """The sandbox with the benchmark's verifier."""
    from qpa.bench import BenchVerifier, make_env

    return make_env(BenchVerifier())


def _sandbox(name: str) -> bool:
    return name == "sandbox" or _LOCAL.fullmatch(name) is not None


def _pool(urls: list[str], token_file: str | None) -> Backend:
    from qpa.envs.client import RemoteEnv
    from qpa.envs.pool import EnvPool
    from qpa.envs.server_auth import find_token

    token = find_token(token_file)
    return EnvPool([RemoteEnv(url, token) for url in urls])


@contextlib.contextmanager
def _local(count: int, folder: Path) -> Iterator[Backend]:
    """Sandbox servers as processes of this machine. They read our end of a pipe: it closes however we end."""
    folder.mkdir(parents=True, exist_ok=True)
    token = folder / "env.token"
    command = [sys.executable, "-m", "launch.env_server", "--port=0", f"--token_file={token}", "--end_with_stdin"]
    with contextlib.ExitStack() as stack:
        urls = []
        for index in range(count):
            log = folder / f"env_server-{index}.log"
            with log.open("wb") as out:
                process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=out)
            stack.callback(_stop, process)
            urls.append(_wait_for_url(log, process.poll))  # one after the other: the first one makes the token
        yield _pool(urls, str(token))


def _wait_for_url(log: Path, ended: Callable[[], int | None]) -> str:
    until = time.monotonic() + _STARTING_S
    while time.monotonic() < until:
        if match := _URL.search(log.read_text(errors="replace")):
            return match[1]
        if ended() is not None:
            break
        time.sleep(0.05)
    raise RuntimeError(f"the environment server did not start: see {log}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(_STOPPING_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def _doubles(count: int, android: int, folder: Path) -> Iterator[Backend]:
    from qpa.bench import BenchVerifier
    from qpa.contract import Effect
    from qpa.envs.device.double.fleet import Fleet
    from qpa.envs.device.double.phone import SandboxPhone
    from qpa.envs.device.enrolment import DeviceKind, EnrolledDevice, Enrolment
    from qpa.envs.device.opening import open_devices

    if not 8 <= android <= 16:
        raise UsageError(f"double:{count}@{android}: Android versions are 8 to 16")
    with Fleet(lambda index: SandboxPhone(android), count) as fleet:
        devices = [EnrolledDevice(serial, DeviceKind.DOUBLE, effects=list(Effect)) for serial in fleet.serials]
        with open_devices(Enrolment(devices), folder / "journals", verifier=BenchVerifier()) as env:
            yield env


@contextlib.contextmanager
def _devices(inventory: str) -> Iterator[Backend]:
    from qpa.bench import BenchVerifier
    from qpa.envs.device.opening import open_devices

    with open_devices(inventory, verifier=BenchVerifier()) as env:
        yield env


class _McpFile(Record):
    servers: list[dict[str, object]]
    lock: str


def _mcp(file: Path) -> Backend:
    import msgspec

    from qpa.bench import BenchVerifier
    from qpa.contract import ContractError
    from qpa.envs.mcp import McpEnv, McpServer

    found = from_json(file.read_bytes(), _McpFile)
    try:
        servers = msgspec.convert(found.servers, list[McpServer])
    except msgspec.ValidationError as e:
        raise ContractError(f"{file}: servers: {e}") from None
    env = McpEnv(servers, file.parent / found.lock)
    return McpEnv(servers, file.parent / found.lock, BenchVerifier(env.catalog()))


def _simulated(model: str) -> Backend:
    from launch.endpoint import remote_player
    from qpa.bench import BenchVerifier
    from qpa.envs.simulated import SimulatedEnv
    from qpa.envs.simulated.sandbox_rules import sandbox_rules

    return SimulatedEnv(remote_player(model, None)[0], sandbox_rules(), BenchVerifier())
