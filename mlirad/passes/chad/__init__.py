"""CHAD: differentiation of programs with functions as values, type by type and construct by construct."""
