"""Basic tool use in Display & Sound: one-call wishes about how the screen looks, when it sleeps, and power by time."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import phone
from qpa.bench.families.mobile.display_slots import DISPLAY, TOOL, clock, missing_from
from qpa.bench.families.mobile.wishes import Wish, number, wished, worded
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.schema import World

# None is part of another or of a seeded one, so that a search for one finds one.
PICTURES = (
    "Amber Canyon",
    "Birch Grove",
    "Coral Reef",
    "Desert Bloom",
    "Emerald Valley",
    "Frozen Harbor",
    "Golden Wheat",
    "Indigo Night",
    "Jade Temple",
    "Lantern Street",
)
picture = missing_from("wallpapers", "name", PICTURES)

LOOK = (
    Wish(
        calls=(do("manage_wallpaper", action="set", name="{picture}", screen="{screen}"),),
        slots={
            "picture": picture,
            "screen word": worded(("home", ("home screen", "主屏幕")), ("lock", ("lock screen", "锁屏"))),
        },
        patch={"wallpapers": [{"name": "{picture}", "live": 0}]},
        english=(
            "Set {picture} as my {word} wallpaper.",
            "I'm bored of my {word}. Put the wallpaper {picture} there, only there.",
            "Use {picture} for the {word}, the other one stays.",
            "{picture} would look lovely on the {word}, make it the wallpaper there.",
        ),
        chinese=(
            "把{word}壁纸换成{picture}。",
            "{word}看腻了，只把那里的壁纸换成{picture}",
            "{picture}设成{word}的壁纸，另一个不动",
            "我觉得{picture}放在{word}上好看，设为那里的壁纸吧",
        ),
    ),
    Wish(
        calls=(do("manage_wallpaper", action="set", name="{picture}", screen="both"),),
        slots={"picture": picture},
        patch={"wallpapers": [{"name": "{picture}", "live": 0}]},
        english=(
            "Use {picture} as wallpaper on both the home and the lock screen.",
            "Wallpaper {picture} everywhere, please: home screen and lock screen.",
            "Make my home screen and my lock screen match, {picture} on both.",
            "Set the wallpaper {picture} for home and lock alike.",
        ),
        chinese=(
            "主屏幕和锁屏都用{picture}做壁纸。",
            "壁纸换成{picture}，主屏和锁屏都换",
            "我想让锁屏和主屏幕统一，都设成{picture}",
            "{picture}这张壁纸，桌面和锁屏都给我用上",
        ),
    ),
    Wish(
        calls=(do("manage_screen_attention", action="enable"),),
        slots={"pages": number(8, 60)},
        patch=phone(screen_attention="off", battery_mode="normal"),
        english=(
            "Turn on screen attention.",
            "The display keeps going dark while I'm reading. Keep it on as long as I'm looking at it.",
            "Let the phone notice that I'm looking and not switch the screen off then.",
            "I have {pages} pages to read and it keeps dimming. The screen should stay on while my eyes are on it.",
        ),
        chinese=(
            "打开注视不熄屏。",
            "我还在看呢屏幕就黑了，我看着的时候别熄屏",
            "让手机发现我在看它就保持亮屏",
            "有{pages}页要看，老是熄屏，我盯着屏幕的时候让它一直亮着",
        ),
    ),
    Wish(
        calls=(do("manage_wake_gesture", action="enable", gesture="{gesture}"),),
        slots={
            "gesture word": worded(
                ("lift", ("when I pick it up", "拿起手机就")), ("double_tap", ("when I tap it twice", "双击屏幕就"))
            )
        },
        patch=phone(wake_lift="off", wake_double_tap="off"),
        english=(
            "Wake the screen {word}.",
            "I want the display to light up {word}, turn that gesture on.",
            "My power button is worn out; the screen should come on {word}.",
            "Could the screen wake {word}? Only that gesture, nothing else.",
        ),
        chinese=(
            "{word}亮屏，帮我打开。",
            "开启{word}唤醒屏幕的手势",
            "电源键不好使了，我要{word}能亮屏",
            "能不能{word}亮起来？只开这一个手势",
        ),
    ),
    Wish(
        calls=(do("set_screen_timeout", timeout="{timeout}"),),
        slots={
            "timeout old word": worded(
                ("30s", "5min", ("30 seconds", "30秒")),
                ("1min", "30s", ("one minute", "1分钟")),
                ("2min", "30s", ("two minutes", "两分钟")),
                ("5min", "30s", ("five minutes", "五分钟")),
                ("10min", "1min", ("ten minutes", "十分钟")),
                ("30min", "1min", ("half an hour", "半小时")),
            )
        },
        patch=phone(screen_timeout="{old}"),
        english=(
            "Set the screen timeout to {word}.",
            "Let the screen go off after {word} of doing nothing.",
            "When I don't touch the phone, the display should stay lit for {word}.",
            "Screen timeout: {word}, it's {old} now and that doesn't suit me.",
        ),
        chinese=(
            "自动熄屏时间设为{word}。",
            "{word}没操作就熄屏",
            "我不碰手机的时候，屏幕亮{word}再灭",
            "现在熄屏时间不合适，改成{word}吧",
        ),
    ),
    Wish(
        calls=(do("set_refresh_rate", rate="{rate}"),),
        slots={"rate old": worded(("60Hz", "120Hz"), ("90Hz", "60Hz"), ("120Hz", "60Hz"), ("120Hz", "90Hz"))},
        patch=phone(refresh_rate="{old}", battery_mode="normal"),
        english=(
            "Set the refresh rate to {rate}.",
            "Run the display at {rate} instead of {old}.",
            "Scrolling at {old} isn't what I want, switch the screen to {rate}.",
            "{rate} please, as the screen's refresh rate.",
        ),
        chinese=(
            "刷新率调到{rate}。",
            "屏幕刷新率别用{old}了，换成{rate}",
            "{old}我不喜欢，屏幕改{rate}",
            "把屏幕的刷新率设成{rate}，谢谢",
        ),
    ),
    Wish(
        calls=(do("set_screen_resolution", resolution="{wanted}"),),
        slots={"wanted old": worded(("QHD+", "FHD+"), ("FHD+", "QHD+"), ("HD+", "FHD+"), ("HD+", "QHD+"))},
        patch=phone(screen_resolution="{old}"),
        english=(
            "Change the screen resolution to {wanted}.",
            "Put the display from {old} to {wanted}.",
            "I don't need {old}, run the screen in {wanted}.",
            "{wanted} resolution for the screen, please.",
        ),
        chinese=(
            "屏幕分辨率改成{wanted}。",
            "分辨率从{old}换到{wanted}",
            "不用{old}了，屏幕用{wanted}的分辨率",
            "显示分辨率给我设成{wanted}",
        ),
    ),
    Wish(
        calls=(do("manage_font_size", action="set", size="{size}"),),
        slots={
            "size old word": worded(
                ("small", "large", ("small", "小号")),
                ("large", "default", ("large", "大号")),
                ("extra_large", "default", ("extra large", "特大号")),
                ("huge", "default", ("huge, the biggest there is", "最大的超大号")),
            )
        },
        patch=phone(font_size="{old}"),
        english=(
            "Set the font size to {word}.",
            "Text size: {word}.",
            "I left my glasses somewhere. Letters on the phone should be {word}.",
            "Change how large the text is, I want it {word}.",
        ),
        chinese=(
            "字体大小设为{word}。",
            "文字改成{word}",
            "眼镜找不到了，手机上的字给我调成{word}",
            "换一下字号，我要{word}的",
        ),
    ),
    Wish(
        calls=(do("set_display_size", size="{size}"),),
        slots={
            "size old word": worded(
                ("small", "large", ("small", "小")),
                ("large", "default", ("large", "大")),
                ("extra_large", "default", ("extra large", "特大")),
            )
        },
        patch=phone(display_size="{old}"),
        english=(
            "Set the display size to {word}, icons and buttons and all.",
            "I keep missing the buttons; set the size of icons and controls to {word}. Leave the text size alone.",
            "Display size {word}, please.",
            "Icons and controls should be shown {word}.",
        ),
        chinese=(
            "显示大小调成{word}，图标按钮都跟着变。",
            "老是点不准按钮，把图标和控件的显示大小设为{word}，字号不用动",
            "显示大小改为{word}",
            "界面上的图标和控件用{word}的显示比例",
        ),
    ),
    Wish(
        calls=(do("manage_bold_text", action="enable"),),
        slots={"time": clock(18, 23)},
        patch=phone(bold_text="off"),
        english=(
            "Turn on bold text.",
            "Make the letters on my phone thicker, not larger.",
            "At {time} my eyes are tired and thin letters swim. Bold text, please.",
            "Everything I read on this phone should be in bold.",
        ),
        chinese=(
            "打开粗体文字。",
            "手机上的字笔画加粗一点，不用变大",
            "到了{time}眼睛累，细字看不清，开粗体吧",
            "系统文字全部用粗体显示",
        ),
    ),
    Wish(
        calls=(do("set_color_mode", mode="{mode}"),),
        slots={
            "mode old word was": worded(
                ("vivid", "natural", ("vivid", "鲜艳"), ("natural", "自然")),
                ("natural", "vivid", ("natural", "自然"), ("vivid", "鲜艳")),
            ),
            "shots": number(5, 60),
        },
        patch=phone(color_mode="{old}", reading_mode="off"),
        english=(
            "Set the screen's colour mode to {word}.",
            "I'm about to sort {shots} photos and I'd rather have {word} screen colours.",
            "Change the display colours from {was} to {word}.",
            "The {was} colours don't do it for me, give the screen the {word} ones.",
        ),
        chinese=(
            "屏幕色彩模式改成{word}。",
            "我要挑{shots}张照片，屏幕颜色用{word}的",
            "显示颜色从{was}换成{word}",
            "{was}的颜色不喜欢，屏幕换{word}模式",
        ),
    ),
    Wish(
        calls=(do("set_color_mode", temperature="{temperature}"),),
        slots={
            "temperature old word": worded(
                ("warm", "cool", ("warm", "暖色")),
                ("cool", "warm", ("cool", "冷色")),
                ("standard", "cool", ("standard", "标准")),
            ),
            "time": clock(8, 23),
        },
        patch=phone(color_temperature="{old}", reading_mode="off"),
        english=(
            "Set the colour temperature of the screen to {word}.",
            "White looks wrong on this display since {time}. Colour temperature {word}, please.",
            "I'd like a {word} colour temperature on my screen.",
            "The tint of the screen isn't right, choose the {word} colour temperature.",
        ),
        chinese=(
            "屏幕色温调成{word}。",
            "{time}起就觉得屏幕的白色不对，色温改{word}",
            "我想要{word}的屏幕色温",
            "屏幕偏色了，色温选{word}",
        ),
    ),
    Wish(
        calls=(
            do("manage_scheduled_power", action="set", powerOnTime="{on}", powerOffTime="{off}", repeat="{repeat}"),
        ),
        slots={
            "on": clock(5, 8),
            "off": clock(21, 23),
            "repeat word": worded(("daily", ("every day", "每天")), ("weekdays", ("on weekdays", "工作日"))),
        },
        patch={
            "power_schedules": [
                {"kind": kind, "time": time, "repeat": "weekends", "enabled": 0}
                for kind, time in (("power_on", "09:31"), ("power_off", "20:31"))
            ]
        },
        english=(
            "Power the phone off at {off} and on at {on} {word}.",
            "{off} off, {on} on again: schedule that for the phone {word}.",
            "I want a real night's rest. The phone shuts down at {off} and starts at {on}, {word}.",
            "Set scheduled power, {word}: it turns on at {on}, it turns off at {off}.",
        ),
        chinese=(
            "设置{word}定时开关机，{on}开，{off}关。",
            "手机{word}{off}自动关机，{on}自动开机",
            "晚上想清静，{word}到{off}就关机，早上{on}再开机",
            "帮我定个开关机时间，{word}的，关机{off}，开机{on}",
        ),
    ),
    Wish(
        calls=(do("manage_scheduled_power", action="disable", target="power_on"),),
        slots={"on": clock(5, 8), "off": clock(21, 23)},
        patch={
            "power_schedules": [
                {"kind": "power_on", "time": "{on}", "repeat": "daily", "enabled": 1},
                {"kind": "power_off", "time": "{off}", "repeat": "daily", "enabled": 1},
            ]
        },
        english=(
            "Switch off the scheduled power-on at {on}, keep the power-off.",
            "The phone shouldn't start by itself at {on} any more. Shutting down at {off} is fine.",
            "I still want it off at {off}, but I'll turn it on myself, so disable the automatic start.",
            "No more automatic power-on in the morning; the {off} shutdown stays.",
        ),
        chinese=(
            "关掉{on}的定时开机，定时关机保留。",
            "手机别再{on}自己开机了，{off}关机照旧",
            "{off}关机还要，开机我自己来，把自动开机停了",
            "早上不用自动开机了，{off}的自动关机别动",
        ),
    ),
)


@family("display_look_set", TOOL, DISPLAY, "grounding", variants=len(LOOK))
def display_look_set(rng: Draw, world: World) -> Draft:
    """One call: how the screen looks, when it sleeps and wakes, and power by time."""
    return wished(rng, world, LOOK)


FAMILIES = (display_look_set,)
