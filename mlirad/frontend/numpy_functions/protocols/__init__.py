"""The protocols by which NumPy reaches the tracing functions, and the operators and methods of traced arrays.

`functions.py` gathers a line per function (`FUNCTIONS`), `ufunc_protocol.py` and `ufuncs.py` answer ufuncs.

**Masks.** `x[mask]` with a traced mask is a `MaskedElements` (`frontend/indexing/masks.py`): all elements,
and which of them count. NumPy's results that do not depend on its length are in `masked_elements.py` and
`masked_reductions.py`, single elements in `masked_places.py`, moved elements in `masked_joins.py`, other
dimensions in `masked_shapes.py`. `np.where(mask)` gives positions of the same kind
(`frontend/indexing/chosen_positions.py`). Two of them belong together if their masks are one value, or the
same ops on the same values.

**Code that asks.** NumPy does not ask what lists hold, so its functions that name the arguments to ask are
told in traces what to name (`nests.py`), and so are functions of `np.ma` where nothing is masked
(`unmasked.py`). Functions in C, such as `np.array`, and elements of NumPy's arrays are asked for at the call:
`asked_calls.py` says what calls and subscripts then mean, and an entry there teaches mlirad one more function
in C. A function in C that takes NumPy's arrays alone asks nothing: its `TypeError` ends the trace
(`handing_traced`), and methods of such objects are listed in `METHODS_IN_C`. `tracing/told_functions.py`
begins the trace again with code that asks. Such code also notes where it gets NumPy arrays: one into which a
traced value is written later is traced from there on in the next trace (`tracing/adopted_arrays.py`).

**Texts.** Python makes one string of several parts (f-strings, `%`, methods of strings), so code that does so
with traced values asks too, and gets an `UnfinishedText` (`tracing/unfinished_texts.py`), which decides
nothing. Code that prints or raises, and packages whose texts are for people (`tracing/usage_hints.py`), stay
as they are.
"""
