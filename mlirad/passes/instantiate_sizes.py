"""Numbers in place of sizes: the program for one size of each dimension that is dynamic.

func.func @main(%x: tensor<?x10xf64, #array.extents<[n, 10]>>) attributes {array.sizes = ["n"]}
    --instantiate-sizes{n=7}-->    func.func @main(%x: tensor<7x10xf64>)

The result means the same as the program at these sizes, so this says what every other pass has to do with
sizes: to run the pass and then put numbers in is to put numbers in and then run the pass.
"""

from __future__ import annotations

from typing import Self

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec

from mlirad.dialects.concrete_sizes import function_at, sizes_in_function
from mlirad.dialects.extents import LEAST_SIZE
from mlirad.dialects.extents_attribute import is_size_name
from mlirad.errors import UnsupportedError
from mlirad.ir.call_graph import functions_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import replace_function


@dataclass(frozen=True)
class InstantiateSizesPass(ModulePass):
    """Puts numbers in place of sizes, n=1000; those that are not named stay."""

    name = "instantiate-sizes"
    sizes: tuple[tuple[str, int], ...] = ()

    @classmethod
    def from_spec(cls, spec: ArgSpec) -> Self:
        """The pass of options that are sizes: each has one number. Raises ValueError."""
        sizes: dict[str, int] = {}
        for name, values in spec.parameters.items():
            if len(values) != 1 or not isinstance(values[0], int) or not is_size_name(name):
                raise ValueError(f"{name} must be a size with one number, as in n=1000")
            sizes[name] = values[0]
        return cls(tuple(sizes.items()))

    def spec(self, *, include_default: bool = False) -> ArgSpec:
        """The name and the sizes, as they are written."""
        return ArgSpec(self.name, {name: (number,) for name, number in self.sizes})

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace all functions. Raises UnsupportedError for sizes that are too small or not there."""
        sizes = dict(self.sizes)
        functions = functions_of(op)
        known = set[str]().union(*map(sizes_in_function, functions)) if sizes else set[str]()
        for name, number in sizes.items():
            if name not in known:
                there = ", ".join(sorted(known)) or "none"
                raise UnsupportedError(f"the program has no size {name}; it has: {there}")
            if number < LEAST_SIZE:
                raise UnsupportedError(f"size {name} is {number}: sizes are {LEAST_SIZE} at least")
        if sizes:
            for function in functions:
                replace_function(function, function_at(function, sizes))
