"""A page to look at: what becomes of a function, from the user's source to machine code.

    ad.explore(ad.grad(loss), w, x, path="loss.html")
    mlirad-explore model.py:loss --grad --args 'random(3x4)' -o loss.html

The page is one file that needs no network. See `browser/` for its HTML, styles and scripts, and `content.py`
for the data that it shows.

- `origins.py`: every traced op gets a number, as the column of its location, and each line of a listing the
  number of the op that it comes from.
- `recording.py`, `code.py`: a compile that is watched: listings of all stages; LLVM IR and assembly, related
  by debug information made of the comments in the text.
- `kernels.py`, `memory.py`, `maps.py`, `jacobians.py`: the other tabs.
- `content.py`, `page.py`, `tool.py`: all of it as data, the page around the data, the tool.
- `browser/`: plain JavaScript, which draws only what is in view.
- `svg.py`: images, also those of `benchmarks/`.
"""

from mlirad.explorer.page import explore

__all__ = ["explore"]
