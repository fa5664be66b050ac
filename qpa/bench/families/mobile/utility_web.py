"""Basic tool use in Utilities & Productivity: one-call wishes about the browser and the translator."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.common import online, phone
from qpa.bench.families.mobile.display_slots import TOOL
from qpa.bench.families.mobile.utility_slots import LANGUAGE, UTILITIES, entry, fresh_page
from qpa.bench.families.mobile.wishes import Wish, wished
from qpa.bench.families.values import EVENTS, Draw
from qpa.envs.sandbox.schema import World

LANGUAGE_KEYS = ("french", "german", "spanish")

WEB = (
    Wish(
        calls=(do("browser_service", action="open", page="{title}"),),
        slots={"title url": fresh_page("tab")},
        patch={"settings": online()},
        english=(
            "Open the page {title} in the browser.",
            "Take me to {url}.",
            "Go to the web page of {title}, please. I'll read it myself.",
            "I'd like to see {url} in my browser.",
        ),
        chinese=("用浏览器打开{title}。", "打开网页{url}", "去{title}的网页，我自己看", "浏览器里帮我进{url}"),
    ),
    Wish(
        calls=(do("browser_service", action="close_tab", page="{title}"),),
        slots={"title url": fresh_page("tab"), "event": EVENTS},
        patch={"browser_entries": [entry("tab")]},
        english=(
            "Close the {title} tab.",
            "The tab with {title} can be closed, keep the others.",
            "Done with {url}, close that tab.",
            "I opened {title} for the {event} and don't need that tab now.",
        ),
        chinese=(
            "关掉{title}的标签页。",
            "{title}那个标签可以关了，其他留着",
            "{url}看完了，关掉这个标签页",
            "{title}是为了{event}开的，现在标签页不要了",
        ),
    ),
    Wish(
        calls=(do("browser_service", action="close_all"),),
        slots={"title url": fresh_page("tab"), "event": EVENTS},
        patch={"browser_entries": [entry("tab")]},
        english=(
            "Close all browser tabs.",
            "{event} research is finished, close every tab in the browser.",
            "Too many tabs. All of them can go, also {title}.",
            "Empty the browser of open tabs, {title} included.",
        ),
        chinese=(
            "关闭浏览器所有标签页。",
            "{event}的资料查完了，浏览器标签全关",
            "标签页太多了，连{title}一起全部关掉",
            "浏览器里开着的标签都关了，{title}也不留",
        ),
    ),
    Wish(
        calls=(do("manage_bookmark", action="add", page="{title}"),),
        slots={"title url": fresh_page("bookmark"), "event": EVENTS},
        english=(
            "Bookmark {title}.",
            "Save {url} to my bookmarks.",
            "I'll need the page {title} again for the {event}, add a bookmark.",
            "Put {title} among the bookmarks of my browser.",
        ),
        chinese=("把{title}加入书签。", "收藏网页{url}", "{event}还要用到{title}，加个书签", "浏览器书签里添上{title}"),
    ),
    Wish(
        calls=(do("manage_bookmark", action="remove", page="{title}"),),
        slots={"title url": fresh_page("bookmark"), "event": EVENTS},
        patch={"browser_entries": [entry("bookmark")]},
        english=(
            "Remove the bookmark {title}.",
            "I don't need {title} in my bookmarks any more.",
            "The {event} is history, delete the bookmark for {url}.",
            "Take {url} out of the bookmarks.",
        ),
        chinese=(
            "删除书签{title}。",
            "书签里的{title}不要了",
            "{event}都过去了，{url}的书签删掉吧",
            "把{url}从书签里去掉",
        ),
    ),
    Wish(
        calls=(do("manage_browser_history", action="clear", period="last_hour"),),
        slots={"title url": fresh_page("visit")},
        patch={
            "browser_entries": [
                entry("visit", at="2025-01-15T08:35:00"),
                entry("visit", at="2025-01-15T05:10:00"),
            ]
        },
        english=(
            "Clear the browsing history of the last hour.",
            "I was looking for a present, {title} and such. Wipe only the last hour from the browser history.",
            "Delete what I visited in the past 60 minutes from my browsing history.",
            "Everything in the browser history from the last hour has to go, {title} among it.",
        ),
        chinese=(
            "清除最近一小时的浏览记录。",
            "刚才在偷偷挑礼物，看了{title}什么的，把最近一小时的浏览历史清掉，更早的不动",
            "过去60分钟的上网记录删掉",
            "浏览器最近一小时的历史都清了，包括{title}",
        ),
    ),
    Wish(
        calls=(do("manage_browser_history", action="clear", keyword="{title}"),),
        slots={"title url": fresh_page("visit"), "event": EVENTS},
        patch={"browser_entries": [entry("visit")]},
        english=(
            "Remove {title} from my browsing history.",
            "Delete the visits to {title} from the browser history, only those.",
            "The {event} is a surprise, so {title} must not show up in my browsing history.",
            "Forget that I ever visited {title}: clear just that page from the history.",
        ),
        chinese=(
            "把{title}从浏览记录里删掉。",
            "浏览历史里只删{title}的访问记录",
            "{event}要给人惊喜，浏览记录里别留下{title}",
            "当我没看过{title}，历史里单独清掉它",
        ),
    ),
    Wish(
        calls=(do("manage_translation", action="download_pack", language="{language}"),),
        slots={"language word": LANGUAGE, "event": EVENTS},
        patch={"settings": online(data_saver="off", **{f"translation_pack_{key}": "off" for key in LANGUAGE_KEYS})},
        english=(
            "Download the {word} translation pack.",
            "I'm flying for the {event} and want to translate {word} offline. Get that language pack.",
            "Make {word} available for translation without internet.",
            "Load the offline pack for {word}, please.",
        ),
        chinese=(
            "下载{word}翻译包。",
            "为了{event}要出趟国，想离线翻译{word}，把语言包下好",
            "没网的时候也要能翻译{word}，准备一下",
            "把{word}的离线翻译包下载下来",
        ),
    ),
    Wish(
        calls=(do("manage_translation", action="remove_pack", language="{language}"),),
        slots={"language word": LANGUAGE, "event": EVENTS},
        patch=phone(**{f"translation_pack_{key}": "on" for key in LANGUAGE_KEYS}),
        english=(
            "Remove the {word} translation pack.",
            "The {event} is behind me, the offline pack for {word} can go.",
            "Delete the offline {word} pack of the translator to save space.",
            "I won't translate {word} offline any more, so take that pack off the phone.",
        ),
        chinese=(
            "删除{word}翻译包。",
            "{event}结束了，{word}的离线包可以删了",
            "翻译里的{word}离线包删掉，省点空间",
            "以后不离线翻译{word}了，语言包从手机上移除",
        ),
    ),
    Wish(
        calls=(do("manage_translation", action="set_target", language="{language}"),),
        slots={"language word": LANGUAGE, "event": EVENTS},
        patch=phone(translation_target="Japanese"),
        english=(
            "Set {word} as my preferred translation language.",
            "From now on translate into {word} by default.",
            "Before the {event} everything should be translated to {word} unless I say otherwise.",
            "Change the translator's default target language to {word}.",
        ),
        chinese=(
            "翻译的默认目标语言设为{word}。",
            "以后默认都翻译成{word}",
            "{event}之前，没特别说的话都译成{word}",
            "翻译的首选目标语言换成{word}",
        ),
    ),
)


@family("utility_web_set", TOOL, UTILITIES, "grounding", variants=len(WEB))
def utility_web_set(rng: Draw, world: World) -> Draft:
    """One call: pages, bookmarks, history and translation packs."""
    return wished(rng, world, WEB)


FAMILIES = (utility_web_set,)
