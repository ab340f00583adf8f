"""A check that LLVM knows a processor and its features by their names.

    require_processor("aarch64-unknown-linux-gnu", "cortex-a76", "+sve")       raises nothing
    require_processor("x86_64-unknown-linux-gnu", "cortex-a76", "")            CompileError

LLVM has no function that says so. It writes to standard error and goes on without the name, or ends the
process when code is emitted: so another process is asked.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Final

from mlirad.errors import CompileError

_QUESTION: Final = """
import sys
import llvmlite.binding as llvm
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
triple, cpu, features = sys.argv[1:]
machine = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, features=features)
module = llvm.parse_assembly(f'target triple = "{triple}"\\ndefine void @f() {{\\n  ret void\\n}}')
machine.emit_assembly(module)
"""


@lru_cache(maxsize=64)
def require_processor(triple: str, cpu: str, features: str) -> None:
    """Raise `CompileError` unless LLVM knows the processor, and each of its features, by these names.

    Where no other process can be started nothing is checked.
    """
    for feature in filter(None, features.split(",")):
        if feature[0] not in "+-":
            raise CompileError(
                f"no processor feature {feature!r}",
                hint=f"write '+{feature}' to add it, '-{feature}' to take it away",
            )
    if not sys.executable:
        return
    import subprocess  # which is for processors that are named, not for the one that the process runs on

    command = [sys.executable, "-c", _QUESTION, triple, cpu, features]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return
    lines = done.stderr.splitlines()
    unknown = next((line for line in lines if "is not a recognized" in line), None)
    if unknown is not None:
        raise CompileError(
            f"LLVM knows no {unknown.partition(' is not a recognized ')[2].partition(' for')[0]} "
            f"{unknown.partition(' is not')[0]} of {triple}",
            hint="the tool llc of LLVM lists them: llc -march=... -mcpu=help",
        )
    if done.returncode != 0:
        last = lines[-1] if lines else "it ended the process"
        raise CompileError(f"LLVM has no code generator for {triple}, {cpu!r} and {features!r}: {last}")
