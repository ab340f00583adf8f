"""Array code to native programs, in packages that processors share and one for each processor.

    array code -> kernels -> schedule, memory plan -> LLVM IR text

Packages, and what each may import of the others and of the files beside them:

- `llvm`: writes LLVM IR text (`IRBuilder`), elementary functions and the processor's floating-point mode;
  knows nothing of kernels. Imports `large_sizes`, `native_program`.
- `kernels`: makes, fuses and plans kernels, as every processor has them. Imports `large_sizes`,
  `native_program`, `machine`.
- `bodies`: writes the code of one iteration of a kernel, for any number of lanes. Imports `large_sizes`,
  `native_program`, `machine`, `llvm`, `kernels`.
- `cpu`: decides how kernels run on a CPU, and prints them. Imports `large_sizes`, `native_program`,
  `machine`, `llvm`, `kernels`, `bodies`.

`machine.py` is the cost model: ops, bytes of each cache, loops, calls. `large_sizes.py` says what holds for
all sizes of a program. `native_program.py` is what lowering passes to `jit`.

**Order of passes** (`pipelines.py`): `join-contractions`, `assign-fft-layouts`, `form-kernels`,
`fuse-kernels`, `unroll-rows`, `strip-mine`, `form-recurrences`, `split-reductions`, `schedule-kernels`,
`eliminate-dead-elements`, `plan-memory`, `complete-schedules`, then `cpu/emit`. None takes a build, a linear
map, or an op of `dialects/array/custom.py` or `dialects/function/`. A module that already holds kernels goes
through `completion` alone: functions without kernels are lowered, unscheduled ones scheduled, and all are
planned unless all have a plan, which is verified.

**Moves.** A pass between `form-kernels` and `plan-memory` is a move from one program of kernels to another.
It says where the move is legal, weighs it by `machine.py`, and states what it weighed (`considered`,
`kernels/moves.py`). Each can be left out, or told to do all it can whatever the cost;
`tests/acceptance/test_moves.py` draws these for random programs. A move may change results by the order of
additions only.

**Loops, branches and calls** stay the ops that they are; their regions hold kernels, and all passes work
block by block. Region arguments are buffers, scalars too. Each yielded value is the result of a kernel of its
own in the region, which writes it to its destination. Code that does not depend on the iteration stands
before the loop, and so do packs of captured arrays. Rules that accumulate into a carry must be its last
reader, and may read it only where they write, or before they write one element. Code that reads more of a
carry is stored before the update by `form-kernels`.

**Safety.** Statements of a kernel in a file are trusted for speed, never for safety.
`kernels/plan_verification.py` checks any plan, independently of its planner; `compile_module` takes a plan
from text only after that. Attributes that state plans, and the rules for each alone, are in
`dialects/kernel/plans.py`. With `checked`, `IRBuilder` compares every address of a kernel with its buffers
(`llvm/text/checking.py`), as in all code that the tools emit from kernel text. `jit/guarded.py` runs a
program twice, with memory filled with NaN and with zeros, between guard bytes, and compares: the test of
every kernel. `tests/acceptance/hostile_kernels.py` changes every attribute of every op.

A new pass goes to `kernels` if its decisions hold for every processor, and to `cpu` if they weigh costs of
vectors, caches or threads. A processor that LLVM knows needs its name or features and vector width
(`jit/target.py`), costs (`machine.py`, `cpu/schedule_kernels/tiles.py`) and where masks pay
(`cpu/complete_schedules/nests.py`); vectors of another width need nothing else. Any other machine needs its
own schedules, `cpu/emit` and `jit`, from planned kernels on, chosen by `pipelines.py` and `compiler.py`.
"""
