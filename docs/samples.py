"""One small program per op that is not elementwise, in MLIR text: the examples of the op tables.

The tables show the line of the op, and what differentiation, bulk operations and kernel formation make of
it, found by running them.
"""

from __future__ import annotations

from typing import NamedTuple


class Sample(NamedTuple):
    """An op on typed arguments: the text after `%r = `, and the type of the result."""

    arguments: str
    text: str
    result: str
    sizes: str = ""
    """The sizes that the arguments have, as in `"n"`."""

    @property
    def stated(self) -> str:
        """The attribute that states the sizes."""
        return f" attributes {{array.sizes = [{self.sizes}]}}" if self.sizes else ""

    @property
    def module(self) -> str:
        """The sample as a program."""
        return (
            f"func.func @main({self.arguments}) -> {self.result}{self.stated} {{\n"
            f"  %r = {self.text}\n  func.return %r : {self.result}\n}}\n"
        )


SAMPLES: dict[str, Sample] = {
    "array.compare": Sample("%x: f64, %y: f64", "array.compare lt %x, %y : f64, f64 -> i1", "i1"),
    "array.select": Sample(
        "%c: i1, %x: f64, %y: f64", "array.select %c, %x, %y : i1, f64, f64 -> f64", "f64"
    ),
    "array.convert": Sample("%x: f64", "array.convert %x : f64 -> f32", "f32"),
    "array.special": Sample(
        "%a: f64, %x: f64",
        "array.special agm %a, %x : f64",
        "f64",
    ),
    "array.polygamma": Sample("%x: f64", "array.polygamma %x {order = 0} : f64", "f64"),
    "array.constant": Sample("", "array.constant dense<[1.0, 2.0]> : tensor<2xf64>", "tensor<2xf64>"),
    "array.iota": Sample("", "array.iota {dim = 0} : -> tensor<4xi64>", "tensor<4xi64>"),
    "array.size": Sample(
        "%x: tensor<?xf64, #array.extents<[n]>>",
        "array.size {extent = #array.extent<2 * n>} : -> i64",
        "i64",
        '"n"',
    ),
    "array.broadcast": Sample(
        "%x: tensor<3xf64>",
        "array.broadcast %x {dims = [1]} : tensor<3xf64> -> tensor<2x3xf64>",
        "tensor<2x3xf64>",
    ),
    "array.transpose": Sample(
        "%x: tensor<2x3xf64>",
        "array.transpose %x {permutation = [1, 0]} : tensor<2x3xf64> -> tensor<3x2xf64>",
        "tensor<3x2xf64>",
    ),
    "array.reshape": Sample(
        "%x: tensor<2x3xf64>", "array.reshape %x : tensor<2x3xf64> -> tensor<6xf64>", "tensor<6xf64>"
    ),
    "array.slice": Sample(
        "%x: tensor<5xf64>",
        "array.slice %x {starts = [1], limits = [5], strides = [2]} : tensor<5xf64> -> tensor<2xf64>",
        "tensor<2xf64>",
    ),
    "array.pad": Sample(
        "%x: tensor<2xf64>, %v: f64",
        "array.pad %x, %v {low = [1], high = [0], interior = [1]} : tensor<2xf64>, f64 -> tensor<4xf64>",
        "tensor<4xf64>",
    ),
    "array.concatenate": Sample(
        "%x: tensor<2xf64>, %y: tensor<3xf64>",
        "array.concatenate %x, %y {dim = 0} : tensor<2xf64>, tensor<3xf64> -> tensor<5xf64>",
        "tensor<5xf64>",
    ),
    "array.reverse": Sample(
        "%x: tensor<3xf64>", "array.reverse %x {dims = [0]} : tensor<3xf64> -> tensor<3xf64>", "tensor<3xf64>"
    ),
    "array.stack": Sample(
        "%x: f64, %y: f64", "array.stack %x, %y {dim = 0} : f64, f64 -> tensor<2xf64>", "tensor<2xf64>"
    ),
    "array.index": Sample(
        "%x: tensor<5x3xf64>, %i: i64",
        "array.index %x[%i] : tensor<5x3xf64> -> tensor<3xf64>",
        "tensor<3xf64>",
    ),
    "array.gather": Sample(
        "%x: tensor<5xf64>, %p: tensor<3xi64>",
        "array.gather %x (%i) : tensor<5xf64> -> tensor<3xf64> {\n"
        "    %e = array.index %p[%i] : tensor<3xi64> -> i64\n    array.yield %e : i64\n  }",
        "tensor<3xf64>",
    ),
    "array.scatter": Sample(
        "%x: tensor<3xf64>, %p: tensor<3xi64>",
        "array.scatter %x (%i) : tensor<3xf64> -> tensor<5xf64> {\n"
        "    %e = array.index %p[%i] : tensor<3xi64> -> i64\n    array.yield %e : i64\n  }",
        "tensor<5xf64>",
    ),
    "array.update": Sample(
        "%base: tensor<5xf64>, %x: tensor<3xf64>, %p: tensor<3xi64>",
        "array.update add %base, %x (%i) : tensor<5xf64>, tensor<3xf64> -> tensor<5xf64> {\n"
        "    %e = array.index %p[%i] : tensor<3xi64> -> i64\n    array.yield %e : i64\n  }",
        "tensor<5xf64>",
    ),
    "array.build": Sample(
        "%x: tensor<3xf64>",
        "array.build (%i) : -> tensor<3xf64> {\n    %a = array.index %x[%i] : tensor<3xf64> -> f64\n"
        "    %b = array.exp %a : f64\n    array.yield %b : f64\n  }",
        "tensor<3xf64>",
    ),
    "array.sum": Sample(
        "%x: tensor<2x3xf64>", "array.sum %x {dims = [1]} : tensor<2x3xf64> -> tensor<2xf64>", "tensor<2xf64>"
    ),
    "array.reduce": Sample(
        "%x: tensor<2x3xf64>",
        "array.reduce max %x {dims = [1]} : tensor<2x3xf64> -> tensor<2xf64>",
        "tensor<2xf64>",
    ),
    "array.argmax": Sample("%x: tensor<3xf64>", "array.argmax %x {dim = 0} : tensor<3xf64> -> i64", "i64"),
    "array.argmin": Sample("%x: tensor<3xf64>", "array.argmin %x {dim = 0} : tensor<3xf64> -> i64", "i64"),
    "array.dot": Sample(
        "%x: tensor<2x3xf64>, %y: tensor<3x4xf64>",
        "array.dot %x, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]} : "
        "tensor<2x3xf64>, tensor<3x4xf64> -> tensor<2x4xf64>",
        "tensor<2x4xf64>",
    ),
    "array.sort": Sample("%x: tensor<3xf64>", "array.sort %x {dim = 0} : tensor<3xf64>", "tensor<3xf64>"),
    "array.argsort": Sample(
        "%x: tensor<3xf64>", "array.argsort %x {dim = 0} : tensor<3xf64> -> tensor<3xi64>", "tensor<3xi64>"
    ),
    "array.cumulative": Sample(
        "%x: tensor<3xf64>", "array.cumulative sum %x {dim = 0} : tensor<3xf64>", "tensor<3xf64>"
    ),
    "array.lu": Sample("%x: tensor<3x3xf64>", "array.lu factors %x : tensor<3x3xf64>", "tensor<3x3xf64>"),
    "array.cholesky": Sample("%x: tensor<3x3xf64>", "array.cholesky %x : tensor<3x3xf64>", "tensor<3x3xf64>"),
    "array.qr": Sample(
        "%x: tensor<4x3xf64>",
        "array.qr triangular %x : tensor<4x3xf64> -> tensor<3x3xf64>",
        "tensor<3x3xf64>",
    ),
    "array.eigh": Sample(
        "%x: tensor<3x3xf64>", "array.eigh values %x : tensor<3x3xf64> -> tensor<3xf64>", "tensor<3xf64>"
    ),
    "array.svd": Sample(
        "%x: tensor<4x3xf64>", "array.svd values %x : tensor<4x3xf64> -> tensor<3xf64>", "tensor<3xf64>"
    ),
    "array.eig": Sample(
        "%x: tensor<3x3xf64>", "array.eig values %x : tensor<3x3xf64> -> tensor<3x2xf64>", "tensor<3x2xf64>"
    ),
    "array.schur": Sample(
        "%x: tensor<3x3xf64>", "array.schur triangular %x : tensor<3x3xf64>", "tensor<3x3xf64>"
    ),
    "array.triangular_solve": Sample(
        "%t: tensor<3x3xf64>, %x: tensor<3x2xf64>",
        "array.triangular_solve %t, %x {upper} : tensor<3x3xf64>, tensor<3x2xf64> -> tensor<3x2xf64>",
        "tensor<3x2xf64>",
    ),
    "array.fft": Sample(
        "%x: tensor<8xf64>", "array.fft real %x : tensor<8xf64> -> tensor<5x2xf64>", "tensor<5x2xf64>"
    ),
    "array.solve": Sample(
        "%a: tensor<3x3xf64>, %x: tensor<3x2xf64>",
        "array.solve %a, %x : tensor<3x3xf64>, tensor<3x2xf64> -> tensor<3x2xf64>",
        "tensor<3x2xf64>",
    ),
    "array.report": Sample(
        "%t: i64, %p: i1, %x: f64",
        'array.report print %t, %p, %x {message = "x = {}", batch_rank = 0} : i64, i1, f64 -> i64',
        "i64",
    ),
    "array.callback": Sample(
        "%p: i1, %x: f64",
        'array.callback %p, %x {function = "model.table", batch_rank = 0} : i1, f64 -> tensor<3xf64>',
        "tensor<3xf64>",
    ),
    "array.scan": Sample(
        "%z: f64, %x: tensor<5xf64>",
        "array.scan %z, %x (%i, %c: f64, %e: f64) {carries = 1, length = 5} : f64, tensor<5xf64> -> f64 {\n"
        "    %s = array.mul %c, %e : f64\n    array.yield %s : f64\n  }",
        "f64",
    ),
    "array.while": Sample(
        "%x: f64, %one: f64",
        "array.while %x (%a: f64) : f64 -> f64 {\n    %more = array.compare gt %a, %one : f64, f64 -> i1\n"
        "    array.yield %more : i1\n  } do (%a: f64) {\n    %b = array.log %a : f64\n"
        "    array.yield %b : f64\n  }",
        "f64",
    ),
    "array.if": Sample(
        "%p: i1, %x: f64",
        "array.if %p : i1 -> f64 {\n    %s = array.sin %x : f64\n    array.yield %s : f64\n  } else {\n"
        "    array.yield %x : f64\n  }",
        "f64",
    ),
    "array.switch": Sample(
        "%i: i64, %x: f64",
        "array.switch %i : i64 -> f64 {\n    %s = array.sin %x : f64\n    array.yield %s : f64\n  } case {\n"
        "    array.yield %x : f64\n  } case {\n    %e = array.exp %x : f64\n    array.yield %e : f64\n  }",
        "f64",
    ),
    "array.custom": Sample(
        "%x: f64",
        "array.custom %x (%a: f64) : f64 -> f64 {\n    %n = array.round %a : f64\n    array.yield %n : f64\n"
        "  } derivative (%a: f64, %da: f64) {\n    array.yield %da : f64\n  }",
        "f64",
    ),
    "array.checkpoint": Sample(
        "%x: f64",
        "array.checkpoint : -> f64 {\n    %s = array.sin %x : f64\n    array.yield %s : f64\n  }",
        "f64",
    ),
}
"""The samples, by the name of the op. Ops that only make sense beside others have none."""
