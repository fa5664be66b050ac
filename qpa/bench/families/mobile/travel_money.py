"""Travel & Lifestyle: cards, codes and the health log in context, and an evening out that training never combines."""

from __future__ import annotations

from qpa.bench.families.base import Draft, ask, do, done, family
from qpa.bench.families.mobile.common import (
    PERMISSION,
    answered,
    asked,
    branch,
    course,
    online,
    past_turn,
    settings,
    spoken_day,
    step,
    turn,
)
from qpa.bench.families.mobile.errands import amounts, default_wallet, holding, other_wallets, price
from qpa.bench.families.mobile.travel import MAP, TOOL, TRAVEL, ahead, spots
from qpa.bench.families.mobile.travel_daily import CARDS
from qpa.bench.families.values import TITLES, Draw
from qpa.envs.sandbox.schema import World

# --- what was just done ---------------------------------------------------------------------------------------------


def _same_water(rng: Draw, world: World) -> Draft:
    """The amount is in the history."""
    value = 10 * rng.randint(15, 90)
    call = {"action": "add", "dataType": "water", "value": value, "unit": "milliliters"}
    row_id = "hd_water_20250115_701"
    row = {
        "id": row_id,
        "data_type": "water",
        "value": float(value),
        "source_app": "Manual",
        "at": "2025-01-15T08:40:00",
    }
    return Draft(
        phrasings=(
            "The same amount of water again, log it.",
            "Had another one like that, add it too.",
            "One more of those, please note it.",
            "Still thirsty, so I drank just as much once more. Log it.",
        ),
        chinese=(
            "又喝了同样多的水，记上。",
            "刚又来了一杯一样的，也记一下。",
            "再记一次同样的量。",
            "还是渴，又喝了这么多，记下来。",
        ),
        plan=course(
            [do("manage_health_log", **call)],
            reply=done(rng.say(f"Logged {value} ml more.", f"又记了{value}毫升。")),
        ),
        history=past_turn(
            rng.say(f"I drank {value} ml of water, log it.", f"我喝了{value}毫升水，记一下。"),
            "manage_health_log",
            call,
            {"id": row_id, "value": value, "unit": "milliliters", "date": "2025-01-15"},
            rng.say(f"Logged {value} ml of water.", f"已记录喝水{value}毫升。"),
        ),
        patch={"health_records": [row]},
    )


def _other_card(rng: Draw, world: World) -> Draft:
    """The amount and the wallet are in the history, the card is "the other one"."""
    first, second = rng.sample(CARDS, 2)
    amount, wallet = 10 * rng.randint(2, 20), other_wallets(world)[0]
    call = {"action": "top_up", "cardName": first, "amount": amount, "paymentMethod": wallet}
    held = 100 * rng.randint(3, 40)
    balance = held / 100 + amount
    return Draft(
        phrasings=(
            "And the same for the other transit card.",
            "Now do that with my other card as well, same amount, same wallet.",
            "The other card gets just as much, paid the same way.",
            "Ah, and so that both are equal: the other card too, exactly like this one.",
        ),
        chinese=(
            "另一张交通卡也充一样的。",
            "另外那张卡也照样充，金额和钱包都一样。",
            "那张卡也充同样多，付款方式不变。",
            "对了，两张卡一碗水端平，另一张也照这样来。",
        ),
        plan=course(
            [do("manage_transit_card", **{**call, "cardName": second})],
            reply=done(rng.say(f"{second} got {amount} too.", f"{second}也充了{amount}元。")),
        ),
        history=past_turn(
            rng.say(
                f"Top up the {first} with {amount} yuan, pay with {wallet}.",
                f"给{first}充{amount}元，用{wallet}付。",
            ),
            "manage_transit_card",
            call,
            {"card": first, "balance": balance, "paidWith": wallet},
            rng.say(f"The {first} now holds {balance:g}.", f"{first}余额现在是{balance:g}元。"),
        ),
        patch={
            "payment_accounts": [
                *holding(first, held + 100 * amount),
                *holding(second, 2_000),
                *holding(wallet, 90_000),
            ],
            "settings": online(),
        },
    )


def _hide_code(rng: Draw, world: World) -> Draft:
    """The code that was shown is hidden again."""
    wallet, kind = rng.choice([*other_wallets(world), default_wallet(world)]), rng.choice(("pay", "receive"))
    call = {"action": "show", "walletApp": wallet, "codeType": kind}
    return Draft(
        phrasings=(
            "Thanks, you can hide it again.",
            "Done, take it off the screen.",
            "All settled, put that code away.",
            "That's settled. Nobody else should scan it, so make it disappear.",
        ),
        chinese=(
            "好了，收起来吧。",
            "搞定，把码关掉。",
            "弄完了，别再显示那个码了。",
            "已经扫过了，免得别人再扫，收掉它。",
        ),
        plan=course(
            [do("manage_payment_code", action="hide")], reply=done(rng.say("The code is hidden.", "码已收起。"))
        ),
        history=past_turn(
            rng.say(
                f"Show the {wallet} code for {'paying' if kind == 'pay' else 'receiving'}.",
                f"打开{wallet}的{'付款' if kind == 'pay' else '收款'}码。",
            ),
            "manage_payment_code",
            call,
            {"walletApp": wallet, "codeType": kind},
            rng.say(f"Here is the {wallet} code.", f"{wallet}的码已打开。"),
        ),
        patch={"settings": online(payment_code=wallet, payment_code_type=kind)},
    )


_AGAIN = (_same_water, _other_card, _hide_code)


@family("travel_again", TOOL, TRAVEL, "reference", variants=len(_AGAIN))
def travel_again(rng: Draw, world: World) -> Draft:
    """What is meant was said or done a turn ago."""
    return branch(rng, world, _AGAIN)


# --- if it is low ---------------------------------------------------------------------------------------------------


@family("travel_card_if", TOOL, TRAVEL, "dependency", variants=2)
def travel_card_if(rng: Draw, world: World) -> Draft:
    """A card is topped up only when little is left; otherwise the balance is told and nothing bought."""
    card, amount, limit = rng.choice(CARDS), 10 * rng.randint(3, 20), rng.randint(10, 40)
    low = turn(rng, (True, False))
    cents = 100 * limit + (-1 if low else 1) * rng.randrange(50, 900, 10)
    look = [do("manage_transit_card", action="query", cardName=card)]
    left = price(cents)
    if low:
        plan = course(
            look,
            [do("manage_transit_card", action="top_up", cardName=card, amount=amount)],
            reply=done(rng.say(f"Only {left} was left; added {amount}.", f"只剩{left}元，已充{amount}元。")),
        )
    else:
        plan = course(look, reply=done(rng.say(f"{left} is left, that's enough.", f"还有{left}元，够用。")))
    return Draft(
        phrasings=(
            "If less than {limit} yuan is left on my {card}, top it up by {amount}. Otherwise just tell me "
            "the balance.",
            "Check the {card}: under {limit} yuan, add {amount} yuan; if not, tell me how much it holds.",
            "Add {amount} yuan to the {card}, but only if it is below {limit} yuan. If it isn't, say what's on it.",
            "I take the train early tomorrow. Should the {card} hold less than {limit} yuan, put {amount} on it, "
            "else tell me the exact balance and leave it.",
        ),
        chinese=(
            "{card}要是不到{limit}元就充{amount}元，够的话告诉我余额就行。",
            "查一下{card}，低于{limit}块就充{amount}块，否则说一下还有多少。",
            "给{card}充{amount}元，但只在余额低于{limit}元时充，不然报个余额。",
            "明天一早要坐车，{card}不足{limit}元就充{amount}元，足的话别动，告诉我具体余额。",
        ),
        slots={"card": card, "limit": limit, "amount": amount},
        plan=plan,
        criteria="state" if low else answered(amounts(cents), reads=("manage_transit_card",)),
        patch={
            "payment_accounts": [*holding(card, cents), *holding(default_wallet(world), 200_000)],
            "settings": online(),
        },
    )


# --- missing, forbidden, too poor -----------------------------------------------------------------------------------


def _no_amount(rng: Draw, world: World) -> Draft:
    card, day = rng.choice(CARDS), spoken_day(rng, ahead(rng.randint(1, 20)))
    return Draft(
        phrasings=(
            "Top up the {card}, I need it on {day}.",
            "Put some money on my {card} for {day}.",
            "The {card} has to be charged before {day}.",
            "On {day} I travel a lot, so load the {card}.",
        ),
        chinese=(
            "给{card}充点钱，{day}要用。",
            "{day}要坐车，{card}充个值。",
            "{day}之前把{card}充上。",
            "{day}跑的地方多，{card}充一下值。",
        ),
        slots={"card": card, "day": day},
        plan=course(reply=ask(rng.say(f"How much should I put on the {card}?", f"{card}要充多少？"))),
        criteria=asked(["how much", "amount", "what sum", "多少", "金额", "几块"]),
        patch={"settings": online()},
        shown=("manage_transit_card",),
    )


def _poor_wallet(rng: Draw, world: World) -> Draft:
    card, wallet, amount = rng.choice(CARDS), rng.choice(other_wallets(world)), 10 * rng.randint(10, 40)
    cents = 100 * rng.randint(5, 60)
    call = {"action": "top_up", "cardName": card, "amount": amount, "paymentMethod": wallet}
    return Draft(
        phrasings=(
            "Top up the {card} with {amount} yuan from {wallet}.",
            "Load {amount} yuan onto my {card}, take it out of {wallet}.",
            "{amount} yuan for the {card}, paid with {wallet}.",
            "Pay with {wallet}, please: the {card} needs {amount} yuan more.",
        ),
        chinese=(
            "用{wallet}给{card}充{amount}元。",
            "{card}充{amount}块，从{wallet}里扣。",
            "{card}充值{amount}元，{wallet}付款。",
            "{card}还差{amount}元，用{wallet}付吧。",
        ),
        slots={"card": card, "wallet": wallet, "amount": amount},
        plan=course(
            [do("manage_transit_card", **call)],
            reply=ask(
                rng.say(
                    f"{wallet} holds only {price(cents)}. Shall I use another wallet?",
                    f"{wallet}只有{price(cents)}元，要换一个钱包吗？",
                )
            ),
        ),
        criteria=asked([wallet], routes=(step("manage_transit_card", **call), step("manage_wallets", action="query"))),
        patch={"payment_accounts": [*holding(wallet, cents), *holding(card, 1_000)], "settings": online()},
        shown=("manage_wallets",),
    )


def _no_sensors(rng: Draw, world: World) -> Draft:
    day = ahead(-rng.randint(0, 9))
    kind, english, chinese = rng.choice(
        (
            ("steps", "How many steps did I take", "走了多少步"),
            ("sleep", "How long did I sleep", "睡了多久"),
            ("heart_rate", "What was my heart rate", "心率多少"),
        )
    )
    return Draft(
        phrasings=(
            "{question} on {day}?",
            "Please check for me: {question} on {day}?",
            "Just out of curiosity. {question} on {day}?",
            "The watch must know it. {question} on {day}?",
        ),
        chinese=(
            "{day}我{question}？",
            "帮我看看，{day}我{question}？",
            "有点好奇，{day}我{question}？",
            "手表应该有数据吧，{day}我{question}？",
        ),
        slots={"day": spoken_day(rng, day), "question": rng.say(english, chinese)},
        plan=course(
            [do("query_health_data", dataType=kind, date=day)],
            reply=ask(
                rng.say(
                    "I lack the permission to read health data. Will you grant it?",
                    "没有读取健康数据的权限，要授权吗？",
                )
            ),
        ),
        criteria=asked(PERMISSION, routes=(step("query_health_data", dataType=kind),)),
        denied=("BODY_SENSORS",),
    )


_TROUBLES = (_no_amount, _poor_wallet, _no_sensors)


@family("travel_money_trouble", TOOL, TRAVEL, "recovery", variants=len(_TROUBLES))
def travel_money_trouble(rng: Draw, world: World) -> Draft:
    """No amount, no money, no permission: the user is asked."""
    return branch(rng, world, _TROUBLES)


# --- kept from training ---------------------------------------------------------------------------------------------


@family("travel_evening", TOOL, TRAVEL, "dependency", "parallel", unseen="family")
def travel_evening(rng: Draw, world: World) -> Draft:
    """A navigation, a card, a countdown and the dark mode in one breath."""
    goal, card, amount = rng.choice(spots(world)), rng.choice(CARDS), 10 * rng.randint(2, 15)
    minutes, label = rng.randrange(10, 95, 5), rng.pick(TITLES)
    return Draft(
        phrasings=(
            "Dark mode on, a {minutes} minute countdown called {label}, {amount} yuan on the {card}, walk me "
            "to {goal}.",
            "I'm leaving: navigate to {goal} on foot, top up the {card} by {amount} yuan, start a countdown of "
            "{minutes} minutes named {label} and switch to dark mode.",
            "Four things. Walking navigation to {goal}; {card} plus {amount} yuan; countdown {label}, {minutes} "
            "minutes; dark mode.",
            "Evening plan: the screen goes dark mode, the {card} gets {amount} yuan, you count down {minutes} "
            "minutes for {label}, and then lead me to {goal} on foot.",
        ),
        chinese=(
            "打开深色模式，开一个{minutes}分钟的倒计时叫{label}，{card}充{amount}元，再步行导航去{goal}。",
            "我出门了，走路导航到{goal}，{card}充{amount}块，{minutes}分钟倒计时标题{label}，顺便切到深色模式。",
            "四件事：步行去{goal}导航、{card}充{amount}元、倒计时{label}{minutes}分钟、深色模式。",
            "晚上的安排：屏幕换深色模式，{card}充{amount}元，给{label}倒计时{minutes}分钟，然后带我走路去{goal}。",
        ),
        slots={"goal": goal, "card": card, "amount": amount, "minutes": minutes, "label": label},
        plan=course(
            [
                do("manage_dark_mode", action="enable"),
                do("manage_countdown", action="start", minutes=minutes, label=label),
                do("manage_transit_card", action="top_up", cardName=card, amount=amount),
                do("control_navigation", action="start", destination=goal, mode="walk"),
            ],
            reply=done(rng.say("All set, have a nice evening.", "都弄好了，晚上愉快。")),
        ),
        patch={
            "settings": [*MAP, *settings(dark_mode="off")],
            "payment_accounts": [*holding(card, 2_000), *holding(default_wallet(world), 200_000)],
        },
    )


FAMILIES = (travel_again, travel_card_if, travel_money_trouble, travel_evening)
