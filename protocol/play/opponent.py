"""The engine as a player: it answers, gives hints and decides about offers of a draw."""

from concurrent.futures import ThreadPoolExecutor

from engine import Control, Engine, Game, Limits, Mode, Move, Result

FIRST_OFFER = 20  # plies before which no draw is agreed
POLL = 0.1  # s; Python on Windows notices ^C only between two waits


class Opponent:
    """An engine with a time for each move. Calls block until it has thought; ^C meanwhile stops it."""

    def __init__(self, engine: Engine, seconds: float) -> None:
        self._engine = engine
        self._thread = ThreadPoolExecutor(1, "search")  # a search here would keep the main thread from seeing signals
        self.seconds = seconds

    @property
    def strength(self) -> int:
        """Its level, 1 to 20."""
        return int(self._engine.values["strength"])

    @strength.setter
    def strength(self, level: int) -> None:
        self._engine.set_param("strength", level)

    def begin(self) -> None:
        """A new game."""
        self._engine.new_game()

    def reply(self, game: Game) -> Move:
        """Its move at its level; the game must have one."""
        move = self._search(game, "think").move
        assert move is not None
        return move

    def advise(self, game: Game) -> Result:
        """The best that it finds at full strength, for whoever is to move."""
        return self._search(game, "analyze")

    def accepts_draw(self, game: Game) -> bool:
        """Whether it agrees to a draw when its opponent is to move: it stands no better, and the game has begun."""
        if len(game.moves) < FIRST_OFFER:
            return False
        report = self.advise(game).report
        return report is not None and report.score >= 0

    def _search(self, game: Game, mode: Mode) -> Result:
        control = Control()
        limits = Limits(move_time=self.seconds)
        future = self._thread.submit(self._engine.search, game, limits, mode, None, control)
        try:
            while True:
                try:
                    return future.result(POLL)
                except TimeoutError:
                    pass
        finally:
            control.stop()
