"""Travel & Lifestyle, tickets and rides: found, booked, cancelled."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, do, done, family
from qpa.bench.families.mobile.common import Rows, answered, branch, course, online, past_turn, spoken_day
from qpa.bench.families.mobile.errands import amounts, default_wallet, holding, price
from qpa.bench.families.mobile.travel import TOOL, TRAVEL, ahead
from qpa.bench.families.mobile.travel_daily import FILMS
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.schema import World

CITIES = ("Nanjing", "Suzhou", "Wuxi", "Hefei", "Ningbo", "Xiamen", "Wuhan", "Changsha", "Qingdao", "Jinan")
CINEMAS = ("Riverside Cinema", "Old Town Cinema")
Row = dict[str, Any]


def trains(rng: Draw, prices: list[int], seats: list[int]) -> tuple[str, str, str, list[Row]]:
    """(origin, destination, date, rows): trains of one day between two cities that no seeded world serves."""
    (start, end), day = rng.sample(CITIES, 2), ahead(rng.randint(1, 14))
    hours = sorted(rng.sample(range(6, 20), len(prices)))
    rows = []
    for code, hour, yuan, left in zip(rng.sample(range(1000, 9999), len(prices)), hours, prices, seats, strict=True):
        minute = rng.randrange(0, 60, 5)
        rows.append(
            {
                "code": f"D{code}",
                "kind": "train",
                "origin": start,
                "destination": end,
                "departs": f"{day}T{hour:02d}:{minute:02d}:00",
                "arrives": f"{day}T{hour + 3:02d}:{minute:02d}:00",
                "price_cents": 100 * yuan,
                "seats": left,
            }
        )
    return start, end, day, rows


def _shown(rows: list[Row]) -> list[Row]:
    """Trips as `search_tickets` lists them."""
    return [
        {
            "code": r["code"],
            **{name: r[name] for name in ("title", "origin", "destination") if r.get(name)},
            "departs": r["departs"][:16],
            "arrives": r["arrives"][:16],
            "price": r["price_cents"] / 100,
            "seatsLeft": r["seats"],
        }
        for r in rows
    ]


def paying(world: World) -> Rows:
    """The patch of a phone that can pay: online, and the default wallet holds enough."""
    return {"payment_accounts": holding(default_wallet(world), 300_000), "settings": online()}


def _cheapest(rng: Draw, world: World) -> Draft:
    """The cheapest train is sold out; the next one is meant."""
    prices = rng.sample(range(90, 400, 7), 4)
    full = prices.index(min(prices))
    start, end, day, rows = trains(rng, prices, [0 if i == full else rng.randint(9, 40) for i in range(4)])
    best = min((r for r in rows if r["seats"]), key=lambda r: r["price_cents"])
    count = rng.randint(2, 5)
    return Draft(
        phrasings=(
            "Book the cheapest train from {start} to {end} on {day} that still has seats, {count} tickets.",
            "I need {count} train tickets {start} to {end}, {day}; take the cheapest one that isn't sold out.",
            "{start} to {end} by train on {day}: find the lowest price still available and book it, {count} tickets.",
            "Money is tight. Train {start} to {end}, {day}, {count} tickets, the least that can still be had.",
        ),
        chinese=(
            "订{day}从{start}到{end}还有票的最便宜的火车，{count}张。",
            "我要{count}张{day}{start}到{end}的火车票，选没售罄的里面最便宜的。",
            "{day}{start}去{end}坐火车，找还买得到的最低价，直接订{count}张。",
            "手头紧，{day}从{start}坐火车去{end}，{count}张，有票的哪趟便宜订哪趟。",
        ),
        slots={"start": start, "end": end, "day": spoken_day(rng, day), "count": count},
        plan=course(
            [do("search_tickets", kind="train", origin=start, destination=end, date=day)],
            [do("book_ticket", ticketCode=best["code"], quantity=count)],
            reply=done(rng.say(f"Booked {count} on {best['code']}.", f"已订{best['code']}，{count}张。")),
        ),
        patch={"trips": rows, **paying(world)},
    )


def _earliest(rng: Draw, world: World) -> Draft:
    """The first train after a time, with a seat by the window or aisle."""
    start, end, day, rows = trains(rng, rng.sample(range(90, 400, 7), 4), rng.sample(range(5, 40), 4))
    index = rng.randint(1, 2)
    after, best = f"{int(rows[index]['departs'][11:13]):02d}:00", rows[index]
    seat, english, chinese = rng.choice((("window", "window", "靠窗"), ("aisle", "aisle", "靠过道")))
    return Draft(
        phrasings=(
            "Book me the first train from {start} to {end} that leaves at {after} or later on {day}, {seat} seat.",
            "I can't be at the station in {start} before {after} on {day}. Book the earliest train to {end}, {seat}.",
            "One {seat} seat on the earliest train {start} to {end}, {day}, not before {after}.",
            "My meeting in {start} ends shortly before {after} on {day}; get me on the next train to {end}, "
            "{seat} seat.",
        ),
        chinese=(
            "订{day}{after}以后从{start}到{end}的第一班火车，{seat}座位。",
            "{day}我{after}前到不了{start}站，订那之后去{end}最早的火车，要{seat}的。",
            "{day}{start}到{end}，不早于{after}的最早一班火车，一张{seat}。",
            "{day}在{start}的会{after}前刚结束，帮我订之后去{end}最近的一趟火车，{seat}座。",
        ),
        slots={
            "start": start,
            "end": end,
            "day": spoken_day(rng, day),
            "after": after,
            "seat": rng.say(english, chinese),
        },
        plan=course(
            [do("search_tickets", kind="train", origin=start, destination=end, date=day)],
            [do("book_ticket", ticketCode=best["code"], seat=seat)],
            reply=done(rng.say(f"Booked {best['code']}, {seat}.", f"已订{best['code']}，{chinese}。")),
        ),
        patch={"trips": rows, **paying(world)},
    )


def _showings(rng: Draw, count: int) -> tuple[str, str, list[Row]]:
    """(title, date, rows): showings of one film on one day, in order of time."""
    title, day = rng.pick(FILMS), ahead(rng.randint(1, 9))
    rows = []
    for number, hour in enumerate(sorted(rng.sample(range(12, 22), count)), start=701):
        minute = rng.randrange(0, 60, 15)
        rows.append(
            {
                "code": f"MV{number}",
                "kind": "movie",
                "title": title,
                "origin": rng.choice(CINEMAS),
                "departs": f"{day}T{hour:02d}:{minute:02d}:00",
                "arrives": f"{day}T{hour + 2:02d}:{minute:02d}:00",
                "price_cents": 100 * rng.randint(35, 70),
                "seats": rng.randint(9, 40),
            }
        )
    return title, day, rows


def _last_showing(rng: Draw, world: World) -> Draft:
    """The latest showing of a film, several tickets, a part of the hall."""
    title, day, rows = _showings(rng, 3)
    count = rng.randint(2, 6)
    seat, english, chinese = rng.choice(
        (("front", "in the front", "前排"), ("middle", "in the middle", "中间"), ("back", "in the back", "后排"))
    )
    return Draft(
        phrasings=(
            "Book {count} tickets for the latest showing of {title} on {day}, {seat}.",
            "{count} of us want to see {title} on {day}, the last showing that day. Seats {seat}, please book.",
            "Cinema: {title}, {day}, the latest show, {count} tickets {seat}.",
            "The babysitter comes late on {day}, so it has to be the last showing of {title}. {count} tickets {seat}.",
        ),
        chinese=(
            "订{day}{title}最晚一场，{count}张，坐{seat}。",
            "我们{count}个人{day}要看{title}，订当天最后一场，{seat}的位子。",
            "电影票：{title}，{day}，最晚那场，{count}张，{seat}。",
            "{day}保姆来得晚，只能看{title}的最后一场，{count}张票，{seat}。",
        ),
        slots={"title": title, "day": spoken_day(rng, day), "count": count, "seat": rng.say(english, chinese)},
        plan=course(
            [do("search_tickets", kind="movie", title=title, date=day)],
            [do("book_ticket", ticketCode=rows[-1]["code"], quantity=count, seat=seat)],
            reply=done(rng.say(f"{count} tickets for {title} booked.", f"已订{title}{count}张票。")),
        ),
        patch={"trips": rows, **paying(world)},
    )


def _within_budget(rng: Draw, world: World) -> Draft:
    """Booked only if the cheapest train is within the budget, otherwise the price is told."""
    prices = rng.sample(range(120, 400, 7), 3)
    start, end, day, rows = trains(rng, prices, rng.sample(range(5, 40), 3))
    best = min(rows, key=lambda r: r["price_cents"])
    affordable = rng.random() < 0.5
    limit = min(prices) + (1 if affordable else -1) * rng.randint(4, 30)
    look = [do("search_tickets", kind="train", origin=start, destination=end, date=day)]
    cost = price(best["price_cents"])
    if affordable:
        book = [do("book_ticket", ticketCode=best["code"])]
        plan = course(
            look, book, reply=done(rng.say(f"Booked {best['code']} for {cost}.", f"已订{best['code']}，{cost}元。"))
        )
    else:
        plan = course(
            look, reply=done(rng.say(f"The cheapest is {cost}, so I booked none.", f"最便宜要{cost}元，没有订。"))
        )
    return Draft(
        phrasings=(
            "Book the cheapest train {start} to {end} on {day} if it costs at most {limit} yuan; else tell me "
            "the price.",
            "The cheapest train ticket {start} to {end}, {day}, but only up to {limit} yuan. If it's more, "
            "say how much.",
            "What does the cheapest train {start} to {end} cost on {day}? Up to {limit} yuan book it, above "
            "only tell me.",
            "My boss pays {limit} yuan at most for {start} to {end} by train on {day}. Book the cheapest if that is "
            "enough, otherwise don't book and name me its price.",
        ),
        chinese=(
            "{day}{start}到{end}最便宜的火车票，不超过{limit}元就订，超了只告诉我价格。",
            "订一张{day}从{start}去{end}最便宜的火车票，预算{limit}块，超预算就别订，说下多少钱。",
            "{day}{start}到{end}最便宜的火车多少钱？{limit}元以内直接订，贵了就告诉我一声。",
            "公司只报销{limit}元，{day}{start}到{end}的火车挑最便宜的，够就订，不够别订，把票价告诉我。",
        ),
        slots={"start": start, "end": end, "day": spoken_day(rng, day), "limit": limit},
        plan=plan,
        criteria="state" if affordable else answered(amounts(best["price_cents"]), reads=("search_tickets",)),
        patch={"trips": rows, **paying(world)},
        shown=("book_ticket",),
    )


_BOOKINGS = (_cheapest, _earliest, _last_showing, _within_budget)


@family("travel_book", TOOL, TRAVEL, "dependency", variants=len(_BOOKINGS))
def travel_book(rng: Draw, world: World) -> Draft:
    """A ticket that has to be found before it can be booked."""
    return branch(rng, world, _BOOKINGS)


@family("travel_book_listed", TOOL, TRAVEL, "reference")
def travel_book_listed(rng: Draw, world: World) -> Draft:
    """One of the trips listed a turn ago, by its place in the list, its price or its time."""
    start, end, day, rows = trains(rng, rng.sample(range(90, 400, 7), 3), rng.sample(range(9, 40), 3))
    dear = max(rows, key=lambda r: r["price_cents"])
    cheap = min(rows, key=lambda r: r["price_cents"])
    which, english, chinese = rng.choice(
        (
            (rows[1], "second one", "第二个"),
            (rows[0], "first one", "第一个"),
            (rows[2], "last one", "最后一个"),
            (cheap, "cheapest of them", "其中最便宜的"),
            (dear, "most expensive of them", "其中最贵的"),
        )
    )
    count = rng.randint(2, 5)
    listed = _shown(rows)
    lines = "; ".join(f"{t['departs'][11:]} {price(r['price_cents'])}" for t, r in zip(listed, rows, strict=True))
    search = {"kind": "train", "origin": start, "destination": end, "date": day}
    return Draft(
        phrasings=(
            "Book the {which}, {count} tickets.",
            "I'll take the {which}. {count} tickets, please.",
            "The {which} suits us, get {count} tickets for it.",
            "Hm, let me think... the {which} then, {count} tickets.",
        ),
        chinese=(
            "订{which}，{count}张。",
            "就要{which}吧，{count}张票。",
            "{which}合适，买{count}张。",
            "嗯，我想想……那就{which}，订{count}张。",
        ),
        slots={"which": rng.say(english, chinese), "count": count},
        plan=course(
            [do("book_ticket", ticketCode=which["code"], quantity=count)],
            reply=done(rng.say(f"Booked {count} on {which['code']}.", f"已订{which['code']}，{count}张。")),
        ),
        history=past_turn(
            rng.say(
                f"Which trains go from {start} to {end} on {spoken_day(rng, day)}?",
                f"{spoken_day(rng, day)}从{start}到{end}有哪些火车？",
            ),
            "search_tickets",
            search,
            {"items": listed, "total": 3},
            rng.say(f"Three trains: {lines}.", f"有三趟：{lines}。"),
        ),
        patch={"trips": rows, **paying(world)},
    )


FAMILIES = (travel_book, travel_book_listed)
