"""# Stopping, resuming and looking into a search

A search over all pairs of classes can take a while. It shows its progress, stops on a
time limit, on patience or on Ctrl-C with the best model so far, and goes on from a
checkpoint to the very model of an unbroken run.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from isvmde import ISVMDEClassifier
from isvmde.datasets import load_dataset, make_preprocessor
from isvmde.plots import ConvergenceDisplay, PairMapDisplay

ecoli = load_dataset("ecoli")
X, y = make_preprocessor(ecoli).fit_transform(ecoli.data), ecoli.target
budget = {"pop_size": 12, "max_iter": 20, "random_state": 0}

# %%
# A callback sees every generation and may end the search. `patience=` and `time_limit=`
# do so without one.
seen = []


def watch(state):
    seen.append(state.best_fitness)
    return state.generation >= 8


with tempfile.TemporaryDirectory() as folder:
    checkpoint = Path(folder) / "ecoli.ckpt"
    stopped = ISVMDEClassifier(**budget, checkpoint=checkpoint, callback=watch)
    stopped.fit(X, y)
    print(f"{stopped.stop_reason_} after generation {stopped.n_iter_}")

    # The same search again, from the file: it begins where the first one ended.
    resumed = ISVMDEClassifier(**budget, checkpoint=checkpoint).fit(X, y)
unbroken = ISVMDEClassifier(**budget).fit(X, y)
print("resumed equals unbroken:", resumed.pair_params_ == unbroken.pair_params_)

# %%
# The joint search is the paper's: one population over the genes of all 28 pairs. The
# fitness `"ave"` is a sum over pairs, so a search per pair has the same optimum and
# needs a small part of the SVMs.
pairwise = ISVMDEClassifier(search="pairwise", **budget).fit(X, y)
display = ConvergenceDisplay.from_estimator(
    unbroken, x="n_svms", label="joint", title="ecoli"
)
ConvergenceDisplay.from_estimator(
    pairwise, ax=display.ax_, x="n_svms", label="pairwise"
)

# %%
# What was chosen: kernels below the diagonal; support vectors and the ratio of the two
# costs above it.
PairMapDisplay.from_estimator(pairwise, title="ecoli, pairwise search")
print("largest violation of the optimality conditions:")
print(f"{np.max(pairwise.kkt_violation_):.1e}")
plt.show()
