"""The work chain's grammar, read (design page chain).

    # WAL — written by baton; change it with `baton wal`
    updated: 2026-07-11T14:03:22+07:00 | session: 4f1c2a | branch: main
    goal: Build feature X: codify the rule, then announce it

    chain:
    [x] script written — ls scripts/flush
    [!] wf:review run=FOLDER runId=wf_bb0ce1d7-626 args=FOLDER/snapshot.json done=3/8 harvested=no
    [ ] draft the announcement

    next: Append the section and run its checks
    verify: grep -c 'H-22' GOVERNANCE.md  # expect >= 1

Reading never fails: what does not fit is a problem with its line. The Vietnamese document's
template and example are read as they are printed there, and so are bullets, alignment spaces,
several commands below one `verify:`, CRLF, a BOM and a missing final newline. Values come out on
one line and without control characters.
"""

from baton.hot import clean, digits

MAX_LINES = 40
MAX_BYTES = 64 << 10
DONE, DOING, TODO = "done", "doing", "todo"
MARKS = {"[x]": DONE, "[!]": DOING, "[ ]": TODO}
EMPTY, UNFINISHED, FINISHED, UNREADABLE, ABSENT = (
    "empty",
    "unfinished",
    "finished",
    "unreadable",
    "absent",
)
FOLDED = " done) "
RUN_FIELDS = ("run", "runId", "args", "done", "harvested")

# A chain with one of these cannot be written back without losing something of it.
_UNREADABLE_CODES = {
    "bad-mark",
    "two-next",
    "bad-wf",
    "conflict-markers",
    "binary",
    "not-utf8",
    "too-big",
    "unknown-line",
}
_NOTHING = {"", "-", "—", "(none)", "(empty)", "(rỗng)", "(trống)"}
_BULLETS = ("• ", "- ", "* ")
_CONFLICTS = ("<<<<<<< ", "||||||| ", ">>>>>>> ")
_VIETNAMESE = ("không sửa tay", "do baton ghi", "(trống", "(rỗng)")


class Problem:
    """One thing that is wrong with a chain. line: from 1, 0 for the whole file.

    code: stable, listed on design page chain.
    """

    __slots__ = ("code", "line", "message")

    def __init__(self, line: int, code: str, message: str) -> None:
        self.line = line
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


class Run:
    """The five fields of a `wf:` item and its purpose.

    `finished` of `total` tasks have their result.
    """

    __slots__ = ("args", "finished", "folder", "harvested", "purpose", "run_id", "total")

    def __init__(self, purpose: str, fields: dict[str, str], finished: int, total: int) -> None:
        self.purpose = purpose
        self.folder = fields["run"]
        self.run_id = fields["runId"]
        self.args = fields["args"]
        self.harvested = fields["harvested"]
        self.finished = finished
        self.total = total


class Item:
    """One state of the chain.

    evidence: a command, a path or a commit id, "" when there is none. run: set for `wf:` items,
    whose text is the whole line. line: where it was read, from 1; 0 when it was not.
    """

    __slots__ = ("evidence", "line", "mark", "run", "text")

    def __init__(
        self, mark: str, text: str, evidence: str = "", run: Run | None = None, line: int = 0
    ) -> None:
        self.mark = mark
        self.text = text
        self.evidence = evidence
        self.run = run
        self.line = line

    @property
    def weight(self) -> int:
        """How many items this one stands for.

        `(5 done) …` is what `baton wal compact` makes of five.
        """
        count, found, _ = (
            self.text[1:].partition(FOLDED) if self.text.startswith("(") else ("", "", "")
        )
        return max(1, int(count)) if found and count.isdecimal() and len(count) < 4 else 1


class Chain:
    """A chain as read.

    lang: "en" or "vi". verify: the commands as written, with their expectations. A chain that is not
    `readable` holds whatever could be read, for showing alone.
    """

    __slots__ = (
        "branch",
        "goal",
        "items",
        "lang",
        "next",
        "problems",
        "session",
        "updated",
        "verify",
    )

    def __init__(self) -> None:
        self.lang = "en"
        self.updated = ""
        self.session = ""
        self.branch = ""
        self.goal = ""
        self.items: list[Item] = []
        self.next = ""
        self.verify: list[str] = []
        self.problems: list[Problem] = []

    @property
    def readable(self) -> bool:
        """Whether writing it back would lose nothing."""
        return not any(problem.code in _UNREADABLE_CODES for problem in self.problems)

    @property
    def state(self) -> str:
        """unreadable, empty (no items), finished (all items done) or unfinished."""
        if not self.readable:
            return UNREADABLE
        if not self.items:
            return EMPTY
        return FINISHED if all(item.mark == DONE for item in self.items) else UNFINISHED

    @property
    def done(self) -> int:
        """How many items are done, folded ones counted one by one."""
        return sum(item.weight for item in self.items if item.mark == DONE)

    @property
    def total(self) -> int:
        """How many items there are, folded ones counted one by one."""
        return sum(item.weight for item in self.items)

    @property
    def first_open(self) -> Item | None:
        """The first item in progress, else the first to do."""
        for mark in (DOING, TODO):
            for item in self.items:
                if item.mark == mark:
                    return item
        return None


def revision(data: bytes) -> str:
    """Give what tells one version of the file from another: 12 hex digits of its SHA-256."""
    from hashlib import sha256  # dear to import, and a quiet turn has no use for it

    return sha256(data).hexdigest()[:12]


def as_written(data: bytes) -> bytes:
    """Give a file's bytes with the line ends that baton writes and git keeps: a checkout may have made
    others."""
    return data.replace(b"\r\n", b"\n")


def parse(data: bytes) -> Chain:
    """Give the chain that the bytes of a file hold. Never raises."""
    chain = Chain()
    text = _text(data, chain)
    if text is not None:
        _Reader(chain).read(text)
        if chain.readable:
            _find_gaps(chain)
        if chain.problems:
            _hide_secrets(chain, data)
    return chain


def _hide_secrets(chain: Chain, data: bytes) -> None:
    """A problem is told unasked, on screens and to models: it quotes no line that holds a secret."""
    from baton.hot import secrets  # a sound chain has no use for it

    kinds = {secret.line: secret.kind for secret in secrets.find_bytes(data)}
    for problem in chain.problems:
        if problem.line in kinds:
            problem.message = f"not shown, it looks like a secret: {kinds[problem.line]}"


def _text(data: bytes, chain: Chain) -> str | None:
    if len(data) > MAX_BYTES:
        _whole(chain, "too-big", f"it has more than {MAX_BYTES} bytes")
        return None
    if b"\0" in data:
        _whole(chain, "binary", "it holds NUL bytes: this is not a text file")
        return None
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
        # Some editors end lines with this alone; between other line ends it is a sign like any.
        return text if "\n" in text else text.replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        chain.problems.append(Problem(line, "not-utf8", "not UTF-8 text"))
        return None


def _whole(chain: Chain, code: str, message: str) -> None:
    chain.problems.append(Problem(0, code, message))


class _Reader:
    """Reads line by line; `section` is what an indented or bulleted line would belong to."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.section = ""
        self.seen: set[str] = set()
        self.number = 0

    def read(self, text: str) -> None:
        lines = text.split("\n")
        composed = _composed(text)
        if any(mark in composed for mark in _VIETNAMESE):
            self.chain.lang = "vi"
        for self.number, line in enumerate(lines, 1):
            self._line(line)
        count = len(lines) - (lines[-1] == "")
        if count > MAX_LINES:
            message = f"{count} lines; a chain has at most {MAX_LINES} (`baton wal compact` folds what is done)"
            self.chain.problems.append(Problem(MAX_LINES + 1, "too-long", message))

    def _problem(self, code: str, message: str) -> None:
        self.chain.problems.append(Problem(self.number, code, message))

    def _line(self, raw: str) -> None:
        if raw.startswith(_CONFLICTS) or raw == "=======":
            self._problem("conflict-markers", "a merge conflict is not resolved here")
            return
        line = clean.line(raw)
        body = without_bullet(line)
        if not line or (self.number == 1 and line.startswith("# WAL")):
            return
        if self._key(body):
            return
        if self.section == "chain":
            self._item(body)
        elif self.section == "verify" and raw[:1] in (" ", "\t", "•", "-", "*"):
            self._command(body)
        else:
            self._problem("unknown-line", f"not a line of a chain: {clean.quoted(line, 60)}")

    def _key(self, body: str) -> bool:
        key, colon, value = body.partition(":")
        take = _KEYS.get(key) if colon else None
        if take is None:
            return False
        self.section = key
        if key in self.seen and key not in ("next", "verify"):
            self._problem("unknown-line", f"a second {key}: line")
        else:
            self.seen.add(key)
            take(self, value.strip())
        return True

    def _header(self, value: str) -> None:
        for field in f"updated: {value}".split("|", 2):
            name, _, text = field.partition(":")
            if name.strip() not in ("updated", "session", "branch"):
                self._problem(
                    "unknown-line", f"not a field of the header: {clean.quoted(field, 60)}"
                )
            else:
                setattr(self.chain, name.strip(), something(text))

    def _goal(self, value: str) -> None:
        self.chain.goal = something(value)

    def _chain(self, value: str) -> None:
        if something(value):
            self._problem("unknown-line", "items stand on lines of their own below chain:")

    def _next(self, value: str) -> None:
        if self.chain.next and something(value):
            self._problem("two-next", "a second next: line; a chain has exactly one")
        self.chain.next = self.chain.next or something(value)

    def _command(self, value: str) -> None:
        if something(value):
            self.chain.verify.append(value)

    def _item(self, body: str) -> None:
        if not something(body):
            return
        mark = MARKS.get(body[:3])
        if mark is None:
            self._problem(
                "bad-mark", f"an item starts with [x], [!] or [ ]: {clean.quoted(body, 60)}"
            )
            return
        item = item_of(mark, body[3:].strip(), self.number)
        if item.text.startswith("wf:") and item.run is None:
            self._problem("bad-wf", RUN_FORM)
        self.chain.items.append(item)


_KEYS = {
    "updated": _Reader._header,
    "goal": _Reader._goal,
    "chain": _Reader._chain,
    "next": _Reader._next,
    "verify": _Reader._command,
}

RUN_FORM = "a workflow item is wf:PURPOSE run=FOLDER runId=ID|pending args=FILE done=K/N harvested=no|partial|yes"


def item_of(mark: str, body: str, line: int = 0) -> Item:
    """Give the item that stands behind a mark.

    Text and evidence parted at the last ` — `, or a workflow run.
    """
    if body.startswith("wf:"):
        return Item(mark, body, "", parse_run(body), line)
    text, dash, evidence = body.rpartition(" — ")
    return (
        Item(mark, text.rstrip(), evidence.lstrip(), None, line)
        if dash
        else Item(mark, body, "", None, line)
    )


def parse_run(text: str) -> Run | None:
    """Give the five fields of a workflow item's text (paths may hold spaces), or None when it is
    not of that form."""
    fields: dict[str, str] = {}
    rest = text
    for name in reversed(RUN_FIELDS):
        rest, found, value = rest.rpartition(f" {name}=")
        if not found or not value.strip():
            return None
        fields[name] = value.strip()
    finished, _, total = map(digits.whole, fields["done"].partition("/"))
    purpose = rest[len("wf:") :].strip()
    if not 0 <= finished <= total:
        return None
    if not purpose or " " in fields["runId"] or fields["harvested"] not in ("no", "partial", "yes"):
        return None
    return Run(purpose, fields, finished, total)


def something(value: str) -> str:
    """Give the value, or "" for the words that stand for nothing.

    `—`, `(none)`, `(trống — …)` and the like.
    """
    value = value.strip()
    composed = _composed(value)
    return "" if composed in _NOTHING or composed.startswith("(trống —") else value


def _composed(text: str) -> str:
    """An editor may have decomposed the accents of the Vietnamese words; each of them has a circumflex."""
    if "\u0302" not in text:
        return text
    from unicodedata import normalize

    return normalize("NFC", text)


def without_bullet(line: str) -> str:
    """Give the line without the sign of a list before it."""
    return line[2:].lstrip() if line.startswith(_BULLETS) else line


def _find_gaps(chain: Chain) -> None:
    """What a readable chain lacks: it can be shown and written, but not yet relied on."""
    for item in chain.items:
        if item.mark != TODO and not item.evidence and item.run is None:
            message = f"no evidence (a command, a path or a commit id after ` — `): {clean.quoted(item.text, 60)}"
            chain.problems.append(Problem(item.line, "no-evidence", message))
    if chain.items and not chain.goal:
        _whole(chain, "no-goal", "no goal")
    if chain.state != UNFINISHED:
        return
    if not chain.next:
        _whole(chain, "no-next", "no next step")
    needed = max(1, sum(item.mark == DOING and item.run is None for item in chain.items))
    if len(chain.verify) < needed:
        message = f"{len(chain.verify)} verify commands; {needed} needed (one, and one for each item in progress)"
        _whole(chain, "no-verify", message)
