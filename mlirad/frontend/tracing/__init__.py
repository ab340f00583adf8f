"""Values while a Python function is traced: `Array`, frames and scopes, source lines, dtypes, captures.

- `Array` (`array.py`) is a traced value: an SSA value and the scope that made it. Using it after the scope
  has closed is a `TracingError`.
- An array that is not a view holds a value that writes replace; a view holds its parent, its base and how it
  is read (`frontend/indexing/views.py`). `x.value` is always the current value, so code that outlives the
  call it serves must keep values, not arrays. Functions that are traced separately get copies
  (`copied_leaves`), which compute nothing.
- A function differentiated inside a trace is traced as a function of its own. Its captures become parameters,
  so every derivative is of a closed function, and derivatives nest.
- NumPy decides dtypes (`dtypes.py`). An op is located at the innermost line outside mlirad, NumPy and SciPy
  (`source.py`).
- `x.shape` has a `Size` where the extent is unknown (`sizes.py`). mlirad compares it by form, as it does
  extents; for everyone else an answer holds for all sizes or is an error. A `SizeNeeded` that leaves a traced
  function becomes a `TracingError` at its line, in `call_for_values` alone.
- Code that cannot be traced raises an error with a hint. A traced array must never become a NumPy array of
  objects.

Captures decide which cached program may be used. A walk finds them, one class of the stack per layer:
`value_walk.py` opens containers and arrays, `library_walk.py` objects of Python's library and of packages,
`attribute_walk.py` modules, classes and objects of the program, `capture_walk.py` functions. It starts from
the names in code (`code_reads.py`), and `captures.py` says by guards (`jit/guards.py`) how to check that what
it found is unchanged. A way for Python to find a value without naming it needs a rule in one of these files
and a look-up with changes in `tests/generators/changed_lookups`, which compares compiled calls with Python's
own, in one process and between processes. Reads that no walk can see (files, the clock, code that nothing
leads to) are noticed during the trace (`outside_reads.py`); such a program is used once and not cached.

Before a trace is repeated, its changes are undone (`undoing.py`), so a kind of guard needs `put_back` if it
can have one. All keys of users' values are `static_key`s. An attribute of a class of mlirad that traces read
is listed in `CAPTURED`. Keys that other processes read are bytes (`portable_keys.py`; names of libraries in
`library_functions.py`, those that may be named in `pure_names.py`). A class whose objects decide traces
declares by `IS_PORTABLE` that its fields, or what `CAPTURED` lists, determine it.

Functions as values are leaves of traced pytrees. `values.py` defines leaves and what is known of them; loops,
branches and functions of the program join them by `HigherType.joined` and `fitted`. A closure without a
signature is an `Untyped`; where it is joined, a placeholder stands for it, and calling that raises `Learned`
(`learning.py`), upon which `settled_trace` (`functions.py`) traces again.

Methods that Python or NumPy call without naming a purpose, such as `__array__` or a truth value, are answered
by the user's expression: `usage_hints.py` reads it, so that a hint fits its line
(`tests/frontend/test_hints.py`). Functions in C cannot ask, so `require_asking` (`told_functions.py`) ends
the trace, the running functions get code that asks (`splicing/call_sites.py`), and the trace begins again in
`settled_trace`. So do functions whose conditions are traced. Silent questions such as `type(x) is float` are
found by reading the code (`silent_questions.py`). Code that compares functions' code takes `own_code`
(`code_reads.py`).

To add a kind of pytree: a container that can be taken apart and put together is a class of `containers.py`,
one of a package a file beside it and an entry of `OF_PACKAGES`; `_parts` and `_made` of
`compiling/quick_calls.py` do the same in specialised calls; a static type is an entry of `statics.py`
(`tests/frontend/test_pytree.py`).
"""
