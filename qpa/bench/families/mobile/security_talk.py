"""Basic tool use in Security & Privacy in steps and across turns: look first, what "it" is, and changes of mind."""

from __future__ import annotations

from qpa.bench.families.base import Draft, Plan, do, done, family
from qpa.bench.families.mobile.apps import QUIET_APPS, TOOL
from qpa.bench.families.mobile.apps_files import CHINESE_DOCUMENTS, DOCUMENTS, file_row, files
from qpa.bench.families.mobile.common import branch, settings
from qpa.bench.families.mobile.security import (
    SECURITY,
    SITES,
    USERS,
    account,
    code,
    codes,
    enrolled,
    fingers,
    locked,
    rule,
)
from qpa.bench.families.mobile.wishes import Past, Wish, either, number, wished
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.domains.security_guard import THREATS
from qpa.envs.sandbox.schema import World


def lock_first(rng: Draw, world: World) -> Draft:
    """Some phones have no screen lock yet, which an app lock needs (409)."""
    app, pin = rng.pick(QUIET_APPS), code(rng, world)

    def plan() -> Plan:
        lock = do("manage_app_lock", action="enable", appName=app)
        feedback = yield [lock]
        if not feedback[0].ok:
            yield [do("manage_screen_lock", action="set", lockType="pin", code=pin)]
            yield [lock]
        return done(rng.say(f"{app} is locked.", f"{app}已加锁。"))

    return Draft(
        phrasings=(
            "Put an app lock on {app}. If the phone has no screen lock yet, set the PIN {pin} first.",
            "App lock for {app}, please. It may need a screen lock: take PIN {pin} unless there is a code already.",
            "{app} should be behind the app lock. In case no code protects the screen, make it PIN {pin}.",
            "I want {app} locked. Only if there's no PIN, pattern or password so far, start with PIN {pin}.",
        ),
        chinese=(
            "给{app}加应用锁，手机要是还没有锁屏密码，先设PIN码{pin}。",
            "{app}上应用锁。可能要先有锁屏，没有的话PIN码用{pin}，有就别改",
            "{app}要用应用锁，如果屏幕没设密码，先把PIN设成{pin}",
            "我想锁住{app}，只有在没设过任何锁屏密码时才设PIN码{pin}",
        ),
        slots={"app": app, "pin": pin},
        plan=plan,
        patch={"apps": [{"name": app}], "settings": settings(lockdown_mode="off")},
        shown=("manage_screen_lock",),
    )


def scan_and_remove(rng: Draw, world: World) -> Draft:
    """What is harmful comes out of the scan; the removal is agreed to beforehand."""
    known = [row["name"] for row in world.rows["files"] if row["name"] in THREATS]
    name, day = known[0] if known else rng.choice(sorted(THREATS)), rng.randint(2, 14)

    def plan() -> Plan:
        feedback = yield [do("run_security_scan")]
        found = [f.removeprefix("Threat: ").partition(" (")[0] for f in feedback[0].payload["data"]["items"]]
        for threat in (f for f in found if f in THREATS):
            yield [do("remove_threat", fileName=threat, confirmed=True)]
        return done(rng.say(f"{name} was harmful and is gone.", f"{name}有害，已删除。"))

    return Draft(
        phrasings=(
            "Scan my phone and remove any harmful file you find, I confirm the removal.",
            "Since January {day} I get odd pop-ups. Run a security scan and delete every threat it reports, I agree.",
            "Security check please. If there's malware, remove it for good; you needn't ask again.",
            "Look for harmful files and get rid of them, yes, really. It started on January {day}.",
        ),
        chinese=(
            "扫描手机，发现有害文件就直接删除，我确认。",
            "1月{day}号起老弹怪窗口，做个安全扫描，报出来的威胁全删，我同意",
            "安全检查一下，有恶意软件就彻底清除，不用再问我",
            "找找有害文件并删掉，对，确定要删，1月{day}号开始不对劲的",
        ),
        slots={"day": day},
        plan=plan,
        patch={"files": [] if known else [file_row(1, name, "archive")]},
        shown=("remove_threat",),
    )


def last_listener(rng: Draw, world: World) -> Draft:
    """The app that loses the permission is the one that used it last."""
    app, minute = rng.pick(QUIET_APPS), rng.randint(10, 59)
    permission, english, chinese = rng.choice((("microphone", "microphone", "麦克风"), ("camera", "camera", "相机")))
    at = f"2025-01-15T08:59:{minute}"

    def plan() -> Plan:
        feedback = yield [do("query_permission_usage", permission=permission)]
        last = feedback[0].payload["data"]["items"][0]["app"]
        yield [do("manage_app_permission", action="revoke", appName=last, permission=permission)]
        return done(rng.say(f"{last} may not use the {english} any more.", f"{last}不能再用{chinese}了。"))

    return Draft(
        phrasings=(
            "Find out which app used the {sensor} last and take the {sensor} permission away from it.",
            "Something switched on the {sensor} a minute ago. Whatever app that was, it loses that permission.",
            "Whoever accessed my {sensor} most recently: revoke its {sensor} permission.",
            "Check the latest use of the {sensor}. I want the permission revoked for that app, and only that one.",
        ),
        chinese=(
            "查一下最后用{sensor}的是哪个应用，取消它的{sensor}权限。",
            "刚才有应用偷偷开了{sensor}，不管是谁，把它的这个权限收回",
            "最近一次访问{sensor}的应用，撤销它的{sensor}权限",
            "看看{sensor}最后是谁在用，只收回那个应用的权限",
        ),
        slots={"sensor": rng.say(english, chinese)},
        plan=plan,
        patch={
            "apps": [{"name": app}],
            "permission_usage": [{"id": "usage_701", "app": app, "permission": permission, "at": at}],
            "app_permissions": [{"app": app, "permission": permission, "access": "while_using"}],
        },
        shown=("manage_app_permission",),
    )


def weak_replaced(rng: Draw, world: World) -> Draft:
    """Every phone has one weak password; which, only the list tells."""
    length = rng.randint(12, 32)

    def plan() -> Plan:
        feedback = yield [do("manage_password", action="query")]
        weak = [i for i in feedback[0].payload["data"]["items"] if i["strength"] == "weak"]
        for item in weak:
            yield [do("generate_password", site=item["site"], username=item["username"], length=length)]
        return done(rng.say("The weak password is replaced.", "弱密码已更换。"))

    return Draft(
        phrasings=(
            "Replace my weak saved password with a generated one of {length} characters.",
            "Are any of my passwords weak? Generate a new one with {length} characters for that account.",
            "Go through my saved passwords; any that is weak gets a generated {length} character password.",
            "I read about hacked accounts. Whichever of my passwords is weak, swap it for {length} random characters.",
        ),
        chinese=(
            "把我保存的弱密码换成生成的{length}位密码。",
            "我的密码里有弱的吗？给那个账号生成一个{length}位的新密码",
            "检查一遍保存的密码，强度弱的换成随机生成的{length}位",
            "看新闻说账号被盗，我哪个密码弱就重新生成一个{length}位的",
        ),
        slots={"length": length},
        plan=plan,
        shown=("generate_password",),
    )


STEPS = (scan_and_remove, last_listener, lock_first, weak_replaced)


def same_user(rng: Draw, world: World) -> Draft:
    """The user name of a new account is that of another one."""
    (site, new), user, password = rng.several(SITES, 2), rng.pick(USERS), rng.password()

    def plan() -> Plan:
        feedback = yield [do("manage_password", action="query", site=site)]
        name = feedback[0].payload["data"]["items"][0]["username"]
        yield [do("manage_password", action="save", site=new, username=name, password=password)]
        return done(rng.say(f"The login for {new} is saved.", f"{new}的账号已保存。"))

    return Draft(
        phrasings=(
            "Save the password {password} for {new}, with the same user name as at {site}.",
            "New login at {new}: password {password}, user name like the one for {site}.",
            "Remember {password} for {new}. I'm called the same there as on {site}.",
            "I registered at {new} under the name I have at {site}. The password is {password}, please store it.",
        ),
        chinese=(
            "保存{new}的密码{password}，用户名和{site}的一样。",
            "{new}新账号：密码{password}，用户名同{site}",
            "记住{new}的密码{password}，名字跟我在{site}用的相同",
            "我用{site}的用户名注册了{new}，密码是{password}，存一下",
        ),
        slots={"site": site, "new": new, "password": password},
        plan=plan,
        patch={"passwords": [account(site=site, username=user, password="Velvet-381-Maple")]},
    )


LISTED = Wish(
    calls=(do("generate_password", site="{second}", username="{user}", length="{length}"),),
    slots={"first second third": SITES, "user": USERS, "length": number(12, 32)},
    patch={
        "passwords": [
            account(1, site="{first}", password="Amber-204-Ridge"),
            account(2, site="{second}", password="Pixel-733-Birch"),
            account(3, site="{third}", password="Lotus-918-Cedar"),
        ]
    },
    past=(
        Past(
            ("Which passwords are saved for {user}?", "{user}名下存了哪些密码？"),
            ("1. {first}, 2. {second}, 3. {third}.", "1. {first}，2. {second}，3. {third}。"),
            do("manage_password", action="query", username="{user}"),
            {
                "items": [
                    {"site": site, "username": "{user}", "strength": "strong"}
                    for site in ("{first}", "{second}", "{third}")
                ],
                "total": 3,
            },
        ),
    ),
    english=(
        "Generate a new password for the second one, {length} characters.",
        "The second account needs a fresh generated password, {length} characters.",
        "Number two was in a data leak. Give it a generated password of {length} characters.",
        "Leave the first and the third. The other one gets a new random password with {length} characters.",
    ),
    chinese=(
        "给第二个生成一个{length}位的新密码。",
        "第二个账号换成新生成的密码，{length}位",
        "2号那个泄露了，重新生成{length}位密码",
        "第一个和第三个不动，另外那个生成新的{length}位密码",
    ),
)

THAT_FINGER = Wish(
    calls=(do("manage_fingerprint", action="rename", name="{finger}", newName="{name}"),),
    slots={"finger name": fingers},
    patch={**enrolled(), "settings": locked()},
    past=(
        Past(
            ('Add a fingerprint called "{finger}".', "添加一个指纹，叫“{finger}”。"),
            ('"{finger}" is enrolled.', "“{finger}”已录入。"),
            do("manage_fingerprint", action="add", name="{finger}"),
            {"name": "{finger}"},
        ),
    ),
    english=(
        'Rename it to "{name}".',
        'Call that one "{name}" instead.',
        'It should be named "{name}", I used another finger.',
        'Oh, and change the name of it to "{name}", would you?',
    ),
    chinese=(
        "把它改名为“{name}”。",
        "那个指纹叫“{name}”吧",
        "名字改成“{name}”，我按的是别的手指",
        "对了，它的名称换成“{name}”好吗",
    ),
)

SAME_AGAIN = Wish(
    calls=(do("manage_app_lock", action="enable", appName="{other}"),),
    slots={"app other": QUIET_APPS},
    patch={
        "apps": [{"name": "{app}"}, {"name": "{other}"}],
        "security_rules": [rule("app_lock")],
        "settings": locked(),
    },
    past=(
        Past(
            ("Put {app} behind the app lock.", "给{app}加应用锁。"),
            ("{app} is locked.", "{app}已加锁。"),
            do("manage_app_lock", action="enable", appName="{app}"),
            {"appName": "{app}"},
        ),
    ),
    english=(
        "Do the same with {other}.",
        "{other} too, please.",
        "And now {other}.",
        "Treat {other} exactly like that one.",
    ),
    chinese=("{other}也一样。", "再给{other}来一个", "还有{other}，同样处理", "{other}照刚才那样也弄一下"),
)

REFERENCE = (
    same_user,
    lambda rng, world: wished(rng, world, (LISTED,)),
    lambda rng, world: wished(rng, world, (SAME_AGAIN,)),
    lambda rng, world: wished(rng, world, (THAT_FINGER,)),
)

REVISED = (
    Wish(
        calls=(do("manage_app_lock", action="enable", appName="{app}"),),
        slots={"app wrong": QUIET_APPS},
        patch={"apps": [{"name": "{app}"}, {"name": "{wrong}"}], "settings": locked()},
        english=(
            "Put an app lock on {wrong}, no, on {app}.",
            "App lock for {wrong}... sorry, {app} is the one.",
            "Lock the app {wrong} with my code. Wait, not {wrong}, {app}.",
            "{wrong} needs an app lock. Hm, actually {wrong} is harmless, {app} needs it.",
        ),
        chinese=(
            "给{wrong}加应用锁，不对，是{app}。",
            "{wrong}上应用锁……抱歉，应该是{app}",
            "{wrong}用密码锁上。等等，不是{wrong}，是{app}加应用锁",
            "{wrong}要加应用锁。嗯，{wrong}没什么，要锁的是{app}",
        ),
    ),
    Wish(
        calls=(do("manage_sensor_access", action="enable", sensor="camera"),),
        slots={"hour": number(10, 20)},
        patch={"settings": settings(camera_access="off")},
        past=(
            Past(
                ("Block the camera for all apps.", "禁止所有应用使用相机。"),
                ("Camera access is off.", "相机访问已关闭。"),
                do("manage_sensor_access", action="disable", sensor="camera"),
                {"sensor": "camera"},
            ),
        ),
        english=(
            "Undo that, I have a video call at {hour}:00.",
            "Hm, I need it at {hour}:00. Allow it again.",
            "Turn it back on, please.",
            "On second thoughts, apps may use it again. I want to film the kids at {hour}:00.",
        ),
        chinese=(
            "撤销吧，{hour}点有视频会议。",
            "唉{hour}点要用，重新允许吧",
            "还是打开吧",
            "想了想，还是让应用能用吧，{hour}点我要给孩子录像",
        ),
    ),
    Wish(
        calls=(
            do("manage_safe_folder", action="move_out", fileName="{wrong}"),
            do("manage_safe_folder", action="move_in", fileName="{file}"),
        ),
        slots={"file wrong": either(DOCUMENTS, CHINESE_DOCUMENTS, 2)},
        patch={
            **files(file_row(1), file_row(2, "{wrong}")),
            "security_rules": [rule("safe_folder", "{wrong}")],
            "settings": locked(),
        },
        past=(
            Past(
                ("Put {wrong} in the safe folder.", "把{wrong}放进保密文件夹。"),
                ("{wrong} is in the safe folder.", "{wrong}已移入保密文件夹。"),
                do("manage_safe_folder", action="move_in", fileName="{wrong}"),
                {"fileName": "{wrong}"},
            ),
        ),
        english=(
            "That was the wrong file. Take it out again and put {file} in instead.",
            "No, I meant {file}. Swap them, please.",
            "Move that one back out, {file} should be in there.",
            "Oops. Out with it, in with {file}.",
        ),
        chinese=(
            "弄错文件了，把它拿出来，换{file}放进去。",
            "不是，我说的是{file}，换一下",
            "刚才那个移出来，该放进去的是{file}",
            "哎呀放错了，它出来，{file}进去",
        ),
    ),
    Wish(
        calls=(do("manage_screen_lock", action="set", lockType="pin", code="{new}", currentCode="{old}"),),
        slots={"old new": codes, "wrong": code},
        patch={"settings": locked(screen_lock_password="{old}")},
        english=(
            "Change my screen PIN from {old} to {wrong}, no, to {new}.",
            "New lock screen PIN {wrong}... too easy, take {new}. The old one is {old}.",
            "My PIN is {old}. Make it {wrong}. Wait, {new} is better.",
            "Set the screen lock to PIN {wrong}, it's {old} at the moment. Sorry, I meant {new}.",
        ),
        chinese=(
            "锁屏PIN码从{old}改成{wrong}，不，改成{new}。",
            "新的锁屏PIN用{wrong}……太简单了，用{new}吧，旧的是{old}",
            "我的PIN是{old}，换成{wrong}。等等，还是{new}好",
            "锁屏PIN设为{wrong}，现在是{old}。说错了，是{new}",
        ),
    ),
)


@family("security_steps", TOOL, SECURITY, "dependency", variants=len(STEPS))
def security_steps(rng: Draw, world: World) -> Draft:
    """What a scan, a list or a refused call has to say first."""
    return branch(rng, world, STEPS)


@family("security_reference", TOOL, SECURITY, "reference", variants=len(REFERENCE))
def security_reference(rng: Draw, world: World) -> Draft:
    """An account, a finger or an app of an earlier turn, or a name like that of another account."""
    return branch(rng, world, REFERENCE)


@family("security_revised", TOOL, SECURITY, "revision", variants=len(REVISED))
def security_revised(rng: Draw, world: World) -> Draft:
    """The person corrects himself, within one sentence or after it was done."""
    return wished(rng, world, REVISED)


FAMILIES = (security_steps, security_reference, security_revised)
