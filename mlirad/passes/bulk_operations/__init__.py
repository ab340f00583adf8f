"""The pass `bulk-operations` and what it promises of its result.

`table.py` has the bulk form of every op (`tests/passes/bulk/`).

Theorem 5.1 of the dual-numbers paper pushes an index into any computation. Pushed into one that has other
uses, it recomputes the element: n reads of a sum cost n sums. Here an index is pushed only where this repeats
no work, so the normal form is weaker; differentiation needs only that no `build` is left. The paper replaces
an operand inside a build of extent k by k copies. Here a value has a dimension only for those enclosing
indices that it depends on: a `dot` does not copy an operand that depends on no index, and its transpose does
not sum copies.
"""

from mlirad.passes.bulk_operations.bulk_operations import (
    BulkOperationsPass,
    add_bulk_functions,
    bulk_function,
)
from mlirad.passes.bulk_operations.calls import BulkCalls
from mlirad.passes.bulk_operations.normal_form import is_bulk_normal_form

__all__ = ["BulkCalls", "BulkOperationsPass", "add_bulk_functions", "bulk_function", "is_bulk_normal_form"]
