"""Families of programs with functions as values, of size n, whose gradients cost a constant times the primal.

FAMILIES["closure_chain"](10)       a module with @main
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import ModuleOp

from tests.passes.test_eliminate_functions import applied, curried, joined, lambda_, main, program, redexes


def closure_chain(n: int) -> ModuleOp:
    """f_(k + 1) = z to sin(f_k z)"""
    lines = lambda_("%f0", ["%y = array.mul %z, %x : f64"], "%y")
    for k in range(n):
        body = [applied("%a", f"%f{k}", "%z"), "%y = array.sin %a : f64"]
        lines += lambda_(f"%f{k + 1}", body, "%y")
    return main([*lines, applied("%r", f"%f{n}", "%w")], "%r")


def wide_context(n: int) -> ModuleOp:
    """A lambda over n values."""
    lines = ["%s0 = array.sin %x : f64"]
    lines += [f"%s{k + 1} = array.sin %s{k} : f64" for k in range(n)]
    body = ["%y0 = array.mul %z, %s0 : f64"]
    body += [f"%y{k + 1} = array.mul %y{k}, %s{k + 1} : f64" for k in range(n)]
    return main([*lines, *lambda_("%f", body, f"%y{n}"), applied("%r", "%f", "%w")], "%r")


def chosen_over_an_array(n: int) -> ModuleOp:
    """A closure over an n-array applied n times, chosen by a branch."""
    read = [f"%e = array.index %a[%zero] : tensor<{n}xf64> -> f64", "%y = array.mul %e, %z : f64"]
    return program(
        f"""func.func @main(%x: f64, %a: tensor<{n}xf64>) -> f64 {{
          %zero = array.constant 0 : i64
          %p = array.compare gt %x, %x : f64, f64 -> i1
          %f = array.if %p : i1 -> CLOSURE {{
            {" ".join(lambda_("%g", read, "%y"))}
            array.yield %g : CLOSURE
          }} else {{
            {" ".join(lambda_("%g", [*read[:1], "%y = array.add %e, %z : f64"], "%y"))}
            array.yield %g : CLOSURE
          }}
          %r = array.scan %x (%i, %c : f64) {{carries = 1, length = {n}}} : f64 -> f64 {{
            %b = function.apply %f, %c : CLOSURE, f64 -> f64
            %t = array.sin %b : f64
            array.yield %t : f64
          }}
          func.return %r : f64
        }}"""
    )


def reading_calls(n: int) -> ModuleOp:
    """n calls of a function that reads one element of an n-array."""
    lines = ["%r0 = array.sin %x : f64"]
    lines += [f"%r{k + 1} = func.call @g(%a, %r{k}) : (tensor<{n}xf64>, f64) -> f64" for k in range(n)]
    return program(
        f"""func.func private @g(%a: tensor<{n}xf64>, %x: f64) -> f64 {{
          %zero = array.constant 0 : i64
          %e = array.index %a[%zero] : tensor<{n}xf64> -> f64
          %y = array.mul %e, %x : f64
          func.return %y : f64
        }}
        func.func @main(%x: f64, %a: tensor<{n}xf64>) -> f64 {{
          {chr(10).join(lines)}
          func.return %r{n} : f64
        }}"""
    )


def untouched_in_cases(n: int) -> ModuleOp:
    """n cases of one sum value, whose other half has an n-array."""
    kind = f"!function.sum<f64, tensor<{n}xf64>>"
    lines = [f"%s = function.inject %x {{index = 0}} : f64 -> {kind}", "%r0 = array.sin %x : f64"]
    for k in range(n):
        lines.append(
            f"""%r{k + 1} = function.case %s (%l : f64) : {kind} -> f64 {{
              %m{k} = array.mul %l, %r{k} : f64
              array.yield %m{k} : f64
            }} case (%v : tensor<{n}xf64>) {{
              %t{k} = array.sum %v {{dims = [0]}} : tensor<{n}xf64> -> f64
              array.yield %t{k} : f64
            }}"""
        )
    return main(lines, f"%r{n}")


def carried_and_replaced(n: int) -> ModuleOp:
    """A closure over an n-array that a loop carries, applies in each iteration, and replaces by another
    once.
    """

    def reads(array: str) -> list[str]:
        return [f"%e = array.index {array}[%zero] : tensor<{n}xf64> -> f64", "%y = array.mul %e, %z : f64"]

    return program(
        f"""func.func @main(%x: f64, %a: tensor<{n}xf64>, %b: tensor<{n}xf64>) -> f64 {{
          %zero = array.constant 0 : i64
          %half = array.constant {n // 2} : i64
          {" ".join(lambda_("%f", reads("%a"), "%y"))}
          %g, %r = array.scan %f, %x (%i, %h : CLOSURE, %c : f64) {{carries = 2, length = {n}}}
              : CLOSURE, f64 -> (CLOSURE, f64) {{
            %now = array.compare eq %i, %half : i64, i64 -> i1
            %k = array.if %now : i1 -> CLOSURE {{
              {" ".join(lambda_("%other", reads("%b"), "%y"))}
              array.yield %other : CLOSURE
            }} else {{
              array.yield %h : CLOSURE
            }}
            {applied("%d", "%k", "%c")}
            %t = array.sin %d : f64
            array.yield %k, %t : CLOSURE, f64
          }}
          func.return %r : f64
        }}"""
    )


def recursion_over_an_array(n: int) -> ModuleOp:
    """A recursion n deep that passes on a closure over an n-array and applies it in each call."""
    body = [f"%e = array.index %a[%zero] : tensor<{n}xf64> -> f64", "%y = array.mul %e, %z : f64"]
    return program(
        f"""func.func private @down(%k: i64, %c: f64, %f: CLOSURE) -> f64 {{
          %zero = array.constant 0 : i64
          %one = array.constant 1 : i64
          %end = array.compare eq %k, %zero : i64, i64 -> i1
          %r = array.if %end : i1 -> f64 {{
            array.yield %c : f64
          }} else {{
            {applied("%d", "%f", "%c")}
            %t = array.sin %d : f64
            %less = array.sub %k, %one : i64
            %s = func.call @down(%less, %t, %f) : (i64, f64, CLOSURE) -> f64
            array.yield %s : f64
          }}
          func.return %r : f64
        }}
        func.func @main(%x: f64, %a: tensor<{n}xf64>) -> f64 {{
          %zero = array.constant 0 : i64
          %n = array.constant {n} : i64
          {" ".join(lambda_("%f", body, "%y"))}
          %r = func.call @down(%n, %x, %f) : (i64, f64, CLOSURE) -> f64
          func.return %r : f64
        }}"""
    )


def shared_captures(n: int) -> ModuleOp:
    """n closures that capture one n-array and the closure before, which each applies."""
    lines = lambda_("%f0", ["%y = array.mul %z, %x : f64"], "%y")
    for k in range(n):
        body = [
            "%zero = array.constant 0 : i64",
            f"%e = array.index %a[%zero] : tensor<{n}xf64> -> f64",
            applied("%b", f"%f{k}", "%z"),
            "%c = array.mul %b, %e : f64",
            "%y = array.sin %c : f64",
        ]
        lines += lambda_(f"%f{k + 1}", body, "%y")
    return main([*lines, applied("%r", f"%f{n}", "%x")], "%r", f"%x: f64, %a: tensor<{n}xf64>")


def applied_often(n: int) -> ModuleOp:
    """One closure over a number, applied n times."""
    lines = lambda_("%f", ["%t = array.mul %z, %w : f64", "%y = array.sin %t : f64"], "%y")
    lines += [applied(f"%r{k + 1}", "%f", f"%r{k}" if k else "%x") for k in range(n)]
    return main(lines, f"%r{n}")


def over_an_array(n: int) -> ModuleOp:
    """A closure over an n-array, applied n times."""
    read = [
        "%zero = array.constant 0 : i64",
        f"%e = array.index %a[%zero] : tensor<{n}xf64> -> f64",
        "%t = array.mul %e, %z : f64",
        "%y = array.sin %t : f64",
    ]
    lines = lambda_("%f", read, "%y")
    lines += [applied(f"%r{k + 1}", "%f", f"%r{k}" if k else "%x") for k in range(n)]
    return main(lines, f"%r{n}", f"%x: f64, %a: tensor<{n}xf64>")


def reads(n: int) -> ModuleOp:
    """n reads of elements of an n-array, by a closure over it."""
    read = [f"%e = array.index %a[%i] : tensor<{n}xf64> -> f64", "%y = array.mul %e, %z : f64"]
    return program(
        f"""func.func @main(%x: f64, %a: tensor<{n}xf64>) -> f64 {{
          %r = array.scan %x (%i, %c : f64) {{carries = 1, length = {n}}} : f64 -> f64 {{
            {" ".join(lambda_("%f", read, "%y"))}
            {applied("%b", "%f", "%c")}
            %t = array.sin %b : f64
            array.yield %t : f64
          }}
          func.return %r : f64
        }}"""
    )


def _swept(n: int, iteration: str) -> ModuleOp:
    """A loop over the elements of the n-array %c that it carries, by a closure that is applied to some."""
    carry = f"tensor<{n}xf64>"
    return program(
        f"""func.func @main(%x: f64, %a: {carry}) -> f64 {{
          %zero = array.constant 0 : i64
          {" ".join(lambda_("%f", ["%t = array.mul %z, %x : f64", "%y = array.sin %t : f64"], "%y"))}
          %r = array.scan %a (%i, %c : {carry}) {{carries = 1, length = {n}}} : {carry} -> {carry} {{
            {iteration}
            array.yield %d : {carry}
          }}
          %s = array.sum %r {{dims = [0]}} : {carry} -> f64
          func.return %s : f64
        }}"""
    )


def _read(n: int, array: str) -> str:
    return f"%e = array.index {array}[%zero] : tensor<{n}xf64> -> f64\n" + applied("%v", "%f", "%e")


def _update(n: int, result: str, value: str) -> str:
    carry = f"tensor<{n}xf64>"
    return (
        f"{result} = array.update set %c, {value} () : {carry}, f64 -> {carry} {{\narray.yield %i : i64\n}}"
    )


def reads_then_updates(n: int) -> ModuleOp:
    """A loop that reads an element of its carry, and updates another one."""
    return _swept(n, "\n".join((_read(n, "%c"), _update(n, "%d", "%v"))))


def updates_then_reads(n: int) -> ModuleOp:
    """A loop that updates an element of its carry, and then one more by what it reads there."""
    lines = (_update(n, "%u", "%x"), _read(n, "%u"), _update(n, "%d", "%v").replace("%c", "%u"))
    return _swept(n, "\n".join(lines))


def updates_in_a_branch(n: int) -> ModuleOp:
    """A loop that reads and updates its carry in a branch."""
    carry = f"tensor<{n}xf64>"
    return _swept(
        n,
        f"""%p = array.compare gt %i, %zero : i64, i64 -> i1
        %d = array.if %p : i1 -> {carry} {{
          {_read(n, "%c")}
          {_update(n, "%u", "%v")}
          array.yield %u : {carry}
        }} else {{
          array.yield %c : {carry}
        }}""",
    )


FAMILIES: dict[str, Callable[[int], ModuleOp]] = {
    f.__name__: f
    for f in (
        wide_context,
        closure_chain,
        redexes,
        joined,
        shared_captures,
        curried,
        applied_often,
        over_an_array,
        chosen_over_an_array,
        carried_and_replaced,
        recursion_over_an_array,
        untouched_in_cases,
        reads,
        reading_calls,
        reads_then_updates,
        updates_then_reads,
        updates_in_a_branch,
    )
}
