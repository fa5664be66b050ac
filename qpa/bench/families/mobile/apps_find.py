"""Basic tool use in Apps & Storage: questions about files and storage, and unpacking archives."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.apps import APPS_STORAGE, TOOL
from qpa.bench.families.mobile.apps_files import VIDEOS, binned, document, file_row, files, folder
from qpa.bench.families.mobile.common import settings
from qpa.bench.families.mobile.wishes import Wish, number, wished
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.schema import World

FIND = (
    Wish(
        calls=(do("local_file_search", keyword="{file}"),),
        slots={"file": document, "folder": folder},
        patch={**files(), "file_folders": [{"file": "{file}", "folder": "{folder}"}]},
        mentions=(["{folder}"],),
        reply=("It's in the folder {folder}.", "在“{folder}”文件夹里。"),
        english=(
            "Which folder is {file} in?",
            "I can't find {file}. Where did I put it?",
            "Where on my phone is {file}?",
            "Search for {file} and tell me the folder, don't move anything.",
        ),
        chinese=(
            "{file}在哪个文件夹？",
            "找不到{file}了，我放哪了",
            "{file}存在手机的什么位置",
            "搜一下{file}，告诉我在哪个文件夹，别动它",
        ),
    ),
    Wish(
        calls=(do("local_file_search", sortBy="largest", kind="video"),),
        slots={"file": VIDEOS, "size": number(1_100_000, 1_900_000)},
        patch={
            **files(file_row(1, "{file}", "video", size_kb="{size}")),
            "settings": settings(storage_total_mb="524288"),
        },
        mentions=(["{file}"],),
        routes=(do("local_file_search", sortBy="largest"),),
        reply=("{file} is the largest.", "最大的是{file}。"),
        english=(
            "What's my largest video file?",
            "Which video takes up the most room? I need its file name.",
            "Find the biggest video on this phone.",
            "If I delete one video it should be the largest. Which file is that? Don't delete it yet.",
        ),
        chinese=(
            "最大的视频文件是哪个？",
            "哪个视频最占地方，告诉我文件名",
            "找出手机里最大的视频",
            "要删就删最大的那个视频，是哪个文件？先别删",
        ),
    ),
    Wish(
        calls=(do("query_storage", storage="cloud"),),
        slots={"total mb": lambda rng, world: (total := rng.randint(20, 200), total * 1024), "file": document},
        patch={**files(), "settings": settings(cloud_total_mb="{mb}")},
        mentions=(["{total}", "{total}.0", "{total}GB", "{total}.0GB"],),
        reply=("It has {total} GB in all.", "一共{total}GB。"),
        english=(
            "How many GB does my cloud drive hold in total?",
            "Before I upload {file}: how big is my cloud storage altogether?",
            "What's the total size of my cloud drive? Don't count what's used.",
            "I pay for cloud space but how much is it, all in all?",
        ),
        chinese=(
            "我的云盘总容量是多少GB？",
            "上传{file}之前先问一下，云盘一共有多大",
            "云盘总共多少GB，不用管已用的",
            "云空间我一直在付费，到底总量是多大",
        ),
    ),
    Wish(
        calls=(do("clean_junk", action="query"),),
        slots={"size": number(150, 900)},
        patch={
            "settings": settings(junk_temp_mb="0", junk_residual_mb="0", junk_ads_mb="0", junk_packages_mb="{size}")
        },
        mentions=(["{size}", "{size}MB"],),
        reply=("{size} MB of junk.", "有{size}MB垃圾。"),
        english=(
            "How much junk could be cleaned up on my phone?",
            "How many MB of junk files are there? Don't clean anything yet.",
            "Is a cleanup worth it? Tell me how many MB of junk I have.",
            "Check for junk files and just give me the amount in MB.",
        ),
        chinese=(
            "手机里有多少垃圾可以清理？",
            "垃圾文件一共多少MB？先别清",
            "值不值得清理一次，垃圾有多少兆",
            "扫一下垃圾文件，只告诉我有多少MB",
        ),
    ),
    Wish(
        calls=(do("manage_recycle_bin", action="query", fileName="{file}"),),
        # The bin keeps a file for 30 days; today is the 15th.
        slots={"file": document, "day left": lambda rng, world: (day := rng.randint(1, 14), day + 15)},
        patch=binned(deleted_at="2025-01-{day:02d}T09:00:00"),
        mentions=(["{left}", "{left}天"],),
        reply=("{left} days are left.", "还剩{left}天。"),
        english=(
            "How many days until {file} vanishes from the recycle bin?",
            "I deleted {file}. How many days do I have left to rescue it from the bin?",
            "Look in the bin: for how many more days is {file} kept?",
            "{file} is in the trash. When it gets wiped, in how many days is that? Don't restore it yet.",
        ),
        chinese=(
            "{file}还有几天会从回收站清除？",
            "我删了{file}，还剩多少天可以从回收站救回来",
            "看看回收站里的{file}还能保留几天",
            "{file}在回收站里，多少天后彻底没了？先别恢复",
        ),
    ),
)

ARCHIVES = ("Slides_Pack.zip", "Scans.zip", "Family_Album.zip", "Fonts.zip", "Club_Papers.zip")
UNPACK = (
    Wish(
        calls=(do("extract_archive", fileName="{file}"),),
        slots={"file": ARCHIVES},
        patch=files(file_row(1, "{file}", "archive", contents='[["Page_One.pdf", "document", 120]]')),
        english=("Unzip {file}.", "Extract {file}, its own folder is fine.", "I got {file} by mail; unpack it."),
        chinese=("解压{file}。", "把{file}解开，放它自己的文件夹就行", "邮件里收到了{file}，帮我解压一下"),
    ),
    Wish(
        calls=(do("extract_archive", fileName="{file}", folder="{folder}"),),
        slots={"file": ARCHIVES, "folder": folder},
        patch=files(file_row(1, "{file}", "archive", contents='[["Page_One.pdf", "document", 120]]')),
        english=(
            "Unpack {file} into the folder {folder}.",
            "What's in {file} should go to my {folder} folder, unzipped.",
            "Extract the archive {file} to {folder}.",
        ),
        chinese=(
            "把{file}解压到“{folder}”文件夹。",
            "{file}里的东西解压出来放到“{folder}”",
            "压缩包{file}，解到“{folder}”文件夹里",
        ),
    ),
)


@family("apps_files_find", TOOL, APPS_STORAGE, "grounding", variants=len(FIND))
def apps_files_find(rng: Draw, world: World) -> Draft:
    """Facts about files and storage, read with a tool and answered."""
    return wished(rng, world, FIND)


@family("apps_files_unpack", TOOL, APPS_STORAGE, "grounding", unseen="tool", variants=len(UNPACK))
def apps_files_unpack(rng: Draw, world: World) -> Draft:
    """Archives, with a tool that training never shows."""
    return wished(rng, world, UNPACK)


FAMILIES = (apps_files_find, apps_files_unpack)
