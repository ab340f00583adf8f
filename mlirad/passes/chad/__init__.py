"""CHAD: derivatives by a structure-preserving, type-directed source transformation (paper 001)."""
