"""Input & Interaction: references to earlier turns, corrections, and trouble on the way."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import branch, past_turn
from qpa.bench.families.mobile.input_set import APPS, FREE_APPS, INPUT, screen
from qpa.bench.families.values import MESSAGES, Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
_PLACES = (("first", "第一"), ("second", "第二"), ("third", "第三"))
_FUNCTIONS = (
    ("screenshot", "a screenshot", "截屏"),
    ("flashlight", "the flashlight", "手电筒"),
    ("camera", "the camera", "相机"),
    ("scan_code", "the code scanner", "扫码"),
)


def _of_clipboard(rng: Draw, world: World) -> Draft:
    texts, place = rng.several(MESSAGES, 3), rng.randrange(3)
    rows = [{"id": f"clip_{903 - i}", "text": text, "pinned": 0} for i, text in enumerate(texts)]
    items = [{"itemId": row["id"], "text": row["text"], "pinned": False} for row in rows]
    action, english, chinese = rng.choice((("pin", "pin", "置顶"), ("delete", "delete", "删掉")))

    def plan() -> Plan:
        yield [do("manage_clipboard", action=action, itemId=rows[place]["id"])]
        return done(rng.say("Done.", "好了。"))

    return Draft(
        phrasings=(
            "{Do} the {place} one.",
            "Please {do} the {place} of these.",
            "Thanks. I'd like you to {do} the {place} entry, leave the other two.",
            "Then {do} number {number}.",
        ),
        chinese=(
            "{do}{place}条。",
            "把{place}条{do}。",
            "谢谢，{place}条帮我{do}，另外两条别动。",
            "那就{do}{number}号那条。",
        ),
        slots={
            "Do": english.capitalize(),
            "do": rng.say(english, chinese),
            "place": rng.say(*_PLACES[place]),
            "number": place + 1,
        },
        plan=plan,
        patch={"clipboard_items": rows},
        history=past_turn(
            rng.say("What are the last three things I copied?", "我最近复制的三条是什么？"),
            "manage_clipboard",
            {"action": "query"},
            {"items": items, "total": 6},
            "; ".join(texts) + rng.say(".", "。"),
        ),
    )


def _same_for_double(rng: Draw, world: World) -> Draft:
    function, english, chinese = rng.choice(_FUNCTIONS)

    def plan() -> Plan:
        yield [do("manage_gesture_shortcuts", action="set", gesture="double_tap_back", function=function)]
        return done(rng.say(f"Two taps on the back: {english}.", f"敲两下背面也是{chinese}了。"))

    return Draft(
        phrasings=(
            "Set two taps on the back to the same.",
            "The double tap on the back should do that as well.",
            "Three taps are too many for me, let two taps on the back do it too.",
            "Nice. Same for tapping the back twice.",
        ),
        chinese=(
            "敲两下背面也设成一样的。",
            "双击背面也要这个功能。",
            "敲三下有点多，敲两下背面也能这样吧。",
            "不错，背面敲两下也同样设置。",
        ),
        plan=plan,
        patch={"settings": screen(gesture_double_tap_back="off", gesture_triple_tap_back=function)},
        history=past_turn(
            rng.say(f"Three taps on the back should give me {english}.", f"敲三下背面设成{chinese}。"),
            "manage_gesture_shortcuts",
            {"action": "set", "gesture": "triple_tap_back", "function": function},
            {"gesture": "triple_tap_back", "function": function},
            rng.say(f"Set: triple back tap, {english}.", f"已设置：敲三下背面，{chinese}。"),
        ),
    )


def _other_window(rng: Draw, world: World) -> Draft:
    kept, other = rng.sample(APPS, 2)

    def plan() -> Plan:
        feedback = yield [do("manage_floating_window", action="query")]
        names = [item["app"] for item in feedback[0].payload["data"]["items"]]
        closing = next(name for name in names if name != kept)
        yield [do("manage_floating_window", action="close", appName=closing)]
        return done(rng.say(f"{closing} is closed.", f"已关闭{closing}。"))

    return Draft(
        phrasings=(
            "Keep the floating window of {kept}, close the other one.",
            "Close the floating window that isn't {kept}.",
            "Two little windows are too many: only {kept} stays, the other floating one goes.",
            "There's a floating window besides {kept}, get rid of that one.",
        ),
        chinese=(
            "{kept}的小窗留着，另一个关掉。",
            "把不是{kept}的那个悬浮窗关了。",
            "两个小窗太挤了，只留{kept}，另外那个关掉。",
            "除了{kept}还有个悬浮窗，把那个关了。",
        ),
        slots={"kept": kept},
        plan=plan,
        patch={"app_windows": [{"app": app, "place": "floating"} for app in (kept, other)], "settings": screen()},
    )


@family("input_refer", TOOL, INPUT, "reference", variants=3)
def input_refer(rng: Draw, world: World) -> Draft:
    """An entry of the last answer, the same as before, or the other one on the screen."""
    return branch(rng, world, (_of_clipboard, _same_for_double, _other_window))


def _other_function(rng: Draw, world: World) -> Draft:
    (_, wrong, wrong_zh), (function, right, right_zh) = rng.sample(_FUNCTIONS, 2)

    def plan() -> Plan:
        yield [do("manage_gesture_shortcuts", action="set", gesture="double_tap_back", function=function)]
        return done(rng.say(f"Double back tap: {right}.", f"双击背面设成了{right_zh}。"))

    return Draft(
        phrasings=(
            "Two taps on the back: {wrong}... no, {right}.",
            "Set the double back tap to {wrong}. Wait, {right} is more useful, take that.",
            "Let a double tap on the back start {wrong}, or rather {right}.",
            "A double tap on the back for {wrong}, I thought, but make it {right} instead.",
        ),
        chinese=(
            "敲两下背面设成{wrong}……不对，{right}。",
            "双击背面设为{wrong}，等等，还是{right}有用，用这个。",
            "背面敲两下打开{wrong}，算了，改成{right}。",
            "本来想双击背面用{wrong}，还是设成{right}吧。",
        ),
        slots={"wrong": rng.say(wrong, wrong_zh), "right": rng.say(right, right_zh)},
        plan=plan,
        patch={"settings": screen(gesture_double_tap_back="off")},
    )


def _other_side(rng: Draw, world: World) -> Draft:
    side, other = rng.sample(("left", "right"), 2)
    sides = {"left": "左边", "right": "右边"}

    def plan() -> Plan:
        yield [do("manage_one_handed_mode", action="enable", side=other)]
        return done(rng.say(f"The screen is on the {other} now.", f"屏幕已移到{sides[other]}。"))

    return Draft(
        phrasings=(
            "No, the other side.",
            "Sorry, I meant the other side.",
            "Hmm, wrong hand. {Other}, please.",
            "That's worse, move it over to the {other}.",
        ),
        chinese=("不对，另一边。", "说反了，是另外一边。", "这只手不方便，换{other}。", "更难够着了，挪到{other}吧。"),
        slots={"other": rng.say(other, sides[other]), "Other": other.capitalize()},
        plan=plan,
        patch={"settings": screen(one_handed_side=side, one_handed_mode="on")},
        history=past_turn(
            rng.say(f"Shrink the screen to the {side}.", f"把屏幕缩到{sides[side]}。"),
            "manage_one_handed_mode",
            {"action": "enable", "side": side},
            {"enabled": True, "side": side},
            rng.say(f"One-handed mode is on, {side}.", f"单手模式已打开，在{sides[side]}。"),
        ),
    )


def _not_in_sidebar(rng: Draw, world: World) -> Draft:
    app = rng.choice(FREE_APPS)
    apps = next(row["value"] for row in world.rows["settings"] if row["key"] == "sidebar_apps")

    def plan() -> Plan:
        yield [do("manage_smart_sidebar", action="remove_app", appName=app)]
        return done(rng.say(f"{app} is out of the sidebar.", f"已把{app}移出侧边栏。"))

    return Draft(
        phrasings=(
            "Take it out again.",
            "No, undo that.",
            "Hmm, it's in the way there, remove it again.",
            "I've thought it over, I don't want it in the sidebar after all.",
        ),
        chinese=("再移出来吧。", "不要了，撤销。", "放那儿碍事，还是去掉吧。", "想了想，侧边栏里还是不要它了。"),
        plan=plan,
        patch={"settings": screen(smart_sidebar="on", sidebar_apps=f"{apps}, {app}")},
        history=past_turn(
            rng.say(f"Add {app} to the sidebar.", f"把{app}加到侧边栏。"),
            "manage_smart_sidebar",
            {"action": "add_app", "appName": app},
            {"enabled": True, "apps": [*apps.split(", "), app]},
            rng.say(f"{app} is in the sidebar.", f"已把{app}加到侧边栏。"),
        ),
    )


def _swapped(rng: Draw, world: World) -> Draft:
    top, bottom = rng.sample(APPS, 2)

    def plan() -> Plan:
        yield [do("manage_split_screen", action="swap")]
        return done(rng.say(f"{bottom} is on top now.", f"{bottom}换到上面了。"))

    return Draft(
        phrasings=(
            "The other way round, please.",
            "No, I want {bottom} on top.",
            "Hmm, {top} is better at the bottom. Change places.",
            "Wrong order, turn the two around.",
        ),
        chinese=(
            "上下反过来。",
            "不对，我要{bottom}在上面。",
            "{top}还是放下面好，换一下位置。",
            "顺序反了，两个对调。",
        ),
        slots={"top": top, "bottom": bottom},
        plan=plan,
        patch={
            "app_windows": [{"app": top, "place": "top"}, {"app": bottom, "place": "bottom"}],
            "settings": screen(),
        },
        history=past_turn(
            rng.say(f"Show {top} and {bottom} in split screen.", f"分屏显示{top}和{bottom}。"),
            "manage_split_screen",
            {"action": "start", "topApp": top, "bottomApp": bottom},
            {"apps": [top, bottom]},
            rng.say(f"{top} is on top, {bottom} below.", f"{top}在上，{bottom}在下。"),
        ),
    )


_CHANGES = (_other_function, _other_side, _not_in_sidebar, _swapped)


@family("input_take_back", TOOL, INPUT, "revision", variants=len(_CHANGES))
def input_take_back(rng: Draw, world: World) -> Draft:
    """The user corrects, turns round or undoes what he asked for."""
    return branch(rng, world, _CHANGES)


FAMILIES = (input_refer, input_take_back)
