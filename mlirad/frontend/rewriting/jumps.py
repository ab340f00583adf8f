"""`break`, `continue` and early `return` as flags, which what follows is guarded by.

    for x in xs:                          stopped = False
        if x < 0:                         for x in xs:            (stops where `stopped` holds)
            break                             if x < 0:
        total = total + x                         stopped = True
                                              else:
                                                  total = total + x

The code behind an `if` with a side that always jumps goes to the other side, so most jumps need no guard. A
function returns at its end, what `ad_value` holds. A test that assigns moves into the body of its loop, if
there are jumps in that. Where `and` or `or` decides whether it assigns, it becomes branches, of `if` as well:

    if a > 0 and (b := f(a)) > 1:         if a > 0:
        ...                                   if (b := f(a)) > 1:
                                                  ad_test_0 = True
                                              else:
                                                  ad_test_0 = False
                                          else:
                                              ad_test_0 = False
                                          if ad_test_0:
                                              ...
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import field

from mlirad.frontend.rewriting.names import own_nodes
from mlirad.frontend.rewriting.nodes import at, binds, call, load, store
from mlirad.lazy_dataclass import dataclass

VALUE = "ad_value"
"""The variable that holds what the function returns."""

YIELDED = "ad_yielded"
"""The variable that holds what a generator yields."""

SHOWN = {VALUE: "what the function returns", YIELDED: "what the generator yields"}
"""These variables as errors call them."""

RETURNED = "ad_returned"
"""The flag that says that it has returned."""


@dataclass
class _Loop:
    """The loop around a statement: its number, and which of its flags are in use."""

    number: int
    used: set[str] = field(default_factory=set[str])

    def flag(self, kind: str) -> str:
        name = f"ad_{kind}_{self.number}"
        self.used.add(name)
        return name


def ends(body: Sequence[ast.stmt], kinds: tuple[type[ast.stmt], ...]) -> bool:
    """Return whether code always ends by a statement of one of the kinds."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, kinds):
        return True
    if isinstance(last, ast.If):
        return ends(last.body, kinds) and ends(last.orelse, kinds)
    if isinstance(last, ast.With):
        return ends(last.body, kinds)
    if isinstance(last, ast.While):
        is_endless = isinstance(last.test, ast.Constant) and bool(last.test.value)
        return is_endless and not any(isinstance(n, ast.Break) for n in own_nodes(last.body))
    return False


JUMPS = (ast.Return, ast.Break, ast.Continue)


class _End(ast.Break):
    """The jump out of a loop whose test fails, which `else` follows."""


def _has_jumps(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Return | ast.Break) for node in own_nodes(body))


def _may_assign(test: ast.expr) -> bool:
    """Tell whether `and` or `or` decides whether a test assigns variables."""
    match test:
        case ast.BoolOp():
            return any(map(binds, test.values[1:])) or _may_assign(test.values[0])
        case ast.UnaryOp(op=ast.Not()):
            return _may_assign(test.operand)
        case _:
            return False


def _branches(test: ast.expr, yes: list[ast.stmt], no: list[ast.stmt]) -> list[ast.stmt]:
    """Branches by a test, in which `and` and `or` are branches."""
    match test:
        case ast.BoolOp():
            is_and = isinstance(test.op, ast.And)
            made = yes if is_and else no
            for value in reversed(test.values):
                made = (
                    _branches(value, made, deepcopy(no)) if is_and else _branches(value, deepcopy(yes), made)
                )
            return made
        case ast.UnaryOp(op=ast.Not()):
            return _branches(test.operand, no, yes)
        case _:
            return [at(test, ast.If(test, yes, no))]


class Jumps:
    """The statements of one function without jumps."""

    def __init__(self) -> None:
        self._count = 0

    def function(self, body: list[ast.stmt], place: ast.AST) -> list[ast.stmt]:
        """The body of a function; it is changed."""
        if not ends(body, (ast.Return, ast.Raise)):
            body = [*body, at(body[-1], ast.Return(None))]
        if isinstance(body[-1], ast.Return) and not any(
            isinstance(n, ast.Return) for n in own_nodes(body[:-1])
        ):
            last = body[-1]
            value = last.value or ast.Constant(None)
            return [*self._block(body[:-1], None)[0], at(last, ast.Return(call("checked", value)))]
        lowered, _ = self._block(body, None)
        start = [
            at(place, ast.Assign([store(RETURNED)], ast.Constant(False))),
            at(place, ast.Assign([store(VALUE)], call("nothing"))),
        ]
        return [*start, *lowered, at(place, ast.Return(call("returned", load(VALUE))))]

    def _block(self, body: Sequence[ast.stmt], loop: _Loop | None) -> tuple[list[ast.stmt], set[str]]:
        """Statements without jumps, and the flags that they may set."""
        made: list[ast.stmt] = []
        flags: set[str] = set()
        body = [inner for statement in body for inner in self._decided(statement)]
        for k, statement in enumerate(body):
            rest = list(body[k + 1 :])
            if isinstance(statement, ast.If) and rest:
                one, other = ends(statement.body, JUMPS), ends(statement.orelse, JUMPS)
                if one != other:
                    side = statement.orelse if one else statement.body
                    side += rest
                    rest = []
            if ends([statement], JUMPS):
                rest = []
            new, may = self._statement(statement, loop)
            made += new
            flags |= may
            if may and rest:
                inner, more = self._block(rest, loop)
                made.append(at(rest[0], ast.If(_none_of(may), inner, [])))
                return made, flags | more
            if not rest:
                break
        return made, flags

    def _decided(self, statement: ast.stmt) -> list[ast.stmt]:
        """A statement, behind the branches that its test becomes."""
        if not isinstance(statement, ast.If) or not _may_assign(statement.test):
            return [statement]
        place, flag = statement.test, f"ad_test_{self._count}"
        self._count += 1
        yes, no = ([at(place, ast.Assign([store(flag)], ast.Constant(holds)))] for holds in (True, False))
        tests = _branches(place, list[ast.stmt](yes), list[ast.stmt](no))
        statement.test = at(place, load(flag))
        return [*tests, statement]

    def _statement(self, node: ast.stmt, loop: _Loop | None) -> tuple[list[ast.stmt], set[str]]:
        match node:
            case ast.Return():
                value = node.value or ast.Constant(None)
                return [
                    at(node, ast.Assign([store(VALUE)], call("checked", value))),
                    at(node, ast.Assign([store(RETURNED)], ast.Constant(True))),
                ], {RETURNED}
            case ast.Break() | ast.Continue() if loop is not None:
                kinds: dict[type[ast.stmt], str] = {ast.Continue: "continue", _End: "end"}
                flag = loop.flag(kinds.get(type(node), "break"))
                return [at(node, ast.Assign([store(flag)], ast.Constant(True)))], {flag}
            case ast.While() | ast.For():
                return self._loop(node, loop)
            case ast.If():
                node.body, one = self._filled(node.body, loop)
                node.orelse, other = self._block(node.orelse, loop)
                return [node], one | other
            case ast.With():
                node.body, flags = self._filled(node.body, loop)
                return [node], flags
            case ast.Try():
                node.body, flags = self._filled(node.body, loop)
                node.orelse, more = self._block(node.orelse, loop)
                if flags and node.orelse:
                    node.orelse = [at(node, ast.If(_none_of(flags), node.orelse, []))]
                flags = flags | more
                for handler in node.handlers:
                    handler.body, more = self._filled(handler.body, loop)
                    flags |= more
                node.finalbody, more = self._block(node.finalbody, loop)
                return [node], flags | more
            case ast.Match():
                flags = set[str]()
                for case in node.cases:
                    case.body, more = self._filled(case.body, loop)
                    flags |= more
                return [node], flags
            case _:
                return [node], set()

    def _filled(self, body: list[ast.stmt], loop: _Loop | None) -> tuple[list[ast.stmt], set[str]]:
        lowered, flags = self._block(body, loop)
        return lowered or [at(body[0], ast.Pass())], flags

    def _loop(self, node: ast.While | ast.For, outer: _Loop | None) -> tuple[list[ast.stmt], set[str]]:
        loop = _Loop(self._count)
        self._count += 1
        is_moved = isinstance(node, ast.While) and binds(node.test) and _has_jumps(node.body)
        if isinstance(node, ast.While) and (is_moved or _may_assign(node.test)):
            place = node.test
            goes_on = _branches(place, [at(place, ast.Pass())], [at(place, _End())])
            node.test, node.body = at(place, ast.Constant(True)), [*goes_on, *node.body]
        node.body, flags = self._filled(node.body, loop)
        going_on, stopped, ended = (f"ad_{kind}_{loop.number}" for kind in ("continue", "break", "end"))
        if going_on in loop.used:
            node.body = [at(node, ast.Assign([store(going_on)], ast.Constant(False))), *node.body]
        stops = sorted(flags - {going_on})
        vars(node)["stops"] = stops
        before: list[ast.stmt] = []
        for flag in (stopped, ended):
            if flag in loop.used:
                before.append(at(node, ast.Assign([store(flag)], ast.Constant(False))))
        leaving = flags & {RETURNED}
        if not node.orelse:
            return [*before, node], leaving
        orelse, more = self._block(node.orelse, outer)
        node.orelse = []
        left = set(stops) - {ended}
        after = [at(orelse[0], ast.If(_none_of(left), orelse, []))] if left else orelse
        return [*before, node, *after], leaving | more


def _none_of(flags: set[str]) -> ast.expr:
    """That no flag holds."""
    tests: list[ast.expr] = [ast.UnaryOp(ast.Not(), load(flag)) for flag in sorted(flags)]
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
