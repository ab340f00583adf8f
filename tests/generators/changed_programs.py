"""Programs whose text, or what is around them, changes between two processes: what could make traces stale.

one = program(["closure", "module"], "2.0")        the source of a module with f(x), which closure and module
other = program(["closure", "module"], "3.0")      decide; both read 2.0, then 3.0

Each part is a few lines of a module, in which V stands for the value that changes, and a term of f(x).
`setup` and `teardown` change what the function sees of the process, and set it back.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """Lines of a module, a term of the function in it, and whether another process does without its trace."""

    lines: str
    term: str
    is_recalled: bool = True
    setup: str = "pass"
    teardown: str = "pass"


PARTS: dict[str, Part] = {
    "global": Part("g = V", "g * x"),
    "code": Part("", "V * x"),
    "last bit": Part("bit = 1.0 + (V - 2.0) * 2.0**-52", "bit * x"),
    "sign of zero": Part("zero = 0.0 * (2.5 - V)", "np.copysign(1.0, zero) * x"),
    "kind of number": Part("kind = int(V) if V == 2.0 else V / 1.5", "isinstance(kind, int) * x + kind * x"),
    "true or one": Part("one = True if V == 2.0 else 1", "(2.0 if one is True else 3.0) * x"),
    "closure": Part("def make(v):\n    return lambda x: v * x\nclosure = make(V)", "closure(x)"),
    "nested closure": Part(
        "def outer(v):\n    def middle(x):\n        def inner():\n            return v * x\n"
        "        return inner()\n    return middle\nnested = outer(V)",
        "nested(x)",
    ),
    "helper": Part("def helper(x):\n    return x * V", "helper(x)"),
    "helper of a helper": Part("def deep(x):\n    return x * V\ndef high(x):\n    return deep(x)", "high(x)"),
    "default": Part("def default(x, by=V):\n    return by * x", "default(x)"),
    "default by name": Part("def named(x, *, by=V):\n    return by * x", "named(x)"),
    "list of lambdas": Part("listed = [lambda x: x, lambda x: V * x]", "listed[1](x)"),
    "dictionary": Part("table = {'rate': V, 2: (1.0, [V])}", "table['rate'] * table[2][1][0] * x"),
    "order of a dictionary": Part(
        "ordered = {'a': 2.0, 'b': 3.0} if V == 2.0 else {'b': 3.0, 'a': 2.0}",
        "next_of(ordered) * x",
    ),
    "partial": Part("def two(v, x):\n    return v * x\npartial = functools.partial(two, V)", "partial(x)"),
    "partial by name": Part("def by(x, v):\n    return v * x\nheld = functools.partial(by, v=V)", "held(x)"),
    "array": Part("array = np.array([V, 1.0, 1.0])", "array * x"),
    "array made of numbers drawn": Part("drawn = np.random.default_rng(int(V)).normal(size=3)", "drawn * x"),
    "dtype": Part("single = np.ones(3, np.float32 if V == 2.0 else np.float64) / 3", "single * x"),
    "strides": Part("wide = np.ones((2, 3)) * [[1.0], [V]]\nwide = wide.T if V == 2.0 else wide.T.copy()",
                    "wide[:, 1] * x"),
    "string": Part("mode = 'double' if V == 2.0 else 'triple'", "(2.0 if mode == 'double' else 3.0) * x"),
    "ufunc": Part("wave = np.sin if V == 2.0 else np.cos", "wave(x)"),
    "function of SciPy": Part("from scipy import special\nlog = special.gammaln if V == 2.0 else special.erf",
                              "log(x)"),
    "function of math": Part("root = math.sqrt if V == 2.0 else math.exp", "root(3.0) * x"),
    "class": Part("thing = float if V == 2.0 else int", "thing(2.5) * x"),
    "transformed": Part("inner = ad.grad(lambda y: V * y * y)", "inner(x[0]) * x"),
    "option of another": Part("batched = ad.vmap(lambda y: y * x0, in_axes=0)\nx0 = V", "batched(x)"),
    "transformation of another": Part(
        "slope = ad.grad if V == 2.0 else (lambda f: lambda y: f(y) * V)", "slope(lambda y: y * y)(x[0]) * x"
    ),
    "module": Part("import OTHER as other", "other.value * x"),
    "function of a module": Part("from OTHER import scaled", "scaled(x)"),
    "NumPy's function replaced": Part("own_sin = lambda x: V * x", "np.sin(x)", False,
                                      "np.sin = own_sin", "np.sin = np.core_sin"),
    "NumPy's function is another": Part("", "np.sin(x)", True, "np.sin = np.core_sin if V == 2.0 else np.cos",
                                        "np.sin = np.core_sin"),
    "NumPy's function has its name": Part("def sin(x):\n    return V * x\nown = sin", "np.sin(x)", False,
                                          "np.sin = own", "np.sin = np.core_sin"),
    "builtin class has its name": Part("class float(float):\n    def __mul__(self, x):\n        return V * x",
                                       "float(1.0) * x", False),
    "NumPy's constant": Part("", "np.pi * x", True, "np.pi = V", "np.pi = math.pi"),
    "math's function is another": Part("", "math.sqrt(2.0) * x", True,
                                       "math.sqrt = math.exp if V == 3.0 else math.sqrt",
                                       "math.sqrt = np.core_sqrt"),
    "builtin function replaced": Part("def own_abs(x):\n    return V * x", "abs(x)", False,
                                      "builtins.abs = own_abs", "builtins.abs = np.core_abs"),
    "class attribute": Part("class Rates:\n    rate = V", "Rates.rate * x", False),
    "object": Part("class Rate:\n    def __init__(self):\n        self.rate = V\nrated = Rate()",
                   "rated.rate * x", False),
    "method": Part("class Scaled:\n    rate = V\n    def of(self, x):\n        return self.rate * x\n"
                   "method = Scaled().of", "method(x)", False),
    "property": Part("class Lazy:\n    @property\n    def rate(self):\n        return V\nlazy = Lazy()",
                     "lazy.rate * x", False),
    "dataclass": Part("@dataclasses.dataclass\nclass Config:\n    rate: float = V\nconfig = Config()",
                      "config.rate * x", False),
    "named tuple": Part("class Pair(typing.NamedTuple):\n    rate: float = V\npair = Pair()", "pair.rate * x",
                        False),
    "enumeration": Part("class Mode(enum.Enum):\n    RATE = V", "Mode.RATE.value * x", False),
    "class of numbers": Part("class Twice(float):\n    def __mul__(self, x):\n        return x * V\n"
                             "twice = Twice(2.0)", "twice * x", False),
    "attribute of a function": Part("def attributed(x):\n    return x * attributed.rate\nattributed.rate = V",
                                    "attributed(x)", False),
    "decorator": Part("def scaling(f):\n    @functools.wraps(f)\n    def called(x):\n"
                      "        return V * f(x)\n    return called\n"
                      "@scaling\ndef decorated(x):\n    return x", "decorated(x)", False),
    "file": Part("def written():\n    with open(PLACE) as file:\n        return float(file.read())",
                 "written() * x", False, "open(PLACE, 'w').write('V')"),
    "environment": Part("", "float(os.environ['RATE']) * x", False, "os.environ['RATE'] = 'V'"),
    "import in a call": Part("def imported():\n    import OTHER\n    return OTHER.value", "imported() * x",
                             False),
    "name in a string": Part("class Named:\n    rate = V", "getattr(Named, 'rate') * x", False),
    "globals": Part("hidden = V", "globals()['hidden'] * x", False),
    "evaluated": Part("seen = V", "eval('seen') * x", False),
    "cached": Part("@functools.lru_cache\ndef kept():\n    return V", "kept() * x", False),
    "memory of a call": Part("memory = {}\ndef remembered(x):\n    memory.setdefault('rate', V)\n"
                             "    return memory['rate'] * x", "remembered(x)", False),
    "global that is written": Part("count = V\ndef counted(x):\n    global count\n    count = V\n"
                                   "    return count * x", "counted(x)", False),
    "variable that is written": Part("def counter():\n    n = V\n    def called(x):\n        nonlocal n\n"
                                     "        n = V\n        return n * x\n    return called\n"
                                     "counting = counter()", "counting(x)", False),
    "set of values": Part("from collections import deque\nqueue = deque([V])", "queue[0] * x", False),
    "namespace": Part("space = types.SimpleNamespace(rate=V)", "space.rate * x", False),
    "context variable": Part("variable = contextvars.ContextVar('rate', default=V)\nvariable.set(V)",
                             "variable.get() * x", False),
    "custom derivative": Part("@ad.custom_derivative\ndef ruled(x):\n    return x\n@ruled.rule\n"
                              "def slope_of(x):\n    return lambda dx: V * dx", "ruled(x)", False),
    "error state": Part("", "np.float64(V) * x", True, "np.seterr(over='ignore')", "np.seterr(over='warn')"),
    "printed": Part("def shown(x):\n    print(end='')\n    return V * x", "shown(x)", False),
    "warned": Part("def loud(x):\n    return np.log(np.zeros(1))[0] * 0.0 + V * x",
                   "loud(x)[:0].sum() + V * x", False),
}  # fmt: skip
"""The changes, by what changes."""

HEADER = """import builtins, contextvars, dataclasses, enum, functools, math, os, types, typing
import numpy as np
import mlirad as ad

def next_of(table):
    return [value * k for k, value in enumerate(table.values())][1]
"""


def program(names: Sequence[str], values: Sequence[str], number: int, folder: str) -> dict[str, str]:
    """The files of the program of some parts, each with a value of its own, by their names."""
    other = f"other_{number}"
    lines = [HEADER]
    terms: list[str] = []
    setups: list[str] = []
    teardowns: list[str] = []
    for name, value in zip(names, values, strict=True):
        part = PARTS[name]

        def filled(text: str, value: str = value) -> str:
            text = text.replace("OTHER", other).replace("PLACE", repr(number_file(folder, number)))
            return re.sub(r"\bV\b", value, text)

        lines.append(filled(part.lines))
        terms.append(filled(part.term))
        setups.append(filled(part.setup))
        teardowns.append(part.teardown)
    body = "".join(f"    y = y + {term}\n" for term in terms)
    # The name makes code of its own of each: functions of equal code share programs in a process.
    lines.append(f"def f(x):\n    name = 'program {number}'\n    y = 0.0\n{body}    return np.sum(y * x)\n")
    lines.append("def setup():\n" + "".join(f"    {line}\n" for line in setups))
    lines.append("def teardown():\n" + "".join(f"    {line}\n" for line in teardowns))
    own = values[names.index("module")] if "module" in names else values[0]
    return {
        f"program_{number}.py": "\n".join(lines),
        f"{other}.py": f"value = {own}\ndef scaled(x):\n    return x * {own}\n",
    }


def number_file(folder: str, number: int) -> str:
    """The file that a program reads a number from."""
    return f"{folder}/number_{number}.txt"


def random_change(rng: random.Random) -> tuple[list[str], list[str], list[str]]:
    """Some parts, their values, and the values when one of them has changed."""
    names = rng.sample(sorted(set(PARTS) - {"module", "function of a module"}), rng.randint(1, 3))
    before = [rng.choice(("2.0", "3.0")) for _ in names]
    after = list(before)
    changed = rng.randrange(len(names))
    after[changed] = "3.0" if before[changed] == "2.0" else "2.0"
    return names, before, after
