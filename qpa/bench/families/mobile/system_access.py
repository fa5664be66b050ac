"""Basic tool use in System Settings: one-call wishes about accessibility, language, region, typing, navigation."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import phone
from qpa.bench.families.mobile.system import SYSTEM, TOOL
from qpa.bench.families.mobile.wishes import Wish, wished, worded
from qpa.bench.families.values import EVENTS, NAMES, Draw
from qpa.envs.sandbox.schema import World

LANGUAGES = (
    ("German", ("German", "德语")),
    ("Japanese", ("Japanese", "日语")),
    ("Korean", ("Korean", "韩语")),
    ("Italian", ("Italian", "意大利语")),
    ("Portuguese", ("Portuguese", "葡萄牙语")),
    ("Russian", ("Russian", "俄语")),
    ("Thai", ("Thai", "泰语")),
    ("Dutch", ("Dutch", "荷兰语")),
    ("Turkish", ("Turkish", "土耳其语")),
)
REGIONS = (
    ("Germany", ("Germany", "德国")),
    ("Japan", ("Japan", "日本")),
    ("Italy", ("Italy", "意大利")),
    ("Brazil", ("Brazil", "巴西")),
    ("Australia", ("Australia", "澳大利亚")),
    ("Thailand", ("Thailand", "泰国")),
    ("Mexico", ("Mexico", "墨西哥")),
)
ON_OFF = (("enable", "off", ("on", "打开")), ("disable", "on", ("off", "关闭")))

READING = (
    Wish(
        calls=(do("manage_talkback", action="{action}"),),
        slots={"action old said": worded(*ON_OFF), "name": NAMES},
        patch=phone(talkback="{old}"),
        english=(
            "Turn TalkBack {said}.",
            "TalkBack {said}, please.",
            "This phone goes to {name} now, so turn {said} the screen reader TalkBack.",
            "I'd like the screen reader, TalkBack I mean, turned {said} for {name}.",
        ),
        chinese=(
            "{said}TalkBack。",
            "帮我{said}TalkBack屏幕朗读",
            "手机要给{name}用了，把TalkBack{said}",
            "那个读屏的TalkBack，替{name}{said}一下",
        ),
    ),
    Wish(
        calls=(do("manage_select_to_speak", action="{action}"),),
        slots={"action old said": worded(*ON_OFF), "event": EVENTS},
        patch=phone(select_to_speak="{old}"),
        hidden=("manage_talkback",),
        english=(
            "Turn {said} Select to Speak.",
            "Select to Speak: {said}.",
            "Reading aloud only what I tap, that feature should be {said} before {event}.",
            "You know the feature that speaks just the text I select? Turn it {said}.",
        ),
        chinese=(
            "{said}随选朗读（Select to Speak）。",
            "Select to Speak帮我{said}",
            "只朗读我点选的文字的那个功能，在“{event}”之前{said}",
            "选中哪段就念哪段的功能，请{said}",
        ),
    ),
    Wish(
        calls=(do("manage_magnification", action="enable", area="{area}"),),
        slots={
            "area old word": worded(
                ("full_screen", "partial", ("the full screen", "整个屏幕")),
                ("partial", "full_screen", ("part of the screen", "部分屏幕")),
                ("both", "partial", ("both the full screen and a part of it", "全屏和局部两种")),
            ),
            "name": NAMES,
        },
        patch=phone(magnification="off", magnification_area="{old}"),
        english=(
            "Turn on magnification for {word}.",
            "Screen magnifier on, area: {word}.",
            "My eyes are bad and {name} writes tiny letters. Magnification on, for {word}, please.",
            "I want to be able to zoom in with the accessibility magnifier; set it to {word}.",
        ),
        chinese=(
            "打开放大功能，范围是{word}。",
            "屏幕放大镜开启，放大{word}",
            "我眼睛不好，{name}发的字太小，开放大功能，选{word}",
            "无障碍里的放大手势给我打开，设成放大{word}",
        ),
    ),
    Wish(
        calls=(do("manage_caption_preference", action="enable", textSize="{size}", style="{style}"),),
        slots={
            "size big": worded(
                ("medium", ("medium", "中等")), ("large", ("large", "大")), ("very_large", ("very large", "特大"))
            ),
            "style look": worded(
                ("white_on_black", ("white on black", "黑底白字")),
                ("black_on_white", ("black on white", "白底黑字")),
                ("yellow_on_black", ("yellow on black", "黑底黄字")),
            ),
        },
        patch=phone(captions="off", captions_text_size="small", captions_style="default"),
        hidden=("manage_ai_caption", "manage_subtitles"),
        english=(
            "Turn on captions, {big} text, {look}.",
            "Accessibility captions on: size {big}, style {look}.",
            "I don't hear well. Show captions in videos, {look}, with {big} letters.",
            "Captions for videos, please, and so that I can read them: text {big}, colours {look}.",
        ),
        chinese=(
            "打开字幕，{big}字号，{look}。",
            "无障碍字幕开起来，字号{big}，样式{look}",
            "我听力不好，看视频要有字幕，{look}，字号用{big}",
            "视频都给我显示字幕，看得清就行：字号{big}，{look}",
        ),
    ),
    Wish(
        calls=(do("manage_touch_hold_delay", action="set", delay="{delay}"),),
        slots={
            "delay old word": worded(
                ("short", "long", ("short", "短")),
                ("medium", "short", ("medium", "中")),
                ("long", "short", ("long", "长")),
            ),
            "name": NAMES,
        },
        patch=phone(touch_hold_delay="{old}"),
        english=(
            "Set the touch and hold delay to {word}.",
            "Touch and hold delay: {word}.",
            "{name} keeps struggling with long presses here. Make the touch and hold delay {word}.",
            "How long a touch counts as held doesn't suit me, make it {word}.",
        ),
        chinese=(
            "触摸和按住延迟设为{word}。",
            "长按延迟调成{word}",
            "{name}老是按不好长按，把触摸按住的延迟改成{word}",
            "按多久才算长按这个时间不合适，改为“{word}”",
        ),
    ),
)

TYPING = (
    Wish(
        calls=(do("manage_navigation_mode", action="set", mode="{mode}"),),
        slots={
            "mode old word": worded(
                ("gestures", "three_buttons", ("gestures", "手势")),
                ("three_buttons", "gestures", ("three buttons", "三键")),
            ),
            "name": NAMES,
        },
        patch=phone(navigation_mode="{old}"),
        english=(
            "Switch system navigation to {word}.",
            "Navigate the phone with {word} from now on.",
            "{name} showed me a phone operated by {word}. I want this navigation mode as well.",
            "For going back and home, use {word} on this phone.",
        ),
        chinese=(
            "系统导航方式改成{word}。",
            "导航换成{word}",
            "看{name}的手机是{word}导航，我也要这种",
            "返回和回桌面，以后用{word}来操作",
        ),
    ),
    Wish(
        calls=(do("manage_language", action="{action}", language="{language}"),),
        slots={
            "language spoken": worded(*LANGUAGES),
            "action how tail": worded(
                ("set", ("Make", "设为"), ("the system language", "系统语言")),
                ("add", ("Add", "添加为"), ("to the languages, the system language stays", "备选，系统语言不变")),
            ),
        },
        patch=phone(language="English", language_list="English"),
        english=(
            "{how} {spoken} {tail}.",
            "Phone languages: {how} {spoken} {tail}.",
            "I'm learning with a tutor these days, so {how} {spoken} {tail}.",
            "Language settings, please. {how} {spoken} {tail}.",
        ),
        chinese=(
            "把{spoken}{how}{tail}。",
            "语言设置里，{spoken}{how}{tail}",
            "我最近在学外语，请把{spoken}{how}{tail}",
            "手机语言帮我弄一下，{spoken}{how}{tail}，谢谢",
        ),
    ),
    Wish(
        calls=(do("manage_regional_preferences", action="set", region="{region}", temperatureUnit="{unit}"),),
        slots={
            "region country": worded(*REGIONS),
            "unit old degrees": worded(
                ("celsius", "fahrenheit", ("Celsius", "摄氏度")), ("fahrenheit", "celsius", ("Fahrenheit", "华氏度"))
            ),
        },
        patch=phone(region="Singapore", temperature_unit="{old}"),
        english=(
            "Set my region to {country} and temperatures to {degrees}.",
            "Region {country}, temperature unit {degrees}.",
            "I've moved to {country}. Change the phone's region, and show temperatures in {degrees}.",
            "From today I live in {country}, so that's my region; degrees in {degrees}, please.",
        ),
        chinese=(
            "地区改成{country}，温度用{degrees}。",
            "地区{country}，温度单位{degrees}",
            "我搬到{country}了，把手机地区改过来，温度显示{degrees}",
            "以后我住{country}，地区设成那里，温度单位换{degrees}",
        ),
    ),
    Wish(
        calls=(do("manage_regional_preferences", action="set", firstDayOfWeek="{day}", measurementSystem="{system}"),),
        slots={
            "day spoken": worded(("monday", ("Monday", "周一")), ("saturday", ("Saturday", "周六"))),
            "system old units": worded(
                ("metric", "imperial", ("metric", "公制")), ("imperial", "metric", ("imperial", "英制"))
            ),
        },
        patch=phone(first_day_of_week="sunday", measurement_system="{old}"),
        english=(
            "Let the week start on {spoken} and use {units} units.",
            "First day of the week: {spoken}. Measurement system: {units}.",
            "My calendar weeks should begin with {spoken}, and I think in {units} units, change the phone's settings.",
            "Regional settings: weeks from {spoken} on, {units} measures.",
        ),
        chinese=(
            "每周第一天设为{spoken}，度量单位用{units}。",
            "一周从{spoken}开始，单位{units}",
            "我习惯一周从{spoken}算起，度量衡用{units}，帮我改系统设置",
            "区域偏好里，周起始日{spoken}，度量制{units}",
        ),
    ),
    Wish(
        calls=(do("manage_input_method", action="set", inputMethod="{keyboard}"),),
        slots={
            "keyboard old": worded(
                ("Grammarly", "Gboard"),
                ("Sogou Pinyin", "Gboard"),
                ("Microsoft SwiftKey", "Gboard"),
                ("Gboard", "Grammarly"),
            ),
            "name": NAMES,
        },
        patch=phone(input_method="{old}", input_methods_enabled="Gboard, Grammarly, Microsoft SwiftKey, Sogou Pinyin"),
        english=(
            "Use {keyboard} as my keyboard.",
            "Switch the keyboard from {old} to {keyboard}.",
            "I can't get used to {old}, I'd rather type with {keyboard}.",
            "{name} recommended {keyboard}. It's already enabled, make it the keyboard I type with.",
        ),
        chinese=(
            "键盘换成{keyboard}。",
            "输入法从{old}切到{keyboard}",
            "{old}我用不惯，打字用{keyboard}吧",
            "{name}推荐{keyboard}，已经启用了，设成我用的输入法",
        ),
    ),
    Wish(
        calls=(do("manage_keyboard_option", action="{action}", option="{option}"),),
        slots={
            "option word": worded(
                ("auto_correction", ("auto-correction", "自动更正")),
                ("suggestions", ("word suggestions", "联想词建议")),
                ("glide_typing", ("glide typing", "滑行输入")),
            ),
            "action old said": worded(*ON_OFF),
            "name": NAMES,
        },
        patch=phone(
            keyboard_auto_correction="{old}",
            keyboard_suggestions="{old}",
            keyboard_glide_typing="{old}",
            input_method="Gboard",
        ),
        english=(
            "Turn {said} {word} on my keyboard.",
            "Keyboard: {word} {said}.",
            "Typing to {name} drives me mad, please turn {word} {said}.",
            "When I type, {word} should be {said}; the other typing options stay as they are.",
        ),
        chinese=(
            "{said}键盘的{word}。",
            "打字时的{word}，{said}",
            "给{name}打字打得心烦，把键盘{word}{said}",
            "输入的时候{word}要{said}，别的输入选项不动",
        ),
    ),
)


@family("system_access_set", TOOL, SYSTEM, "grounding", variants=len(READING + TYPING))
def system_access_set(rng: Draw, world: World) -> Draft:
    """One setting of accessibility, language, region, keyboards or navigation."""
    return wished(rng, world, READING + TYPING)


FAMILIES = (system_access_set,)
