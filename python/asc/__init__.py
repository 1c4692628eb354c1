from pyasc._core import asc_table as _t
from .language.core.dtype import *
from .language.core.constexpr import ConstExpr
from .runtime.jit import jit, CodegenOptions, LaunchOptions, CompileOptions
import enum
from dataclasses import dataclass
class TPosition(enum.IntEnum):
    GM=0; A1=1; A2=2; B1=3; B2=4; C1=5; C2=6; CO1=7; CO2=8; VECIN=9; VECOUT=10; VECCALC=11; MAX=12
class HardEvent(enum.IntEnum):
    MTE2_V=4; V_MTE2=5; V_MTE3=7; MTE3_MTE2=19
@dataclass
class BinaryRepeatParams:
    dst_blk_stride: int = 1
    src0_blk_stride: int = 1
    src1_blk_stride: int = 1
    dst_rep_stride: int = 8
    src0_rep_stride: int = 8
    src1_rep_stride: int = 8
@dataclass
class UnaryRepeatParams:
    dst_blk_stride: int = 1
    src_blk_stride: int = 1
    dst_rep_stride: int = 8
    src_rep_stride: int = 8
from .language.core.enums import *
from .language.core.types import *
from .language.core.aipp_types import *
class GlobalAddress: __pyasc_asc__=True
for _r in _t():
    _n=_r[0].split(".")
    if _n[0] == "adv":
        import types
        def _f(*a,**k): raise RuntimeError
        _f.__pyasc_op__="asc."+_r[0]
        setattr(globals().setdefault("adv", types.ModuleType("adv")), _n[1], _f)
    elif len(_n)==1:
        def _f(*a,**k): raise RuntimeError
        _f.__pyasc_op__="asc."+_r[0]
        globals()[_n[0]]=_f
    else:
        globals().setdefault(_n[0], type(_n[0],(),{"__pyasc_asc__":True}))
