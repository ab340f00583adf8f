"""Complex FFTs whose imaginary output is unused become FFTs of half the length.

    %w = array.fft backward %z {dim = 0, pairs = 0} : tensor<2x8xf64>
    %y = array.index %w[0]                        -->        %y = array.fft half %s {dim = 0, pairs = 0}

The real parts of a backward transform of z are the backward transform of (z[k] + conj z[-k]) / 2, whose
numbers up to n / 2 determine the rest: they are s, where those that stand for two count twice. Along several
dimensions k has several components. A forward transform is the backward one of the conjugate, conjugated.
"""

from __future__ import annotations

from dataclasses import field

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.indexing import IndexOp
from mlirad.dialects.array.transforms import Axes, FftOp
from mlirad.dialects.shapes import Value, array_type, element_of, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import FunctionPass, holds, visit_regions


@dataclass(frozen=True)
class ComplexToRealFftsPass(FunctionPass):
    """Replace complex FFTs whose imaginary output is unused by FFTs of half the length."""

    name = "complex-to-real-ffts"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """Rebuild the function with real-output FFTs where only real parts are read."""
        if not holds(function, FftOp):
            return function
        chains = [chain for op in function.body.walk() if isinstance(op, FftOp) and (chain := _chain(op))]
        if not chains:
            return function
        return rebuild_function(function, _Halving({chain[-1]: chain for chain in chains}).visit)


def _chain(last: FftOp) -> list[FftOp]:
    """Transforms along different dimensions; only the real parts of the last one are read."""
    uses = [use.operation for use in last.result.uses]
    if not (_takes_planes(last) and uses and all(map(_reads_real_parts, uses))):
        return []
    chain = [last]
    while isinstance(op := chain[0].operand.owner, FftOp):
        is_alone = op.result.has_one_use() and op.kind == last.kind
        if not is_alone or not _takes_planes(op) or op.axes.dim in [other.axes.dim for other in chain]:
            break
        chain.insert(0, op)
    return chain if _halved_dim(chain) is not None else []


def _takes_planes(op: FftOp) -> bool:
    return op.kind.data in ("forward", "backward") and op.axes.pairs == 0


def _reads_real_parts(op: Operation) -> bool:
    return isinstance(op, IndexOp) and len(op.positions) == 1 and scalar_of(op.positions[0]) == 0


def _halved_dim(chain: list[FftOp]) -> int | None:
    """Return the last dimension of even size."""
    numbers = shape_of(chain[-1].result)[1:]
    return max((d for d in (op.axes.dim for op in chain) if numbers[d] and numbers[d] % 2 == 0), default=None)


@dataclass
class _Halving:
    """Chains by their last transform, and the real parts that have been emitted for them."""

    chains: dict[FftOp, list[FftOp]]
    real_parts: dict[Value, Value] = field(default_factory=dict[Value, Value])

    def visit(self, b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if isinstance(op, FftOp) and any(op in chain[:-1] for chain in self.chains.values()):
            return
        if isinstance(op, FftOp) and op in self.chains:
            b.location, b.name_hint = op.location, op.result.name_hint
            chain = self.chains[op]
            z = chain[0].operand
            self.real_parts[op.result] = _real_parts(b, chain, env.get(z, z))
        elif isinstance(op, IndexOp) and op.operand in self.real_parts:
            env[op.result] = self.real_parts[op.operand]
        else:
            visit_regions(b, op, env, self.visit)


def _real_parts(b: ArrayBuilder, chain: list[FftOp], z: Value) -> Value:
    """Emit the real parts of the transforms of z along the dimensions of a chain."""
    dims = [op.axes.dim for op in chain]
    halved = _halved_dim(chain)
    assert halved is not None
    planes = [b.index(z, [b.index_constant(k)]) for k in (0, 1)]
    numbers = shape_of(planes[0])
    n = numbers[halved]
    ends_and_others = ((0.5, 1), (1.0, n // 2 - 1), (0.5, 1))
    weight = b.concatenate(
        [
            b.splat(factor, array_type((*numbers[:halved], count, *numbers[halved + 1 :]), element_of(z)))
            for factor, count in ends_and_others
            if count
        ],
        halved,
    )
    here = [_part(b, x, halved, 0, n // 2 + 1) for x in planes]
    there = [_mirrored(b, x, dims, halved) for x in planes]
    real = b.mul(weight, b.add(here[0], there[0]))
    ends = here[1], there[1]
    imag = b.mul(weight, b.sub(*(ends if chain[0].kind.data == "backward" else ends[::-1])))
    spectrum = b.stack([real, imag], 0)
    for d in dims:
        if d != halved:
            spectrum = b.fft("backward", spectrum, spectrum.type, Axes(d, 0))
    return b.fft("half", spectrum, array_type(numbers, element_of(z)), Axes(halved, 0))


def _part(b: ArrayBuilder, x: Value, dim: int, start: int, end: int) -> Value:
    shape = shape_of(x)
    starts = [start if d == dim else 0 for d in range(len(shape))]
    limits = [end if d == dim else e for d, e in enumerate(shape)]
    return b.slice(x, starts, limits, [1] * len(shape))


def _mirrored(b: ArrayBuilder, x: Value, dims: list[int], halved: int) -> Value:
    """Emit the elements at -k along these dimensions, for every k or, along one of them, up to n / 2."""
    for d in dims:
        n = shape_of(x)[d]
        if n > 1:
            first = n // 2 if d == halved else 1
            x = b.concatenate([_part(b, x, d, 0, 1), b.reverse(_part(b, x, d, first, n), [d])], d)
    return x
