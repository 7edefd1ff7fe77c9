"""How a game ended, in words."""

from engine import Outcome, Rules, Side
from engine.counters import Counter, Event, Pattern
from engine.rules import Objective

MATERIAL = {
    Pattern.ANY: "",
    Pattern.THREE_V_ONE: "three pieces, a king among them, against a lone king",
    Pattern.UP_TO_THREE_V_ONE: "up to three pieces, a king among them, against a lone king",
    Pattern.UP_TO_TWO_V_ONE: "up to two pieces, a king among them, against a lone king",
    Pattern.KK_V_K: "two kings against one",
    Pattern.K_V_K: "king against king",
    Pattern.KKK_V_K: "three kings against one",
    Pattern.MANY_KINGS_V_K: "three or more kings against one",
    Pattern.ROAD: "three pieces against a lone king on the main road",
    Pattern.RIVER: "three kings against one, the river held by the three",
    Pattern.BALANCE_4_5: "kings on both sides, four or five pieces in all",
    Pattern.BALANCE_6_7: "kings on both sides, six or seven pieces in all",
    Pattern.SMALL: "kings on both sides, at most four pieces each",
    Pattern.ONE_V_ONE: "one piece each",
}
EVENTS = {Event.CAPTURE: "capture", Event.MAN: "move of a man", Event.PROMOTION: "promotion"}


def describe_end(outcome: Outcome, rules: Rules) -> str:
    """Who won and by which rule: `White wins: Black has no legal move (blocked)`."""
    if outcome.winner is None:
        return f"Draw: {_drawing(outcome.reason, rules)}."
    return f"{side_name(outcome.winner)} wins: {_winning(outcome, rules)}."


def side_name(side: Side) -> str:
    """`White` or `Black`."""
    return side.name.capitalize()


def _winning(outcome: Outcome, rules: Rules) -> str:
    winner = outcome.winner
    assert winner is not None
    loser = winner.other
    if outcome.reason == "resigned":
        return f"{side_name(loser)} resigned"
    if outcome.reason == "king":
        return "the first king (king)"
    stuck = side_name(winner if rules.objective is Objective.LOSE else loser)
    return f"{stuck} has {'no legal move' if outcome.reason == 'blocked' else 'no piece'} ({outcome.reason})"


def _drawing(reason: str, rules: Rules) -> str:
    if reason == "repetition":
        return f"the position stood there {rules.repetition} times (repetition)"
    counter = next((counter for counter in rules.counters if counter.id == reason), None)
    return reason if counter is None else f"{describe_counter(counter)} (rule {reason})"


def describe_counter(counter: Counter) -> str:
    """What a draw counter counts: `15 moves of each side without a capture`."""
    moves, odd = divmod(counter.limit, 2)
    if counter.limit == 0:
        count = ""
    elif counter.strong_only:
        count = f"{counter.limit} moves of the stronger side"
    elif odd:
        count = f"{counter.limit} moves of both sides together"
    else:
        count = f"{moves} moves of each side"
    events = " or ".join(f"a {name}" for event, name in EVENTS.items() if event & counter.reset)
    without = f" without {events}" if events else ""
    return ": ".join(part for part in (MATERIAL[counter.start], count + without) if part)
