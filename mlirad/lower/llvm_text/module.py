"""A module of LLVM IR as text: declarations, constants, functions and metadata, each once.

Everything is keyed by content and kept in order of first use, so the same calls give the same text.

    module = ModuleText()
    table = module.table("double", [1.0, 2.0])      # @table.0 = private constant ...
    function = module.function("f", [Parameter("x", "double")], "double", linkage="")
    function.ret(function.fadd(function.arguments[0], 1.0))
    llvmlite.binding.parse_assembly(module.text())
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mlirad.lower.llvm_text.value import BYTES, Kind, Value, constant, type_text

if TYPE_CHECKING:
    from mlirad.lower.llvm_text.function import FunctionText


class Parameter(NamedTuple):
    """A parameter of a function: `attributes` such as `"noalias nonnull align 64"`."""

    name: str
    kind: Kind
    width: int = 1
    attributes: str = ""


class ModuleText:
    """Collects the parts of one module and joins them to text.

    `externals` maps each symbol that must be resolved outside the module (`mlirad_c_lgamma`) to its
    declaration; intrinsics are not among them. With `polls`, code that may run long asks the host now and
    then whether to go on; see `polling.py`.
    """

    def __init__(self, *, polls: bool = False) -> None:
        self.polls = polls
        self.externals: dict[str, str] = {}
        self._declarations: dict[str, str] = {}
        self._tables: dict[tuple[Kind, tuple[str, ...]], Value] = {}
        self._globals: list[str] = []
        self._functions: dict[str, FunctionText] = {}
        self._metadata: dict[str, str] = {}
        self._domains = 0

    def declare(self, name: str, result: str, parameters: Sequence[str], attributes: str = "") -> None:
        """Declare an intrinsic (or any function the linker knows), once."""
        if name not in self._declarations:
            suffix = f" {attributes}" if attributes else ""
            self._declarations[name] = f"declare {result} @{name}({', '.join(parameters)}){suffix}"

    def external(self, name: str, result: str, parameters: Sequence[str], attributes: str = "") -> None:
        """Declare a symbol whose address the just-in-time compiler must supply."""
        if name not in self.externals:
            self.declare(name, result, parameters, attributes)
            self.externals[name] = self._declarations[name]

    def table(self, kind: Kind, numbers: Sequence[float | int]) -> Value:
        """A pointer to a constant array with these elements; equal tables are shared."""
        texts = tuple(constant(kind, number).text for number in numbers)
        key = (kind, texts)
        if key not in self._tables:
            value = Value(f"@table.{len(self._tables)}", "ptr")
            elements = ", ".join(f"{kind} {text}" for text in texts)
            self._globals.append(
                f"{value.text} = private unnamed_addr constant [{len(texts)} x {kind}] "
                f"[{elements}], align {max(BYTES[kind], 64)}"
            )
            self._tables[key] = value
        return self._tables[key]

    def add_global(self, definition: str) -> None:
        """Add a whole line that defines a global, as given."""
        self._globals.append(definition)

    def function(
        self,
        name: str,
        parameters: Sequence[Parameter],
        result: Kind | None = None,
        result_width: int = 1,
        *,
        linkage: str = "internal",
        attributes: str = "nounwind",
    ) -> FunctionText:
        """Begin a function; `result=None` is void. The name must be new in the module."""
        # Functions hold their module: the modules of the two classes import each other.
        from mlirad.lower.llvm_text.function import FunctionText

        if name in self._functions:
            raise ValueError(f"function {name} is defined twice")
        result_type = "void" if result is None else type_text(result, result_width)
        function = FunctionText(self, name, parameters, result_type, linkage, attributes)
        self._functions[name] = function
        return function

    def defined(self, name: str) -> FunctionText | None:
        """The function of that name, if the module has one."""
        return self._functions.get(name)

    def move_last(self, function: FunctionText) -> None:
        """Let a function stand after all that were defined so far."""
        self._functions[function.name] = self._functions.pop(function.name)

    def shared_function(self, name: str, define: Callable[[], FunctionText]) -> None:
        """Define an internal function by calling `define`, unless its name is defined already."""
        if name not in self._functions:
            define()

    def metadata(self, node: str) -> str:
        """The reference `!k` of a metadata node given by its text, `!{!"branch_weights", ...}`."""
        reference = self._metadata.get(node)
        if reference is None:
            reference = self._metadata[node] = f"!{len(self._metadata)}"
        return reference

    def alias_scopes(self, count: int) -> list[str]:
        """Suffixes for loads and stores of `count` buffers that do not overlap each other."""
        domain = self.metadata(f'distinct !{{!"domain.{self._domains}"}}')
        scopes = [
            self.metadata(f'distinct !{{!"scope.{self._domains}.{k}", {domain}}}') for k in range(count)
        ]
        self._domains += 1
        suffixes: list[str] = []
        for scope in scopes:
            others = ", ".join(other for other in scopes if other != scope)
            suffix = f", !alias.scope {self.metadata('!{' + scope + '}')}"
            if others:
                suffix += f", !noalias {self.metadata('!{' + others + '}')}"
            suffixes.append(suffix)
        return suffixes

    def text(self) -> str:
        """The whole module: globals, functions in order of definition, declarations, metadata."""
        parts = list(self._globals)
        parts += [function.text() for function in self._functions.values()]
        parts += self._declarations.values()
        parts += [f"{reference} = {node}" for node, reference in self._metadata.items()]
        return "\n".join(parts) + "\n"
