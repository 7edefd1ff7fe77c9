"""`damier analyse` and what it is made of."""

import json
import signal
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from engine import Engine, Game, Position, Report
from engine.clock import Limits
from engine.pdn_commands import evaluation
from engine.pdn_reader import read_game, read_games
from engine.pdn_replay import replay
from protocol.analysis.analyst import OwnAnalyst
from protocol.analysis.external import AnalystError, ExternalAnalyst
from protocol.analysis.judge import chances, loss, mark, words
from protocol.analysis.records import Entry, Journal, JournalError, Line, entry_from
from protocol.analysis.run import Analysed, stations
from protocol.cli import main

# White gives a man away for nothing with the second move.
BLUNDER = """[White "Ann <b>"]
[Black "Bob"]
[GameType "20"]
[Result "0-2"]
[FEN "W:W31,46,47,48:B1,2,3,21"]

1. 46-41 {first} 1-7 2. 31-27 21x32 3. 47-42 2-8 4. 48-43 3-9 5. 42-37 32-38 0-2

[GameType "25"]
[White "C"]

1. c3-d4 d6-c5 *
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "x.pdn"
    path.write_text(BLUNDER)
    return path


# ------------------------------------------------------------------------------------------- judgement
def test_chances() -> None:
    scores = [-10000, -9990, -8000, -500, -100, 0, 100, 500, 8000, 9990]
    points = [chances(score) for score in scores]
    assert points == sorted(points)
    assert points[0] == 0
    assert points[-1] == 1
    assert chances(0) == 0.5
    assert chances(120) + chances(-120) == pytest.approx(1)


def test_marks() -> None:
    assert [mark(lost) for lost in (0, 0.07, 0.1, 0.2, 0.5)] == ["", "", "?!", "?", "??"]
    assert loss(50, 100) == 0
    assert loss(9990, -9990) == 1


def test_words() -> None:
    assert [words(score) for score in (42, -150, 9993, -9988)] == ["+0.42", "-1.50", "win in 7", "loss in 12"]


# ------------------------------------------------------------------------------------------- walking
def test_stations_of_a_game() -> None:
    game = read_game('[GameType "20"]\n1. 32-28 (31-27) 19-23 2. 28x19 /FEN "W:WK31:BK1"/ 31-27 *')
    seen = []
    for station in stations(game, replay(game)):
        text = station.step.text if station.step else ""
        seen.append((station.ply, len(station.board.moves), station.board.position.fen()[:6], text))
    assert [(ply, moves, text) for ply, moves, _, text in seen] == [
        (0, 0, "32-28"), (1, 1, "19-23"), (2, 2, "28x19"), (3, 0, "31-27"), (4, 1, ""),
    ]  # fmt: skip
    assert seen[3][2] == "W:WK31"


def test_losses_follow_the_scores() -> None:
    game = read_game('[GameType "20"]\n1. 32-28 19-23 *')
    line = Line(50, 5, 1, 0.1, ("32-27",))
    entries = [
        Entry(1, 0, "", "W", "32-28", (line,), 50),
        Entry(1, 1, "", "B", "19-23", (Line(150, 5, 1, 0.1, ("19-23",)),), 150),
        Entry(1, 2, "", "W", "", (Line(0, 5, 1, 0.1, ("31-27",)),), 0),
    ]
    analysed = Analysed(game, replay(game), entries)
    assert analysed.losses() == [pytest.approx(loss(50, -150)), 0.0]
    assert analysed.marks() == ["??", ""]


# ------------------------------------------------------------------------------------------- analysts
def test_own_engine_gives_several_lines() -> None:
    analyst = OwnAnalyst()
    reports = analyst.lines(Game(Position.start("russian")), Limits(depth=4), 3)
    assert len({report.pv[0] for report in reports}) == 3
    assert [report.score for report in reports] == sorted((report.score for report in reports), reverse=True)
    analyst.stop()
    assert analyst.lines(Game(Position.start("russian")), Limits(depth=4), 3) == []


def test_another_engine() -> None:
    analyst = ExternalAnalyst(f'"{sys.executable}" -m protocol hub')
    try:
        assert analyst.name.startswith("damier")
        for name in ("russian", "international"):
            game = Game(Position.start(name))
            game.play(game.legal_moves()[0])
            (report,) = analyst.lines(game, Limits(depth=5), 1)
            assert report.depth == 5
            assert report.pv[0] in game.legal_moves()
    finally:
        analyst.close()
    assert analyst.process.returncode == 0


@pytest.mark.parametrize("command", ["/no/such/engine", f'"{sys.executable}" -c pass', ""])
def test_engines_that_do_not_start(command: str) -> None:
    with pytest.raises(AnalystError):
        ExternalAnalyst(command)


def test_an_engine_that_dies() -> None:
    text = "import sys\nsys.stdin.readline(); print('wait', flush=True); sys.stdin.readline()"
    analyst = ExternalAnalyst(f'"{sys.executable}" -c "{text}"')
    with pytest.raises(AnalystError, match="gone"):
        analyst.lines(Game(Position.start("russian")), Limits(depth=5), 1)
    analyst.close()


# ------------------------------------------------------------------------------------------- records
def test_entries_round_trip() -> None:
    entry = Entry(1, 2, "W:W31:B1", "W", "31-27", (Line(5, 3, 99, 0.5, ("31-27", "1-7")),), 5, "")
    assert entry_from(json.loads(entry.json())) == entry


def test_a_journal_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    entry = Entry(1, 2, "W:W31:B1", "W", "31-27", (), 0, "r8")
    journal = Journal(path, {"depth": 5}, resume=True)
    journal.add(entry)
    journal.close()
    with path.open("a") as file:
        file.write('{"game":1,"ply":')  # broken off while writing
    journal = Journal(path, {"depth": 5}, resume=True)
    assert journal.known == {(1, 2, "W:W31:B1"): entry}
    journal.close()
    with pytest.raises(JournalError):
        Journal(path, {"depth": 6}, resume=True)
    assert len(path.read_text().splitlines()) == 2


# ------------------------------------------------------------------------------------------- command
def test_annotated_pdn(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", str(file), "--depth", "5"]) == 0
    first, second = read_games(capsys.readouterr().out)
    assert first.tag("Annotator").startswith("damier")
    assert not first.faults
    assert [move.text for move in first.moves][:4] == ["46-41", "1-7", "31-27", "21x32"]
    assert all(evaluation(move.comments[0]) is not None for move in first.moves)
    assert first.moves[0].comments[-1] == "first"
    worst = first.moves[2]
    assert worst.strength in ("?", "??")
    assert worst.variations[0][0].text != "31-27"
    done = replay(first, variations=True)
    assert done.complete
    assert not done.faults
    assert len(second.moves) == 2


def test_all_outputs_agree(file: Path, tmp_path: Path) -> None:
    outputs = [tmp_path / name for name in ("a.html", "a.pdn", "a.jsonl")]
    command = ["analyse", str(file), "--depth", "3", "--quiet"]
    for path in outputs:
        command += ["--out", str(path)]
    assert main(command) == 0
    lines = [json.loads(line) for line in outputs[2].read_text().splitlines()]
    entries = [entry_from(line) for line in lines[1:]]
    assert [(entry.game, entry.ply) for entry in entries] == [(1, ply) for ply in range(11)] + [(2, 0), (2, 1), (2, 2)]
    assert len(list(read_games(outputs[1]))) == 2
    page = outputs[0].read_text()
    assert "Ann &lt;b&gt;" in page
    assert "<b>Ann" not in page.replace("Ann &lt;b&gt;", "")
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "a.jsonl", "a.pdn", "x.pdn"]
    _check_page(page)


class _Page(HTMLParser):
    """Checks that elements are closed and gathers pictures and data."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.data: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A closed element."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"] and data.startswith("["):
            self.data.append(data)


def _check_page(page: str) -> None:
    parser = _Page()
    parser.feed(page)
    assert parser.open == []
    assert [len(json.loads(data)) for data in parser.data] == [11, 3]
    for start in range(page.count("<svg xmlns")):
        text = page.split("<svg xmlns")[start + 1].split("</svg>")[0]
        ElementTree.fromstring("<svg xmlns" + text + "</svg>")


def test_positions(capsys: pytest.CaptureFixture[str]) -> None:
    fen = "W:WK4:B13,32,37,20"
    assert main(["analyse", "--fen", fen, "--fen", "W:W:B1", "--multipv", "3", "--depth", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "W:WK4:B13,20,32,37"
    assert len(lines) == 5
    assert lines[3:] == ["W:W:B1", "no pieces"]


def test_an_interrupt_leaves_what_was_done(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.pdn"
    asked: list[str] = []
    search = Engine.search

    def interrupted(self: Engine, game: Game, *arguments: object) -> object:
        asked.append(game.position.fen())
        if len(asked) == 4:
            signal.raise_signal(signal.SIGINT)
        return search(self, game, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Engine, "search", interrupted)
    command = ["analyse", str(file), "--depth", "3", "--out", str(target)]
    assert main(command) == 130
    (game,) = read_games(target)
    assert [bool(move.comments and evaluation(move.comments[0]) is not None) for move in game.moves] == [
        True, True, *[False] * 8,
    ]  # fmt: skip
    assert len((tmp_path / "a.pdn.jsonl").read_text().splitlines()) == 4
    assert main([*command, "--resume"]) == 0
    assert len(asked) == 4 + 14 - 3
    assert len(list(read_games(target))) == 2
    assert not (tmp_path / "a.pdn.jsonl").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["missing.pdn"],
        ["--fen", "x"],
        ["--fen", "W:W31:B1", "--depth", "0"],
        ["--fen", "W:W31:B1", "--out", "x.doc"],
        ["--fen", "W:W31:B1", "--time", "1", "--depth", "2"],
        ["--fen", "W:W31:B1", "--resume"],
        ["--fen", "W:W31:B1", "--nonsense=1"],
        ["--fen", "W:W31:B1", "--engine", "/no/such/engine"],
        ["--fen", "W:W31:B1", "--engine", "x", "--multipv", "2"],
        ["--fen", "W:W31:B1", "--variant", "nonsense"],
    ],
)
def test_wrong_use(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["analyse", *arguments])
    assert caught.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_games_that_are_read_are_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.pdn"
    file.write_text("1. 32-28 *\n")
    with pytest.raises(SystemExit) as caught:
        main(["analyse", str(file), "--out", str(tmp_path / "b.html"), "--out", str(file)])
    assert caught.value.code == 2
    assert "another file" in capsys.readouterr().err
    assert file.read_text() == "1. 32-28 *\n"
    assert list(tmp_path.iterdir()) == [file]


def test_reports_are_engine_reports() -> None:
    analyst = OwnAnalyst([("threads", "1")])
    (report,) = analyst.lines(Game(Position.start("english")), Limits(nodes=2000), 1)
    assert isinstance(report, Report)
    assert report.nodes > 0
