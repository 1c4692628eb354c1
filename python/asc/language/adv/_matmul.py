"""Printed by tools/asc_face.py from src/base/asc/matmul.def."""
from typing import Any, overload

from .._stub import kernel_only
from ..core import *
from .tiling import *
from .types import *


class Matmul:
    """Products of matrices, block by block."""
    __pyasc_asc__ = True

    @overload
    def __init__(self, a: "MatmulType", b: "MatmulType", c: "MatmulType", bias: "MatmulType" = None, matmul_config: "MatmulConfig" = None, matmul_policy: int = None) -> None: ...

    @overload
    def __init__(self, a: "MatmulType", b: "MatmulType", c: "MatmulType", bias: "MatmulType" = None, matmul_config: "MatmulApiStaticTiling" = None, matmul_policy: int = None) -> None: ...

    def __init__(self, a: "MatmulType", b: "MatmulType", c: "MatmulType", bias: "MatmulType" = None, matmul_config: Any = None, matmul_policy: int = None, *args, **kwargs) -> None:
        """A product of matrices c = a @ b + bias, each of a position, a format and a dtype.

        __init__(self, a: MatmulType, b: MatmulType, c: MatmulType, bias: MatmulType = None, matmul_config: MatmulConfig = None, matmul_policy: int = None)
        __init__(self, a: MatmulType, b: MatmulType, c: MatmulType, bias: MatmulType = None, matmul_config: MatmulApiStaticTiling = None, matmul_policy: int = None)

        Runs on pipe M.
        """
        kernel_only('__init__')

    @overload
    def init(self, tiling: "TCubeTiling") -> None: ...

    @overload
    def init(self, tiling: "MatmulApiStaticTiling") -> None: ...

    def init(self, tiling: Any, *args, **kwargs) -> None:
        """Set the tiling.

        init(self, tiling: TCubeTiling)
        init(self, tiling: MatmulApiStaticTiling)
        """
        kernel_only('init')

    @overload
    def set_tensor_a(self, tensor: "BaseTensor", transpose: bool = None) -> None: ...

    @overload
    def set_tensor_a(self, scalar: float) -> None: ...

    def set_tensor_a(self, *args, **kwargs) -> None:
        """The left matrix: a tensor, or one number for all elements.

        set_tensor_a(self, tensor: BaseTensor, transpose: bool = None)
        set_tensor_a(self, scalar: float)
        """
        kernel_only('set_tensor_a')

    @overload
    def set_tensor_b(self, tensor: "BaseTensor", transpose: bool = None) -> None: ...

    @overload
    def set_tensor_b(self, scalar: float) -> None: ...

    def set_tensor_b(self, *args, **kwargs) -> None:
        """The right matrix: a tensor, or one number for all elements.

        set_tensor_b(self, tensor: BaseTensor, transpose: bool = None)
        set_tensor_b(self, scalar: float)
        """
        kernel_only('set_tensor_b')

    def set_bias(self, tensor: "BaseTensor") -> None:
        """A row that is added to each row of the product."""
        kernel_only('set_bias')

    def disable_bias(self) -> None:
        """No bias from here on."""
        kernel_only('disable_bias')

    def set_org_shape(self, org_m: int, org_n: int, org_ka: int, org_kb: int = None, org_kc: int = None) -> None:
        """The extents of the whole matrices: they say where rows begin."""
        kernel_only('set_org_shape')

    def set_single_shape(self, single_m: int, single_n: int, single_k: int) -> None:
        """The extents of this core's part."""
        kernel_only('set_single_shape')

    def set_tail(self, tail_m: int = None, tail_n: int = None, tail_k: int = None) -> None:
        """The extents of this core's part; -1 leaves one as it is."""
        kernel_only('set_tail')

    def set_quant_scalar(self, quant_scalar: int) -> None:
        """One factor that the product is (de)quantised with: its bits."""
        kernel_only('set_quant_scalar')

    def set_quant_vector(self, quant_vector: "BaseTensor") -> None:
        """A factor for each column that the product is (de)quantised with."""
        kernel_only('set_quant_vector')

    @overload
    def set_workspace(self, addr: "GlobalTensor") -> None: ...

    @overload
    def set_workspace(self, addr: "GlobalAddress", size: int = None) -> None: ...

    def set_workspace(self, addr: Any, *args, **kwargs) -> None:
        """Where blocks are kept that get_tensor_c() gives as tensors.

        set_workspace(self, addr: GlobalTensor)
        set_workspace(self, addr: GlobalAddress, size: int = None)
        """
        kernel_only('set_workspace')

    def set_hf32(self, enable_hf32: bool = None, trans_mode: int = None) -> None:
        """Round the elements of float32 matrices to the cube's short form."""
        kernel_only('set_hf32')

    def set_batch_num(self, batch_a: int, batch_b: int) -> None:
        """Matrices that iterate_batch() takes from each side."""
        kernel_only('set_batch_num')

    @overload
    def set_self_define_data(self, data_ptr: "GlobalAddress") -> None: ...

    @overload
    def set_self_define_data(self, data_ptr: int) -> None: ...

    def set_self_define_data(self, data_ptr: Any, *args, **kwargs) -> None:
        """Data for callbacks, which the model has none of.

        set_self_define_data(self, data_ptr: GlobalAddress)
        set_self_define_data(self, data_ptr: int)
        """
        kernel_only('set_self_define_data')

    def set_user_def_info(self, tiling_ptr: "GlobalAddress") -> None:
        """Data for callbacks, which the model has none of."""
        kernel_only('set_user_def_info')

    def set_sparse_index(self, index_global: "GlobalTensor") -> None:
        """Which two of four elements of b are there."""
        kernel_only('set_sparse_index')

    def iterate(self, en_partial_sum: bool = None, sync: bool = None, local_c_matrix: "BaseTensor" = None) -> int:
        """`with mm.iterate() as count:` runs for each block of base_m x base_n.

        Runs on pipe M.
        """
        kernel_only('iterate')

    @overload
    def get_tensor_c(self, tensor: "BaseTensor", en_atomic: int = None, en_sequential_write: bool = None, sync: bool = None, optional_tensor: "BaseTensor" = None) -> "GlobalTensor": ...

    @overload
    def get_tensor_c(self, en_atomic: int = None, en_sequential_write: bool = None, sync: bool = None) -> "GlobalTensor": ...

    def get_tensor_c(self, *args, **kwargs) -> "GlobalTensor":
        """The block that iterate() has computed, into a tensor; or as one in the workspace.

        get_tensor_c(self, tensor: BaseTensor, en_atomic: int = None, en_sequential_write: bool = None, sync: bool = None, optional_tensor: BaseTensor = None)
        get_tensor_c(self, en_atomic: int = None, en_sequential_write: bool = None, sync: bool = None)

        Runs on pipe M.
        """
        kernel_only('get_tensor_c')

    def async_get_tensor_c(self, c: "LocalTensor") -> None:
        """The next block, into a tensor.

        Runs on pipe M.
        """
        kernel_only('async_get_tensor_c')

    def iterate_all(self, tensor: "BaseTensor", en_atomic: int = None, sync: bool = None, en_sequential_write: bool = None, wait_iterate_all: bool = None, fake_msg: bool = None) -> None:
        """The whole part of this core, into a tensor.

        Runs on pipe M.
        """
        kernel_only('iterate_all')

    @overload
    def iterate_batch(self, tensor: "BaseTensor", batch_a: int, batch_b: int, en_sequential_write: bool, matrix_stride_a: int = None, matrix_stride_b: int = None, matrix_stride_c: int = None, en_partial_sum: bool = None, en_atomic: int = None, sync: bool = None, wait_iterate_batch: bool = None) -> None: ...

    @overload
    def iterate_batch(self, tensor: "BaseTensor", en_partial_sum: bool, en_atomic: int, en_sequential_write: bool, matrix_stride_a: int = None, matrix_stride_b: int = None, matrix_stride_c: int = None, sync: bool = None) -> None: ...

    def iterate_batch(self, tensor: "BaseTensor", *args, **kwargs) -> None:
        """Products of several matrices at once.

        iterate_batch(self, tensor: BaseTensor, batch_a: int, batch_b: int, en_sequential_write: bool, matrix_stride_a: int = None, matrix_stride_b: int = None, matrix_stride_c: int = None, en_partial_sum: bool = None, en_atomic: int = None, sync: bool = None, wait_iterate_batch: bool = None)
        iterate_batch(self, tensor: BaseTensor, en_partial_sum: bool, en_atomic: int, en_sequential_write: bool, matrix_stride_a: int = None, matrix_stride_b: int = None, matrix_stride_c: int = None, sync: bool = None)

        Runs on pipe M.
        """
        kernel_only('iterate_batch')

    def iterate_n_batch(self, batch_loop: int, batch_a: int, batch_b: int, en_sequential_write: bool, matrix_stride_a: int = None, matrix_stride_b: int = None, matrix_stride_c: int = None, sync: bool = None, wait_iterate_batch: bool = None) -> None:
        """batch_loop times iterate_batch, into the workspace.

        Runs on pipe M.
        """
        kernel_only('iterate_n_batch')

    @overload
    def get_batch_tensor_c(self, tensor: "LocalTensor", batch_a: int, batch_b: int, en_sequential_write: bool = None, sync: bool = None) -> "GlobalTensor": ...

    @overload
    def get_batch_tensor_c(self, batch_a: int, batch_b: int, en_sequential_write: bool = None, sync: bool = None) -> "GlobalTensor": ...

    def get_batch_tensor_c(self, *args, **kwargs) -> "GlobalTensor":
        """The next matrices that iterate_n_batch() has computed.

        get_batch_tensor_c(self, tensor: LocalTensor, batch_a: int, batch_b: int, en_sequential_write: bool = None, sync: bool = None)
        get_batch_tensor_c(self, batch_a: int, batch_b: int, en_sequential_write: bool = None, sync: bool = None)

        Runs on pipe M.
        """
        kernel_only('get_batch_tensor_c')

    def offset_c(self, which: int) -> int:
        """A field of get_offset_c()."""
        kernel_only('offset_c')

    def get_offset_c(self) -> None:
        """Where the block that iterate() has computed is in this core's part."""
        kernel_only('get_offset_c')

    def wait_iterate_all(self) -> None:
        """Wait for iterate_all(); on the model it has ended."""
        kernel_only('wait_iterate_all')

    def wait_iterate_batch(self) -> None:
        """Wait for iterate_batch(); on the model it has ended."""
        kernel_only('wait_iterate_batch')

    def wait_get_tensor_c(self) -> None:
        """Wait for async_get_tensor_c(); on the model it has ended."""
        kernel_only('wait_get_tensor_c')

    def end(self) -> None:
        """The object is not used any more."""
        kernel_only('end')


@overload
def register_matmul(pipe: "TPipe", workspace: "GlobalAddress", matmul: "Matmul", tiling: "TCubeTiling" = None) -> None: ...

@overload
def register_matmul(pipe: "TPipe", workspace: "GlobalAddress", matmul: "Matmul", tiling: "MatmulApiStaticTiling") -> None: ...

def register_matmul(pipe: "TPipe", workspace: "GlobalAddress", matmul: "Matmul", tiling: Any = None, *args, **kwargs) -> None:
    """Give the object its workspace, and the tiling when there is one.

    register_matmul(pipe: TPipe, workspace: GlobalAddress, matmul: Matmul, tiling: TCubeTiling = None)
    register_matmul(pipe: TPipe, workspace: GlobalAddress, matmul: Matmul, tiling: MatmulApiStaticTiling)
    """
    kernel_only('register_matmul')


for _f, _name in (
        (register_matmul, "asc.adv.register_matmul"),
):
    _f.__pyasc_op__ = _name

__all__ = [
    "Matmul", "register_matmul",
]
