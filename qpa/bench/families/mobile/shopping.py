"""Shopping: one-call errands and questions, and the prepared shops that all shopping families use.

Families that training sees compare and name Amazon and JD only, and Ele.me for food: see `qpa.bench.unseen`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from qpa.bench.families.base import Draft, family
from qpa.bench.families.mobile.common import Rows, online
from qpa.bench.families.mobile.errands import Errand, Prepared, one_errand
from qpa.bench.families.values import NAMES, Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import WORLD_CLOCK, World

TOOL = Dimension.TOOL
SHOPPING = "Shopping"
SEEN_SHOPS = ("Amazon", "JD")
SEEN_FOOD = "Ele.me"
ADDRESSES = ("Home", "Office", "Parents")
Row = dict[str, Any]

_PRODUCTS = (  # name|category|the same in Chinese|usual price in yuan; no seeded world sells them
    "Bosch Cordless Drill|drill|电钻|459",
    "Dyson V8 Vacuum|vacuum cleaner|吸尘器|1999",
    "Instant Pot Duo|pressure cooker|高压锅|699",
    "Bialetti Moka Pot|espresso maker|咖啡机|169",
    "Osprey Daylite Pack|backpack|背包|599",
    "Casio F-91W|watch|手表|129",
    "Fujifilm Instax Mini 12|camera|相机|629",
    "Yamaha P-45 Piano|piano|电钢琴|2899",
    "Lodge Cast Iron Pan|pan|平底锅|239",
    "Zojirushi Rice Cooker|rice cooker|电饭煲|1199",
    "Thermos Food Jar|lunch box|饭盒|149",
    "Decathlon Camping Tent|tent|帐篷|399",
    "Petzl Headlamp|headlamp|头灯|189",
    "Oral-B iO Brush|toothbrush|牙刷|499",
    "Muji Aroma Diffuser|diffuser|香薰机|349",
    "Catan Board Game|board game|桌游|269",
    "Rubik Speed Cube|puzzle|魔方|59",
    "Wilson Tennis Racket|racket|球拍|729",
    "Manduka Yoga Mat|yoga mat|瑜伽垫|458",
    "Brita Water Filter|filter|滤水壶|139",
    "Victorinox Pocket Knife|knife|小刀|219",
    "Lamy Safari Pen|pen|钢笔|109",
    "Moleskine Planner|planner|手账|129",
    "Timberland Boots|boots|靴子|1390",
    "Nordic Wool Blanket|blanket|毛毯|329",
    "Sennheiser Momentum Buds|buds|耳机|1299",
    "JBL Flip Speaker|speaker|音箱|699",
    "Samsung T7 Drive|drive|移动硬盘|749",
    "Chemex Glass Carafe|carafe|咖啡壶|289",
    "Hario Hand Grinder|grinder|磨豆机|259",
    "Salomon Trail Vest|vest|越野背心|889",
    "Braun Series 7 Shaver|shaver|剃须刀|1099",
    "Weber Charcoal Grill|grill|烤炉|1599",
    "Kettler Kids Scooter|scooter|滑板车|379",
    "Opinel Garden Saw|saw|锯子|199",
)
# What a bad, a middling and a good review says.
REVIEWS = (
    (
        ("Broke after a week", "用了一周就坏了"),
        ("Not as pictured", "和图片不一样"),
        ("Smells of plastic", "塑料味很重"),
    ),
    (
        ("Does its job", "够用"),
        ("Fine for the price", "这个价位还行"),
        ("Slow delivery, decent product", "物流慢，东西还行"),
    ),
    (
        ("Exactly what I needed", "正是我要的"),
        ("Well made", "做工很好"),
        ("Would buy it again", "会回购"),
        ("My kids love it", "孩子很喜欢"),
    ),
)


def product(rng: Draw) -> tuple[str, str, int]:
    """(name, category, usual price in cents)."""
    name, category, chinese, yuan = rng.pick(_PRODUCTS).split("|")
    return name, rng.say(category, chinese), 100 * int(yuan)


def products(rng: Draw, count: int) -> list[tuple[str, int]]:
    """(name, usual price in cents) of distinct products."""
    return [(text.split("|")[0], 100 * int(text.split("|")[-1])) for text in rng.several(_PRODUCTS, count)]


def offer(app: str, name: str, cents: int, **more: Any) -> Row:
    """A patched offer: in stock, without a shipping fee, and known to the shopper only by what `more` says."""
    usual = {"category": "gear", "seller": "Official Store", "stock": 20, "rating": 4.5, "delivery_days": 3}
    return {"app": app, "name": name, "price_cents": cents, **usual, **more}


def order(number: int, app: str, name: str, cents: int, **more: Any) -> Row:
    """A patched order of one piece, placed today and not shipped."""
    usual = {"address": "Home", "status": "placed", "placed_on": day(0), "deliver_on": day(3)}
    row = {"id": f"order_{number}", "app": app, "items": f'{{"{name}": 1}}', "total_cents": cents}
    return {**row, **usual, **more}


def day(offset: int) -> str:
    """The date that many days after the task's clock."""
    return (WORLD_CLOCK.date() + timedelta(days=offset)).isoformat()


def calm(world: World, **tables: list[Row]) -> Rows:
    """A phone online with empty carts and wishlists and no coupons, orders only at the shops that training sees.

    `tables` are the rows that a task adds.
    """
    left = [r for r in world.rows["shop_offers"] if r["in_cart"] or r["wished"]]
    moved = [r for r in world.rows["shop_orders"] if r["app"] not in SEEN_SHOPS]
    base: Rows = {
        "settings": online(),
        "shop_offers": [{"app": r["app"], "name": r["name"], "in_cart": 0, "wished": 0} for r in left],
        "coupons": [{"app": r["app"], "code": r["code"], "status": "used"} for r in world.rows["coupons"]],
        "shop_orders": [{"id": r["id"], "app": SEEN_SHOPS[i % 2]} for i, r in enumerate(moved)],
    }
    for name, rows in tables.items():
        base[name] = [*base.get(name, []), *rows]
    return base


# --- errands --------------------------------------------------------------------------------------------------------


def _shop(rng: Draw, world: World, **more: Any) -> tuple[dict[str, str], Rows]:
    """The arguments that name an offer, and the phone that has it."""
    name, category, cents = product(rng)
    app = rng.choice(SEEN_SHOPS)
    row = offer(app, name, cents + 100 * rng.randint(-9, 20), category=category, **more)
    return {"appName": app, "productName": name}, calm(world, shop_offers=[row])


def _wish(rng: Draw, world: World) -> Prepared:
    named, patch = _shop(rng, world)
    return Prepared({"action": "add", **named}, patch)


def _unwish(rng: Draw, world: World) -> Prepared:
    named, patch = _shop(rng, world, wished=1)
    return Prepared({"action": "remove", **named}, patch)


def _carry(rng: Draw, world: World) -> Prepared:
    named, patch = _shop(rng, world)
    return Prepared({"action": "add", **named, "quantity": rng.randint(2, 9)}, patch)


def _put_back(rng: Draw, world: World) -> Prepared:
    named, patch = _shop(rng, world, in_cart=rng.randint(1, 3))
    return Prepared({"action": "remove", **named}, patch)


def _coupon(rng: Draw, world: World) -> Prepared:
    named, patch = _shop(rng, world, in_cart=2)
    code = f"{rng.choice(('TAKE', 'LESS', 'JAN', 'LUCKY', 'GIFT'))}{rng.randint(5, 49)}"
    patch["coupons"].append({"app": named["appName"], "code": code, "off_cents": 1500, "expires": day(9)})
    return Prepared({"appName": named["appName"], "code": code}, patch)


def _review(rng: Draw, world: World) -> Prepared:
    named, patch = _shop(rng, world)
    past = {"status": "delivered", "placed_on": day(-12), "deliver_on": day(-8), "tracking": "DHL 70117011"}
    patch["shop_orders"].append(order(701, named["appName"], named["productName"], 9900, **past))
    rating = rng.randint(1, 5)
    kind = 0 if rating <= 2 else 1 if rating == 3 else 2
    return Prepared({**named, "rating": rating, "text": rng.say(*rng.choice(REVIEWS[kind]))}, patch)


_ROADS = ("Maple Road", "Fountain Square", "Cherry Lane", "Bridge Street", "Station Road", "Hill Street", "Vine Alley")
_ROADS_ZH = ("枫林路", "喷泉广场", "樱桃巷", "大桥路", "站前路", "山坡街", "葡萄弄")


def _address(rng: Draw, world: World) -> Prepared:
    name = rng.say("Gym|Dorm|Cabin|Workshop|Studio|Allotment", "健身房|宿舍|小木屋|工坊|工作室|菜园").split("|")
    place = rng.say(f"{rng.randint(2, 99)} {rng.pick(_ROADS)}", f"{rng.pick(_ROADS_ZH)}{rng.randint(2, 99)}号")
    person = {"recipient": rng.pick(NAMES), "phoneNumber": rng.phone().replace("-", "")}
    return Prepared({"action": "add", "addressName": rng.choice(name), **person, "address": place})


def _new_number(rng: Draw, world: World) -> Prepared:
    number = rng.phone().replace("-", "")
    return Prepared({"action": "update", "addressName": rng.choice(ADDRESSES), "phoneNumber": number})


ERRANDS = (
    Errand(
        "manage_wishlist",
        (
            "Put the {productName} on my {appName} wishlist.",
            "I'd love to have the {productName} one day, remember it on the {appName} wishlist.",
            "{appName} wishlist: add {productName}.",
            "Birthday's coming. The {productName} should be on my wishlist at {appName}.",
        ),
        (
            "把{productName}加到{appName}的心愿单。",
            "{appName}心愿单添加{productName}。",
            "想要{productName}，先在{appName}里收藏到心愿单。",
            "快过生日了，{appName}心愿单上加个{productName}。",
        ),
        _wish,
        ("{productName} is on the wishlist.", "{productName}已加入心愿单。"),
    ),
    Errand(
        "manage_wishlist",
        (
            "Take the {productName} off my {appName} wishlist.",
            "I got the {productName} as a gift, so remove it from the wishlist at {appName}.",
            "{appName}: drop {productName} from the wishlist.",
        ),
        (
            "把{productName}从{appName}心愿单里删掉。",
            "{productName}已经有人送我了，{appName}心愿单里去掉吧。",
            "{appName}心愿单移除{productName}。",
        ),
        _unwish,
        ("{productName} is off the wishlist.", "{productName}已从心愿单移除。"),
    ),
    Errand(
        "manage_cart",
        (
            "Add {quantity} {productName} to my {appName} cart.",
            "{quantity} pieces of {productName} into the {appName} cart, please.",
            "Put {productName} in the cart at {appName}, quantity {quantity}. I'll pay later.",
            "The whole team wants a {productName}. {quantity} of them in the {appName} cart, don't order yet.",
        ),
        (
            "{appName}购物车加{quantity}件{productName}。",
            "往{appName}购物车里放{quantity}个{productName}。",
            "{productName}加入{appName}购物车，数量{quantity}，回头再付款。",
            "全组都想要{productName}，先在{appName}购物车里放{quantity}个，别下单。",
        ),
        _carry,
        ("{quantity} {productName} in the cart.", "{quantity}件{productName}已加入购物车。"),
    ),
    Errand(
        "manage_cart",
        (
            "Take the {productName} out of my {appName} cart.",
            "I don't need the {productName} any more, remove it from the {appName} cart.",
            "{appName} cart without {productName}, please.",
        ),
        (
            "把{productName}从{appName}购物车里拿掉。",
            "{productName}不要了，从{appName}购物车删掉。",
            "{appName}购物车里去掉{productName}。",
        ),
        _put_back,
        ("{productName} is out of the cart.", "{productName}已移出购物车。"),
    ),
    Errand(
        "apply_coupon",
        (
            "Use the coupon {code} for my {appName} cart.",
            "Apply {code} at {appName}.",
            "I have a voucher for {appName}, code {code}. Put it on the cart.",
        ),
        (
            "{appName}购物车用优惠券{code}。",
            "在{appName}使用优惠码{code}。",
            "我有张{appName}的券，码是{code}，用到购物车上。",
        ),
        _coupon,
        ("Coupon {code} is applied.", "优惠券{code}已使用到购物车。"),
    ),
    Errand(
        "write_review",
        (
            'Review the {productName} on {appName}: {rating} out of 5, text "{text}".',
            'Rate {productName} {rating} out of 5 at {appName} and write "{text}".',
            'Post a review on {appName} for the {productName}, {rating} of 5 stars, saying "{text}".',
        ),
        (
            "在{appName}评价{productName}，{rating}星，内容写“{text}”。",
            "给{appName}买的{productName}打{rating}星，评论“{text}”。",
            "{appName}上{productName}的评价：{rating}颗星，文字是“{text}”。",
        ),
        _review,
        ("Your review of {productName} is out.", "{productName}的评价已发布。"),
    ),
    Errand(
        "manage_addresses",
        (
            "New delivery address {addressName}: {recipient}, {phoneNumber}, {address}.",
            "Save a shipping address called {addressName}; recipient {recipient}, phone {phoneNumber}, {address}.",
            "Parcels may also go to {address}. Save it as {addressName}, for {recipient}, phone number {phoneNumber}.",
        ),
        (
            "新增收货地址{addressName}：{recipient}，{phoneNumber}，{address}。",
            "保存一个收货地址，名称{addressName}，收件人{recipient}，电话{phoneNumber}，地址{address}。",
            "以后快递也可以寄到{address}，存成{addressName}，收件人{recipient}，手机{phoneNumber}。",
        ),
        _address,
        ("The address {addressName} is saved.", "地址{addressName}已保存。"),
    ),
    Errand(
        "manage_addresses",
        (
            "The phone number of my delivery address {addressName} is now {phoneNumber}.",
            "Change the phone in the shipping address {addressName} to {phoneNumber}.",
            "Couriers keep calling the wrong number. For the address {addressName} it should be {phoneNumber}.",
        ),
        (
            "收货地址{addressName}的电话改成{phoneNumber}。",
            "把{addressName}这个收货地址的手机号换成{phoneNumber}。",
            "快递老打错电话，地址{addressName}的号码应该是{phoneNumber}。",
        ),
        _new_number,
        ("The number for {addressName} is changed.", "{addressName}的电话已更新。"),
    ),
)


@family("shop_set", TOOL, SHOPPING, "grounding", variants=len(ERRANDS))
def shop_set(rng: Draw, world: World) -> Draft:
    """One call on a cart, a wishlist, a coupon, a review or an address."""
    return one_errand(rng, world, ERRANDS)


FAMILIES = (shop_set,)
