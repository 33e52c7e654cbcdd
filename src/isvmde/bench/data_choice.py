"""What people give as a data set, turned into one form."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import Bunch

from isvmde.datasets import load_dataset, make_preprocessor
from isvmde.datasets.catalogue import CATALOGUE
from isvmde.model_selection import PaperKFold
from isvmde.tables import TablePreprocessor, read_table, split_target

_TARGET = "the classes"  # the column's name while features and classes are one table


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
        named[name] = _make_dataset(name, value)
    return named


def _make_dataset(name: str, value: Any) -> Bunch:
    """Return one data set in the form that folds are made of."""
    value = name if value is None else value
    if isinstance(value, Bunch):
        return _from_bunch(name, value)
    pair = isinstance(value, tuple) and len(value) == 2
    data, target = value if pair else (value, None)
    if isinstance(data, (str, os.PathLike)):
        return _from_name_or_file(data, target)
    if not pair:
        raise ValueError(_unknown(f"data set {name}", value))
    if isinstance(target, str):
        return _from_table(name, _as_frame(data), target)
    return _from_parts(name, data, target)


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
    try:
        next(PaperKFold(folds).split(bunch.data, target))
    except ValueError as error:
        raise ValueError(f"data set {name}: {error}") from error


def describe_dataset(bunch: Bunch) -> dict[str, Any]:
    """Return what a report says of a data set; classes in the order of scores."""
    classes, counts = np.unique(np.asarray(bunch.target), return_counts=True)
    numeric, nominal = len(bunch.get("numeric", [])), len(bunch.get("nominal", []))
    if "preprocessor" in bunch:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # every fold keeps its own
            fitted = clone(bunch.preprocessor).fit(bunch.data, bunch.target)
        kinds = fitted.columns_["taken as"]
        nominal = int((kinds == "categories").sum())
        numeric = int(kinds.isin(["numbers", "date"]).sum())
    return {
        "rows": len(bunch.target),
        "numeric": numeric,
        "nominal": nominal,
        "gaps": int(pd.DataFrame(bunch.data).isna().to_numpy().sum()),
        "classes": {
            str(label): int(n) for label, n in zip(classes, counts, strict=True)
        },
    }


def preprocessor_for(bunch: Bunch) -> Any:
    """Return what turns a data set's columns into numbers, not fitted.

    The paper's for its data sets, the judge of other people's tables for the rest.
    """
    own = bunch.get("preprocessor")
    return make_preprocessor(bunch) if own is None else clone(own)


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
    return _from_table(Path(value).name.split(".")[0], read_table(value), target)


def _from_bunch(name: str, bunch: Bunch) -> Bunch:
    """Return a Bunch of ours as it is, one of scikit-learn's with its names."""
    if {"numeric", "nominal"} <= set(bunch) and isinstance(bunch.data, pd.DataFrame):
        if not bunch.data.isna().any(axis=None) or "preprocessor" in bunch:
            return bunch
        numeric, nominal = list(bunch.numeric), list(bunch.nominal)
        judge = TablePreprocessor(numeric=numeric, nominal=nominal)
        return Bunch(**{**bunch, "preprocessor": judge})
    data, target = bunch.data, np.asarray(bunch.target)
    names = bunch.get("target_names")
    if names is not None and target.dtype.kind in "iu" and len(names) > target.max():
        target = np.asarray(names)[target]
    return _from_parts(name, data, target, bunch.get("feature_names"))


def _from_parts(name: str, data: Any, target: Any, columns: Any = None) -> Bunch:
    """Return features and classes given apart as one data set."""
    # A column of an array is a measurement; one of a table may be an id.
    numeric = not hasattr(data, "columns")
    data = _as_frame(data).reset_index(drop=True)
    if numeric and columns is not None:
        data.columns = pd.Index([str(column) for column in columns])
    labels = np.asarray(target).ravel()
    if len(labels) != len(data):
        raise ValueError(
            f"data set {name}: {len(data)} rows of data, {len(labels)} classes"
        )
    if data.columns.has_duplicates:
        twice = data.columns[data.columns.duplicated()][0]
        raise ValueError(f"data set {name}: two columns are called {twice!r}")
    known = list(data.columns) if numeric else []
    return _from_table(name, data.assign(**{_TARGET: labels}), _TARGET, known)


def _from_table(
    name: str, table: pd.DataFrame, target: str | None, numeric: Iterable[str] = ()
) -> Bunch:
    """Return a data set whose columns are judged within every fold."""
    table.attrs.setdefault("source", f"data set {name}")
    X, y = split_target(table, target)
    judge = TablePreprocessor(numeric=list(numeric))
    return Bunch(data=X.reset_index(drop=True), target=y, name=name, preprocessor=judge)


def _as_frame(data: Any) -> pd.DataFrame:
    """Return features as a DataFrame, polars' and pyarrow's included."""
    if hasattr(data, "to_pandas"):
        data = data.to_pandas()
    if not isinstance(data, pd.DataFrame):
        array = np.asarray(data)
        if array.ndim != 2:
            raise ValueError(
                "features need rows and columns, got an array of "
                f"{array.ndim} dimensions"
            )
        data = pd.DataFrame(array, columns=[f"x{i}" for i in range(array.shape[1])])
    return data.set_axis([str(column) for column in data.columns], axis=1)


def _unknown(what: str, value: Any) -> str:
    """Return the sentence for what is no data set."""
    return (
        f"{what}: {type(value).__name__} is not a data set; give a name, a file, "
        "(X, y), (DataFrame, 'target column') or a Bunch"
    )
