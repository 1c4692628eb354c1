"""Printed by tools/asc_face.py from src/base/asc/sync.def."""
from typing import Any, overload

from .._stub import Mask, kernel_only
from ..core import *
from ..core._core import BaseTensor


def set_flag(event: int, event_id: int = None) -> None:
    """The first pipe of the event tells the second that it has come here."""
    kernel_only('set_flag')


def wait_flag(event: int, event_id: int = None) -> None:
    """The second pipe of the event waits for the first's set_flag."""
    kernel_only('wait_flag')


def pipe_barrier(pipe: int) -> None:
    """What follows on the pipe waits for what is before it."""
    kernel_only('pipe_barrier')


def data_sync_barrier(arg0: int) -> None:
    """Scalar accesses wait for memory."""
    kernel_only('data_sync_barrier')


@overload
def sync_all(is_aiv_only: bool = None) -> None: ...

@overload
def sync_all(gm_workspace: "GlobalTensor" = None, ub_workspace: "LocalTensor" = None, used_cores: int = None, is_aiv_only: bool = None) -> None: ...

def sync_all(*args, **kwargs) -> None:
    """Every core waits until all have come here.

    sync_all(is_aiv_only: bool = None)
    sync_all(gm_workspace: GlobalTensor = None, ub_workspace: LocalTensor = None, used_cores: int = None, is_aiv_only: bool = None)
    """
    kernel_only('sync_all')


def ib_set(gm_workspace: "GlobalTensor", ub_workspace: "LocalTensor", block_idx: int, event_id: int, is_aiv_only: bool = None) -> None:
    """Tell the other cores that core block_idx has come here."""
    kernel_only('ib_set')


def ib_wait(gm_workspace: "GlobalTensor", ub_workspace: "LocalTensor", block_idx: int, event_id: int, is_aiv_only: bool = None) -> None:
    """Wait for core block_idx's ib_set."""
    kernel_only('ib_wait')


def cross_core_set_flag(flag_id: int, mode_id: int, pipe: int) -> None:
    """Count up a flag between cores, when the pipe comes here."""
    kernel_only('cross_core_set_flag')


def cross_core_wait_flag(flag_id: int, mode_id: int, pipe: int = None) -> None:
    """The pipe waits for a flag between cores, and counts it down."""
    kernel_only('cross_core_wait_flag')


def notify_next_block(gm_workspace: "GlobalTensor", ub_workspace: "LocalTensor") -> None:
    """Let the next core go on from its wait_pre_block."""
    kernel_only('notify_next_block')


def wait_pre_block(gm_workspace: "GlobalTensor", ub_workspace: "LocalTensor") -> None:
    """Wait for the core before."""
    kernel_only('wait_pre_block')


@overload
def data_cache_clean_and_invalid(entire_type: int, dcci_dst: int, dst: "GlobalTensor") -> None: ...

@overload
def data_cache_clean_and_invalid(entire_type: int, dst: "GlobalTensor") -> None: ...

def data_cache_clean_and_invalid(entire_type: int, *args, **kwargs) -> None:
    """Write the data cache back; the model has none.

    data_cache_clean_and_invalid(entire_type: int, dcci_dst: int, dst: GlobalTensor)
    data_cache_clean_and_invalid(entire_type: int, dst: GlobalTensor)
    """
    kernel_only('data_cache_clean_and_invalid')


def data_cache_preload(src: "GlobalTensor", cache_offset: int) -> None:
    """Fetch a line to the data cache; the model has none."""
    kernel_only('data_cache_preload')


def icache_preload(pre_fetch_len: int) -> None:
    """Fetch code ahead; the model has no such cache."""
    kernel_only('icache_preload')


def get_icache_preload_status() -> int:
    """Is icache_preload still at work: 0."""
    kernel_only('get_icache_preload_status')


def ascend_is_aic() -> int:
    """Is this core a cube core?"""
    kernel_only('ascend_is_aic')


def ascend_is_aiv() -> int:
    """Is this core a vector core?"""
    kernel_only('ascend_is_aiv')


def get_block_idx() -> int:
    """Number of this core among those of the launch."""
    kernel_only('get_block_idx')


def get_block_num() -> int:
    """Cores of the launch."""
    kernel_only('get_block_num')


def get_sub_block_idx() -> int:
    """Number of this vector core among those of its AI core."""
    kernel_only('get_sub_block_idx')


def get_sub_block_num() -> int:
    """Vector cores of an AI core."""
    kernel_only('get_sub_block_num')


def get_task_ratio() -> int:
    """Vector cores for each cube core."""
    kernel_only('get_task_ratio')


def get_data_block_size_in_bytes() -> int:
    """Bytes of a data block."""
    kernel_only('get_data_block_size_in_bytes')


def get_system_cycle() -> int:
    """A clock that counts up."""
    kernel_only('get_system_cycle')


def get_program_counter() -> int:
    """Where the program is: on the model, the line of the kernel."""
    kernel_only('get_program_counter')


def get_arch_version(core_version: Any) -> None:
    """The version of the core."""
    kernel_only('get_arch_version')


def trap() -> None:
    """End the kernel as faulty."""
    kernel_only('trap')


def set_hf32_mode(hf32_mode: bool) -> None:
    """May the cube round float32 factors to HF32."""
    kernel_only('set_hf32_mode')


def set_hf32_trans_mode(trans_mode: bool) -> None:
    """How the cube rounds to HF32."""
    kernel_only('set_hf32_trans_mode')


def set_mm_layout_transform(mm_layout_mode: bool) -> None:
    """Along which dimension the cube goes first."""
    kernel_only('set_mm_layout_transform')


def check_local_memory_ia(check_params: "CheckLocalMemoryIAParam") -> None:
    """Watch addresses of local memory."""
    kernel_only('check_local_memory_ia')


def get_hccl_context(index: int) -> "GlobalAddress":
    """The address that set_hccl_context has set."""
    kernel_only('get_hccl_context')


def set_hccl_context(index: int, context: "GlobalAddress") -> None:
    """Set the address of a communication context."""
    kernel_only('set_hccl_context')


def get_sys_workspace() -> "GlobalAddress":
    """The address that set_sys_workspace has set."""
    kernel_only('get_sys_workspace')


def set_sys_workspace(workspace: "GlobalAddress") -> None:
    """Set the address of the workspace."""
    kernel_only('set_sys_workspace')


def init_soc_state() -> None:
    """Masks and atomics as at the beginning."""
    kernel_only('init_soc_state')


def reset_mask() -> None:
    """All lanes are on."""
    kernel_only('reset_mask')


def set_mask_count() -> None:
    """Masks count elements."""
    kernel_only('set_mask_count')


def set_mask_norm() -> None:
    """Masks name lanes."""
    kernel_only('set_mask_norm')


@overload
def set_vector_mask(length: int, dtype: "DataType", mode: int) -> None: ...

@overload
def set_vector_mask(mask_high: int, mask_low: int, dtype: "DataType", mode: int) -> None: ...

def set_vector_mask(*args, **kwargs) -> None:
    """Set the mask that vector instructions with is_set_mask=False use.

    set_vector_mask(length: int, dtype: DataType, mode: int)
    set_vector_mask(mask_high: int, mask_low: int, dtype: DataType, mode: int)
    """
    kernel_only('set_vector_mask')


def scalar_cast(value_in: float, dtype: "DataType", round_mode: int) -> Any:
    """A float as int32 or float16, rounded as round_mode says."""
    kernel_only('scalar_cast')


def scalar_get_sff_value(value_in: int, count_value: int) -> int:
    """Place of the lowest bit of 64 that is count_value (0 or 1), or -1."""
    kernel_only('scalar_get_sff_value')


def scalar_get_count_of_value(value_in: int, count_value: int) -> int:
    """How many of 64 bits are count_value (0 or 1)."""
    kernel_only('scalar_get_count_of_value')


def scalar_count_leading_zero(value_in: int) -> int:
    """Zeros above the highest set bit of 64."""
    kernel_only('scalar_count_leading_zero')


def count_bits_cnt_same_as_sign_bit(value_in: int) -> int:
    """Bits behind the sign bit of 64 that are like it, up to the first that is not; -1 of 0 and -1."""
    kernel_only('count_bits_cnt_same_as_sign_bit')


def dump_tensor(tensor: "BaseTensor", desc: int, dump_size: int, shape_info: "ShapeInfo" = None) -> None:
    """Print dump_size elements, with the number desc."""
    kernel_only('dump_tensor')


def dump_acc_chk_point(tensor: "BaseTensor", index: int, count_off: int, dump_size: int) -> None:
    """Print dump_size elements from count_off on, with the number index."""
    kernel_only('dump_acc_chk_point')


def print_time_stamp(desc_id: int) -> None:
    """Print the clock, with a number."""
    kernel_only('print_time_stamp')


def metrics_prof_start() -> None:
    """Begin to profile; nothing on the model."""
    kernel_only('metrics_prof_start')


def metrics_prof_stop() -> None:
    """End profiling; nothing on the model."""
    kernel_only('metrics_prof_stop')


def printf(desc: Any, *params) -> None:
    """Print as C's printf does: a constant format, and the values that it names."""
    kernel_only('printf')


for _f, _name in (
        (set_flag, "asc.set_flag"),
        (wait_flag, "asc.wait_flag"),
        (pipe_barrier, "asc.pipe_barrier"),
        (data_sync_barrier, "asc.data_sync_barrier"),
        (sync_all, "asc.sync_all"),
        (ib_set, "asc.ib_set"),
        (ib_wait, "asc.ib_wait"),
        (cross_core_set_flag, "asc.cross_core_set_flag"),
        (cross_core_wait_flag, "asc.cross_core_wait_flag"),
        (notify_next_block, "asc.notify_next_block"),
        (wait_pre_block, "asc.wait_pre_block"),
        (data_cache_clean_and_invalid, "asc.data_cache_clean_and_invalid"),
        (data_cache_preload, "asc.data_cache_preload"),
        (icache_preload, "asc.icache_preload"),
        (get_icache_preload_status, "asc.get_icache_preload_status"),
        (ascend_is_aic, "asc.ascend_is_aic"),
        (ascend_is_aiv, "asc.ascend_is_aiv"),
        (get_block_idx, "asc.get_block_idx"),
        (get_block_num, "asc.get_block_num"),
        (get_sub_block_idx, "asc.get_sub_block_idx"),
        (get_sub_block_num, "asc.get_sub_block_num"),
        (get_task_ratio, "asc.get_task_ratio"),
        (get_data_block_size_in_bytes, "asc.get_data_block_size_in_bytes"),
        (get_system_cycle, "asc.get_system_cycle"),
        (get_program_counter, "asc.get_program_counter"),
        (get_arch_version, "asc.get_arch_version"),
        (trap, "asc.trap"),
        (set_hf32_mode, "asc.set_hf32_mode"),
        (set_hf32_trans_mode, "asc.set_hf32_trans_mode"),
        (set_mm_layout_transform, "asc.set_mm_layout_transform"),
        (check_local_memory_ia, "asc.check_local_memory_ia"),
        (get_hccl_context, "asc.get_hccl_context"),
        (set_hccl_context, "asc.set_hccl_context"),
        (get_sys_workspace, "asc.get_sys_workspace"),
        (set_sys_workspace, "asc.set_sys_workspace"),
        (init_soc_state, "asc.init_soc_state"),
        (reset_mask, "asc.reset_mask"),
        (set_mask_count, "asc.set_mask_count"),
        (set_mask_norm, "asc.set_mask_norm"),
        (set_vector_mask, "asc.set_vector_mask"),
        (scalar_cast, "asc.scalar_cast"),
        (scalar_get_sff_value, "asc.scalar_get_sff_value"),
        (scalar_get_count_of_value, "asc.scalar_get_count_of_value"),
        (scalar_count_leading_zero, "asc.scalar_count_leading_zero"),
        (count_bits_cnt_same_as_sign_bit, "asc.count_bits_cnt_same_as_sign_bit"),
        (dump_tensor, "asc.dump_tensor"),
        (dump_acc_chk_point, "asc.dump_acc_chk_point"),
        (print_time_stamp, "asc.print_time_stamp"),
        (metrics_prof_start, "asc.metrics_prof_start"),
        (metrics_prof_stop, "asc.metrics_prof_stop"),
        (printf, "asc.printf"),
):
    _f.__pyasc_op__ = _name

__all__ = [
    "set_flag", "wait_flag", "pipe_barrier", "data_sync_barrier", "sync_all", "ib_set", "ib_wait",
    "cross_core_set_flag", "cross_core_wait_flag", "notify_next_block", "wait_pre_block",
    "data_cache_clean_and_invalid", "data_cache_preload", "icache_preload", "get_icache_preload_status",
    "ascend_is_aic", "ascend_is_aiv", "get_block_idx", "get_block_num", "get_sub_block_idx", "get_sub_block_num",
    "get_task_ratio", "get_data_block_size_in_bytes", "get_system_cycle", "get_program_counter", "get_arch_version",
    "trap", "set_hf32_mode", "set_hf32_trans_mode", "set_mm_layout_transform", "check_local_memory_ia",
    "get_hccl_context", "set_hccl_context", "get_sys_workspace", "set_sys_workspace", "init_soc_state", "reset_mask",
    "set_mask_count", "set_mask_norm", "set_vector_mask", "scalar_cast", "scalar_get_sff_value",
    "scalar_get_count_of_value", "scalar_count_leading_zero", "count_bits_cnt_same_as_sign_bit", "dump_tensor",
    "dump_acc_chk_point", "print_time_stamp", "metrics_prof_start", "metrics_prof_stop", "printf",
]
