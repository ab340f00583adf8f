"""The rewriting: `if`, `while` and `for` as calls of functions of their parts, operators as calls.

    if x > 0:           def ad_if():                        def ad_else():
        y = x               nonlocal y                          nonlocal y
    else:                   y = x                               y = -x
        y = -x          ad__.if_(x > 0, ad_if, ad_else, ad__.State(...))

The parts stay where they were in the file, and share the variables of the function, so that what is known
while tracing runs as Python does. The calls themselves belong to `control_flow`.

Control flow is rewritten from source, where it is needed, and decided while tracing. Bytecode changes with
every version of Python and has lost the structure of loops. The rewritten code calls a function for every
statement, which looks at the condition: known ones run as in Python, so only former errors become ops. A
function is first traced as it stands: that is faster, needs no source, and leaves Python's branches free, so
rewriting costs nothing where it is not needed, and changes no program that can be traced. A trace notes the
error before raising it, so a user's `except` does not decide the program.

Installed packages and Python code of SciPy are rewritten too, as users cannot edit them. Rewritten code takes
hold at calls; a property, an operator or a wrapper without source leads to other code unseen. Replacing
attribute access and operators by calls would slow all of it for a few. So the trace that such code blocks
says which functions it ran, and these ask from then on, however they are entered.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from typing import Any, TypeGuard

from mlirad.frontend.rewriting.assigned import Assigned
from mlirad.frontend.rewriting.expressions import Expressions
from mlirad.frontend.rewriting.facts import KnownFacts
from mlirad.frontend.rewriting.jumps import Jumps
from mlirad.frontend.rewriting.liveness import Liveness
from mlirad.frontend.rewriting.names import (
    SCOPES,
    Names,
    bound_names,
    declared_names,
    inner_nonlocals,
    own_nodes,
)
from mlirad.frontend.rewriting.nodes import at, call, define, load, store, strings, thunk
from mlirad.frontend.rewriting.source import FunctionNode, parameters
from mlirad.frontend.tracing.usage_hints import STATE_READ, STATE_WRITTEN

SUSPENDING = (
    ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.AsyncFunctionDef,
)  # fmt: skip
"""The nodes that keep a function from being rewritten: it stops in its midst and goes on later."""


AFTERWARDS = "assign a local variable there, and write this after the statement"


def suspends(node: FunctionNode) -> ast.AST | None:
    """The first place at which a function can stop and go on later; `None` if it cannot."""
    body: Sequence[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else node.body
    if isinstance(node, ast.AsyncFunctionDef):
        return node
    return next((n for n in own_nodes(body) if isinstance(n, SUSPENDING)), None)


class Rewriting(Expressions):
    """The rewriting of one function."""

    def function(self, node: FunctionNode) -> FunctionNode:
        """The function rewritten; the node is changed. One that suspends stays as it is."""
        if suspends(node) is not None:
            return node
        if isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
            return node
        first = parameters(node)[:1]
        self.first_parameter = first[0] if first else None
        body, start = node.body, list[ast.stmt]()
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            start, body = body[:1], body[1:] or [at(body[0], ast.Pass())]
        self._globals = declared_names(body, ast.Global)
        outside = declared_names(body, ast.Nonlocal)
        body = _without_declarations(body)
        body = Jumps().function(body, node)
        self._facts = KnownFacts()
        self._liveness = Liveness(body, outside)
        own = bound_names(body) - self._globals - outside - set(parameters(node))
        self.doubtful = Assigned(body, own).doubtful
        self._variables = own | outside | set(parameters(node))
        self._written_inside = inner_nonlocals(body) & self._variables
        declarations: list[ast.stmt] = []
        if self._globals:
            declarations.append(ast.Global(sorted(self._globals)))
        if outside:
            declarations.append(ast.Nonlocal(sorted(outside)))
        made = self._block(body)
        if own:  # the bindings of variables that only inner functions still bind
            targets: list[ast.expr] = [store(name) for name in sorted(own)]
            declarations.append(ast.If(ast.Constant(False), [ast.Assign(targets, ast.Constant(None))], []))
        node.body = [*start, *(at(node, d) for d in declarations), *made]
        return node

    def _block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in body:
            found = self.visit(statement)
            made += found if isinstance(found, list) else [found]
        return made

    # Inner functions ------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """An inner function, as one of its own; its decorators and defaults are read here."""
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        self._defaults(node.args)
        return Rewriting(self.file, self.class_name, self.has_class).function(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """The same of a lambda."""
        self._defaults(node.args)
        return Rewriting(self.file, self.class_name, self.has_class).function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """A class stays as it is."""
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """A function that suspends stays as it is."""
        return node

    def _defaults(self, node: ast.arguments) -> None:
        node.defaults = [self.visit(d) for d in node.defaults]
        node.kw_defaults = [None if d is None else self.visit(d) for d in node.kw_defaults]

    # Statements ----------------------------------------------------------------------------------

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        """`if` as a call."""
        changed = self._changed([*node.body, *node.orelse])
        live = self._liveness.after[node]
        reads = self._read(node, changed)
        state = self._state(node, changed, live, reads)
        parts = [
            *self._state_functions(changed, reads),
            define("ad_if", self._part(changed, self._block(node.body))),
            define("ad_else", self._part(changed, self._block(node.orelse))),
        ]
        test = self.truth(node.test)
        made = ast.Expr(call("if_", test, load("ad_if"), load("ad_else"), state))
        return [*(at(node.test, p) for p in parts), at(node.test, made)]

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        """`while` as a call."""
        changed = self._changed([*node.body, ast.Expr(node.test)])
        live = self._liveness.head[node] | self._liveness.after[node]
        reads = self._read(node, changed)
        state = self._state(node, changed, live, reads)
        stops: list[ast.expr] = [ast.UnaryOp(ast.Not(), load(flag)) for flag in vars(node)["stops"]]
        test = node.test if not stops else at(node.test, ast.BoolOp(ast.And(), [*stops, node.test]))
        parts = [
            *self._state_functions(changed, reads),
            define("ad_test", self._part(changed, [at(node.test, ast.Return(self.truth(test)))])),
            define("ad_while", self._part(changed, self._block(node.body))),
        ]
        made = ast.Expr(call("while_", load("ad_test"), load("ad_while"), state))
        return [*(at(node.test, p) for p in parts), at(node.test, made)]

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        """`for` as a call."""
        changed = self._changed([*node.body, ast.Expr(node.target)]) | bound_names([node.target])
        live = self._liveness.head[node] | self._liveness.after[node]
        reads = self._read(node, changed)
        state = self._state(node, changed, live, reads)
        stops = vars(node)["stops"]
        stop: ast.expr = ast.Constant(None)
        if stops:
            flags: list[ast.expr] = [load(flag) for flag in stops]
            stop = thunk(self.visit(flags[0] if len(flags) == 1 else ast.BoolOp(ast.Or(), flags)))
        bound = at(node.target, ast.Assign([self.visit(node.target)], load("ad_item")))
        parts = [
            *self._state_functions(changed, reads),
            define("ad_next", self._part(changed, [bound]), "ad_item"),
            define("ad_for", self._part(changed, self._block(node.body))),
        ]
        made = ast.Expr(call("for_", self.visit(node.iter), load("ad_next"), load("ad_for"), state, stop))
        return [*(at(node.iter, p) for p in parts), at(node.iter, made)]

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """`try`, which says what it catches while its body is traced."""
        self.generic_visit(node)
        if node.handlers:
            kinds = [h.type or ast.Name("BaseException", ast.Load()) for h in node.handlers]
            caught = call("trying", thunk(ast.Tuple(copy.deepcopy(kinds), ast.Load())))
            node.body = [at(node, ast.With([ast.withitem(caught)], node.body))]
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """`raise` of an exception that is made there, and may say what is not known yet."""
        made = node.exc
        if not isinstance(made, ast.Call) or not made.args:
            return self.generic_visit(node)
        kind, shown = copy.deepcopy(made.func), ast.Constant(ast.unparse(made.args[0]))
        node.exc = at(made, call("exception", thunk(self.visit(made)), thunk(kind), shown))
        node.cause = None if node.cause is None else self.visit(node.cause)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        """`assert` as a call, which says in which line it stands."""
        message = ast.Constant(None) if node.msg is None else thunk(self.visit(node.msg))
        shown = ast.Constant(ast.unparse(node.test))
        return at(node, ast.Expr(call("assert_", self.truth(node.test), message, shown)))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """Without its annotation, which variables of an outer function cannot have."""
        if node.value is None:
            return at(node, ast.Pass())
        return at(node, ast.Assign([self.visit(node.target)], self.visit(node.value)))

    # Variables -----------------------------------------------------------------------------------

    def _changed(self, body: Sequence[ast.AST]) -> Names:
        """The variables of the function that parts of a statement change, or may change by a call."""
        facts = self._facts.of(body)
        found = facts.changed & self._variables
        return found | self._written_inside if facts.has_calls else found

    def _assigned(self, node: ast.If | ast.While | ast.For) -> Names:
        """The variables that a statement assigns."""
        target = [node.target] if isinstance(node, ast.For) else []
        return self._facts.of([*target, *node.body, *node.orelse]).bound

    def _written(self, node: ast.If | ast.While | ast.For, changed: Names) -> Names:
        """The variables that a statement does not assign, and writes elements of."""
        return changed - self._assigned(node) - self._written_inside

    def _read(self, node: ast.If | ast.While | ast.For, changed: Names) -> Names:
        """The variables that a statement only reads, if it writes elements of any."""
        is_writing = bool(self._facts.of([*node.body, *node.orelse]).written)
        read = self._facts.of([node]).read
        return (read & self._variables) - changed if is_writing else frozenset()

    def _state(
        self, node: ast.If | ast.While | ast.For, changed: Names, live: Names, reads: Names
    ) -> ast.expr:
        inside = self._facts.of([*node.body, *node.orelse])
        return call(
            "State",
            strings(sorted(changed)),
            strings(sorted(live & changed)),
            strings(sorted(self._written(node, changed) - live)),
            strings(sorted(reads)),
            load(STATE_READ),
            load(STATE_WRITTEN),
            self._refusals(node),
            ast.Constant(inside.writes_attributes),
            ast.Constant(not self._assigned(node).isdisjoint(inside.elements)),
        )

    def _state_functions(self, changed: Names, reads: Names) -> list[ast.stmt]:
        """The functions that read and write the variables of a state, those that it only reads last."""
        names = [*sorted(changed), *sorted(reads)]
        values: list[ast.expr] = [call("value", thunk(load(name))) for name in names]
        get = define(STATE_READ, [ast.Return(ast.Tuple(values, ast.Load()))])
        write: list[ast.stmt] = [*self._declared(changed | reads)]
        for k, name in enumerate(names):
            item = ast.Subscript(load("ad_values"), ast.Constant(k), ast.Load())
            write.append(ast.Assign([store(name)], item))
            is_unset = ast.Compare(load(name), [ast.Is()], [_runtime("UNSET")])
            write.append(ast.If(is_unset, [ast.Delete([ast.Name(name, ast.Del())])], []))
        return [get, define(STATE_WRITTEN, write, "ad_values")]

    def _part(self, changed: Names, body: list[ast.stmt]) -> list[ast.stmt]:
        bound = bound_names(body)
        return [*self._declared(bound & (changed | self._globals)), *body]

    def _declared(self, names: Names) -> list[ast.stmt]:
        shared, own = sorted(names & self._globals), sorted(names - self._globals)
        found: list[ast.stmt] = [ast.Global(shared)] if shared else []
        return [*found, ast.Nonlocal(own)] if own else found

    def _refusals(self, node: ast.If | ast.While | ast.For) -> ast.expr:
        """Return what cannot be done under a traced condition: lines, reasons, and what to write."""
        found: list[tuple[int, str, str]] = []
        for inner in own_nodes([*node.body, *node.orelse]) if self._globals else ():
            if _is_written(inner, self._globals):
                found.append((inner.lineno, f"it writes the global variable {inner.id}", AFTERWARDS))
        return ast.Tuple([ast.Tuple([*map(ast.Constant, entry)], ast.Load()) for entry in found], ast.Load())


def _is_written(node: ast.AST, names: Names) -> TypeGuard[ast.Name]:
    """Return whether a node assigns or deletes one of some variables."""
    return isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and node.id in names


def _runtime(name: str) -> ast.expr:
    return call(name).func


def _without_declarations(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements without the `global` and `nonlocal` ones among them."""

    class Dropping(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            if isinstance(node, ast.Global | ast.Nonlocal):
                return at(node, ast.Pass())
            return node if isinstance(node, SCOPES) else super().visit(node)

    return [Dropping().visit(statement) for statement in body]
