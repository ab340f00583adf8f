"""Parallel loops: their tasks as functions that any thread may call, and the call that runs them all.

    define internal void @k3_exp.task(ptr %env, i64 %task, ptr %scratch, ptr %context)
    ...
    %env = [the addresses that a task works on]
    %status = call i64 @mlirad_rt_parallel(ptr %context, ptr @k3_exp.task, ptr %env, i64 16, ptr null, i64 0)

Shapes alone decide how many tasks a loop is cut into, and what each of them does; for extents with sizes in
them this is computed when the program runs. So the code knows nothing of the number of threads, and no result
depends on it. A task writes what no other task reads or writes; where it works in scratch memory, each thread
has its own.

Tasks of a kernel are calls of its function with the number of the task, tasks of a loop over kernels are its
iterations, a block in each.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlirad.dialects.extents import at_most, is_static, nominal
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.llvm.text import IRBuilder, ModuleText, Operand, Parameter, Value
from mlirad.lower.native_program import PARALLEL


@dataclass(frozen=True)
class Tasks:
    """The iterations of a loop, in blocks of `block`: each is a task, and the last one may have fewer."""

    iterations: int
    block: int

    @staticmethod
    def of(iterations: int, block: int) -> Tasks | None:
        """The tasks of a loop; None where it is one, or may have no iterations."""
        if at_most(iterations, block) or not at_most(1, iterations):
            return None
        return Tasks(iterations, block)

    @property
    def are_known(self) -> bool:
        """Return whether their number is: no sizes are in it."""
        return is_static(self.iterations) and is_static(self.block)

    @property
    def nominal(self) -> int:
        """Their number, at the size that costs are estimated for."""
        return -(-nominal(self.iterations) // nominal(self.block))

    def count(self, f: IRBuilder) -> Operand:
        """Their number in a call."""
        if self.are_known:
            return -(-self.iterations // self.block)
        return f.sdiv(f.value(self.iterations + self.block - 1, "i64"), self.block)


@dataclass(frozen=True)
class TaskText:
    """The function of a task being written: the addresses that it was given, its number, its memory."""

    f: IRBuilder
    addresses: Sequence[Value]
    number: Value
    scratch: Value


def begin_task(module: ModuleText, name: str, addresses: int) -> TaskText:
    """Begin the function of a task that takes a given number of addresses."""
    parameters = [Parameter("env", "ptr", 1, "noalias readonly"), Parameter("task", "i64")]
    parameters.append(Parameter("scratch", "ptr"))
    f = module.function(f"{name}.task", parameters, attributes="noinline nounwind")
    env, number, scratch = f.arguments
    f.own(env)
    given = [f.load(f.gep(env, k, "ptr"), "ptr") for k in range(addresses)]
    # The function is called with the record of the call whether it needs it or not.
    assert f.context.kind == "ptr"
    return TaskText(f, given, number, scratch)


def call_tasks(
    f: IRBuilder,
    task: str,
    addresses: Sequence[Value],
    tasks: Operand,
    scratch: tuple[Value, int] | None = None,
) -> None:
    """Have threads call the function `task` of all tasks on these addresses; `scratch` is memory for one
    thread, and its bytes.
    """
    env = f.alloca("ptr", max(1, len(addresses)), 8)
    for k, address in enumerate(addresses):
        f.store(address, f.gep(env, k, "ptr"))
    own, size = (Value("null", "ptr"), 0) if scratch is None else scratch
    f.module.external(PARALLEL, "i64", ["ptr", "ptr", "ptr", "i64", "ptr", "i64"], "nounwind")
    operands = [f.context, Value(f"@{task}", "ptr"), env, f.value(tasks, "i64"), own]
    status = f.call(PARALLEL, [*operands, f.value(size, "i64")], "i64")
    assert status is not None
    f.work = 0
    f.stop_if(f.icmp("ne", status, 0))
