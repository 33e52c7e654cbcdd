"""The search of an i-SVM-DE: genes, what they are worth, and how they evolve."""
