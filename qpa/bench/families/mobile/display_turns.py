"""Basic tool use in Display & Sound: what earlier turns refer to, and wishes that are corrected."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import phone
from qpa.bench.families.mobile.display_look import PICTURES
from qpa.bench.families.mobile.display_slots import DISPLAY, TOOL, clock, missing_from, span, two
from qpa.bench.families.mobile.sound_quiet import schedule
from qpa.bench.families.mobile.wishes import Past, Wish, number, wished, worded
from qpa.bench.families.values import EVENTS, Draw
from qpa.envs.sandbox.schema import World

two_pictures = missing_from("wallpapers", "name", PICTURES, count=2)

REFERENCE = (
    Wish(
        past=(
            Past(
                ("Set the media volume to {level}.", "媒体音量调到{level}。"),
                ("Media volume is {level} now.", "媒体音量已经是{level}了。"),
                do("manage_volume", action="set", stream="media", level="{level}"),
                {"level": "{level}"},
            ),
        ),
        calls=(do("manage_volume", action="set", stream="{stream}", level="{level}"),),
        slots={
            "level old": two(15, 95),
            "stream word": worded(("ring", ("ringtone", "铃声")), ("call", ("call", "通话"))),
        },
        patch=phone(
            sound_mode="normal",
            media_volume="{level}",
            volume_limit="off",
            ring_volume="{old}",
            ring_volume_before_mute="",
            call_volume="{old}",
        ),
        english=(
            "Do the same for the {word} volume.",
            "Good. Now the {word} volume to the same level.",
            "And the {word} volume as well, same number.",
            "The {word} volume should match it, please.",
        ),
        chinese=(
            "{word}音量也一样。",
            "好，{word}音量也调到这个数",
            "{word}音量跟它设成同样的",
            "再把{word}音量也弄成一样高",
        ),
    ),
    Wish(
        past=(
            Past(
                ("Turn off dark mode for a moment.", "先把深色模式关一下。"),
                ("Dark mode is off.", "深色模式关了。"),
                do("manage_dark_mode", action="disable"),
                {"enabled": False},
            ),
        ),
        calls=(do("manage_dark_mode", action="enable"),),
        slots={"event": EVENTS},
        patch=phone(dark_mode="off", dark_mode_schedule="off"),
        english=(
            "You can turn it back on now.",
            "Okay, done with the {event}, switch it on again.",
            "Thanks. Now enable it again.",
            "That was bright! Put it on again, please.",
        ),
        chinese=("现在可以再打开了。", "{event}的事弄完了，再开回来吧", "谢谢，重新打开它", "太亮了，还是再给我打开"),
    ),
    Wish(
        past=(
            Past(
                ("Which wallpapers could I use? I like {a} and {b}.", "有哪些壁纸可以用？我喜欢{a}和{b}。"),
                ("Both are on the phone: 1. {a}, 2. {b}.", "两张手机里都有：1. {a}，2. {b}。"),
            ),
        ),
        calls=(do("manage_wallpaper", action="set", name="{b}", screen="lock"),),
        slots={"a b": two_pictures, "event": EVENTS},
        patch={"wallpapers": [{"name": "{a}", "live": 0}, {"name": "{b}", "live": 0}]},
        english=(
            "Take the second one for the lock screen.",
            "Lock screen wallpaper: number two.",
            "I'd rather have the latter, on my lock screen.",
            "The second, please, but only on the lock screen. The first I'll keep for the {event}.",
        ),
        chinese=(
            "锁屏用第二张。",
            "锁屏壁纸选2号",
            "还是后面那张吧，设到锁屏上",
            "第二张，只设锁屏，第一张留到{event}再用",
        ),
    ),
    Wish(
        past=(
            Past(
                ("Dim the screen to {low}.", "屏幕调暗到{low}。"),
                ("Brightness went from {before} to {low}.", "亮度从{before}调到{low}了。"),
                do("manage_brightness", action="set", level="{low}"),
                {"level": "{low}"},
            ),
        ),
        calls=(do("manage_brightness", action="set", level="{before}"),),
        slots={"low": number(5, 25, 5), "before": number(40, 95, 5)},
        patch=phone(auto_brightness="off", brightness="{low}"),
        english=(
            "The film is over, make it as bright as before.",
            "Put the brightness back to where it was.",
            "Too dark after all. I want the old level back.",
            "Restore what I had before that.",
        ),
        chinese=(
            "电影看完了，亮度恢复到之前的。",
            "亮度调回原来的值",
            "还是太暗了，要刚才那个亮度",
            "恢复成调之前的样子",
        ),
    ),
    Wish(
        past=(
            Past(
                (
                    "Create a do-not-disturb schedule {name} from {start} to {end}.",
                    "新建一个勿扰计划“{name}”，{start}到{end}。",
                ),
                ("The schedule {name} is set up.", "勿扰计划“{name}”建好了。"),
                do("manage_dnd_schedule", action="create", name="{name}", startTime="{start}", endTime="{end}"),
                {"name": "{name}", "start_time": "{start}", "end_time": "{end}", "repeat": "daily"},
            ),
        ),
        calls=(do("manage_dnd_schedule", action="update", name="{name}", repeat="weekdays"),),
        slots={"name": EVENTS, "start end": span(9, 19)},
        patch={"dnd_schedules": [schedule(repeat="daily")]},
        english=(
            "Make that one weekdays only.",
            "It should only run on weekdays, please change it.",
            "I don't need it on Saturdays and Sundays. Weekdays will do.",
            "On second thought, limit that schedule to Monday through Friday.",
        ),
        chinese=(
            "把它改成只在工作日。",
            "这个计划工作日执行就行，改一下",
            "周六周日不需要，改为工作日",
            "那条计划限定周一到周五吧",
        ),
    ),
    Wish(
        past=(
            Past(
                ("Turn on eye comfort, level {level}.", "打开护眼，强度{level}。"),
                ("Eye comfort is on, level {level}.", "护眼已打开，强度{level}。"),
                do("manage_eye_comfort", action="enable", level="{level}"),
                {"enabled": True, "level": "{level}"},
            ),
        ),
        calls=(do("manage_eye_comfort", action="schedule", startTime="{start}", endTime="{end}"),),
        slots={"level": number(15, 90, 5), "start": clock(19, 22), "end": clock(5, 8)},
        patch=phone(eye_comfort="on", eye_comfort_level="{level}", eye_comfort_schedule="off", reading_mode="off"),
        english=(
            "From now on I want it every day, from {start} to {end}.",
            "Nice. Schedule that daily, {start} until {end}.",
            "Can it do this by itself? {start} to {end}, each day.",
            "Let it come on at {start} and go off at {end} automatically.",
        ),
        chinese=(
            "以后每天{start}到{end}都开它。",
            "不错，定个时，每天{start}到{end}",
            "能自动吗？每天{start}开，{end}关",
            "让它{start}自动打开，{end}自动关闭",
        ),
    ),
)

REVISION = (
    Wish(
        calls=(do("manage_brightness", action="set", level="{level}"),),
        slots={"level wrong old": lambda rng, world: rng.sample(range(10, 96, 5), 3)},
        patch=phone(auto_brightness="off", brightness="{old}"),
        english=(
            "Brightness to {wrong}, no wait, {level}.",
            "Set the screen to {wrong} percent... hmm, rather {level}.",
            "Make the brightness {wrong}. Sorry, I meant {level}.",
            "I said {wrong} for the brightness? Forget that, {level}.",
        ),
        chinese=(
            "亮度调到{wrong}，不对，{level}。",
            "屏幕亮度{wrong}吧……还是{level}好了",
            "亮度设{wrong}，说错了，是{level}",
            "刚想说亮度{wrong}，算了，用{level}",
        ),
    ),
    Wish(
        calls=(do("set_sound_mode", mode="{mode}"),),
        slots={
            "mode wrong word": worded(
                ("silent", ("vibrate", "振动"), ("silent", "静音")),
                ("vibrate", ("silent", "静音"), ("vibrate", "振动")),
            ),
            "event": EVENTS,
        },
        patch=phone(sound_mode="normal", ring_volume="60", ring_volume_before_mute=""),
        english=(
            "Put the phone on {wrong}. Actually no, {word}.",
            "{event} soon, so {wrong} mode please. Or better: {word}.",
            "Sound mode {wrong}... no, {word}.",
            "I wanted {wrong} for the {event}, but {word} is wiser. Set that.",
        ),
        chinese=(
            "手机调成{wrong}，不，{word}。",
            "一会儿{event}，切{wrong}模式吧，算了，还是{word}",
            "声音模式{wrong}……不对，{word}",
            "{event}本来想用{wrong}，想想还是{word}稳妥，设上",
        ),
    ),
    Wish(
        calls=(do("manage_dnd_schedule", action="create", name="{name}", startTime="{start}", endTime="{end}"),),
        slots={"name": EVENTS, "start end": span(12, 18), "wrong": clock(7, 10)},
        english=(
            "Do-not-disturb schedule {name}, daily, {wrong} to {end}. No, it starts at {start}.",
            "Make a daily DND schedule called {name} from {wrong}, sorry, from {start} to {end}.",
            "Every day do-not-disturb, name {name}, until {end}, beginning {wrong}... make that {start}.",
            "New daily DND schedule {name}, ending {end}. I first thought {wrong} as the start, but {start} is right.",
        ),
        chinese=(
            "建个每天的勿扰计划“{name}”，{wrong}到{end}，不对，{start}开始。",
            "每天勿扰，叫“{name}”，从{wrong}，哦不，从{start}到{end}",
            "新勿扰计划“{name}”，每天，{end}结束，{wrong}开始……改成{start}开始",
            "每日勿扰“{name}”，到{end}为止，原想{wrong}开始，还是{start}吧，帮我建",
        ),
    ),
    Wish(
        past=(
            Past(
                ("Set the screen timeout to 30 seconds.", "熄屏时间设成30秒。"),
                ("The screen goes off after 30 seconds now.", "现在30秒后熄屏。"),
                do("set_screen_timeout", timeout="30s"),
                {"screen_timeout": "30s"},
            ),
        ),
        calls=(do("set_screen_timeout", timeout="{timeout}"),),
        slots={
            "timeout word": worded(
                ("1min", ("one minute", "1分钟")),
                ("2min", ("two minutes", "2分钟")),
                ("5min", ("five minutes", "5分钟")),
                ("10min", ("ten minutes", "10分钟")),
            )
        },
        patch=phone(screen_timeout="30s"),
        english=(
            "Hmm, that's too short. Make it {word}.",
            "No, I meant {word}.",
            "Oh, I should have said {word}, please correct that.",
            "Change of mind: {word} instead.",
        ),
        chinese=("太短了，改成{word}。", "不是，我说的是{word}", "说错了，应该{word}，改一下", "我改主意了，换{word}"),
    ),
    Wish(
        past=(
            Past(
                ("Turn on bold text.", "打开粗体文字。"),
                ("Bold text is on.", "粗体文字已打开。"),
                do("manage_bold_text", action="enable"),
                {"enabled": True},
            ),
        ),
        calls=(do("manage_bold_text", action="disable"),),
        slots={"event": EVENTS},
        patch=phone(bold_text="on"),
        english=(
            "That looks awful. Undo it.",
            "No, take that back.",
            "Hm, I have to show this phone at the {event}. Revert that, please.",
            "I don't like it after all, back to how it was.",
        ),
        chinese=(
            "太难看了，撤销。",
            "不行，改回去",
            "{event}上要给人看手机，还是恢复原样吧",
            "不喜欢，还是变回刚才那样",
        ),
    ),
    Wish(
        past=(
            Past(
                ("Use {picture} as the home screen wallpaper.", "主屏幕壁纸换成{picture}。"),
                ("{picture} is on the home screen.", "主屏幕壁纸已经换成{picture}。"),
                do("manage_wallpaper", action="set", name="{picture}", screen="home"),
                {"name": "{picture}", "screen": "home"},
            ),
        ),
        calls=(do("manage_wallpaper", action="set", name="{better}", screen="home"),),
        slots={"picture better": two_pictures},
        patch={
            "wallpapers": [{"name": "{picture}", "live": 0}, {"name": "{better}", "live": 0}],
            **phone(wallpaper_home="{picture}"),
        },
        english=(
            "Oh no, that hides my icons. {better} instead.",
            "Take {better} rather than that one.",
            "I changed my mind, make it {better}.",
            "Not what I hoped for. Replace it with {better}.",
        ),
        chinese=(
            "哎，图标都看不清了，换成{better}。",
            "别用这张，用{better}",
            "我改主意了，换{better}吧",
            "没想象中好看，用{better}替掉它",
        ),
    ),
)


@family("display_reference", TOOL, DISPLAY, "reference", variants=len(REFERENCE))
def display_reference(rng: Draw, world: World) -> Draft:
    """The object or the value is that of an earlier turn."""
    return wished(rng, world, REFERENCE)


@family("display_revision", TOOL, DISPLAY, "revision", variants=len(REVISION))
def display_revision(rng: Draw, world: World) -> Draft:
    """The wish is corrected within the utterance or in the next turn."""
    return wished(rng, world, REVISION)


FAMILIES = (display_reference, display_revision)
