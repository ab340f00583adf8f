"""The pass `roll-repetitions`: code that is written out repetition by repetition becomes loops."""

from mlirad.passes.roll_repetitions.roll_repetitions import RollRepetitionsPass, roll_repetitions

__all__ = ["RollRepetitionsPass", "roll_repetitions"]
