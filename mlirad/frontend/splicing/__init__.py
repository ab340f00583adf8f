"""Code objects of Python functions with instructions inserted, which only threads that trace run.

`tracing_threads.py` knows which threads trace; every inserted question asks it first. `insertion.py` inserts
a question at the start of a function, and `questions.py` defines the question, with the arguments as they
were given. `call_sites.py` inserts questions at calls and subscripts; `assembly.py` takes code apart into
instructions that others can be inserted between. `code_tables.py` reads and writes the tables of handlers and
of lines that code objects have beside their instructions. `plain.py` finds the original code.
"""
