"""Linear maps of a program as mathematics, and as a graph of the ops that make them.

map_functions(linearized, traced)     functions that hold maps: of the program, or its Jacobian
graph(functions, origins)             layers of boxes, from what a map is made of to where it is applied
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, OpResult

from mlirad.dialects.linear import MapType
from mlirad.errors import MliradError
from mlirad.explorer.origins import Origins
from mlirad.explorer.svg import Drawing
from mlirad.ir.call_graph import functions_by_name
from mlirad.ir.locations import place_of
from mlirad.ir.regions import nested_ops
from mlirad.recursion import deep_recursion
from mlirad.tools.demo import titled
from mlirad.tools.mathematics import UNICODE, Sharing, written
from mlirad.tools.stages import stages

MOST_BOXES = 240
"""The number of ops that the graph has at most."""

MOST_CHARACTERS = 200_000
"""The most characters of mathematics that are shown."""

_BOX, _TALL, _ACROSS, _DOWN = 118, 24, 136, 54


@deep_recursion
def map_functions(linearized: ModuleOp, traced: ModuleOp) -> tuple[list[FuncOp], str]:
    """The functions that hold linear maps and what they are, of a program whose derivatives are maps; else
    the Jacobian of the program as it was traced, which this changes.
    """
    holding = [f for f in functions_by_name(linearized).values() if map_ops(f)]
    if holding:
        return holding, "The program, with its derivatives as linear maps"
    try:
        for stage in stages(traced, "main"):
            if stage.title == "The Jacobian, simplified":
                return list(stage.functions), "The Jacobian of the program"
    except MliradError as error:
        return [], error.message
    return [], "There are no linear maps in this program."


@deep_recursion
def mathematics(functions: Sequence[FuncOp]) -> str:
    """The functions as mathematics."""

    def title(name: str) -> str:
        return titled(name, UNICODE)

    text = "\n\n".join(written(f, UNICODE, Sharing.NAMED, title) for f in functions)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}\n… and more"


def map_ops(function: FuncOp) -> list[Operation]:
    """The ops of a function that make or apply maps."""
    return [
        op
        for op in nested_ops(function.body)
        if any(isinstance(v.type, MapType) for v in (*op.results, *op.operands)) and op.results
    ]


def graph(functions: Sequence[FuncOp], origins: Origins) -> tuple[str | None, str]:
    """The graph as an image, and what is left out of it."""
    ops = [op for f in functions for op in map_ops(f)]
    if not ops:
        return None, ""
    note = ""
    if len(ops) > MOST_BOXES:
        note = f"The first {MOST_BOXES} of {len(ops)} ops are shown."
        ops = ops[:MOST_BOXES]
    numbers = {op: k for k, op in enumerate(ops)}
    sources = [
        [numbers[v.op] for v in op.operands if isinstance(v, OpResult) and v.op in numbers] for op in ops
    ]
    layer = [0] * len(ops)
    for k, found in enumerate(sources):
        layer[k] = max((layer[j] + 1 for j in found), default=0)
    column = _columns(sources, layer)
    width = _ACROSS * (1 + max(column)) + 20
    d = Drawing(max(width, 300), _DOWN * (1 + max(layer)) + 20)
    corners = [(10 + _ACROSS * c, 10 + _DOWN * r) for c, r in zip(column, layer, strict=True)]
    for k, found in enumerate(sources):
        x, y = corners[k]
        for j in found:
            a, b = corners[j]
            d.line(a + _BOX / 2, b + _TALL, x + _BOX / 2, y, "one")
    for op, (x, y) in zip(ops, corners, strict=True):
        origin = origins.of(place_of(op.location))
        d.box(x, y, _BOX, _TALL, "node", str(op).partition("\n")[0][:300], origin=origin)
        d.text(x + _BOX / 2, y + 16, op.name.removeprefix("linear.")[:17], "label", "middle")
    return d.inline(), note


def _columns(sources: Sequence[Sequence[int]], layer: Sequence[int]) -> list[int]:
    """A column for each op, near to those of what it is made of, one op in each place of a layer."""
    column = [0] * len(layer)
    for row in range(max(layer) + 1):
        members = [k for k, r in enumerate(layer) if r == row]
        wanted = {
            k: sum(column[j] for j in sources[k]) / len(sources[k]) if sources[k] else float(i)
            for i, k in enumerate(members)
        }
        taken = -1
        for k in sorted(members, key=lambda m: wanted[m]):
            taken = column[k] = max(taken + 1, round(wanted[k]))
    return column
