"""Redaction of personal data in traces that people read: patterns with checksums, reversible per trace.

It finds e-mail addresses, IBANs (mod 97), Chinese identity numbers (mod 11), payment cards (Luhn), IP addresses and
phone numbers. It does not know names or addresses: a redacted trace is less revealing, not anonymous.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from typing import Any, NamedTuple


class _Rule(NamedTuple):
    kind: str
    pattern: re.Pattern[str]
    valid: Callable[[str], bool]


_TOKEN = re.compile(r"\[(?:EMAIL|IBAN|ID|CARD|IP|PHONE|LITERAL)_\d+\]")
_PHONES = (
    r"\+\d{1,3}(?:[ .-]?\(?\d{1,4}\)?){2,5}",  # international
    r"1[3-9]\d[ -]?\d{4}[ -]?\d{4}",  # Chinese mobile
    r"0\d{2,3}-\d{7,8}",  # Chinese landline
    r"\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}",  # North America
    r"\d{3}-\d{4}",  # local
)
_IPV4 = r"\d{1,3}(?:\.\d{1,3}){3}"
_IPV6 = r"[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){3,7}"


def luhn_ok(digits: str) -> bool:
    """ISO/IEC 7812 check of a 13 to 19 digit card number; separators are ignored."""
    numbers = [int(c) for c in digits if c.isdigit()]
    if not 13 <= len(numbers) <= 19 or len(set(numbers)) == 1:
        return False
    doubled = [2 * n - 9 if n > 4 else 2 * n for n in numbers[-2::-2]]
    return (sum(numbers[-1::-2]) + sum(doubled)) % 10 == 0


def chinese_id_ok(text: str) -> bool:
    """GB 11643 check (ISO 7064 mod 11-2) of an 18 character identity number."""
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    born = re.fullmatch(r"[0-9]{10}([0-9]{2})([0-9]{2})[0-9]{3}[0-9Xx]", text)
    if not born or not 1 <= int(born[1]) <= 12 or not 1 <= int(born[2]) <= 31:
        return False
    return "10X98765432"[sum(w * int(c) for w, c in zip(weights, text)) % 11] == text[17].upper()


def iban_ok(text: str) -> bool:
    """ISO 13616 check: letters become 10..35, the country and check digits move to the end, remainder mod 97 is 1."""
    compact = text.replace(" ", "").upper()
    if not re.fullmatch(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}", compact):
        return False
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


def _ip_ok(text: str) -> bool:
    try:
        return bool(ipaddress.ip_address(text))
    except ValueError:
        return False


def _phone_ok(text: str) -> bool:
    return 7 <= sum(c.isdigit() for c in text) <= 15


def _ascii(pattern: str) -> re.Pattern[str]:
    # Chinese characters are word characters in Unicode mode, and a number right after one would not be seen.
    return re.compile(pattern, re.ASCII)


# In order: the narrower pattern first, so that a card is not reported as a phone number.
_RULES = (
    _Rule("LITERAL", _TOKEN, lambda text: True),  # text that already looks like a token must survive a round trip
    _Rule("EMAIL", _ascii(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+(?!\w)"), lambda text: True),
    _Rule("IBAN", _ascii(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{1,4}){3,8}(?![A-Za-z0-9])"), iban_ok),
    _Rule("ID", _ascii(r"(?<![A-Za-z0-9])\d{17}[\dXx](?![A-Za-z0-9])"), chinese_id_ok),
    _Rule("CARD", _ascii(r"(?<![A-Za-z0-9-])\d(?:[ -]?\d){12,18}(?![A-Za-z0-9-])"), luhn_ok),
    _Rule("IP", _ascii(rf"(?<![\w.:])(?:{_IPV4}|{_IPV6})(?![\w.:]*\w)"), _ip_ok),
    _Rule("PHONE", _ascii(rf"(?<![\w.:/+-])(?:{'|'.join(_PHONES)})(?![\w:/-])"), _phone_ok),
)


class Redactor:
    """Replaces personal data by tokens such as [PHONE_1]; equal values get equal tokens within one redactor.

    Use one per trace: tokens of different traces must not be linkable. `mapping` (token -> original) is the secret.
    """

    def __init__(self) -> None:
        self.mapping: dict[str, str] = {}
        self._tokens: dict[tuple[str, str], str] = {}

    def text(self, text: str) -> str:
        """`text` with every finding replaced."""
        pieces: list[tuple[bool, str]] = [(False, text)]
        for rule in _RULES:
            pieces = [part for piece in pieces for part in self._apply(rule, piece)]
        return "".join(part for _, part in pieces)

    def value(self, value: Any) -> Any:
        """A copy of a JSON value with all strings, keys and long numbers redacted."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.value(key): self.value(item) for key, item in value.items()}
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**10:
            redacted = self.text(str(value))
            return value if redacted == str(value) else redacted
        return value

    def restore(self, text: str) -> str:
        """The original of a text this redactor produced."""
        return _TOKEN.sub(lambda match: self.mapping.get(match[0], match[0]), text)

    def _apply(self, rule: _Rule, piece: tuple[bool, str]) -> list[tuple[bool, str]]:
        done, text = piece
        if done:
            return [piece]
        parts: list[tuple[bool, str]] = []
        end = 0
        for match in rule.pattern.finditer(text):
            if rule.valid(match[0]):
                parts += [(False, text[end : match.start()]), (True, self._token(rule.kind, match[0]))]
                end = match.end()
        return [*parts, (False, text[end:])]

    def _token(self, kind: str, original: str) -> str:
        key = (kind, original)
        if key not in self._tokens:
            count = sum(known == kind for known, _ in self._tokens) + 1
            self._tokens[key] = f"[{kind}_{count}]"
            self.mapping[self._tokens[key]] = original
        return self._tokens[key]
