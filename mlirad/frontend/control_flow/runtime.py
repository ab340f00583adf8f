"""The functions that rewritten code calls, by the names that `rewriting` gives them."""

from mlirad.frontend.control_flow.assertions import assert_
from mlirad.frontend.control_flow.attributes import owner
from mlirad.frontend.control_flow.branches import if_
from mlirad.frontend.control_flow.calls import of
from mlirad.frontend.control_flow.comprehensions import (
    Condition,
    element,
    flagged_where,
    is_kept,
    kept,
    listed,
)
from mlirad.frontend.control_flow.endless import ending
from mlirad.frontend.control_flow.expressions import and_, choose, compare, flag, given, not_, or_
from mlirad.frontend.control_flow.kept import flagged
from mlirad.frontend.control_flow.loops import for_, while_
from mlirad.frontend.control_flow.raised import exception, trying
from mlirad.frontend.control_flow.state import UNSET, State, bound, checked, nothing, returned, value
from mlirad.frontend.control_flow.texts import percent, text

__all__ = [
    "UNSET",
    "Condition",
    "State",
    "and_",
    "assert_",
    "bound",
    "checked",
    "choose",
    "compare",
    "element",
    "ending",
    "exception",
    "flag",
    "flagged",
    "flagged_where",
    "for_",
    "given",
    "if_",
    "is_kept",
    "kept",
    "listed",
    "not_",
    "nothing",
    "of",
    "or_",
    "owner",
    "percent",
    "returned",
    "text",
    "trying",
    "value",
    "while_",
]
