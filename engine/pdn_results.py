"""Results of PDN in their dialects, turned to White's view and back (pdn.md sections 3 and 6)."""

from engine.rules import Rules
from engine.types import Side

WHITE_WINS, DRAW, BLACK_WINS, BOTH_LOSE, UNKNOWN = "1-0", "1/2-1/2", "0-1", "0-0", "*"
RESULTS = (WHITE_WINS, DRAW, BLACK_WINS, BOTH_LOSE)
_SAME = {
    "2-0": WHITE_WINS,
    "1-1": DRAW,
    "0-2": BLACK_WINS,
    "\u00bd-\u00bd": DRAW,
    "0.5-0.5": DRAW,
    "1/2:1/2": DRAW,
    "1:0": WHITE_WINS,
    "0:1": BLACK_WINS,
    "": UNKNOWN,
    "?": UNKNOWN,
}
_SWAPPED = {WHITE_WINS: BLACK_WINS, BLACK_WINS: WHITE_WINS}
_INTERNATIONAL = {WHITE_WINS: "2-0", DRAW: "1-1", BLACK_WINS: "0-2"}


def plain(text: str) -> str:
    """A result in the words `1-0`, `1/2-1/2`, `0-1`, `0-0`, `*`; other texts (`4-6`) stay as they are."""
    text = text.strip()
    return _SAME.get(text, text)


def white_view(text: str, rules: Rules | None, winner: Side | None = None, *, white_first: bool = False) -> str:
    """A result as found, with White's points first.

    Files of some variants give the first player's points first (`Rules.first_player_results`), or either way
    (`mixed_results`): there the `winner` by the final position decides if there is one. `white_first` reads every file
    as the standard says.
    """
    result = plain(text)
    if white_first or rules is None or result not in _SWAPPED:
        return result
    first_player = rules.first_player_results
    if winner is not None and (first_player or rules.mixed_results):
        return BLACK_WINS if winner is Side.BLACK else WHITE_WINS
    return _turn(result, rules) if first_player else result


def written(result: str, rules: Rules | None, *, white_first: bool = False) -> str:
    """A result of White's view in the dialect of the variant's files; inverse of `white_view`."""
    if rules is None:
        return result
    if rules.international_results:
        return _INTERNATIONAL.get(result, result)
    return _turn(result, rules) if rules.first_player_results and not white_first else result


def _turn(result: str, rules: Rules) -> str:
    return _SWAPPED.get(result, result) if rules.starts is Side.BLACK else result
