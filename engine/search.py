"""The searcher's recursion: PVS, quiescence, move ordering, the draw rules in the tree; compiled through search.pxd.

One `Search` belongs to one thread. `alpha, beta, depth, ply` keep that order everywhere. Scores are centi-men for the
side to move; a win after `ply` plies from the root is `WIN - ply`. A node is a position entered after making a move.
"""

from collections.abc import Mapping
from math import log

import cython

from engine import scores
from engine.rules import Objective, Rules
from engine.tuning import tuned

if not cython.compiled:  # the compiler takes them from search.pxd
    from engine.bits import lowest, popcount
    from engine.egdb_score import Scorer
    from engine.evaluate import Evaluation
    from engine.line import Line
    from engine.table import Table

WIN = cython.declare(cython.int, scores.WIN)
DECIDED = cython.declare(cython.int, scores.DECIDED)
INFINITE = cython.declare(cython.int, scores.INFINITE)
RING = cython.declare(cython.int, 2047)  # as in line.py
MAX_PLY = cython.declare(cython.int, 127)
NO_DATA = cython.declare(cython.ulonglong, 0)
NO_MOVE = cython.declare(cython.int, 255)
STACK_ROOM = cython.declare(cython.int, 12000)  # moves on the stack above which a line is cut off
POLL = cython.declare(cython.int, 4096)  # nodes between looks at the clock
if not cython.compiled:
    POLL = 64
KILLER_ORDER = cython.declare(cython.int, 1900000000)
HISTORY_MAX = cython.declare(cython.int, 1 << 14)
TIE = cython.declare(cython.int, 1 << 14)  # room below a history value for the place on the board
TAKEN = cython.declare(cython.int, -2000000000)
LOWER = cython.declare(cython.int, 1)
UPPER = cython.declare(cython.int, 2)
EXACT = cython.declare(cython.int, 3)


class Search:
    """Search state of one thread on one variant."""

    def __init__(self, rules: Rules, table: Table, tuning: Mapping[str, int] | None = None) -> None:
        self.line = Line(rules)
        self.board = self.line.board
        self.evaluation = Evaluation(rules)
        self.databases = Scorer(rules, self.line)
        self.table = table
        self.mandatory = rules.mandatory
        self.blocked_score = WIN if rules.objective is Objective.LOSE else -WIN
        self.stop = 0
        self.contempt = 0
        self.poller: object = None
        if not cython.compiled:
            self.order = [0] * 16384
            self.history = [0] * 32768
            self.killer = [0] * 256
            self.pv = [0] * (128 * 128)
            self.pv_length = [0] * 129
            self.root_allowed = [False] * 2048
            self.root_order = [0] * 2048
            self.reduction = [0] * 4096
        self.tune(tuned(tuning))
        self.forget()
        self.begin(None, 0)

    # ------------------------------------------------------------------ the Python face
    def forget(self) -> None:
        """Forget what move ordering has learnt (a new game)."""
        for i in range(32768):
            self.history[i] = 0
        for i in range(256):
            self.killer[i] = 0

    def begin(self, poller: object, node_limit: int, contempt: int = 0) -> None:
        """Prepare a search from the line's present position.

        `poller(nodes)` is called every few thousand nodes and says whether to stop; `node_limit` 0 means none.
        A draw is worth `-contempt` centi-men to the side to move.
        """
        self.contempt = contempt
        self.poller = poller
        self.stop = 0
        self.nodes = 0
        self.node_limit = node_limit
        self.next_poll = POLL
        if node_limit and node_limit < POLL:
            self.next_poll = node_limit
        self.seldepth = 0
        self.leaves = 0
        self.leaf_plies = 0
        self.databases.begin()
        for i in range(256):
            self.killer[i] = 0
        for i in range(32768):
            self.history[i] = self.history[i] // 4 if self.history[i] > 0 else -(-self.history[i] // 4)
        self.board.n = 0
        self.board.gen()
        self.root_count = min(self.board.n, 2048)
        for i in range(self.root_count):
            self.root_allowed[i] = True
            self.root_order[i] = self.place(i)

    def allow(self, moves: list[int]) -> None:
        """Search only these root moves (indices in `Board.legal`)."""
        for i in range(self.root_count):
            self.root_allowed[i] = False
        for i in moves:
            self.root_allowed[i] = True

    def think(self, depth: int, alpha: int, beta: int) -> int:
        """Search the root to `depth` in a window; returns the score, which means nothing once `stopped`."""
        d = cython.declare(cython.int, depth)
        a = cython.declare(cython.int, alpha)
        b = cython.declare(cython.int, beta)
        score = cython.declare(cython.int)
        with cython.nogil:
            score = self.root(a, b, d)
        return score

    def principal(self) -> list[int]:
        """The principal variation as move indices, ply by ply."""
        return [self.pv[i] for i in range(self.pv_length[0])]

    def stopped(self) -> bool:
        """Whether the last `think` was broken off."""
        return self.stop != 0

    def statistics(self) -> tuple[int, int, float]:
        """Nodes since `begin`, deepest ply, mean ply of the leaves."""
        return self.nodes, self.seldepth, self.leaf_plies / self.leaves if self.leaves else 0.0

    def tune(self, values: Mapping[str, int]) -> None:
        """Take over the tunables (see tuning.py)."""
        self.table_depth = values["table-depth"]
        self.single_reply = values["single-reply"]
        self.iir_depth = values["iir-depth"]
        self.lmr_depth = values["lmr-depth"]
        self.lmr_moves = values["lmr-moves"]
        self.lmr_history = values["lmr-history"]
        self.lmp_depth = values["lmp-depth"]
        self.lmp_moves = values["lmp-moves"]
        self.futility_depth = values["futility-depth"]
        self.futility_margin = values["futility-margin"]
        self.futility_slope = values["futility-slope"]
        self.probcut_depth = values["probcut-depth"]
        self.probcut_margin = values["probcut-margin"]
        self.threat_plies = values["threat-plies"]
        for depth in range(1, 64):
            for number in range(1, 64):
                plies = values["lmr-scale"] / 100 * log(depth) * log(number)
                self.reduction[64 * depth + number] = int(plies + 0.5)

    # ------------------------------------------------------------------ stopping
    def look(self) -> None:
        """Ask whether to stop; called under nogil every few thousand nodes."""
        if self.node_limit and self.nodes >= self.node_limit:
            self.stop = 1
            return
        self.next_poll = self.nodes + POLL
        if self.node_limit and self.next_poll > self.node_limit:
            self.next_poll = self.node_limit
        with cython.gil:
            self.ask()

    def ask(self) -> None:
        if callable(self.poller) and self.poller(self.nodes):
            self.stop = 1

    # ------------------------------------------------------------------ ordering
    def slot(self, i: int) -> int:
        """Place of a quiet move in the history table: side, from and to."""
        return (self.board.stm << 14) | (lowest(self.board.frm[i]) << 7) | lowest(self.board.to[i])

    def place(self, i: int) -> int:
        """Where a move lies on the board as its own side sees it, below TIE."""
        place = self.slot(i) & (TIE - 1)
        return place if self.board.stm else TIE - 1 - place

    def rank_moves(self, base: int, end: int, first: int, ply: int) -> None:
        """Give every move of a ply its order; number `first` of the ply, the hash move, has been taken already.

        Equal moves are ordered by their place as their own side sees it, so that a position and its mirror image with
        the colours changed are searched alike.
        """
        for i in range(base, end):
            k = self.slot(i)
            place = self.place(i)
            if i - base == first:
                self.order[i] = TAKEN
            elif self.board.cap[i]:
                taken = 2 * popcount(self.board.cap[i]) + popcount(self.board.cap[i] & self.board.kings)
                self.order[i] = taken * TIE + place
            elif k + 1 == self.killer[2 * ply]:
                self.order[i] = KILLER_ORDER
            elif k + 1 == self.killer[2 * ply + 1]:
                self.order[i] = KILLER_ORDER - 1
            else:
                self.order[i] = self.history[k] * TIE + place

    def pick(self, base: int, end: int) -> int:
        """The best move not yet taken; marks it as taken."""
        best = base
        for i in range(base + 1, end):
            if self.order[i] > self.order[best]:
                best = i
        self.order[best] = TAKEN
        return best

    def learn(self, base: int, best: int, depth: int, ply: int, tried: int) -> None:
        """A quiet move failed high: remember it, and hold that against the quiet moves tried before."""
        k = self.slot(best)
        if self.killer[2 * ply] != k + 1:
            self.killer[2 * ply + 1] = self.killer[2 * ply]
            self.killer[2 * ply] = k + 1
        bonus = min(32 * depth * depth, 2048)
        self.adjust(k, bonus)
        for i in range(base, tried):
            if i != best and self.order[i] == TAKEN and not self.board.cap[i]:
                self.adjust(self.slot(i), -bonus)

    def adjust(self, k: int, bonus: int) -> None:
        """History with gravity: a value moves towards +-HISTORY_MAX, the slower the nearer it is."""
        h = self.history[k]
        drag = (
            (h if h > 0 else -h) * bonus // HISTORY_MAX if bonus > 0 else (h if h > 0 else -h) * -bonus // HISTORY_MAX
        )
        self.history[k] = h + bonus - (drag if h > 0 else -drag)

    # ------------------------------------------------------------------ the tree
    def leaf(self, ply: int) -> int:
        self.leaves += 1
        self.leaf_plies += ply
        return self.evaluation.evaluate(self.board)

    def enter(self, ply: int) -> None:
        """Count a node."""
        self.nodes += 1
        if ply > self.seldepth:
            self.seldepth = ply
        if self.nodes >= self.next_poll:
            self.look()

    def lost(self, ply: int) -> int:
        """Score of a position without a legal move: a loss, or a win in a losing game."""
        return self.blocked_score + ply if self.blocked_score < 0 else self.blocked_score - ply

    def key(self) -> int:
        """As `Line.search_key`, without a call into another module."""
        return self.line.key[self.line.ply & RING] ^ self.line.mix[self.line.ply & RING]

    def is_drawn(self) -> bool:
        """As `Line.drawn`, without a call into another module."""
        return self.line.draw[self.line.ply & RING] != 0

    def drawn(self, ply: int) -> int:
        """Score of a draw: the root's side may think itself better than that."""
        return -self.contempt if ply & 1 == 0 else self.contempt

    def qsearch(self, alpha: int, beta: int, looks: int, ply: int) -> int:
        """Play out captures; a quiet position is judged as it stands.

        While the opponent threatens to capture, up to `looks` quiet moves are searched instead of judging.
        """
        base = self.board.n
        if ply >= MAX_PLY or self.board.n > STACK_ROOM:
            return self.leaf(ply)
        if not self.board.gen_forced():
            return self.lost(ply)
        best = -INFINITE
        if self.is_drawn():
            self.board.n = base
            return self.drawn(ply)
        if self.board.n == base:
            if self.databases.reaches():
                score = self.databases.score(ply, self.drawn(ply))
                if score <= INFINITE:
                    return score
            if looks == 0 or not self.board.can_capture(self.board.stm ^ 1):
                return self.leaf(ply)
            looks -= 1
            self.board.gen()
        elif not self.mandatory:
            best = self.leaf(ply)
            if best > alpha:
                alpha = best
        if best < beta:
            end = self.board.n
            for i in range(base, end):
                self.line.play(i)
                self.enter(ply + 1)
                score = -self.qsearch(-beta, -alpha, looks, ply + 1)
                self.line.undo(i)
                if self.stop:
                    break
                if score > best:
                    best = score
                    if score > alpha:
                        alpha = score
                        if score >= beta:
                            break
        self.board.n = base
        return best

    def search(self, alpha: int, beta: int, depth: int, ply: int) -> int:
        """Principal variation search of the position on the board."""
        self.pv_length[ply] = 0
        if self.line.calm[self.line.ply & RING] >= 4 and self.line.repeats(ply):
            return self.drawn(ply)
        if depth <= 0:
            return self.qsearch(alpha, beta, self.threat_plies, ply)
        if ply >= MAX_PLY or self.board.n > STACK_ROOM:
            return self.leaf(ply)
        # a win found earlier is shorter than any below
        if WIN - ply <= alpha:
            return WIN - ply
        is_pv = beta - alpha > 1
        base = self.board.n
        self.board.gen()  # meanwhile the table's bucket arrives
        end = self.board.n
        if end == base:
            return self.lost(ply)
        if self.is_drawn():
            self.board.n = base
            return self.drawn(ply)
        key = self.key()
        data = self.table.probe(key) if depth >= self.table_depth else NO_DATA
        first = NO_MOVE
        if data:
            first = cython.cast(cython.int, (data >> 32) & 255)
            if not is_pv and cython.cast(cython.int, (data >> 16) & 255) >= depth:
                score = self.from_table(cython.cast(cython.int, data & 65535) - 32768, ply)
                bound = cython.cast(cython.int, (data >> 24) & 3)
                if bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha):
                    self.board.n = base
                    return score
        quiet = not self.board.cap[base]
        static = -INFINITE
        if quiet and self.databases.reaches():
            score = self.databases.score(ply, self.drawn(ply))
            if score <= INFINITE:
                self.board.n = base
                return score
        if end - base == 1:
            depth += self.single_reply
        elif quiet:
            if self.iir_depth and depth >= self.iir_depth and first == NO_MOVE:
                depth -= 1
            if not is_pv and depth <= self.futility_depth:
                static = self.evaluation.evaluate(self.board) + self.futility_margin + self.futility_slope * depth
            elif not is_pv and self.probcut_depth and depth >= self.probcut_depth and beta < DECIDED:
                limit = beta + self.probcut_margin
                if self.evaluation.evaluate(self.board) >= beta:
                    self.board.n = base
                    score = self.search(limit - 1, limit, depth - 4 - depth // 4, ply)
                    if score >= limit:
                        return beta
                    self.board.gen()
        best = -INFINITE
        best_move = NO_MOVE
        bound = UPPER
        if first >= end - base:
            first = 0 if end - base == 1 else NO_MOVE
        ranked = False
        for tried in range(end - base):
            if tried == 0 and first != NO_MOVE:
                i = base + first
            else:
                if not ranked:
                    self.rank_moves(base, end, first, ply)
                    ranked = True
                i = self.pick(base, end)
            reduced = 0
            if quiet and tried > 0 and best > -DECIDED:
                if not is_pv:
                    if depth <= self.lmp_depth and tried > self.lmp_moves + depth * depth:
                        break
                    if static > -INFINITE and static <= alpha:
                        if static > best:
                            best = static
                        continue
                if self.lmr_depth and depth >= self.lmr_depth and tried >= self.lmr_moves:
                    reduced = self.reduction[64 * min(depth, 63) + min(tried, 63)]
                    reduced -= (self.history[self.slot(i)] + HISTORY_MAX) // self.lmr_history
                    reduced += HISTORY_MAX // self.lmr_history  # C and Python divide positive numbers alike
                    if is_pv:
                        reduced -= 1
                    reduced = max(0, min(reduced, depth - 2))
            self.line.play(i)
            if depth > self.table_depth:
                self.table.fetch(self.key())
            self.enter(ply + 1)
            if tried == 0:
                score = -self.search(-beta, -alpha, depth - 1, ply + 1)
            else:
                score = -self.search(-alpha - 1, -alpha, depth - 1 - reduced, ply + 1)
                if reduced and score > alpha and not self.stop:
                    score = -self.search(-alpha - 1, -alpha, depth - 1, ply + 1)
                if is_pv and score > alpha and score < beta and not self.stop:
                    score = -self.search(-beta, -alpha, depth - 1, ply + 1)
            self.line.undo(i)
            if self.stop:
                self.board.n = base
                return 0
            if score > best:
                best = score
                if score > alpha:
                    alpha = score
                    best_move = i - base
                    bound = EXACT
                    if is_pv:
                        self.keep_pv(i - base, ply)
                    if score >= beta:
                        bound = LOWER
                        if not self.board.cap[i]:
                            self.learn(base, i, depth, ply, end if ranked else base)
                        break
        self.board.n = base
        if depth >= self.table_depth:
            self.table.store(key, depth, self.to_table(best, ply), bound, min(best_move, NO_MOVE))
        return best

    def to_table(self, score: int, ply: int) -> int:
        """A score counted from this position, not from the root."""
        if score > DECIDED:
            return score + ply
        return score - ply if score < -DECIDED else score

    def from_table(self, score: int, ply: int) -> int:
        """Inverse of `to_table`."""
        if score > DECIDED:
            return score - ply
        return score + ply if score < -DECIDED else score

    def keep_pv(self, move: int, ply: int) -> None:
        """The variation from here is `move` and the variation below it."""
        n = self.pv_length[ply + 1]
        if ply + 1 + n > MAX_PLY:
            n = MAX_PLY - ply - 1
        self.pv[ply * 128] = move
        for j in range(n):
            self.pv[ply * 128 + 1 + j] = self.pv[(ply + 1) * 128 + j]
        self.pv_length[ply] = n + 1

    def root(self, alpha: int, beta: int, depth: int) -> int:
        """Search the root's allowed moves, the best of the last iteration first."""
        self.pv_length[0] = 0
        self.board.n = 0
        self.board.gen()
        best = -INFINITE
        for i in range(self.root_count):
            self.order[i] = self.root_order[i] if self.root_allowed[i] else TAKEN
        for tried in range(self.root_count):
            i = self.pick(0, self.root_count)
            if not self.root_allowed[i]:
                continue
            self.line.play(i)
            self.enter(1)
            if best == -INFINITE:
                score = -self.search(-beta, -alpha, depth - 1, 1)
            else:
                score = -self.search(-alpha - 1, -alpha, depth - 1, 1)
                if score > alpha and not self.stop:
                    score = -self.search(-beta, -alpha, depth - 1, 1)
            self.line.undo(i)
            if self.stop:
                break
            if score > best:
                best = score
                if score > alpha:
                    alpha = score
                    self.root_order[i] = 1000000 + depth * 1000 + tried
                    self.keep_pv(i, 0)
                    if score >= beta:
                        break
        self.board.n = 0
        return best
