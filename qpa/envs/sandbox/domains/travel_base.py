"""What the travel and shopping tools share: preconditions, money, and the accounts that pay."""

from __future__ import annotations

from qpa.envs.sandbox.domains.links import find_named, online
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict

NAME = "Travel & Lifestyle"

SCHEMA = """
CREATE TABLE payment_accounts (
  name TEXT PRIMARY KEY, kind TEXT NOT NULL DEFAULT 'wallet', balance_cents INTEGER NOT NULL DEFAULT 0,
  is_default INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
"""

CARD_KINDS = ("metro_card", "bus_card")  # every other account is a wallet


def require_online(ctx: ToolContext) -> None:
    """409 without a connected Wi-Fi network or mobile data."""
    if not online(ctx):
        raise conflict("No internet connection")


def require_location(ctx: ToolContext) -> None:
    """409 while the location switch is off."""
    if ctx.setting("location", "on") != "on":
        raise conflict("Location is off")


def money(cents: int) -> float:
    """Cents as an amount with two decimals."""
    return round(cents / 100, 2)


def to_cents(name: str, amount: float, low: int, high: int) -> int:
    """An amount in cents; 400 unless it has at most two decimals and low <= amount <= high."""
    if not low <= amount <= high:
        raise bad(f"{name} must be {low} to {high}")
    cents = round(amount * 100)
    if abs(amount * 100 - cents) > 1e-6:
        raise bad(f"{name} has at most two decimals")
    return cents


def find_wallet(ctx: ToolContext, name: str | None) -> Row:
    """The wallet with this name, or the default one; 400 when neither is given, 404 and 409 as in `find_named`."""
    wallets = ctx.rows("SELECT * FROM payment_accounts WHERE kind = 'wallet' ORDER BY name")
    if name is not None:
        return find_named(wallets, "name", name, "Wallet")
    default = [row for row in wallets if row["is_default"]]
    if len(default) != 1:
        raise bad("Give a wallet")
    return default[0]


def charge(ctx: ToolContext, wallet: Row, cents: int) -> None:
    """Takes money from a wallet; 409 when it holds less."""
    held = wallet["balance_cents"]
    if held < cents:
        raise conflict(f"{wallet['name'][:20]} has {money(held):.2f}, needs {money(cents):.2f}")
    add_money(ctx, wallet["name"], -cents)


def add_money(ctx: ToolContext, account: str, cents: int) -> None:
    """Changes the balance of an account."""
    ctx.execute("UPDATE payment_accounts SET balance_cents = balance_cents + ? WHERE name = ?", cents, account)
