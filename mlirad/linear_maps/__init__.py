"""Linear maps as expressions: their transposes, images and laws, and which entries can differ from zero.

- `transposes.py`: the transpose of every primitive map, as data: the maps that it is a composition of.
- `elements.py`: elements of the spaces that maps go between, with structural zeros.
- `fold.py`: the one traversal of a map expression, over an algebra that says what leaves are.
- `apply/`: the algebra of values: images as array code, forward and by the reverse sweep.
- `nonzeros.py`: the algebra of sets of components: which are structurally zero.
- `sparsity/`: the algebra of patterns.
- `laws/`: rewrites of map expressions that make them smaller.

The head of `dialects/linear` says how to add a primitive map.
"""
