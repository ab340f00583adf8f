"""The pass `bulk-operations` and what it promises of its result.

`table.py` has the bulk form of every op (`tests/passes/bulk/`).
"""

from mlirad.passes.bulk_operations.bulk_operations import (
    BulkOperationsPass,
    add_bulk_functions,
    bulk_function,
)
from mlirad.passes.bulk_operations.calls import BulkCalls
from mlirad.passes.bulk_operations.normal_form import is_bulk_normal_form

__all__ = ["BulkCalls", "BulkOperationsPass", "add_bulk_functions", "bulk_function", "is_bulk_normal_form"]
