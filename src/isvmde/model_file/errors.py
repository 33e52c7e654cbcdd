"""The one error that a model file can end in."""

from collections.abc import Collection

from isvmde.archive import ArchiveError


class ModelFileError(ArchiveError):
    """A file that is not a model of this version of isvmde; the message says why.

    ``foreign`` names the types in it that isvmde does not know and nobody trusted.
    """

    def __init__(self, message: str, foreign: Collection[str] = ()) -> None:
        super().__init__(message)
        self.foreign = sorted(foreign)


def check_text(value: object) -> None:
    """Refuse a text that JSON can hold but no file: half of a pair of UTF-16."""
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise ModelFileError("has a text of what is not a character") from error


def short(error: BaseException) -> str:
    """Return an error's type and the beginning of its message, in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split()):.120}"
