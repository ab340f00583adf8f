"""SciPy's sparse matrices in traced functions: the positions of entries are known, the values may be traced.

    a = sp.csr_array((values, indices, indptr))       of a class derived from SciPy's
    (a.T @ a + mu * sp.eye_array(n))[:5].sum()        arithmetic on the entries alone
    x = spsolve(a, b)                                 SuperLU's factors, made once, also for derivatives

Nothing dense is formed. Where SciPy moves the entries of a matrix, it moves numbers that stand for their
values (`numbering.py`), and the traced values follow the numbers.

- `answers.py`: which functions and methods of SciPy ask, and what answers them.
- `objects.py`, `methods.py`: classes derived from SciPy's with traced `data`, and their methods.
- `entries.py`, `arithmetic.py`: sums and products of rows, columns and values; the same of matrices, in
  SciPy's formats.
- `construction.py`: `csr_array`, `coo_array` and their kind; diagonals, blocks, Kronecker products.
- `systems.py`, `factors.py`: solutions with derivatives; SuperLU's factors on the host, cached by the matrix.
- `direct.py`, `iterative.py`, `operators.py`: `spsolve`, `splu`; `cg`, `gmres`, `bicgstab`; `LinearOperator`.
"""
