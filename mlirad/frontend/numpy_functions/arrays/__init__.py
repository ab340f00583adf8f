"""Functions that make arrays, reshape, join, choose and search.

`creation.py` has the functions of `mlirad.numpy` that make arrays; code that asks calls them for `np.array`
and its like. `array_api.py` has the namespace and the device that arrays name to code for the array API
standard. Functions whose results have a length that data decide take a static `size` (`static_sizes.py`);
they are written with NumPy's functions, so they run on NumPy arrays as they are.
"""
