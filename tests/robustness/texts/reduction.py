"""The least text that fails in the same way: ops, regions and entries are left out while it does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tests.robustness.texts import syntax

MAX_PROBES = 400


def reduced(text: str, fails: Callable[[str], bool], max_probes: int = MAX_PROBES) -> str:
    """A text that fails still, from which nothing that is tried here can be left out.

    `fails` says whether a text fails as the first one did; it is asked at most `max_probes` times.
    """
    probes = 0
    tried = {text}
    progress = True
    while progress:
        progress = False
        for smaller in candidates(text):
            if smaller in tried or len(smaller) > len(text):
                continue
            tried.add(smaller)
            probes += 1
            if probes > max_probes:
                return text
            if fails(smaller):
                text = smaller
                progress = True
                break
    return text


def candidates(text: str) -> Iterator[str]:
    """Smaller texts, the smallest first."""
    for start, end in sorted(syntax.ops(text), key=lambda span: span[0] - span[1]):
        yield text[:start] + text[end:]
    for start, end in syntax.regions(text):
        yield text[:start] + "{\n}" + text[end:]
        inner = text[start + 1 : end - 1]
        yield text[:start] + inner + text[end:]
    lines = text.splitlines(keepends=True)
    for count in (8, 4, 2, 1):
        for k in range(0, len(lines), count):
            yield "".join(lines[:k] + lines[k + count :])
    for start, end in syntax.spans(syntax.ENTRY, text):
        after = re.compile(r",?\s*").match(text, end)
        assert after is not None
        yield text[:start] + text[after.end() :]
    for start, end in syntax.types(text):
        old = text[start:end]
        for new in ("f64", "i64", "tensor<2xf64>"):
            if len(new) < len(old):
                yield re.sub(rf"{re.escape(old)}(?![\w>])", new, text)
                yield text[:start] + new + text[end:]
    for start, end in syntax.spans(syntax.NUMBER, text):
        if end - start > 1:
            yield text[:start] + "0" + text[end:]
            yield text[:start] + "1" + text[end:]
    for pattern in (r"(\W)\1{3,}", r"(\w+<)\1{3,}"):
        for match in re.finditer(pattern, text):
            yield text[: match.start()] + match[0][: len(match[0]) // 2] + text[match.end() :]
