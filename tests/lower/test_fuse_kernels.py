"""Fusion of nests: what merges, what must not, and that the meaning stays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.func import FuncOp

from mlirad.dialects.kernel import LoadOp, NestOp
from mlirad.interpreter import run_function
from mlirad.ir.parsing import make_context, parse_module
from mlirad.ir.verification import verify_module
from mlirad.lower.kernels.fuse_kernels import MAX_BODY, MAX_MAP_RESULTS, FuseKernelsPass, fuse_function

T = "tensor<1000xf64>"


def nest(name: str, reads: str, op: str = "exp", *, position: str = "%i", combiner: str = "") -> str:
    """A nest over 1000 elements that sums what it reads and applies a function."""
    names = reads.split(", ")
    loads = [
        f"%a{k} = kernel.load {v}[{position if k == 0 else '%i'}] : {T} -> f64" for k, v in enumerate(names)
    ]
    adds = [f"%s{k} = array.add %{'s' if k > 1 else 'a'}{k - 1}, %a{k} : f64" for k in range(1, len(names))]
    last = f"%s{len(names) - 1}" if adds else "%a0"
    reverse = "%c = array.constant 999 : i64 %r = array.sub %c, %i : i64" if position == "%r" else ""
    space = "space = [], reduction = [1000]" if combiner else "space = [1000], reduction = []"
    combiners = f", combiners = [{combiner}]" if combiner else ""
    return f"""
      {name} = kernel.nest {reads} (%i) {{{space}{combiners}}}
          : {", ".join([T] * len(names))} -> {"f64" if combiner else T} {{
        {reverse} {" ".join([*loads, *adds])}
        %o = array.{op} {last} : f64
        array.yield %o : f64
      }}"""


def function(*ops: str, returns: str, scalars: str = "") -> FuncOp:
    arrays = returns.split(", ") if returns else []
    numbers = scalars.split(", ") if scalars else []
    types = ", ".join([T] * len(arrays) + ["f64"] * len(numbers))
    body = "".join(ops)
    values = ", ".join(arrays + numbers)
    text = f"func.func @f(%x: {T}, %y: {T}) -> ({types}) {{ {body}\n func.return {values} : {types}\n }}"
    return next(op for op in parse_module(text).body.block.ops if isinstance(op, FuncOp))


def fused(f: FuncOp) -> list[NestOp]:
    """The nests after fusion, checked to be well-formed and to mean the same."""
    new = fuse_function(f)
    module = parse_module(str(f))
    FuseKernelsPass().apply(make_context(), module)
    verify_module(module)
    generator = np.random.default_rng(1)
    args = [generator.uniform(-1, 1, 1000) for _ in range(2)]
    for got, want in zip(run_function(new, args), run_function(f, args), strict=True):
        np.testing.assert_array_equal(got, want)
    return [op for op in new.body.block.ops if isinstance(op, NestOp)]


def loads(op: NestOp) -> int:
    return sum(isinstance(o, LoadOp) for o in op.body.block.ops)


def test_a_chain_becomes_one_nest_without_intermediates() -> None:
    (one,) = fused(function(nest("%a", "%x"), nest("%b", "%a", "sin"), nest("%c", "%b", "neg"), returns="%c"))
    assert len(one.roots) == 1
    assert loads(one) == 1


def test_what_is_read_elsewhere_is_still_stored() -> None:
    (one,) = fused(function(nest("%a", "%x"), nest("%b", "%a", "sin"), returns="%b, %a"))
    assert len(one.roots) == 2


def test_nests_that_load_the_same_elements_merge_and_share_them() -> None:
    (one,) = fused(function(nest("%a", "%x"), nest("%b", "%x, %y", "sin"), returns="%a, %b"))
    assert loads(one) == 2


def test_reductions_of_the_same_array_merge() -> None:
    (one,) = fused(
        function(
            nest("%a", "%x", combiner="add"),
            nest("%b", "%x", "neg", combiner="max"),
            returns="",
            scalars="%a, %b",
        )
    )
    assert one.combiners is not None
    assert [c.data for c in one.combiners] == ["add", "max"]


@pytest.mark.parametrize(
    "second",
    [
        nest("%b", "%a", position="%r"),
        nest("%b", "%y", "sin"),
    ],
    ids=["reads another position", "shares nothing"],
)
def test_others_stay_apart(second: str) -> None:
    assert len(fused(function(nest("%a", "%x"), second, returns="%a, %b"))) == 2


def test_a_position_read_backwards_of_a_shared_input_stays_apart() -> None:
    f = function(nest("%a", "%x"), nest("%b", "%x", position="%r"), returns="%a, %b")
    assert len(fused(f)) == 2


def test_values_in_between_keep_nests_apart() -> None:
    f = function(
        nest("%a", "%x"),
        nest("%m", "%a", position="%r"),
        nest("%b", "%a, %m"),
        returns="%b",
    )
    assert [len(op.roots) for op in fused(f)] == [1, 1]


def test_an_earlier_nest_moves_to_a_later_one_that_needs_values_in_between() -> None:
    f = function(
        nest("%a", "%x"),
        nest("%m", "%y", position="%r"),
        nest("%b", "%a, %m"),
        returns="%b",
    )
    assert [len(op.roots) for op in fused(f)] == [1, 1]


def test_an_earlier_nest_moves_past_a_reduction() -> None:
    f = function(
        nest("%a", "%x"),
        nest("%s", "%y", combiner="add"),
        f"""
      %b = kernel.nest %a, %s (%i) {{space = [1000], reduction = []}} : {T}, f64 -> {T} {{
        %p = kernel.load %a[%i] : {T} -> f64
        %q = kernel.load %s : f64 -> f64
        %o = array.mul %p, %q : f64
        array.yield %o : f64
      }}""",
        returns="%b",
    )
    nests = fused(f)
    assert len(nests) == 2
    assert loads(nests[1]) == 2


def test_a_sum_that_the_next_reduction_reads_is_complete_first() -> None:
    again = f"""
      %t = kernel.nest %s, %x (%i) {{space = [], reduction = [1000], combiners = [add]}} : f64, {T} -> f64 {{
        %p = kernel.load %s : f64 -> f64
        %q = kernel.load %x[%i] : {T} -> f64
        %o = array.mul %p, %q : f64
        array.yield %o : f64
      }}"""
    assert len(fused(function(nest("%s", "%x", combiner="add"), again, returns="", scalars="%t"))) == 2


def test_bodies_and_results_are_bounded() -> None:
    many = [nest(f"%v{k}", "%x", "exp") for k in range(3 * MAX_MAP_RESULTS)]
    ops = [m.replace("array.exp", "array.exp" if k == 0 else "array.sin") for k, m in enumerate(many)]
    found = fused(function(*ops, returns=", ".join(f"%v{k}" for k in range(len(ops)))))
    assert all(len(op.roots) <= MAX_MAP_RESULTS for op in found)
    chain = [nest(f"%v{k}", "%x, " + (f"%v{k - 1}" if k else "%y")) for k in range(MAX_BODY)]
    nests = fused(function(*chain, returns=f"%v{MAX_BODY - 1}"))
    assert all(sum(1 for _ in op.body.block.ops) <= MAX_BODY + 1 for op in nests)
    assert len(nests) < 5


def test_the_given_function_is_left_alone() -> None:
    f = function(nest("%a", "%x"), nest("%b", "%a"), returns="%b")
    before = str(f)
    fuse_function(f)
    assert str(f) == before


@st.composite
def programs(draw: st.DrawFn) -> FuncOp:
    values, numbers, ops = ["%x", "%y"], list[str](), list[str]()
    for k in range(draw(st.integers(1, 10))):
        combiner = draw(st.sampled_from(["", "", "", "add", "max"]))
        reads = draw(st.lists(st.sampled_from(values), min_size=1, max_size=3, unique=True))
        position = draw(st.sampled_from(["%i", "%i", "%i", "%r"]))
        op = draw(st.sampled_from(["sin", "neg", "abs"]))
        ops.append(nest(f"%v{k}", ", ".join(reads), op, position=position, combiner=combiner))
        (numbers if combiner else values).append(f"%v{k}")
    returned = draw(st.lists(st.sampled_from(values), min_size=1, max_size=3, unique=True))
    return function(*ops, returns=", ".join(returned), scalars=", ".join(numbers))


@given(programs())
def test_fusion_of_random_programs_keeps_their_meaning(f: FuncOp) -> None:
    fused(f)
