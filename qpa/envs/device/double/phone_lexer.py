"""Words and operators of a command line, as mksh reads them: quotes and escapes before anything is split."""

from __future__ import annotations

from dataclasses import dataclass, field

_SEPARATORS = ("&&", "||", ";;", ";", "&", "|", "\n", "(", ")")
REDIRECTS = ("<<", ">>", ">&", "<", ">")
_ESCAPED_IN_QUOTES = '\\"$`\n'


class ShellSyntaxError(Exception):
    """The line cannot be read; the message is what the shell prints after its own name."""


@dataclass
class Part:
    """A piece of a word: literal text, a variable's name, or a command to substitute."""

    text: str
    quoted: bool
    kind: str = "text"  # text | variable | command


@dataclass
class Token:
    """A word (parts) or an operator (text)."""

    operator: str = ""
    parts: list[Part] = field(default_factory=list)

    def plain(self) -> str | None:
        """The word if it has no quotes and no expansion."""
        if self.operator or any(part.quoted or part.kind != "text" for part in self.parts):
            return None
        return "".join(part.text for part in self.parts)


def tokenize(line: str) -> list[Token]:
    """Words and operators, quotes resolved; raises `ShellSyntaxError`."""
    return _Lexer(line).run()


class _Lexer:
    def __init__(self, line: str) -> None:
        self.line, self.at = line, 0
        self.tokens: list[Token] = []
        self.word: list[Part] | None = None

    def run(self) -> list[Token]:
        while self.at < len(self.line):
            self._next()
        self._end_word()
        return self.tokens

    def _end_word(self) -> None:
        if self.word is not None:
            self.tokens.append(Token(parts=self.word))
            self.word = None

    def _add(self, text: str, quoted: bool, kind: str = "text") -> None:
        if self.word is None:
            self.word = []
        last = self.word[-1] if self.word else None
        if last is not None and last.kind == kind == "text" and last.quoted == quoted:
            last.text += text
        else:
            self.word.append(Part(text, quoted, kind))

    def _next(self) -> None:
        char = self.line[self.at]
        if char in " \t\r":
            self._end_word()
            self.at += 1
        elif char == "#" and self.word is None:
            end = self.line.find("\n", self.at)
            self.at = len(self.line) if end < 0 else end
        elif char == "'":
            end = self._find("'", self.at + 1)
            self._add(self.line[self.at + 1 : end], True)
            self.at = end + 1
        elif char == '"':
            self.at += 1
            self._double()
        elif char == "\\":
            self._escape()
        elif char in "$`":
            self._expansion(False)
        else:
            self._operator_or_text(char)

    def _find(self, mark: str, start: int) -> int:
        end = self.line.find(mark, start)
        if end < 0:
            raise ShellSyntaxError("no closing quote")
        return end

    def _escape(self) -> None:
        following = self.line[self.at + 1 : self.at + 2]
        if following != "\n":  # a backslash before a line's end joins the two lines
            self._add(following or "\\", True)
        self.at += 2

    def _double(self) -> None:
        self._add("", True)
        while True:
            if self.at >= len(self.line):
                raise ShellSyntaxError("no closing quote")
            char = self.line[self.at]
            if char == '"':
                self.at += 1
                return
            if char == "\\":
                following = self.line[self.at + 1 : self.at + 2]
                if following and following in _ESCAPED_IN_QUOTES:
                    self._add("" if following == "\n" else following, True)
                else:
                    self._add(char + following, True)
                self.at += 2
            elif char in "$`":
                self._expansion(True)
            else:
                self._add(char, True)
                self.at += 1

    def _expansion(self, quoted: bool) -> None:
        line, start = self.line, self.at
        if line[start] == "`":
            end = self._find("`", start + 1)
            self._add(line[start + 1 : end], quoted, "command")
            self.at = end + 1
        elif line.startswith("$((", start):
            raise ShellSyntaxError("arithmetic is not supported by this double")
        elif line.startswith("$(", start):
            end = self._closing(start + 2)
            self._add(line[start + 2 : end], quoted, "command")
            self.at = end + 1
        elif line.startswith("${", start):
            end = line.find("}", start)
            name = line[start + 2 : end]
            if end < 0 or not is_name(name):
                raise ShellSyntaxError(f"{line[start : start + 20]}: bad substitution")
            self._add(name, quoted, "variable")
            self.at = end + 1
        else:
            self._variable(quoted)

    def _variable(self, quoted: bool) -> None:
        end = self.at + 1
        if self.line[end : end + 1] in ("?", "$", "#", "!", "0") and end < len(self.line):
            end += 1
        else:
            while end < len(self.line) and (
                (self.line[end].isascii() and self.line[end].isalnum()) or self.line[end] == "_"
            ):
                end += 1
        name = self.line[self.at + 1 : end]
        if name:
            self._add(name, quoted, "variable")
        else:
            self._add("$", quoted)
        self.at = end

    def _closing(self, start: int) -> int:
        """Where the parenthesis closes that opened before `start`, quotes respected."""
        depth, at, quote = 1, start, ""
        while at < len(self.line):
            char = self.line[at]
            if quote:
                if char == "\\" and quote == '"':
                    at += 1
                elif char == quote:
                    quote = ""
            elif char == "\\":
                at += 1
            elif char in "'\"":
                quote = char
            elif char in "()":
                depth += 1 if char == "(" else -1
                if not depth:
                    return at
            at += 1
        raise ShellSyntaxError("syntax error: unexpected EOF")

    def _operator_or_text(self, char: str) -> None:
        for operator in (*REDIRECTS, *_SEPARATORS):
            if self.line.startswith(operator, self.at):
                number = Token(parts=self.word).plain() if self.word and operator in REDIRECTS else None
                if number in ("1", "2", "0"):  # a digit straight before it says which stream
                    self.word = None
                    self.tokens.append(Token(operator=number + operator))
                else:
                    self._end_word()
                    self.tokens.append(Token(operator=operator))
                self.at += len(operator)
                return
        self._add(char, False)
        self.at += 1


def is_name(name: str) -> bool:
    return name == "?" or (name.isascii() and name.isidentifier())
