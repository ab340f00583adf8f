"""The code in what errors say to write: found in every text of the package that is not a docstring.

code_in("write np.where(mask, a, b) for a choice, or ad.cond")     ["np.where(mask, a, b)", "ad.cond"]
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import mlirad
from mlirad.frontend.tracing import raising

ROOMS = ("bridges", "explorer", "frontend", "optimize", "random", "scipy", "tree.py", "jit/arguments.py")
"""The packages whose errors are about code that users write."""

HOLE = "hole"
"""The name that stands in a text for what is known when the error is raised."""

_ADVICE = re.compile(r"\b([Ww]rite|[Uu]se|[Pp]ass|[Cc]all|[Mm]ake|[Cc]onvert|[Nn]ame|[Gg]ive|[Aa]s in)\b")
_START = re.compile(r"(?:^|(?<= ))(?=[@\w(\[{\"'-])(?<!\bfor )(?<!\bnot )(?<!\bbefore )(?<!\binstead of )")
_PROSE = re.compile(r"\w+ [(\[@.-]|\w+-[a-z]")
"""Two words that a parser takes for a call, a product or a difference."""


def code_in(text: str) -> list[str]:
    """The expressions and assignments in a text, except for those that it says to replace."""
    found: list[str] = []
    end = 0
    for start in _START.finditer(text):
        if start.end() < end:
            continue
        rest = text[start.end() :]
        for k in range(len(rest), 1, -1):
            piece = rest[:k]
            if piece != piece.strip(" ,;:") or (k < len(rest) and re.match(r"[\w.(\[]", rest[k])):
                continue
            if _is_code(piece):
                found.append(piece)
                end = start.end() + k
                break
    return found


_WORDS = (ast.BoolOp, ast.IfExp, ast.Not, ast.In, ast.NotIn, ast.Is, ast.IsNot)
"""The nodes that sentences look like to a parser."""


def _is_code(piece: str) -> bool:
    try:
        tree = ast.parse(piece)
    except (SyntaxError, ValueError):
        return False
    if (
        len(tree.body) != 1
        or "(...)" in piece
        or ".md" in piece
        or _PROSE.match(piece)
        or any(isinstance(n, _WORDS) for n in ast.walk(tree))
    ):
        return False
    statement = tree.body[0]
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call | ast.Subscript | ast.BinOp | ast.Attribute | ast.Lambda)
    if not isinstance(statement, ast.Assign) or isinstance(statement.targets[0], ast.Tuple):
        return False
    is_option = isinstance(statement.targets[0], ast.Name) and not isinstance(
        statement.value, ast.Call | ast.Subscript
    )
    return not is_option


def advice() -> Iterator[tuple[str, str]]:
    """All texts that give advice, with where they are."""
    for name, tree in _files():
        for node in _texts(tree):
            text = _text(node)
            if text is not None and _ADVICE.search(text):
                yield f"{name}:{node.lineno}", text


def refusals() -> Iterator[tuple[str, str, str | None]]:
    """All errors that are made: where, the message, and the hint or None."""
    for name, tree in _files():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                made = node.func.id
                hints = [option.value for option in node.keywords if option.arg == "hint"]
                if made in _RAISING:
                    hints += node.args[1:2]
                elif made not in _CLASSES:
                    continue
                hint = _text(hints[0]) or HOLE if hints else None
                yield f"{name}:{node.lineno}", _text(node.args[0]) or HOLE, hint


_RAISING = frozenset(name for name, value in vars(raising).items() if isinstance(value, raising.Located))
_CLASSES = frozenset(
    name
    for name, value in vars(mlirad.errors).items()
    if isinstance(value, type)
    and issubclass(value, mlirad.MliradError)
    and value is not mlirad.errors.SizeNeeded
)


@cache
def _files() -> list[tuple[str, ast.Module]]:
    root = Path(mlirad.__file__).parent
    paths = [p for room in ROOMS for p in sorted((root / room).rglob("*.py")) or [root / room]]
    return [(str(path.relative_to(root)), ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


def _texts(tree: ast.AST) -> Iterator[ast.expr]:
    """The constants and f-strings of a file, except for docstrings and the parts of f-strings."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Constant | ast.JoinedStr):
            yield node
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            waiting += ast.iter_child_nodes(node)


def _text(node: ast.AST) -> str | None:
    """A text as it is shown, with the hole for what is filled in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(v.value if isinstance(v, ast.Constant) else HOLE for v in node.values)
    return None
