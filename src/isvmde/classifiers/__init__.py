"""The classifiers, a file each, and what only they use."""
