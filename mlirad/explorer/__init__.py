"""A page to look at: what becomes of a function, from the user's source to machine code.

    ad.explore(ad.grad(loss), w, x, path="loss.html")
    mlirad-explore model.py:loss --grad --args 'random(3x4)' -o loss.html

The page is one file that needs no network. See `browser/` for its HTML, styles and scripts, and `content.py`
for the data that it shows.
"""

from mlirad.explorer.page import explore

__all__ = ["explore"]
