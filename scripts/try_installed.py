"""Whether the damier that is installed beside this Python works: its core, a Hub search on a board of each width.

Example: python -m venv build/fresh && build/fresh/bin/pip install dist/damier-*.whl
         build/fresh/bin/python scripts/try_installed.py

Wheels are tested with it. It prints what it measured, one figure a line, and ends with 1 if something is wrong.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CORE = """
from engine import Engine
for variant in ("russian", "canadian"):
    engine = Engine()
    engine.set_param("variant", variant)
    print(variant, "compiled" if engine.is_compiled else "plain")
"""
HUB = """hub
set-param name=variant value={variant}
set-param name=book value=false
init
pos start
level move-time=0.5
go think
"""


def search(damier: str, variant: str, folder: str) -> tuple[float, float, str]:
    """Seconds to `wait` and to the answer, and the answer, of one conversation."""
    began = time.perf_counter()
    with subprocess.Popen(
        [damier, "hub"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(HUB.format(variant=variant))
        started = 0.0
        for line in process.stdout:
            if line == "wait\n":
                started = time.perf_counter() - began
            if line.startswith("done"):
                answered = time.perf_counter() - began
                process.stdin.write("quit\n")
                return started, answered, line.strip()
    return 0.0, 0.0, "no answer"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--damier", default=shutil.which("damier", path=str(Path(sys.executable).parent)))
    parser.add_argument("--plain", action="store_true", help="a core that is not compiled is right too")
    options = parser.parse_args()
    if options.damier is None:
        sys.exit(f"there is no damier beside {sys.executable}")
    wrong = []
    with tempfile.TemporaryDirectory() as folder:  # not where a checkout's own packages would be found
        done = subprocess.run(
            [sys.executable, "-I", "-c", CORE], cwd=folder, stdout=subprocess.PIPE, text=True, check=True
        )
        print(done.stdout, end="")
        if not options.plain and "russian compiled" not in done.stdout:
            wrong.append("the core is not compiled")
        if not options.plain and sys.platform != "win32" and "canadian compiled" not in done.stdout:
            wrong.append("the core for wide boards is not compiled")
        for variant in ("russian", "canadian"):
            started, answered, answer = search(options.damier, variant, folder)
            print(f"{variant}: {started:.2f} s to `wait`, {answered:.2f} s to `{answer}`")
            if not re.match(r"done move=\d+-\d+", answer):
                wrong.append(f"{variant}: {answer}")
    for line in wrong:
        print(f"wrong: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
