"""Coverage-guided fuzzing of everything that reads a text: FEN and Hub positions, moves, PDN, the protocol machines.

Needs atheris (`pip install atheris`), which is no part of any extra. Inputs that reach new code are kept in the corpus
folder, so that the next run goes on from them; `--replay` feeds them again, without atheris, to any build of the core.

Example: python scripts/fuzz_coverage.py fen moves pdn hub hub1 uci dxp --minutes 5
         scripts/sanitize.sh 0 && python scripts/fuzz_coverage.py fen pdn --replay
Prints one JSON object for each target; exit code 1 if one failed, with the input in CORPUS/TARGET.crash-*.
"""

import argparse
import io
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

TARGETS = ("fen", "moves", "pdn", "hub", "hub1", "uci", "dxp")
LONGEST = 1024  # bytes of an input
SLOW = 20  # s for one input that count as a hang
STATISTICS = {
    "executions": r"stat::number_of_executed_units:\s*(\d+)",
    "branches": r"(?s).*\bcov: (\d+)",
    "inputs kept": r"stat::new_units_added:\s*(\d+)",
}


class Broken(Exception):
    """A promise that was not kept."""


def promise(kept: bool, text: str) -> None:
    """Raise Broken unless kept."""
    if not kept:
        raise Broken(text)


def seeds(target: str) -> Iterable[bytes]:
    """Good inputs to start from."""
    from engine import VARIANTS, Position
    from fuzzing.corpus import CORPUS

    if target in CORPUS:
        end = b"\0" if target == "dxp" else b"\n"
        lines = [line.encode() for line in CORPUS[target]]
        yield from (line + end for line in lines)
        chance = Random(1)
        yield from (end.join(chance.choices(lines, k=8)) for _ in range(40))
    elif target == "pdn":
        files = sorted(Path("tests/data/games").rglob("*.pdn"))
        yield from (file.read_bytes()[: LONGEST // 2] for file in files)
        yield b'[Event "x"]\n[GameType "25"]\n[Result "1-0"]\n\n1. c3-d4 {comment} (1. g3-h4 $1) b6-a5! 1-0\n\n'
    else:
        for index, (name, rules) in enumerate(VARIANTS.items()):
            start = Position.start(rules)
            texts = [start.fen(), start.hub(), "W:W31-50:B1-20", "B:WKa1,c3:BKh8"]
            if target == "moves":
                texts = [f"{start.format_move(move)}" for move in start.legal_moves()] + [
                    "32x28x17",
                    "c3:e5:g7",
                    "1-2(1)",
                ]
            yield from (bytes([index]) + text.encode() for text in texts)
            assert name


def targets() -> dict[str, Callable[[bytes], None]]:
    """What is fed, by name; an input that breaks it raises something."""
    from engine import VARIANTS, FenError, Game, MoveError, Position, Rules
    from engine.fen import parse_position
    from engine.notation import Numbering, Reading, Style, format_move, parse_move
    from engine.pdn_reader import read_games
    from engine.pdn_replay import replay
    from engine.pdn_writer import format_game
    from fuzzing.corpus import Source
    from fuzzing.machines import DxpRun, TextRun

    variants = list(VARIANTS.values())
    styles: tuple[Style, ...] = ("pdn", "hub", "short", "path", "coordinate")

    def addressed(data: bytes) -> tuple[Rules, str]:
        """The variant that the first byte chooses, and the rest as text."""
        return variants[data[0] % len(variants)] if data else variants[0], data[1:].decode("utf-8", "replace")

    def fen(data: bytes) -> None:
        rules, text = addressed(data)
        try:
            position = parse_position(text, rules)
        except FenError:
            return
        promise(Position.from_fen(position.fen(), rules) == position, f"FEN {position.fen()} is read otherwise")
        game = Game(position)
        legal = game.legal_moves()
        for move in legal[:3]:
            for style in styles:
                name = format_move(move, position, legal, style)
                prefer: Reading = "captured" if style in ("hub", "short") else "path"
                numbering: Numbering = "top" if style == "hub" else "own"
                try:
                    found = parse_move(name, position, legal, prefer=prefer, numbering=numbering)
                except MoveError as error:
                    raise Broken(f"{style} {name} of {move} in {position.fen()}: {error}") from error
                promise(found == move, f"{style} {name} is read as {found}, not {move}, in {position.fen()}")
            game.play(move)
            game.undo()
            promise(game.legal_moves() == legal, f"undoing {move} in {position.fen()}")

    starts = [(Position.start(rules), Position.start(rules).legal_moves()) for rules in variants]

    def moves(data: bytes) -> None:
        _, text = addressed(data)
        position, legal = starts[data[0] % len(starts)] if data else starts[0]
        for prefer in ("captured", "path"):
            for numbering in ("own", "top", "pdn"):
                try:
                    move = parse_move(text, position, legal, prefer=prefer, numbering=numbering)
                except MoveError:
                    continue
                promise(move in legal, f"{move} is not legal")

    def pdn(data: bytes) -> None:
        for game in read_games(io.BytesIO(data)):
            done = replay(game, variations=True)
            text = format_game(game, done=done)
            again = list(read_games(text))
            promise(len(again) == 1, f"{len(again)} games come back of one")
            if done.game is not None and done.complete and not game.errors and not done.faults:
                back = replay(again[0])
                promise(back.game is not None and back.game.moves == done.game.moves, f"other moves come back: {text}")
                promise(back.result(again[0]) == done.result(game), f"another result comes back: {text}")

    class Lines(Source):
        """The parts of an input, one after the other; chance is fixed by it too."""

        def __init__(self, protocol: str, data: bytes) -> None:
            super().__init__(protocol, int.from_bytes(data[:2]))
            self.parts = data.split(b"\0" if protocol == "dxp" else b"\n")

        def next(self) -> bytes:
            return self.parts.pop(0)

    def text_machine(protocol: str) -> Callable[[bytes], None]:
        def feed(data: bytes) -> None:
            source = Lines(protocol, data)
            run = TextRun(protocol, source)
            while source.parts:
                run.step()
            run.finish()

        return feed

    def dxp(data: bytes) -> None:
        source = Lines("dxp", data)
        run = DxpRun(source)
        while source.parts:
            run.step()

    machines = {protocol: text_machine(protocol) for protocol in ("hub", "hub1", "uci")}
    return {"fen": fen, "moves": moves, "pdn": pdn, **machines, "dxp": dxp}


def inside(target: str, arguments: list[str]) -> None:
    """Fuzz in this process; libFuzzer ends it."""
    import atheris

    with atheris.instrument_imports(include=["engine", "protocol"]):
        feed = targets()[target]
    atheris.Setup([sys.argv[0], *arguments], feed)
    atheris.Fuzz()


def fuzz(target: str, folder: Path, seconds: float, seed: int) -> dict[str, object]:
    """Run libFuzzer in a child; its figures, with a fault if it found one."""
    corpus = folder / target
    corpus.mkdir(parents=True, exist_ok=True)
    words = set()
    for number, data in enumerate(seeds(target)):
        (corpus / f"seed-{number}").write_bytes(data)
        words |= set(re.findall(rb"[\w.-]{2,20}", data))
    dictionary = folder / f"{target}.dict"
    dictionary.write_text("".join(f'"{word.decode("ascii", "ignore")}"\n' for word in sorted(words)[:500]))
    options = [
        f"-max_total_time={seconds:.0f}",
        f"-max_len={LONGEST}",
        f"-timeout={SLOW}",
        f"-seed={seed}",
        f"-dict={dictionary}",
        f"-artifact_prefix={folder}/{target}.",
        "-rss_limit_mb=2048",
        "-print_final_stats=1",
    ]
    command = [sys.executable, __file__, "--inside", target, *options, str(corpus)]
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    figures: dict[str, object] = {"seconds": round(time.monotonic() - began)}
    for name, pattern in STATISTICS.items():
        if found := re.search(pattern, done.stderr):
            figures[name] = int(found[1])
    if done.returncode:
        figures["fault"] = done.stderr[-3000:] + done.stdout[-3000:]
    return figures


def replay_corpus(target: str, folder: Path) -> dict[str, object]:
    """Feed all that was kept, and every crasher, once."""
    feed = targets()[target]
    files = [file for file in (*(folder / target).glob("*"), *folder.glob(f"{target}.crash-*")) if file.is_file()]
    for file in files:
        try:
            feed(file.read_bytes())
        except Exception as error:
            return {"fault": f"{file}: {type(error).__name__}: {error}"}
    return {"replayed": len(files)}


def main() -> int:
    if sys.argv[1:2] == ["--inside"]:
        inside(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", nargs="+", choices=TARGETS)
    parser.add_argument("--minutes", type=float, default=5.0, help="for each target (default 5)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path, default=Path("build/fuzz"), help="folder of the inputs (build/fuzz)")
    parser.add_argument("--replay", action="store_true", help="feed the kept inputs again, without atheris")
    options = parser.parse_args()
    failed = False
    for target in options.target:
        if options.replay:
            figures = replay_corpus(target, options.corpus)
        else:
            figures = fuzz(target, options.corpus.resolve(), 60 * options.minutes, options.seed)
        failed |= "fault" in figures
        print(json.dumps({"target": target, **figures}), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
