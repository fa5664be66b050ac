"""Basic tool use in Display & Sound: one-call wishes about the light, comfort and rotation of the screen."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import phone
from qpa.bench.families.mobile.display_slots import DISPLAY, TOOL, clock, two
from qpa.bench.families.mobile.wishes import Wish, number, wished, worded
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.schema import World

SCREEN = (
    Wish(
        calls=(do("manage_brightness", action="set", level="{level}"),),
        slots={"level old": two(5, 95)},
        patch=phone(auto_brightness="off", brightness="{old}"),
        english=(
            "Set the screen brightness to {level}.",
            "brightness {level}% please",
            "Could you put my display at {level} percent brightness? I'm reading a long article.",
            "I like the screen at {level}% brightness, so change it to that.",
        ),
        chinese=(
            "屏幕亮度调到{level}。",
            "亮度{level}%",
            "我要看篇长文章，把屏幕亮度设成百分之{level}吧",
            "现在这个亮度看着不舒服，改成{level}%",
        ),
    ),
    Wish(
        calls=(do("manage_brightness", action="decrease", step="{step}"),),
        slots={"step": number(5, 25, 5), "old": number(60, 95, 5)},
        patch=phone(auto_brightness="off", brightness="{old}"),
        english=(
            "Lower the brightness by {step} points.",
            "The screen hurts my eyes. Take the brightness down by {step}.",
            "Dim the display by {step} percentage points, would you?",
            "Bring the brightness {step} points lower than it is now.",
        ),
        chinese=(
            "亮度降低{step}个点。",
            "屏幕太刺眼了，亮度往下调{step}",
            "把屏幕调暗{step}个百分点吧",
            "在现在的基础上把亮度减{step}",
        ),
    ),
    Wish(
        calls=(do("manage_brightness", action="max"),),
        slots={"old": number(10, 60, 5)},
        patch=phone(auto_brightness="off", brightness="{old}"),
        english=(
            "Turn the brightness all the way up.",
            "It was at {old} indoors, but here the sun is blinding, I can't see a thing. Give me full brightness.",
            "Make the screen as bright as it can possibly get.",
            "Max out my screen brightness, someone has to scan this code.",
        ),
        chinese=(
            "亮度开到最大。",
            "屋里{old}够用，可太阳底下什么都看不清，屏幕调到最亮",
            "把屏幕亮度拉满",
            "要给人扫码，帮我把屏幕亮度调到最高",
        ),
    ),
    Wish(
        calls=(do("manage_auto_brightness", action="enable"),),
        slots={"old": number(20, 80, 5)},
        patch=phone(auto_brightness="off", brightness="{old}"),
        english=(
            "Turn on auto-brightness.",
            "Let the screen adapt its brightness to the light around me by itself.",
            "I'm tired of changing the brightness by hand, make it automatic.",
            "It's stuck at {old}% brightness indoors and out. The phone should pick the level on its own.",
        ),
        chinese=(
            "打开自动亮度。",
            "让屏幕自己根据环境光调节亮度",
            "老是手动调亮度好烦，改成自动的吧",
            "亮度一直停在{old}%，室内室外都一样，让手机自己看环境调",
        ),
    ),
    Wish(
        calls=(do("manage_dark_mode", action="enable"),),
        slots={"old": number(20, 80, 5)},
        patch=phone(dark_mode="off", dark_mode_schedule="off"),
        english=(
            "Turn on dark mode.",
            "Switch the phone to the dark theme, please.",
            "White backgrounds everywhere, it's like staring into a lamp. I want black ones with light text.",
            "The dark look would suit me better, enable it. Brightness can stay at {old}.",
        ),
        chinese=(
            "打开深色模式。",
            "把手机切成深色主题",
            "到处都是白底，像盯着灯泡一样，换成黑底白字的那种模式",
            "还是深色模式好看，开一下，亮度{old}不用动",
        ),
    ),
    Wish(
        calls=(do("manage_dark_mode", action="schedule", startTime="{start}", endTime="{end}"),),
        slots={"start": clock(19, 23), "end": clock(5, 8)},
        patch=phone(dark_mode="off", dark_mode_schedule="off"),
        english=(
            "Schedule dark mode from {start} to {end}.",
            "Dark mode should come on at {start} every evening and go off at {end}.",
            "Between {start} and {end} I want the dark theme, automatically.",
            "Set a daily dark mode window: starts {start}, ends {end}.",
        ),
        chinese=(
            "深色模式定时，{start}到{end}。",
            "每天{start}自动开深色模式，{end}关",
            "{start}到{end}之间自动用深色主题",
            "给深色模式设个每日时段，{start}开始，{end}结束",
        ),
    ),
    Wish(
        calls=(do("manage_dark_mode", action="follow_sunset"),),
        slots={"old": number(20, 80, 5)},
        patch=phone(dark_mode="off", dark_mode_schedule="off", location="on"),
        english=(
            "Let dark mode follow sunset and sunrise.",
            "Dark mode when the sun goes down, light again when it comes up, every day.",
            "I don't want fixed hours, the dark theme should simply start at sunset.",
            "Tie dark mode to the sun: dark from sunset till sunrise. Leave the brightness at {old}.",
        ),
        chinese=(
            "深色模式跟随日落日出。",
            "天黑了自动切深色模式，天亮了再切回来",
            "不要固定时间，日落就自动进深色模式",
            "深色模式按日落到日出自动切换，亮度{old}别动",
        ),
    ),
    Wish(
        calls=(do("manage_dark_mode", action="unschedule"),),
        slots={"start": clock(19, 23), "end": clock(5, 8)},
        patch=phone(dark_mode="off", dark_mode_schedule="{start}-{end}"),
        english=(
            "Cancel the dark mode schedule.",
            "Dark mode shouldn't start by itself at {start} any more, drop the schedule.",
            "Remove the {start} to {end} timing of dark mode, I'll switch it by hand.",
            "No more automatic dark mode at {start}, please delete that timetable.",
        ),
        chinese=(
            "取消深色模式的定时。",
            "深色模式别再{start}自动开了，把定时去掉",
            "深色模式{start}到{end}的定时删了吧，我自己手动开",
            "以后不要到{start}就自动深色了，取消那个时间安排",
        ),
    ),
    Wish(
        calls=(do("manage_eye_comfort", action="enable", level="{level}"),),
        slots={"level old": two(10, 90)},
        patch=phone(eye_comfort="off", eye_comfort_level="{old}", eye_comfort_schedule="off", reading_mode="off"),
        english=(
            "Turn on eye comfort at level {level}.",
            "Filter out the blue light, strength {level}.",
            "My eyes are sore. Switch on the blue-light filter and put it at {level}.",
            "Eye comfort on please, and the level should be {level} of 100.",
        ),
        chinese=(
            "打开护眼模式，强度{level}。",
            "过滤一下蓝光，强度{level}",
            "眼睛好酸，开护眼，强度调到{level}",
            "开启护眼模式，强度设成{level}，满分100的那个",
        ),
    ),
    Wish(
        calls=(do("manage_eye_comfort", action="schedule", startTime="{start}", endTime="{end}"),),
        slots={"start": clock(19, 23), "end": clock(5, 8)},
        patch=phone(eye_comfort="off", eye_comfort_schedule="off", reading_mode="off"),
        english=(
            "Schedule eye comfort from {start} to {end}.",
            "The blue-light filter should run every night between {start} and {end}.",
            "I sleep badly after scrolling. Eye comfort at {start}, off again at {end}, every day please.",
            "From {start} until {end}, daily: blue-light filter.",
        ),
        chinese=(
            "护眼模式定时{start}到{end}。",
            "每晚{start}到{end}自动开护眼",
            "睡前刷手机老是睡不好，护眼模式每天{start}开，{end}关",
            "设个护眼时段，每天从{start}一直到{end}",
        ),
    ),
    Wish(
        calls=(do("manage_auto_rotate", action="enable"),),
        slots={"page": number(12, 90)},
        patch=phone(auto_rotate="off"),
        english=(
            "Turn on auto-rotate.",
            "When I turn the phone sideways the picture should turn with it.",
            "Why does my screen never rotate? Enable that.",
            "I'm at page {page} of a wide table and it stays upright. Let the screen rotate by itself.",
        ),
        chinese=(
            "打开自动旋转。",
            "手机横过来的时候屏幕也跟着转",
            "屏幕怎么老不转，把自动旋转开开",
            "第{page}页的表格太宽了，手机横着它也不动，让屏幕能自动旋转",
        ),
    ),
    Wish(
        calls=(do("manage_auto_rotate", action="disable", orientation="{side}"),),
        slots={
            "side old word": worded(
                ("portrait", "landscape", ("upright", "竖屏")), ("landscape", "portrait", ("sideways", "横屏"))
            )
        },
        patch=phone(auto_rotate="on", locked_orientation="{old}"),
        english=(
            "Lock the screen {word}.",
            "Stop the screen from rotating and keep it {word}.",
            "I'm lying on the sofa and it flips all the time. Fix it {word}, please.",
            "No more rotating: {word} only.",
        ),
        chinese=(
            "屏幕锁定为{word}。",
            "别让屏幕转来转去，固定成{word}",
            "躺着看手机老是翻，锁成{word}吧",
            "关掉自动旋转，只要{word}",
        ),
    ),
    Wish(
        calls=(do("control_flashlight", action="enable", level="{level}"),),
        slots={"level": number(1, 4), "minute": number(3, 40)},
        patch=phone(flashlight="off", flashlight_level="5", battery_level="70"),
        english=(
            "Flashlight on, level {level}.",
            "Turn the torch on at strength {level} of 5.",
            "I dropped my keys {minute} minutes ago and it's pitch dark. Torch on, level {level}.",
            "Light, please! The back one, at level {level}.",
        ),
        chinese=(
            "打开手电筒，{level}档。",
            "手电开{level}档，一共五档的那个",
            "钥匙掉了，黑灯瞎火找了{minute}分钟，手电筒开到{level}档",
            "给我照个亮，手电{level}档就行",
        ),
    ),
    Wish(
        calls=(do("control_flashlight", action="disable"),),
        slots={"minute": number(3, 40)},
        patch=phone(flashlight="on"),
        english=(
            "Turn the flashlight off.",
            "Torch off, I found what I was looking for.",
            "The light on the back of my phone has been burning for {minute} minutes. Switch it off.",
            "I don't need the torch any more, kill it.",
        ),
        chinese=(
            "关掉手电筒。",
            "东西找到了，手电关了吧",
            "手机背面的灯亮了{minute}分钟了，关掉",
            "手电筒用不着了，帮我灭了",
        ),
    ),
)


@family("display_screen_set", TOOL, DISPLAY, "grounding", variants=len(SCREEN))
def display_screen_set(rng: Draw, world: World) -> Draft:
    """One call: light, comfort and rotation of the screen."""
    return wished(rng, world, SCREEN)


FAMILIES = (display_screen_set,)
