"""The method `jacobian`: ∇, and derivatives of functions as functions that return a map."""
