"""What the travel, shopping and customer families share: branches, prepared one-call tasks, and how facts are said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Any, TypeVar

from qpa.bench.families.base import Draft, do, done
from qpa.bench.families.mobile.common import Rows, course, turn
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.schema import World

T = TypeVar("T")
_WEEKDAYS = (
    ("Monday", "周一", "星期一"),
    ("Tuesday", "周二", "星期二"),
    ("Wednesday", "周三", "星期三"),
    ("Thursday", "周四", "星期四"),
    ("Friday", "周五", "星期五"),
    ("Saturday", "周六", "星期六"),
    ("Sunday", "周日", "星期日", "星期天"),
)


@dataclass(frozen=True)
class Prepared:
    """The arguments of an errand's call, the phone it needs, and slots of its phrasings besides the arguments."""

    arguments: dict[str, Any]
    patch: Rows = field(default_factory=dict)
    words: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Errand:
    """A `Request` that needs a phone prepared for what it draws."""

    tool: str
    english: tuple[str, ...]
    chinese: tuple[str, ...]
    prepare: Callable[[Draw, World], Prepared]
    says: tuple[str, str] = ("Done.", "好了。")


def one_errand(rng: Draw, world: World, errands: tuple[Errand, ...]) -> Draft:
    """A draft of the errand whose turn it is; the family says `variants=len(errands)`."""
    errand = turn(rng, errands)
    ready = errand.prepare(rng, world)
    slots = {**ready.arguments, **ready.words}
    reply = done(rng.say(*errand.says).format(**slots))
    return Draft(
        phrasings=errand.english,
        chinese=errand.chinese,
        slots=slots,
        plan=course([do(errand.tool, **ready.arguments)], reply=reply),
        patch=ready.patch,
    )


# --- how facts are said ---------------------------------------------------------------------------------------------


def price(cents: int) -> str:
    """An amount as a person writes it: 12, 12.50."""
    return f"{cents / 100:.2f}".removesuffix(".00")


def amounts(cents: int) -> list[str]:
    """A `mentions` group: the ways to write an amount."""
    full = f"{cents / 100:.2f}", f"{cents / 100:,.2f}"
    short = [text.rstrip("0").rstrip(".") for text in full]
    return list(dict.fromkeys([*full, *short]))


def clock_words(time: str) -> list[str]:
    """A `mentions` group: the ways to write a time HH:MM."""
    hour, minute = int(time[:2]), int(time[3:])
    found = [time]
    for h in dict.fromkeys((hour, hour % 12 or 12)):
        found += [f"{h}:{minute:02d}", f"{h}点{minute:02d}", f"{h}点{minute}分"]
        if minute == 0:
            found += [f"{h} am", f"{h} pm", f"{h}am", f"{h}pm", f"{h}点", f"{h} o'clock"]
        elif minute == 30:
            found.append(f"{h}点半")
    return list(dict.fromkeys(found))


def date_words(day: str) -> list[str]:
    """A `mentions` group: the ways to write a date YYYY-MM-DD, its weekday among them."""
    moment = date.fromisoformat(day)
    month, number = f"{moment:%B}", moment.day
    chinese = [f"{moment.month}月{number}日", f"{moment.month}月{number}号", f"{number}号"]
    english = [f"{month} {number}", f"{month[:3]} {number}", f"{number} {month}", f"{number} {month[:3]}"]
    ordinal = "th" if 10 < number < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    english += [f"{number}{ordinal}", f"{month} {number}{ordinal}"]
    return [day, *english, *chinese, *_WEEKDAYS[moment.weekday()]]


# --- money ----------------------------------------------------------------------------------------------------------


def default_wallet(world: World) -> str:
    """The wallet that pays when none is named."""
    return next(r["name"] for r in world.rows["payment_accounts"] if r["kind"] == "wallet" and r["is_default"])


def other_wallets(world: World) -> list[str]:
    """The wallets that are not the default."""
    return [r["name"] for r in world.rows["payment_accounts"] if r["kind"] == "wallet" and not r["is_default"]]


def holding(account: str, cents: int) -> list[dict[str, Any]]:
    """A patch of `payment_accounts`: this account holds that much."""
    return [{"name": account, "balance_cents": cents}]
