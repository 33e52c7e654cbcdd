"""Speed, measured against scikit-learn in one run and told as ratios."""
