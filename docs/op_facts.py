"""The columns of the op tables: the treatment of an op by each package, found by asking them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr, f64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue

from docs.formulas import Formulas
from docs.samples import SAMPLES, Sample
from mlirad.compiler import compile_module
from mlirad.dialects.array import control, factorisations, structural
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.callbacks import CallbackOp
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.scalars import SCALARS
from mlirad.dialects.concrete_sizes import stated_sizes
from mlirad.dialects.kernel import NestOp
from mlirad.dialects.shapes import array_type, shape_of
from mlirad.interpreter.running import MEANINGS as INTERPRETED
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.lower.llvm.elementary import ELEMENTARY
from mlirad.passes.instantiate_sizes import InstantiateSizesPass
from mlirad.pipeline_options import Options
from mlirad.pipelines import run_passes
from mlirad.registry import make_passes
from mlirad.rules.derivatives import DERIVATIVES, ELIMINATED, ZERO, Joint

Differentiate: TypeAlias = Callable[[ArrayBuilder, Operation, Sequence[str]], None]
"""Reads the rule of an op that was just built, whose operands have these names."""

BY_REGION: dict[type[Operation], str] = {
    control.ScanOp: "region by region, as `linear.scan`",
    control.WhileOp: "region by region, as `linear.while` over the recorded iterations",
    control.ReplayOp: "region by region, as `linear.while` over the same entries",
    control.IfOp: "region by region, as `linear.if`",
    control.SwitchOp: "region by region, as `linear.switch`",
    CustomOp: "what its rules say",
    CheckpointOp: "of its region, as `linear.checkpoint`, which computes the values again",
}
"""Ops whose derivative is made by transforming their regions."""

BY_FACTORS: dict[type[Operation], str] = {
    factorisations.LuOp: "`L low(G) + up(G) U`, where `G = inv(L) P dx inv(U)`",
    factorisations.CholeskyOp: "`r half(inv(r) dx inv(r)ᵀ)`, where half is a triangle with half its diagonal",
    factorisations.QrOp: "`dQ = Y + Q K`, `dR = -K R`, where `Y = dx inv(R)` and "
    "`K = -up(Qᵀ Y) - low(Qᵀ Y)ᵀ`",
    factorisations.EighOp: "`dw = diag(Vᵀ dx V)`, `dV = V (E * (Vᵀ dx V))`, where "
    "`E[i, j] = 1 / (w[j] - w[i])`",
    factorisations.SvdOp: "`ds = diag(P)`, `dU = U (F * (P s + s Pᵀ)) + (1 - U Uᵀ) dx V / s`, where "
    "`P = Uᵀ dx V` and `F[i, j] = 1 / (s[j]² - s[i]²)`",
    factorisations.TriangularSolveOp: "`inv(t) (dx - dt r)`",
    factorisations.SolveOp: "`inv(a) (dx - da r)`, by the LU factors of `a`",
}
"""Maps of matrices, as the rules state them (`factorisation_derivatives.py` and those beside it)."""

LANES = 4
"""The extent of the build that an op is put into to see its bulk form."""


_PLAIN = "bulk-operations,lower-custom-derivatives,expand-solves,expand-formulas,lower-checkpoints"
"""Passes that make plain array code of what is not differentiated."""


def paragraphs(thing: object) -> list[str]:
    """The paragraphs of a docstring, each in one line."""
    text = inspect.cleandoc(getattr(thing, "__doc__", "") or "")
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


# Derivatives -------------------------------------------------------------------------------------


def derivative(op_class: type[Operation]) -> str:
    """The tangent of the result as a formula in the operands, the result `r` and the tangents."""
    if op_class in ZERO:
        return "0"
    if op_class in ELIMINATED:
        return f"never asked for: `{ELIMINATED[op_class]}` removes the op"
    if op_class in BY_REGION:
        return BY_REGION[op_class]
    if op_class in BY_FACTORS:
        return BY_FACTORS[op_class]
    if op_class is CallbackOp:
        return "an error, unless a rule around it gives one"
    if op_class is ew.SpecialOp:
        return "one per function: [formulas](special-functions.md)"
    formulas: list[str] = []

    def differentiate(b: ArrayBuilder, op: Operation, names: Sequence[str]) -> None:
        formula = Formulas({**dict(zip(op.operands, names, strict=True)), op.results[0]: "r"})
        rule = DERIVATIVES[op_class]
        if isinstance(rule, Joint):
            formulas.append(formula.image(rule.rule(b, op), f"({', '.join('d' + n for n in names)})"))
            return
        for partial, name in zip(rule, names, strict=False):
            if partial is not None:
                formulas.append(formula.image(partial(b, op), "d" + name))

    sample = SAMPLES.get(op_class.name)
    if sample is None:
        _differentiate_scalars(op_class, differentiate)
    else:
        _differentiate_sample(sample, differentiate)
    return "`" + " + ".join(formulas).replace(" + -", " - ") + "`"


def _differentiate_scalars(op_class: type[Operation], differentiate: Differentiate) -> None:
    count = 1 if issubclass(op_class, ew.UnaryOp) else 2
    names = ["y", "x"] if op_class is ew.Atan2Op else ["x", "y"][:count]

    def body(b: ArrayBuilder, *arguments: SSAValue) -> list[SSAValue]:
        op = b.insert(op_class, arguments, [f64])
        differentiate(b, op, names)
        return [op.results[0]]

    new_function("f", [f64] * count, body, None, names)


def _differentiate_sample(sample: Sample, differentiate: Differentiate) -> None:
    function = main_of(parse_module(sample.module))
    source = function.body.block

    def body(b: ArrayBuilder, *arguments: SSAValue) -> list[SSAValue]:
        env: dict[SSAValue, SSAValue] = dict(zip(source.args, arguments, strict=True))
        op = b.rebuild_unfolded(source.first_op, env)
        differentiate(b, op, [o.name_hint or "?" for o in op.operands])
        return [op.results[0]]

    hints = [a.name_hint for a in source.args]
    new_function("f", [a.type for a in source.args], body, None, hints)


# Products of passes --------------------------------------------------------------------------------


def main_of(module: ModuleOp) -> FuncOp:
    """The function @main of a module."""
    return next(op for op in module.body.block.ops if isinstance(op, FuncOp) and op.sym_name.data == "main")


def bulk_form(op_class: type[Operation]) -> str:
    """The ops that stand for the op when it is inside a build and all its operands differ by position."""
    sample = SAMPLES[op_class.name]
    plain = parse_module(sample.module)
    arguments = [(str(a.name_hint), a.type) for a in main_of(plain).body.block.args]
    result = _lifted(main_of(plain).function_type.outputs.data[0])
    lines = [
        f"func.func @main({', '.join(f'%all_{n}: {_lifted(t)}' for n, t in arguments)}) -> {result}"
        f"{sample.stated} {{",
        f"  %all = array.build (%lane) : -> {result} {{",
        *(f"  %{n} = array.index %all_{n}[%lane] : {_lifted(t)} -> {t}" for n, t in arguments),
        f"  %r = {sample.text}",
        f"  array.yield %r : {sample.result}",
        f"  }}\n  func.return %all : {result}\n}}",
    ]
    module = parse_module("\n".join(lines))
    verify_module(module)
    run_passes(module, make_passes("bulk-operations"))
    ops = [op.name.removeprefix("array.") for op in main_of(module).body.block.ops]
    shown = [name for name in ops if name not in ("constant", "func.return")]
    return ", ".join(f"`{name}`" for name in dict.fromkeys(shown)) or "`constant`"


def _lifted(type_: Attribute) -> Attribute:
    """The type with one more dimension in front."""
    element = getattr(type_, "element_type", type_)
    return array_type((LANES, *shape_of(type_)), element)


def kernel_form(op_class: type[Operation]) -> str:
    """The kernels that a function of this op alone becomes, where it has sizes at a number for these."""
    module = _instantiated(parse_module(SAMPLES[op_class.name].module))
    run_passes(
        module,
        make_passes(f"{_PLAIN},form-kernels"),
    )
    return "; ".join(_kernels(main_of(module))) or "a constant"


def _instantiated(module: ModuleOp) -> ModuleOp:
    sizes = stated_sizes(main_of(module))
    if sizes:
        run_passes(module, (InstantiateSizesPass(tuple((name, 3) for name in sizes)),))
    return module


def _kernels(function: FuncOp) -> Iterator[str]:
    for op in function.body.block.ops:
        if isinstance(op, ReturnOp | structural.ConstantOp):
            continue
        inside = [o.name.removeprefix("array.") for r in op.regions for o in r.block.ops]
        inside = list(dict.fromkeys(n for n in inside if n not in ("yield",)))
        combiners = ""
        if isinstance(op, NestOp) and op.combiners is not None:
            combiners = " reducing by " + ", ".join(f"`{c.data}`" for c in op.combiners)
        body = f" of {', '.join(f'`{n}`' for n in inside)}" if inside else ""
        yield f"`{op.name}`{combiners}{body}"


def native_form(op_class: type[Operation]) -> str:
    """The kernels of `kernel_form`, printed as LLVM IR as well; raises if an op has no native code.

    An elementwise op stands inside of kernels.
    """
    program = expanded_sample(op_class)
    compile_module(program.clone(), Options(start="arrays"))
    if op_class is control.ReplayOp:
        return "as it is, of kernels"
    if issubclass(op_class, ew.ElementwiseOp):
        return "in kernels"
    run_passes(program, make_passes("form-kernels"))
    return "; ".join(_kernels(main_of(program))) or "a constant"


def expanded_sample(op_class: type[Operation]) -> ModuleOp:
    """A program of this op alone, ready for lowering; for `replay`, which only passes make, the reverse
    derivative of a loop on data."""
    if op_class is control.ReplayOp:
        program = parse_module(SAMPLES[control.WhileOp.name].module)
        run_passes(
            program, make_passes("differentiate{function=main mode=reverse},linearize,apply-linear-maps")
        )
        functions = [f for f in program.body.block.ops if isinstance(f, FuncOp)]
        derivative = next(f for f in functions if f.sym_name.data != "main")
        main_of(program).detach()
        derivative.properties["sym_name"] = StringAttr("main")
        assert any(isinstance(op, control.ReplayOp) for op in derivative.walk())
        return program
    program = parse_module(sample_of(op_class).module)
    verify_module(program)
    _instantiated(program)
    run_passes(program, make_passes(_PLAIN))
    return program


def sample_of(op_class: type[Operation]) -> Sample:
    """A program of this op alone: one of the samples, or an elementwise op on scalars."""
    sample = SAMPLES.get(op_class.name)
    if sample is not None:
        return sample
    assert issubclass(op_class, ew.ElementwiseOp)
    operands = "%x" if issubclass(op_class, ew.UnaryOp | ew.FloatTestOp) else "%x, %y"
    element = str(op_class.DOMAIN[0])
    result, arrow = ("i1", f"{element} -> i1") if issubclass(op_class, ew.FloatTestOp) else (element, element)
    arguments = ", ".join(f"{name}: {element}" for name in operands.split(", "))
    return Sample(arguments, f"{op_class.name} {operands} : {arrow}", result)


# Scalars -----------------------------------------------------------------------------------------


def reference(op_class: type[Operation]) -> str:
    """The function that means an elementwise op: a ufunc of NumPy or SciPy, or one of the project's own."""
    function = getattr(SCALARS[op_class.name.removeprefix("array.")], "__wrapped__", None)
    if not isinstance(function, np.ufunc):
        return "own"
    name = function.__name__
    return f"`np.{name}`" if getattr(np, name, None) is function else f"`scipy.special.{name}`"


def accuracy(op_class: type[Operation]) -> str:
    """The error bound of an op in native code, empty for those that are machine arithmetic."""
    known = ELEMENTARY.get(op_class.name.removeprefix("array."))
    if known is None:
        return ""
    return "exact" if known.ulp == 0 else f"{known.ulp:g} ulp"


def domain(op_class: type[ew.ElementwiseOp]) -> str:
    """The element types that an elementwise op takes."""
    kinds = {"f64": "float", "f32": "float", "i64": "int", "i32": "int", "i1": "bool"}
    return ", ".join(dict.fromkeys(kinds[str(t)] for t in op_class.DOMAIN))


def verification(op_class: type[Operation]) -> str:
    """Return what the op's own verifier requires, empty if it has none."""
    for definition in op_class.__mro__:
        verify = definition.__dict__.get("verify_")
        if verify is not None:
            # xDSL wraps the method of a concrete op.
            own = inspect.getclosurevars(verify).nonlocals.get("custom_verify", verify)
            if own.__doc__ and definition is not Operation:
                return paragraphs(own)[0]
    return ""


def interpretation(op_class: type[Operation]) -> str:
    """The function that is the op's meaning in the interpreter."""
    meaning = INTERPRETED[op_class]
    return f"`{meaning.__module__.rpartition('.')[2]}.{meaning.__name__.lstrip('_')}`"


def is_terminator(op_class: type[Operation]) -> bool:
    """Return whether the op ends a region instead of making a value."""
    return op_class is YieldOp
