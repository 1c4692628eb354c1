"""Printed by tools/asc_face.py from src/base/asc/move.def."""
from typing import Any, overload

from .._stub import Mask, kernel_only
from ..core import *
from ..core._core import BaseTensor


def copy(dst: "LocalTensor", src: "LocalTensor", mask: "Mask", repeat_time: int, repeat_params: "CopyRepeatParams", is_set_mask: bool = None) -> None:
    """dst = src, element by element.

    Runs on pipe V.
    """
    kernel_only('copy')


@overload
def data_copy(dst: "BaseTensor", src: "BaseTensor", count: int) -> None: ...

@overload
def data_copy(dst: "BaseTensor", src: "BaseTensor", repeat_params: "DataCopyParams", enhanced_params: "DataCopyEnhancedParams" = None) -> None: ...

@overload
def data_copy(dst: "BaseTensor", src: "BaseTensor", intri_params: "DataCopyParams", enhanced_params: "DataCopyEnhancedParams" = None) -> None: ...

@overload
def data_copy(dst: "BaseTensor", src: "BaseTensor", slice_list1: list, slice_list2: list, dim_value: int) -> None: ...

@overload
def data_copy(dst: "BaseTensor", src: "BaseTensor", intri_params: "Nd2NzParams") -> None: ...

@overload
def data_copy(dst: "GlobalTensor", src: "LocalTensor", intri_params: "Nz2NdParamsFull") -> None: ...

@overload
def data_copy(dst: "BaseTensor", src: "LocalTensor", intri_params: "DataCopyCO12DstParams") -> None: ...

def data_copy(dst: Any, src: Any, *args, **kwargs) -> None:
    """Copy between global and local memory, or within local memory; count elements are rounded down to blocks of 32 bytes.

    data_copy(dst: BaseTensor, src: BaseTensor, count: int)
    data_copy(dst: BaseTensor, src: BaseTensor, repeat_params: DataCopyParams, enhanced_params: DataCopyEnhancedParams = None)
    data_copy(dst: BaseTensor, src: BaseTensor, intri_params: DataCopyParams, enhanced_params: DataCopyEnhancedParams = None)
    data_copy(dst: BaseTensor, src: BaseTensor, slice_list1: list, slice_list2: list, dim_value: int)
    data_copy(dst: BaseTensor, src: BaseTensor, intri_params: Nd2NzParams)
    data_copy(dst: GlobalTensor, src: LocalTensor, intri_params: Nz2NdParamsFull)
    data_copy(dst: BaseTensor, src: LocalTensor, intri_params: DataCopyCO12DstParams)

    Runs on pipe V, MTE2 or MTE3, by where the data is.
    """
    kernel_only('data_copy')


@overload
def data_copy_pad(dst: "LocalTensor", src: "GlobalTensor", data_copy_params: "DataCopyExtParams", pad_params: "DataCopyPadExtParams") -> None: ...

@overload
def data_copy_pad(dst: "GlobalTensor", src: "LocalTensor", data_copy_params: "DataCopyExtParams") -> None: ...

@overload
def data_copy_pad(dst: "LocalTensor", src: "LocalTensor", data_copy_params: "DataCopyExtParams", nd2nz_params: "Nd2NzParams") -> None: ...

@overload
def data_copy_pad(dst: "LocalTensor", src: "GlobalTensor", data_copy_params: "DataCopyParams", pad_params: "DataCopyPadParams") -> None: ...

@overload
def data_copy_pad(dst: "GlobalTensor", src: "LocalTensor", data_copy_params: "DataCopyParams") -> None: ...

@overload
def data_copy_pad(dst: "LocalTensor", src: "LocalTensor", data_copy_params: "DataCopyParams", nd2nz_params: "Nd2NzParams") -> None: ...

def data_copy_pad(dst: Any, src: Any, data_copy_params: Any, *args, **kwargs) -> None:
    """Copy pieces of any number of bytes between global and local memory, filled up to blocks of 32 bytes in local memory.

    data_copy_pad(dst: LocalTensor, src: GlobalTensor, data_copy_params: DataCopyExtParams, pad_params: DataCopyPadExtParams)
    data_copy_pad(dst: GlobalTensor, src: LocalTensor, data_copy_params: DataCopyExtParams)
    data_copy_pad(dst: LocalTensor, src: LocalTensor, data_copy_params: DataCopyExtParams, nd2nz_params: Nd2NzParams)
    data_copy_pad(dst: LocalTensor, src: GlobalTensor, data_copy_params: DataCopyParams, pad_params: DataCopyPadParams)
    data_copy_pad(dst: GlobalTensor, src: LocalTensor, data_copy_params: DataCopyParams)
    data_copy_pad(dst: LocalTensor, src: LocalTensor, data_copy_params: DataCopyParams, nd2nz_params: Nd2NzParams)

    Runs on pipe V, MTE2 or MTE3, by where the data is.
    """
    kernel_only('data_copy_pad')


def set_pad_value(padding_value: float, pos: int = None) -> None:
    """What data_copy_pad fills with where its parameters do not say."""
    kernel_only('set_pad_value')


@overload
def set_aipp_functions(src0: "GlobalTensor", input_format: int, config: "AippParams") -> None: ...

@overload
def set_aipp_functions(src0: "GlobalTensor", src1: "GlobalTensor", input_format: int, config: "AippParams") -> None: ...

def set_aipp_functions(src0: "GlobalTensor", *args, **kwargs) -> None:
    """The image that load_image_to_local reads, and what is done to its pixels.

    set_aipp_functions(src0: GlobalTensor, input_format: int, config: AippParams)
    set_aipp_functions(src0: GlobalTensor, src1: GlobalTensor, input_format: int, config: AippParams)
    """
    kernel_only('set_aipp_functions')


def load_image_to_local(dst: "LocalTensor", load_data_params: "LoadImageToLocalParams") -> None:
    """A rectangle of the image that set_aipp_functions has named: cropped, converted, padded.

    Runs on pipe MTE2.
    """
    kernel_only('load_image_to_local')


def set_atomic_add(dtype: "DataType") -> None:
    """Stores to global memory add to what is there, as elements of dtype."""
    kernel_only('set_atomic_add')


def set_atomic_max(dtype: "DataType") -> None:
    """Stores to global memory keep the larger element."""
    kernel_only('set_atomic_max')


def set_atomic_min(dtype: "DataType") -> None:
    """Stores to global memory keep the smaller element."""
    kernel_only('set_atomic_min')


def set_atomic_type(dtype: "DataType") -> None:
    """The dtype of stores that combine."""
    kernel_only('set_atomic_type')


def set_atomic_none() -> None:
    """Stores to global memory only store again."""
    kernel_only('set_atomic_none')


def set_store_atomic_config(atomic_type: int, atomic_op: int) -> None:
    """How stores to global memory combine, in the numbers of AtomicDtype and AtomicOp."""
    kernel_only('set_store_atomic_config')


def get_store_atomic_config() -> tuple:
    """What set_store_atomic_config or set_atomic_add has set."""
    kernel_only('get_store_atomic_config')


@overload
def gather(dst: "LocalTensor", src: "LocalTensor", src_offset: "LocalTensor", src_base: int, mask: "Mask", repeat_times: int, dst_rep_stride: int) -> None: ...

@overload
def gather(dst: "LocalTensor", src: "LocalTensor", src_offset: "LocalTensor", src_base: int, count: int) -> None: ...

def gather(dst: "LocalTensor", src: "LocalTensor", src_offset: "LocalTensor", src_base: int, *args, **kwargs) -> None:
    """Element i of dst = the element of src that lies src_base + src_offset[i] bytes from its start.

    gather(dst: LocalTensor, src: LocalTensor, src_offset: LocalTensor, src_base: int, mask: Mask, repeat_times: int, dst_rep_stride: int)
    gather(dst: LocalTensor, src: LocalTensor, src_offset: LocalTensor, src_base: int, count: int)

    Runs on pipe V.
    """
    kernel_only('gather')


@overload
def scatter(dst: "LocalTensor", src: "LocalTensor", dst_offset: "LocalTensor", dst_base: int, mask: "Mask", repeat_times: int, src_rep_stride: int) -> None: ...

@overload
def scatter(dst: "LocalTensor", src: "LocalTensor", dst_offset: "LocalTensor", dst_base: int, count: int) -> None: ...

def scatter(dst: "LocalTensor", src: "LocalTensor", dst_offset: "LocalTensor", dst_base: int, *args, **kwargs) -> None:
    """The element of dst that lies dst_base + dst_offset[i] bytes from its start = element i of src.

    scatter(dst: LocalTensor, src: LocalTensor, dst_offset: LocalTensor, dst_base: int, mask: Mask, repeat_times: int, src_rep_stride: int)
    scatter(dst: LocalTensor, src: LocalTensor, dst_offset: LocalTensor, dst_base: int, count: int)

    Runs on pipe V.
    """
    kernel_only('scatter')


def gatherb(dst: "LocalTensor", src0: "LocalTensor", offset: "LocalTensor", repeat_times: int, repeat_params: "GatherRepeatParams") -> None:
    """Blocks of 32 bytes of src0, each as many bytes from its start as offset says; eight in a repeat.

    Runs on pipe V.
    """
    kernel_only('gatherb')


@overload
def gather_mask(dst: "LocalTensor", src0: "LocalTensor", src1_pattern: "LocalTensor", reduce_mode: bool, mask: int, params: "GatherMaskParams", gather_mask_mode: int = None) -> int: ...

@overload
def gather_mask(dst: "LocalTensor", src0: "LocalTensor", src1_pattern: int, reduce_mode: bool, mask: int, params: "GatherMaskParams", gather_mask_mode: int = None) -> int: ...

def gather_mask(dst: "LocalTensor", src0: "LocalTensor", src1_pattern: Any, reduce_mode: bool, mask: int, *args, **kwargs) -> int:
    """dst = the elements of src0 whose bit is set in the pattern, side by side; how many they are.

    gather_mask(dst: LocalTensor, src0: LocalTensor, src1_pattern: LocalTensor, reduce_mode: bool, mask: int, params: GatherMaskParams, gather_mask_mode: int = None)
    gather_mask(dst: LocalTensor, src0: LocalTensor, src1_pattern: int, reduce_mode: bool, mask: int, params: GatherMaskParams, gather_mask_mode: int = None)

    Runs on pipe V.
    """
    kernel_only('gather_mask')


def get_gather_mask_remain_count() -> int:
    """How many elements the last gather_mask kept."""
    kernel_only('get_gather_mask_remain_count')


@overload
def transpose(dst: "LocalTensor", src: "LocalTensor") -> None: ...

@overload
def transpose(dst: "LocalTensor", src: "LocalTensor", shared_tmp_buffer: "LocalTensor", params: "TransposeParamsExt") -> None: ...

def transpose(dst: "LocalTensor", src: "LocalTensor", *args, **kwargs) -> None:
    """dst = src transposed: 16 x 16 elements, or images from NCHW to NHWC and back.

    transpose(dst: LocalTensor, src: LocalTensor)
    transpose(dst: LocalTensor, src: LocalTensor, shared_tmp_buffer: LocalTensor, params: TransposeParamsExt)

    Runs on pipe V.
    """
    kernel_only('transpose')


@overload
def trans_data_to_5hd(dst_list: list, src_list: list, params: "TransDataTo5HDParams") -> None: ...

@overload
def trans_data_to_5hd(dst: "LocalTensor", src: "LocalTensor", params: "TransDataTo5HDParams") -> None: ...

def trans_data_to_5hd(*args, **kwargs) -> None:
    """Transpose the elements of 16 blocks of 32 bytes: lists of tensors, lists of addresses, or tensors of addresses.

    trans_data_to_5hd(dst_list: list, src_list: list, params: TransDataTo5HDParams)
    trans_data_to_5hd(dst: LocalTensor, src: LocalTensor, params: TransDataTo5HDParams)

    Runs on pipe V.
    """
    kernel_only('trans_data_to_5hd')


def sort32(dst: "LocalTensor", src0: "LocalTensor", src1: "LocalTensor", repeat_time: int) -> None:
    """Runs of 32 scores of src0 with their indices of src1, the larger first, as pairs of 8 bytes.

    Runs on pipe V.
    """
    kernel_only('sort32')


def sort(dst: "LocalTensor", concat: "LocalTensor", index: "LocalTensor", tmp: "LocalTensor", repeat_time: int, is_full_sort: bool = None) -> None:
    """Runs of 32 scores with their indices, or all of them (is_full_sort), the larger first, as pairs of 8 bytes.

    Runs on pipe V.
    """
    kernel_only('sort')


@overload
def mrg_sort(dst: "LocalTensor", sort_list: "MrgSortSrcList", element_count_list: list, sorted_num: list, valid_bit: int, repeat_time: int, is_exhausted_suspension: bool = None) -> None: ...

@overload
def mrg_sort(dst: "LocalTensor", sort_list: "MrgSortSrcList", params: "MrgSort4Info") -> None: ...

def mrg_sort(dst: "LocalTensor", sort_list: "MrgSortSrcList", *args, **kwargs) -> None:
    """Merge up to four sorted queues of pairs.

    mrg_sort(dst: LocalTensor, sort_list: MrgSortSrcList, element_count_list: list, sorted_num: list, valid_bit: int, repeat_time: int, is_exhausted_suspension: bool = None)
    mrg_sort(dst: LocalTensor, sort_list: MrgSortSrcList, params: MrgSort4Info)

    Runs on pipe V.
    """
    kernel_only('mrg_sort')


def mrg_sort4(dst: "LocalTensor", src: "MrgSortSrcList", params: "MrgSort4Info") -> None:
    """Merge up to four sorted queues of region proposals.

    Runs on pipe V.
    """
    kernel_only('mrg_sort4')


def get_mrg_sort_result() -> tuple:
    """How much of each queue the last merge has taken."""
    kernel_only('get_mrg_sort_result')


def get_sort_len(elem_count: int) -> int:
    """Elements of float32 that so many pairs take."""
    kernel_only('get_sort_len')


def get_sort_offset(elem_offset: int) -> int:
    """The element of float32 where a pair begins."""
    kernel_only('get_sort_offset')


def rp_sort16(dst: "LocalTensor", src: "LocalTensor", repeat_time: int) -> None:
    """Groups of 16 region proposals, the larger score first.

    Runs on pipe V.
    """
    kernel_only('rp_sort16')


def proposal_concat(dst: "LocalTensor", src: "LocalTensor", repeat_time: int, mode_number: int) -> None:
    """Element i of src into region proposal i, at the place mode_number.

    Runs on pipe V.
    """
    kernel_only('proposal_concat')


def proposal_extract(dst: "LocalTensor", src: "LocalTensor", repeat_time: int, mode_number: int) -> None:
    """Element i of dst = that of region proposal i at the place mode_number.

    Runs on pipe V.
    """
    kernel_only('proposal_extract')


for _f, _name in (
        (copy, "asc.copy"),
        (data_copy, "asc.data_copy"),
        (data_copy_pad, "asc.data_copy_pad"),
        (set_pad_value, "asc.set_pad_value"),
        (set_aipp_functions, "asc.set_aipp_functions"),
        (load_image_to_local, "asc.load_image_to_local"),
        (set_atomic_add, "asc.set_atomic_add"),
        (set_atomic_max, "asc.set_atomic_max"),
        (set_atomic_min, "asc.set_atomic_min"),
        (set_atomic_type, "asc.set_atomic_type"),
        (set_atomic_none, "asc.set_atomic_none"),
        (set_store_atomic_config, "asc.set_store_atomic_config"),
        (get_store_atomic_config, "asc.get_store_atomic_config"),
        (gather, "asc.gather"),
        (scatter, "asc.scatter"),
        (gatherb, "asc.gatherb"),
        (gather_mask, "asc.gather_mask"),
        (get_gather_mask_remain_count, "asc.get_gather_mask_remain_count"),
        (transpose, "asc.transpose"),
        (trans_data_to_5hd, "asc.trans_data_to_5hd"),
        (sort32, "asc.sort32"),
        (sort, "asc.sort"),
        (mrg_sort, "asc.mrg_sort"),
        (mrg_sort4, "asc.mrg_sort4"),
        (get_mrg_sort_result, "asc.get_mrg_sort_result"),
        (get_sort_len, "asc.get_sort_len"),
        (get_sort_offset, "asc.get_sort_offset"),
        (rp_sort16, "asc.rp_sort16"),
        (proposal_concat, "asc.proposal_concat"),
        (proposal_extract, "asc.proposal_extract"),
):
    _f.__pyasc_op__ = _name

__all__ = [
    "copy", "data_copy", "data_copy_pad", "set_pad_value", "set_aipp_functions", "load_image_to_local",
    "set_atomic_add", "set_atomic_max", "set_atomic_min", "set_atomic_type", "set_atomic_none",
    "set_store_atomic_config", "get_store_atomic_config", "gather", "scatter", "gatherb", "gather_mask",
    "get_gather_mask_remain_count", "transpose", "trans_data_to_5hd", "sort32", "sort", "mrg_sort", "mrg_sort4",
    "get_mrg_sort_result", "get_sort_len", "get_sort_offset", "rp_sort16", "proposal_concat", "proposal_extract",
]
