"""Names of the kernel language: signatures and documentation. Their meaning is the compiler's."""


class DType:
    """An element type; calling it in a kernel casts. `pyasc.float32(x)`."""

    __slots__ = ("__pyasc_dtype__", "name")

    def __init__(self, name):
        self.name = name.rstrip("_")
        self.__pyasc_dtype__ = name

    def __repr__(self):
        return f"pyasc.{self.name}"

    def __call__(self, x):
        import numpy
        return getattr(numpy, self.__pyasc_dtype__)(x)


def _op(name, signature, doc):
    def function(*args, **kwargs):
        raise RuntimeError(f"pyasc.{name} is for use inside kernels")
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}{signature}\n\n{doc}"
    function.__text_signature__ = signature
    function.__pyasc_op__ = {"round": "rint"}.get(name, name)  # the built-in round gives an int
    return function


_ROWS = [line.split("|", 2) for line in """
get_global_id|(dim=0)|Global id of the work-item along dim; dim 0 varies fastest.
get_local_id|(dim=0)|Id of the work-item within its block.
get_group_id|(dim=0)|Number of the block.
get_global_size|(dim=0)|Work-items of the domain.
get_local_size|(dim=0)|Nominal work-items of a block.
get_num_groups|(dim=0)|Blocks of the domain.
get_row|()|Global id along dim 1.
get_col|()|Global id along dim 0.
get_dim|(i)|shape[i] of the first tensor argument.
shared|(shape, dtype=float32)|Zeroed memory of the block. The shape is constant.
local|(shape, dtype=float32)|Zeroed memory of the work-item. The shape is constant.
syncthreads|()|Barrier: all work-items of the block meet.
barrier|()|Barrier: all work-items of the block meet.
atomic_add|(t, i, v)|t[i] += v as one step; the old value.
atomic_sub|(t, i, v)|t[i] -= v as one step; the old value.
atomic_max|(t, i, v)|t[i] = max(t[i], v) as one step; the old value.
atomic_min|(t, i, v)|t[i] = min(t[i], v) as one step; the old value.
atomic_and|(t, i, v)|t[i] &= v as one step; the old value.
atomic_or|(t, i, v)|t[i] |= v as one step; the old value.
atomic_xor|(t, i, v)|t[i] ^= v as one step; the old value.
atomic_exchange|(t, i, v)|t[i] = v; the old value.
atomic_cas|(t, i, expected, v)|t[i] = v where it was expected; the old value.
exp|(x)|e ** x.
exp2|(x)|2 ** x.
expm1|(x)|e ** x - 1.
log|(x)|Natural logarithm.
log2|(x)|Logarithm to base 2.
log10|(x)|Logarithm to base 10.
log1p|(x)|log(1 + x).
sqrt|(x)|Square root.
rsqrt|(x)|1 / sqrt(x).
sin|(x)|Sine of radians.
cos|(x)|Cosine of radians.
tan|(x)|Tangent of radians.
asin|(x)|Arc sine.
acos|(x)|Arc cosine.
atan|(x)|Arc tangent.
atan2|(y, x)|Angle of the point (x, y).
sinh|(x)|Hyperbolic sine.
cosh|(x)|Hyperbolic cosine.
tanh|(x)|Hyperbolic tangent.
erf|(x)|Error function.
sigmoid|(x)|1 / (1 + exp(-x)).
relu|(x)|max(x, 0).
floor|(x)|Round down.
ceil|(x)|Round up.
trunc|(x)|Round toward zero.
round|(x)|Round half to even.
isnan|(x)|Is x not a number?
abs|(x)|Absolute value.
pow|(x, y)|x ** y.
max|(a, b)|The larger; NaN propagates.
min|(a, b)|The smaller; NaN propagates.
maximum|(a, b)|The larger; NaN propagates.
minimum|(a, b)|The smaller; NaN propagates.
where|(condition, a, b)|a where the condition holds, else b.
""".strip().splitlines()]
for _name, _signature, _doc in _ROWS:
    globals()[_name] = _op(_name, _signature, _doc)
for _name in ("float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool_").split():
    globals()[_name] = DType(_name)
__all__ = [n for n in globals() if not n.startswith("_")]
