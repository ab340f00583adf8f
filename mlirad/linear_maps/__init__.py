"""Linear maps as expressions: their transposes, their images, their laws, and which entries can differ from zero."""
