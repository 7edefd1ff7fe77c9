"""What a match shows while it is played: a live table on a terminal, one line a game elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TextIO

from protocol.match.record import GameRecord
from protocol.match.report import cross_table, meeting_lines

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

    from protocol.match.runner import MatchRunner


class Display:
    """Says nothing; the base of the others."""

    def note(self, text: str) -> None:
        """Something the user should know."""

    def begin(self, runner: MatchRunner) -> None:
        """The match begins."""

    def game(self, runner: MatchRunner, record: GameRecord) -> None:
        """A game has been finished."""

    def refresh(self, runner: MatchRunner) -> None:
        """Called several times a second."""

    def end(self, runner: MatchRunner) -> None:
        """No more games come."""

    def report(self, text: str) -> None:
        """The report at the end."""


def game_line(record: GameRecord) -> str:
    """A finished game in one line."""
    return (
        f"{record.pair}.{record.game} {record.white} - {record.black} {record.result} "
        f"({record.termination}: {record.reason}; {record.plies} plies, {record.seconds:.1f} s)"
    )


class LineDisplay(Display):
    """One line a game, and the score every `interval` games."""

    def __init__(self, stream: TextIO | None = None, interval: int = 10) -> None:
        self._stream = stream or sys.stdout
        self._interval = interval

    def _say(self, text: str) -> None:
        print(text, file=self._stream, flush=True)

    def note(self, text: str) -> None:
        self._say(text)

    def game(self, runner: MatchRunner, record: GameRecord) -> None:
        self._say(game_line(record))
        if len(runner.records) % self._interval == 0 and len(runner.names) == 2:
            for meeting in runner.tally.meetings.values():
                self._say("\n".join(meeting_lines(meeting, runner.config.sprt)))

    def report(self, text: str) -> None:
        self._say("\n" + text.rstrip())


class LiveDisplay(Display):
    """A table on a terminal that follows the match."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console()
        self._live: Live | None = None
        self._last: GameRecord | None = None
        self._began = time.monotonic()
        self._shown = 0.0

    def note(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False)

    def begin(self, runner: MatchRunner) -> None:
        from rich.live import Live

        self._began = time.monotonic()
        self._live = Live(self._table(runner), console=self._console, auto_refresh=False)
        self._live.start()

    def game(self, runner: MatchRunner, record: GameRecord) -> None:
        self._last = record
        if record.fault:
            self.note(game_line(record))

    def refresh(self, runner: MatchRunner) -> None:
        if self._live is not None and time.monotonic() - self._shown > 0.2:
            self._shown = time.monotonic()
            self._live.update(self._table(runner), refresh=True)

    def end(self, runner: MatchRunner) -> None:
        if self._live is not None:
            self._live.update(self._table(runner), refresh=True)
            self._live.stop()
            self._live = None

    def report(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False)

    def _table(self, runner: MatchRunner) -> Table:
        from rich.table import Table

        seconds = int(time.monotonic() - self._began)
        played = f"{len(runner.records)} of {2 * runner.schedule.total} games, {runner.running} pairs running"
        clock = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        lines = [f"last: {game_line(self._last)}"] if self._last is not None else []
        if len(runner.names) == 2:
            for meeting in runner.tally.meetings.values():
                lines += [line.strip() for line in meeting_lines(meeting, runner.config.sprt)[1:]]
        head, *rows = cross_table(runner.tally)
        table = Table(title=f"{runner.config.event}: {played}, {clock}", caption="\n".join(lines), title_style="bold")
        for column in head:
            table.add_column(column, justify="left" if column == "engine" else "right")
        for row in rows:
            table.add_row(*row)
        return table


def make_display(*, quiet: bool) -> Display:
    """The display that fits the output of this process."""
    if quiet:
        return LineDisplay(interval=sys.maxsize)
    return LiveDisplay() if sys.stdout.isatty() else LineDisplay()
