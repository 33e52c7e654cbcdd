"""# Quick start

Six kinds of glass, told apart by their chemistry: 76 samples of the commonest kind, 9
of the rarest. An SVM that minimises errors learns the large classes;
`ISVMClassifierCV` gives the rare ones the same weight, and has nothing to tune.
"""

import matplotlib.pyplot as plt
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from isvmde import ISVMClassifierCV
from isvmde.datasets import load_dataset, make_preprocessor
from isvmde.metrics import imbalance_report
from isvmde.model_selection import PaperKFold
from isvmde.plots import ExplanationDisplay, RecallDisplay

glass = load_dataset("glass")

# %%
# A pipeline scales the columns and trains the classifier. All models see the same five
# folds, and every sample is predicted by a model that has not learned from it.
models = {
    "SVC": SVC(C=10),
    "balanced SVC": SVC(C=10, class_weight="balanced"),
    "forest": RandomForestClassifier(class_weight="balanced_subsample", random_state=0),
    "ISVMClassifierCV": ISVMClassifierCV(random_state=0),
}
folds = PaperKFold(5, random_state=0)
predictions = {
    name: cross_val_predict(
        make_pipeline(make_preprocessor(glass), model),
        glass.data,
        glass.target,
        cv=folds,
    )
    for name, model in models.items()
}

# %%
# Three scores that count classes instead of samples; [metrics](../metrics.md) explains
# them.
for name, predicted in predictions.items():
    g_mean, av_f, cba = imbalance_report(glass.target, predicted).scores
    print(f"{name:16}  G-mean {g_mean:.3f}  AvF {av_f:.3f}  CBA {cba:.3f}")

# %%
# The recall of each class, the rarest on top, and what is taken for what.
RecallDisplay.from_predictions(glass.target, predictions, title="glass")
figure, ax = plt.subplots(layout="constrained")
ConfusionMatrixDisplay.from_predictions(
    glass.target,
    predictions["ISVMClassifierCV"],
    normalize="true",
    values_format=".0%",
    cmap="Blues",
    colorbar=False,
    ax=ax,
)
ax.set_title("ISVMClassifierCV on glass, shares of the true class", loc="left")

# %%
# The model itself knows how it would have judged its training samples without them, so
# this report needs no folds and no test set.
model = make_pipeline(make_preprocessor(glass), models["ISVMClassifierCV"])
model.fit(glass.data.iloc[:-1], glass.target[:-1])
print(model[-1].loo_report())

# %%
# And it can say why. The last sample was left out above; these are the classes it might
# belong to, and the training samples that speak for and against the first of them.
ExplanationDisplay.from_estimator(model, glass.data, row=-1)
plt.show()
