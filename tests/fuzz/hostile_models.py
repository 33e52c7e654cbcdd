"""Fitted pipelines of every kind that a model file may hold, or may not."""

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import (
    ColumnTransformer,
    make_column_selector,
    make_column_transformer,
)
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC

from isvmde import ISVMClassifier, ISVMClassifierCV, ISVMDEClassifier
from isvmde.baselines import (
    NBSVM,
    OVOSVM,
    PPSVM,
    SDCSVM,
    WKSMOTESVM,
    CostSVM,
    GridSearchSVM,
    StaticSMOTESVM,
)
from isvmde.metrics import g_mean_scorer
from isvmde.model_selection import PaperKFold
from isvmde.tables import TablePreprocessor


def table() -> tuple[pd.DataFrame, np.ndarray]:
    """Return a small table of numbers and texts, three classes."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [12, 9, 5])
    X = pd.DataFrame(rng.normal(size=(26, 3)) + (y == "a")[:, None], columns=[*"uvw"])
    kinds = np.where(X["u"] > 0, "yes", np.where(X["v"] > 0, "no", "never"))
    days = pd.date_range("2020-01-01", periods=26, freq="37D").astype(str)
    return X.assign(k=kinds, day=days), y


def coded(**options: Any) -> OneHotEncoder:
    """Return a coder of texts with dense columns."""
    options = {"handle_unknown": "ignore", **options}
    return OneHotEncoder(sparse_output=False, **options)


def columns(numbers: Any, texts: Any = None) -> ColumnTransformer:
    """Return usual preprocessing around a transformer of numbers."""
    chosen = make_column_selector(dtype_include="number")
    return ColumnTransformer([("n", numbers, chosen), ("k", texts or coded(), ["k"])])


def averaged() -> ISVMClassifierCV:
    """Return a small averaged model."""
    return ISVMClassifierCV(n_settings=6, random_state=0)


def searched(search: str = "joint") -> ISVMDEClassifier:
    """Return a search of a single generation."""
    return ISVMDEClassifier(search=search, pop_size=5, max_iter=1, random_state=0)


def _of_tables() -> Iterator[tuple[str, Any]]:
    """Yield pipelines that take the whole table."""
    baselines = [OVOSVM(), NBSVM(), CostSVM(), PPSVM(), StaticSMOTESVM(random_state=0)]
    baselines += [SDCSVM(random_state=0), WKSMOTESVM(random_state=0)]
    for baseline in baselines:
        yield type(baseline).__name__, make_pipeline(columns(MinMaxScaler()), baseline)
    grid = GridSearchSVM(OVOSVM(), {"C": [1.0, 10.0]}, cv=PaperKFold(2))
    yield "GridSearchSVM", make_pipeline(columns(MinMaxScaler()), grid)
    scalers = [StandardScaler(), RobustScaler(), MaxAbsScaler(), Normalizer()]
    scalers += [QuantileTransformer(n_quantiles=9), PowerTransformer(), PCA(2)]
    scalers += [FunctionTransformer(np.arctan), SimpleImputer(add_indicator=True)]
    for scaler in scalers:
        name = type(scaler).__name__
        yield name, make_pipeline(columns(scaler), GaussianNB())
    yield "table, averaged", make_pipeline(TablePreprocessor(), averaged())
    yield "table, given", make_pipeline(TablePreprocessor(), ISVMClassifier(ranks=True))
    yield "table, searched", make_pipeline(TablePreprocessor(), searched())
    rare = coded(handle_unknown="infrequent_if_exist", max_categories=2)
    yield "rare", make_pipeline(columns(MinMaxScaler(), rare), searched("pairwise"))
    dropped = coded(drop="first", handle_unknown="error")
    selected = SelectKBest(k=3)
    yield (
        "selected",
        make_pipeline(columns("passthrough", dropped), selected, ISVMClassifier()),
    )
    by_place = make_column_transformer(
        (OrdinalEncoder(), ["k"]), ("drop", ["day"]), remainder=StandardScaler()
    )
    yield "remainder", make_pipeline(by_place, LinearDiscriminantAnalysis())


def _of_numbers() -> Iterator[tuple[str, Any]]:
    """Yield pipelines that take the columns of numbers."""
    union = FeatureUnion([("pca", PCA(1)), ("all", "passthrough")])
    yield "union", make_pipeline(union, ISVMClassifier(kernel="min"))
    yield "alone", ISVMClassifier(kernel="poly")
    yield "averaged alone", averaged()
    yield "dummy", make_pipeline(MinMaxScaler(), DummyClassifier())
    for inner in (ISVMClassifier(), averaged(), LogisticRegression()):
        calibrated = CalibratedClassifierCV(inner, cv=2)
        yield f"calibrated {type(inner).__name__}", calibrated
    both = [("one", averaged()), ("two", make_pipeline(MinMaxScaler(), GaussianNB()))]
    yield "voting", VotingClassifier(both)
    yield "soft voting", VotingClassifier(both, voting="soft", weights=[1, 2])
    yield "stacking", StackingClassifier(both, LogisticRegression(), cv=2)
    grid = {"C": [0.1, 1.0]}
    cv = StratifiedKFold(2)
    yield "grid", GridSearchCV(ISVMClassifier(), grid, cv=cv)
    scored = GridSearchCV(LogisticRegression(), grid, cv=cv, scoring=g_mean_scorer)
    yield "scored grid", make_pipeline(MinMaxScaler(), scored)


def _of_others() -> Iterator[tuple[str, Any]]:
    """Yield pipelines that have to be trusted."""
    forest = RandomForestClassifier(n_estimators=2, random_state=0)
    for classifier in (SVC(), forest, KNeighborsClassifier()):
        name = type(classifier).__name__
        yield f"trusted {name}", make_pipeline(MinMaxScaler(), classifier)
    inner = CalibratedClassifierCV(clone(forest), cv=2)
    yield "trusted calibrated forest", inner
    voters = [("one", ISVMClassifier()), ("two", SVC())]
    yield "trusted voter", VotingClassifier(voters)


def _all() -> Iterator[tuple[str, Any, Any]]:
    """Yield the name and the pipeline of each, and the columns it takes."""
    X, _ = table()
    numbers = X[[*"uvw"]]
    for name, model in _of_tables():
        yield name, model, X
    for name, model in (*_of_numbers(), *_of_others()):
        yield name, model, numbers
    yield "by position", averaged(), numbers.to_numpy()
    frozen = FrozenEstimator(GaussianNB())
    yield "frozen", make_pipeline(MinMaxScaler(), frozen), numbers.to_numpy()
    words = make_column_transformer((CountVectorizer(), "k"), sparse_threshold=0.0)
    yield "trusted words", make_pipeline(words, GaussianNB()), X


def models(names: Collection[str] | None = None) -> dict[str, Any]:
    """Return all of them by name, or some, fitted."""
    fitted, (_, y) = {}, table()
    for name, model, X in _all():
        if names is None or name in names:
            if name == "frozen":
                model.named_steps["frozenestimator"].estimator.fit(X, y)
            fitted[name] = model.fit(X, y)
    return fitted
