"""Functions of the array API standard beyond the contract's list, against NumPy."""
import numpy as np
import pytest

import pyasc

DTYPES = ["bool", "int8", "uint8", "int64", "uint64", "float32", "float64"]
SHAPES = [(0,), (1,), (7,), (1000,), (3, 5), (2, 0, 3), (2, 3, 4)]


def sample(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.integers(-5, 6, shape)
    x = x.astype(dtype) if dtype != "bool" else x > 0
    if np.dtype(dtype).kind == "f" and x.size > 3:
        x.flat[[1, x.size // 2]] = np.nan
    return x


def same(got, want):
    got = np.asarray(got)
    assert got.shape == np.shape(want)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_sorting(shape, dtype):
    x = sample(shape, dtype)
    for axis in range(-1, len(shape)):
        same(pyasc.sort(x, axis=axis), np.sort(x, axis=axis))
        same(pyasc.argsort(x, axis=axis), np.argsort(x, axis=axis, kind="stable"))
        same(pyasc.take_along_axis(x, pyasc.argsort(x, axis=axis), axis=axis), np.sort(x, axis=axis))
    if np.dtype(dtype).kind != "f":
        same(pyasc.sort(x, descending=True), np.flip(np.sort(x), -1))


def test_descending_sort_is_stable():
    x = np.array([3, 1, 3, 2, 1, 3])
    assert pyasc.argsort(x, descending=True).tolist() == [0, 2, 5, 3, 1, 4]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_sets_and_places(shape, dtype):
    x = sample(shape, dtype)
    values, index, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    u = pyasc.unique_all(x)
    same(u.values, values)
    if np.dtype(dtype).kind != "f":
        same(u.indices, index)
        same(u.inverse_indices, inverse.reshape(shape))
    same(u.counts, counts)
    same(pyasc.unique_values(x), values)
    same(pyasc.unique_counts(x).counts, counts)
    for got, want in zip(pyasc.nonzero(x), np.nonzero(x)):
        same(got, want)
    same(pyasc.asarray(x)[pyasc.asarray(x != 0)], x[x != 0])


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(side):
    x = np.sort(np.random.default_rng(1).integers(0, 50, 101))
    v = np.arange(-3, 55).reshape(2, 29)
    same(pyasc.searchsorted(x, v, side=side), np.searchsorted(x, v, side=side))
    same(pyasc.searchsorted(x, v + 0.5, side=side), np.searchsorted(x, v + 0.5, side=side))
    back = np.random.default_rng(2).permutation(101)
    same(pyasc.searchsorted(x[back], v, sorter=np.argsort(x[back], kind="stable")), np.searchsorted(x, v))
    same(pyasc.searchsorted(x[:0], v), np.zeros((2, 29)))
    with pytest.raises(ValueError, match="side"):
        pyasc.searchsorted(x, v, side="up")


def test_picking():
    x = np.arange(60).reshape(3, 4, 5)
    at = np.array([[0, -1], [2, 1]])
    for axis in (0, 1, 2, -1):
        same(pyasc.take(x, at, axis=axis), np.take(x, at, axis=axis))
        same(pyasc.repeat(x, 3, axis=axis), np.repeat(x, 3, axis=axis))
    same(pyasc.repeat(x[0, 0], np.array([0, 1, 2, 0, 3])), np.repeat(x[0, 0], [0, 1, 2, 0, 3]))
    same(pyasc.tile(x, (2, 1, 3)), np.tile(x, (2, 1, 3)))
    same(pyasc.tile(x[0], 2), np.tile(x[0], 2))
    with pytest.raises(IndexError):
        pyasc.take(x, np.array([5]), axis=1)
    with pytest.raises(TypeError):
        pyasc.take(x, np.array([0.5]), axis=1)


@pytest.mark.parametrize("shape", SHAPES)
def test_moving(shape):
    x = sample(shape, "int64")
    for axis in range(len(shape)):
        for shift in (-3, 0, 1, 20):
            same(pyasc.roll(x, shift, axis=axis), np.roll(x, shift, axis=axis))
        same(pyasc.diff(x, axis=axis), np.diff(x, axis=axis))
        for got, want in zip(pyasc.unstack(x, axis=axis), np.moveaxis(x, axis, 0)):
            same(got, want)
        same(pyasc.cumulative_sum(x, axis=axis, include_initial=True),
             np.concatenate([np.zeros_like(x.take([0] * bool(x.shape[axis]), axis=axis)) if x.shape[axis] else
                             np.zeros(shape[:axis] + (1,) + shape[axis + 1:], int), np.cumsum(x, axis=axis)], axis=axis))
        same(pyasc.cumprod(x, axis=axis), np.cumprod(x, axis=axis))
    same(pyasc.roll(x, 2), np.roll(x, 2))


def test_grids():
    a, b, c = np.arange(3), np.arange(4.0), np.arange(2)
    for indexing in ("xy", "ij"):
        for got, want in zip(pyasc.meshgrid(a, b, c, indexing=indexing), np.meshgrid(a, b, c, indexing=indexing)):
            same(got, want)
    assert pyasc.broadcast_shapes((3, 1), (4,), ()) == (3, 4)
    with pytest.raises(ValueError, match="do not broadcast"):
        pyasc.broadcast_shapes((3,), (4,))
    for got, want in zip(pyasc.broadcast_arrays(a[:, None], b), np.broadcast_arrays(a[:, None], b)):
        same(got, want)
    same(pyasc.eye(3, 4, k=2**70), np.zeros((3, 4)))
    same(pyasc.eye(3, 4, k=-1), np.eye(3, 4, -1))
    x = np.arange(1, 13).reshape(3, 4)
    for k in (-2**70, -3, -2, 0, 3, 4, 2**70):
        same(pyasc.tril(x, k=k), np.tril(x, max(-9, min(k, 9))))
        same(pyasc.triu(x, k=k), np.triu(x, max(-9, min(k, 9))))


def test_an_axis_out_of_range_is_an_error_of_value_and_index():
    x = pyasc.ones((2, 3))
    for error in (ValueError, IndexError):
        for f in (pyasc.sort, pyasc.flip, pyasc.sum, pyasc.cumsum, pyasc.unstack):
            with pytest.raises(error, match="axis 2"):
                f(x, axis=2)
        with pytest.raises(error, match="axis -4"):
            pyasc.expand_dims(x, axis=-4)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_sort_and_are_picked(dtype):
    x = pyasc.asarray([2.0, np.nan, -1.0, np.inf, 2.0, -np.inf, 0.5], dtype=dtype)
    want = [float(v) for v in np.sort(np.asarray(pyasc.cast(x, "float64")))]
    assert pyasc.sort(x).dtype is x.dtype
    np.testing.assert_array_equal(np.array(pyasc.sort(x).tolist()), want)
    assert pyasc.argsort(x).tolist() == [5, 2, 6, 0, 4, 3, 1]
    assert pyasc.take(x, pyasc.asarray([0, -3])).tolist() == [2.0, 2.0]
    assert pyasc.unique_counts(x).counts.tolist() == [1, 1, 1, 2, 1, 1]


def test_bits_of_floats():
    x = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, 1e-45, 3.4e38, -2.5], np.float32)
    for dtype in (np.float32, np.float64):
        a, b = [v.ravel().astype(dtype) for v in np.meshgrid(x, x)]
        same(pyasc.signbit(a), np.signbit(a))
        got, want = np.asarray(pyasc.copysign(a, b)), np.copysign(a, b)
        assert (got == want).all() and (np.signbit(got) == np.signbit(want)).all()
        got, want = np.asarray(pyasc.nextafter(a, b)), np.nextafter(a, b)
        assert (got == want).all() and (np.signbit(got) == np.signbit(want)).all()
        np.testing.assert_allclose(pyasc.hypot(a, b), np.hypot(a, b), rtol=1e-6)
        with np.errstate(invalid="ignore"):
            np.testing.assert_allclose(pyasc.logaddexp(a, b), np.logaddexp(a, b), rtol=1e-6)


def test_facts():
    for name in ("float32", "float64", "float16"):
        ours, theirs = pyasc.finfo(getattr(pyasc, name)), np.finfo(name)
        assert [float(getattr(ours, k)) for k in ("bits", "eps", "max", "min", "smallest_normal")] == \
            [float(getattr(theirs, k)) for k in ("bits", "eps", "max", "min", "smallest_normal")]
    for name in ("int8", "uint8", "int32", "uint64"):
        ours, theirs = pyasc.iinfo(getattr(pyasc, name)), np.iinfo(name)
        assert (ours.bits, ours.max, ours.min) == (theirs.bits, theirs.max, theirs.min)
    assert pyasc.isdtype(pyasc.int8, "integral") and not pyasc.isdtype(pyasc.uint8, ("real floating", "bool"))
    assert pyasc.result_type(pyasc.int64, pyasc.float32) is pyasc.float32
    assert pyasc.result_type(pyasc.int8, 3) is pyasc.int8 and pyasc.can_cast(pyasc.int8, pyasc.int64)
    assert not pyasc.can_cast(pyasc.float64, pyasc.float32)
    x = pyasc.ones(3)
    assert x.__array_namespace__() is pyasc and x.to_device("cpu") is x and pyasc.bool is pyasc.bool_
    with pytest.raises(ValueError, match="cpu"):
        pyasc.zeros(3, device="gpu")
    with pytest.raises(TypeError):
        pyasc.finfo(pyasc.int8)
