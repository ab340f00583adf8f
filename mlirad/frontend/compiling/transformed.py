"""`Transformed`: a function that is traced, possibly differentiated, and compiled when it is called.

It is compiled once per signature: the structure of its arguments, their shapes and dtypes, which of them are
Python scalars, and the values of static arguments. Inside a trace nothing is compiled: the call adds ops.
"""

from __future__ import annotations

import copy
import functools
import sys
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from types import MethodType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from mlirad import packages
from mlirad.errors import ArgumentError, DtypeError, MliradError, UnsupportedError, of_class
from mlirad.float_modes import standard_floats
from mlirad.frontend.compiling.argument_reader import ArgumentReader
from mlirad.frontend.compiling.arguments import (
    OUT,
    Chosen,
    Names,
    kinds_of,
    plain_key,
    prepared,
    static_names,
    takes_out,
)
from mlirad.frontend.compiling.compilation import compiling
from mlirad.frontend.compiling.donation import donated_names
from mlirad.frontend.compiling.dynamic import Dynamic, dynamic_dimensions
from mlirad.frontend.compiling.function_caches import cache_of
from mlirad.frontend.compiling.function_compiler import FunctionCompiler, Implementation, Request
from mlirad.frontend.compiling.options import Options, controlled
from mlirad.frontend.compiling.outs import written
from mlirad.frontend.compiling.pickling import Recipe, require_name, transformed_again
from mlirad.frontend.compiling.programs import Program
from mlirad.frontend.compiling.quick_calls import QuickCalls, form_of
from mlirad.frontend.tracing.control import as_traced
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.naming import global_name
from mlirad.frontend.tracing.open_traces import eager_mode, is_tracing
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import hide_frames, plain_errors
from mlirad.jit.foreign_arrays import has_chunks

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlirad.frontend.compiling.lowered import Lowered
    from mlirad.frontend.compiling.profile import Profile
    from mlirad.frontend.compiling.stats import Stats

T = TypeVar("T")
F = TypeVar("F")


class Transformed:
    """A function to be traced, possibly differentiated, and compiled when it is called."""

    CAPTURED: ClassVar = ("_function",)
    CAPTURED_FIXED: ClassVar = ("_transformation",)
    IS_PORTABLE: ClassVar = True
    split_calls: ClassVar[str]
    """The module that runs calls with arrays in chunks, of a package above, which `mlirad` names."""

    recipe: Recipe | None = None
    """The call that made it, by which it is pickled; None for those that only mlirad has in hand."""

    def __init__(
        self,
        function: Callable[..., Any],
        implementation: Implementation,
        transformation: Hashable,
        options: Options,
        static_argnames: Names = (),
        donate: Chosen = (),
        dynamic: Dynamic = (),
        plain: Implementation | None = None,
    ):
        if not callable(function):
            raise ArgumentError(
                f"a function is needed, got {of_class(function)}",
                location=user_line(),
                hint="write ad.grad(f)(x), not ad.grad(f(x))",
            )
        functools.update_wrapper(self, function, updated=())
        self._function = function
        self._implementation = implementation
        self._plain = plain
        self._interpreted: Transformed | None = None
        self._options = options
        self._static = static_names(function, static_argnames)
        self._reader = ArgumentReader(controlled(function, options), self._static)
        donated = donated_names(function, donate, self._static)
        self._transformation = (
            transformation, options, self._static, donated, dynamic_dimensions(dynamic),
        )  # fmt: skip
        self._cache = cache_of(function, self._transformation)
        self._compiler = FunctionCompiler(
            function, implementation, self._transformation, self._reader, self._cache
        )
        dispatch = _dispatch_of(weakref.ref(self))
        self._by_position = QuickCalls(dispatch)
        self._by_name = QuickCalls(dispatch)
        self._was_called = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if eager_mode.is_on and not is_tracing() and not self._options.interpret:
                return self._eagerly(args, kwargs)
            if kwargs:
                quick = self._by_name.call
                return self._dispatch(args, kwargs) if quick is None else quick(*args, **kwargs)
            quick = self._by_position.call
            return self._dispatch(args, kwargs) if quick is None else quick(*args)
        except MliradError as error:
            hide_frames(error)
            if isinstance(error, DtypeError) and error.location is None:  # of an argument, as it is read
                raise error.restated(error.message, user_line()) from None
            raise

    def _dispatch(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call by looking up the signature."""
        if not kwargs and not self._static and not is_tracing():
            key = plain_key(args)
            program = self._cache.find(key)
            if program is not None:
                weighing = self._cache.weighing()
                if weighing is not None:
                    return weighing.weighed(program.call)(*args)
                self._enter(key, program, args, args, kwargs)
                return program.call(*args)
        return self._call(args, kwargs)

    def _enter(
        self,
        key: Hashable,
        program: Program,
        leaves: Sequence[Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        has_out: bool = False,
    ) -> None:
        """Have a quick call take the calls that are like one, which `leaves` were passed in.

        The first call of a function that is transformed again finds the program of an equal one. Often it is
        the only call, and a quick call takes longer to make.
        """
        was_called, self._was_called = self._was_called, True
        if not was_called or complex in (*program.tree.kinds(), *program.result.kinds()):
            return
        form = form_of(self._function, self._static, args, kwargs, has_out=has_out)
        if form is not None:
            calls = self._by_name if form.names else self._by_position
            calls.enter(key, program, form, leaves, self._cache.captures())

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        has_out = OUT in kwargs and takes_out(self._function)
        out = kwargs[OUT] if has_out else None
        if has_out:
            kwargs = {name: value for name, value in kwargs.items() if name != OUT}
        if is_tracing():
            if has_out:
                raise ArgumentError(
                    "out is for calls outside of traced functions, where results are arrays of NumPy",
                    location=user_line(),
                    hint="write out[...] = f(x), or use the result",
                )
            from mlirad.frontend.tracing.array import copied_leaves

            function, moving = self._reader.bound(args, kwargs)
            return copied_leaves(self._implementation(as_traced(function), copied_leaves(moving)))
        if are_split((args, tuple(kwargs.values()))):
            found = packages.load(self.split_calls).called(self, args, kwargs)
            return written(found, flatten(found)[1], out) if has_out else found
        program, leaves = self._found(args, kwargs, has_out=has_out)
        result = program.call(*leaves)
        return written(result, program.result, out) if has_out else result

    def moving(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """The function of the arguments that are not static, all by position, and these arguments."""
        return self._reader.bound(args, kwargs)

    def _eagerly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call with nothing compiled: by Python where the transformation needs no trace."""
        if self._plain is None:
            if self._interpreted is None:
                options = replace(self._options, interpret=True)
                self._interpreted = Transformed(
                    self._function, self._implementation, self._transformation[0], options, self._static
                )
            return self._interpreted(*args, **kwargs)
        has_out = OUT in kwargs and takes_out(self._function)
        moving = {name: value for name, value in kwargs.items() if not (has_out and name == OUT)}
        result = self._plain(*self._reader.bound(args, moving))
        return written(result, flatten(result)[1], kwargs[OUT]) if has_out else result

    @standard_floats
    def _found(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], *, has_out: bool
    ) -> tuple[Program, Sequence[Any]]:
        """The program of a call, which is made if it is missing, and the leaves of the arguments as it takes
        them.
        """
        function, leaves, tree, types = self._reader.flattened(args, kwargs)
        key, is_plain = self._reader.key(args, kwargs, tree, types)
        program = self._cache.find(key)
        if program is None:
            request = Request(function, tree, types, args, kwargs)

            def make() -> Program:
                made = self._compiler.recalled_or_compiled(request)
                if not self._compiler.is_dynamic:
                    self._was_called = True
                    self._compiler.note_signature(request)
                return made

            program = self._cache.find_or_make(key, make, lambda: self._compiler.shown(request))
        else:
            weighing = self._cache.weighing()
            if weighing is None:
                self._enter(key, program, leaves, args, kwargs, has_out=has_out)
            else:
                program = replace(program, call=weighing.weighed(program.call))
        return program, args if is_plain else [prepared(leaf) for leaf in leaves]

    @property
    def options(self) -> Options:
        """The options with which it is compiled."""
        return self._options

    @compiling
    def traced_for(
        self,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        opened: Callable[[Sequence[LeafType]], Sequence[LeafType]],
        purpose: Hashable,
        make: Callable[[ModuleOp, Tree, Tree], T],
        failed: Callable[[MliradError], F | None],
    ) -> T | F:
        """Return what `make` makes of the program for arguments like these, of other types, which `opened`
        says.

        It gets the module, and the structures of the result and of the arguments. It is made once for what
        the function reads from outside, these types, and the `purpose`. Where that raises an error that
        `failed` turns into something, this is returned, and kept, instead.
        """
        request = self._compiler.request(tuple(args), dict(kwargs))
        types = opened(request.types)
        key = self._reader.whole_key(request.args, dict(kwargs), request.tree, types)

        def made() -> T | F:
            try:
                return make(*self._compiler.trace(request, types), request.tree)
            except MliradError as error:
                if (found := failed(error)) is None:
                    raise
                return found

        return cache_of(self._function, (self._transformation, purpose)).of(key, made)

    # Looking inside ------------------------------------------------------------------------------

    @plain_errors
    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """The function for arguments like these, to be looked into and compiled ahead of its calls."""
        from mlirad.frontend.compiling.lowered import Lowered

        compiler = self._compiler
        request = compiler.request(args, kwargs)
        signature, _ = self._reader.signature(args, kwargs)
        types, sizes = compiler.sized(request)
        return Lowered(
            function_name(self._function),
            signature,
            self._options,
            self._reader.signature,
            lambda: compiler.trace(request, types),
            lambda stats, fresh: compiler.compile(request, stats, fresh=fresh),
            tuple(sizes.items()),
        )

    @plain_errors
    def ir(self, *args: Any, after: str | None = None, **kwargs: Any) -> str:
        """The program for arguments like these as MLIR text: as traced, or after the pass `after`."""
        return self.lower(*args, **kwargs).ir(after)

    @plain_errors
    def stats(self, *args: Any, **kwargs: Any) -> Stats:
        """The time of every stage of a compile for arguments like these, and the number of ops after it."""
        return self.lower(*args, **kwargs).stats()

    @plain_errors
    def profile(self, *args: Any, **kwargs: Any) -> Profile:
        """The time of each kernel and source line in calls with these arguments, which are made for a quarter
        of a second, by a program that is compiled for it and reads the clock around kernels.
        """
        return self.lower(*args, **kwargs).profile(*args, **kwargs)

    @plain_errors
    def llvm(self, *args: Any, **kwargs: Any) -> str:
        """The LLVM IR for arguments like these, before LLVM optimises it."""
        return self.lower(*args, **kwargs).llvm()

    @plain_errors
    def asm(self, *args: Any, **kwargs: Any) -> str:
        """The assembly for arguments like these."""
        return self.lower(*args, **kwargs).asm()

    @plain_errors
    def split(self, *args: Any, **kwargs: Any) -> Any:
        """The rounds of a call with these arguments, some of them arrays of Dask, and what each sends.

        Nothing is compiled. Raises `ArgumentError` where no argument lies in chunks.
        """
        if not are_split((args, tuple(kwargs.values()))):
            raise ArgumentError(
                "no argument is an array of Dask, so nothing is split",
                location=user_line(),
                hint="write f.split(w, da.from_array(X, chunks=(100_000, -1)))",
            )
        return packages.load(self.split_calls).report(self, args, kwargs)

    @plain_errors
    def structure(self, *args: Any, **kwargs: Any) -> Any:
        """The rows and columns of the entries of a sparse derivative. Raises UnsupportedError for others."""
        raise UnsupportedError(
            "only a sparse derivative has a structure",
            location=user_line(),
            hint="write ad.jacobian(f, sparse=True) or ad.hessian(f, sparse=True)",
        )

    def __repr__(self) -> str:
        names = ", ".join(kinds_of(self._function) or ("...",))
        return f"<{self._made()}: ({names})>"

    def _made(self) -> str:
        """The call that makes it."""
        from mlirad.frontend.compiling.shown import construction

        inner = self._function
        return construction(
            self.recipe, inner._made() if isinstance(inner, Transformed) else function_name(inner)
        )

    def captured_key(self) -> Hashable:
        """Return what decides, besides the arguments, which program a call runs: what the function reads from
        outside at present.
        """
        return self._cache.captures().key

    def _repr_html_(self) -> str:
        """For notebooks: the function, its line, and for each compiled signature what it takes and needs."""
        from mlirad.frontend.compiling.shown import table

        return table(self._function, self._options, self._cache.programs())

    # Pickling and copying ------------------------------------------------------------------------

    def __reduce__(self) -> str | tuple[Any, ...]:
        name = global_name(self)
        if name is not None:
            return name
        assert self.recipe is not None
        require_name(self._function)
        return transformed_again, (self.recipe, self._function)

    def __copy__(self) -> Transformed:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Transformed:
        """Itself, as of functions; of a method or another callable object, one that has a copy of it."""
        function = copy.deepcopy(self._function, memo)
        if function is self._function or self.recipe is None:
            return self
        return transformed_again(self.recipe, function)

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Any:
        """As a method: the transformation of the bound method, which reads the instance from outside."""
        if instance is None or self.recipe is None:
            return self
        return transformed_again(self.recipe, MethodType(self._function, instance))


def are_split(arguments: object) -> bool:
    """Return whether one of the leaves is an array of Dask, or one of xarray's that has one."""
    return "dask.array" in sys.modules and any(map(has_chunks, flatten(arguments)[0]))


def run_compiled(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a function gives outside of a trace: compiled for the arguments, as by `ad.jit`, and
    run.
    """
    return Transformed(function, lambda f, given: f(*given), "jit", Options())(*args, **kwargs)


def _dispatch_of(reference: weakref.ref[Transformed]) -> Callable[..., Any]:
    """The dispatching call of an object, without keeping it alive."""

    def dispatch(*args: Any, **kwargs: Any) -> Any:
        transformed = reference()
        assert transformed is not None
        return transformed._dispatch(args, kwargs)  # pyright: ignore[reportPrivateUsage]

    return dispatch
