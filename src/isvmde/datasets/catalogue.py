"""The built-in data sets, the paper's (its Table 1): listed, loaded, scaled, coded."""

from importlib import resources
from typing import Any

import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.utils import Bunch

from .keel import KeelFile

_DATA = resources.files(__package__) / "data"


def _count_classes(text: str) -> dict[str, int]:
    """Read the sizes of classes in Table 1's order, written ``a: 3; b: 2``."""
    return {
        each.rpartition(": ")[0]: int(each.split()[-1]) for each in text.split("; ")
    }


with (_DATA / "catalogue.csv").open(encoding="utf-8") as _file:
    _TABLE = pd.read_csv(
        _file,
        converters={"class_counts": _count_classes},
        true_values=["yes"],
        false_values=["no"],
    )
CATALOGUE: dict[str, Any] = {str(row.name): row for row in _TABLE.itertuples()}
PAPER_DATASETS = [name for name, info in CATALOGUE.items() if info.in_paper]
"""Those of the paper: what its benchmark and the results pages are about."""


def load_dataset(name: str, *, data_home: Any = None) -> Bunch:
    """Load one of the built-in data sets; all are part of the package.

    Parameters
    ----------
    name : str
        One of the names in :func:`list_datasets`.
    data_home : ignored
        Not used; files of your own are read by :func:`isvmde.tables.read_table`.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        What :func:`read_keel` returns, with ``source`` and ``citation``. The target is
        text; there are no missing values.

    Examples
    --------
    >>> load_dataset("glass").data.shape
    (214, 9)
    """
    if not isinstance(name, str) or name not in CATALOGUE:
        raise ValueError(
            f"There is no data set {name!r}; choose one of {', '.join(CATALOGUE)}."
        )
    info, file = CATALOGUE[name], f"{name}.dat"
    bunch = KeelFile((_DATA / file).read_bytes(), file).make_bunch()
    bunch.update(name=name, source=info.source, citation=info.citation)
    return bunch


def list_datasets() -> pd.DataFrame:
    """List the built-in data sets.

    Returns
    -------
    table : DataFrame
        A row per data set, indexed by name: ``rows``, ``attributes``, ``numeric``,
        ``nominal``, ``classes``, ``smallest_class``, ``imbalance_ratio`` (largest
        class over smallest), ``in_paper`` (whether the paper measures on it) and
        ``source``.

    Examples
    --------
    >>> list_datasets().loc["ecoli", ["rows", "classes", "smallest_class"]].tolist()
    [336, 8, 2]
    """
    sizes = _TABLE["class_counts"].map(dict.values)
    columns = {
        "name": _TABLE["name"],
        "rows": sizes.map(sum),
        "attributes": _TABLE["n_numeric"] + _TABLE["n_nominal"],
        "numeric": _TABLE["n_numeric"],
        "nominal": _TABLE["n_nominal"],
        "classes": sizes.map(len),
        "smallest_class": sizes.map(min),
        "imbalance_ratio": sizes.map(max) / sizes.map(min),
        "in_paper": _TABLE["in_paper"],
        "source": _TABLE["source"],
    }
    return pd.DataFrame(columns).set_index("name")


def make_preprocessor(bunch: Any) -> ColumnTransformer:
    """Make an unfitted transformer: min-max for numeric, one-hot for nominal columns.

    Numeric columns are scaled to [0, 1] over the rows it is fitted on; others may leave
    that interval. A category not seen in fitting becomes a row of zeros. Put it into a
    pipeline, so that it is fitted on the training part only.

    Parameters
    ----------
    bunch : Bunch
        A data set of :func:`load_dataset` or :func:`read_keel`. For other tables there
        is :class:`isvmde.tables.TablePreprocessor`.

    Returns
    -------
    preprocessor : ColumnTransformer
        With dense output: numeric columns first, then the nominal ones' categories.

    Examples
    --------
    >>> automobile = load_dataset("automobile")
    >>> make_preprocessor(automobile).fit_transform(automobile.data).shape
    (159, 64)
    """
    if not isinstance(bunch, Bunch) or not {"numeric", "nominal"} <= set(bunch):
        raise TypeError(
            "make_preprocessor needs a data set, as load_dataset and read_keel return "
            "it; for another table use isvmde.tables.TablePreprocessor."
        )
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return ColumnTransformer(
        [
            ("numeric", MinMaxScaler(), list(bunch.numeric)),
            ("nominal", encoder, list(bunch.nominal)),
        ],
        sparse_threshold=0.0,
        verbose_feature_names_out=False,
    )
