"""The Python side: tracing, NumPy's protocols, and the transformations that users call.

Users call `transformations.py`, whose types for checkers and editors are in `signatures.py`, and the
functions that packages define; `interface.py` gathers all public names. Transformations alone can be imported
without the tracer. A class method that needs packages above its own is bound in `bound_methods.py`:
operators, protocols and methods of `Array` (`array_methods.py` and `operators.py` in
`numpy_functions/protocols`), and conversions of `LinearMap` to matrices and operators. The files beside the
packages may import all of them.

Packages, and what each may import of the others:

- `splicing`: inserts instructions into Python code objects that only tracing threads run. Imports none.
- `tracing`: `Array` and the function it is traced in; source lines, dtypes, pytrees, tokens, captures.
  Imports `splicing`.
- `rewriting`: turns the source of a Python function into a function whose control flow is calls. Imports
  `tracing`.
- `indexing`: selects `x[key]`, knows which results are views, computes `x` with elements updated. Imports
  `tracing`.
- `compiling`: compiles a traced module, caches the program by signature, calls it; options and settings of
  the process. Imports `tracing`.
- `constructs`: has what NumPy has no word for: builds, batches, loops, branches, functions of the program,
  functions as values, sum types, prints. Imports `tracing`, `compiling`.
- `numpy_functions`: implements NumPy's protocols: functions, ufuncs, operators, methods, writes. Imports
  `splicing`, `tracing`, `indexing`, `constructs`.
- `complex_numbers`: NumPy on complex arrays, which are pairs of traced ones. Imports `tracing`, `indexing`,
  `numpy_functions`.
- `control_flow`: implements the calls that `rewriting` inserts, as Python's control flow or as branches and
  loops of the program. Imports `tracing`, `indexing`, `rewriting`, `constructs`, `numpy_functions`.
- `linear_map`: `ad.LinearMap`: expressions, their arrays, spaces, and programs of them. Imports `tracing`,
  `compiling`, `constructs`.
- `differentiation`: derivatives in a trace and of compiled functions, custom ones, checks of them. Imports
  `tracing`, `compiling`, `constructs`, `linear_map`.
- `sparse`: sparse Jacobians and Hessians, and matrices of maps. Imports `tracing`, `compiling`, `linear_map`,
  `differentiation`.
- `solvers`: solves equations by iterations in the language of users; derivatives are implicit. Imports
  `tracing`, `compiling`, `constructs`, `linear_map`, `differentiation`.
- `sparse_matrices`: SciPy's sparse matrices, of known or traced values, and its solvers for them. Imports
  `splicing`, `tracing`, `constructs`, `solvers`.

To add a transformation:

- write it as a function of f and its traced arguments that emits ops, in `differentiation` or `constructs`;
- add the public function to `transformations.py`: it makes a `Transformed` with a key that tells it from all
  others (`tests/frontend/test_transformations.py`, `tests/acceptance/test_composition.py`);
- check arguments that are not arrays by `tracing/argument_kinds.py` (`CALLS` in
  `tests/frontend/test_wrong_kinds.py`);
- export its name here and in `mlirad/__init__.py`; in the latter alone, under `_ELSEWHERE`, if few programs
  use it (`tests/test_imports.py`);
- if it has a class of its own, list the attributes that a trace reads in its `CAPTURED`
  (`tests/frontend/test_captures.py`);
- document it: a section under its signature in a page of `docs/python/`, a row of the table in `README.md`.

A transformation emits ops that exist. It nests without further work, as its result is an ordinary program.
"""

from __future__ import annotations

from mlirad.frontend.tracing.open_traces import bind_completing
from mlirad.packages import load

bind_completing(lambda: load("mlirad.frontend.interface"))
