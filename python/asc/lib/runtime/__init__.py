"""The runtime's interface, on the model: memory is this process's, and a launch has ended when it returns."""
import ctypes
import time

from .support import (CoreType, DeviceInfoType, DeviceModuleType, Function, Kernel, MallocPolicy, Memory, MemcpyKind,
                      MemoryType, ProfilingCommandHandle, Stream)

_state = {"model": None, "soc": None, "device": 0}
_blocks = {}


def _no_card(what):
    raise RuntimeError(f"{what} needs CANN's runtime; on the model a kernel is launched by kernel[core_num](...)")


def use_model(custom_lib_prefix=None):
    """Run kernels on the model."""
    _state["model"] = True


def use_npu(custom_lib_prefix=None):
    """Run kernels on a card."""
    _state["model"] = False


def set_soc_version(soc_verison):
    """Set the chip, a config.Platform."""
    _state["soc"] = soc_verison


def get_soc_version():
    """The chip, a config.Platform."""
    from ...runtime.config import Platform
    return _state["soc"] or Platform.Ascend910B1


def is_initialized():
    return _state["model"] is not None


def is_available():
    """Can kernels be launched?"""
    return _state["model"] is not False


def is_model():
    return _state["model"] is not False


def magic_elf_value(core_type):
    """The number that marks a binary for that core."""
    return {CoreType.VectorCore: 0x41415246, CoreType.CubeCore: 0x41494343}.get(core_type, 0x43554245)


def msprof_task_type(core_type):
    """The profiler's number of a core."""
    return {CoreType.AiCore: 0, CoreType.AiCpu: 1, CoreType.VectorCore: 66, CoreType.CubeCore: 0}[core_type]


def check_device_handle(device_id):
    if device_id != 0:
        raise ValueError(f"there is no device {device_id}; the model is device 0")


def default_device():
    return 0


def current_device():
    return _state["device"]


def current_stream(device_id=None):
    """The stream of launches that name none."""
    return Stream(0)


def current_platform():
    return get_soc_version().value


def device_count():
    return 1


def device_info(module_type, info_type, device_id=None):
    """Cores of the device: of a chip of the 910B kind 24 cube and 48 vector cores."""
    return 48 if module_type == DeviceModuleType.VECTOR_CORE else 24


def free_mem():
    """Free all memory that malloc has given."""
    _blocks.clear()


def reset_device(device_id=None):
    free_mem()


def set_device(device_id):
    check_device_handle(device_id)


def create_stream(priority=0):
    return Stream(0)


def destroy_stream(stream_handle):
    """Nothing is left to be done on a stream of the model."""


def register_device_binary_kernel(kernel_binary, core_type_id):
    _no_card("register_device_binary_kernel()")


def unregister_device_binary_kernel(kernel_handle):
    _no_card("unregister_device_binary_kernel()")


def register_function(kernel_handle, fn_name, mode):
    _no_card("register_function()")


def launch_kernel(fn_handle, block_num, args, num_args=None, sm_desc=None, stream_handle=None):
    _no_card("launch_kernel()")


def malloc(size, memory_type=MemoryType.RT_MEMORY_DEFAULT, policy=MallocPolicy.RT_MEMORY_POLICY_NONE):
    """Memory of size bytes."""
    block = ctypes.create_string_buffer(max(size, 1))
    at = ctypes.addressof(block)
    _blocks[at] = block
    return Memory(at)


def _room(handle, nbytes):
    block = _blocks.get(handle.value)
    if block is not None and nbytes > len(block):
        raise ValueError(f"a copy of {nbytes} bytes to or from memory of {len(block)}")


def memcpy(mem_dst_handle, dst_nbytes, mem_src_handle, src_nbytes, kind):
    """Copy src_nbytes. Raises ValueError where they do not fit."""
    if src_nbytes > dst_nbytes:
        raise ValueError(f"{src_nbytes} bytes do not fit into {dst_nbytes}")
    _room(mem_dst_handle, src_nbytes)
    _room(mem_src_handle, src_nbytes)
    ctypes.memmove(mem_dst_handle, mem_src_handle, src_nbytes)


def copy_data_to_device(src_mem_handle, nbytes):
    device = malloc(nbytes)
    memcpy(device, nbytes, src_mem_handle, nbytes, MemcpyKind.RT_MEMCPY_HOST_TO_DEVICE)
    return device


def copy_data_from_device(mem_dst_handle, mem_src_handle, nbytes):
    memcpy(mem_dst_handle, nbytes, mem_src_handle, nbytes, MemcpyKind.RT_MEMCPY_DEVICE_TO_HOST)


def free(mem_handle):
    """Free memory of malloc's. Raises ValueError for other memory."""
    if _blocks.pop(mem_handle.value, None) is None:
        raise ValueError("this memory was not given by malloc, or is free already")


def synchronize(stream_handle=None, timeout=0):
    """A launch on the model has ended when it returns."""


def synchronize_device():
    """A launch on the model has ended when it returns."""


def c2c_ctrl_addr():
    """The address of the flags between cores, as kernels on the NPU take it."""
    return 255086295400448


def set_pro_switch(command_type, device_id=None, conf=31):
    """The model has no profiler."""


def acl_init():
    """The model needs no set-up."""


def acl_finalize():
    free_mem()


def npu_utils():
    _no_card("npu_utils()")


def current_tick():
    """A clock, in nanoseconds."""
    return time.monotonic_ns()


__all__ = [
    "CoreType", "DeviceInfoType", "DeviceModuleType", "Function", "Kernel", "MallocPolicy", "Memory", "MemcpyKind",
    "MemoryType", "ProfilingCommandHandle", "Stream", "acl_finalize", "acl_init", "c2c_ctrl_addr", "check_device_handle",
    "copy_data_from_device", "copy_data_to_device", "create_stream", "current_device", "current_platform",
    "current_stream", "current_tick", "default_device", "destroy_stream", "device_count", "device_info", "free",
    "free_mem", "get_soc_version", "is_available", "is_initialized", "is_model", "launch_kernel", "magic_elf_value",
    "malloc", "memcpy", "msprof_task_type", "npu_utils", "register_device_binary_kernel", "register_function",
    "reset_device", "set_device", "set_pro_switch", "set_soc_version", "synchronize", "synchronize_device",
    "unregister_device_binary_kernel", "use_model", "use_npu",
]
