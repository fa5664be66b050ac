"""Memory: errands, by the way and with the means that the saved records give; judged by state."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import online
from qpa.bench.families.mobile.memory_common import (
    ASSISTANT,
    MEMORY,
    Words,
    acquaintances,
    look_up,
    met,
    place_rows,
    told,
)
from qpa.bench.families.mobile.memory_profile import Fact, book, conflicting, draw_life
from qpa.bench.families.mobile.memory_topics import INFO
from qpa.bench.families.values import PLACES, Draw
from qpa.envs.sandbox.schema import World

ERRANDS = (
    ("dentist", "牙医"),
    ("tailor", "裁缝店"),
    ("optician", "眼镜店"),
    ("notary", "公证处"),
    ("car workshop", "修车厂"),
    ("tax adviser", "税务师"),
)


WAYS = (("walk", "on foot", "走路"), ("cycle", "by bike", "骑车"), ("drive", "by car", "开车"))


_IDLE = {"location": "on", "nav_destination": "", "nav_mode": "", "nav_waypoints": "", "nav_avoid_tolls": "off"}


FOOD_APP = "Ele.me"


_DISHES = (("Beef Noodles", 2900), ("Pork Dumplings", 2600), ("Margherita Pizza", 4800), ("Caesar Salad", 3500))


_NAVIGATE = Words(
    english=(
        "Take me to my {errand}, the way I usually go.",
        "Start navigation to the {errand} I go to now; usual means of transport.",
        "I have to be at my {errand} soon, guide me there like always.",
        "{errand} please. You know where it is and how I get there.",
        "Running late for the {errand}! Navigate me there the way I normally travel.",
    ),
    chinese=(
        "导航去我的{errand}，还是平时那种方式。",
        "带我去我现在去的那家{errand}，怎么去照旧。",
        "我得去趟{errand}，像往常一样给我导航。",
        "去{errand}，地方和方式你都知道。",
        "{errand}那边要迟到了，快按我平时的走法导航过去。",
    ),
)


@family("memory_navigate", MEMORY, ASSISTANT, "conflicting_records", "act", "single_turn")
def memory_navigate(rng: Draw, world: World) -> Draft:
    """The place and the way there changed; the partner goes elsewhere."""
    life, say = draw_life(rng, world), rng.say
    errand, (old, new, theirs) = say(*rng.choice(ERRANDS)), rng.several(PLACES, 3)
    (_, old_en, old_zh), (mode, way_en, way_zh) = rng.sample(WAYS, 2)
    partner = life.named("partner")
    stale, fresh = conflicting(
        rng,
        (errand.capitalize(), say(f"The {errand} is at {old}, goes there {old_en}.", f"{errand}在{old}，{old_zh}去。")),
        (
            say(f"{errand.capitalize()} changed", f"换了{errand}"),
            say(f"The {errand} is at {new} now, goes there {way_en}.", f"{errand}现在在{new}，{way_zh}去。"),
        ),
    )
    near = (
        Fact(
            say(f"{partner}'s {errand}", f"{partner}的{errand}"),
            say(f"{partner} goes to another {errand}, at {theirs}.", f"{partner}去的是另一家{errand}，在{theirs}。"),
        ),
    )
    found = book(rng, life, (stale, fresh), near)

    def plan() -> Plan:
        feedback = yield [look_up(errand)]
        met(feedback[0], *found.ids)
        yield [do("control_navigation", action="start", destination=new, mode=mode)]
        return done(say(f"On the way to {new}, {way_en}.", f"开始导航去{new}，{way_zh}。"))

    return Draft(
        phrasings=_NAVIGATE.english,
        chinese=_NAVIGATE.chinese,
        slots={"errand": errand},
        plan=plan,
        patch={
            "memories": found.rows,
            "places": place_rows(old, new, theirs),
            "settings": online(**_IDLE),
        },
        memories=found.ids,
    )


_MEALS = (("lunch", "午饭"), ("dinner", "晚饭"), ("late snack", "夜宵"))


def _wallets(world: World) -> list[str]:
    return [row["name"] for row in world.rows["payment_accounts"] if row["kind"] == "wallet"]


def _order_fact(rng: Draw, meal: str, dish: str, address: str) -> Fact:
    return Fact(
        rng.say(f"Usual {meal} order", f"常点的{meal}"),
        rng.say(
            f"For {meal} orders one {dish} on {FOOD_APP}, delivered to {address}.",
            f"{meal}在{FOOD_APP}点一份{dish}，送到{address}。",
        ),
    )


def _shop(world: World) -> dict[str, list[dict[str, object]]]:
    """Every dish in stock, an empty cart, no coupon in use, and money in every wallet."""
    offers = [{**row, "in_cart": 0} for row in world.rows["shop_offers"] if row["app"] == FOOD_APP]
    dishes = [
        {"app": FOOD_APP, "name": name, "category": "food", "price_cents": price, "stock": 20, "in_cart": 0}
        for name, price in _DISHES
    ]
    coupons = [row for row in world.rows["coupons"] if row["app"] == FOOD_APP and row["status"] == "applied"]
    return {
        "shop_offers": [*offers, *dishes],
        "payment_accounts": [{"name": name, "kind": "wallet", "balance_cents": 300_000} for name in _wallets(world)],
        "coupons": [{**row, "status": "available"} for row in coupons],
        "settings": list(online()),
    }


_USUAL_ORDER = Words(
    english=(
        f"Order my usual {{meal}} on {FOOD_APP} and pay as I always pay for food. Go ahead, no need to check back.",
        f"I'm starving: my {{meal}} from {FOOD_APP} as always, same address, same payment. Just order it.",
        f"{FOOD_APP}, usual {{meal}}, usual payment, order now.",
        f"Please place my standard {{meal}} order with {FOOD_APP} and pay it like other food orders, I confirm it.",
        f"No time to cook. Get me what I always have for {{meal}} from {FOOD_APP}; pay as usual, it's fine by me.",
    ),
    chinese=(
        f"在{FOOD_APP}点我平时的{{meal}}，付款也照点外卖的老样子，直接下单，不用再问。",
        f"饿死了，{FOOD_APP}老样子来份{{meal}}，地址付款都照旧，下单吧。",
        f"{FOOD_APP}，常点的{{meal}}，老办法付款，现在下单。",
        f"帮我用{FOOD_APP}下单一份我一贯的{{meal}}，付款和平时点餐一样，我确认了。",
        f"没空做饭，{FOOD_APP}上我每次{{meal}}点的那个来一份，钱照常付，不用确认。",
    ),
)


@family("memory_usual_order", MEMORY, ASSISTANT, "multi_record", "act", "single_turn")
def memory_usual_order(rng: Draw, world: World) -> Draft:
    """The dish and where it goes from one record, the wallet from another."""
    life, say = draw_life(rng, world), rng.say
    meal, other_meal = (say(*pair) for pair in rng.sample(_MEALS, 2))
    (dish, _), (other_dish, _), (their_dish, _) = rng.sample(_DISHES, 3)
    address, other_address = rng.sample([row["name"] for row in world.rows["addresses"]], 2)
    wallet, other_wallet = rng.sample(_wallets(world), 2)
    partner = life.named("partner")
    gold = (
        _order_fact(rng, meal, dish, address),
        Fact(
            say("Paying for food", "点餐付款"), say(f"Pays for food orders with {wallet}.", f"点外卖用{wallet}付款。")
        ),
    )
    near = (
        _order_fact(rng, other_meal, other_dish, other_address),
        Fact(
            say(f"{partner}'s {meal}", f"{partner}的{meal}"),
            say(f"{partner} takes {their_dish} for {meal}.", f"{partner}{meal}点{their_dish}。"),
        ),
        Fact(
            say("Paying for clothes", "买衣服付款"),
            say(f"Pays for clothes with {other_wallet}.", f"买衣服用{other_wallet}付款。"),
        ),
    )
    found = book(rng, life, gold, near)

    def plan() -> Plan:
        feedback = yield [look_up(say(f"usual {meal} order, pays for food with", f"常点的{meal} 外卖付款"))]
        met(feedback[0], *found.ids)
        yield [do("manage_cart", action="add", appName=FOOD_APP, productName=dish, quantity=1)]
        yield [do("place_order", appName=FOOD_APP, addressName=address, paymentMethod=wallet)]
        return done(
            say(f"Ordered {dish} to {address}, paid with {wallet}.", f"{dish}点好了，送到{address}，{wallet}付款。")
        )

    return Draft(
        phrasings=_USUAL_ORDER.english,
        chinese=_USUAL_ORDER.chinese,
        slots={"meal": meal},
        plan=plan,
        patch={
            "memories": found.rows,
            **_shop(world),
        },
        memories=found.ids,
    )


_TURN_NAVIGATE = Words(
    english=(
        "Start now. Navigate to where {name} and I meet, the way I said.",
        "I'm leaving, guide me to our usual meeting place, as discussed.",
        "Off I go: directions to where I meet {name}, please.",
        "Ready. You know where {name} will be waiting, take me there and mind how I travel today.",
    ),
    chinese=(
        "现在出发，导航到我和{name}见面的地方，方式刚才说了。",
        "我走了，照说好的方式带我去我们碰头的老地方。",
        "出发，导航去我跟{name}见面那儿。",
        "准备好了，{name}在哪儿等我你知道，导航过去，注意我今天怎么去。",
    ),
)


@family("memory_turn_navigate", MEMORY, ASSISTANT, "conflicting_records", "act", "multi_turn")
def memory_turn_navigate(rng: Draw, world: World) -> Draft:
    """The way of travel was settled in the dialogue; the meeting place changed in memory."""
    life, say = draw_life(rng, world), rng.say
    name = acquaintances(rng, life, 1)[0]
    old, new = rng.several(PLACES, 2)
    stale, fresh = conflicting(
        rng,
        (
            say(f"Meeting place with {name}", f"和{name}见面的地方"),
            say(f"Always meets {name} at {old}.", f"和{name}总在{old}见面。"),
        ),
        (
            say(f"New meeting place with {name}", f"和{name}见面换地方"),
            say(f"Meets {name} at {new} instead by now.", f"现在和{name}改在{new}见面了。"),
        ),
        INFO,
    )
    found = book(rng, life, (stale, fresh), without=("meets",))
    mode, english, chinese = rng.choice((("walk", "walk", "走路"), ("cycle", "cycle", "骑车")))
    history = told(
        rng,
        2,
        (
            f"I'm seeing {name} this afternoon.",
            "Nice. Will you drive?",
            f"No, the car is in the garage. I'll {english}.",
            "Good.",
        ),
        (f"我下午要见{name}。", "好啊，开车去吗？", f"不开，车在修，我{chinese}去。", "不错。"),
    )

    def plan() -> Plan:
        feedback = yield [look_up(say(f"meeting place with {name}", f"和{name}见面的地方"))]
        met(feedback[0], *found.ids)
        yield [do("control_navigation", action="start", destination=new, mode=mode)]
        return done(say(f"Guiding you to {new}.", f"开始导航到{new}。"))

    return Draft(
        phrasings=_TURN_NAVIGATE.english,
        chinese=_TURN_NAVIGATE.chinese,
        slots={"name": name},
        plan=plan,
        patch={
            "memories": found.rows,
            "places": place_rows(old, new),
            "settings": online(**_IDLE),
        },
        history=history,
        memories=found.ids,
    )


FAMILIES = (memory_navigate, memory_usual_order, memory_turn_navigate)
