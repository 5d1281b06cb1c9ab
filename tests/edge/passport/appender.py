"""A process of its own that appends one boundary to a file, without YAML: the protocol alone.

    python -I -S appender.py SCRIPTS PACKAGES FILE LINE [USER]

Turns the file from what it holds into the same with LINE before its last line, as the user of that
number; prints `done`.
"""

import os
import sys

sys.path[:0] = [sys.argv[1]]
sys.path.append(sys.argv[2])

import filelock  # noqa: E402, F401

from baton.edge.passport import held, rewrite  # noqa: E402

if len(sys.argv) > 5:
    os.setgid(int(sys.argv[5]))
    os.setuid(int(sys.argv[5]))
path, line = sys.argv[3], sys.argv[4].encode()
with held.hold(path, "p.yaml", 30, lambda word: None) as fd:
    rewrite.recover(fd, path, "p.yaml")
    before = rewrite.read(fd)
    head, _, last = before.rstrip(b"\n").rpartition(b"\n")
    rewrite.put(fd, path, before, head + b"\n" + line + b"\n" + last + b"\n", "test")
os.write(1, b"done\n")
