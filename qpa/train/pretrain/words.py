"""Word banks of the pretraining text: everyday English and Chinese, plus pseudo-words that can only be copied."""

from __future__ import annotations

import random
from collections.abc import Sequence

NAMES = """Anna Ben Carla David Elena Felix Grace Hugo Iris Jonas Karin Leo Maria Nina Oscar Paula Quinn Rosa Samuel
Tina Umar Vera Walter Xenia Yusuf Zoe Alice Bruno Chloe Dmitri Emma Frank Gina Hassan Ivan Julia Kevin Laura Marco
Nadia Olga Peter Rita Stefan Tom Ursula Victor Wendy Li Wei Chen Wang Zhang Liu Yang Huang Zhao Wu Zhou Xu Sun Ma
Zhu Mom Dad Grandma Uncle Coach Teacher Boss Dentist Landlord Plumber""".split()

NOUNS = """alarm meeting note message call contact phone number email photo file folder song video game movie book
lesson class exam train flight hotel ticket taxi bus road map weather rain sun wind market shop order price bill
bank card key door window kitchen room house office desk chair lamp light screen battery power network signal
password device speaker headset watch tablet laptop printer camera car bike garden park river lake beach island
mountain city street school hospital doctor nurse medicine dinner lunch breakfast coffee tea milk bread rice soup
apple orange cake party birthday holiday weekend morning evening night week month year minute hour second plan list
task report project team client manager friend family child baby dog cat bird horse music dance sport run walk swim
yoga gym race match team letter paper pen box bag shirt shoe hat coat gift story news page word language question
answer problem idea rule city hall library museum theater stage airport station platform gate seat row level floor
lift garage engine wheel route stop trip visit tour guide budget invoice salary rent water gas heating repair
cleaning laundry delivery package server data backup update version system setting mode profile account user group
member leader partner customer""".split()

VERBS = """set make open close start stop send read write call find show add remove change move copy save delete
check turn play pause record share print book cancel order pay buy sell bring take give keep hold leave enter join
meet visit wait watch listen learn teach study work rest sleep wake eat drink cook clean wash fix build draw paint
sing count measure connect pair mute lock unlock enable disable create update list query remind plan confirm reply
forward answer ask tell say explain choose compare use need want like love hate hope try help begin finish continue
resume reset switch""".split()

ADJECTIVES = """new old big small long short high low early late fast slow hot cold warm cool dark bright loud quiet
clean dirty easy hard heavy light open closed free busy full empty happy sad tired ready safe strong weak rich poor
red blue green yellow black white grey brown daily weekly monthly urgent private public personal local remote main
second third next last first final quick simple important usual regular special favorite current silent normal
active""".split()

FUNCTION = """the a an and or but if then when while before after until because so than as at by for from in into of
off on onto out over to under up with without about between during through my your his her our their this that these
those it he she we they you me him them is are was be been do does did has have had will would can could should may
must not no yes please now today tomorrow tonight again only also just every each both all any some more most less
there here what which who where why how""".split()

CITIES = """Paris London Berlin Madrid Rome Vienna Oslo Cairo Dubai Delhi Tokyo Osaka Seoul Beijing Shanghai
Hangzhou Shenzhen Sydney Toronto Boston Chicago Denver Lima Quito Nairobi Lagos Athens Prague Warsaw Lisbon Dublin
Geneva Milan""".split()

KEYS = """name title time date place city phone number content label mode status level value unit type group owner
state price color size note reason code path source target message query category event location duration action
device result total items data error success enabled settings created updated""".split()

CHINESE = """今天 明天 早上 晚上 会议 闹钟 提醒 电话 短信 联系人 打开 关闭 设置 删除 添加 查询 修改 音乐 视频 照片
文件 天气 地图 导航 酒店 机票 火车 餐厅 咖啡 晚饭 午饭 生日 学校 公司 医院 医生 老师 同学 朋友 妈妈 爸爸 爷爷 奶奶
北京 上海 杭州 深圳 广州 手机 电脑 平板 蓝牙 网络 热点 飞行 模式 音量 亮度 屏幕 密码 备忘录 日程 任务 列表 价格 订单
快递 健身 跑步 游泳 瑜伽 英语 数学 作业 考试 项目 报告 客户 经理 请 帮我 我想 把 到 在 和 的 了 一下 每天 周末 下午
小时 分钟 已经 完成 失败""".split()

MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_ONSETS = "b c d f g h j k l m n p r s t v w z br ch dr fl gr kl pr sh st tr".split()
_VOWELS = "a e i o u ai ea ou".split()
_CODAS = ["", "", "n", "r", "s", "l", "m", "t", "x", "nd", "rk"]


class Source(random.Random):
    """Seeded random numbers, and the rare words of a text drawn with them.

    `pieces` are pieces of the tokenizer; a share `rare` of names, titles and other values is put together from them, so
    that every piece is met as a value in requests, JSON and replies, and not only those of the banks above.
    """

    def __init__(self, seed: str, pieces: Sequence[str] = (), rare: float = 0.0) -> None:
        super().__init__(seed)
        if rare and not pieces:
            raise ValueError(f"rare = {rare} needs pieces to make words from")
        self.pieces, self.rare = pieces, rare

    def strikes(self) -> bool:
        """Whether the next value is a rare word; draws nothing where there are none."""
        return self.rare > 0 and self.random() < self.rare


def piece_word(rng: Source) -> str:
    """One to three pieces of the tokenizer, capitalised or not."""
    text = "".join(rng.choice(rng.pieces) for _ in range(rng.choice((1, 1, 2, 2, 3))))
    return text.capitalize() if rng.random() < 0.5 else text


def name(rng: Source) -> str:
    """What somebody is called."""
    return piece_word(rng) if rng.strikes() else rng.choice(NAMES)


def city(rng: Source) -> str:
    """Where something is."""
    return piece_word(rng) if rng.strikes() else rng.choice(CITIES)


def pseudo_word(rng: Source) -> str:
    """A word that is in no dictionary, so that it can only be copied; pronounceable unless it is a rare one."""
    if rng.strikes():
        return piece_word(rng)
    return "".join(
        rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS) for _ in range(rng.choice((1, 2, 2, 3)))
    )


def clock(rng: Source) -> str:
    """A time of day such as 07:30 or 7:30 pm."""
    if rng.random() < 0.75:
        return f"{rng.randrange(24):02d}:{rng.choice((0, 5, 10, 15, 20, 30, 40, 45, 50, 55, rng.randrange(60))):02d}"
    return f"{rng.randrange(1, 13)}:{rng.randrange(60):02d} {rng.choice(('am', 'pm'))}"


def date(rng: Source) -> str:
    """A date: ISO, weekday or month and day."""
    kind = rng.random()
    if kind < 0.4:
        return f"202{rng.randrange(4, 7)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"
    if kind < 0.7:
        return rng.choice(DAYS)
    return f"{rng.choice(MONTHS)} {rng.randrange(1, 29)}"


def phone(rng: Source) -> str:
    """A phone number such as 138-1234-5678 or 555-0172."""
    if rng.random() < 0.5:
        return f"1{rng.randrange(30, 99)}-{rng.randrange(10000):04d}-{rng.randrange(10000):04d}"
    return f"555-{rng.randrange(10000):04d}"


def identifier(rng: Source) -> str:
    """A generated id such as contact_007 or mem_0042."""
    return f"{rng.choice(NOUNS)[:6]}_{rng.randrange(1000):0{rng.choice((2, 3, 4))}d}"


def phrase(rng: Source) -> str:
    """One to three words, capitalised or not, e.g. a title."""
    words = [
        piece_word(rng)
        if rng.strikes()
        else rng.choice(
            (rng.choice(NOUNS), rng.choice(NOUNS), rng.choice(ADJECTIVES), pseudo_word(rng), rng.choice(NAMES))
        )
        for _ in range(rng.choice((1, 1, 2, 2, 3)))
    ]
    text = " ".join(words)
    return text[0].upper() + text[1:] if rng.random() < 0.5 else text


def sentence(rng: Source) -> str:
    """A loosely grammatical English sentence of 4 to 12 words."""
    words = []
    for _ in range(rng.randrange(2, 5)):
        words += [rng.choice(FUNCTION), rng.choice((rng.choice(VERBS), rng.choice(NOUNS), rng.choice(ADJECTIVES)))]
    words.append(rng.choice(NOUNS))
    words = [piece_word(rng) if rng.strikes() else word for word in words]
    text = " ".join(words)
    return text[0].upper() + text[1:] + rng.choice((".", ".", "?", "!"))


def chinese(rng: Source) -> str:
    """A fragment of 2 to 8 Chinese words."""
    return "".join(rng.choice(CHINESE) for _ in range(rng.randrange(2, 9)))


def value(rng: Source) -> str:
    """Any kind of value a record may hold."""
    kind = rng.randrange(11)
    makers = (phrase, phrase, phrase, clock, date, phone, identifier, pseudo_word)
    if kind < len(makers):
        return makers[kind](rng)
    if kind == 8:
        return name(rng)
    if kind == 9:
        return str(rng.randrange(10 ** rng.randrange(1, 5)))
    return city(rng) if rng.random() < 0.8 else chinese(rng)


# Words of the phone domain, for the tokenizer's vocabulary only (identifiers split at "_" and kept in camelCase).
PHONE_WORDS = """manage query set add update delete search remove replace control send make end connect forget pair
disconnect configure snooze trigger display close translate skill loaded instructions tools unknown action enable
disable create cancel pause resume start stop reset complete execute switch edit generate smile wave think sleep
once daily weekdays weekends alarm alarmId countdown stopwatch schedule scheduleId event datetime location todo
todoId due content reminder reminderId calendar service days until list holidays month world clock bedtime wakeTime
focus timer minutes task anniversary automation rule ruleId trigger operation condition zone format level volume
contact contacts phoneNumber newName group call callType voice video missed incoming outgoing log message messages
unreadOnly email emails subject body sender file fileName method bluetooth wifi ssid password interception
unknown_numbers international telemarketing forwarding voicemail voicemailId ringtone deviceName mobile data hotspot
settingItem settingValue hotspot_name band max_devices nfc mode tap_to_pay read_write card_emulation airplane vpn
profile saver usage period today week month sim slot user memory memoryId memoryCategory routines_habits
important_info important_event maxResults searchMode relevance recency gui agent appName instruction sessionId
general qa image prompt imageId speaking coach topic language scenario dialogue personal information keyword source
notes smart perception feature smart_stay gaze_wake noise_detection caption voice assistant wakeWord avatar
expression session note noteId text targetLanguage reason success error status code message permission denied not
found already exists conflict ambiguous candidates unavailable timeout invalid argument allowed values missing
required items total memory_id category title updated_at relevance_score created_at active pending completed
execution_status steps planning network privacy protection arbiter order connectivity assistant Done Which Saved
Sent Created Deleted Updated Enabled Disabled Opened Found Playing Connected Turned Set Called Sorry cannot retry
again which one should what need know please specify choose tell many most less more than later""".split()

# Strings that are one token each: the glue of JSON calls and of the published envelopes, and common name prefixes.
GLUE = [
    " ", '{"name": "', '", "arguments": {"', '", "arguments": {}}', '": "', '", "', '": ', ', "', '"}}', '"}', '{"',
    '"]', "}}", '": {"', '": [{"', '"}, {"', '"}]', ', {"', ": ", ", ", '{"success": true, "message": "',
    '{"success": false, "error": "', '", "code": ', '", "data": {"', '": [], "', '": true', '": false', "action:",
    '"action": "', '": ["', '", "data": {}}', "manage_", "query_", "control_", "search_", "_agent", "skill__",
    "_user_memory", "mem_", "000", "tomorrow", "today", "enable", "disable", "create", "delete", "query", "update",
]  # fmt: skip
