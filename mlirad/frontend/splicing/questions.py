"""Functions of libraries that ask first, in threads that trace, whether something else answers the call.

    ask_first(scipy.special.logsumexp, answer)
    scipy.special.logsumexp(x)        what `answer` gives, or, where that is `MISS`, SciPy's own result

The function stays the same object, with another code. So it asks however it is reached: imported by name,
kept in a table, bound to an object, called by other functions. In threads that do not trace it runs as ever.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from inspect import CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType
from typing import Any, Final, cast

from mlirad.frontend.splicing.insertion import with_question
from mlirad.frontend.splicing.plain import Spliced
from mlirad.jit.forking import CompileLock

MISS: Final = object()
"""The answer that leaves a call to the function itself."""

Values = tuple[Any, ...]
"""The parameters of a function in order; those of `*args` are a tuple, and of `**kwargs` a dictionary."""


class Question(Spliced):
    """A question that one function asks: `answer` gets the question and the values of the parameters."""

    def __init__(self, function: FunctionType, answer: Callable[[Question, Values], Any]):
        code = function.__code__
        super().__init__(code)
        self.function = function
        self.answer = answer
        self._positional = code.co_argcount
        self._named = self._positional + code.co_kwonlyargcount
        self.is_generator = bool(code.co_flags & CO_GENERATOR)
        self._has_rest = bool(code.co_flags & CO_VARARGS)
        self._has_more = bool(code.co_flags & CO_VARKEYWORDS)

    def __call__(self, values: Values) -> bool:
        found = self.answer(self, values)
        if found is MISS:
            return False
        ANSWERS.found.append(found)
        return True

    @functools.cached_property
    def own(self) -> FunctionType:
        """The function as it was, which does not ask."""
        known = self.function
        made = FunctionType(
            self.code, known.__globals__, known.__name__, known.__defaults__, known.__closure__
        )
        made.__kwdefaults__ = known.__kwdefaults__
        return cast("FunctionType", functools.update_wrapper(made, known))

    def given(self, values: Values) -> Iterator[Any]:
        """All that the function was called with, and defaults."""
        yield from values[: self._named]
        if self._has_rest:
            yield from values[self._named]
        if self._has_more:
            yield from values[-1].values()

    def arguments(self, values: Values) -> tuple[Values, dict[str, Any]]:
        """The arguments of a call that comes to the same: without those that are the defaults."""
        names, defaults = self.code.co_varnames, self.function.__defaults__ or ()
        first = self._positional - len(defaults)
        kwargs: dict[str, Any] = {}
        if self._has_rest and values[self._named]:
            args = [*values[: self._positional], *values[self._named]]
        else:
            only = max(first, self.code.co_posonlyargcount)
            args = list(values[:only])
            for k in range(only, self._positional):
                if values[k] is not defaults[k - first]:
                    kwargs[names[k]] = values[k]
            while len(args) < self._positional and names[len(args)] in kwargs:
                args.append(kwargs.pop(names[len(args)]))
        by_name = self.function.__kwdefaults__ or {}
        for k in range(self._positional, self._named):
            if names[k] not in by_name or values[k] is not by_name[names[k]]:
                kwargs[names[k]] = values[k]
        return tuple(args), kwargs | (values[-1] if self._has_more else {})


class _Answers(threading.local):
    """The answers to the innermost questions of a thread, until the functions return them."""

    def __init__(self) -> None:
        self.found: list[Any] = []


ANSWERS: Final = _Answers()


def _take() -> Any:
    return ANSWERS.found.pop()


_asking: Final = CompileLock()


def ask_first(function: FunctionType, answer: Callable[[Question, Values], Any]) -> None:
    """Let a function ask, from now on, unless it does so already.

    Raises `UnknownCodeError` for code of a form that is not known; the function stays as it is.
    """
    with _asking:
        if question_of(function) is None:
            question = Question(function, answer)
            function.__code__ = with_question(function.__code__, question, _take)


def question_of(function: FunctionType) -> Question | None:
    """Return what a function asks."""
    last = function.__code__.co_consts[-1:]
    while last and isinstance(last[0], Spliced):
        if isinstance(last[0], Question):
            return last[0]
        last = last[0].code.co_consts[-1:]
    return None
