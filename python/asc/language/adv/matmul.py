"""The Matmul object: types of its matrices, configurations, tilings. What is written in Python here is compiled with the
kernel that calls it."""
from dataclasses import dataclass, make_dataclass
from typing import Optional

from ..core.enums import (BatchMode, BatchOutMode, CubeFormat, IterateMode, IterateOrder, LayoutMode, MatmulConfigMode,
                          ScheduleType, TPosition)
from ..core.dtype import DataType
from ..core.struct import Struct

TCUBE_FIELDS = """
used_core_num m n k_a k_b single_core_m single_core_n single_core_k base_m base_n base_k depth_a1 depth_b1 step_m step_n is_bias
trans_length iterate_order share_mode share_l1_size share_l0c_size share_ub_size batch_m batch_n single_batch_m single_batch_n
step_k_a step_k_b depth_a_l1_cache_ub depth_b_l1_cache_ub db_l0a db_l0b db_l0c
a_layout_info_b a_layout_info_s a_layout_info_n a_layout_info_g a_layout_info_d
b_layout_info_b b_layout_info_s b_layout_info_n b_layout_info_g b_layout_info_d
c_layout_info_b c_layout_info_s1 c_layout_info_n c_layout_info_g c_layout_info_s2 batch_num
""".split()
STATIC_FIELDS = [f for f in TCUBE_FIELDS if "batch_" not in f or f == "batch_num"] + ["mx_type_para"]


def _struct(name, fields, default, doc):
    return make_dataclass(name, [(f, int, default) for f in fields], bases=(Struct, ), namespace={
        "__doc__": doc, "__module__": __name__})


TCubeTiling = _struct("TCubeTiling", TCUBE_FIELDS, 0, "How a product is cut for the cores, and for the memories of each.")
MatmulApiStaticTiling = _struct("MatmulApiStaticTiling", STATIC_FIELDS, -1,
                                "A TCubeTiling that is known when the kernel is compiled.")


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


@dataclass
class MatmulConfig:
    """How the object works. On the model only is_bias_batch and is_enable_channel_split mean something."""
    do_norm: bool = True
    do_basic_block: bool = False
    do_multi_data_load: bool = False
    basic_m: int = 0
    basic_n: int = 0
    basic_k: int = 0
    intrinsics_check: bool = False
    is_n_batch: bool = False
    en_vec_nd2nz: bool = False
    do_special_basic_block: bool = False
    do_mte2_preload: int = 0
    single_core_m: int = 0
    single_core_n: int = 0
    single_core_k: int = 0
    step_m: int = 0
    step_n: int = 0
    base_mn: int = 0
    single_core_mn: int = 0
    en_unit_flag: bool = True
    is_per_tensor: bool = False
    has_anti_quant_offset: bool = False
    do_ib_share_norm: bool = False
    do_special_mdl: bool = False
    enable_init: bool = True
    batch_mode: BatchMode = BatchMode.BATCH_LESS_THAN_L1
    enable_end: bool = True
    enable_get_tensor_c: bool = True
    enable_set_org_shape: bool = True
    enable_set_bias: bool = True
    enable_set_tail: bool = True
    enable_quant_vector: bool = True
    enable_set_define_data: bool = True
    iterate_mode: IterateMode = IterateMode.ITERATE_MODE_DEFAULT
    enable_reuse: bool = True
    enable_ub_reuse: bool = False
    enable_l1_cache_ub: bool = False
    intra_block_part_sum: bool = False
    iterate_order: IterateOrder = IterateOrder.UNDEF
    schedule_type: ScheduleType = ScheduleType.INNER_PRODUCT
    enable_double_cache: int = 0
    is_bias_batch: bool = True
    enable_static_pad_zeros: bool = False
    is_partial_output: bool = False
    enable_mix_dual_master: bool = False
    is_a2b2_shared: bool = False
    is_enable_channel_split: bool = False
    enable_kdim_reorder_load: bool = False
    is_co1_shared: bool = False
    shared_co1_buffer_size: int = 64 * 1024
    batch_out_mode: BatchOutMode = BatchOutMode.SINGLE_BATCH


@dataclass
class MatmulShapeParams:
    """Extents of the core's part and of blocks, for get_mm_config()."""
    single_core_m: int = 0
    single_core_n: int = 0
    single_core_k: int = 0
    basic_m: int = 0
    basic_n: int = 0
    basic_k: int = 0


@dataclass
class MatmulQuantParams:
    """Quantisation, for get_mm_config()."""
    is_per_tensor: bool = False
    has_anti_quant_offset: bool = False


@dataclass
class MatmulBatchParams:
    """Batches, for get_mm_config()."""
    is_b_batch: bool = False
    batch_mode: BatchMode = 1
    is_bias_batch: bool = False


@dataclass
class MatmulFuncParams:
    """Functions of the object, for get_mm_config()."""
    intrinsics_limit: bool = False
    en_vec_nd2_nz: bool = False
    enable_double_cache: bool = False
    enable_l1_cache: bool = False
    do_mte2_pre_load: int = 0
    iterate_order: IterateOrder = 0
    schedule_type: ScheduleType = 0
    enable_reuse: bool = True
    enable_ub_reuse: bool = False
    is_partial_output: bool = False
    is_a2_b2_shared: bool = False
    is_enable_channel_split: bool = False
    enable_kdim_reorder_load: bool = False


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


def register_matmul(pipe, workspace, matmul, tiling: Optional[TCubeTiling] = None):
    """Give the object its workspace, and the tiling when there is one. In kernels only."""
    raise RuntimeError("register_matmul() is for kernels")


register_matmul.__pyasc_op__ = "asc.adv.register_matmul"


class Matmul:
    """A product of matrices c = a @ b + bias. In kernels only; docs/asc.md has its methods."""
    __pyasc_asc__ = True

    def __init__(self, a, b, c, bias=None, matmul_config=None, matmul_policy=0):
        raise RuntimeError("a Matmul is for kernels")
