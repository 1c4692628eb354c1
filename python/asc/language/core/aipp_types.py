"""Parameters of set_aipp_functions."""
from dataclasses import dataclass
from typing import Optional, Union

from .dtype import DataType


@dataclass
class AippPaddingParams:
    """Padding of an image: mode, and a value for each channel."""
    padding_mode: int = 0
    padding_value_ch0: Union[int, float] = 0
    padding_value_ch1: Union[int, float] = 0
    padding_value_ch2: Union[int, float] = 0
    padding_value_ch3: Union[int, float] = 0


@dataclass
class AippSwapParams:
    """Which channels of an image are exchanged."""
    is_swap_rb: bool = False
    is_swap_uv: bool = False
    is_swap_ax: bool = False


@dataclass
class AippSingleLineParams:
    """Is one line copied only."""
    is_single_line_copy: bool = False


@dataclass
class AippDataTypeConvParams:
    """Conversion of pixels: (pixel - mean - min) * var for each channel."""
    dtc_mean_ch0: int = 0
    dtc_mean_ch1: int = 0
    dtc_mean_ch2: int = 0
    dtc_min_ch0: float = 0.0
    dtc_min_ch1: float = 0.0
    dtc_min_ch2: float = 0.0
    dtc_var_ch0: float = 1.0
    dtc_var_ch1: float = 1.0
    dtc_var_ch2: float = 1.0
    dtc_round_mode: int = 0


@dataclass
class AippChannelPaddingParams:
    """Value of the channels that an image lacks."""
    c_padding_mode: int = 0
    c_padding_value: Union[int, float] = 0


@dataclass
class AippColorSpaceConvParams:
    """Matrix and biases of a conversion between colour spaces."""
    is_enable_csc: bool = False
    csc_matrix_r0_c0: int = 0
    csc_matrix_r0_c1: int = 0
    csc_matrix_r0_c2: int = 0
    csc_matrix_r1_c0: int = 0
    csc_matrix_r1_c1: int = 0
    csc_matrix_r1_c2: int = 0
    csc_matrix_r2_c0: int = 0
    csc_matrix_r2_c1: int = 0
    csc_matrix_r2_c2: int = 0
    csc_bias_in_0: int = 0
    csc_bias_in_1: int = 0
    csc_bias_in_2: int = 0
    csc_bias_out_0: int = 0
    csc_bias_out_1: int = 0
    csc_bias_out_2: int = 0


@dataclass
class AippParams:
    """What is done to an image as it is loaded."""
    dtype: DataType
    padding_params: Optional[AippPaddingParams] = None
    swap_params: Optional[AippSwapParams] = None
    single_line_params: Optional[AippSingleLineParams] = None
    dtc_params: Optional[AippDataTypeConvParams] = None
    c_padding_params: Optional[AippChannelPaddingParams] = None
    csc_params: Optional[AippColorSpaceConvParams] = None


__all__ = [
    "AippPaddingParams", "AippSwapParams", "AippSingleLineParams", "AippDataTypeConvParams",
    "AippChannelPaddingParams", "AippColorSpaceConvParams", "AippParams",
]
