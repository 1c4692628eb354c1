"""Parameters of operations. In kernels each field may be a run-time number."""
from dataclasses import dataclass
from typing import Any, ClassVar, List, Optional

from .dtype import DataType
from .enums import BlockMode, CO2Layout, DeqScale, QuantModes, TransposeType, pad_t


@dataclass
class BinaryRepeatParams:
    """Strides of two sources and a destination, in blocks of 32 bytes: between the blocks of a repeat, and between repeats."""
    dst_blk_stride: int = 1
    src0_blk_stride: int = 1
    src1_blk_stride: int = 1
    dst_rep_stride: int = 8
    src0_rep_stride: int = 8
    src1_rep_stride: int = 8


@dataclass
class BrcbRepeatParams:
    """Strides of what brcb writes, in blocks: between the eight blocks of a repeat, and between repeats."""
    dst_blk_stride: int = 1
    dst_rep_stride: int = 8


@dataclass
class CopyRepeatParams:
    """Strides of copy, in blocks of 32 bytes: between blocks, and (the repeat sizes) between repeats."""
    dst_stride: int = 0
    src_stride: int = 0
    dst_repeat_size: int = 0
    src_repeat_size: int = 0


@dataclass
class DataCopyParams:
    """block_count pieces of block_len blocks of 32 bytes, with gaps of src_stride and dst_stride blocks between them."""
    block_count: int = 1
    block_len: int = 0
    src_stride: int = 0
    dst_stride: int = 0


@dataclass
class DataCopyEnhancedParams:
    """How a copy out of L0C dequantises, applies relu and pads."""
    block_mode: BlockMode = BlockMode.BLOCK_MODE_NORMAL
    deq_scale: DeqScale = DeqScale.DEQ_NONE
    deq_value_in: int = 0
    sid_store_mode_in: int = 0
    is_relu_in: bool = False
    pad_mode_in: pad_t = pad_t.PAD_NONE
    pad_value_in: int = 0


@dataclass
class InitConstValueParams:
    """repeat_times pieces of block_num blocks, dst_gap blocks apart, are set to init_value."""
    repeat_times: int = 0
    block_num: int = 0
    dst_gap: int = 0
    init_value: Any = 0


@dataclass
class SliceInfo:
    """One dimension of a slice: elements start_index to end_index, pieces of burst_len blocks, stride between them, of shape_value."""
    start_index: int = 0
    end_index: Optional[int] = None
    stride: int = 0
    burst_len: Optional[int] = None
    shape_value: int = 0


@dataclass
class UnaryRepeatParams:
    """Strides of a source and a destination, in blocks of 32 bytes: between the blocks of a repeat, and between repeats."""
    dst_blk_stride: int = 1
    src_blk_stride: int = 1
    dst_rep_stride: int = 8
    src_rep_stride: int = 8


@dataclass
class TransDataTo5HDParams:
    """Which half of a block int8 data is in, how many repeats, and their strides in blocks."""
    dst_high_half: bool = False
    src_high_half: bool = False
    repeat_times: int = 1
    dst_rep_stride: int = 0
    src_rep_stride: int = 0


@dataclass
class TransposeParamsExt:
    """Sizes of a transpose of four dimensions, and its kind."""
    n_size: int = 0
    c_size: int = 0
    h_size: int = 0
    w_size: int = 0
    transpose_type: TransposeType = TransposeType.TRANSPOSE_ND2ND_B16


@dataclass
class DataCopyPadExtParams:
    """Elements put before and behind each piece that is copied in, and their value."""
    dtype: DataType
    is_pad: bool = False
    left_padding: int = 0
    right_padding: int = 0
    padding_value: int = 0


@dataclass
class DataCopyPadParams:
    """Elements put before and behind each piece that is copied in, and their value (as bits)."""
    is_pad: bool = False
    left_padding: int = 0
    right_padding: int = 0
    padding_value: int = 0


@dataclass
class DataCopyExtParams:
    """block_count pieces of block_len bytes; the gaps are bytes in global memory, blocks of 32 bytes in local memory."""
    block_count: int = 1
    block_len: int = 0
    src_stride: int = 0
    dst_stride: int = 0
    rsv: int = 0


@dataclass
class GatherMaskParams:
    """Strides of gather_mask in blocks, and its repeats."""
    src0_block_stride: int = 1
    repeat_times: int = 1
    src0_repeat_stride: int = 0
    src1_repeat_stride: int = 0


@dataclass
class MmadParams:
    """Sizes of a product: m rows, n columns, sums over k; and where the sums begin."""
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
class LoadImageToLocalParams:
    """Which part of an image is loaded, and its padding."""
    horiz_size: int = 2
    vert_size: int = 2
    horiz_start_pos: int = 0
    vert_start_pos: int = 0
    src_horiz_size: int = 2
    top_pad_size: int = 0
    bot_pad_size: int = 0
    left_pad_size: int = 0
    right_pad_size: int = 0


@dataclass
class Nd2NzParams:
    """nd_num matrices of n_value rows and d_value columns, and the strides of both layouts."""
    nd_num: int
    n_value: int
    d_value: int
    src_nd_matrix_stride: int
    src_d_value: int
    dst_nz_c0_stride: int
    dst_nz_n_stride: int
    dst_nz_matrix_stride: int


@dataclass
class Nz2NdParamsFull:
    """nd_num matrices of n_value rows and d_value columns, and the strides of both layouts."""
    nd_num: int
    n_value: int
    d_value: int
    src_nd_matrix_stride: int
    src_n_stride: int
    dst_d_stride: int
    dst_nd_matrix_stride: int
    rest: Any = None  # existing kernels pass an eighth value


@dataclass
class DataCopyCO12DstParams:
    """Sizes and strides of a copy out of L0C, and what is done on the way."""
    n_size: int
    m_size: int
    dst_stride: int
    src_stride: int
    quant_pre: QuantModes = QuantModes.NoQuant
    relu_pre: int = 0
    channel_split: bool = False
    nz2nd_en: bool = False


@dataclass
class GatherRepeatParams:
    """Strides of what gatherb writes, in blocks."""
    dst_blk_stride: int = 1
    dst_rep_stride: int = 8


@dataclass
class LoadData2DParams:
    """Which fractals of 512 bytes are loaded, and where they go."""
    start_index: int = 0
    repeat_times: int = 1
    src_stride: int = 0
    sid: int = 0
    dst_gap: int = 0
    if_transpose: bool = False
    addr_mode: int = 0


@dataclass
class LoadData2DParamsV2:
    """Which rows and columns of fractals are loaded, and the strides."""
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
    """An image, a filter's window over it, and which of the windows are laid out as rows."""
    pad_list: tuple = (0, 0, 0, 0)
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
    """An image, a filter's window over it, and which rows and columns of the matrix of windows are loaded."""
    pad_list: tuple = (0, 0, 0, 0)
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
    """As LoadData3DParamsV2, with packed settings."""
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
    """Which fractals are loaded and transposed, and where they go."""
    start_index: int = 0
    repeat_times: int = 1
    src_stride: int = 0
    dst_gap: int = 0
    dst_frac_gap: int = 0
    addr_mode: int = 0


@dataclass
class LoadDataRepeatParam:
    """Repeats of load_data."""
    repeat_time: int = 1
    repeat_stride: int = 0
    repeat_mode: int = 0


@dataclass
class LoadData2dTransposeParamsV2:
    """As LoadData2dTransposeParams, with a gap between source fractals."""
    start_index: int = 0
    repeat_times: int = 0
    src_stride: int = 0
    dst_gap: int = 0
    dst_frac_gap: int = 0
    src_frac_gap: int = 0
    addr_mode: int = 0


@dataclass
class MrgSort4Info:
    """Lengths of the runs to be merged, which of them count (a bit each), and repeats."""
    element_lengths: List[int]
    if_exhausted_suspension: bool = False
    valid_bit: int = 15
    repeat_times: int = 1


@dataclass
class MrgSortSrcList:
    """Two to four tensors of sorted pairs, to be merged."""
    dtype: DataType
    src1: Any
    src2: Any
    src3: Any = None
    src4: Any = None


@dataclass
class FixpipeConfig:
    """Layout of what fixpipe writes."""
    layout: CO2Layout
    cfg_nz: ClassVar["FixpipeConfig"]
    cfg_row_major: ClassVar["FixpipeConfig"]
    cfg_column_major: ClassVar["FixpipeConfig"]


FixpipeConfig.cfg_nz = FixpipeConfig(CO2Layout.NZ)
FixpipeConfig.cfg_row_major = FixpipeConfig(CO2Layout.ROW_MAJOR)
FixpipeConfig.cfg_column_major = FixpipeConfig(CO2Layout.COLUMN_MAJOR)


@dataclass
class FixpipeParamsV220:
    """Sizes and strides of what fixpipe writes, and what is done on the way."""
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


@dataclass
class VdeqInfo:
    """Sixteen scales, offsets and signs for set_deq_scale."""
    scale: List[float]
    offset: List[int]
    sign_mode: List[bool]


@dataclass
class CheckLocalMemoryIAParam:
    """Which addresses of local memory are watched, and for which accesses."""
    enable_bit: int = 0
    start_addr: int = 0
    end_addr: int = 0
    is_scalar_read: bool = False
    is_scalar_write: bool = False
    is_vector_read: bool = False
    is_vector_write: bool = False
    is_mte_read: bool = False
    is_mte_write: bool = False
    is_enable: bool = False


__all__ = [
    "BinaryRepeatParams", "BrcbRepeatParams", "CopyRepeatParams", "DataCopyParams", "DataCopyEnhancedParams",
    "InitConstValueParams", "SliceInfo", "UnaryRepeatParams", "TransDataTo5HDParams", "TransposeParamsExt",
    "DataCopyPadExtParams", "DataCopyPadParams", "DataCopyExtParams", "GatherMaskParams", "MmadParams",
    "LoadImageToLocalParams", "Nd2NzParams", "Nz2NdParamsFull", "DataCopyCO12DstParams", "GatherRepeatParams",
    "LoadData2DParams", "LoadData2DParamsV2", "LoadData3DParamsV1", "LoadData3DParamsV2", "LoadData3DParamsV2Pro",
    "LoadData2dTransposeParams", "LoadDataRepeatParam", "LoadData2dTransposeParamsV2", "MrgSort4Info", "MrgSortSrcList",
    "FixpipeConfig", "FixpipeParamsV220", "VdeqInfo", "CheckLocalMemoryIAParam",
]
