"""Basic tool use in Display & Sound: wishes that meet an error, an ambiguity or a limit."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import PERMISSION, phone
from qpa.bench.families.mobile.display_look import PICTURES, picture
from qpa.bench.families.mobile.display_slots import DISPLAY, TOOL
from qpa.bench.families.mobile.wishes import Wish, number, wished, worded
from qpa.bench.families.tool_calls import LAST_NAMES, contact_row, person
from qpa.bench.families.values import EVENTS, Draw
from qpa.contract import ErrorType, Fault, Intent
from qpa.envs.sandbox.schema import World

_COLOURS = worded(
    (("red", "红色"),), (("blue", "蓝色"),), (("green", "绿色"),), (("purple", "紫色"),), (("pink", "粉色"),)
)
_LIVE = ("Drifting Clouds", "Firefly Meadow", "Molten Glass", "Rolling Tide", "Spinning Galaxy")


def _namesakes(rng: Draw, world: World) -> list[str]:
    """A first name and two people who share it."""
    first = person(rng, world)
    return [first, *(f"{first} {last}" for last in sorted(rng.sample(LAST_NAMES, 2)))]


def _twins(rng: Draw, world: World) -> list[str]:
    """A word and two pictures whose names begin with it."""
    name = rng.choice(PICTURES).split()[0]
    return [name, f"{name} Morning", f"{name} Evening"]


RECOVERY = (
    Wish(
        calls=(do("manage_wallpaper", action="set", name="{picture}"),),
        slots={"picture": picture},
        patch={"wallpapers": [{"name": "{picture}", "live": 0}]},
        denied=("SET_WALLPAPER",),
        intent=Intent.ASK,
        mentions=(PERMISSION,),
        reply=("I lack the permission to set wallpapers. Will you grant it?", "没有设置壁纸的权限，要授权吗？"),
        english=(
            "Use {picture} as wallpaper everywhere.",
            "New wallpaper please: {picture}, for home and lock screen.",
            "I'd like to see {picture} on both my home and my lock screen.",
            "{picture} on the lock screen and behind my icons, thanks.",
        ),
        chinese=(
            "壁纸全部换成{picture}。",
            "换张壁纸，{picture}，主屏锁屏都要",
            "我想主屏幕和锁屏都显示{picture}",
            "锁屏和桌面都用{picture}，谢谢",
        ),
    ),
    Wish(
        calls=(do("manage_do_not_disturb", action="enable"),),
        slots={"event": EVENTS},
        patch=phone(dnd="off", dnd_until=""),
        denied=("ACCESS_NOTIFICATION_POLICY",),
        intent=Intent.ASK,
        mentions=(PERMISSION,),
        reply=("I have no permission for do-not-disturb. Will you allow it?", "没有勿扰模式的权限，要允许吗？"),
        english=(
            "{event} now, turn on do-not-disturb.",
            "Put the phone on DND, {event} is on my plate now.",
            "Do-not-disturb on, the {event} is starting.",
            "Nobody should disturb me during {event}. Switch do-not-disturb on now.",
        ),
        chinese=(
            "现在{event}，打开勿扰。",
            "我在{event}，手机开勿扰",
            "{event}开始了，勿扰打开",
            "{event}期间别让人打扰我，现在就开勿扰",
        ),
    ),
    Wish(
        calls=(do("manage_dnd_exceptions", action="allow", contact="{name}"),),
        slots={"name a b": _namesakes},
        patch={"contacts": [contact_row(701, "{a}", "5550001"), contact_row(702, "{b}", "5550002")]},
        routes=(do("query_contacts", name="{name}"),),
        intent=Intent.ASK,
        mentions=(["{a}"], ["{b}"]),
        reply=("Which one: {a} or {b}?", "是{a}还是{b}？"),
        english=(
            "Let {name} through do-not-disturb.",
            "{name} may call me even when DND is on.",
            "Make {name} an exception in do-not-disturb.",
            "Do-not-disturb shouldn't stop {name} from reaching me.",
        ),
        chinese=("勿扰的时候放行{name}。", "开着勿扰{name}也能打给我", "把{name}设成勿扰例外", "勿扰别拦{name}的电话"),
    ),
    Wish(
        calls=(do("manage_wallpaper", action="set", name="{name}"),),
        slots={"name a b": _twins},
        patch={"wallpapers": [{"name": "{a}", "live": 0}, {"name": "{b}", "live": 0}]},
        routes=(do("manage_wallpaper", action="query"),),
        intent=Intent.ASK,
        mentions=(["{a}"], ["{b}"]),
        reply=("There's {a} and {b}. Which one?", "有{a}和{b}，用哪张？"),
        english=(
            "Set the {name} wallpaper on both screens.",
            "Use that {name} picture as my wallpaper, home and lock.",
            "Wallpaper {name} everywhere, please.",
            "I want the {name} one as wallpaper on the home and the lock screen.",
        ),
        chinese=(
            "主屏锁屏都用{name}那张壁纸。",
            "把{name}的图设成壁纸，两个屏都要",
            "壁纸换成{name}，锁屏也换",
            "主屏幕和锁屏，给我用{name}那张",
        ),
    ),
    Wish(
        calls=(do("manage_wallpaper", action="set", name="{picture}"),),
        slots={"picture": picture},
        routes=(do("manage_wallpaper", action="query"),),
        intent=Intent.ASK,
        mentions=(["{picture}"],),
        reply=("There's no wallpaper {picture}. Another one?", "没有{picture}这张壁纸，换一张吗？"),
        english=(
            "Change the wallpaper to {picture}, on both screens.",
            "Put {picture} on my home and lock screen.",
            "{picture} as wallpaper for everything, please.",
            "My sister has the wallpaper {picture}. I want it as well, home and lock screen.",
        ),
        chinese=(
            "两个屏的壁纸都换成{picture}。",
            "主屏幕和锁屏都放{picture}",
            "壁纸全用{picture}",
            "我妹用的壁纸{picture}我也要，主屏锁屏都换上",
        ),
    ),
    Wish(
        slots={"name": EVENTS},
        intent=Intent.ASK,
        mentions=(["when", "what time", "what times", "start", "几点", "什么时候", "什么时间", "开始"],),
        reply=("From when until when should {name} run?", "“{name}”从几点到几点？"),
        shown=("manage_dnd_schedule",),
        english=(
            "Create a daily do-not-disturb schedule called {name}.",
            "I need a new DND schedule named {name}, for every day.",
            "Add {name} to my do-not-disturb schedules, daily.",
            "Set up a do-not-disturb schedule that runs each day, and name it {name}.",
        ),
        chinese=(
            "新建一个每天的勿扰计划“{name}”。",
            "我要加个勿扰计划，叫“{name}”，每天的",
            "勿扰计划里添一条“{name}”，每天执行",
            "建个每日勿扰的时段，名字就叫“{name}”",
        ),
    ),
    Wish(
        calls=(do("manage_volume", action="set", stream="notification", level="{level}"),),
        slots={"level": number(30, 90, 5)},
        patch=phone(sound_mode="silent", ring_volume="0", ring_volume_before_mute="60", notification_volume="20"),
        routes=(do("query_sound_settings"),),
        intent=Intent.ASK,
        mentions=(["silent", "静音"],),
        reply=("The phone is silent. Shall I let it ring again?", "手机现在是静音模式，要恢复响铃吗？"),
        english=(
            "Set the notification volume to {level}.",
            "Notifications at volume {level}, please.",
            "I never hear my notifications. Put their volume at {level}.",
            "Make notifications {level} loud.",
        ),
        chinese=(
            "通知音量调到{level}。",
            "通知声音设成{level}",
            "通知老听不见，音量给我调到{level}",
            "让通知音量变成{level}",
        ),
    ),
    Wish(
        calls=(do("set_screen_resolution", resolution="{wanted}"),),
        slots={"wanted old": worded(("QHD+", "FHD+"), ("FHD+", "QHD+"), ("HD+", "FHD+")), "event": EVENTS},
        patch=phone(screen_resolution="{old}"),
        faults=(Fault(tool="set_screen_resolution", error_type=ErrorType.UNAVAILABLE),),
        english=(
            "Set the resolution of my screen to {wanted}.",
            "For the {event} I need the display in {wanted}.",
            "Change {old} to {wanted}, I mean the screen resolution.",
            "Please run this screen in {wanted} resolution, no longer {old}.",
        ),
        chinese=(
            "屏幕分辨率设为{wanted}。",
            "{event}要用，显示分辨率调到{wanted}",
            "把分辨率由{old}换成{wanted}",
            "屏幕别再用{old}了，改{wanted}分辨率",
        ),
    ),
    Wish(
        calls=(do("manage_wallpaper", action="set", name="{live}"),),
        slots={"live": _LIVE},
        patch={
            "wallpapers": [{"name": "{live}", "live": 1}],
            **phone(battery_mode="power_saving", refresh_rate="60Hz"),
        },
        routes=(do("query_battery"),),
        intent=Intent.ASK,
        mentions=(["battery", "power saving", "battery saving", "power", "省电", "电池"],),
        reply=("Battery saving forbids live wallpapers. Turn it off?", "省电模式下不能用动态壁纸，要关掉省电吗？"),
        english=(
            "Use the live wallpaper {live} on both screens.",
            "I'd love something that moves: wallpaper {live}, home and lock screen.",
            "Set {live} as wallpaper everywhere.",
            "{live} should be my moving wallpaper, on the home and the lock screen.",
        ),
        chinese=(
            "主屏锁屏都用动态壁纸{live}。",
            "想要会动的，壁纸换成{live}，锁屏也要",
            "壁纸全设成{live}",
            "动态壁纸就用{live}，主屏幕和锁屏都换",
        ),
    ),
    Wish(
        slots={"colour": _COLOURS},
        intent=Intent.REFUSE,
        mentions=(["flashlight", "light", "torch", "手电", "手电筒", "闪光灯"],),
        reply=("I can't make the flashlight {colour}.", "抱歉，手电筒发不出{colour}的光。"),
        shown=("control_flashlight",),
        english=(
            "Make my flashlight shine {colour}.",
            "I need a {colour} torch for a photo, turn the flashlight {colour}.",
            "Switch the LED on the back to {colour} light.",
            "Can the flashlight glow {colour}? Do it.",
        ),
        chinese=(
            "把手电筒的光变成{colour}。",
            "拍照要{colour}的光，手电筒打成{colour}",
            "背面的灯给我换成{colour}的光",
            "手电能发{colour}光吗？来一个",
        ),
    ),
)


@family("display_recovery", TOOL, DISPLAY, "recovery", variants=len(RECOVERY))
def display_recovery(rng: Draw, world: World) -> Draft:
    """Something is missing, ambiguous, forbidden or impossible."""
    return wished(rng, world, RECOVERY)


FAMILIES = (display_recovery,)
