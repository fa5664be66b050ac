"""Dialogs, notices and outages of one episode.

A dialog covers what acts through an app until back or home is pressed, or until it has refused `patience` calls. A
permission is asked for when it is first used; the person grants it, so the same call works the next time. In an outage
networked tools are unavailable for a few turns.
"""

from __future__ import annotations

from typing import Any

from qpa.contract import ErrorType, Feedback, TaskSpec, ToolCall, ToolSpec, error_feedback
from qpa.envs.perturb import phrases
from qpa.envs.perturb.calls import needs_network, needs_screen
from qpa.envs.perturb.config import InterruptConfig
from qpa.envs.perturb.draws import Draws

_LATEST = 3  # an interruption comes before one of the first calls: most episodes are short
_DISMISSING = frozenset({"back", "home"})


class Interrupts:
    """State of one episode; ask it about every call in order."""

    def __init__(self, config: InterruptConfig, draws: Draws, task: TaskSpec, locale: str) -> None:
        self._config = config
        self._locale = locale
        self._denied = frozenset(task.initial.denied_permissions)
        self._popup = self._drawn(draws, config.popup_rate, config.popups, "popup")
        self._popup_at = draws.choice(range(_LATEST), "popup_at")
        self._patience = config.patience
        self._notice = self._drawn(draws, config.notice_rate, config.notices, "notice")
        self._notice_at = draws.choice(range(_LATEST), "notice_at")
        self._outage = self._drawn(draws, config.outage_rate, config.outages, "outage")
        self._outage_at = draws.choice(range(_LATEST - 1), "outage_at")
        self._asks = draws.hit(config.permission_share, "fresh_phone")
        self._android = draws.choice(config.androids, "android")
        self._asked: set[str] = set()
        self._acted = 0  # calls that a dialog could have covered
        self._answered = 0
        self._first_networked: int | None = None  # the turn from which outages are counted

    def before(self, call: ToolCall, spec: ToolSpec | None, turn: int) -> tuple[Feedback, str] | None:
        """The answer that comes instead of running the call, and its kind for the log; None lets it run."""
        if spec is None:
            return None
        if self._popup and self._covers(call, spec):
            return self._covered(call)
        if self._asks and spec.permission and spec.permission not in self._denied | self._asked:
            self._asked.add(spec.permission)
            text = phrases.said(phrases.PERMISSION[self._android], self._locale).format(name=spec.permission)
            return error_feedback(call.id, call.name, ErrorType.CONFLICT, text), f"permission {spec.permission}"
        if self._outage and needs_network(spec) and self._is_out(turn):
            text = phrases.said(phrases.OUTAGES[self._outage], self._locale)
            return error_feedback(call.id, call.name, ErrorType.UNAVAILABLE, text), f"outage {self._outage}"
        return None

    def after(self, answer: Feedback) -> tuple[Feedback, str]:
        """The answer, with the notice that came in meanwhile as its field `interruption`, and the notice's kind."""
        due = self._notice and answer.ok and self._answered >= self._notice_at
        self._answered += 1
        if not due or "interruption" in answer.payload:
            return answer, ""
        kind, self._notice = self._notice, ""
        app, texts = phrases.NOTICES[kind]
        notice = {"kind": kind, "app": app, "text": phrases.said(texts, self._locale)}
        answer.payload = answer.payload | {"interruption": notice}
        return answer, f"notice {kind}"

    def _covers(self, call: ToolCall, spec: ToolSpec) -> bool:
        if not needs_screen(call, spec):
            return False
        self._acted += 1
        return self._acted > self._popup_at

    def _covered(self, call: ToolCall) -> tuple[Feedback, str]:
        kind = self._popup
        if call.name == "press_system_button" and call.arguments.get("button") in _DISMISSING:
            self._popup = ""
            payload: dict[str, Any] = {
                "success": True,
                "message": phrases.said(phrases.CLOSED, self._locale),
                "data": {},
            }
            return Feedback(call_id=call.id, name=call.name, ok=True, payload=payload), f"popup {kind} dismissed"
        self._patience -= 1
        if self._patience == 0:
            self._popup = ""
        text = phrases.said(phrases.COVERED, self._locale)
        text = text.format(text=phrases.said(phrases.POPUPS[kind], self._locale))
        return error_feedback(call.id, call.name, ErrorType.CONFLICT, text), f"popup {kind}"

    def _is_out(self, turn: int) -> bool:
        if self._first_networked is None:
            self._first_networked = turn
        since = turn - self._first_networked - self._outage_at
        return 0 <= since < self._config.outage_steps

    @staticmethod
    def _drawn(draws: Draws, rate: float, kinds: tuple[str, ...], what: str) -> str:
        return draws.choice(kinds, what, "kind") if draws.hit(rate, what) else ""
