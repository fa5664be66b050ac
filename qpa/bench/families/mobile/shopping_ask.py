"""Shopping: questions, and what has to be asked back."""

from __future__ import annotations

from qpa.bench.families.base import Draft, ask, do, done, family
from qpa.bench.families.mobile.common import answered, answered_by, asked, branch, course, spoken_day, step
from qpa.bench.families.mobile.errands import amounts, date_words, default_wallet, holding, other_wallets, price
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
)
from qpa.bench.families.values import NAMES, Draw
from qpa.envs.sandbox.schema import World


def _with_shipping(rng: Draw, world: World) -> Draft:
    (name, _, cents), app = product(rng), rng.choice(SEEN_SHOPS)
    cents, fee = cents + 10 * rng.randint(-99, 99), 100 * rng.randint(5, 25)
    total = cents + fee
    return Draft(
        phrasings=(
            "What does the {name} cost at {app}, shipping included?",
            "Price of {name} on {app} with the shipping fee, in total?",
            "How much would I pay at {app} for one {name} including delivery?",
            "I can never find the final price at {app}: {name}, everything included, no coupon?",
        ),
        chinese=(
            "{app}上{name}连运费一共多少钱？",
            "在{app}买一个{name}，加运费总价多少？",
            "{name}在{app}含运费要多少？",
            "{app}老看不出最终价，{name}全算上、不用券，到底多少钱？",
        ),
        slots={"name": name, "app": app},
        plan=course(
            [do("query_product", appName=app, productName=name)],
            reply=done(rng.say(f"{price(total)} with shipping.", f"含运费{price(total)}元。")),
        ),
        criteria=answered(amounts(total), reads=("query_product",)),
        patch=calm(world, shop_offers=[offer(app, name, cents, shipping_cents=fee)]),
    )


def _stock(rng: Draw, world: World) -> Draft:
    (name, _, cents), app, left = product(rng), rng.choice(SEEN_SHOPS), rng.randint(6, 95)
    return Draft(
        phrasings=(
            "How many {name} has {app} left in stock?",
            "Stock of {name} at {app}?",
            "Check on {app} how many pieces of the {name} are still available.",
            "I want to buy the {name} at the weekend. How many are there still at {app}?",
        ),
        chinese=(
            "{app}上{name}还有多少库存？",
            "查下{app}的{name}还剩几件。",
            "{name}在{app}还有多少个？",
            "周末想买{name}，{app}现在还剩多少件？",
        ),
        slots={"name": name, "app": app},
        plan=course(
            [do("query_product", appName=app, productName=name)],
            reply=done(rng.say(f"{left} are left.", f"还有{left}件。")),
        ),
        criteria=answered([str(left)], reads=("query_product",)),
        patch=calm(world, shop_offers=[offer(app, name, cents, stock=left, delivery_days=3, rating=4.2)]),
    )


def _parcel(rng: Draw, world: World) -> Draft:
    (name, _, cents), app, when = product(rng), rng.choice(SEEN_SHOPS), day(rng.randint(2, 12))
    row = order(701, app, name, cents, status="shipped", placed_on=day(-2), deliver_on=when, tracking="DHL 70170170")
    return Draft(
        phrasings=(
            "When will my {name} arrive?",
            "Where's the parcel with the {name}? I'd like to know the delivery date.",
            "Delivery date of the {name} I ordered at {app}?",
            "I have to be at home when the {name} comes. Which day is that?",
        ),
        chinese=(
            "我的{name}哪天到？",
            "{name}的快递到哪了，哪天能送到？",
            "我在{app}买的{name}什么时候送达？",
            "{name}送来那天我得在家，是哪天？",
        ),
        slots={"name": name, "app": app},
        plan=course(
            [do("track_parcel", productName=name)],
            reply=done(rng.say(f"It arrives on {spoken_day(rng, when)}.", f"{spoken_day(rng, when)}送到。")),
        ),
        criteria=answered_by(date_words(when), routes=(step("track_parcel"), step("query_orders"))),
        patch=calm(world, shop_offers=[offer(app, name, cents)], shop_orders=[row]),
    )


def _order_total(rng: Draw, world: World) -> Draft:
    (name, _, cents), app = product(rng), rng.choice(SEEN_SHOPS)
    paid = cents + 10 * rng.randint(-99, 99)
    row = order(
        701, app, name, paid, status="delivered", placed_on=day(-20), deliver_on=day(-16), tracking="DHL 70170170"
    )
    return Draft(
        phrasings=(
            "What did I pay for the {name}?",
            "How much was my {name} order at {app}?",
            "Look up the total of the order with the {name}.",
            "My neighbour wants a {name} too and asks what mine cost me back then.",
        ),
        chinese=(
            "我买{name}花了多少钱？",
            "{app}上我那单{name}多少钱？",
            "查一下买{name}那个订单的总额。",
            "邻居也想买{name}，问我当时花了多少。",
        ),
        slots={"name": name, "app": app},
        plan=course(
            [do("query_orders", productName=name)],
            reply=done(rng.say(f"You paid {price(paid)}.", f"花了{price(paid)}元。")),
        ),
        criteria=answered(amounts(paid), reads=("query_orders",)),
        patch=calm(world, shop_offers=[offer(app, name, cents)], shop_orders=[row]),
    )


def _my_coupon(rng: Draw, world: World) -> Draft:
    app = rng.choice(SEEN_SHOPS)
    code, off = f"{rng.choice(('TAKE', 'LESS', 'JAN', 'LUCKY', 'GIFT'))}{rng.randint(51, 99)}", 100 * rng.randint(5, 49)
    row = {"app": app, "code": code, "off_cents": off, "expires": day(rng.randint(3, 20))}
    return Draft(
        phrasings=(
            "Do I have a coupon for {app}? Tell me code and value.",
            "Which coupons can I use at {app}, and what are they worth?",
            "{app} coupons: code and discount, please.",
            "Before I buy anything at {app}: is there a voucher of mine, how is it called and what does it take off?",
        ),
        chinese=(
            "我在{app}有优惠券吗？券码和面额告诉我。",
            "{app}有什么券能用，能减多少？",
            "查一下{app}的优惠券，码和金额。",
            "在{app}下单前问一句，我有没有券，码是什么，减多少？",
        ),
        slots={"app": app},
        plan=course(
            [do("query_coupons", appName=app)],
            reply=done(rng.say(f"{code} takes {price(off)} off.", f"有{code}，减{price(off)}元。")),
        ),
        criteria=answered([code], amounts(off), reads=("query_coupons",)),
        patch=calm(world, coupons=[row]),
    )


_QUESTIONS = (_with_shipping, _stock, _parcel, _order_total, _my_coupon)


@family("shop_facts", TOOL, SHOPPING, "grounding", variants=len(_QUESTIONS))
def shop_facts(rng: Draw, world: World) -> Draft:
    """A question about an offer, an order, a parcel or a coupon."""
    return branch(rng, world, _QUESTIONS)


# --- asked back -----------------------------------------------------------------------------------------------------


def _where_to(rng: Draw, world: World) -> Draft:
    """Three addresses are saved and none is named."""
    (name, _, cents), app, wallet = product(rng), rng.choice(SEEN_SHOPS), default_wallet(world)
    return Draft(
        phrasings=(
            "Order what's in my {app} cart and pay with {wallet}. Ask me if you lack anything.",
            "Buy the {name} from my {app} cart with {wallet}; if something is missing, check with me first.",
            "Place the {app} order for the {name}, {wallet} pays. Which of my addresses, you'd have to ask me.",
            "Go ahead with the {app} cart, payment by {wallet}. It's a gift, so don't guess where it goes.",
        ),
        chinese=(
            "把{app}购物车里的下单，用{wallet}付，缺什么信息问我。",
            "{app}购物车里的{name}买了吧，{wallet}付款，有不清楚的先问我。",
            "{app}那单{name}下了，{wallet}支付，寄哪个地址你得问我。",
            "{app}购物车结账，用{wallet}。这是礼物，别自己猜寄到哪。",
        ),
        slots={"name": name, "app": app, "wallet": wallet},
        plan=course(reply=ask(rng.say("Which address should it go to?", "寄到哪个地址？"))),
        criteria=asked(["address", "where", "地址", "哪里", "哪儿"]),
        patch=calm(world, shop_offers=[offer(app, name, cents, in_cart=1)]),
        shown=("place_order", "manage_addresses"),
    )


def _sold_out(rng: Draw, world: World) -> Draft:
    (name, _, cents), app = product(rng), rng.choice(SEEN_SHOPS)
    count = rng.randint(2, 5)
    call = {"action": "add", "appName": app, "productName": name}
    return Draft(
        phrasings=(
            "Put {count} {name} in my {app} cart.",
            "{app}: {name}, {count} of it, into the cart.",
            "Add the {name} to the cart at {app}, {count} pieces.",
            "I finally decided: {count} {name} from {app} go into the cart.",
        ),
        chinese=(
            "{app}购物车加{count}个{name}。",
            "把{name}放进{app}购物车，{count}件。",
            "{app}里加购{name}，数量{count}。",
            "终于决定了，{app}的{name}，{count}个，加购物车。",
        ),
        slots={"name": name, "app": app, "count": count},
        plan=course(
            [do("manage_cart", **call, quantity=count)],
            reply=ask(
                rng.say(
                    f"The {name} is out of stock. Shall I put it on the wishlist?", f"{name}缺货，要先加到心愿单吗？"
                )
            ),
        ),
        criteria=asked(
            [name],
            [
                "out of stock",
                "sold out",
                "not in stock",
                "unavailable",
                "not available",
                "缺货",
                "没货",
                "无货",
                "售罄",
                "卖完",
            ],
            routes=(
                step("manage_cart", **call, quantity=count),
                step("query_product", appName=app, productName=name),
            ),
        ),
        patch=calm(world, shop_offers=[offer(app, name, cents, stock=0)]),
        shown=("query_product", "manage_wishlist"),
    )


def _too_little(rng: Draw, world: World) -> Draft:
    (name, _, cents), app, wallet = product(rng), rng.choice(SEEN_SHOPS), rng.choice(other_wallets(world))
    address, held = rng.choice(ADDRESSES), rng.randrange(500, 5_000, 50)
    call = {"appName": app, "addressName": address, "paymentMethod": wallet}
    return Draft(
        phrasings=(
            "Order the {name} that's in my {app} cart, to {address}, paid with {wallet}.",
            "Check out the {app} cart: ship to {address}, pay by {wallet}.",
            "Buy the {app} cart with {wallet} and send it to {address}.",
            "The {name} has been in my {app} cart long enough. Order it to {address}, {wallet} pays.",
        ),
        chinese=(
            "{app}购物车里的{name}下单，寄到{address}，用{wallet}付。",
            "{app}购物车结账，地址{address}，{wallet}支付。",
            "用{wallet}把{app}购物车买了，送到{address}。",
            "{name}在{app}购物车躺太久了，下单吧，寄{address}，{wallet}付款。",
        ),
        slots={"name": name, "app": app, "address": address, "wallet": wallet},
        plan=course(
            [do("place_order", **call)],
            reply=ask(
                rng.say(
                    f"{wallet} holds only {price(held)}. Shall I use another wallet?",
                    f"{wallet}余额只有{price(held)}元，换别的钱包付吗？",
                )
            ),
        ),
        criteria=asked([wallet], routes=(step("place_order", **call), step("manage_wallets", action="query"))),
        patch=calm(
            world,
            shop_offers=[offer(app, name, cents, in_cart=1)],
            payment_accounts=[*holding(wallet, held), *holding(default_wallet(world), 500_000)],
        ),
        shown=("manage_wallets",),
    )


def _no_such_address(rng: Draw, world: World) -> Draft:
    (name, _, cents), app, wallet, person = product(rng), rng.choice(SEEN_SHOPS), default_wallet(world), rng.pick(NAMES)
    call = {"appName": app, "addressName": person, "paymentMethod": wallet}
    return Draft(
        phrasings=(
            "Order the {name} from my {app} cart, delivered to the address {person}, paid with {wallet}.",
            "{app} cart to the delivery address {person}; {wallet} pays.",
            "Send {person} the {name} in my {app} cart, you have the address under {person}. Use {wallet}.",
            "{person} deserves a present: buy the {name} in the {app} cart with {wallet}, address {person}.",
        ),
        chinese=(
            "{app}购物车里的{name}下单，收货地址用{person}，{wallet}付。",
            "{app}购物车结账，寄到地址{person}，用{wallet}。",
            "把{app}购物车里的{name}寄给{person}，地址存的就叫{person}，{wallet}支付。",
            "送{person}个礼物，{app}购物车里的{name}用{wallet}买了，地址选{person}。",
        ),
        slots={"name": name, "app": app, "person": person, "wallet": wallet},
        plan=course(
            [do("manage_addresses", action="query")],
            reply=ask(
                rng.say(f"There is no address {person}. What is it?", f"没有叫{person}的地址，请问具体地址是什么？")
            ),
        ),
        criteria=asked(
            ["address", "where", "地址", "哪里", "哪儿"],
            [person],
            routes=(step("manage_addresses", action="query"), step("place_order", **call)),
        ),
        patch=calm(
            world,
            shop_offers=[offer(app, name, cents, in_cart=1)],
            payment_accounts=holding(wallet, 500_000),
        ),
        shown=("place_order",),
    )


_QUESTIONS_BACK = (_where_to, _sold_out, _too_little, _no_such_address)


@family("shop_trouble", TOOL, SHOPPING, "recovery", variants=len(_QUESTIONS_BACK))
def shop_trouble(rng: Draw, world: World) -> Draft:
    """No address, no stock, no money: the user is asked and nothing is bought."""
    return branch(rng, world, _QUESTIONS_BACK)


FAMILIES = (shop_facts, shop_trouble)
