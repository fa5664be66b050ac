"""Basic tool use in Apps & Storage: files, the recycle bin, the cloud drive, the SD card, and cleaning up."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.apps import APPS_STORAGE, TOOL
from qpa.bench.families.mobile.common import Rows, online, settings
from qpa.bench.families.mobile.wishes import Wish, either, number, wished
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.schema import World

# No stem is part of another one or of a seeded file's.
DOCUMENTS = tuple(
    f"{stem}.{ending}"
    for stem in (
        "Lease_Agreement",
        "Insurance_Letter",
        "Gas_Bill_June",
        "Vaccination_Card",
        "Book_Proposal",
        "Moving_Checklist",
        "Choir_Program",
        "Garden_Sketch",
        "Loan_Offer",
        "Warranty_Dishwasher",
        "Team_Roster",
        "Visa_Form",
        "Cat_Papers",
        "Recipe_Cards",
        "Ski_Hut_Booking",
        "Thesis_Outline",
    )
    for ending in ("pdf", "docx")
)
CHINESE_DOCUMENTS = tuple(
    f"{stem}.{ending}"
    for stem in (
        "租房合同",
        "保险信函",
        "六月燃气账单",
        "疫苗接种卡",
        "搬家清单",
        "合唱节目单",
        "花园草图",
        "贷款方案",
        "洗碗机保修卡",
        "班级名册",
        "签证表格",
        "菜谱合集",
        "论文提纲",
        "体检报告",
        "年终总结",
    )
    for ending in ("pdf", "docx")
)
VIDEOS = tuple(
    f"{stem}.mp4" for stem in ("Graduation", "Surf_Lesson", "Marathon_Finish", "First_Steps", "Drone_Valley", "Wedding")
)
FOLDERS = ("Work", "Taxes", "Family", "School", "Keepsakes", "Travel", "House", "Club", "Medical", "Clients")
CHINESE_FOLDERS = ("工作", "税务", "家庭", "学校", "纪念", "旅行", "房子", "社团", "医疗", "客户")
NAMES = ("Final version", "Copy for Nina", "Read me first", "Old one", "For the landlord", "Signed", "Second draft")
CHINESE_NAMES = ("最终版", "给小娜的副本", "请先看这个", "旧版", "给房东", "已签字", "第二稿")
document, documents = either(DOCUMENTS, CHINESE_DOCUMENTS), either(DOCUMENTS, CHINESE_DOCUMENTS, 2)
folder, folders = either(FOLDERS, CHINESE_FOLDERS), either(FOLDERS, CHINESE_FOLDERS, 2)
label = either(NAMES, CHINESE_NAMES)
CARD = settings(sd_card="on", sd_total_mb="65536")


def file_row(number_: int = 1, name: str = "{file}", kind: str = "document", **more: Any) -> dict[str, Any]:
    """A patched file; its id is far from the seeded ones."""
    row = {"id": f"file_{700 + number_}", "name": name, "kind": kind, "size_kb": 640}
    return {**row, "modified_at": "2024-12-20T10:00:00", **more}


def files(*rows: dict[str, Any]) -> Rows:
    """A patch of files."""
    return {"files": list(rows or (file_row(),))}


def binned(name: str = "{file}", deleted_at: str = "2025-01-10T09:00:00") -> Rows:
    """A patch with a file in the recycle bin."""
    return {"recycle_bin": [{**file_row(9, name), "folder": "Documents", "deleted_at": deleted_at}]}


MANAGE = (
    Wish(
        calls=(do("rename_file", fileName="{file}", newName="{name}"),),
        slots={"file": document, "name": label},
        patch=files(),
        english=(
            'Rename the file {file} to "{name}".',
            'Call {file} "{name}" from now on, the type stays.',
            'The name {file} says nothing to me. Make it "{name}".',
            'Give {file} a better name: "{name}".',
        ),
        chinese=(
            "把文件{file}重命名为“{name}”。",
            "{file}改个名，叫“{name}”，格式不变",
            "{file}这名字看不懂，改成“{name}”吧",
            "给{file}换个名字：“{name}”",
        ),
    ),
    Wish(
        calls=(do("move_file", fileName="{file}", folder="{folder}"),),
        slots={"file": document, "folder": folder},
        patch=files(),
        english=(
            "Move {file} to the folder {folder}.",
            "Put {file} into my {folder} folder.",
            "{file} belongs in the folder {folder}, not where it is now.",
            "File {file} away under {folder}, please. No copy, the file itself.",
        ),
        chinese=(
            "把{file}移到“{folder}”文件夹。",
            "{file}放进“{folder}”文件夹里",
            "{file}应该在“{folder}”文件夹，帮我挪过去",
            "{file}归到“{folder}”文件夹，是移动不是复制",
        ),
    ),
    Wish(
        calls=(do("compress_files", fileNames=["{file}", "{other}"], archiveName="{name}"),),
        slots={"file other": documents, "name": label},
        patch=files(file_row(1), file_row(2, "{other}")),
        english=(
            'Zip {file} and {other} into an archive called "{name}".',
            'Pack {file} together with {other}; name the zip "{name}".',
            'I need one zip, "{name}", with {file} and {other} in it.',
            'Make an archive "{name}" out of {file} and {other}.',
        ),
        chinese=(
            "把{file}和{other}压缩成名为“{name}”的压缩包。",
            "{file}跟{other}打个包，压缩包叫“{name}”",
            "我要一个zip，里面是{file}和{other}，名字用“{name}”",
            "将{file}、{other}打包成“{name}”",
        ),
    ),
    Wish(
        calls=(do("manage_recycle_bin", action="restore", fileName="{file}"),),
        slots={"file": document},
        patch=binned(),
        english=(
            "Restore {file} from the recycle bin.",
            "I threw {file} away last week, get it back out of the bin.",
            "Bring {file} back, it's in the trash.",
            "Deleting {file} was a mistake. It should still be in the recycle bin, restore it.",
        ),
        chinese=(
            "从回收站恢复{file}。",
            "上周删了{file}，帮我从回收站捞回来",
            "{file}在回收站里，还原一下",
            "{file}是误删的，应该还在回收站，恢复它",
        ),
    ),
    Wish(
        calls=(do("delete_file", fileName="{file}"),),
        slots={"file": document},
        patch=files(),
        english=(
            "Delete {file}.",
            "I don't need the file {file} any more, into the bin with it.",
            "Throw {file} in the recycle bin.",
            "{file} is out of date, please delete it.",
        ),
        chinese=(
            "删除{file}。",
            "文件{file}不要了，扔回收站",
            "把{file}删掉吧",
            "{file}过期了，请删了它",
        ),
    ),
    Wish(
        calls=(do("manage_cloud_drive", action="upload", fileName="{file}"),),
        slots={"file": document},
        patch={**files(), "settings": online(cloud_total_mb="15360")},
        english=(
            "Upload {file} to my cloud drive.",
            "Put a copy of {file} in the cloud.",
            "Back up the file {file} to the cloud drive, just that one.",
            "If this phone dies I want to have {file} still. Store it in the cloud drive.",
        ),
        chinese=(
            "把{file}上传到云盘。",
            "{file}在云盘存一份",
            "只把{file}这个文件备份到云盘",
            "万一手机坏了{file}得还在，传到云盘去",
        ),
    ),
    Wish(
        calls=(do("copy_file", fileName="{file}", newName="{name}"),),
        slots={"file": document, "name": label},
        patch=files(),
        english=(
            'Make a copy of {file} named "{name}".',
            'Duplicate {file}; the copy is called "{name}".',
            'Before I edit {file} I want a second one, "{name}", in the same folder.',
            'Copy {file} as "{name}".',
        ),
        chinese=(
            "把{file}复制一份，命名为“{name}”。",
            "复制{file}，副本叫“{name}”",
            "改{file}之前先留一份，就放同一文件夹，取名“{name}”",
            "给{file}做个副本：“{name}”",
        ),
    ),
    Wish(
        calls=(do("manage_duplicate_files", action="clean"),),
        english=(
            "Clean up duplicate files.",
            "I've got some files twice. Bin the copies, keep the originals.",
            "Remove all the duplicates from my phone.",
        ),
        chinese=("清理重复文件。", "有些文件存了两份，副本扔掉，原件留着", "把手机里的重复文件都清了"),
    ),
    Wish(
        calls=(do("clean_junk", action="clean", kind="packages"),),
        slots={"size": number(150, 900)},
        patch={"settings": settings(junk_packages_mb="{size}")},
        english=(
            "Clean up leftover installer packages, only those.",
            "There should be about {size} MB of old installation packages. Clean them, no other junk.",
            "Get rid of the {size} MB of installer files among the junk, nothing else.",
        ),
        chinese=(
            "只清理残留的安装包。",
            "安装包垃圾大概有{size}MB，清掉，其他垃圾先不动",
            "垃圾里的安装包占了{size}MB，把它们清理了",
        ),
    ),
    Wish(
        calls=(do("manage_cloud_drive", action="download", fileName="{file}"),),
        slots={"file": document},
        patch={
            "cloud_files": [{"name": "{file}", "kind": "document", "size_kb": 700}],
            "settings": online(data_saver="off"),
        },
        english=(
            "Download {file} from my cloud drive.",
            "Get {file} from the cloud onto this phone.",
            "I'll be offline later, so save {file} from the cloud drive here.",
        ),
        chinese=("从云盘下载{file}。", "把云盘里的{file}存到手机上", "一会儿没网，先把云盘的{file}下下来"),
    ),
    Wish(
        calls=(do("move_file", fileName="{file}", storage="sd_card"),),
        slots={"file": VIDEOS, "size": number(200, 900)},
        patch={**files(file_row(1, "{file}", "video", size_kb=300_000)), "settings": CARD},
        english=(
            "Move {file} to the SD card.",
            "The video {file} is too big for the phone, put it on the memory card.",
            "Shift {file} over to the SD card.",
            "Free up the phone: {file} goes to the SD card.",
        ),
        chinese=(
            "把{file}移到SD卡。",
            "视频{file}太占手机空间，挪到存储卡上",
            "{file}转存到SD卡",
            "给手机腾点地方，{file}移动到SD卡",
        ),
    ),
    Wish(
        calls=(do("manage_sd_card", action="eject"),),
        patch={"settings": CARD},
        english=(
            "Eject the SD card.",
            "I want to take the memory card out, unmount it safely.",
            "Safely remove the SD card, please.",
        ),
        chinese=("弹出SD卡。", "我要把存储卡拔出来，先安全卸载", "安全移除SD卡"),
    ),
)


@family("apps_files_manage", TOOL, APPS_STORAGE, "grounding", variants=len(MANAGE))
def apps_files_manage(rng: Draw, world: World) -> Draft:
    """Renaming, moving, packing, binning and restoring files, cloud and SD card, and cleaning up."""
    return wished(rng, world, MANAGE)


FAMILIES = (apps_files_manage,)
