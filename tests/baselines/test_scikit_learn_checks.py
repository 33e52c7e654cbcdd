"""Every baseline and the grid search pass scikit-learn's checks."""

from sklearn.utils.estimator_checks import parametrize_with_checks

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

GRID = {"C": [1, 10], "kernel": ["linear", "rbf"]}


@parametrize_with_checks(
    [
        OVOSVM(),
        StaticSMOTESVM(),
        CostSVM(),
        SDCSVM(),
        WKSMOTESVM(),
        PPSVM(),
        NBSVM(),
        GridSearchSVM(CostSVM(), GRID),
        GridSearchSVM(WKSMOTESVM(), GRID),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
