"""The format of lit's tests in which the tools are functions that lit's process calls.

    config.test_format = InProcess({"mlirad.tools.opt": opt.main, "filecheck": filecheck.main.main})

`PYTHON -m MODULE arguments` of a module in the table then takes milliseconds instead of a new interpreter's
second. Standard streams, pipes and exit codes are those of processes. A test with any other command runs as
lit runs tests otherwise.
"""

from __future__ import annotations

import io
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import lit.formats

from lit import ShUtil, Test, TestRunner


class InProcess(lit.formats.ShTest):
    """Runs tests here whose commands are all in `mains`, from a module's name to its main function."""

    def __init__(self, mains: Mapping[str, Callable[[], object]]) -> None:
        super().__init__(execute_external=False)
        self.mains = mains

    def execute(self, test: Any, lit_config: Any) -> Any:
        """The result of one test."""
        script = TestRunner.parseIntegratedTestScript(test)
        if isinstance(script, Test.Result) or lit_config.noExecute:
            return super().execute(test, lit_config)
        substitutions = TestRunner.getDefaultSubstitutions(test, *TestRunner.getTempPaths(test))
        lines = TestRunner.applySubstitutions(script, substitutions)
        lines = [re.sub(TestRunner.kPdbgRegex, r"\2", line).strip() for line in lines]
        pipelines = [ShUtil.ShParser(line, pipefail=True).parse() for line in lines]
        if not all(self.is_known(pipeline) for pipeline in pipelines):
            return super().execute(test, lit_config)
        for line, pipeline in zip(lines, pipelines, strict=True):
            succeeds, output = self.run(pipeline.commands)
            if not succeeds:
                return Test.Result(Test.FAIL, f"$ {line}\n{output}")
        return Test.Result(Test.PASS)

    def is_known(self, pipeline: Any) -> bool:
        """Return whether these are tools of the table, with redirections that `run` understands."""
        return isinstance(pipeline, ShUtil.Pipeline) and all(
            all(isinstance(word, str) for word in command.args)
            and words(command)[:2] == [sys.executable, "-m"]
            and words(command)[2] in self.mains
            and all(kind == ("<",) or (kind, to) == ((">&", 2), "1") for kind, to in command.redirects)
            for command in pipeline.commands
        )

    def run(self, commands: list[Any]) -> tuple[bool, str]:
        """Run a pipeline: whether every command of it ends as it should, and what was printed to nobody."""
        source, errors, is_right = b"", io.BytesIO(), True
        for command in commands:
            sink = io.BytesIO()
            joins_errors = False
            for kind, to in command.redirects:
                if kind == ("<",):
                    source = Path(to).read_bytes()
                else:
                    joins_errors = True
            _, _, module, *arguments = words(command)
            streams = (io.BytesIO(source), sink, sink if joins_errors else errors)
            code = called(self.mains[module], [module, *arguments], streams)
            is_right = is_right and (code != 0) == (command.args[0] == "not")
            source = sink.getvalue()
        return is_right, (source + errors.getvalue()).decode(errors="replace")


def words(command: Any) -> list[str]:
    """A command without a leading `not`."""
    return command.args[1:] if command.args[0] == "not" else command.args


def called(main: Callable[[], object], arguments: list[str], streams: tuple[io.BytesIO, ...]) -> int:
    """The exit code of a process that runs `main` with these arguments and standard streams."""
    stdin, stdout, stderr = (io.TextIOWrapper(s, encoding="utf-8", write_through=True) for s in streams)
    with mock.patch.multiple(sys, argv=arguments, stdin=stdin, stdout=stdout, stderr=stderr):
        try:
            code = main()
        except SystemExit as end:
            code = end.code
        except BaseException:
            traceback.print_exc()
            code = 1
    for stream in (stdin, stdout, stderr):
        stream.detach()
    return code if isinstance(code, int) else int(code is not None)
