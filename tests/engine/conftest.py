"""What several tests of the engine share."""

import pytest

from engine.egdb import Databases
from tests.engine.databases import build


@pytest.fixture(scope="session")
def english(tmp_path_factory: pytest.TempPathFactory) -> Databases:
    """Databases of four English pieces."""
    return build("english", 4, tmp_path_factory.mktemp("egdb"), 2)
