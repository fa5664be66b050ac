"""Basic tool use in Utilities & Productivity: sums, units, dates, translations and words; and money, for tests only."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction
from typing import Any

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import phone
from qpa.bench.families.mobile.display_slots import TOOL
from qpa.bench.families.mobile.utility_slots import UTILITIES
from qpa.bench.families.mobile.wishes import Wish, wished
from qpa.bench.families.values import EVENTS, TITLES, Draw
from qpa.envs.sandbox.domains.utility_data import RATES, WORDS
from qpa.envs.sandbox.schema import WORLD_CLOCK, World

_WORDS = tuple(sorted(WORDS))


def _spelled(value: int) -> list[Any]:
    """A whole number and its spelling with commas."""
    return [value, f"{value:,}"]


def _share(rng: Draw, world: World) -> list[Any]:
    percent, amount = rng.choice((12, 15, 18, 22, 35)), rng.randrange(300, 4000, 100)
    return [percent, amount, *_spelled(percent * amount // 100)]


def _bill(rng: Draw, world: World) -> list[Any]:
    people, each, first = rng.randint(3, 7), rng.randint(17, 48), rng.randint(21, 49)
    return [people, first, people * each - first, each]


def _product(rng: Draw, world: World) -> list[Any]:
    a, b = rng.randint(112, 989), rng.randint(13, 98)
    return [a, b, *_spelled(a * b)]


def _warm(rng: Draw, world: World) -> list[Any]:
    celsius = rng.randrange(15, 250, 5)
    return [celsius, celsius * 9 // 5 + 32]


def _inches(rng: Draw, world: World) -> list[Any]:
    inches = rng.randrange(15, 95, 5)
    exact = Fraction("2.54") * inches
    return [inches, int(exact) if exact.denominator == 1 else float(exact)]  # as the tool says it: 127, not 127.0


def _speed(rng: Draw, world: World) -> list[Any]:
    metres = rng.randrange(5, 60, 5)
    return [metres * 18 // 5, metres]


def _days_apart(rng: Draw, world: World) -> list[Any]:
    first = WORLD_CLOCK.date() + timedelta(days=rng.randint(3, 60))
    days = rng.randint(30, 200)
    return [first.isoformat(), (first + timedelta(days=days)).isoformat(), days]


def _workdays(rng: Draw, world: World) -> list[Any]:
    first = date(2025, 2, 3) + timedelta(weeks=rng.randint(0, 12))  # a Monday, and a Friday some weeks later
    weeks = rng.randint(2, 9)
    return [first.isoformat(), (first + timedelta(days=7 * weeks - 3)).isoformat(), 5 * weeks]


def _weeks_later(rng: Draw, world: World) -> list[Any]:
    weeks = rng.randint(6, 40)
    day = WORLD_CLOCK.date() + timedelta(weeks=weeks)
    words = [f"{day:%B} {day.day}", f"{day.day} {day:%B}", f"{day:%b} {day.day}", f"{day.month}月{day.day}日"]
    ending = "th" if 10 < day.day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    return [weeks, day.isoformat(), *words, f"{day.month}月{day.day}号", f"{day:%B} {day.day}{ending}"]


FOREIGN = {  # English -> language -> translation
    "thank you": {"French": "merci", "German": "danke", "Spanish": "gracias"},
    "good night": {"French": "bonne nuit", "German": "gute Nacht", "Spanish": "buenas noches"},
    "I am late": {"French": "je suis en retard", "German": "ich bin spät dran", "Spanish": "llego tarde"},
    "happy birthday": {"French": "joyeux anniversaire", "German": "alles Gute zum Geburtstag"},
    "where is the station": {"French": "où est la gare", "German": "wo ist der Bahnhof"},
}
_IN_CHINESE = {
    "thank you": "谢谢",
    "good night": "晚安",
    "I am late": "我迟到了",
    "happy birthday": "生日快乐",
    "where is the station": "车站在哪里",
}
_TONGUES = {"French": "法语", "German": "德语", "Spanish": "西班牙语"}


def _translation(rng: Draw, world: World) -> list[Any]:
    phrase = rng.choice(list(FOREIGN))
    language = rng.choice(list(FOREIGN[phrase]))
    return [
        rng.say(phrase, _IN_CHINESE[phrase]),
        language,
        rng.say(language, _TONGUES[language]),
        FOREIGN[phrase][language],
    ]


def _synonym(rng: Draw, world: World) -> list[Any]:
    word = rng.pick(_WORDS)
    return [word, WORDS[word][2]]


def _exchange(rng: Draw, world: World) -> list[Any]:
    """Euros, pounds or francs in dollars, and the amount as one writes it."""
    code, word = rng.choice(
        (("EUR", ("euros", "欧元")), ("GBP", ("pounds", "英镑")), ("CHF", ("Swiss francs", "瑞士法郎")))
    )
    amount = rng.randrange(15, 900, 5)
    cents = round(Fraction(amount * 100) / Fraction(RATES[code][0]))
    dollars = f"{cents / 100:.2f}"
    return [amount, code, rng.say(*word), cents / 100, dollars, f"{cents / 100:,.2f}"]


CALCULATE = (
    Wish(
        calls=(do("calculate_expression", expression="{percent}% of {amount}"),),
        slots={"percent amount result comma": _share},
        routes=(do("calculate_expression"),),
        mentions=(["{result}", "{comma}"],),
        reply=("That's {result}.", "是{result}。"),
        english=(
            "What's {percent}% of {amount}?",
            "The bill is {amount} and I want to tip {percent} percent. How much is the tip alone?",
            "Calculate {percent} percent of {amount} for me.",
            "My landlord keeps {percent}% of the {amount} deposit. That's how much?",
        ),
        chinese=(
            "{amount}的{percent}%是多少？",
            "账单{amount}，小费给百分之{percent}，光小费是多少",
            "帮我算一下{amount}乘以{percent}%",
            "押金{amount}，房东要扣百分之{percent}，扣多少钱",
        ),
    ),
    Wish(
        calls=(do("calculate_expression", expression="({first} + {second}) / {people}"),),
        slots={"people first second each": _bill},
        routes=(do("calculate_expression"),),
        mentions=(["{each}"],),
        reply=("{each} each.", "每人{each}。"),
        english=(
            "We spent {first} and {second}, split among {people} people. What does each pay?",
            "Dinner was {first}, drinks {second}, and we were {people}. How much per head?",
            "Add {first} and {second} and divide by {people}.",
            "{people} of us share two bills, {first} and {second}. What's my part if it's equal?",
        ),
        chinese=(
            "一共花了{first}和{second}两笔，{people}个人平摊，每人多少？",
            "吃饭{first}，酒水{second}，{people}个人AA，人均多少",
            "{first}加{second}再除以{people}等于几",
            "两张账单{first}和{second}，我们{people}个人平分，我该出多少",
        ),
    ),
    Wish(
        calls=(do("calculate_expression", expression="{a} * {b}"),),
        slots={"a b result comma": _product},
        routes=(do("calculate_expression"),),
        mentions=(["{result}", "{comma}"],),
        reply=("{result}.", "等于{result}。"),
        english=(
            "What is {a} times {b}?",
            "{a} tiles at {b} each, what's the total?",
            "Multiply {a} by {b}, please.",
            "I need {b} boxes with {a} screws in every one. How many screws is that?",
        ),
        chinese=(
            "{a}乘以{b}是多少？",
            "{a}块砖，每块{b}元，一共多少",
            "帮我算{a}×{b}",
            "要{b}箱，每箱{a}个螺丝，总共几个",
        ),
    ),
    Wish(
        calls=(do("convert_unit", category="temperature", fromUnit="C", toUnit="F", value="{celsius}"),),
        slots={"celsius result": _warm},
        routes=(do("convert_unit"), do("calculate_expression")),
        mentions=(["{result}"],),
        reply=("{result} degrees Fahrenheit.", "{result}华氏度。"),
        english=(
            "How much is {celsius} degrees Celsius in Fahrenheit?",
            "The recipe says {celsius} °C, my oven only knows Fahrenheit. What do I set?",
            "Convert {celsius} Celsius to Fahrenheit.",
            "My American friend asks what {celsius} degrees Celsius means in his degrees, I guess Fahrenheit.",
        ),
        chinese=(
            "{celsius}摄氏度是多少华氏度？",
            "菜谱写{celsius}度，我的烤箱只有华氏度，该设多少",
            "把{celsius}℃换算成华氏",
            "美国朋友问{celsius}摄氏度相当于他们的多少度，也就是华氏度",
        ),
    ),
    Wish(
        calls=(do("convert_unit", category="length", fromUnit="in", toUnit="cm", value="{inches}"),),
        slots={"inches result": _inches},
        routes=(do("convert_unit"), do("calculate_expression")),
        mentions=(["{result}"],),
        reply=("{result} cm.", "{result}厘米。"),
        english=(
            "How many centimetres are {inches} inches? Exactly, please.",
            "A TV of {inches} inches, what's that in cm? One decimal.",
            "Convert {inches} inches to centimetres, not rounded.",
            "The shelf is measured in cm but the screen has {inches} inches. Give me the exact cm.",
        ),
        chinese=(
            "{inches}英寸是多少厘米？要精确值。",
            "{inches}英寸的电视合多少厘米，保留一位小数",
            "把{inches}英寸换成厘米，别四舍五入",
            "柜子按厘米量的，屏幕{inches}英寸，准确说是多少厘米",
        ),
    ),
    Wish(
        calls=(do("convert_unit", category="speed", fromUnit="km/h", toUnit="m/s", value="{fast}"),),
        slots={"fast result": _speed},
        routes=(do("convert_unit"), do("calculate_expression")),
        mentions=(["{result}"],),
        reply=("{result} metres per second.", "每秒{result}米。"),
        english=(
            "How many metres per second are {fast} km/h?",
            "Physics homework: {fast} kilometres per hour in m/s?",
            "Convert a speed of {fast} km/h to metres per second.",
            "At {fast} km/h, how far do I get in one second? In metres.",
        ),
        chinese=(
            "时速{fast}公里是每秒多少米？",
            "物理作业：{fast}千米每小时换成米每秒是多少",
            "把{fast}km/h换算成m/s",
            "车速{fast}公里每小时，一秒钟能走多少米",
        ),
    ),
    Wish(
        calls=(do("calculate_date", action="difference", date="{first}", endDate="{last}"),),
        slots={"first last days": _days_apart, "event": EVENTS},
        routes=(do("calculate_date"),),
        mentions=(["{days}"],),
        reply=("{days} days.", "相隔{days}天。"),
        english=(
            "How many days lie between {first} and {last}?",
            "From {first} to {last}, how many days is that?",
            "The {event} moved from {first} to {last}. By how many days?",
            "Count the days from {first} until {last}, please.",
        ),
        chinese=(
            "{first}到{last}相隔多少天？",
            "从{first}到{last}有几天",
            "{event}从{first}改到{last}，推迟了多少天",
            "数一下{first}至{last}差几天",
        ),
    ),
    Wish(
        calls=(do("calculate_date", action="workdays", date="{first}", endDate="{last}"),),
        slots={"first last days": _workdays, "event": EVENTS},
        mentions=(["{days}"],),
        reply=("{days} workdays.", "{days}个工作日。"),
        english=(
            "How many workdays are there from {first} to {last}, both included?",
            "Monday-to-Friday days between {first} and {last} inclusive: how many?",
            "I work on {event} from {first} through {last}. How many working days is that? Ignore holidays.",
            "Count only working days, {first} up to and including {last}; holidays don't matter.",
        ),
        chinese=(
            "{first}到{last}（含首尾）有多少个工作日？",
            "{first}至{last}两头都算，周一到周五的天数有几天",
            "{event}从{first}做到{last}，一共几个工作日，节假日不管",
            "只算工作日，{first}到{last}含当天，法定假不考虑，多少天",
        ),
    ),
    Wish(
        calls=(do("calculate_date", action="add", date="today", amount="{weeks}", unit="weeks"),),
        slots={"weeks day long turned short zh hao nth": _weeks_later, "title": TITLES},
        routes=(do("calculate_date"), do("calendar_service")),
        mentions=(["{day}", "{long}", "{turned}", "{short}", "{zh}", "{hao}", "{nth}"],),
        reply=("That's {day}.", "是{day}那天。"),
        english=(
            "What date is it in {weeks} weeks?",
            "My {title} course runs {weeks} weeks from today. On which date does it end?",
            "Today plus {weeks} weeks is what date?",
            "The doctor wants me back exactly {weeks} weeks from today. Which date would that be?",
        ),
        chinese=(
            "{weeks}周以后是几月几号？",
            "{title}课从今天起上{weeks}周，哪天结束",
            "今天加{weeks}个星期是什么日期",
            "医生让我正好{weeks}周后再来，那是几月几号",
        ),
    ),
    Wish(
        calls=(do("text_translate", text="{phrase}", targetLanguage="{language}"),),
        slots={"phrase language word foreign": _translation},
        patch=phone(mobile_data="on", airplane_mode="off"),
        routes=(do("text_translate", targetLanguage="{language}"),),
        mentions=(["{foreign}"],),
        reply=("In {word}: {foreign}", "{word}是：{foreign}"),
        english=(
            'How do I say "{phrase}" in {word}?',
            'Translate "{phrase}" into {word}.',
            'I\'m writing a card to a {word}-speaking friend. "{phrase}" is what?',
            '{word} for "{phrase}", please.',
        ),
        chinese=(
            "“{phrase}”用{word}怎么说？",
            "把“{phrase}”翻译成{word}",
            "给说{word}的朋友写卡片，“{phrase}”怎么写",
            "“{phrase}”的{word}说法是什么",
        ),
    ),
    Wish(
        calls=(do("query_dictionary", word="{word}"),),
        slots={"word synonym": _synonym},
        mentions=(["{synonym}"],),
        reply=("The dictionary's synonym is {synonym}.", "词典给的近义词是{synonym}。"),
        english=(
            "Look up {word} in the dictionary. Which synonym does it give?",
            "What near word does the dictionary list for {word}?",
            "I've used {word} three times in this letter. What does the dictionary offer instead?",
            "Check the dictionary entry of {word} and tell me its synonym.",
        ),
        chinese=(
            "词典里查一下{word}，给的近义词是什么？",
            "{word}在词典里列的近义词是哪个",
            "这封信里{word}用了三次，词典里有什么词可以替换",
            "看看词典的{word}词条，告诉我同义词",
        ),
    ),
)

MONEY = (
    Wish(
        calls=(do("convert_currency", amount="{amount}", fromCurrency="{code}", toCurrency="USD"),),
        slots={"amount code word exact dollars comma": _exchange, "event": EVENTS},
        routes=(do("convert_currency"),),
        mentions=(["{dollars}", "{comma}", "{exact}"],),
        reply=("{dollars} US dollars.", "{dollars}美元。"),
        english=(
            "How much are {amount} {word} in US dollars?",
            "Convert {amount} {word} to US dollars, to the cent.",
            "The {event} costs {amount} {word}. What's that in US dollars and cents?",
            "I only have US dollars. How many for {amount} {word}, exactly?",
        ),
        chinese=(
            "{amount}{word}等于多少美元？",
            "把{amount}{word}换算成美元，精确到分",
            "{event}要{amount}{word}，合美元多少，带上零头",
            "我只有美元，{amount}{word}准确要多少美元",
        ),
    ),
)


@family("utility_calculate", TOOL, UTILITIES, "grounding", variants=len(CALCULATE))
def utility_calculate(rng: Draw, world: World) -> Draft:
    """A question that a calculation, a conversion or an entry answers."""
    return wished(rng, world, CALCULATE)


@family("utility_money", TOOL, UTILITIES, "grounding", unseen="tool", variants=len(MONEY))
def utility_money(rng: Draw, world: World) -> Draft:
    """Currency conversion, which training never calls."""
    return wished(rng, world, MONEY)


FAMILIES = (utility_calculate, utility_money)
