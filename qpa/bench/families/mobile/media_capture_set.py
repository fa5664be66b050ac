"""Audio & Entertainment: plain wishes about camera, recorders and gallery that one call fulfils."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, family
from qpa.bench.families.mobile.common import Request, one_of
from qpa.bench.families.mobile.media_rows import MEDIA, camera, merged, photo, recording
from qpa.bench.families.values import EVENTS, PROMPTS, Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
_READY = {"settings": camera()}
CAMERA = (
    Request(
        "control_camera",
        ("Open the camera.", "Camera, please.", "Quick, a deer in the garden! Get the camera ready."),
        ("打开相机。", "把相机打开一下。", "快，院子里有只小鹿，打开相机。"),
        {"action": "open"},
        patch=_READY,
    ),
    Request(
        "set_camera_mode",
        (
            "Set the camera to portrait mode.",
            "Camera in portrait mode, please.",
            "Next I'll photograph people with a blurred background, choose the portrait mode for that.",
        ),
        ("相机切到人像模式。", "拍照模式换成人像。", "等下给人拍照要虚化背景，相机调成人像模式。"),
        {"mode": "portrait"},
        patch=_READY,
        criteria="tool",
    ),
    Request(
        "set_camera_mode",
        (
            "Set the camera to slow motion.",
            "Switch the camera mode to slow motion.",
            "I want to film the dog's jump very slowly, put the camera in the mode for that.",
        ),
        ("相机切到慢动作模式。", "拍摄模式换成慢动作。", "想把狗狗跳起来的瞬间拍成慢镜头，相机调到慢动作。"),
        {"mode": "slow_motion"},
        patch=_READY,
        criteria="tool",
    ),
    Request(
        "switch_camera",
        (
            "Switch to the front camera.",
            "Use the selfie camera from now on.",
            "Turn the camera round so that it shows me.",
        ),
        ("切换到前置摄像头。", "相机换成自拍镜头。", "把镜头转过来对着我。"),
        {"facing": "front"},
        patch=_READY,
    ),
    Request(
        "set_camera_flash",
        (
            "Turn the camera flash on.",
            "Always use the flash when I take pictures.",
            "It's getting dark and my pictures come out black, set the flash to on.",
        ),
        ("打开闪光灯，拍照用。", "拍照时闪光灯一直开着。", "天黑了拍出来一片黑，把相机闪光灯打开。"),
        {"flash": "on"},
        patch=_READY,
        criteria="tool",
    ),
    Request(
        "set_camera_timer",
        (
            "Self-timer {seconds} seconds.",
            "Set the camera's timer to {seconds} seconds.",
            "I want to be in the picture myself, give me {seconds} seconds before it shoots.",
        ),
        ("相机自拍定时{seconds}秒。", "拍照倒计时设成{seconds}秒。", "我也要入镜，相机定时{seconds}秒再拍。"),
        draw=lambda rng, world: {"seconds": rng.choice((3, 5, 10))},
        patch=_READY,
        criteria="tool",
    ),
    Request(
        "set_camera_filter",
        (
            "Black and white filter for the camera.",
            "Set the camera filter to mono.",
            "No colours in the pictures I'll take now, choose the monochrome filter.",
        ),
        ("相机用黑白滤镜。", "拍照滤镜调成黑白的。", "接下来的照片不要颜色，相机滤镜选黑白。"),
        {"filter": "mono"},
        patch=_READY,
        criteria="tool",
    ),
    Request(
        "set_camera_zoom",
        (
            "Zoom the camera to {zoom}x.",
            "Camera zoom {zoom}.",
            "The bird is too far away, set the camera zoom to {zoom} times.",
        ),
        ("相机变焦调到{zoom}倍。", "镜头拉近到{zoom}倍。", "那只鸟太远了，相机放大到{zoom}倍。"),
        draw=lambda rng, world: {"zoom": rng.randint(2, 9)},
        patch=_READY,
    ),
    Request(
        "configure_camera",
        (
            "Show the grid in the camera.",
            "Turn on the camera's grid lines.",
            "My horizons are always crooked, give me the grid lines in the camera.",
        ),
        ("打开相机网格线。", "相机里显示网格。", "老是拍歪，把相机的网格线打开。"),
        {"settingItem": "grid", "settingValue": "on"},
        patch=_READY,
    ),
    Request(
        "configure_camera",
        (
            "Take photos in {settingValue} format from now on.",
            "Set the camera's aspect ratio to {settingValue}.",
            "My pictures should be {settingValue}, change that in the camera options.",
        ),
        (
            "拍照比例改成{settingValue}。",
            "相机画幅设为{settingValue}。",
            "以后照片都要{settingValue}的，在相机里改一下。",
        ),
        {"settingItem": "aspect_ratio"},
        lambda rng, world: {"settingValue": rng.choice(("16:9", "1:1"))},
        _READY,
    ),
    Request(
        "control_voice_recorder",
        (
            "Start a voice recording.",
            "Switch the voice recorder on.",
            "I have an idea for a melody, start recording sound.",
        ),
        ("开始录音。", "打开录音机录音。", "突然想到一段旋律，帮我开始录音。"),
        {"action": "start"},
        patch=_READY,
    ),
    Request(
        "control_screen_recorder",
        (
            "Record the screen with the phone's own sound.",
            "Start a screen recording, including the device audio.",
            "I want to show a friend this game: record what's on the screen, with the phone's sound.",
        ),
        (
            "录屏，带上手机内部的声音。",
            "开始屏幕录制，录系统声音。",
            "想给朋友看这个游戏，录一下屏幕，要手机自己的声音。",
        ),
        {"action": "start", "audio": "device"},
        patch={"settings": camera(screen_recording_audio="none")},
    ),
    Request(
        "record_video",
        ("Start filming.", "Start recording a video with the camera.", "She's about to walk her first steps, film it!"),
        ("开始录像。", "用相机开始拍视频。", "宝宝要走第一步了，快录视频！"),
        {"action": "start"},
        patch=_READY,
    ),
)


def _photo(rng: Draw, world: World) -> dict[str, Any]:
    return {"photo": rng.pick(PROMPTS)}


def _photos(rng: Draw, world: World) -> dict[str, Any]:
    return {"photos": [rng.pick(PROMPTS)]}


GALLERY = (
    Request(
        "edit_photo",
        (
            "Rotate the photo of the {photo} by {value} degrees.",
            "Turn the {photo} picture {value} degrees, please.",
            "The picture with the {photo} lies wrong, rotate it {value} degrees.",
        ),
        ("把{photo}那张照片旋转{value}度。", "{photo}的照片转{value}度。", "{photo}那张方向不对，帮我旋转{value}度。"),
        {"operation": "rotate"},
        lambda rng, world: {"photo": rng.pick(PROMPTS), "value": rng.choice(("90", "180", "270"))},
    ),
    Request(
        "edit_photo",
        (
            "Crop the {photo} photo to {value}.",
            "Cut the picture of the {photo} to {value}.",
            "I'd like to post the {photo} photo, crop it to {value} first.",
        ),
        ("把{photo}的照片裁成{value}。", "{photo}那张照片剪裁到{value}。", "{photo}那张想发出去，先裁成{value}。"),
        {"operation": "crop"},
        lambda rng, world: {"photo": rng.pick(PROMPTS), "value": rng.choice(("1:1", "16:9", "9:16"))},
    ),
    Request(
        "edit_photo",
        (
            "Make the {photo} photo black and white.",
            "Put the mono filter on the picture of the {photo}.",
            "The {photo} photo would look better without colour, use the black and white filter.",
        ),
        (
            "把{photo}那张照片变成黑白的。",
            "给{photo}的照片加黑白滤镜。",
            "{photo}那张照片去掉颜色更好看，套个黑白滤镜。",
        ),
        {"operation": "filter", "value": "mono"},
        _photo,
    ),
    Request(
        "set_photo_favorite",
        (
            "Mark the {photo} photo as a favourite.",
            "Add the picture of the {photo} to my favourite photos.",
            "The photo with the {photo} came out so well, put it among my favourites.",
        ),
        ("收藏{photo}的照片。", "把{photo}那张照片设为收藏。", "{photo}那张拍得真好，加到照片收藏里。"),
        {"favorite": True},
        _photo,
    ),
    Request(
        "manage_photo_album",
        (
            "Create the album {album} with the {photos[0]} photo in it.",
            "Put the {photos[0]} photo into a new album called {album}.",
            "I need a photo album {album}; the picture of the {photos[0]} goes in first.",
        ),
        (
            "新建相册{album}，把{photos[0]}的照片放进去。",
            "建一个叫{album}的相册，放{photos[0]}那张照片。",
            "给{album}建个相册吧，第一张就放{photos[0]}的照片。",
        ),
        {"action": "create"},
        lambda rng, world: {**_photos(rng, world), "album": rng.pick(EVENTS)},
    ),
    Request(
        "delete_photo",
        (
            "Delete the photo of the {photos[0]}.",
            "Throw the {photos[0]} picture into the trash.",
            "The {photos[0]} photo is blurred, remove it from the gallery.",
        ),
        ("删掉{photos[0]}的照片。", "把{photos[0]}那张照片丢进回收站。", "{photos[0]}那张拍糊了，从相册里删了吧。"),
        draw=_photos,
    ),
    Request(
        "manage_photo_trash",
        (
            "Restore the {photo} photo from the trash.",
            "Get the picture of the {photo} back out of the photo trash.",
            "I deleted the photo of the {photo} by mistake, bring it back.",
        ),
        ("从回收站恢复{photo}的照片。", "把删掉的{photo}那张照片找回来。", "{photo}的照片误删了，帮我恢复。"),
        {"action": "restore"},
        _photo,
    ),
    Request(
        "manage_voice_recording",
        (
            "Rename the recording Memo_0917 to {newName}.",
            "Call my voice recording Memo_0917 {newName} instead.",
            "Memo_0917 says nothing as a name for a recording, make it {newName}.",
        ),
        (
            "把录音Memo_0917改名为{newName}。",
            "录音Memo_0917重命名成{newName}。",
            "录音叫Memo_0917看不懂，名字改成{newName}吧。",
        ),
        {"action": "rename", "recording": "Memo_0917"},
        lambda rng, world: {"newName": rng.pick(EVENTS)},
        {"files": [recording(917, "Memo_0917.wav")]},
    ),
)


@family("media_camera_set", TOOL, MEDIA, "grounding", variants=len(CAMERA))
def media_camera_set(rng: Draw, world: World) -> Draft:
    """An option of the camera, or the start of a recorder."""
    draft = one_of(rng, world, CAMERA)
    draft.hidden = ("open_app",)
    return draft


@family("media_gallery_set", TOOL, MEDIA, "grounding", variants=len(GALLERY))
def media_gallery_set(rng: Draw, world: World) -> Draft:
    """One photo or recording is edited, sorted, deleted or brought back."""
    draft = one_of(rng, world, GALLERY)
    draft.hidden = ("delete_file", "control_ai_image_agent")
    subject = draft.slots.get("photo") or next(iter(draft.slots.get("photos", ())), "")
    if subject:
        draft.patch = merged(draft.patch, photo(911, subject, trashed=draft.slots.get("action") == "restore"))
    return draft


FAMILIES = (media_camera_set, media_gallery_set)
