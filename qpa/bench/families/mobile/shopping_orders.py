"""Shopping: ordering after a look, ordering what was meant, and changes of mind."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, do, done, family
from qpa.bench.families.mobile.common import branch, course, past_turn
from qpa.bench.families.mobile.errands import default_wallet, holding, price
from qpa.bench.families.mobile.shopping import (
    ADDRESSES,
    SEEN_SHOPS,
    SHOPPING,
    TOOL,
    calm,
    day,
    offer,
    order,
    product,
    products,
)
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.schema import World


def purse(world: World) -> list[dict[str, Any]]:
    """A patch of `payment_accounts`: the default wallet can pay anything here."""
    return holding(default_wallet(world), 2_000_000)


def _kinds(rng: Draw, app: str, category: str, cents: int) -> list[dict[str, Any]]:
    """Three offers of a kind that differ in price and rating."""
    makers = rng.sample(("Aurora", "Borealis", "Cosmo", "Delphi", "Evergreen", "Fluxo", "Granit", "Helios"), 3)
    ratings, shifts = rng.sample((3.9, 4.2, 4.4, 4.6, 4.8), 3), rng.sample((-2000, -900, 700, 1900, 2800), 3)
    return [
        offer(
            app,
            rng.say(f"{maker} {category}".title(), f"{maker}{category}"),
            cents + shift,
            category=category,
            rating=stars,
        )
        for maker, stars, shift in zip(makers, ratings, shifts, strict=True)
    ]


# --- first look, then buy -------------------------------------------------------------------------------------------


def _several(rng: Draw, world: World) -> Draft:
    """Into the cart and bought, in this order."""
    (name, _, cents), app = product(rng), rng.choice(SEEN_SHOPS)
    count, address, wallet = rng.randint(1, 5), rng.choice(ADDRESSES), default_wallet(world)
    return Draft(
        phrasings=(
            "Order {count} {name} at {app}, to {address}, paid with {wallet}.",
            "Buy {name} on {app}, quantity {count}, ship it to {address} and pay by {wallet}.",
            "{app}: {count} of {name}, delivery address {address}, payment {wallet}. Order now.",
            "Don't just put it in the cart, really order: {count} {name} from {app}, {wallet} pays, address {address}.",
        ),
        chinese=(
            "在{app}下单{count}个{name}，寄到{address}，用{wallet}付。",
            "{app}买{name}，数量{count}，送{address}，{wallet}支付。",
            "{app}上{name}来{count}件，地址{address}，付款{wallet}，直接下单。",
            "别光加购物车，真下单：{app}的{name}{count}个，{wallet}付钱，地址{address}。",
        ),
        slots={"name": name, "app": app, "count": count, "address": address, "wallet": wallet},
        plan=course(
            [do("manage_cart", action="add", appName=app, productName=name, quantity=count)],
            [do("place_order", appName=app, addressName=address, paymentMethod=wallet)],
            reply=done(rng.say(f"Ordered {count} {name} at {app}.", f"已在{app}下单{count}个{name}。")),
        ),
        patch=calm(world, shop_offers=[offer(app, name, cents)], payment_accounts=purse(world)),
    )


def _with_coupon(rng: Draw, world: World) -> Draft:
    """The cart is full; of two coupons one applies."""
    (name, _, cents), app = product(rng), rng.choice(SEEN_SHOPS)
    address, wallet = rng.choice(ADDRESSES), default_wallet(world)
    good, other = f"JAN{rng.randint(10, 49)}", f"LUCKY{rng.randint(50, 99)}"
    off = 100 * rng.randint(5, 40)
    coupons = [
        {"app": app, "code": good, "off_cents": off, "min_cents": cents // 2, "expires": day(rng.randint(1, 20))},
        {"app": app, "code": other, "off_cents": 2 * off, "min_cents": 3 * cents, "expires": day(rng.randint(1, 20))},
    ]
    return Draft(
        phrasings=(
            "Check out my {app} cart with whichever coupon works for it, to {address}, paid by {wallet}.",
            "Order the {name} that's in the {app} cart; use the coupon that applies. Address {address}, payment "
            "{wallet}.",
            "One of my {app} coupons should fit the cart. Apply it, then order to {address} with {wallet}.",
            "I won't pay full price: find the coupon that is valid for my {app} cart, then order to {address}, "
            "{wallet} pays.",
        ),
        chinese=(
            "{app}购物车结账，哪张优惠券能用就用哪张，寄到{address}，{wallet}付。",
            "{app}购物车里的{name}下单，用上能用的券，地址{address}，{wallet}支付。",
            "我{app}的券里应该有一张够条件，用上再下单，送{address}，付款用{wallet}。",
            "不想付原价，看看{app}购物车能用哪张券，用了再下单到{address}，{wallet}付钱。",
        ),
        slots={"name": name, "app": app, "address": address, "wallet": wallet},
        plan=course(
            [do("query_coupons", appName=app), do("manage_cart", action="query", appName=app)],
            [do("apply_coupon", appName=app, code=good)],
            [do("place_order", appName=app, addressName=address, paymentMethod=wallet)],
            reply=done(rng.say(f"Ordered with {good}.", f"已用{good}下单。")),
        ),
        patch=calm(
            world,
            shop_offers=[offer(app, name, cents, in_cart=1)],
            coupons=coupons,
            payment_accounts=purse(world),
        ),
    )


def _if_price(rng: Draw, world: World) -> Draft:
    """Bought within the budget, shipping included; else put on the wishlist."""
    (name, _, cents), app = product(rng), rng.choice(SEEN_SHOPS)
    address, wallet, fee = rng.choice(ADDRESSES), default_wallet(world), 100 * rng.randint(8, 20)
    cheap = rng.random() < 0.5
    # The price alone is always within the budget.
    limit = cents // 100 + (rng.randint(fee // 100, fee // 100 + 9) if cheap else rng.randint(1, fee // 100 - 1))
    if cheap:
        blocks = [
            [do("manage_cart", action="add", appName=app, productName=name)],
            [do("place_order", appName=app, addressName=address, paymentMethod=wallet)],
        ]
        reply = done(rng.say(f"Ordered, {price(cents + fee)} in all.", f"已下单，共{price(cents + fee)}元。"))
    else:
        blocks = [[do("manage_wishlist", action="add", appName=app, productName=name)]]
        reply = done(
            rng.say(
                f"It costs {price(cents + fee)} with shipping, so it's on the wishlist.",
                f"含运费{price(cents + fee)}元，已放进心愿单。",
            )
        )
    return Draft(
        phrasings=(
            "If the {name} at {app} costs at most {limit} yuan with shipping, order one to {address} with {wallet}; "
            "otherwise put it on the wishlist.",
            "{app}, {name}: up to {limit} yuan including shipping buy one (address {address}, {wallet}), above "
            "that only wishlist it.",
            "Order one {name} on {app} to {address}, {wallet} pays, provided price plus shipping stays within "
            "{limit} yuan. Too dear? Then onto the wishlist.",
            "My limit is {limit} yuan, delivery fee included. Get me a {name} from {app} if that's enough, to "
            "{address}, by {wallet}. If it isn't, remember it on the wishlist there.",
        ),
        chinese=(
            "{app}的{name}含运费不超过{limit}元就买一个寄{address}，{wallet}付，超了就加心愿单。",
            "{app}上看下{name}，加运费{limit}块以内下单一个（地址{address}，{wallet}），贵了只加心愿单。",
            "在{app}买一个{name}送到{address}，{wallet}支付，前提是价格加运费不超{limit}元，不然放心愿单。",
            "我的上限是{limit}元，包括运费。够的话在{app}下单一个{name}到{address}，用{wallet}；不够就先记到心愿单。",
        ),
        slots={"name": name, "app": app, "limit": limit, "address": address, "wallet": wallet},
        plan=course([do("query_product", appName=app, productName=name)], *blocks, reply=reply),
        patch=calm(world, shop_offers=[offer(app, name, cents, shipping_cents=fee)], payment_accounts=purse(world)),
        shown=("manage_wishlist", "manage_cart", "place_order"),
    )


def _best_rated(rng: Draw, world: World) -> Draft:
    """One of several of a kind, by rating or price."""
    _, category, cents = product(rng)
    app, address, wallet = rng.choice(SEEN_SHOPS), rng.choice(ADDRESSES), default_wallet(world)
    rows = _kinds(rng, app, category, cents)
    by_rating = rng.random() < 0.5
    best = max(rows, key=lambda r: r["rating"]) if by_rating else min(rows, key=lambda r: r["price_cents"])
    which = rng.say("best rated", "评分最高的") if by_rating else rng.say("lowest priced", "价格最低的")
    return Draft(
        phrasings=(
            "Order the {which} {category} at {app}, to {address}, with {wallet}.",
            "I need a {category}. Take the {which} one on {app}; address {address}, payment {wallet}, order it.",
            "Find the {which} {category} on {app} and buy one: ship to {address}, pay with {wallet}.",
            "Surprise me with a {category} from {app}, as long as it's the {which} one. {address}, {wallet}, go.",
        ),
        chinese=(
            "在{app}买{which}{category}，寄{address}，{wallet}付款。",
            "要买个{category}，{app}上挑{which}下单，地址{address}，{wallet}支付。",
            "{app}上找{which}{category}，买一个送到{address}，用{wallet}。",
            "随便来个{category}，{app}上{which}就行，地址{address}，{wallet}付，下单吧。",
        ),
        slots={"which": which, "category": category, "app": app, "address": address, "wallet": wallet},
        plan=course(
            [do("search_products", appName=app, query=category, sortBy="rating" if by_rating else "price")],
            [do("manage_cart", action="add", appName=app, productName=best["name"])],
            [do("place_order", appName=app, addressName=address, paymentMethod=wallet)],
            reply=done(rng.say(f"Ordered the {best['name']}.", f"已下单{best['name']}。")),
        ),
        patch=calm(world, shop_offers=rows, payment_accounts=purse(world)),
    )


_PURCHASES = (_several, _with_coupon, _if_price, _best_rated)


@family("shop_order", TOOL, SHOPPING, "dependency", variants=len(_PURCHASES))
def shop_order(rng: Draw, world: World) -> Draft:
    """An order in one app, where something has to be looked up or done first."""
    return branch(rng, world, _PURCHASES)


# --- what was meant -------------------------------------------------------------------------------------------------


def _of_the_list(rng: Draw, world: World) -> Draft:
    """One of the products listed a turn ago goes into the cart."""
    _, category, cents = product(rng)
    app, count = rng.choice(SEEN_SHOPS), rng.randint(2, 7)
    rows = sorted(_kinds(rng, app, category, cents), key=lambda r: r["name"])
    which, english, chinese = rng.choice(
        (
            (rows[0], "first one", "第一个"),
            (rows[1], "second one", "第二个"),
            (rows[2], "third one", "第三个"),
            (min(rows, key=lambda r: r["price_cents"]), "cheapest of those", "里面最便宜的"),
            (max(rows, key=lambda r: r["rating"]), "one with the best rating", "评分最高的那个"),
        )
    )
    items = [{"name": r["name"], "price": r["price_cents"] / 100, "rating": r["rating"]} for r in rows]
    lines = ", ".join(f"{r['name']} {price(r['price_cents'])}" for r in rows)
    return Draft(
        phrasings=(
            "Put the {which} in the cart, {count} pieces.",
            "{count} of the {which}, into the cart please.",
            "I like the {which}. Cart, quantity {count}.",
            "Okay, {count} times the {which}; only into the cart for now.",
        ),
        chinese=(
            "{which}加购物车，{count}个。",
            "把{which}放进购物车，数量{count}。",
            "我看{which}不错，加购{count}件。",
            "行，{which}要{count}个，先放购物车。",
        ),
        slots={"which": rng.say(english, chinese), "count": count},
        plan=course(
            [do("manage_cart", action="add", appName=app, productName=which["name"], quantity=count)],
            reply=done(rng.say(f"{which['name']} is in the cart.", f"{which['name']}已加入购物车。")),
        ),
        history=past_turn(
            rng.say(f"What {category} offers does {app} have?", f"{app}上有哪些{category}？"),
            "search_products",
            {"appName": app, "query": category},
            {"items": items, "total": 3},
            rng.say(f"Three: {lines}.", f"有三个：{lines}。"),
        ),
        patch=calm(world, shop_offers=rows),
    )


def _once_more(rng: Draw, world: World) -> Draft:
    """A product of an earlier order is ordered again; where and what is in the order list."""
    (name, cents), (other, more) = products(rng, 2)
    app, second = rng.sample(SEEN_SHOPS, 2)
    address, wallet = rng.choice(ADDRESSES), default_wallet(world)
    past = {"status": "delivered", "placed_on": day(-20), "deliver_on": day(-17), "tracking": "DHL 70170170"}
    rows = [order(701, app, name, cents, **past), order(702, second, other, more, **past)]
    return Draft(
        phrasings=(
            "Order the {name} again where I got it last time, one piece, to {address}, with {wallet}.",
            "The same {name} as last time, from the same shop, please. Address {address}, {wallet} pays.",
            "Reorder one {name} from the app I bought it in before; ship to {address}, pay by {wallet}.",
            "My {name} broke. I was happy with the shop, so buy one there again: {address}, {wallet}.",
        ),
        chinese=(
            "{name}在上次买的那家再买一个，寄{address}，{wallet}付。",
            "跟上回一样的{name}，还是原来那个平台，下单一个到{address}，{wallet}支付。",
            "上次在哪个平台买的{name}，就在那再下一单，一件，地址{address}，用{wallet}。",
            "我的{name}坏了，上次那家店挺好，再去买一个，寄到{address}，{wallet}付款。",
        ),
        slots={"name": name, "address": address, "wallet": wallet},
        plan=course(
            [do("query_orders", productName=name)],
            [do("manage_cart", action="add", appName=app, productName=name)],
            [do("place_order", appName=app, addressName=address, paymentMethod=wallet)],
            reply=done(rng.say(f"Ordered again at {app}.", f"已在{app}再次下单。")),
        ),
        patch=calm(
            world,
            shop_offers=[offer(a, n, c) for a in SEEN_SHOPS for n, c in ((name, cents), (other, more))],
            shop_orders=rows,
            payment_accounts=purse(world),
        ),
    )


def _wished(rng: Draw, world: World) -> Draft:
    """What is on the wishlist is known by the wishlist only."""
    (name, _, cents), app, count = product(rng), rng.choice(SEEN_SHOPS), rng.randint(2, 9)
    return Draft(
        phrasings=(
            "Put what's on my {app} wishlist into the cart there, {count} pieces.",
            "The thing I wished for at {app}: {count} of it into the cart.",
            "Look at my wishlist on {app} and add that product to the cart, quantity {count}.",
            "Payday! That one item on the {app} wishlist, {count} of them, can move to the cart. Leave it wished too.",
        ),
        chinese=(
            "把我{app}心愿单上的那个加到购物车，{count}件。",
            "{app}心愿单里的东西，放{count}个进购物车。",
            "看下我{app}的心愿单，把那件商品加购，数量{count}。",
            "发工资了！{app}心愿单上那件加{count}个到购物车，心愿单里留着。",
        ),
        slots={"app": app, "count": count},
        plan=course(
            [do("manage_wishlist", action="query", appName=app)],
            [do("manage_cart", action="add", appName=app, productName=name, quantity=count)],
            reply=done(rng.say(f"{count} {name} in the cart.", f"{count}件{name}已加入购物车。")),
        ),
        patch=calm(world, shop_offers=[offer(app, name, cents, wished=1)]),
    )


_REFERENCES = (_of_the_list, _once_more, _wished)


@family("shop_again", TOOL, SHOPPING, "reference", variants=len(_REFERENCES))
def shop_again(rng: Draw, world: World) -> Draft:
    """A product named by the list, the order or the wishlist it is on."""
    return branch(rng, world, _REFERENCES)


FAMILIES = (shop_order, shop_again)
