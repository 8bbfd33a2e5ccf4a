"""What `scripts/numerics.py` and `scripts/tables.py` are made of."""
