"""Basic tool use in System Settings: what an earlier turn said, and what the user takes back."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import phone
from qpa.bench.families.mobile.system import SYSTEM, TOOL, newcomers, phone_name
from qpa.bench.families.mobile.system_access import LANGUAGES
from qpa.bench.families.mobile.system_desktop import (
    ICONS,
    SHOWN_TILES,
    STATUS_WORDS,
    TILES,
    WIDGETS,
    desk,
    icon,
    widget,
)
from qpa.bench.families.mobile.wishes import Past, Wish, number, wished, worded
from qpa.bench.families.values import NAMES, TITLES, Draw
from qpa.envs.sandbox.schema import World


def _two_status_items(rng: Draw, world: World) -> list[str]:
    (first, word), (second, other) = rng.sample(STATUS_WORDS, 2)
    return [first, rng.say(*word), second, rng.say(*other)]


def _two_words(rng: Draw, world: World) -> list[str]:
    """Two touch and hold delays and their words."""
    options = (("short", ("short", "短")), ("medium", ("medium", "中")), ("long", ("long", "长")))
    (value, word), (other, its_word) = rng.sample(options, 2)
    return [value, rng.say(*word), other, rng.say(*its_word)]


def _account(rng: Draw, world: World) -> str:
    return f"user{rng.randint(100, 999)}@gmail.com"


REFERENCES = (
    Wish(
        calls=(do("manage_status_bar_display", action="disable", item="{other}"),),
        slots={"item word other said": _two_status_items},
        patch=phone(**{f"status_bar_{item}": "on" for item, _ in STATUS_WORDS}, **{"status_bar_{item}": "off"}),
        past=(
            Past(
                ("Hide the {word} in the status bar.", "状态栏隐藏{word}。"),
                ("The {word} is hidden.", "{word}已隐藏。"),
                do("manage_status_bar_display", action="disable", item="{item}"),
                {"enabled": False},
            ),
        ),
        english=(
            "Now the {said} as well.",
            "Same for the {said}, please.",
            "Better. And do that with the {said} too.",
            "The {said} bothers me just as much, so it goes the same way.",
        ),
        chinese=("{said}也一样。", "{said}也同样处理", "好多了，{said}也这么弄", "{said}我看着也烦，跟刚才一样处理"),
    ),
    Wish(
        calls=(do("manage_language", action="set", language="{language}"),),
        slots={"language spoken": worded(*LANGUAGES)},
        patch=phone(language="English", language_list="English, {language}"),
        past=(
            Past(
                ("Add {spoken} to the phone's languages.", "给手机添加{spoken}。"),
                ("{spoken} is in the list now.", "{spoken}已添加。"),
                do("manage_language", action="add", language="{language}"),
                {"language": "English"},
            ),
        ),
        english=(
            "Good, and make it the system language.",
            "Now switch the whole system to it.",
            "Actually I want to use this one for the system, not just have it in the list.",
            "Thanks. From now on the phone should speak it too, set it as the language in use.",
        ),
        chinese=(
            "好，把它设为系统语言。",
            "整个系统都换成它吧",
            "光在列表里不够，系统就用这个语言",
            "谢谢，以后手机就用它，设成正在使用的语言",
        ),
    ),
    Wish(
        calls=(do("manage_account_sync", action="disable", accountName="{account}"),),
        slots={"account": _account, "name": NAMES},
        patch={"accounts": [{"name": "{account}", "provider": "google", "sync": 1}]},
        past=(
            Past(
                ("Add my Google account {account}.", "添加我的谷歌账号{account}。"),
                ("The account {account} is on the phone.", "账号{account}已添加。"),
                do("manage_account", action="add", accountName="{account}", provider="google"),
                {"account": "{account}"},
            ),
        ),
        english=(
            "Don't sync that one.",
            "Turn off sync for it, only for it.",
            "I share this account with {name}, so I don't want it synchronised here. Only this one.",
            "Good. Sync must be off for the account you just added, the others keep syncing.",
        ),
        chinese=(
            "这个账号不要同步。",
            "只把它的同步关掉",
            "这个号我和{name}共用，别在这里同步它，其他的照常",
            "好，刚加的那个关掉同步，别的账号不动",
        ),
    ),
    Wish(
        calls=(do("manage_control_center", action="add", tile="{tile}", position=1),),
        slots={"tile": TILES, "hours": number(2, 9)},
        patch=phone(control_center_tiles=SHOWN_TILES),
        past=(
            Past(
                ("Remove {tile} from the control center.", "控制中心去掉{tile}。"),
                ("The {tile} tile is removed.", "{tile}已移除。"),
                do("manage_control_center", action="remove", tile="{tile}"),
                {"tile": "{tile}"},
            ),
        ),
        english=(
            "I miss it already. Put it back, in first place.",
            "Bring that tile back as the very first one.",
            "After {hours} hours without it I want it back, at position 1.",
            "Hm, I do need it. It should return to the control center, ahead of all the others.",
        ),
        chinese=(
            "还是需要它，加回来，放第一个。",
            "那个磁贴恢复，排在最前面",
            "少了它{hours}个小时就不习惯了，加回第1位",
            "嗯，还是得有它，放回控制中心，排在所有磁贴前面",
        ),
    ),
    Wish(
        calls=(do("manage_desktop_page", action="set_main", page=4),),
        slots={"title": TITLES},
        patch=desk(desktop_pages="4"),
        past=(
            Past(
                ("Add a desktop page for {title}.", "给“{title}”加一页桌面。"),
                ("Page 4 is there.", "第4页加好了。"),
                do("manage_desktop_page", action="add"),
                {"page": 4},
            ),
        ),
        english=(
            "Make that the main page.",
            "Now let the home button lead to it: it's my main page.",
            "Perfect. The new one should also be the main page of the desktop.",
            "That page matters most to me, so it becomes the main one.",
        ),
        chinese=(
            "把它设为主页。",
            "按回桌面就到那一页，设成主页",
            "很好，新加的这页同时当桌面主页",
            "这页对我最重要，让它当主页",
        ),
    ),
    Wish(
        calls=(do("manage_desktop_icon", action="move", appName="{app}", page="{page}"),),
        slots={"other app": ICONS, "page": number(2, 3)},
        patch=desk(icon(), icon("{other}", "{page}")),
        past=(
            Past(
                ("Put the icon of {other} on page {page}.", "把{other}图标放到第{page}页。"),
                ("{other} is on page {page}.", "{other}已放到第{page}页。"),
                do("manage_desktop_icon", action="move", appName="{other}", page="{page}"),
                {"app": "{other}", "page": "{page}"},
            ),
        ),
        english=(
            "{app} should go to the same page.",
            "And {app} next to it, on that page.",
            "Nice. I use it together with {app}, so bring that icon there too.",
            "Let {app} keep it company over there.",
        ),
        chinese=(
            "{app}也放到同一页。",
            "{app}跟它放一起，也在那一页",
            "不错，我常和{app}一起用，图标也挪过去",
            "让{app}也去那一页陪它",
        ),
    ),
)

REVISIONS = (
    Wish(
        calls=(do("manage_touch_hold_delay", action="set", delay="{delay}"),),
        slots={"wrong said delay word": _two_words},
        patch=phone(touch_hold_delay="{wrong}"),
        past=(
            Past(
                ("Set the touch and hold delay to {said}.", "触摸按住延迟设为{said}。"),
                ("It is {said} now; before it was {word}.", "已设为{said}，之前是{word}。"),
                do("manage_touch_hold_delay", action="set", delay="{wrong}"),
                {"delay": "{wrong}"},
            ),
        ),
        english=(
            "That's worse. Put it back.",
            "No, undo that.",
            "Hm, {said} doesn't work for me, I want what I had before.",
            "Forget it, restore the old value.",
        ),
        chinese=("更难用了，改回去。", "不对，撤销刚才的", "嗯，{said}不适合我，还是原来那样", "算了，恢复成之前的"),
    ),
    Wish(
        calls=(do("manage_charging_protection", action="enable", limit="{limit}"),),
        slots={"wrong limit": lambda rng, world: rng.sample((80, 85, 90, 95), 2)},
        patch=phone(charging_protection="off"),
        hidden=("manage_automation_rule", "trigger_task"),
        english=(
            "Stop charging at {wrong}%, no, {limit}%.",
            "Charging limit {wrong} percent please... sorry, I meant {limit}.",
            "I read that {wrong}% is the healthiest charging limit. Or wait, it was {limit}. Use that one.",
            "Protect the battery and end charging at {wrong}%. Hang on, make it {limit}% instead.",
        ),
        chinese=(
            "充电到{wrong}%停，不，{limit}%。",
            "充电上限{wrong}%……说错了，{limit}%",
            "听说充到{wrong}%最护电池，哦不对，是{limit}%，就设这个",
            "开充电保护，{wrong}%停止，等等，还是{limit}%吧",
        ),
    ),
    Wish(
        calls=(do("manage_device_info", action="rename", deviceName="{name}"),),
        slots={"wrong": phone_name, "name": TITLES},
        patch=phone(device_name="{wrong}"),
        past=(
            Past(
                ('Rename my phone to "{wrong}".', "手机改名叫“{wrong}”。"),
                ('The phone is now called "{wrong}".', "手机改名为“{wrong}”了。"),
                do("manage_device_info", action="rename", deviceName="{wrong}"),
                {"name": "{wrong}"},
            ),
        ),
        english=(
            'On second thought, "{name}" is better.',
            'No, call it "{name}" instead.',
            'Too long for my taste. "{name}" will do as the name.',
            'Strangers would see that name. Let\'s have "{name}" there.',
        ),
        chinese=(
            "再想想，还是叫“{name}”好。",
            "不，改叫“{name}”",
            "这名字太长了，就叫“{name}”",
            "陌生人会看到这个名字，换成“{name}”吧",
        ),
    ),
    Wish(
        calls=(do("manage_desktop_widget", action="move", widget="{widget}", page="{page}"),),
        slots={"widget": WIDGETS, "page": number(2, 3)},
        patch=desk(widget()),
        english=(
            "Remove the {widget} widget from the desktop. Wait, no, move it to page {page}.",
            "Delete the {widget} widget... actually keep it, but on page {page}.",
            "The {widget} widget annoys me on page 1, away with it! Or no, put it on page {page} instead.",
            "Take away the {widget} widget, or rather not: it should just go to page {page}.",
        ),
        chinese=(
            "删掉桌面的{widget}小部件，等等，移到第{page}页就行。",
            "{widget}小组件不要了……算了留着，放第{page}页",
            "{widget}小部件在第1页碍事，去掉！嗯，还是怕用得着，挪到第{page}页吧",
            "把{widget}小部件拿掉，不，别删，移去第{page}页",
        ),
    ),
    Wish(
        calls=(
            do("manage_user_profile", action="delete", profileName="{wrong}"),
            do("manage_user_profile", action="create", profileName="{name}"),
        ),
        slots={"wrong name": newcomers},
        patch={"user_profiles": [{"name": "{wrong}", "kind": "user", "active": 0}]},
        past=(
            Past(
                ("Create a user profile {wrong}.", "新建用户{wrong}。"),
                ("The profile {wrong} is there.", "用户{wrong}已创建。"),
                do("manage_user_profile", action="create", profileName="{wrong}"),
                {"profile": "{wrong}"},
            ),
        ),
        english=(
            "Oh, that's the wrong name. Delete it and make one called {name}.",
            "I mixed them up: drop this profile, and create {name} instead.",
            "Wrong person, sorry. It should be {name}, remove the one you just made.",
            "Not {wrong}, of course, but {name}. Replace the profile, it's still empty anyway.",
        ),
        chinese=(
            "名字错了，删掉它，建一个叫{name}的。",
            "我弄混了，这个用户不要，改建{name}",
            "不是这个人，应该是{name}，刚建的那个删了",
            "不该是{wrong}，是{name}，换掉吧，反正里面还是空的",
        ),
    ),
    Wish(
        calls=(do("manage_battery", mode="normal"), do("manage_battery_saver_schedule", action="disable")),
        slots={"limit": number(10, 30, 5)},
        patch=phone(
            battery_mode="power_saving",
            battery_saver_schedule="on",
            battery_saver_threshold="{limit}",
            battery_level="76",
            game_mode="balanced",
            cooling_fan="off",
        ),
        past=(
            Past(
                (
                    "Power saving on, and schedule it below {limit}% from now on.",
                    "打开省电模式，以后低于{limit}%也自动开。",
                ),
                (
                    "Power saving is on (it was normal), and the schedule starts below {limit}% (it was off).",
                    "省电模式已开（之前是普通），{limit}%以下自动开启也设好了（之前是关的）。",
                ),
            ),
        ),
        english=(
            "Changed my mind, take both back.",
            "Undo the two things.",
            "Hm, everything is slow now. Cancel that again, the schedule too.",
            "I don't want either of it after all; battery as it was before.",
        ),
        chinese=(
            "我改主意了，两个都撤销。",
            "刚才两项都恢复",
            "嗯，太卡了，都取消，自动开启也取消",
            "还是都不要了，电池恢复成原来那样",
        ),
    ),
)


@family("system_reference", TOOL, SYSTEM, "reference", variants=len(REFERENCES))
def system_reference(rng: Draw, world: World) -> Draft:
    """What is meant stands in the turn before."""
    return wished(rng, world, REFERENCES)


@family("system_revision", TOOL, SYSTEM, "revision", variants=len(REVISIONS))
def system_revision(rng: Draw, world: World) -> Draft:
    """The user corrects himself or takes something back."""
    return wished(rng, world, REVISIONS)


FAMILIES = (system_reference, system_revision)
