"""Audio & Entertainment: questions about what plays, the library and the gallery; and the tools training never had."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qpa.bench.families.base import Call, Draft, Plan, do, done, family
from qpa.bench.families.mobile.common import Request, Rows, answered, answered_by, branch, one_of, online, reading, step
from qpa.bench.families.mobile.media_rows import MEDIA, camera, photo, player, song, title, titles
from qpa.bench.families.values import EVENTS, MESSAGES, NAMES, PLACES, PROMPTS, TOPICS, Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
_WORDS = ("two", "three", "four", "five", "six")
_MONTHS = ((2025, 1, "January"), (2024, 12, "December"), (2024, 11, "November"))


def _looked_up(
    calls: tuple[Call, ...],
    mentions: list[list[str]],
    told: Callable[[dict[str, Any]], str],
    phrasings: tuple[str, ...],
    chinese: tuple[str, ...],
    patch: Rows,
    **slots: Any,
) -> Draft:
    """A question whose answer the first of the calls gives; one of the others would do too. Nothing is written."""
    routes = [step(name, **{k: v for k, v in arguments.items() if k == "action"}) for name, arguments in calls]
    return Draft(
        phrasings=phrasings,
        chinese=chinese,
        slots=slots,
        plan=reading(calls[0], told),
        criteria=answered_by(*mentions, routes=routes),
        patch=patch,
    )


def _count(number: int) -> list[str]:
    """Ways to write a small number."""
    return [str(number), _WORDS[number - 2], "两三四五六"[number - 2]]


def _lyrics(rng: Draw, world: World) -> Draft:
    name, line = title(rng), rng.pick(MESSAGES)
    return _looked_up(
        (do("query_lyrics", title=name),),
        [[line]],
        lambda data: data["lyrics"],
        (
            "What are the lyrics of {title}?",
            "Show me the words of the song {title}.",
            "Karaoke tonight... how does the text of {title} go?",
            "I want to sing along to {title}, what's the text?",
        ),
        (
            "{title}的歌词是什么？",
            "给我看看{title}的歌词。",
            "今晚唱K，{title}这首歌怎么唱的？",
            "想跟着唱{title}，歌词是什么来着？",
        ),
        {"media_tracks": [song(701, name, rng.pick(NAMES), lyrics=line)]},
        title=name,
    )


def _singer(rng: Draw, world: World) -> Draft:
    name, artist = title(rng), rng.pick(NAMES)
    return _looked_up(
        (do("query_audio", keyword=name),),
        [[artist]],
        lambda data: rng.say(f"It's by {data['items'][0]['artist']}.", f"是{data['items'][0]['artist']}的。"),
        (
            "Who sings {title}?",
            "There's a song {title} in my library, who is it by?",
            "Whose song is {title}? Don't play it, I'm just curious.",
            "Remind me of the artist of {title}, the song on my phone.",
        ),
        (
            "{title}是谁唱的？",
            "我歌库里有首{title}，是谁的歌？",
            "{title}这首歌的歌手是谁？不用放，就问问。",
            "手机里那首{title}是哪个歌手的来着？",
        ),
        {"media_tracks": [song(701, name, artist)]},
        title=name,
    )


def _playing(rng: Draw, world: World) -> Draft:
    name, artist = title(rng), rng.pick(NAMES)
    return _looked_up(
        (do("control_playback", action="query"),),
        [[name]],
        lambda data: rng.say(f"{data['title']} by {data['artist']}.", f"{data['artist']}的{data['title']}。"),
        (
            "What's the phone playing right now?",
            "Which song is on in my player?",
            "Nice! What's the name of this song you're playing?",
            "My colleague asks what it is that my phone is playing.",
        ),
        (
            "手机现在放的是什么歌？",
            "播放器里正在放哪首？",
            "真好听，你现在放的这首叫什么？",
            "同事问我手机里放的这首是什么歌。",
        ),
        {"media_tracks": [song(701, name, artist)], "settings": player("track_701", queue="track_701")},
    )


def _playlist_size(rng: Draw, world: World) -> Draft:
    playlist, number = rng.pick(TOPICS), rng.randint(2, 6)
    rows = [song(701 + i, name, rng.pick(NAMES)) for i, name in enumerate(titles(rng, number))]
    return _looked_up(
        (do("manage_playlist", action="query", playlist=playlist),),
        [_count(number)],
        lambda data: rng.say(f"{data['total']} songs.", f"{data['total']}首。"),
        (
            "How many songs are in my playlist {playlist}?",
            "Count the tracks of the playlist {playlist} for me.",
            "Is {playlist} a long playlist? How many songs has it got?",
            "I wonder how many songs I've put into the playlist {playlist} by now.",
        ),
        (
            "歌单{playlist}里有多少首歌？",
            "帮我数数{playlist}歌单有几首。",
            "{playlist}这个歌单长不长？一共几首歌？",
            "我那个{playlist}歌单现在攒了多少首了？",
        ),
        {
            "media_tracks": rows,
            "media_playlists": [{"name": playlist}],
            "media_playlist_tracks": [{"playlist": playlist, "track_id": row["id"]} for row in rows],
        },
        playlist=playlist,
    )


def _service(rng: Draw, world: World) -> Draft:
    show, service = rng.choice(world.rows["media_shows"])["title"], rng.choice(("StreamBox", "CinePlus"))
    return _looked_up(
        (do("query_shows", keyword=show),),
        [[service]],
        lambda data: rng.say(f"On {data['items'][0]['service']}.", f"在{data['items'][0]['service']}能看。"),
        (
            "Where can I watch {title}?",
            "Which streaming service has {title}?",
            "We're choosing a film: on which service is {title}?",
            "Everyone talks about {title}; what do I have to subscribe to for it?",
        ),
        (
            "{title}在哪个平台能看？",
            "哪个视频平台有{title}？",
            "我们在挑片子，{title}在哪个平台上？",
            "大家都在说{title}，要看得开哪家的会员？",
        ),
        {"media_shows": [{"title": show, "service": service}]},
        title=show,
    )


def _timer_end(rng: Draw, world: World) -> Draft:
    hour, minute = rng.randint(13, 23), rng.randrange(0, 60, 5)
    end = f"{hour}:{minute:02d}"
    chinese = f"点{minute:02d}" if minute else "点"
    return _looked_up(
        (do("manage_sleep_timer", action="query"),),
        [[end, f"{hour - 12}:{minute:02d}", f"{hour - 12}{chinese}", f"{hour}{chinese}"]],
        lambda data: rng.say(f"At {data['endsAt'][11:16]}.", f"{data['endsAt'][11:16]}停。"),
        (
            "When will the sleep timer stop the music?",
            "Until what time does the sleep timer let it play?",
            "I set a sleep timer for the music earlier. What time is it set to?",
            "At what time does the playback end by itself?",
        ),
        (
            "睡眠定时几点停止播放？",
            "音乐会在几点自动关？",
            "我之前给音乐设了睡眠定时，设的是几点？",
            "这歌到几点会自己停？",
        ),
        {"settings": player("track_001", media_sleep_timer=f"2025-01-15T{end}:00")},
    )


def _album_size(rng: Draw, world: World) -> Draft:
    album, number = rng.pick(EVENTS), rng.randint(2, 5)
    patches = [photo(901 + i, subject, album=album) for i, subject in enumerate(rng.several(PROMPTS, number))]
    return _looked_up(
        (do("manage_photo_album", action="query", album=album), do("query_gallery", album=album)),
        [_count(number)],
        lambda data: rng.say(f"{data['items'][0]['photos']} photos.", f"{data['items'][0]['photos']}张。"),
        (
            "How many photos are in the album {album}?",
            "Count the pictures in my photo album {album}.",
            "I'm printing the album {album}: how many photos is that?",
            "Did I keep many photos in the album {album}? Tell me the number.",
        ),
        (
            "相册{album}里有多少张照片？",
            "数一下{album}相册里有几张。",
            "我要打印相册{album}，一共几张照片？",
            "{album}那个相册照片多吗？有几张？",
        ),
        {table: [row for patch in patches for row in patch[table]] for table in ("files", "media_photos")},
        album=album,
    )


def _photo_day(rng: Draw, world: World) -> Draft:
    subject, (year, month, name), day = rng.pick(PROMPTS), rng.choice(_MONTHS), rng.randint(4, 14)
    stamp = f"{year}-{month:02d}-{day:02d}"
    spoken = [
        form.format(name, day) for form in ("{} {}", "{1} {0}", "{} {}th", "{1}th of {0}", "{0:.3} {1}", "{1} {0:.3}")
    ]
    spoken += [stamp, f"{month}月{day}", f"{month}月{day:02d}"]
    return _looked_up(
        (do("query_gallery", keyword=subject),),
        [spoken],
        lambda data: rng.say(f"On {data['items'][0]['date']}.", f"{data['items'][0]['date']}拍的。"),
        (
            "When did I take the photo of the {subject}?",
            "On what day was the {subject} picture taken?",
            "I need the date of my photo with the {subject} for the diary.",
            "That photo of the {subject}, which day was that?",
        ),
        (
            "{subject}那张照片是哪天拍的？",
            "我什么时候拍的{subject}？查查照片。",
            "写日记要用，{subject}的照片是几月几号拍的？",
            "相册里{subject}那张，是哪一天照的？",
        ),
        photo(911, subject, created_at=f"{stamp}T10:05:00"),
        subject=subject,
    )


_QUESTIONS = (_lyrics, _singer, _playing, _playlist_size, _service, _timer_end, _album_size, _photo_day)


@family("media_ask", TOOL, MEDIA, "grounding", variants=len(_QUESTIONS))
def media_ask(rng: Draw, world: World) -> Draft:
    """A fact that the player, the library or the gallery knows."""
    return branch(rng, world, _QUESTIONS)


def _name_it(rng: Draw, world: World) -> Draft:
    name, artist, place = title(rng), rng.pick(NAMES), rng.pick(PLACES)

    def plan() -> Plan:
        feedback = yield [do("recognize_music")]
        heard = feedback[0].payload["data"]["title"]
        return done(rng.say(f"That's {heard}.", f"这首是{heard}。"))

    return Draft(
        phrasings=(
            "What song is that they're playing here at {place}?",
            "I'm at {place}. Listen: what's this music?",
            "They play such a nice song at {place}, tell me its name.",
            "Name that tune! I hear it over the speakers of {place}.",
        ),
        chinese=(
            "{place}这里放的是什么歌？",
            "我在{place}，听听现在放的是什么音乐。",
            "{place}放的这首歌真好听，叫什么名字？",
            "帮我识别一下，{place}的喇叭里在放哪首歌？",
        ),
        slots={"place": place},
        plan=plan,
        criteria=answered([name], reads=("recognize_music",)),
        patch={"settings": camera(room_sound=f"{name} by {artist}")},
    )


def _keep_it(rng: Draw, world: World) -> Draft:
    name, artist, place, mine = title(rng), rng.pick(NAMES), rng.pick(PLACES), rng.random() < 0.6

    def plan() -> Plan:
        feedback = yield [do("recognize_music")]
        heard = feedback[0].payload["data"]
        if not heard["inLibrary"]:
            return done(rng.say(f"{heard['title']}, not in your library.", f"{heard['title']}，歌库里没有。"))
        yield [do("manage_favorite_audio", action="add", title=f"{heard['title']} by {heard['artist']}")]
        return done(rng.say(f"{heard['title']} is a favourite now.", f"已收藏{heard['title']}。"))

    return Draft(
        phrasings=(
            "Find out which song is on here at {place}; if it's in my library, make it a favourite.",
            "What are they playing at {place}? Add it to my favourites if I have that song.",
            "Listen to the music at {place}. Should the song be in my library, favourite it, else just name it.",
            "I like what I hear at {place}: name it, and if I own it, put it into my favourites.",
        ),
        chinese=(
            "听听{place}放的是什么歌，我歌库里有的话就收藏。",
            "{place}现在放的哪首歌？如果我有这首，加到收藏里。",
            "识别一下{place}的音乐，歌库里有就收藏，没有就告诉我歌名。",
            "{place}这首歌我喜欢，看看叫什么，我歌库里有就点收藏。",
        ),
        slots={"place": place},
        plan=plan,
        criteria="state" if mine else answered([name], reads=("recognize_music",)),
        patch={
            "media_tracks": [song(701, name, artist)] if mine else [],
            "settings": camera(room_sound=f"{name} by {artist}"),
        },
        shown=("manage_favorite_audio",),
    )


def _wish(rng: Draw, world: World) -> dict[str, Any]:
    return {"title": rng.choice(world.rows["media_shows"])["title"]}


_WATCHLIST = (
    Request(
        "manage_watchlist",
        (
            "Put {title} on my watchlist.",
            "Add {title} to the watchlist.",
            "No time now, but save {title} for later viewing.",
        ),
        ("把{title}加到想看列表。", "{title}放进我的片单。", "现在没空，{title}先加到待看清单。"),
        {"action": "add"},
        _wish,
    ),
    Request(
        "manage_watchlist",
        (
            "Mark {title} as watched.",
            "I've seen {title}, tick it off.",
            "Finished {title} last night, note it as watched.",
        ),
        ("把{title}标记为看过。", "{title}我看完了，标记一下。", "昨晚把{title}看完了，记成已看。"),
        {"action": "mark_watched"},
        _wish,
    ),
)


@family("media_new_tools", TOOL, MEDIA, "grounding", "dependency", unseen="tool", variants=4)
def media_new_tools(rng: Draw, world: World) -> Draft:
    """Music in the room, and the watchlist."""
    kind = rng.turn % 4
    if kind % 2 == 0:
        return (_name_it, _keep_it)[kind // 2](rng, world)
    draft = one_of(rng, world, (_WATCHLIST[kind // 2],))
    draft.patch = {"media_shows": [{"title": draft.slots["title"], "watchlist": 0, "watched": 0}], "settings": online()}
    return draft


FAMILIES = (media_ask, media_new_tools)
