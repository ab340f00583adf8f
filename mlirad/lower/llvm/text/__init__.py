"""A small, fast, typed writer of LLVM IR text (LLVM 22, opaque pointers).

`ModuleText` collects functions and constants, `IRBuilder` writes the instructions of one function, `Value`
is an operand with its kind and vector width. The same calls always give the same text.

    module = ModuleText()
    parameters = [Parameter("a", "double"), Parameter("x", "double", 8)]
    f = module.function("axpy", parameters, "double", 8)
    a, x = f.arguments
    f.ret(f.fma(a, x, 1.0))            # a is broadcast, 1.0 becomes a splat literal
    text = module.text()
"""

from mlirad.lower.llvm.text.checking import Bounds
from mlirad.lower.llvm.text.control_flow import Conditional, CountedLoop
from mlirad.lower.llvm.text.emission import Operand, Parameter
from mlirad.lower.llvm.text.module import IRBuilder, ModuleText
from mlirad.lower.llvm.text.value import (
    BITS,
    BYTES,
    Kind,
    Value,
    constant,
    float_text,
    lanes,
    mangled,
    type_text,
    undefined,
    vector,
)

__all__ = [
    "BITS",
    "BYTES",
    "Bounds",
    "Conditional",
    "CountedLoop",
    "IRBuilder",
    "Kind",
    "ModuleText",
    "Operand",
    "Parameter",
    "Value",
    "constant",
    "float_text",
    "lanes",
    "mangled",
    "type_text",
    "undefined",
    "vector",
]
