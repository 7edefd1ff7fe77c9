"""The numbers of positions: a bijection in every slice, and the same seen from both sides."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import VARIANTS, Rules, find_variant
from engine.egdb_slices import Slice, slices, successors
from engine.geometry import layout
from engine.moves import hot_module, is_wide

SMALL = ("english", "italian", "international", "turkish", "canadian", "spantsiretti")


def index_of(rules: Rules):  # type: ignore[no-untyped-def]
    return hot_module("egdb_index", is_wide(rules)).Index(rules)


@pytest.mark.parametrize("name", SMALL)
def test_two_pieces_are_numbered_without_gap_or_double(name: str) -> None:
    rules = find_variant(name)
    index, place = index_of(rules), layout(rules)
    for one in slices(rules, 2):
        seen = set()
        for number in range(index.size(*one)):
            words = index.place(one.slot, number)
            assert tuple(word.bit_count() for word in words) == one
            assert sum(words) & ~place.playable == 0
            assert not words[0] & place.top
            assert not words[2] & place.bottom
            assert index.number(*words, False) == number
            seen.add(words)
        assert len(seen) == index.size(*one)
        men, kings, other_men, other_kings = one
        squares, row = rules.squares, rules.row_length
        if men and other_men:
            assert len(seen) == (squares - row) ** 2 - (squares - 2 * row)
        elif kings and other_kings:
            assert len(seen) == squares * (squares - 1)
        else:
            assert len(seen) == (squares - row) * (squares - 1)


@pytest.mark.parametrize("name", VARIANTS)
def test_sizes_of_many_pieces(name: str) -> None:
    """Slices of kings alone are products of binomials; all sizes fit a word."""
    rules = find_variant(name)
    index = index_of(rules)
    n = rules.squares
    assert index.size(0, 2, 0, 2) == n * (n - 1) // 2 * ((n - 2) * (n - 3) // 2)
    assert index.size(0, 4, 0, 3) < 1 << 63


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(SMALL), st.integers(3, 7), st.data())
def test_numbers_and_positions_are_inverse(name: str, pieces: int, data: st.DataObject) -> None:
    rules = find_variant(name)
    index, place = index_of(rules), layout(rules)
    one = data.draw(st.sampled_from(list(slices(rules, pieces))))
    number = data.draw(st.integers(0, index.size(*one) - 1))
    words = index.place(one.slot, number)
    assert tuple(word.bit_count() for word in words) == one
    assert index.number(*words, False) == number
    turned = tuple(int(f"{word:0{place.bits}b}"[::-1], 2) for word in words)
    assert index.number(*turned, True) == number


def test_slices_and_their_order() -> None:
    rules = find_variant("english")
    assert [sum(1 for _ in slices(rules, n)) for n in (2, 3, 4, 5)] == [4, 12, 25, 44]
    done: set[Slice] = set()
    for pieces in range(2, 6):
        for one in slices(rules, pieces):
            behind = successors(rules, one) | successors(rules, one.mirror)
            assert behind - {one, one.mirror} <= done, one
            if one.mirror < one:
                done |= {one, one.mirror}
            elif one == one.mirror:
                done.add(one)


def test_breakthrough_knows_only_men() -> None:
    assert list(slices(find_variant("breakthrough"), 3)) == [Slice(1, 0, 2, 0), Slice(2, 0, 1, 0)]
