"""The prose of the project is in the field's words, and its sentences begin with what they are about."""

from __future__ import annotations

from functools import cache

from tests.docs.prose import FIRST, HEADLESS, UNKNOWN, Sentence, sentences


@cache
def prose() -> tuple[Sentence, ...]:
    return tuple(sentences())


def test_sentences_begin_with_what_they_are_about() -> None:
    """Questions aside."""
    headless = [s for s in prose() if HEADLESS.match(s.text) and not s.text.endswith("?")]
    assert [(s.place, s.text[:80]) for s in headless] == []


def test_docstrings_begin_with_what_they_describe() -> None:
    first = [s for s in prose() if s.kind == "docstring" and s.is_first]
    assert len(first) > 1000
    assert [(s.place, s.text[:80]) for s in first if FIRST.match(s.text)] == []


def test_prose_is_in_the_words_of_the_field() -> None:
    assert {s.kind for s in prose()} == {"docstring", "comment", "string", "page"}
    assert [(s.place, s.text[:80]) for s in prose() if UNKNOWN.search(s.text)] == []
