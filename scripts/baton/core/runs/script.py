"""A workflow script, read as far as baton must: where its `meta` ends, what it is called, what its
body declares and uses (design page runs).

The host parses a script and proves `meta` a literal before it launches anything, so that a small
scanner is exact for `meta`; baton has no JavaScript parser and needs none.
"""

from __future__ import annotations

import re

# What JavaScript takes for blanks, line ends among them.
BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_LINE_END = re.compile("[\n\r\u2028\u2029]")
_WORD = re.compile(r"(?:[A-Za-z0-9_$]|\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]+\})+")
_ESCAPE = re.compile(r"\\u(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{4}))")
_PAIRS = {")": "(", "]": "[", "}": "{"}
_NAME = re.compile(r"""(?<![\w$])["']?name["']?\s*:\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1""", re.DOTALL)
# Too wide rather than too narrow: a body that declares its own `agent` must not be told that the
# host has changed.
_DECLARES_AGENT = re.compile(
    r"\b(?:const|let|var|class|function\s*\*?)\s+agent\b"
    r"|\bagent\s*=(?![=>])"
    r"|[{,\[:]\s*agent\s*[,}\]][^;]*?="
)


class NotAScript(ValueError):
    """The text does not begin with the `export const meta = {…}` of a workflow script."""


def split(text: str) -> tuple[str, str]:
    """Give what stands before the body (`meta` with its semicolon, and all before it) and the body
    without the blanks that lead it.

    The host cuts `meta` out and trims the rest. Raises NotAScript.
    """
    end = _Scanner(text).meta()
    return text[:end], text[end:].lstrip(BLANKS)


def name(text: str) -> str:
    """Give the name in a script's `meta`, "" when it cannot be found. Raises NotAScript."""
    head, _ = split(text)
    found = _NAME.search(head)
    return _plain(found[2]) if found else ""


def declares_agent(body: str) -> bool:
    """Whether a body may declare a variable `agent` of its own."""
    return bool(_DECLARES_AGENT.search(body))


def reads_budget(body: str) -> bool:
    """Whether a body may look at what it has spent; replayed results cost nothing."""
    return bool(re.search(r"\bbudget\b", body))


def _plain(literal: str) -> str:
    return re.sub(r"\\(.)", r"\1", literal, flags=re.DOTALL)


class _Scanner:
    """Walks over the head of a script; `at` is where it stands."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def meta(self) -> int:
        """Give where `export const meta = {…}` and its semicolon end."""
        try:
            if self.text.lstrip("\ufeff").startswith("#!"):
                self._to_line_end()
            for word in ("export", "const", "meta"):
                self._word(word)
            self._sign("=")
            self._literal()
        except IndexError:
            raise NotAScript("the script ends inside its meta") from None
        end = self.at
        self._skip_blanks()
        return self.at + 1 if self.text.startswith(";", self.at) else end

    def _skip_blanks(self) -> None:
        """Blanks and comments."""
        while self.at < len(self.text):
            if self.text[self.at] in BLANKS:
                self.at += 1
            elif self.text.startswith("//", self.at):
                self._to_line_end()
            elif self.text.startswith("/*", self.at):
                end = self.text.find("*/", self.at + 2)
                self.at = end + 2 if end >= 0 else len(self.text)
            else:
                return

    def _to_line_end(self) -> None:
        found = _LINE_END.search(self.text, self.at)
        self.at = found.start() if found else len(self.text)

    def _word(self, expected: str) -> None:
        self._skip_blanks()
        found = _WORD.match(self.text, self.at)
        if found is None or _ESCAPE.sub(_unescaped, found[0]) != expected:
            raise NotAScript(f"expected `export const meta = {{…}}`, no `{expected}` at {self.at}")
        self.at = found.end()

    def _sign(self, expected: str) -> None:
        self._skip_blanks()
        if self.text[self.at] != expected:
            raise NotAScript(f"expected `{expected}` behind `meta`, at {self.at}")
        self.at += 1

    def _literal(self) -> None:
        """One object literal, in parentheses or not."""
        depth: list[str] = []
        while True:
            self._skip_blanks()
            sign = self.text[self.at]
            if sign in "([{":
                depth.append(sign)
            elif sign in _PAIRS:
                if not depth or depth.pop() != _PAIRS[sign]:
                    raise NotAScript(f"a `{sign}` that closes nothing, at {self.at}")
                if not depth:
                    self.at += 1
                    return
            elif not depth:
                raise NotAScript("meta is not an object literal")
            elif sign in "'\"`":
                self._string(sign)
            elif sign == "/":
                self._regular_expression()
            self.at += 1

    def _string(self, quote: str) -> None:
        self.at += 1
        while self.text[self.at] != quote:
            self.at += 2 if self.text[self.at] == "\\" else 1

    def _regular_expression(self) -> None:
        """In a literal a slash is never a division."""
        in_class = False
        self.at += 1
        while (sign := self.text[self.at]) != "/" or in_class:
            in_class = sign == "[" or (in_class and sign != "]")
            self.at += 2 if sign == "\\" else 1


def _unescaped(found: re.Match[str]) -> str:
    code = int(found[1] or found[2], 16)
    return chr(code) if code < 0x110000 else "\ufffd"
