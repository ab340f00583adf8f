"""The images of elements under map expressions, as array code."""
