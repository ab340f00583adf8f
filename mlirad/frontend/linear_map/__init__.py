"""`ad.LinearMap`: expressions of linear maps, their arrays, and what is done with them."""
