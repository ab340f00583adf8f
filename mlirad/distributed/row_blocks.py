"""Sparse Jacobians of functions with results by rows: a CSR matrix for each chunk of rows.

    J = ad.jacobian(residuals, sparse=True)(w, X, y)      X, y of Dask
    J @ v, J.T @ u                                        an array of Dask; of NumPy
    J.normal()                                            J.T @ J, as a matrix of SciPy
    J.to_scipy()                                          all rows, in memory

Each row of results must depend on its own row of the split arguments alone, so that the Jacobian of a chunk
is a block of rows of the whole one. Blocks are tasks of Dask: they are computed when somebody asks, where
the chunks are, each with the sparsity pattern that its own integers give.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import prod
from operator import add
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from xdsl.dialects.func import FuncOp

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import shape_of
from mlirad.distributed.arrays import SplitRows, as_split
from mlirad.distributed.calls import planned_call
from mlirad.distributed.cluster import require_alike
from mlirad.distributed.engines.dask_graph import Held, held
from mlirad.distributed.plan import Argument, Plan, Residual, Rows
from mlirad.distributed.trees import folded
from mlirad.errors import ShapeError, SplitError
from mlirad.frontend.compiling.pickling import transformed_again
from mlirad.frontend.differentiation.argnums import argument_positions
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.ir.builder import returned
from mlirad.ir.parsing import parse_module
from mlirad.packages import load

if TYPE_CHECKING:
    from mlirad.frontend.compiling.arguments import Names
    from mlirad.frontend.compiling.pickling import Recipe
    from mlirad.frontend.compiling.transformed import Transformed
    from mlirad.frontend.differentiation.argnums import Argnums


class RowBlocks:
    """The sparse Jacobian of a function with results by rows: `blocks` are tasks of Dask, one for each chunk.

    Every use computes the blocks that it needs; `persist` keeps them where they are. Sums over chunks are
    those of a fixed tree: the same bits for any number of workers. A call with arrays of Dask makes it.

    >>> import dask.array as da
    >>> X, y = da.from_array(np.eye(4)[:, :3], chunks=(2, 3)), da.ones(4, chunks=2)
    >>> J = ad.jacobian(lambda w, X, y: np.tanh(X @ w) - y, sparse=True)(np.zeros(3), X, y)
    >>> J.shape, J.to_scipy().nnz, J.T @ np.ones(4)
    ((4, 3), 12, array([1., 1., 1.]))
    """

    def __init__(self, blocks: tuple[Any, ...], rows: tuple[int, ...], columns: int, dtype: Any):
        self.blocks: Final = blocks
        self.rows: Final = rows
        self.columns: Final = columns
        self.dtype: Final = np.dtype(dtype)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of all rows and of columns."""
        return sum(self.rows), self.columns

    @property
    def T(self) -> TransposedBlocks:
        """The transpose, for products."""
        return TransposedBlocks(self)

    def __repr__(self) -> str:
        size, columns = self.shape
        return f"<Jacobian of {size} by {columns}, {self.dtype}, in {len(self.blocks)} blocks of rows>"

    @plain_errors
    def __matmul__(self, v: Any) -> Any:
        """The product with a vector or with the columns of a matrix: an array of Dask, in chunks of rows.

        Raises `ShapeError` for another length.
        """
        v = np.asarray(v)
        if v.ndim not in (1, 2) or v.shape[0] != self.columns:
            raise _unfit(v, self.columns, "columns")
        dtype = np.result_type(self.dtype, v.dtype)
        array, multiply = load("dask.array"), load("dask.delayed").delayed(_product, pure=False)
        shared = held(v)
        parts = [
            array.from_delayed(multiply(block, shared), shape=(rows, *v.shape[1:]), dtype=dtype)
            for block, rows in zip(self.blocks, self.rows, strict=True)
        ]
        return array.concatenate(parts)

    @plain_errors
    def normal(self) -> Any:
        """J.T @ J, a matrix of SciPy: what normal equations need."""
        delayed = load("dask.delayed").delayed
        return _summed([delayed(_normal, pure=False)(block) for block in self.blocks])

    @plain_errors
    def to_scipy(self) -> Any:
        """All rows, as a `scipy.sparse.csr_array`."""
        found = load("dask").compute(*self.blocks)
        return load("scipy.sparse").vstack(found, format="csr")

    @plain_errors
    def persist(self) -> RowBlocks:
        """The matrix with its blocks computed, and kept on the workers, or here without a client."""
        kept = load("dask").persist(*self.blocks)
        return RowBlocks(tuple(kept), self.rows, self.columns, self.dtype)


class TransposedBlocks:
    """The transpose of a Jacobian in blocks of rows. `J.T` is one."""

    def __init__(self, blocks: RowBlocks):
        self.T: Final = blocks

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        rows, columns = self.T.shape
        return columns, rows

    @plain_errors
    def __matmul__(self, u: Any) -> Any:
        """The product with a vector of rows, of NumPy or Dask: an array of NumPy.

        Raises `ShapeError` for another length.
        """
        array, delayed = load("dask.array"), load("dask.delayed").delayed
        matrix = self.T
        split = as_split(u)
        given = array.from_array(np.asarray(u), chunks=-1) if split is None else split
        if given.ndim not in (1, 2) or given.shape[0] != matrix.shape[0]:
            raise _unfit(given, matrix.shape[0], "rows")
        chunks = {0: matrix.rows} if given.ndim == 1 else {0: matrix.rows, 1: -1}
        parts = given.rechunk(chunks).to_delayed().ravel()
        multiply = delayed(_transposed_product, pure=False)
        return _summed([multiply(*pair) for pair in zip(matrix.blocks, parts, strict=True)])


def row_blocks(
    made_by: tuple[Recipe, Callable[..., Any]], argnums: Argnums, static: Names, args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> RowBlocks:  # fmt: skip
    """The sparse Jacobian, made by a recipe of a function, at arguments with arrays of Dask among them.

    Raises `SplitError` where a row of results depends on other rows than its own.
    """
    from mlirad.frontend.transformations import jit

    _, function = made_by
    plain = cast("Transformed", jit(function, static_argnames=static))
    planned, split = planned_call(plain, args, kwargs)
    name = function_name(function)
    width, dtype = _width(planned.plan, split, name)
    inner, moving = plain.moving(args, kwargs)
    columns = 0
    for position in argument_positions(inner, argnums, len(moving)):
        for leaf in flatten(moving[position])[0]:
            if as_split(leaf) is not None:
                raise SplitError(
                    f"{name} is differentiated by an argument in chunks, which has a column for every row",
                    location=user_line(),
                    hint="name arguments of NumPy in argnums; derivatives of each row are ad.vmap's",
                )
            columns += np.size(leaf) if np.asarray(leaf).dtype.kind == "f" else 0
    require_alike()
    leaves, tree = flatten((args, tuple(kwargs.values())))
    delayed = load("dask.delayed").delayed
    run = delayed(_Block(made_by, tree, tuple(kwargs)), pure=False)
    parts = {k: a.to_delayed().ravel() for k, leaf in enumerate(leaves) if (a := as_split(leaf)) is not None}
    shared = [leaf if k in parts else held(leaf) for k, leaf in enumerate(leaves)]
    blocks = [
        run(*[parts[k][chunk] if k in parts else leaf for k, leaf in enumerate(shared)])
        for chunk in split.filled
    ]
    rows = tuple(split.rows[chunk] * width for chunk in split.filled)
    return RowBlocks(tuple(blocks), rows, columns, dtype)


def _width(plan: Plan, split: SplitRows, name: str) -> tuple[int, Any]:
    """The elements of results for each row, and their dtype."""
    sources = [source for stage in plan.stages for source in stage.program.inputs]
    if plan.final is not None or any(stage.combinations for stage in plan.stages):
        lines = [line for stage in plan.stages for line in stage.lines]
        places = f" ({', '.join(dict.fromkeys(lines))})" if lines else ""
        raise _not_by_rows(f"results of {name} depend on all rows{places}")
    if any(not isinstance(source, Argument | Residual) for source in sources):
        raise _not_by_rows(f"{name} asks for the number of rows, or for that of a row")
    if len(plan.results) != 1:
        raise _not_by_rows(f"{name} has {len(plan.results)} results, whose rows alternate")
    (result,) = plan.results
    if not isinstance(result, Rows) or result.dimension:
        raise _not_by_rows(f"the rows of {name}'s result are not its first dimension")
    if isinstance(result.source, Argument):
        array = split.arrays[result.source.index]
        return prod(array.shape[1:]), array.dtype
    stage = plan.stages[result.source.stage]
    main = cast(FuncOp, parse_module(stage.program.text).body.block.first_op)
    value = returned(main)[len(stage.partials) + result.source.slot]
    return prod(map(nominal, shape_of(value)[1:])), numpy_dtype(value.type)


def _not_by_rows(reason: str) -> SplitError:
    return SplitError(
        f"{reason}, so its sparse Jacobian has no blocks of rows",
        location=user_line(),
        hint="r, J = ad.linearize(f, w, X) has products with J, and J.solve(-r)",
    )


def _unfit(given: Any, wanted: int, of: str) -> ShapeError:
    return ShapeError(
        f"the Jacobian has {wanted} {of}, and is multiplied with an array of shape {tuple(given.shape)}",
        location=user_line(),
        hint=f"pass a vector of {wanted} elements, or a matrix of {wanted} rows",
    )


# Tasks ---------------------------------------------------------------------------------------------


class _Block:
    """Computes the block of a chunk; a process makes the derivative once for all of its chunks."""

    def __init__(self, made_by: tuple[Recipe, Callable[..., Any]], tree: Tree, names: tuple[str, ...]):
        self._made_by, self._tree, self._names = made_by, tree, names
        self._derivative: Callable[..., Any] | None = None
        self.__name__ = "block"

    def __reduce__(self) -> Any:
        return _Block, (self._made_by, self._tree, self._names)

    def __call__(self, *leaves: Any) -> Any:
        derivative = self._derivative
        if derivative is None:
            derivative = self._derivative = transformed_again(*self._made_by)
        args, named = self._tree.unflatten([v.value if isinstance(v, Held) else v for v in leaves])
        return derivative(*args, **dict(zip(self._names, named, strict=True)))


def _product(block: Any, v: Held) -> Any:
    return block @ v.value


def _transposed_product(block: Any, u: Any) -> Any:
    return block.T @ u


def _normal(block: Any) -> Any:
    return (block.T @ block).tocsr()


def _summed(tasks: Sequence[Any]) -> Any:
    """The sum over chunks, by the fixed tree."""
    fold = load("dask.delayed").delayed(_folded, pure=False)
    root, _ = folded(tasks, lambda level, number, items: fold(items))
    return root.compute()


def _folded(parts: Sequence[Any]) -> Any:
    return reduce(add, parts)
