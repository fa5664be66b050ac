"""Audio & Entertainment: captures that are files, the gallery over them, and who has the microphone."""

from __future__ import annotations

import pytest
from media_phone import CALL, FILES, settings, start
from phone_rows import changed, message

# --- camera and gallery ---------------------------------------------------------------------------------------------


def test_a_photo_is_a_file_and_a_gallery_row():
    phone = start(camera_filter="mono")
    (name,) = phone.data("take_photo", facing="front")["names"]
    file, photo = phone.changes()
    assert (file.table, file.new["name"], file.new["kind"]) == ("files", name, "image")
    assert photo.new == {
        "id": file.new["id"],
        "subject": "",
        "album": "Camera",
        "camera": "front",
        "mode": "photo",
        "favorite": 0,
        "rotation": 0,
        "crop": "",
        "filter": "mono",
        "created_at": "2025-01-15T09:00:00",
    }
    assert phone.data("query_gallery")["items"][0]["name"] == name
    assert phone.use("send_file", fileName=name, contact="Mom").ok
    assert len(set(phone.data("take_photo", count=3)["names"]) - {name}) == 3


def test_camera_rules():
    phone = start()
    assert phone.code("take_photo", count=11) == 400
    assert start(camera_mode="video").code("take_photo") == 409
    assert start(camera_mode="panorama").code("take_photo", facing="front") == 409
    assert start(camera_mode="panorama").code("switch_camera", facing="front") == 409
    assert start(camera_facing="front").code("set_camera_mode", mode="panorama") == 409
    assert start(camera_facing="front").code("set_camera_flash", flash="on") == 409
    assert start(camera_facing="front").code("set_camera_zoom", zoom=3) == 400
    assert start(camera_mode="night").code("set_camera_filter", filter="mono") == 409
    assert start(battery_level="5").code("set_camera_flash", flash="on") == 409
    assert start(location="off").code("configure_camera", settingItem="location_tags", settingValue="on") == 409
    assert start(battery_mode="super_saving").code("take_photo") == 409
    assert start({"calls": [CALL | {"call_type": "video"}]}).code("control_camera", action="open") == 409
    assert start({"calls": [CALL]}).use("take_photo").ok
    zoomed = start(camera_zoom="4")
    zoomed.data("switch_camera", facing="front")
    assert settings(zoomed) == {"camera_facing": "front", "camera_zoom": "1"}


def test_opening_the_camera():
    phone = start()
    phone.data("control_camera", action="open")
    assert settings(phone) == {"camera_open": "on"}
    assert message(phone, "control_camera", action="open") == "Camera already open"
    assert phone.data("control_camera", action="query")["open"] == "on"
    phone.data("record_video", action="start")
    assert phone.code("control_camera", action="close") == 409


RECORDERS = [
    ("record_video", "video_recording", "VID_", ["files", "media_photos"]),
    ("control_screen_recorder", "screen_recording", "Screen_", ["files", "media_photos"]),
    ("control_voice_recorder", "voice_recording", "Recording_", ["files"]),
]


@pytest.mark.parametrize(("tool", "key", "stem", "tables"), RECORDERS)
def test_recorders_start_pause_and_save(tool, key, stem, tables):
    phone = start()
    assert "already" in message(phone, tool, action="stop")
    assert phone.code(tool, action="pause") == phone.code(tool, action="resume") == 409
    phone.data(tool, action="start")
    assert settings(phone) == {key: "recording"}
    assert "already" in message(phone, tool, action="start")
    phone.data(tool, action="pause")
    assert phone.code(tool, action="start") == 409
    assert phone.data(tool, action="query")["state"] == "paused"
    phone.data(tool, action="resume")
    name = phone.data(tool, action="stop")["name"]
    assert name.startswith(stem) and [c.table for c in phone.changes()] == tables
    assert phone.changes()[0].new["name"] == name


@pytest.mark.parametrize(("tool", "key", "stem", "tables"), RECORDERS)
def test_one_recorder_has_the_microphone(tool, key, stem, tables):
    extra = {"audio": "microphone"} if tool == "control_screen_recorder" else {}
    assert start({"calls": [CALL]}).code(tool, action="start", **extra) == 409
    for other in ("voice_recording", "video_recording"):
        if other != key:
            assert start(**{other: "recording"}).code(tool, action="start", **extra) == 409
    if extra:
        assert start(voice_recording="recording").use(tool, action="start", audio="device").ok
    else:
        busy = start(screen_recording="recording", screen_recording_audio="microphone")
        assert busy.code(tool, action="start") == 409
        assert start(screen_recording="recording").use(tool, action="start").ok


def test_recording_sound_pauses_the_player_and_the_screen_recorder_does_not():
    for tool, state in (("control_voice_recorder", "paused"), ("control_screen_recorder", "playing")):
        phone = start()
        phone.data("play_audio", title="Beta")
        phone.data(tool, action="start")
        assert phone.data("control_playback", action="query")["state"] == state


def test_screen_recorder_audio():
    phone = start()
    assert phone.code("control_screen_recorder", action="stop", audio="none") == 400
    assert start(battery_mode="super_saving").code("control_screen_recorder", action="start") == 409
    phone.data("control_screen_recorder", action="start", audio="device")
    assert settings(phone) == {"screen_recording": "recording", "screen_recording_audio": "device"}
    assert phone.code("control_screen_recorder", action="start", audio="microphone") == 409


@pytest.mark.parametrize(
    ("tool", "arguments", "permission"),
    [
        ("control_voice_recorder", {"action": "start"}, "RECORD_AUDIO"),
        ("control_screen_recorder", {"action": "start"}, "RECORD_AUDIO"),
        ("recognize_music", {}, "RECORD_AUDIO"),
        ("record_video", {"action": "start"}, "CAMERA"),
        ("take_photo", {}, "CAMERA"),
        ("control_camera", {"action": "open"}, "CAMERA"),
        ("query_gallery", {}, "READ_MEDIA_IMAGES"),
        ("delete_photo", {"photos": ["x"]}, "READ_MEDIA_IMAGES"),
        ("manage_voice_recording", {"action": "query"}, "READ_MEDIA_AUDIO"),
    ],
)
def test_nothing_is_captured_or_read_without_permission(new_phone, tool, arguments, permission):
    assert new_phone(denied_permissions=[permission]).code(tool, **arguments) == 403


def test_voice_recordings():
    phone = start(voice_recording="recording")
    assert phone.code("control_voice_recorder", action="stop", title="zoo_talk") == 409
    assert phone.code("control_voice_recorder", action="start", title="Memo") == 400
    for wrong in ("a/b", ".hidden", "x" * 80, "two\nlines"):
        assert phone.code("control_voice_recorder", action="stop", title=wrong) == 400
    assert phone.data("control_voice_recorder", action="stop", title="Memo") == {"name": "Memo.wav"}
    assert "Memo.wav" in phone.data("manage_voice_recording", action="query")["items"]
    assert phone.code("manage_voice_recording", action="rename", recording="Zoo_Talk", newName="memo") == 409
    assert phone.code("manage_voice_recording", action="rename", recording="Zoo_Talk") == 400
    assert phone.code("manage_voice_recording", action="delete", recording="Nothing") == 404
    assert phone.code("manage_voice_recording", action="delete", newName="x") == 400
    phone.data("manage_voice_recording", action="rename", recording="zoo_talk", newName="Zoo Tour")
    assert changed(phone)["files", "file_904"] == {"name": "Zoo Tour.wav"}
    assert "already" in message(phone, "manage_voice_recording", action="rename", recording="Zoo", newName="Zoo Tour")
    phone.data("manage_voice_recording", action="delete", recording="Zoo Tour")
    assert [c.op for c in phone.changes() if c.key == {"id": "file_904"}] == ["delete"]


def test_query_gallery():
    phone = start()
    assert phone.data("query_gallery", album="zoo", date="yesterday")["items"] == [
        {"name": "IMG_902.jpg", "subject": "Red fox", "album": "Zoo", "date": "2025-01-14"},
        {"name": "IMG_901.jpg", "subject": "Red kite", "album": "Zoo", "date": "2025-01-14"},
    ]
    assert phone.data("query_gallery", keyword="seal", kind="video")["total"] == 1
    assert phone.data("query_gallery", keyword="seal", kind="image")["total"] == 0
    assert phone.data("query_gallery", keyword="web_cat")["items"][0]["album"] == "Download"
    assert phone.code("query_gallery", album="Nowhere") == 404
    assert phone.code("query_gallery", date="someday") == 400


def test_trash():
    phone = start()
    assert message(phone, "manage_photo_trash", action="empty") == "Trash already empty"
    assert phone.code("delete_photo", photos=["red"]) == 409
    assert phone.code("delete_photo", photos=["Red fox", "Blue fox"]) == 404
    assert phone.code("delete_photo", photos=[]) == phone.code("delete_photo", photos=["Red fox"] * 21) == 400
    phone.data("delete_photo", photos=["Red fox", "img_902", "IMG_901.jpg"])
    assert changed(phone) == {
        ("files", "file_901"): {"name": ".trashed-IMG_901.jpg"},
        ("files", "file_902"): {"name": ".trashed-IMG_902.jpg"},
    }
    assert phone.code("set_photo_favorite", photo="Red fox", favorite=True) == 404
    assert phone.data("manage_photo_trash", action="query")["total"] == 2
    phone.data("manage_photo_trash", action="restore", photo="red fox")
    assert phone.code("manage_photo_trash", action="restore", photo="red fox") == 404
    assert phone.code("manage_photo_trash", action="restore") == 400
    assert phone.code("manage_photo_trash", action="empty", photo="red kite") == 400
    phone.data("manage_photo_trash", action="empty")
    assert [(c.table, c.op, c.key["id"]) for c in phone.changes()] == [
        ("files", "delete", "file_901"),
        ("media_photos", "delete", "file_901"),
    ]


def test_a_new_photo_does_not_take_a_trashed_name():
    phone = start()
    (name,) = phone.data("take_photo")["names"]
    phone.data("delete_photo", photos=[name])
    assert phone.data("take_photo")["names"] != [name]
    assert phone.use("manage_photo_trash", action="restore", photo=name).ok


def test_a_restored_photo_must_not_meet_its_namesake():
    twin = {"id": "file_909", "name": ".trashed-IMG_901.jpg", "kind": "image"}
    assert start({"files": [*FILES, twin]}).code("manage_photo_trash", action="restore", photo="IMG_901.jpg") == 409


def test_albums():
    phone = start()
    phone.data("manage_photo_album", action="create", album="Cats", photos=["Web_Cat.png", "Red fox"])
    new = changed(phone)
    assert new["media_photos", "file_902"] == {"album": "Cats"}
    assert new["media_photos", "file_905"]["album"] == "Cats" and len(new) == 2
    assert message(phone, "manage_photo_album", action="add", album="cats", photos=["Red fox"]) == "Already so"
    assert {"album": "Cats", "photos": 2} in phone.data("manage_photo_album", action="query", album="Cats")["items"]
    phone.data("manage_photo_album", action="remove", album="Cats", photos=["Web_Cat.png"])
    phone.data("manage_photo_album", action="rename", album="Cats", newName="Foxes")
    assert changed(phone)["media_photos", "file_902"] == {"album": "Foxes"}
    phone.data("manage_photo_album", action="delete", album="Foxes")
    assert changed(phone)["media_photos", "file_902"] == {"album": "Camera"}


def test_album_refusals():
    code = start().code
    assert code("manage_photo_album", action="create", album="zoo", photos=["Red fox"]) == 409
    assert code("manage_photo_album", action="create", album="Screenshots", photos=["Red fox"]) == 409
    assert code("manage_photo_album", action="create", album="Empty") == 400
    assert code("manage_photo_album", action="create", album="x" * 61, photos=["Red fox"]) == 400
    assert code("manage_photo_album", action="add", album="Nowhere", photos=["Red fox"]) == 404
    assert code("manage_photo_album", action="remove", album="Zoo", photos=["Seal dance"]) == 404
    assert code("manage_photo_album", action="delete", album="Camera") == 409
    assert code("manage_photo_album", action="rename", album="Zoo", newName="camera") == 409
    assert code("manage_photo_album", action="rename", album="Zoo") == 400


def test_favorite_and_edited_photos():
    phone = start()
    phone.data("set_photo_favorite", photo="Red kite", favorite=True)
    assert "Already" in message(phone, "set_photo_favorite", photo="IMG_901.jpg", favorite=True)
    phone.data("edit_photo", photo="Red kite", operation="rotate", value="270")
    phone.data("edit_photo", photo="Red kite", operation="rotate", value="180")
    phone.data("edit_photo", photo="Red kite", operation="crop", value="16:9")
    assert message(phone, "edit_photo", photo="Red kite", operation="crop", value="16:9") == "Photo already so"
    assert changed(phone) == {("media_photos", "file_901"): {"favorite": 1, "rotation": 90, "crop": "16:9"}}
    assert phone.code("edit_photo", photo="Red kite", operation="rotate", value="45") == 400
    assert phone.code("edit_photo", photo="Red kite", operation="crop") == 400
    assert phone.code("edit_photo", photo="Red kite", operation="revert", value="90") == 400
    assert phone.code("edit_photo", photo="Seal dance", operation="rotate", value="90") == 409
    phone.data("edit_photo", photo="Red kite", operation="revert")
    phone.data("set_photo_favorite", photo="Red kite", favorite=False)
    assert phone.changes() == []
    assert "Already" in message(phone, "set_photo_favorite", photo="Web_Cat", favorite=False)
    assert phone.changes() == []
