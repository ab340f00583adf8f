"""Arguments and results of NumPy's functions, and which function traces which.

Arguments are bound to NumPy's own signature (`binding.py`) and read by the annotations of the tracing
function (`parameters.py`), so that function sees only arguments of the kinds it names. An option without a
parameter is refused, unless it has its default value or is listed in `MAKES_NO_DIFFERENCE`. `out` is taken
from the arguments before the call, and written after it. `alternatives.py` says what to write instead of a
function that cannot be traced; `tests/frontend/test_alternatives.py` runs these hints and compares them with
NumPy.
"""
