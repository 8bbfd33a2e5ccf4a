"""The implementation of `scripts/numerics.py` and `scripts/tables.py`."""
