"""A module of LLVM IR as text, and the writer of one of its functions.

    module = ModuleText()
    f = module.function("f", [Parameter("x", "double")], "double", linkage="")
    f.ret(f.fadd(f.arguments[0], 1.0))
    llvmlite.binding.parse_assembly(module.text())

The two know each other: a module makes its functions, and a function may add others that it calls.

Equal kernels are one function. A kernel takes the addresses that it reads and writes, so iterations of a
Python loop, which are traced one after another, give the same text again and again, before and after
differentiation, and LLVM compiles it once. Finding repeated sequences among array ops would also save the
passes, but a loop made of them would fuse, and round, as no straight-line program does; equal text has equal
bits.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from mlirad.lower.llvm.instructions import ALL_INSTRUCTIONS, Instructions
from mlirad.lower.llvm.text.call_sites import CallSites
from mlirad.lower.llvm.text.control_flow import ControlFlow
from mlirad.lower.llvm.text.emission import Parameter
from mlirad.lower.llvm.text.globals import ModuleGlobals
from mlirad.lower.llvm.text.value import Kind, Value, type_text


class IRBuilder(ControlFlow):
    """Writes the instructions of one function; made by `ModuleText.function`."""

    def __init__(
        self,
        module: ModuleText,
        name: str,
        parameters: Sequence[Parameter],
        result_type: str,
        linkage: str,
        attributes: str,
    ) -> None:
        super().__init__(module, name, parameters, result_type, linkage, attributes)
        self.module = module

    def ret(self, value: Value | None = None) -> None:
        """Return; the block ends here."""
        self.line("ret void" if value is None else f"ret {value.typed}")

    def call(
        self,
        name: str,
        operands: Sequence[Value],
        result: Kind | None = None,
        width: int = 1,
        *,
        attributes: str = "",
    ) -> Value | None:
        """Call a function of the module or a declared one; the result is None if it returns none.

        One of the module that may end early is given the record of the call too, and ends this one as well.
        """
        callee = self.module.defined(name)
        if callee is not None and callee is not self:
            return self._call_defined(callee, operands, result, width, attributes)
        return self._write_call(name, operands, result, width, attributes)

    def _call_defined(
        self,
        callee: IRBuilder,
        operands: Sequence[Value],
        result: Kind | None,
        width: int,
        attributes: str,
    ) -> Value | None:
        if not callee.takes_context:
            if self.is_long(self.work + callee.work):
                self.poll()
            self.work += callee.work
            return self._write_call(callee.name, operands, result, width, attributes)
        value = self._write_call(callee.name, [*operands, self.context], result, width, attributes)
        self._stop_if_stopped()
        return value

    def call_stopping(self, name: str, operands: Sequence[Value]) -> None:
        """Call a function of the module that may not have been written yet, and end if it ended early.

        Its operands include the record of the call.
        """
        self._write_call(name, operands, None, 1, "")
        self._stop_if_stopped()

    def _write_call(
        self, name: str, operands: Sequence[Value], result: Kind | None, width: int, attributes: str
    ) -> Value | None:
        text = _call_text(name, operands, result, width, attributes)
        self.module.sites.note_call(name)
        if result is None:
            self.line(text)
            return None
        return self.define(text, result, width)

    def call_shared(
        self, name: str, operands: Sequence[Value], result: Kind, width: int, define: Callable[[], IRBuilder]
    ) -> Value:
        """Call a function of the module that only computes; `define` writes it when it is first needed.

        With the same operands it is called once per scope. For inlining, see `call_sites.py`.
        """
        callee = self.module.shared_function(name, define)
        work = self.work
        value = self.pure(_call_text(name, operands, result, width, self._site(name)), result, width)
        if self.work != work:
            self.work += callee.work
        return value

    def _site(self, name: str) -> str:
        return self.module.sites.group(name, self.runs)

    def any_lane(self, mask: Value) -> Value:
        """Return whether any lane of a mask is set, as a scalar."""
        return self.reduce("or", mask)


def _call_text(name: str, operands: Sequence[Value], result: Kind | None, width: int, attributes: str) -> str:
    spelled = f"call {'void' if result is None else type_text(result, width)}"
    text = f"{spelled} @{name}({', '.join([v.typed for v in operands])})"
    return f"{text} {attributes}" if attributes else text


class ModuleText(ModuleGlobals):
    """Collects the parts of one module and joins them to text."""

    def __init__(
        self,
        *,
        polls: bool = False,
        shows_places: bool = False,
        instructions: Instructions = ALL_INSTRUCTIONS,
    ) -> None:
        super().__init__(polls=polls, shows_places=shows_places, instructions=instructions)
        self._functions: dict[str, IRBuilder] = {}
        self.sites = CallSites()
        self._merged: dict[Hashable, str] = {}

    def function(
        self,
        name: str,
        parameters: Sequence[Parameter],
        result: Kind | None = None,
        result_width: int = 1,
        *,
        linkage: str = "internal",
        attributes: str = "nounwind",
    ) -> IRBuilder:
        """Begin a function; `result=None` is void. The name must be new in the module."""
        if name in self._functions:
            raise ValueError(f"function {name} is defined twice")
        result_type = "void" if result is None else type_text(result, result_width)
        function = IRBuilder(self, name, parameters, result_type, linkage, attributes)
        self._functions[name] = function
        return function

    def defined(self, name: str) -> IRBuilder | None:
        """The function of that name, if the module has one."""
        return self._functions.get(name)

    def fresh_name(self, what: str) -> str:
        """A name for a function that none has yet."""
        return f"{what}{len(self._functions)}"

    def move_last(self, function: IRBuilder) -> None:
        """Let a function stand after all that were defined so far."""
        self._functions[function.name] = self._functions.pop(function.name)

    def shared_function(self, name: str, define: Callable[[], IRBuilder]) -> IRBuilder:
        """The internal function of that name, which `define` writes unless the module has it already."""
        return self._functions.get(name) or define()

    def merged(self, name: str) -> str:
        """The name of the function that stands for this one, which is written: itself, or an equal one of
        those that were asked for before. In that case it is not in the module any more.
        """
        first = self._merged.setdefault(self._functions[name].definition(), name)
        if first != name:
            del self._functions[name]
        return first

    def text(self) -> str:
        """The whole module: added text, globals, functions in order of definition, declarations, attributes
        and metadata.
        """
        functions = [f.text(self.sites.inlining_of(f)) for f in self._functions.values()]
        parts = [*self._added, *self._globals, *functions]
        parts += self._declarations.values()
        parts += self.sites.attributes(functions)
        parts += [f"{reference} = {node}" for node, reference in self._metadata.items()]
        return "\n".join(parts) + "\n"
