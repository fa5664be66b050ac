"""Audio & Entertainment: one player for audio and video, the library, and what holds for all of the domain's tools."""

from __future__ import annotations

import pytest
from media_phone import CALL, error, settings, start
from phone_rows import changed, message

from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains import media

NAMES = [item.spec.name for item in media.DOMAIN.tools]
BY_NAME = {item.spec.name: item.spec for item in media.DOMAIN.tools}

# --- playback -------------------------------------------------------------------------------------------------------


def test_a_title_plays_inside_its_album():
    phone = start()
    assert phone.data("play_audio", title="beta") == {"title": "Beta", "artist": "Zed Kay", "queued": 3}
    playing = {"media_state": "playing", "media_item": "track_902", "media_queue": "track_901,track_902,track_903"}
    assert settings(phone) == playing
    assert message(phone, "play_audio", title="Beta") == "Already playing"
    assert settings(phone) == playing


def test_namesakes_are_listed_and_told_apart():
    phone = start()
    assert phone.code("play_audio", title="Alpha") == 409
    assert "Alpha by Zed Kay, Alpha by Yon Bo" in error(phone, "play_audio", title="Alpha")
    assert phone.data("play_audio", title="Alpha", artist="yon")["artist"] == "Yon Bo"
    assert phone.data("play_audio", title="alpha by zed kay")["artist"] == "Zed Kay"
    assert phone.code("play_audio", title="Omega") == 404
    assert phone.code("play_audio", artist="Z", title="Alpha") == 409  # Zed Kay or Zed Talk


@pytest.mark.parametrize(
    ("arguments", "first", "count"),
    [
        ({"album": "greek"}, "Alpha", 3),
        ({"artist": "Yon Bo"}, "Alpha", 1),
        ({"album": "Zed Talk"}, "New Zed", 2),  # the newest episode first
        ({"title": "Old Zed"}, "Old Zed", 2),
        ({"title": "Zoo_Talk", "kind": "recording"}, "Zoo_Talk.wav", 0),
        ({"title": "zoo_talk.wav"}, "Zoo_Talk.wav", 0),
    ],
)
def test_what_a_request_queues(arguments, first, count):
    played = start().data("play_audio", **arguments)
    assert (played["title"], played["queued"]) == (first, count)


def test_audio_refusals():
    phone = start()
    assert phone.code("play_audio", playlist="Nowhere") == 404
    assert phone.code("play_audio", playlist="Focus", title="Beta") == 400
    assert phone.code("play_audio", kind="recording") == 400
    assert phone.code("play_audio", kind="recording", title="Zoo_Talk", artist="Wu") == 400
    assert phone.code("play_audio", kind="radio", favoritesOnly=True) == 404
    assert start({"calls": [CALL]}).code("play_audio", title="Beta") == 409
    assert start(mobile_data="off").code("play_audio", title="Zed FM") == 409
    assert start(mobile_data="off").use("play_audio", title="Beta").ok
    assert "volume is 0" in message(start(media_volume="0"), "play_audio", title="Beta")


def test_an_audiobook_goes_on_where_it_was_left():
    phone = start()
    phone.data("play_audio", title="Zed Book")
    assert settings(phone)["media_position"] == "500"
    phone.data("seek_playback", offsetSeconds=60)
    phone.data("play_audio", title="Beta")
    phone.data("play_audio", title="Zed Book")
    assert changed(phone)["media_tracks", "track_907"] == {"progress": 560}
    phone.data("control_playback", action="stop")
    phone.data("control_playback", action="resume")
    assert phone.data("control_playback", action="query")["positionSeconds"] == 560


def test_play_control():
    phone = start()
    assert phone.data("control_playback", action="query") == {"state": "stopped"}
    assert message(phone, "control_playback", action="stop") == "Already stopped"
    for action in ("pause", "resume", "next", "previous"):
        assert phone.code("control_playback", action=action) == 409
    phone.data("play_audio", album="Greek")
    assert phone.code("control_playback", action="previous") == 409
    phone.data("control_playback", action="next")
    phone.data("control_playback", action="pause")
    assert message(phone, "control_playback", action="pause") == "Already paused"
    assert settings(phone) == {
        "media_state": "paused",
        "media_item": "track_902",
        "media_queue": "track_901,track_902,track_903",
    }
    phone.data("control_playback", action="resume")
    phone.data("control_playback", action="next")
    assert error(phone, "control_playback", action="next") == "Last track of the queue"
    assert phone.data("control_playback", action="query")["title"] == "Gamma"


def test_repeat_wraps_and_shuffle_reorders_once():
    phone = start()
    phone.data("play_audio", album="Greek")
    phone.data("set_music_play_mode", mode="repeat_one")
    assert message(phone, "set_music_play_mode", mode="repeat_one") == "Play mode already: repeat_one"
    assert phone.data("control_playback", action="previous")["title"] == "Gamma"
    phone.data("set_music_play_mode", mode="shuffle")
    order = settings(phone)["media_queue"].split(",")
    assert order[0] == "track_903" and sorted(order) == ["track_901", "track_902", "track_903"]
    phone.data("set_music_play_mode", mode="sequential")
    assert settings(phone)["media_queue"].split(",") == order
    assert start().use("set_music_play_mode", mode="loud").code == 400


@pytest.mark.parametrize("title", ["Alpha by Zed Kay", "Beta", "Gamma"])
def test_shuffle_leaves_the_asked_track_first(title):
    phone = start(music_play_mode="shuffle")
    assert phone.data("play_audio", title=title)["queued"] == 3
    assert settings(phone)["media_queue"].startswith(settings(phone)["media_item"])


def test_seeking():
    phone = start()
    assert phone.code("seek_playback", positionSeconds=5) == 409
    phone.data("play_audio", title="Beta")
    phone.data("seek_playback", positionSeconds=150)
    assert settings(phone)["media_position"] == "150"
    assert phone.data("seek_playback", offsetSeconds=10**6)["positionSeconds"] == 200
    assert phone.data("seek_playback", offsetSeconds=-(10**6))["positionSeconds"] == 0
    assert phone.code("seek_playback", positionSeconds=201) == 400
    assert phone.code("seek_playback", positionSeconds=1, offsetSeconds=1) == 400
    phone.data("play_audio", title="Zed FM")
    assert phone.code("seek_playback", offsetSeconds=5) == 409
    assert phone.code("set_playback_speed", speed=1.5) == 409


@pytest.mark.parametrize(
    ("tool", "arguments", "key", "value", "refused"),
    [
        ("set_playback_speed", {"speed": 1.5}, "media_speed", "1.5", {"speed": 0.4}),
        ("set_music_play_mode", {"mode": "repeat_one"}, "music_play_mode", "repeat_one", {"mode": "again"}),
        ("set_equalizer", {"preset": "rock"}, "equalizer", "rock", {"preset": "loud"}),
        ("set_video_quality", {"quality": "4k"}, "video_quality", "4k", {"quality": "8k"}),
        ("set_camera_mode", {"mode": "night"}, "camera_mode", "night", {"mode": "x-ray"}),
        ("switch_camera", {"facing": "front"}, "camera_facing", "front", {"facing": "left"}),
        ("set_camera_flash", {"flash": "on"}, "camera_flash", "on", {"flash": "strobe"}),
        ("set_camera_timer", {"seconds": 10}, "camera_timer", "10", {"seconds": 4}),
        ("set_camera_filter", {"filter": "mono"}, "camera_filter", "mono", {"filter": "pink"}),
        ("set_camera_zoom", {"zoom": 2.5}, "camera_zoom", "2.5", {"zoom": 10.1}),
        (
            "configure_camera",
            {"settingItem": "grid", "settingValue": "On"},
            "camera_grid",
            "on",
            {"settingItem": "grid", "settingValue": "maybe"},
        ),
    ],
)
def test_an_option_is_one_setting(tool, arguments, key, value, refused):
    phone = start()
    phone.data(tool, **arguments)
    assert settings(phone) == {key: value}
    assert f"already: {value}" in message(phone, tool, **arguments)
    assert phone.code(tool, **refused) == 400
    assert settings(phone) == {key: value}


def test_queue():
    phone = start()
    phone.data("play_audio", album="Greek")
    phone.data("manage_play_queue", action="play_next", title="Alpha by Yon Bo")
    phone.data("manage_play_queue", action="add", title="Old Zed")
    assert settings(phone)["media_queue"] == "track_901,track_904,track_902,track_903,track_905"
    assert message(phone, "manage_play_queue", action="add", title="Old Zed") == "Already in the queue"
    assert message(phone, "manage_play_queue", action="play_next", title="Alpha by Yon Bo") == "Already next"
    phone.data("manage_play_queue", action="remove", title="Beta")
    listed = phone.data("manage_play_queue", action="query")
    assert listed == {"items": ["Alpha by Yon Bo", "Gamma by Zed Kay", "Old Zed by Zed Talk"], "total": 3}
    assert phone.code("manage_play_queue", action="remove", title="Beta") == 404
    assert phone.code("manage_play_queue", action="remove", title="Alpha by Zed Kay") == 409
    assert phone.code("manage_play_queue", action="add", title="Zed FM") == 400
    assert phone.code("manage_play_queue", action="add") == 400
    phone.data("manage_play_queue", action="clear")
    assert settings(phone)["media_queue"] == "track_901"
    assert message(phone, "manage_play_queue", action="clear") == "Queue already empty"


def test_sleep_timer():
    phone = start()
    assert phone.code("manage_sleep_timer", action="set", minutes=30) == 409
    phone.data("play_audio", title="Beta")
    for wrong in ({}, {"minutes": 0}, {"minutes": 1441}, {"minutes": 5, "time": "23:00"}, {"time": "Jan 20 at 9 am"}):
        assert phone.code("manage_sleep_timer", action="set", **wrong) == 400
    phone.data("manage_sleep_timer", action="set", minutes=30)
    assert settings(phone)["media_sleep_timer"] == "2025-01-15T09:30:00"
    phone.data("manage_sleep_timer", action="set", time="11 pm")
    assert phone.data("manage_sleep_timer", action="query") == {"endsAt": "2025-01-15T23:00:00"}
    phone.data("manage_sleep_timer", action="cancel")
    assert message(phone, "manage_sleep_timer", action="cancel") == "Sleep timer already off"
    assert "media_sleep_timer" not in settings(phone)


# --- library --------------------------------------------------------------------------------------------------------


def test_query_audio():
    phone = start()
    found = phone.data("query_audio", keyword="zed k")
    assert [row["title"] for row in found["items"]] == ["Alpha", "Beta", "Gamma"] and found["total"] == 3
    assert phone.data("query_audio", keyword="zed", kind="radio")["items"] == [
        {"title": "Zed FM", "artist": "", "album": "", "kind": "radio"}
    ]
    assert phone.code("query_audio", kind="film") == 400
    everything = phone.data("query_audio")
    assert len(everything["items"]) == 5 < everything["total"]


def test_playlists():
    phone = start()
    phone.data("manage_playlist", action="create", playlist="Zed Mix", titles=["Beta"])
    phone.data("manage_playlist", action="add", playlist="zed mix", titles=["Gamma", "Beta"])
    assert set(changed(phone)) == {
        ("media_playlists", "Zed Mix"),
        ("media_playlist_tracks", "Zed Mix", "track_902"),
        ("media_playlist_tracks", "Zed Mix", "track_903"),
    }
    assert message(phone, "manage_playlist", action="add", playlist="Zed Mix", titles=["Beta"]) == (
        "Already in the playlist"
    )
    assert phone.data("play_audio", playlist="Zed Mix")["queued"] == 2
    phone.data("manage_playlist", action="rename", playlist="Zed Mix", newName="Zed Two")
    phone.data("manage_playlist", action="remove", playlist="Zed Two", titles=["Gamma"])
    assert phone.data("manage_playlist", action="query", playlist="Zed Two")["items"] == ["Beta by Zed Kay"]
    assert {"name": "Zed Two", "tracks": 1} in phone.data("manage_playlist", action="query")["items"]
    phone.data("manage_playlist", action="delete", playlist="Zed Two")
    assert not any(c.table.startswith("media_playlist") for c in phone.changes())


def test_playlist_refusals():
    phone = start({"media_playlists": [{"name": "Zed Mix"}, {"name": "Zed Rest"}]})
    code = phone.code
    assert code("manage_playlist", action="create", playlist="ZED MIX") == 409
    assert code("manage_playlist", action="create", playlist="x" * 61) == 400
    assert code("manage_playlist", action="create", playlist="New", titles=["Alpha"]) == 409  # and none is made
    assert code("manage_playlist", action="add", playlist="Zed", titles=["Beta"]) == 409
    assert code("manage_playlist", action="add", playlist="Zed Mix") == 409  # nothing plays that could be meant
    assert code("manage_playlist", action="add", playlist="Zed Mix", titles=["Zed FM"]) == 400
    assert code("manage_playlist", action="add", playlist="Zed Mix", titles=["Beta"] * 21) == 400
    assert code("manage_playlist", action="remove", playlist="Zed Mix", titles=["Beta"]) == 404
    assert code("manage_playlist", action="remove", playlist="Zed Mix", titles=[]) == 400
    assert code("manage_playlist", action="rename", playlist="Zed Mix", newName="zed rest") == 409
    assert code("manage_playlist", action="delete") == 400
    assert code("manage_playlist", action="query", titles=["Beta"]) == 400
    phone.data("play_audio", title="Gamma")
    assert phone.data("manage_playlist", action="add", playlist="Zed Mix")["added"] == 1


def test_favorites_and_lyrics():
    phone = start()
    assert phone.code("manage_favorite_audio", action="add") == 409
    assert phone.code("query_lyrics", title="Beta") == 404
    phone.data("manage_favorite_audio", action="add", title="Alpha by Zed Kay")
    assert changed(phone) == {("media_tracks", "track_901"): {"favorite": 1}}
    assert message(phone, "manage_favorite_audio", action="add", title="track_901") == "Already a favorite"
    assert "Alpha by Zed Kay" in phone.data("manage_favorite_audio", action="query")["items"]
    phone.data("play_audio", title="Alpha", artist="Zed Kay")
    assert phone.data("query_lyrics") == {"title": "Alpha", "lyrics": "la la"}
    phone.data("manage_favorite_audio", action="remove")
    assert "media_tracks" not in {c.table for c in phone.changes()}


def test_recognizing_music_listens_to_the_room():
    heard = start(room_sound="Beta by Zed Kay").data("recognize_music")
    assert heard == {"title": "Beta", "artist": "Zed Kay", "inLibrary": True}
    assert start(room_sound="Rain by Nobody").data("recognize_music")["inLibrary"] is False
    assert start().code("recognize_music") == 404
    assert start(voice_recording="paused").code("recognize_music") == 409
    phone = start(room_sound="Beta by Zed Kay")
    phone.data("play_audio", title="Gamma")
    assert phone.code("recognize_music") == 409  # it would hear itself


# --- video ----------------------------------------------------------------------------------------------------------


def test_playing_video():
    phone = start()
    assert phone.data("play_video", title="quiz isle") == {"title": "Quiz Isle", "episode": 2}
    assert message(phone, "play_video", title="Quiz Isle", episode=2) == "Already playing"
    assert settings(phone) == {"media_state": "playing", "media_item": "Quiz Isle"}
    phone.data("control_playback", action="next")
    assert changed(phone)["media_shows", "Quiz Isle"] == {"episode": 3}
    assert phone.code("control_playback", action="next") == 409
    phone.data("play_video", title="Quiz Isle", episode=1)
    assert changed(phone)["media_shows", "Quiz Isle"] == {"episode": 1}
    assert phone.data("play_video", title="seal") == {"title": "VID_901.mp4"}
    assert phone.code("control_playback", action="next") == 409


def test_video_refusals():
    phone = start()
    assert "Quiz Film, Quiz Isle" in error(phone, "play_video", title="quiz")
    assert phone.code("play_video", title="Nothing Like It") == 404
    assert phone.code("play_video", title="Quiz Isle", episode=4) == 400
    assert phone.code("play_video", title="Quiz Isle", episode=0) == 400
    assert phone.code("play_video", title="Quiz Film", episode=1) == 400
    assert start(battery_mode="super_saving").code("play_video", title="VID_901.mp4") == 409
    offline = start(mobile_data="off")
    assert offline.code("play_video", title="Quiz Film") == 409
    assert offline.use("play_video", title="VID_901.mp4").ok


def test_subtitles():
    phone = start(language="Thai")
    assert phone.code("manage_subtitles", action="enable") == 409
    phone.data("play_video", title="Quiz Isle")
    assert phone.code("manage_subtitles", action="enable", language="Latin") == 404
    assert phone.code("manage_subtitles", action="disable", language="Thai") == 400
    phone.data("manage_subtitles", action="enable")
    assert settings(phone)["subtitles"] == "Thai"
    assert message(phone, "manage_subtitles", action="enable", language="thai") == "Subtitles already: Thai"
    assert phone.data("manage_subtitles", action="query") == {"subtitles": "Thai", "languages": ["English", "Thai"]}
    phone.data("manage_subtitles", action="disable")
    phone.data("play_video", title="VID_901.mp4")
    assert phone.code("manage_subtitles", action="enable") == 409


def test_data_saver_keeps_streams_small_without_wifi():
    assert start(data_saver="on").code("set_video_quality", quality="1080p") == 409
    assert start(data_saver="on").use("set_video_quality", quality="720p").ok
    home = {"wifi_networks": [{"ssid": "Den", "connected": 1}]}
    assert start(home, data_saver="on", wifi="on").use("set_video_quality", quality="1080p").ok


def test_watchlist_and_catalogue():
    phone = start()
    shown = phone.data("query_shows", genre="Quiz", kind="series")
    assert [row["title"] for row in shown["items"]] == ["Quiz Isle"]
    assert phone.data("query_shows", keyword="quiz")["total"] == 2
    assert phone.code("query_shows", kind="opera") == 400
    phone.data("manage_watchlist", action="add", title="quiz film")
    assert changed(phone) == {("media_shows", "Quiz Film"): {"watchlist": 1}}
    assert message(phone, "manage_watchlist", action="add", title="Quiz Film") == "Already in the watchlist"
    phone.data("manage_watchlist", action="mark_watched", title="Quiz Film")
    listed = phone.data("manage_watchlist", action="query")["items"]
    assert {"title": "Quiz Film", "service": "", "watched": True} in listed
    phone.data("manage_watchlist", action="remove", title="Quiz Film")
    assert changed(phone) == {("media_shows", "Quiz Film"): {"watched": 1}}
    assert phone.code("manage_watchlist", action="add", title="Quiz") == 409
    assert phone.code("manage_watchlist", action="add", title="Opera") == 404
    assert phone.code("manage_watchlist", action="add") == 400


# --- what holds for all ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_hostile_input_is_refused_or_harmless(name):
    phone, spec = start(), BY_NAME[name]
    properties, required = spec.parameters["properties"], spec.parameters["required"]
    texts = ["'; DROP TABLE files; --", "%", "_", "名字🙂", ".trashed-", "x" * 2000, "Alpha by ", "\n\tq", "-1", "٣"]
    by_type = {"string": texts, "integer": [0, -1, 10**9, -(10**9)], "number": [0.0, -1e9, 1e9], "boolean": [True]}
    for action in properties.get("action", {}).get("enum", [None]):
        for index in range(len(texts)):
            arguments: dict[str, object] = {} if action is None else {"action": action}
            for key, schema in properties.items():
                if key != "action" and (key in required or index % 2 or "enum" not in schema):
                    kind = schema["type"]
                    options = schema.get("enum") or ([[t] for t in texts] if kind == "array" else by_type[kind])
                    arguments[key] = options[index % len(options)]
            for given in (arguments, {k: v for k, v in arguments.items() if k == "action" or k in required}):
                feedback = phone.use(name, **given)
                assert feedback.ok or feedback.code in (400, 404, 409), (given, feedback.payload)


def test_the_catalogue():
    assert len(NAMES) == len(set(NAMES)) >= 25
    assert {"play_audio", "set_music_play_mode", "control_screen_recorder"} <= set(NAMES)
    assert all(len(spec.description.split()) <= 10 for spec in BY_NAME.values())


def test_seeded_media_are_deterministic_varied_and_unambiguous():
    assert make_world(3).rows == make_world(3).rows
    worlds = [make_world(seed).rows for seed in range(20)]
    assert len({str([row["title"] for row in rows["media_tracks"]]) for rows in worlds}) > 10
    for rows in worlds:
        assert all(len(rows[table]) <= 12 for table in rows if table.startswith("media_"))
        labels = [(row["title"], row["artist"]) for row in rows["media_tracks"]]
        assert len(set(labels)) == len(labels) and len({title for title, _ in labels}) == len(labels) - 1
        tracks = {row["id"] for row in rows["media_tracks"]}
        assert {row["track_id"] for row in rows["media_playlist_tracks"]} <= tracks
        value = {row["key"]: row["value"] for row in rows["settings"]}
        assert set(filter(None, [value["media_item"], *value["media_queue"].split(",")])) <= tracks
        names = [row["name"] for row in rows["files"]]
        assert len(set(names)) == len(names)
        assert {row["id"] for row in rows["media_photos"]} <= {row["id"] for row in rows["files"]}
        subjects = [row["subject"] for row in rows["media_photos"]]
        assert len(set(subjects)) == len(subjects)
        assert all(row["created_at"] < "2025-01-15T09:00:00" for row in rows["media_photos"])
