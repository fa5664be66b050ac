"""Audio & Entertainment: music and films over several steps: references, conditions, unclear titles, no network."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, ask, do, done, family
from qpa.bench.families.mobile.common import asked, branch, past_turn, step, talk
from qpa.bench.families.mobile.media_rows import ALBUM, MEDIA, player, song, songs, title, titles
from qpa.bench.families.values import NAMES, TITLES, TOPICS, Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
# What a person calls the places of a short list, by index.
_PLACES = (("first", "第一"), ("second", "第二"), ("third", "第三"))


def _namesakes(rng: Draw) -> tuple[str, list[str], list[dict[str, object]]]:
    """A title that two artists have, the artists, and the rows."""
    shared, artists = title(rng), rng.several(NAMES, 2)
    return shared, artists, [song(701 + i, shared, artist) for i, artist in enumerate(artists)]


def _two_artists(rng: Draw, world: World) -> Draft:
    shared, (a, b), rows = _namesakes(rng)

    def plan() -> Plan:
        yield [do("play_audio", title=shared)]
        return ask(rng.say(f"By whom: {a} or {b}?", f"要听{a}的还是{b}的？"))

    return Draft(
        phrasings=(
            "Play {title}.",
            "Put on the song {title}, please.",
            "I'd love to hear {title} now.",
            "I've had {title} in my head all day, play it.",
        ),
        chinese=(
            "播放{title}。",
            "放一下{title}这首歌。",
            "我想听{title}。",
            "脑子里一整天都是{title}，放来听听。",
        ),
        slots={"title": shared},
        plan=plan,
        criteria=asked([a], [b], routes=(step("play_audio", title=shared), step("query_audio"))),
        patch={"media_tracks": rows, "settings": player()},
    )


def _artist_named(rng: Draw, world: World) -> Draft:
    shared, (a, b), rows = _namesakes(rng)
    question = rng.say(f"By whom: {a} or {b}?", f"要听{a}的还是{b}的？")

    def plan() -> Plan:
        yield [do("play_audio", title=shared, artist=b)]
        return done(rng.say(f"Playing {shared} by {b}.", f"正在播放{b}的{shared}。"))

    return Draft(
        phrasings=(
            "The one by {artist}.",
            "{artist}'s, please.",
            "I meant {artist}'s version.",
            "Oh, there are two? {artist} then.",
        ),
        chinese=(
            "{artist}的那首。",
            "要{artist}的。",
            "我说的是{artist}的版本。",
            "原来有两首啊，那就{artist}唱的吧。",
        ),
        slots={"artist": b},
        plan=plan,
        patch={"media_tracks": rows, "settings": player()},
        history=talk(rng.say(f"Play {shared}.", f"播放{shared}。"), question),
    )


def _not_there(rng: Draw, world: World) -> Draft:
    (wanted, other), artist = titles(rng, 2), rng.pick(NAMES)

    def plan() -> Plan:
        yield [do("play_audio", title=wanted, artist=artist)]
        feedback = yield [do("query_audio", keyword=artist)]
        has = feedback[0].payload["data"]["items"][0]["title"]
        return ask(rng.say(f"No {wanted} here, but {has}. Play that?", f"没有{wanted}，只有{has}，要放这首吗？"))

    return Draft(
        phrasings=(
            "Play {title} by {artist}.",
            "I want to hear {artist} with {title}.",
            "Put on {title}, the song by {artist}.",
            "My sister raves about {title} by {artist}, let me hear it.",
        ),
        chinese=(
            "播放{artist}的{title}。",
            "我想听{artist}唱的{title}。",
            "来一首{artist}的{title}。",
            "我妹妹老说{artist}的{title}好听，放来听听。",
        ),
        slots={"title": wanted, "artist": artist},
        plan=plan,
        criteria=asked([other, wanted], routes=(step("query_audio"),)),
        patch={"media_tracks": [song(701, other, artist)], "settings": player()},
        shown=("query_audio",),
    )


@family("media_song_unclear", TOOL, MEDIA, "recovery", "clarify", variants=3)
def media_song_unclear(rng: Draw, world: World) -> Draft:
    """Two songs have the title (409), the user has said which, or there is none (404)."""
    return branch(rng, world, (_two_artists, _artist_named, _not_there))


def _of_list(rng: Draw, world: World) -> Draft:
    found, artist, place = titles(rng, 3), rng.pick(NAMES), rng.randrange(3)
    items = [{"title": name, "artist": artist, "album": "", "kind": "song"} for name in found]

    def plan() -> Plan:
        yield [do("play_audio", title=found[place])]
        return done(rng.say(f"Playing {found[place]}.", f"正在播放{found[place]}。"))

    english, chinese = _PLACES[place]
    return Draft(
        phrasings=(
            "Play the {place} one.",
            "The {place} of these, please.",
            "I don't know any of them... start with the {place} song.",
            "Let me hear number {number}.",
        ),
        chinese=("放{place}首。", "听其中的{place}首吧。", "都没听过，先放{place}首。", "就听{number}号那首。"),
        slots={"place": rng.say(english, chinese), "number": place + 1},
        plan=plan,
        patch={"media_tracks": [song(701 + i, name, artist) for i, name in enumerate(found)], "settings": player()},
        history=past_turn(
            rng.say(f"What do I have by {artist}?", f"我有{artist}的哪些歌？"),
            "query_audio",
            {"keyword": artist},
            {"items": items, "total": 3},
            ", ".join(found) + rng.say(".", "。"),
        ),
    )


def _like_this(rng: Draw, world: World) -> Draft:
    name, artist = title(rng), rng.pick(NAMES)

    def plan() -> Plan:
        yield [do("manage_favorite_audio", action="add")]
        return done(rng.say("It's among your favourites.", "已经收藏了。"))

    return Draft(
        phrasings=(
            "I love this song, add it to my favourites.",
            "Give the song that's on a like.",
            "Ooh, {artist} is great. Keep this track in my favourites.",
            "Don't let me forget this one: favourite it.",
        ),
        chinese=(
            "这首歌好听，收藏一下。",
            "给正在放的歌点个喜欢。",
            "{artist}唱得真好，把这首加到我喜欢的音乐里。",
            "别让我忘了这首，加进收藏。",
        ),
        slots={"artist": artist},
        plan=plan,
        patch={"media_tracks": [song(701, name, artist)], "settings": player("track_701", queue="track_701")},
    )


def _into_playlist(rng: Draw, world: World) -> Draft:
    name, playlist = title(rng), rng.pick(TOPICS)

    def plan() -> Plan:
        yield [do("manage_playlist", action="add", playlist=playlist)]
        return done(rng.say(f"Added to {playlist}.", f"已加到歌单{playlist}。"))

    def named() -> Plan:
        feedback = yield [do("control_playback", action="query")]
        yield [
            do("manage_playlist", action="add", playlist=playlist, titles=[feedback[0].payload["data"]["title"]]),
        ]
        return done(rng.say(f"Added to {playlist}.", f"已加到歌单{playlist}。"))

    return Draft(
        phrasings=(
            "Put this song into my playlist {playlist}.",
            "Add what's playing to the {playlist} playlist.",
            "That's just right for {playlist}, save this track in that playlist.",
            "This one belongs in the playlist {playlist}.",
        ),
        chinese=(
            "把这首歌加到歌单{playlist}里。",
            "正在放的这首存进{playlist}歌单。",
            "这首跟{playlist}很搭，放进那个歌单。",
            "这首应该收进{playlist}歌单。",
        ),
        slots={"playlist": playlist},
        plan=plan,
        alternatives=(named,),
        patch={
            "media_tracks": [song(701, name, rng.pick(NAMES))],
            "media_playlists": [{"name": playlist}],
            "settings": player("track_701", queue="track_701"),
        },
    )


@family("media_from_list", TOOL, MEDIA, "reference", variants=3)
def media_from_list(rng: Draw, world: World) -> Draft:
    """A song by its place in the last answer, or the one that plays."""
    return branch(rng, world, (_of_list, _like_this, _into_playlist))


def _radio(rng: Draw, world: World) -> Draft:
    stations = [row["title"] for row in world.rows["media_tracks"] if row["kind"] == "radio"]
    station, data = rng.choice(stations), rng.choice(("on", "off"))

    def plan() -> Plan:
        play = do("play_audio", title=station)
        feedback = yield [play]
        if not feedback[0].ok:
            yield [do("manage_mobile_data", action="enable")]
            yield [play]
        return done(rng.say(f"Playing {station}.", f"正在播放{station}。"))

    return Draft(
        phrasings=(
            "Play the radio station {station}; if there's no network, switch mobile data on.",
            "Tune in to {station}. Should the phone be offline, mobile data is fine.",
            "I want to hear {station} on the bus, use mobile data if nothing else is connected.",
            "{station} please, and turn on mobile data in case there is no connection.",
        ),
        chinese=(
            "播放电台{station}，没网的话就打开移动数据。",
            "收听{station}，要是连不上网就用流量。",
            "我在公交上想听{station}，没有网络就把移动数据打开。",
            "听{station}这个台，断网的话可以开流量。",
        ),
        slots={"station": station},
        plan=plan,
        patch={
            "settings": player(mobile_data=data),
            "wifi_networks": [{"ssid": row["ssid"], "connected": 0} for row in world.rows["wifi_networks"]],
        },
        shown=("manage_mobile_data",),
    )


def _all_by_artist(rng: Draw, world: World) -> Draft:
    playlist, artist = rng.pick(TOPICS), rng.pick(NAMES)
    rows = [song(701 + i, name, artist) for i, name in enumerate(titles(rng, rng.randint(2, 4)))]

    def plan() -> Plan:
        feedback = yield [do("query_audio", keyword=artist, kind="song")]
        labels = [f"{i['title']} by {i['artist']}" for i in feedback[0].payload["data"]["items"]]
        yield [do("manage_playlist", action="create", playlist=playlist, titles=labels)]
        yield [do("play_audio", playlist=playlist)]
        return done(rng.say(f"Playing {playlist}, {len(labels)} songs.", f"正在播放{playlist}，共{len(labels)}首。"))

    return Draft(
        phrasings=(
            "Make a playlist {playlist} of all songs by {artist} and play it.",
            "Put everything I have by {artist} into a new playlist called {playlist}, then start it.",
            "New playlist {playlist} with all of {artist}'s songs, and let me hear it right away.",
            "I'd like all songs by {artist} together: create the playlist {playlist} with them and play that.",
        ),
        chinese=(
            "用{artist}的所有歌建一个歌单{playlist}，然后播放。",
            "把我这儿{artist}的歌都放进新歌单{playlist}，再放这个歌单。",
            "新建歌单{playlist}，把{artist}的歌全加进去，马上放来听。",
            "想把{artist}的歌收在一起：建个叫{playlist}的歌单装进去，接着播放它。",
        ),
        slots={"playlist": playlist, "artist": artist},
        plan=plan,
        patch={"media_tracks": rows, "settings": player()},
    )


def _if_playing(rng: Draw, world: World) -> Draft:
    album, state = rng.choice(sorted({row["album"] for row in songs(world)})), rng.choice(("playing", "paused"))

    def plan() -> Plan:
        feedback = yield [do("control_playback", action="query")]
        if feedback[0].payload["data"]["state"] == "playing":
            yield [do("control_playback", action="pause")]
            return done(rng.say("Paused.", "已暂停。"))
        yield [do("play_audio", album=album)]
        return done(rng.say(f"Playing {album}.", f"正在播放{album}。"))

    return Draft(
        phrasings=(
            "If music is playing, pause it; if not, play the album {album}.",
            "Is anything playing? Then pause. Otherwise start the album {album}.",
            "Pause what's playing, or put on the album {album} if nothing is.",
            "I can't hear from here whether music is on: pause it if so, else play the album {album}.",
        ),
        chinese=(
            "如果正在放音乐就暂停，没在放就播放专辑{album}。",
            "现在在放歌吗？在放就暂停，没放就放专辑{album}。",
            "有音乐在播就停一下，没有的话放专辑{album}。",
            "我这边听不见有没有在放歌，放着就暂停，没放就来专辑{album}。",
        ),
        slots={"album": album},
        plan=plan,
        patch={"settings": player("track_002", state, ALBUM)},
    )


def _subtitled(rng: Draw, world: World) -> Draft:
    show = rng.choice(world.rows["media_shows"])
    known = (("English", "英文"), ("Chinese", "中文"), ("French", "法语"), ("German", "德语"), ("Spanish", "西班牙语"))
    language, chinese = rng.choice([pair for pair in known if pair[0] in show["subtitles"].split(",")])

    def plan() -> Plan:
        yield [do("play_video", title=show["title"])]
        yield [do("manage_subtitles", action="enable", language=language)]
        return done(
            rng.say(f"Playing {show['title']}, {language} subtitles.", f"正在播放{show['title']}，{chinese}字幕。")
        )

    return Draft(
        phrasings=(
            "Play {title} with {language} subtitles.",
            "Start {title} and turn on the {language} subtitles.",
            "We want to watch {title}; my guest needs subtitles in {language}.",
            "{title}, please, subtitled in {language}.",
        ),
        chinese=(
            "播放{title}，开{language}字幕。",
            "放{title}，再打开{language}字幕。",
            "我们要看{title}，朋友需要{language}字幕。",
            "想看带{language}字幕的{title}。",
        ),
        slots={"title": show["title"], "language": rng.say(language, chinese)},
        plan=plan,
        patch={"settings": player(subtitles="off")},
    )


@family("media_steps", TOOL, MEDIA, "dependency", "conditional", variants=4)
def media_steps(rng: Draw, world: World) -> Draft:
    """A network first, a search first, a condition, or subtitles that need a running film."""
    return branch(rng, world, (_radio, _all_by_artist, _if_playing, _subtitled))


@family("media_evening", TOOL, MEDIA, "dependency", "parallel", unseen="family")
def media_evening(rng: Draw, world: World) -> Draft:
    """Three known tools of three domains that training never combines."""
    minutes, label = rng.randint(10, 90), rng.pick(TITLES)

    def plan() -> Plan:
        yield [
            do("manage_dark_mode", action="enable"),
            do("set_music_play_mode", mode="repeat_one"),
            do("manage_countdown", action="start", minutes=minutes, label=label),
        ]
        return done(rng.say("Dark mode, repeat and countdown are on.", "深色模式、单曲循环和倒计时都开好了。"))

    return Draft(
        phrasings=(
            "Dark mode, repeat this song, and a {minutes} minute countdown called {label}.",
            "Switch to dark mode, loop the current song and count down {minutes} minutes for {label}.",
            "I need to concentrate: this song on repeat, dark mode on, a {minutes} minute countdown labelled {label}.",
            "Three things: a countdown {label} of {minutes} minutes, dark mode, and only this song over and over.",
        ),
        chinese=(
            "打开深色模式，单曲循环这首歌，再来个{minutes}分钟的倒计时，叫{label}。",
            "切到深色模式，这首歌循环放，{label}倒计时{minutes}分钟。",
            "我要专心一会儿：这首歌单曲循环，深色模式打开，{minutes}分钟倒计时，名称{label}。",
            "三件事：名为{label}的{minutes}分钟倒计时、深色模式、只循环这一首歌。",
        ),
        slots={"minutes": minutes, "label": label},
        plan=plan,
        patch={"settings": player("track_001", queue=ALBUM, dark_mode="off", dark_mode_schedule="off")},
    )


FAMILIES = (media_song_unclear, media_from_list, media_steps, media_evening)
