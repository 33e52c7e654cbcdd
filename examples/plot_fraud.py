"""# Fraud: one payment in two hundred

Twenty thousand payments, half a per cent of them fraudulent. (They are generated here,
with a fixed seed.) Calling every payment regular is 99.5 per cent right, and useless. A
model that looks for fraud finds most of it, and then the question is how many alarms
that is worth.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from isvmde import ISVMClassifierCV
from isvmde.decisions import decide, move_prior
from isvmde.metrics import imbalance_report
from isvmde.plots import ImportanceDisplay, PrecisionRecallDisplay, ThresholdDisplay
from isvmde.tables import TablePreprocessor


def make_payments(n, seed):
    """Return payments and their labels; fraud is abroad, at night, or in a hurry."""
    rng = np.random.default_rng(seed)
    fraud = rng.random(n) < 0.005
    at_night = fraud & (rng.random(n) < 0.6)
    in_a_row = fraud & (rng.random(n) < 0.75)
    abroad = np.where(fraud, 0.6, 0.04)
    channel = np.where(fraud, rng.choice(3, n, p=[0.8, 0.15, 0.05]), rng.choice(3, n))
    payments = pd.DataFrame(
        {
            "amount": np.exp(rng.normal(3.4 + 1.1 * fraud, 1.0)).round(2),
            "hour": (rng.normal(np.where(at_night, 27, 14), 4) % 24).round(1),
            "minutes since last": np.exp(rng.normal(6 - 3.0 * in_a_row, 1.2)).round(),
            "card age in days": np.exp(rng.normal(6 - 0.7 * fraud, 1.0)).round(),
            "country": np.where(rng.random(n) < abroad, "abroad", "home"),
            "channel": np.array(["web", "app", "shop"])[channel],
        }
    )
    return payments, np.where(fraud, "fraud", "regular")


payments, label = make_payments(20_000, seed=0)
later, truth = make_payments(20_000, seed=1)
print(payments.head(3).to_string())
print(pd.Series(label).value_counts().to_dict())

# %%
# Columns of numbers and of text go in as they are. The payments of a later period,
# which the model has not seen, tell how it does:
model = make_pipeline(TablePreprocessor(), ISVMClassifierCV(random_state=0))
model.fit(payments, label)
print(imbalance_report(truth, model.predict(later)))

# %%
# Where both classes count alike, as if half of the payments were fraud, most of it is
# found, among many false alarms. With the frequencies of the training set there are few
# alarms, most of them are right, and much fraud passes. Neither needs another fit, and
# there is everything between the two.
for prior in ("balanced", "training"):
    alarm = decide(model, later, prior=prior) == "fraud"
    hits = (alarm & (truth == "fraud")).sum()
    print(
        f"{prior:9} {alarm.sum():4} alarms, {hits} of {(truth == 'fraud').sum()} found"
    )

# %%
# What is a sensible place between them? If checking an alarm costs 5 and an undetected
# fraud costs 200 on average, an alarm is worth it from a probability of 5 / 200 on.
costs = pd.DataFrame(
    {"fraud": [5, 5], "regular": [200, 0]},
    index=["fraud", "regular"],
)
print(costs)
rules = {
    "least expected cost": decide(model, later, costs=costs, prior="training"),
    "likeliest, training prior": decide(model, later, prior="training"),
    "likeliest, balanced prior": decide(model, later, prior="balanced"),
    "no alarms at all": np.full(len(truth), "regular"),
}
for name, decided in rules.items():
    cells = zip(truth, decided, strict=True)
    paid = sum(costs.loc[true, decision] for true, decision in cells)
    print(f"{name:26} {(decided == 'fraud').sum():5} alarms, costs {paid:6,}")

# %%
# Both errors over all thresholds, and how many of the alarms are right. The axis on the
# left is logarithmic, because false alarms go into the thousands. An undetected fraud
# costs as much as 39 needless checks: 200, less the check that it would have taken.
share = pd.Series(label).value_counts(normalize=True)[model.classes_]
proba = move_prior(model.predict_proba(later), model[-1].prior_, share)
ThresholdDisplay.from_predictions(
    truth,
    proba,
    labels=model.classes_,
    label="fraud",
    cost_ratio=39,
    title="payments",
)
PrecisionRecallDisplay.from_predictions(
    truth, proba, labels=model.classes_, title="payments"
)

# %%
# Which columns give fraud away? Each one is shuffled in turn, on the later payments.
ImportanceDisplay.from_estimator(model, later, truth, title="payments")
plt.show()
