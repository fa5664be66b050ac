"""Basic tool use in Display & Sound: one-call wishes about volume, sound mode, vibration and how sound comes out."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import phone
from qpa.bench.families.mobile.display_slots import DISPLAY, TOOL, two
from qpa.bench.families.mobile.sound_quiet import QUIET
from qpa.bench.families.mobile.wishes import Wish, number, wished, worded
from qpa.bench.families.values import EVENTS, TITLES, Draw
from qpa.envs.sandbox.schema import World

RINGING = {"sound_mode": "normal", "ring_volume": "60", "ring_volume_before_mute": ""}

VOLUMES = (
    Wish(
        calls=(do("manage_volume", action="set", stream="media", level="{level}"),),
        slots={"level old": two(10, 95)},
        patch=phone(media_volume="{old}", media_volume_before_mute="", volume_limit="off"),
        english=(
            "Set the media volume to {level}.",
            "Music and videos at {level}% volume, please.",
            "The film is at volume {old}, that's not right for this room. Media to {level}.",
            "I want {level} on the media volume slider.",
        ),
        chinese=(
            "媒体音量调到{level}。",
            "音乐和视频的音量设成{level}%",
            "现在电影声音是{old}，不合适，媒体音量改{level}",
            "媒体音量那一条给我拉到{level}",
        ),
    ),
    Wish(
        calls=(do("manage_volume", action="set", stream="{stream}", level="{level}"),),
        slots={
            "level old": two(15, 95),
            "stream word": worded(
                ("ring", ("ringtone", "铃声")), ("notification", ("notification", "通知")), ("call", ("call", "通话"))
            ),
        },
        patch=phone(
            sound_mode="normal",
            **{f"{stream}_volume": "{old}" for stream in ("ring", "notification", "call")},
            ring_volume_before_mute="",
            notification_volume_before_mute="",
        ),
        english=(
            "Set the {word} volume to {level}.",
            "{level} for the {word} volume, please, it's {old} at the moment.",
            "Could you change only the {word} volume to {level}? Leave the music alone.",
            "{old} isn't a good {word} volume, let's have {level}.",
        ),
        chinese=(
            "{word}音量设为{level}。",
            "{word}音量现在是{old}，改成{level}",
            "只把{word}音量调到{level}，音乐别动",
            "{word}音量{old}不太合适，来个{level}",
        ),
    ),
    Wish(
        calls=(do("manage_volume", action="increase", stream="media", step="{step}"),),
        slots={"step": number(5, 25, 5), "old": number(20, 60, 5)},
        patch=phone(media_volume="{old}", media_volume_before_mute="", volume_limit="off"),
        english=(
            "Turn the media volume up by {step}.",
            "I can hardly hear this video, {step} points louder please.",
            "Raise the volume of what's playing by {step}, it's at {old}.",
            "A bit more sound for the music: plus {step} on the media volume.",
        ),
        chinese=(
            "媒体音量调高{step}。",
            "视频听不清，声音再大{step}个点",
            "现在播放音量{old}，往上加{step}",
            "音乐声音小了，媒体音量加{step}",
        ),
    ),
    Wish(
        calls=(do("manage_volume", action="mute", stream="media"),),
        slots={"old": number(20, 80, 5)},
        patch=phone(media_volume="{old}", media_volume_before_mute="", volume_limit="off"),
        english=(
            "Mute the media volume.",
            "The baby just fell asleep and this video is at {old}. Mute media, but let the phone still ring.",
            "No sound from videos and music now, mute them. Calls may ring.",
            "Media on mute, quick, the boss is coming!",
        ),
        chinese=(
            "媒体静音。",
            "孩子刚睡着，视频声音还有{old}，媒体静音，来电照样响",
            "视频和音乐先别出声，静音，电话铃声不动",
            "快，老板来了，媒体声音静音！",
        ),
    ),
    Wish(
        calls=(do("manage_volume", action="unmute", stream="media"),),
        slots={"before": number(20, 80, 5)},
        patch=phone(media_volume="0", media_volume_before_mute="{before}", volume_limit="off"),
        english=(
            "Unmute the media volume.",
            "I muted my videos earlier, it was {before} then. Give the media sound back.",
            "Media sound on again, the same as before I muted it.",
            "The meeting is over, take media off mute.",
        ),
        chinese=(
            "取消媒体静音。",
            "刚才把视频静音了，之前是{before}，恢复媒体声音",
            "媒体声音打开，跟静音前一样",
            "会开完了，媒体别静音了",
        ),
    ),
    Wish(
        calls=(do("set_sound_mode", mode="{mode}"),),
        slots={
            "mode word": worded(("vibrate", ("vibrate", "振动")), ("silent", ("silent", "静音"))),
            "event": EVENTS,
        },
        patch=phone(**RINGING),
        english=(
            "Put the phone on {word}.",
            "{event} in a minute. Sound mode {word}, please.",
            "Switch from ringing to {word}.",
            "I'm walking into the {event}, so set my phone to {word}.",
        ),
        chinese=(
            "手机调成{word}模式。",
            "马上{event}了，切到{word}模式",
            "别响铃了，改{word}模式",
            "我要进去参加{event}，手机换成{word}模式",
        ),
    ),
    Wish(
        calls=(do("set_sound_mode", mode="normal"),),
        slots={"before": number(40, 90, 10), "event": EVENTS},
        patch=phone(sound_mode="vibrate", ring_volume="0", ring_volume_before_mute="{before}"),
        english=(
            "Set the sound mode back to normal.",
            "{event} is done, the phone may ring again.",
            "Take my phone off vibrate, I want to hear it ring.",
            "I keep missing calls since the {event} because it only buzzes. Make it ring as usual.",
        ),
        chinese=(
            "声音模式恢复正常。",
            "{event}结束了，手机可以响铃了",
            "别振动了，我要听到铃声",
            "{event}之后一直只震不响，漏了好多电话，改回正常响铃",
        ),
    ),
    Wish(
        calls=(do("manage_volume_limit", action="enable", limit="{limit}"),),
        slots={"limit": number(65, 90, 5), "age": number(5, 12)},
        patch=phone(volume_limit="off", volume_limit_level="100", media_volume="40"),
        english=(
            "Limit the media volume to {limit}.",
            "My {age}-year-old uses this phone with headphones. Never louder than {limit}, please.",
            "Turn on the volume limit, maximum {limit}.",
            "To protect my hearing, cap media at {limit}.",
        ),
        chinese=(
            "媒体音量上限设为{limit}。",
            "{age}岁的孩子戴耳机用这手机，最大音量限制在{limit}",
            "打开音量限制，最高{limit}",
            "为了保护听力，媒体音量封顶{limit}",
        ),
    ),
    Wish(
        calls=(do("manage_vibration", action="disable", type="{type}"),),
        slots={
            "type word": worded(
                ("calls", ("incoming calls", "来电")),
                ("notifications", ("notifications", "通知")),
                ("touch", ("touches", "触摸")),
            ),
            "time": number(7, 11),
        },
        patch=phone(vibrate_calls="on", vibrate_notifications="on", vibrate_touch="on"),
        english=(
            "Turn off vibration for {word}.",
            "The phone shouldn't buzz on {word} any more.",
            "It's {time} in the morning and the table is humming. No vibration for {word}, please.",
            "Stop vibrating for {word}; everything else may keep buzzing.",
        ),
        chinese=(
            "关闭{word}振动。",
            "{word}的时候别再震了",
            "早上{time}点桌子就嗡嗡响，把{word}振动关掉",
            "{word}不用振动，其他的照旧",
        ),
    ),
    Wish(
        calls=(do("set_vibration_strength", strength="{strength}"),),
        slots={
            "strength old word": worded(
                ("light", "strong", ("light", "弱")),
                ("medium", "light", ("medium", "中")),
                ("strong", "light", ("strong", "强")),
            ),
            "title": TITLES,
        },
        patch=phone(vibration_strength="{old}"),
        english=(
            "Set the vibration strength to {word}.",
            "How the phone vibrates doesn't suit me, make the strength {word}.",
            "During {title} I have it in my pocket. Vibration strength {word}, please.",
            "I'd like {word} vibration from now on.",
        ),
        chinese=(
            "振动强度设为{word}。",
            "现在的振动强度不合适，调成{word}",
            "{title}的时候手机放兜里，振动强度换成{word}",
            "以后振动强度都用{word}档",
        ),
    ),
    Wish(
        calls=(do("manage_system_sounds", action="disable", sound="{sound}"),),
        slots={
            "sound word": worded(
                ("keyboard", ("keyboard", "键盘按键")),
                ("touch", ("touch", "触摸")),
                ("dial_pad", ("dial pad", "拨号键盘")),
                ("screen_lock", ("screen lock", "锁屏")),
                ("charging", ("charging", "充电")),
            ),
            "title": TITLES,
        },
        patch=phone(**{f"sound_{name}": "on" for name in ("keyboard", "touch", "dial_pad", "screen_lock", "charging")}),
        english=(
            "Turn off the {word} sound.",
            "The {word} sound gets on everybody's nerves, stop it.",
            "During {title} people turn round because of my {word} sound. Switch it off.",
            "I don't want to hear the {word} sound, all other sounds may stay.",
        ),
        chinese=(
            "关闭{word}音。",
            "{word}音吵得大家烦，关了",
            "{title}的时候我手机的{word}音老让人回头看，关掉吧",
            "我不想听到{word}音，别的声音留着",
        ),
    ),
    Wish(
        calls=(do("set_notification_sound", sound="{sound}"),),
        slots={
            "sound old": worded(("Bamboo", "Chime"), ("Chime", "Pebble"), ("Dewdrop", "Bamboo"), ("Twinkle", "Chime"))
        },
        patch=phone(notification_sound="{old}"),
        english=(
            "Change the notification sound to {sound}.",
            "{old} everywhere in the office, I never know whose phone it is. Notifications with {sound}, please.",
            "Notification sound: {sound} instead of {old}.",
            "I'd like {sound} to play when a notification arrives.",
        ),
        chinese=(
            "通知提示音换成{sound}。",
            "办公室里人人都是{old}，分不清谁的，通知音改{sound}",
            "通知声音别用{old}了，用{sound}",
            "来通知的时候我想听到{sound}",
        ),
    ),
    Wish(
        calls=(do("manage_sound_effect", action="enable", profile="{profile}"),),
        slots={
            "profile word": worded(
                ("music", ("music", "音乐")),
                ("movie", ("movie", "电影")),
                ("game", ("game", "游戏")),
                ("voice", ("voice", "人声")),
            ),
            "title": TITLES,
        },
        patch=phone(sound_effect="off", sound_effect_profile="smart"),
        english=(
            "Turn on Dolby sound with the {word} profile.",
            "Use the Dolby sound effect, {word} profile.",
            "After {title} I want better sound: Dolby on, set for {word}.",
            "Sound effect on, and choose the {word} profile for it.",
        ),
        chinese=(
            "打开杜比音效，{word}模式。",
            "用杜比音效，选{word}的",
            "{title}之后想听点好音质，杜比开起来，{word}场景",
            "音效打开，配置选{word}",
        ),
    ),
    Wish(
        calls=(do("manage_mono_audio", action="enable"),),
        slots={"title": TITLES},
        patch=phone(mono_audio="off"),
        english=(
            "Turn on mono audio.",
            "My left earbud is dead. Put both channels together so I miss nothing in the right one.",
            "Stereo is no use with one ear. Mono, please.",
            "For {title} I wear only one earbud, so switch the sound to mono.",
        ),
        chinese=(
            "打开单声道音频。",
            "左边耳机坏了，把左右声道合在一起，免得听漏",
            "我只用一只耳朵听，立体声没意义，开单声道",
            "{title}的时候我只戴一只耳机，声音切成单声道",
        ),
    ),
)
SOUND = VOLUMES + QUIET


@family("sound_set", TOOL, DISPLAY, "grounding", variants=len(SOUND))
def sound_set(rng: Draw, world: World) -> Draft:
    """One call: volume, sound mode, vibration, effects and do-not-disturb."""
    return wished(rng, world, SOUND)


FAMILIES = (sound_set,)
