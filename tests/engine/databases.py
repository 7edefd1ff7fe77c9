"""Endgame databases for tests."""

from pathlib import Path

from engine import find_variant
from engine.egdb import Databases
from engine.egdb_build import Builder


def build(name: str, pieces: int, folder: Path, threads: int = 1) -> Databases:
    """All databases of a variant up to so many pieces, in a folder."""
    databases = Databases(find_variant(name), folder)
    with Builder(databases, threads) as builder:
        builder.build(pieces)
    return databases
