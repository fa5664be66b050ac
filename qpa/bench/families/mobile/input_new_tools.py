"""Input & Interaction: the tools that training never had."""

from __future__ import annotations

from qpa.bench.families.base import Draft, family
from qpa.bench.families.mobile.common import Request, one_of
from qpa.bench.families.mobile.input_set import INPUT, screen
from qpa.bench.families.values import NOTES, Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
_SHORTHANDS = ("addy", "hmw", "sig1", "tel9", "myid", "ofc", "brk", "eta5")
_NEW_TOOLS = (
    Request(
        "manage_text_shortcuts",
        (
            'Add the text shortcut {shortcut} for "{phrase}".',
            'When I type {shortcut}, write "{phrase}".',
            'I\'m sick of typing "{phrase}" in full, let {shortcut} expand to it.',
        ),
        (
            "添加文本快捷短语，{shortcut}代表“{phrase}”。",
            "我打{shortcut}就自动变成“{phrase}”。",
            "老是要打“{phrase}”太累了，以后输入{shortcut}就展开成它。",
        ),
        {"action": "add"},
        lambda rng, world: {"shortcut": rng.choice(_SHORTHANDS), "phrase": rng.pick(NOTES)},
    ),
    Request(
        "manage_text_shortcuts",
        (
            "Remove the text shortcut {shortcut}.",
            "Typing {shortcut} should no longer turn into a phrase.",
            "My keyboard keeps expanding {shortcut}, delete that shortcut.",
        ),
        (
            "删除文本快捷短语{shortcut}。",
            "以后打{shortcut}别再自动替换了。",
            "键盘老把{shortcut}展开，把这个快捷短语删掉。",
        ),
        {"action": "remove"},
        lambda rng, world: {"shortcut": rng.choice([row["shortcut"] for row in world.rows["text_shortcuts"]])},
    ),
    Request(
        "manage_floating_ball",
        (
            "Turn on the floating ball with {opacity} percent opacity.",
            "Floating ball on, opacity {opacity} percent.",
            "I'd like that round shortcut ball over my apps again, at {opacity} percent opacity so I can look through.",
        ),
        (
            "打开悬浮球，不透明度{opacity}%。",
            "悬浮球开一下，不透明度调到{opacity}%。",
            "想要屏幕上那个悬浮球，别太挡视线，不透明度{opacity}%。",
        ),
        {"action": "enable"},
        lambda rng, world: {"opacity": rng.randint(20, 95)},
        {"settings": screen(floating_ball="off", floating_ball_opacity="100")},
    ),
    Request(
        "manage_floating_ball",
        (
            "Turn on the floating ball; tapping it should lock the screen.",
            "Floating ball, please, with lock screen as its tap action.",
            "The power key is worn out: give me a floating ball that locks the screen when I tap it.",
        ),
        ("打开悬浮球，点一下锁屏。", "开悬浮球，点击动作设为锁屏。", "电源键快坏了，给我一个点一下就锁屏的悬浮球。"),
        {"action": "enable", "tapAction": "lock_screen"},
        patch={"settings": screen(floating_ball="off", floating_ball_tap="menu")},
    ),
)


@family("input_new_tools", TOOL, INPUT, "grounding", unseen="tool", variants=len(_NEW_TOOLS))
def input_new_tools(rng: Draw, world: World) -> Draft:
    """Typing shortcuts and the floating ball."""
    return one_of(rng, world, _NEW_TOOLS)


FAMILIES = (input_new_tools,)
