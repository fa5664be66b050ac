"""Android phones without a phone: device doubles that a real adb connects to.

    python -m launch.device_double
    python -m launch.device_double --count=8 --android=11 --first_port=5600 --faults=faults.json
    python -m launch.device_double --authorisation=accept

Runs until Ctrl-C. The doubles listen on loopback only; what they hold is the sandbox's state, and ends with them.

A file of faults has a seed and a list; the kinds and their fields are in qpa/envs/device/double/faults.py:

    {"seed": 1, "faults": [{"kind": "hang", "match": "^shell svc ", "rate": 0.1}, {"kind": "idle_error", "count": 3}]}
"""

from __future__ import annotations

import signal
import threading

from absl import flags

from launch import cli

_COUNT = flags.DEFINE_integer("count", 1, "number of devices", lower_bound=1, upper_bound=256)
_ANDROID = flags.DEFINE_integer("android", 14, "Android version, 8 to 16", lower_bound=8, upper_bound=16)
_FAULTS = flags.DEFINE_string("faults", None, "JSON file of faults to inject")
_FIRST_PORT = flags.DEFINE_integer(
    "first_port", 0, "device i listens on first_port + i; 0: on free ports", lower_bound=0, upper_bound=65535
)
_AUTHORISATION = flags.DEFINE_enum(
    "authorisation", "none", ["none", "accept", "refuse"], "whether a new host's key is asked for, and what is answered"
)


def main() -> None:
    """Serves the doubles, and says at the end which faults were injected."""
    from qpa.envs.device.double.auth import Authorisation
    from qpa.envs.device.double.faults import load_faults
    from qpa.envs.device.double.fleet import Fleet
    from qpa.envs.device.double.phone import SandboxPhone

    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: over.set())
    script = load_faults(_FAULTS.value) if _FAULTS.value else None
    with Fleet(
        lambda index: SandboxPhone(_ANDROID.value),
        _COUNT.value,
        script=script,
        authorisation=Authorisation(_AUTHORISATION.value),
        first_port=_FIRST_PORT.value,
    ) as fleet:
        print(f"{_COUNT.value} x Android {_ANDROID.value}; Ctrl-C ends them")
        for serial in fleet.serials:
            print(f"adb connect {serial}")
        print("ready", flush=True)
        over.wait()
        counts = ", ".join(f"{kind} {n}" for kind, n in sorted(fleet.injected.items()))
        print(f"faults injected: {counts or 'none'}")


if __name__ == "__main__":
    cli.run(main)
