"""The full grid of Cost-SVM on glass: our search against scikit-learn's GridSearchCV.

Both sides train 168 grid points on the same three inner folds with the same costs per
pair of classes and one thread, in one run.

python benchmarks/grid_speed.py [--dataset glass]
"""

import argparse
import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from isvmde.core.pairs import make_pairs, predict_index
from isvmde.datasets import PaperKFold, load_dataset, make_preprocessor
from isvmde.methods import make_method
from isvmde.metrics import g_mean_scorer


class PairwiseSVC(ClassifierMixin, BaseEstimator):
    """One-vs-one over scikit-learn's SVC, with the costs of Cost-SVM in each pair."""

    def __init__(self, C=1.0, kernel="rbf", sigma=1.0, multiple_pos=1.0):
        self.C = C
        self.kernel = kernel
        self.sigma = sigma
        self.multiple_pos = multiple_pos

    def fit(self, X, y):
        self.classes_, index = np.unique(y, return_inverse=True)
        self.class_size_ = np.bincount(index)
        self.pairs_ = make_pairs(self.class_size_)
        self.machines_ = [
            self._fit_pair(X[(index == p) | (index == m)], index, p, m)
            for p, m in self.pairs_
        ]
        return self

    def _fit_pair(self, X, index, plus, minus):
        members = index[(index == plus) | (index == minus)]
        n_pos, n_neg = self.class_size_[plus], self.class_size_[minus]
        n = n_pos + n_neg
        cost = {1: self.multiple_pos * n / n_pos, -1: n / n_neg}
        machine = SVC(
            C=self.C, kernel=self.kernel, gamma=0.5 / self.sigma**2, class_weight=cost
        )
        return machine.fit(X, np.where(members == plus, 1, -1))

    def predict(self, X):
        F = np.stack([m.decision_function(X) for m in self.machines_], axis=1)
        return self.classes_[predict_index(F, self.pairs_, self.class_size_)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", default="glass")
    data = load_dataset(parser.parse_args().dataset)
    X, y = make_preprocessor(data).fit_transform(data.data), np.asarray(data.target)
    make_method("Cost-SVM", budget="quick", random_state=0).fit(X, y)  # compile

    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        ours = make_method("Cost-SVM", random_state=0).fit(X, y)
        seconds.append(time.perf_counter() - start)
    # The very folds our search used: its first random numbers deal them.
    folds = list(PaperKFold(3, random_state=np.random.RandomState(0)).split(X, y))
    start = time.perf_counter()
    theirs = GridSearchCV(
        PairwiseSVC(), ours.param_grid, scoring=g_mean_scorer, cv=folds, n_jobs=1
    ).fit(X, y)
    slow, fast = time.perf_counter() - start, float(np.median(seconds))
    points = len(ours.cv_results_["params"])
    difference = np.abs(
        ours.cv_results_["mean_test_g_mean"] - theirs.cv_results_["mean_test_score"]
    )
    print(f"{data.name}: {points} grid points, {len(folds)} inner folds, one thread")
    print(f"scikit-learn GridSearchCV   {slow:8.2f} s   best {theirs.best_score_:.4f}")
    print(f"isvmde GridSearchSVM        {fast:8.2f} s   best {ours.best_score_:.4f}")
    print(f"ratio                       {slow / fast:8.1f}")
    print(f"grid points whose G-mean differs {np.sum(difference > 1e-9)} of {points}")


if __name__ == "__main__":
    main()
