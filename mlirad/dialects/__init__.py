"""Ops and types of the language: verifiers, shape rules, syntax; no algorithms.

A program is a `builtin.module` of `func.func`s over the `array` dialect (`array/`), with scalars as rank-0
arrays written as their element type, and pure ops. All ops share one base class, which makes them and reads
their operands faster than xDSL's does (`language_op.py`), and one syntax (`syntax.py`).

- Extents are integers, or polynomials in sizes that are known when the program runs (`extents/`). Code for
  static programs meets integers alone. A question about an extent with sizes that needs a number, or an order
  that depends on the number, raises `SizeNeeded`. Use `same`, `at_most` or `divides` where an unknown answer
  is acceptable, `nominal` where only a cost depends on it. `== 0` and `== 1` compare forms, so the
  consequence of "no" must hold for such an extent too.
- Shape rules are in `shapes.py`, conversions of literals in `array/literals.py`, the scalar meaning of every
  elementwise op in `array/scalars.py`, the elements that each combiner is defined on, for `array` and
  `kernel` ops alike, in `COMBINER_ELEMENTS` (`array/reductions.py`).
- Messages of reports are a closed language (`messages.py`), which the verifier checks: filling one in cannot
  fail, and reaches nothing of a value but the value.
- A `!array.frame<name>` is the address of an activation record (`frame_type.py`). It cannot be forged: only
  `array.save` and `array.no_frame` make one, it is not a number, and it stays inside its module; all ops that
  save or restore frames of one name agree on the contents (`ir/verification/references.py`). A function that
  returns no frames frees what was saved in it when it returns. `array.restore` ends the call, with a status,
  where there is nothing to restore.
- `stablehlo/` and `upstream/` declare ops that are read, printed and converted, and are not of the language.
  They stand in a module before a `ConversionPass` that reads them, after one that leaves them, and where no
  pass runs (`ir/foreign.py`); the verifier then checks the ops' own rules, and nothing of types.

**Reports.** `array.report` prints, or notes a failure, for each batch element whose condition holds;
`kernel.report` calls the host for it, and `mlirad/reports.py` raises the failure when the call ends, as it
does an exception in the host (a closed stream). A report is pure: it takes a token and makes one, and traces
pass tokens on like carries and results (`frontend/tracing/tokens.py`). The program's result depends on the
last token, so passes need no rule for effects; bulk operations make one report of all batch elements, with
the path mask in its condition. Tokens are integers without derivatives, and no map reads them, so derivatives
report nothing. A report of kind `call` calls a Python function for its effects. `array.callback` calls one
for its results: it takes no token, as the function is pure, and has a condition per batch element.
`mlirad/callbacks.py` has both by name. Only a trace in this process names a function, so a program from a
file calls nothing, and no trace of a program with calls is written to disk.
"""
