"""What tests change in model files."""

import io
import zipfile

import numpy as np


def objects(description, name):
    """Return the attributes of all objects of a class in a description."""
    found, waiting = [], [description]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if str(value.get("class", "")).endswith(f".{name}"):
                found.append(value["attributes"])
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return found


def array_of(path, values):
    """Put another array into a model file and return its description."""
    buffer = io.BytesIO()
    np.save(buffer, values)
    with zipfile.ZipFile(path, "a") as archive:
        name = f"arrays/more{len(archive.namelist())}.npy"
        archive.writestr(name, buffer.getvalue())
    return {"array": name}


def machines_of(attributes):
    """Return the machines of an average in a description, to be changed in place."""
    return {pair[0]: pair for pair in attributes["_machines"]["dict"]}
