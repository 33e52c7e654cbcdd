"""What people give as a data set, turned into one form."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from isvmde.datasets import PaperKFold, load_dataset, read_table
from isvmde.datasets.catalogue import CATALOGUE
from isvmde.datasets.columns import as_nominal, split_by_dtype


def name_datasets(datasets: Any) -> dict[str, Bunch]:
    """Return data sets by name, each as a Bunch with `data`, `target` and column types.

    See :func:`isvmde.bench.run_benchmark` for what may be given.
    """
    if isinstance(datasets, Mapping) and not isinstance(datasets, Bunch):
        given = [(str(name), value) for name, value in datasets.items()]
    else:
        single = isinstance(datasets, (str, os.PathLike, Bunch, pd.DataFrame))
        if not single and not isinstance(datasets, Iterable):
            raise ValueError(_unknown("datasets", datasets))
        given = [(_name_of(one), one) for one in ([datasets] if single else datasets)]
    named: dict[str, Bunch] = {}
    for name, value in given:
        if name in named:
            if isinstance(value, str) and value in CATALOGUE:
                continue  # named twice
            raise ValueError(
                f"two data sets are called {name!r}: give them as a dict of name to "
                "data set"
            )
        named[name] = make_dataset(name, value)
    return named


def make_dataset(name: str, value: Any) -> Bunch:
    """Return one data set in the form that folds are made of."""
    if value is None:
        value = name
    if isinstance(value, (str, os.PathLike)):
        return _from_name_or_file(value, None)
    if isinstance(value, Bunch):
        return _from_bunch(name, value)
    if isinstance(value, tuple) and len(value) == 2:
        data, target = value
        if isinstance(data, (str, os.PathLike)):
            return _from_name_or_file(data, target)
        if isinstance(target, str):
            data = _as_frame(data)
            if target not in data:
                raise ValueError(f"data set {name}: there is no column {target!r}")
            return _from_parts(name, data.drop(columns=target), data[target])
        return _from_parts(name, _as_frame(data), target)
    raise ValueError(_unknown(f"data set {name}", value))


def check_dataset(name: str, bunch: Bunch, folds: int) -> None:
    """Refuse, before any work, data that every fold would fail on."""
    target = np.asarray(bunch.target)
    if len(target) != len(bunch.data):
        raise ValueError(
            f"data set {name}: {len(bunch.data)} rows of data, {len(target)} classes"
        )
    classes = np.unique(target)
    if len(classes) < 2:
        raise ValueError(f"data set {name}: at least 2 classes are needed")
    if len(classes) > 50 and len(classes) > len(target) / 4:
        raise ValueError(
            f"data set {name}: the target has {len(classes)} different values in "
            f"{len(target)} rows; name a column of classes"
        )
    try:
        next(PaperKFold(folds).split(bunch.data, target))
    except ValueError as error:
        raise ValueError(f"data set {name}: {error}") from error


def describe_dataset(bunch: Bunch) -> dict[str, Any]:
    """Return what a report says of a data set; classes in the order of scores."""
    classes, counts = np.unique(np.asarray(bunch.target), return_counts=True)
    return {
        "rows": len(bunch.target),
        "numeric": len(bunch.numeric),
        "nominal": len(bunch.nominal),
        "gaps": int(pd.DataFrame(bunch.data).isna().to_numpy().sum()),
        "classes": {
            str(label): int(n) for label, n in zip(classes, counts, strict=True)
        },
    }


def _name_of(value: Any) -> str:
    """Return what a data set without a given name is called."""
    if isinstance(value, tuple) and len(value) == 2:
        value = value[0]
    if isinstance(value, str) and value in CATALOGUE:
        return value
    if isinstance(value, (str, os.PathLike)):
        return Path(value).name.split(".")[0]
    name = value.get("name") if isinstance(value, Bunch) else None
    if name is None:
        raise ValueError(
            "a data set that is no file and no name has to be given a name: "
            "{'my data': (X, y)}"
        )
    return str(name)


def _from_name_or_file(value: str | os.PathLike[str], target: str | None) -> Bunch:
    """Load a built-in data set or read a file."""
    if isinstance(value, str) and value in CATALOGUE and not Path(value).is_file():
        return load_dataset(value)
    if not Path(value).exists():
        raise ValueError(
            f"there is no file {value}, and no data set of that name; the data sets "
            f"are {', '.join(CATALOGUE)}"
        )
    return read_table(value, target=target)


def _from_bunch(name: str, bunch: Bunch) -> Bunch:
    """Return a Bunch of ours as it is, one of scikit-learn's with column types."""
    if {"numeric", "nominal"} <= set(bunch) and isinstance(bunch.data, pd.DataFrame):
        return bunch
    data = bunch.data
    if not isinstance(data, pd.DataFrame):
        data = pd.DataFrame(np.asarray(data), columns=bunch.get("feature_names"))
    target = np.asarray(bunch.target)
    names = bunch.get("target_names")
    if names is not None and target.dtype.kind in "iu" and len(names) > target.max():
        target = np.asarray(names)[target]
    return _from_parts(name, data, target)


def _from_parts(name: str, data: pd.DataFrame, target: Any) -> Bunch:
    """Return columns and classes as a Bunch; rows without a class are left out."""
    labels = pd.Series(np.asarray(target).ravel(), dtype=None)
    data = data.reset_index(drop=True)
    data.columns = [str(column) for column in data.columns]
    if data.columns.has_duplicates:
        twice = data.columns[data.columns.duplicated()][0]
        raise ValueError(f"data set {name}: two columns are called {twice!r}")
    if len(labels) != len(data):
        raise ValueError(
            f"data set {name}: {len(data)} rows of data, {len(labels)} classes"
        )
    known = labels.notna()
    if not known.all():
        warnings.warn(
            f"data set {name}: {int((~known).sum())} of {len(data)} rows have no "
            "class and are left out",
            UserWarning,
            stacklevel=2,
        )
        data, labels = data[known].reset_index(drop=True), labels[known]
    numeric, nominal = split_by_dtype(data)
    columns = {
        column: data[column].astype(np.float64)
        if column in numeric
        else as_nominal(data[column])
        for column in data
    }
    if not pd.api.types.is_numeric_dtype(labels.dtype):
        labels = labels.map(str)
    return Bunch(
        data=pd.DataFrame(columns),
        target=labels.to_numpy(),
        numeric=numeric,
        nominal=nominal,
        name=name,
    )


def _as_frame(data: Any) -> pd.DataFrame:
    """Return features as a DataFrame, polars' and pyarrow's included."""
    if hasattr(data, "to_pandas"):
        return data.to_pandas()
    if isinstance(data, pd.DataFrame):
        return data
    array = np.asarray(data)
    if array.ndim != 2:
        raise ValueError(
            f"features need rows and columns, got an array of {array.ndim} dimensions"
        )
    return pd.DataFrame(array, columns=[f"x{i}" for i in range(array.shape[1])])


def _unknown(what: str, value: Any) -> str:
    """Return the sentence for what is no data set."""
    return (
        f"{what}: {type(value).__name__} is not a data set; give a name, a file, "
        "(X, y), (DataFrame, 'target column') or a Bunch"
    )
