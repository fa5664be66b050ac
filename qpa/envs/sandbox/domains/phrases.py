"""The translator's phrase book. Text outside it comes back marked with its target language, word for word."""

from __future__ import annotations

from qpa.envs.sandbox.tool import missing

LANGUAGES = ("Chinese", "English", "French", "German", "Japanese", "Spanish")

_PHRASES = (  # in the order of LANGUAGES
    ("你好", "hello", "bonjour", "hallo", "こんにちは", "hola"),
    ("早上好", "good morning", "bonjour", "guten Morgen", "おはようございます", "buenos días"),
    ("晚安", "good night", "bonne nuit", "gute Nacht", "おやすみなさい", "buenas noches"),
    ("谢谢", "thank you", "merci", "danke", "ありがとう", "gracias"),
    ("请", "please", "s'il vous plaît", "bitte", "お願いします", "por favor"),
    ("再见", "goodbye", "au revoir", "auf Wiedersehen", "さようなら", "adiós"),
    ("对不起", "sorry", "désolé", "Entschuldigung", "すみません", "lo siento"),
    ("多少钱", "how much is it", "combien ça coûte", "wie viel kostet es", "いくらですか", "cuánto cuesta"),
    ("车站在哪里", "where is the station", "où est la gare", "wo ist der Bahnhof", "駅はどこですか", "dónde está la estación"),  # noqa: E501
    ("我迟到了", "I am late", "je suis en retard", "ich bin spät dran", "遅れています", "llego tarde"),
    ("我在路上", "I am on my way", "je suis en route", "ich bin unterwegs", "向かっています", "voy en camino"),
    ("生日快乐", "happy birthday", "joyeux anniversaire", "alles Gute zum Geburtstag", "誕生日おめでとう", "feliz cumpleaños"),  # noqa: E501
)  # fmt: skip


def language(name: str) -> str:
    """The language's canonical name; 404 when it is not one of `LANGUAGES`."""
    for known in LANGUAGES:
        if known.casefold() == name.strip().casefold():
            return known
    raise missing(f"No such language; known: {', '.join(LANGUAGES)}")


def translate(text: str, target: str) -> str:
    """`text` in the canonical language `target`; "[French] ..." when the phrase book has no entry."""
    column = LANGUAGES.index(target)
    bare = text.strip().rstrip(".!?。！？").casefold()
    for phrase in _PHRASES:
        if bare in (form.casefold() for form in phrase):
            return phrase[column]
    return f"[{target}] {text}"
