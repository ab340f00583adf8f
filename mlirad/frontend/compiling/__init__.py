"""Compiled functions: signature, cache, call, lowered program, statistics.

- A `Transformed` (`transformed.py`) is the callable; its `FunctionCompiler` (`function_compiler.py`) traces
  and compiles; `shown.py` writes it as text and for notebooks.
- A `Cache` (`programs.py`) holds programs by signature and by what the function reads from outside
  (`frontend/tracing/captures.py`). `escapes.py` searches for traced values that outlived their trace.
- The second call with a signature makes its specialised call path (`quick_calls.py`): machine code for arrays
  and scalars (`jit/entry.py`), behind Python code for the pytree and the names of the arguments where there
  are any. Arguments that one path does not recognise go to the path of another signature, then to the cache.
- Arrays given as `out` are written by machine code if they overlap nothing, else by `outs.py` after the call.
  For donated arguments, `lower/kernels/plan_memory/updates.py` says which results take their memory, as it
  does for calls inside the program (`NativeProgram.updates`: one buffer for both); other results are copied
  there.
- Another process needs only a `MachineProgram` (`jit/machine_program.py`): object code that resolves the
  functions it calls by name on loading, and a `ProgramInterface` (`lower/native_program.py`). Nothing else
  passes from the compiler to the call. `kept_or_made` (`stored_programs.py`) asks the disk for it before
  passes change the module; everything that Python functions compile to goes through it. A hit imports neither
  passes nor lowering.
- Before it traces, a `Transformed` asks whether another process did (`recall.py`). The key of a trace holds
  all that decides it, in bytes (`frontend/tracing/portable_keys.py`), and leads to the key of the program and
  the pytree of the results (`structure_data.py`). Changes between processes that must not be missed are in
  `tests/generators/changed_programs.py`.
- No code on the path to a program on disk imports xDSL, the tracer or the compiler: that holds for
  `Transformed` and the imports at the top of its files. Imports in functions reach the rest. Questions that
  every call asks about traces are in `tracing/open_traces.py`; the first trace imports
  `frontend/interface.py`, which completes arrays (`complete`).
- A function of dynamic dimensions is kept twice: traced and expanded, by the types with sizes
  (`all_sizes.py`), and compiled, by the types of the call. It is lowered once for sizes from 256 on and once
  for those from 2 to 255 (`sized_programs.py`; `Options.large`, `Options.small`, `compile_large`).
  `ProgramInterface.bound` fills in the numbers that a call needs; `jit/sized.py` calls one loaded code at
  each size.
- Where records run out of rows (`NO_ROOM`), `roomy.py` compiles the program with more (`Options.rooms`) and
  calls it again.
- A pickle holds names, not programs: a `Transformed` remembers the public function that made it
  (`pickling.py`), a map its code as text (`frontend/linear_map/linearized.py`).
- Functions that make programs are `@compiling`, under a `CompileLock` where threads could make the same one.
  A child process finds these locks free (`jit/forking.py`); any other lock would stay locked in it.

**Interrupts.** State that is changed temporarily is restored in the `finally` of a plain function, by
statements between which Python runs no signal handler: assignments, `del` of an item, one call in C at the
end (`recursion.py`, `float_modes.py`, `compiling`, `in_trace`). Hence `deep_recursion` and its like are
decorators: the exit of a `with` block is a Python function, which an interrupt can end before it begins.
Context variables are set in a copy of the context, or reset there. State of a trace hangs on the list of its
frames, so an interrupt drops both. A call takes no lock of a library that Python functions take, such as that
of `logging`. LLVM's objects note that they are freed before they are (`jit/llvm_binding.py`).
`tests/invariants.py` lists what must be restored; `tests/robustness/test_interrupts.py` raises wherever
handlers run.

The test suite and the benchmarks run with `MLIRAD_CACHE=off`, as cached programs would hide what compiling
shows; tests of the cache have a folder each.
"""
