"""Every estimator of the library passes scikit-learn's own checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from isvmde import ISVMClassifier, ISVMClassifierCV, ISVMDEClassifier


# Some of the checks' tables lie around 100: a polynomial of degree 5 then has kernel
# values of 1e21, and a machine says that it lost digits.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        ISVMClassifier(),
        ISVMClassifier(kernel="linear", margin_neg=0.3, C_pos=4.0),
        ISVMClassifier(decomposition="one-vs-rest"),
        ISVMClassifier(decomposition="dag"),
        ISVMDEClassifier(decomposition="one-vs-rest", pop_size=5, max_iter=1),
        ISVMDEClassifier(pop_size=6, max_iter=5),
        ISVMDEClassifier(fitness="max", search="pairwise", pop_size=6, max_iter=3),
        ISVMDEClassifier(share="all", pop_size=6, max_iter=5),
        ISVMDEClassifier(fitness="max", share="kernel", pop_size=6, max_iter=3),
        ISVMClassifier(ranks=True),
        ISVMClassifier(kernel="min", degree=2),
        ISVMDEClassifier(search="pairwise", pop_size=5, max_iter=1),
        ISVMDEClassifier(fitness="cv", optimizer="random", pop_size=5, max_iter=2),
        ISVMDEClassifier(optimizer="de", tied_costs=True, pop_size=5, max_iter=2),
        ISVMClassifierCV(n_settings=8),
        ISVMClassifierCV(n_settings=6, kernels="rbf", views="ranks", prior="training"),
        ISVMClassifierCV(n_settings=6, scoring="accuracy", n_jobs=2),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
