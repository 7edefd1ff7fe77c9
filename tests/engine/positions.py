"""Hypothesis strategy for positions of every variant."""

from hypothesis import strategies as st

from engine.position import Position
from engine.types import Side
from engine.variants import VARIANTS


def _squares(mask: int) -> list[int]:
    return [index + 1 for index in range(mask.bit_length()) if mask >> index & 1]


@st.composite
def positions(draw: st.DrawFn, legal: bool = False) -> Position:
    """Any setup of any variant, possible in a game or not; `legal` keeps to boards that are quick to search."""
    rules = draw(st.sampled_from(list(VARIANTS.values())))
    if legal:
        kinds = {"w": (0, 8), "b": (1, 9), "W": (0, 2), "B": (0, 2)}
        letters = ["e"] * rules.squares
        free = draw(st.permutations(range(rules.squares)))
        row = rules.row_length
        for letter, (least, most) in kinds.items():
            for _ in range(draw(st.integers(least, most))):
                square = free.pop()
                last = square < row if letter == "w" else square >= rules.squares - row
                letters[square] = letter.upper() if last and letter in "wb" else letter
    else:
        size = rules.squares
        letters = draw(st.lists(st.sampled_from("eeewbWB"), min_size=size, max_size=size))
    boards = {letter: sum(1 << i for i, x in enumerate(letters) if x == letter) for letter in "wWbB"}
    turn = draw(st.sampled_from(Side))
    runs = [(0, 0), (0, 0)]
    if rules.king_move_limit:
        for side, (kings, men) in enumerate((("W", "w"), ("B", "b"))):
            count = draw(st.integers(0, 3)) if boards[kings] and boards[men] else 0
            if count:
                runs[side] = (draw(st.sampled_from(_squares(boards[kings]))), count)
    return Position(rules, turn, boards["w"], boards["W"], boards["b"], boards["B"], (runs[0], runs[1]))
