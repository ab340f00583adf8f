"""`jit(dynamic=)` at many sizes: random programs against NumPy, static programs and guarded runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.compiling.sized_programs import SizedPrograms
from mlirad.jit.call import NativeFunction
from mlirad.jit.machine_program import MachineProgram
from tests.generators.sized_calls import random_arguments, random_function
from tests.threads.sharing import everything_shared

SIZES = (2, 9, 255, 256, 1000)

np_: Any = np
"""NumPy, as functions of traced arrays."""


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[int, NativeFunction]]:
    """The programs for all sizes of a range, at the sizes of calls that they served."""
    found: dict[int, NativeFunction] = {}
    at = SizedPrograms.at

    def noted(self: SizedPrograms, sizes: Mapping[str, int], *given: Any) -> NativeFunction | None:
        native = at(self, sizes, *given)
        if native is not None:
            found[sizes["n"]] = native
        return native

    monkeypatch.setattr(SizedPrograms, "at", noted)
    yield found


def agree(found: Any, wanted: Any) -> None:
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("seed", range(30))
def test_values(seed: int, served: dict[int, NativeFunction]) -> None:
    rng = np.random.default_rng(seed)
    function = random_function(rng)
    dynamic = ad.jit(function, dynamic="x:0 rows:0 at:0")
    for n in SIZES:
        arguments = random_arguments(rng, n)
        wanted = function(*arguments)
        agree(dynamic(*arguments), wanted)
        program = served[n].program
        assert isinstance(program, MachineProgram)
        agree(NativeFunction(program, debug=True)(*arguments), wanted)


@pytest.mark.parametrize("seed", range(30))
def test_gradients(seed: int, served: dict[int, NativeFunction]) -> None:
    """Against static programs; threads that share all they can change no bit."""
    rng = np.random.default_rng(seed)
    function = random_function(rng, steps=2)

    def loss(x: Any, rows: Any, table: Any, at: Any) -> Any:
        return sum(np_.sum(np.sin(part)) for part in function(x, rows, table, at))

    gradient = ad.grad(loss, argnums=(0, 1, 2))
    with everything_shared():
        dynamic = [ad.jit(gradient, dynamic="x:0 rows:0 at:0", threads=threads) for threads in (1, 2)]
        for n in SIZES[::2]:
            arguments = random_arguments(rng, n)
            alone, together = [step(*arguments) for step in dynamic]
            agree(alone, ad.jit(gradient)(*arguments))
            assert [np.asarray(a).tobytes() for a in alone] == [np.asarray(a).tobytes() for a in together]
    assert set(served) == set(SIZES[::2])
