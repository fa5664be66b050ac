"""Shopping, the first seed use case from end to end: compare apps, choose, order.

Training compares Amazon and JD; the test-only twin adds Taobao. The app with the lowest list price is never the right
one: shipping, a coupon, stock or delivery time turn the scale. Criteria are the rows of the order, so any way of
looking up and comparing is right; where the user wants to be asked first, nothing may be written.
"""

from __future__ import annotations

from qpa.bench.families.base import Draft, family
from qpa.bench.families.mobile.common import asked, turn
from qpa.bench.families.mobile.errands import amounts, default_wallet
from qpa.bench.families.mobile.shopping import SEEN_SHOPS, SHOPPING, TOOL
from qpa.bench.families.mobile.shopping_market import Comparison, comparison, comparison_draft, make_market
from qpa.bench.families.values import NAMES, Draw
from qpa.envs.sandbox.schema import World


def _cheapest(rng: Draw, world: World, apps: tuple[str, ...]) -> Draft:
    market = make_market(rng, apps)
    return comparison_draft(
        rng,
        world,
        market,
        comparison(rng, world, market, apps),
        (
            "Compare {apps} for the {name}, with shipping and my coupons, and order one where it is cheapest: to "
            "{address}, paid with {wallet}.",
            "I want the {name}. Check {apps}, count shipping and coupons, buy it at the lowest total, address "
            "{address}, {wallet} pays.",
            "Find out which of {apps} is cheapest for one {name} (shipping and usable coupons included) and order "
            "it there, {address}, {wallet}.",
            "Somebody told me coupons and shipping can turn everything around. So look at {apps}, then buy one "
            "{name} where I end up paying least; ship to {address}, pay by {wallet}.",
        ),
        (
            "比较{apps}上的{name}，算上运费和我的优惠券，哪家最便宜就在哪家下单一个，寄{address}，{wallet}付。",
            "想买{name}，看看{apps}，运费和券都算进去，总价最低的那家买，地址{address}，用{wallet}。",
            "查{apps}哪家买{name}最省（含运费、能用的券），就在那家买一个，送{address}，{wallet}支付。",
            "听说运费和优惠券差别很大，{apps}都看一遍，{name}到手价最低的那家下单一件，寄到{address}，{wallet}付款。",
        ),
    )


def _fastest(rng: Draw, world: World, apps: tuple[str, ...]) -> Draft:
    market = make_market(rng, apps)
    for row, days in zip(market.offers, sorted(rng.sample(range(1, 9), len(apps))), strict=True):
        row["delivery_days"] = days
    if not any(c["app"] == market.right for c in market.coupons):
        market.offers[0]["shipping_cents"] = 3000
    return comparison_draft(
        rng,
        world,
        market,
        comparison(rng, world, market, apps, by="days"),
        (
            "Which of {apps} delivers the {name} fastest? Order one there to {address} with {wallet}, using a "
            "coupon if one of mine works.",
            "I need the {name} as soon as possible: compare the delivery times of {apps}, order at the quickest, "
            "{address}, {wallet}; apply a coupon of mine if it's valid there.",
            "Check {apps} and buy the {name} where it arrives first, never mind the price. Address {address}, payment "
            "{wallet}, and take along any coupon that applies.",
            "The party is soon and the {name} must be there. Whoever of {apps} is fastest gets the order, to "
            "{address}, {wallet} pays. If one of my coupons is good for it, use it.",
        ),
        (
            "{apps}哪家送{name}最快？在那家下单一个寄{address}，{wallet}付，有能用的券就用上。",
            "{name}急用，比较{apps}的送达时间，选最快的下单，地址{address}，{wallet}支付，能用券就用。",
            "看看{apps}，{name}哪家先到就在哪家买，不管价格，送{address}，用{wallet}，有可用优惠券顺便用了。",
            "聚会快到了，{name}必须赶上。{apps}里谁最快就给谁下单，寄{address}，{wallet}付款，我的券能用就用。",
        ),
    )


def _budget(rng: Draw, world: World, apps: tuple[str, ...]) -> Draft:
    market = make_market(rng, apps)
    total = market.total()
    fits = rng.random() < 0.5
    yuan = total // 100 + (rng.randint(1, 4) if fits else -rng.randint(3, 30))
    draft = comparison_draft(
        rng,
        world,
        market,
        comparison(rng, world, market, apps, budget=100 * yuan),
        (
            "Get me the {name} from the cheapest of {apps}, all costs and coupons counted, but for {budget} yuan "
            "at most; above that ask me. Address {address}, payment {wallet}.",
            "Budget {budget} yuan in total: compare {apps} for one {name} with shipping and coupons and order the "
            "cheapest to {address}, {wallet} pays. If none fits, ask me first.",
            "Order one {name} wherever of {apps} the total with shipping and my coupons is lowest. Over {budget} "
            "yuan? Then check back with me before buying. {address}, {wallet}.",
            "I can spend {budget} yuan, not more without thinking it over, so ask if it's more. Compare {apps} for the "
            "{name}, coupons and shipping included, and order at the best one to {address} by {wallet}.",
        ),
        (
            "{apps}里挑最便宜的买一个{name}，运费和券都算，最多{budget}元，超了先问我。地址{address}，{wallet}付。",
            "预算一共{budget}元，比较{apps}的{name}（含运费和券），最低的下单到{address}，{wallet}支付；都超就先问我。",
            "{name}在{apps}哪家算上运费、优惠券总价最低就买哪家一个，超过{budget}元先跟我确认。寄{address}，"
            "用{wallet}。",
            "我只打算花{budget}元，多了要问我。比一比{apps}的{name}，运费和券都算上，最划算的下单，送{address}，"
            "{wallet}付款。",
        ),
        budget=yuan,
    )
    if not fits:
        draft.criteria = asked([market.right], amounts(total), reads=("query_product", "query_coupons"))
    return draft


def _sold_out(rng: Draw, world: World, apps: tuple[str, ...]) -> Draft:
    """The otherwise cheapest app has none left."""
    market = make_market(rng, apps)
    market.offers[-1] |= {"stock": 0, "shipping_cents": 0, "price_cents": market.total() * 4 // 5}
    return comparison_draft(
        rng,
        world,
        market,
        comparison(rng, world, market, apps),
        (
            "Order one {name} at the cheapest of {apps} that has it in stock, shipping and my coupons counted. "
            "{address}, {wallet}.",
            "Compare {apps} for the {name}: only shops that can deliver count. Lowest total with shipping and "
            "coupons wins, order to {address}, {wallet} pays.",
            "Buy a {name} from {apps}, whichever has stock and ends up cheapest with shipping and coupon; address "
            "{address}, payment {wallet}.",
            "Last time the cheap one was sold out! Check {apps} for {name} again and order where it's available "
            "and least expensive, all in (shipping, my coupons), to {address} by {wallet}.",
        ),
        (
            "{apps}里有货的，{name}哪家含运费用券后最便宜就下单一个，寄{address}，{wallet}付。",
            "比较{apps}的{name}，没货的不算，算上运费和券最低的下单，地址{address}，{wallet}支付。",
            "从{apps}买一个{name}，要有现货，运费和优惠券算进去最划算的那家，送{address}，用{wallet}。",
            "上次便宜的那家卖完了！再看看{apps}的{name}，有货里面到手最便宜的（含运费和券）下单，寄到{address}，"
            "{wallet}付款。",
        ),
    )


def _tie(rng: Draw, world: World, apps: tuple[str, ...]) -> Draft:
    """The same total in two apps; the faster one is chosen."""
    market = make_market(rng, apps)
    market.coupons = [c for c in market.coupons if c["app"] != market.right]
    first, second = market.offers[:2]
    first |= {"shipping_cents": 0, "price_cents": second["price_cents"] + second["shipping_cents"]}
    for row in market.offers[2:]:
        row["shipping_cents"] += first["price_cents"]
    first["delivery_days"], second["delivery_days"] = sorted(rng.sample(range(1, 9), 2))
    return comparison_draft(
        rng,
        world,
        market,
        comparison(rng, world, market, apps),
        (
            "Order the {name} at the cheapest of {apps}, shipping and usable coupons included; if it's the same, "
            "at the faster one. {address}, {wallet}.",
            "Compare totals of {apps} for one {name} (with shipping and coupons). Equal prices? Then delivery time "
            "decides. Order to {address}, {wallet} pays.",
            "Lowest total for the {name} among {apps}, and among equals the quickest delivery: order there, address "
            "{address}, payment {wallet}. Count shipping and any coupon that works.",
            "I don't care which of {apps} gets my money for the {name}: cheapest in the end (shipping, coupons), "
            "and when there's no difference the one that comes sooner. To {address} by {wallet}, please order.",
        ),
        (
            "{apps}里{name}哪家含运费用券后最便宜就买一个，一样就选送得快的，寄{address}，{wallet}付。",
            "比较{apps}买{name}的总价（运费、券都算），价格相同就看谁先到，下单到{address}，{wallet}支付。",
            "{name}在{apps}里选总价最低的，总价相等就选最快送达的，运费和可用券都算，地址{address}，用{wallet}下单。",
            "{apps}谁赚我的钱无所谓，{name}到手价最低就行（算运费和券），没差别就要快的那家，寄{address}，"
            "{wallet}付款下单。",
        ),
    )


def _ask_first(rng: Draw, world: World, apps: tuple[str, ...]) -> Draft:
    market = make_market(rng, apps)
    draft = comparison_draft(
        rng,
        world,
        market,
        comparison(rng, world, market, apps, confirm=True),
        (
            "Compare {apps} for the {name}, shipping and coupons included. Tell me the best shop and total and "
            "wait for my yes before you order to {address} with {wallet}.",
            "Find the cheapest {name} among {apps}, all in. I want to confirm shop and total before anything is "
            "ordered; later {wallet} pays and it goes to {address}.",
            "Which of {apps} has the lowest total for one {name} with shipping and my coupons? I'd order it to "
            "{address} by {wallet}, but ask me with the sum first.",
            "Don't buy anything yet! Work out where among {apps} the {name} is cheapest in the end, counting "
            "coupons and shipping, name me shop and amount, and ask if I want it ({address}, {wallet}).",
        ),
        (
            "比较{apps}的{name}，运费和券都算上，告诉我哪家最划算、总价多少，等我同意再下单到{address}，用{wallet}。",
            "{apps}里找最便宜的{name}（全算上），下单前我要确认店家和总价，之后用{wallet}付，寄{address}。",
            "{name}在{apps}哪家含运费用券后总价最低？打算寄{address}、{wallet}付，不过先把总价报给我确认。",
            "先别买！算清楚{apps}里{name}哪家到手最便宜（运费、券都算），报出店家和金额问我要不要（{address}，"
            "{wallet}）。",
        ),
    )
    draft.criteria = asked([market.right], amounts(market.total()), reads=("query_product", "query_coupons"))
    return draft


_ROADS = ("Willow Street", "Harbor Walk", "Poplar Avenue", "Mint Lane", "Castle Hill")
_ROADS_ZH = ("柳树街", "海港路", "白杨大道", "薄荷巷", "城堡坡")


def _new_place(rng: Draw, world: World, apps: tuple[str, ...]) -> Draft:
    """The order goes to an address that has to be saved first."""
    market, recipient = make_market(rng, apps), rng.pick(NAMES)
    title = rng.say(f"{recipient}'s place", f"{recipient}家")
    place = rng.say(f"{rng.randint(2, 99)} {rng.pick(_ROADS)}", f"{rng.pick(_ROADS_ZH)}{rng.randint(2, 99)}号")
    phone = rng.phone().replace("-", "")
    card = {"recipient": recipient, "phoneNumber": phone, "address": place}
    return comparison_draft(
        rng,
        world,
        market,
        Comparison(apps, market.name, title, default_wallet(world), new_address=card),
        (
            "Compare {apps} for the {name} with shipping and coupons and order one at the cheapest. It goes to a "
            'new address, save it as "{address}": {recipient}, {phone}, {place}. {wallet} pays.',
            "A present for {recipient}: one {name}, from whichever of {apps} has the lowest total (shipping, my "
            'coupons). Save the address as "{address}", {recipient}, phone {phone}, {place}, and order there with '
            "{wallet}.",
            'Save the delivery address "{address}" ({recipient}, {phone}, {place}), then send one {name} to it '
            "from the cheapest of {apps}, all costs and coupons counted, paid by {wallet}.",
            '{recipient} has moved to {place}, phone {phone}. Keep that as the address "{address}" and order one '
            "{name} to it by {wallet}, at the cheapest of {apps} after shipping and coupons.",
        ),
        (
            "比较{apps}的{name}（算运费和券），最便宜的那家买一个。寄到新地址，存为“{address}”：{recipient}，"
            "{phone}，{place}，{wallet}付。",
            "送{recipient}的礼物：{name}一个，{apps}里总价最低的买（含运费和我的券）。地址存成“{address}”，"
            "{recipient}，电话{phone}，{place}，用{wallet}下单。",
            "先存收货地址“{address}”（{recipient}，{phone}，{place}），"
            "再从{apps}里到手价最低的那家（运费、券都算）寄一个{name}过去，{wallet}支付。",
            "{recipient}搬到{place}了，电话{phone}，地址存为“{address}”，"
            "然后在{apps}里算上运费和券最便宜的那家给这个地址下单一个{name}，{wallet}付款。",
        ),
        recipient=recipient,
        phone=phone,
        place=place,
    )


_VARIANTS = (_cheapest, _fastest, _budget, _sold_out, _tie, _ask_first, _new_place)


@family("shop_compare", TOOL, SHOPPING, "dependency", "recovery", "long_horizon", "use_case", variants=len(_VARIANTS))
def shop_compare(rng: Draw, world: World) -> Draft:
    """One product compared in two apps and ordered in the right one."""
    return turn(rng, _VARIANTS)(rng, world, SEEN_SHOPS)


@family(
    "shop_compare_three",
    TOOL,
    SHOPPING,
    "dependency",
    "recovery",
    "long_horizon",
    "use_case",
    unseen="app",
    variants=len(_VARIANTS),
)
def shop_compare_three(rng: Draw, world: World) -> Draft:
    """The same with a third app that training never names."""
    return turn(rng, _VARIANTS)(rng, world, (*SEEN_SHOPS, "Taobao"))


FAMILIES = (shop_compare, shop_compare_three)
