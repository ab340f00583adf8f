"""A module of LLVM IR as text, and the writer of one of its functions.

    module = ModuleText()
    f = module.function("f", [Parameter("x", "double")], "double", linkage="")
    f.ret(f.fadd(f.arguments[0], 1.0))
    llvmlite.binding.parse_assembly(module.text())

The two know each other: a module makes its functions, and a function may add others that it calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlirad.lower.llvm_text.control_flow import ControlFlow
from mlirad.lower.llvm_text.emission import Parameter
from mlirad.lower.llvm_text.globals import ModuleGlobals
from mlirad.lower.llvm_text.value import Kind, Value, type_text


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
        """Call a function of the module or a declared one; the result is None if it has none.

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
        spelled = f"call {'void' if result is None else type_text(result, width)}"
        text = f"{spelled} @{name}({', '.join(v.typed for v in operands)})"
        if attributes:
            text += f" {attributes}"
        if result is None:
            self.line(text)
            return None
        return self.define(text, result, width)

    def any_lane(self, mask: Value) -> Value:
        """Whether any lane of a mask is set, as a scalar."""
        return self.reduce("or", mask)


class ModuleText(ModuleGlobals):
    """Collects the parts of one module and joins them to text."""

    def __init__(self, *, polls: bool = False) -> None:
        super().__init__(polls=polls)
        self._functions: dict[str, IRBuilder] = {}

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

    def shared_function(self, name: str, define: Callable[[], IRBuilder]) -> None:
        """Define an internal function by calling `define`, unless its name is defined already."""
        if name not in self._functions:
            define()

    def text(self) -> str:
        """The whole module: added text, globals, functions in order of definition, declarations, metadata."""
        parts = [*self._added, *self._globals]
        parts += [function.text() for function in self._functions.values()]
        parts += self._declarations.values()
        parts += [f"{reference} = {node}" for node, reference in self._metadata.items()]
        return "\n".join(parts) + "\n"
