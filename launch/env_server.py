"""Serves a backend to other hosts: HTTP and WebSocket, bearer token, Prometheus metrics. Needs no JAX.

    python -m launch.env_server --token_file=runs/env.token
    python -m launch.env_server --host=10.0.0.5 --port=8700 --workers=4 --certificate=tls.crt --key=tls.key
    curl -H "Authorization: Bearer $(cat runs/env.token)" http://127.0.0.1:8700/ready

The token is read from --token_file (made if there is none) or from the environment variable QPA_ENV_TOKEN. Ends cleanly
at SIGTERM or Ctrl-C.
"""

from __future__ import annotations

from absl import flags

from launch import cli

_BACKEND = flags.DEFINE_string(
    "backend", "sandbox", "what is served: sandbox, double:N@ANDROID, device:FILE, mcp:FILE, simulated:openai:URL#MODEL"
)
_HOST = flags.DEFINE_string("host", "127.0.0.1", "address to listen on; anything but loopback should have TLS")
_PORT = flags.DEFINE_integer("port", 8700, "port of the first worker; 0 takes a free one", lower_bound=0)
_WORKERS = flags.DEFINE_integer(
    "workers", 1, "processes, each on a port of its own (PORT, PORT+1, ...)", lower_bound=1, upper_bound=256
)
_SESSIONS = flags.DEFINE_integer("max_sessions", 256, "sessions leased at a time, of each worker", lower_bound=1)
_IDLE = flags.DEFINE_float("idle_s", 600.0, "a session ends after so many seconds without a call", lower_bound=1)
_STEP = flags.DEFINE_float("step_s", 60.0, "longest time of one step", lower_bound=0.001)
_RESET = flags.DEFINE_float("reset_s", 60.0, "longest time of one reset", lower_bound=0.001)
_VERIFY = flags.DEFINE_float("verify_s", 60.0, "longest time of one verification", lower_bound=0.001)
_BYTES = flags.DEFINE_integer("max_bytes", 8 * 2**20, "largest request", lower_bound=1024)
_TOKEN = flags.DEFINE_string(
    "token_file", None, "file of tokens, one TOKEN or OWNER TOKEN per line; made with a fresh one if there is none"
)
_CERTIFICATE = flags.DEFINE_string("certificate", None, "PEM file of the certificate, for TLS")
_KEY = flags.DEFINE_string("key", None, "PEM file of its key")
_KEEPALIVE = flags.DEFINE_float("keepalive_s", 20.0, "between WebSocket pings; 0: none", lower_bound=0)
_TIED = flags.DEFINE_bool(
    "end_with_stdin", False, "end when standard input closes, as it does with whoever started this"
)
_SUITE = flags.DEFINE_string("suite", "core", "suite whose tasks OpenEnv clients reset to")
_SPLIT = flags.DEFINE_string("split", "dev", "split of that suite")


def main() -> None:
    """Serves until it is told to stop."""
    from launch import env_serving

    if _TIED.value:
        env_serving.end_with_stdin()
    env_serving.serve(
        backend=_BACKEND.value,
        host=_HOST.value,
        port=_PORT.value,
        workers=_WORKERS.value,
        max_sessions=_SESSIONS.value,
        idle_s=_IDLE.value,
        deadlines_s={"reset": _RESET.value, "step": _STEP.value, "verify": _VERIFY.value},
        max_bytes=_BYTES.value,
        token_file=_TOKEN.value,
        certificate=_CERTIFICATE.value,
        key=_KEY.value,
        keepalive_s=_KEEPALIVE.value,
        suite=_SUITE.value,
        split=_SPLIT.value,
    )


if __name__ == "__main__":
    cli.run(main)
