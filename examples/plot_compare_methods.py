"""# Comparing methods with statistics

Every method of the paper under one protocol: the same folds for all, every fold's
result kept on disk, and tests that say which differences can be told from chance. Here
four methods on six small data sets with small budgets; `isvmde benchmark` runs the
whole study.
"""

import tempfile

import matplotlib.pyplot as plt
from sklearn.svm import SVC

from isvmde.bench import run_benchmark
from isvmde.plots import RankDisplay
from isvmde.stats import effect_sizes, friedman_aligned, holm_test, wilcoxon_signed_rank

datasets = ["zoo", "hayes-roth", "newthyroid", "glass", "lymphography", "automobile"]


# %%
# A method is a name out of `isvmde.methods.METHODS` or a function of your own that
# returns an estimator. None stands for the built-in method of that name.
def balanced_svc(random_state):
    return SVC(C=100, class_weight="balanced")


methods = {"SVM": None, "NBSVM": None, "i-SVM-LOO": None, "balanced SVC": balanced_svc}

# %%
# The store would let the same call go on after an interruption. Scores are averaged
# over folds into a table of data sets x methods.
with tempfile.TemporaryDirectory() as store:
    results = run_benchmark(datasets, methods, store=store, folds=3, budget="quick")
scores = 100 * results.rows.pivot_table(
    index="dataset", columns="method", values="av_f_beta", sort=False
)
print(scores.round(1))

# %%
# Do the methods differ at all? Which differ from the best? And these two, by how much?
print(friedman_aligned(scores))
print(holm_test(scores).round(3))
print(wilcoxon_signed_rank(scores["i-SVM-LOO"], scores["SVM"]))
print(effect_sizes(scores).round(2).to_string(index=False))

# %%
# Six data sets are few: only a large and steady difference can be told from chance.
RankDisplay.from_scores(scores, title="AvF, six data sets")
plt.show()
