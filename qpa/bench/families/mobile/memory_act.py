"""Memory, one turn: phone actions whose parameters only the saved records give; judged by state."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import online
from qpa.bench.families.mobile.memory_common import (
    ASSISTANT,
    MEETINGS,
    MEMORY,
    acquaintances,
    coming_day,
    look_up,
    met,
)
from qpa.bench.families.mobile.memory_profile import Fact, book, conflicting, draw_life
from qpa.bench.families.mobile.memory_topics import HABIT, SLOTS
from qpa.bench.families.tool_calls import contact_row
from qpa.bench.families.values import PLACES, TITLES, Draw
from qpa.envs.sandbox.schema import World

ROOMS = (  # as the device is named, as people say it
    ("Bedroom", "bedroom", "卧室"),
    ("Nursery", "nursery", "婴儿房"),
    ("Guest Room", "guest room", "客房"),
    ("Attic", "attic room", "阁楼"),
)
ERRANDS = (
    ("dentist", "牙医"),
    ("tailor", "裁缝店"),
    ("optician", "眼镜店"),
    ("notary", "公证处"),
    ("car workshop", "修车厂"),
    ("tax adviser", "税务师"),
)
WAYS = (("walk", "on foot", "走路"), ("cycle", "by bike", "骑车"), ("drive", "by car", "开车"))
SOUND_MODES = (("silent", "silent", "静音"), ("vibrate", "vibrate", "振动"))
_IDLE = {"location": "on", "nav_destination": "", "nav_mode": "", "nav_waypoints": "", "nav_avoid_tolls": "off"}
FOOD_APP = "Ele.me"
_DISHES = (("Beef Noodles", 2900), ("Pork Dumplings", 2600), ("Margherita Pizza", 4800), ("Caesar Salad", 3500))


def thermostats(*rooms: str) -> list[dict[str, object]]:
    """Rows of running thermostats."""
    return [
        {
            "name": f"{r} Thermostat",
            "kind": "thermostat",
            "room": r,
            "online": 1,
            "power": 1,
            "level": 26,
            "mode": "heat",
        }
        for r in rooms
    ]


@family("memory_day_alarm", MEMORY, ASSISTANT, "single_record", "act", "single_turn")
def memory_day_alarm(rng: Draw, world: World) -> Draft:
    """The time of one weekday, beside another day's and another person's."""
    life, title, (day, date) = draw_life(rng, world), rng.pick(TITLES), coming_day(rng)
    other_day = rng.choice([d for d in (rng.say(*pair) for pair in SLOTS["day"]) if d != day])
    time, *others = (rng.time(5, 8), rng.time(9, 10), rng.time(11, 12))
    child = life.named("daughter")
    say = rng.say
    gold = Fact(
        f"{day} {title}", say(f"For {title} on {day}s the alarm is at {time}.", f"{day}有{title}，闹钟定在{time}。")
    )
    near = (
        Fact(
            f"{other_day} {title}",
            say(
                f"For {title} on {other_day}s the alarm is at {others[0]}.",
                f"{other_day}有{title}，闹钟定在{others[0]}。",
            ),
        ),
        Fact(
            f"{child}: {title}",
            say(f"{child}'s {title} alarm on {day}s is at {others[1]}.", f"{child}{day}的{title}闹钟是{others[1]}。"),
        ),
    )
    found = book(rng, life, (gold,), near)

    def plan() -> Plan:
        feedback = yield [look_up(say(f"{title} {day} alarm", f"{day} {title} 闹钟"))]
        met(feedback[0], *found.ids)
        yield [do("manage_alarm", action="create", time=f"{date} {time}", title=title)]
        return done(say(f"Alarm {title} set for {day} {time}.", f"好了，{day}{time}的{title}闹钟定好了。"))

    return Draft(
        phrasings=(
            "Set an alarm called {title} for this coming {day}, at my usual time for it.",
            "I've got {title} on {day}. Wake me when I always get up for it then, alarm name {title}.",
            "Alarm {title}, {day}, usual time please.",
            "This {day} I need my {title} alarm. Same time I always have on {day}s, and just call it {title}.",
            "Don't let me miss {title} on {day}: an alarm named {title}, you know at what time I have it on that day.",
        ),
        chinese=(
            "这{day}有{title}，按我平时的时间定个闹钟，名字就叫{title}。",
            "帮我定这{day}的{title}闹钟，时间照旧，标题写{title}。",
            "{day}的{title}闹钟，老时间，叫{title}就行。",
            "别让我这{day}睡过头耽误{title}，闹钟叫{title}，几点你知道的。",
            "这个{day}又要{title}了，按{day}一贯的点儿叫我，闹钟标题{title}。",
        ),
        slots={"title": title, "day": day},
        plan=plan,
        patch={"memories": found.rows},
        memories=found.ids,
    )


@family("memory_room_temperature", MEMORY, ASSISTANT, "conflicting_records", "act", "single_turn")
def memory_room_temperature(rng: Draw, world: World) -> Draft:
    """The night temperature was changed once; other rooms, the day and the partner have theirs."""
    life, say = draw_life(rng, world), rng.say
    (device, english, chinese), (_, other_en, other_zh) = rng.sample(ROOMS, 2)
    room, other = say(english, chinese), say(other_en, other_zh)
    old, new, by_day, theirs, elsewhere = rng.sample(range(16, 25), 5)
    stale, fresh = conflicting(
        rng,
        (
            say(f"{room} at night", f"{room}晚上"),
            say(f"Sleeps with the {room} at {old} degrees.", f"睡觉时{room}调到{old}度。"),
        ),
        (
            say(f"{room} at night", f"{room}晚上"),
            say(f"Now keeps the {room} at {new} degrees for the night.", f"现在晚上睡觉{room}保持{new}度。"),
        ),
        HABIT,
    )
    partner = life.named("partner")
    near = (
        Fact(
            say(f"{room} by day", f"{room}白天"),
            say(f"By day the {room} is at {by_day} degrees.", f"白天{room}是{by_day}度。"),
        ),
        Fact(
            say(f"{other} at night", f"{other}晚上"),
            say(f"The {other} is at {elsewhere} degrees for the night.", f"晚上{other}是{elsewhere}度。"),
        ),
        Fact(
            say(f"{partner} and the cold", f"{partner}怕冷"),
            say(f"{partner} would sleep at {theirs} degrees.", f"{partner}想睡觉时调到{theirs}度。"),
        ),
    )
    found = book(rng, life, (stale, fresh), near)

    def plan() -> Plan:
        feedback = yield [
            look_up(say(f"{room} night degrees", f"{room}晚上睡觉多少度")),
            do("query_home_devices", deviceType="thermostat"),
        ]
        met(feedback[0], *found.ids)
        yield [do("set_thermostat", deviceName=f"{device} Thermostat", temperature=new)]
        return done(say(f"The {room} is set to {new} degrees.", f"{room}调到{new}度了。"))

    return Draft(
        phrasings=(
            "Set the {room} thermostat to the temperature I like for the night.",
            "I'm off to bed soon, get the {room} to my usual night temperature.",
            "{room}: night temperature, as I have it now.",
            "It's far too warm in the {room}. Put it where I keep it at night these days.",
            "Could you bring the {room} to what I normally sleep at? I don't remember the number.",
        ),
        chinese=(
            "把{room}的温控器调到我晚上睡觉的温度。",
            "我一会儿就睡了，{room}调成平时夜里的温度。",
            "{room}，夜间温度，按我现在的习惯。",
            "{room}太热了，调回我最近睡觉用的温度吧。",
            "帮我把{room}弄到我睡觉时习惯的那个度数，具体多少我忘了。",
        ),
        slots={"room": room},
        plan=plan,
        patch={"memories": found.rows, "home_devices": thermostats(device), "settings": online()},
        memories=found.ids,
    )


@family("memory_meeting_quiet", MEMORY, ASSISTANT, "multi_record", "act", "single_turn")
def memory_meeting_quiet(rng: Draw, world: World) -> Draft:
    """Sound mode from one record, callers from another, and a guest for today that stays unsaved."""
    life, say = draw_life(rng, world), rng.say
    event, other_event = (say(*pair) for pair in rng.sample(MEETINGS, 2))
    a, b, guest, d = acquaintances(rng, life, 4)
    mode, english, chinese = rng.choice(SOUND_MODES)
    gold = (
        Fact(
            say(f"Phone during {event}", f"{event}时的手机"),
            say(
                f"During {event} the phone is on {english} and do-not-disturb is on.",
                f"{event}时手机{chinese}，并打开勿扰。",
            ),
        ),
        Fact(
            say(f"Calls during {event}", f"{event}时的来电"),
            say(
                f"{a} and {b} may get through do-not-disturb during {event}.",
                f"{event}时{a}和{b}可以不受勿扰限制。",
            ),
        ),
    )
    near = (
        Fact(
            say(f"Phone during {other_event}", f"{other_event}时的手机"),
            say(f"During {other_event} the phone stays on normal.", f"{other_event}时手机保持正常响铃。"),
        ),
        Fact(
            say(f"Calls during {other_event}", f"{other_event}时的来电"),
            say(f"{d} may get through during {other_event}.", f"{other_event}时{d}可以打进来。"),
        ),
    )
    found = book(rng, life, gold, near)

    def plan() -> Plan:
        feedback = yield [look_up(say(f"phone calls during {event} do-not-disturb", f"{event}时手机 来电 勿扰"))]
        met(feedback[0], *found.ids)
        yield [
            do("set_sound_mode", mode=mode),
            do("manage_do_not_disturb", action="enable"),
            *(do("manage_dnd_exceptions", action="allow", contact=name) for name in (a, b, guest)),
        ]
        return done(
            say(
                f"Ready: {english}, and {a}, {b} and {guest} get through.",
                f"设好了：{chinese}，{a}、{b}和{guest}能打进来。",
            )
        )

    return Draft(
        phrasings=(
            "{event} is about to start. Set the phone up as I always have it there; just today {guest} may get through too.",
            "Going into {event}: usual sound, do-not-disturb and callers, plus {guest} as an exception today.",
            "Quiet me down for {event} the usual way, and let {guest} through as well this once.",
            "Phone to my {event} settings please, same people allowed as ever, and for once {guest} too.",
            "I'm waiting for something from {guest}, but {event} begins now. My usual set-up for it, with {guest} let through.",
        ),
        chinese=(
            "{event}马上开始了，手机按我一贯的设置来，今天再让{guest}也能打进来。",
            "我要去{event}了：声音、勿扰和能打进来的人都照旧，今天额外加上{guest}。",
            "按{event}的老规矩静下来，这次{guest}也放行。",
            "手机切到我{event}时的状态，平时放行的人不变，今天破例多一个{guest}。",
            "我在等{guest}的消息，可是{event}要开始了，照平时那样设好，顺便放行{guest}。",
        ),
        slots={"event": event, "guest": guest},
        plan=plan,
        patch={
            "memories": found.rows,
            "contacts": [contact_row(701 + i, name, rng.phone()) for i, name in enumerate((a, b, guest, d))],
            "settings": online(sound_mode="normal", dnd="off", dnd_until=""),
        },
        memories=found.ids,
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
        phrasings=(
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
        slots={"errand": errand},
        plan=plan,
        patch={
            "memories": found.rows,
            "places": [
                {"name": name, "address": f"{n} Elm Road", "category": "service", "x_m": 700 * n, "y_m": 400 * n}
                for n, name in enumerate((old, new, theirs), start=2)
            ],
            "settings": online(**_IDLE),
        },
        memories=found.ids,
    )


@family("memory_usual_order", MEMORY, ASSISTANT, "multi_record", "act", "single_turn")
def memory_usual_order(rng: Draw, world: World) -> Draft:
    """The dish and where it goes from one record, the wallet from another."""
    life, say = draw_life(rng, world), rng.say
    meal, other_meal = rng.sample((("lunch", "午饭"), ("dinner", "晚饭"), ("late snack", "夜宵")), 2)
    meal_name, other_name = say(*meal), say(*other_meal)
    (dish, _), (other_dish, _), (their_dish, _) = rng.sample(_DISHES, 3)
    address, other_address = rng.sample([row["name"] for row in world.rows["addresses"]], 2)
    wallets = [row["name"] for row in world.rows["payment_accounts"] if row["kind"] == "wallet"]
    wallet, other_wallet = rng.sample(wallets, 2)
    partner = life.named("partner")
    gold = (
        Fact(
            say(f"Usual {meal_name} order", f"常点的{meal_name}"),
            say(
                f"For {meal_name} orders one {dish} on {FOOD_APP}, delivered to {address}.",
                f"{meal_name}在{FOOD_APP}点一份{dish}，送到{address}。",
            ),
        ),
        Fact(
            say("Paying for food", "点餐付款"), say(f"Pays for food orders with {wallet}.", f"点外卖用{wallet}付款。")
        ),
    )
    near = (
        Fact(
            say(f"Usual {other_name} order", f"常点的{other_name}"),
            say(
                f"For {other_name} orders one {other_dish} on {FOOD_APP}, delivered to {other_address}.",
                f"{other_name}在{FOOD_APP}点一份{other_dish}，送到{other_address}。",
            ),
        ),
        Fact(
            say(f"{partner}'s {meal_name}", f"{partner}的{meal_name}"),
            say(f"{partner} takes {their_dish} for {meal_name}.", f"{partner}{meal_name}点{their_dish}。"),
        ),
        Fact(
            say("Paying for clothes", "买衣服付款"),
            say(f"Pays for clothes with {other_wallet}.", f"买衣服用{other_wallet}付款。"),
        ),
    )
    found = book(rng, life, gold, near)

    def plan() -> Plan:
        feedback = yield [look_up(say(f"usual {meal_name} order, pays for food with", f"常点的{meal_name} 外卖付款"))]
        met(feedback[0], *found.ids)
        yield [do("manage_cart", action="add", appName=FOOD_APP, productName=dish, quantity=1)]
        yield [do("place_order", appName=FOOD_APP, addressName=address, paymentMethod=wallet)]
        return done(
            say(f"Ordered {dish} to {address}, paid with {wallet}.", f"{dish}点好了，送到{address}，{wallet}付款。")
        )

    return Draft(
        phrasings=(
            f"Order my usual {{meal}} on {FOOD_APP} and pay the way I always pay for food. Go ahead, no need to check back.",
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
        slots={"meal": meal_name},
        plan=plan,
        patch={
            "memories": found.rows,
            "shop_offers": [
                *(
                    {**row, "in_cart": 0}
                    for row in world.rows["shop_offers"]
                    if row["app"] == FOOD_APP and row["in_cart"]
                ),
                *(
                    {"app": FOOD_APP, "name": name, "category": "food", "price_cents": price, "stock": 20, "in_cart": 0}
                    for name, price in _DISHES
                ),
            ],
            "payment_accounts": [{"name": name, "kind": "wallet", "balance_cents": 300_000} for name in wallets],
            "coupons": [
                {**row, "status": "available"}
                for row in world.rows["coupons"]
                if row["app"] == FOOD_APP and row["status"] == "applied"
            ],
            "settings": online(),
        },
        memories=found.ids,
    )


FAMILIES = (memory_day_alarm, memory_room_temperature, memory_meeting_quiet, memory_navigate, memory_usual_order)
