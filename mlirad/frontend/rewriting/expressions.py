"""The rewriting of expressions: what asks for the truth of a value, and calls.

a and b            ad__.and_(a, lambda: b)               a < b < c       ad__.compare(a, "Lt", lambda: b, ...)
not a              ad__.not_(a)                          f(x)            ad__.of(f)(x)
a if c else b      ad__.choose(c, lambda: a, lambda: b)
"..." % x          ad__.percent("...", lambda: x)        f"{x:g}"         ad__.text(lambda: f"{x:g}", "{x:g}")
x                  ad__.bound(x), where x may have no value
x.y = z            ad__.owner(x, "x.y").y = z
[e for v in x]     ad__.listed(...), see `_comprehension`; of (e for v in x) ad__.kept(...)
[*x, y]            ad__.listed([*ad__.flagged(x), (True, y)])
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NoReturn

from mlirad.errors import UnsupportedError
from mlirad.frontend.rewriting.nodes import at, binds, call, load, store, thunk

CHEAP = (
    ast.Name, ast.Constant, ast.Attribute, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.expr_context,
    ast.cmpop, ast.boolop, ast.unaryop, ast.Add, ast.Sub, ast.Mult,
)  # fmt: skip
"""The nodes of operands that may be computed although Python would not: they cannot fail."""

CHEAP_ELEMENTS = (*CHEAP, ast.operator, ast.Tuple, ast.List, ast.Subscript, ast.Slice)
"""The same of elements of comprehensions, where Python's exceptions are met."""

FRAME_READERS = frozenset(("locals", "vars", "dir", "eval", "exec"))
"""Functions of Python that look at the variables of whoever calls them."""


def refuse(file: str, node: ast.AST, reason: str, hint: str) -> NoReturn:
    """Raise at a line of the user's source: control flow cannot be rewritten."""
    line = getattr(node, "lineno", 0)
    raise UnsupportedError(
        f"the control flow cannot be rewritten: {reason}", location=f"{file}:{line}", hint=hint
    )


def shown(node: ast.JoinedStr) -> str:
    """A text with expressions as its source says it, without the quotes."""
    return ast.unparse(node)[2:-1]


class Expressions(ast.NodeTransformer):
    """The rewriting of the expressions of one function."""

    def __init__(self, file: str, class_name: str | None, has_class: bool):
        self.file = file
        self.class_name = class_name
        self.has_class = has_class
        self.first_parameter: str | None = None
        self.doubtful: set[ast.Name] = set()
        """The reads of variables that may have no value there."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A variable, which may be known to have a value only when the program runs."""
        return at(node, call("bound", node)) if node in self.doubtful else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """`and` and `or`, whose later operands are computed only if they are needed."""
        if any(binds(value) for value in node.values[1:]):
            return node
        return self._joined(node, self.visit)

    def truth(self, node: ast.expr) -> ast.expr:
        """An expression that is read as a condition only: `and` and `or` in it join values of any kinds."""
        if isinstance(node, ast.BoolOp):
            return node if any(binds(value) for value in node.values[1:]) else self._joined(node, self._flag)
        return self.visit(node)

    def _flag(self, node: ast.expr) -> ast.expr:
        is_flag = isinstance(node, ast.BoolOp) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        )
        found = self.truth(node)
        return found if is_flag else at(node, call("flag", found))

    def _joined(self, node: ast.BoolOp, operand: Callable[[ast.expr], ast.expr]) -> ast.expr:
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        is_cheap = all(isinstance(n, CHEAP) for value in node.values[1:] for n in ast.walk(value))
        first, *rest = (operand(value) for value in node.values)
        return at(node, call(name, ast.Constant(is_cheap), first, *(thunk(value) for value in rest)))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """`not`; other operators are those of the value."""
        if isinstance(node.op, ast.Not):
            return at(node, call("not_", self.truth(node.operand)))
        node.operand = self.visit(node.operand)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """`a if c else b`."""
        if binds(node.body) or binds(node.orelse):
            return node
        one, other = self.visit(node.body), self.visit(node.orelse)
        return at(node, call("choose", self.truth(node.test), thunk(one), thunk(other)))

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Chains of comparisons, `in` and `is`; any other single comparison is that of the values."""
        is_plain = len(node.ops) == 1 and not isinstance(node.ops[0], ast.In | ast.NotIn | ast.Is | ast.IsNot)
        if is_plain or any(binds(value) for value in node.comparators[1:]):
            self.generic_visit(node)
            return node
        parts: list[ast.expr] = [self.visit(node.left)]
        for op, value in zip(node.ops, node.comparators, strict=True):
            operand = call("given", self.visit(value)) if binds(value) else thunk(self.visit(value))
            parts += [ast.Constant(type(op).__name__), operand]
        return at(node, call("compare", *parts))

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        """A list comprehension."""
        return self._comprehension(node, "listed")

    def visit_List(self, node: ast.List) -> ast.expr:
        """A list with the elements of others, `[*xs, v]`, by pairs of a flag and an element."""
        if not isinstance(node.ctx, ast.Load) or not any(isinstance(e, ast.Starred) for e in node.elts):
            self.generic_visit(node)
            return node
        pairs: list[ast.expr] = []
        for element in node.elts:
            if isinstance(element, ast.Starred):
                pairs.append(ast.Starred(call("flagged", self.visit(element.value)), ast.Load()))
            else:
                pairs.append(ast.Tuple([ast.Constant(True), self.visit(element)], ast.Load()))
        return at(node, call("listed", ast.List(pairs, ast.Load())))

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        """A generator expression."""
        return self._comprehension(node, "kept")

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        """A set comprehension, which needs to know its elements."""
        return self._known(node, "a set comprehension")

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        """A comprehension of a dictionary, which needs to know its keys."""
        return self._known(node, "a dictionary comprehension")

    def _known(self, node: ast.SetComp | ast.DictComp, what: str) -> ast.expr:
        """A comprehension whose conditions must be known."""
        conditions = [[self.truth(test) for test in part.ifs] for part in node.generators]
        for part in node.generators:
            part.ifs = []
        self.generic_visit(node)
        for part, tests in zip(node.generators, conditions, strict=True):
            part.ifs = [at(test, call("is_kept", test, ast.Constant(what))) for test in tests]
        return node

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp, name: str) -> ast.expr:
        """`[e for v in x if c]`, by pairs of a flag and an element; iterables give such pairs too."""
        if binds(node.elt) or any(part.is_async for part in node.generators):
            self.generic_visit(node)
            return node
        is_cheap = all(isinstance(n, CHEAP_ELEMENTS) for n in ast.walk(node.elt))
        flags: list[ast.expr] = []
        parts: list[ast.comprehension] = []
        for k, part in enumerate(node.generators):
            item, condition = f"ad_item{k}", f"ad_condition{k}"
            target = ast.Tuple([store(item), self.visit(part.target)], ast.Store())
            may_wait = k > 0 and not binds(part.iter)
            elements = self.visit(part.iter)
            pairs = call("flagged", elements)
            if may_wait:
                pairs = call("flagged_where", ast.Tuple([*flags], ast.Load()), thunk(elements))
            parts.append(ast.comprehension(target, pairs, [], 0))
            flags.append(load(item))
            if part.ifs:
                joined = part.ifs[0] if len(part.ifs) == 1 else ast.BoolOp(ast.And(), part.ifs)
                once = ast.Tuple([call("Condition")], ast.Load())
                may_hold = ast.Attribute(load(condition), "may_hold", ast.Load())
                test = ast.Call(may_hold, [self.truth(at(part.ifs[0], joined))], [])
                parts.append(ast.comprehension(store(condition), once, [test], 0))
                flags.append(ast.Attribute(load(condition), "flag", ast.Load()))
        known = ast.Tuple(flags, ast.Load())
        pair = call("element", known, ast.Constant(is_cheap), thunk(self.visit(node.elt)))
        return at(node, call(name, ast.GeneratorExp(pair, parts)))

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """`"..." % values`; other operators are those of the values."""
        self.generic_visit(node)
        template = node.left
        is_text = isinstance(template, ast.Constant) and isinstance(template.value, str)
        if not is_text or not isinstance(node.op, ast.Mod) or binds(node.right):
            return node
        return at(node, call("percent", template, thunk(node.right)))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        """A text with expressions in it."""
        for part in ast.walk(node):
            if isinstance(part, ast.FormattedValue):
                part.value = self.visit(part.value)
        return node if binds(node) else at(node, call("text", thunk(node), ast.Constant(shown(node))))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call: of the rewritten function, if it is one of the program."""
        if isinstance(node.func, ast.Name) and not node.args and not node.keywords:
            if node.func.id == "super" and self.has_class and self.first_parameter is not None:
                node.args = [load("__class__"), load(self.first_parameter)]
            elif node.func.id in FRAME_READERS:
                refuse(
                    self.file,
                    node,
                    f"{node.func.id}() reads the variables of its caller",
                    "name the variables, or collect them in a dictionary",
                )
        self.generic_visit(node)
        node.func = call("of", node.func)
        return at(node, node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """An attribute, under the name that a private one of a class has; its object, where it is written."""
        node.attr = self.mangled(node.attr)
        shown = ast.unparse(node)
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            node.value = at(node.value, call("owner", node.value, ast.Constant(shown)))
        return node

    def mangled(self, name: str) -> str:
        """The name of a private attribute of the class around the function."""
        if self.class_name is None or not name.startswith("__") or name.endswith("__"):
            return name
        return f"_{self.class_name.lstrip('_')}{name}"
