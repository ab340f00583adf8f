"""What the processes of a pool run: a function by its name, in a module that they can import."""

import mlirad as ad

square = ad.grad(lambda x: x * x)


def slope(x: float) -> float:
    """The derivative of the square."""
    return float(square(x))
