"""Times mlirad beside other differentiation systems, in one process and one run."""
