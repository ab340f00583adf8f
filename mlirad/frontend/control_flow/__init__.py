"""What the control flow of rewritten functions does: Python's, or ops, where a condition is traced."""
