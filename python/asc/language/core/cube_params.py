"""Parameters of the cube unit's operations."""
from dataclasses import dataclass
from typing import Any, Optional, Tuple

from .enums import CO2Layout, QuantModes


@dataclass
class InitConstValueParams:
    """Blocks for init_const_value()."""
    repeat_times: int = 0
    block_num: int = 0
    dst_gap: int = 0
    init_value: Any = 0


@dataclass
class MmadParams:
    """Extents for mmad(): m x k times k x n, and what dst begins with."""
    m: int = 0
    n: int = 0
    k: int = 0
    is_bias: Optional[bool] = None
    fm_offset: Optional[int] = None
    en_ssparse: Optional[bool] = None
    en_winograd_a: Optional[bool] = None
    en_winograd_b: Optional[bool] = None
    unit_flag: Optional[int] = None
    cmatrix_source: Optional[bool] = None
    cmatrix_init_val: Optional[bool] = None


@dataclass
class LoadData2DParams:
    """Fractals for load_data(): from which, how many, how far apart."""
    start_index: int = 0
    repeat_times: int = 1
    src_stride: int = 0
    sid: int = 0
    dst_gap: int = 0
    if_transpose: bool = False
    addr_mode: int = 0


@dataclass
class LoadData2DParamsV2:
    """A matrix of fractals for load_data()."""
    m_start_position: int = 0
    k_start_position: int = 0
    m_step: int = 0
    k_step: int = 0
    src_stride: int = 0
    dst_stride: int = 0
    if_transpose: bool = False
    sid: int = 0


@dataclass
class LoadData3DParamsV1:
    """Fractals of a convolution's matrix for load_data()."""
    pad_list: Tuple[int, int, int, int] = (0, 0, 0, 0)
    l1_h: int = 1
    l1_w: int = 1
    c1_index: int = 0
    fetch_filter_w: int = 0
    fetch_filter_h: int = 0
    left_top_w: int = 0
    left_top_h: int = 0
    stride_w: int = 1
    stride_h: int = 1
    filter_w: int = 1
    filter_h: int = 1
    dilation_filter_w: int = 1
    dilation_filter_h: int = 1
    jump_stride: int = 1
    repeat_mode: int = 0
    repeat_time: int = 1
    c_size: int = 0
    pad_value: int = 0


@dataclass
class LoadData3DParamsV2:
    """A part of a convolution's matrix for load_data()."""
    pad_list: Tuple[int, int, int, int] = (0, 0, 0, 0)
    l1_h: int = 1
    l1_w: int = 1
    channel_size: int = 1
    k_extension: int = 1
    m_extension: int = 1
    k_start_pt: int = 0
    m_start_pt: int = 0
    stride_w: int = 1
    stride_h: int = 1
    filter_w: int = 1
    filter_h: int = 1
    dilation_filter_w: int = 1
    dilation_filter_h: int = 1
    en_transpose: bool = False
    pad_value: int = 0
    filter_size_w: bool = False
    filter_size_h: bool = False
    f_matrix_ctrl: bool = False


@dataclass
class LoadData3DParamsV2Pro:
    """As LoadData3DParamsV2, the numbers packed into words."""
    channel_size: int = 0
    en_transpose: bool = False
    en_small_k: bool = False
    filter_size_w: bool = False
    filter_size_h: bool = False
    f_matrix_ctrl: bool = False
    ext_config: int = 0
    filter_config: int = 1103823438081


@dataclass
class LoadData2dTransposeParams:
    """Squares for load_data_with_transpose()."""
    start_index: int = 0
    repeat_times: int = 1
    src_stride: int = 0
    dst_gap: int = 0
    dst_frac_gap: int = 0
    addr_mode: int = 0


@dataclass
class LoadData2dTransposeParamsV2:
    """Squares for load_data_with_transpose(), counted in fractals."""
    start_index: int = 0
    repeat_times: int = 0
    src_stride: int = 0
    dst_gap: int = 0
    dst_frac_gap: int = 0
    src_frac_gap: int = 0
    addr_mode: int = 0


@dataclass
class LoadDataRepeatParam:
    """Repeats of load_data() of convolutions."""
    repeat_time: int = 1
    repeat_stride: int = 0
    repeat_mode: int = 0


@dataclass
class FixpipeConfig:
    """The layout that fixpipe() makes."""
    layout: CO2Layout


@dataclass
class FixpipeParamsV220:
    """What fixpipe() moves, and how it (de)quantises."""
    n_size: int
    m_size: int
    src_stride: int
    dst_stride: int
    quant_pre: QuantModes = QuantModes.NoQuant
    deq_scalar: int = 0
    nd_num: int = 1
    src_nd_stride: int = 0
    dst_nd_stride: int = 0
    relu_en: bool = False
    unit_flag: int = 0
    is_channel_split: bool = False


FixpipeConfig.cfg_row_major = FixpipeConfig(CO2Layout.ROW_MAJOR)
FixpipeConfig.cfg_nz = FixpipeConfig(CO2Layout.NZ)
