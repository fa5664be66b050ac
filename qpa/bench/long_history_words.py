"""What long dialogues talk about: facts that change, and chatter that sounds like them; English and Chinese."""

from __future__ import annotations

from dataclasses import dataclass

Pair = tuple[str, str]  # English, Chinese
RELATION = "partner"  # the attribute whose values are other people


@dataclass(frozen=True)
class Attribute:
    """Something that is true of a person until it changes.

    `told` are statements about subject {s} ("I", a name) or possessive {p} ("my", "Ann's") with the value {v};
    `values` may be crossed from two lists.
    """

    key: str
    noun: Pair
    told: tuple[Pair, ...]
    values: tuple[Pair, ...] = ()


def _cross(english: str, chinese: str, first: tuple[Pair, ...], second: tuple[Pair, ...]) -> tuple[Pair, ...]:
    return tuple((english.format(a[0], b[0]), chinese.format(a[1], b[1])) for a in first for b in second)


def _pairs(text: str) -> tuple[Pair, ...]:
    """`Oslo=奥斯陆|Porto=波尔图`; a word without "=" is the same in both languages."""
    parts = (part.partition("=") for part in text.split("|"))
    return tuple((english, chinese or english) for english, _, chinese in parts)


CITIES = _pairs(
    "Oslo=奥斯陆|Porto=波尔图|Vienna=维也纳|Turin=都灵|Bergen=卑尔根|Kyoto=京都|Dalian=大连|Chengdu=成都|Xiamen=厦门|"
    "Lisbon=里斯本|Ghent=根特|Leeds=利兹|Graz=格拉茨|Nantes=南特|Qingdao=青岛|Kunming=昆明|Tartu=塔尔图|Malmo=马尔默"
)
TRIPS = _pairs(
    "Iceland=冰岛|Peru=秘鲁|Jordan=约旦|Vietnam=越南|Morocco=摩洛哥|Georgia=格鲁吉亚|Nepal=尼泊尔|Chile=智利|"
    "Greenland=格陵兰|Sicily=西西里|Crete=克里特岛|Madeira=马德拉"
)
COLOURS = _pairs("blue=蓝色|green=绿色|red=红色|grey=灰色|white=白色|yellow=黄色")
CARS = _pairs("Volvo=沃尔沃|Fiat=菲亚特|Skoda=斯柯达|Mazda=马自达|Renault=雷诺")
JOBS = _pairs(
    "nurse=护士|baker=面包师|surveyor=测量员|pharmacist=药剂师|proofreader=校对|welder=焊工|librarian=图书管理员|florist=花艺师|"
    "carpenter=木匠|tram driver=电车司机|beekeeper=养蜂人|notary=公证员"
)
SURNAMES = _pairs(
    "Lindqvist=林德|Okafor=奥卡福|Marchetti=马凯蒂|Novotny=诺沃特|Yilmaz=伊尔马|Brandt=勃兰特|Sato=佐藤|Duarte=杜阿尔"
)
GYMS = _pairs(
    "Iron Works=铁工厂|Blue Lane=蓝道|Summit Hall=峰顶馆|Pulse Club=脉动俱乐部|Northside=北区馆|Anchor Gym=锚点馆"
)
TONGUES = _pairs(
    "Finnish=芬兰语|Turkish=土耳其语|Swahili=斯瓦希里语|Korean=韩语|Polish=波兰语|Greek=希腊语|Hindi=印地语"
)
TABLES = _pairs(
    "Casa Verde=绿屋|The Olive=橄榄树|Red Lantern=红灯笼|Old Ferry=老渡口|Saffron=藏红花|Bistro Nine=九号小馆|Noor=努尔"
)
BANKS = _pairs(
    "Union Bank=联合银行|Harbor Bank=海港银行|Civic Bank=市民银行|Alpine Bank=阿尔卑斯银行|Delta Bank=三角洲银行"
)
TOOLS = _pairs("cello=大提琴|clarinet=单簧管|banjo=班卓琴|trumpet=小号|harp=竖琴|accordion=手风琴|oboe=双簧管")
WINGS, ROOMS = _pairs("B|C|D|E|F"), _pairs("|".join(str(n) for n in range(201, 241)))
PREFIXES = _pairs("|".join(f"555-{n}" for n in range(10, 40)))
ENDINGS = _pairs("|".join(str(n) for n in range(10, 99)))

ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute(
        "city",
        ("home city", "居住城市"),
        (
            ("{s} moved to {v} last week.", "{s}上周搬到{v}了。"),
            ("{p} home city is {v} by now.", "{s}的居住城市现在是{v}。"),
        ),
        CITIES,
    ),
    Attribute(
        "phone",
        ("phone number", "电话号码"),
        (
            ("{p} phone number is now {v}.", "{s}的电话号码换成{v}了。"),
            ("Please note {p} new number, {v}.", "记一下{s}的新号码，{v}。"),
        ),
        _cross("{}{}", "{}{}", PREFIXES, ENDINGS),
    ),
    Attribute(
        "job",
        ("job", "职业"),
        (("{s} started working as a {v}.", "{s}开始做{v}了。"), ("{p} new job is {v}.", "{s}的新职业是{v}。")),
        JOBS,
    ),
    Attribute(
        "car",
        ("car", "车"),
        (("{s} bought a {v}.", "{s}买了辆{v}。"), ("{p} car is a {v} from now on.", "{s}的车换成{v}了。")),
        _cross("{} {}", "{}{}", COLOURS, CARS),
    ),
    Attribute(
        "doctor",
        ("family doctor", "家庭医生"),
        (
            ("{s} registered with Dr. {v}.", "{s}去{v}医生那里登记了。"),
            ("{p} family doctor is Dr. {v} now.", "{s}的家庭医生现在是{v}。"),
        ),
        SURNAMES,
    ),
    Attribute(
        "gym",
        ("gym", "健身房"),
        (
            ("{s} joined {v}, the sports place.", "{s}在{v}办了卡。"),
            ("{p} gym is {v} these days.", "{s}的健身房如今是{v}。"),
        ),
        GYMS,
    ),
    Attribute(
        "language",
        ("language course", "语言课"),
        (
            ("{s} began to learn {v}.", "{s}开始学{v}了。"),
            ("{p} language course is {v} this term.", "{s}这学期的语言课是{v}。"),
        ),
        TONGUES,
    ),
    Attribute(
        "restaurant",
        ("favourite restaurant", "首选餐馆"),
        (
            ("{s} liked {v} better than any other place to eat.", "{s}觉得{v}比别处都好吃。"),
            ("{p} favourite restaurant is {v} now.", "{s}的首选餐馆现在是{v}。"),
        ),
        TABLES,
    ),
    Attribute(
        "bank",
        ("bank", "银行"),
        (
            ("{s} opened an account at {v}.", "{s}在{v}开了户。"),
            ("{p} bank is {v} since Monday.", "周一起{s}的银行是{v}。"),
        ),
        BANKS,
    ),
    Attribute(
        "holiday",
        ("holiday destination", "度假地"),
        (
            ("{s} booked a trip to {v}.", "{s}订了去{v}的行程。"),
            ("Change of plan: {p} holiday destination is {v}.", "计划变了，{s}的度假地是{v}。"),
        ),
        TRIPS,
    ),
    Attribute(
        "office",
        ("office room", "办公室"),
        (
            ("{s} was given room {v} at work.", "{s}单位给分了{v}房间。"),
            ("{p} office room is {v} after the move.", "搬完之后{s}的办公室是{v}。"),
        ),
        _cross("{}{}", "{}{}", WINGS, ROOMS),
    ),
    Attribute(
        "instrument",
        ("instrument", "乐器"),
        (("{s} took up the {v}.", "{s}学起了{v}。"), ("{p} instrument is the {v} now.", "{s}的乐器现在是{v}。")),
        TOOLS,
    ),
    Attribute(
        RELATION,
        ("running partner", "跑步搭档"),
        (
            ("{s} went running with {v}, a new running partner.", "{s}跟{v}一起跑步，成了跑步搭档。"),
            ("{p} running partner is {v}.", "{s}的跑步搭档是{v}。"),
        ),
    ),
)

FIRST_NAMES = _pairs(
    "Alva=阿尔娃|Bashir=巴希尔|Cleo=克莉奥|Dario=达里奥|Edith=伊迪丝|Faisal=费萨尔|Gemma=杰玛|Henrik=亨里克|Imani=伊玛尼|"
    "Jorge=霍尔赫|Katya=卡佳|Lorenz=洛伦茨|Mirela=米雷拉|Nuno=努诺|Odile=奥迪尔|Pavel=帕维尔|Renata=雷娜塔|Stefan=斯特凡"
)
LAST_NAMES = _pairs(
    "Abend=阿本德|Bishop=毕肖普|Castro=卡斯特罗|Dvorak=德沃夏克|Ekman=埃克曼|Fonseca=丰塞卡|Grant=格兰特|Holm=霍尔姆|"
    "Iversen=伊弗森|Jovic=约维奇|Kowal=科瓦尔|Lopes=洛佩斯|Mercer=默瑟|Nagy=纳吉|Olsen=奥尔森|Petrov=彼得罗夫|"
    "Quist=奎斯特|Ribeiro=里贝罗|Soto=索托|Tamm=塔姆|Ulrich=乌尔里希|Vidal=维达尔|Weiss=魏斯|Zeman=泽曼"
)
NAMES = _cross("{} {}", "{}·{}", FIRST_NAMES, LAST_NAMES)

# None of these says anything that is true of anybody.
CHATTER: dict[str, tuple[Pair, ...]] = {
    "user": (
        ("I can't decide what to cook tonight.", "今晚不知道做什么饭。"),
        ("It has been raining since {day}.", "从{day}起一直下雨。"),
        ("Somebody on the radio talked about {city}.", "收音机里有人在聊{city}。"),
        ("{name} sent me a funny picture.", "{name}发了张好笑的图给我。"),
        ("I wonder how {name} is doing.", "不知道{name}最近怎么样。"),
        ("I had a long call with {name} on {day}.", "{day}和{name}聊了很久的电话。"),
        ("Maybe {name} should see {city} one day.", "{name}哪天该去{city}看看。"),
        ("A documentary said that a {job} needs patience.", "纪录片里说做{job}要有耐心。"),
        ("There was a {car} parked in front of the bakery.", "面包店门口停着一辆{car}。"),
        ("I read {n} pages of the novel.", "小说看了{n}页。"),
        ("The train was {n} minutes late again.", "火车又晚了{n}分钟。"),
        ("My back hurts a little after the garden work.", "干完院子里的活腰有点酸。"),
        ("Do you think {n} guests fit around the table?", "你说一张桌子坐得下{n}位客人吗？"),
        ("I keep hearing about {trip} in the news.", "新闻里老是提到{trip}。"),
        ("The neighbours are practising the {tool} again.", "邻居又在练{tool}了。"),
        ("{name} forgot an umbrella here on {day}.", "{name}{day}把伞落在这儿了。"),
    ),
    "assistant": (
        ("Noted, thank you for telling me.", "记下了，谢谢告诉我。"),
        ("That sounds good.", "听起来不错。"),
        ("Would you like a reminder for {day}?", "要在{day}提醒你吗？"),
        ("The forecast says {n} degrees for {day}.", "预报说{day}{n}度。"),
        ("I can look up trains to {city} if you like.", "需要的话我可以查去{city}的火车。"),
        ("A short walk often helps.", "出去走走会好些。"),
        ("There is a good article about {trip}, shall I open it?", "有篇关于{trip}的好文章，要打开吗？"),
        ("You could ask {name} about that.", "这事可以问问{name}。"),
        ("I found {n} recipes that take half an hour.", "找到{n}个半小时能做好的菜。"),
        ("The library is open until eight on {day}.", "图书馆{day}开到八点。"),
        ("Take your time, there is no hurry.", "慢慢来，不着急。"),
        ("I'm glad to hear it.", "那就好。"),
        ("Some people say that a {job} never gets bored.", "有人说做{job}从不无聊。"),
    ),
}
CHATTER_VALUES: dict[str, tuple[Pair, ...]] = {
    "day": _pairs("Monday=周一|Tuesday=周二|Wednesday=周三|Thursday=周四|Friday=周五|Saturday=周六|Sunday=周日"),
    "city": CITIES,
    "job": JOBS,
    "car": _cross("{} {}", "{}{}", COLOURS, CARS),
    "trip": TRIPS,
    "tool": TOOLS,
    "n": _pairs("|".join(str(n) for n in range(2, 31))),
}

QUESTIONS: dict[str, Pair] = {
    "single": ("What is {p} {noun}?", "{s}的{noun}是什么？"),
    "latest": ("What is {p} current {noun}?", "{s}现在的{noun}是什么？"),
    "history": ("What was {p} {noun} before the current one?", "现在这个之前，{s}的{noun}是什么？"),
    "composition": ("What is the {noun} of {p} running partner?", "{s}的跑步搭档的{noun}是什么？"),
    "temporal": (
        "Which came first: (A) {p} {noun} became {v}, or (B) {p2} {noun2} became {v2}? Answer A or B.",
        "哪件事在前：(A) {s}的{noun}变成{v}，(B) {s2}的{noun2}变成{v2}？回答A或B。",
    ),
    "abstention": ("What is {p} {noun}?", "{s}的{noun}是什么？"),
}
# What counts as saying that something was never said, normalised.
UNKNOWN = (
    "unknown",
    "not known",
    "do not know",
    "don t know",
    "not mentioned",
    "never mentioned",
    "never said",
    "no information",
    "not said",
    "不知道",
    "不清楚",
    "没有提到",
    "没提到",
    "没提过",
    "没有提过",
    "没说过",
    "没有说过",
    "没有信息",
    "未提及",
    "未知",
)
