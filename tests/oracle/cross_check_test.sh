#!/bin/sh
# The oracle against NumPy and exact rational arithmetic.
exec "$PYTHON" tests/oracle/cross_check.py "$BUILD/tests/oracle/oracle_tool"
