"""Random sessions: what a Python process does with transformed functions, one step after another.

    steps = random_session(seed=7, length=12)
    run_session(steps)                         AssertionError if a step gives anything but what it should

A session makes functions that read scalars, arrays, attributes and helpers from outside, transforms them,
and calls the results in changing orders: with arguments of many kinds, from several threads, after what the
functions read has changed, after errors, interrupts and dropped objects, and in forked children. The oracle
of every value is the same function, made and traced again and run by the interpreter; its result is kept, and
compared once more at the end.

A step is a name and three small integers, each taken modulo what there is to choose from. So every part of a
session is a session, and any of its steps may be left out.

    functions.py   the functions, what they read from outside, transformations and arguments
    structures.py  random structures of arrays
    outcomes.py    what a call gives, and when two outcomes are alike
    steps.py       the steps, and how a session is drawn and run
    children.py    sessions in child processes, which crashes and hangs end, and the least that fails
"""

from tests.robustness.sessions.children import failure_of, shrunk
from tests.robustness.sessions.steps import Step, random_session, run_session

__all__ = ["Step", "failure_of", "random_session", "run_session", "shrunk"]
