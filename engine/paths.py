"""The routes of a capture over the board, for notations that write landing squares.

A `Move` is known by its ends and what it takes; texts also name squares on the way. Routes are found here from the
`Rules` alone, by a depth-first walk that never visits a dead state twice, so that the effort stays bounded.

A route lists every turning square and, where the capture goes straight on, the square right behind the captured piece
(PDN 3.0, restrictions on captures); other empty squares that a flying king crosses belong to no route.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from engine.move import Move
from engine.rules import Promotion, Rules
from engine.types import Side

if TYPE_CHECKING:
    from engine.position import Position

MAX_PATHS = 256  # routes that capture_paths lists at most; whole boards of kings have thousands

Ray = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Jump:
    """One captured piece: the squares crossed in order, ending on the landing square."""

    victim: int  # bit of the captured piece
    crossed: tuple[int, ...]
    direction: int
    right_behind: bool

    @property
    def landing(self) -> int:
        return self.crossed[-1]


class _Walk:
    """The walks of one capture from its first square to its last."""

    def __init__(self, position: "Position", move: Move) -> None:
        rules = position.rules
        self.rules = rules
        self.move = move
        self.rays = _rays(rules)
        white = position.turn is Side.WHITE
        own_men = position.white_men if white else position.black_men
        enemies = (position.black_men | position.black_kings) if white else (position.white_men | position.white_kings)
        own = own_men | (position.white_kings if white else position.black_kings)
        self.enemy_kings = position.black_kings if white else position.white_kings
        self.occupied = (own | enemies) & ~_bit(move.frm)
        self.was_man = bool(own_men & _bit(move.frm))
        self.victims = sum(_bit(square) for square in move.captured)
        self.man_directions = _man_directions(rules, position.turn)
        last_row = range(1, rules.row_length + 1)
        self.last_row = sum(_bit(s if white else rules.squares + 1 - s) for s in last_row)

    def jumps(self, square: int, left: int, king: bool, last: _Jump | None) -> Iterator[_Jump]:
        """The jumps from `square` over a piece still to be taken (`left`), after the jump `last`."""
        rules = self.rules
        # Taken pieces still stand and block, unless they vanish one by one.
        blocked = self.occupied & ~(self.victims & ~left) if rules.instant_removal else self.occupied
        far = king and rules.flying
        for direction in range(len(self.rays[square])) if king else self.man_directions:
            if last is not None:
                if direction == last.direction and not last.right_behind:
                    continue  # straight on is written with the square right behind
                if direction == last.direction ^ 1 and not rules.may_reverse:
                    continue
            ray = self.rays[square][direction]
            for index, place in enumerate(ray if far else ray[:1]):
                if not blocked & _bit(place):
                    continue
                if not left & _bit(place):
                    break
                end_behind = rules.lands_behind or (
                    rules.stops_behind_king and left == _bit(place) and bool(self.enemy_kings & left)
                )
                landings = ray[index + 1 :] if far and not end_behind else ray[index + 1 : index + 2]
                for count, landing in enumerate(landings, index + 2):
                    if blocked & _bit(landing):
                        break
                    yield _Jump(_bit(place), ray[:count], direction, count == index + 2)
                break

    def crowned(self, king: bool, landing: int, left: int) -> bool | None:
        """Whether the piece is a king after landing in mid-capture; None where it could not go on."""
        if king or not _bit(landing) & self.last_row or not left:
            return king
        if self.rules.promotion is Promotion.ENDS_MOVE:
            return None
        return self.rules.promotion is Promotion.CONTINUES

    def ends(self, square: int, king: bool) -> bool:
        """Whether the move may end here as the move says it does."""
        if square != self.move.to:
            return False
        if not self.was_man:
            return not self.move.promotes
        return (king or bool(_bit(square) & self.last_row)) == self.move.promotes

    def routes(self) -> Iterator[tuple[int, ...]]:
        """Landing squares of every route, first and last square included."""
        dead: set[tuple[int, int, bool, int, bool]] = set()

        def walk(path: tuple[int, ...], left: int, king: bool, last: _Jump | None) -> Iterator[tuple[int, ...]]:
            square = path[-1]
            if not left:
                if self.ends(square, king):
                    yield path
                return
            state = (square, left, king, last.direction if last else -1, last is None or last.right_behind)
            if state in dead:
                return
            found = False
            for jump in self.jumps(square, left, king, last):
                rest = left & ~jump.victim
                crowned = self.crowned(king, jump.landing, rest)
                if crowned is None:
                    continue
                for route in walk((*path, jump.landing), rest, crowned, jump):
                    found = True
                    yield route
            if not found:
                dead.add(state)

        return walk((self.move.frm,), self.victims, not self.was_man, None)

    def passes(self, middle: Sequence[int], exact: bool) -> bool:
        """Whether some route crosses the squares of `middle` in order, or (`exact`) lands on just these."""
        seen: set[tuple[int, int, bool, int, bool, int]] = set()
        goal = len(middle)
        stack: list[tuple[int, int, bool, _Jump | None, int]] = [
            (self.move.frm, self.victims, not self.was_man, None, 0)
        ]
        while stack:
            square, left, king, last, done = stack.pop()
            if not left:
                if done == goal and self.ends(square, king):
                    return True
                continue
            state = (square, left, king, last.direction if last else -1, last is None or last.right_behind, done)
            if state in seen:
                continue
            seen.add(state)
            for jump in self.jumps(square, left, king, last):
                rest = left & ~jump.victim
                crowned = self.crowned(king, jump.landing, rest)
                if crowned is None:
                    continue
                reached = done
                if not exact:
                    for place in jump.crossed:
                        if reached < goal and place == middle[reached]:
                            reached += 1
                elif rest:
                    if done == goal or jump.landing != middle[done]:
                        continue
                    reached += 1
                stack.append((jump.landing, rest, crowned, jump, reached))
        return False


def capture_paths(position: "Position", move: Move, limit: int = MAX_PATHS) -> list[tuple[int, ...]]:
    """The routes of a legal move as landing squares with both ends, at most `limit`; a quiet move has one."""
    if not move.captured:
        return [(move.frm, move.to)]
    return list(islice(_Walk(position, move).routes(), limit))


def first_path(position: "Position", move: Move) -> tuple[int, ...]:
    """One route of a legal move, always the same one; both ends alone if the move cannot be walked."""
    return next(iter(capture_paths(position, move, 1)), (move.frm, move.to))


def lands_on(position: "Position", move: Move, middle: Sequence[int]) -> bool:
    """Whether a route of the move lands on exactly the squares of `middle` between its ends."""
    if not move.captured:
        return not middle
    return len(middle) == len(move.captured) - 1 and _Walk(position, move).passes(middle, exact=True)


def passes_over(position: "Position", move: Move, middle: Sequence[int]) -> bool:
    """Whether a route of the move crosses the squares of `middle` in this order: landed on, captured or passed."""
    if not move.captured:
        return not middle
    return _Walk(position, move).passes(middle, exact=False)


def _bit(square: int) -> int:
    return 1 << (square - 1)


def _directions(rules: Rules) -> tuple[tuple[int, int], ...]:
    """Steps (column, row) along which pieces capture; two and two opposite to each other."""
    if rules.all_squares:
        return ((0, -1), (0, 1), (-1, 0), (1, 0))
    diagonals = ((-1, -1), (1, 1), (1, -1), (-1, 1))
    return (*diagonals, (0, -2), (0, 2), (-2, 0), (2, 0)) if rules.orthogonal_captures else diagonals


@lru_cache(maxsize=64)
def _rays(rules: Rules) -> tuple[tuple[Ray, ...], ...]:
    """By square and direction: the squares on the line to the edge (index 0 is no square)."""
    board: list[tuple[Ray, ...]] = [()]
    for square in range(1, rules.squares + 1):
        rays = []
        for dx, dy in _directions(rules):
            column, row = rules.coordinates(square)
            ray = []
            while (place := rules.square_at(column := column + dx, row := row + dy)) is not None:
                ray.append(place)
            rays.append(tuple(ray))
        board.append(tuple(rays))
    return tuple(board)


@lru_cache(maxsize=64)
def _man_directions(rules: Rules, side: Side) -> tuple[int, ...]:
    """Indices of the directions in which a man captures; never straight back on a board of all squares."""
    back = 1 if side is Side.WHITE else -1
    steps = enumerate(_directions(rules))
    return tuple(i for i, (_, dy) in steps if rules.men_capture_back or dy * back <= 0)
