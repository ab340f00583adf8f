"""The transformations: `jit`, the gradients, Jacobians, Hessians and `vmap`, and calling what they make.

g = ad.grad(loss)                  nothing happens yet
g(w, x)                            traced and compiled for these shapes and dtypes, then run
g(w, x)                            run
ad.grad(lambda v: g(v, x) @ u)     inside a trace nothing is compiled: derivatives nest as ops
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from mlirad.errors import ArgumentError
from mlirad.frontend.compiling.arguments import Chosen, Names
from mlirad.frontend.compiling.dynamic import Dynamic
from mlirad.frontend.compiling.options import CompileOptions, Options, options_of
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.differentiation.argnums import Argnums, chosen_arguments, chosen_or_all
from mlirad.frontend.signatures import (
    as_batching,
    as_dense_jacobian,
    as_gradient,
    as_hessian,
    as_jacobian,
    as_jit,
    as_value_and_gradient,
    with_options,
)
from mlirad.frontend.tracing.argument_kinds import checked_flag, checked_list
from mlirad.frontend.tracing.captures import static_key
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_errors

if TYPE_CHECKING:
    from mlirad.frontend.differentiation.jacobians import Mode


@as_jit
def jit(
    function: Callable[..., Any], *, static_argnames: Names = (), donate: Chosen = (),
    dynamic: Dynamic = (), **options: Unpack[CompileOptions],
) -> Transformed:  # fmt: skip
    """`function`, compiled for each signature it is called with.

    `static_argnames` are parameters whose values are part of the signature and reach the function as they
    are; `static_argnums` are more of them, by position, from the end if negative. `donate` are parameters, by
    name or position, whose arrays the caller does not read again: results of the same shape and dtype are
    made in their memory, and are these arrays; one that fits no result gives a `DonationWarning`, and the
    interpreter leaves all as they are.

    `dynamic` names dimensions of arguments that have one size, whatever it is, as in `"x:0 y:0"`, several
    strings for several sizes: the function is traced and differentiated once for all sizes of 2 and more.

        >>> scale = ad.jit(lambda x, n: x * n, static_argnames="n")
        >>> scale(np.array([1.0, 2.0]), n=3)
        array([3., 6.])
        >>> step = ad.jit(lambda w, g: w - 0.5 * g, donate="w")
        >>> weights = np.ones(3)
        >>> step(weights, np.ones(3)) is weights
        True
    """
    is_own = str(getattr(function, "__module__", "")).startswith("mlirad.")  # written for traces alone
    plain = None if is_own else _as_it_stands
    return Transformed(function, _called, "jit", options_of(options), static_argnames, donate, dynamic, plain)


def _as_it_stands(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    from mlirad.frontend.constructs import eager

    return eager.as_it_stands(function, args)


def _called(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    from mlirad.frontend.constructs import repeated

    return repeated.call(function, args)


@as_value_and_gradient
def value_and_grad(
    function: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False, holomorphic: bool = False,
    static_argnames: Names = (), donate: Chosen = (), **options: Unpack[CompileOptions],
) -> Transformed:  # fmt: skip
    """The value of a scalar function and its gradient with respect to the arguments `argnums`.

    `argnums` are positions or names; one gives a bare gradient, several a tuple. The gradient is structured
    like the argument; integer and boolean leaves have `None`. With respect to a complex argument x + iy it is
    df/dx - i df/dy; with `holomorphic` the function gives a complex number, and the gradient is its complex
    derivative. With `has_aux` the function returns
    `(value, aux)`, and so does the transformed one in place of the value. `static_argnames` and `donate` are
    those of `jit`.

        >>> ad.value_and_grad(lambda x: np.sum(x * x))(np.array([1.0, 2.0]))
        (np.float64(5.0), array([2., 4.]))
    """
    chosen, has_aux = chosen_arguments(argnums), checked_flag(has_aux, "has_aux")
    holomorphic = checked_flag(holomorphic, "holomorphic")

    def differentiated(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        from mlirad.frontend.differentiation import derivatives

        return derivatives.value_and_grad(f, chosen, has_aux, args, holomorphic)

    return Transformed(
        function,
        differentiated,
        ("value_and_grad", chosen, has_aux, holomorphic),
        options_of(options),
        static_argnames,
        donate,
    )


@as_gradient
def grad(
    function: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False, holomorphic: bool = False,
    static_argnames: Names = (), donate: Chosen = (), **options: Unpack[CompileOptions],
) -> Transformed:  # fmt: skip
    """The gradient of a scalar function with respect to the arguments `argnums`.

    `argnums` are positions or names; one gives a bare gradient, several a tuple. The gradient is structured
    like the argument; integer and boolean leaves have `None`. With `has_aux` the function returns
    `(value, aux)`, and the transformed one `(gradient, aux)`. `static_argnames` are parameters that reach the
    function as they are, `donate` those whose arrays results may be made in.

        >>> ad.grad(lambda x, y: x * y**2, argnums=("x", "y"))(3.0, 2.0)
        (np.float64(4.0), np.float64(12.0))
        >>> ad.grad(lambda p: p["w"] * p["n"])({"w": 2.0, "n": 3})
        {'w': np.float64(3.0), 'n': None}
    """
    chosen, has_aux = chosen_arguments(argnums), checked_flag(has_aux, "has_aux")
    holomorphic = checked_flag(holomorphic, "holomorphic")

    def differentiated(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        from mlirad.frontend.differentiation import derivatives

        value, gradient = derivatives.value_and_grad(f, chosen, has_aux, args, holomorphic)
        return (gradient, value[1]) if has_aux else gradient

    return Transformed(
        function,
        differentiated,
        ("grad", chosen, has_aux, holomorphic),
        options_of(options),
        static_argnames,
        donate,
    )


@with_options
@plain_errors
def jvp(
    function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any],
    argnums: Argnums | None = None, **options: Unpack[CompileOptions],
) -> tuple[Any, Any]:  # fmt: skip
    """The value at `primals` and the derivative there applied to `tangents`.

    Tangents are structured like the primals; `None` stands for zero. With `argnums` there is one for each of
    these arguments, and the others are constants. Results without derivative have `None`.

        >>> ad.jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, None))
        (np.float64(6.0), np.float64(3.0))
    """
    chosen = chosen_or_all(argnums)

    def differentiated(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        from mlirad.frontend.differentiation import derivatives

        return derivatives.jvp(f, chosen, *args)

    transformed = Transformed(function, differentiated, ("jvp", chosen), options_of(options))
    return transformed(*_one_per_argument(primals, tangents, "jvp"))


def _one_per_argument(
    primals: Sequence[Any], tangents: Sequence[Any], what: str
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Primals and tangents as tuples."""
    hint = f"write ad.{what}(f, (x,), (dx,)), with one entry per argument"
    return (
        tuple(checked_list(primals, f"the primals of {what}", hint)),
        tuple(checked_list(tangents, f"the tangents of {what}", hint)),
    )


@as_jacobian
def jacobian(
    function: Callable[..., Any], argnums: Argnums = 0, *, sparse: bool = False,
    has_aux: bool = False, holomorphic: bool = False, static_argnames: Names = (),
    **options: Unpack[CompileOptions],
) -> Transformed:  # fmt: skip
    """The Jacobian of a function of any results with respect to the arguments `argnums`.

    It is structured like the result, and each leaf of it like the argument (of several arguments, a tuple).
    For a leaf of the result of shape t and one of the argument of shape s it is an array of shape t + s,
    `None` where there is no derivative. It is made by columns or by rows, whichever are fewer. With `has_aux`
    the function returns `(value, aux)`, and the transformed one `(jacobian, aux)`. With `holomorphic`
    arguments and results are complex, and so is the Jacobian.

    With `sparse=True` it is one `scipy.sparse.csr_array`: a row for each float of the result, a column for
    each float of the arguments, leaf by leaf. It has the entries that can differ from zero, which
    `.structure` of the transformed function gives alone, and costs what these cost.

        >>> ad.jacobian(lambda x: np.stack([x[0] * x[1], x[0]]))(np.array([2.0, 3.0]))
        array([[3., 2.],
               [1., 0.]])
        >>> ad.jacobian(lambda x: x[1:] * x[:-1], sparse=True)(np.array([1.0, 2.0, 3.0])).toarray()
        array([[2., 1., 0.],
               [0., 3., 2.]])
    """
    if checked_flag(sparse, "sparse"):
        has_aux = checked_flag(has_aux, "has_aux")
        if checked_flag(holomorphic, "holomorphic"):
            raise ArgumentError(
                "a sparse Jacobian is of real numbers, and holomorphic=True asks for a complex one",
                location=user_line(),
                hint="leave sparse out, or make it a function of z.real and z.imag",
            )
        from mlirad.frontend.sparse.derivatives import SparseDerivative

        return SparseDerivative(function, argnums, has_aux, False, options_of(options), static_argnames)
    flags = has_aux, holomorphic
    return _jacobian("auto", function, argnums, flags, static_argnames, options_of(options))


@as_dense_jacobian
def jacfwd(
    function: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False, holomorphic: bool = False,
    static_argnames: Names = (), **options: Unpack[CompileOptions],
) -> Transformed:  # fmt: skip
    """The Jacobian by columns: one application of the derivative each; see `jacobian`.

    >>> ad.jacfwd(lambda x: np.stack([x * x, 3 * x, 1 / x]))(2.0)
    array([ 4.  ,  3.  , -0.25])
    """
    flags = has_aux, holomorphic
    return _jacobian("forward", function, argnums, flags, static_argnames, options_of(options))


@as_dense_jacobian
def jacrev(
    function: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False, holomorphic: bool = False,
    static_argnames: Names = (), **options: Unpack[CompileOptions],
) -> Transformed:  # fmt: skip
    """The Jacobian by rows: one application of the transposed derivative each; see `jacobian`.

    >>> ad.jacrev(lambda x: {"sum": np.sum(x), "product": np.prod(x)})(np.array([2.0, 3.0]))
    {'sum': array([1., 1.]), 'product': array([3., 2.])}
    """
    flags = has_aux, holomorphic
    return _jacobian("reverse", function, argnums, flags, static_argnames, options_of(options))


def _jacobian(
    mode: Mode,
    function: Callable[..., Any],
    argnums: Argnums,
    flags: tuple[bool, bool],
    static_argnames: Names,
    options: Options,
) -> Transformed:
    chosen, has_aux = chosen_arguments(argnums), checked_flag(flags[0], "has_aux")
    holomorphic = checked_flag(flags[1], "holomorphic")

    def differentiated(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        from mlirad.frontend.differentiation import jacobians

        blocks, aux = jacobians.jacobian(f, chosen, has_aux, mode, args, holomorphic, options.at_a_time)
        return (blocks, aux) if has_aux else blocks

    key = ("jacobian", mode, chosen, has_aux, holomorphic)
    return Transformed(function, differentiated, key, options, static_argnames)


@as_hessian
def hessian(
    function: Callable[..., Any], argnums: Argnums = 0, *, sparse: bool = False,
    static_argnames: Names = (), **options: Unpack[CompileOptions],
) -> Transformed:  # fmt: skip
    """The second derivatives of a scalar function: the Jacobian of its gradient, structured like one.

    With `sparse=True` it is one symmetric `scipy.sparse.csr_array`; see `jacobian`.

        >>> ad.hessian(lambda x: x[0] ** 2 * x[1])(np.array([2.0, 3.0]))
        array([[6., 4.],
               [4., 0.]])
    """
    if checked_flag(sparse, "sparse"):
        from mlirad.frontend.sparse.derivatives import SparseDerivative

        return SparseDerivative(function, argnums, False, True, options_of(options), static_argnames)
    chosen, read = chosen_arguments(argnums), options_of(options)

    def differentiated(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        from mlirad.frontend.differentiation import jacobians

        return jacobians.hessian(f, chosen, args, read.at_a_time)

    return Transformed(function, differentiated, ("hessian", chosen), read, static_argnames)


@with_options
@plain_errors
def hvp(
    function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any],
    argnums: Argnums | None = None, **options: Unpack[CompileOptions],
) -> Any:  # fmt: skip
    """The Hessian of a scalar function at `primals` times `tangents`, without the Hessian.

    Like a gradient it is bare for one argument, and a tuple for several. With `argnums` both derivatives are
    with respect to these arguments: there is one tangent for each, and the result is as of `grad`.

        >>> ad.hvp(lambda x: np.sum(x**3), (np.array([1.0, 2.0]),), (np.array([1.0, 0.0]),))
        array([6., 0.])
    """
    chosen = chosen_or_all(argnums)

    def differentiated(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        from mlirad.frontend.differentiation import jacobians

        return jacobians.hvp(f, chosen, *args)

    transformed = Transformed(function, differentiated, ("hvp", chosen), options_of(options))
    return transformed(*_one_per_argument(primals, tangents, "hvp"))


@as_batching
def vmap(
    function: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0, *,
    static_argnames: Names = (), **options: Unpack[CompileOptions],
) -> Transformed:  # fmt: skip
    """`function` on every element of a batch.

    `in_axes` says along which axis each argument is batched, `None` for one that is the same for the whole
    batch; `out_axes` where the batch goes in the results. Each is one axis for all, or one per argument or
    result, or nested like their structures with one for all or one per part.

        >>> dots = ad.vmap(lambda x, w: x @ w, in_axes=(0, None))
        >>> dots(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 10.0]))
        array([21., 43.])
    """
    hint = "write one axis for all arguments, or in_axes=(0, None)"
    axes = (
        in_axes
        if isinstance(in_axes, int) or in_axes is None
        else tuple(checked_list(in_axes, "the in_axes of vmap", hint))
    )

    read = options_of(options)

    def batched(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        from mlirad.frontend.constructs import batching

        return batching.vmap(f, axes, out_axes, args, read.at_a_time)

    def plain(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        from mlirad.frontend.constructs import batching

        return batching.plain_vmap(f, axes, out_axes, args)

    key = ("vmap", static_key(axes), static_key(out_axes))
    return Transformed(function, batched, key, read, static_argnames, plain=plain)
