"""baton: carries work from one Claude Code session to the next."""

__version__ = "0.1.0"
