"""`to_jax`: a function of mlirad as one of JAX, with derivatives of every order in both modes.

    step = jax.jit(lambda w, x: jnp.sum(ad.to_jax(layer)(w, x) ** 2))

A call is an operation of JAX of its own, which XLA runs as a callback into Python (`jax.pure_callback`). Its
rules make other such calls: the derivative is a call that is linear in the tangents, the transpose of that is
the call of the pulled-back program, and a batch is the call of the mapped program.

A call from JAX goes through Python. A handler for XLA's foreign functions could call the machine code
directly. It would depend on the layout of XLA's call frames, a promise to C++ that is compiled against its
headers. `pure_callback` costs a fraction of a millisecond and is the same on every platform.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from mlirad.bridges.flat_programs import FlatProgram, Programs
from mlirad.bridges.packages import framework
from mlirad.errors import DtypeError
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_errors

_SUPPORTED = ("float64", "float32", "int64", "int32", "bool")


@plain_errors
def to_jax(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of mlirad for use in JAX: in `jax.jit`, `jax.grad`, `jax.jvp`, `jax.vmap`, and their
    compositions.

    Arguments and results are structures of arrays. The program is compiled by mlirad for the dtypes that JAX
    hands over, so 64 bits need `jax_enable_x64`. A call from compiled JAX code goes through Python and takes
    about as long as `jax.pure_callback` does; what is called is machine code. It runs on the CPU, where its
    arguments are read in place. Raises `UnsupportedError` where JAX is not installed, `DtypeError` for other
    dtypes.

        >>> import jax
        >>> cube = ad.to_jax(lambda x: x**3)
        >>> float(cube(2.0)), float(jax.grad(jax.grad(cube))(2.0))
        (8.0, 12.0)
    """
    framework("jax", "to_jax")
    programs = Programs(function)

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        program, leaves, structured = programs.of(args)
        jnp = framework("jax.numpy", "to_jax")
        arrays = [jnp.asarray(leaf) for leaf in leaves]
        return structured(_primitive().bind(*arrays, program=program, linear=0))

    return call


@cache
def _primitive() -> Any:
    """The operation of JAX: `program` on the operands, linear in the last `linear` of them."""
    jax = framework("jax", "to_jax")
    ad = framework("jax.interpreters.ad", "to_jax")
    batching = framework("jax.interpreters.batching", "to_jax")
    mlir = framework("jax.interpreters.mlir", "to_jax")
    primitive = framework("jax.extend.core", "to_jax").Primitive("mlirad_call")
    primitive.multiple_results = True

    def abstract(*avals: Any, program: FlatProgram, linear: int) -> list[Any]:
        return [jax.core.ShapedArray(o.shape, o.dtype) for o in _outputs(program, avals)]

    def run(*operands: Any, program: FlatProgram, linear: int) -> list[Any]:
        shapes = [jax.ShapeDtypeStruct(o.shape, o.dtype) for o in _outputs(program, operands)]

        def call(*given: Any) -> tuple[Any, ...]:
            # The operands are arrays of JAX, whose memory NumPy reads as it is.
            return tuple(np.asarray(r) for r in program(*(np.asarray(g) for g in given)))

        return jax.pure_callback(call, tuple(shapes), *operands)

    def differentiate(
        primals: Sequence[Any], tangents: Sequence[Any], *, program: FlatProgram, linear: int
    ) -> Any:
        values = primitive.bind(*primals, program=program, linear=linear)
        moving = tuple(not isinstance(t, ad.Zero) and _is_float(t.dtype) for t in tangents)
        given = [t for t, moves in zip(tangents, moving, strict=True) if moves]
        made = iter(())
        if given and any(_is_float(v.dtype) for v in values):
            made = iter(primitive.bind(*primals, *given, program=program.pushed(moving), linear=len(given)))
            pushed = [next(made) if _is_float(v.dtype) else zero(v) for v in values]
        else:
            pushed = [zero(v) for v in values]
        return values, pushed

    def zero(value: Any) -> Any:
        return ad.Zero(jax.typeof(value).to_tangent_aval())

    def transpose(cotangents: Sequence[Any], *operands: Any, program: FlatProgram, linear: int) -> list[Any]:
        """The transpose: the derivative of the linear program by its linear operands, at zero."""
        count = len(operands)
        undefined = [ad.is_undefined_primal(o) for o in operands]
        avals = [o.aval if u else jax.typeof(o) for o, u in zip(operands, undefined, strict=True)]
        numbers = [
            jax.numpy.zeros(a.shape, a.dtype) if u else o
            for o, u, a in zip(operands, undefined, avals, strict=True)
        ]
        outputs = _outputs(program, avals)
        given = [
            jax.numpy.zeros(o.shape, o.dtype) if isinstance(c, ad.Zero) else c
            for c, o in zip(cotangents, outputs, strict=True)
            if _is_float(o.dtype)
        ]
        pulled = iter(
            primitive.bind(*numbers, *given, program=program.pulled(tuple(undefined)), linear=len(given))
        )
        return [next(pulled) if undefined[k] else None for k in range(count)]

    def batch(operands: Sequence[Any], dims: Sequence[Any], *, program: FlatProgram, linear: int) -> Any:
        axes = tuple(None if d is None else int(d) for d in dims)
        results = primitive.bind(*operands, program=program.mapped(axes), linear=linear)
        return results, [0] * len(results)

    primitive.def_impl(run)
    primitive.def_abstract_eval(abstract)
    mlir.register_lowering(primitive, mlir.lower_fun(run, multiple_results=True))
    ad.primitive_jvps[primitive] = differentiate
    ad.primitive_transposes[primitive] = transpose
    batching.primitive_batchers[primitive] = batch
    return primitive


def _is_float(dtype: Any) -> bool:
    return np.dtype(dtype).kind == "f" if str(dtype) in _SUPPORTED else False


def _outputs(program: FlatProgram, avals: Sequence[Any]) -> Any:
    for aval in avals:
        if str(aval.dtype) not in _SUPPORTED:
            raise DtypeError(
                f"an array of dtype {aval.dtype} cannot be handed to mlirad",
                location=user_line(),
                hint=f"convert it to one of {', '.join(_SUPPORTED)}",
            )
    return program.outputs([(tuple(a.shape), np.dtype(str(a.dtype))) for a in avals])
