"""Functions made of rewritten source: the same globals, variables of outer functions, defaults and name.

    rewritten(f)      -->  a function like f, whose `if`, `while`, `for` on traced values are ops

Only the code is another one, so a change of a global, of a captured variable or of a default is seen as f
sees it. Code is rewritten once, however often a function is called.

Parts of statements share variables with the function; they do not pass them. The textbook turns each part
into a function of all its variables. With `nonlocal` the variables are those of the user, nested functions
see them change, a variable without a value stays one, and the parts need no list of inputs and outputs where
nothing is traced.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
from collections.abc import Callable
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any, cast

from mlirad.frontend.rewriting.expressions import refuse
from mlirad.frontend.rewriting.generators import collecting, is_collectable
from mlirad.frontend.rewriting.nodes import RUNTIME, at, define
from mlirad.frontend.rewriting.source import FunctionNode, definition_of
from mlirad.frontend.rewriting.statements import Rewriting, suspends
from mlirad.frontend.tracing.code_reads import is_rewritable_file, own_code
from mlirad.frontend.tracing.control import note_rewritten
from mlirad.frontend.tracing.library_calls import is_asking
from mlirad.frontend.tracing.raising import unsupported_error
from mlirad.frontend.tracing.told_functions import asking_code

_FACTORY = "ad_factory"

_runtime = CellType()
"""The module that the control flow of rewritten functions calls."""


def bind_runtime(module: object) -> None:
    """Say what control flow becomes."""
    _runtime.cell_contents = module


def rewritten(function: Callable[..., Any]) -> Callable[..., Any]:
    """A Python function, a method or a partial of one, or an object with a method `__call__`, rewritten.

    Raises `UnsupportedError`, at the user's line, for what has no source in Python, and for functions that
    suspend.
    """
    made = with_function(function, _rewritten, rewritten)
    if made is not None:
        return made
    raise unsupported_error(
        f"the control flow of {function!r} cannot be rewritten: it is not a function written in Python",
        'give control="rewrite" where the Python function is transformed first, or make that ad.rewritten(f)',
    )


def with_function(
    callable_: Any, change: Callable[[FunctionType], Callable[..., Any]], called: Callable[[Any], Any]
) -> Any:
    """A callable with its Python function changed, `None` for one that has none which can be rewritten.

    Of a partial function, `called` gives what is called instead of its function.
    """
    if isinstance(callable_, FunctionType):
        return change(callable_)
    if isinstance(callable_, MethodType) and isinstance(callable_.__func__, FunctionType):
        return MethodType(change(callable_.__func__), callable_.__self__)
    if isinstance(callable_, functools.partial):
        partial = cast("functools.partial[Any]", callable_)
        return functools.partial(called(partial.func), *partial.args, **partial.keywords)
    method = inspect.getattr_static(cast("Any", type(callable_)), "__call__", None)
    if isinstance(method, FunctionType) and is_rewritable(method):
        return MethodType(change(method), callable_)
    return None


def is_rewritable(function: FunctionType) -> bool:
    """Return whether a function is one of the program or of a package in Python, and has not been rewritten.

    Functions whose calls something else answers are left alone.
    """
    code = function.__code__
    is_code = RUNTIME not in code.co_freevars and is_rewritable_file(code.co_filename)
    return is_code and not is_asking(function)


def collected(function: FunctionType) -> FunctionType:
    """A generator function as one that returns the list of what it yields, rewritten.

    Raises `UnsupportedError` for generators that are sent values, return one, or have no end.
    """
    return _with_code(function, _code(function, collects=True))


def _rewritten(function: FunctionType) -> FunctionType:
    if RUNTIME in function.__code__.co_freevars:
        return function
    return _with_code(function, _code(function))


def _with_code(function: FunctionType, code: CodeType) -> FunctionType:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[RUNTIME] = _runtime
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    functools.update_wrapper(made, function)
    note_rewritten(function)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _code(function: FunctionType, *, collects: bool = False) -> CodeType:
    code = own_code(function)
    key = (code.co_filename, code, collects)
    found = _codes.get(key)
    if found is None:
        found = _codes[key] = asking_code(_made(function, collects))
    return found


_codes: dict[tuple[str, CodeType, bool], CodeType] = {}
"""Rewritten code, by the file and the code that it was made of, and whether that is to collect."""


def _made(function: FunctionType, collects: bool) -> CodeType:
    """The code of a function rewritten; of a generator that `collects`, the code that returns a list."""
    code = own_code(function)
    definition = definition_of(function)
    node = copy.deepcopy(definition.node)
    if collects and isinstance(node, ast.FunctionDef) and is_collectable(node):
        node = collecting(node)
    place = suspends(node)
    if place is not None:
        refuse(
            code.co_filename,
            place,
            f"{function.__qualname__} is a generator or a coroutine, which stops in its midst",
            "write a function that returns its result",
        )
    has_class = "__class__" in code.co_freevars
    node = Rewriting(code.co_filename, definition.class_name, has_class).function(node)
    _strip(node)
    name = code.co_name
    if isinstance(node, ast.FunctionDef):
        name = node.name = "ad_function"  # its own name stands for what that is outside
    factory = define(_FACTORY, [ast.Return(node) if isinstance(node, ast.Lambda) else node])
    factory.args.args = [ast.arg(name) for name in (*code.co_freevars, RUNTIME)]
    module = ast.Module([at(node, factory)], [])
    outer = _code_in(compile(module, code.co_filename, "exec"), _FACTORY)
    return _code_in(outer, name).replace(co_name=code.co_name, co_qualname=code.co_qualname)


def _strip(node: FunctionNode) -> None:
    """Take away what is not part of code: decorators, annotations, and the values of defaults."""
    a = node.args
    a.defaults = [ast.Constant(None) for _ in a.defaults]
    a.kw_defaults = [None if d is None else ast.Constant(None) for d in a.kw_defaults]
    for parameter in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg):
        if parameter is not None:
            parameter.annotation = None
    if isinstance(node, ast.FunctionDef):
        node.decorator_list, node.returns = [], None


def _code_in(code: CodeType, name: str) -> CodeType:
    """The code of a function that is defined in other code."""
    return next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)
