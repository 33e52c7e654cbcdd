"""Every baseline and the grid search pass scikit-learn's checks."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from isvmde.baselines import SDCSVM, WKSMOTESVM, CostSVM, GridSearchSVM

from .every_baseline import KINDS

GRID = {"C": [1, 10], "kernel": ["linear", "rbf"]}


@parametrize_with_checks(
    [
        *(kind() for kind in KINDS),
        SDCSVM(decomposition="one-vs-rest"),
        GridSearchSVM(CostSVM(), GRID),
        GridSearchSVM(WKSMOTESVM(), GRID),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
