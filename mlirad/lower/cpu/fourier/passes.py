"""The functions that make one pass: butterflies of one factor, each result multiplied by a root of unity.

    for p in 0 ... P: for c in 0 ... C:     y[p op + k ok + c] = root[p, k] Σ_j root_r^(jk) x[p ip + j ik + c]

Lanes lie along c. In the first pass of a row there are no neighbours to treat alike: there lanes lie along p
(`turned`), and results are transposed in registers; C says how far apart the roots of one k and the next are.
The last vector ends with the last element, so it computes some of those before it again. There are as many
elements as a vector has lanes, or vectors have one lane.
`joined` planes are pairs in memory: what the even and the odd elements of a row of real numbers are. Such a
row is the result of backward transforms alone, so there imaginary parts come first. Vectors of one lane need
nothing of that kind, only other steps.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from mlirad.lower.bodies.transposition import transposed
from mlirad.lower.cpu.fourier.butterflies import Number, butterfly, times
from mlirad.lower.llvm.text import IRBuilder, Kind, ModuleText, Operand, Parameter, Value

POINTERS: Final = ("xr", "xi", "yr", "yi", "rr", "ri")
SIZES: Final = ("P", "C", "ip", "ik", "op", "ok")

MOST_ITERATIONS: Final = 1 << 14
"""The number of butterflies that a pass computes at most, for one block of columns."""


class PassKind(NamedTuple):
    """The key of the function of one pass."""

    kind: Kind
    factor: int
    width: int
    has_roots: bool
    turned: bool = False
    joined_in: bool = False
    joined_out: bool = False

    @property
    def symbol(self) -> str:
        """The name of the function."""
        flags = zip(("roots", "turned", "in", "out"), self[3:], strict=True)
        marks = "".join(f"_{name}" for name, is_set in flags if is_set)
        return f"mlirad_fft{self.factor}_{self.kind}{self.width}{marks}"


def pass_function(module: ModuleText, which: PassKind) -> str:
    """The name of the function of a pass, which is written when it is first needed."""
    return module.shared_function(which.symbol, lambda: _write(module, which)).name


def _write(module: ModuleText, which: PassKind) -> IRBuilder:
    parameters = [Parameter(n, "ptr", 1, "noalias readonly" if n[0] in "xr" else "noalias") for n in POINTERS]
    parameters += [Parameter(n, "i64") for n in SIZES]
    f = module.function(which.symbol, parameters, attributes="noinline nounwind")
    xr, xi, yr, yi, rr, ri, P, C, ip, ik, op, ok = f.arguments
    r, width, kind = which.factor, which.width, which.kind
    reads, writes = ([f.mul(step, k) for k in range(r)] for step in (ik, ok))

    def roots(p: Value) -> list[Number]:
        """One per result but the first: those of this p or, in a turned pass, of lanes of them."""
        if not which.has_roots:
            return []
        if which.turned:
            return [_loaded(f, kind, width, (rr, ri), f.add(p, f.mul(C, k))) for k in range(r - 1)]
        at = f.mul(p, r - 1)
        numbers = [_loaded(f, kind, 1, (rr, ri), f.add(at, k)) for k in range(r - 1)]
        return [(f.widen(a, width), f.widen(b, width)) for a, b in numbers]

    def compute(p: Value, c: Operand, roots_of: list[Number]) -> None:
        at = f.add(f.mul(p, ip), c)
        read = [f.add(at, distance) for distance in reads]
        x = [_loaded(f, kind, width, (xr, xi), n, joined=which.joined_in) for n in read]
        y = butterfly(f, x)
        y[1:] = [times(f, a, b) for a, b in zip(y[1:], roots_of, strict=True)] if roots_of else y[1:]
        start = f.add(f.mul(p, op), c)
        if which.turned:
            _store_turned(f, (yr, yi), y, f.mul(p, op), op)
            return
        for number, distance in zip(y, writes, strict=True):
            _store(f, number, (yr, yi), f.add(start, distance), joined=which.joined_out)

    if which.turned:
        with f.loop(0, P, width, at_most=MOST_ITERATIONS, name="p") as rows:
            first = vector_at(f, rows.index, P, width)
            compute(first, 0, roots(first))
    else:
        # The two loops together make as many iterations.
        with f.loop(0, P, at_most=MOST_ITERATIONS, name="p") as rows:
            known = roots(rows.index)
            with f.loop(0, C, width, at_most=1, name="c") as columns:
                compute(rows.index, vector_at(f, columns.index, C, width), known)
    f.ret()
    return f


def vector_at(f: IRBuilder, index: Value, end: Value, width: int) -> Value:
    """Return where a vector begins that is not to reach beyond the end."""
    return index if width == 1 else f.intrinsic("smin", index, f.sub(end, width))


def _loaded(
    f: IRBuilder, kind: Kind, width: int, planes: tuple[Value, Value], at: Value, *, joined: bool = False
) -> Number:
    if not joined:
        return f.load(f.gep(planes[0], at, kind), kind, width), f.load(
            f.gep(planes[1], at, kind), kind, width
        )
    at = f.mul(at, 2)
    one, two = (f.load(f.gep(planes[0], f.add(at, k * width), kind), kind, width) for k in (0, 1))
    return f.shuffle(one, two, [*range(0, 2 * width, 2)]), f.shuffle(one, two, [*range(1, 2 * width, 2)])


def _store(f: IRBuilder, z: Number, planes: tuple[Value, Value], at: Value, *, joined: bool) -> None:
    if not joined:
        for part, plane in zip(z, planes, strict=True):
            f.store(part, f.gep(plane, at, z[0].kind))
        return
    at, width, z = f.mul(at, 2), z[0].width, (z[1], z[0])
    order = [k // 2 + k % 2 * width for k in range(2 * width)]
    halves = f.shuffle(*z, order[:width]), f.shuffle(*z, order[width:])
    for k, half in enumerate(halves):
        f.store(half, f.gep(planes[0], f.add(at, k * width), half.kind))


def _store_turned(
    f: IRBuilder, planes: tuple[Value, Value], y: list[Number], start: Value, distance: Value
) -> None:
    """Store the results of each lane as neighbours; those of the next one are so far away."""
    r, width, kind = len(y), y[0][0].width, y[0][0].kind
    for part, plane in enumerate(planes):
        vectors = [number[part] for number in y]
        if r % width:
            for lane in range(width):
                for k, vector in enumerate(vectors):
                    place = f.add(start, f.add(f.mul(distance, lane), k))
                    f.store(f.extract(vector, lane), f.gep(plane, place, kind))
            continue
        for first in range(0, r, width):
            for lane, vector in enumerate(transposed(f, vectors[first : first + width])):
                place = f.add(start, f.add(f.mul(distance, lane), first))
                f.store(vector, f.gep(plane, place, kind))
