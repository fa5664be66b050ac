"""Shopping: food, refunds, the apps that training never names, and an evening it never combines."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import answered, branch, course, settings
from qpa.bench.families.mobile.errands import amounts, default_wallet, price
from qpa.bench.families.mobile.shopping import (
    ADDRESSES,
    SEEN_FOOD,
    SEEN_SHOPS,
    SHOPPING,
    TOOL,
    Row,
    calm,
    day,
    offer,
    order,
    product,
)
from qpa.bench.families.mobile.shopping_orders import purse
from qpa.bench.families.values import TITLES, Draw
from qpa.envs.sandbox.schema import World

# restaurant -> dishes; no seeded world has them
MENUS = {
    "Lotus Garden": ("Mapo Tofu", "Kung Pao Chicken", "Spring Rolls", "Hot and Sour Soup"),
    "Sakura Corner": ("Salmon Roll", "Tonkotsu Ramen", "Chicken Katsu", "Miso Soup"),
    "Taco Verde": ("Beef Burrito", "Fish Taco", "Nacho Plate", "Bean Quesadilla"),
    "Little Bombay": ("Butter Chicken", "Garlic Naan", "Paneer Curry", "Mango Lassi"),
    "Seoul Bowl": ("Bibimbap", "Kimchi Stew", "Japchae", "Tteokbokki"),
}


def menu(rng: Draw, app: str, **more: int) -> tuple[str, list[Row]]:
    """(restaurant, its dishes in the app)."""
    place = rng.choice(sorted(MENUS))
    usual = {"category": "food", "seller": place, "delivery_days": 0, "shipping_cents": 300}
    return place, [offer(app, dish, 100 * rng.randint(15, 60), **{**usual, **more}) for dish in MENUS[place]]


def two_dishes(rng: Draw, world: World, app: str) -> Draft:
    """Two dishes of one restaurant, ordered."""
    place, rows = menu(rng, app)
    first, second = (r["name"] for r in rng.sample(rows, 2))
    count, address, wallet = rng.randint(2, 5), rng.choice(ADDRESSES), default_wallet(world)
    return Draft(
        phrasings=(
            "Order {count} {first} and one {second} on {app}, to {address}, paid with {wallet}.",
            "Hungry! {app}: {count} times {first}, once {second}. Address {address}, payment {wallet}.",
            "Get us {count} {first} plus a {second} from {place} via {app}; deliver to {address}, {wallet} pays.",
            "Nobody wants to cook. {count} {first} and a single {second} by {app} to {address} please, use {wallet}.",
        ),
        chinese=(
            "在{app}点{count}份{first}和一份{second}，送到{address}，用{wallet}付。",
            "饿了，{app}来{count}份{first}、1份{second}，地址{address}，{wallet}支付。",
            "{app}上点{place}的{count}份{first}加一份{second}，送{address}，{wallet}付款。",
            "都不想做饭，{app}点{count}个{first}、一个{second}到{address}，用{wallet}买单。",
        ),
        slots={
            "count": count,
            "first": first,
            "second": second,
            "app": app,
            "place": place,
            "address": address,
            "wallet": wallet,
        },
        plan=course(
            [
                do("manage_cart", action="add", appName=app, productName=first, quantity=count),
                do("manage_cart", action="add", appName=app, productName=second),
            ],
            [do("place_order", appName=app, addressName=address, paymentMethod=wallet)],
            reply=done(rng.say("Your food is ordered.", "已下单，等着吃吧。")),
        ),
        patch=calm(world, shop_offers=rows, payment_accounts=purse(world)),
    )


def _food(rng: Draw, world: World) -> Draft:
    return two_dishes(rng, world, SEEN_FOOD)


def _other_restaurant(rng: Draw, world: World) -> Draft:
    """The cart holds another restaurant's food, which has to go first."""
    _, rows = menu(rng, SEEN_FOOD)
    stale = offer(SEEN_FOOD, "Lentil Stew", 2600, category="food", seller="Green Spoon", in_cart=1)
    dish, count = rng.choice(rows)["name"], rng.randint(1, 6)
    add = do("manage_cart", action="add", appName=SEEN_FOOD, productName=dish, quantity=count)

    def plan() -> Plan:
        feedback = yield [add]
        if not feedback[0].ok:
            cart = yield [do("manage_cart", action="query", appName=SEEN_FOOD)]
            old = [item["name"] for item in cart[0].payload["data"]["items"]]
            yield [do("manage_cart", action="remove", appName=SEEN_FOOD, productName=name) for name in old]
            yield [add]
        return done(rng.say(f"{count} {dish} in the cart.", f"{count}份{dish}已加入购物车。"))

    return Draft(
        phrasings=(
            "Put {count} {dish} in my {app} cart and throw out whatever else is in there.",
            "{app} cart: only {count} {dish}. If there's food from another restaurant in it, remove that.",
            "I'd rather have {dish}, {count} of it, in the {app} cart; the old stuff in the cart can go.",
            "Forget what I had picked on {app} before. Empty the cart and put {count} {dish} in.",
        ),
        chinese=(
            "{app}购物车放{count}份{dish}，里面原来的都清掉。",
            "{app}购物车只要{count}份{dish}，有别家的就删掉。",
            "还是想吃{dish}，{app}购物车加{count}份，之前选的不要了。",
            "之前在{app}选的都算了，清空购物车，放{count}份{dish}。",
        ),
        slots={"app": SEEN_FOOD, "dish": dish, "count": count},
        plan=plan,
        patch=calm(world, shop_offers=[*rows, stale]),
    )


_MEALS = (_food, _other_restaurant)


@family("shop_food", TOOL, SHOPPING, "dependency", "recovery", variants=len(_MEALS))
def shop_food(rng: Draw, world: World) -> Draft:
    """Food: ordered, or put in place of another restaurant's."""
    return branch(rng, world, _MEALS)


# --- tools and apps kept from training ------------------------------------------------------------------------------

_FLAWS = (
    ("damaged", "it arrived broken", "收到就是坏的"),
    ("wrong item", "they sent something else", "发错货了"),
    ("not as described", "it isn't as described", "跟描述不符"),
    ("no longer needed", "I no longer need it", "不需要了"),
)


@family("shop_refund", TOOL, SHOPPING, "grounding", unseen="tool")
def shop_refund(rng: Draw, world: World) -> Draft:
    """A refund with its reason, a tool that training never shows."""
    (name, _, cents), app = product(rng), rng.choice(SEEN_SHOPS)
    reason, english, chinese = rng.choice(_FLAWS)
    row = order(701, app, name, cents, status="delivered", placed_on=day(-7), deliver_on=day(-2), tracking="DHL 7017")
    return Draft(
        phrasings=(
            "Ask for a refund of the {name}, {why}.",
            "I want my money back for the {name}: {why}.",
            "Request a refund at {app} for the {name} because {why}.",
            "The {name} came and, well, {why}. Get the refund going.",
        ),
        chinese=(
            "{name}申请退款，{why}。",
            "{name}我要退钱，{why}。",
            "{app}上买的{name}{why}，帮我申请退款。",
            "{name}到了，可是{why}，走退款流程吧。",
        ),
        slots={"name": name, "app": app, "why": rng.say(english, chinese)},
        plan=course(
            [do("request_refund", productName=name, reason=reason)],
            reply=done(rng.say(f"The refund for {name} is requested.", f"{name}的退款已申请。")),
        ),
        patch=calm(world, shop_offers=[offer(app, name, cents)], shop_orders=[row]),
    )


def _taobao_cart(rng: Draw, world: World) -> Draft:
    (name, _, cents), count = product(rng), rng.randint(2, 9)
    address, wallet = rng.choice(ADDRESSES), default_wallet(world)
    return Draft(
        phrasings=(
            "Order {count} {name} on Taobao to {address}, {wallet} pays.",
            "Taobao: buy {name}, {count} pieces, address {address}, pay with {wallet}.",
            "Please get {count} {name} from Taobao, shipped to {address}, payment by {wallet}.",
            "They swear by Taobao. So order {count} {name} there, to {address}, with {wallet}.",
        ),
        chinese=(
            "在Taobao下单{count}个{name}，寄{address}，{wallet}付。",
            "Taobao买{name}，{count}件，地址{address}，{wallet}支付。",
            "上Taobao买{count}个{name}，送到{address}，付款用{wallet}。",
            "都说Taobao好，那就在Taobao下单{count}个{name}，寄到{address}，用{wallet}付。",
        ),
        slots={"name": name, "count": count, "address": address, "wallet": wallet},
        plan=course(
            [do("manage_cart", action="add", appName="Taobao", productName=name, quantity=count)],
            [do("place_order", appName="Taobao", addressName=address, paymentMethod=wallet)],
            reply=done(rng.say(f"Ordered {count} {name}.", f"已下单{count}个{name}。")),
        ),
        patch=calm(world, shop_offers=[offer("Taobao", name, cents)], payment_accounts=purse(world)),
    )


def _taobao_price(rng: Draw, world: World) -> Draft:
    (name, _, cents), fee = product(rng), 100 * rng.randint(5, 25)
    total = cents + fee
    return Draft(
        phrasings=(
            "What does the {name} cost on Taobao, shipping included?",
            "Taobao price of {name} plus shipping, in total?",
            "How much do I pay for one {name} at Taobao with delivery?",
            "Is Taobao any good for a {name}? Tell me the price with the shipping fee added.",
        ),
        chinese=(
            "Taobao上{name}含运费多少钱？",
            "Taobao的{name}加上运费一共多少？",
            "在Taobao买一个{name}，连运费要多少？",
            "Taobao买{name}划算吗？告诉我加运费的总价。",
        ),
        slots={"name": name},
        plan=course(
            [do("query_product", appName="Taobao", productName=name)],
            reply=done(rng.say(f"{price(total)} with shipping.", f"含运费{price(total)}元。")),
        ),
        criteria=answered(amounts(total), reads=("query_product",)),
        patch=calm(world, shop_offers=[offer("Taobao", name, cents, shipping_cents=fee)]),
    )


def _meituan(rng: Draw, world: World) -> Draft:
    return two_dishes(rng, world, "Meituan")


_UNSEEN = (_taobao_cart, _taobao_price, _meituan)


@family("shop_unseen_apps", TOOL, SHOPPING, "grounding", "dependency", unseen="app", variants=len(_UNSEEN))
def shop_unseen_apps(rng: Draw, world: World) -> Draft:
    """What training does with other apps, in those that it never names."""
    return branch(rng, world, _UNSEEN)


@family("shop_evening", TOOL, SHOPPING, "dependency", "parallel", unseen="family")
def shop_evening(rng: Draw, world: World) -> Draft:
    """Food, a countdown, a wish and the dark mode in one breath."""
    _, rows = menu(rng, SEEN_FOOD, in_cart=0)
    rows[0]["in_cart"] = 2
    (name, _, cents), app = product(rng), rng.choice(SEEN_SHOPS)
    where = {"address": rng.choice(ADDRESSES), "wallet": default_wallet(world)}
    minutes, label = rng.randrange(20, 70, 5), rng.pick(TITLES)
    return Draft(
        phrasings=(
            "Order my {food} cart to {address} with {wallet}, start a {minutes} minute countdown called {label}, "
            "turn on dark mode and put the {name} on the {app} wishlist.",
            "Film night: dark mode, the {food} cart ordered to {address} ({wallet} pays), countdown {label} of "
            "{minutes} minutes, and wishlist the {name} at {app}.",
            "Four things, please. {food} cart to {address} by {wallet}; countdown {minutes} minutes, {label}; dark "
            "mode; {name} onto the wishlist in {app}.",
            "While I sit down: buy what's in the {food} cart, {wallet}, address {address}. Count down {minutes} "
            "minutes for {label}. Dark mode. And keep the {name} on my {app} wishlist.",
        ),
        chinese=(
            "{food}购物车下单到{address}，{wallet}付，开{minutes}分钟倒计时叫{label}，打开深色模式，"
            "{name}加到{app}心愿单。",
            "看片之夜：深色模式，{food}购物车买单寄{address}用{wallet}，倒计时{label}{minutes}分钟，"
            "{app}心愿单加{name}。",
            "四件事：{food}购物车下单（{address}，{wallet}），倒计时{minutes}分钟{label}，深色模式，"
            "{app}心愿单放{name}。",
            "我先坐下了，{food}购物车里的买了，{wallet}付，送{address}；给{label}倒计时{minutes}分钟；开深色模式；"
            "{name}存到{app}心愿单。",
        ),
        slots={"food": SEEN_FOOD, "minutes": minutes, "label": label, "name": name, "app": app, **where},
        plan=course(
            [
                do("place_order", appName=SEEN_FOOD, addressName=where["address"], paymentMethod=where["wallet"]),
                do("manage_countdown", action="start", minutes=minutes, label=label),
                do("manage_dark_mode", action="enable"),
                do("manage_wishlist", action="add", appName=app, productName=name),
            ],
            reply=done(rng.say("All done, enjoy the evening.", "都办好了，晚上愉快。")),
        ),
        patch=calm(
            world,
            shop_offers=[*rows, offer(app, name, cents)],
            payment_accounts=purse(world),
            settings=settings(dark_mode="off"),
        ),
    )


FAMILIES = (shop_food, shop_refund, shop_unseen_apps, shop_evening)
