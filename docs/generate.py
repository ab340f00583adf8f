"""Writes the generated parts of the documentation from the tables of the compiler.

python -m docs.generate            writes docs/generated/*.md and the output of console blocks
python -m docs.generate --check    says what would change, and exits with 1 if anything would
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from xdsl.ir import Operation
from xdsl.passes import get_pass_option_infos

from docs import blocks, neighbours, op_facts, special_functions, special_points, traced_functions
from docs.markdown import cell, code
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
from mlirad.ir.maps import CONSTRUCTED_LAWS
from mlirad.linear_maps.laws.compositions import COMPOSITION_LAWS, SUM_LAWS
from mlirad.linear_maps.laws.function_spaces import FUNCTION_LAWS, FUNCTION_PAIRS
from mlirad.linear_maps.laws.index_spaces import INDEX_SPACE_LAWS, INDEX_SPACE_PAIRS
from mlirad.linear_maps.laws.transpositions import TRANSPOSITION_LAWS
from mlirad.lower.llvm.elementary import ELEMENTARY
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
The path of each op through the compiler, found by running it: what its verifier requires, the function that
is its meaning in the interpreter, its derivative (`r` is the result, `dx` a tangent), the ops that stand for
it when it is inside a build and its operands differ by position, and the kernels that it becomes, which have
native code."""

ACCURACY = """\
Straight-line code, inlined in vectors, in double and single precision. The bound is in units in the last
place of the result and is tested against exact values; for `lgamma` and `polygamma` it is absolute near their
zeros. *Cost* is in fused multiply-adds."""


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
    """Yield what the rooms of the compiler do with every op of the array dialect, in one table."""
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
        yield f"| `{dialect}` | {', '.join(sorted(set(names)))} |"
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
    yield "\n## Pipelines\n"
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
    "numpy": traced_functions.page,
    "special-points": points,
    "passes": passes,
    "upstream": upstream,
}
"""The generated pages by name."""

if __name__ == "__main__":
    sys.exit(main())
