"""Each test run has a disk cache of its own, so that no earlier build's kernels are met."""
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
_cache = tempfile.TemporaryDirectory(prefix="pyasc-test-")
os.environ["PYASC_CACHE_DIR"] = _cache.name
sys.path.insert(0, str(ROOT / "examples"))
