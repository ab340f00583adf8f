"""`jacobian` and `hessian` with `sparse=True`: functions that return matrices of SciPy.

    J = ad.jacobian(f, sparse=True)(x)                       scipy.sparse.csr_array
    rows, cols = ad.jacobian(f, sparse=True).structure(x)    which entries it has

The rows of the matrix are the elements of the float results, leaf by leaf and row-major; the columns those of
the float arguments that `argnums` names. The results for one signature are kept: the map, and for each
content of the integer arguments the sparsity pattern, the compression and the program.
"""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import cached_property
from math import prod
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.func import FuncOp

from mlirad import packages
from mlirad.dialects.shapes import Value
from mlirad.errors import SplitError, UnsupportedError
from mlirad.frontend.compiling.arguments import Names, prepared
from mlirad.frontend.compiling.compilation import Executable, compiling, executable
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.stats import Stats
from mlirad.frontend.compiling.transformed import Transformed, are_split
from mlirad.frontend.differentiation import jacobians
from mlirad.frontend.differentiation.argnums import Argnums, chosen_arguments
from mlirad.frontend.sparse.blocks import Blocks, blocks_module, entries_of_blocks, pays
from mlirad.frontend.sparse.colouring import compress
from mlirad.frontend.sparse.expressions import Expression, trace_expression
from mlirad.frontend.sparse.products import ProductCall, Products, entries_from, products_module, steps_of
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.pytree import Tree
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.ir.call_graph import functions_by_name
from mlirad.jit.call import NativeFunction
from mlirad.jit.forking import CompileLock
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.sparsity import (
    BlockRows,
    Known,
    SparsityPattern,
    find_block_rows,
    from_block_rows,
    sparsity_of,
)

KEPT_STRUCTURES = 16
"""The number of contents of integer arguments for which the structure is kept."""


Compiled: TypeAlias = tuple[Executable, NativeFunction | None]
"""A program that can be called, and its machine code where it is compiled."""


class SparseDerivative(Transformed):
    """A derivative that is called for a sparse matrix.

    Matrices with the same sparsity pattern share their index arrays, which are read-only: copy a matrix to
    change its pattern.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        argnums: Argnums,
        has_aux: bool,
        is_hessian: bool,
        options: Options,
        static_argnames: Names,
    ):
        if options.checks:
            raise UnsupportedError(
                "sparse derivatives check neither positions nor NaN",
                location=user_line(),
                hint="call the function itself with the checks: ad.jit(f, check_bounds=True)",
            )
        options.require_expressions()
        self._argnums = chosen_arguments(argnums)
        self._has_aux, self._is_hessian = has_aux, is_hessian
        key = ("sparse", self._argnums, has_aux, is_hessian)
        super().__init__(function, _not_traced, key, options, static_argnames)

    @plain_errors
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        is_jacobian = not (self._is_hessian or self._has_aux)
        if is_jacobian and not is_tracing() and are_split((args, tuple(kwargs.values()))):
            made_by = self.recipe, self._function
            return packages.load(self.split_calls).row_blocks(
                made_by, self._argnums, self._static, args, kwargs
            )
        matrices, leaves = self._matrices(args, kwargs)
        return matrices.at(leaves)

    @plain_errors
    def structure(
        self, *args: Any, lower: bool = False, **kwargs: Any
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The sparsity pattern: rows and columns, by row and then by column; with `lower` those of the lower
        triangle, diagonal included.

        Only the integers among the arguments count, and the shapes and dtypes of the others.
        """
        matrices, leaves = self._matrices(args, kwargs)
        return matrices.positions(leaves, lower=lower)

    @plain_errors
    def stats(self, *args: Any, **kwargs: Any) -> Stats:
        """The time of every stage of a compile for arguments like these, and the ops after it."""
        matrices, leaves = self._matrices(args, kwargs)
        matrices.at(leaves)
        if matrices.stats.is_loaded:
            function, _, tree, types = self._reader.flattened(args, kwargs)
            again = self._make(function, tree, types, fresh=True)
            again.at(leaves)
            matrices.stats = again.stats
        return matrices.stats

    def _matrices(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Matrices, list[Any]]:
        if is_tracing():
            _not_traced(self._function, args)
        if are_split((args, tuple(kwargs.values()))):
            raise SplitError(
                "structure(), sparse Hessians and has_aux=True are of arrays in memory, not in chunks",
                location=user_line(),
                hint="J = ad.jacobian(f, sparse=True)(w, X) is a matrix in blocks of rows, and J.to_scipy() "
                "has them together",
            )
        function, leaves, tree, types = self._reader.flattened(args, kwargs)
        key, _ = self._reader.key(args, kwargs, tree, types)
        found = self._cache.of(key, lambda: self._make(function, tree, types))
        return found, [prepared(leaf) for leaf in leaves]

    def _make(
        self, function: Callable[..., Any], tree: Tree, types: Sequence[LeafType], *, fresh: bool = False
    ) -> Matrices:
        stats = Stats()
        differentiated = jacobians.gradient_of(function, self._argnums) if self._is_hessian else function
        name = function_name(self._function)

        def made(rooms: tuple[int, ...]) -> Matrices:
            expression = compiling(trace_expression)(
                differentiated, tree, types, self._argnums, self._has_aux, self._options, stats, rooms
            )
            return Matrices(name, expression, self._options, self._is_hessian, types, stats, fresh, made)

        return made(())


def _not_traced(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    raise UnsupportedError(
        "sparse matrices are made outside of traced functions only",
        location=user_line(),
        hint="inside, use ad.jvp, ad.vjp or ad.hvp for products with the matrix",
    )


@dataclass
class Instance:
    """The plan for one content of the integer arguments: the entries come as blocks or by steps."""

    pattern: SparsityPattern
    template: Callable[[NDArray[Any]], Any]
    integers: list[NDArray[Any]]
    block_rows: BlockRows | None = None
    blocks: Blocks | None = None
    steps: tuple[ProductCall, ...] = ()


@dataclass
class Matrices:
    """The sparse matrices of one signature; with `fresh` no program of theirs is taken from the disk.

    They are made again by `remade` where a call needs more rows for records than `expression` has.
    """

    name: str
    expression: Expression
    options: Options
    is_symmetric: bool
    types: Sequence[LeafType]
    stats: Stats
    fresh: bool = False
    remade: Callable[[tuple[int, ...]], Matrices] | None = None
    instances: OrderedDict[bytes, Instance] = field(default_factory=OrderedDict[bytes, Instance])
    programs: dict[Products | Blocks, Compiled] = field(default_factory=dict["Products | Blocks", "Compiled"])
    last: Instance | None = None
    lock: Any = field(default_factory=CompileLock)

    def positions(self, leaves: Sequence[Any], *, lower: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows and columns of the entries, or of those in the lower triangle."""
        found = self.instance(leaves).pattern
        kept = found.rows >= found.columns if lower else slice(None)
        return found.rows[kept].astype(np.int64), found.columns[kept].astype(np.int64)

    @cached_property
    def at(self) -> Callable[[Sequence[Any]], Any]:
        """From arguments to the matrix there, and what else the function returns."""
        remade = self.remade
        if remade is None or not self.expression.rooms:
            return self._at
        from mlirad.frontend.compiling.roomy import Roomy

        return Roomy(lambda rooms: remade(rooms)._at, self._at, self.expression.rooms)

    def _at(self, leaves: Sequence[Any]) -> Any:
        instance = self.instance(leaves)
        others: tuple[Any, ...] = ()

        def run(products: Products, colours: Sequence[Any]) -> tuple[Any, ...]:
            nonlocal others
            results = self.program(products, instance)[0](*leaves, *colours)
            made = cast("tuple[Any, ...]", results) if isinstance(results, tuple) else (results,)
            others = made[: self.expression.others]
            return made[self.expression.others :]

        if instance.blocks is None or instance.block_rows is None:
            entries = entries_from(instance.steps, instance.pattern.count, run)
        else:
            program = self.program(instance.blocks, instance)
            entries, others = entries_of_blocks(self.expression, instance.block_rows, *program, leaves)
        matrix = instance.template(entries)
        tree = self.expression.other_tree
        return matrix if tree is None else (matrix, tree.unflatten(others))

    def instance(self, leaves: Sequence[Any]) -> Instance:
        """Return what belongs to the integers among these arguments."""
        integers = [np.asarray(v) for v, t in zip(leaves, self.types, strict=True) if t.dtype.kind != "f"]
        last = self.last
        if last is not None and all(map(np.array_equal, integers, last.integers)):
            return last
        digest = hashlib.blake2b(digest_size=16)
        for array in integers:
            digest.update(np.ascontiguousarray(array).data)
        key = digest.digest()
        with self.lock:
            found = self.instances.get(key)
            if found is None:
                found = self.instances[key] = self._analyse([v.copy() for v in integers])
                while len(self.instances) > KEPT_STRUCTURES:
                    self.instances.popitem(last=False)
            else:
                self.instances.move_to_end(key)
            self.last = found
        return found

    @compiling
    def _analyse(self, integers: list[NDArray[Any]]) -> Instance:
        e = self.expression
        parameters = list(e.main.body.block.args)[: e.arguments]
        whole = [v for v, t in zip(parameters, self.types, strict=True) if t.dtype.kind != "f"]
        functions: dict[str, FuncOp] = functions_by_name(e.module)
        given: dict[Value, NDArray[Any]] = dict(zip(whole, integers, strict=True))
        outputs = [k for k, _ in e.outputs]
        start = time.perf_counter()
        block_rows = None if self.is_symmetric else find_block_rows(e.map, Known(given, functions), outputs)
        if block_rows is not None and pays(block_rows):
            pattern = from_block_rows(block_rows, sum(prod(t.shape) for t in e.inputs))
            self.stats.add("structure", time.perf_counter() - start, None)
            return Instance(pattern, csr_maker(pattern), integers, block_rows, Blocks.of(block_rows))
        pattern = sparsity_of(e.map, Known(given, functions), outputs)
        if self.is_symmetric:
            pattern = pattern.symmetric_part()
        self.stats.add("structure", time.perf_counter() - start, None)
        start = time.perf_counter()
        compression = compress(pattern, is_symmetric=self.is_symmetric)
        self.stats.add("compression", time.perf_counter() - start, None)
        steps = tuple(steps_of(e, compression))
        return Instance(pattern, csr_maker(pattern), integers, steps=steps)

    def program(self, which: Products | Blocks, instance: Instance) -> Compiled:
        """A program that computes entries, or products that have them."""
        with self.lock:
            program = self.programs.get(which)
            if program is None:
                program = self.programs[which] = self._compiled(which, instance)
            return program

    @compiling
    def _compiled(self, which: Products | Blocks, instance: Instance) -> Compiled:
        if isinstance(which, Products):
            module = products_module(self.expression, which)
        else:
            assert instance.block_rows is not None
            module = blocks_module(self.expression, instance.block_rows)
        call, native = executable(module, self.options, self.stats, name=self.name, fresh=self.fresh)
        if self.expression.rooms and native is not None:
            from mlirad.frontend.compiling.roomy import require_rows

            require_rows(native.program.arena_bytes)
        return call, native


def csr_maker(pattern: SparsityPattern) -> Callable[[NDArray[Any]], Any]:
    """From the entries to the matrix; what does not depend on them is made once."""
    from scipy.sparse import csr_array

    size = max(pattern.count, *pattern.shape)
    index = np.int32 if size <= np.iinfo(np.int32).max else np.int64
    columns, starts = pattern.columns.astype(index), pattern.row_starts.astype(index)
    columns.flags.writeable = starts.flags.writeable = False

    def make(entries: NDArray[Any]) -> Any:
        matrix: Any = csr_array((entries, columns, starts), shape=pattern.shape)
        matrix.has_sorted_indices = matrix.has_canonical_format = True
        return matrix

    return make
