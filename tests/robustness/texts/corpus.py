"""The texts that mutants are made of, and what mutators take from them.

Seeds are the parts of every lit file, the programs of the documentation, and random programs: as they were
drawn, after each pass of the pipelines, scheduled and planned kernels included, some of them in generic
syntax. Those of programs of other dialects are a corpus of their own.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from mlirad.errors import MliradError
from mlirad.ir.parsing import parse_module
from mlirad.passes.convert_from_array.convert_from_array import REFUSED
from mlirad.pipelines import pipeline_passes, run_passes
from mlirad.registry import make_passes
from mlirad.tools.instrumentation import module_text
from mlirad.tools.opt import SEPARATOR
from tests.generators import random_program
from tests.robustness.texts import syntax

ROOT = Path(__file__).resolve().parents[3]
LONGEST = 6000
"""Longer texts are left out: the time that a mutant takes grows with its length."""

_FUNCTION = re.compile(r"^(?:#.*\n)*func\.func .*?^\}$", re.MULTILINE | re.DOTALL)

STAGES = (
    "expand",
    "grad{function=main wrt=0}",
    "grad{function=main wrt=0 mode=forward}",
    "expand-jacobian",
    "simplify",
)


@dataclass(frozen=True)
class Corpus:
    """Texts with a weight each, and the parts that mutators exchange."""

    texts: list[str]
    types: list[str] = field(default_factory=list[str])
    entries: list[str] = field(default_factory=list[str])
    op_names: list[str] = field(default_factory=list[str])
    cumulative: list[float] = field(default_factory=list[float])

    modules: dict[str, ModuleOp] = field(default_factory=dict[str, ModuleOp])

    def module(self, text: str) -> ModuleOp:
        """A module of its own that a text writes."""
        known = self.modules.get(text)
        return parse_module(text) if known is None else known.clone()

    def parse_all(self) -> None:
        """Parse the texts once for all mutants, which halves the time that making them takes."""
        for text in self.texts:
            try:
                self.modules[text] = parse_module(text)
            except MliradError:
                continue

    def draw(self, rng: random.Random) -> str:
        """A text; short ones more often."""
        return rng.choices(self.texts, cum_weights=self.cumulative)[0]


def corpus(programs: int, seed: int = 0) -> Corpus:
    """The lit files, the documented programs and `programs` random ones at every stage."""
    written = written_texts()
    valid = [text for name, text in written if not name.endswith("invalid.mlir")]
    for k in range(programs):
        valid += stages_of(random_program(seed + k, 1 + k % 7, smooth=k % 2 == 0))
    return _corpus(valid, [text for _, text in written])


def foreign_corpus(programs: int, seed: int = 0) -> Corpus:
    """Programs of other dialects: those of the tests, and `programs` random ones, converted."""
    upstream = sorted((ROOT / "tests" / "upstream").glob("*.mlir"))
    functions = [part for file in upstream for part in _FUNCTION.findall(file.read_text(encoding="utf-8"))]
    stablehlo = sorted((ROOT / "tests" / "stablehlo" / "programs").glob("*.mlir"))
    texts = [*functions, *(file.read_text(encoding="utf-8") for file in stablehlo)]
    convert = make_passes("convert-from-array")
    for k in range(programs):
        module = random_program(seed + k, 1 + k % 7, allow=lambda op: op not in REFUSED)
        run_passes(module, convert)
        texts += [module_text(module), module_text(module, generic=True)]
    others = [text for name, text in written_texts() if name.startswith("convert-") or "stablehlo" in name]
    return _corpus(texts, others)


def _corpus(valid: Sequence[str], written: Sequence[str]) -> Corpus:
    """The corpus of texts that are valid, and others that perhaps are not."""
    valid = sorted({t for t in map(syntax.without_comments, valid) if 0 < len(t) <= LONGEST})
    others = {t for t in map(syntax.without_comments, written) if 0 < len(t) <= LONGEST}
    texts = [*valid, *sorted(others.difference(valid))]
    types, entries, names = set[str](), set[str](), set[str]()
    for text in texts:
        types |= {text[a:b] for a, b in syntax.types(text)}
        entries |= set(syntax.ENTRY.findall(text))
        names |= set(syntax.OP_NAME.findall(text))
    # A text that breaks a rule is refused at once, and so are most of its mutants.
    weights = [(1 if k < len(valid) else 0.05) / (len(text) + 400) for k, text in enumerate(texts)]
    return Corpus(texts, sorted(types), sorted(entries), sorted(names), list(accumulate(weights)))


def written_texts() -> list[tuple[str, str]]:
    """The parts of the lit files and the programs of the documentation, with the names of their files."""
    separator = re.compile(rf"^{SEPARATOR}[ \t]*\n?", re.MULTILINE)
    files = sorted((ROOT / "lit").rglob("*.mlir")) + sorted((ROOT / "docs").rglob("*.mlir"))
    return [(file.name, part) for file in files for part in separator.split(file.read_text(encoding="utf-8"))]


def stages_of(program: ModuleOp) -> list[str]:
    """The texts of a program: as it is, after each pass of several pipelines, and the last ones also in
    generic syntax."""
    found = [module_text(program), module_text(program, generic=True)]
    for pipeline in STAGES:
        module = program.clone()
        try:
            for passes in (pipeline, "lower"):
                for pass_ in pipeline_passes(passes):
                    run_passes(module, [pass_])
                    found.append(module_text(module))
        except MliradError:
            # Not every program has every derivative.
            continue
        found.append(module_text(module, generic=True))
    return found
