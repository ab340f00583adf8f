"""Python functions with control flow as calls, from their source."""
