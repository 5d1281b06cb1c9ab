"""Moments as a chain's header and a notice name them."""

import time


def seconds(text: str) -> float:
    """Give the moment that a chain's header names, in seconds since the epoch.

    Local time when it names no zone; 0.0 when it is no date.
    """
    # Dear to import, and only asked where two versions are compared.
    from datetime import datetime

    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def clock(moment: float) -> str:
    """Give a moment as people say it: the time today, else date and time; `??:??` where it is none."""
    told = date(moment)
    today = time.strftime("%Y-%m-%d ")
    return told.removeprefix(today)


def date(moment: float) -> str:
    """Give a moment with its day, `??:??` where a damaged note names one that no clock can show."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))
    except (OverflowError, ValueError, OSError):
        return "??:??"
