"""Audio & Entertainment: plain wishes about music and films that one call fulfils."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, family
from qpa.bench.families.mobile.common import Request, one_of
from qpa.bench.families.mobile.media_rows import ALBUM, MEDIA, player, songs
from qpa.bench.families.values import TOPICS, Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
_PLAYING = {"settings": player("track_001", queue=ALBUM, equalizer="flat")}
_SILENT = {"settings": player(data_saver="off", video_quality="auto")}

PLAYER = (
    Request(
        "set_playback_speed",
        ("Play this at {speed}x speed.", "Set the playback speed to {speed}, please.", "{speed} times normal speed."),
        ("用{speed}倍速播放。", "播放速度调到{speed}倍。", "我想用{speed}倍的速度听。"),
        draw=lambda rng, world: {"speed": rng.choice((0.75, 1.25, 1.5, 1.75))},
        patch=_PLAYING,
        criteria="tool",
    ),
    Request(
        "set_music_play_mode",
        (
            "Keep playing this song over and over.",
            "Put this track on repeat, just this one.",
            "I could listen to this one all day, loop it.",
        ),
        ("单曲循环。", "这首歌我想一直听，循环播放这一首。", "就放这一首，反复放，别换歌。"),
        {"mode": "repeat_one"},
        patch=_PLAYING,
        criteria="tool",
    ),
    Request(
        "set_music_play_mode",
        ("Shuffle the music.", "Play the queue in random order, please.", "Always the same order... mix the songs up."),
        ("随机播放。", "别按顺序放了，把歌打乱来放。", "老是这个顺序听腻了，换成随机播放。"),
        {"mode": "shuffle"},
        patch=_PLAYING,
    ),
    Request(
        "set_music_play_mode",
        (
            "Repeat the whole list.",
            "When the last song is over, start again with the first.",
            "Guests are here till late: let the queue go round and round.",
        ),
        ("列表循环播放。", "放完最后一首再从第一首接着放。", "客人要待到很晚，让整个列表循环放。"),
        {"mode": "repeat_all"},
        patch=_PLAYING,
    ),
    Request(
        "set_equalizer",
        (
            "Equalizer to bass boost.",
            "I want more bass, please.",
            "The music sounds thin; use the preset with more bass.",
        ),
        ("均衡器调成低音增强。", "低音再重一点。", "音乐听着太单薄了，换成低音增强的音效预设。"),
        {"preset": "bass_boost"},
        patch=_PLAYING,
        criteria="tool",
    ),
    Request(
        "set_equalizer",
        (
            "Set the equalizer to vocal.",
            "Switch the equalizer to the preset for voices.",
            "I can hardly make out the singer, pick the vocal preset of the equalizer.",
        ),
        ("均衡器切到人声。", "用突出人声的均衡器预设。", "歌手唱什么听不清，把均衡器换成人声。"),
        {"preset": "vocal"},
        patch=_PLAYING,
        criteria="tool",
    ),
    Request(
        "manage_sleep_timer",
        (
            "Sleep timer, {minutes} minutes.",
            "Stop the music in {minutes} minutes, I'm going to bed.",
            "I always doze off to this, so let it switch itself off after {minutes} minutes.",
        ),
        (
            "定时{minutes}分钟后停止播放。",
            "我要睡了，再放{minutes}分钟音乐就自动停。",
            "听着听着就会睡着，设个{minutes}分钟的睡眠定时吧。",
        ),
        {"action": "set"},
        lambda rng, world: {"minutes": rng.randint(10, 120)},
        _PLAYING,
    ),
    Request(
        "seek_playback",
        (
            "Skip {offsetSeconds} seconds ahead.",
            "Fast-forward by {offsetSeconds} seconds.",
            "This intro is endless, jump {offsetSeconds} seconds further in the song.",
        ),
        ("快进{offsetSeconds}秒。", "往后跳{offsetSeconds}秒。", "前奏太长了，这首歌往前快进{offsetSeconds}秒。"),
        draw=lambda rng, world: {"offsetSeconds": rng.randrange(10, 65, 5)},
        patch=_PLAYING,
    ),
    Request(
        "seek_playback",
        (
            "Start this song from the beginning.",
            "Back to the start of this track, please.",
            "I was talking and missed how it begins; take this song back to zero.",
        ),
        ("这首歌从头开始放。", "回到这首歌的开头。", "刚才在说话没听到开头，这首重新从头放。"),
        {"positionSeconds": 0},
        patch=_PLAYING,
    ),
    Request(
        "control_playback",
        ("Next song.", "Skip this one, please.", "Not this one again... go on to the following track."),
        ("下一首。", "切歌，放下一首。", "怎么又是这首，跳过去听下一首吧。"),
        {"action": "next"},
        patch=_PLAYING,
        criteria="tool",
    ),
    Request(
        "control_playback",
        (
            "Pause the music.",
            "Hold the song for a moment.",
            "Someone's at the door, pause this, I'll go on listening later.",
        ),
        ("暂停音乐。", "这首歌先暂停一下。", "有人敲门，先暂停，一会儿接着听。"),
        {"action": "pause"},
        patch=_PLAYING,
        criteria="tool",
    ),
)


def _track(kind: str) -> Any:
    """A draw of one seeded title of this kind."""

    def draw(rng: Draw, world: World) -> dict[str, Any]:
        rows = world.rows["media_tracks"]
        return {"title": rng.choice([row["title"] for row in rows if row["kind"] == kind])}

    return draw


def _shows(kind: str, world: World) -> list[dict[str, Any]]:
    return [row for row in world.rows["media_shows"] if row["kind"] == kind]


def _episode(rng: Draw, world: World) -> dict[str, Any]:
    show = rng.choice(_shows("series", world))
    other = [n for n in range(1, show["episodes"] + 1) if n != show["episode"]]
    return {"title": show["title"], "episode": rng.choice(other)}


LIBRARY = (
    Request(
        "play_audio",
        ("Play the album {album}.", "Put on {album}, the whole album.", "I'm in the mood for an album: {album}."),
        ("播放专辑{album}。", "放一下{album}这张专辑。", "今天想听整张专辑，放{album}吧。"),
        draw=lambda rng, world: {"album": rng.choice(sorted({row["album"] for row in songs(world)}))},
        patch=_SILENT,
    ),
    Request(
        "play_audio",
        ("Play something by {artist}.", "I want to hear {artist}.", "Music by {artist} would be nice while I cook."),
        ("放{artist}的歌。", "我想听{artist}。", "做饭的时候放点{artist}的音乐。"),
        draw=lambda rng, world: {"artist": rng.choice(sorted({row["artist"] for row in songs(world)}))},
        patch=_SILENT,
    ),
    Request(
        "play_audio",
        (
            "Play my playlist {playlist}.",
            "Start the {playlist} playlist.",
            "Let's have the playlist I named {playlist}.",
        ),
        ("播放歌单{playlist}。", "放我的{playlist}歌单。", "来听听我那个叫{playlist}的歌单。"),
        draw=lambda rng, world: {"playlist": rng.choice([row["name"] for row in world.rows["media_playlists"]])},
        patch=_SILENT,
    ),
    Request(
        "play_audio",
        (
            "Play the podcast episode {title}.",
            "Put on that podcast episode called {title}.",
            "Time for the commute: I'd like the podcast episode {title}.",
        ),
        ("播放播客{title}这一集。", "我想听播客里叫{title}的那集。", "路上听点播客，放{title}那一集。"),
        draw=_track("podcast"),
        patch=_SILENT,
    ),
    Request(
        "play_audio",
        ("Read me {title}.", "Continue my audiobook {title}.", "Go on with {title}, the audiobook, where I left off."),
        ("接着放有声书{title}。", "我想听有声书{title}。", "有声书{title}，从上次停的地方继续。"),
        draw=_track("audiobook"),
        patch=_SILENT,
    ),
    Request(
        "play_audio",
        ("Tune in to {title}.", "Turn on the radio station {title}.", "Some radio please, {title}."),
        ("打开电台{title}。", "收听{title}电台。", "放点广播吧，{title}这个台。"),
        draw=_track("radio"),
        patch=_SILENT,
    ),
    Request(
        "play_audio",
        ("Play my favourites.", "Play the songs I have liked.", "Nothing new today, only songs from my favourites."),
        ("播放我收藏的歌。", "放我喜欢的那些歌。", "今天不听新的，就放收藏里的歌。"),
        {"favoritesOnly": True},
        patch={**_SILENT, "media_tracks": [{"id": "track_002", "favorite": 1}]},
    ),
    Request(
        "manage_playlist",
        (
            "Create an empty playlist called {playlist}.",
            "New playlist, name it {playlist}, no songs yet.",
            "I'll collect music for it later, for now just make a playlist called {playlist}.",
        ),
        (
            "新建一个空歌单，叫{playlist}。",
            "建个歌单，名字是{playlist}，先不放歌。",
            "歌以后再加，先建一个名叫{playlist}的歌单。",
        ),
        {"action": "create"},
        lambda rng, world: {"playlist": rng.pick(TOPICS)},
    ),
    Request(
        "manage_play_queue",
        ("Play {title} next.", "After this song I want {title}.", "Let this one finish, then {title} right after it."),
        ("下一首放{title}。", "这首放完接着放{title}。", "别打断这首，把{title}排在它后面马上放。"),
        {"action": "play_next"},
        lambda rng, world: {"title": rng.choice(songs(world)[3:6])["title"]},
        _PLAYING,
    ),
    Request(
        "play_video",
        ("Put on the film {title}.", "Play the movie {title}.", "Film night: start {title}."),
        ("播放电影{title}。", "我想看{title}这部电影。", "今晚看电影，放{title}。"),
        draw=lambda rng, world: {"title": rng.choice(_shows("movie", world))["title"]},
        patch=_SILENT,
    ),
    Request(
        "play_video",
        ("Play episode {episode} of {title}.", "{title}, episode {episode}.", "Let me see {title}, number {episode}."),
        ("播放{title}第{episode}集。", "我要看{title}的第{episode}集。", "{title}跳到第{episode}集放。"),
        draw=_episode,
        patch=_SILENT,
    ),
    Request(
        "set_video_quality",
        (
            "Stream videos in {quality}.",
            "Set the video quality to {quality}.",
            "From now on I want my films streamed in {quality}, not automatic.",
        ),
        ("在线视频画质调到{quality}。", "看视频用{quality}。", "以后在线看片不要自动画质，固定用{quality}。"),
        draw=lambda rng, world: {"quality": rng.choice(("480p", "720p", "1080p", "4k"))},
        patch=_SILENT,
        criteria="tool",
    ),
)


@family("media_player_set", TOOL, MEDIA, "grounding", variants=len(PLAYER))
def media_player_set(rng: Draw, world: World) -> Draft:
    """One thing about what plays."""
    draft = one_of(rng, world, PLAYER)
    draft.hidden = ("trigger_task", "manage_automation_rule", "manage_sound_effect")
    return draft


@family("media_library_use", TOOL, MEDIA, "grounding", variants=len(LIBRARY))
def media_library_use(rng: Draw, world: World) -> Draft:
    """Something to hear or see, or a list of it."""
    return one_of(rng, world, LIBRARY)


FAMILIES = (media_player_set, media_library_use)
