"""The verifier of programs of the language.

Verifiers of ops raise xDSL's `VerifyException` with a sentence; `verify_module` adds op and location. It
checks what an op declares before the ops of its regions, and the op's own rules after them, so a `verify_`
may read regions and their ops without care: these have their operands, properties, terminators and types.

xDSL's verifier checks neither that values are defined before they are used nor which op is at fault.
"""

from mlirad.ir.verification.verification import verify_module

__all__ = ["verify_module"]
