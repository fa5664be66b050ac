"""How a phone of another locale writes dates, times, numbers and messages.

Only whole values in that shape are rewritten, and every such moment in a message: what a person has written stays. A
phone takes back what it shows, so an argument that is a shown text means the value behind it; and a reply that quotes
one is judged by that value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

_MOMENT = re.compile(r"(?P<y>\d{4})-(?P<mo>\d{2})-(?P<d>\d{2})(?:[T ](?P<h>\d{2}):(?P<mi>\d{2})(?::\d{2})?)?")
_CLOCK = re.compile(r"(?P<h>[01]\d|2[0-3]):(?P<mi>[0-5]\d)")
_INLINE = re.compile(rf"(?<![\w:.-])(?:{_MOMENT.pattern}|(?P<h2>[01]\d|2[0-3]):(?P<mi2>[0-5]\d))(?![\w:-])")
_DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.])")
_ARABIC = str.maketrans("0123456789.", "٠١٢٣٤٥٦٧٨٩٫")

_DATES: dict[str, Callable[[str, str, str], str]] = {
    "en": lambda y, m, d: f"{int(m)}/{int(d)}/{y}",
    "de": lambda y, m, d: f"{d}.{m}.{y}",
    "zh": lambda y, m, d: f"{y}年{int(m)}月{int(d)}日",
    "ar": lambda y, m, d: f"{d}/{m}/{y}".translate(_ARABIC),
}
# English endings of messages ("Alarm created") and what stands there instead; the noun before is left as it is.
_ENDINGS = {
    "de": {
        "created": "erstellt", "saved": "gespeichert", "removed": "entfernt", "deleted": "gelöscht", "sent": "gesendet",
        "started": "gestartet", "stopped": "angehalten", "updated": "geändert", "on": "ein", "off": "aus",
        "status": "Status", "connected": "verbunden", "enabled": "aktiviert", "disabled": "deaktiviert",
    },
    "zh": {
        "created": "已创建", "saved": "已保存", "removed": "已移除", "deleted": "已删除", "sent": "已发送",
        "started": "已开始", "stopped": "已停止", "updated": "已更新", "on": "已开启", "off": "已关闭",
        "status": "状态", "connected": "已连接", "enabled": "已启用", "disabled": "已停用",
    },
    "ar": {
        "created": "تم الإنشاء", "saved": "تم الحفظ", "removed": "تمت الإزالة", "deleted": "تم الحذف",
        "sent": "تم الإرسال", "started": "بدأ", "stopped": "توقف", "updated": "تم التحديث", "on": "قيد التشغيل",
        "off": "متوقف", "status": "الحالة", "connected": "متصل", "enabled": "مفعّل", "disabled": "معطّل",
    },
}  # fmt: skip


class Locale:
    """One episode's locale; it remembers what it has shown."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._whole: dict[str, str] = {}  # shown value -> inner value
        self._parts: dict[str, str] = {}  # shown date or time of day -> as the inner backend writes it

    def payload(self, payload: dict[str, Any]) -> dict[str, Any]:
        """The envelope as this phone words it; the input is left as it is."""
        shown = {key: self._value(value) for key, value in payload.items()}
        for key in ("message", "error"):
            if isinstance(payload.get(key), str):
                shown[key] = self._message(payload[key])
        return shown

    def arguments(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Arguments with shown texts turned back into the values behind them."""
        return {key: self._whole.get(v, v) if isinstance(v, str) else v for key, v in arguments.items()}

    def reply(self, text: str) -> str:
        """A reply with shown dates and times of day turned back."""
        for shown in sorted(self._parts, key=len, reverse=True):
            pattern = r"(?<!\d)" + re.escape(shown).replace(r"\ ", r"\s?") + r"(?!\d)"
            text = re.sub(pattern, self._parts[shown], text, flags=re.IGNORECASE)
        return text

    def _value(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._value(v) for key, v in value.items()}
        if isinstance(value, list):
            return [self._value(v) for v in value]
        if not isinstance(value, str):
            return value
        match = _MOMENT.fullmatch(value) or _CLOCK.fullmatch(value)
        if match is None:
            return value
        shown = self._moment(match.groupdict())
        self._whole[shown] = value
        return shown

    def _message(self, text: str) -> str:
        text = _INLINE.sub(lambda m: self._moment(m.groupdict()), text)
        if self.name in ("de", "ar"):
            text = _DECIMAL.sub(lambda m: self._decimal(m[0]), text)
        noun, _, last = text.rpartition(" ")
        ending = _ENDINGS.get(self.name, {}).get(last)
        return f"{noun} {ending}" if noun and ending else text

    def _moment(self, parts: dict[str, str | None]) -> str:
        said = []
        if parts.get("y"):
            y, m, d = str(parts["y"]), str(parts["mo"]), str(parts["d"])
            said.append(self._part(_DATES[self.name](y, m, d), f"{y}-{m}-{d}"))
        hour, minute = parts.get("h") or parts.get("h2"), parts.get("mi") or parts.get("mi2")
        if hour and minute:
            said.append(self._part(self._clock(hour, minute), f"{hour}:{minute}"))
        return " ".join(said)

    def _part(self, shown: str, inner: str) -> str:
        if shown != inner:
            self._parts[shown] = inner
        return shown

    def _clock(self, hour: str, minute: str) -> str:
        if self.name == "en":
            return f"{(int(hour) + 11) % 12 + 1}:{minute} {'AM' if int(hour) < 12 else 'PM'}"
        return f"{hour}:{minute}".translate(_ARABIC) if self.name == "ar" else f"{hour}:{minute}"

    def _decimal(self, number: str) -> str:
        return number.replace(".", ",") if self.name == "de" else number.translate(_ARABIC)
