"""Watching a pipeline: the IR printed around passes, the time each took, what lowering considered."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import field
from io import StringIO
from typing import TextIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from mlirad.ir.foreign import foreign_dialects
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.kernels.moves import explanation
from mlirad.pipelines import PassRun


def module_text(module: ModuleOp, *, generic: bool = False, locations: bool = False) -> str:
    """The module as MLIR text, in the dialects' own syntax or the generic one, with or without `loc(...)`.

    An op of another dialect that breaks the rules of that, which are not checked here, is perhaps beyond its
    own syntax: then all is printed in the generic one.
    """
    stream = StringIO()
    printer = Printer(stream=stream, print_generic_format=generic, print_debuginfo=locations)
    try:
        printer.print_op(module)
    except Exception:
        if generic or not foreign_dialects(module):
            raise
        return module_text(module, generic=True, locations=locations)
    return stream.getvalue() + "\n"


@dataclass
class IrPrinting:
    """Prints the module to stderr before and after passes.

    `before` and `after` are names of passes; `after_all` takes every pass; with `only_changes`, what a pass
    left as it was is not printed.
    """

    before: Collection[str] = ()
    after: Collection[str] = ()
    after_all: bool = False
    only_changes: bool = False
    generic: bool = False
    locations: bool = False
    stream: TextIO | None = None
    _last: str | None = field(default=None, init=False)

    def before_pass(self, pass_: ModulePass, module: ModuleOp) -> None:
        """To be called before each pass."""
        if self.only_changes and self._last is None:
            self._last = self._text(module)
        if pass_.name in self.before:
            self._print("Before", pass_, self._text(module))

    def after_step(self, step: PassRun) -> None:
        """To be called after each step; what is not a pass leaves no other module."""
        wanted = self.after_all or step.name in self.after
        if step.run is None or not (wanted or self.only_changes):
            return
        text = self._text(step.module)
        changed, self._last = text != self._last, text
        if wanted and (changed or not self.only_changes):
            self._print("After", step.run, text)

    def _text(self, module: ModuleOp) -> str:
        return module_text(module, generic=self.generic, locations=self.locations)

    def _print(self, when: str, pass_: ModulePass, text: str) -> None:
        stream = sys.stderr if self.stream is None else self.stream
        print(f"// -----// IR Dump {when} {pass_} //----- //\n{text}", file=stream)


@dataclass
class Timing:
    """Seconds by stage: parsing, every pass in the order they ran, output; and what passes considered."""

    parse: float = 0.0
    output: float = 0.0
    steps: list[PassRun] = field(default_factory=list[PassRun])

    def explanation(self) -> str:
        """Return what passes of lowering considered, as lines of text; empty if none ran."""
        text = explanation((step.name, step.moves) for step in self.steps)
        return text + "\n" if text else ""

    def report(self, total: float) -> str:
        """The tree of times, in seconds and in percent of `total`."""
        verify = sum(step.verify_seconds for step in self.steps)
        pipeline = sum(step.seconds for step in self.steps) + verify
        rule = f"===-{'-' * 71}-==="
        lines = [
            rule,
            "... Execution time report ...".center(len(rule)).rstrip(),
            rule,
            f"  Total Execution Time: {total:.4f} seconds",
            "",
            "  ----Wall Time----  ----Name----",
        ]

        def add(seconds: float, depth: int, name: str) -> None:
            share = 100 * seconds / total if total else 0.0
            lines.append(f"  {seconds:9.4f} ({share:5.1f}%)  {'  ' * depth}{name}")

        add(self.parse, 0, "Parser")
        if self.steps:
            add(pipeline, 0, "Pipeline")
        for step in self.steps:
            add(step.seconds, 1, step.name)
        if self.steps:
            add(verify, 1, "(verification)")
        add(self.output, 0, "Output")
        add(max(total - self.parse - pipeline - self.output, 0.0), 0, "Rest")
        add(total, 0, "Total")
        return "\n".join(lines) + "\n"
