"""Writes what the documents take from the code: diagrams, tables of variants, the commands, the manual page.

A document holds such a piece between `<!-- generated: NAME -->` and `<!-- end -->`; `docs/commands.md` and the manual
page are generated whole. A test compares all of it with the code.

Example: python scripts/write_docs.py            (writes what has changed, and says so)
         python scripts/write_docs.py --check    (writes nothing; exit code 1 if something has changed)
"""

import argparse
import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TypeVar

from engine import VARIANTS, VERSION, Rules
from engine.moves import hot_module
from protocol import commands, dxp_states, phases

ROOT = Path(__file__).resolve().parent.parent
PIECE = re.compile(r"(<!-- generated: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
MANUAL = Path("share/man/man1/damier.1")

State = TypeVar("State", bound=Enum)
Step = TypeVar("Step", bound=Enum)


# ------------------------------------------------------------------ state machines
def diagram(table: Mapping[tuple[State, Step], State], first: State, last: State) -> str:
    """A table of transitions as a Mermaid state diagram; steps between the same states share an arrow."""
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {first.value}"]
    arrows: dict[tuple[State, State], list[str]] = {}
    for (before, step), after in table.items():
        arrows.setdefault((before, after), []).append(str(step.value).replace(";", ","))
    lines += [f"    {a.value} --> {b.value}: {' / '.join(steps)}" for (a, b), steps in arrows.items()]
    return "\n".join([*lines, f"    {last.value} --> [*]", "```", ""])


# ------------------------------------------------------------------ packages
def packages() -> str:
    """Which part of the product imports which, as a Mermaid graph."""
    arrows = set()
    for file in sorted((*(ROOT / "engine").rglob("*.py"), *(ROOT / "protocol").rglob("*.py"))):
        if "wide" not in file.parts:
            here = part(".".join(file.relative_to(ROOT).with_suffix("").parts))
            arrows |= {(here, part(name)) for name in imported(file) if name.startswith(("engine", "protocol"))}
    names = {name: f"p{number}" for number, name in enumerate(sorted({one for arrow in arrows for one in arrow}))}
    boxes = [f'    {key}["{name}"]' for name, key in names.items()]
    lines = [f"    {names[a]} --> {names[b]}" for a, b in sorted(arrows) if a != b]
    return "\n".join(["```mermaid", "graph TD", *boxes, *lines, "```", ""])


def imported(file: Path) -> Iterator[str]:
    """Full names of the modules that a file imports."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = (ROOT / Path(*node.module.split("."))).is_dir()
            yield from (f"{node.module}.{alias.name}" if inner else node.module for alias in node.names)


def part(module: str) -> str:
    """The part of the product that a module belongs to: a package, or the compiled modules of the engine."""
    package, _, rest = module.partition(".")
    name = rest.partition(".")[0]
    if package == "engine":
        return "engine *" if (ROOT / "engine" / f"{name}.pxd").exists() else "engine"
    if name in ("cli", "__main__"):
        return "protocol.cli"
    return f"protocol.{name}" if (ROOT / "protocol" / name).is_dir() and name else "protocol"


# ------------------------------------------------------------------ variants
def boards() -> str:
    """Names, boards and notation of every variant."""
    heads = ("name", "GameType", "board", "men", "begins", "squares in texts", "also called")
    return table(heads, map(board, VARIANTS.values()))


def board(rules: Rules) -> tuple[str, ...]:
    """One row of `boards`."""
    corner = f"1 at the {rules.first_square.replace('-', ' ')}"
    return (
        f"`{rules.name}`",
        "" if rules.gametype is None else str(rules.gametype),
        f"{rules.columns}x{rules.rows}, {rules.squares} squares{'' if rules.left_dark else ', mirrored'}",
        str(rules.men),
        rules.starts.name.title(),
        f"a1 to {rules.square_name(rules.row_length)}" if rules.algebraic else corner,
        ", ".join(f"`{alias}`" for alias in rules.aliases),
    )


def play() -> str:
    """The fields that decide how each variant is played."""
    heads = ("name", "men capture", "kings", "which capture", "last row in a capture", "draws", "options")
    return table(heads, map(fields, VARIANTS.values()))


def fields(rules: Rules) -> tuple[str, ...]:
    """One row of `play`."""
    counters = [counter.id for counter in rules.counters]
    return (
        f"`{rules.name}`",
        "both ways" if rules.men_capture_back else "not backward",
        "flying" if rules.flying else "short",
        words(rules.precedence),
        words(rules.promotion),
        ", ".join([f"position {rules.repetition} times"] * (rules.repetition > 0) + counters),
        ", ".join(f"`{option.name}`" for option in rules.options),
    )


def words(member: Enum) -> str:
    """The name of a member of an enumeration, as words."""
    return member.name.lower().replace("_", " ")


def table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A Markdown table."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ("---",) * len(heads), *rows)) + "\n"


# ------------------------------------------------------------------ evaluation
def hand_made() -> str:
    """The figures of the hand-made evaluation."""
    figures = hot_module("evaluate", wide=False)
    rows = (
        ("a man", figures.MAN),
        ("a flying king", figures.FLYING_KING),
        ("a short king", figures.SHORT_KING),
        ("a man that has come forward, from the home row on (stretched to the rows)", figures.ADVANCE),
        ("... where the first king wins: that, times", figures.RUNNER),
        ("a man on the home row", figures.HOME),
        ("a man in the centre", figures.CENTRE),
        ("an empty square beside a king", figures.STEP),
        ("a king in the centre", figures.KING_CENTRE),
        ("a king on the main road", figures.KING_ROAD),
        ("to be on the move", figures.TURN),
    )
    texts = ((what, " ".join(map(str, worth)) if isinstance(worth, tuple) else str(worth)) for what, worth in rows)
    return table(("what", "centi-men"), texts)


# ------------------------------------------------------------------ commands
Entry = tuple[str, str]  # how an argument is written, and what it means


def entries(parser: argparse.ArgumentParser) -> Iterator[Entry]:
    """The arguments of a command in the order of its `--help`, without the layout of any version of argparse."""
    for action in parser._actions:
        if action.help == argparse.SUPPRESS or isinstance(action, argparse._HelpAction | argparse._SubParsersAction):
            continue
        shown = action.metavar or ("{" + ",".join(map(str, action.choices)) + "}" if action.choices else None)
        value = "" if action.nargs == 0 else str(shown or action.dest.upper())
        name = ", ".join(f"{option} {value}".rstrip() for option in action.option_strings) or value
        yield name, (action.help or "") % {**vars(action), "prog": parser.prog}


def parts(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """The command itself and the actions that it may have, each under its full name."""
    yield parser.prog, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from parts(inner)


def commands_page() -> str:
    """docs/commands.md."""
    _, parsers = commands.tree()
    lines = [
        "# Commands",
        "",
        "<!-- scripts/write_docs.py writes this page from the code -->",
        "",
        "What `damier COMMAND --help` says. `damier` without a command serves the text protocol that the first line",
        "speaks. Where a command takes parameters of the engine, each is an option of its own, such as `--tt-size=24`",
        "and `--variant russian`; [hub.md](hub.md#parameters) lists them.",
    ]
    for name, parser in parsers.items():
        lines += ["", f"## damier {name}", "", f"{sentence(parser.description)}"]
        for prog, part in parts(parser):
            if prog != parser.prog:
                lines += ["", f"### {prog}"]
            lines += ["", *(f"- `{argument}`: {text}" for argument, text in entries(part))]
        lines += ["", "```", f"{str(parser.epilog).rstrip()}", "```"]
    return re.sub("\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def sentence(text: str | None) -> str:
    """With a capital letter and a full stop."""
    return f"{str(text)[0].upper()}{str(text)[1:]}."


def manual() -> str:
    """The manual page damier(1)."""
    _, parsers = commands.tree()
    lines = [
        f'.TH DAMIER 1 "" "damier {VERSION}" "User Commands"',
        ".SH NAME",
        r"damier \- a draughts engine as a protocol server",
        ".SH SYNOPSIS",
        r".B damier",
        r"[\fICOMMAND\fR] [\fIOPTION\fR...]",
        ".SH DESCRIPTION",
        roff(
            "A GUI, a bot or a tournament manager starts damier, speaks Hub, a UCI dialect or DXP to it, and gets "
            "moves. Without a command it serves the text protocol that the first line speaks. Where a command takes "
            "parameters of the engine, each is an option of its own: --NAME=VALUE."
        ),
        ".SH COMMANDS",
    ]
    for name, parser in parsers.items():
        lines += [f".SS damier {name}", roff(sentence(parser.description))]
        for prog, part in parts(parser):
            if prog != parser.prog:
                lines += [".PP", rf"\fB{roff(prog)}\fR"]
            for argument, text in entries(part):
                lines += [".TP", rf"\fB{roff(argument)}\fR", roff(text)]
        lines += [".PP", ".nf", *map(roff, str(parser.epilog).rstrip().splitlines()), ".fi"]
    lines += [
        ".SH ENVIRONMENT",
        ".TP",
        r"\fBDAMIER_LOG\fR",
        "a file to which the text protocols append every line of both directions",
        ".TP",
        r"\fBDAMIER_EGDB\fR",
        "the folder of endgame databases; off: none",
        ".SH EXIT STATUS",
        "0; 1 if a check found something; 2 for wrong use; 128 + n after signal n. A command that differs says so.",
    ]
    return "\n".join(lines) + "\n"


def roff(text: str) -> str:
    """Text as roff shows it letter for letter."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped


# ------------------------------------------------------------------ files
def example(path: str, language: str) -> str:
    """A file of examples/, whole."""
    return f"```{language}\n{(ROOT / 'examples' / path).read_text(encoding='utf-8').rstrip()}\n```\n"


PIECES: Mapping[str, Callable[[], str]] = {
    "phases": partial(diagram, phases.TRANSITIONS, phases.Phase.IDLE, phases.Phase.CLOSED),
    "dxp-states": partial(diagram, dxp_states.TRANSITIONS, dxp_states.State.IDLE, dxp_states.State.CLOSED),
    "packages": packages,
    "boards": boards,
    "play": play,
    "hand-made": hand_made,
    "lidraughts-bot": partial(example, "lidraughts-bot/engine.yml", "yaml"),
    "hub-gui": partial(example, "hub-gui/hub.ini", "ini"),
    "hub-gui-engine": partial(example, "hub-gui/engine.ini", "ini"),
    "joclyboard": partial(example, "joclyboard/details.yml", "yaml"),
    "gwdgui": partial(example, "gwdgui/engines.json", "json"),
    "py-draughts": partial(example, "py-draughts/play.py", "python"),
}


def documents() -> Iterator[tuple[Path, str]]:
    """Every file with something generated in it, and its text as it should be."""
    for file in sorted((ROOT / "docs").glob("*.md")):
        text = file.read_text(encoding="utf-8")
        if PIECE.search(text):
            yield file, PIECE.sub(lambda found: f"{found[1]}\n{PIECES[found[2]]()}\n{found[3]}", text)
    yield ROOT / "docs" / "commands.md", commands_page()
    yield ROOT / MANUAL, manual()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    changed = []
    for file, text in documents():
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            changed.append(file)
            if not check:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8", newline="\n")
            print(f"{file.relative_to(ROOT)} {'differs from the code' if check else 'written'}")
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
