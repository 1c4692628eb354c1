"""More than 2^31 elements: no index or extent is cut to 32 bits."""
import numpy as np
import pyasc
import pytest

N = (1 << 31) + 77


@pyasc.jit
def bump(x, out):
    i = pyasc.get_global_id()
    out[i] = x[i] + 1


def test_more_than_2_to_the_31_elements():
    try:
        x = np.zeros(N, np.int8)
        x[-3:] = [5, 6, 7]
    except MemoryError:
        pytest.skip("not enough memory")
    bump(x, x)
    assert x[-3:].tolist() == [6, 7, 8] and x[N // 2] == 1 and (x[:1000] == 1).all() and int((x == 1).sum()) == N - 3
