"""Keys and their words: known answers, and the same wherever they are drawn."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from mlirad import random
from mlirad.random.threefry import threefry

KNOWN = [
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
    ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
    ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
]
"""Key, counter and words, of Random123's file of known answers for 20 rounds."""


def signed(*words):
    return np.array(words, np.uint32).view(np.int32)


@pytest.mark.parametrize(("key", "counter", "words"), KNOWN)
def test_known_answers(key, counter, words):
    given = signed(*key), signed(*counter)
    with np.errstate(over="ignore"):
        assert [np.uint32(word) for word in threefry(*given)] == list(words)
    for interpret in (False, True):
        traced = ad.jit(lambda k, c: threefry((k[0], k[1]), (c[0], c[1])), interpret=interpret)
        np.testing.assert_array_equal(np.array(traced(*given)), signed(*words))


def test_the_key_of_a_seed():
    assert random.key(0).dtype == np.int32
    np.testing.assert_array_equal(random.key(0), [0, 0])
    np.testing.assert_array_equal(random.key(-1), [-1, -1])
    np.testing.assert_array_equal(random.key(2**64 - 1), [-1, -1])
    for seed in (0, 5, -3, 2**40 + 7, -(2**63)):
        np.testing.assert_array_equal(ad.jit(random.key)(seed), random.key(seed))
    np.testing.assert_array_equal(ad.jit(random.key)(np.int32(-3)), random.key(-3))


def numbers(key):
    own, other = random.split(key)
    folded = random.fold_in(other, 3)
    return random.normal(own, (4,)), random.bits(folded, (2, 3)), random.bernoulli(key, 0.3, (5,))


@pytest.mark.fuzz
def test_draws_are_the_same_in_a_trace_outside_and_in_a_batch():
    keys = random.split(random.key(2**33 + 1), 3)
    batch = ad.vmap(numbers)(keys)
    for k, key in enumerate(keys):
        for direct, traced, interpreted, member in zip(
            numbers(key), ad.jit(numbers)(key), ad.jit(numbers, interpret=True)(key), batch, strict=True
        ):
            np.testing.assert_array_equal(direct, traced)
            np.testing.assert_array_equal(member[k], traced)
            if traced.dtype == np.float64:
                np.testing.assert_allclose(interpreted, traced, rtol=1e-14)
            else:
                np.testing.assert_array_equal(interpreted, traced)


def test_draws_in_a_loop_are_those_of_its_iterations():
    def walk(key):
        return ad.scan(lambda c, i: (c, random.uniform(random.fold_in(c, i))), key, np.arange(4))[1]

    key = random.key(8)
    expected = [random.uniform(random.fold_in(key, i)) for i in range(4)]
    np.testing.assert_array_equal(ad.jit(walk)(key), expected)


def test_words_of_one_key_are_all_different():
    key = random.key(1)
    drawn = [random.bits(key, (1000,)), random.bits(random.fold_in(key, 0), (1000,))]
    drawn += [random.bits(own, (1000,)) for own in random.split(key, 3)]
    assert len(np.unique(np.concatenate(drawn))) == 5000
    assert (
        len({*map(bytes, random.split(key, 1000)), *(bytes(random.fold_in(key, i)) for i in range(9))})
        == 1009
    )


def test_a_longer_draw_begins_with_the_shorter_one():
    key = random.key(4)
    np.testing.assert_array_equal(random.normal(key, (3, 5)).ravel()[:7], random.normal(key, 7))


def test_numbers_to_integers_differ_in_high_and_low_words():
    key = random.key(0)
    folded = [random.fold_in(key, np.int64(i)) for i in (1, 2**32, 2**32 + 1, -1, np.int64(2) ** 62)]
    assert len({*map(bytes, folded)}) == 5
    np.testing.assert_array_equal(random.fold_in(key, -1), random.fold_in(key, np.int32(-1)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: random.normal(3), "the key is an array int64[]"),
        (lambda: random.split(np.zeros(2)), "the key is an array float64[2]"),
        (lambda: random.normal(random.split(random.key(0))), "int32[2, 2], and a key is int32[2]"),
        (lambda: random.key(2**64), "not an integer from -2**63 to 2**64 - 1"),
        (lambda: random.key(0.5), "not an integer"),
        (lambda: random.fold_in(random.key(0), 0.5), "the data is float64[]"),
        (lambda: random.normal(random.key(0), (-1,)), "negative extent"),
        (lambda: random.normal(random.key(0), dtype=np.int64), "a draw of the dtype int64"),
        (lambda: random.uniform(random.key(0), 3, minval=np.zeros(2)), "for a draw of shape [3]"),
    ],
)
def test_errors_name_what_is_wrong(call, message):
    with pytest.raises(ad.MliradError) as raised:
        call()
    assert message in raised.value.message
    assert __file__ in raised.value.location


def test_empty_draws():
    key = random.key(0)
    assert random.normal(key, (0, 3)).shape == (0, 3)
    assert random.split(key, 0).shape == (0, 2)
    assert random.gamma(key, np.zeros((0,))).shape == (0,)
    assert random.permutation(key, np.zeros((0, 2))).shape == (0, 2)
