"""The target asked for is the target that code is generated for."""

import re

import pytest

from mlirad.errors import CompileError
from mlirad.jit import engine
from mlirad.jit.llvm_binding import LLVM
from mlirad.jit.target import ENVIRONMENT_VARIABLE, find_target

IS_X86 = LLVM.get_process_triple().startswith("x86_64")
only_x86 = pytest.mark.skipif(not IS_X86, reason="names x86-64 processors")

MULTIPLY_ADD = """
define <8 x double> @f(<8 x double> %a, <8 x double> %b, <8 x double> %c) {
  %p = fmul FLAGS <8 x double> %a, %b
  %r = fadd FLAGS <8 x double> %p, %c
  ret <8 x double> %r
}"""


def test_host_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
    assert find_target() == find_target("native")
    assert find_target().cpu == LLVM.get_host_cpu_name()
    assert find_target().vector_bytes in (16, 32, 64)


def test_environment_is_read_and_an_argument_overrides_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, "baseline")
    assert find_target().vector_bytes == 16
    assert find_target("native").cpu == LLVM.get_host_cpu_name()


@only_x86
@pytest.mark.parametrize(
    ("request_", "bytes_", "register"),
    [("baseline", 16, "xmm"), ("x86-64-v3", 32, "ymm"), ("x86-64-v4", 64, "zmm")],
)
def test_levels_of_x86(request_: str, bytes_: int, register: str) -> None:
    target = find_target(request_)
    assert target.vector_bytes == bytes_
    text = engine.assembly(MULTIPLY_ADD.replace("FLAGS", "contract"), target)
    assert set(re.findall("[xyz]mm", text)) == {register}


@only_x86
def test_features_taken_away_take_their_dependants_along() -> None:
    assert find_target("-avx512f").vector_bytes <= 32
    assert find_target("-avx2").vector_bytes == 16
    assert "zmm" not in engine.assembly(MULTIPLY_ADD.replace("FLAGS", ""), find_target("-avx2"))


@only_x86
def test_only_what_carries_contract_is_fused() -> None:
    target = find_target("x86-64-v3")
    assert "vfmadd" in engine.assembly(MULTIPLY_ADD.replace("FLAGS", "contract"), target)
    assert "vfmadd" not in engine.assembly(MULTIPLY_ADD.replace("FLAGS", ""), target)


@pytest.mark.parametrize("request_", ["pentium-of-1993", "+no-such-feature", "avx2", "-"])
def test_unknown_targets_are_errors_that_say_what_to_write(request_: str) -> None:
    with pytest.raises(CompileError, match="hint: write native"):
        find_target(request_)


def test_one_target_machine_per_target() -> None:
    assert find_target("native").machine is find_target("native").machine
