"""Does ISVMClassifierCV keep its word? Tables that know the truth, and a verdict.

``python -m benchmarks.honesty`` fits the classifier with its defaults on tables whose
generator is known, and compares what it reports with what fresh rows say. Every table
is seeded. Develop with ``--quick``: it draws other tables than a whole run, which is
for judging alone.
"""
