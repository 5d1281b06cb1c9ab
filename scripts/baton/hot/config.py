"""`.claude/baton.toml`: what a project may set, each bad value named while the rest still holds
(design page cli)."""

from baton.hot import files
from baton.hot.git import names
from baton.hot.project import CHAIN, CONFIG, PIPELINES, RUNS, Project

DEFAULT_PATHS = [
    CHAIN,
    ".claude/agent-memory/",
    f"{RUNS}/",
    ".claude/pipeline.jsonl",
    f"{PIPELINES}/",
]
_LIMIT = 64 << 10
_CHOICES = {"persist": ("branch", "ref", "off"), "lang": ("en", "vi"), "notice": ("on", "off")}
_SECONDS = {"lock_wait": (0, 60), "verify_timeout": (1, 3600)}


class Config:
    """A project's settings.

    lock_wait, verify_timeout: in seconds. problems: one sentence for each thing that was ignored.
    said: the keys that stand in the project's file.
    """

    __slots__ = (
        "lang",
        "lock_wait",
        "notice",
        "paths",
        "persist",
        "problems",
        "said",
        "verify_timeout",
    )

    def __init__(self) -> None:
        self.persist = "branch"
        self.paths = list(DEFAULT_PATHS)
        self.lang = "en"
        self.notice = "on"
        self.lock_wait = 30
        self.verify_timeout = 30
        self.problems: list[str] = []
        self.said: list[str] = []


def load(project: Project) -> Config:
    """Give the project's settings; the defaults when there is no file.

    Never raises: what is wrong stands in `problems`.
    """
    config = Config()
    try:
        data = files.read(project.path(CONFIG), _LIMIT)
    except OSError as error:
        config.problems.append(f"{CONFIG} cannot be read: {error.strerror}")
        return config
    if data is None:
        return config
    table = _table(data, config)
    config.said = list(table)
    for key, value in table.items():
        _take(config, key, value)
    return config


def _table(data: bytes, config: Config) -> dict[str, object]:
    import tomllib  # dear to import, and only projects with a file of settings pay for it

    if len(data) > _LIMIT:
        config.problems.append(f"{CONFIG} is larger than {_LIMIT} bytes and was ignored")
        return {}
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        config.problems.append(f"{CONFIG} is not TOML and was ignored: {error}")
        return {}


def _take(config: Config, key: str, value: object) -> None:
    if key in _CHOICES:
        if value in _CHOICES[key]:
            setattr(config, key, value)
        else:
            config.problems.append(
                f"{CONFIG}: {key} must be one of {', '.join(_CHOICES[key])}; it is {value!r}"
            )
    elif key in _SECONDS:
        least, most = _SECONDS[key]
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            setattr(config, key, value)
        else:
            config.problems.append(
                f"{CONFIG}: {key} must be a whole number from {least} to {most}; it is {value!r}"
            )
    elif key == "paths":
        _take_paths(config, value)
    else:
        config.problems.append(f"{CONFIG}: unknown key {key!r}")


def _take_paths(config: Config, value: object) -> None:
    if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
        config.problems.append(f"{CONFIG}: paths must be a list of strings; it is {value!r}")
        return
    config.paths = []
    for path in value:
        fault = fault_of(path)
        if fault:
            config.problems.append(f"{CONFIG}: path {path!r} was ignored: {fault}")
        else:
            config.paths.append(path)


def fault_of(path: str) -> str:
    """Say why a path may not be a state path, "" when it may (design page persist)."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or "\\" in path or path[1:2] == ":":
        return "it must be relative to the project, with forward slashes"
    if ".." in parts:
        return "it leads out of the project"
    if not parts:
        return "it is the whole project"
    if any(names.reserved(part.encode("utf-8", "replace")) for part in parts):
        return "it lies in git's own folder"
    if any(ord(character) < 0x20 for character in path):
        return "it holds control characters"
    return ""
