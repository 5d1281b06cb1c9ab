#!/bin/sh
# The hook that one writes without baton: each state path is added and compared, what differs is
# committed. It syncs nothing, runs the project's git hooks, and knows no merge or rebase.
cd "${CLAUDE_PROJECT_DIR:?}" || exit 0
changed=
for path in .claude/WAL.md .claude/agent-memory .claude/workflows/runs; do
    git add -- "$path" 2>/dev/null
    git diff --cached --quiet -- "$path" 2>/dev/null || changed="$changed $path"
done
# shellcheck disable=SC2086 # the paths hold no blanks
[ -z "$changed" ] || git commit --quiet --message 'wal: flush' -- $changed
exit 0
