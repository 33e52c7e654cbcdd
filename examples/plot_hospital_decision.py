"""# A hospital's decision, from the file to the alarm list

A clinic has trained a model on its patients. Now it is asked about a season of routine
check-ups: 400 people, nearly all of them healthy. Who should come back for a second
test? That depends on what mistakes cost and on how frequent the diseases are, and both
are stated after training. (The people are made up.)
"""

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from isvmde import ISVMClassifierCV
from isvmde.decisions import CostMatrix, decide, expected_costs, move_prior
from isvmde.plots import PrecisionRecallDisplay, ThresholdDisplay
from isvmde.tables import TablePreprocessor, TableWarning, read_table, split_target

warnings.simplefilter("ignore", TableWarning)  # "a messy table" shows what they say
data = Path("docs/data")  # in the folder of the source code
patients, diagnosis = split_target(read_table(data / "patients.csv"), "diagnosis")
model = make_pipeline(TablePreprocessor(), ISVMClassifierCV(random_state=0))
model.fit(patients, diagnosis)
print(pd.Series(diagnosis).value_counts().to_dict())

# %%
# What does each decision cost in each case, in units of half a second test? A healthy
# person treated for a disease costs 10, cirrhosis that is overlooked costs 100. The
# last column is a decision that is not a diagnosis.
costs = pd.read_csv(data / "costs.csv", index_col=0)
print(costs)

# %%
# More than a quarter of the clinic's patients are ill; at check-ups it is one in 13.
# `decide` moves the probabilities to these frequencies and takes the decision of least
# expected cost.
season = {"healthy": 0.925, "hepatitis": 0.05, "fibrosis": 0.02, "cirrhosis": 0.005}
checkups = read_table(data / "checkups.csv")
decided = decide(model, checkups, costs=costs, prior=season)
print(pd.Series(decided).value_counts().to_dict())

# %%
# The alarm list: everybody who is not sent home, the most urgent first. That is the one
# for whom being sent home would cost most.
matrix = CostMatrix.read(costs, model.classes_)
classifier = model[-1]
proba = move_prior(
    model.predict_proba(checkups),
    classifier.prior_,
    [season[label] for label in model.classes_],
)
home = list(matrix.decisions).index("healthy")
alarms = checkups[["patient_id", "age"]].assign(
    decision=decided,
    ill=(1 - proba[:, list(model.classes_).index("healthy")]).round(2),
    sent_home_costs=expected_costs(proba, matrix)[:, home].round(1),
)
alarms = alarms[decided != "healthy"].sort_values("sent_home_costs", ascending=False)
print(alarms.head(12).to_string(index=False))

# %%
# The diagnoses that were made afterwards are in the file, so the decisions can be
# judged: what they cost per person, beside three simpler rules.
truth = checkups["diagnosis"].to_numpy()
likeliest = model.classes_[proba.argmax(axis=1)]
rules = {
    "least expected cost": decided,
    "likeliest diagnosis": likeliest,
    "everybody is healthy": np.full(len(truth), "healthy"),
    "a second test for everybody": np.full(len(truth), "second test"),
}
for name, decisions in rules.items():
    pairs = zip(truth, decisions, strict=True)
    paid = [costs.loc[true, decision] for true, decision in pairs]
    print(f"{name:28} {np.mean(paid):.2f}")
print(pd.crosstab(truth, decided, rownames=["later found"], colnames=["decided"]))

# %%
# False alarms against missed cases for one class, over all thresholds. The dotted line
# is where a missed case of hepatitis costs as much as ten second tests in vain.
ThresholdDisplay.from_predictions(
    truth,
    proba,
    labels=model.classes_,
    label="hepatitis",
    cost_ratio=10,
    title="check-ups, hepatitis",
)

# %%
# How many of the alarms are right depends on how many patients one wants to find:
PrecisionRecallDisplay.from_predictions(
    truth, proba, labels=model.classes_, title="check-ups"
)
plt.show()
