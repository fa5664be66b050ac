"""Travel & Lifestyle, the small things of a day: cards, wallets and health."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, do, done, family
from qpa.bench.families.mobile.common import answered, branch, course, online, reading, spoken_day
from qpa.bench.families.mobile.errands import (
    Errand,
    Prepared,
    amounts,
    clock_words,
    default_wallet,
    holding,
    one_errand,
    other_wallets,
    price,
)
from qpa.bench.families.mobile.travel import TOOL, TRAVEL, ahead
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.domains.travel_health import FOODS
from qpa.envs.sandbox.schema import World

CARDS = ("City Metro Card", "City Bus Card")
FILMS = ("The Paper Moon", "Harbor of Glass", "A Quiet Summer", "Seven Lanterns", "Northern Lights", "The Last Tram",
         "Velvet Hour", "Cloud Atlas Road", "Little Giants", "The Tin Whistle")  # fmt: skip
UNLOCKED = {"settings": online(screen_lock="unlocked", payment_code="", payment_code_type="")}


def _top_up(rng: Draw, world: World) -> Prepared:
    return Prepared(
        {"action": "top_up", "cardName": rng.choice(CARDS), "amount": 10 * rng.randint(2, 30)},
        {"settings": online(), "payment_accounts": holding(default_wallet(world), 200_000)},
    )


def _default_card(rng: Draw, world: World) -> Prepared:
    card, other = rng.sample(CARDS, 2)
    rows = [{"name": card, "is_default": 0}, {"name": other, "is_default": 1}]
    return Prepared({"action": "set_default", "cardName": card}, {"payment_accounts": rows}, {"other": other})


def _default_wallet(rng: Draw, world: World) -> Prepared:
    wallet = rng.choice(other_wallets(world))
    return Prepared({"action": "set_default", "walletApp": wallet}, words={"other": default_wallet(world)})


def _pay_code(rng: Draw, world: World) -> Prepared:
    wallet = rng.choice([*other_wallets(world), default_wallet(world)])
    return Prepared({"action": "show", "walletApp": wallet, "codeType": "pay"}, UNLOCKED)


def _receive_code(rng: Draw, world: World) -> Prepared:
    wallet = rng.choice([*other_wallets(world), default_wallet(world)])
    return Prepared({"action": "show", "walletApp": wallet, "codeType": "receive"}, UNLOCKED)


def _water(rng: Draw, world: World) -> Prepared:
    return Prepared({"action": "add", "dataType": "water", "value": 10 * rng.randint(12, 95), "unit": "milliliters"})


def _weight(rng: Draw, world: World) -> Prepared:
    return Prepared({"action": "add", "dataType": "weight", "value": rng.randint(480, 990) / 10, "unit": "kilograms"})


def _sleep(rng: Draw, world: World) -> Prepared:
    return Prepared({"action": "add", "dataType": "sleep", "value": rng.randint(8, 18) / 2, "unit": "hours"})


def _calories(rng: Draw, world: World) -> Prepared:
    return Prepared({"action": "add", "dataType": "calories", "value": 10 * rng.randint(15, 120)})


DAILY = (
    Errand(
        "manage_transit_card",
        (
            "Top up my {cardName} with {amount} yuan.",
            "Put {amount} yuan on the {cardName}.",
            "Charge the {cardName} by {amount} yuan, please.",
            "The gate beeped at me this morning. Load another {amount} yuan onto the {cardName}.",
        ),
        (
            "给{cardName}充{amount}块。",
            "{cardName}充值{amount}元。",
            "往{cardName}里充{amount}块钱。",
            "早上过闸机提示余额不足，{cardName}再充{amount}元吧。",
        ),
        _top_up,
        ("Topped up the {cardName} by {amount}.", "{cardName}已充值{amount}元。"),
    ),
    Errand(
        "manage_transit_card",
        (
            "Use the {cardName} as my default transit card.",
            "Make {cardName} the default instead of {other}.",
            "From now on the {cardName} should be charged when I tap, not the {other}.",
        ),
        ("把默认交通卡设成{cardName}。", "默认卡从{other}换成{cardName}。", "以后刷卡默认用{cardName}，别用{other}。"),
        _default_card,
        ("{cardName} is the default now.", "默认交通卡已设为{cardName}。"),
    ),
    Errand(
        "manage_wallets",
        (
            "Set {walletApp} as my default wallet.",
            "Make {walletApp} the default for paying instead of {other}.",
            "I want to pay with {walletApp} unless I say otherwise, no longer with {other}.",
        ),
        (
            "默认钱包设为{walletApp}。",
            "默认付款方式从{other}改成{walletApp}。",
            "以后没特别说就用{walletApp}付，不用{other}了。",
        ),
        _default_wallet,
        ("{walletApp} is the default wallet now.", "默认钱包已设为{walletApp}。"),
    ),
    Errand(
        "manage_payment_code",
        (
            "Show my {walletApp} code, I want to pay.",
            "Bring up the payment code of {walletApp}.",
            "I'm at the till: {walletApp} pay code, quick!",
        ),
        ("打开{walletApp}付款码。", "我要付钱，亮出{walletApp}的付款码。", "在收银台了，快把{walletApp}付款码调出来！"),
        _pay_code,
        ("Here is the {walletApp} payment code.", "{walletApp}付款码已打开。"),
    ),
    Errand(
        "manage_payment_code",
        (
            "Show my {walletApp} code so that a friend can send me money.",
            "Open the receiving code of {walletApp}.",
            "She owes me for lunch and wants to scan something. Put up my {walletApp} code for receiving.",
        ),
        (
            "打开{walletApp}收款码。",
            "朋友要转钱给我，亮一下{walletApp}的收款码。",
            "她要还我饭钱，把{walletApp}收款码给她扫。",
        ),
        _receive_code,
        ("Here is the {walletApp} receiving code.", "{walletApp}收款码已打开。"),
    ),
    Errand(
        "manage_health_log",
        (
            "I just drank {value} ml of water, log it.",
            "Add {value} milliliters of water to my health log.",
            "Water: {value} ml, note that down in health.",
            "One bottle emptied, {value} ml of water. Goes into the health records, please.",
        ),
        (
            "刚喝了{value}毫升水，记一下。",
            "健康记录里加{value}毫升水。",
            "喝水{value}毫升，记上。",
            "一瓶水喝完了，{value}毫升，记到健康里。",
        ),
        _water,
        ("Logged {value} ml of water.", "已记录喝水{value}毫升。"),
    ),
    Errand(
        "manage_health_log",
        (
            "I weigh {value} kilos today, log it.",
            "Log my weight: {value} kg.",
            "The scale says {value} kg, put it in my health log.",
            "Don't laugh, {value} kilograms. Keep that as today's weight.",
        ),
        (
            "今天体重{value}公斤，记下来。",
            "记录体重{value}公斤。",
            "秤上显示{value}公斤，记到健康里。",
            "别笑，{value}公斤，记成今天的体重。",
        ),
        _weight,
        ("Logged {value} kg.", "已记录体重{value}公斤。"),
    ),
    Errand(
        "manage_health_log",
        (
            "I slept {value} hours, please log that.",
            "Add {value} hours of sleep to my health records.",
            "Forgot the watch last night. Enter {value} hours of sleep for me.",
        ),
        ("我睡了{value}小时，记一下。", "健康记录添加睡眠{value}小时。", "昨晚忘戴手表了，帮我补记{value}小时睡眠。"),
        _sleep,
        ("Logged {value} hours of sleep.", "已记录睡眠{value}小时。"),
    ),
    Errand(
        "manage_health_log",
        (
            "Log {value} kilocalories for what I just ate.",
            "Add {value} kcal to my health log.",
            "Lunch was {value} kcal according to the menu, write that into my calories.",
        ),
        (
            "刚吃的东西有{value}千卡，记一下。",
            "健康记录加{value}大卡热量。",
            "菜单上说午饭{value}大卡，记到摄入热量里。",
        ),
        _calories,
        ("Logged {value} kcal.", "已记录{value}千卡。"),
    ),
)


@family("travel_daily_set", TOOL, TRAVEL, "grounding", variants=len(DAILY))
def travel_daily_set(rng: Draw, world: World) -> Draft:
    """One call on a card, a wallet or the health log."""
    return one_errand(rng, world, DAILY)


# --- questions ------------------------------------------------------------------------------------------------------


def _wallet_balance(rng: Draw, world: World) -> Draft:
    wallet, cents = rng.choice([*other_wallets(world), default_wallet(world)]), rng.randrange(2_000, 90_000, 10)
    return Draft(
        phrasings=(
            "How much money is left in {wallet}?",
            "What's my {wallet} balance?",
            "Balance of {wallet}, please.",
            "Before I invite everybody: what exactly have I got in {wallet}?",
        ),
        chinese=(
            "{wallet}里还有多少钱？",
            "{wallet}余额多少？",
            "查一下{wallet}余额。",
            "请客之前先看看，{wallet}里到底有多少钱？",
        ),
        slots={"wallet": wallet},
        plan=course(
            [do("manage_wallets", action="query", walletApp=wallet)],
            reply=done(rng.say(f"{wallet} holds {price(cents)}.", f"{wallet}余额{price(cents)}元。")),
        ),
        criteria=answered(amounts(cents), reads=("manage_wallets",)),
        patch={"payment_accounts": holding(wallet, cents)},
    )


def _card_balance(rng: Draw, world: World) -> Draft:
    card, cents = rng.choice(CARDS), rng.randrange(150, 9_000, 10)
    return Draft(
        phrasings=(
            "How much is left on the {card}?",
            "What is the balance of my {card}?",
            "{card}: how much credit do I have?",
            "Will the {card} do for today? Just tell me its balance.",
        ),
        chinese=(
            "{card}还剩多少钱？",
            "我的{card}余额是多少？",
            "查下{card}余额。",
            "{card}今天够坐车吗？告诉我余额就行。",
        ),
        slots={"card": card},
        plan=course(
            [do("manage_transit_card", action="query", cardName=card)],
            reply=done(rng.say(f"{price(cents)} is left.", f"还剩{price(cents)}元。")),
        ),
        criteria=answered(amounts(cents), reads=("manage_transit_card",)),
        patch={"payment_accounts": holding(card, cents)},
    )


def film_booking(rng: Draw, number: int, title: str, day: str, time: str, wallet: str) -> dict[str, Any]:
    """A patched booking of a film of two hours."""
    return {
        "id": f"booking_{number}",
        "kind": "movie",
        "code": f"MV{number}",
        "title": title,
        "departs": f"{day}T{time}:00",
        "arrives": f"{day}T{int(time[:2]) + 2:02d}{time[2:]}:00",
        "quantity": rng.randint(1, 4),
        "total_cents": 100 * rng.randint(39, 160),
        "paid_with": wallet,
    }


def _booked_film(rng: Draw, world: World) -> Draft:
    title, time, day = rng.pick(FILMS), rng.time(13, 20), ahead(rng.randint(1, 6))
    row = film_booking(rng, 701, title, day, time, default_wallet(world))
    return Draft(
        phrasings=(
            "I booked {title}. At what time does it start?",
            "When does the film {title} begin that I have tickets for?",
            "Start time of my {title} booking?",
            "We've got tickets for {title}, and my friend asks when we have to be in our seats.",
        ),
        chinese=(
            "我订的{title}几点开场？",
            "我买了票的电影{title}什么时候开始？",
            "查下我订的{title}的开场时间。",
            "我们订了{title}，朋友问几点要坐好？",
        ),
        slots={"title": title},
        plan=course(
            [do("query_bookings", kind="movie")],
            reply=done(rng.say(f"{title} starts at {time}.", f"{title}将在{time}开场。")),
        ),
        criteria=answered(clock_words(time), reads=("query_bookings",)),
        patch={"bookings": [row]},
    )


def _health_record(rng: Draw, world: World) -> Draft:
    """A day without seeded records."""
    day = ahead(-rng.randint(5, 9))
    kind, value, source, english, chinese, unit = rng.choice(
        (
            ("steps", 50 * rng.randint(41, 290) + 1, "HealthKit", "How many steps did I take", "我走了多少步", "步"),
            ("heart_rate", rng.randint(55, 95), "Fit Watch", "What was my heart rate", "我的心率是多少", "次"),
            ("sleep", rng.randint(11, 17) / 2, "Fit Watch", "How many hours did I sleep", "我睡了几个小时", "小时"),
        )
    )
    row = {
        "id": "hd_patched_701",
        "data_type": kind,
        "value": float(value),
        "source_app": source,
        "at": f"{day}T08:00:00",
    }
    said = f"{value:,}" if value > 999 else f"{value:g}"
    return Draft(
        phrasings=(
            "{question} on {day}?",
            "Look into my health data: {question} on {day}?",
            "My doctor asks about {day}. {question} that day?",
            "I keep a diary and {day} is still empty. {question} then?",
        ),
        chinese=(
            "{day}{question}？",
            "看一下健康数据，{day}{question}？",
            "医生问{day}的情况，那天{question}？",
            "日记里{day}还空着，{question}？",
        ),
        slots={"day": spoken_day(rng, day), "question": rng.say(english, chinese)},
        plan=course(
            [do("query_health_data", dataType=kind, date=day)],
            reply=done(rng.say(f"It was {said}.", f"是{said}{unit}。")),
        ),
        criteria=answered(list(dict.fromkeys((said, f"{value:g}", str(value)))), reads=("query_health_data",)),
        patch={"health_records": [row]},
    )


def _food(rng: Draw, world: World) -> Draft:
    food = rng.choice(sorted(FOODS))
    grams = 10 * rng.randint(6, 45)
    energy = round(grams * FOODS[food][0] / 100)
    return Draft(
        phrasings=(
            "How many kilocalories do {grams} grams of {food} have?",
            "Calories in {grams} g of {food}?",
            "I'm about to eat {grams} grams of {food}. What does that make in kcal?",
            "Be honest: {grams} grams of {food}, how many calories?",
        ),
        chinese=(
            "{grams}克{food}有多少千卡？",
            "{grams}克{food}热量多少？",
            "我要吃{grams}克{food}，一共多少大卡？",
            "说实话，{grams}克{food}到底多少卡路里？",
        ),
        slots={"food": food, "grams": grams},
        plan=reading(
            do("identify_food_calories", foodName=food, grams=grams),
            lambda data: rng.say(f"About {data['kilocalories']} kcal.", f"大约{data['kilocalories']}千卡。"),
        ),
        criteria=answered([str(energy), f"{energy:,}"], reads=("identify_food_calories",)),
    )


_QUESTIONS = (_wallet_balance, _card_balance, _booked_film, _health_record, _food)


@family("travel_daily_facts", TOOL, TRAVEL, "grounding", variants=len(_QUESTIONS))
def travel_daily_facts(rng: Draw, world: World) -> Draft:
    """A question about money, bookings, health or food."""
    return branch(rng, world, _QUESTIONS)


FAMILIES = (travel_daily_set, travel_daily_facts)
