"""How a product of matrices is cut for the cores and for the memories of each: tilings that kernels with a Matmul take.

The setters return 0, or -1 for what makes no sense. get_tiling() fills a TCubeTiling, and returns 0, or -1 where the
product cannot be cut as was asked.
"""
from enum import IntEnum

from pyasc._core import asc_tiling

from ...language.adv.tiling import TCubeTiling

TCUBE_FIELDS = list(TCubeTiling.struct_fields)

_LARGEST = 1 << 30


class TPosition(IntEnum):
    GM = 0
    A1 = 1
    A2 = 2
    B1 = 3
    B2 = 4
    C1 = 5
    C2 = 6
    CO1 = 7
    CO2 = 8
    VECIN = 9
    VECOUT = 10
    VECCALC = 11
    LCM = 11
    SPM = 12
    SHM = 12
    TSCM = 13
    MAX = 14


class CubeFormat(IntEnum):
    ND = 0
    NZ = 1
    ZN = 2
    ZZ = 3
    NN = 4
    ND_ALIGN = 5
    SCALAR = 6
    VECTOR = 7
    ROW_MAJOR = 8
    COLUMN_MAJOR = 9


class DataType(IntEnum):
    DT_FLOAT = 0
    DT_FLOAT16 = 1
    DT_INT8 = 2
    DT_INT32 = 3
    DT_UINT8 = 4
    DT_INT16 = 6
    DT_UINT16 = 7
    DT_UINT32 = 8
    DT_INT64 = 9
    DT_UINT64 = 10
    DT_DOUBLE = 11
    DT_BOOL = 12
    DT_STRING = 13
    DT_COMPLEX64 = 16
    DT_COMPLEX128 = 17
    DT_QINT8 = 18
    DT_QINT16 = 19
    DT_QINT32 = 20
    DT_QUINT8 = 21
    DT_QUINT16 = 22
    DT_STRING_REF = 24
    DT_DUAL = 25
    DT_VARIANT = 26
    DT_BF16 = 27
    DT_BFLOAT16 = 27
    DT_UNDEFINED = 28
    DT_INT4 = 29
    DT_UINT1 = 30
    DT_INT2 = 31
    DT_MAX = 32


class MatrixTraverse(IntEnum):
    NOSET = 0
    FIRSTM = 1
    FIRSTN = 2


class MatrixMadType(IntEnum):
    NORMAL = 0
    HF32 = 1
    MXMODE = 2


class DequantType(IntEnum):
    SCALAR = 1
    TENSOR = 2


class ScheduleType(IntEnum):
    INNER_PRODUCT = 0
    OUTER_PRODUCT = 1


class PlatformAscendC:
    """A chip, as the tiling classes want one."""

    def __init__(self, soc_version="Ascend910B1"):
        self.soc_version = soc_version


class PlatformAscendCManager:
    """Gives the chip of a name."""

    @staticmethod
    def get_instance(soc_version="Ascend910B1"):
        return PlatformAscendC(soc_version)


def get_ascendc_platform():
    """The chip that kernels run on."""
    try:
        from .. import runtime
        return PlatformAscendC(runtime.get_soc_version().value)
    except (ImportError, AttributeError):
        return PlatformAscendC()


class MatmulConfigParams:
    """Settings for set_matmul_config_params()."""

    def __init__(self, mm_config_type=1, enable_l1_cache_ub=False, schedule_type=ScheduleType.INNER_PRODUCT,
                 traverse=MatrixTraverse.NOSET, en_vec_nd2nz=False):
        self.mm_config_type = mm_config_type
        self.enable_l1_cache_ub = enable_l1_cache_ub
        self.schedule_type = schedule_type
        self.traverse = traverse
        self.en_vec_nd2nz = en_vec_nd2nz


class MatmulApiTilingBase:
    """The settings that all tilings have."""
    _kind = 0

    def __init__(self, platform=None):
        self._platform = platform
        self._settings = {"kind": self._kind}
        self._cut = None

    def _set(self, positive=False, **settings):
        numbers = {name: int(x) for name, x in settings.items()}
        if any(x > _LARGEST or (positive and x <= 0) for x in numbers.values()):
            return -1
        self._settings.update(numbers)
        self._cut = None
        return 0

    def set_a_type(self, pos, type, data_type, is_trans=False):
        """Where the left matrix is, its format and dtype, and whether it is transposed."""
        return self._set(a_pos=pos, a_format=type, a_dtype=data_type, a_trans=is_trans)

    def set_b_type(self, pos, type, data_type, is_trans=False):
        """Where the right matrix is, its format and dtype, and whether it is transposed."""
        return self._set(b_pos=pos, b_format=type, b_dtype=data_type, b_trans=is_trans)

    def set_c_type(self, pos, type, data_type):
        """Where the product goes, its format and dtype."""
        return self._set(c_pos=pos, c_format=type, c_dtype=data_type)

    def set_bias_type(self, pos, type, data_type):
        """Where the bias is, its format and dtype."""
        return self._set(bias_pos=pos, bias_format=type, bias_dtype=data_type)

    def set_shape(self, m, n, k):
        """The extents of the product."""
        return self._set(positive=True, m=m, n=n, k=k)

    def set_org_shape(self, org_m_in, org_n_in, *org_k_in):
        """The extents of the matrices that the product's lie in: m, n, k; or m, n, k of the left, k of the right."""
        if len(org_k_in) not in (1, 2):
            raise TypeError("write set_org_shape(m, n, k) or set_org_shape(m, n, ka, kb)")
        return self._set(positive=True, org_m=org_m_in, org_n=org_n_in, org_ka=org_k_in[0], org_kb=org_k_in[-1])

    def enable_bias(self, is_bias_in=False):
        """Is a bias added?"""
        return self._set(bias=is_bias_in)

    def set_fix_split(self, base_m_in=-1, base_n_in=-1, base_k_in=-1):
        """The extents of blocks; -1 leaves one free."""
        return self._set(base_m=base_m_in, base_n=base_n_in, base_k=base_k_in)

    def set_split_range(self, max_base_m=-1, max_base_n=-1, max_base_k=-1, min_base_m=-1, min_base_n=-1, min_base_k=-1):
        """Bounds for the extents of blocks."""
        return self._set(max_m=max_base_m, max_n=max_base_n, max_k=max_base_k, min_m=min_base_m, min_n=min_base_n,
                         min_k=min_base_k)

    def set_buffer_space(self, l1_size=-1, l0_c_size=-1, ub_size=-1, bt_size=-1):
        """Bytes of the memories that may be used; -1: all."""
        return self._set(l1=l1_size, l0c=l0_c_size, ub=ub_size, bt=bt_size)

    def set_traverse(self, traverse):
        """Do blocks follow each other along m or along n?"""
        return self._set(traverse=traverse)

    def set_mad_type(self, mad_type):
        """May float32 be shortened?"""
        return self._set(mad=mad_type)

    def set_double_buffer(self, a, b, c, bias, trans_nd2nz=True, trans_nz2nd=True):
        """Which matrices have two buffers."""
        return self._set(double_a=a, double_b=b, double_c=c, double_bias=bias)

    def set_dequant_type(self, dequant_type):
        """Is there one factor, or one for each column?"""
        return self._set(dequant=dequant_type)

    def set_a_layout(self, b, s, n, g, d):
        """The extents of the left matrices' axes in a batch."""
        return self._set(a_b=b, a_s=s, a_n=n, a_g=g, a_d=d)

    def set_b_layout(self, b, s, n, g, d):
        """The extents of the right matrices' axes in a batch."""
        return self._set(b_b=b, b_s=s, b_n=n, b_g=g, b_d=d)

    def set_c_layout(self, b, s, n, g, d):
        """The extents of the products' axes in a batch."""
        return self._set(c_b=b, c_s=s, c_n=n, c_g=g, c_d=d)

    def set_batch_num(self, batch):
        """Products in a batch at most."""
        return self._set(positive=True, batch=batch)

    def set_batch_info_for_normal(self, batch_a, batch_b, m, n, k):
        """Matrices on each side of a batch, and the extents of a product."""
        return self._set(positive=True, batch_a=batch_a, batch_b=batch_b, batch_rows=m, batch_cols=n, batch_depth=k)

    def set_matmul_config_params(self, config_params=None, enable_l1_cache_ub_in=False,
                                 schedule_type_in=ScheduleType.INNER_PRODUCT, traverse_in=MatrixTraverse.NOSET,
                                 en_vec_nd2nz_in=False, *, mm_config_type_in=1):
        """A MatmulConfigParams, or its values one by one."""
        p = config_params
        if not isinstance(p, MatmulConfigParams):
            p = MatmulConfigParams(mm_config_type_in if p is None else p, enable_l1_cache_ub_in, schedule_type_in,
                                   traverse_in, en_vec_nd2nz_in)
        self._set(config=p.mm_config_type, cache_ub=p.enable_l1_cache_ub, schedule=p.schedule_type, nd2nz=p.en_vec_nd2nz)
        if p.traverse != MatrixTraverse.NOSET:
            self._set(traverse=p.traverse)

    def set_sparse(self, is_sparse_in=False):
        """Are two of four elements of the right matrix left out?"""
        return self._set(sparse=is_sparse_in)

    def _result(self):
        if self._cut is None:
            self._cut = asc_tiling(self._settings)
        return self._cut

    def _base(self, field):
        cut = self._result()
        fixed = self._settings.get(field, -1)
        return fixed if fixed > 0 else cut[0][TCUBE_FIELDS.index(field)] if cut else -1

    def get_base_m(self):
        """Rows of a block."""
        return self._base("base_m")

    def get_base_n(self):
        """Columns of a block."""
        return self._base("base_n")

    def get_base_k(self):
        """The depth of a block."""
        return self._base("base_k")

    def get_tiling(self, tiling):
        """Fill a TCubeTiling. Returns 0, or -1 where the product cannot be cut as was asked."""
        cut = self._result()
        if cut is None:
            return -1
        for name, value in zip(TCUBE_FIELDS, cut[0]):
            setattr(tiling, name, value)
        return 0

    def _cores(self, n):
        cut = self._result()
        return cut[1][:n] if cut else (0, ) * n


class MatmulApiTiling(MatmulApiTilingBase):
    """A product on one core."""


class MultiCoreMatmulTiling(MatmulApiTilingBase):
    """A product on several cores."""
    _kind = 1

    def set_dim(self, dim):
        """Cores at most."""
        return self._set(positive=True, dim=dim)

    def set_single_shape(self, single_m_in=-1, single_n_in=-1, single_k_in=-1):
        """The extents of a core's part; -1 leaves one free."""
        return self._set(single_m=single_m_in, single_n=single_n_in, single_k=single_k_in)

    def set_single_range(self, max_m=-1, max_n=-1, max_k=-1, min_m=-1, min_n=-1, min_k=-1):
        """Bounds for the extents of a core's part."""
        return self._set(most_m=max_m, most_n=max_n, most_k=max_k, least_m=min_m, least_n=min_n, least_k=min_k)

    def set_align_split(self, align_m, align_n, align_k):
        """The extents of a core's part are multiples of these."""
        return self._set(align_m=align_m, align_n=align_n, align_k=align_k)

    def enable_multi_core_split_k(self, flag):
        """May the cores share the depth of the product? Their sums must be added then."""
        self._set(split_k=flag)

    def get_single_shape(self):
        """(m, n, k) of a core's part."""
        cut = self._result()
        return cut[0][5:8] if cut else (0, 0, 0)

    def get_core_num(self):
        """(cores, along m, along n)"""
        return self._cores(3)


class BatchMatmulTiling(MatmulApiTilingBase):
    """Several products at once."""
    _kind = 2

    def get_core_num(self):
        """(cores, along m, along n, of the left side's batch, of the right's)"""
        return self._cores(5)
