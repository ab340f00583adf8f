"""Mutated MLIR text through every stage of mlirad: what the compiler makes of text that nobody meant to
write.

    corpus.py      the texts that mutants are made of: lit files, random programs at every stage of the
    pipelines syntax.py      text as tokens, types, numbers, entries of braces, regions and ops mutators.py
    one change to a text, by kind: types, operands, plans, regions, ..., bytes judging.py     one text
    through parser, verifier, printer, passes, interpreter and machine code workers.py     texts judged in
    child processes, which crashes and hangs end reduction.py   the least text that fails in the same way
    campaign.py    mutants by number, counted by class, failures collected and reduced

Legal is the result of a program, or an error of mlirad with its place. Everything else is a failure: any
other exception, a defect that mlirad reports of itself, a crash, a stage that takes too long, IR that does
not verify after a pass or is not read back as it was printed, and machine code that computes something else
than the interpreter.
"""
