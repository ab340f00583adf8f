"""Programs from the test suites of other differentiation systems, with the figures they state."""
