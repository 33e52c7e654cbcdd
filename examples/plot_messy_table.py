"""# A messy table, from the file to the reasons

A hospital's csv as it comes: semicolons, decimal commas, another encoding, an id, a
date, free text, gaps, and four classes of which one has 4 rows in 210. (The patients
are made up.) It is read, judged column by column, learned from, and a prediction is
explained.
"""

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.pipeline import make_pipeline

from isvmde import ISVMClassifierCV
from isvmde.plots import ExplanationDisplay, RecallDisplay
from isvmde.tables import TablePreprocessor, read_table, split_target

data = Path("docs/data")  # in the folder of the source code
table = read_table(data / "patients.csv")
print(table.attrs["read_as"])
print(table.iloc[:3, :8].to_string())

# %%
# `split_target` takes the classes out and loses none; what it leaves out, it says. So
# does the preprocessor, when text stands where numbers should be.
with warnings.catch_warnings(record=True) as remarks:
    warnings.simplefilter("always")
    patients, diagnosis = split_target(table, "diagnosis")
    model = make_pipeline(TablePreprocessor(), ISVMClassifierCV(random_state=0))
    model.fit(patients, diagnosis)
for remark in remarks:
    print("-", remark.message)

# %%
# What became of every column. Ids, free text and what never changes are left out; name
# a column in `nominal=`, `numeric=` or `features=` to have it your way.
print(model[0].columns_.to_string())

# %%
# Numbers and dates lie in [0, 1], gaps are filled. Elastography is done where disease
# is suspected, so whether it was done is a feature of its own.
print(*model[0].get_feature_names_out(), sep=", ")

# %%
# What to expect of it on patients it has not seen, from leave-one-out:
report = model[-1].loo_report()
print(report)
RecallDisplay.from_report(report, title="patients, leave-one-out")

# %%
# New patients, with a ward that training did not have. Gaps are no obstacle.
new = read_table(data / "new.csv")
print(*model[0].remarks(new), sep="\n")
print(new[["patient_id", "ALT", "elastography"]].assign(says=model.predict(new)))

# %%
# Why is the third one ill? The probability of every class, and the training patients
# that speak for the prediction and against it.
ExplanationDisplay.from_estimator(model, new, row=2)
plt.show()
