"""# A medical table with text columns

Lymphography: 148 patients, 15 columns of text and 3 of numbers, and four findings of
which two are very rare: `fibrosis` (4 patients) and `normal` (2). The table goes into a
pipeline as it is; text columns become indicator columns inside it.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.svm import SVC

from isvmde import ISVMDEClassifier
from isvmde.datasets import PaperKFold, load_dataset
from isvmde.plots import RecallDisplay

bunch = load_dataset("lymphography")
patients, finding = bunch.data, bunch.target
print(patients.iloc[:3, [0, 1, 8, 10, 11]])
print(pd.Series(finding).value_counts().to_dict())

# %%
# Numbers are scaled to [0, 1], as the method expects; text is one-hot coded. A category
# that appears only later becomes a row of zeros instead of an error.
preprocess = make_column_transformer(
    (MinMaxScaler(), bunch.numeric),
    (OneHotEncoder(handle_unknown="ignore", sparse_output=False), bunch.nominal),
)
search = ISVMDEClassifier(search="pairwise", pop_size=15, max_iter=20, random_state=0)
models = {
    "balanced SVC": make_pipeline(preprocess, SVC(C=10, class_weight="balanced")),
    "i-SVM-DE": make_pipeline(preprocess, search),
}

# %%
# With two patients in a class, how folds are dealt decides what can be measured:
# `PaperKFold` deals class by class, so each of the two is tested once and the other one
# is in the training set.
folds = PaperKFold(5, random_state=0)
predictions = {
    name: cross_val_predict(model, patients, finding, cv=folds)
    for name, model in models.items()
}
RecallDisplay.from_predictions(finding, predictions, title="lymphography")

# %%
# The fitted pipeline takes new tables by column name, gives probabilities, and tells
# what it chose for each pair of findings.
model = models["i-SVM-DE"].fit(patients, finding)
rare = np.flatnonzero(finding == "fibrosis")
print(
    pd.DataFrame(
        model.predict_proba(patients.iloc[rare]), columns=model.classes_
    ).round(2)
)
for pair, chosen in model[-1].pair_params_.items():
    print(pair, chosen["kernel"], f"C+ {chosen['C_pos']:.2f} C- {chosen['C_neg']:.2f}")
plt.show()
