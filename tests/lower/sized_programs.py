"""Programs of arrays with sizes, as text: one for each way in which an extent enters a kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

Extents = Sequence[int | str]


def listed(extents: Extents) -> str:
    """A list of extents as a property."""
    text = "[" + ", ".join(map(str, extents)) + "]"
    return text if all(isinstance(e, int) for e in extents) else f"#array.extents<{text}>"


def array(*extents: int | str, of: str = "f64") -> str:
    """The type of an array of these extents."""
    if all(isinstance(e, int) for e in extents):
        return f"tensor<{'x'.join(map(str, extents))}x{of}>" if extents else of
    written = ["?" if isinstance(e, str) else str(e) for e in extents]
    return f"tensor<{'x'.join(written)}x{of}, {listed(extents)}>"


def function(arguments: Mapping[str, str], body: Sequence[str], results: Mapping[str, str]) -> str:
    """A function whose size is n: arguments and results by name, with their types."""
    parameters = ", ".join(f"%{name}: {type_}" for name, type_ in arguments.items())
    types = ", ".join(results.values())
    lines = [*body, f"func.return {', '.join(f'%{name}' for name in results)} : {types}"]
    inside = "\n".join(f"  {line}" for line in lines)
    return f'func.func @main({parameters}) -> ({types}) attributes {{array.sizes = ["n"]}} {{\n{inside}\n}}'


X: Final = array("n")
FEW: Final = array("n floordiv 64")
X10: Final = array("n", 10)
W: Final = array(10, 10)
LESS: Final = array("n - 1")
LONGER: Final = array("n + 2")
_ROWS: Final = "lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]"
_COLUMNS: Final = "lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]"

PROGRAMS: Final[Mapping[str, str]] = {
    "a map": function(
        {"x": X},
        [f"%0 = array.tanh %x : {X}", f"%1 = array.mul %0, %x : {X}"],
        {"1": X},
    ),
    "rows and columns": function(
        {"x": X10},
        [
            f"%0 = array.exp %x : {X10}",
            f"%1 = array.sum %0 {{dims = [1]}} : {X10} -> {X}",
            f"%2 = array.sum %0 {{dims = [0]}} : {X10} -> {array(10)}",
            f"%3 = array.reduce max %x {{dims = [0, 1]}} : {X10} -> f64",
            f"%4 = array.argmin %1 {{dim = 0}} : {X} -> i64",
        ],
        {"1": X, "2": array(10), "3": "f64", "4": "i64"},
    ),
    "single precision": function(
        {"x": array("n", of="f32")},
        [
            f"%0 = array.mul %x, %x : {array('n', of='f32')}",
            f"%1 = array.sum %0 {{dims = [0]}} : {array('n', of='f32')} -> f32",
        ],
        {"0": array("n", of="f32"), "1": "f32"},
    ),
    "products": function(
        {"x": X10, "w": W},
        [
            f"%0 = array.dot %x, %w {{{_ROWS}}} : {X10}, {W} -> {X10}",
            f"%1 = array.tanh %0 : {X10}",
            f"%2 = array.dot %x, %1 {{{_COLUMNS}}} : {X10}, {X10} -> {W}",
        ],
        {"1": X10, "2": W},
    ),
    "products by BLAS": function(
        {"x": array("n", 64), "w": array(64, 128)},
        [
            f"%0 = array.dot %x, %w {{{_ROWS}}} : {array('n', 64)}, {array(64, 128)} -> {array('n', 128)}",
            f"%1 = array.dot %x, %0 {{{_COLUMNS}}} : {array('n', 64)}, {array('n', 128)} -> {array(64, 128)}",
        ],
        {"0": array("n", 128), "1": array(64, 128)},
    ),
    "neighbours": function(
        {"x": X},
        [
            f"%0 = array.slice %x {{starts = [1], limits = {listed('n')}, strides = [1]}} : {X} -> {LESS}",
            f"%1 = array.slice %x {{starts = [0], limits = {listed(['n - 1'])}, strides = [1]}} : "
            f"{X} -> {LESS}",
            f"%2 = array.sub %0, %1 : {LESS}",
            "%3 = array.constant 1.5 : f64",
            f"%4 = array.pad %2, %3 {{low = [2], high = [1], interior = [0]}} : {LESS}, f64 -> {LONGER}",
        ],
        {"4": LONGER},
    ),
    "every third": function(
        {"x": X},
        [
            f"%0 = array.slice %x {{starts = [1], limits = {listed(['n'])}, strides = [3]}} : "
            f"{X} -> {array('(n + 1) floordiv 3')}",
        ],
        {"0": array("(n + 1) floordiv 3")},
    ),
    "backwards and joined": function(
        {"x": array("n", 3)},
        [
            f"%0 = array.reverse %x {{dims = [0]}} : {array('n', 3)} -> {array('n', 3)}",
            f"%1 = array.concatenate %x, %0 {{dim = 0}} : "
            f"{array('n', 3)}, {array('n', 3)} -> {array('2 * n', 3)}",
        ],
        {"1": array("2 * n", 3)},
    ),
    "flat": function(
        {"x": X10},
        [
            f"%0 = array.reshape %x : {X10} -> {array('10 * n')}",
            f"%1 = array.exp %0 : {array('10 * n')}",
            f"%2 = array.reshape %1 : {array('10 * n')} -> {array('n', 5, 2)}",
            f"%3 = array.transpose %2 {{permutation = [2, 0, 1]}} : {array('n', 5, 2)} -> {array(2, 'n', 5)}",
        ],
        {"1": array("10 * n"), "3": array(2, "n", 5)},
    ),
    "all pairs": function(
        {"x": X},
        [
            f"%0 = array.broadcast %x {{dims = [0]}} : {X} -> {array('n', 'n')}",
            f"%1 = array.broadcast %x {{dims = [1]}} : {X} -> {array('n', 'n')}",
            f"%2 = array.sub %0, %1 : {array('n', 'n')}",
            f"%3 = array.abs %2 : {array('n', 'n')}",
            f"%4 = array.sum %3 {{dims = [1]}} : {array('n', 'n')} -> {X}",
        ],
        {"4": X, "2": array("n", "n")},
    ),
    "a mean": function(
        {"x": X},
        [
            f"%0 = array.sum %x {{dims = [0]}} : {X} -> f64",
            "%1 = array.size {extent = #array.extent<n>} : -> i64",
            "%2 = array.convert %1 : i64 -> f64",
            "%3 = array.div %0, %2 : f64",
            f"%4 = array.iota {{dim = 0}} : -> {array('n', of='i64')}",
        ],
        {"3": "f64", "4": array("n", of="i64")},
    ),
    "positions from data": function(
        {"x": array("n", 4), "at": array("n", of="i64")},
        [
            f"%0 = array.gather %x (%k) : {array('n', 4)} -> {array('n', 4)} {{",
            f"  %p = array.index %at[%k] : {array('n', of='i64')} -> i64",
            "  array.yield %p : i64",
            "}",
        ],
        {"0": array("n", 4)},
    ),
    "steps": function(
        {"h": array(8), "x": array("n", 8), "w": array(8, 8)},
        [
            f"%last, %all = array.scan %h, %x (%i, %c: {array(8)}, %s: {array(8)}) {{carries = 1, "
            f"length = #array.extent<n>}} : {array(8)}, {array('n', 8)} -> ({array(8)}, {array('n', 8)}) {{",
            f"  %p = array.dot %w, %c {{{_ROWS}}} : {array(8, 8)}, {array(8)} -> {array(8)}",
            f"  %q = array.add %p, %s : {array(8)}",
            f"  %t = array.tanh %q : {array(8)}",
            f"  array.yield %t, %q : {array(8)}, {array(8)}",
            "}",
            f"%mean = array.sum %all {{dims = [0]}} : {array('n', 8)} -> {array(8)}",
        ],
        {"last": array(8), "mean": array(8)},
    ),
    "steps of elements": function(
        {"a": X, "x": array(64, "n")},
        [
            f"%last, %all = array.scan %a, %x (%i, %c: {X}, %s: {X}) {{carries = 1, length = 64}} : "
            f"{X}, {array(64, 'n')} -> ({X}, {array(64, 'n')}) {{",
            f"  %p = array.mul %c, %a : {X}",
            f"  %q = array.add %p, %s : {X}",
            f"  array.yield %q, %p : {X}, {X}",
            "}",
        ],
        {"last": X, "all": array(64, "n")},
    ),
    "row by row": function(
        {"x": array("n", 64)},
        [
            f"%0 = array.exp %x : {array('n', 64)}",
            f"%1 = array.sum %0 {{dims = [1]}} : {array('n', 64)} -> {X}",
            f"%2 = array.broadcast %1 {{dims = [0]}} : {X} -> {array('n', 64)}",
            f"%3 = array.div %0, %2 : {array('n', 64)}",
            f"%4 = array.sum %3 {{dims = [0]}} : {array('n', 64)} -> {array(64)}",
        ],
        {"3": array("n", 64), "4": array(64)},
    ),
    "rows of a table": function(
        {"t": array(16, 6), "g": array("n", 6), "at": array("n", of="i64")},
        [
            f"%0 = array.scatter %g (%k) : {array('n', 6)} -> {array(16, 6)} {{",
            f"  %p = array.index %at[%k] : {array('n', of='i64')} -> i64",
            "  array.yield %p : i64",
            "}",
            f"%1 = array.update set %t, %g (%k) : {array(16, 6)}, {array('n', 6)} -> {array(16, 6)} {{",
            f"  %p = array.index %at[%k] : {array('n', of='i64')} -> i64",
            "  array.yield %p : i64",
            "}",
        ],
        {"0": array(16, 6), "1": array(16, 6)},
    ),
    "a table of as many": function(
        {"x": X, "y": X, "at": array("n", of="i64")},
        [
            f"%0 = array.exp %x : {X}",
            f"%1 = array.update add %0, %y (%k) : {X}, {X} -> {X} {{",
            f"  %p = array.index %at[%k] : {array('n', of='i64')} -> i64",
            "  array.yield %p : i64",
            "}",
            f"%2 = array.scatter %1 (%k) : {X} -> {array('n floordiv 64')} {{",
            f"  %p = array.index %at[%k] : {array('n', of='i64')} -> i64",
            "  array.yield %p : i64",
            "}",
        ],
        {"1": X, "2": array("n floordiv 64")},
    ),
    "elements of as few": function(
        {"x": FEW, "at": array("n", of="i64"), "y": X},
        [
            f"%0 = array.gather %x (%k) : {FEW} -> {X} {{",
            f"  %p = array.index %at[%k] : {array('n', of='i64')} -> i64",
            "  array.yield %p : i64",
            "}",
            f"%1 = array.exp %0 : {X}",
            f"%2 = array.update add %x, %y (%k) : {FEW}, {X} -> {FEW} {{",
            f"  %p = array.index %at[%k] : {array('n', of='i64')} -> i64",
            "  array.yield %p : i64",
            "}",
            f"%3 = array.cumulative sum %2 {{dim = 0}} : {FEW} -> {FEW}",
        ],
        {"1": X, "3": FEW},
    ),
    "sums of single precision": function(
        {"x": array("n", of="f32"), "at": array("n", of="i64")},
        [
            f"%0 = array.scatter %x (%k) : {array('n', of='f32')} -> {array(3, of='f32')} {{",
            f"  %p = array.index %at[%k] : {array('n', of='i64')} -> i64",
            "  array.yield %p : i64",
            "}",
            f"%1 = array.cumulative sum %x {{dim = 0}} : {array('n', of='f32')} -> {array('n', of='f32')}",
        ],
        {"0": array(3, of="f32"), "1": array("n", of="f32")},
    ),
    "where the greatest is": function(
        {"x": array("n", 12), "g": array(12), "w": array(12, 5)},
        [
            f"%0 = array.reduce max %x {{dims = [0]}} : {array('n', 12)} -> {array(12)}",
            f"%1 = array.broadcast %0 {{dims = [1]}} : {array(12)} -> {array('n', 12)}",
            f"%2 = array.compare eq %x, %1 : {array('n', 12)}, {array('n', 12)} -> {array('n', 12, of='i1')}",
            f"%3 = array.broadcast %g {{dims = [1]}} : {array(12)} -> {array('n', 12)}",
            "%zero = array.constant 0.0 : f64",
            f"%4 = array.broadcast %zero {{dims = []}} : f64 -> {array('n', 12)}",
            f"%5 = array.select %2, %3, %4 : {array('n', 12, of='i1')}, {array('n', 12)}, "
            f"{array('n', 12)} -> {array('n', 12)}",
            f"%6 = array.broadcast %5 {{dims = [0, 1]}} : {array('n', 12)} -> {array('n', 12, 5)}",
            f"%7 = array.broadcast %w {{dims = [1, 2]}} : {array(12, 5)} -> {array('n', 12, 5)}",
            f"%8 = array.absorbing_mul %6, %7 : {array('n', 12, 5)}",
            f"%9 = array.sum %8 {{dims = [1]}} : {array('n', 12, 5)} -> {array('n', 5)}",
        ],
        {"9": array("n", 5)},
    ),
    "sums so far": function(
        {"x": X, "y": array("n", 10), "z": array(3, "n")},
        [
            f"%0 = array.cumulative sum %x {{dim = 0}} : {X} -> {X}",
            f"%1 = array.cumulative prod %y {{dim = 0, reverse}} : {X10} -> {X10}",
            f"%2 = array.cumulative max %y {{dim = 1}} : {X10} -> {X10}",
            f"%3 = array.cumulative sum %z {{dim = 0}} : {array(3, 'n')} -> {array(3, 'n')}",
        ],
        {"0": X, "1": X10, "2": X10, "3": array(3, "n")},
    ),
    "in order": function(
        {"x": X, "y": X10, "z": array(3, "n"), "few": array("n floordiv 64")},
        [
            f"%0 = array.sort %x {{dim = 0}} : {X} -> {X}",
            f"%1 = array.argsort %x {{dim = 0}} : {X} -> {array('n', of='i64')}",
            f"%2 = array.sort %y {{dim = 0}} : {X10} -> {X10}",
            f"%3 = array.sort %y {{dim = 1}} : {X10} -> {X10}",
            f"%4 = array.argsort %z {{dim = 0}} : {array(3, 'n')} -> {array(3, 'n', of='i64')}",
            f"%5 = array.sort %few {{dim = 0}} : {array('n floordiv 64')} -> {array('n floordiv 64')}",
        ],
        {
            "0": X,
            "1": array("n", of="i64"),
            "2": X10,
            "3": X10,
            "4": array(3, "n", of="i64"),
            "5": array("n floordiv 64"),
        },
    ),
}
"""Functions of an array of n rows, where n is 256 at least."""
