"""Input & Interaction: conflicts, missing permissions and words, and screens that must not be captured."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, ask, do, done, family, refuse
from qpa.bench.families.mobile.common import PERMISSION, asked, branch, declined, step
from qpa.bench.families.mobile.input_set import APPS, INPUT, screen
from qpa.bench.families.values import EVENTS, Draw
from qpa.contract import Dimension, ErrorType, Fault
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL


def _room_for_two(rng: Draw, world: World) -> Draft:
    """The user has said that the split there is may go."""
    a, b, top, bottom = rng.sample(APPS, 4)

    def plan() -> Plan:
        start = do("manage_split_screen", action="start", topApp=top, bottomApp=bottom)
        feedback = yield [start]
        if not feedback[0].ok:
            yield [do("manage_split_screen", action="exit")]
            yield [start]
        return done(rng.say(f"{top} above {bottom}.", f"{top}在上，{bottom}在下。"))

    there = rng.random() < 0.6
    return Draft(
        phrasings=(
            "Split screen with {top} on top and {bottom} below, instead of any split there is.",
            "Put {top} above {bottom}; end the old split screen if one is on.",
            "{top} in the upper half, {bottom} in the lower one. Whatever is split now can go.",
            "I'm done with the apps side by side so far, if any: now {top} over {bottom} in split screen.",
        ),
        chinese=(
            "分屏，{top}在上{bottom}在下，原来有分屏就换掉。",
            "上面{top}，下面{bottom}，已经在分屏的话先退出。",
            "上半屏{top}，下半屏{bottom}，现在分着的不要了。",
            "之前要是有分屏就不看了，改成{top}在上、{bottom}在下的分屏。",
        ),
        slots={"top": top, "bottom": bottom},
        plan=plan,
        patch={
            "settings": screen(),
            "app_windows": [{"app": a, "place": "top"}, {"app": b, "place": "bottom"}] if there else [],
        },
    )


def _full(rng: Draw, world: World) -> Draft:
    a, b, app = rng.sample(APPS, 3)

    def plan() -> Plan:
        yield [do("manage_floating_window", action="open", appName=app)]
        return ask(rng.say(f"{a} and {b} float already. Which one shall I close?", f"{a}和{b}已经是小窗了，关哪一个？"))

    return Draft(
        phrasings=(
            "Open {app} in a floating window.",
            "{app} as a small floating window, please.",
            "I'd like to keep an eye on {app}, float it over the rest.",
            "Give me {app} in one of those little windows.",
        ),
        chinese=(
            "用小窗打开{app}。",
            "{app}放到悬浮窗。",
            "我想随时看着{app}，让它悬浮在上面。",
            "把{app}也开成那种小窗口。",
        ),
        slots={"app": app},
        plan=plan,
        criteria=asked(
            [a],
            [b],
            routes=(
                step("manage_floating_window", action="open", appName=app),
                step("manage_floating_window", action="query"),
            ),
        ),
        patch={"settings": screen(), "app_windows": [{"app": name, "place": "floating"} for name in (a, b)]},
    )


def _denied(rng: Draw, world: World) -> Draft:
    app, event = rng.choice(APPS), rng.pick(EVENTS)
    tool, arguments, permission, english, chinese = rng.choice(
        (
            ("manage_voice_typing", {"action": "enable"}, "RECORD_AUDIO", "turn on voice typing", "打开语音输入"),
            ("scan_qr_code", {}, "CAMERA", "read me the QR code in front of the camera", "念一下镜头前的二维码"),
            (
                "manage_floating_window",
                {"action": "open", "appName": app},
                "SYSTEM_ALERT_WINDOW",
                f"open {app} in a floating window",
                f"用悬浮窗打开{app}",
            ),
        )
    )

    def plan() -> Plan:
        yield [do(tool, **arguments)]
        return ask(rng.say(f"The permission {permission} is missing. Grant it?", f"缺少{permission}权限，要授予吗？"))

    return Draft(
        phrasings=(
            "Please {act}.",
            "Could you {act}?",
            "The {event} is about to start, {act}.",
            "I need it for the {event}: {act}.",
        ),
        chinese=("{act}。", "能{act}吗？", "{event}马上开始了，{act}。", "{event}要用，{act}。"),
        slots={"act": rng.say(english, chinese), "event": event},
        plan=plan,
        criteria=asked(PERMISSION, routes=(step(tool, **arguments),)),
        patch={
            "settings": screen(voice_typing="off", microphone_access="on", camera_access="on"),
            "visible_contents": [{"source": "camera", "code": f"Locker {rng.randint(10, 99)}"}],
        },
        denied=(permission,),
    )


def _flaky(rng: Draw, world: World) -> Draft:
    app = rng.choice(APPS)

    def plan() -> Plan:
        shot = do("take_screenshot")
        feedback = yield [shot]
        if not feedback[0].ok:
            yield [shot]
        return done(rng.say("Screenshot saved.", "已截屏。"))

    return Draft(
        phrasings=(
            "Take a screenshot of {app} here.",
            "Capture this {app} screen.",
            "{app} shows just what I need, screenshot that.",
            "Quick, before {app} changes: a screenshot!",
        ),
        chinese=(
            "把现在的{app}界面截屏。",
            "{app}这一屏截下来。",
            "{app}上正好是我要的，截个图。",
            "快，趁{app}还没变，截屏！",
        ),
        slots={"app": app},
        plan=plan,
        patch={"settings": screen(app)},
        faults=(Fault(tool="take_screenshot", error_type=ErrorType.UNAVAILABLE),) if rng.random() < 0.7 else (),
    )


def _protected(rng: Draw, world: World) -> Draft:
    event = rng.pick(EVENTS)

    def plan() -> Plan:
        yield [do("take_screenshot")]
        return refuse(rng.say("I can't capture it: Wallet forbids that.", "抱歉，Wallet不允许截屏。"))

    return Draft(
        phrasings=(
            "Screenshot my card in Wallet, it's open.",
            "Take a screenshot of Wallet, I need it for the {event}.",
            "Wallet is on the screen. Capture it for the {event}.",
            "For the {event} they want a picture of what Wallet shows now, so screenshot it.",
        ),
        chinese=(
            "Wallet开着，把卡片截个屏。",
            "给Wallet截屏，{event}要用。",
            "屏幕上是Wallet，截下来给{event}用。",
            "{event}那边要看Wallet现在的界面，截个图。",
        ),
        slots={"event": event},
        plan=plan,
        criteria=declined(["Wallet"], routes=(step("take_screenshot"),)),
        patch={"settings": screen("Wallet"), "visible_contents": [{"source": "Wallet", "protected": 1}]},
    )


def _one_app(rng: Draw, world: World) -> Draft:
    app = rng.choice(APPS)

    def plan() -> Plan:
        yield from ()
        return ask(rng.say(f"Which app shall go with {app}?", f"{app}和哪个应用一起分屏？"))

    return Draft(
        phrasings=(
            "Put {app} in split screen.",
            "Split the screen, {app} goes in one half.",
            "I want {app} and another app side by side.",
            "Start split screen with {app}, I have to compare something.",
        ),
        chinese=(
            "把{app}分屏。",
            "分屏，{app}占一半。",
            "我想让{app}跟另一个应用并排显示。",
            "用{app}开分屏，我要对照着看点东西。",
        ),
        slots={"app": app},
        plan=plan,
        criteria=asked([app, "app", "second", "other", "应用", "另一", "另外"]),
        patch={"settings": screen()},
        shown=("manage_split_screen",),
    )


_TROUBLE = (_room_for_two, _full, _denied, _flaky, _protected, _one_app)


@family("input_trouble", TOOL, INPUT, "recovery", "clarify", variants=len(_TROUBLE))
def input_trouble(rng: Draw, world: World) -> Draft:
    """A conflict, a full screen, a permission, a service, a ban or a missing word."""
    return branch(rng, world, _TROUBLE)


FAMILIES = (input_trouble,)
