"""SciPy's sparse matrices in traced functions: the places of entries are known, the values may be traced.

    a = sp.csr_array((values, indices, indptr))       of a class derived from SciPy's
    (a.T @ a + mu * sp.eye_array(n))[:5].sum()        arithmetic on the entries alone
    x = spsolve(a, b)                                 SuperLU's factors, made once, also for derivatives

Nothing dense is formed. `objects.py` has the classes, `methods.py` their methods; `answers.py` says how calls
of SciPy reach them.
"""
