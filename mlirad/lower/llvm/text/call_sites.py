"""Inlining of calls of shared functions and of kernels, decided when the whole module is written.

    %y = call <4 x double> @mlirad.sin.double.4(<4 x double> %x) #0
    ...
    attributes #0 = { alwaysinline }

Inlined at each use, elementary functions would be two thirds of what LLVM has to compile of a long program. A
call costs vector registers that are saved around it, which only counts where it runs often. So the sites of
one function form two groups, those that run often in a call of the program and the others. Each group is
inlined as long as it is small. A call computes the same; but LLVM may fuse other products of the code around
it with sums, so the last digit of a result can depend on how many uses there are.

A function costs LLVM half a millisecond, however short it is: its code generator has some hundred passes,
and runs each on every function. So a short kernel that is called in one place is inlined there. Long ones are
not: they have loops in which every register counts.

Short kernels are inlined where they are called once. LLVM's code generator runs some hundred passes on each
function: half a millisecond for one of two instructions, and up to a quarter of its time for programs of
small kernels. Longer kernels stay functions, in which loops have the registers to themselves and which
profilers name. In a profiled program all of them stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mlirad.lower.llvm.text.emission import Emission

OFTEN: Final = 32
"""The number of runs in a call of the program from which a site counts as one that runs often."""

MOST_INLINED: Final = {True: 10, False: 1}
"""The most sites at which a group is inlined, of those that run often (True) and of the others.

Kernels of 46 sines, cosines, exponentials and hyperbolic tangents over a long array take half of the time to
compile with calls, 0.25 s less, and 5 to 10 % longer to run.
"""


SHORT: Final = 64
"""The most lines of a short function."""


class CallSites:
    """The calls in one module: their groups, by function and by whether they run often, and how often each
    function is called by its name.
    """

    def __init__(self) -> None:
        self._groups: dict[tuple[str, bool], int] = {}
        self._calls = Counter[str]()

    def note_call(self, function: str) -> None:
        """Count a call of a function in the text."""
        self._calls[function] += 1

    def inlining_of(self, function: Emission) -> str:
        """The attribute of a function that is inlined if it is short, none of any other."""
        if not function.is_inlined_if_short:
            return ""
        is_inlined = self._calls[function.name] == 1 and function.length <= SHORT
        return "alwaysinline" if is_inlined else "noinline"

    def group(self, function: str, runs: int) -> str:
        """Return what a call of a function ends with that runs a given number of times."""
        return f"#{self._groups.setdefault((function, runs >= OFTEN), len(self._groups))}"

    def attributes(self, functions: Iterable[str]) -> list[str]:
        """The attributes of each group in a module of these functions, given as text."""
        sites = dict.fromkeys(self._groups.values(), 0)
        for text in functions:
            for number in sites:
                sites[number] += text.count(f") #{number}\n")
        return [
            f"attributes #{number} = {{ {_inlining(sites[number], often)} }}"
            for (_, often), number in self._groups.items()
        ]


def _inlining(sites: int, often: bool) -> str:
    return "alwaysinline" if sites <= MOST_INLINED[often] else "noinline"
