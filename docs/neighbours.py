"""The table of names of neighbours: what each is here, with an example.

| `jax.lax.scan` | `ad.scan` | `ad.scan(lambda c, x: (c + x, c), 0.0, np.ones(3))` |
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from docs.markdown import cell, code
from mlirad.neighbours.compiling import COMPILING
from mlirad.neighbours.control import CONTROL
from mlirad.neighbours.derivatives import DERIVATIVES
from mlirad.neighbours.entries import Entry
from mlirad.neighbours.formulas import FORMULAS
from mlirad.neighbours.keywords import KEYWORDS
from mlirad.neighbours.methods import METHODS
from mlirad.neighbours.structures import SOLVING, STRUCTURES

SYSTEMS: Final = {
    "jax": "JAX",
    "autograd": "autograd",
    "torch": "PyTorch",
    "enzyme": "Enzyme",
    "tf": "TensorFlow",
    "casadi": "CasADi",
    "diffrax": "Diffrax",
    "flax": "Flax",
    "forwarddiff": "ForwardDiff",
    "jaxopt": "JAXopt",
    "lineax": "Lineax",
    "numdifftools": "numdifftools",
    "numpy": "NumPy",
    "optax": "Optax",
    "optimistix": "Optimistix",
    "sparsejac": "sparsejac",
    "torchdiffeq": "torchdiffeq",
    "zygote": "Zygote",
}
"""The systems by the first part of their names."""

TOPICS: Final[dict[str, tuple[Entry, ...]]] = {
    "Derivatives": DERIVATIVES,
    "Loops, branches and elements": CONTROL,
    "Compiling": COMPILING,
    "Structures of arrays": STRUCTURES,
    "Formulas": FORMULAS,
    "Solvers and random numbers": SOLVING,
    "Methods of arrays": METHODS,
    "Arguments and options": KEYWORDS,
}
"""The whole table."""

HEAD = """\
# Names of other systems

Errors say what a name of another system is here: `ad.lax.scan` raises
*ad has no lax.scan: jax.lax.scan is ad.scan here*, and the example of this table is the hint. The first part
of a name is its system: {systems}. Functions of NumPy and SciPy are called by their own names, `np.sin(x)`;
[the list](numpy.md) has those that can be traced."""


def table() -> Iterator[str]:
    """The page."""
    yield HEAD.format(systems=", ".join(f"`{short}` {name}" for short, name in SYSTEMS.items()))
    for topic, entries in TOPICS.items():
        yield ""
        yield f"## {topic}"
        yield ""
        yield "| there | here | for example |"
        yield "| --- | --- | --- |"
        for entry in entries:
            yield f"| {', '.join(map(code, entry.names))} | {_here(entry)} | {_example(entry)} |"


def _here(entry: Entry) -> str:
    return entry.here if " " in entry.here else code(entry.here)


def _example(entry: Entry) -> str:
    return "<br>".join(code(cell(line)) for line in entry.example.split("\n"))
