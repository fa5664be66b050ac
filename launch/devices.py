"""Phones over adb: looks at the enrolled ones, or evaluates a policy on them.

    python -m launch.devices --inventory=devices.yaml
    python -m launch.devices --inventory=devices.yaml --model=scripted:oracle --split=dev --out=runs/devices/oracle
    python -m launch.devices --inventory=devices.yaml --model=runs/tiny/models/rl --out=runs/devices/rl

Without --model: what each device is, and whether it answers. With one: the tasks that a device can play, on as many
devices at a time as there are; --out as of launch.eval, to be compared with it. docs/devices.md tells the whole way.
"""

from __future__ import annotations

from absl import flags

from launch import cli

_CONFIG = cli.config_flag()
_INVENTORY = flags.DEFINE_string("inventory", None, "file of enrolled devices, see docs/devices.md", required=True)
_JOURNALS = flags.DEFINE_string(
    "journals", None, "what has to be put back, kept across crashes; default: a folder beside the inventory"
)
_GRANTS = flags.DEFINE_string("grants", None, "JSON: task id pattern -> verbs that cannot be undone, granted to them")
_MODEL = flags.DEFINE_string("model", None, "as of launch.eval")
_SPLIT = flags.DEFINE_enum(
    "split", "dev", ["dev", "evolve", "test_unseen_instance", "test_unseen_family"], "which tasks"
)
_LIMIT = flags.DEFINE_integer("limit", None, "at most so many tasks, families interleaved", lower_bound=1)
_HARNESS = flags.DEFINE_string("harness", "on", "as of launch.eval")
_OUT = flags.DEFINE_string("out", None, "folder of the results; an unfinished one is continued")


def main() -> int:
    """Looks or plays; 1 when a device is not ready or nothing could be played."""
    from launch import device_runs
    from qpa.bench import BenchVerifier
    from qpa.envs.device.opening import open_devices

    model, out = _MODEL.value, _OUT.value
    if (model is None) != (out is None):
        raise cli.UsageError("--model and --out go together")
    with open_devices(_INVENTORY.value, _JOURNALS.value, verifier=BenchVerifier(), grants=_GRANTS.value) as env:
        if model is None or out is None:
            return device_runs.look(env)
        split, limit, harness = _SPLIT.value, _LIMIT.value, _HARNESS.value
        return device_runs.play(env, _CONFIG.value, model=model, split=split, limit=limit, harness=harness, out=out)


if __name__ == "__main__":
    cli.run(main)
