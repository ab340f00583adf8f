"""The command-line tools: `mlirad-opt`, `mlirad-run`, `mlirad-demo` and `mlirad-cache` (`docs/tools.md`).

- `opt.py` reads MLIR text, runs passes and prints the result; `instrumentation.py` prints the IR around
  passes, their times, and the moves that lowering considered; `expectations.py` implements
  `--verify-diagnostics`, `exporting.py` writes files for a linker.
- `run.py` runs a function of an MLIR file; `arguments.py` reads its arguments, `native.py` compiles it from
  whatever stage the module has reached.
- `demo.py` prints every stage of differentiation, from `stages/`, as MLIR or in the notation of
  `mathematics/`.
- `cache.py` lists, verifies and clears the compiled programs on disk.
- `process.py`, `diagnostics.py`, `limits.py` and `time_limit.py` serve all tools: a text from anywhere gives
  a result, or an error with its location, within limits of time and memory (`tests/robustness/texts`).

Tools verify modules between passes, up to array code, and compare every address in code emitted from kernel
text with its buffer. A new option is documented in `docs/tools.md`, which a test requires.
"""
