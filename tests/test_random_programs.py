"""A short run of the differential tester (tools/fuzz_language.py has the long one)."""
import random

import pytest
import random_programs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize("start", range(0, 60, 10))
def test_drawn_kernels_agree_with_the_interpreter(start):
    for seed in range(start, start + 10):
        drawn = random.Random(seed)
        program = random_programs.Program(drawn.randrange)
        assert random_programs.difference(program.source(), program.item, seed, f"drawn{seed}.py") is None, seed


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.data(), st.integers(0, 1000))
def test_kernels_that_hypothesis_draws_and_shrinks(data, seed):
    program = random_programs.Program(lambda n: data.draw(st.integers(0, n - 1)))
    assert random_programs.difference(program.source(), program.item, seed) is None, program.source()
