"""Fourier transforms as LLVM IR: Stockham's algorithm on planes of real and imaginary parts.

A transform of n = r1 r2 ... numbers takes a pass per factor. Each reads all numbers and writes all of them,
in another order, so that the last one leaves them in theirs. Vectors lie across columns where there are some,
else along the row itself: the passes leave ever longer stretches of neighbours that are treated alike.

    plans.py          into which factors a length is cut, and the roots of unity of each pass
    butterflies.py    a transform of one factor, in registers
    passes.py         the functions that make one pass
    halves.py         the functions between a row of real numbers and its complex transform of half the length
    driver.py         the calls that make up one transform

With exchanged planes the same functions compute the backward transform.

NumPy's loops transform one row after the other, in scalars, and take pairs that lie together, so a second
dimension costs two transpositions, and complex arrays are put together and taken apart. Passes over planes,
with lanes across columns, take a third of the time, along any dimension; threads share them, and they can be
exported. They are some hundred lines for lengths up to 8192 whose factors are small. Longer rows, where NumPy
is as fast, odd rows of real numbers and large primes stay with the library (the loops of NumPy's ufuncs, as
SciPy's pocketfft has no C entry points). The last vector ends with the last element and computes some
elements twice: a remainder would need a second function of every pass, for single elements, and first calls
spend their time on functions.
"""
