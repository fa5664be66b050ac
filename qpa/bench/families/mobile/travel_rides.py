"""Travel & Lifestyle, tools that training never shows: rides, and the arrival time shared."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, do, done, family
from qpa.bench.families.mobile.common import answered_by, branch, course, online, reading, settings, spoken_day, step
from qpa.bench.families.mobile.errands import amounts, default_wallet, holding
from qpa.bench.families.mobile.travel import MAP, TOOL, TRAVEL, ahead, spots
from qpa.bench.families.values import NAMES, Draw
from qpa.envs.sandbox.schema import World

_KINDS = (("economy", "economy", "经济型"), ("comfort", "comfort", "舒适型"), ("xl", "XL", "XL型"))
# In cents, to get in and per kilometre; the expert answers with the tool's fare, so a new tariff is noticed.
_FARES = {"economy": (800, 240), "comfort": (1200, 330), "xl": (1500, 420)}


def _ride_now(rng: Draw, world: World) -> Draft:
    goal, (kind, english, chinese) = rng.choice(spots(world)), rng.choice(_KINDS)
    return Draft(
        phrasings=(
            "Call me a taxi to {goal}, {kind} class.",
            "I need an {kind} car to {goal} right now.",
            "Order a ride to {goal}: {kind}, immediately.",
            "My feet hurt. Get me a car to {goal}, the {kind} kind, now.",
        ),
        chinese=(
            "叫辆车去{goal}，{kind}。",
            "现在打车去{goal}，要{kind}的。",
            "马上叫一辆{kind}，到{goal}。",
            "脚疼走不动了，叫个{kind}的车去{goal}。",
        ),
        slots={"goal": goal, "kind": rng.say(english, chinese)},
        plan=course(
            [do("manage_ride", action="request", destination=goal, rideType=kind)],
            reply=done(rng.say(f"Your car to {goal} is on its way.", f"去{goal}的车已叫好。")),
        ),
        patch={"settings": MAP, "payment_accounts": holding(default_wallet(world), 300_000)},
    )


def _ride_later(rng: Draw, world: World) -> Draft:
    (start, goal), day, time = rng.sample(spots(world), 2), ahead(rng.randint(1, 6)), rng.time(6, 22)
    return Draft(
        phrasings=(
            "Book a taxi from {start} to {goal} for {day} at {time}, the economy class.",
            "On {day} at {time} an economy car should pick me up at {start} and take me to {goal}.",
            "Economy ride, {start} to {goal}, {day}, {time}.",
            "We land late, so reserve an economy car at {start} for {day}, {time}; we want to get to {goal}.",
        ),
        chinese=(
            "预约{day}{time}从{start}到{goal}的车，经济型。",
            "{day}{time}叫辆经济型到{start}接我，去{goal}。",
            "经济型打车，{start}到{goal}，{day}{time}。",
            "到得晚，先约好{day}{time}在{start}上车的经济型，去{goal}。",
        ),
        slots={"start": start, "goal": goal, "day": spoken_day(rng, day), "time": time},
        plan=course(
            [
                do(
                    "manage_ride",
                    action="request",
                    destination=goal,
                    pickup=start,
                    time=f"{day} {time}",
                    rideType="economy",
                )
            ],
            reply=done(rng.say(f"The ride at {time} is booked.", f"{time}的车已约好。")),
        ),
        patch={"settings": MAP, "payment_accounts": holding(default_wallet(world), 300_000)},
    )


def _ride_price(rng: Draw, world: World) -> Draft:
    place = rng.choice([r for r in world.rows["places"] if r["name"] in spots(world)])
    kind, english, chinese = rng.choice(_KINDS)
    base, per_km = _FARES[kind]
    cents = base + (abs(place["x_m"]) + abs(place["y_m"])) * per_km // 1000

    def say(data: dict[str, Any]) -> str:
        fare = next(item["fare"] for item in data["items"] if item["rideType"] == kind)
        return rng.say(f"About {fare:.2f}.", f"大约{fare:.2f}元。")

    return Draft(
        phrasings=(
            "What would an {kind} ride to {goal} cost?",
            "Price of a taxi to {goal}, {kind} class? Don't order it yet.",
            "How much is the {kind} car from here to {goal}?",
            "Only asking: how expensive is it to be driven to {goal}, {kind}?",
        ),
        chinese=(
            "打{kind}的车去{goal}要多少钱？",
            "去{goal}的{kind}打车费多少？先别叫。",
            "从这到{goal}，{kind}多少钱？",
            "就问问，{kind}的车到{goal}贵不贵，多少钱？",
        ),
        slots={"goal": place["name"], "kind": rng.say(english, chinese)},
        plan=reading(do("manage_ride", action="estimate", destination=place["name"]), say),
        criteria=answered_by(
            amounts(cents), routes=[step("manage_ride", action="estimate", destination=place["name"])]
        ),
        patch={"settings": MAP},
    )


def _ride_off(rng: Draw, world: World) -> Draft:
    goal, day, time = rng.choice(spots(world)), ahead(rng.randint(1, 4)), rng.time(7, 20)
    row = {
        "id": "ride_701",
        "kind": "ride",
        "code": "economy",
        "title": f"Current location - {goal}",
        "departs": f"{day}T{time}:00",
        "arrives": f"{day}T{int(time[:2]) + 1:02d}{time[2:]}:00",
        "total_cents": 100 * rng.randint(15, 70),
        "paid_with": default_wallet(world),
    }
    return Draft(
        phrasings=(
            "Cancel my ride to {goal} on {day}.",
            "I don't need the taxi to {goal} at {time} any more.",
            "Call off the car to {goal}, {day}.",
            "A friend gives me a lift to {goal} on {day}, so the ordered car can be cancelled.",
        ),
        chinese=(
            "取消{day}去{goal}的车。",
            "{time}去{goal}的车不用了。",
            "{day}到{goal}的约车取消。",
            "{day}朋友送我去{goal}，叫好的车取消吧。",
        ),
        slots={"goal": goal, "day": spoken_day(rng, day), "time": time},
        plan=course(
            [do("manage_ride", action="query")],
            [do("manage_ride", action="cancel", rideId=row["id"])],
            reply=done(rng.say(f"The ride to {goal} is cancelled.", f"去{goal}的车已取消。")),
        ),
        patch={"bookings": [row], "settings": online()},
    )


_RIDES = (_ride_now, _ride_later, _ride_price, _ride_off)


@family("travel_ride", TOOL, TRAVEL, "grounding", "dependency", unseen="tool", variants=len(_RIDES))
def travel_ride(rng: Draw, world: World) -> Draft:
    """A car ordered now or for later, priced or cancelled."""
    return branch(rng, world, _RIDES)


def _contact(rng: Draw, world: World) -> dict[str, Any]:
    """A patched contact whose name is part of nobody else's."""
    name = rng.pick(NAMES)
    while any(name.casefold() in r["name"].casefold() for r in world.rows["contacts"]):
        name = rng.pick(NAMES)
    return {"id": "contact_701", "name": name, "phone": rng.phone().replace("-", "")}


def _share_running(rng: Draw, world: World) -> Draft:
    person, goal = _contact(rng, world), rng.choice(spots(world))
    return Draft(
        phrasings=(
            "Let {name} see when I arrive at {goal}.",
            "Share my arrival time with {name}, I'm on my way to {goal}.",
            "{name} wants to follow my ETA to {goal}, please share it.",
            "{name} is already waiting at {goal} and keeps asking when I come. Share my live arrival time.",
        ),
        chinese=(
            "把我到{goal}的时间共享给{name}。",
            "跟{name}共享我的预计到达时间，我在去{goal}的路上。",
            "{name}想看我几点到{goal}，共享一下。",
            "{name}已经在{goal}等着了，老问我几点到，把实时到达时间分享给他。",
        ),
        slots={"name": person["name"], "goal": goal},
        plan=course(
            [do("share_eta", action="start", contact=person["name"])],
            reply=done(rng.say(f"{person['name']} can see it now.", f"已共享给{person['name']}。")),
        ),
        patch={"contacts": [person], "settings": [*MAP, *settings(nav_destination=goal, nav_mode="drive")]},
    )


def _share_new(rng: Draw, world: World) -> Draft:
    person, goal = _contact(rng, world), rng.choice(spots(world))
    return Draft(
        phrasings=(
            "Drive me to {goal} and let {name} follow my arrival time.",
            "Start driving directions to {goal}, then share the ETA with {name}.",
            "Navigate to {goal} by car, and {name} should see when I'll be there.",
            "Off to {goal} in the car! {name} worries, so share the arrival with {name} as soon as we go.",
        ),
        chinese=(
            "开车导航去{goal}，把到达时间共享给{name}。",
            "开始驾车去{goal}的导航，再把预计到达时间分享给{name}。",
            "导航到{goal}，我开车，让{name}能看到我几点到。",
            "开车去{goal}啦！{name}不放心，出发后把到达时间共享给{name}。",
        ),
        slots={"name": person["name"], "goal": goal},
        plan=course(
            [do("control_navigation", action="start", destination=goal)],
            [do("share_eta", action="start", contact=person["name"])],
            reply=done(rng.say(f"On the way, {person['name']} can follow.", f"已出发，{person['name']}可以看到。")),
        ),
        patch={"contacts": [person], "settings": MAP},
    )


def _share_end(rng: Draw, world: World) -> Draft:
    person, goal = _contact(rng, world), rng.choice(spots(world))
    running = settings(nav_destination=goal, nav_mode="drive", nav_shared_with=person["id"])
    return Draft(
        phrasings=(
            "{name} needn't see my arrival time any more, stop sharing.",
            "Stop sharing my ETA with {name}, but keep navigating to {goal}.",
            "End the arrival sharing with {name}.",
            "Keep going to {goal}, only {name} shouldn't be able to follow me from now on.",
        ),
        chinese=(
            "不用再让{name}看我的到达时间了，停止共享。",
            "别再跟{name}共享到达时间，去{goal}的导航继续。",
            "结束和{name}的行程共享。",
            "继续去{goal}，但从现在起别让{name}看到我几点到。",
        ),
        slots={"name": person["name"], "goal": goal},
        plan=course(
            [do("share_eta", action="stop", contact=person["name"])],
            reply=done(rng.say(f"{person['name']} no longer sees it.", f"已停止与{person['name']}共享。")),
        ),
        patch={"contacts": [person], "settings": [*MAP, *running]},
    )


_SHARES = (_share_running, _share_new, _share_end)


@family("travel_share_eta", TOOL, TRAVEL, "grounding", "dependency", unseen="tool", variants=len(_SHARES))
def travel_share_eta(rng: Draw, world: World) -> Draft:
    """The arrival time shared with a person, a tool that training never shows."""
    return branch(rng, world, _SHARES)


FAMILIES = (travel_ride, travel_share_eta)
