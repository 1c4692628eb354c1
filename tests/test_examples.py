import importlib

import pytest
import table


@pytest.mark.parametrize("name", table.NAMES)
def test_example_agrees_with_numpy(name):
    module = importlib.import_module(name)
    assert table.checked(module, module.SIZE if hasattr(module, "SIZE") else module.size)
