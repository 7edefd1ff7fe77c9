"""The statistics against the vectors of the specification, section 4, and their edges."""

from __future__ import annotations

import math

import pytest

from engine.errors import OptionError
from protocol.match.statistics import (
    Decision,
    Model,
    Sample,
    Sprt,
    elo,
    likelihood_of_superiority,
    llr_exact,
    normalized_elo,
    score_to_elo,
)

# counts, elo0, elo1, (Elo, error), (nElo, error), LOS, LLR logistic and normalized
VECTORS = [
    ((10, 80, 300, 95, 15), 0, 5, (8.69, 11.28), (16.60, 21.53), 0.9346, 0.935, 0.583),
    ((0, 3, 480, 17, 0), 0, 2, (4.86, 3.02), (34.74, 21.53), 0.9992, 2.860, 0.468),
    ((1, 30, 900, 60, 9), 0, 5, (7.99, 3.85), (31.60, 15.23), 1.0000, 7.460, 2.439),
]


@pytest.mark.parametrize(("counts", "elo0", "elo1", "e", "n", "los", "logistic", "normalized"), VECTORS)
def test_pentanomial_vectors(
    counts: tuple[int, ...],
    elo0: float,
    elo1: float,
    e: tuple[float, float],
    n: tuple[float, float],
    los: float,
    logistic: tuple[float, float],
    normalized: tuple[float, float],
) -> None:
    sample = Sample.pentanomial(counts)
    for estimate, expected in ((elo(sample), e), (normalized_elo(sample), n)):
        assert estimate.value == pytest.approx(expected[0], abs=0.0051)
        assert estimate.error == pytest.approx(expected[1], abs=0.0051)
    assert likelihood_of_superiority(sample) == pytest.approx(los, abs=0.00006)
    for model, exact in ((Model.LOGISTIC, logistic), (Model.NORMALIZED, normalized)):
        assert llr_exact(sample, elo0, elo1, model) == pytest.approx(exact, abs=0.0006)


def test_trinomial_formulas() -> None:
    sample = Sample.trinomial(wins=30, draws=50, losses=20)
    variance = (30 * 0.45**2 + 50 * 0.05**2 + 20 * 0.55**2) / 100
    error = math.sqrt(variance / 100)
    assert sample.mean == pytest.approx(0.55)
    assert sample.variance == pytest.approx(variance)
    assert elo(sample).value == pytest.approx(-400 * math.log10(1 / 0.55 - 1))
    low, high = score_to_elo(0.55 - 1.959964 * error), score_to_elo(0.55 + 1.959964 * error)
    assert elo(sample).error == pytest.approx((high - low) / 2)
    assert normalized_elo(sample).value == pytest.approx(0.05 / math.sqrt(variance) * 800 / math.log(10))
    assert likelihood_of_superiority(sample) == pytest.approx((1 + math.erf(0.05 / (error * math.sqrt(2)))) / 2)


def test_pentanomial_of_independent_games_agrees_with_trinomial() -> None:
    """Pairs that carry no information beyond their games give the same mean and nearly the same sigma."""
    win, draw, loss = 0.3, 0.5, 0.2
    pairs = [loss**2, 2 * loss * draw, draw**2 + 2 * win * loss, 2 * win * draw, win**2]
    penta = Sample(tuple(1000 * p for p in pairs))
    tri = Sample((1000 * loss * 2, 1000 * draw * 2, 1000 * win * 2))
    assert penta.mean == pytest.approx(tri.mean)
    assert penta.sigma_game == pytest.approx(tri.sigma_game)
    assert normalized_elo(penta).error == pytest.approx(normalized_elo(tri).error)
    assert llr_exact(penta, 0, 10) == pytest.approx(llr_exact(tri, 0, 10), rel=0.02)


def test_llr_constraints_hold() -> None:
    """The exact ratio is antisymmetric in the hypotheses and grows with the score."""
    sample = Sample.pentanomial((10, 80, 300, 95, 15))
    for model in Model:
        forward, backward = (llr_exact(sample, a, b, model) for a, b in ((0, 5), (5, 0)))
        assert forward == pytest.approx(-backward)
        better = Sample.pentanomial((5, 60, 300, 110, 25))
        assert llr_exact(better, 0, 5, model) > forward


def test_nothing_played() -> None:
    for sample in (Sample.trinomial(0, 0, 0), Sample.pentanomial([0] * 5)):
        assert sample.mean == 0.5
        assert elo(sample).value == 0.0
        assert math.isinf(elo(sample).error)
        assert likelihood_of_superiority(sample) == 0.5
        assert llr_exact(sample, 0, 5) == 0.0
        assert Sprt(0, 5).decide(sample) is Decision.CONTINUE


@pytest.mark.parametrize(("wins", "losses", "sign"), [(20, 0, 1), (0, 20, -1)])
def test_clean_score(wins: int, losses: int, sign: int) -> None:
    sample = Sample.trinomial(wins, 0, losses)
    assert elo(sample).value == sign * math.inf
    assert normalized_elo(sample).value == sign * math.inf
    assert likelihood_of_superiority(sample) == (1.0 if sign > 0 else 0.0)
    assert math.isfinite(llr_exact(sample, 0, 5))


@pytest.mark.parametrize("index", range(5))
def test_equal_outcomes_still_decide(index: int) -> None:
    """A match of equal pairs must neither divide by zero nor go on for ever."""
    counts = [0] * 5
    counts[index] = 200_000
    sprt = Sprt(0, 2)
    assert sprt.decide(Sample.pentanomial(counts)) is not Decision.CONTINUE


def test_sprt_bounds_and_decisions() -> None:
    sprt = Sprt(0, 5)
    assert sprt.lower == pytest.approx(-2.944, abs=0.0005)
    assert sprt.upper == pytest.approx(2.944, abs=0.0005)
    assert sprt.model is Model.NORMALIZED
    assert sprt.decide(Sample.pentanomial((0, 50, 300, 150, 10))) is Decision.ACCEPT_H1
    assert sprt.decide(Sample.pentanomial((10, 150, 300, 50, 0))) is Decision.ACCEPT_H0
    assert sprt.decide(Sample.pentanomial((1, 8, 30, 9, 1))) is Decision.CONTINUE


@pytest.mark.parametrize(
    ("elo0", "elo1", "alpha", "beta"),
    [
        (5, 5, 0.05, 0.05),
        (5, 0, 0.05, 0.05),
        (0, 5, 0.0, 0.05),
        (0, 5, 0.05, 1.0),
        (0, 5, 0.5, 0.5),
        (0, 5, -0.1, 0.05),
        (math.nan, 5, 0.05, 0.05),
        (0, math.inf, 0.05, 0.05),
        (0, 5, math.nan, 0.05),
    ],
)
def test_sprt_settings_refused(elo0: float, elo1: float, alpha: float, beta: float) -> None:
    with pytest.raises(OptionError):
        Sprt(elo0, elo1, alpha, beta)


def test_pentanomial_needs_five_counts() -> None:
    with pytest.raises(ValueError, match="five counts"):
        Sample.pentanomial((1, 2, 3))
