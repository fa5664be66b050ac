"""Basic tool use in Display & Sound: questions about the screen and the sound."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import phone
from qpa.bench.families.mobile.display_look import picture
from qpa.bench.families.mobile.display_slots import DISPLAY, TOOL, clock, span
from qpa.bench.families.mobile.sound_quiet import FRIEND, contact, schedule
from qpa.bench.families.mobile.wishes import Wish, number, wished, worded
from qpa.bench.families.values import EVENTS, Draw
from qpa.envs.sandbox.schema import World

ASK = (
    Wish(
        calls=(do("manage_brightness", action="query"),),
        slots={"level": number(11, 97)},
        patch=phone(brightness="{level}"),
        mentions=(["{level}"],),
        reply=("The brightness is {level}.", "现在亮度是{level}。"),
        english=(
            "How bright is my screen set right now?",
            "What's the brightness level?",
            "Before I change anything: which brightness do I have at the moment?",
            "I want to know the current brightness, just the number.",
        ),
        chinese=(
            "现在屏幕亮度是多少？",
            "亮度开到几了",
            "先别动，告诉我当前亮度是多少",
            "帮我看一眼亮度数值，报个数就行",
        ),
    ),
    Wish(
        calls=(do("manage_volume", action="query", stream="{stream}"),),
        slots={
            "level": number(11, 97),
            "stream word": worded(
                ("media", ("media", "媒体")), ("ring", ("ringtone", "铃声")), ("call", ("call", "通话"))
            ),
        },
        patch=phone(
            sound_mode="normal",
            volume_limit="off",
            **{f"{stream}_volume": "{level}" for stream in ("media", "ring", "call")},
        ),
        routes=(do("manage_volume", action="query"),),
        mentions=(["{level}"],),
        reply=("The {word} volume is {level}.", "{word}音量是{level}。"),
        english=(
            "What's the {word} volume?",
            "How loud is the {word} volume set at the moment?",
            "Tell me the level of the {word} volume, don't change it.",
            "I might have touched the buttons. What does the {word} volume say now?",
        ),
        chinese=(
            "{word}音量是多少？",
            "现在{word}音量开到几了",
            "告诉我{word}音量的数值，别改",
            "刚才可能碰到音量键了，{word}音量现在是多少",
        ),
    ),
    Wish(
        calls=(do("query_sound_settings"),),
        slots={"sound": worded(("Bamboo",), ("Chime",), ("Dewdrop",), ("Pebble",), ("Twinkle",)), "time": clock(7, 8)},
        patch=phone(notification_sound="{sound}"),
        mentions=(["{sound}"],),
        reply=("It's {sound}.", "提示音是{sound}。"),
        english=(
            "Which notification sound do I have?",
            "What is the sound called that plays for my notifications?",
            "I heard a nice notification sound on my phone at {time}. What's its name?",
            "Name my current notification sound.",
        ),
        chinese=(
            "我的通知提示音是哪个？",
            "现在通知响的那个声音叫什么",
            "{time}听到我手机通知声挺好听，叫什么名字",
            "告诉我现在用的通知音叫啥",
        ),
    ),
    Wish(
        calls=(do("query_display_settings", item="screen_timeout"),),
        slots={
            "timeout words zh": worded(
                ("15s", "15 seconds", "15秒"),
                ("30s", "30 seconds", "30秒"),
                ("10min", "10 minutes", "10分钟"),
                ("5min", "5 minutes", "5分钟"),
                ("30min", "30 minutes", "30分钟"),
            )
        },
        patch=phone(screen_timeout="{timeout}"),
        routes=(do("query_display_settings"),),
        mentions=(["{timeout}", "{words}", "{zh}"],),
        reply=("After {words}.", "过{zh}熄屏。"),
        english=(
            "After how long does my screen turn off by itself?",
            "What's the screen timeout set to?",
            "How long can I leave the phone untouched before the display goes dark?",
            "My screen goes off at some point. When, exactly?",
        ),
        chinese=(
            "屏幕多久会自动熄灭？",
            "自动熄屏设的是多长时间",
            "手机放着不动，过多久会黑屏",
            "屏幕过一会儿就灭了，到底设的多久",
        ),
    ),
    Wish(
        calls=(do("manage_dnd_schedule", action="query", name="{name}"),),
        slots={"name": EVENTS, "start end": span(9, 19)},
        patch={"dnd_schedules": [schedule()]},
        routes=(do("manage_dnd_schedule", action="query"),),
        mentions=(["{end}"],),
        reply=("{name} ends at {end}.", "“{name}”到{end}结束。"),
        english=(
            "When does my do-not-disturb schedule {name} end?",
            "Until what time does the {name} DND schedule run?",
            "I forgot how long the do-not-disturb schedule {name} lasts. It ends when?",
            "{name}, the do-not-disturb one: when is it over?",
        ),
        chinese=(
            "勿扰计划“{name}”几点结束？",
            "“{name}”那个勿扰计划到几点",
            "忘了“{name}”的勿扰时段设到什么时候了，几点结束",
            "勿扰里的“{name}”，什么时候完",
        ),
    ),
    Wish(
        calls=(do("manage_dnd_exceptions", action="query"),),
        slots=FRIEND,
        patch={**contact(), "dnd_contacts": [{"contact_id": "contact_701"}]},
        mentions=(["{name}"],),
        reply=("{name} may get through.", "{name}可以打进来。"),
        english=(
            "Which contacts may get through do-not-disturb?",
            "Who can still reach me when DND is on? Names, please.",
            "I made exceptions for people in do-not-disturb. Whom did I pick?",
            "List the people my do-not-disturb lets through.",
        ),
        chinese=(
            "勿扰时允许哪些联系人打进来？",
            "开着勿扰谁还能找到我，报一下名字",
            "勿扰的例外联系人我都设了谁",
            "列一下勿扰放行的人",
        ),
    ),
    Wish(
        calls=(do("manage_wallpaper", action="query"),),
        slots={"picture": picture},
        patch={"wallpapers": [{"name": "{picture}", "live": 0}], **phone(wallpaper_lock="{picture}")},
        mentions=(["{picture}"],),
        reply=("It's {picture}.", "锁屏壁纸是{picture}。"),
        english=(
            "What's the name of my lock screen wallpaper?",
            "A friend likes the picture on my lock screen. Which wallpaper is it?",
            "Which wallpaper is on the lock screen now?",
            "Tell me what the lock screen wallpaper is called, don't change it.",
        ),
        chinese=(
            "我的锁屏壁纸叫什么？",
            "朋友喜欢我锁屏的图，是哪张壁纸",
            "现在锁屏用的是哪张壁纸",
            "告诉我锁屏壁纸的名字，别换",
        ),
    ),
    Wish(
        calls=(do("manage_scheduled_power", action="query"),),
        slots={"time": clock(5, 8), "off": clock(21, 23)},
        patch={
            "power_schedules": [
                {"kind": "power_on", "time": "{time}", "repeat": "daily", "enabled": 1},
                {"kind": "power_off", "time": "{off}", "repeat": "daily", "enabled": 1},
            ]
        },
        mentions=(["{time}"],),
        reply=("It powers on at {time}.", "{time}自动开机。"),
        english=(
            "At what time does my phone power on by itself?",
            "When is the scheduled power-on?",
            "It shuts down at {off}, I know that. But when does it start again?",
            "What time is the automatic power-on set for?",
        ),
        chinese=(
            "手机几点自动开机？",
            "定时开机设的是几点",
            "我知道{off}会关机，那几点自己开机呢",
            "自动开机定在什么时间",
        ),
    ),
    Wish(
        calls=(do("manage_volume_limit", action="query"),),
        slots={"limit": number(61, 93)},
        patch=phone(volume_limit="on", volume_limit_level="{limit}", media_volume="40"),
        mentions=(["{limit}"],),
        reply=("The limit is {limit}.", "上限是{limit}。"),
        english=(
            "What's the volume limit on this phone?",
            "How loud can media get at most with my volume limit?",
            "I set a maximum volume for my son once. What is it?",
            "Music won't go any louder. Which limit is set?",
        ),
        chinese=(
            "这手机的音量上限是多少？",
            "开了音量限制，媒体最大能到多少",
            "以前给孩子设过最大音量，是多少来着",
            "音乐怎么都调不大，限制设的是多少",
        ),
    ),
    Wish(
        calls=(do("manage_eye_comfort", action="query"),),
        slots={"level": number(11, 97)},
        patch=phone(eye_comfort="on", eye_comfort_level="{level}", reading_mode="off"),
        mentions=(["{level}"],),
        reply=("Its level is {level}.", "护眼强度是{level}。"),
        english=(
            "How strong is the blue-light filter set?",
            "Which level does my eye comfort have?",
            "The screen looks rather yellow. What's the strength of eye comfort?",
            "Tell me the eye comfort level.",
        ),
        chinese=(
            "护眼模式的强度是多少？",
            "现在护眼开到几了",
            "屏幕有点黄，护眼强度设的多少",
            "报一下护眼的强度值",
        ),
    ),
    Wish(
        calls=(do("manage_do_not_disturb", action="query"),),
        slots={"until": clock(10, 22)},
        patch=phone(dnd="on", dnd_until="2025-01-15T{until}:00"),
        mentions=(["{until}"],),
        reply=("Until {until}.", "到{until}为止。"),
        english=(
            "Until when is do-not-disturb on?",
            "My phone is on DND. When does that end?",
            "How long will do-not-disturb last today? Until what time?",
            "When can I be reached again, I mean when does do-not-disturb stop?",
        ),
        chinese=(
            "勿扰开到几点？",
            "手机现在是勿扰，什么时候结束",
            "今天的勿扰要持续到几点",
            "勿扰什么时候停，我几点能收到电话",
        ),
    ),
)


@family("display_ask", TOOL, DISPLAY, "grounding", variants=len(ASK))
def display_ask(rng: Draw, world: World) -> Draft:
    """A question that one query answers."""
    return wished(rng, world, ASK)


FAMILIES = (display_ask,)
