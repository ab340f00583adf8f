"""Code objects of Python functions with instructions inserted, which only threads that trace run.

`tracing_threads.py` knows which threads trace; every inserted question asks it first. `insertion.py` inserts
a question at the start of a function, and `questions.py` defines the question, with the arguments as they
were given. `call_sites.py` inserts questions at calls and subscripts; `assembly.py` takes code apart into
instructions that others can be inserted between. `code_tables.py` reads and writes the tables of handlers and
of lines that code objects have beside their instructions. `plain.py` finds the original code.

Functions of libraries ask, and stay the same objects. SciPy passes its functions to no other arrays, and
NumPy does not look for traced values in lists. Patching names in their modules during a trace misses whatever
was imported by name or kept in a table, is seen by other threads, and is left half done by an interrupt. So
functions of these libraries in Python get a question before their code, once: in a tracing thread, something
else may answer the call. A function keeps its identity, its signature, its frame and its pickle. Elsewhere a
question costs 10 to 15 ns, while another thread traces about 100 ns; a call pays for each function that asks
on its way: `np.dot` once, `scipy.fft.rfft` three times, `interpolate.CubicSpline` 28 times of its 600 us. A
wrapper would be another object; a copy with other globals is not what others have imported; hooks of the
interpreter cannot change calls, or slow all threads down.

Functions in C are asked for where they are called: `np.array`, ufuncs of lists and elements of NumPy's arrays
have no code for a question. A traced value that ends up there has no elements, so the trace ends, the running
function is told to ask at its calls and subscripts, and the trace begins again. That reaches the operation by
any name, needs no source, and touches no function that would have worked.
"""
