"""`FunctionCompiler`: the programs of one transformed function, traced and compiled, or loaded from the disk.

compiler.compile(request)                 a `Program` for the arguments of the request
compiler.recalled_or_compiled(request)    the same, from the disk where another process has kept it
compiler.trace(request)                   the module, and the structure of its results

A request is compiled in two steps where dimensions are dynamic: for all sizes, then for those of the request.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from mlirad import packages
from mlirad.frontend.compiling.argument_reader import ArgumentReader
from mlirad.frontend.compiling.compilation import Executable, compiling, executable, loaded
from mlirad.frontend.compiling.donation import donated_leaves, warn_of_unused
from mlirad.frontend.compiling.dynamic import DynamicSize, with_sizes
from mlirad.frontend.compiling.function_caches import cache_of
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.programs import Cache, Program
from mlirad.frontend.compiling.recall import Call, recalled_or_made, trace_place
from mlirad.frontend.compiling.recompiles import note_signature
from mlirad.frontend.tracing.captures import Watch
from mlirad.frontend.tracing.control import Control, as_traced
from mlirad.frontend.tracing.function_names import argument_paths, function_name
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.pytree import LEAF, Tree
from mlirad.jit.call import NativeFunction
from mlirad.jit.machine_program import MachineProgram
from mlirad.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlirad.frontend.compiling.all_sizes import AllSizes
    from mlirad.frontend.compiling.stats import Stats

Implementation: TypeAlias = Callable[[Callable[..., Any], tuple[Any, ...]], Any]
"""A transformation inside a trace: from the function and its arguments to the results."""


@dataclass(frozen=True, eq=False)
class Request:
    """A call that needs a program: the function of the arguments that move, by position, the structure and
    the types of these, and all arguments.
    """

    function: Callable[..., Any]
    tree: Tree
    types: Sequence[LeafType]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    @property
    def paths(self) -> Sequence[str]:
        """The names of the leaves: `x`, `params['w']`."""
        return argument_paths(self.function, self.tree)


class FunctionCompiler:
    """Traces and compiles one transformed function for requests."""

    def __init__(
        self,
        function: Callable[..., Any],
        implementation: Implementation,
        transformation: tuple[Hashable, Options, tuple[str, ...], tuple[str, ...], tuple[DynamicSize, ...]],
        reader: ArgumentReader,
        cache: Cache,
    ):
        self._function = function
        self._implementation = implementation
        self._transformation = transformation
        self._name, self._options, self._static, self._donated, self._dynamic = transformation
        self._reader = reader
        self._cache = cache
        self._control = Control(self._options.control)

    @property
    def is_dynamic(self) -> bool:
        """Return whether some dimensions are dynamic."""
        return bool(self._dynamic)

    def request(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Request:
        """The request for a call with these arguments, or with arguments like these."""
        function, _, tree, types = self._reader.flattened(args, kwargs)
        return Request(function, tree, types, args, kwargs)

    def trace(
        self, request: Request, types: Sequence[LeafType] | None = None, stats: Stats | None = None
    ) -> tuple[ModuleOp, Tree]:
        """The module of a request, or for leaves of other `types`, and the structure of its results."""
        from mlirad.frontend.compiling import log

        packages.load("mlirad.frontend.tracing.functions")
        from mlirad.frontend.tracing.functions import trace_module

        implementation, function = self._implementation, request.function

        def traced(*args: Any) -> Any:
            return implementation(as_traced(function), args)

        functools.update_wrapper(traced, function, updated=())
        start, was_rewriting = time.perf_counter(), self._control.is_rewriting
        watch = self._cache.watch if function is self._reader.function else Watch(function)
        types = request.types if types is None else types
        module, result, _ = trace_module(
            traced, request.tree, types, self._options.checks, self._control, watch
        )
        if self._control.is_rewriting and not was_rewriting:
            log.fell_back(
                f"it is traced with its control flow rewritten, as {self._control.causes[0].message}"
            )
        if stats is not None:
            stats.add("trace", time.perf_counter() - start, module)
        return module, result

    @compiling
    def compile(self, request: Request, stats: Stats | None = None, *, fresh: bool = False) -> Program:
        """Compile a program; it may come from the disk unless `fresh`."""
        if self._dynamic:
            types, sizes = self.sized(request)
            if sizes:
                return self._compile_sizes(request, types, sizes, stats, fresh=fresh)
        options = self._options
        module, result = self.trace(request, stats=stats)
        return self._program(
            request,
            result,
            lambda donated, name: executable(module, options, stats, donated=donated, name=name, fresh=fresh),
        )

    def recalled_or_compiled(self, request: Request) -> Program:
        """The program that another process made of the same trace, or a new one."""
        from mlirad.frontend.compiling import log

        if self._dynamic:
            return self.compile(request)
        options = self._options
        by_name = tuple(sorted(name for name in request.kwargs if name not in self._static))
        static = self._static_values(request)
        call = Call(self._name, self._donated, options, request.tree, request.types, by_name, static)

        def load(machine: MachineProgram, result: Tree) -> Program:
            def compiled(donated: tuple[int, ...], name: str) -> tuple[Executable, NativeFunction]:
                native = loaded(machine, options, donated=donated)
                log.note("loaded")
                return native.entry, native

            return compiling(self._program)(request, result, compiled)

        return recalled_or_made(
            lambda: trace_place(self._function, self._cache.captures().names, call),
            load,
            lambda: self.compile(request),
            function_name(self._function),
        )

    def _compile_sizes(
        self,
        request: Request,
        types: Sequence[LeafType],
        sizes: Mapping[str, int],
        stats: Stats | None,
        *,
        fresh: bool,
    ) -> Program:
        """The program for sizes of dynamic dimensions, from what is the same for all sizes."""
        packages.load("mlirad.frontend.compiling.all_sizes")
        from mlirad.frontend.compiling.all_sizes import AllSizes, compiled_for, for_all_sizes

        options = self._options

        def make() -> AllSizes:
            module, result = self.trace(request, types, stats)
            return for_all_sizes(module, result, options, stats)

        key = self._reader.whole_key(request.args, dict(request.kwargs), request.tree, types)
        program = cache_of(self._function, (self._transformation, AllSizes)).of(key, make)
        numbers = tuple(sizes.items())
        return self._program(
            request,
            program.result,
            lambda donated, name: compiled_for(program, numbers, options, stats, donated, name, fresh=fresh),
        )

    def _program(
        self,
        request: Request,
        result: Tree,
        compiled: Callable[[tuple[int, ...], str], tuple[Executable, NativeFunction | None]],
    ) -> Program:
        """A program of leaves as one of structures; `compiled` makes it for donated leaves, under a name."""
        function, tree = request.function, request.tree
        donated, name = donated_leaves(function, tree, self._donated), function_name(self._function)
        flat, native = compiled(donated, name)
        if native is not None:
            warn_of_unused(function, tree, native, donated, name)
        return Program(structured(flat, result), tree, result, native)

    def sized(self, request: Request) -> tuple[Sequence[LeafType], dict[str, int]]:
        """The types of leaves with sizes where dimensions are dynamic, and the numbers of these."""
        if not self._dynamic:
            return request.types, {}
        return with_sizes(self._dynamic, request.paths, request.types, function_name(self._function))

    def shown(self, request: Request) -> str:
        """The signature of a request for the logger: `x: float64[3], n=2`."""
        moving = [f"{path}: {type_}" for path, type_ in zip(request.paths, request.types, strict=True)]
        static = [f"{name}={value!r}"[:80] for name, value in self._static_values(request)]
        return ", ".join([*moving, *static])

    def note_signature(self, request: Request) -> None:
        """Warn of a function that is compiled again and again, each time for another signature."""
        note_signature(
            self._function,
            function_name(self._function),
            self._transformation,
            request.tree,
            request.types,
            lambda: request.paths,
            self._static_values(request),
        )

    def _static_values(self, request: Request) -> tuple[tuple[str, object], ...]:
        return self._reader.static_values(request.args, dict(request.kwargs))


def structured(flat: Executable, tree: Tree) -> Executable:
    """An executable whose flat results are put into the structure `tree`."""
    if tree == LEAF:
        return flat
    if tree.size == 1:
        return lambda *leaves: tree.unflatten([flat(*leaves)])
    if tree.kind is tuple and all(child == LEAF for child in tree.children):
        return flat
    return lambda *leaves: tree.unflatten(flat(*leaves))
