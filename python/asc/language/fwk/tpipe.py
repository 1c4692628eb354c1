"""TPipe, queues and buffers."""
from ._fwk import TBuf, TBufPool, TPipe, TQue, TQueBind, get_tpipe_ptr

__all__ = ["TBuf", "TBufPool", "TPipe", "TQue", "TQueBind", "get_tpipe_ptr"]
