"""Makes the packages beside the training scripts importable, as `python scripts/train_X.py` does."""

import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
