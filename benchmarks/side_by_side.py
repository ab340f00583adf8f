"""Tasks in mlirad and in JAX side by side: the first call, the median of later ones, and the ratio.

A task takes a system, mlirad or JAX under mlirad's names, and a function that gives the programs of a module
in that system. It returns the call to time:

    def flowing(ad, programs):
        slope = ad.value_and_grad(programs(example).loss)
        return lambda: slope(params, x)

JAX's program is that of the module, with `jax.numpy` for NumPy and JAX's transformations and loops for those
of mlirad, which have the same names; it is jitted. Where JAX has another form for something, a task asks
`is_jax`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

from benchmarks.peers import is_installed, jax_in_double, require_agreement
from benchmarks.protocol import Limits, first_call, median_seconds, use_threads

Call = Callable[[], Any]

Task = Callable[[Any, Any], Call | None]


def print_table(
    tasks: Sequence[Task], not_compared: Collection[Task], tolerance: float, clock: str, threads: int = 1
) -> None:
    """Print a row for each task, named by its docstring. A task that JAX has no form of returns None for it.

    Results must agree to the tolerance, except for those of tasks that are not compared.
    """
    use_threads(threads)
    has_jax = is_installed("jax")
    print("| task | first call | JAX | later calls | JAX | JAX / mlirad |\n| --- " + 5 * "| --: " + "|")
    for task in tasks:
        import mlirad

        calls = [call for call in (task(mlirad, direct), task(*jax_for()) if has_jax else None) if call]
        firsts, results = zip(*(first_call(call, clock) for call in calls), strict=True)
        if len(calls) == 2 and task not in not_compared:
            require_agreement(task.__name__, *results, tolerance)
        laters = median_seconds(calls, Limits(clock=clock, max_seconds=4.0))
        cells = [f"{t:.2f} s" for t in firsts] + [""] * (2 - len(calls))
        cells += [f"{1e3 * t:.3g} ms" for t in laters] + [""] * (2 - len(calls))
        cells += [f"{laters[1] / laters[0]:.1f}" if len(calls) == 2 else ""]
        print(f"| {(task.__doc__ or '').rstrip('.')} | {' | '.join(cells)} |", flush=True)


def direct(module: ModuleType) -> ModuleType:
    """The programs of an example as they are."""
    return module


def jax_for() -> tuple[Any, Callable[[ModuleType], Any]]:
    """JAX under the names of mlirad, and the programs of an example with it."""
    jax = jax_in_double()
    import jax.scipy.special as special
    from jax.experimental import ode

    def fold(f: Any, init: Any, xs: Any) -> Any:
        return jax.lax.scan(lambda carry, x: (f(carry, x), None), init, xs)[0]

    def odeint(f: Any, y0: Any, t: Any, *args: Any, **tolerances: float) -> Any:
        return ode.odeint(f, y0, t, *args, **tolerances)

    def compiled(transformed: Any) -> Any:
        jitted = jax.jit(transformed)
        return lambda *args: jax.block_until_ready(jitted(*args))

    names = SimpleNamespace(
        jit=compiled, grad=jax.grad,
        value_and_grad=lambda f, argnums=0: compiled(jax.value_and_grad(f, argnums)),
        jacobian=jax.jacobian, hessian=jax.hessian, jvp=jax.jvp, vmap=jax.vmap, scan=jax.lax.scan, fold=fold,
        fori_loop=jax.lax.fori_loop, stop_gradient=jax.lax.stop_gradient,
        odeint=odeint, random=jax.random, segment_sum=jax.ops.segment_sum,
        segment_max=jax.ops.segment_max, is_jax=True,
    )  # fmt: skip
    others = {
        "np": jax.numpy, "ad": names, "logsumexp": special.logsumexp, "gammaln": special.gammaln,
        "log_softmax": jax.nn.log_softmax, "ndtr": special.ndtr, "norm": jax.scipy.stats.norm,
    }  # fmt: skip

    def with_jax(module: ModuleType) -> Any:
        known: dict[str, Any] = {**vars(module), **others}
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                known[name] = FunctionType(value.__code__, known, name, value.__defaults__, value.__closure__)
        return SimpleNamespace(**known)

    return names, with_jax


def is_jax(ad: Any) -> bool:
    """Tell whether the system is JAX."""
    return hasattr(ad, "is_jax")


def given(ad: Any, *arguments: Any) -> Any:
    """The arguments of calls as the arrays of the system."""
    if not is_jax(ad):
        return arguments
    import jax

    return jax.tree.map(jax.numpy.asarray, arguments)
