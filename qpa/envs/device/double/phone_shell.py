"""The shell of the double: what mksh does with one command line, without job control, loops or arithmetic.

Quotes are read before anything is split, so that `echo 'a;b'; echo X4EXIT:$?` is two commands. Supported: quotes and
escapes, `;` `&` `&&` `||` `!` and newlines, pipes, redirections, comments, assignments, `$?`, `$NAME`, `${NAME}`,
`$(...)` and `(...)`. A command inside a quoted argument is data. Everything is bounded: length, commands, nesting.
"""

from __future__ import annotations

from collections.abc import Callable

from qpa.envs.device.base import ShellResult
from qpa.envs.device.double.phone_lexer import REDIRECTS, ShellSyntaxError, Token, is_name, tokenize

SHELL = "/system/bin/sh"
MAX_LINE = 1 << 20  # characters
MAX_COMMANDS = 500  # run by one line
MAX_OUTPUT = 32 << 20  # bytes
MAX_DEPTH = 5  # of `$(...)` and `(...)`
_RESERVED = frozenset("if then else elif fi for while until do done case esac select function { } [[ ]] time".split())

Runner = Callable[[list[str], bytes], ShellResult]


class Shell:
    """Interprets lines; `run` executes one argv, `read` and `write` are files for redirections."""

    def __init__(
        self,
        run: Runner,
        read: Callable[[str], bytes | None],
        write: Callable[[str, bytes, bool], str],
        variables: dict[str, str],
    ) -> None:
        self._run_argv, self._read, self._write = run, read, write
        self.variables = variables
        self.status = 0
        self._commands = 0
        self._depth = 0
        self._left = False

    def run(self, line: str, stdin: bytes = b"") -> ShellResult:
        """The line's output and last exit status. Syntax errors are rc 1 and the shell's own words on stderr."""
        try:
            if len(line) > MAX_LINE:
                raise ShellSyntaxError("line is too long")
            if self._depth >= MAX_DEPTH:
                raise ShellSyntaxError("nested too deep")
            tokens = tokenize(line.partition("\x00")[0])
            self._depth += 1
            try:
                out, err, rest = self._list(tokens, stdin)
            finally:
                self._depth -= 1
            if rest:
                raise ShellSyntaxError(f"syntax error: unexpected '{_shown(rest[0])}'")
        except ShellSyntaxError as error:
            self.status = 1
            return ShellResult(stderr=f"{SHELL}: {error}\n".encode("utf-8", "replace"), exit_code=1)
        return ShellResult(out[:MAX_OUTPUT], err[:MAX_OUTPUT], self.status)

    def leave(self, status: int) -> None:
        """`exit`: nothing after it runs."""
        self.status, self._left = status, True

    def _list(self, tokens: list[Token], stdin: bytes) -> tuple[bytes, bytes, list[Token]]:
        """Commands joined by `;`, `&&` and so on, up to a `)` or the end."""
        out, err = bytearray(), bytearray()
        due = True
        while tokens and tokens[0].operator != ")":
            if tokens[0].operator in (";", "&", "\n"):
                tokens, due = tokens[1:], True
                continue
            skipped = not due or self._left
            result, tokens = self._pipeline(tokens, stdin, skipped)
            if not skipped:
                self.status = result.exit_code
                out += result.stdout
                err += result.stderr
            operator = tokens[0].operator if tokens else ""
            if operator in ("&&", "||"):
                due = (self.status == 0) == (operator == "&&")
                tokens = tokens[1:]
                if not any(token.operator != "\n" for token in tokens):
                    raise ShellSyntaxError("syntax error: unexpected EOF")
            elif operator not in ("", ";", "&", "\n", ")"):
                raise ShellSyntaxError(f"syntax error: unexpected '{operator}'")
        return bytes(out), bytes(err), tokens

    def _pipeline(self, tokens: list[Token], stdin: bytes, skip: bool) -> tuple[ShellResult, list[Token]]:
        negate = False
        while tokens and tokens[0].plain() == "!":
            negate, tokens = not negate, tokens[1:]
        err = bytearray()
        while True:
            result, tokens = self._command(tokens, stdin, skip)
            err += result.stderr
            if not tokens or tokens[0].operator != "|":
                break
            stdin, tokens = result.stdout, tokens[1:]
        code = (0 if result.exit_code else 1) if negate else result.exit_code
        return ShellResult(result.stdout, bytes(err), code), tokens

    def _command(self, tokens: list[Token], stdin: bytes, skip: bool) -> tuple[ShellResult, list[Token]]:
        if not tokens:
            raise ShellSyntaxError("syntax error: unexpected EOF")
        group = tokens[0].operator == "("
        words: list[Token] = []
        redirects: list[tuple[str, Token]] = []
        result = ShellResult()
        if group:
            result, tokens = self._group(tokens[1:], stdin, skip)
        while tokens and (not tokens[0].operator or tokens[0].operator.lstrip("012") in REDIRECTS):
            token, tokens = tokens[0], tokens[1:]
            if not token.operator:
                if group:
                    raise ShellSyntaxError(f"syntax error: unexpected '{_shown(token)}'")
                words.append(token)
            elif not tokens or tokens[0].operator:
                raise ShellSyntaxError("syntax error: unexpected 'newline'")
            else:
                redirects.append((token.operator, tokens[0]))
                tokens = tokens[1:]
        if not group and not words and not redirects:
            raise ShellSyntaxError(f"syntax error: unexpected '{_shown(tokens[0])}'")
        if words and words[0].plain() in _RESERVED:
            raise ShellSyntaxError(f"syntax error: unexpected '{words[0].plain()}'")
        if skip:
            return ShellResult(), tokens
        return self._redirected(words, redirects, stdin, result if group else None), tokens

    def _group(self, tokens: list[Token], stdin: bytes, skip: bool) -> tuple[ShellResult, list[Token]]:
        kept, left = self.status, self._left
        self._left = left or skip
        if self._depth >= MAX_DEPTH:
            raise ShellSyntaxError("nested too deep")
        self._depth += 1
        out, err, tokens = self._list(tokens, stdin)
        self._depth -= 1
        result = ShellResult(out, err, self.status)
        self._left = left
        if skip:
            self.status = kept
        if not tokens or tokens[0].operator != ")":
            raise ShellSyntaxError("syntax error: unexpected EOF")
        return result, tokens[1:]

    def _redirected(
        self, words: list[Token], redirects: list[tuple[str, Token]], stdin: bytes, done: ShellResult | None
    ) -> ShellResult:
        """Runs a simple command (or takes a group's result) with its streams where the redirections say."""
        targets: list[tuple[str, str]] = []
        for operator, word in redirects:
            name = " ".join(self._expand(word))
            if operator in ("<", "0<"):
                data = self._read(name)
                if data is None:
                    message = f"{SHELL}: can't open {name}: No such file or directory\n"
                    return ShellResult(stderr=_bytes(message), exit_code=1)
                stdin = data
            elif operator.endswith("<<"):
                raise ShellSyntaxError("here documents are not supported by this double")
            else:
                targets.append((operator, name))
        result = done if done is not None else self._simple(words, stdin)
        streams = {"1": result.stdout, "2": result.stderr}
        for operator, name in reversed(targets):  # the last one stands nearest to the command
            stream = "2" if operator.startswith("2") else "1"
            data, streams[stream] = streams[stream], b""
            if operator.endswith(">&"):
                streams[name if name in streams else stream] += data
            elif name != "/dev/null" and (error := self._write(name, data, operator.endswith(">>"))):
                return ShellResult(stderr=_bytes(f"{SHELL}: can't create {name}: {error}\n"), exit_code=1)
        return ShellResult(streams["1"], streams["2"], result.exit_code)

    def _simple(self, words: list[Token], stdin: bytes) -> ShellResult:
        argv: list[str] = []
        assigned: dict[str, str] = {}
        for word in words:
            name, sign, _ = (word.parts[0].text if word.parts[0].kind == "text" else "").partition("=")
            if not argv and sign and not word.parts[0].quoted and is_name(name):
                assigned[name] = " ".join(self._expand(word)).partition("=")[2]
            else:
                argv += self._expand(word)
        if not argv:
            self.variables.update(assigned)
            return ShellResult()
        self._commands += 1
        if self._commands > MAX_COMMANDS:
            raise ShellSyntaxError("too many commands in one line")
        return self._run_argv(argv, stdin)

    def _expand(self, word: Token) -> list[str]:
        """The fields a word becomes; unquoted expansions are split at blanks."""
        fields: list[str] = []
        current: str | None = None
        for part in word.parts:
            text = part.text
            if part.kind == "variable":
                text = str(self.status) if text == "?" else self.variables.get(text, "")
            elif part.kind == "command":
                inner = self.run(text)
                text = inner.stdout.decode("utf-8", "replace").rstrip("\n")
            if part.kind == "text" or part.quoted:
                current = (current or "") + text
                continue
            pieces = text.split()
            if current is not None and text[:1].isspace():
                fields.append(current)
                current = None
            for index, piece in enumerate(pieces):
                if index:
                    fields.append(current or "")
                    current = None
                current = (current or "") + piece
            if pieces and text[-1:].isspace():
                fields.append(current or "")
                current = None
        return fields if current is None else [*fields, current]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _shown(token: Token) -> str:
    shown = token.operator or "".join(part.text for part in token.parts)
    return "newline" if shown == "\n" else shown[:40]
