"""What a phone's owner tells an assistant over two years, as bilingual sentences with slots.

Nothing here names a thing that a task asks for: those records are placed among these by `memory_profile`.
"""

from __future__ import annotations

from dataclasses import dataclass

from qpa.bench.families.mobile.memory_slots import Pair

HABIT, INFO, EVENT = "routines_habits", "important_info", "important_event"


@dataclass(frozen=True)
class Topic:
    """One kind of record. `key` names it to families that must not have it in their world."""

    key: str
    category: str
    title: Pair
    text: Pair
    changes: bool = False  # may have been told twice; the record updated last holds
    adult: bool = False  # said of grown people only


PERSON = (
    Topic(
        "birthday",
        EVENT,
        ("{who}'s birthday", "{who}的生日"),
        ("{who}, the {role}, has a birthday on {date}.", "{role}{who}的生日是{date}。"),
    ),
    Topic(
        "eats",
        INFO,
        ("{who}'s favourite food", "{who}爱吃的"),
        ("{who}'s favourite dish is {meal}.", "{who}最爱吃{meal}。"),
        changes=True,
    ),
    Topic(
        "drinks",
        INFO,
        ("{who}'s drink", "{who}的饮料"),
        ("{who} always drinks {drink}.", "{who}总是喝{drink}。"),
        adult=True,
    ),
    Topic(
        "lives",
        INFO,
        ("Where {who} lives", "{who}住在哪里"),
        ("{who} lives in {city}.", "{who}住在{city}。"),
        changes=True,
        adult=True,
    ),
    Topic(
        "job",
        INFO,
        ("{who}'s work", "{who}的工作"),
        ("{who} works as {job}.", "{who}的工作是{job}。"),
        changes=True,
        adult=True,
    ),
    Topic("gift", EVENT, ("Gift for {who}", "送{who}的礼物"), ("Last year {who} got {gift}.", "去年送了{who}{gift}。")),
    Topic(
        "size", INFO, ("{who}'s shoe size", "{who}的鞋码"), ("{who} wears shoe size {size}.", "{who}穿{size}码的鞋。")
    ),
    Topic(
        "wakes",
        HABIT,
        ("{who} in the morning", "{who}早上"),
        ("{who}'s alarm rings at {morning} on {day}s.", "{who}{day}的闹钟是{morning}。"),
    ),
    Topic(
        "calls",
        HABIT,
        ("Calls with {who}", "和{who}通电话"),
        ("Talks to {who} on the phone on {day} evenings.", "{day}晚上和{who}通电话。"),
        changes=True,
    ),
    Topic(
        "channel",
        HABIT,
        ("Reaching {who}", "联系{who}"),
        ("{who} prefers {channel}.", "{who}更喜欢{channel}。"),
        adult=True,
    ),
    Topic(
        "hobby", INFO, ("{who}'s hobby", "{who}的爱好"), ("{who} spends weekends on {hobby}.", "{who}周末喜欢{hobby}。")
    ),
    Topic(
        "meets",
        HABIT,
        ("Seeing {who}", "和{who}见面"),
        ("Usually sees {who} on {day}s at {evening}.", "一般{day}{evening}和{who}见面。"),
    ),
    Topic(
        "met",
        INFO,
        ("How {who} is known", "怎么认识{who}的"),
        ("{who} is the {role}; they met in {city}.", "{who}是{role}，在{city}认识的。"),
        adult=True,
    ),
)

DAYS = (
    Topic(
        "breakfast", HABIT, ("{day} breakfast", "{day}早餐"), ("On {day}s breakfast is {meal}.", "{day}早餐吃{meal}。")
    ),
    Topic(
        "leaves",
        HABIT,
        ("Leaving on {day}", "{day}出门"),
        ("On {day}s leaves the house at {morning}.", "{day}{morning}出门。"),
        changes=True,
    ),
    Topic("commute", HABIT, ("{day} commute", "{day}通勤"), ("On {day}s travels {way}.", "{day}{way}去。")),
    Topic(
        "listens",
        HABIT,
        ("{day} listening", "{day}路上听的"),
        ("On {day}s listens to {podcast} on the way.", "{day}路上听{podcast}。"),
    ),
    Topic("shops", HABIT, ("{day} shopping", "{day}采购"), ("On {day}s buys food at {shop}.", "{day}在{shop}买菜。")),
    Topic(
        "cooks", HABIT, ("{day} dinner", "{day}晚饭"), ("On {day}s there is usually {meal}.", "{day}晚饭一般是{meal}。")
    ),
    Topic(
        "sleeps", HABIT, ("{day} night", "{day}晚上"), ("On {day}s lies in bed by {night}.", "{day}{night}之前躺下。")
    ),
    Topic(
        "tidies",
        HABIT,
        ("{day} housework", "{day}家务"),
        ("On {day}s tidies up for {number} minutes.", "{day}收拾屋子{number}分钟。"),
    ),
)

TRIPS = (
    Topic(
        "trip",
        EVENT,
        ("Trip to {city}", "去{city}"),
        ("Was in {city} in {month} with {who}.", "{month}和{who}去了{city}。"),
    ),
    Topic(
        "hotel",
        INFO,
        ("Hotel in {city}", "{city}的酒店"),
        ("In {city} the room on floor {floor} was too loud.", "在{city}住过{floor}层，太吵了。"),
    ),
    Topic(
        "packs",
        HABIT,
        ("Packing for {city}", "去{city}带的东西"),
        ("For {city} packs the {colour} suitcase.", "去{city}用{colour}行李箱。"),
    ),
)


THING = (
    Topic(
        "kept", INFO, ("{thing}", "{thing}"), ("The {thing} is kept in {spot}.", "{thing}放在{spot}。"), changes=True
    ),
    Topic(
        "lent",
        EVENT,
        ("{thing} lent", "借出的{thing}"),
        ("Got the {thing} back from {who} in {month}.", "{month}{who}把{thing}还回来了。"),
    ),
    Topic(
        "bought",
        INFO,
        ("{thing} bought", "买{thing}"),
        ("The {thing} cost {price} euros in {month}.", "{thing}是{month}花{price}块买的。"),
    ),
)

OWN = (
    Topic("home", INFO, ("Home town", "居住城市"), ("Lives in {home} with {partner}.", "和{partner}住在{home}。")),
    Topic(
        "anniversary",
        EVENT,
        ("Anniversary", "纪念日"),
        ("The anniversary with {partner} is {date}.", "和{partner}的纪念日是{date}。"),
    ),
    Topic(
        "heating",
        HABIT,
        ("Hall heating", "走廊暖气"),
        ("The hall is heated to {degrees} degrees.", "走廊暖气调到{degrees}度。"),
    ),
    Topic(
        "kitchen_light",
        HABIT,
        ("Kitchen light", "厨房灯"),
        ("The kitchen light is dimmed to {number} percent after {evening}.", "{evening}以后厨房灯调到{number}%。"),
    ),
    Topic(
        "coffee",
        HABIT,
        ("Morning coffee", "早上的咖啡"),
        ("Starts the day with {drink}.", "早上先喝{drink}。"),
        changes=True,
    ),
    Topic(
        "hairdresser",
        HABIT,
        ("Hairdresser", "理发"),
        ("Goes to the hairdresser on {day}s.", "一般{day}去剪头发。"),
        changes=True,
    ),
    Topic(
        "laundry",
        HABIT,
        ("Washing machine", "洗衣机"),
        ("Runs the washing machine on {day}s at {evening}.", "{day}{evening}开洗衣机。"),
    ),
    Topic(
        "savings",
        INFO,
        ("Savings goal", "存钱目标"),
        ("Puts aside {number} percent of the pay.", "每月存工资的{number}%。"),
        changes=True,
    ),
    Topic(
        "glasses",
        INFO,
        ("Glasses", "眼镜"),
        ("New glasses since {month}, {colour} frame.", "{month}换了{colour}镜框的眼镜。"),
    ),
    Topic("knee", INFO, ("Knee", "膝盖"), ("The left knee hurts after long runs.", "跑长了左膝会疼。")),
    Topic(
        "pills",
        HABIT,
        ("Allergy season", "花粉季"),
        ("Takes hay fever pills from {month} on.", "从{month}开始吃花粉过敏药。"),
    ),
    Topic(
        "checkup",
        EVENT,
        ("Check-up", "体检"),
        ("The last check-up was on {date}, all fine.", "上次体检是{date}，一切正常。"),
    ),
    Topic(
        "bike",
        INFO,
        ("Bicycle", "自行车"),
        ("The bicycle is {colour} with {number} gears.", "自行车是{colour}的，{number}速。"),
    ),
    Topic(
        "printer", INFO, ("Printer", "打印机"), ("The printer takes cartridge {number}.", "打印机用{number}号墨盒。")
    ),
    Topic("router", INFO, ("Router", "路由器"), ("The router stands in {spot}.", "路由器放在{spot}。")),
    Topic(
        "phone_case",
        INFO,
        ("Phone case", "手机壳"),
        ("The phone case is {colour}.", "手机壳是{colour}的。"),
        changes=True,
    ),
    Topic(
        "reading",
        HABIT,
        ("Reading", "看书"),
        ("Reads {number} pages before bed.", "睡前看{number}页书。"),
        changes=True,
    ),
    Topic(
        "stretching",
        HABIT,
        ("Stretching", "活动身体"),
        ("Stretches every {number} minutes at the desk.", "坐着每{number}分钟活动一下。"),
    ),
    Topic(
        "standup",
        HABIT,
        ("Office round", "早会"),
        ("The office round on {day}s starts at {morning}.", "{day}的早会{morning}开始。"),
        changes=True,
    ),
    Topic(
        "desk",
        INFO,
        ("Desk", "工位"),
        ("Sits on floor {floor} next to {colleague}.", "在{floor}楼，坐在{colleague}旁边。"),
    ),
    Topic(
        "boss_talk",
        HABIT,
        ("Talk with the manager", "和领导的谈话"),
        ("Talks with {manager} every other {day}.", "隔周{day}和{manager}谈一次。"),
    ),
    Topic("newspaper", HABIT, ("Newspaper", "报纸"), ("Reads the paper on {day} mornings.", "{day}早上看报纸。")),
    Topic(
        "seat", INFO, ("Cinema seat", "电影院座位"), ("Likes row {number} in the cinema.", "看电影喜欢坐第{number}排。")
    ),
    Topic("spice", INFO, ("Spicy food", "吃辣"), ("Eats {meal} mildly spiced only.", "吃{meal}只要微辣。")),
    Topic(
        "donation",
        EVENT,
        ("Donation", "捐款"),
        ("Gave {price} euros to the shelter in {month}.", "{month}给收容所捐了{price}块。"),
    ),
    Topic(
        "course", EVENT, ("Evening course", "夜校"), ("Took a course in {hobby} in {month}.", "{month}上过{hobby}课。")
    ),
    Topic("plants", HABIT, ("Balcony", "阳台"), ("Waters the balcony on {day}s.", "{day}给阳台浇水。")),
    Topic(
        "wallpaper",
        INFO,
        ("Favourite colour", "喜欢的颜色"),
        ("The favourite colour is {colour}.", "最喜欢的颜色是{colour}。"),
        changes=True,
    ),
    Topic(
        "music",
        HABIT,
        ("Music at work", "工作时的音乐"),
        ("Plays {podcast} while working.", "工作时放{podcast}。"),
        changes=True,
    ),
    Topic(
        "holiday",
        EVENT,
        ("Next holiday", "下次休假"),
        ("Wants to see {city} in {month}.", "{month}想去{city}。"),
        changes=True,
    ),
)
