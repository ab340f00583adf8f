"""Linear maps as expressions: their transposes, images and laws, and which entries can differ from zero."""
