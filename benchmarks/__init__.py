"""Speed beside scikit-learn, and whether what is reported is true."""
