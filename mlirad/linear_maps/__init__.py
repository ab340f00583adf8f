"""Linear maps as expressions: their transposes, their images, their laws, and their sparsity."""
