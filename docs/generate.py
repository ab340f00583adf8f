"""Writes the generated parts of the documentation from the tables of the compiler.

python -m docs.generate            writes docs/generated/*.md and the output of console blocks anew
python -m docs.generate --check    says what would change, and exits with 1 if anything would
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
from xdsl.ir import Operation
from xdsl.passes import get_pass_option_infos

from docs import blocks, neighbours, op_facts, special_functions, special_points
from docs.samples import SAMPLES
from mlirad.dialects.array import ARRAY_OPS
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.callbacks import CALLBACK_OPS
from mlirad.dialects.array.control import CONTROL_OPS
from mlirad.dialects.array.custom import CUSTOM_OPS
from mlirad.dialects.array.factorisations import FACTORISATION_OPS
from mlirad.dialects.array.indexing import INDEXING_OPS
from mlirad.dialects.array.ordering import ORDERING_OPS
from mlirad.dialects.array.reductions import REDUCTION_OPS
from mlirad.dialects.array.reporting import REPORTING_OPS
from mlirad.dialects.array.structural import STRUCTURAL_OPS
from mlirad.dialects.array.transforms import TRANSFORM_OPS
from mlirad.dialects.function import COMBINATOR_OPS
from mlirad.dialects.function.closures import CLOSURE_OPS
from mlirad.dialects.function.data import DATA_OPS
from mlirad.dialects.kernel import KERNEL_OPS
from mlirad.dialects.linear import PRIMITIVE_OPS, Linear
from mlirad.frontend.numpy_functions.calls.alternatives import ALTERNATIVES
from mlirad.frontend.numpy_functions.calls.binding import qualified_name
from mlirad.frontend.numpy_functions.meanings.ufuncs import all_meanings
from mlirad.frontend.numpy_functions.protocols.functions import FUNCTIONS, SCIPY_MODULES, scipy_functions
from mlirad.frontend.numpy_functions.protocols.ufuncs import SPECIAL
from mlirad.frontend.numpy_functions.scipy_functions.distributions import DISTRIBUTIONS
from mlirad.frontend.numpy_functions.scipy_functions.distributions.methods import names_of
from mlirad.frontend.numpy_functions.scipy_functions.interpolation.objects import METHODS as INTERPOLANTS
from mlirad.frontend.numpy_functions.scipy_functions.stats import METHODS
from mlirad.frontend.tracing.array import Array
from mlirad.ir.maps import CONSTRUCTED_LAWS
from mlirad.linear_maps.laws.compositions import COMPOSITION_LAWS, SUM_LAWS
from mlirad.linear_maps.laws.function_spaces import FUNCTION_LAWS, FUNCTION_PAIRS
from mlirad.linear_maps.laws.index_spaces import INDEX_SPACE_LAWS, INDEX_SPACE_PAIRS
from mlirad.linear_maps.laws.transpositions import TRANSPOSITION_LAWS
from mlirad.lower.elementary import ELEMENTARY
from mlirad.passes.convert_from_array.convert_from_array import REFUSED
from mlirad.passes.convert_to_array.convert_to_array import HANDLERS
from mlirad.pipelines import PIPELINES
from mlirad.registry import PASS_MODULES, load_pass
from mlirad.rules.derivatives import ELIMINATED, ZERO

DOCS = Path(__file__).resolve().parent
NOTE = "<!-- Written by `python -m docs.generate`. Change the tables it reads, not this file. -->"


ELEMENTWISE = """\
`r` is the result, `dx` a tangent. *Reference* is the function that gives the op its meaning, in constant
folding and in the interpreter (*own*: in `mlirad/dialects/array/scalars.py`). *Error* bounds the error of
native code in units in the last place; without a bound, the op is machine arithmetic. Inside a build every
elementwise op becomes itself on arrays, and in a kernel itself on scalars."""

FORMULAS = """\
`r` is the result, `dx` the tangent of the operand `x`, `k dx` a `linear.scale`, `mask(c, dx)` a
`linear.mask`; other functions of tangents are the linear ops of that name. Operands whose tangent is missing
are not floats or have derivative 0."""

ROOMS = """\
What each op goes through, found by running it: what its verifier requires, the function that is its meaning
in the interpreter, its derivative (`r` is the result, `dx` a tangent), the ops that stand for it when it is
inside a build and its operands differ by position, and the kernels that it becomes, all of which have native
code."""

ACCURACY = """\
Straight-line code, inlined in vectors, in double and single precision. The bound is in units in the last
place of the result and is tested against exact values; for `lgamma` and `polygamma` it is absolute near their
zeros. *Cost* is in fused multiply-adds."""

METHODS_OF_UFUNCS = """\
Ufuncs of two operands also have `.reduce`, `.accumulate`, `.reduceat`, and `.outer`, with
`dtype=`, `axis=`, `keepdims=`, `initial=` and, in `.reduce`, `where=`. Sums, products, extrema, tests and
`np.logaddexp.reduce` are operations of the language; others are loops over the elements.

Arguments are read by NumPy's own signatures: what NumPy refuses is an error, and an option that is missing
here is refused by its name. Options are static (`static_argnames`) unless they take arrays."""


def main() -> int:
    """Write the pages, or with `--check` compare them; returns the exit code."""
    changed = [path for path, text in wanted() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv[1:]:
        sys.stdout.write("".join(f"{path.relative_to(DOCS.parent)} is out of date\n" for path in changed))
        return 1 if changed else 0
    for path, text in wanted():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    sys.stdout.write("".join(f"{path.relative_to(DOCS.parent)}\n" for path in changed))
    return 0


def wanted() -> Iterator[tuple[Path, str]]:
    """Every file with generated parts, and what should be in it."""
    for name, page in PAGES.items():
        yield DOCS / "generated" / f"{name}.md", f"{NOTE}\n\n" + "\n".join(page()) + "\n"
    for path in blocks.pages():
        yield path, blocks.refreshed(path)


def summary(thing: object) -> str:
    """The first paragraph of a docstring, fit for a cell of a table."""
    return cell(op_facts.paragraphs(thing)[0])


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def code(text: str) -> str:
    return f"`{text}`"


# Pages -------------------------------------------------------------------------------------------


def array_ops() -> Iterator[str]:
    """Every op of the array dialect, by family."""
    yield "# Ops of the `array` dialect"
    yield ""
    yield "## Elementwise"
    yield ""
    yield ELEMENTWISE
    yield ""
    yield "| op | element types | meaning | derivative | reference | error |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for op in ew.ELEMENTWISE_OPS:
        facts = (op_facts.domain(op), summary(op), op_facts.derivative(op), op_facts.reference(op))
        yield f"| `{op.name}` | {' | '.join(map(cell_once, facts))} | {op_facts.accuracy(op)} |"
    for title, ops in (
        ("Structural", STRUCTURAL_OPS),
        ("Positions", INDEXING_OPS),
        ("Reductions and contraction", REDUCTION_OPS),
        ("Ordering and prefixes", ORDERING_OPS),
        ("Factorisations and linear systems", FACTORISATION_OPS),
        ("Fourier transforms", TRANSFORM_OPS),
        ("Loops and branches", CONTROL_OPS),
        ("Rules and checkpoints", CUSTOM_OPS),
        ("Reports", REPORTING_OPS),
        ("Callbacks", CALLBACK_OPS),
    ):
        yield f"\n## {title}"
        for op in ops:
            yield from _array_op(op)


def cell_once(text: str) -> str:
    return text if "\\|" in text else cell(text)


def _array_op(op) -> Iterator[str]:
    yield f"\n### `{op.name}`\n"
    yield "\n\n".join(op_facts.paragraphs(op))
    if op_facts.is_terminator(op):
        return
    if op.name not in SAMPLES:
        yield f"\n- derivative: {op_facts.derivative(op)}"
        return
    yield f"\n```mlir\n{SAMPLES[op.name].module}```\n"
    yield f"- derivative: {op_facts.derivative(op)}"
    if op not in ELIMINATED:
        yield f"- inside a build: {op_facts.bulk_form(op)}"
    yield f"- as kernels: {op_facts.kernel_form(op)}"
    yield f"- in the interpreter: {op_facts.interpretation(op)}"


def rooms() -> Iterator[str]:
    """What the rooms of the compiler do with every op of the array dialect, in one table."""
    yield "# Every op in every room"
    yield ""
    yield ROOMS
    yield ""
    yield "| op | verifier | interpreter | derivative | inside a build | lowering |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for op in ARRAY_OPS:
        if op_facts.is_terminator(op):
            continue
        facts = (
            op_facts.verification(op),
            op_facts.interpretation(op),
            op_facts.derivative(op),
            _bulk_cell(op),
            op_facts.native_form(op),
        )
        yield f"| `{op.name}` | {' | '.join(map(cell_once, facts))} |"


def _bulk_cell(op: type[Operation]) -> str:
    if op in ELIMINATED:
        return "gone"
    return op_facts.bulk_form(op) if op.name in SAMPLES else f"`{op.name.removeprefix('array.')}`"


def derivatives() -> Iterator[str]:
    """The table of derivatives alone."""
    yield "# Derivatives"
    yield ""
    yield FORMULAS
    yield ""
    yield "| op | tangent of the result |"
    yield "| --- | --- |"
    for op in ARRAY_OPS:
        if not op_facts.is_terminator(op) and op not in ZERO and op not in ELIMINATED:
            yield f"| `{op.name}` | {cell(op_facts.derivative(op))} |"
    yield ""
    yield "Zero: " + ", ".join(code(op.name) for op in ARRAY_OPS if op in ZERO) + "."
    yield ""
    yield "Removed before: " + ", ".join(f"`{op.name}` by `{name}`" for op, name in ELIMINATED.items()) + "."


LAWS_NOTE = """\
`∘` is `compose`, `+` is `add`, `×` is `vcat`, `⋈` is `hcat`, `S(k)` is `scale k`, `𝓑` is `build`, `𝓑′` is
`build_transpose`, `𝓛` is `function`. Each law is read from left to right."""


APPLICATION_LAWS = (
    ("composition", "(m ∘ n) x = m (n x)"),
    ("sum", "(m + n) x = m x + n x"),
    ("pair and join", "(m × n) x = (m x, n x), (m ⋈ n) (x, y) = m x + n y"),
    ("positions", "𝓑(i. mᵢ) x = build (i. mᵢ x), 𝓑′(i. mᵢ) x = Σᵢ mᵢ x[i]"),
    ("functions", "𝓛(a. mₐ) x = (a ↦ mₐ x), eliminate(a. mₐ) {(a, w), ...} = mₐ w + ..."),
    ("branches", "(if p m n) x = if p (m x) (n x)"),
    ("transpose", "mᵀ x: the expression walked backwards, one sum per node"),
)


def laws() -> Iterator[str]:
    """The laws of linear maps, by file."""
    yield "# Laws of linear maps"
    yield ""
    yield LAWS_NOTE
    families = (
        ("While an expression is built", CONSTRUCTED_LAWS),
        ("Where a map is applied", APPLICATION_LAWS),
        ("Transposes", TRANSPOSITION_LAWS),
        ("Maps at every position", (*INDEX_SPACE_LAWS, *INDEX_SPACE_PAIRS)),
        ("Spaces of functions", (*FUNCTION_LAWS, *FUNCTION_PAIRS)),
        ("Compositions and sums", (*SUM_LAWS, *COMPOSITION_LAWS)),
    )
    for title, family in families:
        yield ""
        yield f"## {title}"
        yield ""
        yield "| law | what it says |"
        yield "| --- | --- |"
        for law in family:
            name, statement = law if isinstance(law, tuple) else (law.name, law.statement)
            yield f"| {name} | {cell(statement)} |"


def linear_ops() -> Iterator[str]:
    """Every op of the linear dialect."""
    yield "# Ops of the `linear` dialect"
    for title, ops in (
        (
            "Structure, application and differentiation",
            [o for o in Linear.operations if o not in PRIMITIVE_OPS],
        ),
        ("Primitive maps", PRIMITIVE_OPS),
    ):
        yield f"\n## {title}\n\n| op | meaning |\n| --- | --- |"
        for op in ops:
            yield f"| `{op.name}` | {cell(' '.join(op_facts.paragraphs(op)))} |"


def kernel_ops() -> Iterator[str]:
    """Every op of the kernel dialect."""
    yield "# Ops of the `kernel` dialect"
    for op in KERNEL_OPS:
        yield f"\n## `{op.name}`\n\n{inspect.cleandoc(op.__doc__ or '')}"
        if getattr(op, "BRACED", ()):
            yield "\nProperties: " + ", ".join(map(code, op.BRACED)) + "."


def function_ops() -> Iterator[str]:
    """Every op of the function dialect."""
    yield "# Ops of the `function` dialect"
    families = (
        ("Closures", CLOSURE_OPS),
        ("Tuples and sums", DATA_OPS),
        ("Combinators, of the differentiable curry", COMBINATOR_OPS),
    )
    for title, ops in families:
        yield f"\n## {title}\n\n| op | meaning | verifier | in the interpreter |\n| --- | --- | --- | --- |"
        for op in ops:
            facts = (
                " ".join(op_facts.paragraphs(op)),
                op_facts.verification(op),
                op_facts.interpretation(op),
            )
            yield f"| `{op.name}` | {' | '.join(map(cell, facts))} |"


def elementary() -> Iterator[str]:
    """The elementary functions with their error bounds."""
    yield "# Elementary functions in native code"
    yield ""
    yield ACCURACY
    yield ""
    yield "| function | error, ulp | cost | |"
    yield "| --- | --- | --- | --- |"
    for name, one in ELEMENTARY.items():
        calls = "calls a C function per lane" if one.calls else ""
        yield f"| `{name}` | {one.ulp:g} | {one.flops} | {calls} |"


def numpy_functions() -> Iterator[str]:
    """What of NumPy and SciPy can be traced."""
    yield "# NumPy and SciPy in traced functions"
    yield ""
    yield "Ufuncs, all also as operators where Python has one:"
    yield ""
    ufuncs = {*all_meanings(), *SPECIAL}
    yield listed(_ufunc_name(u) for u in ufuncs)
    yield ""
    yield "Functions:"
    yield ""
    yield listed(_function_name(f) for f in FUNCTIONS)
    yield ""
    yield "Functions of SciPy:"
    yield ""
    yield listed(code(f"{module}.{name}") for module in SCIPY_MODULES for name in scipy_functions(module))
    yield ""
    yield "Objects of `scipy.interpolate`, made of traced values or called at traced points:"
    yield ""
    yield listed(code(f"scipy.interpolate.{name}") for name in INTERPOLANTS)
    yield ""
    yield "Methods of the distributions of `scipy.stats`, of frozen ones too:"
    yield ""
    yield from distribution_methods()
    yield ""
    yield METHODS_OF_UFUNCS
    yield ""
    yield "Attributes and methods of traced arrays:"
    yield ""
    yield listed(code(name) for name in dir(Array) if not name.startswith("_") and name not in _INTERNAL)
    yield ""
    yield "Not supported, with what to write instead:"
    yield ""
    yield "| function | instead |"
    yield "| --- | --- |"
    for name, hint in ALTERNATIVES.items():
        yield f"| `np.{name}` | {cell(hint)} |"


def distribution_methods() -> Iterator[str]:
    """A table of the distributions that have the same methods."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, methods in METHODS.items():
        d = DISTRIBUTIONS.get(name)
        alike.setdefault(tuple(names_of(d) if d else methods), []).append(code(name))
    yield "| distributions | methods |"
    yield "| --- | --- |"
    for methods, names in sorted(alike.items(), key=lambda item: -len(item[1])):
        yield f"| {', '.join(sorted(names))} | {', '.join(map(code, methods))} |"


_INTERNAL = frozenset({"value", "weak", "item", "tolist", "view", "nonzero"})
"""Attributes that are no part of the interface, or raise."""


def listed(names: Iterable[str]) -> str:
    """Names in alphabetical order."""
    return ", ".join(sorted(set(names)))


def _ufunc_name(ufunc: np.ufunc) -> str:
    name = ufunc.__name__
    return code(f"np.{name}") if getattr(np, name, None) is ufunc else code(f"scipy.special.{name}")


def _function_name(function: Callable[..., object]) -> str:
    return code(qualified_name(function))


def points() -> Iterator[str]:
    """Values and gradients at special points."""
    yield "# Special points"
    yield ""
    yield from special_points.table()


def upstream() -> Iterator[str]:
    """Upstream ops that become array code, and ops of the array dialect that do not become upstream code."""
    yield from ("# Ops of upstream dialects", "", f"`convert-to-array` converts {len(HANDLERS)} ops.", "")
    yield from ("| dialect | ops |", "| --- | --- |")
    dialects = dict.fromkeys(name.partition(".")[0] for name in HANDLERS)
    for dialect in sorted(dialects):
        names = sorted(name.partition(".")[2] for name in HANDLERS if name.startswith(f"{dialect}."))
        yield f"| `{dialect}` | {listed(names)} |"
    yield from ("", "Of the array dialect, `convert-from-array` converts all ops but these:", "")
    yield from ("| op | why |", "| --- | --- |")
    yield from (f"| `{op.name}` | {reason} |" for op, reason in REFUSED.items())


def passes() -> Iterator[str]:
    """The passes and pipelines."""
    yield "# Passes"
    for name in PASS_MODULES:
        pass_class = load_pass(name)
        yield f"\n## `{name}`\n\n{inspect.cleandoc(pass_class.__doc__ or '')}"
        options = [(i.name.replace("_", "-"), i.default_value) for i in get_pass_option_infos(pass_class)]
        if options:
            shown = ", ".join(f"`{option}` (default `{default}`)" for option, default in options)
            yield f"\nOptions: {shown}."
        yield f"\nDefined in `{PASS_MODULES[name].replace('.', '/')}`."
    yield "\n# Pipelines\n"
    yield "| pipeline | passes |"
    yield "| --- | --- |"
    for name, listed_passes in PIPELINES.items():
        shown = (re.sub(r"(vector-bytes)=\d+", r"\1=N", text) for text in listed_passes())
        yield f"| `{name}` | {', '.join(map(code, shown))} |"
    yield "\nN is the size of the target's vectors."


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "array-ops": array_ops,
    "rooms": rooms,
    "derivatives": derivatives,
    "linear-ops": linear_ops,
    "laws": laws,
    "function-ops": function_ops,
    "kernel-ops": kernel_ops,
    "elementary": elementary,
    "special-functions": special_functions.table,
    "neighbours": neighbours.table,
    "numpy": numpy_functions,
    "special-points": points,
    "passes": passes,
    "upstream": upstream,
}
"""The generated pages by name."""

if __name__ == "__main__":
    sys.exit(main())
