"""Names of the kernel language that have no meaning outside kernels: signatures and documentation.

Their meaning is the compiler's, by the name in `__pyasc_op__`.
"""


def _op(name, signature, doc):
    def function(*args, **kwargs):
        raise RuntimeError(f"pyasc.{name} is for use inside kernels")
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}{signature}\n\n{doc}"
    function.__text_signature__ = signature
    function.__pyasc_op__ = name
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
""".strip().splitlines()]
for _name, _signature, _doc in _ROWS:
    globals()[_name] = _op(_name, _signature, _doc)
element = _op("element", "(t, *index)", "t[index] of a tensor, t itself of a number.")
__all__ = [row[0] for row in _ROWS]
