"""The Matmul object: types of its matrices, configurations, tilings. What is written in Python here is compiled with the
kernel that calls it."""
from dataclasses import dataclass

from ..core.dtype import DataType
from ..core.enums import BatchMode, CubeFormat, IterateOrder, LayoutMode, MatmulConfigMode, ScheduleType, TPosition
from ._matmul import Matmul, register_matmul
from .tiling import MatmulApiStaticTiling
from .types import MatmulBatchParams, MatmulConfig, MatmulFuncParams, MatmulQuantParams, MatmulShapeParams


@dataclass
class MatmulType:
    """Where a matrix is, its format and dtype; whether it may be transposed; its layout in a batch."""
    position: TPosition
    format: CubeFormat
    dtype: DataType
    is_trans: bool = False
    layout: LayoutMode = LayoutMode.NONE


@dataclass
class MatrixOffset:
    """Where a block is in the matrix."""
    offset: int
    row: int
    col: int
    height: int
    width: int


def get_normal_config(intrinsics_limit=False, batch_loop=False, is_vec_nd2_nz=False,
                      bmm_mode=BatchMode.BATCH_LESS_THAN_L1, is_msg_reuse=True, iterate_order=IterateOrder.ORDER_M,
                      schedule_type=ScheduleType.INNER_PRODUCT, en_unit_flag=True):
    """The plain configuration: a block at a time."""
    return MatmulConfig(intrinsics_check=intrinsics_limit, is_n_batch=batch_loop, en_vec_nd2nz=is_vec_nd2_nz,
                        batch_mode=bmm_mode, enable_reuse=is_msg_reuse, iterate_order=iterate_order,
                        schedule_type=schedule_type, en_unit_flag=en_unit_flag)


def get_mdl_config(intrinsics_limit=False, batch_loop=False, do_mte2_preload=0, is_vec_nd2_nz=False, is_per_tensor=False,
                   has_anti_quant_offset=False, en_unit_flag=False, is_msg_reuse=True, enable_ub_reuse=True,
                   enable_l1_cache_ub=False, enable_mix_dual_master=False, enable_kdim_reorder_load=False):
    """Several blocks are loaded at once."""
    return MatmulConfig(do_norm=False, do_multi_data_load=True, intrinsics_check=intrinsics_limit, is_n_batch=batch_loop,
                        do_mte2_preload=do_mte2_preload, en_vec_nd2nz=is_vec_nd2_nz, is_per_tensor=is_per_tensor,
                        has_anti_quant_offset=has_anti_quant_offset, en_unit_flag=en_unit_flag,
                        enable_reuse=is_msg_reuse, enable_ub_reuse=enable_ub_reuse,
                        enable_l1_cache_ub=enable_l1_cache_ub, enable_mix_dual_master=enable_mix_dual_master,
                        enable_kdim_reorder_load=enable_kdim_reorder_load)


def get_special_mdl_config(intrinsics_limit=False, batch_loop=False, do_mte2_pre_load=0, is_vec_nd2_nz=False,
                           is_per_tensor=False, has_anti_quant_offset=False):
    """As get_mdl_config(), for a few blocks along k."""
    return MatmulConfig(do_norm=False, do_special_mdl=True, intrinsics_check=intrinsics_limit, is_n_batch=batch_loop,
                        do_mte2_preload=do_mte2_pre_load, en_vec_nd2nz=is_vec_nd2_nz, is_per_tensor=is_per_tensor,
                        has_anti_quant_offset=has_anti_quant_offset, en_unit_flag=False)


def get_ib_share_norm_config(intrinsics_limit=False, batch_loop=False, is_vec_nd2_nz=False,
                             bmm_mode=BatchMode.BATCH_LESS_THAN_L1, is_double_cache=False, en_unit_flag=True):
    """The vector cores of a group share a matrix."""
    return MatmulConfig(do_norm=False, do_ib_share_norm=True, intrinsics_check=intrinsics_limit, is_n_batch=batch_loop,
                        en_vec_nd2nz=is_vec_nd2_nz, batch_mode=bmm_mode, enable_double_cache=is_double_cache,
                        en_unit_flag=en_unit_flag)


def get_basic_config(basic_m, basic_n, basic_k, intrinsics_limit=False, batch_loop=False,
                     bmm_mode=BatchMode.BATCH_LESS_THAN_L1):
    """Blocks of extents that are known when the kernel is compiled."""
    return MatmulConfig(do_norm=False, do_basic_block=True, basic_m=basic_m, basic_n=basic_n, basic_k=basic_k,
                        intrinsics_check=intrinsics_limit, is_n_batch=batch_loop, batch_mode=bmm_mode)


def get_special_basic_config(basic_m, basic_n, basic_k, single_core_m, single_core_n, single_core_k, step_m, step_n,
                             intrinsics_limit=False, batch_loop=False, bmm_mode=BatchMode.BATCH_LESS_THAN_L1):
    """As get_basic_config(), with the core's part known, too."""
    return MatmulConfig(do_norm=False, do_special_basic_block=True, basic_m=basic_m, basic_n=basic_n, basic_k=basic_k,
                        single_core_m=single_core_m, single_core_n=single_core_n, single_core_k=single_core_k,
                        step_m=step_m, step_n=step_n, intrinsics_check=intrinsics_limit, is_n_batch=batch_loop,
                        batch_mode=bmm_mode)


def _take(config, x):
    if isinstance(x, MatmulShapeParams):
        config.single_core_m, config.single_core_n, config.single_core_k = x.single_core_m, x.single_core_n, x.single_core_k
        config.basic_m, config.basic_n, config.basic_k = x.basic_m, x.basic_n, x.basic_k
    elif isinstance(x, MatmulQuantParams):
        config.is_per_tensor = x.is_per_tensor
        config.has_anti_quant_offset = x.has_anti_quant_offset
    elif isinstance(x, MatmulBatchParams):
        config.is_n_batch = x.is_b_batch
        config.batch_mode = x.batch_mode
        config.is_bias_batch = x.is_bias_batch
    elif isinstance(x, MatmulFuncParams):
        config.intrinsics_check = x.intrinsics_limit
        config.en_vec_nd2nz = x.en_vec_nd2_nz
        config.iterate_order = x.iterate_order
        config.schedule_type = x.schedule_type
        config.is_partial_output = x.is_partial_output
        config.is_enable_channel_split = x.is_enable_channel_split


def get_mm_config(config_mode=MatmulConfigMode.CONFIG_NORM, *params):
    """The configuration of a mode, with what MatmulShapeParams, MatmulQuantParams, MatmulBatchParams and
    MatmulFuncParams set, in any order."""
    config = MatmulConfig(do_norm=config_mode == MatmulConfigMode.CONFIG_NORM,
                          do_multi_data_load=config_mode == MatmulConfigMode.CONFIG_MDL,
                          do_special_mdl=config_mode == MatmulConfigMode.CONFIG_SPECIALMDL,
                          do_ib_share_norm=config_mode == MatmulConfigMode.CONFIG_IBSHARE)
    for x in params:
        _take(config, x)
    return config


def get_matmul_api_tiling(mm_cfg, l1_size, a_type, b_type, c_type, bias_type=None):
    """The tiling of a configuration that has the extents of the core's part and of blocks."""
    return MatmulApiStaticTiling(used_core_num=1, m=mm_cfg.single_core_m, n=mm_cfg.single_core_n,
                                 k_a=mm_cfg.single_core_k, k_b=mm_cfg.single_core_k, single_core_m=mm_cfg.single_core_m,
                                 single_core_n=mm_cfg.single_core_n, single_core_k=mm_cfg.single_core_k,
                                 base_m=mm_cfg.basic_m, base_n=mm_cfg.basic_n, base_k=mm_cfg.basic_k, step_m=1, step_n=1,
                                 depth_a1=1, depth_b1=1, is_bias=0, iterate_order=0, share_l1_size=l1_size)


__all__ = ["Matmul", "MatmulType", "get_basic_config", "get_ib_share_norm_config", "get_matmul_api_tiling", "get_mdl_config",
           "get_mm_config", "get_normal_config", "get_special_basic_config", "get_special_mdl_config", "register_matmul"]
