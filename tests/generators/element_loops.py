"""Random loops that work element by element: carries, slices, captured arrays, stacked values, of any space.

text, shapes = random_element_loop(3)      MLIR text of @f, and the shapes of its arguments
"""

from __future__ import annotations

import random

from mlirad.dialects.shapes import Shape

_UNARY = ("neg", "tanh", "sin", "abs")
_BINARY = ("add", "sub", "mul", "max")


def random_element_loop(seed: int) -> tuple[str, list[Shape]]:
    """A function of f64 arrays whose loop is a recurrence: the carries over its space, slices, others.

    All of its arguments take part, in operations that neither overflow nor lose precision.
    """
    rng = random.Random(seed)
    space: Shape = tuple(rng.choice((1, 2, 3, 5, 8, 17)) for _ in range(rng.choice((1, 1, 2))))
    iterations = rng.choice((2, 3, 7))
    whole, stack = _type(space), _type((iterations, *space))
    carries, slices = rng.randint(1, 3), rng.randint(0, 2)
    body = _Body(rng, whole)
    body.values += [f"%c{k}" for k in range(carries)] + [f"%s{k}" for k in range(slices)] + ["%w"]
    body.add("%index = array.convert %i : i64 -> f64")
    for scalar in ("%index", "%r"):
        body.named(f"array.broadcast {scalar} {{dims = []}} : f64 -> {whole}")
    for _ in range(rng.randint(2, 9)):
        body.operation()
    made = [body.bounded(body.values[-1 - k]) for k in range(carries)]
    stacked = [rng.choice(body.values) for _ in range(rng.randint(0, 2))]
    kept = [body.named(f"array.neg {value} : {whole}") for value in stacked]
    given = [f"%a{k}" for k in range(carries)]
    xs = [f"%x{k}" for k in range(slices)]
    arguments = [f"%i, {', '.join(f'%c{k}: {whole}' for k in range(carries))}"]
    arguments += [f"%s{k}: {whole}" for k in range(slices)] + ["%r: f64"]
    results = [*([whole] * carries), *([stack] * len(kept))]
    names = [f"%y{k}" for k in range(len(results))]
    types = [*([whole] * carries), *([stack] * slices), _type((iterations,))]
    reverse = ", reverse" if rng.random() < 0.5 else ""
    parameters = [f"{name}: {type_}" for name, type_ in zip([*given, *xs, "%z"], types, strict=True)]
    lines = "\n    ".join(body.lines)
    text = f"""
func.func @f({", ".join(parameters)}, %w: {whole}) -> ({", ".join(results)}) {{
  {", ".join(names)} = array.scan {", ".join([*given, *xs, "%z"])} ({", ".join(arguments)})
      {{carries = {carries}, length = {iterations}{reverse}}} : {", ".join(types)} -> ({", ".join(results)})
      {{
    {lines}
    array.yield {", ".join([*made, *kept])} : {", ".join([whole] * (carries + len(kept)))}
  }}
  func.return {", ".join(names)} : {", ".join(results)}
}}
"""
    return text, [*([space] * carries), *([(iterations, *space)] * slices), (iterations,), space]


def _type(shape: Shape) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf64>"


class _Body:
    """The ops of a loop's body, on values of one type."""

    def __init__(self, rng: random.Random, whole: str):
        self.rng = rng
        self.whole = whole
        self.lines: list[str] = []
        self.values: list[str] = []

    def add(self, line: str) -> None:
        self.lines.append(line)

    def named(self, right: str) -> str:
        """Name the result of an op, which others may read."""
        name = f"%v{len(self.lines)}"
        self.add(f"{name} = {right}")
        self.values.append(name)
        return name

    def bounded(self, value: str) -> str:
        """A value between -1 and 1, so that loops stay where they are."""
        return self.named(f"array.tanh {value} : {self.whole}")

    def operation(self) -> None:
        """Add an op on values that there are, late ones rather than early ones."""
        x, y = (self.rng.choice(self.values[-6:]) for _ in range(2))
        match self.rng.randrange(4):
            case 0:
                self.named(f"array.{self.rng.choice(_UNARY)} {x} : {self.whole}")
            case 1:
                less, flags = f"%p{len(self.lines)}", self.whole.replace("f64", "i1")
                self.add(f"{less} = array.compare lt {x}, {y} : {self.whole}, {self.whole} -> {flags}")
                self.named(
                    f"array.select {less}, {x}, {y} : {flags}, {self.whole}, {self.whole} -> {self.whole}"
                )
            case _:
                self.named(f"array.{self.rng.choice(_BINARY)} {x}, {y} : {self.whole}")
