"""Flags of a run over several processes: one per host of a TPU pod, one per GPU node (or per GPU)."""

from __future__ import annotations

from absl import flags

from launch.cli import UsageError

_DISTRIBUTED = flags.DEFINE_bool(
    "distributed", False, "this is one process of several, found by themselves (TPU pods, SLURM, Open MPI)"
)
_COORDINATOR = flags.DEFINE_string("coordinator", None, "HOST:PORT of process 0, where nothing can be found")
_PROCESSES = flags.DEFINE_integer("processes", None, "number of processes, with --coordinator", lower_bound=1)
_PROCESS = flags.DEFINE_integer("process", None, "number of this process from 0, with --coordinator", lower_bound=0)


def join() -> int | None:
    """Meets the other processes the flags speak of; to be called before JAX is used.

    Returns how many there are: 1 without flags, None where only the machine knows. Raises `UsageError`.
    """
    count, number = _PROCESSES.value, _PROCESS.value
    given = [f.name for f in (_COORDINATOR, _PROCESSES, _PROCESS) if f.value is not None]
    if not given and not _DISTRIBUTED.value:
        return 1
    if given and len(given) < 3:
        raise UsageError(f"--{given[0]}: --coordinator, --processes and --process belong together")
    if count is not None and number is not None and number >= count:
        raise UsageError(f"--process={number}: there are {count}, counted from 0")
    import jax

    try:
        jax.distributed.initialize(_COORDINATOR.value, count, number)
    except (ValueError, RuntimeError) as e:
        hint = "" if given else "; where they cannot be found, give --coordinator, --processes and --process"
        raise UsageError(f"--{given[0] if given else 'distributed'}: no other processes found ({e}){hint}") from e
    return count


def say(text: str) -> None:
    """Prints, in the first process only."""
    import jax

    if jax.process_index() == 0:
        print(text)
