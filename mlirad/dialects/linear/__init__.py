"""The `linear` dialect: linear maps as first-class values, and the differentiation operator that makes them.

    %y, %d = linear.linearize %x, %c {callee = @f, wrt = [0]} : A, C -> (B, !linear.map<A, B>)
    %dy    = linear.apply %d, %dx : !linear.map<A, B>, A -> B
    %ct_x  = linear.apply_transpose %d, %ct_y : !linear.map<A, B>, B -> A

A value of type `!linear.map<S, T>` is a linear map from the space S to the space T. A space is a float
scalar or array, a tuple of spaces (`tuple<>` has dimension 0), or a space of functions. A map with several
inputs or outputs has a tuple as its domain or codomain, and `apply` takes and returns the leaves: what the
tuple, and those in it, are made of. Captured primal values are ordinary operands, so a shared map is a shared
SSA value.

To add a primitive map, write its transpose in `linear_maps/transposes.py`, its image in `FORWARD`
(`linear_maps/apply/primitives.py`), its effect on sets of inputs in `linear_maps/sparsity/primitives.py`, and
both directions, independently of these, in `interpreter/primitive_maps.py`. A map whose regions make maps has
a line in `linear_maps/apply/control_flow.py`, `linear_maps/sparsity/control.py` and
`interpreter/control_maps.py` instead.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from mlirad.dialects.linear.application import (
    VALUE_OPS,
    ApplicationOp,
    ApplyOp,
    ApplyTransposeOp,
    DifferentiationOp,
    JetOp,
    LinearizeOp,
    PullbackOp,
)
from mlirad.dialects.linear.builds import INDEXED_OPS, BuildOp, BuildTransposeOp, IndexedMapOp, stacked_space
from mlirad.dialects.linear.calls import (
    CALL_MAPS,
    CALL_VALUES,
    CurvatureOp,
    DerivativeOp,
    DerivedOp,
    PullOp,
    PushOp,
    RecordedOp,
    derived_properties,
    properties_of,
)
from mlirad.dialects.linear.code import LambdaOp, RuleOp
from mlirad.dialects.linear.control import (
    LOOPS_AND_BRANCHES,
    BranchOp,
    CheckpointOp,
    IfOp,
    ScanOp,
    SwitchOp,
    WhileOp,
)
from mlirad.dialects.linear.elements import ELEMENT_OPS, NothingOp, PlusOp, RollOp, UnrollOp
from mlirad.dialects.linear.functions import (
    POINT_OPS,
    POINTWISE_OPS,
    EliminateOp,
    EvaluateOp,
    FunctionOp,
    PointMapOp,
    PointwiseMapOp,
    SingleOp,
)
from mlirad.dialects.linear.linearity import ALL, LINEAR_IN, Dependence, NotLinear, dependences
from mlirad.dialects.linear.map_calls import CallOp
from mlirad.dialects.linear.maps import (
    STRUCTURE_OPS,
    AddOp,
    ComposeOp,
    ControlMapOp,
    HcatOp,
    IdentityOp,
    InjectOp,
    MapOp,
    MapType,
    PrimitiveMapOp,
    ProjectOp,
    TransposeOp,
    VcatOp,
    ZeroOp,
    component,
    map_type,
)
from mlirad.dialects.linear.primitives import (
    ARRAY_MAP_OPS,
    BroadcastOp,
    ConcatenateOp,
    ConvertOp,
    CumulativeSumOp,
    DotLeftOp,
    DotMapOp,
    DotRightOp,
    GatherOp,
    IndexOp,
    MaskOp,
    OneHotOp,
    PadOp,
    PrefixMapOp,
    RecurrenceOp,
    ReshapeOp,
    ReverseOp,
    ScaleOp,
    ScatterOp,
    SliceOp,
    SplitOp,
    StackOp,
    SumOp,
    UnstackOp,
    UpdateOp,
)
from mlirad.dialects.linear.solves import TriangularSolveOp
from mlirad.dialects.linear.spaces import (
    CopowerType,
    ElementSpace,
    FunctionSpace,
    InductiveSpace,
    PowerType,
    carried,
    dual,
    is_plain,
    is_space,
)
from mlirad.dialects.linear.transforms import FftOp
from mlirad.dialects.shapes import element_of, tuple_type

CONTROL_OPS: tuple[type[ControlMapOp], ...] = (*LOOPS_AND_BRANCHES, *INDEXED_OPS, *POINTWISE_OPS, RuleOp)
"""Maps with regions that are run where the map is applied."""

PRIMITIVE_OPS: tuple[type[PrimitiveMapOp], ...] = (*ARRAY_MAP_OPS, *POINT_OPS)
"""Maps with a line of their own in the tables of transposes and applications."""

CODE_OPS = (LambdaOp,)
"""Maps given by linear array code, which are expanded."""

Linear = Dialect(
    "linear",
    [
        *STRUCTURE_OPS,
        *PRIMITIVE_OPS,
        *CONTROL_OPS,
        CallOp,
        *CALL_MAPS,
        *CODE_OPS,
        *VALUE_OPS,
        *ELEMENT_OPS,
        *CALL_VALUES,
    ],
    [MapType, PowerType, CopowerType, InductiveSpace],
)

__all__ = [
    "ALL",
    "ARRAY_MAP_OPS",
    "CALL_MAPS",
    "CALL_VALUES",
    "CODE_OPS",
    "CONTROL_OPS",
    "ELEMENT_OPS",
    "INDEXED_OPS",
    "LINEAR_IN",
    "POINTWISE_OPS",
    "POINT_OPS",
    "PRIMITIVE_OPS",
    "STRUCTURE_OPS",
    "VALUE_OPS",
    "AddOp",
    "ApplicationOp",
    "ApplyOp",
    "ApplyTransposeOp",
    "BranchOp",
    "BroadcastOp",
    "BuildOp",
    "BuildTransposeOp",
    "CallOp",
    "CheckpointOp",
    "ComposeOp",
    "ConcatenateOp",
    "ControlMapOp",
    "ConvertOp",
    "CopowerType",
    "CumulativeSumOp",
    "CurvatureOp",
    "Dependence",
    "DerivativeOp",
    "DerivedOp",
    "DifferentiationOp",
    "DotLeftOp",
    "DotMapOp",
    "DotRightOp",
    "ElementSpace",
    "EliminateOp",
    "EvaluateOp",
    "FftOp",
    "FunctionOp",
    "FunctionSpace",
    "GatherOp",
    "HcatOp",
    "IdentityOp",
    "IfOp",
    "IndexOp",
    "IndexedMapOp",
    "InductiveSpace",
    "InjectOp",
    "JetOp",
    "LambdaOp",
    "Linear",
    "LinearizeOp",
    "MapOp",
    "MapType",
    "MaskOp",
    "NotLinear",
    "NothingOp",
    "OneHotOp",
    "PadOp",
    "PlusOp",
    "PointMapOp",
    "PointwiseMapOp",
    "PowerType",
    "PrefixMapOp",
    "PrimitiveMapOp",
    "ProjectOp",
    "PullOp",
    "PullbackOp",
    "PushOp",
    "RecordedOp",
    "RecurrenceOp",
    "ReshapeOp",
    "ReverseOp",
    "RollOp",
    "RuleOp",
    "ScaleOp",
    "ScanOp",
    "ScatterOp",
    "SingleOp",
    "SliceOp",
    "SplitOp",
    "StackOp",
    "SumOp",
    "SwitchOp",
    "TransposeOp",
    "TriangularSolveOp",
    "UnrollOp",
    "UnstackOp",
    "UpdateOp",
    "VcatOp",
    "WhileOp",
    "ZeroOp",
    "carried",
    "component",
    "dependences",
    "derived_properties",
    "dual",
    "element_of",
    "is_plain",
    "is_space",
    "map_type",
    "properties_of",
    "stacked_space",
    "tuple_type",
]
