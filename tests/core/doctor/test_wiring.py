"""baton.core.doctor.wiring: what Claude Code knows of baton, each check with each of its answers."""

from __future__ import annotations

import pytest

from baton.core.doctor import wiring
from baton.core.doctor.finding import Finding, ok, unknown, wrong
from baton.core.doctor.wiring import Firing, Rules, Source, Wiring

PLUGIN = Source("the plugin baton@baton (user)", plugin="baton@baton")
FILE = Source(".claude/settings.json")
EDIT = '"${EDITOR:-vi}" /s.json'
INSTALL = "claude plugin install baton@baton"
WHEN = ("09:00", "09:30", "10:00")
EVERY_DAY = tuple(f"Bash(baton {group}:*)" for group in wiring.EVERY_DAY)


def _part(source: Source, *missing: str) -> Source:
    return Source(source.where, missing, plugin=source.plugin)


def _rules(*allow: str, deny: bool = False, mode: bool = False, fault: bool = False) -> Finding:
    denied = (("/s.json", "Bash(baton:*)"),) if deny else ()
    faults = (("/s.json", "Is a directory"),) if fault else ()
    return wiring.permission(Rules(allow, denied, mode, faults))


def _asked(*groups: str) -> Finding:
    listed = ", ".join(f"`baton {group}`" for group in groups)
    message = f"no settings allow {listed}: Claude asks each time"
    return wrong("permission", message, "baton setup")


CASES: dict[str, tuple[Finding, Finding]] = {
    "hooks: by the plugin": (
        wiring.registered(Wiring((PLUGIN,))),
        ok("hooks", "registered by the plugin baton@baton (user)"),
    ),
    "hooks: twice": (
        wiring.registered(Wiring((PLUGIN, FILE))),
        ok("hooks", "registered by the plugin baton@baton (user) and .claude/settings.json"),
    ),
    "hooks: what one leaves out the other has": (
        wiring.registered(Wiring((_part(PLUGIN, "Stop"), _part(FILE, "PreCompact")))),
        ok("hooks", "registered by the plugin baton@baton (user) and .claude/settings.json"),
    ),
    "hooks: nowhere": (
        wiring.registered(Wiring()),
        wrong("hooks", "nothing registers baton's hooks: nothing is saved", INSTALL),
    ),
    "hooks: nowhere, but they fired": (
        wiring.registered(Wiring(fired=True)),
        unknown(
            "hooks",
            "no settings file and no installed plugin registers them, yet they fired (--plugin-dir?)",
            INSTALL,
        ),
    ),
    "hooks: switched off": (
        wiring.registered(Wiring(off="baton@baton")),
        wrong(
            "hooks",
            "the plugin baton@baton is installed and switched off",
            "claude plugin enable baton@baton",
        ),
    ),
    "hooks: all disabled": (
        wiring.registered(Wiring((PLUGIN,), disabled="/s.json")),
        wrong("hooks", '"disableAllHooks" in /s.json switches every hook off', EDIT),
    ),
    "hooks: a file that is ignored": (
        wiring.registered(Wiring((PLUGIN,), faults=(("/s.json", "it is not JSON"),))),
        wrong("hooks", "Claude Code ignores /s.json: it is not JSON", EDIT),
    ),
    "hooks: an old copy": (
        wiring.registered(Wiring((_part(PLUGIN, "Stop", "PreToolUse"),))),
        wrong(
            "hooks",
            "the plugin baton@baton (user) leaves out PreToolUse, Stop",
            "claude plugin update baton@baton",
        ),
    ),
    "hooks: an old fragment": (
        wiring.registered(Wiring((_part(FILE, "Stop"),))),
        wrong("hooks", ".claude/settings.json leaves out Stop", "baton setup --with-hooks"),
    ),
    "hooks: the launcher is gone": (
        wiring.registered(Wiring((Source(FILE.where, fault="/x/hooks/run is not there"),))),
        wrong(
            "hooks",
            ".claude/settings.json: /x/hooks/run is not there",
            "baton setup --with-hooks",
        ),
    ),
    "fired: yes": (
        wiring.fired(Firing(100, 110, 120, False), WHEN),
        ok("fired", "the Stop hook ran 10:00, in the session begun 09:00"),
    ),
    "fired: a one-shot session leaves no other note": (
        wiring.fired(Firing(0, 0, 120, False), WHEN),
        ok("fired", "the Stop hook ran 10:00, in a session that left no note of its start"),
    ),
    "fired: never anything": (
        wiring.fired(Firing(0, 0, 0, False), WHEN),
        unknown(
            "fired",
            "no session has left a note here yet; hooks load when a session starts",
            "claude",
        ),
    ),
    "fired: the first turn is not over": (
        wiring.fired(Firing(100, 110, 50, True), WHEN),
        unknown("fired", "the session began 09:00; no turn of it has ended yet", "baton doctor"),
    ),
    "fired: nothing was asked": (
        wiring.fired(Firing(100, 90, 0, False), WHEN),
        unknown("fired", "the session began 09:00; no turn of it has ended yet", "baton doctor"),
    ),
    "fired: no": (
        wiring.fired(Firing(100, 110, 50, False), WHEN),
        wrong(
            "fired",
            "the last session began 09:00 and was last asked something 09:30, but no Stop hook ran: "
            "it was killed in mid-turn, or the hook is not loaded",
            "claude",
        ),
    ),
    "permission: each": (
        _rules(*EVERY_DAY),
        ok("permission", "Claude may run baton's everyday commands unasked"),
    ),
    "permission: all": (
        _rules("Bash(baton:*)"),
        ok("permission", "Claude may run baton's everyday commands unasked"),
    ),
    "permission: another spelling": (
        _rules("Bash(baton *)"),
        ok("permission", "Claude may run baton's everyday commands unasked"),
    ),
    "permission: everything": (
        _rules("Bash"),
        ok("permission", "Claude may run baton's everyday commands unasked"),
    ),
    "permission: the mode asks nothing": (
        _rules(mode=True),
        ok("permission", "this permission mode asks for nothing"),
    ),
    "permission: none": (_rules("Bash(ls:*)", "Read(*)"), _asked("wal", "tiep", "pause", "status")),
    "permission: some": (_rules(*EVERY_DAY[:2], "Bash(baton pause)"), _asked("pause", "status")),
    "permission: other programs": (
        _rules("Bash(batons:*)", "Bash(baton wal show)"),
        _asked("wal", "tiep", "pause", "status"),
    ),
    "permission: denied": (
        _rules("Bash(baton:*)", deny=True),
        wrong("permission", "/s.json denies Bash(baton:*)", EDIT),
    ),
    "permission: unread": (
        _rules(fault=True),
        unknown("permission", "/s.json could not be read: Is a directory", EDIT),
    ),
    "permission: allowed elsewhere": (
        _rules("Bash(baton:*)", fault=True),
        ok("permission", "Claude may run baton's everyday commands unasked"),
    ),
}


@pytest.mark.parametrize(("found", "expected"), CASES.values(), ids=CASES)
def test_what_is_found(found: Finding, expected: Finding) -> None:
    assert found == expected
