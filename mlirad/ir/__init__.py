"""Building, reading and verifying programs.

`ArrayBuilder` (`arrays.py`) is the only way for passes to make ops.

- `b.insert(OpClass, operands, result_types, properties, regions)` makes an op without folding, or returns an
  equal op that is visible here: values are shared, and common subexpressions never arise.
- `b.add`, `b.mul`, `b.unary(ew.ExpOp, x)`, `b.select`, `b.compare("lt", x, y)`, `b.broadcast`, `b.sum`,
  `b.gather(x, extents, lambda i, j: (e0, e1))`, `b.scatter(x, arguments, extents, positions)`,
  `b.build(extents, body)`, `b.dot` and others fold as they build. `b.index_region(extents, body)` and
  `b.region(types, body)` make regions; ops emitted while `body` runs go into the region.
- `b.scan(init, xs, length, body)`, `b.while_(init, condition, body)`, `b.replay(tape, init, body)`, `b.if_(p,
  then, otherwise)` and `b.switch(index, branches)` make loops and branches from Python functions. Their
  results need not be results of such an op: loops of one iteration, known branches and invariant parts fold
  away. `b.scan_like(op, init, xs, body)` copies the iterations, the order and the checkpoint of another loop.
- Ops may have any number of regions and results. Arguments of regions have any types; `extents_of(op)` says
  how many leading ones are indices, and `b.region_over` declares their intervals.
- A `while` with `record = k` has its tape as its last result, which only `array.replay` may read.
- `b.rebuild(op, env)` emits an existing op again, through the folding constructors, on the values that `env`
  maps its operands and captures to; `b.rebuild_unfolded(op, env)` emits it unchanged. `b.inline_region` and
  `b.clone_region` do so for regions, `b.inline_block` for a function body (that is inlining).
- `b.location` and `b.name_hint` are state, set once per source op by the code that drives the builder.
- `b.ranges` knows intervals of integers, and which floats are provably finite. `Pieces`
  (`piecewise_affine.py`) reads integers and conditions as piecewise affine functions of one index, and
  `AffineForms` (`affine.py`) integers as affine functions of several.
- `new_function(name, types, body)` and `rebuild_function(function, visit)` make functions; `visit(b, op,
  env)` handles one source op and must enter its results in `env`.
- `free_values(op)` is everything that an op reads, captures included. Passes use it in place of `op.operands`
  to ask what an op depends on.
- `eliminate_dead_code` also drops unused results of loops and branches (`dead_results.py`) by replacing the
  op: hold no results across it.
- `functions_of(module)` and `functions_by_name(module)` list functions. `CallGraph` (`call_graph.py`) knows
  callees, everything reachable, recursion, and callees before callers.
- `functions.py` has the folding constructors of the `function` dialect (`b.lambda_`, `b.apply`, `b.partial`,
  `b.tuple_`, `b.get`, `b.alternative`, `b.case`). They inline second-order lambdas while there is `b.room`; a
  first-order lambda is inlined if it has exactly one use.
- Conversions from other dialects emit through a `CheckedBuilder` (`checked_builder.py`), so that the error
  names an op that contradicts itself.

A new op gets a folding constructor in `elementwise.py`, `structural.py`, `indexing.py`, `ordering.py`,
`factorisations.py`, `transforms.py` or `arrays.py`.
"""
