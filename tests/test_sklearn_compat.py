"""Every estimator of the library passes scikit-learn's own checks."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from isvmde import ISVMClassifier


@parametrize_with_checks(
    [
        ISVMClassifier(),
        ISVMClassifier(kernel="linear", margin_neg=0.3, C_pos=4.0),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
