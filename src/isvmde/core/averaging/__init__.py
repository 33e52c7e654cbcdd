"""i-SVM-LOO: many machines per pair, weighed and calibrated by rows left out."""
