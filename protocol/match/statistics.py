"""Match statistics: scores, Elo, normalized Elo, LOS and sequential tests, trinomial and pentanomial.

All formulas are those of the match runner's specification, section 4. One game counts 1, 1/2 or 0 for the
engine under test; a *pentanomial* count works on pairs of games from one opening with colours swapped, whose
scores are 0, 1/4, 1/2, 3/4 and 1. The exact log-likelihood ratios follow the published work of Michel Van den
Bergh on generalised sequential probability ratio tests.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.errors import OptionError

ELO_PER_NAT = 800.0 / math.log(10.0)
"""The constant C = 800 / ln 10 that turns a shift in standard deviations into normalized Elo."""

Z95 = 1.959964
"""Two-sided 95 % quantile of the normal distribution."""

EMPTY_COUNT = 0.001
"""Replaces a zero count inside likelihood ratios, so that a one-sided match still comes to a decision."""


class Model(StrEnum):
    """What an SPRT hypothesis fixes: the mean score (logistic Elo) or the mean over sigma (normalized Elo)."""

    LOGISTIC = "logistic"
    NORMALIZED = "normalized"


class Decision(StrEnum):
    """Outcome of a sequential test so far."""

    CONTINUE = "continue"
    ACCEPT_H0 = "H0"
    ACCEPT_H1 = "H1"


def elo_to_score(elo: float) -> float:
    """Return the expected score of a player `elo` logistic Elo points stronger than the opponent."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def score_to_elo(score: float) -> float:
    """Return the logistic Elo difference of an expected score; 0 and 1 (and beyond) give -inf and +inf."""
    if score <= 0.0:
        return -math.inf
    if score >= 1.0:
        return math.inf
    return 400.0 * math.log10(score / (1.0 - score))


@dataclass(frozen=True, slots=True)
class Sample:
    """Counts of equally spaced scores from 0 to 1: three of them (L, D, W) for games, five for pairs."""

    counts: tuple[float, ...]

    @classmethod
    def trinomial(cls, wins: int, draws: int, losses: int) -> Sample:
        """Return the sample of single games."""
        return cls((losses, draws, wins))

    @classmethod
    def pentanomial(cls, counts: Sequence[int]) -> Sample:
        """Return the sample of pairs from the counts of LL, LD, DD or WL, WD and WW."""
        if len(counts) != 5:
            raise ValueError(f"a pentanomial sample has five counts, not {len(counts)}")
        return cls(tuple(counts))

    @property
    def pairs(self) -> bool:
        """Whether one observation is a pair of games."""
        return len(self.counts) == 5

    @property
    def scores(self) -> tuple[float, ...]:
        """The score that belongs to each count."""
        return tuple(i / (len(self.counts) - 1) for i in range(len(self.counts)))

    @property
    def size(self) -> float:
        """Number of observations (games or pairs)."""
        return sum(self.counts)

    @property
    def mean(self) -> float:
        """Mean score; 1/2 when nothing was observed."""
        if not self.size:
            return 0.5
        return sum(n * a for n, a in zip(self.counts, self.scores, strict=True)) / self.size

    @property
    def variance(self) -> float:
        """Variance of one observation."""
        if not self.size:
            return 0.0
        mean = self.mean
        return sum(n * (a - mean) ** 2 for n, a in zip(self.counts, self.scores, strict=True)) / self.size

    @property
    def standard_error(self) -> float:
        """Standard error of the mean score."""
        return math.sqrt(self.variance / self.size) if self.size else 0.0

    @property
    def sigma_game(self) -> float:
        """Standard deviation of one game, which normalized Elo refers to."""
        return math.sqrt(self.variance * (2.0 if self.pairs else 1.0))

    def regularised(self) -> Sample:
        """Return the sample with empty counts replaced by `EMPTY_COUNT`, as likelihood ratios need it."""
        return Sample(tuple(n if n > 0 else EMPTY_COUNT for n in self.counts))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % error (half the width of the interval); either may be infinite."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.2f} +- {self.error:.2f}"


def elo(sample: Sample) -> Estimate:
    """Return logistic Elo with the 95 % error. An empty sample gives 0 +- inf, a clean score +-inf."""
    if not sample.size:
        return Estimate(0.0, math.inf)
    value = score_to_elo(sample.mean)
    low = score_to_elo(sample.mean - Z95 * sample.standard_error)
    high = score_to_elo(sample.mean + Z95 * sample.standard_error)
    if math.isinf(value):
        return Estimate(value, math.inf)
    return Estimate(value, (high - low) / 2.0)


def normalized_elo(sample: Sample) -> Estimate:
    """Return normalized Elo (the shift in units of a game's standard deviation, times C) with its error."""
    if not sample.size:
        return Estimate(0.0, math.inf)
    sigma = sample.sigma_game
    if sigma == 0.0:
        shift = sample.mean - 0.5
        return Estimate(math.copysign(math.inf, shift) if shift else 0.0, math.inf)
    value = (sample.mean - 0.5) / sigma * ELO_PER_NAT
    return Estimate(value, Z95 * sample.standard_error / sigma * ELO_PER_NAT)


def likelihood_of_superiority(sample: Sample) -> float:
    """Return the probability that the engine is the stronger one, by the normal approximation."""
    shift = sample.mean - 0.5
    error = sample.standard_error
    if error == 0.0:
        return 0.5 if shift == 0.0 else float(shift > 0.0)
    return (1.0 + math.erf(shift / (error * math.sqrt(2.0)))) / 2.0


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of a strictly falling function inside the open interval by bisection."""
    for _ in range(200):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        if function(middle) > 0.0:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def _tilted(p: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return the likelihood-maximising distribution under which `values` has mean zero.

    `p` is the observed distribution; the answer is p_i / (1 + x v_i) for the x that makes the mean vanish.
    When all values have one sign the constraint cannot be met; the observed distribution is returned then.
    """
    if min(values) >= 0.0 or max(values) <= 0.0:
        return list(p)

    def mean(x: float) -> float:
        return sum(q * v / (1.0 + x * v) for q, v in zip(p, values, strict=True))

    x = _root(mean, -1.0 / max(values), -1.0 / min(values))
    return [q / (1.0 + x * v) for q, v in zip(p, values, strict=True)]


def _constrained_mean(p: Sequence[float], scores: Sequence[float], mean: float) -> list[float]:
    """Return the most likely distribution of the given mean score."""
    return _tilted(p, [a - mean for a in scores])


def _constrained_shift(p: Sequence[float], scores: Sequence[float], shift: float) -> list[float]:
    """Return the most likely distribution whose (mean - 1/2) / sigma is `shift`.

    The constraint is not linear; it is linearised around the current distribution, starting from the uniform
    one, until nothing moves by more than 1e-4 or ten rounds have passed.
    """
    current = [1.0 / len(p)] * len(p)
    for _ in range(10):
        mean = sum(q * a for q, a in zip(current, scores, strict=True))
        sigma = math.sqrt(sum(q * (a - mean) ** 2 for q, a in zip(current, scores, strict=True)))
        phi = [a - 0.5 - shift * sigma / 2.0 * (1.0 + ((a - mean) / sigma) ** 2) for a in scores]
        following = _tilted(p, phi)
        moved = max(abs(a - b) for a, b in zip(following, current, strict=True))
        current = following
        if moved < 1e-4:
            break
    return current


def llr_exact(sample: Sample, elo0: float, elo1: float, model: Model = Model.NORMALIZED) -> float:
    """Return the generalised log-likelihood ratio of H1 (`elo1`) against H0 (`elo0`); 0 with no observation."""
    if not sample.size:
        return 0.0
    regular = sample.regularised()
    scores = regular.scores
    p = [n / regular.size for n in regular.counts]
    if model is Model.LOGISTIC:
        p0, p1 = (_constrained_mean(p, scores, elo_to_score(e)) for e in (elo0, elo1))
    else:
        scale = (math.sqrt(2.0) if sample.pairs else 1.0) / ELO_PER_NAT
        p0, p1 = (_constrained_shift(p, scores, e * scale) for e in (elo0, elo1))
    return sum(n * math.log(b / a) for n, a, b in zip(regular.counts, p0, p1, strict=True))


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential probability ratio test of `elo1` against `elo0`.

    Raises `OptionError` for settings that cannot decide anything.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = Model.NORMALIZED

    def __post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1)):
            raise OptionError("SPRT bounds elo0 and elo1 must be finite numbers")
        if self.elo0 >= self.elo1:
            raise OptionError(f"SPRT needs elo0 < elo1, got {self.elo0:g} and {self.elo1:g}")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0.0 < value < 1.0:
                raise OptionError(f"SPRT {name} must lie between 0 and 1, got {value:g}")
        if self.alpha + self.beta >= 1.0:
            raise OptionError(f"SPRT needs alpha + beta < 1, got {self.alpha:g} + {self.beta:g}")

    @property
    def lower(self) -> float:
        """H0 is accepted at or below this ratio."""
        return math.log(self.beta / (1.0 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted at or above this ratio."""
        return math.log((1.0 - self.beta) / self.alpha)

    def llr(self, sample: Sample) -> float:
        """Return the exact log-likelihood ratio of the sample."""
        return llr_exact(sample, self.elo0, self.elo1, self.model)

    def decide(self, sample: Sample) -> Decision:
        """Return the decision on the sample, which must consist of complete pairs to be fair."""
        llr = self.llr(sample)
        if llr >= self.upper:
            return Decision.ACCEPT_H1
        if llr <= self.lower:
            return Decision.ACCEPT_H0
        return Decision.CONTINUE
