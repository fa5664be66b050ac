"""`pm`, `appops`, `pidof` and `dumpsys package`: the sandbox's apps as packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qpa.envs.device.base import ShellResult
from qpa.envs.device.double.phone_base import Command, address, encode, err, lines, trace, whole
from qpa.envs.device.double.phone_profile import CONTACTS, HOME, SYSTEM_PACKAGES, has
from qpa.envs.sandbox.context import Row

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

# Android permission -> the sandbox's, and how it is given.
PERMISSIONS = {
    "android.permission.ACCESS_COARSE_LOCATION": "location",
    "android.permission.ACCESS_FINE_LOCATION": "location",
    "android.permission.CALL_PHONE": "phone",
    "android.permission.CAMERA": "camera",
    "android.permission.READ_CALENDAR": "calendar",
    "android.permission.READ_CONTACTS": "contacts",
    "android.permission.READ_EXTERNAL_STORAGE": "storage",
    "android.permission.READ_PHONE_STATE": "phone",
    "android.permission.READ_SMS": "sms",
    "android.permission.RECORD_AUDIO": "microphone",
    "android.permission.SEND_SMS": "sms",
    "android.permission.WRITE_CALENDAR": "calendar",
    "android.permission.WRITE_CONTACTS": "contacts",
    "android.permission.WRITE_EXTERNAL_STORAGE": "storage",
}
NOTIFY = "android.permission.POST_NOTIFICATIONS"
APPOPS = {
    "SYSTEM_ALERT_WINDOW": "display_over_apps",
    "REQUEST_INSTALL_PACKAGES": "install_unknown_apps",
    "WRITE_SETTINGS": "modify_settings",
    "GET_USAGE_STATS": "usage_access",
}
_USER = ("--user",)


def _plain(args: list[str]) -> list[str]:
    """The arguments without options; `--user 0` goes with its number."""
    kept, skip = [], False
    for word in args:
        if skip:
            skip = False
        elif word in _USER:
            skip = True
        elif not word.startswith("-"):
            kept.append(word)
    return kept


def _unknown(package: str) -> ShellResult:
    return trace(
        f"java.lang.IllegalArgumentException: Unknown package: {package}", "android.os.Parcel.createException", code=255
    )


def pm(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """Dispatches `pm VERB`, which is `cmd package VERB` too."""
    verb, rest = (args[0], args[1:]) if args else ("", [])
    act = _VERBS.get(verb)
    if act is None:
        return err(f"Unknown command: {verb}" if verb else "Package manager (package) commands:", 255)
    return act(phone, rest)


def _list(phone: SandboxPhone, args: list[str]) -> ShellResult:
    what = args[0] if args else ""
    if what == "users":
        return lines("Users:", "\tUserInfo{0:Owner:c13} running")
    if what == "features":
        return lines(
            "feature:android.hardware.bluetooth", "feature:android.hardware.telephony", "feature:android.hardware.wifi"
        )
    if what != "packages":
        return err(f"Error: unknown list type '{what}'", 255)
    flags = {a for a in args[1:] if a.startswith("-")}
    wanted = (_plain(args[1:]) or [""])[0]
    shown = []
    for package, app in _installed(phone).items():
        user, enabled = app is not None and app["kind"] == "user", app is None or bool(app["enabled"])
        kept = ("-3" not in flags or user) and ("-s" not in flags or not user)
        kept = kept and ("-d" not in flags or not enabled) and ("-e" not in flags or enabled)
        if kept and wanted in package:
            name = f"{_path(package, user)}={package}" if "-f" in flags else package
            code = f" versionCode:{_code(app)}" if "--show-versioncode" in flags else ""
            uid = f" uid:{_uid(package)}" if "-U" in flags else ""
            shown.append(f"package:{name}{code}{uid}")
    return lines(*shown)


def _installed(phone: SandboxPhone) -> dict[str, Row | None]:
    """Every package, those of the sandbox with their app."""
    found: dict[str, Row | None] = {name: None for name in SYSTEM_PACKAGES}
    found |= {app["package"]: app for app in phone.apps()}
    if phone.extras.keyboards:
        found["com.android.adbkeyboard"] = None
    return dict(sorted(found.items()))


def _path(package: str, user: bool) -> str:
    if package == "android":
        return "/system/framework/framework-res.apk"
    if user:
        return f"/data/app/~~{address(package)}==/{package}-{address(package, 2)}==/base.apk"
    return f"/system/app/{package}/{package}.apk"


def _code(app: Row | None) -> int:
    digits = "".join(c for c in (app["version"] if app else "1") if c.isdigit())
    return whole(digits[:9], 1) or 1


def _uid(package: str) -> int:
    return 10_000 + int(address(package), 16) % 9000


def _find_path(phone: SandboxPhone, args: list[str]) -> ShellResult:
    package = (_plain(args) or [""])[0]
    found = _installed(phone)
    if package not in found:
        return ShellResult(exit_code=1)
    app = found[package]
    return lines(f"package:{_path(package, app is not None and app['kind'] == 'user')}")


def _change_permission(given: bool):  # type: ignore[no-untyped-def]
    def run(phone: SandboxPhone, args: list[str]) -> ShellResult:
        words = _plain(args)
        if len(words) < 2:
            return err("Error: no permission specified" if words else "Error: no package specified", 255)
        package, permission = words[:2]
        found = _installed(phone)
        if package not in found:
            return _unknown(package)
        known = permission in PERMISSIONS or (permission == NOTIFY and has(phone.api, "post_notifications"))
        if not known:
            reason = (
                "has not requested permission" if permission.startswith("android.permission.") else "Unknown permission"
            )
            text = f"Package {package} {reason} {permission}" if "requested" in reason else f"{reason}: {permission}"
            if permission in ("android.permission.INTERNET", "android.permission.VIBRATE"):
                text = f"Permission {permission} requested by {package} is not a changeable permission type"
            return trace(f"java.lang.SecurityException: {text}", "android.os.Parcel.createException", code=255)
        _give(phone, found[package], package, permission, given)
        return ShellResult()

    return run


def _give(phone: SandboxPhone, app: Row | None, package: str, permission: str, given: bool) -> None:
    if app is None:
        phone.extras.permissions[package, permission] = given
    elif permission == NOTIFY:
        phone.use("manage_app_notifications", action="enable" if given else "disable", appName=app["name"])
    else:
        action = "grant" if given else "revoke"
        phone.use("manage_app_permission", action=action, appName=app["name"], permission=PERMISSIONS[permission])


def _clear(phone: SandboxPhone, args: list[str]) -> ShellResult:
    app = phone.app_by_package((_plain(args) or [""])[0])
    done = app is not None and phone.use("clear_app_data", appName=app["name"]).ok
    return lines("Success") if done else lines("Failed", code=1)


def _able(word: str):  # type: ignore[no-untyped-def]
    def run(phone: SandboxPhone, args: list[str]) -> ShellResult:
        package = (_plain(args) or [""])[0]
        app = phone.app_by_package(package)
        if app is None:
            return _unknown(package)
        on = word in ("enable", "default-state")
        answer = phone.use("manage_disabled_apps", action="enable" if on else "disable", appName=app["name"])
        if not answer.ok:
            text = f"java.lang.SecurityException: Cannot disable a protected package: {package}"
            return trace(text, "android.os.Parcel.createException", code=255)
        state = {"enable": "enabled", "disable-user": "disabled-user", "disable": "disabled"}.get(word, "default")
        return lines(f"Package {package} new state: {state}")

    return run


def _uninstall(phone: SandboxPhone, args: list[str]) -> ShellResult:
    app = phone.app_by_package((_plain(args) or [""])[0])
    if app is None:
        return lines("Failure [not installed for 0]", code=1)
    answer = phone.use("uninstall_app", appName=app["name"])
    return lines("Success") if answer.ok else lines("Failure [DELETE_FAILED_INTERNAL_ERROR]", code=1)


def _resolve(phone: SandboxPhone, args: list[str]) -> ShellResult:
    """`resolve-activity --brief -a MAIN -c LAUNCHER PKG`: a line of flags and the component."""
    words, options = [], {}
    rest = list(args)
    while rest:
        word = rest.pop(0)
        if word in ("-a", "-c", "-d", "-t", "-p", "-n", "--user") and rest:
            options[word] = rest.pop(0)
        elif not word.startswith("-"):
            words.append(word)
    package = options.get("-p") or (words[0] if words else "")
    app = phone.app_by_package(package)
    found = app["app"] if app is not None and app["enabled"] else None
    found = {HOME.package: HOME, CONTACTS.package: CONTACTS}.get(package, found)
    if "android.intent.category.HOME" in options.get("-c", "") and not package:
        found = HOME
    if found is None:
        return lines("No activity found")
    return lines("priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false", found.component)


def _dump(phone: SandboxPhone, args: list[str]) -> ShellResult:
    return package_lines(phone, (_plain(args) or [""])[0])


_VERBS = {
    "clear": _clear, "default-state": _able("default-state"), "disable": _able("disable"),
    "disable-user": _able("disable-user"), "dump": _dump, "enable": _able("enable"), "grant": _change_permission(True),
    "list": _list, "path": _find_path, "resolve-activity": _resolve, "revoke": _change_permission(False),
    "uninstall": _uninstall,
}  # fmt: skip


def package_lines(phone: SandboxPhone, package: str) -> ShellResult:
    """`dumpsys package P`."""
    found = _installed(phone)
    if package not in found:
        return lines("Dexopt state:", f"  Unable to find package: {package}")
    app = found[package]
    held = set()
    if app is not None:
        sql = "SELECT permission FROM app_permissions WHERE app = ?"
        held = {row["permission"] for row in phone.rows(sql, app["name"])}
    shown = [
        "Packages:",
        f"  Package [{package}] ({address(package)}):",
        f"    userId={_uid(package)}",
        f"    codePath={_path(package, app is not None and app['kind'] == 'user').rpartition('/')[0]}",
        f"    versionCode={_code(app)} minSdk=24 targetSdk={phone.api}",
        f"    versionName={app['version'] if app else phone.android}",
        "    install permissions:",
        "      android.permission.INTERNET: granted=true",
        f"    User 0: ceDataInode=0 installed=true hidden=false suspended=false "
        f"stopped={str(bool(app and app['stopped'])).lower()} notLaunched=false "
        f"enabled={0 if app is None or app['enabled'] else 3} instant=false virtual=false",
        "      runtime permissions:",
    ]
    for name, kind in PERMISSIONS.items():
        granted = kind in held if app is not None else phone.extras.permissions.get((package, name), False)
        shown.append(f"        {name}: granted={str(granted).lower()}, flags=[ USER_SENSITIVE_WHEN_GRANTED ]")
    if has(phone.api, "post_notifications"):
        on = app is None or app["notifications"] != "off"
        shown.append(f"        {NOTIFY}: granted={str(on).lower()}, flags=[ USER_SET ]")
    return lines(*shown)


def appops(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`appops set|get PACKAGE OP [MODE]`."""
    verb, words = (args[0] if args else ""), _plain(args[1:])
    if verb not in ("set", "get") or not words:
        return err("AppOps service (appops) commands:", 255)
    package, op = words[0], words[1].removeprefix("android:").upper() if len(words) > 1 else ""
    if package not in _installed(phone):
        return err(f"Error: No UID for {package} in user 0", 255)
    app = phone.app_by_package(package)
    if verb == "set":
        if len(words) < 3 or words[2] not in ("allow", "ignore", "deny", "default", "foreground"):
            return err(f"Error: Mode {words[2] if len(words) > 2 else ''} is not valid", 255)
        phone.extras.appops[package, op] = words[2]
        if app is not None and op in APPOPS:
            action = "grant" if words[2] == "allow" else "revoke"
            phone.use("manage_app_permission", action=action, appName=app["name"], permission=APPOPS[op])
        return ShellResult()
    found = {o: mode for (p, o), mode in phone.extras.appops.items() if p == package and op in ("", o)}
    return lines(*(f"{o}: {mode}" for o, mode in found.items())) if found else lines("No operations.")


def pidof(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """The number of a running app's process; nothing and exit code 1 for none."""
    words = [a for a in args if not a.startswith("-")]
    pids = [str(pid_of(app["package"])) for app in phone.apps() if app["running"] and app["package"] in words]
    pids += [str(pid_of(word)) for word in words if word in ("system_server", "com.android.systemui", HOME.package)]
    return lines(" ".join(pids)) if pids else ShellResult(exit_code=1)


def pid_of(package: str) -> int:
    """A process number that is the same each time."""
    return 2000 + int(address(package, "pid"), 16) % 28_000


def ps(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`ps -A`: the running apps."""
    names = [app["package"] for app in phone.apps() if app["running"]]
    rows = [
        f"u0_a{_uid(n) - 10_000:<10} {pid_of(n):>5}   612 13204512 142016 0                   0 S {n}" for n in names
    ]
    head = "USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME"
    return ShellResult(encode("\n".join([head, *rows]) + "\n"))


COMMANDS: dict[str, Command] = {"pm": pm, "appops": appops, "pidof": pidof, "ps": ps}
