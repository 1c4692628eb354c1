"""Every example computes what NumPy computes, at its own size, at a small one, and twice in a row."""
import importlib

import pytest

import run


@pytest.mark.parametrize("size", ["SIZE", "SMALL"])
@pytest.mark.parametrize("name", run.NAMES)
def test_example(name, size):
    module = importlib.import_module(name)
    assert run.checked(module, getattr(module, size))


@pytest.mark.parametrize("name", run.NAMES)
def test_warm_launch(name):
    module = importlib.import_module(name)
    assert run.checked(module, module.SMALL) and run.checked(module, module.SMALL)


@pytest.mark.parametrize("name", run.NAMES)
def test_plain_python_is_the_same_program(name):
    """The plain loops beside each kernel pass its check, so the table compares like with like."""
    import numpy as np

    module = importlib.import_module(name)
    args = run.fresh(module, module.SMALL)
    lists = [a.tolist() if isinstance(a, np.ndarray) else a for a in args]
    module.plain(*lists)
    if name == "mandelbrot":  # doubles against floats: a few points at the edge differ
        module.launch(*args)
        assert np.mean(np.array(lists[2]) == args[2]) > 0.98
        return
    same = [np.array(b, a.dtype) if isinstance(a, np.ndarray) else a for a, b in zip(args, lists)]
    assert module.check(*same)
