"""Values while a Python function is traced: `Array`, frames and scopes, source lines, dtypes, captures."""
