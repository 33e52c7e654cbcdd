"""i-SVM-LOO: many machines per pair, weighed and calibrated by leave-one-out.

1. `settings`: one set of kernels and costs for all pairs;
2. `solving`: every pair solved at every setting, with leave-one-out decisions;
3. `weighing`: leave-one-out errors, shrunk towards the other pairs', become weights;
4. `calibration`: leave-one-out decisions become probabilities and margins;
5. `priors`: which class probabilities the prediction assumes;
6. `machines`: the trained machines that carry weight, and their decisions.

Large tables: `members` trains settings on samples, `sampling` makes one model of them.
"""
