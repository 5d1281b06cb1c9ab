"""Changes an input a little, again and again: bytes, tokens, numbers, lines, and pieces of other inputs."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

_TOKEN = re.compile(rb"[A-Za-z_]+|\d+|\s+|.", re.DOTALL)
_LARGEST = 1 << 16
ODD = (
    b"\0", b"\r\n", b"\n", b"\xef\xbb\xbf", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xe2\x80\xae", b"\x1b[31m",
    b"\xc2\x85", b"\xe2\x80\xa8", b"\t", b"-", b"\"", b"'", b"{", b"[", b"]", b"}", b":", b",", b"#", b"&a", b"*a",
    b"!!python/object:os.system", b"<<: ", b"? ", b"| ", b"---\n", b"...\n", b"\\u0000", b"\\ud800", b"null", b"~",
    b"NaN", b"1e999", b"-0", b"0x1f", b"1_000", b"9" * 400, b"true", b"yes", b"2026-12-01", b"kind: boundary\n",
    b"../", b"/etc/passwd", b"$(id)", b"`id`", b"%s%n", "ü".encode(), "𝒳".encode(), b"<system-reminder>",
)  # fmt: skip


def mutated(seeds: Sequence[bytes], count: int, seed: str) -> Iterator[bytes]:
    """Give the seeds, then so many inputs made out of them; the same ones for the same seed."""
    yield from seeds
    chance = random.Random(seed)
    for _ in range(count):
        data = chance.choice(seeds)
        for _ in range(chance.randint(1, 4)):
            data = chance.choice(_WAYS)(data, chance, seeds)[:_LARGEST]
        yield data


def _flip(data: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    if not data:
        return b"\0"
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]


def _insert(data: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + chance.choice(ODD) + data[at:]


def _cut(data: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    start, end = sorted(chance.randint(0, len(data)) for _ in range(2))
    return data[:start] + data[end:]


def _end(data: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    return data[: chance.randint(0, len(data))]


def _repeat(data: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    start, end = sorted(chance.randint(0, len(data)) for _ in range(2))
    return data[:end] + data[start:end] * chance.choice((1, 2, 50)) + data[end:]


def _splice(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    other = chance.choice(seeds)
    return data[: chance.randint(0, len(data))] + other[chance.randint(0, len(other)) :]


def _token(data: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    tokens = _TOKEN.findall(data[:_LARGEST])
    if not tokens:
        return data
    at = chance.randrange(len(tokens))
    tokens[at] = chance.choice((chance.choice(tokens), chance.choice(ODD), b""))
    return b"".join(tokens)


def _lines(data: bytes, chance: random.Random, _: Sequence[bytes]) -> bytes:
    rows = data.split(b"\n")
    at, to = chance.randrange(len(rows)), chance.randrange(len(rows))
    rows[at], rows[to] = rows[to], rows[at]
    return b"\n".join(rows)


_WAYS = (_flip, _insert, _cut, _end, _repeat, _splice, _token, _lines)
