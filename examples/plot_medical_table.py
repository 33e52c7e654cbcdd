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

from isvmde import ISVMClassifierCV
from isvmde.datasets import load_dataset
from isvmde.model_selection import PaperKFold
from isvmde.plots import ModelWeightsDisplay, RecallDisplay

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
models = {
    "balanced SVC": make_pipeline(preprocess, SVC(C=10, class_weight="balanced")),
    "ISVMClassifierCV": make_pipeline(preprocess, ISVMClassifierCV(random_state=0)),
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
# The fitted pipeline takes new tables by column name and gives probabilities. With
# `prior=` they can be moved to the frequencies of another clinic.
model = models["ISVMClassifierCV"].fit(patients, finding)
rare = np.flatnonzero(finding == "fibrosis")
print(
    pd.DataFrame(
        model.predict_proba(patients.iloc[rare]), columns=model.classes_
    ).round(2)
)

# %%
# What carries it: for every pair of findings the weight of each kernel and of what it
# sees, and the two margins.
ModelWeightsDisplay.from_estimator(model, title="lymphography")
plt.show()
