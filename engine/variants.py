"""The rules table: every variant with a name, each figure with its source.

Sources in brackets are explained in docs/rules.md. No other module names a variant.
"""

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

from engine.counters import Counter, Event, Pattern
from engine.errors import RulesError
from engine.rules import Objective, Precedence, Promotion, RuleOption, Rules
from engine.types import Side

Value = bool | int | str
QUIET = Event.CAPTURE | Event.MAN  # what restarts a count of king moves
BALANCE = Event.CAPTURE | Event.PROMOTION

# --------------------------------------------------------------------------------------------- counters
# FMJD Annex 1, articles 6.2-6.4
I25 = Counter("i25", Pattern.ANY, 50, QUIET)
I16 = Counter("i16", Pattern.THREE_V_ONE, 32, hold=Pattern.UP_TO_THREE_V_ONE)
I5 = Counter("i5", Pattern.UP_TO_TWO_V_ONE, 10)
# FMJD-64, articles 7.2.4-7.2.8
R4 = Counter("r4", Pattern.MANY_KINGS_V_K, 30, Event.CAPTURE)
R5 = Counter("r5", Pattern.ANY, 30, QUIET)
R6A = Counter("r6a", Pattern.BALANCE_4_5, 60, BALANCE)
R6B = Counter("r6b", Pattern.BALANCE_6_7, 120, BALANCE)
R7 = Counter("r7", Pattern.ROAD, 10)
R8 = Counter("r8", Pattern.UP_TO_TWO_V_ONE, 10)
ROAD = Counter("road", Pattern.ROAD, 10)
# FPD, articles 3.8 and 5.3
S12 = Counter("s12", Pattern.RIVER, 12, hold=Pattern.KKK_V_K, strong_only=True)
S20 = Counter("s20", Pattern.SMALL, 40, QUIET, off_while=("s12",))


# --------------------------------------------------------------------------------------------- options
def _change_counters(rules: Rules, change: Callable[[Counter], Counter | None]) -> Rules:
    changed = (change(counter) for counter in rules.counters)
    return replace(rules, counters=tuple(counter for counter in changed if counter is not None))


def _set_limit(name: str, limit: int) -> Callable[[Rules], Rules]:
    def apply(rules: Rules) -> Rules:
        return _change_counters(rules, lambda c: replace(c, limit=limit) if c.id == name else c)

    return apply


def _drop(name: str) -> Callable[[Rules], Rules]:
    return lambda rules: _change_counters(rules, lambda c: None if c.id == name else c)


def _add(counter: Counter) -> Callable[[Rules], Rules]:
    return lambda rules: replace(rules, counters=(*rules.counters, counter))


def _change(name: str, **fields: object) -> Callable[[Rules], Rules]:
    def apply(rules: Rules) -> Rules:
        return _change_counters(rules, lambda c: replace(c, **fields) if c.id == name else c)  # type: ignore[arg-type]

    return apply


def _then(*steps: Callable[[Rules], Rules]) -> Callable[[Rules], Rules]:
    def apply(rules: Rules) -> Rules:
        for step in steps:
            rules = step(rules)
        return rules

    return apply


def _choice(name: str, default: str, other: str, change: Callable[[Rules], Rules], text: str) -> RuleOption:
    """An option with two readings; `other` changes the default rules."""
    return RuleOption(name, default, text, lambda r, v: change(r) if v == other else r, values=(default, other))


def _switch(name: str, change: Callable[[Rules], Rules], text: str, default: bool = False) -> RuleOption:
    """An on/off option; turning it away from its default changes the rules."""
    return RuleOption(name, default, text, lambda r, v: change(r) if v != default else r)


MOVE_LIMIT = RuleOption(
    "move-limit",
    0,
    "drawn after this many moves, those of both sides together, 0 = no limit",
    lambda rules, value: _add(Counter("move-limit", Pattern.ANY, int(value)))(rules) if value else rules,
    maximum=10000,
)
DRAW_MODE = RuleOption(
    "draw-mode",
    "auto",
    "draws end the game by themselves, or are only reported as claimable",
    lambda rules, value: replace(rules, claims=value == "claim"),
    values=("auto", "claim"),
)


def _common(repetition: int) -> tuple[RuleOption, ...]:
    """Options that every variant has."""
    return (
        RuleOption(
            "repetition",
            repetition,
            "n-th occurrence of a position that draws, 0 = never",
            lambda rules, value: replace(rules, repetition=int(value)),
            maximum=10,
        ),
        MOVE_LIMIT,
        DRAW_MODE,
    )


MANDATORY = RuleOption(
    "mandatory-capture",
    True,
    "off: any move may be played at the start of a turn, but a begun capture must be finished",
    lambda rules, value: replace(rules, mandatory=bool(value)),
)
ENGLISH_RULE = _choice(
    "english-rule", "seed", "wcdf", _set_limit("e40", 80), "40 moves in all, or of each side (WCDF 1.32)"
)
INTL_16 = _choice(
    "intl-16",
    "cap",
    "drop",
    _change("i16", hold=Pattern.THREE_V_ONE),
    "a capture into 2 v 1 ends the 16-move count",
)
INTL_ROAD = _switch("intl-road", _add(ROAD), "5 moves while the lone king holds the main road")
POOL_ROAD = replace(INTL_ROAD, name="pool-road")
KILLER_LIMITS = _choice(
    "killer-limits",
    "killer",
    "international",
    lambda rules: replace(rules, counters=(I25, I16, I5, *(c for c in rules.counters if c.id == MOVE_LIMIT.name))),
    "limits of few-piece endings: only 1 v 1, or as in the international game",
)
R5_R6 = _choice(
    "r5-r6",
    "independent",
    "replace",
    _change("r5", off_while=("r4", "r6a", "r6b", "r7", "r8")),
    "15 kings-only moves also in endings of few pieces, or the counts of those instead",
)
BALANCE_UNIT = _choice(
    "balance-unit",
    "each",
    "total",
    _then(_set_limit("r6a", 30), _set_limit("r6b", 60)),
    "30 and 60 moves of unchanged balance: of each side, or in all",
)
ROAD_LEAVE = _choice(
    "road-leave",
    "reset",
    "pause",
    _change("r7", start=Pattern.THREE_V_ONE, tick_if=Pattern.ROAD),
    "leaving the main road drops the count, or lets it wait",
)
BRAZIL_QUIET = RuleOption(
    "brazil-quiet",
    "15",
    "kings-only moves of each side: 15 (FMJD-64) or 20 (national rule)",
    lambda rules, value: _set_limit("r5", 2 * int(value))(rules),
    values=("15", "20"),
)
CZECH_UNIT = _choice("czech-unit", "each", "total", _set_limit("c15", 15), "15 moves: of each side, or in all")
TURKISH_1V1 = RuleOption(
    "turkish-1v1",
    "quiet",
    "one piece each: drawn unless a capture is due, drawn always, or drawn two moves each later",
    lambda rules, value: {
        "quiet": _then(),
        "literal": _change("t1", quiet=False),
        "grace": _change("t1", quiet=False, limit=4),
    }[str(value)](rules),
    values=("quiet", "literal", "grace"),
)
TURKISH_NOCAPTURE = _switch(
    "turkish-nocapture",
    _add(Counter("t25", Pattern.ANY, 50, Event.CAPTURE)),
    "drawn after 25 moves of each side without a capture",
)
TURKISH_PROMOTION = _choice(
    "turkish-promotion",
    "end",
    "continue",
    lambda rules: replace(rules, promotion=Promotion.CONTINUES),
    "a man reaching the last row in mid-capture is crowned at the end of the move, or at once and goes on",
)
FRISIAN_1V1 = RuleOption(
    "frisian-1v1",
    "plies",
    "king against king: drawn after two moves each, or as soon as neither can force a capture",
    lambda rules, value: replace(rules, bare_kings_draw="f2" if value == "exact" else ""),
    values=("plies", "exact"),
)
THAI_QUIET = _switch("thai-quiet", _drop("h25"), "drawn after 25 kings-only moves of each side", default=True)

# --------------------------------------------------------------------------------------------- the table
INTERNATIONAL = Rules(
    name="international",
    title="International draughts",
    gametype=20,
    gametype_tag="20,W,10,10,N2,0",
    aliases=("normal", "standard", "draughts", "international-draughts", "10x10", "fromposition", "chess"),
    hub_name="normal",
    columns=10,
    rows=10,
    men=20,
    precedence=Precedence.MAJORITY,
    counters=(I25, I16, I5),
    international_results=True,
    options=(*_common(3), INTL_16, INTL_ROAD),
)
FRISIAN = replace(
    INTERNATIONAL,
    name="frisian",
    title="Frisian draughts",
    gametype=40,
    gametype_tag="40,W,10,10,N2,0",
    aliases=(),
    hub_name="",
    orthogonal_captures=True,
    precedence=Precedence.VALUE,
    king_move_limit=3,
    repetition=0,
    counters=(Counter("f7", Pattern.KK_V_K, 14), Counter("f2", Pattern.K_V_K, 4)),
    international_results=False,
    options=(*_common(0), FRISIAN_1V1),
)
RUSSIAN = Rules(
    name="russian",
    title="Russian draughts",
    gametype=25,
    gametype_tag="25,W,8,8,A0,0",
    aliases=("shashki",),
    algebraic=True,
    first_square="bottom-left",
    promotion=Promotion.CONTINUES,
    counters=(R8, R7, R4, R5, R6A, R6B),
    capture_sign=":",
    options=(*_common(3), R5_R6, BALANCE_UNIT, ROAD_LEAVE),
)
ENGLISH = Rules(
    name="english",
    title="English draughts / American checkers",
    gametype=21,
    gametype_tag="21,B,8,8,N1,0",
    aliases=("checkers", "american-checkers", "american"),
    starts=Side.BLACK,
    flying=False,
    men_capture_back=False,
    promotion=Promotion.ENDS_MOVE,
    counters=(Counter("e40", Pattern.ANY, 40, QUIET),),
    first_player_results=True,
    options=(MANDATORY, *_common(3), ENGLISH_RULE),
)
SPANISH = Rules(
    name="spanish",
    title="Spanish draughts",
    gametype=24,
    gametype_tag="24,W,8,8,N1,1",
    left_dark=False,
    first_square="bottom-right",
    men_capture_back=False,
    precedence=Precedence.QUALITY,
    counters=(S12, S20),
    options=_common(3),
)

ROWS = (
    INTERNATIONAL,
    ENGLISH,
    Rules(
        name="italian",
        title="Italian draughts",
        gametype=22,
        gametype_tag="22,W,8,8,N2,1",
        left_dark=False,
        flying=False,
        men_capture_back=False,
        men_capture_kings=False,
        precedence=Precedence.ITALIAN,
        repetition=4,
        counters=(Counter("it40", Pattern.ANY, 80, QUIET),),
        options=_common(4),
    ),
    Rules(
        name="pool",
        title="American Pool checkers",
        gametype=23,
        gametype_tag="23,B,8,8,N1,0",
        starts=Side.BLACK,
        counters=(Counter("p13", Pattern.KKK_V_K, 26), Counter("p15", Pattern.ANY, 30, QUIET)),
        mixed_results=True,
        options=(*_common(3), POOL_ROAD),
    ),
    SPANISH,
    RUSSIAN,
    replace(
        RUSSIAN,
        name="brazilian",
        title="Brazilian draughts",
        gametype=26,
        gametype_tag="26,W,8,8,A0,0",
        aliases=(),
        precedence=Precedence.MAJORITY,
        promotion=Promotion.PASSES,
        counters=(R8, R7, R5, R6A, R6B),
        capture_sign="x",
        options=(*_common(3), R5_R6, BALANCE_UNIT, ROAD_LEAVE, BRAZIL_QUIET),
    ),
    replace(
        INTERNATIONAL,
        name="canadian",
        title="Canadian draughts",
        gametype=27,
        gametype_tag="27,W,12,12,N2,0",
        aliases=(),
        hub_name="",
        columns=12,
        rows=12,
        men=30,
        options=(*_common(3), INTL_16),
    ),
    replace(SPANISH, name="portuguese", title="Portuguese draughts", gametype=28, gametype_tag="28,W,8,8,N1,1"),
    Rules(
        name="czech",
        title="Czech draughts",
        gametype=29,
        gametype_tag="29,W,8,8,A0,0",
        algebraic=True,
        first_square="bottom-left",
        men_capture_back=False,
        precedence=Precedence.KING_FIRST,
        counters=(Counter("c15", Pattern.ANY, 30, QUIET),),
        options=(*_common(3), CZECH_UNIT),
    ),
    Rules(
        name="turkish",
        title="Turkish draughts",
        gametype=30,
        gametype_tag="30,W,8,8,A0,0",
        all_squares=True,
        algebraic=True,
        first_square="bottom-left",
        men=16,
        empty_back_rows=1,
        men_capture_back=False,
        instant_removal=True,
        may_reverse=False,
        precedence=Precedence.MAJORITY,
        counters=(Counter("t1", Pattern.ONE_V_ONE, 0, quiet=True),),
        options=(*_common(3), TURKISH_1V1, TURKISH_NOCAPTURE, TURKISH_PROMOTION),
    ),
    Rules(
        name="thai",
        title="Thai draughts (Makhos)",
        gametype=31,
        gametype_tag="31,B,8,8,N2,0",
        aliases=("makhos",),
        first_square="bottom-right",
        men=8,
        starts=Side.BLACK,
        lands_behind=True,
        men_capture_back=False,
        instant_removal=True,
        counters=(Counter("h25", Pattern.ANY, 50, QUIET),),
        capture_sign="-",
        options=(*_common(3), THAI_QUIET),
    ),
    FRISIAN,
    replace(
        FRISIAN,
        name="frysk",
        title="Frysk!",
        gametype=97,
        gametype_tag="97,W,10,10,N2,0",
        aliases=("frysk!",),
        men=5,
        international_results=True,
    ),
    replace(
        RUSSIAN,
        name="spantsiretti",
        title="Spantsiretti",
        gametype=41,
        gametype_tag="41,W,10,8,A0,0",
        aliases=(),
        columns=10,
        men=15,
        counters=(R8, R4, R5, R6A, R6B),  # no diagonal joins two corners: no road
        options=(*_common(3), R5_R6, BALANCE_UNIT),
    ),
    replace(
        INTERNATIONAL,
        name="killer",
        title="Killer draughts",
        gametype=None,
        gametype_tag="20,W,10,10,N2,0",
        aliases=(),
        hub_name="",
        stops_behind_king=True,
        counters=(I25, Counter("k5", Pattern.K_V_K, 10)),
        options=(*_common(3), KILLER_LIMITS),
    ),
    replace(
        INTERNATIONAL,
        name="breakthrough",
        title="Breakthrough draughts",
        gametype=96,
        gametype_tag="96,W,10,10,N2,0",
        aliases=("bt",),
        hub_name="bt",
        objective=Objective.BREAKTHROUGH,
        repetition=0,
        counters=(),
        options=_common(0),
    ),
)


def _losing(rules: Rules, name: str, **fields: object) -> Rules:
    """The same rules with the objective turned round; without move limits, as antidraughts is played."""
    return replace(
        rules,
        name=name,
        title=f"{rules.title}, losing game",
        gametype=None,
        aliases=(),
        hub_name="",
        objective=Objective.LOSE,
        repetition=3,
        counters=(),
        options=tuple(option for option in rules.options if option.name in LOSING_OPTIONS),
        **fields,  # type: ignore[arg-type]
    )


LOSING_OPTIONS = {"mandatory-capture", "repetition", "move-limit", "draw-mode", "turkish-promotion"}
LOSING_GAMES = tuple(
    f"{rules.name}-losing" for rules in ROWS if rules.objective is Objective.BLOCK and rules is not INTERNATIONAL
)
LOSING_ALIASES = {"poddavki": "russian-losing"}
LOSING = replace(
    _losing(INTERNATIONAL, "losing"),
    title="Antidraughts (losing international draughts)",
    gametype=98,
    gametype_tag="98,W,10,10,N2,0",
    aliases=("antidraughts", "giveaway", "suicide"),
)

VARIANTS: MappingProxyType[str, Rules] = MappingProxyType({rules.name: rules for rules in (*ROWS, LOSING)})
_NAMES = {alias: rules for rules in VARIANTS.values() for alias in (rules.name, *rules.aliases)}
_NAMES |= {str(rules.gametype): rules for rules in VARIANTS.values() if rules.gametype is not None}
_NAMES["99"] = INTERNATIONAL  # what lidraughts writes for games from a set-up position
DEFAULT_VARIANT = INTERNATIONAL.name  # where nobody names one


def find_variant(name: str) -> Rules:
    """The rules called `name`: a name, alias or GameType number in any case, or `VARIANT-losing`. Raises RulesError."""
    key = name.strip().lower()
    key = LOSING_ALIASES.get(key, key)
    if rules := _NAMES.get(key):
        return rules
    base, dash, suffix = key.rpartition("-")
    if dash and suffix == "losing" and (rules := _NAMES.get(base)) and rules.objective is Objective.BLOCK:
        return LOSING if rules is INTERNATIONAL else _losing(rules, f"{rules.name}-losing")
    raise RulesError(f"unknown variant {name!r}")


def variant_by_gametype(number: int) -> Rules:
    """The variant of a PDN GameType number. Raises RulesError."""
    if rules := _NAMES.get(str(number)):
        return rules
    raise RulesError(f"unknown GameType {number}")
