"""`to_torch`: a function of mlirad as one of PyTorch, whose backward pass is mlirad's.

    layer = ad.to_torch(f)
    layer(weights, x).sum().backward()

A call is an `autograd.Function`. Its backward is a call of the program that pulls cotangents back, which is
an `autograd.Function` as well: so `create_graph=True`, and derivatives of any order, work. Tensors are handed
over by DLPack: they are read where they lie, and results are tensors on the memory that the program wrote.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from mlirad.bridges.flat_programs import FlatProgram, Programs
from mlirad.bridges.packages import framework
from mlirad.errors import ArgumentError, DtypeError
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_errors


@plain_errors
def to_torch(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of mlirad on tensors of PyTorch, with gradients of every order, `torch.func.jvp` and `vmap`.

    Arguments and results are structures: tensors, `torch.nn.Parameter`s and Python numbers in tuples, lists,
    dicts and dataclasses. Tensors must be on the CPU and of dtype float64, float32, int64, int32 or bool.
    Raises `UnsupportedError` where PyTorch is not installed, `DtypeError` for other dtypes, `ArgumentError`
    for other devices and layouts.

        >>> import torch
        >>> total = ad.to_torch(lambda x: np.sum(x**3))
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> total(x).backward()
        >>> x.grad
        tensor([ 3., 12.])
    """
    framework("torch", "to_torch")
    programs = Programs(function)

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        torch = framework("torch", "to_torch")
        program, leaves, structured = programs.of(args)
        tensors = [
            leaf if isinstance(leaf, torch.Tensor) else torch.as_tensor(np.asarray(leaf)) for leaf in leaves
        ]
        return structured(_call_class().apply(program, *tensors))

    return call


def plain_tensor(torch: Any, tensor: Any) -> Any:
    """A tensor as an array of NumPy on the same memory."""
    if tensor.device.type != "cpu":
        raise ArgumentError(
            f"a tensor on {tensor.device} cannot be handed to mlirad, which computes on the CPU",
            location=user_line(),
            hint="move it there, x.cpu()",
        )
    if tensor.layout is not torch.strided:
        raise ArgumentError(
            f"a tensor of layout {tensor.layout} cannot be handed to mlirad",
            location=user_line(),
            hint="write x.to_dense()",
        )
    if tensor.dtype not in (torch.float64, torch.float32, torch.int64, torch.int32, torch.bool):
        raise DtypeError(
            f"a tensor of dtype {tensor.dtype} cannot be handed to mlirad",
            location=user_line(),
            hint="convert it to float64, float32, int64, int32 or bool, x.double()",
        )
    return np.from_dlpack(tensor.detach().resolve_neg())


@cache
def _call_class() -> Any:
    """The `autograd.Function` that calls a program."""
    torch = framework("torch", "to_torch")

    class Call(torch.autograd.Function):
        """`Call.apply(program, *tensors)`, a tuple of tensors."""

        @staticmethod
        def forward(program: FlatProgram, *tensors: Any) -> tuple[Any, ...]:
            """Run the program."""
            results = program(*(plain_tensor(torch, t) for t in tensors))
            return tuple(torch.from_dlpack(np.asarray(r)) for r in results)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Any, ...]) -> None:
            """Keep the arguments, and which results have derivatives."""
            ctx.program = inputs[0]
            ctx.save_for_backward(*inputs[1:])
            ctx.save_for_forward(*inputs[1:])
            ctx.floats = [r.is_floating_point() for r in output]
            ctx.mark_non_differentiable(*(r for r in output if not r.is_floating_point()))

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> tuple[Any, ...]:
            """Pull cotangents back, by a call of its own."""
            moving = tuple(ctx.needs_input_grad[1:])
            given = [c for c, is_float in zip(cotangents, ctx.floats, strict=True) if is_float]
            pulled = iter(Call.apply(ctx.program.pulled(moving), *ctx.saved_tensors, *given))
            return None, *(next(pulled) if moves else None for moves in moving)

        @staticmethod
        def jvp(ctx: Any, _: Any, *tangents: Any) -> tuple[Any, ...]:
            """Push tangents forward."""
            moving = tuple(t is not None for t in tangents)
            given = [t for t in tangents if t is not None]
            pushed = iter(Call.apply(ctx.program.pushed(moving), *ctx.saved_tensors, *given))
            return tuple(next(pushed) if is_float else None for is_float in ctx.floats)

        @staticmethod
        def vmap(info: Any, dims: Sequence[Any], program: FlatProgram, *tensors: Any) -> tuple[Any, Any]:
            """Call the program of a batch."""
            results = Call.apply(program.mapped(tuple(dims[1:])), *tensors)
            return results, (0,) * len(results)

    return Call
