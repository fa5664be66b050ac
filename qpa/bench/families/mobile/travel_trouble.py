"""Travel & Lifestyle, tickets that cannot simply be had: sold out, too dear, or a shop that stutters."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, ask, do, done, family
from qpa.bench.families.mobile.common import asked, branch, course, online, spoken_day, step
from qpa.bench.families.mobile.errands import default_wallet, holding, other_wallets, price
from qpa.bench.families.mobile.travel import TOOL, TRAVEL
from qpa.bench.families.mobile.travel_tickets import paying, trains
from qpa.bench.families.values import Draw
from qpa.contract import ErrorType, Fault
from qpa.envs.sandbox.schema import World


def _sold_out(rng: Draw, world: World) -> Draft:
    start, end, day, rows = trains(rng, rng.sample(range(90, 400, 7), 2), [0, 20])
    code = rows[0]["code"]
    return Draft(
        phrasings=(
            "Book train {code} from {start} to {end} on {day}.",
            "One ticket for {code} on {day}, {start} to {end}, please.",
            "Get me on {code}, {day}.",
            "I always take {code} from {start}. Book it for {day}, will you?",
        ),
        chinese=(
            "订{day}的{code}，{start}到{end}。",
            "买一张{day}{code}的票，从{start}到{end}。",
            "帮我订{code}，{day}的。",
            "我每次都从{start}坐{code}，{day}的也订一张。",
        ),
        slots={"code": code, "start": start, "end": end, "day": spoken_day(rng, day)},
        plan=course(
            [do("book_ticket", ticketCode=code)],
            reply=ask(
                rng.say(f"{code} is sold out. Shall I look for another train?", f"{code}售罄了，要看看别的车次吗？")
            ),
        ),
        criteria=asked(
            [
                "sold out",
                "no seats",
                "no more seats",
                "fully booked",
                "full",
                "售罄",
                "卖完",
                "没票",
                "没有票",
                "没座",
                "无票",
            ],
            routes=(step("book_ticket", ticketCode=code), step("search_tickets")),
        ),
        patch={"trips": rows, **paying(world)},
        shown=("search_tickets",),
    )


def _too_dear(rng: Draw, world: World) -> Draft:
    start, end, day, rows = trains(rng, rng.sample(range(190, 400, 7), 2), [30, 20])
    code, wallet = rows[0]["code"], rng.choice(other_wallets(world))
    cents = 100 * rng.randint(5, 150)
    return Draft(
        phrasings=(
            "Book train {code} on {day} and pay with {wallet}.",
            "One ticket for {code}, {day}, from {wallet} please.",
            "Pay with {wallet}: a seat on {code}, {start} to {end}, {day}.",
            "{wallet} should have something left, so book {code} on {day} with it.",
        ),
        chinese=(
            "订{day}的{code}，用{wallet}付款。",
            "{day}{code}一张，从{wallet}扣。",
            "用{wallet}买{day}{start}到{end}的{code}。",
            "{wallet}里应该还有钱，用它订{day}的{code}吧。",
        ),
        slots={"code": code, "start": start, "end": end, "day": spoken_day(rng, day), "wallet": wallet},
        plan=course(
            [do("book_ticket", ticketCode=code, paymentMethod=wallet)],
            reply=ask(
                rng.say(
                    f"{wallet} holds only {price(cents)}. Shall I pay with another wallet?",
                    f"{wallet}只有{price(cents)}元，换别的钱包付吗？",
                )
            ),
        ),
        criteria=asked(
            [wallet],
            routes=(step("book_ticket", ticketCode=code, paymentMethod=wallet), step("manage_wallets", action="query")),
        ),
        patch={
            "trips": rows,
            "payment_accounts": [*holding(wallet, cents), *holding(default_wallet(world), 300_000)],
            "settings": online(),
        },
        shown=("manage_wallets",),
    )


def _stutter(rng: Draw, world: World) -> Draft:
    """The shop of tickets fails once: the same call again."""
    start, end, day, rows = trains(rng, rng.sample(range(90, 400, 7), 2), [30, 20])
    code, count = rng.choice(rows)["code"], rng.randint(2, 5)
    call = do("book_ticket", ticketCode=code, quantity=count)

    def plan() -> Plan:
        feedback = yield [call]
        if not feedback[0].ok:
            yield [call]
        return done(rng.say(f"Booked {count} on {code}.", f"已订{code}，{count}张。"))

    return Draft(
        phrasings=(
            "Book {count} tickets for train {code} on {day}.",
            "{count} tickets on {code}, {day}, please.",
            "I need {count} seats on {code} from {start} to {end}, {day}.",
            "Before they're gone: {code} on {day}, {count} tickets!",
        ),
        chinese=(
            "订{day}的{code}，{count}张。",
            "{code}，{day}，买{count}张票。",
            "我要{day}{start}到{end}的{code}，{count}张。",
            "趁还有票，赶紧订{day}的{code}，{count}张！",
        ),
        slots={"code": code, "start": start, "end": end, "day": spoken_day(rng, day), "count": count},
        plan=plan,
        faults=(Fault(tool="book_ticket", error_type=rng.choice((ErrorType.UNAVAILABLE, ErrorType.TIMEOUT))),),
        patch={"trips": rows, **paying(world)},
    )


_TROUBLES = (_sold_out, _too_dear, _stutter)


@family("travel_ticket_trouble", TOOL, TRAVEL, "recovery", variants=len(_TROUBLES))
def travel_ticket_trouble(rng: Draw, world: World) -> Draft:
    """Sold out, too little money, or a passing failure."""
    return branch(rng, world, _TROUBLES)


FAMILIES = (travel_ticket_trouble,)
