"""The page: its HTML with the styles, the scripts and the data put into it.

html(data)                                      the text of a file
explore(ad.grad(loss), w, path="loss.html")     writes it
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any, Final

from mlirad.errors import UnsupportedError
from mlirad.explorer.content import content
from mlirad.frontend.tracing.argument_kinds import checked_flag, checked_path
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_errors

SCRIPTS: Final = ("colours.js", "origins.js", "listing.js", "stages.js", "kernels.js", "tabs.js", "main.js")
"""The scripts in the order in which they are needed."""


@plain_errors
def explore(
    function: Callable[..., Any],
    *args: Any,
    path: str | os.PathLike[str] = "explore.html",
    measure: bool = True,
    sparsity: bool = True,
) -> Path:
    """Write a page that shows what becomes of `function` for arguments like `args`; returns where it is.

    The page is one file, for any browser, that needs no network: the source beside every stage of the compile
    down to assembly, where pointing at a line shows what it came from and what became of it; linear maps as
    mathematics and as a graph; kernels on a roofline of this machine; working memory; the time of each pass;
    and the sparsity pattern of the derivative. Transformed functions are shown as they are:
    `ad.explore(ad.grad(f), x)`.

    With `measure` the function is called with these arguments, for a quarter of a second. With `sparsity` the
    pattern of the Jacobian, or of the Hessian of a scalar function, is found, with respect to the `argnums`
    of a derivative.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = ad.explore(ad.grad(np.sin), 1.0, path=f"{folder}/slope.html", measure=False)
        ...     page.name, page.stat().st_size > 10_000
        ('slope.html', True)

    Raises what tracing and compiling raise, and `UnsupportedError` for a file that cannot be written.
    """
    where = checked_path(path, "path", 'write path="explore.html"')
    checked_flag(measure, "measure")
    data = content(function, args, measured=measure, patterns=checked_flag(sparsity, "sparsity"))
    aside = where.with_name(f".{where.name}.{os.urandom(8).hex()}")
    try:
        aside.write_text(html(data), encoding="utf-8")
        aside.replace(where)
    except (OSError, ValueError) as error:
        aside.unlink(missing_ok=True)
        reason = getattr(error, "strerror", None) or str(error)
        raise UnsupportedError(
            f"cannot write {where}: {reason}",
            location=user_line(),
            hint="name a file in a folder that is there and can be written",
        ) from error
    return where


def html(data: dict[str, Any]) -> str:
    """The page that shows the data. Nothing in them can end the element that they stand in."""
    folder = Path(__file__).with_name("browser")
    scripts = "\n".join((folder / name).read_text(encoding="utf-8") for name in SCRIPTS)
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    parts = {
        "title": escape(str(data["title"])),
        "styles": (folder / "page.css").read_text(encoding="utf-8"),
        "scripts": scripts,
        "data": text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"),
    }
    before, *rest = (folder / "page.html").read_text(encoding="utf-8").split("@@")
    made = [before]
    for k, piece in enumerate(rest):
        made.append(parts[piece] if k % 2 == 0 else piece)
    return "".join(made)
