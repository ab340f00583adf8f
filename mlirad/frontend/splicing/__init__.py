"""Code objects of Python functions with instructions put in, which only threads that trace run."""
