"""`checkpoint`: a function whose intermediate values derivatives compute again, and regions of user code.

ad.checkpoint(f)(x)        %y = array.checkpoint { the code of f at x }
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from xdsl.ir import Attribute, Region

from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.shapes import Value
from mlirad.frontend.constructs import repeated
from mlirad.frontend.constructs.eager import called, known
from mlirad.frontend.tracing.array import Array, copied_leaves, made
from mlirad.frontend.tracing.frames import current_frame, emitting
from mlirad.frontend.tracing.function_names import with_signature
from mlirad.frontend.tracing.functions import call
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.pytree import Tree
from mlirad.frontend.tracing.tokens import has_reports, last_token, resume, token
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.ir.builder import yields

F = TypeVar("F", bound=Callable[..., Any])


@plain_errors
def checkpoint(function: F) -> F:
    """`function`, none of whose intermediate values are kept for derivatives: reverse mode recomputes them.

    That saves memory at the cost of time. The loop's own `checkpoint=` decides what is kept of its
    iterations.

        >>> layer = ad.checkpoint(lambda w, x: np.tanh(np.tanh(w * x) * x))
        >>> ad.grad(lambda w: np.sum(layer(w, np.ones(2))))(np.zeros(2))
        array([1., 1.])
    """

    @functools.wraps(function)
    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        if not is_tracing():
            return called(functools.partial(function, **known(kwargs, "checkpoint")), args, "checkpoint")
        if kwargs:
            code = functools.partial(function, **copied_leaves(kwargs))
        else:
            code = with_signature(lambda *args: repeated.call(function, args), function)

        last = last_token()
        region, tree, results = traced_region(code, (), lambda values: args)
        types = [v.type for v in yields(region)]
        op = emitting().insert(CheckpointOp, (), types, None, (region,))
        if last is not None:
            resume(made(op.results[-1]))
        return tree.unflatten([made(v, weak=r.weak) for v, r in zip(op.results, results, strict=False)])

    return cast(F, checkpointed)


def traced_region(
    function: Callable[..., Any],
    types: Sequence[Attribute],
    arguments: Callable[[Sequence[Value]], tuple[Any, ...]],
) -> tuple[Region, Tree, list[Array]]:
    """A region that returns what a function does and, where there are reports, the last token.

    With it the structure of the result, and its leaves in the region.
    """
    frame = current_frame()
    found: list[tuple[Tree, list[Array]]] = []

    def body(*values: Value) -> list[Value]:
        with frame.open_scope():
            results, tree = call(function, arguments(values))
            found.append((tree, results))
            sent = [r.value for r in results]
            return [*sent, token().value] if has_reports() else sent

    region = emitting().region(types, body)
    return region, *found[0]
