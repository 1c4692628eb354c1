"""A seeded run of random_kernels.py, and the programs that once were wrong."""
import pytest
import random_kernels


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_kernels_agree_with_python(first, tmp_path):
    for seed in range(first, first + 10):
        wrong = random_kernels.check(seed, tmp_path)
        assert wrong is None, wrong
