"""A machine that runs LLVM IR of several threads one step at a time, in an order that is drawn.

    machine = Machine(text, seed)
    caller = machine.start(machine.call("mlirad_pool_share", [...]))
    machine.run([caller])       what deadlocks, misuses a lock or races is in `machine.wrong`

It steps from one access to memory to the next. Who goes on is drawn as in probabilistic concurrency testing:
threads have priorities, and at a few moments the one that runs gets the lowest (Burckhardt and others, "A
randomized scheduler with probabilistic guarantees of finding bugs", 2010, section 3). A loop that waits for
another thread has to end by itself, or to pause, which lets others go first.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from tests.threads.schedules.instructions import WORD, Function, Instruction, parsed, size, words
from tests.threads.schedules.races import Clock, Races

MASK = (1 << 64) - 1
MOST_STEPS = 200_000
CHANGES = 5
"""The most times that the thread that runs is put behind all others."""

Steps = Generator["Callable[[], bool] | None", None, int]
"""The steps of a thread: before each it says what it waits for, if for anything. It returns a value."""

_ADDRESS = re.compile(r"inttoptr \(i64 (\d+) to ptr\)")
_CALLEE = r"@[\w.]+|%[\w.]+|inttoptr \(i64 \d+ to ptr\)"
_CALL = re.compile(rf"(?:fastcc |noundef |zeroext )*(?:void|i\d+|ptr) ({_CALLEE})\((.*)\)[ \w]*$")
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "ult": lambda a, b: a < b,
    "ugt": lambda a, b: a > b,
    "xchg": lambda a, b: b,
}


class Lock:
    """One of CPython's locks: anybody may release it, once."""

    def __init__(self) -> None:
        self.is_held = False
        self.clock: Clock = {}


class Machine:
    """Memory, threads, and the order in which they step."""

    def __init__(self, text: str, seed: int):
        self.random = random.Random(seed)
        self.externals: dict[int | str, Callable[..., Steps]] = {}
        self.races = Races()
        self.wrong: list[str] = []
        self.memory: dict[int, int] = {}
        self.thread = 0
        self._functions, sizes, self._types = parsed(text)
        self._top = 1 << 20
        self._steps: dict[int, Steps] = {}
        self._waits: dict[int, Callable[[], bool] | None] = {}
        self._priorities: dict[int, float] = {}
        self._moments = {self.random.randrange(3000) for _ in range(self.random.randint(0, CHANGES))}
        self.symbols = {name: self.allocate(size) for name, size in sizes.items()}
        self.code = {name: (1 << 40) + WORD * k for k, name in enumerate(self._functions)}
        self._at = {address: name for name, address in self.code.items()}

    def allocate(self, count: int) -> int:
        """The address of `count` new words, which are 0."""
        address, self._top = self._top, self._top + WORD * (count + 1)
        for k in range(count):
            self.memory[address + WORD * k] = 0
        return address

    # Threads ---------------------------------------------------------------------------------------

    def start(self, steps: Steps, parent: int | None = None) -> int:
        """Start a thread; its number."""
        number = len(self.races.clocks) + 1
        self._steps[number] = steps
        self._waits[number] = None
        self._priorities[number] = self.random.random()
        self.races.start(number, parent)
        return number

    def run(self, lasting: Sequence[int]) -> None:
        """Step until the threads `lasting` have ended; if none can go on, that is wrong."""
        for count in range(MOST_STEPS):
            if not any(number in self._steps for number in lasting):
                break
            ready = [n for n, wait in self._waits.items() if wait is None or wait()]
            if not ready:
                self.wrong.append("all threads wait")
                break
            self.thread = max(ready, key=self._priorities.__getitem__)
            try:
                self._waits[self.thread] = next(self._steps[self.thread])
            except StopIteration:
                del self._steps[self.thread], self._waits[self.thread]
            if count in self._moments:
                self.give_way()
        else:
            self.wrong.append("it does not end")
        self.wrong += sorted(self.races.found)

    def give_way(self) -> None:
        """Let all other threads go first."""
        self._priorities[self.thread] = min(self._priorities.values()) - self.random.random()

    # Instructions ----------------------------------------------------------------------------------

    def call(self, name: str, arguments: Sequence[int]) -> Steps:
        """The steps of a call of a function."""
        function = self._functions[name]
        values = dict(zip(function.parameters, arguments, strict=True))
        before, label = "", function.entry
        while True:
            outcome = yield from self._block(function, before, label, values)
            if isinstance(outcome, int):
                return outcome
            before, label = label, outcome

    def _block(
        self, function: Function, before: str, label: str, values: dict[str, int]
    ) -> Generator[Callable[[], bool] | None, None, int | str]:
        """Run a block: the label of the next one, or what is returned."""
        merged: dict[str, int] = {}
        for instruction in function.blocks[label]:
            op, rest = instruction.op, instruction.rest
            if op == "phi":
                merged[instruction.result] = self._chosen(rest, before, values)
                continue
            values.update(merged)
            merged = {}
            if op == "br":
                targets = re.findall(r"label %([\w.]+)", rest)
                if len(targets) == 1:
                    return targets[0]
                taken = self._value(rest.split(",")[0].split()[-1], values)
                return targets[0] if taken else targets[1]
            if op == "ret":
                return 0 if rest == "void" else self._value(rest.split()[-1], values)
            place = f"{instruction.result or op} in {function.name}"
            result = yield from self._step(instruction, place, values)
            if instruction.result:
                values[instruction.result] = result
        raise AssertionError(f"block {label} of {function.name} does not end")

    def _chosen(self, rest: str, before: str, values: dict[str, int]) -> int:
        for value, label in re.findall(r"\[ ?([^,]+), %([\w.]+) ?\]", rest):
            if label == before:
                return self._value(value, values)
        raise AssertionError(f"no value from {before}: {rest}")

    def _step(self, instruction: Instruction, place: str, values: dict[str, int]) -> Steps:
        op, rest = instruction.op, instruction.rest
        if op in ("load", "store", "atomicrmw", "cmpxchg"):
            yield None
            return self._access(op, rest, place, values)
        if op == "call":
            return (yield from self._called(rest, values))
        if op == "alloca":
            count = words(rest.split(", align")[0], self._types)
            return self.allocate(count)
        if op == "getelementptr":
            type_, base, index = rest.split(", ")
            distance = size(type_, self._types) * self._value(index.split()[-1], values)
            return self._value(base.split()[-1], values) + distance & MASK
        if op in ("zext", "trunc", "inttoptr", "ptrtoint"):
            return self._value(rest.split()[1], values)
        if op == "extractvalue":
            pair, part = rest.rsplit(",", 1)
            packed = self._value(pair.split()[-1], values)
            return packed & 1 if int(part) else packed >> 1
        if op == "select":
            test, yes, no = (self._value(part.split()[-1], values) for part in rest.split(", "))
            return yes if test else no
        kind, first, second = re.fullmatch(r"(?:(\w+) )?\S+ (\S+), (\S+)", rest).groups()  # pyright: ignore
        found = _ARITHMETIC[kind or op](self._value(first, values), self._value(second, values))
        return int(found) & MASK

    def _access(self, op: str, rest: str, place: str, values: dict[str, int]) -> int:
        atomic = re.findall(r"\b(monotonic|acquire|release|acq_rel|seq_cst)\b", rest)
        order = atomic[0] if atomic else ""
        operands = re.sub(r"\b(atomic|monotonic|acquire|release|acq_rel|seq_cst)\b|, align \d+", "", rest)
        if op == "load":
            address = self._value(operands.split(",")[1].split()[-1], values)
            self.races.access(self.thread, address, place, order, reads=True, writes=False)
            return self.memory[address]
        if op == "store":
            value, at = operands.rsplit(",", 1)
            address = self._value(at.split()[-1], values)
            type_, _, given = value.strip().rpartition(" ")
            for k in range(words(type_, self._types)):
                self.races.access(self.thread, address + WORD * k, place, order, reads=False, writes=True)
                self.memory[address + WORD * k] = self._value(given, values)
            return 0
        parts = operands.split(",")
        kind, address = parts[0].split()[0], self._value(parts[0].split()[-1], values)
        old = self.memory[address]
        given = self._value(parts[1].split()[-1], values)
        if op == "cmpxchg":
            swaps = old == given
            if swaps:
                self.memory[address] = self._value(parts[2].split()[-1], values)
            else:
                order = atomic[1]
            self.races.access(self.thread, address, place, order, reads=True, writes=swaps)
            return old << 1 | swaps
        self.memory[address] = _ARITHMETIC[kind](old, given) & MASK
        self.races.access(self.thread, address, place, order, reads=True, writes=True)
        return old

    def _called(self, rest: str, values: dict[str, int]) -> Steps:
        found = _CALL.match(rest)
        assert found, rest
        arguments = [self._value(a.split()[-1], values) for a in found[2].split(", ") if a]
        name = found[1]
        if name[1:] in self._functions:
            return (yield from self.call(name[1:], arguments))
        external = self.externals[name[1:] if name[0] == "@" else self._value(name, values)]
        return (yield from external(*arguments))

    def _value(self, text: str, values: Mapping[str, int]) -> int:
        text = text.strip()
        if text in values:
            return values[text]
        if text.startswith("@"):
            return self.symbols[text[1:]] if text[1:] in self.symbols else self.code[text[1:]]
        if found := _ADDRESS.fullmatch(text):
            return int(found[1])
        words_: dict[str, Any] = {"null": 0, "zeroinitializer": 0, "true": 1, "false": 0}
        return words_[text] if text in words_ else int(text) & MASK
