"""# Quick start

Six kinds of glass, told apart by their chemistry: 76 samples of the commonest kind, 9
of the rarest. A plain SVM learns the large classes; `ISVMDEClassifier` searches costs,
margins and a kernel for every pair of classes, so that the rare ones count as much.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from isvmde import ISVMDEClassifier
from isvmde.datasets import PaperKFold, load_dataset, make_preprocessor
from isvmde.metrics import imbalance_report
from isvmde.plots import ConfusionDisplay, RecallDisplay

glass = load_dataset("glass")

# %%
# A pipeline scales the columns and trains the classifier. `search="pairwise"` takes
# seconds; the small budget here (`pop_size`, `max_iter`) takes less than one.
models = {
    "SVC": SVC(C=10),
    "balanced SVC": SVC(C=10, class_weight="balanced"),
    "i-SVM-DE": ISVMDEClassifier(
        search="pairwise", pop_size=15, max_iter=20, random_state=0
    ),
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
# The report says what each class gets. Accuracy alone would hide the small ones.
for name, predicted in predictions.items():
    scores = imbalance_report(glass.target, predicted).scores
    print(name, scores.round(3).to_dict())
print(imbalance_report(glass.target, predictions["i-SVM-DE"]))

# %%
# The same as pictures: recall of each class, the rarest on top, and what is taken for
# what.
RecallDisplay.from_predictions(glass.target, predictions, title="glass")
ConfusionDisplay.from_predictions(
    glass.target, predictions["i-SVM-DE"], title="i-SVM-DE on glass"
)
plt.show()
