"""Audio & Entertainment: taking pictures and recording over several steps, corrections, and what to be careful with."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import branch, past_turn
from qpa.bench.families.mobile.media_rows import ALBUM, MEDIA, camera, merged, photo, player, song, titles
from qpa.bench.families.values import EVENTS, NAMES, PROMPTS, TOPICS, Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
_FILTERS = (("sepia", "怀旧"), ("vivid", "鲜艳"), ("warm", "暖色"), ("cool", "冷色"))


def _selfies(rng: Draw, world: World) -> Draft:
    count, (look, chinese) = rng.randint(2, 9), rng.choice(_FILTERS)

    def plan() -> Plan:
        yield [do("switch_camera", facing="front"), do("set_camera_filter", filter=look)]
        yield [do("take_photo", count=count)]
        return done(rng.say(f"{count} photos taken.", f"拍好了{count}张。"))

    return Draft(
        phrasings=(
            "Switch to the front camera, choose the {look} filter and take {count} photos.",
            "Front camera, {look} filter, then {count} pictures.",
            "We're all squeezed in! Turn the camera to the front, filter {look}, and shoot {count} times.",
            "Take {count} photos, but before that switch to the front camera and set the {look} filter.",
        ),
        chinese=(
            "切到前置摄像头，选{look}滤镜，拍{count}张照片。",
            "用前置镜头，{look}滤镜，连拍{count}张。",
            "大家都站好了！镜头切到前置，滤镜换{look}，拍{count}张。",
            "拍{count}张，拍之前先切换到前置，再把滤镜设成{look}。",
        ),
        slots={"count": count, "look": rng.say(look, chinese)},
        plan=plan,
        patch={"settings": camera()},
    )


def _locked_recording(rng: Draw, world: World) -> Draft:
    sound, english, chinese = rng.choice(
        (("microphone", "with my voice from the microphone", "录麦克风的声音"), ("none", "without sound", "不录声音"))
    )

    def plan() -> Plan:
        yield [do("manage_auto_rotate", action="disable")]
        yield [do("control_screen_recorder", action="start", audio=sound)]
        return done(rng.say("Rotation is off, recording.", "已关闭自动旋转，开始录屏。"))

    return Draft(
        phrasings=(
            "First turn auto-rotate off, then record the screen {sound}.",
            "Before you start a screen recording {sound}, switch auto-rotate off.",
            "The picture must not turn while I record the screen {sound}: auto-rotate off first, then start.",
            "Start recording the screen {sound}, but only after auto-rotate is off.",
        ),
        chinese=(
            "先关掉自动旋转，再开始录屏，{sound}。",
            "录屏之前把自动旋转关了，{sound}。",
            "录的时候画面别转：先关自动旋转，然后录屏，{sound}。",
            "开始录屏，{sound}，不过要等自动旋转关掉以后再录。",
        ),
        slots={"sound": rng.say(english, chinese)},
        plan=plan,
        criteria="tool",
        patch={"settings": camera(auto_rotate="on", screen_recording_audio="device")},
    )


def _wrong_mode(rng: Draw, world: World) -> Draft:
    count, mode = rng.randint(2, 9), rng.choice(("photo", "video"))

    def plan() -> Plan:
        shoot = do("take_photo", count=count)
        feedback = yield [shoot]
        if not feedback[0].ok:
            yield [do("set_camera_mode", mode="photo")]
            yield [shoot]
        return done(rng.say(f"{count} photos taken.", f"拍好了{count}张。"))

    return Draft(
        phrasings=(
            "Take {count} photos; if the camera is still in video mode, put it in photo mode.",
            "{count} pictures, please. Should the camera be set to video, switch it to photo mode first.",
            "I filmed earlier, maybe the camera is in video mode; go to photo mode if so, and shoot {count} photos.",
            "Shoot {count} photos, and change video mode to photo mode if that's what stands in the way.",
        ),
        chinese=(
            "拍{count}张照片，相机要是还在录像模式就换成拍照模式。",
            "来{count}张照片，如果相机停在视频模式，先切到拍照。",
            "刚才可能录过像，是视频模式的话就改成拍照模式，然后拍{count}张。",
            "拍{count}张照片，视频模式碍事的话切成拍照模式。",
        ),
        slots={"count": count},
        plan=plan,
        patch={"settings": camera(camera_mode=mode)},
        shown=("set_camera_mode",),
    )


def _then_film(rng: Draw, world: World) -> Draft:
    name = rng.pick(EVENTS)

    def plan() -> Plan:
        yield [do("control_voice_recorder", action="stop", title=name)]
        yield [do("record_video", action="start")]
        return done(rng.say(f"Saved as {name}, filming.", f"已存为{name}，开始录像。"))

    return Draft(
        phrasings=(
            "Stop the voice recording, save it as {name}, and start filming.",
            "That's enough sound, keep it under the name {name}. Now start a video recording.",
            "Begin a video, but first finish the sound recording that is running and name it {name}.",
            "Sound isn't enough: save the recording as {name} and film from here on.",
        ),
        chinese=(
            "停止录音，存成{name}，然后开始录像。",
            "录音就到这儿，名字叫{name}，接着拍视频。",
            "开始拍视频，不过先把正在录的音停掉，命名为{name}。",
            "光录音不够，录音保存为{name}，接下来改录视频。",
        ),
        slots={"name": name},
        plan=plan,
        patch={"settings": camera(voice_recording="recording")},
    )


@family("media_shoot", TOOL, MEDIA, "dependency", "conditional", variants=4)
def media_shoot(rng: Draw, world: World) -> Draft:
    """Pictures and recordings whose steps need each other."""
    return branch(rng, world, (_selfies, _locked_recording, _wrong_mode, _then_film))


def _other_song(rng: Draw, world: World) -> Draft:
    (wrong, right), artists = titles(rng, 2), rng.several(NAMES, 2)

    def plan() -> Plan:
        yield [do("play_audio", title=right)]
        return done(rng.say(f"Playing {right}.", f"正在播放{right}。"))

    return Draft(
        phrasings=(
            "Play {wrong}... no, {right}.",
            "Put on {wrong}. Wait, not that, {right} instead.",
            "I'd like to hear {wrong}, or rather {right}. Yes, play only that.",
            "{wrong}, please. Hmm, we had that yesterday, make it {right}.",
        ),
        chinese=(
            "播放{wrong}……不对，放{right}。",
            "放{wrong}，等等，换成{right}。",
            "我想听{wrong}，算了，还是听{right}吧。",
            "来首{wrong}。哦昨天刚听过，改放{right}。",
        ),
        slots={"wrong": wrong, "right": right},
        plan=plan,
        patch={
            "media_tracks": [song(701, wrong, artists[0]), song(702, right, artists[1])],
            "settings": player(),
        },
    )


def _longer_timer(rng: Draw, world: World) -> Draft:
    old = rng.randint(15, 50)
    new = old + rng.randint(5, 60)
    end = f"2025-01-15T{9 + old // 60:02d}:{old % 60:02d}:00"

    def plan() -> Plan:
        yield [do("manage_sleep_timer", action="set", minutes=new)]
        return done(rng.say(f"Sleep timer {new} minutes.", f"已改成{new}分钟。"))

    return Draft(
        phrasings=(
            "Make that {new} minutes.",
            "Sorry, {new} minutes rather.",
            "Hmm, too short. {new} minutes from now, please.",
            "On second thought I'll read a bit: {new} minutes instead.",
        ),
        chinese=(
            "改成{new}分钟。",
            "说错了，是{new}分钟。",
            "太短了，从现在起{new}分钟吧。",
            "我想多看会儿书，还是{new}分钟。",
        ),
        slots={"new": new},
        plan=plan,
        patch={"settings": player("track_001", queue=ALBUM, media_sleep_timer=end)},
        history=past_turn(
            rng.say(f"Stop the music in {old} minutes.", f"{old}分钟后停止放音乐。"),
            "manage_sleep_timer",
            {"action": "set", "minutes": old},
            {},
            rng.say(f"Sleep timer {old} minutes.", f"好，{old}分钟后停。"),
        ),
    )


def _out_again(rng: Draw, world: World) -> Draft:
    (name, kept), playlist, artist = titles(rng, 2), rng.pick(TOPICS), rng.pick(NAMES)
    rows = [song(701, name, artist), song(702, kept, artist)]

    def plan() -> Plan:
        yield [do("manage_playlist", action="remove", playlist=playlist, titles=[name])]
        return done(rng.say(f"{name} is out of {playlist}.", f"已从{playlist}移除{name}。"))

    return Draft(
        phrasings=(
            "Take it out again.",
            "No, undo that.",
            "Hmm, it doesn't fit in with {kept}. Remove it from the playlist again.",
            "I've changed my mind, that one doesn't belong there after all.",
        ),
        chinese=(
            "再拿出来吧。",
            "不要了，撤销。",
            "跟{kept}不搭，把它从歌单里去掉。",
            "我改主意了，这首还是别放里面了。",
        ),
        slots={"kept": kept},
        plan=plan,
        patch={
            "media_tracks": rows,
            "media_playlists": [{"name": playlist}],
            "media_playlist_tracks": [{"playlist": playlist, "track_id": row["id"]} for row in rows],
        },
        history=past_turn(
            rng.say(f"Add {name} to the playlist {playlist}.", f"把{name}加到歌单{playlist}。"),
            "manage_playlist",
            {"action": "add", "playlist": playlist, "titles": [name]},
            {"playlist": playlist, "added": 1},
            rng.say(f"{name} is in {playlist} now.", f"已把{name}加到{playlist}。"),
        ),
    )


def _not_deleted(rng: Draw, world: World) -> Draft:
    subject = rng.pick(PROMPTS)

    def plan() -> Plan:
        yield [do("manage_photo_trash", action="restore", photo=subject)]
        return done(rng.say("It's back in the gallery.", "已恢复到相册。"))

    return Draft(
        phrasings=(
            "Oh no, bring it back.",
            "Wait, that was the wrong one, undo it!",
            "Hmm, I do want to keep that picture, restore it please.",
            "Sorry, I need it after all, get it out of the trash.",
        ),
        chinese=(
            "哎呀，恢复回来。",
            "等等，删错了，撤销！",
            "那张我还是想留着，恢复一下吧。",
            "不好意思，还要用，把它从回收站拿回来。",
        ),
        plan=plan,
        patch=photo(911, subject, trashed=True),
        history=past_turn(
            rng.say(f"Delete the photo of the {subject}.", f"删掉{subject}的照片。"),
            "delete_photo",
            {"photos": [subject]},
            {"names": ["IMG_911.jpg"]},
            rng.say("Moved to the trash.", "已移到回收站。"),
        ),
    )


def _second_photo(rng: Draw, world: World) -> Draft:
    """The edit was right, the photo was not: revert one, edit the other."""
    (wrong, right), degrees = rng.several(PROMPTS, 2), rng.choice((90, 180, 270))

    def plan() -> Plan:
        yield [
            do("edit_photo", photo=wrong, operation="revert"),
            do("edit_photo", photo=right, operation="rotate", value=str(degrees)),
        ]
        return done(rng.say(f"The {right} photo is rotated instead.", f"改成旋转{right}那张了。"))

    return Draft(
        phrasings=(
            "No, I meant the {right} photo. Put the first one back as it was.",
            "Wrong picture! Undo that and rotate the one of the {right} the same way.",
            "Sorry, the {right} was the one to rotate. Please revert the other and do it there.",
            "Oops, take the edit back; it should have been the photo of the {right}.",
        ),
        chinese=(
            "不对，我说的是{right}那张，刚才那张恢复原样。",
            "弄错照片了！撤销，改成把{right}那张同样转一下。",
            "抱歉，要转的是{right}的照片，刚才那张还原，转这张。",
            "哎，刚才的改动撤回，应该转的是{right}那张。",
        ),
        slots={"right": right},
        plan=plan,
        patch=merged(photo(911, wrong, rotation=degrees), photo(912, right)),
        history=past_turn(
            rng.say(f"Rotate the {wrong} photo {degrees} degrees.", f"把{wrong}的照片转{degrees}度。"),
            "edit_photo",
            {"photo": wrong, "operation": "rotate", "value": str(degrees)},
            {"name": "IMG_911.jpg", "rotation": degrees},
            rng.say("Rotated.", "转好了。"),
        ),
    )


_CHANGES = (_other_song, _longer_timer, _out_again, _not_deleted, _second_photo)


@family("media_take_back", TOOL, MEDIA, "revision", variants=len(_CHANGES))
def media_take_back(rng: Draw, world: World) -> Draft:
    """The user corrects, replaces or undoes what he just asked for."""
    return branch(rng, world, _CHANGES)


FAMILIES = (media_shoot, media_take_back)
