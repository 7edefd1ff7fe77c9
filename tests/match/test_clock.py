"""Time controls and the clock of a game."""

from __future__ import annotations

import pytest

from engine.errors import OptionError
from protocol.match.clock import Clock, SearchLimits, TimeControl


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("5+0.05", TimeControl(base=5.0, increment=0.05)),
        ("40/60", TimeControl(moves=40, base=60.0)),
        ("40/60+0.5", TimeControl(moves=40, base=60.0, increment=0.5)),
        ("2:30", TimeControl(base=150.0)),
        (".5", TimeControl(base=0.5)),
        ("movetime=0.1", TimeControl(move_time=0.1)),
        ("depth=8", TimeControl(depth=8)),
        ("nodes=5000", TimeControl(nodes=5000)),
        ("5+0.05,depth=8 nodes=100", TimeControl(base=5.0, increment=0.05, depth=8, nodes=100)),
    ],
)
def test_read_and_write(text: str, control: TimeControl) -> None:
    assert TimeControl.parse(text) == control
    assert TimeControl.parse(str(control)) == control


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5+",
        "+1",
        "x",
        "40/",
        "0",
        "-5",
        "depth=0",
        "depth=1.5",
        "depth=",
        "movetime=0",
        "movetime=nan",
        "nodes=-1",
        "0/60",
        "5 6",
        "depth=1,depth=2",
        "speed=3",
        "5+0.1+0.2",
        "movetime=inf",
    ],
)
def test_refused_with_the_text(text: str) -> None:
    with pytest.raises(OptionError) as caught:
        TimeControl.parse(text)
    assert str(caught.value).startswith("time control")


def test_pdn_tag() -> None:
    assert TimeControl.parse("40/60 depth=9").pdn() == "40/60"
    assert TimeControl.parse("300+5").pdn() == "300+5"
    assert TimeControl.parse("movetime=0.1").pdn() == "-"


def test_time_excludes_the_increment() -> None:
    clock = Clock(TimeControl.parse("1+0.5"))
    assert clock.limits() == SearchLimits(time=1.0, inc=0.5)
    assert clock.allowance() == pytest.approx(1.5)
    assert clock.spend(1.4)
    limits = clock.limits()
    assert limits.time == pytest.approx(0.1)
    assert clock.allowance() == pytest.approx(0.6)
    assert clock.spend(0.6)
    assert clock.limits().time == pytest.approx(0.0 - 0.0)
    assert clock.spend(0.45)
    assert clock.limits().time == pytest.approx(0.05)


def test_time_may_be_negative() -> None:
    clock = Clock(TimeControl.parse("0.1+0.5"))
    assert clock.spend(0.59)
    assert clock.spend(0.5)
    assert clock.limits().time == pytest.approx(0.01)
    assert clock.spend(0.51 + 0.04)
    assert clock.limits().time == pytest.approx(-0.04)


def test_flag_and_margin() -> None:
    clock = Clock(TimeControl.parse("1"), margin=0.05)
    assert clock.spend(1.04)
    assert clock.allowance() == pytest.approx(0.0)
    assert not clock.spend(0.06)


def test_moves_per_control() -> None:
    clock = Clock(TimeControl.parse("2/10"))
    assert clock.limits() == SearchLimits(time=10.0, moves=2)
    assert clock.spend(4)
    assert clock.limits() == SearchLimits(time=6.0, moves=1)
    assert clock.spend(5)
    assert clock.limits() == SearchLimits(time=11.0, moves=2)


def test_move_time_alone_and_with_a_clock() -> None:
    clock = Clock(TimeControl.parse("movetime=0.1"), margin=0.02)
    for _ in range(3):
        assert clock.limits() == SearchLimits(move_time=0.1)
        assert clock.allowance() == pytest.approx(0.1)
        assert clock.spend(0.11)
    assert not clock.spend(0.13)
    both = Clock(TimeControl.parse("1 movetime=0.8"))
    assert both.allowance() == pytest.approx(0.8)
    assert both.spend(0.8)
    assert both.allowance() == pytest.approx(0.2)


def test_no_clock_never_flags() -> None:
    clock = Clock(TimeControl.parse("depth=3"))
    assert clock.allowance() is None
    assert clock.spend(1e6)
