"""What the question-answering agent knows. Anything else gets "no entry": it never guesses."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Fact:
    """`question` is a phrasing that finds it; each of `keys` (alternatives joined by "|") must be in the query."""

    question: str
    keys: tuple[str, ...]
    answer: str


def _fact(question: str, keys: str, answer: str) -> Fact:
    return Fact(question, tuple(keys.split()), answer)


FACTS: tuple[Fact, ...] = (
    _fact("What is the capital of France?", "capital france", "Paris"),
    _fact("What is the capital of Japan?", "capital japan", "Tokyo"),
    _fact("What is the capital of Australia?", "capital australia", "Canberra"),
    _fact("What is the capital of Canada?", "capital canada", "Ottawa"),
    _fact("What is the capital of Brazil?", "capital brazil", "Brasilia"),
    _fact("What is the capital of Egypt?", "capital egypt", "Cairo"),
    _fact("What is the highest mountain?", "highest|tallest mountain", "Mount Everest"),
    _fact("What is the largest ocean?", "largest|biggest ocean", "The Pacific Ocean"),
    _fact("What is the largest planet?", "largest|biggest planet", "Jupiter"),
    _fact("Which planet is closest to the sun?", "closest|nearest planet sun", "Mercury"),
    _fact("What is the longest river?", "longest river", "The Nile"),
    _fact("What is the fastest land animal?", "fastest animal", "The cheetah"),
    _fact("What is the largest mammal?", "largest|biggest mammal|animal", "The blue whale"),
    _fact("At what temperature does water boil?", "water boil|boils|boiling", "100 degrees Celsius at sea level"),
    _fact("At what temperature does water freeze?", "water freeze|freezes|freezing", "0 degrees Celsius"),
    _fact("What is the chemical symbol of gold?", "symbol gold", "Au"),
    _fact("What is the chemical symbol of iron?", "symbol iron", "Fe"),
    _fact("What is the speed of light?", "speed light", "299,792 kilometers per second"),
    _fact("How many bones does an adult have?", "how many bones", "206"),
    _fact("How many continents are there?", "how many continents", "Seven"),
    _fact("How many days are in a leap year?", "days leap year", "366"),
    _fact("How many minutes are in a day?", "minutes in|per day", "1440"),
    _fact("How many keys does a piano have?", "keys piano", "88"),
    _fact("How many players are in a soccer team?", "players soccer|football team", "Eleven"),
    _fact("How long is a marathon?", "long|length|distance marathon", "42.195 kilometers"),
    _fact("Who wrote Hamlet?", "wrote|author hamlet", "William Shakespeare"),
    _fact("Who painted the Mona Lisa?", "painted|painter mona lisa", "Leonardo da Vinci"),
    _fact("Who wrote Pride and Prejudice?", "wrote|author pride prejudice", "Jane Austen"),
    _fact("Who developed the theory of relativity?", "who relativity", "Albert Einstein"),
    _fact("Who was the first person on the Moon?", "who first moon", "Neil Armstrong"),
    _fact("When did the first Moon landing happen?", "when|year moon", "July 20, 1969"),
    _fact("When did the Berlin Wall fall?", "when|year berlin wall", "November 9, 1989"),
    _fact("What is the currency of Japan?", "currency japan", "The yen"),
    _fact("What is the currency of Switzerland?", "currency switzerland", "The Swiss franc"),
    _fact("What is the value of pi?", "value pi", "About 3.14159"),
    _fact("What is the square root of 144?", "square root 144", "12"),
    _fact("What gas do plants absorb?", "gas plants", "Carbon dioxide"),
    _fact("Which vitamin does sunlight provide?", "vitamin sun|sunlight", "Vitamin D"),
    _fact("What is the emergency number in Europe?", "emergency number europe", "112"),
    _fact("Which language is most spoken in Brazil?", "language brazil", "Portuguese"),
)
# The same facts in the same order.
FACTS_ZH: tuple[Fact, ...] = (
    _fact("法国的首都是哪里？", "法国 首都", "巴黎"),
    _fact("日本的首都是哪里？", "日本 首都", "东京"),
    _fact("澳大利亚的首都是哪里？", "澳大利亚|澳洲 首都", "堪培拉"),
    _fact("加拿大的首都是哪里？", "加拿大 首都", "渥太华"),
    _fact("巴西的首都是哪里？", "巴西 首都", "巴西利亚"),
    _fact("埃及的首都是哪里？", "埃及 首都", "开罗"),
    _fact("世界上最高的山是哪座？", "最高 山|峰", "珠穆朗玛峰"),
    _fact("世界上最大的海洋是哪个？", "最大 洋|海", "太平洋"),
    _fact("最大的行星是哪颗？", "最大 行星", "木星"),
    _fact("离太阳最近的行星是哪颗？", "最近|最靠近 太阳", "水星"),
    _fact("世界上最长的河是哪条？", "最长 河", "尼罗河"),
    _fact("陆地上跑得最快的动物是什么？", "最快 动物", "猎豹"),
    _fact("最大的哺乳动物是什么？", "最大 动物", "蓝鲸"),
    _fact("水在多少度沸腾？", "水 沸|烧开", "海平面上100摄氏度"),
    _fact("水在多少度结冰？", "水 结冰|冰点|凝固", "0摄氏度"),
    _fact("金的化学符号是什么？", "金 符号", "Au"),
    _fact("铁的化学符号是什么？", "铁 符号", "Fe"),
    _fact("光速是多少？", "光速|光的速度", "每秒299,792千米"),
    _fact("成年人有多少块骨头？", "骨头|骨骼 多少|几", "206"),
    _fact("世界上有几个大洲？", "大洲|大陆|几个洲 几|多少", "七"),
    _fact("闰年有多少天？", "闰年 天", "366"),
    _fact("一天有多少分钟？", "一天|每天 分钟", "1440"),
    _fact("钢琴有多少个键？", "钢琴 键", "88"),
    _fact("一支足球队上场几个人？", "足球 几|多少|人数", "十一"),
    _fact("马拉松全程多长？", "马拉松 长|距离|公里|多远", "42.195千米"),
    _fact("《哈姆雷特》是谁写的？", "哈姆雷特 谁|作者", "莎士比亚"),
    _fact("《蒙娜丽莎》是谁画的？", "蒙娜丽莎 谁|作者", "达芬奇"),
    _fact("《傲慢与偏见》是谁写的？", "傲慢与偏见 谁|作者", "简·奥斯汀"),
    _fact("相对论是谁提出的？", "相对论 谁", "爱因斯坦"),
    _fact("第一个登上月球的人是谁？", "月 谁 第一", "阿姆斯特朗"),
    _fact("人类首次登月是什么时候？", "月 时候|哪年|哪一年|何时|几几年", "1969年7月20日"),
    _fact("柏林墙是什么时候倒塌的？", "柏林墙 时候|哪年|哪一年|何时|几几年", "1989年11月9日"),
    _fact("日本的货币是什么？", "日本 货币", "日元"),
    _fact("瑞士的货币是什么？", "瑞士 货币", "瑞士法郎"),
    _fact("圆周率是多少？", "圆周率", "约3.14159"),
    _fact("144的平方根是多少？", "平方根 144", "12"),
    _fact("植物吸收什么气体？", "植物 气体", "二氧化碳"),
    _fact("晒太阳能补充哪种维生素？", "维生素 太阳|阳光", "维生素D"),
    _fact("欧洲的紧急电话是多少？", "欧洲 紧急|急救", "112"),
    _fact("巴西最通用的语言是什么？", "巴西 语言", "葡萄牙语"),
)


def answer(query: str) -> str | None:
    """The answer of the most specific fact whose keys are all in the query, or None; Chinese gets a Chinese one."""
    words = {w.casefold() for w in _WORD.findall(query)}
    found = [f for f in FACTS if all(words & set(key.split("|")) for key in f.keys)]
    # Chinese writes no spaces between words, so there a key counts wherever it stands.
    found += [f for f in FACTS_ZH if all(any(k in query for k in key.split("|")) for key in f.keys)]
    return max(found, key=lambda f: len(f.keys)).answer if found else None
