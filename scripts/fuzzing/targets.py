"""What is fed with texts by the coverage-guided fuzzer: each target raises when a promise is broken."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from engine import VARIANTS, FenError, Game, MoveError, Position, Rules
from engine.fen import parse_position
from engine.notation import Numbering, Reading, Style, format_move, parse_move
from engine.pdn_reader import read_games
from engine.pdn_replay import replay
from engine.pdn_writer import format_game
from fuzzing.corpus import CORPUS, Source
from fuzzing.machines import DxpRun, TextRun, expect

LONGEST = 1024  # bytes of an input
GAMES = Path(__file__).resolve().parents[2] / "tests" / "data" / "games"
RULES = list(VARIANTS.values())
STYLES: tuple[Style, ...] = ("pdn", "hub", "short", "path", "coordinate")
READINGS: tuple[Reading, ...] = ("captured", "path")
NUMBERINGS: tuple[Numbering, ...] = ("own", "top", "pdn")


def sharp(rules: Rules, count: int = 2) -> Iterator[Position]:
    """Positions in which three moves and more take two pieces and more, the same ones each time."""
    chance = Random(rules.name)
    while count:
        letters = "".join(chance.choices("ewbWB", (12, 4, 4, 1, 1), k=rules.squares))
        try:
            position = Position.from_hub("W" + letters, rules)
        except FenError:
            continue
        if sum(len(move.captured) > 1 for move in position.legal_moves()) > 2:
            count -= 1
            yield position


# Positions that moves are read in: all starts, then the sharp ones.
POSITIONS = [Position.start(rules) for rules in RULES] + [position for rules in RULES for position in sharp(rules)]
PLACES = [(position, position.legal_moves()) for position in POSITIONS]


def feed_fen(data: bytes) -> None:
    """A position is refused with FenError, or can be played on; its moves are read back in every style."""
    rules, text = addressed(data)
    try:
        position = parse_position(text, rules)
    except FenError:
        return
    expect(Position.from_fen(position.fen(), rules) == position, f"FEN {position.fen()} is read otherwise")
    game = Game(position)
    legal = game.legal_moves()
    for move in legal[:3]:
        for style in STYLES:
            name = format_move(move, position, legal, style)
            prefer: Reading = "captured" if style in ("hub", "short") else "path"
            numbering: Numbering = "top" if style == "hub" else "own"
            found = parse_move(name, position, legal, prefer=prefer, numbering=numbering)
            expect(found == move, f"{style} {name} is read as {found}, not {move}, in {position.fen()}")
        game.play(move)
        game.undo()
        expect(game.legal_moves() == legal, f"undoing {move} in {position.fen()}")


def feed_moves(data: bytes) -> None:
    """A text is refused with MoveError, or is one of the legal moves."""
    position, legal = PLACES[data[0] % len(PLACES)] if data else PLACES[0]
    text = addressed(data)[1]
    for prefer in READINGS:
        for numbering in NUMBERINGS:
            try:
                move = parse_move(text, position, legal, prefer=prefer, numbering=numbering)
            except MoveError:
                continue
            expect(move in legal, f"{move} is not legal")


def feed_pdn(data: bytes) -> None:
    """Every file is read, replayed and written; a game without a fault comes back as it was."""
    for game in read_games(io.BytesIO(data)):
        done = replay(game, variations=True)
        text = format_game(game, done=done)
        again = list(read_games(text))
        expect(len(again) == 1, f"{len(again)} games come back of one")
        if done.game is not None and done.complete and not game.errors and not done.faults:
            back = replay(again[0])
            expect(back.game is not None and back.game.moves == done.game.moves, f"other moves come back: {text}")
            expect(back.result(again[0]) == done.result(game), f"another result comes back: {text}")


def feed_text(protocol: str) -> Callable[[bytes], None]:
    """A machine keeps its order of things whatever comes."""

    def feed(data: bytes) -> None:
        source = Parts(protocol, data)
        run = TextRun(protocol, source)
        while source.parts:
            run.step()
        run.finish()

    return feed


def feed_dxp(data: bytes) -> None:
    """No frame breaks the machine, no game is lost."""
    source = Parts("dxp", data)
    run = DxpRun(source)
    while source.parts:
        run.step()


class Parts(Source):
    """The lines or frames of an input, one after the other; its first bytes decide what happens by chance."""

    def __init__(self, protocol: str, data: bytes) -> None:
        super().__init__(protocol, int.from_bytes(data[:2]))
        self.parts = data.split(b"\0" if protocol == "dxp" else b"\n")

    def next(self) -> bytes:
        return self.parts.pop(0)


def addressed(data: bytes) -> tuple[Rules, str]:
    """The variant that the first byte chooses, and the rest as text."""
    return RULES[data[0] % len(RULES)] if data else RULES[0], data[1:].decode("utf-8", "replace")


def seeds(target: str) -> Iterator[bytes]:
    """Good inputs to begin with."""
    if target in CORPUS:
        end = b"\0" if target == "dxp" else b"\n"
        lines = [line.encode() for line in CORPUS[target]]
        yield from (line + end for line in lines)
        chance = Random(1)
        yield from (end.join(chance.choices(lines, k=8)) for _ in range(40))
    elif target == "pdn":
        yield from (file.read_bytes()[: LONGEST // 2] for file in sorted(GAMES.rglob("*.pdn")))
        yield b'[Event "x"]\n[GameType "25"]\n[Result "1-0"]\n\n1. c3-d4 {comment} (1. g3-h4 $1) b6-a5! 1-0\n\n'
    else:
        for index, (position, legal) in enumerate(PLACES):
            if target == "moves":
                texts = [format_move(move, position, legal, style) for move in legal[:8] for style in STYLES]
                texts += ["32x28x17", "c3:e5:g7", "1-2(1)"]
            else:
                texts = [position.fen(), position.hub(), "W:W31-50:B1-20", "B:WKa1,c3:BKh8"]
            yield from (bytes([index]) + text.encode() for text in texts)


FEEDS: dict[str, Callable[[bytes], None]] = {
    "fen": feed_fen,
    "moves": feed_moves,
    "pdn": feed_pdn,
    **{protocol: feed_text(protocol) for protocol in ("hub", "hub1", "uci")},
    "dxp": feed_dxp,
}
