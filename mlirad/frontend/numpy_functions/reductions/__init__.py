"""Functions of all elements along an axis: sums, orders, quantiles, counts."""
