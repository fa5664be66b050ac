"""Skill families that need two skills: what one finds out or prepares, the other uses."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, Plan, ask, do, done, family
from qpa.bench.families.mobile.common import asked, online, settings, step
from qpa.bench.families.mobile.skill_base import guided
from qpa.bench.families.mobile.words import new_todos
from qpa.bench.families.tool_calls import person
from qpa.bench.families.values import TODOS, Draw
from qpa.contract import BehaviorCriteria, Dimension, Intent
from qpa.envs.sandbox.schema import World

SKILL = Dimension.SKILL
PLAYERS = ("Cantio", "Melodex", "Wavelet", "Tunely", "Sonora")
BANKS = ("Oak Bank", "River Bank", "Sun Bank", "Moon Bank", "Harbor Bank")
SPEAKERS = ("Nova Buds", "Pulse Speaker", "Zenith Headset", "Lyra Buds", "Onyx Speaker", "Vega Headset")
SONGS = ("Amber Rain", "Paper Moons", "Night Ferry", "Cold Harbor", "Seven Kites", "Glass River", "Slow Comet")
SUBJECTS = (("lighthouse", "灯塔"), ("waterfall", "瀑布"), ("old tram", "老电车"), ("snowman", "雪人"))
TABLETS = ("Pine Tablet", "Atlas Tablet", "Juno Laptop", "Moss Laptop")
CITIES = (("Eastport", "东港"), ("Millbrook", "磨溪"), ("Highfield", "高原镇"), ("Stonebay", "石湾"))


@family("skill_record_screen", SKILL, "Display & Sound", "multi_skill", "dependency")
def skill_record_screen(rng: Draw, world: World) -> Draft:
    """SK-DISPLAY-08: the rotation has to be locked before the recording begins."""
    side, sound = rng.choice(("portrait", "landscape")), rng.choice(("none", "device"))
    way = rng.say(side, {"portrait": "竖屏", "landscape": "横屏"}[side])
    with_sound = {"none": ("without any sound", "不录声音"), "device": ("with the phone's own sound", "录手机内部声音")}

    def plan() -> Plan:
        yield [do("manage_auto_rotate", action="disable", orientation=side)]
        yield [do("control_screen_recorder", action="start", audio=sound)]
        return done(rng.say(f"Locked to {side}, the recording runs.", f"已锁定{way}，开始录屏。"))

    return guided(
        Draft(
            phrasings=(
                "Lock the screen to {side} and then start a screen recording {sound}.",
                "Before you record the screen {sound}, fix the rotation in {side}.",
                "I'm making a tutorial: no turning screen, {side} only, then record the screen {sound}.",
                "Screen recording {sound}, please, but the display must be locked in {side} before it begins.",
            ),
            chinese=(
                "先把屏幕锁定成{side}，再开始录屏，{sound}。",
                "录屏之前先关掉自动旋转，固定{side}；录的时候{sound}。",
                "我要录教程：先锁{side}别让画面转，然后录屏，{sound}。",
                "开始录屏，{sound}，不过得先把方向锁在{side}。",
            ),
            slots={"side": way, "sound": rng.say(*with_sound[sound])},
            plan=plan,
            criteria="tool",
            patch={
                "settings": settings(
                    auto_rotate="on", locked_orientation="portrait", screen_recording="off", battery_mode="normal"
                )
            },
        ),
        "display-screen-comfort",
        "camera-record-screenshot",
    )


@family("skill_battery_player", SKILL, "System Settings", "multi_skill", "recovery")
def skill_battery_player(rng: Draw, world: World) -> Draft:
    """SK-POWER-01: the saver is clear, but which of two running players stays is not."""
    (first, second), level = rng.sample(PLAYERS, 2), rng.randint(6, 19)
    apps = [{"name": n, "category": "media", "roles": "music", "running": 1, "locked": 0} for n in (first, second)]
    apps += [{"name": row["name"], "running": 0} for row in world.rows["apps"] if row["category"] == "media"]

    def plan() -> Plan:
        yield [do("manage_recent_apps", action="query")]
        yield [do("manage_battery", mode="super_saving")]
        return ask(
            rng.say(
                f"Extreme saving is on. {first} and {second} both run: which player stays open?",
                f"超级省电已开。{first}和{second}都在后台，保留哪个播放器？",
            )
        )

    return guided(
        Draft(
            phrasings=(
                "{level}% left: extreme battery saver on, then close all in the background except the music player.",
                "{level}% battery, ouch. Extreme saving, and close all background apps, keep only my music player.",
                "I'm at {level}%. Super saving mode, and shut all recent apps but the player.",
                "{level}% must last, so extreme power saver on. All background apps may go, just not the music player.",
            ),
            chinese=(
                "只剩{level}%了，打开超级省电，然后把后台应用都关了，只留音乐播放器。",
                "电量{level}%，开超级省电模式，后台除了听歌的那个全部关掉。",
                "还有{level}%的电，超级省电，后台清一下，播放器别关。",
                "{level}%要撑一天，手机进超级省电，再清掉所有后台，放音乐的那个应用留着。",
            ),
            slots={"level": level},
            plan=plan,
            criteria=BehaviorCriteria(
                routes=[step("manage_battery", mode="super_saving")],
                intent=Intent.ASK,
                mentions=[[first], [second]],
                allow_writes=True,
            ),
            patch={
                "apps": apps,
                "settings": settings(battery_mode="normal", battery_level=str(level), media_state="stopped"),
            },
        ),
        "power-performance-battery",
        "apps-lifecycle",
    )


@family("skill_bank_lock", SKILL, "Security & Privacy", "multi_skill", "recovery")
def skill_bank_lock(rng: Draw, world: World) -> Draft:
    """SK-PRIVACY-10: there are two banking apps, and none was named."""
    (first, second), name = rng.sample(BANKS, 2), person(rng, world)

    def plan() -> Plan:
        yield [do("query_apps", category="finance"), do("manage_app_lock", action="query")]
        return ask(rng.say(f"{first} or {second}, which one?", f"{first}还是{second}，要锁哪一个？"))

    return guided(
        Draft(
            phrasings=(
                "Put my banking app behind an app lock before {name} borrows the phone.",
                "{name} plays with my phone all the time; lock the bank's app so that it asks for the PIN.",
                "I don't want {name} to see my money: app lock on my bank app.",
                "Nobody but me should open the banking app, not even {name}, so lock it.",
            ),
            chinese=(
                "要把手机借给{name}，先给我的银行应用加个应用锁。",
                "{name}老玩我手机，把银行那个应用锁上。",
                "别让{name}看到我的钱，银行应用开一下应用锁。",
                "除了我谁都不能打开银行的应用，{name}也不行，上锁。",
            ),
            slots={"name": name},
            plan=plan,
            criteria=asked([first], [second], reads=("query_apps",)),
            patch={
                "apps": [{"name": n, "category": "finance", "kind": "user", "hidden": 0} for n in (first, second)],
                "settings": settings(screen_lock="pin", screen_lock_password="4821"),
            },
        ),
        "privacy-security-auth",
        "apps-lifecycle",
    )


@family("skill_headset_song", SKILL, "Network & Connectivity", "multi_skill", "dependency")
def skill_headset_song(rng: Draw, world: World) -> Draft:
    """Pair the new headset, then play a song on it; Bluetooth may be off."""
    device, song = rng.choice(SPEAKERS), rng.choice(SONGS)
    off = rng.random() < 0.5

    def plan() -> Plan:
        feedback = yield [do("manage_bluetooth", action="query")]
        if not feedback[0].payload["data"]["enabled"]:
            yield [do("manage_bluetooth", action="enable")]
        yield [do("pair_bluetooth_device", deviceName=device)]
        yield [do("play_audio", title=song)]
        return done(rng.say(f"{song} plays on {device}.", f"正在用{device}播放{song}。"))

    return guided(
        Draft(
            phrasings=(
                "Pair {device} and then play {song} on it.",
                "Connect my new {device}, and once it's paired put on {song}.",
                "I want to hear {song} over {device}; it still has to be paired.",
                "First pair {device} by Bluetooth, then {song}, please.",
            ),
            chinese=(
                "先配对{device}，再放{song}。",
                "把新买的{device}配上，连好了就播放{song}。",
                "我想用{device}听{song}，它还没配对过。",
                "蓝牙配对{device}，然后来一首{song}。",
            ),
            slots={"device": device, "song": song},
            plan=plan,
            patch={
                "settings": online(bluetooth="off" if off else "on", media_state="stopped", media_item=""),
                "bluetooth_devices": [{"name": device, "kind": "earbuds", "paired": 0, "connected": 0}],
                "media_tracks": [_track(song)],
            },
        ),
        "bluetooth-nfc",
        "music-audio",
    )


def _track(title: str) -> dict[str, Any]:
    return {"id": "track_881", "title": title, "artist": "Odd Lanterns", "album": "Odd Lanterns", "number": 1}


@family("skill_photo_over", SKILL, "Devices & Cross-device", "multi_skill", "dependency", "reference")
def skill_photo_over(rng: Draw, world: World) -> Draft:
    """The photo is known by its subject only; it goes to a device nearby."""
    subject, target = rng.say(*rng.choice(SUBJECTS)), rng.choice(TABLETS)
    name, kind = f"IMG_{rng.randint(7000, 7999)}.jpg", target.split()[1].lower()

    def plan() -> Plan:
        feedback = yield [do("query_gallery", keyword=subject)]
        photo = feedback[0].payload["data"]["items"][0]["name"]
        yield [do("share_file_nearby", fileName=photo, deviceName=target)]
        return done(rng.say(f"{photo} went to {target}.", f"{photo}已传到{target}。"))

    return guided(
        Draft(
            phrasings=(
                "Send the photo of the {subject} over to {target}.",
                "Share my {subject} picture with {target}, it's right next to me.",
                "I'd like the gallery photo of the {subject} on {target}, beam it across.",
                "{subject} photo to the nearby {target}, please.",
            ),
            chinese=(
                "把{subject}那张照片传到{target}。",
                "相册里{subject}的照片，分享给旁边的{target}。",
                "我想在{target}上看{subject}那张照片，隔空传过去吧。",
                "{subject}的照片，发到附近的{target}。",
            ),
            slots={"subject": subject, "target": target},
            plan=plan,
            criteria="tool",
            annotated=("share_file_nearby",),
            patch={
                "settings": online(wifi="on", bluetooth="on"),
                "files": [{"id": "file_881", "name": name, "kind": "image"}],
                "media_photos": [
                    {"id": "file_881", "subject": subject, "album": "Camera", "created_at": "2025-01-12T10:00:00"}
                ],
                "devices": [{"id": "device_881", "name": target, "kind": kind, "nearby": 1, "online": 1}],
            },
        ),
        "gallery-photos",
        "devices-sharing",
    )


@family("skill_rain_plan", SKILL, "Travel & Lifestyle", "multi_skill", "conditional", "dependency")
def skill_rain_plan(rng: Draw, world: World) -> Draft:
    """What goes into the to-do list depends on tomorrow's weather."""
    city, rains = rng.say(*rng.choice(CITIES)), rng.random() < 0.5
    wet, dry = new_todos(rng, world, 2)
    row = {"city": city, "date": "2025-01-16", "condition": "rain" if rains else "sunny", "low_c": 2, "high_c": 9}

    def plan() -> Plan:
        feedback = yield [do("query_weather", city=city, date="2025-01-16")]
        content = wet if feedback[0].payload["data"]["items"][0]["condition"] == "rain" else dry
        yield [do("manage_todo", action="create", content=content)]
        return done(rng.say(f"On your list: {content}.", f"已加到待办：{content}。"))

    return guided(
        Draft(
            phrasings=(
                'Should it rain in {city} tomorrow, put "{wet}" on my to-do list, otherwise "{dry}".',
                'Look at tomorrow\'s weather in {city}: rain means to-do "{wet}", anything else means "{dry}".',
                'If {city} gets rain tomorrow I want "{wet}" as a to-do; if not, "{dry}".',
                'New to-do depending on {city}\'s weather tomorrow: "{wet}" for rain, "{dry}" when it stays dry.',
            ),
            chinese=(
                "{city}明天要是下雨，待办里加“{wet}”，不下就加“{dry}”。",
                "看看{city}明天的天气，有雨记待办“{wet}”，没雨记“{dry}”。",
                "明天{city}下雨的话，我的待办写“{wet}”，否则写“{dry}”。",
                "根据{city}明天的天气加个待办：下雨就“{wet}”，不下雨“{dry}”。",
            ),
            slots={"city": city, "wet": wet, "dry": dry},
            plan=plan,
            criteria="tool",
            annotated=("manage_todo",),
            patch={"weather": [row | {"rain_pct": 90 if rains else 5}], "settings": online()},
        ),
        "travel-weather-navigation",
        "calendar-todos",
    )


@family("skill_focus_quiet", SKILL, "Time Management", "multi_skill", "parallel")
def skill_focus_quiet(rng: Draw, world: World) -> Draft:
    """A focus session, and nobody disturbs until it is over."""
    minutes, task = rng.choice((20, 30, 40, 45, 50, 60, 75, 90, 120)), rng.pick(TODOS)
    end = f"{9 + minutes // 60:02d}:{minutes % 60:02d}"

    def plan() -> Plan:
        yield [
            do("manage_do_not_disturb", action="enable", until=end),
            do("manage_focus_timer", action="start", minutes=minutes, task=task),
        ]
        return done(rng.say(f"{minutes} minutes of focus, quiet until {end}.", f"专注{minutes}分钟，免打扰到{end}。"))

    return guided(
        Draft(
            phrasings=(
                'Start a {minutes} minute focus timer for "{task}" and do not disturb until {end}.',
                'I need {minutes} minutes for "{task}": focus timer on, and do not disturb until {end}.',
                'Focus session "{task}", {minutes} minutes, do-not-disturb till {end}.',
                'Do not disturb me before {end}; run the focus timer meanwhile, {minutes} minutes, task "{task}".',
            ),
            chinese=(
                "开{minutes}分钟专注计时，任务是“{task}”，免打扰开到{end}。",
                "我要专心“{task}”{minutes}分钟，专注计时开起来，{end}之前开免打扰。",
                "专注“{task}”，{minutes}分钟，勿扰到{end}。",
                "{end}之前别让人打扰我，同时开专注计时{minutes}分钟，任务“{task}”。",
            ),
            slots={"minutes": minutes, "task": task, "end": end},
            plan=plan,
            patch={
                "settings": settings(dnd="off", dnd_until=""),
                "focus_sessions": [{**row, "status": "stopped"} for row in world.rows.get("focus_sessions", [])],
            },
        ),
        "routines-automation",
        "focus-sound-notifications",
    )


FAMILIES = (
    skill_record_screen,
    skill_battery_player,
    skill_bank_lock,
    skill_headset_song,
    skill_photo_over,
    skill_rain_plan,
    skill_focus_quiet,
)
