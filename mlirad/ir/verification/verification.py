"""The check that a module is a program of the language, made after parsing and between passes.

A module verifies when

- it holds functions with a body and distinct names, and every op is of the language: `array`, `function`,
  `linear`, `kernel`, `func.func`, `func.call`, `func.return`;
- every op has the operands, results, properties and regions that its definition declares, of types of the
  language, and obeys the rules of its dialect;
- every operand is defined before its use, in the same block or around it, and functions see nothing of
  what is outside of them;
- every block of a function ends in `func.return` and of any other region in `array.yield`, and nowhere else
  do these stand;
- every callee exists and takes and returns the types it is called with; functions may be recursive, but none
  reaches its own derivative;
- elements of powers and copowers stay in the code of a `linear.lambda`;
- the tape of a loop is read by `array.replay` and `linear.while` and by nothing else;
- whatever saves or restores frames of one type agrees on what they hold, and only private functions take and
  return frames;
- functions that can be called from outside state all sizes that they need, which arguments have;
- types have `MAX_ELEMENTS` elements at most.

The walk is one pass over the ops, linear in their number and not recursive. The declaration of an op is
checked before the ops inside of it, and its rules after them: a rule reads only well-formed regions. xDSL's
own `verify` checks the second point alone; it cannot say which op failed without printing the module, and
knows nothing of dominance.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import field

from xdsl.dialects.builtin import ModuleOp, StringAttr, UnregisteredOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, OpResult, Region

from mlirad.dialects.array import ARRAY_OPS, FRAME_OPS
from mlirad.dialects.array.control import ReplayOp, TapeType
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.function import COMBINATOR_OPS, FUNCTION_OPS
from mlirad.dialects.kernel import Kernel
from mlirad.dialects.kernel.parallel import check_parallel_attribute
from mlirad.dialects.kernel.plans import check_plan_attributes
from mlirad.dialects.language_op import LanguageOp
from mlirad.dialects.linear import Linear, WhileOp
from mlirad.dialects.shapes import Value
from mlirad.errors import VerifyError
from mlirad.ir.foreign import STABLEHLO, UPSTREAM, check_declared, dialect_of, name_of_op
from mlirad.ir.locations import location_of, name_of
from mlirad.ir.verification.elements import check_elements
from mlirad.ir.verification.errors import error_at, located
from mlirad.ir.verification.functions import check_function
from mlirad.ir.verification.references import References
from mlirad.ir.verification.sizes import check_sizes, check_stated_sizes
from mlirad.ir.verification.types import TypeChecks
from mlirad.lazy_dataclass import dataclass

LANGUAGE: frozenset[type[Operation]] = frozenset(
    (
        *ARRAY_OPS,
        *FRAME_OPS,
        *FUNCTION_OPS,
        *COMBINATOR_OPS,
        *Linear.operations,
        *Kernel.operations,
        FuncOp,
        CallOp,
        ReturnOp,
    )
)
"""The ops a program is made of."""

_CONVERSIONS = {
    **dict.fromkeys(UPSTREAM, "convert it with the pass convert-to-array"),
    **dict.fromkeys(STABLEHLO, "convert it with the pass convert-stablehlo-to-array"),
}
"""The advice for ops of other dialects."""

TERMINATORS = (YieldOp, ReturnOp)

TAPE_READERS = (ReplayOp, WhileOp)


def verify_module(
    module: ModuleOp, *, allow_unregistered: bool = False, foreign: Collection[str] = ()
) -> None:
    """Check that `module` is a program of the language.

    With `allow_unregistered`, ops of unknown dialects may stand anywhere, and so may those of the dialects
    named `foreign`; nothing is known of them but their operands, results and regions. Types are not checked
    in a module where foreign ops may stand. Raises `VerifyError` for the first op in program order that
    breaks a rule; it names the op, the rule and the source location.
    """
    _Verification(module, allow_unregistered, foreign).run()


@dataclass
class _Frame:
    """A block on the way: its arguments, the ops still to come, and what becomes visible to them."""

    arguments: Sequence[Value]
    ops: Iterator[Operation]
    visible: set[Value]
    values: list[Value] = field(default_factory=list[Value])
    last: Operation | None = None


class _Verification:
    """The state of one walk."""

    def __init__(self, module: ModuleOp, allow_unregistered: bool, foreign: Collection[str]):
        self.module = module
        self.allow_unregistered = allow_unregistered
        self.foreign = foreign
        self.functions: dict[str, FuncOp] = {}
        self.references = References(self.functions)
        self.types = TypeChecks(skipped=bool(foreign))
        self._declared: set[tuple[object, ...]] = set()
        """The checked combinations for ops without regions: class, types and properties."""
        self.function = ""

    def run(self) -> None:
        """Check everything."""
        if len(self.module.regions) != 1 or self.module.operands or self.module.results:
            message = "takes its functions as one region, and has no operands and no results"
            raise error_at(self.module, message)
        top = self._frame(self.module.body, self.module, set())
        self._collect_functions()
        frames = [top]
        while frames:
            frame = frames[-1]
            if frame.last is None:
                frame.values += frame.arguments
                frame.visible.update(frame.arguments)
            else:
                self._check_rules(frame.last)
                frame.values += frame.last.results
                frame.visible.update(frame.last.results)
            op = next(frame.ops, None)
            if op is None:
                frame.visible.difference_update(frame.values)
                frames.pop()
                continue
            frame.last = op
            self._check_op(op, frame.visible)
            visible = set[Value]() if isinstance(op, FuncOp) else frame.visible
            frames += [
                self._frame(region, op, visible)
                for region in reversed(op.regions)
                if region.blocks or not self.foreign
            ]
        self.references.check_recursion()
        if self.types.met_sizes:
            check_sizes(self.functions)

    def _collect_functions(self) -> None:
        for op in self.module.body.block.ops:
            name = op.properties.get("sym_name")
            if not isinstance(op, FuncOp) or not isinstance(name, StringAttr):
                continue
            name = name.data
            if name in self.functions:
                first = location_of(self.functions[name])
                before = "" if first is None else f", first at {first}"
                raise error_at(op, f"there are two functions named @{name}{before}")
            self.functions[name] = op

    def _frame(self, region: Region, parent: Operation, visible: set[Value]) -> _Frame:
        """The region's one block, after checking its arguments and what stands at its end."""
        blocks = list(region.blocks)
        if len(blocks) > 1:
            raise error_at(
                parent,
                f"a region has {len(blocks)} blocks",
                "write control flow with select and the other ops of the array dialect",
            )
        if not blocks:
            raise error_at(parent, f"a region of {parent.name} has no block")
        block = blocks[0]
        last = block.last_op
        wanted = self._terminator_of(parent)
        if wanted is not None and not isinstance(last, wanted):
            found = "is empty" if last is None else f"ends in {last.name}"
            raise error_at(last or parent, f"a region of {parent.name} {found}, it must end in {wanted.name}")
        if type(parent) in LANGUAGE:
            for k, argument in enumerate(block.args):
                self.types.check(parent, f"region argument {k}", argument.type)
        return _Frame(block.args, iter(list(block.ops)), visible)

    @staticmethod
    def _terminator_of(op: Operation) -> type[YieldOp] | type[ReturnOp] | None:
        if isinstance(op, FuncOp):
            return ReturnOp
        return YieldOp if type(op) in LANGUAGE else None

    def _check_op(self, op: Operation, visible: set[Value]) -> None:
        known = type(op) in LANGUAGE
        if not known and not self._may_stand(op):
            raise VerifyError(
                f"{name_of_op(op)} is not an op of the language",
                location=location_of(op),
                hint=_CONVERSIONS.get(dialect_of(op), "write it with the array, linear and func dialects"),
            )
        for operand in op.operands:
            if operand not in visible:
                raise self._not_visible(op, operand)
            if isinstance(operand.type, TapeType) and known and not isinstance(op, TAPE_READERS):
                raise error_at(
                    op, f"reads {name_of(operand)}, a tape: only array.replay and linear.while can"
                )
        if not known:
            if op.parent_op() is self.module:
                raise VerifyError(f"{name_of_op(op)}: stands outside of a function", location=location_of(op))
            located(op, lambda: check_declared(op))
            return
        if op.successors:
            raise error_at(op, "branches to other blocks are not part of the language")
        if isinstance(op, TERMINATORS) and (op.parent is None or op.parent.last_op is not op):
            raise error_at(op, "must be the last op of its block")
        at_top = op.parent_op() is self.module
        if isinstance(op, FuncOp):
            if not at_top:
                raise error_at(op, "functions cannot be nested")
            check_function(op, self.types, may_lack_body=bool(self.foreign))
            check_stated_sizes(op)
            self.function = op.sym_name.data
        elif at_top:
            raise error_at(op, "stands outside of a function")
        elif isinstance(op, LanguageOp):
            self._check_declared(op)
        elif isinstance(op, ReturnOp):
            located(op, op.verify_)
        check_elements(op)
        located(op, lambda: check_plan_attributes(op))
        located(op, lambda: check_parallel_attribute(op))
        for k, result in enumerate(op.results):
            self.types.check(op, f"result {k}", result.type)

    def _may_stand(self, op: Operation) -> bool:
        """Return whether an op may stand in the module though it is not of the language."""
        return (self.allow_unregistered and isinstance(op, UnregisteredOp)) or dialect_of(op) in self.foreign

    def _check_declared(self, op: LanguageOp) -> None:
        """Check what an op declares, of ops without regions once for all that are alike."""
        if op.regions or op.attributes or isinstance(op, TERMINATORS):
            self.types.look_at(op.properties.values())
            located(op, op.check_declared)
            return
        # The module holds the attributes, so that no other one can take their ids.
        key = (
            type(op),
            *[id(o.type) for o in op.operands],
            None,
            *[id(r.type) for r in op.results],
            *[(name, id(value)) for name, value in op.properties.items()],
        )
        if key not in self._declared:
            self.types.look_at(op.properties.values())
            located(op, op.check_declared)
            self._declared.add(key)

    def _check_rules(self, op: Operation) -> None:
        """The rules of an op whose declared parts have been checked, and all of the ops in it."""
        if isinstance(op, LanguageOp):
            located(op, op.check_rules)
        self.references.check(op, self.function)

    def _not_visible(self, op: Operation, operand: Value) -> VerifyError:
        if not isinstance(operand, OpResult | BlockArgument):
            return error_at(op, "reads a value whose op was erased")
        home = operand.op.parent if isinstance(operand, OpResult) else operand.block
        around = op.parent
        while around is not None and around is not home:
            outer = around.parent_op()
            around = None if outer is None or isinstance(outer, FuncOp) else outer.parent
        if around is None:
            return error_at(op, f"reads {name_of(operand)}, which is defined in another region")
        return error_at(op, f"reads {name_of(operand)} before it is defined")
