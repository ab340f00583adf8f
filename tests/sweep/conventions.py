"""The conventions: where a derivative need not be the limit of difference quotients, and why.

    Case(..., stated={OSCILLATION: (math.inf,)})      what is not right there is a convention

`docs/differentiation.md` has a table with the same sentences. A convention holds at the points that a case
states it for, or wherever `judging.py` finds its condition.
"""

# ruff: noqa: E501

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Convention:
    """A name, what holds, and the reason for it."""

    name: str
    what: str
    why: str


KINK = Convention(
    "kink",
    "where limits from both sides differ, the first derivative lies between them, or is 0; the second is any number",
    "there is no derivative, and every number between is a subgradient",
)
POLE = Convention(
    "pole",
    "where a limit from one side is infinite and that from the other differs, and at poles of Γ in `poch` and `binom`, it is either of them, or NaN",
    "there is no derivative, and the formula does not know from where one looks",
)
NO_VALUE = Convention(
    "no value at infinity",
    "where the function is NaN at ±∞, so are its derivatives; those of `logsumexp` are a softmax, which is NaN at ∞",
    "they are differences of values that do not exist, ∞ − ∞",
)
OSCILLATION = Convention(
    "oscillation",
    "at ±∞ a function that oscillates on the way there has some finite derivative, or NaN",
    "it has no limit",
)
CONSTANT = Convention(
    "constant at infinity",
    "`np.nan_to_num` and `np.nextafter` are constants at ±∞",
    "they replace the value by a number",
)
EXPONENT = Convention(
    "exponent of a float",
    "the exponent that `np.frexp` finds is a constant, also that of 0 and of ∞",
    "it is an integer",
)
SUBNORMAL = Convention(
    "subnormal numbers",
    "what is below the smallest normal number on the way to a result, a term or a factor, may be 0, and its reciprocal infinite",
    "processors compute with these as if they were 0, which is much faster",
)
OPPOSITE = Convention(
    "opposite infinities",
    "a second derivative that is a sum of infinite terms of both signs is NaN, also where it has an infinite limit",
    "terms are added one by one, and which is larger is known no more",
)

OVERFLOW = Convention(
    "overflow of values",
    "where NumPy or SciPy overflow or underflow although the function does not, as `i0(710)`, `jv(0.5, 1e-306)` or `lmbda * y` in `inv_boxcox` do, and sums of the largest numbers, derivatives may be infinite, NaN or 0",
    "a derivative is made of values",
)
RESIDUE = Convention(
    "residues",
    "a second derivative of `np.std`, of a softmax of three or more elements, or of `binom` next to −1 is right to within rounding of the terms that it is a sum of",
    "these cancel where one element is far from all others, where a share is that of all others together, and where whole `k` cancel a pole",
)
RECIPROCAL = Convention(
    "square of a reciprocal",
    "the second derivative of x / y by y has 1 / y² as a factor, and is infinite or 0 where that is",
    "a quotient is differentiated by one division",
)
SHAPES = Convention(
    "range of shapes",
    "derivatives of incomplete gamma and beta functions by their shapes hold for shapes from 1e-8 to 1e4, of the F distribution to 1e3",
    "they are integrals with a fixed number of nodes",
)

DIGITS = Convention(
    "digits of a series",
    "derivatives of hypergeometric functions by their parameters are NaN where more than six of sixteen digits cancel, as those of `hyp1f1(20, 1.5, -20)` do",
    "they are sums of the differentiated terms of the series",
)
ACCURACY = Convention(
    "accuracy of SciPy",
    "derivatives of `hyperu` are as accurate as SciPy's values of it, which are off by up to 3e-9 between 2 and 8",
    "they are values of it at other parameters",
)

CONVENTIONS: tuple[Convention, ...] = (
    KINK, POLE, NO_VALUE, OSCILLATION, CONSTANT, EXPONENT, SUBNORMAL, OPPOSITE, OVERFLOW,
    RESIDUE, RECIPROCAL, SHAPES, DIGITS, ACCURACY,
)  # fmt: skip
