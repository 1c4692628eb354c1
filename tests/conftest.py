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


# Tables of values: their loops are the same code for each row, so the sanitizers see a part of the rows in `make test` and
# all of them in `make check-all`.
TABLES = ("test_asc_", "test_blocks", "test_tiles")


def pytest_collection_modifyitems(config, items):
    import os
    every = int(os.environ.get("PYASC_TEST_EVERY", "1"))
    if every == 1:
        return
    keep, drop, seen = [], [], {}
    for item in items:
        table = item.path.name.startswith(TABLES) and "[" in item.name
        name = (item.path, item.name.split("[")[0])
        seen[name] = seen.get(name, -1) + 1
        (drop if table and seen[name] % every else keep).append(item)
    items[:] = keep
    config.hook.pytest_deselected(items=drop)
