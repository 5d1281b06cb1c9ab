"""The passport's file: found, locked, read, appended to, and what is remembered of it."""
