"""`baton` for the Bash tool of a session whose baton is the project's own copy (design page host).

A plugin's `bin/` is on that PATH already; a copy's has to be put there, by the file that Claude Code
gives a SessionStart hook for it.
"""

import os


def offer(environ: dict[str, str]) -> None:
    """Add this baton's `bin/` to the session's PATH, behind all others, once. Never raises."""
    file = environ.get("CLAUDE_ENV_FILE", "")
    if not file or environ.get("CLAUDE_PLUGIN_ROOT"):
        return
    root = os.path.abspath(__file__)
    for _ in range(4):
        root = os.path.dirname(root)
    folder = os.path.join(root, "bin").replace("'", "'\\''")
    line = f"export PATH=\"$PATH\":'{folder}'\n"
    try:
        with open(file, "a+", encoding="utf-8", errors="surrogateescape") as lines:
            lines.seek(0)
            if line not in lines.read():
                lines.write(line)
    except OSError:
        pass
