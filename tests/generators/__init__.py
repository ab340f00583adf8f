"""Random well-typed programs and linear maps, for property tests and long random runs.

    module = random_program(seed=7, size=12)               a module with one function @main
    module = random_program(seed=7, size=12, smooth=True)  whose finite differences are meaningful
    args = arguments_for(module, random.Random(7))         random inputs for it
    module = over_lanes(module, (3, 2), seed=7)           the same inside a build over 3 times 2 positions
    expression = random_map(seed=7, size=6)                a linear map applied, and applied transposed
    module = random_higher_order(seed=7, size=20)          closures, tuples and sums; shrinks by size, too
    source = random_functions(seed=7, size=12)             the same as a Python program, of `python_functions`

Everything is a function of its seed; a program of `size` n is a beginning of that of size n + 1, so a failing
example shrinks by trying smaller sizes. `programs`, `maps` and `higher_order_programs` wrap the same
as hypothesis strategies.
"""

from tests.generators.arguments import arguments_for
from tests.generators.higher_order import higher_order_programs, random_higher_order
from tests.generators.lanes import over_lanes
from tests.generators.maps import maps, random_map
from tests.generators.programs import programs, random_program

__all__ = [
    "arguments_for",
    "higher_order_programs",
    "maps",
    "over_lanes",
    "programs",
    "random_higher_order",
    "random_map",
    "random_program",
]
