from pyasc._core import asc_table as _t
from .language.core.dtype import *
from .language.core.constexpr import ConstExpr
from .runtime.jit import jit, CodegenOptions, LaunchOptions, CompileOptions
from .language.core.enums import *
from .language.core.cube_params import *
from .language import adv
class GlobalAddress: __pyasc_asc__=True
for _r in _t():
    _n=_r[0].split(".")
    if _n[0] in ("adv", "Matmul"): continue
    if len(_n)==1:
        def _f(*a,**k): raise RuntimeError
        _f.__pyasc_op__="asc."+_r[0]
        globals()[_n[0]]=_f
    else:
        globals().setdefault(_n[0], type(_n[0],(),{"__pyasc_asc__":True}))
