"""NumPy's functions in traced programs, behind the interface of the Python array API standard.

    python -m tests.conformance ~/array-api-tests          the consortium's suite, counted by reasons

`namespace` is the module that the suite is given, `array` its arrays.
"""
