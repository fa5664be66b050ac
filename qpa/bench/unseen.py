"""What the benchmark keeps from training: tools and apps that no training task calls, shows or names."""

from __future__ import annotations

# About one in sixteen, spread over the domains; families that need one are marked `unseen="tool"`.
UNSEEN_TOOLS = frozenset(
    {
        "control_curtain",
        "convert_currency",
        "extract_archive",
        "manage_color_correction",
        "manage_desktop_folder",
        "manage_dual_app",
        "manage_floating_ball",
        "manage_habit",
        "manage_medical_info",
        "manage_reading_mode",
        "manage_ride",
        "manage_text_shortcuts",
        "manage_watchlist",
        "print_file",
        "recognize_music",
        "request_refund",
        "set_audio_balance",
        "set_lock_timeout",
        "share_eta",
    }
)
# Apps by the words a task names them with. Everything in the customer app's domain counts as that app too.
UNSEEN_APPS = ("Taobao", "淘宝", "Meituan", "美团")
UNSEEN_APP_DOMAINS = frozenset({"Customer Management"})
