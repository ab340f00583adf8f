"""Differentiation problems of the ADBench, cmpad and GradBench collections, one per file.

Most state their objective as a plain NumPy function. It runs as it stands, on arrays, and is what the
compiler traces and differentiates. Programs with long loops (ode, lstm) state these with `ad.scan` and
`ad.fold`, and run by `ad.jit`.
"""
