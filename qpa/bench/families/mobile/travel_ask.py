"""Travel & Lifestyle: questions about weather and timetables, and ways that have to be looked up first."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, do, done, family
from qpa.bench.families.mobile.common import answered, answered_by, branch, course, online, reading, spoken_day, step
from qpa.bench.families.mobile.errands import clock_words
from qpa.bench.families.mobile.travel import KINDS, KINDS_ZH, MAP, STREETS, TOOL, TRAVEL, ahead, spots
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.domains.travel_transit import LINES
from qpa.envs.sandbox.schema import World


def _weather_row(rng: Draw, world: World, wet: bool) -> dict[str, Any]:
    """A day of the coming week in one of the world's cities, clearly wet or clearly dry, without a warning."""
    low = rng.randint(3, 12)
    return {
        "city": rng.choice(sorted({r["city"] for r in world.rows["weather"]})),
        "date": ahead(rng.randint(1, 5)),
        "condition": "rain" if wet else "sunny",
        "low_c": low,
        "high_c": low + rng.randint(5, 9),
        "rain_pct": rng.randint(66, 95) if wet else rng.randint(2, 10),
        "alert": "",
    }


def _rain(rng: Draw, world: World) -> Draft:
    row = _weather_row(rng, world, rng.random() < 0.5)
    rain = row["rain_pct"]
    words = {"city": row["city"], "day": spoken_day(rng, row["date"])}
    return Draft(
        phrasings=(
            "What is the chance of rain in {city} on {day}?",
            "How likely is rain in {city} on {day}, in percent?",
            "Rain probability for {city}, {day}?",
            "I'm packing for {city}, {day}. What percentage do they give for rain?",
        ),
        chinese=(
            "{city}{day}下雨的概率是多少？",
            "{day}{city}降水概率百分之几？",
            "查一下{day}{city}的降雨概率。",
            "我在收拾去{city}的行李，{day}那天下雨几率多大？",
        ),
        slots=words,
        plan=course(
            [do("query_weather", city=row["city"], date=row["date"])],
            reply=done(rng.say(f"The chance of rain is {rain}%.", f"降雨概率是{rain}%。")),
        ),
        criteria=answered([str(rain)], reads=("query_weather",)),
        patch={"weather": [row], "settings": online()},
    )


def _warmth(rng: Draw, world: World) -> Draft:
    row = _weather_row(rng, world, rng.random() < 0.3)
    high = row["high_c"]
    words = {"city": row["city"], "day": spoken_day(rng, row["date"])}
    return Draft(
        phrasings=(
            "How warm will it get in {city} on {day}?",
            "What's the high in {city} on {day}?",
            "Top temperature for {city} on {day}, please.",
            "Is it T-shirt weather in {city} on {day}? Tell me the maximum in degrees.",
        ),
        chinese=(
            "{city}{day}最高多少度？",
            "{day}{city}最高气温是多少？",
            "查下{city}{day}的最高温。",
            "{day}在{city}要穿厚点吗？告诉我最高几度。",
        ),
        slots=words,
        plan=course(
            [do("query_weather", city=row["city"], date=row["date"])],
            reply=done(rng.say(f"It gets up to {high} degrees.", f"最高{high}度。")),
        ),
        criteria=answered([str(high)], reads=("query_weather",)),
        patch={"weather": [row], "settings": online(temperature_unit="celsius")},
    )


def _warnings(rng: Draw, world: World) -> Draft:
    alert, words = rng.choice(
        (("Heavy snow", ["snow", "雪"]), ("Thunderstorm", ["thunder", "thunderstorm", "thunderstorms", "雷"]))
    )
    row = _weather_row(rng, world, True) | {"alert": alert, "condition": "snow" if alert == "Heavy snow" else "storm"}
    city = row["city"]
    quiet = [{"city": city, "date": ahead(n), "alert": ""} for n in range(6) if ahead(n) != row["date"]]
    return Draft(
        phrasings=(
            "Are there any weather warnings for {city}?",
            "Which weather warnings are out for {city} at the moment?",
            "Check the current weather alerts for {city}, please.",
            "My sister lives in {city}. Is anything nasty announced there, any official warning?",
        ),
        chinese=(
            "{city}现在有天气预警吗？",
            "查一下{city}有什么天气预警。",
            "{city}最近发布了什么预警？",
            "我妹住在{city}，那边有没有什么天气警报？",
        ),
        slots={"city": city},
        plan=course(
            [do("manage_weather_alerts", action="query", city=city)],
            reply=done(rng.say(f"Yes: {alert}.", f"有：{'大雪' if '雪' in words else '雷暴'}预警。")),
        ),
        criteria=answered(words, reads=("manage_weather_alerts",)),
        patch={"weather": [row, *quiet], "settings": online()},
    )


def _next_departure(rng: Draw, world: World) -> Draft:
    line = rng.choice(LINES)
    index, after = rng.randrange(len(line.stops) - 1), rng.time(7, 19)
    stop, end = line.stops[index], line.stops[-1]
    first = line.first + line.hop * index
    now = 60 * int(after[:2]) + int(after[3:])
    leaves = first + -(-max(0, now - first) // line.every) * line.every
    time = f"{leaves // 60:02d}:{leaves % 60:02d}"

    def say(data: dict[str, Any]) -> str:
        departs = next(item["departs"] for item in data["items"] if item["towards"] == end)
        return rng.say(f"It leaves at {departs}.", f"{departs}发车。")

    return Draft(
        phrasings=(
            "When does the next {line} towards {end} leave {stop} after {after}?",
            "First {line} from {stop} towards {end} from {after} on?",
            "I'll be at {stop} at {after}. When is the next {line} towards {end}?",
            "{line}, stop {stop}, direction {end}: what is the first departure I can catch at {after} today?",
        ),
        chinese=(
            "{after}之后，{stop}开往{end}方向的下一班{line}是几点？",
            "从{stop}往{end}方向，{after}起最早的{line}几点开？",
            "我{after}到{stop}，下一趟去{end}方向的{line}是几点？",
            "{line}在{stop}站，{end}方向，今天{after}到站的话最早能赶上几点那班？",
        ),
        slots={"line": line.name, "stop": stop, "end": end, "after": after},
        plan=reading(do("query_departures", stop=stop, line=line.name, time=after), say),
        criteria=answered_by(clock_words(time), routes=(step("query_departures"), step("query_transit_routes"))),
        patch={"settings": online()},
    )


def _arrival(rng: Draw, world: World) -> Draft:
    """Stops of one line only, so that no other connection is as fast."""
    start, end, index = rng.choice(
        (("North Gate", "Riverside Mall", 3), ("North Gate", "Central Station", 2), ("North Gate", "City Hospital", 1))
    )
    line, leaving = LINES[1], rng.time(7, 19)
    now = 60 * int(leaving[:2]) + int(leaving[3:])
    arrives = line.first + -(-(now - line.first) // line.every) * line.every + line.hop * index
    time = f"{arrives // 60:02d}:{arrives % 60:02d}"
    return Draft(
        phrasings=(
            "If I set out from {start} at {leaving} by public transport, when am I at {end} at the earliest?",
            "Leaving {start} at {leaving} by metro or bus: earliest arrival at {end}?",
            "When do I get to {end} with public transport if I start at {start} at {leaving}?",
            "I'm at the stop {start} from {leaving}. How early can metro or bus have me at {end}?",
        ),
        chinese=(
            "{leaving}从{start}坐公共交通出发，最早几点到{end}？",
            "{leaving}在{start}上车，地铁或公交最快几点能到{end}？",
            "坐地铁从{start}去{end}，{leaving}出发几点到？",
            "我{leaving}在{start}站等车，最早几点能到{end}站？",
        ),
        slots={"start": start, "end": end, "leaving": leaving},
        plan=reading(
            do("query_transit_routes", origin=start, destination=end, time=leaving),
            lambda data: rng.say(
                f"You arrive at {data['items'][0]['arrives']}.", f"最早{data['items'][0]['arrives']}到。"
            ),
        ),
        criteria=answered(clock_words(time), reads=("query_transit_routes",)),
        patch={"settings": online()},
    )


_QUESTIONS = (_rain, _warmth, _warnings, _next_departure, _arrival)


@family("travel_facts", TOOL, TRAVEL, "grounding", variants=len(_QUESTIONS))
def travel_facts(rng: Draw, world: World) -> Draft:
    """A question about the weather or the timetable."""
    return branch(rng, world, _QUESTIONS)


# --- first look, then go --------------------------------------------------------------------------------------------


def _if_rain(rng: Draw, world: World) -> Draft:
    """The forecast decides how to travel."""
    wet = rng.random() < 0.5
    row = _weather_row(rng, world, wet) | {"date": ahead(0)}
    goal, limit = rng.choice(spots(world)), rng.choice((40, 50, 60))
    city = row["city"]
    mode = "transit" if wet else "cycle"
    return Draft(
        phrasings=(
            "If the chance of rain in {city} today is above {limit}%, navigate to {goal} by public transport, "
            "otherwise by bike.",
            "Check today's rain in {city}: over {limit} percent means transit to {goal}, else cycling. Start it.",
            "Guide me to {goal} by bike, unless {city} gets more than {limit}% rain today, then by public transport.",
            "I hate getting wet. {goal} by bike if {city}'s rain chance today is at most {limit}%, by transit if more; "
            "start the navigation that fits.",
        ),
        chinese=(
            "今天{city}降水概率超过{limit}%就导航坐公交地铁去{goal}，否则骑车去。",
            "查下{city}今天的降雨概率，高于{limit}%就公共交通去{goal}，不然骑行，直接开始导航。",
            "骑车导航去{goal}，不过{city}今天降水概率要是大于{limit}%，就改坐公共交通。",
            "我可不想淋雨，{city}今天下雨概率不超过{limit}%就骑车去{goal}，超过就坐公交，开始导航吧。",
        ),
        slots={"city": city, "goal": goal, "limit": limit},
        plan=course(
            [do("query_weather", city=city, date="today")],
            [do("control_navigation", action="start", destination=goal, mode=mode)],
            reply=done(
                rng.say(
                    f"{row['rain_pct']}% rain, so {'public transport' if wet else 'the bike'} to {goal}.",
                    f"降水概率{row['rain_pct']}%，已开始{'公共交通' if wet else '骑行'}导航去{goal}。",
                )
            ),
        ),
        patch={"weather": [row], "settings": MAP},
    )


def _nearest(rng: Draw, world: World) -> Draft:
    """The nearest place of a kind."""
    kind = rng.choice(tuple(KINDS))
    word = rng.say(kind, KINDS_ZH[kind])
    distances, numbers = rng.sample(range(400, 5000, 150), 3), rng.sample(range(1, 90), 3)
    rows: list[dict[str, Any]] = [
        {
            "name": rng.say(f"{street} {KINDS[kind]}", f"{road}{word}"),
            "category": word,
            "address": rng.say(f"{number} {street} Street", f"{road}路{number}号"),
            "x_m": x,
            "y_m": -x,
        }
        for (street, road), x, number in zip(rng.sample(STREETS, 3), distances, numbers, strict=True)
    ]
    best = min(rows, key=lambda row: row["x_m"])["name"]
    mode, english, chinese = rng.choice(
        (("walk", "on foot", "走路"), ("drive", "by car", "开车"), ("cycle", "by bike", "骑车"))
    )
    return Draft(
        phrasings=(
            "Take me to the nearest {kind}, {way}.",
            "Find the closest {kind} and start navigating there, I'm going {way}.",
            "I urgently need a {kind}. Lead me to the nearest one, {way}.",
            "Somewhere around here there must be a {kind}; whichever is closest, guide me there {way}.",
        ),
        chinese=(
            "{way}带我去最近的{kind}。",
            "找一家最近的{kind}，{way}过去，开始导航。",
            "急着找{kind}，{way}导航去最近的那家。",
            "附近总该有{kind}吧，哪家最近就{way}导航去哪家。",
        ),
        slots={"kind": word, "way": rng.say(english, chinese)},
        plan=course(
            [do("search_places", query=word)],
            [do("control_navigation", action="start", destination=best, mode=mode)],
            reply=done(rng.say(f"Navigation to {best} started.", f"已开始导航去{best}。")),
        ),
        patch={"places": rows, "settings": MAP},
    )


def _quicker(rng: Draw, world: World) -> Draft:
    """Two ways compared; the quicker one is taken."""
    place = rng.choice([r for r in world.rows["places"] if r["name"] in spots(world)])
    length = abs(place["x_m"]) + abs(place["y_m"])
    transit, cycle = -(-length // 400) + 8, -(-length // 250)
    if transit == cycle:
        place = place | {"x_m": 4000, "y_m": 4000}
        transit, cycle = 28, 32
    mode = "transit" if transit < cycle else "cycle"
    return Draft(
        phrasings=(
            "Bike or public transport to {goal}, which is quicker? Start the navigation with that one.",
            "Navigate to {goal} by whichever takes less time, cycling or public transport.",
            "Compare cycling and transit to {goal} and start the faster one.",
            "I have the bike and a metro card, and I'm late for {goal}. Take the faster of the two and start.",
        ),
        chinese=(
            "去{goal}骑车快还是坐公共交通快？用快的那个开始导航。",
            "骑行和公交地铁哪个省时间就用哪个导航去{goal}。",
            "比较一下骑车和公共交通到{goal}的时间，选快的开始导航。",
            "我有自行车也有地铁卡，去{goal}要迟到了，选快的那种直接导航。",
        ),
        slots={"goal": place["name"]},
        plan=course(
            [do("query_route", destination=place["name"])],
            [do("control_navigation", action="start", destination=place["name"], mode=mode)],
            reply=done(
                rng.say(
                    f"{'Public transport' if mode == 'transit' else 'The bike'} is quicker; navigation started.",
                    f"{'公共交通' if mode == 'transit' else '骑车'}更快，已开始导航。",
                )
            ),
        ),
        patch={"places": [place], "settings": MAP},
    )


_CONDITIONS = (_if_rain, _nearest, _quicker)


@family("travel_go_if", TOOL, TRAVEL, "dependency", variants=len(_CONDITIONS))
def travel_go_if(rng: Draw, world: World) -> Draft:
    """A navigation whose way or destination has to be looked up first."""
    return branch(rng, world, _CONDITIONS)


FAMILIES = (travel_facts, travel_go_if)
