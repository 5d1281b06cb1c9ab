"""The committed icon is what scripts/draw_icon.py draws."""

from __future__ import annotations

import zlib

import draw_icon


def _opened(png: bytes) -> tuple[bytes, bytes]:
    """Header and scan lines: how well they are compressed depends on the machine's zlib."""
    head, _, rest = png.partition(b"IDAT")
    packed, _, _ = rest.rpartition(b"IEND")
    return head[:-4], zlib.decompressobj().decompress(packed)


def test_the_icon_is_what_the_script_draws() -> None:
    committed = draw_icon.ICON.read_bytes()
    drawn = draw_icon.encode(draw_icon.draw(draw_icon.picture()))
    assert _opened(committed) == _opened(drawn)
    assert len(committed) < 10_000


def test_the_icon_is_a_square_png_that_the_directory_accepts() -> None:
    head = draw_icon.ICON.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(head[16:20]), int.from_bytes(head[20:24])) == (512, 512)
