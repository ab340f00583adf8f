"""The control flow of rewritten functions: Python's own, or ops where a condition is traced.

`branches.py` and `loops.py` trace a statement as a construct of the program, `expressions.py` traces
operators. A `State` gets and sets a statement's variables; a `CarriedLoop` knows which of them it carries
(`carried.py`).

**Copies.** Bodies get copies of arrays that are parts of one another as the originals are (`aliases.py`), in
lists and dictionaries that are one object where the originals are (`objects.py`). A body knows the original
of each copy (`originals.py`). Writes to a copy that stays in its slot are made to the original, whatever else
refers to it (`results.py`); until then nothing else that stands for the original may be read. Arrays know
their copies in open bodies (`_stand_ins`); lists and dictionaries that a body reaches by another name are
errors (`outside.py`). An array that a body writes and then replaces in its variable has no value after the
statement, so reading it is an error. Arrays that are one on some paths only are twins: reading either is an
error once the other has been written. Lists and dictionaries have no twins: those among which a condition
chooses must not be written afterwards. That is checked at the end of the trace (`choices.py`), unless that
variable alone holds them, of all that functions in this trace reach (`holders.py`).

**Side effects.** A change that a body's callee makes to a Python object would happen once, when the body is
traced. So everything within reach is compared before and after (`reached.py`; `places.py` for the contents of
objects). Changed attributes become variables of the statement, which is traced again (`attributes.py`);
statements inside it carry them at once. The walk follows the garbage collector's references, so a new kind of
holder needs no rule. Contents of packages' objects are not compared, since packages cache results there.
Iterators cannot be reset, so a loop with one within reach is not attempted.

**Attempts.** A loop with a known number of iterations means the same unrolled, so tracing it as one loop is
an attempt: an error ends it, and `settled` drops its regions. A loop on a traced condition has no
alternative; its errors are the user's. The result of a path that has not returned is zeros of the right type,
known from a first attempt (`Returned`). A variable without a value on some path is an `Unknown`, and using it
is the error.

**Alternatives.** A variable that is a string, None, a function or a value, as a traced condition decides, is
a `OneOf` (`constructs/alternatives.py`): a traced number, the objects, and the values if any, as a pytree
that branches and loops yield. `unions.py` finds these variables at the ends of a statement, which is traced
again with them; a variable unassigned at one end is an `Unset` among the objects. A question to a `OneOf` is
put to each object, and the number chooses the answer.

Random programs are compared with Python's runs of them: with derivatives
(`tests/generators/python_control.py`), of most statements and values (`tests/generators/python_scripts.py`),
of arrays and lists with several names (`tests/generators/shared_arrays.py`).
"""
