"""Input & Interaction: questions that the screen, a picture, the clipboard or a setting answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qpa.bench.families.base import Call, Draft, do, family
from qpa.bench.families.mobile.common import Rows, answered, branch, reading
from qpa.bench.families.mobile.input_set import INPUT, screen
from qpa.bench.families.values import MESSAGES, NOTES, Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL


def note(rng: Draw) -> tuple[str, str, str]:
    """A text such as "gate code is B7", what it is about, and the fact."""
    text = rng.pick(NOTES)
    about, _, fact = text.partition(rng.say(" is ", "是"))
    return text, about, fact


def _read(
    call: Call,
    mentions: list[list[str]],
    told: Callable[[dict[str, Any]], str],
    phrasings: tuple[str, ...],
    chinese: tuple[str, ...],
    patch: Rows,
    **slots: Any,
) -> Draft:
    """A question that this call answers."""
    return Draft(
        phrasings=phrasings,
        chinese=chinese,
        slots=slots,
        plan=reading(call, told),
        criteria=answered(*mentions, reads=(call[0],)),
        patch=patch,
    )


def _on_screen(rng: Draw, world: World) -> Draft:
    text, about, fact = note(rng)
    return _read(
        do("extract_screen_text"),
        [[fact]],
        lambda data: rng.say(f"It says: {data['text']}", f"屏幕上写着：{data['text']}"),
        (
            "What's the {about}? It's on my screen.",
            "Read the {about} off the screen for me.",
            "I left my glasses at home, which {about} does it show on the screen?",
            "Look at the screen and tell me the {about}.",
        ),
        (
            "屏幕上的{about}是多少？",
            "帮我念一下屏幕上的{about}。",
            "没戴眼镜，屏幕上显示的{about}是什么？",
            "看看屏幕，告诉我{about}。",
        ),
        {"settings": screen("Notes"), "visible_contents": [{"source": "Notes", "text": text}]},
        about=about,
    )


def _in_picture(rng: Draw, world: World) -> Draft:
    (text, about, fact), number = note(rng), rng.randint(100, 999)
    file = {"id": "file_931", "name": f"Scan_{number}.jpg", "kind": "image", "size_kb": 900}
    return _read(
        do("extract_screen_text", source="picture", fileName=file["name"]),
        [[fact]],
        lambda data: rng.say(f"It says: {data['text']}", f"图上写着：{data['text']}"),
        (
            "What's the {about} in the picture {file}?",
            "Read me the {about} from {file}.",
            "I photographed the {about} as {file}, what does it say?",
            "The {about} must be somewhere in the picture {file}, tell me.",
        ),
        (
            "图片{file}里的{about}是什么？",
            "从{file}里读一下{about}。",
            "我把{about}拍成了{file}，上面写的什么？",
            "{about}应该在图片{file}里，告诉我。",
        ),
        {"files": [file], "visible_contents": [{"source": "file_931", "text": text}]},
        about=about,
        file=file["name"],
    )


def _last_copied(rng: Draw, world: World) -> Draft:
    text = rng.pick(MESSAGES)
    return _read(
        do("manage_clipboard", action="query"),
        [[text]],
        lambda data: rng.say(f"It was: {data['items'][0]['text']}", f"是：{data['items'][0]['text']}"),
        (
            "What did I copy last?",
            "What's on my clipboard, the newest thing?",
            "I was interrupted: which text did I copy just now?",
            "Before I paste it to the wrong person, tell me what I copied last.",
        ),
        (
            "我刚才复制了什么？",
            "剪贴板里最新的一条是什么？",
            "刚被打断了，我最后复制的是哪段文字？",
            "怕粘错了，告诉我最近一次复制的内容。",
        ),
        {"clipboard_items": [{"id": "clip_900", "text": text}]},
    )


def _side_key(rng: Draw, world: World) -> Draft:
    value, words = rng.choice(
        (
            ("camera", ["camera", "相机"]),
            ("flashlight", ["flashlight", "torch", "手电"]),
            ("wallet", ["wallet", "钱包"]),
        )
    )
    return _read(
        do("manage_side_key", action="query", press="double"),
        [words],
        lambda data: rng.say(f"It's set to {data['double']}.", f"设的是{words[-1]}（{data['double']}）。"),
        (
            "What happens when I press the side key twice?",
            "What's the double press of my side key set to?",
            "I forgot which function I gave the side key's double press. Which?",
            "Without pressing it: what does a double press on the side key do?",
        ),
        (
            "侧边键按两下会怎样？",
            "双击侧键设的是什么功能？",
            "忘了侧边键双击设的哪个功能，是什么？",
            "先别按，侧边键双击是干什么的？",
        ),
        {"settings": screen(side_key_double=value)},
    )


_READINGS = (_on_screen, _in_picture, _last_copied, _side_key)


@family("input_read", TOOL, INPUT, "grounding", "dependency", variants=len(_READINGS))
def input_read(rng: Draw, world: World) -> Draft:
    """A fact from the screen, a picture, the clipboard or a key's setting."""
    return branch(rng, world, _READINGS)


FAMILIES = (input_read,)
