"""`damier match`: games between engines, with statistics."""

import argparse
import os
import sys
from pathlib import Path

HELP = "play a match or tournament between engines"
EXAMPLES = """
damier match --engine 'name=A cmd="damier hub"' --engine 'name=B cmd="damier hub" strength=10' --tc 10+0.1
damier match --engine ... --engine ... --variant russian --tc movetime=0.05 --games 200 --pdn games.pdn
damier match --engine ... --engine ... --tc 5+0.05 --games 20000 --sprt 0,5 --journal match.jsonl --resume
damier match tournament.toml --report table.html
"""
USAGE_CODE = 1  # exit code of a wrong command line; 2 means that an engine cannot be started

EPILOG = """\
an engine is described by NAME=VALUE words: name, cmd, dir, protocol, tc, movetime, depth, nodes, margin,
start-timeout, address, env.NAME; every other name (or option.NAME) is an option that the engine is sent:
  --engine 'name=A cmd="damier hub" threads=1' --engine 'name=B cmd="damier hub" depth=2'
a DXP program has an address, and a command if it is to be started; it knows whole minutes only:
  --engine 'name=C protocol=dxp address=localhost:27531 cmd="scan dxp-server" tc=300'
a time control is [MOVES/]SECONDS[+INC], movetime=SECONDS, depth=N, nodes=N, or several with commas;
an engine's own limits replace those of --tc.

exit codes: 0 finished, 1 wrong use or settings, 2 an engine cannot be started, 3 interrupted (can be resumed).
The first ^C lets the running games end, the second breaks them off.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options; their values are read by `protocol.match.config`."""
    parser.epilog = EPILOG
    parser.add_argument("config", nargs="?", type=Path, metavar="FILE.toml", help="settings under the same names")

    def group(title: str, *options: tuple[str, str, str]) -> None:
        place = parser.add_argument_group(title)
        for name, metavar, text in options:
            place.add_argument(f"--{name}", metavar=metavar, help=text)

    parser.add_argument("--engine", action="append", metavar="SPEC", help="an engine; at least two")
    parser.add_argument("--rule", action="append", metavar="NAME=VALUE", help="a house rule of the variant")
    group(
        "the match",
        ("variant", "NAME", "variant played (international)"),
        ("tc", "TC", "time control of all engines"),
        ("games", "N", "games of each meeting, an even number (2)"),
        ("format", "NAME", "round-robin, gauntlet or swiss (round-robin)"),
        ("rounds", "N", "rounds of a Swiss tournament"),
        ("seeds", "N", "engines that play the gauntlet, the first ones (1)"),
        ("sprt", "ELO0,ELO1", "stop when decided; more: ,alpha=0.05,beta=0.05,model=normalized|logistic"),
        ("event", "NAME", "event in PDN and report"),
    )
    group(
        "openings",
        ("openings", "SOURCE", "start, ply=N (all legal sequences) or a file of PDN games or FENs (ply=2)"),
        ("opening-plies", "N", "use the first N plies of each PDN game"),
        ("opening-order", "ORDER", "random or sequential (random)"),
        ("opening-start", "N", "number of the first opening used, from 0"),
        ("seed", "N", "seed of the random order (1)"),
        ("balance", "MEN", "drop openings with a score beyond this, or off (1.0)"),
        ("balance-depth", "N", "depth of the search that judges them (6)"),
    )
    group(
        "adjudication",
        ("draw", "RULE", "for example move=40,count=8,score=0.10: scores of each engine in a row"),
        ("resign", "RULE", "for example count=4,score=6.00,two-sided=true"),
        ("max-plies", "N", "draw after so many plies, 0 for no cap (500)"),
    )
    group(
        "patience, in seconds",
        ("margin", "S", "time beyond the clock that is forgiven (0.05)"),
        ("start-timeout", "S", "for an engine to get ready (10)"),
        ("stall", "S", "for a move where no clock runs (60)"),
        ("grace", "S", "for an engine to stop when its time is over (2)"),
    )
    group(
        "work",
        ("concurrency", "N", "games at once (cores / threads of an engine)"),
        ("cluster", "ADDRESS", "play on the workers of a Dask scheduler (extra damier[cluster])"),
        ("on-fault", "POLICY", "recover: the engine loses the game and is restarted; stop: the match stops too"),
    )
    group(
        "files",
        ("pdn", "FILE", "all games"),
        ("pdn-order", "ORDER", "finished or schedule (finished)"),
        ("journal", "FILE", "what --resume needs: one JSON line a game"),
        ("report", "FILE", "result as text; JSON or an HTML page if the name ends so"),
        ("log", "DIR", "what engines write to stderr (JOURNAL.stderr)"),
    )
    for name, text in (
        ("pin", "keep each game at once to one CPU"),
        ("resume", "go on with the match in the journal, or begin it"),
        ("force", "resume although settings have changed"),
        ("overwrite", "replace existing files"),
        ("quiet", "show one line a game only"),
    ):
        parser.add_argument(f"--{name}", action="store_true", help=text)


def run(args: argparse.Namespace) -> int:
    """Play the match; returns the exit code."""
    from engine.errors import DamierError
    from protocol.match.config import load_config
    from protocol.match.display import make_display
    from protocol.match.runner import MatchRunner, warn_about_load

    values = {name.replace("_", "-"): value for name, value in vars(args).items()}
    toml, quiet = values.pop("config"), values.pop("quiet")
    try:
        config = load_config(values, toml)
        if warning := warn_about_load(config, os.cpu_count() or 1):
            print(f"damier match: warning: {warning}", file=sys.stderr)
        return MatchRunner(config, make_display(quiet=quiet)).run()
    except BrokenPipeError:
        raise
    except (DamierError, OSError) as error:
        print(f"damier match: {error}", file=sys.stderr)
        return USAGE_CODE
