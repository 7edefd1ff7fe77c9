"""Coverage-guided fuzzing of everything that reads a text: FEN and Hub positions, moves, PDN, the protocol machines.

Needs atheris (`pip install atheris`), which is no part of any extra. Inputs that reach new code are kept in the corpus
folder, so that the next run goes on from them. `--replay` feeds them again, without atheris, to any build of the core;
`scripts/sanitize.sh` does that.

Example: python scripts/fuzz_coverage.py fen moves pdn hub hub1 uci dxp --minutes 5
         python scripts/fuzz_coverage.py fen pdn --replay
Prints one JSON object for each target; exit code 1 if one failed, with the input in CORPUS/TARGET.crash-*.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

SLOW = 20  # s for one input that count as a hang
STATISTICS = {
    "executions": r"stat::number_of_executed_units:\s*(\d+)",
    "branches": r"(?s).*\bcov: (\d+)",
    "inputs kept": r"stat::new_units_added:\s*(\d+)",
}


def inside(target: str, arguments: list[str]) -> None:
    """Fuzz in this process; libFuzzer ends it."""
    import atheris

    with atheris.instrument_imports(include=["engine", "protocol"]):
        from fuzzing.targets import FEEDS
    atheris.Setup([sys.argv[0], *arguments], FEEDS[target])
    atheris.Fuzz()


def fuzz(target: str, folder: Path, seconds: float, seed: int) -> dict[str, object]:
    """Run libFuzzer in a child; its figures, with a fault if it found one."""
    from fuzzing.targets import LONGEST, seeds

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
    """Feed the seeds, all that was kept, and whatever broke it before, once."""
    from fuzzing.targets import FEEDS, seeds

    files = [file for file in (*(folder / target).glob("*"), *folder.glob(f"{target}.*-*")) if file.is_file()]
    inputs = [*((f"seed {number}", data) for number, data in enumerate(seeds(target)))]
    inputs += [(str(file), file.read_bytes()) for file in files]
    for name, data in inputs:
        try:
            FEEDS[target](data)
        except Exception as error:
            return {"fault": f"{name}: {type(error).__name__}: {error}"}
    return {"replayed": len(inputs)}


def main() -> int:
    if sys.argv[1:2] == ["--inside"]:
        inside(sys.argv[2], sys.argv[3:])
    from fuzzing.targets import FEEDS  # not before atheris watches what is imported

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", nargs="+", choices=[*FEEDS])
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
