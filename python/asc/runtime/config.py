"""Which machine runs the kernels."""
from enum import Enum, IntEnum

from ..lib import runtime as rt


class Backend(Enum):
    """Model: the AI-core model of this package. NPU: a card, through CANN."""
    Model = "Model"
    NPU = "NPU"


class Platform(Enum):
    """A chip."""
    Ascend910B1 = "Ascend910B1"
    Ascend910B2 = "Ascend910B2"
    Ascend910B2C = "Ascend910B2C"
    Ascend910B3 = "Ascend910B3"
    Ascend910B4 = "Ascend910B4"
    Ascend910B4_1 = "Ascend910B4-1"
    Ascend910_9362 = "Ascend910_9362"
    Ascend910_9372 = "Ascend910_9372"
    Ascend910_9381 = "Ascend910_9381"
    Ascend910_9382 = "Ascend910_9382"
    Ascend910_9391 = "Ascend910_9391"
    Ascend910_9392 = "Ascend910_9392"


class KernelType(IntEnum):
    """Which cores run a kernel."""
    AIV_ONLY = 0
    AIC_ONLY = 1
    MIX_AIV_HARD_SYNC = 2
    MIX_AIC_HARD_SYNC = 3
    MIX_AIV_1_0 = 4
    MIX_AIC_1_0 = 5
    MIX_AIC_1_1 = 6
    MIX_AIC_1_2 = 7


def set_platform(backend, soc_version=None, device_id=None, check=True):
    """Choose what runs the kernels from now on: a Backend or its name, and a Platform.

    Raises ValueError for other names, and RuntimeError, unless check=False, where the backend is not there.
    """
    backend = Backend(backend)
    soc = Platform.Ascend910B1 if soc_version is None else Platform(soc_version)
    if backend is Backend.Model:
        rt.use_model()
        rt.set_soc_version(soc)
        if check and not rt.is_available():
            raise RuntimeError("The runtime of the model is not available. With CANN's own simulator write: export "
                               f"LD_LIBRARY_PATH=$ASCEND_HOME_PATH/tools/simulator/{soc.value}/lib:$LD_LIBRARY_PATH")
        return
    rt.use_npu()
    rt.set_soc_version(soc)
    if check:
        raise RuntimeError("Backend.NPU needs CANN and a card, and cannot launch yet; write Backend.Model to run on this machine")
