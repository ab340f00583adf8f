"""What NumPy has no word for: builds, loops, branches, recursion, batches."""
