"""Code with a derivative of its own, on dual numbers: the terms are those that its rule says.

    %y = array.custom %x ... derivative (%a: f64, %da: f64)       Scale r dx, with r the rule's image of 1

Of a rule all that is known is that it computes what is linear in what it takes last. So it runs on a basis:
once per scalar of the operands, or of the results if it is the transposed derivative.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Block

from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.shapes import is_float
from mlirad.interpreter.arrays import Array
from mlirad.interpreter.deltas.delta_terms import Delta
from mlirad.interpreter.deltas.duals import Dual, plain, terms_of, with_terms
from mlirad.interpreter.deltas.rules import combination
from mlirad.interpreter.machine import Frame


def custom(op: CustomOp, operands: Sequence[Any], frame: Frame, ids: Iterator[int]) -> Any:
    """The results: the rule says how they depend on operands, the first region how on what it captures."""
    values = list(map(plain, operands))
    frame.bind(op.body.block, values)
    results = frame.run(op.body.block)
    places = [k for k, r in enumerate(op.results) if is_float(r)]
    own: list[Delta] = [
        term for o, v in zip(operands, op.operands, strict=True) if is_float(v) for term in terms_of(o)
    ]
    if any(isinstance(o, Dual) for o in operands):
        known = [*values, *(map(plain, results) if op.reads_results is not None else ())]
        matrix = _matrix(op, known, [np.asarray(plain(results[k])) for k in places], frame)
        captured = [term for k in places for term in terms_of(results[k])]
        terms = [
            combination([(None, term), *((a, t) for a, t in zip(row, own, strict=True) if a)], ids)
            for row, term in zip(matrix.tolist(), captured, strict=True)
        ]
        for k in places:
            size = np.size(plain(results[k]))
            results[k], terms = with_terms(plain(results[k]), terms[:size]), terms[size:]
    return results[0] if len(results) == 1 else tuple(results)


def _matrix(op: CustomOp, known: Sequence[Any], results: Sequence[Array], frame: Frame) -> Array:
    """A row per scalar of the float results, a column per scalar of the float operands."""
    points = [np.asarray(v) for v, o in zip(known, op.operands, strict=False) if is_float(o)]
    captured = {v: plain(frame.values[v]) for v in frame.machine.captures_of(op)}

    def images(block: Block, directions: Sequence[Array], made: Sequence[Array]) -> Array:
        """The images, which are like `made`, of the basis that arrays of these shapes have, one per row."""
        size = sum(d.size for d in directions)
        rows: list[Array] = []
        for k in range(size):
            numbers = np.split(np.eye(size)[k], np.cumsum([d.size for d in directions])[:-1])
            given = [n.reshape(d.shape).astype(d.dtype)[()] for n, d in zip(numbers, directions, strict=True)]
            inside = frame.machine.frame(dict(captured))
            inside.bind(block, [*known, *given])
            rows.append(np.concatenate([np.ravel(plain(x)) for x in inside.run(block)]))
        return np.array(rows, np.float64).reshape(size, sum(m.size for m in made))

    if op.forward_rule is not None:
        return images(op.forward_rule.block, points, results).T
    assert op.transposed_rule is not None
    return images(op.transposed_rule.block, results, points)
