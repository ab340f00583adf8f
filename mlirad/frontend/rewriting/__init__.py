"""Python functions with control flow as calls, from their source.

This package goes from source to code and knows nothing of traced values; `control_flow` defines the calls.
`source.py` finds the definition in the parsed file, `jumps.py` turns `break`, `continue` and `return` into
flags, `liveness.py` says which variables are read later, `assigned.py` where one may have no value yet (such
reads call `bound`), `facts.py` which ones each statement changes, `statements.py` and `expressions.py`
replace statements and operators by calls, `functions.py` compiles. Parts of a statement become functions that
share the variables of their function (`nonlocal`), so on plain values the code runs as before.

- The source must be that of the function: `changed_source.py` compiles it and compares the code.
- Only code is new. Globals, cells and defaults are those of the original function, in which captures are
  found.
- A `Transformed` with `control="rewrite"` rewrites whenever it traces (`compiling/options.py`); each code
  object is rewritten once.
- With `control="auto"` a plain trace comes first. `tracing/control.py` notes where it needs elements of
  traced values; `settled_trace` then repeats it with `Control.is_rewriting`, under which `as_traced` rewrites
  functions wherever mlirad calls one. `tracing/control_warnings.py` has the sentences.
- Rewritten code rewrites its callees. Functions entered otherwise, such as properties, are found on the stack
  where the trace is blocked (`tracing/entered.py`): from then on they ask, in tracing threads, for their
  rewritten code. Generators and code without source are told to rewrite their callees; a generator that is
  blocked even so becomes a function that returns the list of what it yields (`generators.py`).
"""
