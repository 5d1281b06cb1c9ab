"""Whether evidence looks like something that can be shown at all.

A doubt is a warning, never a refusal (design page chain).
"""

from __future__ import annotations

import os
import shutil

from baton.core.chain import native
from baton.core.chain.expectation import split
from baton.edge import git
from baton.hot.chain import Chain
from baton.hot.project import Project

_BUILTINS = set(
    ". : [ alias bg break cd command continue eval exec exit export false fg getopts hash jobs kill printf pwd "
    "read readonly return set shift test time times trap true type ulimit umask unalias unset wait !".split()
)


def doubts(chain: Chain, project: Project, before: Chain | None = None) -> list[str]:
    """Give one warning for each item whose evidence is no command on this machine, no path here or
    in HEAD, and no commit id.

    before: the chain that was changed; what stood there with the same mark was warned of then.
    """
    known = {(item.mark, item.evidence) for item in (before.items if before else [])}
    return [
        f"item {number}: {evidence!r} is no command here, no path, and no commit id: /tiep will not be able to check it"
        for number, item in enumerate(chain.items, 1)
        if item.evidence
        and (item.mark, item.evidence) not in known
        and not plausible(evidence := split(item.evidence)[0], project)
    ]


def plausible(evidence: str, project: Project) -> bool:
    """Whether evidence without its expectation is a command on this machine, a path, or a commit id."""
    first = evidence.split()[0] if evidence.split() else ""
    if first in _BUILTINS or shutil.which(first) or os.path.lexists(project.path(first)):
        return True
    paths = filter(None, (evidence, native.without_line(evidence)))
    if any(os.path.lexists(os.path.join(project.root, path)) for path in paths):
        return True
    if project.checkout is None:
        return False
    names = [f"HEAD:./{evidence}"] if native.plain_path(evidence) else []
    meaning = native.recognise_evidence(evidence)
    names += [meaning.id] if isinstance(meaning, native.CommitId) else []
    return any(git.read(project.root, "cat-file", "-e", name).exit == 0 for name in names)
