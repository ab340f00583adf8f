"""One kernel, one LLVM function: its parameters, name and attributes, and the call of it.

A parameter stands for a slot of memory: operands and results in the same slot share the pointer. Parameters
are `noalias` unless two of them overlap in the arena.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Final

from xdsl.ir import Operation

from mlirad.dialects.array.structural import SizeOp
from mlirad.dialects.extents import at_most, nominal
from mlirad.dialects.kernel import CumulativeOp, NestOp, RecurrenceOp, ScatterOp
from mlirad.dialects.kernel.schedules import CutLoops
from mlirad.dialects.shapes import Value as Ssa
from mlirad.dialects.shapes import is_array, shape_of
from mlirad.errors import CompileError
from mlirad.ir.locations import location_of, place_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.bodies.access import Access
from mlirad.lower.bodies.assumptions import Assumptions
from mlirad.lower.bodies.body import Body
from mlirad.lower.bodies.buffers import Buffer, MemorySlot
from mlirad.lower.cpu.emit.parallel import Tasks
from mlirad.lower.large_sizes import are_static
from mlirad.lower.llvm.text import BYTES, Bounds, IRBuilder, ModuleText, Parameter, Value
from mlirad.lower.native_program import KernelNote, ReportNote

FAULT_PLACE: Final = MemorySlot("fault", 0)
"""The place of the fault cell of checked programs."""

PROFILE_PLACE: Final = MemorySlot("profile", 0)
"""The place of the times and runs of the kernels of profiled programs."""

SIZES_PLACE: Final = MemorySlot("sizes", 0)
"""The place of the sizes of a call, one int64 for each."""

TINY_WORK: Final = 64
"""Scalar operations up to which a kernel is inlined into the program, however long its text is."""


@dataclass
class ProgramText:
    """The text and the counts that the functions of one program share."""

    module: ModuleText
    address_checks: bool
    is_profiled: bool = False
    sizes: Sequence[str] = ()
    """The names of the sizes that extents may have in them."""
    operations: int = 0
    kernels: list[KernelNote] = field(default_factory=list[KernelNote])
    reports: list[ReportNote] = field(default_factory=list[ReportNote])


@dataclass
class KernelEmitter:
    """The state that the kernels of one function share; `calls` are those to be called next."""

    program: ProgramText
    buffers: dict[Ssa, Buffer]
    iterations: int = 1
    """The number of runs of the code being written, estimated."""
    calls: list[KernelCall] = field(default_factory=list["KernelCall"])
    loop_tasks: int = 0
    """The number of tasks of a loop around the code being written, 0 if none is shared."""

    @contextmanager
    def repeated(self, iterations: int) -> Generator[None]:
        """Write code that runs `iterations` times as often as the code around it."""
        around, self.iterations = self.iterations, self.iterations * iterations
        yield
        self.iterations = around

    @contextmanager
    def shared(self, tasks: Tasks) -> Generator[None]:
        """Write the body of a loop that is cut into tasks."""
        around, self.loop_tasks = self.loop_tasks, tasks.nominal
        yield
        self.loop_tasks = around


@dataclass(frozen=True)
class KernelCall:
    """A call of a kernel: its number, the slots that it is given, its tasks, and the buffers that it reads
    and writes.
    """

    number: int
    places: list[MemorySlot]
    tasks: Tasks | None
    read: tuple[Buffer, ...]
    written: tuple[Buffer, ...]

    def is_independent(self, other: KernelCall) -> bool:
        """Return whether two calls may run at the same time: neither writes what the other reads or
        writes.
        """
        buffers = (*self.read, *self.written, *other.read, *other.written)
        if any(buffer.place.region == "local" for buffer in buffers):
            return False  # its address is known when the program runs
        return not any(
            mine.overlaps(theirs)
            for mines, others in (
                (self.written, (*other.read, *other.written)),
                (self.read, other.written),
            )
            for mine in mines
            for theirs in others
        )


@dataclass
class KernelText:
    """A kernel function being written; of one that is cut into tasks `task` is the number of one."""

    f: IRBuilder
    access: Access
    pointers: dict[MemorySlot, Value]
    task: Value | None = None


def begin_kernel(
    emitter: KernelEmitter,
    op: Operation,
    what: str,
    read: Iterable[Buffer],
    written: Sequence[Buffer],
    work: int,
    tasks: Tasks | None = None,
) -> KernelText:
    """Begin the function of a kernel that reads and writes these buffers, and call it from the program.

    One that is cut into `tasks` is called for each.
    """
    program = emitter.program
    read = tuple(read)
    buffers: dict[MemorySlot, Buffer] = {}
    for buffer in (*written, *read):
        known = buffers.get(buffer.place)
        if known is None or not at_most(buffer.nbytes, known.nbytes):
            buffers[buffer.place] = buffer
    results = {buffer.place for buffer in written}
    outputs = [buffer for place, buffer in buffers.items() if place in results]
    parameters: list[Parameter] = []
    places: list[MemorySlot] = []
    for place, buffer in buffers.items():
        others = buffers.values() if place in results else outputs
        is_shared = any(other.place != place and buffer.overlaps(other) for other in others)
        attributes = [] if is_shared else ["noalias"]
        if place not in results:
            attributes.append("readonly")
        parameters.append(Parameter(f"b{len(places)}", "ptr", 1, " ".join(attributes)))
        places.append(place)
    if program.address_checks:
        parameters.append(Parameter("fault", "ptr"))
        places.append(FAULT_PLACE)
    has_sizes = program.sizes and _has_sizes(op)
    if has_sizes:
        parameters.append(Parameter("sizes", "ptr", 1, "noalias readonly"))
        places.append(SIZES_PLACE)
    if tasks is not None:
        parameters.append(Parameter("task", "i64"))
    number = len(program.kernels)
    task_count = 1 if tasks is None else tasks.nominal
    name = kernel_name(op, number, what)
    nbytes = sum(min(nominal(buffer.nbytes), work * BYTES[buffer.kind]) for buffer in buffers.values())
    element_bytes = BYTES[written[0].kind]
    title = op.results[0].name_hint or what
    program.kernels.append(
        KernelNote(
            name,
            title,
            location_of(op),
            nbytes,
            work,
            element_bytes,
            emitter.iterations,
            task_count,
            emitter.loop_tasks,
        )
    )
    f = program.module.function(name, parameters, attributes=_attributes(program, work))
    f.is_inlined_if_short = not program.is_profiled and work > TINY_WORK
    f.runs = emitter.iterations * task_count
    f.place = location_of(op)
    emitter.calls.append(KernelCall(number, places, tasks, read, tuple(written)))
    program.operations += work * emitter.iterations
    pointers = dict(zip(places, f.arguments[: len(places)], strict=True))
    if has_sizes:
        f.own(pointers[SIZES_PLACE])
        read_sizes(f, program.sizes, pointers)
    if program.address_checks:
        f.own(pointers[FAULT_PLACE])
        stretches = [(pointers[place], buffer.nbytes) for place, buffer in buffers.items()]
        f.bounds = Bounds(pointers[FAULT_PLACE], stretches)
    access = Access(f, pointers[FAULT_PLACE] if program.address_checks else None)
    return KernelText(f, access, pointers, None if tasks is None else f.arguments[len(places)])


def _attributes(program: ProgramText, work: int) -> str:
    """The attributes of a kernel, except for those that its length and its calls decide."""
    if program.is_profiled:
        return "noinline nounwind"
    return "alwaysinline nounwind" if work <= TINY_WORK else "nounwind"


def _has_sizes(op: Operation) -> bool:
    """Return whether extents of a kernel have sizes in them."""
    values = (*op.operands, *op.results)
    is_static = all(are_static(shape_of(v)) for v in values if is_array(v.type))
    return not is_static or any(isinstance(inner, SizeOp) for inner in op.walk())


def read_sizes(f: IRBuilder, names: Iterable[str], pointers: Mapping[MemorySlot, Value]) -> None:
    """Read, at the start of a function, the sizes of these names, which extents in it have."""
    table = pointers[SIZES_PLACE]
    f.sizes = {name: f.load(f.gep(table, k, "i64"), "i64") for k, name in enumerate(names)}


def kernel_name(op: Operation, number: int, what: str) -> str:
    """`k3_model_py_12_sum`: the number of the kernel, its source line, what it computes."""
    place = place_of(op.location)
    parts = [f"k{number}"]
    if place is not None:
        parts += [place.file.replace("\\", "/").rsplit("/", 1)[-1], str(place.line)]
    hint = op.results[0].name_hint
    parts.append(hint or what)
    return re.sub(r"[^A-Za-z0-9_]+", "_", "_".join(parts))


def stated_loops(op: NestOp | RecurrenceOp | ScatterOp | CumulativeOp) -> CutLoops:
    """The loops that a kernel states.

    Raises `CompileError` for one whose schedule is not complete.
    """
    if op.loops is None:
        raise CompileError(
            f"{op.name} states no loops",
            location=location_of(op),
            hint="run complete-schedules on the function",
        )
    return op.cut_loops


def stated_fast_path(
    emitter: KernelEmitter, op: NestOp | RecurrenceOp, body: Body, loops: CutLoops, *, reduces: bool = False
) -> Assumptions | None:
    """The assumptions of the fast path that a kernel states; checked programs have none.

    `reduces`: the loops inside of a store are reductions.
    """
    if op.fast_path is None or emitter.program.address_checks:
        return None
    return Assumptions.named(op.fast_path.data, body, loops, reduces=reduces)
