"""Names that git lets into no index, since on some system they are its own folder's."""

# What the file systems of Apple do not see in a name.
_UNSEEN = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)
_FOLDER = (".git", "git~1")
# Git reads what this link would lead to; the others are its short names on Windows.
_NEVER_A_LINK = (".gitmodules", "gitmod~", "gi7eba~")


def reserved(name: bytes, *, link: bool = False) -> bool:
    """Whether git takes no file or folder (link: no symbolic link) of this name.

    A tree with it could be made, but neither checked out nor, in many places, pushed.
    """
    seen = name.decode("utf-8", "replace").translate(_UNSEEN).lower()
    stem = seen.partition(":")[0].partition("\\")[0].rstrip(". ")
    return stem in _FOLDER or (link and seen.startswith(_NEVER_A_LINK))
