"""More skill families of two skills, and one of the customer app."""

from __future__ import annotations

import json

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.memory import hit, memory_row
from qpa.bench.families.mobile.common import online, settings
from qpa.bench.families.mobile.skill_base import guided
from qpa.bench.families.tool_calls import person
from qpa.bench.families.values import Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import World

SKILL = Dimension.SKILL
FILMS = ("Quiet Harbors", "The Ninth Kite", "Snow Line", "Copper Moon", "A Small Orchard", "Blue Static")
CAPTIONS = (("English", "英文"), ("French", "法语"), ("German", "德语"))
NEW_APPS = ("Leaflet", "Chessly", "Budgeteer", "Skyline Radar", "Tide Tables", "Quizzer")
SHOPS = ("Kettle Corner", "Fern & Field", "Bolt Depot", "Paper Lane")
GOODS = (("desk lamp", "台灯"), ("rain coat", "雨衣"), ("tea kettle", "茶壶"), ("wool socks", "羊毛袜"))
WALLETS = ("Zest Pay", "Orbit Pay", "Clover Pay", "Lumen Pay")
HABITS = (("gym", "健身房"), ("office", "办公室"), ("library", "图书馆"), ("kitchen", "厨房"))
GESTURES = (
    ("double_tap_back", "a double tap on the back", "双击背部"),
    ("triple_tap_back", "a triple tap on the back", "三击背部"),
)
FUNCTIONS = (
    ("flashlight", "the flashlight", "手电筒"),
    ("camera", "the camera", "相机"),
    ("scan_code", "code scanning", "扫码"),
)
TILES = ("QR scanner", "Calculator", "Screen recorder", "Eye comfort")
COMPANIES = ("Larch Toys", "Cobalt Travel", "Quarry Books", "Willow Foods")


@family("skill_caption_film", SKILL, "Audio & Entertainment", "multi_skill", "parallel")
def skill_caption_film(rng: Draw, world: World) -> Draft:
    """Captions in a language, and a film."""
    film, (language, chinese) = rng.choice(FILMS), rng.choice(CAPTIONS)

    def plan() -> Plan:
        yield [do("manage_ai_caption", action="enable", language=language), do("play_video", title=film)]
        return done(rng.say(f"{film} plays, captions in {language}.", f"正在播放{film}，{chinese}字幕已开。"))

    return guided(
        Draft(
            phrasings=(
                "Play {film} and turn on AI captions in {language}.",
                "Start the film {film}; I'm half deaf today, so live {language} AI captions too.",
                "{film} with AI captions in {language}, please.",
                "Movie time, {film}! Have the AI caption everything in {language}.",
            ),
            chinese=(
                "播放{film}，同时打开{language}的AI字幕。",
                "放电影{film}，我听不太清，AI字幕也开上，要{language}。",
                "看{film}，AI字幕用{language}。",
                "{film}放起来，再开AI字幕，语言选{language}。",
            ),
            slots={"film": film, "language": rng.say(language, chinese)},
            plan=plan,
            patch={
                "media_shows": [{"title": film, "kind": "movie", "genre": "drama", "minutes": 95}],
                "settings": online(
                    ai_caption="off", ai_caption_language="Spanish", media_state="stopped", media_item=""
                ),
            },
        ),
        "screen-assistant",
        "video-shows",
    )


@family("skill_gesture_tile", SKILL, "Input & Interaction", "multi_skill", "parallel")
def skill_gesture_tile(rng: Draw, world: World) -> Draft:
    """A gesture for one thing and a tile for another."""
    gesture, function, tile = rng.choice(GESTURES), rng.choice(FUNCTIONS), rng.choice(TILES)
    tiles = "Wi-Fi,Bluetooth,Mobile data,NFC,Location"

    def plan() -> Plan:
        yield [do("manage_gesture_shortcuts", action="set", gesture=gesture[0], function=function[0])]
        yield [do("manage_control_center", action="add", tile=tile)]
        return done(rng.say("Both are set.", "两样都设好了。"))

    return guided(
        Draft(
            phrasings=(
                "Let {gesture} start {function}, and add the {tile} tile to the control center.",
                "I want {function} by {gesture}; also put {tile} into my control center.",
                "Set {gesture} to {function}. The control center needs a {tile} tile as well.",
                "Two tweaks: {gesture} opens {function}, and {tile} becomes a control center tile.",
            ),
            chinese=(
                "把{gesture}设成打开{function}，再往控制中心加个{tile}。",
                "我想{gesture}就启动{function}，另外控制中心里放上{tile}。",
                "{gesture}对应{function}；控制中心也加上{tile}图块。",
                "两件事：{gesture}开{function}，控制中心添加{tile}。",
            ),
            slots={"gesture": rng.say(*gesture[1:]), "function": rng.say(*function[1:]), "tile": tile},
            plan=plan,
            criteria="tool",
            patch={"settings": settings(control_center_tiles=tiles, **{f"gesture_{gesture[0]}": "off"})},
        ),
        "gestures-screen-control",
        "home-screen",
    )


@family("skill_install_quiet", SKILL, "Apps & Storage", "multi_skill", "dependency")
def skill_install_quiet(rng: Draw, world: World) -> Draft:
    """What is not installed cannot be silenced yet."""
    app = rng.choice(NEW_APPS)

    def plan() -> Plan:
        yield [do("install_app", appName=app)]
        yield [do("manage_app_notifications", action="disable", appName=app)]
        return done(rng.say(f"{app} is installed and quiet.", f"{app}装好了，通知已关。"))

    return guided(
        Draft(
            phrasings=(
                "Install {app} and turn its notifications off.",
                "Get me {app} from the store, but it must not send any notifications.",
                "I need {app}. Put it on the phone and switch off all its notifications right away.",
                "{app}, please, installed and without notifications.",
            ),
            chinese=(
                "安装{app}，再把它的通知关掉。",
                "从商店下个{app}，不过别让它发通知。",
                "我要用{app}，装上以后通知全关。",
                "装{app}，通知一律关闭。",
            ),
            slots={"app": app},
            plan=plan,
            criteria="tool",
            patch={
                "store_apps": [{"name": app, "category": "tools", "size_mb": 40, "version": "1.2"}],
                "settings": online(),
            },
        ),
        "apps-lifecycle",
        "apps-permissions-notices",
    )


@family("skill_receipt", SKILL, "Utilities & Productivity", "multi_skill", "dependency", "reference")
def skill_receipt(rng: Draw, world: World) -> Draft:
    """An expense with its receipt, whose file name has to be found."""
    shop, amount = rng.choice(SHOPS), rng.randint(500, 19900) / 100
    name = f"Receipt_{shop.replace(' & ', '_').replace(' ', '_')}_{rng.randint(100, 999)}.pdf"

    def plan() -> Plan:
        feedback = yield [do("local_file_search", keyword=shop.split()[0])]
        found = feedback[0].payload["data"]["items"][0]["name"]
        yield [do("manage_expense", action="add", amount=amount, category="shopping", note=shop, receipt=found)]
        return done(rng.say(f"Recorded {amount} with {found}.", f"已记{amount}，附{found}。"))

    return guided(
        Draft(
            phrasings=(
                'Record an expense of {amount}, category shopping, note "{shop}", with the {shop} receipt on my phone.',
                'I spent {amount} on shopping. Note it as "{shop}" and attach the receipt file I have from {shop}.',
                'New shopping expense, {amount}, "{shop}", and link the {shop} receipt among my files.',
                'Expense: shopping, {amount}, note "{shop}". The {shop} receipt is saved here somewhere, attach it.',
            ),
            chinese=(
                "记一笔支出{amount}，类别购物，备注“{shop}”，附上手机里{shop}的收据。",
                "购物花了{amount}，备注写“{shop}”，再把我存的{shop}收据文件挂上。",
                "新的购物支出，{amount}，备注“{shop}”，收据用手机里{shop}那个文件。",
                "支出：购物，{amount}，备注“{shop}”。{shop}的收据存在手机里，找出来一起记上。",
            ),
            slots={"shop": shop, "amount": amount},
            plan=plan,
            patch={"files": [{"id": "file_881", "name": name, "kind": "document", "size_kb": 210}]},
        ),
        "apps-storage-files",
        "documents-records",
    )


@family("skill_usual_volume", SKILL, "Display & Sound", "multi_skill", "dependency", "reference")
def skill_usual_volume(rng: Draw, world: World) -> Draft:
    """How loud, only the memory knows."""
    place, level = rng.say(*rng.choice(HABITS)), rng.choice((15, 25, 35, 45, 65, 75))
    title = rng.say(f"Volume at the {place}", f"{place}的音量")
    content = rng.say(f"At the {place} I keep the media volume at {level}.", f"在{place}媒体音量一般是{level}。")
    row = memory_row(rng.randint(200, 900), title, content)

    def plan() -> Plan:
        feedback = yield [do("search_user_memory", query=title)]
        hit(feedback[0], row["id"])
        yield [do("manage_volume", action="set", stream="media", level=level)]
        return done(rng.say(f"Media volume {level}.", f"媒体音量{level}。"))

    return guided(
        Draft(
            phrasings=(
                "Set the media volume the way I usually have it at the {place}.",
                "I'm at the {place}: media volume as always.",
                "Same media volume as I always use at the {place}, please.",
                "You know how loud I like media at the {place}, set it.",
            ),
            chinese=(
                "媒体音量调成我在{place}平时用的那样。",
                "我到{place}了，媒体音量照老样子。",
                "按我在{place}的习惯设媒体音量。",
                "你知道我在{place}媒体放多大声，调一下。",
            ),
            slots={"place": place},
            plan=plan,
            patch={"memories": [row], "settings": settings(media_volume="50", volume_limit="off")},
            memories=(row["id"],),
        ),
        "user-memory",
        "focus-sound-notifications",
    )


_CART_PAID = (
    (
        "Order the {goods} in my {shop} cart to {home}; pay with {first} or {second}, whichever has enough.",
        "Buy what's in the {shop} cart, the {goods}, deliver to {home}. Only one of {first} and {second} holds "
        "enough, take that one.",
        "Yes, place the {shop} order ({goods}, to {home}) using {first} if it covers it, otherwise {second}.",
        "{shop}: order the {goods} to {home} now. Check {first} and {second} and use the one that can pay.",
    ),
    (
        "把{shop}购物车里的{goods}下单，寄到{home}；{first}和{second}哪个钱够用哪个付。",
        "买下{shop}购物车里的{goods}，地址{home}，{first}和{second}只有一个余额够，用那个。",
        "{shop}的{goods}下单吧，送到{home}，{first}够就用{first}，不够就{second}。",
        "下单{shop}购物车里的{goods}，地址选{home}，先看看{first}和{second}的余额，谁够用谁。",
    ),
)


@family("skill_cart_paid", SKILL, "Shopping", "multi_skill", "dependency", "conditional")
def skill_cart_paid(rng: Draw, world: World) -> Draft:
    """The cart is paid with whichever of two wallets holds enough."""
    shop, goods = rng.choice(SHOPS), rng.say(*rng.choice(GOODS))
    rich, poor = rng.sample(WALLETS, 2)
    price = rng.randint(20, 90)

    def plan() -> Plan:
        feedback = yield [
            do("manage_wallets", action="query", walletApp=rich),
            do("manage_wallets", action="query", walletApp=poor),
        ]
        assert all(f.ok for f in feedback)
        yield [do("place_order", appName=shop, addressName=home, paymentMethod=rich)]
        return done(rng.say(f"Ordered, paid with {rich}.", f"已下单，用{rich}付的款。"))

    home = rng.say("Home", "家")
    first, second = rng.sample((rich, poor), 2)
    return guided(
        Draft(
            phrasings=_CART_PAID[0],
            chinese=_CART_PAID[1],
            slots={"goods": goods, "shop": shop, "home": home, "first": first, "second": second},
            plan=plan,
            criteria="tool",
            annotated=("place_order",),
            patch={
                "settings": online(payment_protection="off"),
                "apps": [{"name": shop, "category": "shopping"}],
                "shop_offers": [
                    {"app": shop, "name": goods, "price_cents": price * 100, "stock": 5, "rating": 4.5, "in_cart": 1}
                ],
                "addresses": [{"name": home, "recipient": "Me", "phone": "5550001", "address": "4 Mill Lane"}],
                "payment_accounts": [
                    {"name": rich, "balance_cents": (price + 40) * 100, "is_default": 0},
                    {"name": poor, "balance_cents": (price - 15) * 100, "is_default": 0},
                ],
            },
        ),
        "shopping-orders",
        "wallet-payments",
    )


@family("skill_customer_call", SKILL, "Customer Management", "single_skill", "dependency", unseen="app")
def skill_customer_call(rng: Draw, world: World) -> Draft:
    """A customer wrote when he wants to be called: a follow-up for that moment."""
    name, company, moment = person(rng, world), rng.choice(COMPANIES), f"{rng.day()} {rng.time(9, 17)}"
    wish = rng.say(f"Please call me on {moment}.", f"请在{moment}给我打电话。")

    def plan() -> Plan:
        feedback = yield [do("query_customer_messages", customer=name)]
        assert moment in json.dumps(feedback[0].payload, ensure_ascii=False)
        yield [do("manage_follow_up", action="create", customer=name, kind="call", due=moment)]
        return done(rng.say(f"Planned: call {name} on {moment}.", f"已安排：{moment}给{name}打电话。"))

    entry = {"customer_id": "customer_881", "channel": "chat", "author": name, "at": "2025-01-14T11:00:00"}
    return guided(
        Draft(
            phrasings=(
                "{name} of {company} wrote when to call back. Plan the call as a follow-up for that time.",
                "See when customer {name} ({company}) wants a call, and make a call follow-up for it.",
                "Put a follow-up call with {name} from {company} at the time asked for in the chat.",
                "There's a chat from {name}, {company}, about a call. Make the follow-up when it was wished for.",
            ),
            chinese=(
                "{company}的{name}说了什么时候回电话，按那个时间建一个电话跟进。",
                "看看客户{name}（{company}）想几点接电话，安排成电话跟进。",
                "给{company}的{name}加个电话跟进，时间就按聊天里要求的。",
                "客户{name}在聊天里约了通话时间，{company}的，照着建电话跟进。",
            ),
            slots={"name": name, "company": company},
            plan=plan,
            criteria="tool",
            annotated=("manage_follow_up",),
            patch={
                "crm_customers": [{"id": "customer_881", "company": company, "contact": name}],
                "crm_messages": [{"id": "entry_881", "text": wish, **entry}],
                "settings": online(),
            },
        ),
        "customer-crm",
    )


FAMILIES = (
    skill_caption_film,
    skill_gesture_tile,
    skill_install_quiet,
    skill_receipt,
    skill_usual_volume,
    skill_cart_paid,
    skill_customer_call,
)
