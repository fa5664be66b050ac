"""Skill families that need one skill: settings, records, look-ups, and acting on what one told."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import Request, answered, online, settings
from qpa.bench.families.mobile.skill_base import guided, guided_one_of
from qpa.bench.families.tool_calls import person
from qpa.bench.families.values import Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.domains.utility_data import PAGES
from qpa.envs.sandbox.schema import World

SKILL = Dimension.SKILL
SUBJECTS = (("lighthouse", "灯塔"), ("market", "集市"), ("waterfall", "瀑布"), ("tram", "电车"), ("bakery", "面包店"))
ROOMS = (("attic", "阁楼"), ("workshop", "工坊"), ("guest room", "客房"), ("sunroom", "阳光房"), ("cellar", "地下室"))

SETTINGS = (
    (
        "accessibility",
        Request(
            "manage_touch_hold_delay",
            (
                "My finger rests on things too long; make touch and hold take the longest delay.",
                "Set the touch and hold delay to long.",
                "Long-press triggers far too quickly for my shaky hands, use the longest setting please.",
                "Touch and hold: long.",
            ),
            (
                "长按延迟调成最长的。",
                "我手抖，老是误触发长按，把触摸并按住的时间设到最长吧。",
                "触摸并按住的延迟，设为长。",
                "长按太灵敏了，帮我改成要按很久才算的那一档。",
            ),
            {"action": "set", "delay": "long"},
            patch={"settings": settings(touch_hold_delay="short")},
        ),
    ),
    (
        "language-input",
        Request(
            "manage_keyboard_settings",
            (
                "Show a row of numbers on top of my keyboard.",
                "Switch the keyboard's number row on.",
                "I type digits all day and keep changing pages; put the number row on my keyboard.",
                "Keyboard: number row on.",
            ),
            (
                "键盘上面加一排数字。",
                "把输入法键盘的数字行打开。",
                "我老要打数字，切来切去烦死了，键盘上常驻一行数字吧。",
                "键盘数字行，开。",
            ),
            {"action": "set", "settingItem": "number_row", "settingValue": "on"},
            patch={"settings": settings(keyboard_number_row="off")},
        ),
    ),
    (
        "clock-settings",
        Request(
            "set_time_format",
            (
                "I keep mixing up seven and nineteen o'clock, show the time in 24 hours.",
                "Use the 24-hour clock.",
                "No more AM and PM on my phone's clock, please.",
                "Clock format: 24h.",
            ),
            (
                "时间用24小时制显示。",
                "别再显示上午下午了，时钟换成二十四小时的。",
                "我总把早上七点和晚上七点搞混，时间改24小时制吧。",
                "时钟格式：24小时。",
            ),
            {"format": "24h"},
            patch={"settings": settings(time_format="12h")},
        ),
    ),
)


@family("skill_setting", SKILL, "System Settings", "single_skill", "grounding", variants=len(SETTINGS))
def skill_setting(rng: Draw, world: World) -> Draft:
    """One setting of a kind that has a skill of its own."""
    return guided_one_of(rng, world, SETTINGS)


def _weight(rng: Draw, world: World) -> dict[str, Any]:
    return {"value": rng.randint(450, 990) / 10}


def _number(rng: Draw, world: World) -> dict[str, Any]:
    return {"name": person(rng, world), "phoneNumber": rng.phone()}


def _page(rng: Draw, world: World) -> dict[str, Any]:
    known = {row["url"] for row in world.rows["browser_entries"]}
    return {"page": rng.choice([page for page in PAGES if page not in known])}


RECORDS = (
    (
        "health-fitness",
        Request(
            "manage_health_log",
            (
                "I weigh {value} kilograms today, put it in my health data.",
                "Log my weight: {value} kilograms.",
                "Just stepped off the scale, {value} kilograms. Keep that for me in Health.",
                "Weight today {value} kilograms, save it.",
            ),
            (
                "今天体重{value}公斤，记到健康数据里。",
                "帮我记录体重：{value}公斤。",
                "刚称完，{value}公斤，健康里存一下。",
                "体重{value}公斤，记一笔，今天的。",
            ),
            {"action": "add", "dataType": "weight", "unit": "kilograms"},
            draw=_weight,
        ),
    ),
    (
        "contacts-calls",
        Request(
            "add_contact",
            (
                "Save {name} in my contacts, the number is {phoneNumber}.",
                "New contact: {name}, {phoneNumber}.",
                "I met {name} at the club yesterday, keep the number {phoneNumber} in my address book.",
                "{phoneNumber} is {name}'s number, add it to the contacts.",
            ),
            (
                "把{name}存到通讯录，电话{phoneNumber}。",
                "新建联系人：{name}，{phoneNumber}。",
                "昨天认识了{name}，号码是{phoneNumber}，帮我存进通讯录。",
                "{phoneNumber}是{name}的电话，加个联系人。",
            ),
            draw=_number,
        ),
    ),
    (
        "browser-reference",
        Request(
            "manage_bookmark",
            (
                "Bookmark {page} for me.",
                "Add {page} to my bookmarks.",
                "I'll need {page} again next month, keep it among the browser's bookmarks.",
                "New bookmark: {page}",
            ),
            (
                "把 {page} 加到书签。",
                "收藏网页 {page} 到浏览器书签里。",
                "{page} 这个网页下个月还要看，帮我加个书签。",
                "新书签： {page}",
            ),
            {"action": "add"},
            draw=_page,
        ),
    ),
)


@family("skill_record", SKILL, "Utilities & Productivity", "single_skill", "grounding", variants=len(RECORDS))
def skill_record(rng: Draw, world: World) -> Draft:
    """One record of a kind that has a skill of its own."""
    return guided_one_of(rng, world, RECORDS)


@family("skill_product", SKILL, "Utilities & Productivity", "single_skill", "grounding")
def skill_product(rng: Draw, world: World) -> Draft:
    """A calculation too long for a head."""
    first, second = rng.randint(213, 989), rng.randint(117, 879)

    def plan() -> Plan:
        feedback = yield [do("calculate_expression", expression=f"{first} * {second}")]
        assert feedback[0].ok
        return done(rng.say(f"That is {first * second}.", f"一共是{first * second}。"))

    return guided(
        Draft(
            phrasings=(
                "What is {first} times {second}?",
                "{first} chairs at {second} dollars each, what does that come to?",
                "Please work out {first} x {second} for me.",
                "We sold {first} tickets for {second} each, so what did we take in total?",
            ),
            chinese=(
                "{first}乘以{second}等于多少？",
                "{first}把椅子，每把{second}块，一共多少钱？",
                "帮我算一下{first}乘{second}。",
                "卖了{first}张票，每张{second}元，总共收了多少？",
            ),
            slots={"first": first, "second": second},
            plan=plan,
            criteria=answered([str(first * second), f"{first * second:,}"], reads=("calculate_expression",)),
        ),
        "calculation-conversion",
    )


@family("skill_warmer", SKILL, "Devices & Cross-device", "single_skill", "dependency")
def skill_warmer(rng: Draw, world: World) -> Draft:
    """Some degrees more than now: the present value has to be read first."""
    room = rng.say(*rng.choice(ROOMS))
    now, more = rng.randint(17, 22), rng.randint(2, 5)
    name = rng.say(f"{room.capitalize()} thermostat", f"{room}温控器")

    def plan() -> Plan:
        feedback = yield [do("query_home_devices", deviceType="thermostat", room=room)]
        (device,) = feedback[0].payload["data"]["items"]
        wanted = device["temperature"] + more
        yield [do("set_thermostat", deviceName=device["name"], temperature=wanted)]
        return done(rng.say(f"Done: {wanted} degrees.", f"好了：{wanted}度。"))

    row = {"name": name, "kind": "thermostat", "room": room, "power": 1, "level": now, "mode": "heat"}
    return guided(
        Draft(
            phrasings=(
                "It's chilly up here, turn the thermostat in the {room} up by {more} degrees.",
                "Make the {room} thermostat {more} degrees warmer than it is set now.",
                "Raise the heating in the {room} by {more} degrees.",
                "{more} degrees more on the thermostat of the {room}, please.",
            ),
            chinese=(
                "有点冷，把{room}的温控器调高{more}度。",
                "{room}的暖气在现在的基础上加{more}度。",
                "{room}那个温控器，比现在再高{more}度。",
                "麻烦把{room}的温度往上调{more}度。",
            ),
            slots={"room": room, "more": more},
            plan=plan,
            patch={"home_devices": [row], "settings": online()},
        ),
        "smart-home",
    )


@family("skill_newest_photo", SKILL, "Audio & Entertainment", "single_skill", "dependency", "reference")
def skill_newest_photo(rng: Draw, world: World) -> Draft:
    """The newest of two photos of a subject becomes a favourite."""
    english, chinese = rng.choice(SUBJECTS)
    subject, days = rng.say(english.capitalize(), chinese), rng.sample(range(1, 14), 2)
    numbers = rng.sample(range(7000, 7999), 2)
    files = [{"id": f"file_88{i}", "name": f"IMG_{n}.jpg", "kind": "image"} for i, n in enumerate(numbers)]
    photos = [
        {"id": f"file_88{i}", "subject": subject, "album": "Camera", "created_at": f"2025-01-{day:02d}T10:00:00"}
        for i, day in enumerate(days)
    ]

    def plan() -> Plan:
        feedback = yield [do("query_gallery", keyword=subject)]
        newest = feedback[0].payload["data"]["items"][0]["name"]
        yield [do("set_photo_favorite", photo=newest, favorite=True)]
        return done(rng.say(f"Done: {newest} is a favourite.", f"好了：{newest}已收藏。"))

    return guided(
        Draft(
            phrasings=(
                "Mark my latest photo of the {subject} as a favourite.",
                "Give the newest {subject} picture in the gallery a heart.",
                "I love the last photo I took of the {subject}, put it among my favourites.",
                "Latest {subject} photo: favourite it.",
            ),
            chinese=(
                "把最新的那张{subject}照片收藏起来。",
                "相册里最近拍的{subject}，给它点个收藏。",
                "我很喜欢最后拍的那张{subject}，设成收藏照片吧。",
                "最新一张{subject}的照片，加收藏。",
            ),
            slots={"subject": rng.say(english, chinese)},
            plan=plan,
            criteria="tool",
            annotated=("set_photo_favorite",),
            patch={"files": files, "media_photos": photos},
        ),
        "gallery-photos",
    )


FAMILIES = (
    skill_setting,
    skill_record,
    skill_product,
    skill_warmer,
    skill_newest_photo,
)
