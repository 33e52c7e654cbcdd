"""What people give as a data set, turned into one form."""

import os
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import Bunch

from isvmde.datasets import load_dataset
from isvmde.datasets.catalogue import CATALOGUE
from isvmde.tables import TablePreprocessor, read_table, split_target

_TARGET = "the classes"  # the column's name while features and classes are one table


def name_datasets(datasets: Any) -> dict[str, Bunch]:
    """Return what `run_benchmark` may be given: each with `data` and `target`."""
    if isinstance(datasets, Mapping) and not isinstance(datasets, Bunch):
        given = [(str(k), k if v is None else v) for k, v in datasets.items()]
    else:
        single = isinstance(datasets, (str, os.PathLike, Bunch, pd.DataFrame))
        if single or not isinstance(datasets, Iterable):
            datasets = [datasets]
        given = [(_name_of(one), one) for one in datasets]
    named: dict[str, Bunch] = {}
    first = dict(reversed(given))
    for name, value in given:
        if name not in named:
            named[name] = _make_dataset(name, value)
        elif not (isinstance(value, str) and value == name == str(first[name])):
            raise ValueError(
                f"two data sets are called {name!r}: give them as a dict of name to "
                "data set"
            )
    return named


def _name_of(value: Any) -> str:
    """Return what a data set without a given name is called."""
    if isinstance(value, tuple) and len(value) == 2:
        value = value[0]
    if isinstance(value, (str, os.PathLike)):
        return str(value) if value in CATALOGUE else Path(value).name.split(".")[0]
    if isinstance(value, Bunch) and value.get("name") is not None:
        return str(value.name)
    raise ValueError(
        f"{type(value).__name__} is no name and no file of a data set, so it has to be "
        "given a name: {'my data': (X, y)}"
    )


def _make_dataset(name: str, value: Any) -> Bunch:
    """Return one data set in the form that folds are made of."""
    pair = isinstance(value, tuple) and len(value) == 2
    data, target = value if pair else (value, None)
    if isinstance(data, (str, os.PathLike)):
        if data in CATALOGUE and not Path(data).is_file():
            return load_dataset(str(data))
        if not Path(data).exists():
            raise ValueError(
                f"there is no file {data}, and no data set of that name; the data sets "
                f"are {', '.join(CATALOGUE)}"
            )
        return _from_table(_name_of(data), read_table(data), target)
    if isinstance(target, str):
        return _from_table(name, _as_frame(data), target)
    if pair:
        return _from_bunch(name, Bunch(data=data, target=target))
    if isinstance(value, Bunch):
        return _from_bunch(name, value)
    raise ValueError(
        f"data set {name}: {type(value).__name__} is not a data set; give a name, a "
        "file, (X, y), (DataFrame, 'target column') or a Bunch"
    )


def _from_bunch(name: str, bunch: Bunch) -> Bunch:
    """Return features and classes given apart, with the names that come with them."""
    data, labels = bunch.data, np.asarray(bunch.target).ravel()
    if len(labels) != len(data):
        raise ValueError(
            f"data set {name}: {len(data)} rows of data, {len(labels)} classes"
        )
    if {"numeric", "nominal"} <= set(bunch) and isinstance(data, pd.DataFrame):
        numeric, nominal = list(bunch.numeric), list(bunch.nominal)
        judge = TablePreprocessor(numeric=numeric, nominal=nominal)
        gaps = data.isna().any(axis=None)
        return Bunch(**{"preprocessor": judge, **bunch}) if gaps else bunch
    names = bunch.get("target_names")
    if names is not None and labels.dtype.kind in "iu" and len(names) > labels.max():
        labels = np.asarray(names)[labels]
    table = _as_frame(data, bunch.get("feature_names")).reset_index(drop=True)
    if table.columns.has_duplicates:
        raise ValueError(f"data set {name}: two columns have the same name")
    # A column of an array is a measurement; one of a table may be an id.
    numeric = [] if hasattr(data, "columns") else list(table.columns)
    return _from_table(name, table.assign(**{_TARGET: labels}), _TARGET, numeric)


def _from_table(
    name: str, table: pd.DataFrame, target: str | None, numeric: Iterable[str] = ()
) -> Bunch:
    """Return a data set whose columns are judged within every fold."""
    table.attrs.setdefault("source", f"data set {name}")
    X, y = split_target(table, target)
    judge = TablePreprocessor(numeric=list(numeric))
    return Bunch(data=X.reset_index(drop=True), target=y, name=name, preprocessor=judge)


def _as_frame(data: Any, columns: Any = None) -> pd.DataFrame:
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
        unnamed = [f"x{i}" for i in range(array.shape[1])]
        data = pd.DataFrame(array, columns=unnamed if columns is None else columns)
    return data.rename(columns=str)


def describe_dataset(bunch: Bunch) -> dict[str, Any]:
    """Return what a report says of a data set; classes in the order of scores."""
    classes, counts = np.unique(np.asarray(bunch.target), return_counts=True)
    if "preprocessor" in bunch:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # every fold keeps its own
            fitted = clone(bunch.preprocessor).fit(bunch.data, bunch.target)
        kinds = fitted.columns_["taken as"]
        numeric = int(kinds.isin(["numbers", "date"]).sum())
        nominal = int((kinds == "categories").sum())
    else:
        numeric, nominal = len(bunch.numeric), len(bunch.nominal)
    return {
        "rows": len(bunch.target),
        "numeric": numeric,
        "nominal": nominal,
        "gaps": int(bunch.data.isna().to_numpy().sum()),
        "classes": dict(zip(map(str, classes), counts.tolist(), strict=True)),
    }
