"""The plots of a report as inline SVG: text stays text, nothing is loaded from anywhere."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito's palette: distinguishable with every common colour vision.
BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#999999"
_STYLE: Any = {
    "svg.fonttype": "none",
    "font.size": 9,
    "font.family": "sans-serif",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
}
KIND_COLOURS = {"generation": BLUE, "environment": ORANGE, "training": GREEN, "compile": RED, "rest": GREY}

Lines = Sequence[Mapping[str, Any]]


def learning_curves(sft: Lines, rl: Lines, dev: Lines, phi: Lines) -> str:
    """Six panels: SFT loss and accuracy, RL success, tokens per success, regime shares, phi, entropy and ratio."""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(2, 3, figsize=(11, 5.6), layout="constrained")
        _line(axes[0, 0], sft, "loss", "cold start: loss (nats/token)", "update", BLUE)
        right = axes[0, 0].twinx()
        right.plot(*_xy(sft, "accuracy"), color=ORANGE, lw=1)
        right.set_ylabel("token accuracy", color=ORANGE)
        right.set_ylim(0, 1)
        right.grid(False)
        _line(axes[0, 1], rl, "success", "RL: success", "step", BLUE, "rollouts, T = 1")
        axes[0, 1].plot(*_xy(dev, "success"), "o-", color=RED, ms=4, lw=1, label="dev, greedy")
        axes[0, 1].set_ylim(0, 1)
        axes[0, 1].legend()
        _line(axes[0, 2], rl, "tokens_per_success", "RL: output tokens per success", "step", BLUE, "rollouts")
        axes[0, 2].plot(*_xy(dev, "tokens_per_success"), "o-", color=RED, ms=4, lw=1, label="dev, greedy")
        axes[0, 2].set_ylim(bottom=0)
        axes[0, 2].legend()
        _regimes(axes[1, 0], rl)
        _phi(axes[1, 1], rl, phi)
        _line(axes[1, 2], rl, "sampled_entropy", "RL: entropy (nats/token)", "step", BLUE)
        axes[1, 2].set_ylim(bottom=0)
        return _svg(figure, "curves")


def family_bars(rates: Mapping[str, Mapping[str, float]]) -> str:
    """Success of each family, one bar per system. `rates`: system -> family -> rate."""
    families = sorted({f for by_family in rates.values() for f in by_family})
    if not families:
        return ""
    with plt.rc_context(_STYLE):
        height = 0.8 / max(1, len(rates))
        figure, axis = plt.subplots(figsize=(10, 1 + 0.30 * len(families)), layout="constrained")
        for i, ((system, by_family), colour) in enumerate(zip(rates.items(), (GREY, BLUE, GREEN, ORANGE))):
            places = [y + (i - (len(rates) - 1) / 2) * height for y in range(len(families))]
            axis.barh(places, [by_family.get(f, 0.0) for f in families], height, color=colour, label=system)
        axis.set_yticks(range(len(families)), families)
        axis.set_ylim(len(families) - 0.5, -0.5)
        axis.set_xlim(0, 1)
        axis.set_xlabel("success rate")
        axis.grid(axis="y", visible=False)
        axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4)
        return _svg(figure, "families")


def time_bars(rows: Mapping[str, Mapping[str, float]]) -> str:
    """Seconds by kind, one stacked bar per stage. `rows`: stage -> kind -> seconds."""
    if not rows:
        return ""
    with plt.rc_context(_STYLE):
        figure, axis = plt.subplots(figsize=(10, 0.8 + 0.32 * len(rows)), layout="constrained")
        left = [0.0] * len(rows)
        for kind, colour in KIND_COLOURS.items():
            widths = [by_kind.get(kind, 0.0) for by_kind in rows.values()]
            axis.barh(range(len(rows)), widths, left=left, color=colour, label=kind)
            left = [a + b for a, b in zip(left, widths)]
        axis.set_yticks(range(len(rows)), list(rows))
        axis.set_ylim(len(rows) - 0.5, -0.5)
        axis.set_xlabel("seconds")
        axis.grid(axis="y", visible=False)
        axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=5)
        return _svg(figure, "time")


def _regimes(axis: Axes, rl: Lines) -> None:
    names = ("progress", "outcome", "efficiency")
    steps = [r["step"] for r in rl]
    shares = [[r[f"{name}_share"] for r in rl] for name in names]
    axis.stackplot(steps, shares, labels=names, colors=(ORANGE, GREY, GREEN), alpha=0.8)
    axis.set_title("RL: groups by regime (Eq. 5)")
    axis.set_xlabel("step")
    axis.set_ylim(0, 1)
    axis.legend(loc="lower left", fontsize=8, frameon=True, framealpha=0.8)


def _phi(axis: Axes, rl: Lines, decisions: Lines) -> None:
    for name, colour in zip(("lambda_prog", "lambda_eff", "p_low", "p_high"), (ORANGE, GREEN, GREY, BLUE)):
        axis.step(*_xy(rl, name), where="post", color=colour, label=name)
    for r in decisions:
        axis.axvline(r["step"], color=GREEN if r["accepted"] else RED, lw=0.6, ls=":")
    axis.set_title("phi (dotted: a decision, red refused)")
    axis.set_xlabel("step")
    axis.set_ylim(0, 1.25)
    axis.legend(fontsize=8, ncols=2, loc="upper left")


def _line(axis: Axes, lines: Lines, key: str, title: str, x: str, colour: str, label: str | None = None) -> None:
    axis.plot(*_xy(lines, key), color=colour, lw=1.4, label=label)
    axis.set_title(title)
    axis.set_xlabel(x)


def _xy(lines: Lines, key: str) -> tuple[list[float], list[float]]:
    points = [(r["step"], r[key]) for r in lines if r.get(key) is not None]
    return [p[0] for p in points], [p[1] for p in points]


def _svg(figure: Figure, name: str) -> str:
    """An SVG element with ids of its own, so that several fit one page."""
    out = io.StringIO()
    with plt.rc_context({"svg.hashsalt": name}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    svg = out.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{name}-", svg)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    # Namespaces are URLs by design; nothing is fetched from them, and inline SVG does not need them.
    svg = re.sub(r' xmlns(:xlink)?="[^"]*"', "", svg).replace("xlink:href", "href")
    return re.sub(r'(<svg[^>]*?) width="[^"]*"', r'\1 width="100%"', re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg))
