"""Skill families of conflicting wishes: what has to come first, and what cannot both be had."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, ask, do, done, family
from qpa.bench.families.mobile.common import asked, online, settings
from qpa.bench.families.mobile.skill_base import guided
from qpa.bench.families.tool_calls import contact_row, person
from qpa.bench.families.values import MESSAGES, TODOS, Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import World

SKILL = Dimension.SKILL
ARBITER = "conflict-order-arbiter"
SHOWS = ("Quiz Isle", "Harbor Lights", "The Ninth Kite", "Snow Line", "Copper Moon")
SCREENS = ("Salon TV", "Attic TV", "Den TV", "Studio TV", "Porch TV")


@family("skill_last_text", SKILL, "Network & Connectivity", "multi_skill", "dependency")
def skill_last_text(rng: Draw, world: World) -> Draft:
    """Airplane mode is named first, but a text has to leave before it."""
    name, content = person(rng, world), rng.pick(MESSAGES)

    def plan() -> Plan:
        yield [do("send_message", content=content, contact=name)]
        yield [do("manage_airplane_mode", action="enable")]
        return done(rng.say(f"{name} was texted; airplane mode is on.", f"已发给{name}，飞行模式已开。"))

    return guided(
        Draft(
            phrasings=(
                'Airplane mode on, and text {name} "{content}".',
                'We are boarding: airplane mode please, and {name} must still get "{content}".',
                'Turn on airplane mode. Oh, and a text to {name}: "{content}".',
                'I need airplane mode now and {name} needs to read "{content}", do both.',
            ),
            chinese=(
                "开飞行模式，再给{name}发短信“{content}”。",
                "要登机了，开飞行模式，还得短信告诉{name}“{content}”。",
                "打开飞行模式。对了，给{name}发个短信：“{content}”。",
                "飞行模式要开，{name}也得收到短信“{content}”，两样都办了。",
            ),
            slots={"name": name, "content": content},
            plan=plan,
            criteria="tool",
            patch={"contacts": [contact_row(701, name, rng.phone())], "settings": online()},
        ),
        ARBITER,
        "mobile-network",
        "messages-mail",
    )


@family("skill_power_last", SKILL, "System Settings", "multi_skill", "dependency")
def skill_power_last(rng: Draw, world: World) -> Draft:
    """A phone that is off notes nothing: the power-off comes last."""
    content = rng.pick(TODOS)

    def plan() -> Plan:
        yield [do("manage_todo", action="create", content=content)]
        yield [do("control_device_power", action="power_off")]
        return done(rng.say(f"Noted: {content}. Switching off.", f"已记待办：{content}。正在关机。"))

    return guided(
        Draft(
            phrasings=(
                'Switch the phone off and put "{content}" on my to-do list.',
                'Power off now please, and I must not forget "{content}", so add that to-do.',
                'Turn the phone off. My to-dos lack "{content}", add it.',
                'Shut down, but "{content}" has to be on the to-do list.',
            ),
            chinese=(
                "关机，再把“{content}”加到待办里。",
                "手机关了吧，另外我怕忘了“{content}”，加个待办。",
                "关机。待办里还缺一条“{content}”，加上。",
                "我要关机了，不过待办得有“{content}”。",
            ),
            slots={"content": content},
            plan=plan,
            criteria="tool",
            patch={"settings": settings(device_power="on")},
        ),
        ARBITER,
        "power-performance-battery",
        "calendar-todos",
    )


@family("skill_data_or_stream", SKILL, "Network & Connectivity", "multi_skill", "recovery")
def skill_data_or_stream(rng: Draw, world: World) -> Draft:
    """Without Wi-Fi, no mobile data and a stream contradict each other: query, then ask."""
    show = rng.choice(SHOWS)

    def plan() -> Plan:
        yield [do("manage_mobile_data", action="query"), do("query_shows", keyword=show)]
        return ask(
            rng.say(
                f"Without mobile data {show} cannot stream. Data off, or watch it?",
                f"关了移动数据就看不了{show}。是关数据，还是看片？",
            )
        )

    return guided(
        Draft(
            phrasings=(
                "I've used up my plan: turn mobile data off now, and stream {show}; there's no Wi-Fi out here.",
                "No Wi-Fi in this hut. Mobile data off please, and start streaming {show} at the same time.",
                "Stream {show} for me and switch mobile data off right now, Wi-Fi isn't available.",
                "Data is expensive here and Wi-Fi there is none, so mobile data off, and put on {show} from the net.",
            ),
            chinese=(
                "流量用完了，马上关移动数据，然后在线播{show}，这里没Wi-Fi。",
                "这儿没有Wi-Fi，移动数据关掉，同时开始在线看{show}。",
                "在线播放{show}，移动数据现在就关，附近没Wi-Fi可用。",
                "流量太贵，又没Wi-Fi，所以移动数据关了，再从网上放{show}。",
            ),
            slots={"show": show},
            plan=plan,
            criteria=asked([show], ["data", "数据", "流量"], reads=("manage_mobile_data",)),
            patch={
                "media_shows": [{"title": show, "kind": "series", "genre": "quiz", "episodes": 6, "episode": 2}],
                "settings": online(wifi="off", media_state="stopped", media_item=""),
                "wifi_networks": [{"ssid": row["ssid"], "connected": 0} for row in world.rows["wifi_networks"]],
            },
        ),
        ARBITER,
        "mobile-network",
        "video-shows",
    )


@family("skill_other_screen", SKILL, "Devices & Cross-device", "multi_skill", "dependency", "revision")
def skill_other_screen(rng: Draw, world: World) -> Draft:
    """One casting at a time: the running one ends before the other begins."""
    old, new = rng.sample(SCREENS, 2)

    def plan() -> Plan:
        yield [do("control_screen_casting", action="stop")]
        yield [do("control_screen_casting", action="start", targetDeviceName=new)]
        return done(rng.say(f"Now on {new}.", f"已投到{new}。"))

    draft = Draft(
        phrasings=(
            "My screen should be cast to {new}, no longer to {old}.",
            "Cast to {new} instead of {old}.",
            "Put my screen on {new}; {old} where it's on now is the wrong one.",
            "Wrong telly! It's on {old} now but I meant {new}, cast it there.",
        ),
        chinese=(
            "屏幕投到{new}，别投{old}了。",
            "投屏换成{new}，不要{old}。",
            "现在投的{old}不对，应该投到{new}。",
            "投错电视了，现在是{old}，我要的是{new}。",
        ),
        slots={"old": old, "new": new},
        plan=plan,
        patch={
            "devices": [
                {"id": f"device_88{i}", "name": name, "kind": "tv", "nearby": 1, "online": 1}
                for i, name in enumerate((old, new))
            ],
            "settings": online(
                wifi="on", bluetooth="on", casting_device=old, casting_direction="cast_out", casting_method="wireless"
            ),
        },
    )
    return guided(draft, ARBITER, "devices-sharing")


@family("skill_backup_reset", SKILL, "System Settings", "multi_skill", "dependency", "safety")
def skill_backup_reset(rng: Draw, world: World) -> Draft:
    """A reset cannot be undone: the backup that is named after it comes first."""
    name = rng.say(f"Before reset {rng.randint(10, 99)}", f"重置前{rng.randint(10, 99)}")

    def plan() -> Plan:
        yield [do("manage_backup", action="create", backupName=name)]
        yield [do("reset_settings", scope="accessibility")]
        return done(rng.say(f"Backed up as {name}, then reset.", f"已备份为{name}，无障碍设置已重置。"))

    return guided(
        Draft(
            phrasings=(
                "Reset the accessibility settings, I'm sure, and make a backup called {name} of how it is now.",
                "Accessibility back to defaults, yes really; but keep the present state in the backup {name}.",
                "Yes, reset accessibility. What I have now belongs in a backup named {name}.",
                "Go ahead and reset accessibility, only I want to be able to go back: backup {name}.",
            ),
            chinese=(
                "重置无障碍设置，我确定；现在的状态要备份，名字叫{name}。",
                "无障碍恢复默认，真的要，不过当前设置得存成备份{name}。",
                "对，重置无障碍。现在的设置留一份备份，叫{name}。",
                "无障碍设置重置吧，但要能退回来，备份名{name}。",
            ),
            slots={"name": name},
            plan=plan,
            criteria="tool",
            patch={"settings": settings(talkback="off", touch_hold_delay="long")},
        ),
        ARBITER,
        "system-maintenance",
    )


FAMILIES = (skill_last_text, skill_power_last, skill_data_or_stream, skill_other_screen, skill_backup_reset)
