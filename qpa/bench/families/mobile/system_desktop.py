"""Basic tool use in System Settings: the desktop, control centre and status bar; folders and colours are unseen."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import Rows, phone, settings
from qpa.bench.families.mobile.system import SYSTEM, TOOL
from qpa.bench.families.mobile.wishes import Wish, number, wished, worded
from qpa.bench.families.values import TITLES, Draw
from qpa.envs.sandbox.schema import World

# Apps that every phone has, and none whose name is part of another's.
ICONS = ("Calendar", "Camera", "Clock", "Gallery", "Messages", "Music", "Wallet", "WhatsApp")
TILES = ("Alarm", "Calculator", "Eye comfort", "Flashlight", "Hotspot", "QR scanner", "Screen recorder", "Screenshot")
WIDGETS = ("Battery", "Calendar", "Clock", "Music player", "Step counter", "To-do list", "Weather")
SHOWN_TILES = "Wi-Fi, Bluetooth, Mobile data, NFC, Location"
STATUS_WORDS = (
    ("battery_percentage", ("battery percentage", "电量百分比")),
    ("network_speed", ("network speed", "网速")),
    ("clock_seconds", ("seconds of the clock", "时钟秒数")),
    ("carrier_name", ("carrier name", "运营商名称")),
    ("alarm_icon", ("alarm icon", "闹钟图标")),
)


def desk(*items: dict[str, Any], **values: str) -> Rows:
    """An unlocked desktop of three pages with these items."""
    state = {"desktop_lock": "off", "desktop_pages": "3", "desktop_main_page": "1", "desktop_grid": "5x6", **values}
    return {"settings": settings(**state), **({"desktop_items": list(items)} if items else {})}


def icon(name: str = "{app}", page: Any = 1) -> dict[str, Any]:
    """An app's icon on a page, in no folder."""
    return {"kind": "app", "name": name, "page": page, "folder": ""}


def widget(name: str = "{widget}", page: Any = 1) -> dict[str, Any]:
    """A widget on a page."""
    return {"kind": "widget", "name": name, "page": page, "folder": ""}


DESKTOP = (
    Wish(
        calls=(do("manage_control_center", action="add", tile="{tile}"),),
        slots={"tile": TILES},
        patch=phone(control_center_tiles=SHOWN_TILES),
        english=(
            "Add the {tile} tile to the control center.",
            "Put {tile} into my control center.",
            "I need {tile} all the time. Give me its tile in the control center.",
            "It would be handy to find {tile} among the control center tiles, add it at the end.",
        ),
        chinese=(
            "控制中心添加{tile}开关。",
            "把{tile}放进控制中心",
            "{tile}我经常用，在控制中心里加上它",
            "控制中心的磁贴里最好有{tile}，加在最后面",
        ),
    ),
    Wish(
        calls=(do("manage_control_center", action="move", tile="{tile}", position="{position}"),),
        slots={"tile": TILES, "position": number(1, 4)},
        patch=phone(control_center_tiles=SHOWN_TILES + ", {tile}"),
        english=(
            "Move the {tile} tile to position {position} in the control center.",
            "Control center: {tile} in place {position}.",
            "I always have to search for {tile}, it sits at the end of the control center. Put it in spot {position}.",
            "In the control center {tile} should be number {position}, not the last one.",
        ),
        chinese=(
            "控制中心里把{tile}移到第{position}位。",
            "{tile}磁贴挪到控制中心第{position}个",
            "{tile}排在控制中心最后面太难找，放到第{position}个位置",
            "控制中心的{tile}别排最后，排第{position}",
        ),
    ),
    Wish(
        calls=(do("manage_status_bar_display", action="{action}", item="{item}"),),
        slots={
            "item word": worded(*STATUS_WORDS),
            "action old said put": worded(
                ("enable", "off", ("Show", "显示"), ("visible", "看得到")),
                ("disable", "on", ("Hide", "隐藏"), ("gone", "不显示")),
            ),
        },
        patch=phone(**{f"status_bar_{item}": "{old}" for item, _ in STATUS_WORDS}),
        english=(
            "{said} the {word} in the status bar.",
            "Status bar: {said} the {word}.",
            "The top line of my screen isn't as I like it, I want the {word} {put} there.",
            "Up in the status bar the {word} should be {put}.",
        ),
        chinese=(
            "状态栏{said}{word}。",
            "{said}状态栏的{word}",
            "屏幕最上面那一行不合我意，{word}我想{put}",
            "顶部状态栏里的{word}要{put}，改一下",
        ),
    ),
    Wish(
        calls=(do("manage_desktop_layout", action="set", grid="{grid}", iconSize="{size}"),),
        slots={
            "grid": lambda rng, world: rng.choice(("4x6", "5x5")),
            "size word": worded(("large", ("large", "大")), ("medium", ("medium", "中等"))),
        },
        patch=desk(desktop_icon_size="small"),
        english=(
            "Home screen grid {grid} with {word} icons.",
            "Set the desktop to a {grid} grid and the icon size to {word}.",
            "I want my home screen in {grid}, and the icons {word} so that I can tell them apart.",
            "Arrange the desktop as {grid}; icons {word}, please.",
        ),
        chinese=(
            "桌面布局改成{grid}，图标用{word}的。",
            "桌面网格{grid}，图标大小：{word}",
            "桌面我想要{grid}的排列，图标看不清，调成{word}",
            "主屏幕按{grid}排，图标尺寸设{word}",
        ),
    ),
    Wish(
        calls=(do("manage_desktop_layout", action="lock"),),
        slots={"title": TITLES},
        patch=desk(),
        english=(
            "Lock the home screen layout.",
            "Nothing on my desktop should be movable, lock its layout.",
            "My toddler rearranged all icons during {title}. Lock the desktop layout so it can't happen again.",
            "The kids get my phone during {title}, so fix the home screen layout in place first.",
        ),
        chinese=(
            "锁定桌面布局。",
            "桌面图标别让人乱动，锁定布局",
            "刚才“{title}”的时候孩子把图标全弄乱了，把桌面布局锁上",
            "“{title}”时手机要给孩子玩，先把主屏幕布局固定住",
        ),
    ),
    Wish(
        calls=(do("manage_desktop_page", action="add"),),
        slots={"title": TITLES},
        patch=desk(),
        english=(
            "Add a page to the home screen.",
            "One more desktop page, please.",
            "My home screen is full and I need space for {title} stuff, give me another page.",
            "I'd like an empty page on the desktop for everything about {title}.",
        ),
        chinese=(
            "桌面添加一页。",
            "主屏幕再加一个页面",
            "桌面都放满了，“{title}”的东西没地方放，新增一页",
            "想给“{title}”留一个空白的桌面页，加一页吧",
        ),
    ),
    Wish(
        calls=(do("manage_desktop_page", action="set_main", page="{page}"),),
        slots={"page": number(2, 3)},
        patch=desk(),
        english=(
            "Make page {page} of the desktop the main page.",
            "Main page of the home screen: {page}.",
            "The home button should take me to page {page} of the desktop.",
            "What I use most is on page {page}, so let that be the main home screen page.",
        ),
        chinese=(
            "把桌面第{page}页设为主页。",
            "主屏幕默认页改成第{page}页",
            "按回桌面应该到第{page}页，设一下",
            "常用的都在第{page}页，让它当桌面主页",
        ),
    ),
    Wish(
        calls=(do("manage_desktop_icon", action="move", appName="{app}", page="{page}"),),
        slots={"app": ICONS, "page": number(2, 3)},
        patch=desk(icon()),
        english=(
            "Move the {app} icon to page {page}.",
            "Put {app} on page {page} of my desktop.",
            "{app} doesn't belong on the first page. Its icon should go to page {page}.",
            "Can you take {app} from page 1 of the home screen to page {page}?",
        ),
        chinese=(
            "把{app}图标移到第{page}页。",
            "桌面上的{app}放到第{page}页",
            "{app}放第一页不合适，图标挪到第{page}页",
            "能不能把{app}从桌面第1页换到第{page}页？",
        ),
    ),
    Wish(
        calls=(do("manage_desktop_icon", action="remove", appName="{app}"),),
        slots={"app": ICONS},
        patch=desk(icon()),
        hidden=("manage_hidden_apps", "uninstall_app"),
        english=(
            "Take the {app} icon off the desktop.",
            "Remove {app} from my home screen, the app itself stays.",
            "I open {app} by voice anyway. Its icon can go from the desktop, but don't uninstall it.",
            "No {app} icon on the home screen, please. Keep the app.",
        ),
        chinese=(
            "把{app}图标从桌面移除。",
            "主屏幕上别放{app}了，应用保留",
            "{app}我都用语音打开，桌面图标去掉，别卸载",
            "桌面不要{app}的图标，应用本身留着",
        ),
    ),
    Wish(
        calls=(do("manage_desktop_widget", action="move", widget="{widget}", page="{page}"),),
        slots={"widget": WIDGETS, "page": number(2, 3)},
        patch=desk(widget()),
        english=(
            "Move the {widget} widget to page {page}.",
            "{widget} widget on desktop page {page} instead of 1.",
            "The first page is crowded, so the {widget} widget should sit on page {page}.",
            "Let me find the {widget} widget on page {page} of the home screen, no longer on the first.",
        ),
        chinese=(
            "把{widget}小部件移到第{page}页。",
            "{widget}小组件别放第1页，放第{page}页",
            "第一页太挤了，{widget}小部件挪去第{page}页",
            "我想在桌面第{page}页看到{widget}小组件，第一页不要了",
        ),
    ),
)

FOLDER = {"kind": "folder", "name": "{folder}", "page": 1, "folder": ""}
FOLDERS = (
    Wish(
        calls=(do("manage_desktop_folder", action="create", folderName="{folder}", appNames=["{app}", "{other}"]),),
        slots={"folder": TITLES, "app other": ICONS},
        patch=desk(icon(), icon("{other}")),
        english=(
            'Make a desktop folder "{folder}" with {app} and {other}.',
            'Put {app} and {other} together in a new home screen folder called "{folder}".',
            'My desktop is a mess: {app} and {other} should go into a new folder, name it "{folder}".',
        ),
        chinese=(
            "桌面新建文件夹“{folder}”，放{app}和{other}。",
            "把{app}和{other}放进一个新的桌面文件夹，名字叫“{folder}”",
            "桌面太乱了，{app}跟{other}归到新文件夹“{folder}”里",
        ),
    ),
    Wish(
        calls=(do("manage_desktop_folder", action="rename", folderName="{folder}", newName="{title}"),),
        slots={"folder": lambda rng, world: rng.choice(("Odds", "Stuff", "Corner")), "title": TITLES},
        patch=desk(FOLDER),
        english=(
            'Rename the desktop folder {folder} to "{title}".',
            'The folder {folder} on my home screen should be called "{title}".',
            '{folder} is a silly name for that desktop folder, make it "{title}".',
        ),
        chinese=(
            "桌面文件夹{folder}改名为“{title}”。",
            "主屏幕上那个{folder}文件夹，名字换成“{title}”",
            "{folder}这名字不好听，桌面那个文件夹改叫“{title}”",
        ),
    ),
    Wish(
        calls=(do("manage_color_correction", action="enable", mode="{mode}"),),
        slots={
            "mode old word": worded(
                ("deuteranomaly", "grayscale", ("deuteranomaly (weak green)", "绿色弱")),
                ("protanomaly", "grayscale", ("protanomaly (weak red)", "红色弱")),
                ("tritanomaly", "grayscale", ("tritanomaly (weak blue)", "蓝色弱")),
                ("grayscale", "protanomaly", ("grayscale", "灰度")),
            )
        },
        patch=phone(color_correction="off", color_correction_mode="{old}"),
        english=(
            "Turn on color correction, mode {word}.",
            "Color correction for {word}, please.",
            "I can't tell the colors on the map apart. Switch on color correction with the mode {word}.",
        ),
        chinese=(
            "打开色彩校正，{word}模式。",
            "色彩校正开启，选{word}",
            "地图上的颜色我分不清，把色彩校正打开，用{word}模式",
        ),
    ),
)


@family("system_desktop_set", TOOL, SYSTEM, "grounding", variants=len(DESKTOP))
def system_desktop_set(rng: Draw, world: World) -> Draft:
    """One change of desktop, control centre or status bar."""
    return wished(rng, world, DESKTOP)


@family("system_folders", TOOL, SYSTEM, "grounding", unseen="tool", variants=len(FOLDERS))
def system_folders(rng: Draw, world: World) -> Draft:
    """Desktop folders and colour correction."""
    return wished(rng, world, FOLDERS)


FAMILIES = (system_desktop_set, system_folders)
