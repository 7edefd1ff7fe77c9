"""The product against the reference on random positions and random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import engine
from engine.rules import Rules
from engine.types import Side
from tests.reference.ends import Referee
from tests.reference.moves import NO_RUN, Explosion, Move, Position, has_man, legal_moves, of_side, play
from tests.reference.spec import SPECS, Spec, losing
from tests.reference.text import start_position

HOPS = 20_000  # what the reference may spend on a position; one full of kings can need millions
GAME_PLIES = 200
SETUP_PLIES = 10


@dataclass(frozen=True)
class Pair:
    """The same rules on both sides."""

    rules: Rules
    spec: Spec

    def __str__(self) -> str:
        options = ",".join(f"{name}={value}" for name, value in self.rules.settings.items())
        return f"{self.rules.name}[{options}]" if options else self.rules.name


def pairs() -> list[Pair]:
    """Every variant, every reading of its moves, and some losing games."""
    variant = engine.find_variant
    readings = [Pair(variant(name), spec) for name, spec in SPECS.items()]
    english, turkish = SPECS["english"], SPECS["turkish"]
    readings.append(
        Pair(
            variant("english").with_options({"mandatory-capture": False}),
            replace(english, must_capture=False),
        )
    )
    readings.append(
        Pair(
            variant("turkish").with_options({"turkish-promotion": "continue"}),
            replace(turkish, promotion="king"),
        )
    )
    readings += [Pair(variant(f"{name}-losing"), losing(SPECS[name])) for name in ("russian", "english", "frisian")]
    return readings


def product_position(rules: Rules, position: Position) -> engine.Position:
    """The product's value of a reference position."""

    def bits(letter: str) -> int:
        return sum(1 << (square - 1) for square, piece in position.board.items() if piece == letter)

    return engine.Position(
        rules,
        Side.WHITE if position.turn == "w" else Side.BLACK,
        bits("w"),
        bits("W"),
        bits("b"),
        bits("B"),
        (position.runs["w"], position.runs["b"]),
    )


def plain(move: engine.Move) -> Move:
    """A move of the product as the reference writes it."""
    return Move(move.frm, move.to, frozenset(move.captured), move.promotes)


def described(position: engine.Position) -> str:
    """A position for a report, by the numbers from the top left."""
    return f"{position.turn.letter} {position.pieces()} {position.king_runs}"


def random_setup(spec: Spec, rng: random.Random) -> Position:
    """A few pieces of each side anywhere, many of them kings; men not on their last row."""
    king_share = rng.choice((0.2, 0.5, 0.9))
    squares = list(spec.cells)
    rng.shuffle(squares)
    board = {}
    for side in "wb":
        for _ in range(rng.randint(1, len(spec.cells) // 4)):
            square = squares.pop()
            king = rng.random() < king_share or spec.on_last_row(side, square)
            board[square] = side.upper() if king and not spec.breakthrough else side
    if spec.breakthrough:
        board = {square: side for square, side in board.items() if not spec.on_last_row(side, square)}
    position = Position(board, rng.choice("wb"))
    if spec.king_limit:
        for side in "wb":
            kings = [square for square in of_side(board, side) if board[square].isupper()]
            if kings and has_man(board, side):
                position.runs[side] = rng.choice((NO_RUN, (rng.choice(kings), rng.randint(1, 3))))
    return position


@dataclass
class Tally:
    """What a comparison has seen."""

    positions: int = 0
    captures: int = 0
    moves: int = 0
    skipped: int = 0
    differences: list[str] = field(default_factory=list)


def walks(spec: Spec, rng: random.Random) -> Iterator[tuple[Position, int]]:
    """Where random play sets out from, and for how many plies: in turn the start and random set-ups."""
    while True:
        yield start_position(spec), GAME_PLIES
        for _ in range(GAME_PLIES // SETUP_PLIES):
            yield random_setup(spec, rng), SETUP_PLIES


def compare(pair: Pair, count: int, seed: int) -> Tally:
    """Compare the legal moves of `count` positions, and the position after one of them in each."""
    rng = random.Random(f"{pair} {seed}")
    tally = Tally()
    spec = pair.spec
    for position, plies in walks(spec, rng):
        fast = product_position(pair.rules, position)
        for _ in range(plies):
            if tally.positions >= count:
                return tally
            try:
                moves = legal_moves(spec, position, HOPS)
            except Explosion:
                tally.skipped += 1
                break
            tally.positions += 1
            tally.moves += len(moves)
            tally.captures += any(move.captured for move in moves)
            listed = fast.legal_moves()
            if len(listed) != len(moves) or {plain(move) for move in listed} != moves:
                tally.differences.append(report(pair, fast, moves))
                break
            if not moves:
                break
            chosen = rng.choice(sorted(listed, key=str))
            position = play(spec, position, plain(chosen))
            fast = fast.play(chosen)
            if fast != product_position(pair.rules, position):
                tally.differences.append(f"{pair} after {chosen}: {described(fast)}, {position}")
                break
    return tally


def report(pair: Pair, fast: engine.Position, moves: set[Move]) -> str:
    """Both lists of moves, for a person to look at."""
    listed = fast.legal_moves()
    found = {plain(move) for move in listed}

    def show(moves: set[Move]) -> list[str]:
        return sorted(f"{m.frm}>{m.to} {sorted(m.captured)}{'=K' * m.promoted}" for m in moves)

    return (
        f"{pair} {described(fast)}: only the product {show(found - moves)}, only the reference "
        f"{show(moves - found)}, {len(listed) - len(found)} listed twice"
    )


def compare_game(pair: Pair, position: Position, options: dict[str, object], seed: int, plies: int) -> str | None:
    """Play a random game to its end on `Game` and on the referee; the first ply at which they differ."""
    rng = random.Random(seed)
    careful = rng.random() < 0.6
    game = engine.Game(product_position(pair.rules.with_options(options), position))
    referee = Referee(pair.spec, position, options)
    for _ in range(plies):
        outcome = game.outcome
        mine = outcome and (None if outcome.winner is None else outcome.winner.letter.lower(), outcome.reason)
        played = f"{pair} {options} {described(game.start)} {' '.join(map(str, game.moves))}"
        if mine != referee.ending:
            return f"{played}: product {mine}, reference {referee.ending}"
        if mine:
            return None
        try:
            moves = legal_moves(pair.spec, referee.position, HOPS)
            chosen = choose(pair.spec, referee.position, moves, rng, careful)
        except Explosion:
            return None
        if {plain(move) for move in game.legal_moves()} != moves:
            return f"{played}: other legal moves in {described(game.position)}"
        game.play(engine.Move(chosen.frm, chosen.to, tuple(sorted(chosen.captured)), chosen.promoted))
        referee.play(chosen)
    return None


def choose(spec: Spec, position: Position, moves: set[Move], rng: random.Random, careful: bool) -> Move:
    """Any of the legal moves; with care one that offers nothing, as long as there is one, so that games last."""
    shuffled = sorted(moves, key=lambda move: (move.frm, move.to, sorted(move.captured)))
    rng.shuffle(shuffled)
    if careful:
        for move in shuffled:
            replies = legal_moves(spec, play(spec, position, move), HOPS)
            if replies and not any(reply.captured for reply in replies):
                return move
    return shuffled[0]
