"""`dumpsys`: what the services say, in the shapes of each Android version."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from qpa.envs.device.base import ShellResult
from qpa.envs.device.double.phone_base import Command, address, err, lines, whole
from qpa.envs.device.double.phone_input import display_lines
from qpa.envs.device.double.phone_media import STREAM_KEYS
from qpa.envs.device.double.phone_packages import package_lines, pid_of
from qpa.envs.device.double.phone_profile import HOME, app_of, has
from qpa.envs.device.double.phone_settings import keyboard
from qpa.envs.device.double.phone_ui import window_of

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

Service = Callable[["SandboxPhone", list[str]], list[str]]
IMPORTANCE = {"priority": 4, "default": 3, "silent": 2, "off": 0}


# --- windows and activities ------------------------------------------------------------------------------------------


def _window(phone: SandboxPhone, args: list[str]) -> list[str]:
    """Android 10 moved the focus from `windows` to `displays`; without an argument both are printed."""
    what = args[0] if args else ""
    focus_here = has(phone.api, "focus_in_displays") == (what in ("displays", "d"))
    shown = []
    if what in ("displays", "d", ""):
        width, height = phone.ui.size()
        shown += [
            "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)",
            "  Display: mDisplayId=0 (organized)",
            f"    init={phone.profile.size[0]}x{phone.profile.size[1]} {phone.profile.density}dpi cur={width}x{height} "
            f"app={width}x{height} "
            f"rng={min(width, height)}x{min(width, height)}-{max(width, height)}x{max(width, height)}",
        ]
        if what != "" and focus_here:
            shown += _focus(phone)
    if what in ("windows", "w", "a", "all", ""):
        shown += ["WINDOW MANAGER WINDOWS (dumpsys window windows)", *_windows(phone)]
        if what == "" or focus_here:
            shown += _focus(phone)
    if what in ("policy", "p"):
        shown += ["WINDOW MANAGER POLICY STATE (dumpsys window policy)", f"    mAwake={_bool(phone.ui.lit())}",
                  f"    screenState=SCREEN_STATE_{'ON' if phone.ui.lit() else 'OFF'}", "    showing=false"]  # fmt: skip
    return shown


def _focused_window(phone: SandboxPhone) -> str:
    """As Window{..}: the notification shade and the recents have windows of their own."""
    screen = phone.ui.screen()
    name = window_of(screen) if screen.package != "com.android.systemui" else _shade(phone, screen.activity)
    return f"Window{{{address(name)} u0 {name}}}"


def _shade(phone: SandboxPhone, activity: str) -> str:
    if activity == "NotificationShade" and phone.api < 30:
        return "StatusBar"
    return activity


def _focus(phone: SandboxPhone) -> list[str]:
    if not phone.ui.lit():
        return ["  mCurrentFocus=null", "  mFocusedApp=null"]
    screen = phone.ui.screen()
    record = _record(phone) if screen.package != "com.android.systemui" else "null"
    return [f"  mCurrentFocus={_focused_window(phone)}", f"  mFocusedApp={record}"]


def _windows(phone: SandboxPhone) -> list[str]:
    window = _focused_window(phone)
    secure = phone.rows("SELECT 1 AS x FROM visible_contents WHERE source = ? AND protected = 1", phone.ui.page.about)
    flags = "LAYOUT_IN_SCREEN SECURE SPLIT_TOUCH" if secure else "LAYOUT_IN_SCREEN SPLIT_TOUCH"
    return [f"  Window #0 {window}:", f"    mDisplayId=0 mSession=Session{{{address('session')} 0:u0a0}}",
            f"    mAttrs={{(0,0)(fillxfill) sim={{adjust=pan}} ty=BASE_APPLICATION fl={flags}}}"]  # fmt: skip


def _record(phone: SandboxPhone) -> str:
    screen = phone.ui.screen()
    name = (
        screen.activity[len(screen.package) :] if screen.activity.startswith(screen.package + ".") else screen.activity
    )
    window = f"{screen.package}/{name}"
    return f"ActivityRecord{{{address(window, 'record')} u0 {window} t{100 + len(phone.ui.stack)}}}"


def _activity(phone: SandboxPhone, args: list[str]) -> list[str]:
    what = args[0] if args else "activities"
    record = _record(phone)
    if what in ("activities", "a"):
        shown = [
            "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)",
            "Display #0 (activities from top to bottom):",
        ]
        if has(phone.api, "top_resumed"):
            shown.append(f"  topResumedActivity={record}")
            shown.append(
                f"  ResumedActivity: {record}"
                if has(phone.api, "resumed_activity")
                else f"  mResumedActivity: {record}"
            )
        else:
            shown += ["  Stack #0: type=standard mode=fullscreen", f"    mResumedActivity: {record}"]
        return shown
    if what == "top":
        screen = phone.ui.screen()
        return [f"TASK {screen.package} id={100 + len(phone.ui.stack)} userId=0",
                f"  ACTIVITY {record.split()[2]} {address(record)} pid={pid_of(screen.package)}"]  # fmt: skip
    if what in ("recents", "r"):
        names = phone.rows("SELECT name FROM apps WHERE running = 1 ORDER BY last_used DESC, name")
        rows = [
            f"  * Recent #{i}: Task{{{address(r['name'])} #{100 + i} type=standard A={10000 + i}:"
            f"{app_of(r['name']).package}}}"
            for i, r in enumerate(names)
        ]
        return ["ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)", *rows]
    return [f"No services match: {what[:60]}"]


# --- notifications ---------------------------------------------------------------------------------------------------


def _notification(phone: SandboxPhone, args: list[str]) -> list[str]:
    """Texts are replaced by their lengths unless `--noredact` is given."""
    levels = {app["name"]: app["notifications"] for app in phone.apps()}
    shown = ["Current Notification Manager state:", "  Notification List:"]
    now = phone.now.isoformat()
    for row in phone.rows("SELECT * FROM notifications WHERE snoozed_until <= ? ORDER BY at DESC, id DESC", now):
        package = "com.android.shell" if row["app"] == "Shell" else app_of(row["app"]).package
        number, importance = (
            phone.extras.numbers.of("notifications", row["id"]),
            IMPORTANCE.get(levels.get(row["app"], ""), 3),
        )
        flags = "ONGOING_EVENT" if row["ongoing"] else "AUTO_CANCEL"
        shown += [
            f"    NotificationRecord(0x{address(row['id'])}: pkg={package} user=UserHandle{{0}} id={number} tag=null "
            f"importance={importance} key=0|{package}|{number}|null|{10_000 + number}: "
            f"Notification(channel=default shortcut=null contentView=null vibrate=null sound=null defaults=0x0 "
            f"flags={flags} color=0x00000000 vis=PRIVATE))",
            f"      when={phone.millis(row['at'])}",
            "      extras={",
            f"          android.title={_text(row['title'], '--noredact' in args)}",
            f"          android.text={_text(row['text'], '--noredact' in args)}",
            "      }",
        ]
    return [*shown, f"  mZenMode={'ZEN_MODE_IMPORTANT_INTERRUPTIONS' if phone.is_on('dnd') else 'ZEN_MODE_OFF'}"]


def _text(value: str, whole_text: bool) -> str:
    return f"String ({value})" if whole_text else f"String [length={len(value)}]"


# --- power, alarms, sound --------------------------------------------------------------------------------------------


def battery(phone: SandboxPhone, args: list[str]) -> list[str]:
    """`dumpsys battery [set KEY VALUE | unplug | reset]`; what is set is a pretence of the service."""
    fake = phone.extras.battery
    if args[:1] == ["set"] and len(args) > 2:
        fake[args[1]] = args[2]
        return []
    if args[:1] == ["unplug"]:
        fake |= {"ac": "0", "usb": "0", "wireless": "0", "status": "3"}
        return []
    if args[:1] == ["reset"]:
        fake.clear()
        return []
    charging, level = phone.is_on("charging"), phone.setting("battery_level", "50")
    status = "2" if charging and level != "100" else "5" if charging else "3"
    heat = (whole(phone.setting("battery_temperature", "30"), 30) or 0) * 10
    updates = ["  UPDATES STOPPED -- use 'reset' to restart"] if fake else []
    powered = {name: _bool(fake.get(key, "1" if charging and key == "ac" else "0") == "1")
               for name, key in (("AC", "ac"), ("USB", "usb"), ("Wireless", "wireless"))}  # fmt: skip
    return [
        "Current Battery Service state:",
        *updates,
        *(f"  {name} powered: {value}" for name, value in powered.items()),
        f"  status: {fake.get('status', status)}",
        "  health: 2",
        "  present: true",
        f"  level: {fake.get('level', level)}",
        "  scale: 100",
        "  voltage: 4012",
        f"  temperature: {fake.get('temp', heat)}",
        "  technology: Li-ion",
    ]


def alarm_times(phone: SandboxPhone) -> list[datetime]:
    """When the enabled alarms ring next."""
    found = []
    for row in phone.rows("SELECT time, repeat FROM alarms WHERE enabled = 1 ORDER BY time, id"):
        moment = phone.local(phone.millis(row["time"]))
        if moment is not None and moment <= phone.now and row["repeat"] != "once":
            moment = datetime.combine(phone.now.date(), moment.time())
            moment += timedelta(days=moment <= phone.now)
        if moment is not None and moment > phone.now:
            found.append(moment)
    return sorted(found)


def _alarm(phone: SandboxPhone, args: list[str]) -> list[str]:
    now = phone.now
    shown = ["Current Alarm Manager state:", f"  nowRTC={phone.millis(now.isoformat())}={now:%Y-%m-%d %H:%M:%S}"]
    times = alarm_times(phone)
    if phone.api >= 30:
        for moment in times:
            shown += ["  Alarm clock:", f"    triggerTime={moment:%Y-%m-%d %H:%M:%S}"]
    shown.append("  Next alarm clock information:")
    for moment in times:
        seconds = int((moment - now).total_seconds())
        after = f"+{seconds // 3600}h{seconds // 60 % 60}m{seconds % 60}s0ms"
        shown.append(
            f"    user:0 pendingSend:false time:{phone.millis(moment.isoformat())} = "
            f"{moment:%Y-%m-%d %H:%M:%S} = {after}"
        )
    return shown


def _audio(phone: SandboxPhone, args: list[str]) -> list[str]:
    shown = [
        "Audio service:",
        "- mode (internal) = NORMAL",
        f"- ringer mode: internal = {phone.setting('sound_mode').upper()}",
    ]
    for number, key in sorted(STREAM_KEYS.items()):
        level = phone.setting(key, "50")
        shown += [f"- STREAM_{key.removesuffix('_volume').upper()}:", f"   Muted: {_bool(level == '0')}", "   Min: 0",
                  "   Max: 100",
                  f"   streamVolume:{level}", f"   stream={number}"]  # fmt: skip
    return shown


def _power(phone: SandboxPhone, args: list[str]) -> list[str]:
    awake, saver = phone.ui.lit(), phone.setting("battery_mode") in ("power_saving", "super_saving")
    return ["POWER MANAGER (dumpsys power)", f"  mWakefulness={'Awake' if awake else 'Asleep'}",
            f"  Display Power: state={'ON' if awake else 'OFF'}", f"  mBatterySaverEnabled={_bool(saver)}"]  # fmt: skip


def _media(phone: SandboxPhone, args: list[str]) -> list[str]:
    """State 3 plays, 2 is paused, 1 stopped."""
    state = {"playing": 3, "paused": 2}.get(phone.setting("media_state", "stopped"), 1)
    found = phone.rows("SELECT title, artist FROM media_tracks WHERE id = ?", phone.setting("media_item"))
    package = app_of(phone.setting("default_app_music", "Music")).package
    if state == 1 or not found:
        return [
            "MEDIA SESSION SERVICE (dumpsys media_session)",
            "0 sessions listeners.",
            "  Sessions Stack - have 0 sessions:",
        ]
    position = (whole(phone.setting("media_position", "0"), 0) or 0) * 1000
    return ["MEDIA SESSION SERVICE (dumpsys media_session)", "  Sessions Stack - have 1 sessions:",
            f"    {package} {package}/MediaSession (userId=0)", "      active=true",
            f"      state=PlaybackState {{state={state}, position={position}, "
            f"speed={phone.setting('media_speed', '1')}}}",
            f"      metadata: size=5, description={found[0]['title']}, {found[0]['artist']}, null"]  # fmt: skip


# --- radios ----------------------------------------------------------------------------------------------------------


def mac(name: str) -> str:
    """A hardware address that is the same each time."""
    number = zlib.crc32(name.encode("utf-8", "replace"))
    return "02:00:" + ":".join(f"{number >> shift & 255:02x}" for shift in (24, 16, 8, 0))


def _wifi(phone: SandboxPhone, args: list[str]) -> list[str]:
    on = phone.is_on("wifi")
    found = phone.rows("SELECT ssid FROM wifi_networks WHERE connected = 1")
    ssid = f'"{found[0]["ssid"]}"' if found else "<unknown ssid>"
    return [
        f"Wi-Fi is {'enabled' if on else 'disabled'}",
        f"mWifiInfo SSID: {ssid}, BSSID: {mac(ssid) if found else '<none>'}",
    ]


def _bluetooth(phone: SandboxPhone, args: list[str]) -> list[str]:
    on = phone.is_on("bluetooth")
    shown = ["Bluetooth Status", f"  enabled: {_bool(on)}", f"  state: {'ON' if on else 'OFF'}",
             f"  name: {phone.setting('device_name')}", "Bonded devices:"]  # fmt: skip
    for row in phone.rows("SELECT * FROM bluetooth_devices WHERE paired = 1 ORDER BY name"):
        shown.append(f"  {mac(row['name']).upper()} [ DUAL ] {row['name']}{' (Connected)' if row['connected'] else ''}")
    return shown


def _telephony(phone: SandboxPhone, args: list[str]) -> list[str]:
    """mCallState 0 is idle, 2 in a call."""
    active = bool(phone.rows("SELECT id FROM calls WHERE status = 'active'"))
    forwards = phone.is_on("call_forwarding")
    return ["last known state:", f"  mCallState={2 if active else 0}", "  mCallIncomingNumber=",
            f"  mCallForwarding={_bool(forwards)}",
            f"  mDataConnectionState={2 if phone.is_on('mobile_data') else 0}"]  # fmt: skip


def _nfc(phone: SandboxPhone, args: list[str]) -> list[str]:
    return [f"mState={'on' if phone.is_on('nfc') else 'off'}", "mIsZeroClickRequested=true"]


def _location(phone: SandboxPhone, args: list[str]) -> list[str]:
    return ["Location Manager State:", f"  Location Settings: [u0] {_bool(phone.is_on('location'))}"]


def _connectivity(phone: SandboxPhone, args: list[str]) -> list[str]:
    shown = ["NetworkProviders for:", "Active default network: "]
    if phone.rows("SELECT ssid FROM wifi_networks WHERE connected = 1"):
        return [shown[0], shown[1] + "100", "  NetworkAgentInfo{network{100} WIFI CONNECTED}"]
    if phone.is_on("mobile_data"):
        return [shown[0], shown[1] + "101", "  NetworkAgentInfo{network{101} MOBILE[LTE] CONNECTED}"]
    return [shown[0], shown[1] + "none"]


def _input_method(phone: SandboxPhone, args: list[str]) -> list[str]:
    shown = bool(phone.ui.focus)
    return ["Current Input Method Manager state:", f"  mCurMethodId={keyboard(phone)}", f"  mInputShown={_bool(shown)}"]


def _display(phone: SandboxPhone, args: list[str]) -> list[str]:
    width, height = phone.ui.size()
    return ["DISPLAY MANAGER (dumpsys display)",
            f"  mBaseDisplayInfo=DisplayInfo{{\"Built-in Screen\", displayId 0, real {width} x {height}, "
            f"rotation {phone.ui.rotation()}, density {phone.extras.density or phone.profile.density}}}",
            f"  mCurrentOrientation={phone.ui.rotation()}"]  # fmt: skip


def _surface(phone: SandboxPhone, args: list[str]) -> list[str]:
    return display_lines(phone) if "--display-id" in args else ["Build configuration: [sf]"]


def _bool(value: bool) -> str:
    return "true" if value else "false"


SERVICES: dict[str, Service] = {
    "SurfaceFlinger": _surface, "activity": _activity, "alarm": _alarm, "audio": _audio, "battery": battery,
    "bluetooth_manager": _bluetooth, "connectivity": _connectivity, "display": _display, "input_method": _input_method,
    "location": _location, "media_session": _media, "nfc": _nfc, "notification": _notification, "power": _power,
    "telephony.registry": _telephony, "wifi": _wifi, "window": _window,
}  # fmt: skip


def dumpsys(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`dumpsys [-t S] SERVICE ...` or `-l`."""
    if args[:1] in (["-t"], ["-T"]):
        args = args[2:]
    if args[:1] == ["-l"]:
        return lines("Currently running services:", *(f"  {name}" for name in sorted([*SERVICES, "package"])))
    if not args:
        return lines("Currently running services:", *(f"  {name}" for name in sorted([*SERVICES, "package"])))
    if args[0] == "package":
        return package_lines(phone, next((a for a in args[1:] if not a.startswith("-")), HOME.package))
    service = SERVICES.get(args[0])
    if service is None:
        return err(f"Can't find service: {args[0]}", 0)
    return lines(*service(phone, args[1:]))


COMMANDS: dict[str, Command] = {"dumpsys": dumpsys}
