"""Passes: rewrites from IR to IR, a file or package each. `pipelines.py` has their order.

A pass is a function from function to function (`function_pass.py`). It rebuilds functions and replaces them
in the module. It returns a function that does not concern it unchanged: most passes have nothing to do in
most programs, and rebuilding is where compile time goes. An op that a pass does not take is an
`UnsupportedError` at the op; any other exception is reported as a `CompileError`, a defect of mlirad.

In the order in which a program meets them, roughly:

- `convert_stablehlo/`, `convert_to_array/`: StableHLO and upstream dialects to array code;
  `convert_from_array/`: back.
- `canonicalize.py`, `inline.py`, `cse.py`, `dce.py`, `symbol_dce.py`: the same program, smaller;
  `mark_no_inline.py` decides and marks calls that are not inlined.
- `eliminate_functions/`: closures, tuples and sums become arrays, branches and calls; `tail_calls.py`,
  `record_walks.py`, `records_to_rows.py` follow.
- `reroll_loops/`: code unrolled by the trace becomes loops.
- `bulk_operations/`, `builds_to_loops.py`: builds become operations on whole arrays, or loops.
- `slice_gathers.py`, `padded_gathers.py`: gathers at regular indices become slices; those from padded arrays
  read no padding.
- `complex_to_real_ffts.py`: FFTs whose imaginary output is unused become real-output FFTs.
- `raise_contractions.py`: sums of products become contractions.
- `smooth_identities/`, `expand_ties/`, `spectral_functions/`, `stop_shift_gradients.py`: correct derivatives
  at kinks, ties and equal eigenvalues, and none for maxima that shift exponents and cancel; `code_jets.py`:
  code as a polynomial of degree 2 in one of its values, by Taylor mode, for the first two;
  `lower_deviations.py`: deviations, which are 0, and their products vanish.
- `taylor/`: jets; the pass `taylor` is for MLIR text.
- `expand_inner_derivatives.py`: expands derivatives inside functions that a specification differentiates, by
  a pipeline that `pipelines.py` supplies (`ir/inner_pipelines.py`).
- `differentiate.py`: for MLIR text: adds `@f_grad`, with the ops that tracing `ad.grad(f)` puts into `@main`.
- `linearize.py`, `callees.py`: an operator becomes the code of its callee and a map, by one of the methods:
  `dual_arrays/` (D, a tangent map for every value), `jacobian/` (∇, on the same constructs), `chad/`.
  `sweep/` is CHAD as a framework, for any commutative monoid.
- `maps_to_closures/`: linear maps as values to closures; `curry/`: the differentiable curry.
- `simplify_maps.py`, `expand_lambdas.py`, `split_map.py`, `defunctionalise_maps.py`: map expressions become
  other ones, or residuals and a function.
- `apply_linear_maps/`: maps on vectors become array code.
- `tangents/`, `outline_derivatives/`: functions that stay calls get functions that push tangents and pull
  cotangents.
- `check_absorbed/`: reports where a computed zero absorbs an infinite derivative.
- `lower_custom_derivatives.py`, `lower_remaining_builds.py`, `fuse_loops.py`, `stacks_to_undo_logs.py`,
  `expand_solves.py`, `expand_formulas.py`, `cse_sorts.py`, `sink_scatter_adds.py`, `lower_checkpoints.py`:
  the last steps to array code.
- `instantiate_sizes.py`: numbers replace the sizes of dynamic dimensions, last before lowering.
- `shard_rows/`: array code with a size becomes programs for chunks of its rows.

To add a pass:

- write a frozen dataclass derived from `FunctionPass` or `ModulePass`; its fields are options, its docstring
  is what `--list-passes` prints;
- put the work in a function `FuncOp -> FuncOp` that other passes can call: `rebuild_function` makes the
  result, `free_values` says what an op reads;
- name it in `registry.py`, place it in `pipelines.py` if it runs by default (`tests/test_doors.py`), list the
  ops that are gone after it in `PROMISES` of `stages.py` (`tests/test_stages.py`), describe it in
  `docs/tools.md`;
- test that random programs keep their meaning and that its promises hold (`tests/passes/`), with IR before
  and after in a file of its name in `lit/passes/`.
"""
