"""Basic tool use in Security & Privacy: passwords, hidden things, sensors and helpers, and questions about them."""

from __future__ import annotations

from qpa.bench.families.base import Draft, do, family
from qpa.bench.families.mobile.apps import QUIET_APPS, TOOL
from qpa.bench.families.mobile.apps_files import document, files
from qpa.bench.families.mobile.common import settings
from qpa.bench.families.mobile.security import SECURITY, SITES, USERS, account, locked, rule, secret
from qpa.bench.families.mobile.wishes import Wish, either, number, wished
from qpa.bench.families.tool_calls import person
from qpa.bench.families.values import DEVICES, Draw
from qpa.envs.sandbox.schema import World

CONTACT = {"contacts": [{"id": "contact_701", "name": "{name}", "phone": "{phone}"}]}


def phone(rng: Draw, world: World) -> str:
    """Digits of a phone number."""
    return rng.phone().replace("-", "")


VAULT = (
    Wish(
        calls=(do("manage_password", action="save", site="{site}", username="{user}", password="{new}"),),
        slots={"site": SITES, "user": USERS, "new": secret},
        english=(
            "Save my password for {site}: user {user}, password {new}.",
            "Remember this login: {site}, {user}, {new}.",
            "I just signed up at {site} as {user} with the password {new}. Keep it in the vault.",
            "Store {new} as the password of {user} at {site}.",
        ),
        chinese=(
            "保存{site}的密码：用户名{user}，密码{new}。",
            "记一下这个账号：{site}，{user}，{new}",
            "我刚在{site}注册，用户名{user}，密码{new}，存进密码本",
            "把{new}存为{user}在{site}的密码",
        ),
    ),
    Wish(
        calls=(do("generate_password", site="{site}", username="{user}", length="{length}"),),
        slots={"site": SITES, "user": USERS, "length": number(12, 32)},
        english=(
            "Generate a password of {length} characters for {user} at {site}.",
            "I need a strong new password for {site}, user {user}, {length} characters long.",
            "Make up a {length} character password for my account {user} on {site} and save it.",
            "For {site} ({user}) invent something nobody guesses, {length} characters.",
        ),
        chinese=(
            "给{site}的账号{user}生成一个{length}位的密码。",
            "{site}要个新的强密码，用户名{user}，{length}位",
            "帮我在{site}的{user}账号想一个{length}位密码并保存",
            "{site}（{user}）来个谁都猜不到的密码，长度{length}位",
        ),
    ),
    Wish(
        calls=(do("manage_safe_folder", action="move_in", fileName="{file}"),),
        slots={"file": document},
        patch={**files(), "settings": locked()},
        hidden=("move_file",),
        english=(
            "Hide {file} in the safe folder.",
            "Nobody else should see {file}. Put it in the safe folder.",
            "Move {file} into my safe folder.",
            "{file} is private, the safe folder is the place for it.",
        ),
        chinese=(
            "把{file}藏进保密文件夹。",
            "{file}不能让别人看到，放到安全文件夹里",
            "{file}移入保密文件夹",
            "{file}是隐私，存到安全文件夹吧",
        ),
    ),
    Wish(
        calls=(do("manage_emergency_contact", action="add", contact="{name}"),),
        slots={"name": person, "phone": phone},
        patch=CONTACT,
        english=(
            "Make {name} an emergency contact.",
            "If something happens to me, {name} should be alerted. Add them as emergency contact.",
            "Add {name} to my emergency contacts.",
            "I'm going hiking alone. Put {name} on the list of people alerted in an emergency.",
        ),
        chinese=(
            "把{name}设为紧急联系人。",
            "万一我出事要通知{name}，加到紧急联系人里",
            "紧急联系人添加{name}",
            "我要一个人去爬山，把{name}加进紧急联系人",
        ),
    ),
    Wish(
        calls=(do("manage_password", action="update", site="{site}", password="{new}"),),
        slots={"site": SITES, "user": USERS, "old": secret, "new": secret},
        patch={"passwords": [account()]},
        english=(
            "Update my saved password for {site} to {new}.",
            "I changed my {site} password, it's {new} now. Save that.",
            "The stored password of {site} is outdated, replace it with {new}.",
            "{site} made me choose another password: {new}. Update it in the vault.",
        ),
        chinese=(
            "把保存的{site}密码更新为{new}。",
            "我改了{site}的密码，现在是{new}，存一下",
            "{site}存的密码旧了，换成{new}",
            "{site}让我换了密码：{new}，密码本里也更新",
        ),
    ),
    Wish(
        calls=(do("manage_private_space", action="hide", appName="{app}"),),
        slots={"app": QUIET_APPS},
        patch={"apps": [{"name": "{app}"}], "settings": locked()},
        hidden=("manage_hidden_apps",),
        english=(
            "Put {app} in the private space.",
            "Hide {app} in my private space so nobody finds it.",
            "{app} should live in the private space.",
            "Move the app {app} to the private space, I don't want it seen.",
        ),
        chinese=(
            "把{app}放进隐私空间。",
            "{app}藏到隐私空间里，别让人发现",
            "{app}移入隐私空间",
            "我不想让人看见{app}，把它放到隐私空间",
        ),
    ),
    Wish(
        calls=(do("manage_unknown_sources", action="block", appName="{app}"),),
        slots={"app": QUIET_APPS},
        patch={"apps": [{"name": "{app}"}], "security_rules": [rule("unknown_sources")]},
        hidden=("manage_app_permission",),
        english=(
            "Don't let {app} install unknown apps any more.",
            "Block {app} as a source of unknown apps.",
            "The scan says {app} may install apps from unknown sources. Forbid that.",
            "{app} must not install anything from unknown sources.",
        ),
        chinese=(
            "禁止{app}安装未知应用。",
            "不许{app}再从未知来源装应用",
            "扫描说{app}可以安装未知来源应用，给禁了",
            "把{app}的未知来源安装关掉",
        ),
    ),
    Wish(
        calls=(do("manage_payment_protection", action="enable", appName="{app}"),),
        slots={"app": QUIET_APPS},
        patch={"apps": [{"name": "{app}"}], "settings": locked(payment_protection="on")},
        english=(
            "Cover {app} with payment protection as well.",
            "Add {app} to the apps under payment protection.",
            "I pay in {app} too, so payment protection should include it.",
            "Payment protection is on already; protect {app} with it.",
        ),
        chinese=(
            "支付保护也覆盖{app}。",
            "把{app}加入支付保护",
            "我也在{app}里付款，支付保护加上它",
            "支付保护已经开了，把{app}也保护起来",
        ),
    ),
    Wish(
        calls=(do("manage_sensor_access", action="disable", sensor="microphone"),),
        slots={"hour": number(10, 18)},
        patch={"settings": settings(microphone_access="on")},
        english=(
            "Cut off the microphone for all apps.",
            "I have a confidential meeting at {hour}:00. No app may hear anything, so turn off microphone access now.",
            "My talk at {hour}:00 is off the record. Block microphone access for the whole phone right now.",
        ),
        chinese=(
            "关闭所有应用的麦克风访问。",
            "{hour}点有保密会议，任何应用都不能听，现在就把麦克风访问关了",
            "{hour}点要谈私事，现在就把整机的麦克风禁用",
        ),
    ),
    Wish(
        calls=(do("run_security_scan"),),
        english=(
            "Run a security scan.",
            "Check my phone for malware.",
            "My phone acts strangely, do a security check.",
        ),
        chinese=("做一次安全扫描。", "查一下手机有没有病毒", "手机怪怪的，给它做个安全检查"),
    ),
)

QUESTIONS = (
    Wish(
        calls=(do("query_permission_usage", permission="microphone"),),
        slots={"app": QUIET_APPS, "minute": number(10, 59)},
        patch={
            "apps": [{"name": "{app}"}],
            "permission_usage": [
                {"id": "usage_701", "app": "{app}", "permission": "microphone", "at": "2025-01-15T08:59:{minute}"}
            ],
        },
        routes=(do("query_permission_usage"),),
        mentions=(["{app}"],),
        reply=("{app} used it last.", "最后是{app}用的。"),
        english=(
            "Which app used the microphone last?",
            "The mic light was on a moment ago. Who was that?",
            "Tell me what app accessed my microphone most recently.",
            "I think something was listening just now. Which app had the microphone?",
        ),
        chinese=(
            "最近一次用麦克风的是哪个应用？",
            "刚才麦克风灯亮了，是谁在用",
            "告诉我最后访问麦克风的应用",
            "总觉得刚才有东西在偷听，是哪个应用用了麦克风",
        ),
    ),
    Wish(
        calls=(do("manage_password", action="query", site="{site}"),),
        slots={"site": SITES, "user": USERS, "old": secret},
        patch={"passwords": [account()]},
        mentions=(["{user}"],),
        reply=("Your user name is {user}.", "用户名是{user}。"),
        english=(
            "What's my user name at {site}?",
            "Under which name am I registered on {site}?",
            "I want to log in to {site} but forgot the user name, not the password. What is it?",
            "Look up the user name saved for {site}.",
        ),
        chinese=(
            "我在{site}的用户名是什么？",
            "{site}我是用什么名字注册的",
            "要登录{site}，密码记得，用户名忘了，是哪个",
            "查一下{site}保存的用户名",
        ),
    ),
    Wish(
        calls=(do("manage_smart_unlock", action="query"),),
        slots={"device": DEVICES},
        patch={
            "bluetooth_devices": [{"name": "{device}", "kind": "device", "paired": 1}],
            "security_rules": [rule("trusted_device", "{device}")],
            "settings": locked(),
        },
        mentions=(["{device}"],),
        reply=("Smart unlock trusts {device}.", "智能解锁信任的是{device}。"),
        english=(
            "Which device keeps my phone unlocked?",
            "My phone doesn't ask for the code sometimes. Which smart unlock device is behind it?",
            "Name the Bluetooth device that smart unlock trusts.",
            "What have I set up for smart unlock?",
        ),
        chinese=(
            "哪个设备能让我的手机保持解锁？",
            "手机有时不要密码，是智能解锁信任了什么设备",
            "智能解锁里信任的蓝牙设备叫什么",
            "我智能解锁设的是哪个设备",
        ),
    ),
    Wish(
        calls=(do("manage_emergency_contact", action="query"),),
        slots={"name": person, "phone": phone},
        patch={
            **CONTACT,
            "emergency_contacts": [{"contact_id": "contact_701", "name": "{name}", "phone": "{phone}"}],
        },
        routes=(do("query_contacts", name="{name}"),),
        mentions=(["{phone}"],),
        reply=("It's {phone}.", "是{phone}。"),
        english=(
            "Which number would an SOS to {name} go to?",
            "{name} is one of my emergency contacts. With what phone number?",
            "Check the phone number of my emergency contact {name}.",
            "Would an emergency alert reach {name}? Tell me the number that is stored.",
        ),
        chinese=(
            "给{name}的紧急求助会发到哪个号码？",
            "{name}是我的紧急联系人，号码是多少",
            "核对一下紧急联系人{name}的电话号码",
            "出事了能通知到{name}吗？存的是什么号码",
        ),
    ),
    Wish(
        calls=(do("manage_safe_folder", action="query"),),
        slots={"file": document},
        patch={**files(), "security_rules": [rule("safe_folder", "{file}")], "settings": locked()},
        mentions=(["{file}"],),
        reply=("Only {file}.", "只有{file}。"),
        english=(
            "What's in my safe folder?",
            "Which file did I hide in the safe folder?",
            "Tell me what the safe folder holds, don't take anything out.",
            "I put something in the safe folder once. What was it?",
        ),
        chinese=(
            "我的保密文件夹里有什么？",
            "安全文件夹里藏了哪个文件",
            "看看保密文件夹里存的是什么，别拿出来",
            "我以前往安全文件夹放过东西，是什么来着",
        ),
    ),
)

UNSEEN = (
    Wish(
        calls=(do("set_lock_timeout", seconds="{seconds}"),),
        slots={"seconds": lambda rng, world: rng.choice((15, 30, 60, 120, 300, 600))},
        patch={"settings": locked(lock_timeout="1800")},
        english=(
            "Lock the phone {seconds} seconds after the screen goes dark.",
            "The phone stays open far too long once the display sleeps. Make the lock timeout {seconds} seconds.",
            "After screen off it should lock within {seconds} seconds.",
        ),
        chinese=(
            "熄屏{seconds}秒后锁定手机。",
            "屏幕关了好久手机还没锁，锁定延迟改成{seconds}秒",
            "熄屏后{seconds}秒就上锁",
        ),
    ),
    Wish(
        calls=(do("manage_medical_info", action="set", item="allergies", value="{value}"),),
        slots={
            "value": either(
                ("Latex", "Ibuprofen", "Shellfish", "Wasp stings", "Walnuts", "Kiwi", "Soy"),
                ("乳胶", "布洛芬", "虾蟹", "黄蜂", "核桃", "猕猴桃", "大豆"),
            )
        },
        patch={"settings": settings(medical_allergies="")},
        english=(
            "{value}: I'm allergic to that. Put it in my medical info as the allergy.",
            'Helpers should see on my lock screen that my allergy is "{value}".',
            'Set the allergies in my medical ID to "{value}".',
        ),
        chinese=(
            "我对{value}过敏，写进医疗信息的过敏项。",
            "要让急救人员在锁屏上看到我的过敏：“{value}”",
            "把医疗信息里的过敏设为“{value}”",
        ),
    ),
)


@family("security_vault", TOOL, SECURITY, "grounding", variants=len(VAULT))
def security_vault(rng: Draw, world: World) -> Draft:
    """Passwords, hidden apps and files, emergency contacts, sensors, payments and app sources."""
    return wished(rng, world, VAULT)


@family("security_questions", TOOL, SECURITY, "grounding", variants=len(QUESTIONS))
def security_questions(rng: Draw, world: World) -> Draft:
    """Facts about protection and privacy, read with a tool and answered."""
    return wished(rng, world, QUESTIONS)


@family("security_rare", TOOL, SECURITY, "grounding", unseen="tool", variants=len(UNSEEN))
def security_rare(rng: Draw, world: World) -> Draft:
    """Lock timeout and medical facts, with tools that training never shows."""
    return wished(rng, world, UNSEEN)


FAMILIES = (security_vault, security_questions, security_rare)
