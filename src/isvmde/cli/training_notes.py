"""What `isvmde fit` notes in a model file about the training."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from isvmde.model_file import SavedModel
from isvmde.tables.notation import DecimalSigns


@dataclass(frozen=True)
class TrainingNotes:
    """What is known of the training, all of it or nothing.

    Parameters
    ----------
    method : str
        The method as it was named on the command line.
    source : str
        The table as it was named there.
    rows : int
        Rows with a class.
    rows_left_out : list of int
        The rows of the table without one, counted from 1.
    classes : dict
        The number of rows by class.
    seconds : float
        How long it took.
    decimal_signs : dict or None
        Which decimal signs the table was read with, for reading new rows.
    """

    method: str = ""
    source: str = ""
    rows: int = 0
    rows_left_out: list[int] = field(default_factory=list)
    classes: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    decimal_signs: dict[str, Any] | None = None

    @classmethod
    def of(cls, saved: SavedModel) -> Self:
        """Return the notes of a model; what its author noted otherwise is not known.

        A file may come from anybody, and programs note what they like.
        """
        noted = saved.notes
        found = {name: noted[name] for name in asdict(cls()) if name in noted}
        return cls(**found) if _are_of_a_training(found) else cls()

    def to_dict(self) -> dict[str, Any]:
        """Return them by name, for a file."""
        return asdict(self)


def _are_of_a_training(found: Mapping[str, Any]) -> bool:
    """Whether notes of these names are of the types that a training leaves."""
    notes = asdict(TrainingNotes())
    if found.keys() != notes.keys():
        return False
    signs, usual_signs = found["decimal_signs"], notes.pop("decimal_signs")
    if any(type(found[name]) is not type(usual) for name, usual in notes.items()):
        return False
    if signs is not usual_signs and not _are_decimal_signs(signs):
        return False
    counts = found["rows_left_out"] + list(found["classes"].values())
    counts.append(found["rows"])
    return all(type(count) is int and 0 <= count < 2**53 for count in counts)


def _are_decimal_signs(record: Any) -> bool:
    """Whether a record of an unknown author holds decimal signs."""
    try:
        DecimalSigns.from_record(record)
    except ValueError:
        return False
    return type(record) is dict
