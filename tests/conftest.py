import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "examples"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


@pytest.fixture(autouse=True, scope="session")
def _no_shared_cache(tmp_path_factory):
    """Subprocesses of the tests get a cache of their own through the environment."""
    import os
    os.environ["PYASC_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    yield
