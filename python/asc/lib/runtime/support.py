"""Handles and enumerations of the runtime."""
import ctypes
from enum import IntEnum


class Stream(ctypes.c_void_p):
    """A queue of launches. On the model a launch has ended when it returns."""


class Memory(ctypes.c_void_p):
    """Device memory: on the model, this process's."""


class Kernel(ctypes.c_void_p):
    """A loaded binary."""


class Function(ctypes.c_void_p):
    """A kernel of a loaded binary."""


class CoreType(IntEnum):
    """Which core runs a kernel."""
    AiCore = 0
    VectorCore = 1
    CubeCore = 2
    AiCpu = 3


class MemoryType(IntEnum):
    """A kind of device memory."""
    RT_MEMORY_DEFAULT = 0
    RT_MEMORY_HBM = 2


class MallocPolicy(IntEnum):
    """How device memory is laid out."""
    RT_MEMORY_POLICY_NONE = 0


class MemcpyKind(IntEnum):
    """From where to where a copy goes."""
    RT_MEMCPY_HOST_TO_HOST = 0
    RT_MEMCPY_HOST_TO_DEVICE = 1
    RT_MEMCPY_DEVICE_TO_HOST = 2
    RT_MEMCPY_DEVICE_TO_DEVICE = 3


class DeviceModuleType(IntEnum):
    """What device_info is asked about."""
    SYSTEM = 0
    AICPU = 1
    AICORE = 4
    VECTOR_CORE = 7


class DeviceInfoType(IntEnum):
    """What device_info is asked."""
    CORE_NUM = 3


class ProfilingCommandHandle:
    """Settings of the profiler."""

    class Type(IntEnum):
        INIT = 0
        START = 1
        STOP = 2
        FINALIZE = 3
