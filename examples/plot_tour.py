"""# The paper in two minutes

*Multi-Class Imbalanced Learning with Support Vector Machines via Differential
Evolution* ([Zhang and others, 2025](https://arxiv.org/abs/2502.14597)) has one idea in
three parts. This tour shows them in pictures that you can draw yourself.

**The problem.** Most classifiers minimise the number of errors. If 120 people are well
and 8 are severely ill, calling everybody well is 94 per cent right, and useless.

Below, a support vector machine (SVM) has learned from 158 people. It is asked about
3,000 new ones, 1,000 of each kind. The *recall* of a class is the share of it that is
found.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.svm import SVC

from isvmde import ISVMClassifier, ISVMClassifierCV, ISVMDEClassifier
from isvmde.plots import ConvergenceDisplay, RecallDisplay


def draw(n_well, n_mild, n_severe, seed):
    rng = np.random.default_rng(seed)
    well = rng.normal([0.0, 0.0], 1.0, (n_well, 2))
    mild = rng.normal([2.2, 0.8], 0.8, (n_mild, 2))
    severe = rng.normal([0.6, 1.6], 0.5, (n_severe, 2))
    y = np.repeat(["well", "mild", "severe"], [n_well, n_mild, n_severe])
    return np.concatenate([well, mild, severe]), y


X, y = draw(120, 30, 8, seed=2)
X_new, y_new = draw(1000, 1000, 1000, seed=99)


def print_recall(model):
    said = model.predict(X_new)
    for label in ("well", "mild", "severe"):
        found = np.mean(said[y_new == label] == label)
        print(f"{label:7} {100 * found:.0f} per cent")


LOOKS = {"well": ("#0072B2", "o"), "mild": ("#009E73", "^"), "severe": ("#D55E00", "s")}
TINTS = {"well": "#B8D6E8", "mild": "#B8E2D6", "severe": "#F3CFB8"}
xx, yy = np.meshgrid(np.linspace(-3.2, 4.4, 300), np.linspace(-2.8, 3.4, 300))
everywhere = np.column_stack([xx.ravel(), yy.ravel()])


def draw_regions(model, X, y, title, ax=None):
    ax = ax or plt.subplots(layout="constrained")[1]
    region = np.searchsorted(model.classes_, model.predict(everywhere))
    colours = ListedColormap([TINTS[label] for label in model.classes_])
    ax.pcolormesh(xx, yy, region.reshape(xx.shape), cmap=colours, rasterized=True)
    for label, (colour, mark) in LOOKS.items():
        ax.plot(*X[y == label].T, mark, color=colour, mec="0.15", label=label)
    ax.set_title(title, loc="left")


plain = SVC(C=1).fit(X, y)
print_recall(plain)
draw_regions(plain, X, y, "A plain SVM")
plt.legend()

# %%
# Most severe cases are missed: their region is too small, because eight samples weigh
# little against 120.
#
# **Part one: pairs.** A problem of many classes is taken apart into pairs of classes.
# Here there are three. Each pair gets an SVM of its own, so that each can suit its two
# classes, and the three vote.
model = ISVMClassifier(C=1).fit(X, y)
for plus, minus in model.pairs_:
    print(plus, "against", minus)

# %%
# **Part two: the i-SVM.** An ordinary SVM asks every sample to keep a distance of 1
# from the boundary, and charges the same price, C, for every sample that does not. The
# i-SVM has a price for each of the two classes, and a distance, called *margin*, for
# each.
#
# A higher price for the rare class pushes the boundary away from it. So does a smaller
# margin for the common class. The solid line is the boundary; the dashed lines are the
# margins.
two = y != "mild"
settings = {
    "equal prices, equal margins": {},
    "8 times the price for the rare class": {"C_pos": 8},
    "common class: margin 0.2": {"margin_neg": 0.2},
}
figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained", sharey=True)
for ax, (title, changes) in zip(axes, settings.items(), strict=True):
    pair = ISVMClassifier(C=1, sigma=1.2, **changes).fit(X[two], y[two])
    draw_regions(pair, X[two], y[two], title, ax)
    f = pair.pair_decision_function(everywhere).reshape(xx.shape)
    margins = [-changes.get("margin_neg", 1), 0, 1]
    ax.contour(xx, yy, f, margins, colors="0.25", linestyles=["--", "-", "--"])

# %%
# **Part three: the search.** That makes seven numbers per pair: two prices, two
# margins, the kernel and its two parameters. With six classes there are 15 pairs and
# 105 numbers, far too many for a grid.
#
# Differential evolution keeps a population of candidates, makes new ones from the
# differences between old ones, and keeps whichever is better. "Better" is measured on
# the training samples, class by class. So no rare sample has to be set aside for
# validation.
search = ISVMDEClassifier(pop_size=20, max_iter=40, random_state=0).fit(X, y)
ConvergenceDisplay.from_estimator(search, title="The error falls as candidates improve")
for (plus, minus), chosen in search.pair_params_.items():
    prices = f"prices {chosen['C_pos']:.2f} and {chosen['C_neg']:.2f}"
    print(f"{plus} against {minus}: {chosen['kernel']} kernel, {prices}")

# %%
# **The result.** More severe cases are found.
print_recall(search)
draw_regions(search, X, y, "i-SVM-DE")

# %%
# **What came after.** The search has a weakness: it judges candidates by the samples
# they learned from, and some of the odd shapes above are learned by heart. There is a
# remedy. How an SVM would treat a sample *if it had been trained without it* can be
# computed from the solved SVM, nearly for free. `ISVMClassifierCV` judges many
# settings in this way and averages them; nothing is left to tune. [Beyond the
# paper](beyond.md) explains how.
averaged = ISVMClassifierCV(random_state=0).fit(X, y)
print_recall(averaged)
draw_regions(averaged, X, y, "ISVMClassifierCV")

# %%
# All of them side by side, with the simplest remedy of all, an SVM with balanced class
# weights. On three round clouds such as these it is all you need. Real tables are less
# kind: the [results](results.md) compare these methods and many others on 15 of them.
balanced = SVC(C=1, class_weight="balanced").fit(X, y)
models = {
    "plain SVM": plain,
    "balanced SVM": balanced,
    "i-SVM-DE": search,
    "ISVMClassifierCV": averaged,
}
RecallDisplay.from_estimator(models, X_new, y_new, title="New samples")
plt.show()
