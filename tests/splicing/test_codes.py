"""Instructions put into code: functions do what they did, at the same lines, and ask."""

from __future__ import annotations

import asyncio
import contextlib
import dis
import functools
import heapq
import importlib
import inspect
import itertools
import pickle
import random
import re
import statistics
import textwrap
import traceback
from collections.abc import Callable, Generator, Iterator
from threading import get_ident
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

from mlirad.frontend.splicing.assembly import assembled, disassembled
from mlirad.frontend.splicing.call_sites import asking
from mlirad.frontend.splicing.code_tables import handlers
from mlirad.frontend.splicing.insertion import UnknownCodeError, start_of_body, with_question
from mlirad.frontend.splicing.plain import Hooks, plain_code
from mlirad.frontend.splicing.questions import MISS, Question, Values, ask_first, question_of
from mlirad.frontend.splicing.tracing_threads import TRACING

MODULES = ("argparse", "ast", "configparser", "contextlib", "dataclasses", "difflib", "inspect", "tokenize")
"""Modules of Python with code of all forms."""

ENDING = re.compile(
    "RETURN_(VALUE|CONST)|RAISE_VARARGS|RERAISE|JUMP_(FORWARD|BACKWARD|BACKWARD_NO_INTERRUPT)"
)
"""Instructions after which the next one does not run."""


@pytest.fixture
def tracing() -> Generator[None]:
    """As in a thread that traces."""
    TRACING.add(get_ident())
    yield
    TRACING.discard(get_ident())


def codes_in(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


def codes_of(name: str) -> list[CodeType]:
    """All codes of a module."""
    module = importlib.import_module(name)
    return list(codes_in(compile(inspect.getsource(module), str(module.__file__), "exec")))


@pytest.mark.parametrize("name", MODULES)
def test_code_that_is_taken_apart_and_made_again(name: str) -> None:
    for code in codes_of(name):
        made = assembled(code, disassembled(code), code.co_consts, 0)
        assert made.co_code == code.co_code
        assert made.co_exceptiontable == code.co_exceptiontable
        assert list(made.co_positions()) == list(code.co_positions())


@pytest.mark.parametrize("name", MODULES)
def test_questions_stand_in_the_line_of_the_definition(name: str) -> None:
    for code in codes_of(name):
        try:
            made = with_question(code, lambda values: False, lambda: None)
        except UnknownCodeError:
            assert code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR)
            continue
        start, more = start_of_body(code), (len(made.co_code) - len(code.co_code)) // 2
        own, found = list(code.co_positions()), list(made.co_positions())
        assert found[:start] + found[start + more :] == own
        assert {line for line, *_ in found[start : start + more]} == {own[start - 1][0]}
        assert hash(made) != hash(code) and plain_code(made) is made


def test_code_without_columns() -> None:
    """One entry of the table of positions covers what is before the question and what is behind it."""
    code = compile("f = lambda x: x + 1", "<here>", "exec").co_consts[0]
    assert isinstance(code, CodeType)
    lines = [(first, last, None, None) for first, last, *_ in code.co_positions()]
    bare = code.replace(co_linetable=bytes((0x80 | 13 << 3 | len(lines) - 1, 0)))
    assert list(bare.co_positions()) == lines
    made = with_question(bare, lambda values: False, lambda: None)
    assert {line for line, *_ in made.co_positions()} == {1}


def deepest(code: CodeType) -> int:
    """The most values on the stack, over all ways through the instructions."""
    instructions = {i.offset: i for i in dis.get_instructions(code)}
    order = sorted(instructions)
    following = dict(itertools.pairwise(order))
    ways = [(0, 0)]
    for h in handlers(code):  # an error lies on the stack, and where it happened if that is kept
        ways.append((2 * h.target, (h.depth_and_lasti >> 1) + 1 + (h.depth_and_lasti & 1)))
    depths: dict[int, int] = {}
    while ways:
        at, depth = ways.pop()
        if depths.setdefault(at, depth) == depth and at in instructions:
            i = instructions.pop(at)
            argument = i.arg if i.opcode >= dis.HAVE_ARGUMENT else None
            if not ENDING.fullmatch(i.opname) and at in following:
                ways.append((following[at], depth + dis.stack_effect(i.opcode, argument, jump=False)))
            if i.opcode in dis.hasjrel:
                ways.append((i.argval, depth + dis.stack_effect(i.opcode, argument, jump=True)))
    return max(depths.values())


@pytest.mark.parametrize("name", MODULES)
def test_stacks_hold_what_is_put_on_them(name: str) -> None:
    """The interpreter does not look: what is above its stack overwrites other memory."""
    hooks = Hooks(*(lambda value: value,) * len(Hooks.__annotations__))
    for code in codes_of(name):
        told = asking(code, hooks)
        codes = [code, told]
        for each in (code, told):
            with contextlib.suppress(UnknownCodeError):
                codes.append(with_question(each, lambda values: False, lambda: None))
        assert all(deepest(each) <= each.co_stacksize for each in codes)


# Questions ---------------------------------------------------------------------------------------


def signatures() -> Iterator[str]:
    """Parameters of all kinds."""
    only = ("", "a, /, ", "a, b=2, /, ")
    both = ("", "c, ", "c=3, d=4, ")
    for first, second, rest, named, more in itertools.product(
        only, both, ("", "*r, "), ("", "e, ", "f=5, e=6, "), ("", "**k")
    ):
        if "b=2" in first and "c, " in second:
            continue
        star = "*, " if named and not rest else ""
        yield first + second + rest + star + named + more


def calls_of(function: Callable[..., Any], draw: random.Random) -> Iterator[tuple[Values, dict[str, Any]]]:
    """Calls that the function takes, some of them with the values of defaults."""
    for _ in range(12):
        args = tuple(draw.choice((2, 3, 7, 8)) for _ in range(draw.randrange(6)))
        names = draw.sample("abcdefxy", draw.randrange(5))
        kwargs = {name: draw.choice((4, 5, 6, 9)) for name in names}
        with contextlib.suppress(TypeError):
            function(*args, **kwargs)
            yield args, kwargs


def test_arguments_are_told_as_they_were_given(tracing: None) -> None:
    """With cells and without: a call of the told arguments comes to the same."""
    count = 0
    for parameters, has_cells in itertools.product(signatures(), (False, True)):
        names = ", ".join(re.findall(r"[a-z]", parameters))
        body = f"(lambda: ({names}{',' * bool(names)}))()" if has_cells else "dict(locals())"
        space: dict[str, Any] = {}
        exec(f"def function({parameters}): return {body}", space)
        function: FunctionType = space["function"]
        assert len(function.__code__.co_cellvars) == has_cells * len(names.split())
        told: list[tuple[Values, dict[str, Any]]] = []

        def answer(question: Question, values: Values, told: list[Any] = told) -> Any:
            told.append(question.arguments(values))
            return MISS

        calls = list(calls_of(function, random.Random(parameters)))
        ask_first(function, answer)
        for args, kwargs in calls:
            found = function(*args, **kwargs)
            given, named = told.pop()
            question = question_of(function)
            assert question is not None
            assert question.own(*given, **named) == found
            known = inspect.signature(function).parameters
            assert not any(name in known and known[name].default == value for name, value in named.items())
            count += 1
    assert count > 500


def test_answers_and_misses(tracing: None) -> None:
    def double(x: int, scale: int = 2) -> int:
        return scale * x

    def numbers(n: int) -> Iterator[int]:
        yield from range(n)

    own = {f: (inspect.signature(f), hash(f), f.__code__) for f in (double, numbers)}
    for function in own:
        ask_first(function, lambda question, values: "answer" if values[0] == 3 else MISS)
        ask_first(function, lambda question, values: "not asked")
    assert [double(3), double(4), double(x=3), double(4, scale=5)] == ["answer", 8, "answer", 20]
    assert [*numbers(3), *numbers(2)] == ["answer", 0, 1]
    for function, (signature, number, code) in own.items():
        assert (inspect.signature(function), hash(function)) == (signature, number)
        assert plain_code(function.__code__) is code
    TRACING.discard(get_ident())
    assert double(3) == 6


def test_answers_while_answers_are_taken(tracing: None) -> None:
    """The answer to a question is kept until its function returns it, whatever is asked in between."""

    def inner(x: int) -> int:
        return x

    def outer(x: int) -> int:
        return x

    ask_first(inner, lambda question, values: values[0] + 1)
    ask_first(outer, lambda question, values: inner(values[0]) * 10 if values[0] else MISS)
    assert [outer(1), outer(0), outer(2)] == [20, 0, 30]


# Calls and subscripts ----------------------------------------------------------------------------


class Seen:
    """The arguments that hooks were given."""

    def __init__(self) -> None:
        self.called: list[Any] = []
        self.items: list[Any] = []
        self.puts: list[Any] = []
        self.made: list[Any] = []
        self.texts: list[str] = []
        self.remainders: list[Any] = []
        self.within: list[Any] = []
        self.same: list[Any] = []
        self.hooks = Hooks(
            self._called,
            self._item,
            self._put,
            self._text,
            self._remainder,
            self._within,
            self._same,
            self._made,
        )

    def _called(self, function: Any) -> Any:
        self.called.append(function)
        return function

    def _item(self, place: tuple[Any, Any]) -> Any:
        self.items.append(place[1])
        return place[0][place[1]]

    def _put(self, place: tuple[Any, Any, Any]) -> None:
        self.puts.append(place[2])
        place[1][place[2]] = place[0]

    def _text(self, parts: tuple[str, ...]) -> str:
        self.texts.append("".join(parts))
        return self.texts[-1]

    def _remainder(self, values: tuple[Any, Any]) -> Any:
        self.remainders.append(values[0] % values[1])
        return self.remainders[-1]

    def _same(self, operands: tuple[Any, Any]) -> bool:
        self.same.append(operands[1])
        return operands[0] is operands[1]

    def _within(self, place: tuple[Any, Any]) -> bool:
        self.within.append(place[0])
        return place[0] in place[1]

    def _made(self, result: Any) -> Any:
        self.made.append(result)
        return result


def told(function: Any, seen: Seen) -> Any:
    function.__code__ = asking(function.__code__, seen.hooks)
    return function


def everything(a: Any, *rest: int, k: int = 2, **named: Any) -> Generator[Any, Any, Any]:
    """Code of many forms."""

    def inner(z: list[int] = [1, 2, 3]) -> list[int]:  # noqa: B006
        return [*z[1:], a]

    class Table(dict[str, Any]):
        doubled = [q * 2 for q in rest]  # noqa: RUF012

        def size(self) -> int:
            return super().__len__() + len(self.doubled)

    table = Table(q=1)
    table["z"] = 5
    table["z"] += 1
    named["list"] = numbers = [0]
    numbers[0:0] = [table["z"]]
    yield inner()
    try:
        y = yield table["z"], table.size(), {**named, "k": k}, dict(*[], **named)
    except KeyError as error:
        y = yield f"{error!s:>5} {a:d}"
    finally:
        named["done"] = [x for x in range(3) if x] or None
    with contextlib.suppress(ZeroDivisionError), contextlib.nullcontext(a) as same:
        y = y + same / 0
    match rest:
        case [first, *_] if first > (1 if k else 2):
            y = max(y, min(rest, key=lambda v: -v))
        case _:
            pass
    assert k, str(k)
    template = "%s/%s"
    y = f"{y}: {'q' in table} {'r' not in table} {template % (a, k % 2)}"
    return (yield from (i for i in (y, k, named["done"][-1])))


def run_everything() -> list[Any]:
    found: list[Any] = []
    generator = everything(1, 2, 3, k=4, x=5)
    found += [next(generator), next(generator), generator.send(9), *generator]
    generator = everything(1)
    found += [next(generator), next(generator), generator.throw(KeyError("a")), generator.send(3), *generator]
    return found


async def shown(a: list[int]) -> int:
    """Code that awaits."""

    class Context:
        async def __aenter__(self) -> int:
            return a[0]

        async def __aexit__(self, *error: object) -> None:
            return None

    async def numbers() -> Any:
        for q in a:
            yield q

    async with Context() as b:
        return sum([x async for x in numbers()]) + b


@pytest.mark.parametrize("is_tracing", [False, True])
def test_all_forms_of_code(is_tracing: bool) -> None:
    want = run_everything(), asyncio.run(shown([5, 6]))
    seen = Seen()
    codes = everything.__code__, shown.__code__
    told(everything, seen)
    told(shown, seen)
    try:
        if is_tracing:
            TRACING.add(get_ident())
        found = run_everything(), asyncio.run(shown([5, 6]))
    finally:
        TRACING.discard(get_ident())
        everything.__code__, shown.__code__ = codes
    assert found == want
    assert bool(seen.called) == bool(seen.items) == is_tracing
    if is_tracing:
        assert {max, min, dict, sum} <= set(seen.called)
        assert all(key in seen.items for key in ("z", -1, slice(1, None, None)))
        assert all(key in seen.puts for key in ("z", "done", slice(0, 0, None)))
        assert 6 in seen.made
        assert "1/0" in seen.remainders
        assert seen.within.count("q") == seen.within.count("r") > 0
        assert any("True True 1/0" in text for text in seen.texts)


def failing(x: list[Any]) -> Any:
    y = [1, 2]
    return (x[
        3] if x else y[0]) + len(
        5)  # fmt: skip


def test_errors_stand_at_the_same_place(tracing: None) -> None:
    def places(argument: list[Any]) -> tuple[str, list[Any]]:
        with pytest.raises((TypeError, IndexError)) as error:
            failing(argument)
        here = [f for f in traceback.extract_tb(error.value.__traceback__) if f.name == "failing"]
        return str(error.value), [(f.lineno, f.end_lineno, f.colno, f.end_colno) for f in here]

    want = [places([1]), places([])]
    code = failing.__code__
    told(failing, Seen())
    try:
        assert [places([1]), places([])] == want
    finally:
        failing.__code__ = code


def long_function() -> FunctionType:
    """One whose jumps and constants need extended arguments."""
    lines = [f"    if x[{k}] > {k}.5: s += abs(x[{k}]) * {k}.25" for k in range(400)]
    space: dict[str, Any] = {}
    exec(
        "def f(x):\n    s = 0\n    for _ in range(2):\n    " + "\n    ".join(lines) + "\n    return s", space
    )
    return space["f"]


def test_long_jumps(tracing: None) -> None:
    function, values = long_function(), [float(k % 7 * 100) for k in range(400)]
    want = function(values)
    assert len(function.__code__.co_code) > 2 * 256 * 8
    seen = Seen()
    assert told(function, seen)(values) == want
    assert seen.called.count(abs) == sum(2 * (values[k] > k + 0.5) for k in range(400))


def functions_of(module: ModuleType) -> list[FunctionType]:
    owners = [module, *(c for c in vars(module).values() if inspect.isclass(c))]
    members = [m for owner in owners for m in vars(owner).values() if isinstance(m, FunctionType)]
    return [m for m in members if m.__module__ == module.__name__]


USES: dict[ModuleType, Callable[[], Any]] = {
    textwrap: lambda: textwrap.fill("hello world " * 10, 30),
    statistics: lambda: [statistics.stdev([1, 2, 3, 4.5]), statistics.quantiles(range(9))],
    heapq: lambda: list(heapq.merge([1, 4], [2, 3], key=lambda x: x)),
    dis: lambda: [i.opname for i in dis.get_instructions(run_everything)],
    inspect: lambda: str(inspect.signature(told)),
    pickle: lambda: pickle._loads(pickle._dumps({"a": [1, 2.5, None, b"x"]})),  # type: ignore[attr-defined]
    functools: lambda: functools.cmp_to_key(lambda a, b: a - b)(1) < functools.partial(int)(2) or 0,
}


@pytest.mark.parametrize("module", USES, ids=lambda m: m.__name__)
def test_modules_of_python_work_as_they_did(module: ModuleType, tracing: None) -> None:
    def tried() -> Any:
        try:
            return USES[module]()
        except TypeError as error:
            return str(error)

    want, functions, seen = tried(), functions_of(module), Seen()
    own = [f.__code__ for f in functions]
    try:
        for function in functions:
            told(function, seen)
        assert tried() == want
    finally:
        for function, code in zip(functions, own, strict=True):
            function.__code__ = code
    assert all(f.__code__ is code for f, code in zip(functions, own, strict=True))
