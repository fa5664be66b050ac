"""Travel & Lifestyle, getting around: the map, the weather and the timetable."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from qpa.bench.families.base import Draft, do, done, family
from qpa.bench.families.mobile.common import (
    Request,
    branch,
    course,
    one_of,
    online,
    settings,
)
from qpa.bench.families.values import Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import WORLD_CLOCK, World

TOOL = Dimension.TOOL
TRAVEL = "Travel & Lifestyle"
LABELS = (
    "Grandma",
    "Piano lessons",
    "Poker night",
    "Study group",
    "Best noodles",
    "First date",
    "Dog school",
    "Car pool",
    "Sunday run",
    "Cheap parking",
)
LABELS_ZH = (
    "奶奶家",
    "钢琴课",
    "牌局",
    "自习小组",
    "最好吃的面",
    "第一次约会",
    "宠物学校",
    "拼车点",
    "周日晨跑",
    "便宜停车",
)
# category -> what places of that kind are called; none of them is in a seeded world
KINDS = {"bakery": "Bakery", "bookshop": "Books", "barber": "Barber", "florist": "Flowers", "cinema": "Cinema"}
KINDS_ZH = {"bakery": "面包店", "bookshop": "书店", "barber": "理发店", "florist": "花店", "cinema": "电影院"}
STREETS = (
    ("Elm", "榆树"), ("Mill", "磨坊"), ("Abbey", "修道院"), ("Castle", "城堡"), ("Orchard", "果园"),
    ("Canal", "运河"), ("Tower", "钟楼"), ("Chapel", "教堂"), ("Quarry", "采石场"), ("Windmill", "风车"),
)  # fmt: skip
MAP = online(location="on")


def ahead(days: int) -> str:
    """The date that many days after the task's clock."""
    return (WORLD_CLOCK.date() + timedelta(days=days)).isoformat()


def spots(world: World) -> list[str]:
    """Places that nobody lives in and that can be named without doubt."""
    return [r["name"] for r in world.rows["places"] if r["category"] != "building" and "Blue Cup" not in r["name"]]


def _goal(rng: Draw, world: World) -> dict[str, Any]:
    return {"destination": rng.choice(spots(world))}


def _label(rng: Draw, world: World) -> dict[str, Any]:
    place = rng.choice([r["name"] for r in world.rows["places"] if not r["label"] and "Blue Cup" not in r["name"]])
    return {"place": place, "label": rng.pick(LABELS_ZH if rng.chinese else LABELS)}


def _saved(rng: Draw, world: World) -> dict[str, Any]:
    return {"place": next(r["name"] for r in world.rows["places"] if r["label"] and r["label"] not in ("Home", "Work"))}


MAP_REQUESTS = (
    Request(
        "control_navigation",
        (
            "Guide me to {destination} on foot.",
            "I want to walk to {destination}, start the directions please.",
            "Walking directions to {destination}, now.",
            "My legs need some exercise: navigate me to {destination}, walking.",
        ),
        (
            "导航步行去{destination}。",
            "我走路去{destination}，开始导航吧。",
            "步行导航，目的地{destination}。",
            "今天想多走走，带我步行到{destination}。",
        ),
        {"action": "start", "mode": "walk"},
        _goal,
        {"settings": MAP},
        says=("Navigation to {destination} started.", "已开始导航去{destination}。"),
    ),
    Request(
        "control_navigation",
        (
            "Start navigation to {destination} by bike.",
            "I'm taking the bicycle to {destination}, show me the way.",
            "Bike route to {destination}, start it.",
            "Just got on my bike. Lead me to {destination}, would you?",
        ),
        (
            "骑车去{destination}，开始导航。",
            "我骑自行车去{destination}，带路。",
            "开始骑行导航到{destination}。",
            "刚骑上车，帮我导航到{destination}。",
        ),
        {"action": "start", "mode": "cycle"},
        _goal,
        {"settings": MAP},
        says=("Navigation to {destination} started.", "已开始导航去{destination}。"),
    ),
    Request(
        "control_navigation",
        (
            "Drive me to {destination} but keep off toll roads.",
            "Navigate by car to {destination}, no tolls please.",
            "Start driving directions to {destination} and avoid tolls.",
            "I'm in the car and too stingy for tolls: get me to {destination} without any.",
        ),
        (
            "开车去{destination}，避开收费路段，开始导航。",
            "导航到{destination}，我开车，不走收费路。",
            "开始驾车导航去{destination}，别走高速收费的。",
            "我在车上，不想交过路费，带我去{destination}。",
        ),
        {"action": "start", "mode": "drive", "avoidTolls": True},
        _goal,
        {"settings": MAP},
        says=("Navigation to {destination} started, without tolls.", "已开始导航去{destination}，避开收费。"),
    ),
    Request(
        "manage_saved_places",
        (
            "Save {place} on the map as {label}.",
            "Bookmark {place} under the label {label}.",
            "Add {place} to my saved places and call it {label}.",
            "So I find it again: {place} should be saved as {label}.",
        ),
        (
            "把{place}收藏为“{label}”。",
            "在地图上保存{place}，标签叫{label}。",
            "收藏地点{place}，名字记成{label}。",
            "怕下次找不到，把{place}存成{label}吧。",
        ),
        {"action": "save"},
        _label,
        says=("Saved {place} as {label}.", "已把{place}收藏为{label}。"),
    ),
    Request(
        "manage_saved_places",
        (
            "Take {place} off my saved places.",
            "I no longer need {place} among my saved places, remove it.",
            "Delete the bookmark for {place} on the map.",
            "{place} can go from my saved places.",
        ),
        (
            "把{place}从收藏的地点里删掉。",
            "{place}不用收藏了，移除吧。",
            "取消收藏{place}。",
            "地图收藏里的{place}删了吧，用不着了。",
        ),
        {"action": "remove"},
        _saved,
        says=("Removed {place}.", "已移除{place}。"),
    ),
    Request(
        "manage_weather_alerts",
        (
            "Warn me about bad weather from now on.",
            "Turn on weather warnings.",
            "I'd like to get alerts when a storm is coming, switch that on.",
        ),
        ("打开天气预警。", "以后有恶劣天气提醒我。", "暴风雨要来的时候通知我，把预警打开。"),
        {"action": "enable"},
        patch={"settings": settings(weather_alerts="off")},
        says=("Weather warnings are on.", "天气预警已打开。"),
    ),
    Request(
        "manage_weather_alerts",
        (
            "Turn off the weather warnings.",
            "No more weather alerts, please.",
            "Those storm warnings drive me crazy, disable them.",
        ),
        ("关掉天气预警。", "别再给我发天气预警了。", "天气警报太烦了，关了吧。"),
        {"action": "disable"},
        patch={"settings": settings(weather_alerts="on")},
        says=("Weather warnings are off.", "天气预警已关闭。"),
    ),
)


@family("travel_map_set", TOOL, TRAVEL, "grounding", variants=len(MAP_REQUESTS))
def travel_map_set(rng: Draw, world: World) -> Draft:
    """One call on the map or the weather warnings."""
    return one_of(rng, world, MAP_REQUESTS)


# --- changes of mind ------------------------------------------------------------------------------------------------


def _navigating(destination: str, **more: str) -> list[dict[str, str]]:
    return [*MAP, *settings(nav_destination=destination, nav_mode="drive", **more)]


def _elsewhere(rng: Draw, world: World) -> Draft:
    """A navigation runs; the user wants to go somewhere else."""
    old, new = rng.sample(spots(world), 2)
    start = do("control_navigation", action="start", destination=new)
    reply = done(rng.say(f"Now going to {new}.", f"改去{new}了。"))
    return Draft(
        phrasings=(
            "Forget {old}, take me to {new} instead.",
            "Change of plan: not {old}, the new destination is {new}.",
            "I don't want to go to {old} any more. Navigate to {new}.",
            "They moved the meeting away from {old}, so redirect the navigation to {new}.",
        ),
        chinese=(
            "不去{old}了，改去{new}。",
            "计划有变，目的地从{old}换成{new}。",
            "{old}不去了，导航到{new}吧。",
            "会面不在{old}了，把导航改到{new}。",
        ),
        slots={"old": old, "new": new},
        plan=course([do("control_navigation", action="update", destination=new)], reply=reply),
        alternatives=(course([do("control_navigation", action="stop")], [start], reply=reply),),
        patch={"settings": _navigating(old)},
    )


def _stopover(rng: Draw, world: World) -> Draft:
    """A navigation runs; a stop on the way is added."""
    goal, stop = rng.sample(spots(world), 2)
    return Draft(
        phrasings=(
            "I'm on my way to {goal}; add a stop at {stop}.",
            "Before {goal} I have to drop by {stop}, put it into the route.",
            "Keep {goal} as the destination, but go via {stop}.",
            "Almost forgot: on the way to {goal} we pick someone up at {stop}. Change the navigation, please.",
        ),
        chinese=(
            "去{goal}的路上加一站{stop}。",
            "先绕到{stop}再去{goal}，改一下导航。",
            "目的地还是{goal}，中途经过{stop}。",
            "差点忘了，去{goal}之前要到{stop}接个人，导航加上。",
        ),
        slots={"goal": goal, "stop": stop},
        plan=course(
            [do("control_navigation", action="update", waypoints=[stop])],
            reply=done(rng.say(f"{stop} is on the way now.", f"已加上途经点{stop}。")),
        ),
        patch={"settings": _navigating(goal)},
    )


def _by_bike(rng: Draw, world: World) -> Draft:
    """A navigation runs by car; it continues in another way."""
    goal = rng.choice(spots(world))
    mode, english, chinese = rng.choice((("walk", "on foot", "走路"), ("cycle", "by bike", "骑车")))
    return Draft(
        phrasings=(
            "I've left the car, take me on to {goal} {way}.",
            "Switch the navigation to {goal}: I'm going {way} now.",
            "Not by car after all. The rest of the way to {goal} I go {way}.",
            "Parking is hopeless, so let's do {goal} {way}; change the running navigation.",
        ),
        chinese=(
            "车停了，剩下的路{way}去{goal}，导航改一下。",
            "去{goal}的导航换成{way}。",
            "不开车了，改成{way}去{goal}。",
            "根本没地方停车，{goal}还是{way}去吧，把导航切过来。",
        ),
        slots={"goal": goal, "way": rng.say(english, chinese)},
        plan=course(
            [do("control_navigation", action="update", mode=mode)],
            reply=done(rng.say(f"Going {english} now.", f"已改成{chinese}。")),
        ),
        patch={"settings": _navigating(goal)},
    )


def _corrected(rng: Draw, world: World) -> Draft:
    """The user corrects the destination within one utterance."""
    wrong, right = rng.sample(spots(world), 2)
    return Draft(
        phrasings=(
            "Drive to {wrong}, no wait, {right}.",
            "Navigate to {wrong}... sorry, I meant {right}. By car.",
            "Start the car navigation to {wrong}. Hm, actually to {right}.",
            "{wrong}, please. Oh, what am I saying, {right}! I'm driving.",
        ),
        chinese=(
            "开车去{wrong}，哦不对，去{right}。",
            "导航到{wrong}……说错了，是{right}，我开车。",
            "驾车导航去{wrong}，算了，还是去{right}。",
            "去{wrong}吧，瞧我这记性，是{right}！我开车去。",
        ),
        slots={"wrong": wrong, "right": right},
        plan=course(
            [do("control_navigation", action="start", destination=right)],
            reply=done(rng.say(f"Navigation to {right} started.", f"已开始导航去{right}。")),
        ),
        patch={"settings": MAP},
    )


def _stopped(rng: Draw, world: World) -> Draft:
    """A navigation runs; the user is there or gives up."""
    goal = rng.choice(spots(world))
    return Draft(
        phrasings=(
            "We're at {goal}, you can stop the navigation.",
            "End the navigation to {goal}.",
            "I won't go to {goal} after all, cancel the directions.",
            "Yes yes, I can see {goal} already, stop telling me where to turn.",
        ),
        chinese=(
            "到{goal}了，停止导航。",
            "结束去{goal}的导航。",
            "{goal}不去了，取消导航。",
            "都看见{goal}了，别再播报怎么拐了，关掉导航。",
        ),
        slots={"goal": goal},
        plan=course(
            [do("control_navigation", action="stop")], reply=done(rng.say("Navigation stopped.", "导航已停止。"))
        ),
        patch={"settings": _navigating(goal)},
    )


_CHANGES = (_elsewhere, _stopover, _by_bike, _corrected, _stopped)


@family("travel_reroute", TOOL, TRAVEL, "revision", variants=len(_CHANGES))
def travel_reroute(rng: Draw, world: World) -> Draft:
    """The way, the stops or the destination change."""
    return branch(rng, world, _CHANGES)


FAMILIES = (travel_map_set, travel_reroute)
