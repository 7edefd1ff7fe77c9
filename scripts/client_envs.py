"""Virtual environments of the Hub clients that the tests play against, cached in `.venv-clients/`.

Example: python scripts/client_envs.py            (all; prints `NAME PYTHON` lines)
         python scripts/client_envs.py pydraughts-0.6.7
"""

import argparse
import subprocess
import sys
import venv
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / ".venv-clients"
CLIENTS = {
    "pydraughts-0.5.7": ["pydraughts==0.5.7"],
    "pydraughts-0.6.7": ["pydraughts==0.6.7"],
    "py-draughts-1.10.1": ["py-draughts==1.10.1"],
    "python-chess-1.11.2": ["chess==1.11.2"],
}


def client_python(name: str) -> Path:
    """The interpreter of the client's environment, which is made first if it is not there yet."""
    folder = FOLDER / name
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    done = folder / "installed"  # written last, so that an interrupted installation is done again
    if not done.exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *CLIENTS[name]], check=True)
        done.write_text("\n".join(CLIENTS[name]) + "\n", encoding="utf-8")
    return python


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", choices=[*CLIENTS, []], help="which clients (default: all)")
    for name in parser.parse_args().name or CLIENTS:
        print(name, client_python(name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
