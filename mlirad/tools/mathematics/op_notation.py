"""The form of every op: tables of those that have one of their own, and the general form of the others.

    x * y     sum(x)     where(c, x, y)     x[i, j]     build(4, i. x[i])          the array language
    f ∘ g     f ⊕ g     f × g     f ⋈ g     S(k)     π_0     𝓑(4, i. S(x[i]))        linear maps
    λ(z. x * z)     g ∘ f     ⟨f, g⟩     id                                           functions as values

An op without a form of its own is written as its name with its operands, properties and regions.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from mlirad.dialects.linear import MapOp
from mlirad.ir.free_values import own_operands
from mlirad.tools.mathematics.array_forms import ARRAY_FORMS
from mlirad.tools.mathematics.form import Form, Texts
from mlirad.tools.mathematics.function_forms import ASCII_FUNCTION_FORMS, FUNCTION_FORMS
from mlirad.tools.mathematics.map_forms import ASCII_FORMS, MAP_FORMS
from mlirad.tools.mathematics.notation import Text
from mlirad.tools.mathematics.values import bracketed, properties_of


def form_of(w: Texts, op: Operation) -> Text:
    """The text of an op on the texts of its operands."""
    form = (NAMED_FORMS.get(type(op)) if w.notation.is_ascii else None) or FORMS.get(type(op))
    return general_form(w, op) if form is None else form(w, op)


def general_form(w: Texts, op: Operation) -> Text:
    """`name(operands, property=value, region)`; of a map without operands, `name[property=value]`."""
    name = op.name.partition(".")[2]
    properties = properties_of(op)
    parts = [*(w.of(o) for o in own_operands(op)), *(w.function(r) for r in op.regions)]
    if isinstance(op, MapOp):
        if w.notation.is_ascii:
            name = "lm" + "".join(word.capitalize() for word in name.split("_"))
            return Text(f"{name}({', '.join([*parts, *properties])})")
        return Text(name + bracketed(properties) + (f"({', '.join(parts)})" if parts else ""))
    return Text(f"{name}({', '.join([*parts, *properties])})")


FORMS: Mapping[type[Operation], Form] = {**ARRAY_FORMS, **MAP_FORMS, **FUNCTION_FORMS}
"""The ops with a form of their own."""

NAMED_FORMS: Mapping[type[Operation], Form] = {**ASCII_FORMS, **ASCII_FUNCTION_FORMS}
"""The ops with another form in ASCII."""
