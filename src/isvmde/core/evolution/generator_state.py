"""The state of a random generator as text, for files without pickle."""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def to_text(rng: np.random.Generator) -> str:
    """Return the state of ``rng`` as JSON."""
    return json.dumps(rng.bit_generator.state, default=_array_to_json)


def restore(rng: np.random.Generator, text: str) -> None:
    """Put ``rng`` where it was when ``to_text`` was called."""
    state = json.loads(text, object_hook=_array_from_json)
    kind = rng.bit_generator.state["bit_generator"]
    if state["bit_generator"] != kind:
        raise ValueError(
            f"The state was saved with a {state['bit_generator']} generator, "
            f"not {kind}: build the IDE with a generator of that kind."
        )
    rng.bit_generator.state = state


def _array_to_json(value: Any) -> Any:
    """Arrays and numpy integers in the state of a bit generator, for ``json.dumps``."""
    if isinstance(value, np.ndarray):
        return {"dtype": value.dtype.str, "values": value.tolist()}
    return value.item()


def _array_from_json(value: dict[str, Any]) -> Any:
    """Undo ``_array_to_json`` in ``json.loads``."""
    if value.keys() == {"dtype", "values"}:
        return np.array(value["values"], dtype=value["dtype"])
    return value
