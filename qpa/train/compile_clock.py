"""How long this process has spent compiling, as JAX itself reports it."""

from __future__ import annotations

import jax

_EVENTS = (
    "/jax/core/compile/jaxpr_trace_duration",
    "/jax/core/compile/jaxpr_to_mlir_module_duration",
    "/jax/core/compile/backend_compile_duration",
)
_spent = [0.0]


def _listen(event: str, duration_secs: float, **_: str | int) -> None:
    if event in _EVENTS:
        _spent[0] += duration_secs


jax.monitoring.register_event_duration_secs_listener(_listen)


def compile_seconds() -> float:
    """Seconds of tracing, lowering and compiling since this module was imported."""
    return _spent[0]
