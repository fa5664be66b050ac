"""What the server counts (Prometheus) and writes (one JSON object per line, never a token, goal or argument)."""

from __future__ import annotations

import json
import logging
import time
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.exposition import generate_latest

from qpa.contract import FailureCause
from qpa.envs.server_messages import OPERATIONS

LOGGER = logging.getLogger("qpa.envs.server")
_BUCKETS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_OK = "ok"


class Metrics:
    """One server's counters in a registry of their own."""

    def __init__(self) -> None:
        disable_created_metrics()  # a second series per counter that nobody reads
        self.registry = CollectorRegistry()
        requests = Counter("qpa_env_requests", "Operations by outcome", ["operation", "cause"], registry=self.registry)
        seconds = Histogram(
            "qpa_env_seconds", "Time of an operation", ["operation"], buckets=_BUCKETS, registry=self.registry
        )
        refused = Counter(
            "qpa_env_refused", "Requests refused before they were an operation", ["what"], registry=self.registry
        )
        self._refused = refused
        self._count = {
            (op, cause): requests.labels(op, cause) for op in OPERATIONS for cause in (_OK, *map(str, FailureCause))
        }
        self._seconds = {op: seconds.labels(op) for op in OPERATIONS}
        self.sessions = Gauge("qpa_env_sessions", "Leased sessions", registry=self.registry)
        self.capacity = Gauge("qpa_env_sessions_max", "Sessions that may be leased at a time", registry=self.registry)
        self.reaped = Counter("qpa_env_reaped", "Leases ended for lack of any call", registry=self.registry)
        self.replayed = Counter("qpa_env_replayed", "Repeated requests answered from record", registry=self.registry)
        self.abandoned = Counter("qpa_env_abandoned", "Backend calls given up at a deadline", registry=self.registry)
        self.lingering = Gauge("qpa_env_lingering", "Abandoned calls that still have not ended", registry=self.registry)

    def done(self, operation: str, seconds: float, cause: FailureCause | None = None) -> None:
        """Counts one operation."""
        self._count[operation, _OK if cause is None else cause.value].inc()
        self._seconds[operation].observe(seconds)

    def refuse(self, what: str) -> None:
        """Counts a request that was not let in; `what` is of a small closed set."""
        self._refused.labels(what).inc()

    def text(self) -> bytes:
        """The exposition that Prometheus scrapes."""
        return generate_latest(self.registry)


class JsonLines(logging.Formatter):
    """One JSON object per record: time, level, event and the fields given as `extra={"fields": {...}}`."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, Any] = {"at": f"{stamp}.{int(record.msecs):03}Z", "level": record.levelname.lower()}
        line |= {"event": record.getMessage(), **getattr(record, "fields", {})}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def log(level: int, event: str, *, trace: BaseException | None = None, **fields: Any) -> None:
    """Writes one event."""
    if LOGGER.isEnabledFor(level):
        LOGGER.log(level, event, extra={"fields": fields}, exc_info=trace)


def short(session: str) -> str:
    """The start of a session id: enough to follow it through a log, too little to use it."""
    return session[:6]
