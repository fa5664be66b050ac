"""Basic tool use in Display & Sound: conditions, look-ups, states in the way, and several calls at once."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import answered, branch, phone
from qpa.bench.families.mobile.display_slots import DISPLAY, TOOL
from qpa.bench.families.values import EVENTS, TITLES, Draw
from qpa.contract import ErrorType
from qpa.envs.sandbox.schema import World


def fixed_brightness(rng: Draw, world: World) -> Draft:
    """Auto-brightness is in the way, and the user does not want it any more."""
    level, old = rng.sample(range(15, 96, 5), 2)
    wanted = do("manage_brightness", action="set", level=level)
    off = do("manage_auto_brightness", action="disable")

    def plan() -> Plan:
        feedback = yield [wanted]
        if feedback[0].error_type is ErrorType.CONFLICT:
            yield [off]
            yield [wanted]
        return done(rng.say(f"Brightness is fixed at {level}.", f"亮度已固定在{level}。"))

    def ahead() -> Plan:
        yield [off]
        yield [wanted]
        return done(rng.say("Done.", "好了。"))

    return Draft(
        phrasings=(
            "Fix the brightness at {level}, the phone must not change it by itself any more.",
            "The screen keeps adapting and I hate it. No more automatic, just {level} all the time.",
            "Set the brightness to {level}; if auto-brightness is in the way, turn that off.",
            "Brightness {level} and it should stay there whatever the light is, so without auto-brightness.",
        ),
        chinese=(
            "亮度固定在{level}，手机别再自己变了。",
            "屏幕忽明忽暗的真烦，不要自动了，一直{level}就行",
            "把亮度设成{level}，自动亮度要是挡着就先关掉",
            "不管周围多亮，亮度都保持{level}，自动亮度不要了",
        ),
        slots={"level": level},
        plan=plan,
        alternatives=(ahead,),
        patch=phone(auto_brightness="on", brightness=str(old)),
    )


def if_dark(rng: Draw, world: World) -> Draft:
    """One of two calls, as a switch is."""
    level, old = rng.sample(range(15, 96, 5), 2)
    dark = rng.choice(("on", "off"))

    def plan() -> Plan:
        feedback = yield [do("manage_dark_mode", action="query")]
        if feedback[0].payload["data"]["enabled"]:
            yield [do("manage_brightness", action="set", level=level)]
        else:
            yield [do("manage_dark_mode", action="enable")]
        return done(rng.say("Done.", "好了。"))

    return Draft(
        phrasings=(
            "If dark mode is on, set the brightness to {level}; if it isn't, turn dark mode on.",
            "Check dark mode. Already on? Then brightness to {level}. Off? Then enable it, nothing else.",
            "Brightness to {level} in case dark mode is running, otherwise switch dark mode on instead.",
            "I'm not sure whether dark mode is on. If so I want {level} brightness, if not I want dark mode.",
        ),
        chinese=(
            "如果深色模式开着，就把亮度调到{level}；没开的话就打开深色模式。",
            "看看深色模式，开着就亮度{level}，没开就打开它，别的不动",
            "深色模式开着的话亮度设{level}，否则改为打开深色模式",
            "不记得深色模式开没开，开了就把亮度弄成{level}，没开就开深色模式",
        ),
        slots={"level": level},
        plan=plan,
        patch=phone(
            dark_mode=dark, dark_mode_schedule="off", auto_brightness="off", brightness=str(old), reading_mode="off"
        ),
        shown=("manage_dark_mode", "manage_brightness"),
    )


def too_loud(rng: Draw, world: World) -> Draft:
    """Lowered only above a limit; either way the user hears what it was."""
    limit, over = rng.randrange(35, 71, 5), rng.random() < 0.6
    level = limit + rng.randint(6, 25) * (1 if over else -1)

    def plan() -> Plan:
        feedback = yield [do("manage_volume", action="query", stream="media")]
        found = feedback[0].payload["data"]["media"]
        if found > limit:
            yield [do("manage_volume", action="set", stream="media", level=limit)]
            return done(rng.say(f"It was {found}, now {limit}.", f"之前是{found}，已降到{limit}。"))
        return done(rng.say(f"It's {found}, nothing changed.", f"现在是{found}，没有改动。"))

    return Draft(
        phrasings=(
            "Tell me how loud media is, and if it's above {limit}, bring it down to {limit}.",
            "What's the media volume? Anything over {limit} is too much, lower it to {limit} then.",
            "Check the media volume and say the number. More than {limit} means set it to {limit}, else leave it.",
            "My neighbour complained. See what media is at and cut it to {limit} if it's higher; what was it?",
        ),
        chinese=(
            "看看媒体音量是多少，超过{limit}就降到{limit}。",
            "媒体音量现在几？高于{limit}就太吵了，调到{limit}",
            "查一下媒体音量报个数，比{limit}大就设成{limit}，不然别动",
            "邻居有意见了，看下媒体音量多少，高过{limit}就压到{limit}，告诉我原来是几",
        ),
        slots={"limit": limit},
        plan=plan,
        criteria="state" if over else answered([str(level)], reads=("manage_volume",)),
        patch=phone(media_volume=str(level), media_volume_before_mute="", volume_limit="off"),
    )


def bedside(rng: Draw, world: World) -> Draft:
    """Three calls that all have to happen."""
    level, until = rng.randrange(5, 26, 5), f"{rng.randint(10, 13)}:{rng.choice(('00', '15', '30', '45'))}"

    def plan() -> Plan:
        yield [
            do("manage_dark_mode", action="enable"),
            do("manage_brightness", action="set", level=level),
            do("manage_do_not_disturb", action="enable", until=until),
        ]
        return done(rng.say("All set, rest well.", "都弄好了，好好休息。"))

    return Draft(
        phrasings=(
            "I have a migraine. Dark mode, brightness {level}, and do-not-disturb until {until}.",
            "Turn on dark mode, set the brightness to {level} and keep the phone on DND till {until}.",
            "Three things: brightness {level}, dark theme on, do-not-disturb up to {until}.",
            "Let me lie down in peace: do-not-disturb until {until}, dark mode on, and only {level} brightness.",
        ),
        chinese=(
            "我偏头痛，开深色模式，亮度{level}，勿扰到{until}。",
            "打开深色模式，亮度调到{level}，再开勿扰到{until}",
            "三件事：亮度{level}、深色主题打开、勿扰开到{until}",
            "我要躺一会儿，勿扰到{until}，深色模式开着，亮度只要{level}",
        ),
        slots={"level": level, "until": until},
        plan=plan,
        patch=phone(
            dark_mode="off", dark_mode_schedule="off", auto_brightness="off", brightness="70", dnd="off", dnd_until=""
        ),
    )


def smooth(rng: Draw, world: World) -> Draft:
    """Power saving forbids the refresh rate, and the user gives it up."""
    rate, title = rng.choice(("90Hz", "120Hz")), rng.pick(TITLES)
    wanted = do("set_refresh_rate", rate=rate)
    normal = do("manage_battery", mode="normal")

    def plan() -> Plan:
        feedback = yield [wanted]
        if feedback[0].error_type is ErrorType.CONFLICT:
            yield [normal]
            yield [wanted]
        return done(rng.say(f"The screen runs at {rate}.", f"屏幕已是{rate}。"))

    def ahead() -> Plan:
        yield [normal]
        yield [wanted]
        return done(rng.say("Done.", "好了。"))

    return Draft(
        phrasings=(
            "Set the refresh rate to {rate}. If power saving forbids it, put the battery mode back to normal.",
            "I want {rate} on this screen, and I don't mind going back to the normal battery mode for it.",
            "{title} looks choppy. Get the display to {rate}, out of power saving into normal mode if need be.",
            "Refresh rate {rate} please, even when that costs me power saving; normal battery mode is fine.",
        ),
        chinese=(
            "刷新率调到{rate}，省电模式不让的话就换回普通电池模式。",
            "屏幕要{rate}，为这个退回普通电池模式也行",
            "{title}的画面一卡一卡的，刷新率开到{rate}，有必要就从省电切到普通模式",
            "刷新率{rate}，省电模式可以不要，用普通电池模式就好",
        ),
        slots={"rate": rate, "title": title},
        plan=plan,
        alternatives=(ahead,),
        patch=phone(refresh_rate="60Hz", battery_mode="power_saving", screen_attention="off"),
    )


def as_loud_as(rng: Draw, world: World) -> Draft:
    """The level of one stream is looked up for another."""
    level, old = rng.sample(range(20, 96, 5), 2)
    event = rng.pick(EVENTS)

    def plan() -> Plan:
        feedback = yield [do("manage_volume", action="query", stream="call")]
        found = feedback[0].payload["data"]["call"]
        yield [do("manage_volume", action="set", stream="ring", level=found)]
        return done(rng.say(f"Both are at {found}.", f"两个都是{found}了。"))

    return Draft(
        phrasings=(
            "Make the ringtone exactly as loud as my call volume.",
            "Set the ring volume to whatever the call volume is.",
            "At the {event} the ringtone was off compared with calls. Give it the same level as the call volume.",
            "Look up the call volume and use that number for the ringtone too.",
        ),
        chinese=(
            "铃声音量调成和通话音量一样。",
            "通话音量是多少，铃声就设多少",
            "{event}的时候发现铃声跟通话音量差太多，把铃声改成通话那个数",
            "查一下通话音量，铃声也用同样的数值",
        ),
        slots={"event": event},
        plan=plan,
        patch=phone(sound_mode="normal", call_volume=str(level), ring_volume=str(old), ring_volume_before_mute=""),
    )


def locked_recording(rng: Draw, world: World) -> Draft:
    """The order counts: a recording that begins before the lock shows the screen turning."""
    title = rng.pick(TITLES)
    side, word = rng.choice((("portrait", ("upright", "竖屏")), ("landscape", ("sideways", "横屏"))))

    def plan() -> Plan:
        yield [do("manage_auto_rotate", action="disable", orientation=side)]
        yield [do("control_screen_recorder", action="start", audio="none")]
        return done(rng.say("Locked, and recording.", "已锁定，开始录屏了。"))

    return Draft(
        phrasings=(
            "First lock the screen {word}, then start a screen recording without sound.",
            "I'm recording my screen for {title}, no audio. Before it starts, fix the screen {word}.",
            "Start recording the screen silently, but not before it is locked {word}.",
            "Lock it {word}, no more rotating; once that is done, record the screen with no audio.",
        ),
        chinese=(
            "先把屏幕锁成{word}，再开始无声录屏。",
            "我要录一段{title}的屏幕，不要声音，开录之前先固定{word}",
            "开始录屏，不录声音，不过得先锁定{word}再录",
            "锁定{word}别再旋转，锁好以后再录屏，不带声音",
        ),
        slots={"title": title, "word": rng.say(*word)},
        plan=plan,
        criteria="tool",
        patch=phone(
            auto_rotate="on",
            locked_orientation="landscape" if side == "portrait" else "portrait",
            screen_recording="off",
            battery_mode="normal",
        ),
    )


BRANCHES = (locked_recording, fixed_brightness, if_dark, too_loud, bedside, smooth, as_loud_as)


@family("display_depends", TOOL, DISPLAY, "dependency", variants=len(BRANCHES))
def display_depends(rng: Draw, world: World) -> Draft:
    """Calls that depend on what other calls found, or that belong together."""
    return branch(rng, world, BRANCHES)


FAMILIES = (display_depends,)
