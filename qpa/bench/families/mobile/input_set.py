"""Input & Interaction: plain wishes that one call fulfils."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, family
from qpa.bench.families.mobile.common import Request, one_of, settings
from qpa.bench.families.values import NOTES, Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
INPUT = "Input & Interaction"
APPS = ("Browser", "Calendar", "Clock", "Email", "File Manager", "Maps", "Messages", "Notes", "Phone", "Settings")
FREE_APPS = ("Browser", "Calendar", "Clock", "Email", "File Manager", "Messages")  # of no seeded sidebar


def screen(app: str = "", **more: str) -> list[dict[str, str]]:
    """Settings of a lit phone with this app in front, the home screen by default."""
    plain = {"screen_overlay": "", "screen_power": "on", "one_handed_mode": "off", "battery_mode": "normal"}
    return settings(**{**plain, "foreground_app": app, **more})


def _times(rng: Draw, world: World) -> dict[str, Any]:
    return {"startTime": rng.time(5, 8), "endTime": rng.time(18, 23)}


CONTROLS = (
    Request(
        "manage_air_gestures",
        (
            "Turn on the air gesture for scrolling.",
            "Let me scroll by waving my hand in front of the screen.",
            "My fingers are covered in dough and I have to move on in the recipe, switch on touchless scrolling.",
        ),
        ("打开隔空滑动。", "我想在屏幕前挥挥手就能翻页滚动。", "手上都是面粉，还得往下翻菜谱，开一下隔空滚动。"),
        {"action": "enable", "gesture": "scroll"},
        patch={"settings": screen(air_gesture_scroll="off")},
    ),
    Request(
        "manage_motion_gestures",
        (
            "Turn on flip to mute.",
            "When I put the phone face down, it should go silent by itself.",
            "In meetings I'd like to shut the phone up by simply turning it over, enable that.",
        ),
        ("打开翻转静音。", "手机屏幕朝下一扣就自动静音，把这个打开。", "开会时想把手机翻过来就不响，帮我启用。"),
        {"action": "enable", "gesture": "flip_to_mute"},
        patch={"settings": screen(motion_flip_to_mute="off")},
        criteria="tool",
    ),
    Request(
        "manage_motion_gestures",
        (
            "Turn on pocket mode.",
            "Enable the pocket mode, please.",
            "The screen keeps reacting to my leg while the phone is in my trousers, use the mode against that.",
        ),
        ("打开口袋模式。", "帮我启用口袋模式。", "手机放裤兜里老是误触，把防误触的口袋模式打开。"),
        {"action": "enable", "gesture": "pocket_mode"},
        patch={"settings": screen(motion_pocket_mode="off")},
        criteria="tool",
    ),
    Request(
        "manage_touch_sensitivity",
        (
            "Set touch sensitivity to gloves.",
            "I'm wearing gloves and the screen doesn't react, raise the touch sensitivity for that.",
            "It's minus ten out here; let me use the screen with gloves on.",
        ),
        (
            "触控灵敏度调成手套模式。",
            "戴着手套屏幕没反应，把触控灵敏度调一下。",
            "外面零下十度，我想戴着手套也能点屏幕。",
        ),
        {"action": "set", "level": "glove"},
        patch={"settings": screen(touch_sensitivity="standard")},
        criteria="tool",
    ),
    Request(
        "manage_one_handed_mode",
        (
            "One-handed mode, left side.",
            "Shrink the screen to the left, I only have my left hand free.",
            "I hold the baby in my right arm, make the screen small on the left so my thumb gets everywhere.",
        ),
        ("打开单手模式，靠左。", "我只有左手空着，把屏幕缩到左边。", "右手抱着孩子，屏幕缩小到左侧，拇指够得着。"),
        {"action": "enable", "side": "left"},
        patch={"settings": screen(one_handed_side="right")},
    ),
    Request(
        "manage_always_on_display",
        (
            "Always-on display from {startTime} to {endTime}.",
            "Show the always-on display between {startTime} and {endTime} only.",
            "I want to see the clock on the locked screen, but just from {startTime} until {endTime}; schedule that.",
        ),
        (
            "息屏显示从{startTime}开到{endTime}。",
            "息屏显示只在{startTime}到{endTime}之间亮。",
            "锁屏时想看到时钟，不过只要{startTime}到{endTime}，息屏显示定个时。",
        ),
        {"action": "enable", "mode": "scheduled"},
        _times,
        {"settings": screen(always_on_display="off", aod_mode="tap", aod_start="04:00", aod_end="17:00")},
    ),
    Request(
        "manage_always_on_display",
        (
            "Turn the always-on display on with the analog clock.",
            "Always-on display, analog style.",
            "I miss the hands of a real clock: always-on display, please, in the analog style.",
        ),
        (
            "打开息屏显示，用指针表盘。",
            "息屏显示，样式选指针时钟。",
            "喜欢有指针的钟，息屏显示打开，换成模拟时钟样式。",
        ),
        {"action": "enable", "style": "analog"},
        patch={"settings": screen(always_on_display="off", aod_mode="always", aod_style="digital")},
    ),
    Request(
        "manage_voice_typing",
        (
            "Turn on voice typing in German.",
            "I want to dictate in German, switch voice typing on for that.",
            "My thumbs are tired: voice typing on, and the language is German.",
        ),
        ("打开语音输入，语言用德语。", "我想用德语口述打字，开启语音输入。", "手指累了，开语音输入吧，我讲德语。"),
        {"action": "enable", "language": "German"},
        patch={"settings": screen(voice_typing="off", voice_typing_language="English", microphone_access="on")},
    ),
    Request(
        "manage_keyboard_settings",
        (
            "Show the number row on the keyboard.",
            "I want the digits always on top of the keyboard.",
            "I type lots of codes and hate switching layouts; add a row of numbers to the keyboard.",
        ),
        ("键盘显示数字行。", "键盘最上面一直显示数字。", "老要输验证码，切来切去麻烦，键盘加一排数字。"),
        {"action": "set", "settingItem": "number_row", "settingValue": "on"},
        patch={"settings": screen(keyboard_number_row="off")},
    ),
    Request(
        "manage_keyboard_settings",
        (
            "Make the keyboard taller.",
            "Set the keyboard height to tall.",
            "I keep hitting the wrong keys, they're too low; give me the tall keyboard.",
        ),
        ("键盘调高一点，用最高的。", "键盘高度设成高。", "按键太矮老按错，把键盘换成最高的那档。"),
        {"action": "set", "settingItem": "height", "settingValue": "tall"},
        patch={"settings": screen(keyboard_height="normal")},
    ),
    Request(
        "manage_keyboard_settings",
        (
            "Keyboard incognito mode on.",
            "The keyboard shouldn't learn what I type, switch on its incognito mode.",
            "I'm buying presents, so the keyboard must not remember anything I write for now.",
        ),
        (
            "打开键盘的无痕模式。",
            "别让键盘记住我打的字，开无痕输入。",
            "我在偷偷买礼物，先别让输入法记录我输入的内容。",
        ),
        {"action": "set", "settingItem": "incognito", "settingValue": "on"},
        patch={"settings": screen(keyboard_incognito="off")},
    ),
    Request(
        "manage_side_key",
        (
            "Double press of the side key: flashlight.",
            "Let a double press on the side key switch on the flashlight.",
            "I'm always hunting for the torch in the dark, put the flashlight on a double press of the side key.",
        ),
        ("双击侧边键打开手电筒。", "侧键按两下设成手电筒。", "黑灯瞎火老找不到手电，把它设到侧边键双击上。"),
        {"action": "set", "press": "double", "function": "flashlight"},
        patch={"settings": screen(side_key_double="off")},
        criteria="tool",
    ),
    Request(
        "manage_gesture_shortcuts",
        (
            "Triple tap on the back opens {appName}.",
            "Set the triple back tap so that it opens the app {appName}.",
            "I need {appName} all day long, let three taps on the back of the phone open it.",
        ),
        (
            "敲三下背面打开{appName}。",
            "把背部敲击三次设成打开{appName}。",
            "整天都要用{appName}，敲手机背面三下就打开它吧。",
        ),
        {"action": "set", "gesture": "triple_tap_back", "function": "open_app"},
        lambda rng, world: {"appName": rng.choice(APPS)},
        {"settings": screen(gesture_triple_tap_back="off")},
    ),
    Request(
        "manage_gesture_shortcuts",
        (
            "Knocking twice with a knuckle should take a screenshot.",
            "Set the knuckle double tap to screenshot.",
            "Pressing two keys for a screenshot is clumsy, let me knock twice with my knuckle instead.",
        ),
        ("指关节双击截屏。", "把指关节敲两下设为截屏。", "按两个键截屏太别扭，改成用指关节敲两下截屏。"),
        {"action": "set", "gesture": "knuckle_double_tap", "function": "screenshot"},
        patch={"settings": screen(gesture_knuckle_double_tap="off")},
    ),
)


def _two_apps(rng: Draw, world: World) -> dict[str, Any]:
    top, bottom = rng.sample(APPS, 2)
    return {"topApp": top, "bottomApp": bottom}


SCREEN = (
    Request(
        "take_screenshot",
        ("Take a screenshot.", "Capture what's on my screen.", "Oh, that's worth keeping, screenshot it."),
        ("截个屏。", "把现在屏幕上的内容截下来。", "这个得留着，截图。"),
        patch={"settings": screen("Maps")},
    ),
    Request(
        "take_screenshot",
        (
            "Take a scrolling screenshot.",
            "Capture the whole page, also what's further down.",
            "One screenshot with all of this long article, please, not just the part that fits on the screen.",
        ),
        ("截长图。", "把整个页面都截下来，下面没显示的也要。", "这篇文章很长，给我截一张完整的滚动截图。"),
        {"mode": "scrolling"},
        patch={"settings": screen("Browser")},
    ),
    Request(
        "press_system_button",
        ("Go to the home screen.", "Press the home button.", "Enough of this, take me back to the home screen."),
        ("回到桌面。", "按一下主页键。", "不看了，返回主屏幕。"),
        {"button": "home"},
        patch={"settings": screen("Calendar", screen_overlay="recents")},
        criteria="tool",
    ),
    Request(
        "press_system_button",
        (
            "Press volume up {times} times.",
            "Hit the louder button {times} times.",
            "My hands are full, press the volume-up key {times} times for me.",
        ),
        ("按{times}下音量加键。", "音量上键连按{times}次。", "我腾不出手，帮我按{times}次音量加。"),
        {"button": "volume_up"},
        lambda rng, world: {"times": rng.randint(2, 6)},
        {"settings": screen(media_volume="10", media_volume_before_mute="", volume_limit="off")},
        criteria="tool",
    ),
    Request(
        "press_system_button",
        (
            "Press the power button so that the screen goes dark.",
            "Switch the screen off.",
            "I'm putting the phone away; screen off, but leave the phone on.",
        ),
        ("按电源键让屏幕熄灭。", "熄屏。", "我先不用手机了，把屏幕关掉，别关机。"),
        {"button": "power"},
        patch={"settings": screen()},
        criteria="tool",
    ),
    Request(
        "manage_floating_window",
        (
            "Open {appName} in a floating window.",
            "I want {appName} as a small window over everything.",
            "Let {appName} float in a little window while I do other things.",
        ),
        ("用小窗打开{appName}。", "把{appName}放到悬浮窗里。", "我要边用别的边看{appName}，开个悬浮小窗。"),
        {"action": "open"},
        lambda rng, world: {"appName": rng.choice(APPS)},
        {"settings": screen()},
        criteria="tool",
    ),
    Request(
        "manage_split_screen",
        (
            "Split screen: {topApp} on top, {bottomApp} at the bottom.",
            "Show {topApp} above {bottomApp} at the same time.",
            "I need to compare things, put {topApp} in the upper half and {bottomApp} in the lower half.",
        ),
        (
            "分屏，上面{topApp}，下面{bottomApp}。",
            "上半屏放{topApp}，下半屏放{bottomApp}。",
            "我要对照着看，{topApp}在上、{bottomApp}在下，一起显示。",
        ),
        {"action": "start"},
        _two_apps,
        {"settings": screen()},
    ),
    Request(
        "manage_smart_sidebar",
        (
            "Add {appName} to the sidebar.",
            "Put {appName} into the edge sidebar.",
            "I'd like to reach {appName} from the edge of the screen, add it to the sidebar.",
        ),
        ("把{appName}加到侧边栏。", "侧边栏里添加{appName}。", "想从屏幕边缘直接打开{appName}，放进侧边栏吧。"),
        {"action": "add_app"},
        lambda rng, world: {"appName": rng.choice(FREE_APPS)},
    ),
    Request(
        "manage_clipboard",
        (
            'Copy "{text}" to the clipboard.',
            'Put "{text}" on my clipboard, please.',
            'I\'ll have to paste it somewhere in a minute: copy "{text}".',
        ),
        ("把“{text}”复制到剪贴板。", "复制这句话：“{text}”。", "等会儿要粘贴，先把“{text}”拷到剪贴板。"),
        {"action": "copy"},
        lambda rng, world: {"text": rng.pick(NOTES)},
    ),
)


@family("input_controls_set", TOOL, INPUT, "grounding", variants=len(CONTROLS))
def input_controls_set(rng: Draw, world: World) -> Draft:
    """One setting of gestures, keys, keyboard or the sleeping screen."""
    return one_of(rng, world, CONTROLS)


@family("input_screen_use", TOOL, INPUT, "grounding", variants=len(SCREEN))
def input_screen_use(rng: Draw, world: World) -> Draft:
    """Something with the screen: capture it, press a button, arrange apps."""
    draft = one_of(rng, world, SCREEN)
    draft.hidden = ("open_app", "manage_volume", "control_gui_agent", "manage_note")
    return draft


FAMILIES = (input_controls_set, input_screen_use)
