"""Audio & Entertainment: its modules put together, and the seeded library, shows and captures."""

from __future__ import annotations

import random
from datetime import timedelta

from qpa.envs.sandbox.domains import (
    media_camera,
    media_gallery,
    media_library,
    media_photos,
    media_playback,
    media_player,
    media_recorder,
    media_video,
)
from qpa.envs.sandbox.schema import WORLD_CLOCK, Domain, World

# Traditional and classical pieces: known by name, and their words belong to nobody.
_SUNG = (
    (
        "Lena Marlow",
        "Folk Evenings",
        (
            ("Greensleeves", "Alas, my love, you do me wrong"),
            ("Scarborough Fair", "Are you going to Scarborough Fair?"),
            ("Shenandoah", "Oh Shenandoah, I long to hear you"),
        ),
    ),
    (
        "The Harbour Lights",
        "Long Way Home",
        (
            ("Auld Lang Syne", "Should auld acquaintance be forgot"),
            ("Loch Lomond", "By yon bonnie banks and by yon bonnie braes"),
            ("Amazing Grace", "Amazing grace, how sweet the sound"),
        ),
    ),
)
_PLAYED = (
    ("Theo Brandt", "Quiet Piano", (("Clair de Lune", ""), ("Moonlight Sonata", ""), ("Prelude in C", ""))),
    ("Nova Quartet", "Strings at Dusk", (("Canon in D", ""), ("Ode to Joy", ""), ("Blue Danube", ""))),
)
_COVER_ARTISTS = ("June Avery", "Otto Vale", "Mira Sol")
_PODCASTS = (
    ("Morning Brief", ("Rates and Rents", "A Bridge Reopens")),
    ("Kitchen Talks", ("Bread Without Fear", "Soup Season")),
    ("Space Weekly", ("Rings of Saturn", "Back to the Moon")),
)
_STATIONS = ("City FM", "Jazz Nights", "Radio Classic", "News One")
_BOOKS = (
    ("Treasure Island", "Robert Louis Stevenson"),
    ("Pride and Prejudice", "Jane Austen"),
    ("The Time Machine", "H. G. Wells"),
)
_PLAYLISTS = ("Road Trip", "Morning Run", "Focus", "Dinner")
_SHOWS = (
    ("Metropolis", "movie", "sci-fi", 153),
    ("Nosferatu", "movie", "horror", 94),
    ("The General", "movie", "comedy", 79),
    ("A Trip to the Moon", "movie", "sci-fi", 13),
    ("Harbour Street", "series", "drama", 45),
    ("Cold Case Oslo", "series", "crime", 50),
    ("Planet Deep", "series", "documentary", 40),
    ("Office Hours", "series", "comedy", 25),
)
_PHOTOS = (
    ("Beach sunset", "Holiday"),
    ("Mountain trail", "Holiday"),
    ("Birthday cake", "Family"),
    ("Grandma in the garden", "Family"),
    ("Sleeping cat", "Camera"),
    ("Whiteboard notes", "Camera"),
    ("Train ticket", "Camera"),
)
_VIDEOS = ("Puppy playing", "School concert", "Fireworks")
_RECORDINGS = ("Guitar_Idea.wav", "Team_Interview.wav", "Physics_Lecture.wav")
_NOISES = ("speech", "traffic", "silence")


def _songs(rng: random.Random, world: World) -> None:
    """An album with words, one without, and another artist's cover of the first song: one title, two tracks."""
    albums = [rng.choice(_SUNG), rng.choice(_PLAYED)]
    title, words = albums[0][2][0]
    for artist, album, songs in (*albums, (rng.choice(_COVER_ARTISTS), "Covers", ((title, words),))):
        for number, (name, lyrics) in enumerate(songs, start=1):
            seconds, favorite = rng.randrange(140, 330), int(rng.random() < 0.3)
            world.add(
                "media_tracks",
                id=world.new_id("track"),
                title=name,
                artist=artist,
                album=album,
                number=number,
                seconds=seconds,
                favorite=favorite,
                lyrics=lyrics,
            )


def _spoken(rng: random.Random, world: World) -> None:
    show, episodes = rng.choice(_PODCASTS)
    for number, title in enumerate(episodes, start=1):
        row = {"kind": "podcast", "title": title, "artist": show, "album": show, "number": number}
        world.add("media_tracks", id=world.new_id("track"), seconds=rng.randrange(1200, 3600), **row)
    title, author = rng.choice(_BOOKS)
    length = rng.randrange(18000, 40000)
    row = {"kind": "audiobook", "title": title, "artist": author, "album": title, "seconds": length}
    world.add("media_tracks", id=world.new_id("track"), progress=rng.randrange(600, length), **row)
    for name in rng.sample(_STATIONS, 2):
        world.add("media_tracks", id=world.new_id("track"), kind="radio", title=name)


def _playlists(rng: random.Random, world: World) -> None:
    songs = [row["id"] for row in world.rows["media_tracks"] if "kind" not in row]
    for name in rng.sample(_PLAYLISTS, 2):
        world.add("media_playlists", name=name)
        for key in rng.sample(songs, rng.randint(2, 3)):
            world.add("media_playlist_tracks", playlist=name, track_id=key)


def _shows(rng: random.Random, world: World) -> None:
    for title, kind, genre, minutes in rng.sample(_SHOWS, 6):
        episodes = rng.randint(6, 12) if kind == "series" else 1
        world.add(
            "media_shows",
            title=title,
            kind=kind,
            genre=genre,
            service=rng.choice(("StreamBox", "CinePlus")),
            minutes=minutes,
            episodes=episodes,
            episode=rng.randint(1, episodes),
            subtitles=",".join(("English", *rng.sample(("Chinese", "French", "German", "Spanish"), 2))),
            watchlist=int(rng.random() < 0.4),
        )


def _captures(rng: random.Random, world: World) -> None:
    chosen = [(subject, album, "image") for subject, album in rng.sample(_PHOTOS, 4)]
    chosen.append((rng.choice(_VIDEOS), "Camera", "video"))
    days = sorted(rng.sample(range(1, 40), len(chosen)), reverse=True)
    numbers = {"image": 0, "video": 0}
    for (subject, album, kind), day in zip(chosen, days, strict=True):
        numbers[kind] += 1
        name = f"IMG_{numbers[kind]:03d}.jpg" if kind == "image" else f"VID_{numbers[kind]:03d}.mp4"
        taken = WORLD_CLOCK - timedelta(days=day) + timedelta(minutes=rng.randrange(0, 600, 5))
        size_kb = rng.randrange(1800, 5000) * (1 if kind == "image" else 9)
        file = world.add("files", id=world.new_id("file"), name=name, kind=kind, size_kb=size_kb)
        world.add(
            "media_photos",
            id=file["id"],
            subject=subject,
            album=album,
            camera="rear",
            mode="photo" if kind == "image" else "video",
            favorite=int(rng.random() < 0.3),
            created_at=taken.isoformat(),
        )
    name = rng.choice(_RECORDINGS)
    world.add("files", id=world.new_id("file"), name=name, kind="audio", size_kb=rng.randrange(400, 9000))


def seed_rows(rng: random.Random, world: World) -> None:
    """A small library, shows to stream, captures, and a player that is stopped or paused in an album."""
    _songs(rng, world)
    _spoken(rng, world)
    _playlists(rng, world)
    _shows(rng, world)
    _captures(rng, world)
    album = [row["id"] for row in world.rows["media_tracks"][:3]]
    paused = rng.random() < 0.5
    heard, artist = rng.choice([(song, group[0]) for group in (*_SUNG, *_PLAYED) for song, _ in group[2]])
    settings = {
        "media_state": "paused" if paused else "stopped",
        "media_item": rng.choice(album) if paused else "",
        "media_position": str(rng.randrange(5, 120)) if paused else "0",
        "media_queue": ",".join(album) if paused else "",
        "media_speed": "1",
        "media_sleep_timer": "off",
        "music_play_mode": rng.choice(("sequential", "sequential", "repeat_all", "shuffle")),
        "equalizer": rng.choice(("flat", "pop", "jazz")),
        "room_sound": f"{heard} by {artist}" if rng.random() < 0.7 else rng.choice(_NOISES),
        "subtitles": "off",
        "video_quality": rng.choice(("auto", "480p", "720p")),
        "camera_open": "off",
        "camera_facing": "rear",
        "camera_mode": rng.choice(("photo", "photo", "portrait", "night")),
        "camera_flash": rng.choice(("auto", "off")),
        "camera_timer": "0",
        "camera_filter": "none",
        "camera_zoom": "1",
        "camera_grid": rng.choice(("on", "off")),
        "camera_aspect_ratio": "4:3",
        "camera_video_resolution": "1080p",
        "camera_shutter_sound": "on",
        "camera_location_tags": "off",
        "video_recording": "off",
        "voice_recording": "off",
        "screen_recording": "off",
        "screen_recording_audio": rng.choice(("none", "device")),
    }
    for key, value in settings.items():
        world.add("settings", key=key, value=value)


DOMAIN = Domain(
    name=media_player.NAME,
    schema=media_player.SCHEMA + media_photos.SCHEMA,
    tools=(
        *media_playback.TOOLS,
        *media_library.TOOLS,
        *media_video.TOOLS,
        *media_camera.TOOLS,
        *media_gallery.TOOLS,
        *media_recorder.TOOLS,
    ),
    seed_rows=seed_rows,
)
