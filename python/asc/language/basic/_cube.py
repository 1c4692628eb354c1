"""Printed by tools/asc_face.py from src/base/asc/cube.def."""
from typing import Any, overload

from .._stub import Mask, kernel_only
from ..core import *
from ..core._core import BaseTensor


def init_const_value(dst: "LocalTensor", init_const_value_params: "InitConstValueParams") -> None:
    """Fill blocks of L1, L0A or L0B with a number.

    Runs on pipe V, MTE2 or MTE3, by where the data is.
    """
    kernel_only('init_const_value')


@overload
def load_data(dst: "LocalTensor", src: "BaseTensor", params: "LoadData2DParams") -> None: ...

@overload
def load_data(dst: "LocalTensor", src: "BaseTensor", params: "LoadData2DParamsV2") -> None: ...

@overload
def load_data(dst: "LocalTensor", src: "BaseTensor", params: "LoadData3DParamsV1") -> None: ...

@overload
def load_data(dst: "LocalTensor", src: "BaseTensor", params: "LoadData3DParamsV2") -> None: ...

@overload
def load_data(dst: "LocalTensor", src: "BaseTensor", params: "LoadData3DParamsV2Pro") -> None: ...

def load_data(dst: "LocalTensor", src: "BaseTensor", *args, **kwargs) -> None:
    """Load fractals of 512 bytes: one by one, as a matrix, or as the columns that a convolution multiplies.

    load_data(dst: LocalTensor, src: BaseTensor, params: LoadData2DParams)
    load_data(dst: LocalTensor, src: BaseTensor, params: LoadData2DParamsV2)
    load_data(dst: LocalTensor, src: BaseTensor, params: LoadData3DParamsV1)
    load_data(dst: LocalTensor, src: BaseTensor, params: LoadData3DParamsV2)
    load_data(dst: LocalTensor, src: BaseTensor, params: LoadData3DParamsV2Pro)

    Runs on pipe V, MTE2 or MTE3, by where the data is.
    """
    kernel_only('load_data')


@overload
def load_data_with_transpose(dst: "LocalTensor", src: "LocalTensor", params: "LoadData2dTransposeParams") -> None: ...

@overload
def load_data_with_transpose(dst: "LocalTensor", src: "LocalTensor", params: "LoadData2dTransposeParamsV2") -> None: ...

def load_data_with_transpose(dst: "LocalTensor", src: "LocalTensor", *args, **kwargs) -> None:
    """Load squares of fractals, each transposed.

    load_data_with_transpose(dst: LocalTensor, src: LocalTensor, params: LoadData2dTransposeParams)
    load_data_with_transpose(dst: LocalTensor, src: LocalTensor, params: LoadData2dTransposeParamsV2)

    Runs on pipe MTE1.
    """
    kernel_only('load_data_with_transpose')


def load_data_with_sparse(dst: "LocalTensor", src: "LocalTensor", idx: "LocalTensor", load_data_params: "LoadData2DParams") -> None:
    """Load fractals of a matrix without two of four elements, and which they are.

    Runs on pipe MTE1.
    """
    kernel_only('load_data_with_sparse')


@overload
def mmad(dst: "LocalTensor", fm: "LocalTensor", filter: "LocalTensor", params: "MmadParams") -> None: ...

@overload
def mmad(dst: "LocalTensor", fm: "LocalTensor", filter: "LocalTensor", bias: "LocalTensor", params: "MmadParams") -> None: ...

def mmad(dst: "LocalTensor", fm: "LocalTensor", filter: "LocalTensor", *args, **kwargs) -> None:
    """dst = fm @ filter, or dst += fm @ filter.

    mmad(dst: LocalTensor, fm: LocalTensor, filter: LocalTensor, params: MmadParams)
    mmad(dst: LocalTensor, fm: LocalTensor, filter: LocalTensor, bias: LocalTensor, params: MmadParams)

    Runs on pipe M.
    """
    kernel_only('mmad')


def mmad_with_sparse(dst: "LocalTensor", fm: "LocalTensor", filter: "LocalTensor", mmad_params: "MmadParams") -> None:
    """As mmad, with a filter that load_data_with_sparse() has loaded.

    Runs on pipe M.
    """
    kernel_only('mmad_with_sparse')


def set_load_data_boundary(boundary: int) -> None:
    """Where load_data() of convolutions goes on at the start of L1."""
    kernel_only('set_load_data_boundary')


def set_load_data_padding_value(pad_value: float) -> None:
    """What load_data() of convolutions pads with, where it does not say so itself."""
    kernel_only('set_load_data_padding_value')


def set_load_data_repeat(param: "LoadDataRepeatParam") -> None:
    """How often load_data() of convolutions repeats, and how far apart."""
    kernel_only('set_load_data_repeat')


@overload
def fixpipe(dst: "BaseTensor", src: "LocalTensor", params: "FixpipeParamsV220", config: "FixpipeConfig" = None) -> None: ...

@overload
def fixpipe(dst: "BaseTensor", src: "LocalTensor", cbuf_workspace: "LocalTensor", params: "FixpipeParamsV220", config: "FixpipeConfig" = None) -> None: ...

def fixpipe(dst: "BaseTensor", src: "LocalTensor", *args, **kwargs) -> None:
    """Move sums out of L0C: as they are, rounded, or (de)quantised; as fractals or as rows.

    fixpipe(dst: BaseTensor, src: LocalTensor, params: FixpipeParamsV220, config: FixpipeConfig = None)
    fixpipe(dst: BaseTensor, src: LocalTensor, cbuf_workspace: LocalTensor, params: FixpipeParamsV220, config: FixpipeConfig = None)

    Runs on pipe FIX.
    """
    kernel_only('fixpipe')


def set_fix_pipe_pre_quant_flag(config: int) -> None:
    """The factor that data_copy() out of L0C (de)quantises with."""
    kernel_only('set_fix_pipe_pre_quant_flag')


for _f, _name in (
        (init_const_value, "asc.init_const_value"),
        (load_data, "asc.load_data"),
        (load_data_with_transpose, "asc.load_data_with_transpose"),
        (load_data_with_sparse, "asc.load_data_with_sparse"),
        (mmad, "asc.mmad"),
        (mmad_with_sparse, "asc.mmad_with_sparse"),
        (set_load_data_boundary, "asc.set_load_data_boundary"),
        (set_load_data_padding_value, "asc.set_load_data_padding_value"),
        (set_load_data_repeat, "asc.set_load_data_repeat"),
        (fixpipe, "asc.fixpipe"),
        (set_fix_pipe_pre_quant_flag, "asc.set_fix_pipe_pre_quant_flag"),
):
    _f.__pyasc_op__ = _name

__all__ = [
    "init_const_value", "load_data", "load_data_with_transpose", "load_data_with_sparse", "mmad", "mmad_with_sparse",
    "set_load_data_boundary", "set_load_data_padding_value", "set_load_data_repeat", "fixpipe",
    "set_fix_pipe_pre_quant_flag",
]
