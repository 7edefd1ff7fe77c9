"""One self-play game, on the compiled search itself: no protocol, no clock, no objects for moves.

A move costs a few hundred microseconds of search, so everything around it is kept to a few microseconds.
"""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from engine import Position, Side, pattern_weights
from engine.aspiration import aspire
from engine.moves import hot_module, is_wide, load
from engine.rules import Objective, Rules
from engine.scores import INFINITE, WIN, WON
from training.records import CAPTURE, FORCED, THREAT, VARIED

MAX_DEPTH = 60
WINDOW = 24  # half of the first aspiration window, centi-men
TABLE_LOG = 16  # a megabyte of table, cleared before each game
SIGNATURE_DEPTH = 7
FORCED_SHARE = 4  # a forced move is searched with this part of the nodes, for its score alone


class End(StrEnum):
    """Why a game ended."""

    RULES = "rules"
    ADJUDICATED = "adjudicated"
    CAPPED = "capped"


@dataclass(frozen=True)
class Settings:
    """How games are played. Scores and margins are in centi-men."""

    nodes: int = 2000  # searched for each move
    plies: tuple[int, int] = (4, 10)  # random plies of an opening, both included
    balance: int = 70  # an opening's search score may be off by this much
    varied: float = 0.05  # part of the moves that need not be the best
    lines: int = 3  # such a move is one of the best `lines` ...
    margin: int = 30  # ... and no worse than the best by more than this
    win: int = 600  # a game is adjudicated when the score is beyond this ...
    row: int = 4  # ... for so many plies in a row
    played_out: float = 0.08  # part of the games that is played to its end all the same
    cap: int = 400  # plies after which a game is a draw


@dataclass
class Adjudicator:
    """Decides games by their scores, seen from White's side."""

    win: int
    row: int
    run: int = 0  # plies in a row beyond `win`, negative for Black

    def judge(self, score: int) -> int | None:
        """1 or -1 once a side has won, else None; a win at a known distance counts at once."""
        if abs(score) > WON:
            return 1 if score > 0 else -1
        if score >= self.win:
            self.run = max(self.run, 0) + 1
        elif score <= -self.win:
            self.run = min(self.run, 0) - 1
        else:
            self.run = 0
        if abs(self.run) >= self.row:
            return 1 if self.run > 0 else -1
        return None


Words = tuple[int, int, int, int, int, int]


@dataclass
class Played:
    """A game: its positions with side to move, score and flags, and how it ended. `result` is White's: 1, 0 or -1."""

    words: list[Words] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)
    opening: int = 0  # plies before the first position
    result: int = 0
    end: End = End.RULES
    verdict: int | None = None  # of the adjudicator, also where the game went on
    refused: int = 0  # openings tried before


@dataclass
class Player:
    """Plays games of one variant against itself."""

    rules: Rules
    settings: Settings
    weights: bytes | None = None  # of the evaluation; None: the hand-made one
    searching: float = 0.0  # seconds
    nodes: int = 0

    def __post_init__(self) -> None:
        wide = is_wide(self.rules)
        self.table = hot_module("table", wide).Table(TABLE_LOG)
        self.search = hot_module("search", wide).Search(self.rules, self.table)
        if self.weights is not None:
            self.search.evaluation.use(pattern_weights.parse(self.weights, self.rules))
        self.line = self.search.line
        self.board = self.line.board
        self.other = hot_module("board", wide).Board(self.rules)  # for looks at what the opponent could do
        self.start = Position.start(self.rules)
        self.breakthrough = self.rules.objective is Objective.BREAKTHROUGH
        self.loser_wins = self.rules.objective is Objective.LOSE

    # ------------------------------------------------------------------ searching
    def signature(self) -> int:
        """Nodes of a fixed search: engines that play other games have, most likely, another one."""
        self.restart()
        self.forget()
        self.search.begin(None, 0)
        for depth in range(1, SIGNATURE_DEPTH + 1):
            self.search.think(depth, -INFINITE, INFINITE)
        return int(self.search.statistics()[0])

    def think(self, nodes: int, moves: list[int] | None = None) -> tuple[int, int]:
        """Score and index of the best move of the position, or of those of `moves`."""
        search = self.search
        started = time.perf_counter()
        self.table.new_search()
        search.begin(None, nodes)
        if moves is not None:
            search.allow(moves)
        score, best = 0, moves[0] if moves else 0
        for depth in range(1, MAX_DEPTH):
            found = aspire(search, depth, score, WINDOW)
            variation = search.principal()
            if search.stopped():
                best = variation[0] if variation else best
                break
            score, best = found, variation[0]
            if abs(score) > WON and WIN - abs(score) <= depth:
                break
        self.nodes += search.statistics()[0]
        self.searching += time.perf_counter() - started
        return score, best

    def vary(self, legal: int, chance: random.Random) -> tuple[int, int, bool]:
        """Score of the best move, the index of one of the good moves, and whether that is another one."""
        rest = list(range(legal))
        lines: list[tuple[int, int]] = []
        while rest and len(lines) < self.settings.lines:
            lines.append(self.think(self.settings.nodes, rest))
            rest.remove(lines[-1][1])
        score, best = max(lines, key=lambda line: line[0])
        good = [move for value, move in lines if value >= score - self.settings.margin]
        move = good[int(chance.random() * len(good))]
        return score, move, move != best

    # ------------------------------------------------------------------ the rules
    def ended(self, legal: int, words: Words, turn: int) -> int | None:
        """White's result if the game is over by the rules, None if it goes on."""
        if self.breakthrough and (words[4] or words[5]):
            return 1 if words[4] & words[0] or words[5] & words[1] else -1
        if not legal:
            loses = 1 if turn else -1  # White's result when the side to move loses
            return -loses if self.loser_wins else loses
        repetition = self.rules.repetition
        if repetition and self.line.times() >= repetition:
            return 0
        return 0 if self.line.fired() else None

    def threatened(self, words: Words, turn: int) -> bool:
        """Whether the opponent could capture if it were his move."""
        self.other.load(words[0] | words[1] << 64, words[2] | words[3] << 64, words[4] | words[5] << 64, turn ^ 1)
        return any(move[2] or move[3] for move in self.other.legal())

    # ------------------------------------------------------------------ playing
    def forget(self) -> None:
        """Make the next search independent of all before."""
        self.table.clear()
        self.search.forget()

    def restart(self, moves: Sequence[int] = ()) -> int:
        """Set the line up to the start position and moves from there, by index; returns the side to move."""
        load(self.board, self.start)
        self.line.restart()
        for move in moves:
            self.line.legal()
            self.line.apply(move)
        return int(self.start.turn) ^ (len(moves) & 1)

    def open(self, chance: random.Random) -> tuple[list[int], int]:
        """Set the line up to a balanced opening; returns its moves by index, and how many others were refused."""
        fewest, most = self.settings.plies
        refused = 0
        while True:
            turn = self.restart()
            plies = fewest + int(chance.random() * (most - fewest + 1))
            moves: list[int] = []
            legal = self.line.legal()
            over = False
            while len(moves) < plies and not over:
                moves.append(int(chance.random() * len(legal)))
                self.line.apply(moves[-1])
                turn ^= 1
                legal = self.line.legal()
                over = self.ended(len(legal), self.board.words(), turn) is not None
            if not over:
                self.forget()
                score, _ = self.think(self.settings.nodes)
                if abs(score) <= self.settings.balance:
                    self.forget()
                    return moves, refused
            refused += 1

    def play(self, chance: random.Random) -> Played:
        """Play one game; everything in it follows from `chance` and the settings."""
        settings, line, board = self.settings, self.line, self.board
        played = Played()
        moves, played.refused = self.open(chance)
        played.opening = len(moves)
        turn = int(self.start.turn) ^ (played.opening & 1)
        to_the_end = chance.random() < settings.played_out
        # men say little about who will be rid of them first: there only a win that was found counts
        adjudicator = Adjudicator(WON if self.loser_wins else settings.win, settings.row)
        ply = played.opening
        while True:
            legal = line.legal()
            words = board.words()
            over = self.ended(len(legal), words, turn)
            if over is not None:
                played.result = over
                return played
            if ply >= settings.cap:
                played.end = End.CAPPED
                return played
            flags = CAPTURE if any(move[2] or move[3] for move in legal) else 0
            flags |= THREAT if self.threatened(words, turn) else 0
            if len(legal) == 1:
                flags |= FORCED
                score, move = self.think(settings.nodes // FORCED_SHARE)
            elif chance.random() < settings.varied:
                score, move, other = self.vary(len(legal), chance)
                flags |= VARIED if other else 0
            else:
                score, move = self.think(settings.nodes)
            played.words.append(words)
            played.turns.append(turn)
            played.scores.append(score)
            played.flags.append(flags)
            if played.verdict is None:
                played.verdict = adjudicator.judge(-score if turn == Side.BLACK else score)
                if played.verdict is not None and not to_the_end:
                    played.result, played.end = played.verdict, End.ADJUDICATED
                    return played
            line.apply(move)
            turn ^= 1
            ply += 1
