"""The search counts the nodes it counted when scripts/write_signatures.py was last run, in either build,
with the hand-made evaluation."""

import json
from pathlib import Path

import pytest

from engine import VARIANTS
from engine.params import HAND_MADE
from protocol import bench

SIGNATURES = json.loads((Path(__file__).parent.parent / "data" / "signatures.json").read_text(encoding="utf-8"))
SMALL, FULL = sorted(SIGNATURES, key=int)


@pytest.mark.parametrize("variant", VARIANTS)
def test_signature_at_a_small_depth(variant: str) -> None:
    assert bench.run(variant, int(SMALL), evaluation=HAND_MADE).nodes == SIGNATURES[SMALL][variant]


@pytest.mark.compiled
@pytest.mark.parametrize("variant", VARIANTS)
def test_signature_of_the_bench(variant: str) -> None:
    assert int(FULL) == bench.DEPTH
    assert bench.run(variant, evaluation=HAND_MADE).nodes == SIGNATURES[FULL][variant]
