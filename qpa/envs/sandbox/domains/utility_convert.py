"""Utilities & Productivity, arithmetic: calculator, units, currencies and dates."""

from __future__ import annotations

import ast
import calendar
import datetime as dt
import decimal
import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.utility_data import RATES, RATES_DATE, TEMPERATURES, UNITS, WHOLE_CURRENCIES
from qpa.envs.sandbox.times import FIRST_YEAR, LAST_YEAR, resolve
from qpa.envs.sandbox.tool import ToolContext, bad, in_range, need, ok, tool

NAME = "Utilities & Productivity"

MAX_EXPRESSION = 200  # characters; this also bounds the depth of the syntax tree
MAX_EXPONENT = 1000
MAX_PLACES = 15
MAX_STEPS = 10_000  # of a date calculation

_ARITHMETIC = decimal.Context(
    prec=40, Emax=300, Emin=-300, traps=[decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow]
)
_SIGNS = str.maketrans({"×": "*", "÷": "/", "−": "-", "^": "**"})
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_PERCENT_OF = re.compile(r"([0-9.]+) ?% ?of\b")
_PERCENT = re.compile(r"([0-9.]+) ?%(?= ?(?:[-+*/)]|$))")
_ONE_ARGUMENT = {
    "abs": abs,
    "ceil": lambda x: x.to_integral_value(ROUND_CEILING),
    "exp": Decimal.exp,
    "floor": lambda x: x.to_integral_value(ROUND_FLOOR),
    "ln": Decimal.ln,
    "log": Decimal.log10,
    "percent": lambda x: x / 100,
    "round": lambda x: x.to_integral_value(ROUND_HALF_UP),
    "sqrt": Decimal.sqrt,
}
_CONSTANTS = {
    "pi": Decimal("3.141592653589793238462643383279502884197"),
    "e": Decimal("2.718281828459045235360287471352662497757"),
}


@tool(domain=NAME, effect=Effect.READ)
def calculate_expression(ctx: ToolContext, expression: str, precision: int | None = None) -> dict[str, Any]:
    """Calculate an expression; sin, cos and tan take degrees."""
    places = 10 if precision is None else in_range("precision", precision, 0, MAX_PLACES)
    tree = _parse(expression)
    with decimal.localcontext(_ARITHMETIC):
        try:
            value = _value(tree)
            if abs(value) < 10**MAX_PLACES:
                value = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
        except decimal.DivisionByZero:
            raise bad("Division by zero") from None
        except decimal.Overflow:
            raise bad("Result is too large") from None
        except decimal.InvalidOperation:
            raise bad("Result is undefined") from None
        if not value.is_finite():
            raise bad("Result is undefined")
        return ok("Calculated", result=_json_number(value), precision=places)


def _parse(expression: str) -> ast.expr:
    """The syntax tree of an expression in a calculator's notation: × ÷ ^ %, "15% of 80", thousands commas."""
    text = " ".join(expression.lower().translate(_SIGNS).split()).rstrip("= ")
    if len(text) > MAX_EXPRESSION:
        raise bad(f"expression is longer than {MAX_EXPRESSION} characters")
    if not any(c.isalpha() for c in text):
        text = _THOUSANDS.sub("", text)
    text = _PERCENT.sub(r"percent(\1)", _PERCENT_OF.sub(r"\1/100*", text))
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise bad(f"Cannot read expression: {expression[:30]}") from None


def _value(node: ast.expr) -> Decimal:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return +Decimal(repr(node.value))
    if isinstance(node, ast.Name) and node.id in _CONSTANTS:
        return _CONSTANTS[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        return _binary(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _call(node.func.id, [_value(argument) for argument in node.args])
    raise bad("Only numbers, + - * / % ^ and functions")


def _binary(node: ast.BinOp) -> Decimal:
    left, right = _value(node.left), _value(node.right)
    if isinstance(node.op, (ast.Add, ast.Sub)):
        if isinstance(node.right, ast.Call) and getattr(node.right.func, "id", "") == "percent":
            right *= left  # on a calculator 200 + 10% is 220
        return left + right if isinstance(node.op, ast.Add) else left - right
    if isinstance(node.op, ast.Mult):
        return left * right
    if isinstance(node.op, ast.Div):
        return left / right
    if isinstance(node.op, ast.Mod):
        return left - right * (left / right).to_integral_value(ROUND_FLOOR)
    if isinstance(node.op, ast.Pow):
        if abs(right) > MAX_EXPONENT:
            raise bad(f"Exponent is beyond {MAX_EXPONENT}")
        return left**right
    raise bad("Only numbers, + - * / % ^ and functions")


def _call(name: str, values: list[Decimal]) -> Decimal:
    if name in ("min", "max") and values:
        return min(values) if name == "min" else max(values)
    if name in ("sin", "cos", "tan") and len(values) == 1:
        return _trigonometry(name, values[0])
    if name not in _ONE_ARGUMENT or len(values) != 1:
        raise bad(f"Unknown function: {name[:20]}")
    return _ONE_ARGUMENT[name](values[0])


def _trigonometry(name: str, degrees: Decimal) -> Decimal:
    angle = math.radians(math.fmod(float(degrees), 360))
    sine, cosine = (Decimal(repr(round(f(angle), 14))) for f in (math.sin, math.cos))
    if name == "tan":
        return sine / cosine
    return sine if name == "sin" else cosine


def _json_number(value: Decimal) -> int | float:
    whole = value == value.to_integral_value() and abs(value) < 10**MAX_PLACES
    return int(value) if whole else float(value)


@tool(domain=NAME, effect=Effect.READ)
def convert_unit(
    ctx: ToolContext,
    category: Literal[
        "length", "weight", "temperature", "area", "volume", "speed", "time", "data", "energy", "pressure"
    ],
    fromUnit: str,
    toUnit: str,
    value: float,
) -> dict[str, Any]:
    """Convert a value between two units of a category."""
    amount = Fraction(Decimal(repr(value)))
    if category == "temperature":
        source, target = (_unit(u, {k: ("", names) for k, names in TEMPERATURES.items()}) for u in (fromUnit, toUnit))
        result = _temperature(amount, source, target)
    else:
        units = UNITS[category]
        source, target = _unit(fromUnit, units), _unit(toUnit, units)
        result = amount * Fraction(units[source][0]) / Fraction(units[target][0])
    rounded = decimal.Context(prec=10).divide(Decimal(result.numerator), Decimal(result.denominator))
    return ok("Converted", result=_json_number(rounded), unit=target)


def _unit(name: str, units: dict[str, tuple[str, tuple[str, ...]]]) -> str:
    """The unit with this symbol or name, singular or plural; letter case counts only where symbols need it."""
    folded = name.casefold().replace("²", "2").replace("³", "3")
    for wanted in (folded, folded.removesuffix("s")):
        for symbol, (_, names) in units.items():
            if name == symbol or wanted == symbol.casefold() or wanted in names:
                return symbol
    raise bad(f"No unit {name[:20]}; allowed: {', '.join(units)}")


def _temperature(value: Fraction, source: str, target: str) -> Fraction:
    zero = Fraction("273.15")
    kelvin = {"C": value + zero, "F": (value - 32) * Fraction(5, 9) + zero, "K": value}[source]
    if kelvin < 0:
        raise bad("Below absolute zero")
    return {"C": kelvin - zero, "F": (kelvin - zero) * Fraction(9, 5) + 32, "K": kelvin}[target]


@tool(domain=NAME, effect=Effect.READ)
def convert_currency(ctx: ToolContext, amount: float, fromCurrency: str, toCurrency: str) -> dict[str, Any]:
    """Convert an amount of money at the stored rates."""
    if amount < 0:
        raise bad("amount must not be negative")
    source, target = _currency(fromCurrency), _currency(toCurrency)
    rate = Fraction(RATES[target][0]) / Fraction(RATES[source][0])
    exact = Fraction(Decimal(repr(amount))) * rate
    places = Decimal(1) if target in WHOLE_CURRENCIES else Decimal("0.01")
    quotient = _ARITHMETIC.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    result = quotient.quantize(places, ROUND_HALF_UP, _ARITHMETIC)
    return ok("Converted", result=_json_number(result), currency=target, rate=round(float(rate), 6), date=RATES_DATE)


def _currency(name: str) -> str:
    folded = name.casefold()
    for code, (_, names) in RATES.items():
        if folded == code.casefold() or folded in names or folded.removesuffix("s") in names:
            return code
    raise bad(f"No currency {name[:20]}; allowed: {', '.join(RATES)}")


@tool(domain=NAME, effect=Effect.READ)
def calculate_date(
    ctx: ToolContext,
    action: Literal["add", "subtract", "difference", "workdays"],
    date: str,
    amount: int | None = None,
    unit: Literal["days", "weeks", "months", "years"] | None = None,
    endDate: str | None = None,
) -> dict[str, Any]:
    """Shift a date, or count days or workdays between two."""
    start = dt.date.fromisoformat(resolve(date, ctx.now, "date"))
    if action in ("add", "subtract"):
        steps = in_range("amount", need(amount, "an amount"), 0, MAX_STEPS)
        day = _shifted(start, steps if action == "add" else -steps, unit or "days")
        return ok("Date found", date=day.isoformat(), weekday=day.strftime("%A"))
    end = dt.date.fromisoformat(resolve(need(endDate, "endDate"), ctx.now, "date"))
    if end < start:
        raise bad("endDate is before date")
    if action == "difference":
        days = (end - start).days
        return ok(f"{days} days", days=days, weeks=days // 7, restDays=days % 7)
    # Monday to Friday, both ends included, as spreadsheets count them.
    weeks, rest = divmod((end - start).days + 1, 7)
    count = 5 * weeks + sum((start.weekday() + i) % 7 < 5 for i in range(rest))
    return ok(f"{count} workdays", workdays=count)


def _shifted(day: dt.date, steps: int, unit: str) -> dt.date:
    """`day` moved; a month without that day gives its last day. 400 outside the years the clock can read."""
    try:
        if unit in ("days", "weeks"):
            moved = day + dt.timedelta(days=steps * (7 if unit == "weeks" else 1))
        else:
            year, month = divmod(day.year * 12 + day.month - 1 + steps * (12 if unit == "years" else 1), 12)
            moved = dt.date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
    except (ValueError, OverflowError):
        raise bad("Date is out of range") from None
    if not FIRST_YEAR <= moved.year <= LAST_YEAR:
        raise bad("Date is out of range")
    return moved


TOOLS = (calculate_expression, convert_unit, convert_currency, calculate_date)
