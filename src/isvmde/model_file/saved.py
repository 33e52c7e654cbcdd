"""A fitted pipeline with what it takes to use it on a table, in a file and from one."""

import warnings
from collections import UserList
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.utils.validation import check_is_fitted

from isvmde import __version__
from isvmde.archive import ArchiveError
from isvmde.tables import TablePreprocessor
from isvmde.tables.cells import as_nominal
from isvmde.tables.columns import Kind
from isvmde.tables.errors import check_columns, quote, some
from isvmde.writing import replacing

from .contents import ABOUT, read_contents, write_contents
from .errors import ModelFileError, short

_ANY_VALUE = {"numeric": 1.0, "nominal": "a", "date": None}
_MOST_TEXTS = 10_000  # columns; each is read by itself
_Columns = dict[str, tuple[str, tuple[Any, ...]]]  # kind and known values by name


@dataclass
class SavedModel:
    """A fitted pipeline and what it takes to use it on a table.

    Parameters
    ----------
    pipeline : Pipeline
        Preprocessing and classifier, fitted on a DataFrame or an array. A classifier
        alone becomes a pipeline of one step.
    target : str, default="class"
        Name of the column that is predicted.
    numeric, nominal : list of str
        The columns it needs. If neither is given, the preprocessing tells: what is
        coded by categories of text is nominal, all else numeric.
    notes : dict
        Anything else worth keeping that JSON can hold, such as the number of rows.
    version : str
        The version of isvmde that saved the model.

    Examples
    --------
    >>> from isvmde import ISVMClassifier
    >>> from isvmde.datasets import load_dataset, make_preprocessor
    >>> from sklearn.pipeline import make_pipeline
    >>> zoo = load_dataset("zoo")
    >>> pipeline = make_pipeline(make_preprocessor(zoo), ISVMClassifier())
    >>> model = SavedModel(pipeline.fit(zoo.data, zoo.target), "kind")
    >>> model.numeric, model.nominal[:3]
    ([], ['Hair', 'Feathers', 'Eggs'])
    """

    pipeline: Pipeline
    target: str = "class"
    numeric: list[str] = field(default_factory=list)
    nominal: list[str] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    def __post_init__(self) -> None:
        if not isinstance(self.pipeline, Pipeline):
            self.pipeline = Pipeline([("classifier", self.pipeline)])
        check_is_fitted(self.pipeline)
        names = getattr(self.pipeline, "feature_names_in_", None)
        self._by_position = names is None  # trained on an array
        if names is None:  # a step of the user's own may not tell, the next one does
            sizes = [getattr(step, "n_features_in_", None) for step in self.pipeline]
            size = next((size for size in sizes if size is not None), 0)
            names = [f"x{j}" for j in range(int(size))]
        self._taken = _taken_by(self.pipeline[0], [str(name) for name in names])
        if not self.numeric and not self.nominal:
            taken = self._taken.items()
            self.numeric = [name for name, (kind, _) in taken if kind == "numeric"]
            self.nominal = [name for name, (kind, _) in taken if kind == "nominal"]

    @property
    def columns(self) -> list[str]:
        """All columns the model needs, in the order it was trained with."""
        return list(self._taken)

    def align(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the columns the model needs, typed as in training.

        A missing column, or text where the model learned numbers, is a ValueError that
        names it. A model that was trained on an array takes columns by their position.
        """
        names = self.columns
        if self._by_position:
            table = table.drop(columns=self.target, errors="ignore")
            if table.shape[1] != len(names):
                raise ValueError(
                    f"the model was trained on {len(names)} columns without names, "
                    f"but the table has {table.shape[1]}"
                )
            table = table.set_axis(names, axis=1)
        check_columns(table, names)
        if isinstance(self.pipeline[0], TablePreprocessor):  # it types them itself
            return table[names]
        numeric = set(self.numeric)
        table = table[names]
        if numeric.issuperset(names) and (table.dtypes == np.float64).all():
            return table
        reads = {name: _as_numbers if name in numeric else as_nominal for name in names}
        return pd.DataFrame({name: read(table[name]) for name, read in reads.items()})

    def remarks(self, aligned: pd.DataFrame) -> list[str]:
        """Return sentences on what in rows of `align` training did not have."""
        if isinstance(self.pipeline[0], TablePreprocessor):
            return self.pipeline[0].remarks(aligned)
        found = {
            name: set(aligned[name].dropna().astype(str)) - set(map(str, known))
            for name, (_, known) in self._taken.items()
            if known and name in self.nominal
        }
        new = {name: some(sorted(values)) for name, values in found.items() if values}
        what = "has values that training did not have"
        return [
            f"column {quote(name)} {what}: {values}" for name, values in new.items()
        ]

    def predict(self, aligned: pd.DataFrame) -> np.ndarray:
        """Return the predicted classes of rows that `align` returned."""
        return self._ask("predict", aligned)

    def predict_proba(self, aligned: pd.DataFrame) -> np.ndarray:
        """Return the class probabilities of rows that `align` returned."""
        return self._ask("predict_proba", aligned)

    def seen_by_classifier(self, aligned: pd.DataFrame) -> Any:
        """Return rows of `align` as the last step of the pipeline gets them."""
        if len(self.pipeline) > 1:
            return self.pipeline[:-1].transform(self._rows(aligned))
        return self._rows(aligned)

    def _rows(self, aligned: pd.DataFrame) -> Any:
        """Return rows in the form that the pipeline was trained on."""
        return aligned.to_numpy() if self._by_position else aligned

    def _ask(self, method: str, aligned: pd.DataFrame) -> np.ndarray:
        """Call a method of the pipeline; what fails in its depth is one sentence."""
        try:
            with np.errstate(all="ignore"):  # a changed file can hold any number
                return np.asarray(getattr(self.pipeline, method)(self._rows(aligned)))
        except ValueError:
            raise
        except Exception as error:
            reason = f"the model cannot be used on this table ({short(error)})"
            raise ModelFileError(reason) from error

    def _made_up_row(self) -> pd.DataFrame:
        """Return a row of what the columns hold, or could hold."""
        values = {
            name: known[0] if known else _ANY_VALUE[kind]
            for name, (kind, known) in self._taken.items()
        }
        numbers = [name for name, (kind, _) in self._taken.items() if kind == "numeric"]
        # all at once: a column by itself takes as long as a thousand numbers
        row = pd.DataFrame([[values.pop(name) for name in numbers]], columns=numbers)
        others = pd.DataFrame({name: [value] for name, value in values.items()})
        return pd.concat([row.astype(float), others], axis=1)

    def try_out(self) -> np.ndarray:
        """Predict a row made up from what the columns hold; return the class."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            aligned = self.align(self._made_up_row())
            if hasattr(self.pipeline, "predict_proba"):
                self.predict_proba(aligned)
            return self.predict(aligned)


def save_model(
    model: Any, path: str | Path, *, target: str = "class", trusted: Iterable[Any] = ()
) -> Path:
    """Write a model to a file that :func:`load_model` reads; return its path.

    The file appears under its name only when it is complete and was loaded again. What
    :func:`load_model` would refuse is a :class:`ModelFileError` that names it.

    Parameters
    ----------
    model : Pipeline, classifier or SavedModel
        A fitted pipeline around a classifier of this library, or the classifier.
    path : path
        The file to write, by custom with the suffix ``.skops``.
    target : str, default="class"
        Name of the column that is predicted; a `SavedModel` has its own.
    trusted : collection of types, functions or names, default=()
        Types and functions in the model that are your own, or of scikit-learn but not
        always taken. `load_model` needs them too.

    Examples
    --------
    >>> import tempfile
    >>> from isvmde import ISVMClassifier
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> model = ISVMClassifier().fit(iris.data, iris.target)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = load_model(save_model(model, folder + "/iris.skops"))
    >>> bool((again.predict(iris.data) == model.predict(iris.data)).all())
    True
    """
    saved = model if isinstance(model, SavedModel) else SavedModel(model, target)
    about = {name: getattr(saved, name) for name in ABOUT}
    path = Path(path)
    with replacing(path) as partial:
        unusual = write_contents(partial, about, saved.pipeline)
        try:
            same = load_model(partial, trusted=trusted).try_out() == saved.try_out()
        except ModelFileError as error:
            start = "the model cannot be saved: its file"
            reason = str(error).replace(str(partial), start, 1)
            if error.foreign:
                reason += "; pass them as trusted= to save_model and load_model"
                reason += "".join(f" ({why})" for why in unusual[:3])
            raise ModelFileError(reason, error.foreign) from error
        if not same:
            raise ModelFileError(
                "the model cannot be saved: the reloaded model predicts differently"
            )
    return path


def load_model(path: str | Path, *, trusted: Iterable[Any] = ()) -> SavedModel:
    """Read a model written by :func:`save_model`.

    What the file holds is checked before anything is built from it: known types only,
    no function but NumPy's and the scores of scikit-learn, arrays as large as they
    say, nothing compressed. The model then predicts one made-up row. Other files, and
    those of an isvmde whose models this one does not understand, are refused with a
    :class:`ModelFileError`.

    Parameters
    ----------
    path : path
        The model file.
    trusted : collection of types, functions or names, default=()
        What it may hold beside what is always taken. Trust only what you would run.

    Examples
    --------
    >>> load_model("nowhere.skops")
    Traceback (most recent call last):
    FileNotFoundError: there is no file nowhere.skops
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        with warnings.catch_warnings():
            # of scikit-learn's version, which a mangled file can say anything about
            warnings.simplefilter("ignore")
            about, pipeline = read_contents(path, trusted)
            if type(pipeline) is not Pipeline:
                raise ModelFileError("does not hold a pipeline")
            model = SavedModel(
                pipeline,
                target=about["target"],
                numeric=about["numeric"],
                nominal=about["nominal"],
                notes=about["notes"],
                version=about["version"],
            )
            if not set(model.numeric + model.nominal) <= set(model.columns):
                raise ModelFileError("is damaged: it names columns it does not take")
            n_texts = len(set(model.columns) - set(model.numeric))
            if n_texts > _MOST_TEXTS:
                raise ModelFileError(
                    f"takes {n_texts} columns of text, which is too many"
                )
            model.try_out()
        return model
    except ImportError:  # of what only trusted types need
        raise
    except Exception as error:
        said = isinstance(error, ArchiveError)
        reason = error if said else f"is damaged and cannot be loaded ({short(error)})"
        foreign = getattr(error, "foreign", ())
        raise ModelFileError(f"{path} {reason}", foreign) from error


def _as_numbers(column: pd.Series) -> pd.Series:
    """Return a column as float64, or name the first value that is not a number."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    numbers = pd.to_numeric(column, errors="coerce").astype("float64")
    bad = np.flatnonzero(numbers.isna() & column.notna())
    if len(bad):
        raise ValueError(
            f"column {column.name!r} has {column.iloc[bad[0]]!r} in data row "
            f"{bad[0] + 1}, where the model learned numbers"
        )
    return numbers


def _taken_by(transformer: Any, names: list[str]) -> _Columns:
    """Return the columns of these names as a transformer takes them."""
    plain: _Columns = dict.fromkeys(names, ("numeric", ()))
    if isinstance(transformer, TablePreprocessor):
        texts = transformer._known_categories()
        kinds = {Kind.NUMBERS: "numeric", Kind.CATEGORIES: "nominal", Kind.DATE: "date"}
        return {
            name: (kinds[plan.kind], tuple(texts.get(name, ())))
            for name, plan in transformer._kept().items()
        }
    if isinstance(transformer, ColumnTransformer):
        table = pd.DataFrame(columns=names)
        for _, part, chosen in transformer.transformers_:
            own = [] if isinstance(part, str) else _chosen(table, chosen)
            if own:
                plain |= _taken_by(part, own)
        return plain
    if isinstance(transformer, (Pipeline, FeatureUnion)):
        steps = getattr(transformer, "steps", None) or transformer.transformer_list
        found = (_taken_by(step, names) for _, step in steps)
        return next((taken for taken in found if taken != plain), plain)
    known = getattr(transformer, "categories_", None)
    if known is not None and len(known) == len(names):
        described = [(_kind(values), tuple(values)) for values in known]
        return dict(zip(names, described, strict=True))
    filled = getattr(transformer, "statistics_", 0.0)  # what an imputer fills in
    text = hasattr(transformer, "vocabulary_")
    return dict.fromkeys(names, ("nominal" if text else _kind(filled), ()))


def _kind(values: Any) -> str:
    """Return what the values of a column are."""
    return "numeric" if np.asarray(values).dtype.kind in "biuf" else "nominal"


def _chosen(table: pd.DataFrame, chosen: Any) -> list[str]:
    """Return the names a ColumnTransformer's choice of columns stands for."""
    if isinstance(chosen, UserList):  # scikit-learn 1.6 warns where its own is read
        chosen = chosen.data
    if isinstance(chosen, (str, int)):
        chosen = [chosen]
    with suppress(KeyError, TypeError):  # places, not names
        return list(table.loc[:, chosen])
    return list(table.iloc[:, chosen])
