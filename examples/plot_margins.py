"""# What costs and margins do to a boundary

An i-SVM has two costs and two margins. The costs say how much a sample beyond its
margin weighs; they change the boundary's shape. The margins say how far from the
boundary each class is asked to stay; a *smaller* margin lets the boundary come closer
to its class.
"""

import matplotlib.pyplot as plt
import numpy as np

from isvmde import ISVMClassifier

rng = np.random.default_rng(3)
X = np.concatenate([rng.normal(0, 1, (120, 2)), rng.normal([2.0, 1.0], 0.7, (12, 2))])
y = np.repeat(["frequent", "rare"], [120, 12])

# %%
# + is the rarer class of a pair. Solid: the boundary f = 0. Dashed: the two margins,
# f = `margin_pos` on the rare side and f = -`margin_neg` on the frequent one.
settings = {
    "equal": {},
    "the rare class costs 10 times more": {"C_pos": 10},
    "the rare class has the wider margin": {"margin_neg": 0.2},
    "the rare class has the narrower margin": {"margin_pos": 0.2},
}
xx, yy = np.meshgrid(np.linspace(-3, 4, 200), np.linspace(-3, 3.5, 200))
grid = np.column_stack([xx.ravel(), yy.ravel()])
looks = {"frequent": ("#0072B2", "o"), "rare": ("#D55E00", "s")}
figure, axes = plt.subplots(2, 2, figsize=(10.5, 6.6), layout="constrained")
models = {}
for ax, (title, changes) in zip(axes.flat, settings.items(), strict=True):
    models[title] = ISVMClassifier(C=1, sigma=1.5, **changes).fit(X, y)
    f = models[title].pair_decision_function(grid).reshape(xx.shape)
    ax.contourf(xx, yy, f, [-99, 0, 99], colors=["#B8D6E8", "#F3CFB8"])
    margins = [-changes.get("margin_neg", 1), 0, changes.get("margin_pos", 1)]
    ax.contour(xx, yy, f, margins, colors="0.25", linestyles=["--", "-", "--"])
    recall = {}
    for label, (colour, mark) in looks.items():
        own = X[y == label]
        ax.plot(*own.T, mark, color=colour, markeredgecolor="0.15", label=label)
        recall[label] = float((models[title].predict(own) == label).mean().round(2))
    ax.set_title(title, loc="left")
    print(f"{title}: recall {recall}")
axes[0, 0].legend(loc="lower left")

# %%
# Two margins are less than they seem: an i-SVM is an ordinary cost-sensitive SVM,
# scaled by A = (λ₁ + λ₂)/2 and shifted by c = (λ₁ - λ₂)/2, with its costs divided by A.
# So margins of equal sum only choose among the level lines of one and the same f.
wide = models["the rare class has the wider margin"]
A, c = (1 + 0.2) / 2, (1 - 0.2) / 2
standard = ISVMClassifier(C=1 / A, sigma=1.5).fit(X, y)
difference = wide.pair_decision_function(X) - (
    A * standard.pair_decision_function(X) + c
)
print(f"largest difference: {np.abs(difference).max():.0e}")
plt.show()
