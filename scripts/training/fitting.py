"""Logistic regression: the weights whose score tells best how games end.

The model's logit is the score of the evaluation divided by `scale`; its target lies between the result of the game and
what the score of the search promises. The loss is the mean cross entropy plus an L2 penalty, minimised by L-BFGS.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar

from training.samples import Data, Samples

PATIENCE = 15  # iterations without a better loss on the held-out games after which it ends

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Step:
    """Losses after an iteration: mean cross entropy against the blended target, and against the results alone."""

    iteration: int
    train_loss: float
    heldout_loss: float
    heldout_result_loss: float


@dataclass(frozen=True, slots=True)
class Fit:
    """The weights that were best on the held-out games, as logits, opening and ending in two columns."""

    weights: Array
    best: Step
    steps: tuple[Step, ...]


def entropy(logits: Array, target: Array) -> float:
    """Mean cross entropy of predictions against targets between 0 and 1."""
    return float(np.mean(np.logaddexp(0.0, logits) - target * logits, dtype=np.float64))


def sigmoid(x: Array) -> Array:
    """The logistic function."""
    found: Array = 0.5 * (1 + np.tanh(0.5 * x))
    return found


def scale_of(samples: Samples) -> float:
    """Centi-men of search score for one logit of the result."""
    found = minimize_scalar(
        lambda log: entropy(samples.score / np.exp(log), samples.result), bounds=(2.0, 8.0), method="bounded"
    )
    return float(np.exp(found.x))


def target_of(samples: Samples, blend: float, scale: float) -> Array:
    """Result and promise of the search; `blend` is the share of the search."""
    found: Array = (1 - blend) * samples.result + blend * sigmoid(samples.score / scale)
    return found.astype(np.float32)


def logits_of(samples: Samples, weights: Array) -> Array:
    """The model's predictions."""
    parts = samples.matrix @ weights.astype(np.float32)
    found: Array = samples.opening * parts[:, 0] + (1 - samples.opening) * parts[:, 1]
    return found * slope_of(samples, found)


def slope_of(samples: Samples, logits: Array) -> Array:
    """What few pieces against a king leave of a score; the sign of the logits says for whom."""
    found: Array = np.where(logits > 0, samples.ahead, samples.behind)
    return found


def fit(
    data: Data,
    penalty: Array,
    blend: float,
    scale: float,
    iterations: int,
    start: Array | None = None,
    on_step: Callable[[Step], None] | None = None,
) -> Fit:
    """Find the weights; `penalty` is the L2 penalty of each feature, `start` the weights that are begun with and
    drawn to."""
    train, held = data.train, data.held_out
    goal, held_goal = target_of(train, blend, scale), target_of(held, blend, scale)
    centre = np.zeros((train.matrix.shape[1], 2)) if start is None else start
    back = train.matrix.T.tocsr()
    shares = np.stack([train.opening, 1 - train.opening], axis=1)
    # in units of about the same curvature L-BFGS needs a quarter of the iterations
    curvature = 0.2 * (back.power(2) @ shares**2) / len(train) + penalty[:, None]
    unit = 1 / np.sqrt(curvature.astype(np.float64))
    steps: list[Step] = []
    last = [0.0]
    best: tuple[Step, Array] | None = None

    def weights_of(flat: Array) -> Array:
        found: Array = centre + unit * flat.reshape(-1, 2)
        return found

    def loss(flat: Array) -> tuple[float, Array]:
        weights = weights_of(flat)
        logits = logits_of(train, weights)
        last[0] = entropy(logits, goal)
        away = weights - centre
        value = last[0] + 0.5 * float(np.sum(penalty[:, None] * away**2))
        slope = back @ (shares * ((sigmoid(logits) - goal) * slope_of(train, logits))[:, None])
        gradient = slope.astype(np.float64) / len(train) + penalty[:, None] * away
        return value, (unit * gradient).ravel()

    def note(flat: Array) -> None:
        logits = logits_of(held, weights_of(flat))
        step = Step(len(steps) + 1, last[0], entropy(logits, held_goal), entropy(logits, held.result))
        steps.append(step)
        nonlocal best
        if best is None or step.heldout_loss < best[0].heldout_loss:
            best = step, weights_of(flat)
        if on_step is not None:
            on_step(step)
        if step.iteration - best[0].iteration >= PATIENCE:
            raise StopIteration

    minimize(
        loss, np.zeros(centre.size), jac=True, method="L-BFGS-B", callback=note,
        options={"maxiter": iterations, "maxcor": 12, "ftol": 1e-8, "gtol": 1e-7},
    )  # fmt: skip
    assert best is not None
    return Fit(best[1], best[0], tuple(steps))
