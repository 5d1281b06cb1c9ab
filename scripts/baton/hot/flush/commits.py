"""A commit made and moved in: never signed, by the user's identity or a neutral one."""

from baton.hot.flush.attempt import Attempt, Lost, Torn
from baton.hot.git import durable
from baton.hot.git.speaker import Failed, Git

NEUTRAL_ADDRESS = "baton@localhost"
NEUTRAL = {
    "GIT_AUTHOR_NAME": "baton",
    "GIT_AUTHOR_EMAIL": NEUTRAL_ADDRESS,
    "GIT_COMMITTER_NAME": "baton",
    "GIT_COMMITTER_EMAIL": NEUTRAL_ADDRESS,
}


def make(attempt: Attempt, tree: bytes, parent: str, made: list[bytes]) -> str:
    """Give the id of a new commit that is on the disk with all objects that were made for it.

    Raises Torn when one of them must be made again, Failed.
    """
    # Git itself stumbles over a torn tree: it makes no commit of it.
    _secure(attempt, made)
    commit = commit_tree(attempt.git, tree, parent, attempt.request.message)
    _secure(attempt, [commit.encode()])
    return commit


def commit_tree(git: Git, tree: bytes, parent: str, message: bytes) -> str:
    """Give the id of a new commit. Raises Failed."""
    args = ("commit-tree", tree.decode(), *(("-p", parent) if parent else ()))
    try:
        made = git.run(*args, data=message)
    except Failed:
        # Nobody has told git who the user is; whatever else is wrong is wrong the second time, too.
        made = git.run(*args, data=message, env=NEUTRAL)
    return made.strip().decode()


def _secure(attempt: Attempt, made: list[bytes]) -> None:
    aside = attempt.request.state.path(durable.ASIDE)
    torn = durable.sync_objects(attempt.git, attempt.checkout, made, aside)
    if torn:
        raise Torn(f"the object {torn[0]}, which a crash had torn, was put aside")


def move(git: Git, ref: str, commit: str, old: str, message: bytes) -> None:
    """Move a ref from `old` ("" when it is new) to a commit whose objects are all on disk.

    Raises Lost when it is not at `old`.
    """
    subject = message.split(b"\n", 1)[0].decode()
    try:
        git.run("update-ref", "-m", f"commit: {subject}", ref, commit, old or "0" * len(commit))
    except Failed as error:
        raise Lost(error.words) from error
