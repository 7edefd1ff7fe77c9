"""The version of damier: the one place that states it (pyproject.toml and `damier --version` read it)."""

VERSION = "0.1.0"
