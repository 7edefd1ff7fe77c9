"""Counting: both games of a pair, colours, byes and tie-breaks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from protocol.match.record import GameRecord, Termination
from protocol.match.report import cross_table, data_report, text_report
from protocol.match.schedule import Format
from protocol.match.statistics import Sprt
from protocol.match.tables import Count, Tally

Make = Callable[..., GameRecord]


def tally_of(*records: GameRecord) -> Tally:
    tally = Tally(["A", "B"])
    for record in records:
        tally.add(record)
    return tally


@pytest.mark.parametrize(
    ("first", "second", "index"),
    [
        ("0-1", "1-0", 0),  # LL: A lost as White and as Black
        ("0-1", "1/2-1/2", 1),
        ("1/2-1/2", "1/2-1/2", 2),
        ("1-0", "1-0", 2),  # White won both
        ("1-0", "1/2-1/2", 3),
        ("1-0", "0-1", 4),
    ],
)
def test_pair_scores(make_record: Make, first: str, second: str, index: int) -> None:
    for games in ((1, 2), (2, 1)):  # in whichever order they finish
        results = {1: first, 2: second}
        tally = tally_of(*(make_record(5, game, results[game]) for game in games))
        (meeting,) = tally.meetings.values()
        assert meeting.pairs == [int(i == index) for i in range(5)]


def test_unfinished_pairs_count_as_games_only(make_record: Make) -> None:
    tally = tally_of(make_record(1, 1, "1-0"), make_record(2, 2, "0-1"))
    (meeting,) = tally.meetings.values()
    assert meeting.pairs == [0] * 5
    assert meeting.total == Count(2, 0, 0)
    assert (meeting.as_white, meeting.as_black) == (Count(1, 0, 0), Count(1, 0, 0))


def test_standings_and_cross_table(make_record: Make) -> None:
    tally = Tally(["A", "B", "C"])
    games = [("A", "B", "1-0"), ("B", "C", "1-0"), ("C", "A", "1/2-1/2")]
    for pair, (white, black, result) in enumerate(games):
        tally.add(make_record(pair, 1, result, white=white, black=black))
    rows = tally.standings({"C": 2.0})
    assert [(r.place, r.engine, r.points, r.tie_break) for r in rows] == [
        (1, "C", 2.5, 0.75),  # half of A's 1.5 points
        (2, "A", 1.5, 2.25),  # half of C's points and all of B's
        (3, "B", 1.0, 2.5),
    ]
    head, *lines = cross_table(tally, {"C": 2.0})
    assert head[-3:] == ["1", "2", "3"]
    assert [line[-3:] for line in lines] == [["*", "0.5/1", "0/1"], ["0.5/1", "*", "1/1"], ["1/1", "0/1", "*"]]


def test_faults_are_counted_for_the_engine(make_record: Make) -> None:
    tally = tally_of(
        make_record(1, 1, "0-1", termination=Termination.TIME, fault="A"),
        make_record(1, 2, "1-0", termination=Termination.STALL, fault="A"),
    )
    assert tally.faults == {"A": {Termination.TIME: 1, Termination.STALL: 1}, "B": {}}
    text = text_report(tally, title="T", kind=Format.ROUND_ROBIN)
    assert "faults of A: stall 1, time forfeit 1" in text
    assert "faults of B" not in text


def test_reports_agree(make_record: Make) -> None:
    tally = tally_of(*(make_record(p, g, r) for p in range(30) for g, r in ((1, "1-0"), (2, "1/2-1/2"))))
    sprt = Sprt(0, 100)
    text = text_report(tally, title="T", kind=Format.ROUND_ROBIN, sprt=sprt)
    data = data_report(tally, title="T", kind=Format.ROUND_ROBIN, sprt=sprt)
    assert "A v B: 45/60 (+30 =30 -0)" in text
    assert "H1 accepted" in text
    (meeting,) = data["meetings"]
    assert meeting["pairs"] == [0, 0, 0, 30, 0]
    assert meeting["sprt"]["decision"] == "H1"
    assert meeting["pentanomial"]["elo"]["value"] == pytest.approx(190.85, abs=0.01)
    assert data["standings"][0]["engine"] == "A"


def test_report_of_nothing() -> None:
    tally = Tally(["A", "B"])
    assert "0 games" in text_report(tally, title="T", kind=Format.SWISS)
    assert data_report(tally, title="T", kind=Format.SWISS)["meetings"] == []
