"""A commit made and moved in: never signed, by the user's identity or a neutral one."""

from baton.hot.flush.attempt import Lost
from baton.hot.git.speaker import Failed, Git

NEUTRAL_ADDRESS = "baton@localhost"
NEUTRAL = {
    "GIT_AUTHOR_NAME": "baton",
    "GIT_AUTHOR_EMAIL": NEUTRAL_ADDRESS,
    "GIT_COMMITTER_NAME": "baton",
    "GIT_COMMITTER_EMAIL": NEUTRAL_ADDRESS,
}


def make(git: Git, tree: bytes, parent: str, message: bytes) -> str:
    """Give the id of a new commit. Raises Failed."""
    args = ("commit-tree", tree.decode(), *(("-p", parent) if parent else ()))
    try:
        made = git.run(*args, data=message)
    except Failed:
        # Nobody has told git who the user is; whatever else is wrong is wrong the second time, too.
        made = git.run(*args, data=message, env=NEUTRAL)
    return made.strip().decode()


def move(git: Git, ref: str, commit: str, old: str, message: bytes) -> None:
    """Move a ref from `old` ("" when it is new) to a commit whose objects are all on disk.

    Raises Lost when it is not at `old`.
    """
    subject = message.split(b"\n", 1)[0].decode()
    try:
        git.run("update-ref", "-m", f"commit: {subject}", ref, commit, old or "0" * len(commit))
    except Failed as error:
        raise Lost(error.words) from error
