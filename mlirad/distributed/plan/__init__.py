"""Plans: what a function of split rows runs on each chunk of rows, and how the results come together.

A function of arrays whose rows are split into chunks runs in *rounds*. In round s the program of stage s
runs on every chunk; its first results are *partials*, which are combined over all chunks, its other results
are *residuals*, arrays that stay beside the chunk. A later stage may read both. When all rounds are done,
the final program makes the results that are not split from the combined partials, where the plan was made.

```
    chunk 0 ─► stage 0 ─► partials ─┐                  ┌─► stage 1 ─► ...
    chunk 1 ─► stage 0 ─► partials ─┼─► combined ──────┼─► stage 1 ─► ...      ─► final program
    chunk 2 ─► stage 0 ─► partials ─┘                  └─► stage 1 ─► ...
```

A plan is plain data: the texts of programs, and numbers. It pickles, and an engine needs nothing else.
"""

from dataclasses import field
from typing import Any

from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Argument:
    """The flat argument `index` of the function: the chunk's rows if it is split, else all of it."""

    index: int


@dataclass(frozen=True, slots=True)
class Combined:
    """The combination over all chunks of the partial `number`."""

    number: int


@dataclass(frozen=True, slots=True)
class Before:
    """The partial `number` of the chunks before this one together, or of those after it.

    The partial is a list of what each chunk has; `kind` is `sum`, `prod`, `max` or `min`.
    """

    number: int
    kind: str
    is_after: bool


@dataclass(frozen=True, slots=True)
class Beside:
    """The rows after the chunk, or those before it, along dimension `dim`.

    The partial `number` is a list of the first rows, or the last ones, of each chunk; the one behind it says
    how many of them each has. Rows that there are not have the values of others.
    """

    number: int
    dim: int
    is_after: bool


@dataclass(frozen=True, slots=True)
class Residual:
    """The residual `slot` that stage `stage` made of the same chunk."""

    stage: int
    slot: int


@dataclass(frozen=True, slots=True)
class Extent:
    """An i64: `scale * n + offset`, where n is the number of all rows."""

    scale: int
    offset: int


@dataclass(frozen=True, slots=True)
class FirstRow:
    """An i64: the number of the first row of the chunk among all rows."""


@dataclass(frozen=True, slots=True)
class ChunkNumber:
    """An i64: the number of the chunk, counted from 0 in the order of rows."""


Source = Argument | Combined | Before | Beside | Residual | Extent | FirstRow | ChunkNumber


@dataclass(frozen=True, slots=True)
class Program:
    """MLIR text with a function `@main` of array code, and where its arguments come from.

    The program of a stage has rows of the plan's size, which is dynamic in the text: `array.sizes` names it.
    """

    text: str
    inputs: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Combination:
    """The combination of the partials `numbers` over chunks: a name of `combinations.COMBINATIONS`.

    Most combine one array by itself, as `add` does; `logsumexp` combines a pair, (max, sum of exp).
    """

    kind: str
    numbers: tuple[int, ...]


PIVOTS = 16
"""The numbers with which a round compares the elements among which it looks for some ranks."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Ranks of elements that a stage finds, of dtypes; its round is repeated until they are found.

    The program runs where the plan was made, and has the ranks for each of the combinations `ranks` of the
    stage. The stage reads the pivots of the combination with the first partial k as `Combined(-1 - k)`, and
    in the end the elements take the place of that partial.
    """

    program: Program
    dtypes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """A program on chunks: first come the partials of `combinations`, in order, then `residuals` others."""

    program: Program
    combinations: tuple[Combination, ...]
    residuals: int
    lines: tuple[str, ...] = ()
    """The lines of the user's code that its partials come from: `model.py:12`."""
    shortcut: Program | None = None
    """Runs where the plan was made, before the round: its first result says whether the round is needed.

    If it is not, the other results are the combined partials, and no chunk is asked.
    """
    ranks: Ranks | None = None
    """Ranks for whose elements the round is repeated."""

    @property
    def partials(self) -> tuple[int, ...]:
        """The numbers of its partials."""
        return tuple(number for combination in self.combinations for number in combination.numbers)


@dataclass(frozen=True, slots=True)
class Whole:
    """A result that is not split: result `index` of the final program."""

    index: int


@dataclass(frozen=True, slots=True)
class Rows:
    """A result whose dimension `dimension` is split as the rows are: it stays where the source lies.

    The result has all rows but the last `left_out` ones.
    """

    source: Argument | Residual
    dimension: int
    left_out: int = 0

    def cut(self, rows: Any, total: int) -> Any:
        """The result, in an array of `total` rows."""
        if not self.left_out:
            return rows
        return rows[(*(slice(None),) * self.dimension, slice(0, total - self.left_out))]


@dataclass(frozen=True, slots=True)
class Plan:
    """A function of split rows, as programs for chunks.

    `split` has for each flat argument the dimension of its rows, or None if it is passed whole.
    """

    size: str
    split: tuple[int | None, ...]
    stages: tuple[Stage, ...]
    final: Program | None
    results: tuple[Whole | Rows, ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def without_rows(self) -> tuple[Program, ...]:
        """The programs that run where the plan was made."""
        of_stages = [(s.shortcut, None if s.ranks is None else s.ranks.program) for s in self.stages]
        return tuple(p for programs in (*of_stages, (self.final,)) for p in programs if p is not None)

    @property
    def rounds(self) -> int:
        """The rounds over all chunks that one evaluation takes, those that may be left out among them."""
        return len(self.stages)
