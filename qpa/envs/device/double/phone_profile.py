"""What differs from phone to phone: the Android release, the hardware, and the packages behind the sandbox's apps."""

from __future__ import annotations

from dataclasses import dataclass

from qpa.envs.device.android import package_of

API = {8: 26, 9: 28, 10: 29, 11: 30, 12: 31, 13: 33, 14: 34, 15: 35, 16: 36}  # Android release -> API level

# Where the output of a command changed. A command asks `has(api, name)`; the number is the first API level with it.
SINCE = {
    "launch_state": 29,  # `am start -W` prints LaunchState, and no ThisTime any more
    "focus_in_displays": 29,  # mCurrentFocus is printed by `dumpsys window displays`, before by `window windows`
    "long_display_ids": 29,  # 64-bit physical ids, before 0
    "input_display": 29,  # `input -d DISPLAY`
    "cmd_wifi": 30,  # `cmd wifi set-wifi-enabled`
    "cmd_connectivity": 30,  # `cmd connectivity airplane-mode`
    "cmd_phone_data": 30,  # `cmd phone data enable`
    "cmd_location": 31,  # `cmd location set-location-enabled`; the secure settings then change nothing
    "cmd_bluetooth": 31,  # `cmd bluetooth_manager enable`
    "cmd_dnd": 29,  # `cmd notification set_dnd`
    "cmd_post": 28,  # `cmd notification post`
    "top_resumed": 31,  # topResumedActivity, before mResumedActivity
    "post_notifications": 33,  # POST_NOTIFICATIONS is a runtime permission
    "secure_black": 31,  # a secure window is black also for the shell
    "svc_bluetooth": 28,
    "scoped_storage": 29,  # relative_path in MediaProvider
    "resumed_activity": 34,  # "ResumedActivity:" beside topResumedActivity
    "new_missing_activity": 28,  # "Error: Activity class {..} does not exist." goes to stderr
}


def has(api: int, feature: str) -> bool:
    """Whether this API level has the feature of `SINCE`."""
    return api >= SINCE[feature]


@dataclass(frozen=True)
class Profile:
    """The hardware. `size` and `override` are width and height in pixels, upright."""

    brand: str = "google"
    manufacturer: str = "Google"
    product: str = "double"
    size: tuple[int, int] = (1080, 2340)
    override: tuple[int, int] | None = None
    density: int = 420
    display_id: int = 4619827259835644672
    displays: int = 1  # with two, `screencap` without `-d` warns on stdout before its picture

    def screen(self) -> tuple[int, int]:
        """The size that coordinates refer to."""
        return self.override or self.size


@dataclass(frozen=True)
class App:
    """The package and main activity (full class name) of a sandbox app."""

    package: str
    activity: str

    @property
    def component(self) -> str:
        """As `am` shortens it: pkg/.Act where the class lies in the package."""
        if self.activity.startswith(self.package + "."):
            return f"{self.package}/{self.activity[len(self.package) :]}"
        return f"{self.package}/{self.activity}"


HOME = App("com.google.android.apps.nexuslauncher", "com.google.android.apps.nexuslauncher.NexusLauncherActivity")

# Launcher activities of the packages in `android.PACKAGES`; any other package has `<package>.MainActivity`.
_ACTIVITIES = {
    "com.amazon.mp3": "com.amazon.mp3.client.activity.LauncherActivity",
    "com.android.camera2": "com.android.camera.CameraLauncher",
    "com.android.chrome": "com.google.android.apps.chrome.Main",
    "com.android.settings": "com.android.settings.Settings",
    "com.android.vending": "com.android.vending.AssetBrowserActivity",
    "com.duolingo": "com.duolingo.app.LoginActivity",
    "com.google.android.apps.maps": "com.google.android.maps.MapsActivity",
    "com.google.android.apps.messaging": "com.google.android.apps.messaging.ui.ConversationListActivity",
    "com.google.android.apps.photos": "com.google.android.apps.photos.home.HomeActivity",
    "com.google.android.calendar": "com.android.calendar.AllInOneActivity",
    "com.google.android.deskclock": "com.android.deskclock.DeskClock",
    "com.google.android.dialer": "com.google.android.dialer.extensions.GoogleDialtactsActivity",
    "com.google.android.documentsui": "com.android.documentsui.files.FilesActivity",
    "com.google.android.gm": "com.google.android.gm.ConversationListActivityGmail",
    "com.google.android.keep": "com.google.android.keep.activities.BrowseActivity",
    "com.instagram.android": "com.instagram.mainactivity.InstagramMainActivity",
    "com.netflix.mediaclient": "com.netflix.mediaclient.ui.launch.UIWebViewActivity",
    "com.spotify.music": "com.spotify.music.MainActivity",
    "com.ubercab": "com.ubercab.presidio.app.core.root.RootActivity",
    "com.whatsapp": "com.whatsapp.HomeActivity",
    "org.mozilla.firefox": "org.mozilla.firefox.App",
    "org.telegram.messenger": "org.telegram.ui.LaunchActivity",
}
CONTACTS = App("com.google.android.contacts", "com.android.contacts.activities.PeopleActivity")

# Packages of the system that are no app of the sandbox.
SYSTEM_PACKAGES = (
    "android",
    "com.android.shell",
    "com.android.systemui",
    "com.android.providers.calendar",
    "com.android.providers.contacts",
    "com.android.providers.media",
    "com.android.providers.telephony",
    "com.google.android.inputmethod.latin",
    "com.google.android.permissioncontroller",
    CONTACTS.package,
    HOME.package,
)

INPUT_METHODS = {  # sandbox keyboard -> id as `ime list` prints it
    "Gboard": "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME",
    "Grammarly": "com.grammarly.android.keyboard/.GrammarlyKeyboard",
    "Microsoft SwiftKey": "com.touchtype.swiftkey/com.touchtype.KeyboardService",
    "Sogou Pinyin": "com.sohu.inputmethod.sogou/.SogouIME",
    "Voice Typing": "com.google.android.tts/.voiceime.VoiceInputMethodService",
}
ADB_KEYBOARD = "com.android.adbkeyboard/.AdbIME"  # types what a broadcast brings; the sandbox knows nothing of it

LOCALES = {
    "Arabic": "ar-EG", "Chinese (Simplified)": "zh-Hans-CN", "Chinese (Traditional)": "zh-Hant-TW", "Dutch": "nl-NL",
    "English": "en-US", "French": "fr-FR", "German": "de-DE", "Hindi": "hi-IN", "Indonesian": "in-ID",
    "Italian": "it-IT", "Japanese": "ja-JP", "Korean": "ko-KR", "Polish": "pl-PL", "Portuguese": "pt-BR",
    "Russian": "ru-RU", "Spanish": "es-ES", "Thai": "th-TH", "Turkish": "tr-TR", "Ukrainian": "uk-UA",
    "Vietnamese": "vi-VN",
}  # fmt: skip


def app_of(name: str) -> App:
    """The package behind a sandbox app."""
    package = package_of(name)
    return App(package, _ACTIVITIES.get(package, f"{package}.MainActivity"))
