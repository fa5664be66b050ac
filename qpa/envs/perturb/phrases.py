"""The words of dialogs, notices and outages, by locale; other locales than these four are answered in English."""

from __future__ import annotations

POPUPS = {
    "update": {
        "en": "Update available. Restart now?", "de": "Update verfügbar. Jetzt neu starten?",
        "zh": "有可用更新，立即重启？", "ar": "يتوفر تحديث. إعادة التشغيل الآن؟",
    },
    "rate_us": {
        "en": "Enjoying the app? Rate it", "de": "Gefällt Ihnen die App? Jetzt bewerten",
        "zh": "喜欢这个应用吗？给个评分", "ar": "هل أعجبك التطبيق؟ قيّمه",
    },
    "ad": {
        "en": "Special offer, today only", "de": "Sonderangebot, nur heute",
        "zh": "限时优惠", "ar": "عرض خاص اليوم فقط",
    },
    "not_responding": {
        "en": "The app isn't responding. Wait or close it?", "de": "Die App reagiert nicht. Warten oder schließen?",
        "zh": "应用无响应，等待还是关闭？", "ar": "التطبيق لا يستجيب. انتظار أم إغلاق؟",
    },
    "login_expired": {
        "en": "Your session has expired. Sign in later?", "de": "Sitzung abgelaufen. Später anmelden?",
        "zh": "登录已过期，稍后登录？", "ar": "انتهت الجلسة. تسجيل الدخول لاحقًا؟",
    },
}  # fmt: skip
COVERED = {
    "en": "A dialog is on top: {text} (press back, or try again)",
    "de": "Ein Dialog liegt davor: {text} (Zurück drücken oder erneut versuchen)",
    "zh": "有对话框遮挡：{text}（按返回键，或重试）",
    "ar": "مربع حوار يحجب الشاشة: {text} (اضغط رجوع أو أعد المحاولة)",
}
CLOSED = {"en": "Dialog closed", "de": "Dialog geschlossen", "zh": "对话框已关闭", "ar": "أُغلق مربع الحوار"}
# By the first Android version that asks so.
PERMISSION = {
    9: {
        "en": "Waiting for the user: allow {name}? Try again",
        "de": "Wartet auf den Nutzer: {name} zulassen? Erneut versuchen",
        "zh": "等待用户：允许 {name}？请重试", "ar": "في انتظار المستخدم: السماح بـ {name}؟ أعد المحاولة",
    },
    11: {
        "en": "Waiting for the user: {name} while using the app, or only this time? Try again",
        "de": "Wartet auf den Nutzer: {name} bei Nutzung der App oder nur dieses Mal? Erneut versuchen",
        "zh": "等待用户：使用时允许 {name}，还是仅这一次？请重试",
        "ar": "في انتظار المستخدم: {name} أثناء الاستخدام أم هذه المرة فقط؟ أعد المحاولة",
    },
    13: {
        "en": "Waiting for the user: permission {name} is requested. Try again",
        "de": "Wartet auf den Nutzer: Berechtigung {name} wird angefragt. Erneut versuchen",
        "zh": "等待用户：正在请求权限 {name}。请重试",
        "ar": "في انتظار المستخدم: طلب إذن {name}. أعد المحاولة",
    },
}  # fmt: skip
NOTICES = {
    "sms": ("Messages", {
        "en": "Running ten minutes late", "de": "Komme zehn Minuten später",
        "zh": "晚到十分钟", "ar": "سأتأخر عشر دقائق",
    }),
    "notification": ("News", {
        "en": "Your daily digest is ready", "de": "Ihr Tagesüberblick ist da",
        "zh": "今日摘要已生成", "ar": "ملخصك اليومي جاهز",
    }),
    "low_battery": ("System", {
        "en": "Battery low: 15 %", "de": "Akku schwach: 15 %",
        "zh": "电量低：15 %", "ar": "البطارية منخفضة: 15 %",
    }),
    "one_time_code": ("Messages", {
        "en": "Your code is 482913", "de": "Ihr Code ist 482913",
        "zh": "您的验证码是 482913", "ar": "رمزك هو 482913",
    }),
    "incoming_call": ("Phone", {
        "en": "Missed call", "de": "Verpasster Anruf",
        "zh": "未接来电", "ar": "مكالمة فائتة",
    }),
}  # fmt: skip
OUTAGES = {
    "offline": {
        "en": "No network connection; try again", "de": "Keine Netzwerkverbindung; erneut versuchen",
        "zh": "无网络连接，请重试", "ar": "لا يوجد اتصال بالشبكة؛ أعد المحاولة",
    },
    "slow": {
        "en": "Network too slow; try again", "de": "Netzwerk zu langsam; erneut versuchen",
        "zh": "网络过慢，请重试", "ar": "الشبكة بطيئة جدًا؛ أعد المحاولة",
    },
    "captive_portal": {
        "en": "Network sign-in pending; try again", "de": "Netzwerkanmeldung ausstehend; erneut versuchen",
        "zh": "网络登录未完成，请重试", "ar": "تسجيل الدخول إلى الشبكة معلّق؛ أعد المحاولة",
    },
    "server_error": {
        "en": "Server error 502; try again", "de": "Serverfehler 502; erneut versuchen",
        "zh": "服务器错误 502，请重试", "ar": "خطأ في الخادم 502؛ أعد المحاولة",
    },
}  # fmt: skip


def said(texts: dict[str, str], locale: str) -> str:
    """The wording of a locale."""
    return texts.get(locale, texts["en"])
