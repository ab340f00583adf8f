"""The machine that code is generated for: processor, features, and how wide its vectors are.

By default that is the host. Another one can be asked for, by an argument or by the environment
variable `MLIRAD_TARGET_FEATURES`, as

- `native`: the host;
- `baseline`: the least processor of the host's architecture (on x86-64, SSE2);
- `x86-64`, `x86-64-v2`, `x86-64-v3` (AVX2 and fused multiply-add), `x86-64-v4` (AVX-512), on
  x86-64;
- a list of features to add to or take from the host's, such as `-avx512f` or `-avx2,-fma`. A
  feature taken away takes along those that need it: `-avx2` leaves no AVX-512.

For example, on a host with AVX-512 `find_target().vector_bytes` is 64,
`find_target("x86-64-v3").vector_bytes` is 32 and `find_target("baseline").vector_bytes` is 16.
Asking for more than the host has gives code that can be looked at and not be run.

Code that a linker makes programs of can be made for any processor that LLVM knows, by `file_target`:

    file_target("aarch64-unknown-linux-gnu", cpu="cortex-a76")
    file_target("wasm32-unknown-unknown", features="+simd128")
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import lru_cache
from typing import Final

from mlirad.errors import CompileError
from mlirad.jit.llvm_binding import LLVM, TargetMachine
from mlirad.jit.processor_names import require_processor
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.llvm.instructions import Instructions

ENVIRONMENT_VARIABLE: Final = "MLIRAD_TARGET_FEATURES"

CODE_GENERATION_LEVEL: Final = 1
"""Level 2, LLVM's default, also orders instructions once they have registers. It takes up to a tenth longer,
for code that runs equally fast.
"""

_X86_LEVELS: Final = {"x86-64": 16, "x86-64-v2": 16, "x86-64-v3": 32, "x86-64-v4": 64}
_RECENT_LEVELS: Final = ("x86-64-v3", "x86-64-v4")
_LOW_FIRST: Final = ("aarch64-", "arm64-", "riscv", "powerpc64le", "wasm")
"""The beginnings of triples of processors that have the lowest byte of a number first, apart from x86."""
_HOST_LOW_FIRST: Final = sys.byteorder == "little"
_AVX2: Final = ("avx", "avx2")
_AVX512: Final = (*_AVX2, "fma", "avx512f", "avx512dq", "avx512vl")


@dataclass(frozen=True)
class Target:
    """A processor: LLVM's triple, processor name and feature list, and the width of its vectors in bytes."""

    triple: str
    cpu: str
    features: str
    vector_bytes: int
    instructions: Instructions
    """The instructions of the processor, as far as its name and features tell."""
    is_linked: bool = False
    """True if a linker makes programs and libraries of the code, wherever these are loaded."""

    @property
    def machine(self) -> TargetMachine:
        """LLVM's code generator for this processor, one per process."""
        return _machine(self, CODE_GENERATION_LEVEL)

    @property
    def quick_machine(self) -> TargetMachine:
        """The same without optimisation: for a few instructions of glue it is ten times as fast."""
        return _machine(self, 0)


def find_target(request: str | None = None) -> Target:
    """The target that `request` names, else the environment variable, else the host.

    Raises `CompileError` if there is no such target.
    """
    return _find_target(request or os.environ.get(ENVIRONMENT_VARIABLE) or "native")


@lru_cache(maxsize=64)
def _find_target(request: str) -> Target:
    triple = LLVM.get_process_triple()
    is_x86 = _is_x86(triple)
    if request == "baseline":
        request = "x86-64" if is_x86 else "generic"
    if request == "generic":
        instructions = Instructions(not is_x86, masks=False, extrema=not is_x86, low_first=_HOST_LOW_FIRST)
        return Target(triple, request, "", 16, instructions)
    if is_x86 and request in _X86_LEVELS:
        is_recent = request in _RECENT_LEVELS
        mask_bytes = _mask_bytes(_X86_LEVELS[request])
        instructions = Instructions(is_recent, is_recent, extrema=False, mask_bytes=mask_bytes)
        return Target(triple, request, "", _X86_LEVELS[request], instructions)
    return _host_with(triple, [] if request == "native" else request.split(","))


def _mask_bytes(vector_bytes: int) -> int:
    """The longest vectors of x86 that one instruction can load by some lanes: AVX-512 has longer ones."""
    return 64 if vector_bytes == 64 else 32


def _is_x86(triple: str) -> bool:
    return triple.startswith(("x86_64", "amd64", "i386", "i686"))


def _host_with(triple: str, changes: list[str]) -> Target:
    """The host with features added (`+name`) and taken away (`-name`)."""
    features = LLVM.get_host_cpu_features()
    for change in changes:
        if change[:1] not in ("+", "-") or change[1:] not in features:
            raise CompileError(
                f"no target or processor feature {change!r}",
                hint="write native, baseline, x86-64-v3, or features of the host such as -avx512f "
                f"(argument, or environment variable {ENVIRONMENT_VARIABLE}), or for files a triple of LLVM, "
                "of three parts or more",
            )
    # LLVM reads the list in order and lets a feature taken away take its dependants along: changes
    # come last.
    flags = [("+" if on else "-") + name for name, on in sorted(features.items())] + changes
    features |= {change[1:]: change[0] == "+" for change in changes}
    if all(features.get(name, False) for name in _AVX512):
        vector_bytes = 64
    elif all(features.get(name, False) for name in _AVX2):
        vector_bytes = 32
    else:
        vector_bytes = 16
    is_x86 = _is_x86(triple)
    instructions = Instructions(
        fuses=not is_x86 or features.get("fma", False),
        masks=features.get("avx" if is_x86 else "sve", False),
        extrema=not is_x86,
        low_first=_HOST_LOW_FIRST,
        mask_bytes=_mask_bytes(vector_bytes) if is_x86 else 64,
    )
    return Target(triple, LLVM.get_host_cpu_name(), ",".join(flags), vector_bytes, instructions)


def file_target(request: str | None = None, cpu: str = "", features: str = "") -> Target:
    """The target of code for a linker: what `find_target` takes, or a triple of LLVM such as
    `aarch64-unknown-linux-gnu` with the names that LLVM has for a processor and for its features.

    Raises `CompileError` if there is no such target.
    """
    if request is None or request.count("-") < 2 or request in _X86_LEVELS or request[:1] in "+-":
        target = find_target(request)
        if not cpu and not features:
            return replace(target, is_linked=True)
        request = target.triple
    if cpu or features:
        require_processor(request, cpu, features)
    _make_all_generators()
    instructions = _instructions(request, cpu, features)
    found = Target(request, cpu, features, _vector_bytes(cpu, features), instructions, is_linked=True)
    assert found.machine.triple  # made, so that a triple without a code generator is an error here
    return found


def _vector_bytes(cpu: str, features: str) -> int:
    """The width of vectors of a processor that is not the host, as far as its name and features tell."""
    given = features.split(",")
    if "+avx512f" in given and "+avx512vl" in given:
        return 64
    return 32 if "+avx2" in given else _X86_LEVELS.get(cpu, 16)


def _instructions(triple: str, cpu: str, features: str) -> Instructions:
    given = features.split(",")
    if _is_x86(triple):
        is_recent = cpu in _RECENT_LEVELS
        masks = is_recent or "+avx" in given or "+avx2" in given
        mask_bytes = _mask_bytes(_vector_bytes(cpu, features))
        return Instructions(is_recent or "+fma" in given, masks, extrema=False, mask_bytes=mask_bytes)
    fuses = triple.startswith(("aarch64", "arm64", "powerpc64", "riscv64"))
    extrema = triple.startswith(("aarch64", "arm64", "wasm"))
    return Instructions(fuses, "+sve" in given, extrema, triple.startswith(_LOW_FIRST))


@lru_cache(maxsize=1)
def _make_all_generators() -> None:
    LLVM.initialize_all_targets()
    LLVM.initialize_all_asmprinters()


@lru_cache(maxsize=64)
def _machine(target: Target, level: int) -> TargetMachine:
    placed = {"reloc": "pic", "codemodel": "default"} if target.is_linked else {}
    try:
        generators = LLVM.Target.from_triple(target.triple)
        return generators.create_target_machine(
            cpu=target.cpu, features=target.features, opt=level, jit=not target.is_linked, **placed
        )
    except RuntimeError as error:
        raise CompileError(f"LLVM has no code generator for {target.triple}: {error}") from error
