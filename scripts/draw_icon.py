#!/usr/bin/env python3
"""Draws .claude-plugin/icon.png, a baton that goes from one hand to the next, by the standard
library alone: `python scripts/draw_icon.py`. The same picture on every machine.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SIZE = 512
ICON = Path(__file__).resolve().parent.parent / ".claude-plugin" / "icon.png"

Colour = tuple[int, int, int]
Pixels = list[list[Colour]]

NIGHT: Colour = (28, 36, 62)
WOOD: Colour = (240, 178, 76)
BAND: Colour = (250, 236, 208)
GIVER: Colour = (98, 178, 196)
TAKER: Colour = (232, 112, 92)


@dataclass(frozen=True)
class Stroke:
    """A straight line with round ends. a, b: its ends; width: its whole width; all in pixels."""

    a: tuple[float, float]
    b: tuple[float, float]
    width: float
    colour: Colour

    def distance(self, x: float, y: float) -> float:
        """How far a point lies outside the line; negative inside it."""
        (ax, ay), (bx, by) = self.a, self.b
        dx, dy = bx - ax, by - ay
        along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)
        along = min(1.0, max(0.0, along))
        return math.hypot(x - ax - along * dx, y - ay - along * dy) - self.width / 2

    def box(self) -> tuple[range, range]:
        """The columns and rows that it can touch."""
        reach = self.width / 2 + 1
        columns, rows = zip(self.a, self.b, strict=True)
        return _span(columns, reach), _span(rows, reach)


def picture() -> list[Stroke]:
    """The strokes, from the back to the front, on a diagonal from the giver to the taker."""
    return [
        Stroke(_on(-330, 0), _on(-200, 0), 84, GIVER),
        Stroke(_on(200, 0), _on(330, 0), 84, TAKER),
        Stroke(_on(-190, 0), _on(190, 0), 58, WOOD),
        *(Stroke(_on(at, -26), _on(at, 26), 10, BAND) for at in (-36, 0, 36)),
        *_fingers((-214, -178, -142, -106), GIVER),
        *_fingers((106, 142, 178, 214), TAKER),
    ]


def _fingers(places: tuple[int, ...], colour: Colour) -> Iterator[Stroke]:
    for at in places:
        yield Stroke(_on(at, -34), _on(at, 34), 40, NIGHT)
        yield Stroke(_on(at, -34), _on(at, 34), 28, colour)


def _on(along: float, across: float) -> tuple[float, float]:
    """A point by its place on the diagonal: the middle is 0, up and right is positive."""
    slope = math.sqrt(0.5)
    return SIZE / 2 + slope * (along + across), SIZE / 2 + slope * (across - along)


def _span(ends: tuple[float, float], reach: float) -> range:
    low, high = min(ends) - reach, max(ends) + reach
    return range(max(0, math.floor(low)), min(SIZE, math.ceil(high)))


def draw(strokes: list[Stroke]) -> Pixels:
    """Paint the strokes over the ground, their edges smoothed over one pixel."""
    pixels = [[NIGHT] * SIZE for _ in range(SIZE)]
    for stroke in strokes:
        columns, rows = stroke.box()
        for y in rows:
            for x in columns:
                cover = min(1.0, max(0.0, 0.5 - stroke.distance(x + 0.5, y + 0.5)))
                if cover:
                    pixels[y][x] = _mix(pixels[y][x], stroke.colour, cover)
    return pixels


def _mix(below: Colour, above: Colour, cover: float) -> Colour:
    # Few steps of smoothing: more would not be seen, and each costs bytes.
    cover = round(cover * 8) / 8
    red, green, blue = (round(b + (a - b) * cover) for b, a in zip(below, above, strict=True))
    return red, green, blue


def encode(pixels: Pixels) -> bytes:
    """Give the picture as a PNG file of 8-bit red, green and blue."""
    rows = b"".join(b"\0" + bytes(part for pixel in row for part in pixel) for row in pixels)
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


if __name__ == "__main__":
    ICON.write_bytes(encode(draw(picture())))
