"""Names of the kernel language that have no meaning outside kernels: signatures and documentation.

Their meaning is the compiler's, by the name in `__pyasc_op__`.
"""


def _op(name, signature, doc):
    def function(*args, **kwargs):
        raise RuntimeError(f"pyasc.{name}() is for use inside kernels; call it in a function under @pyasc.jit")
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
load_global|([t,] i)|t[i]; without t of the first default buffer (the tensors beyond the kernel's parameters).
store_global|([t,] i, v)|t[i] = v; without t of the last default buffer.
load_vector|(i, width=4, src=None)|A vector of the width elements from element i on. Vectors have arithmetic by lane, v[k] and len(v).
store_vector|(i, v, dst=None)|Store a vector's lanes from element i on.
pack|(*scalars)|A vector of these lanes.
unpack|(v)|The lanes of a vector, a tuple.
load_async|(t)|Begin to bring t near; wait() ends it. On the CPU a prefetch: loads are in order anyway.
store_async|(t)|Begin to write t out; wait() ends it. On the CPU stores are in order anyway.
wait|()|What load_async and store_async began has ended.
prefetch|(t)|t will be read soon.
parallel_for|(n, body, out=None)|Run body(i) for i in range(n), or body(i, j) for n a tuple, in any order and at once. With out, out[i] = body(i). As a decorator, @parallel_for(n) runs the function below it.
task|(f, *args)|Start f(*args); it may run at once with what follows, and ends at the latest at sync() or at the kernel's end.
sync|()|Wait for all tasks.
pipeline|(stages, n)|Run the functions stages over items 0 to n - 1: a stage takes the items in order, one at a time, and an item the stages in order; different stages work on different items at once.
""".strip().splitlines()]
for _name, _signature, _doc in _ROWS:
    globals()[_name] = _op(_name, _signature, _doc)
element = _op("element", "(t, *index)", "t[index] of a tensor, t itself of a number.")


class constexpr:
    """Annotation of a kernel's parameter: a compile-time constant, part of the specialisation's key."""
    __pyasc_op__ = "constexpr"


__all__ = ["constexpr"] + [row[0] for row in _ROWS]
