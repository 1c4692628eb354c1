"""Options of the compiler."""
from dataclasses import dataclass
from typing import Any, Optional, Tuple


@dataclass(frozen=True)
class CompileOptions:
    """What the official package's compiler takes. On the model only opt_level, insert_sync, matmul_cube_only and
    always_compile mean something."""
    debug: bool = False
    strip_loc: bool = False
    verify_sync: bool = False
    print_ir_before_all: bool = False
    run_passes: bool = True
    kernel_type: Optional[Any] = None
    opt_level: Optional[int] = 3
    auto_sync: bool = True
    auto_sync_log: str = ""
    bisheng_options: Optional[Tuple[str]] = None
    always_compile: bool = False
    matmul_cube_only: bool = False
    insert_sync: Optional[bool] = None

    @property
    def for_cube(self):
        """Do cube cores alone run the kernel?"""
        return self.matmul_cube_only or getattr(self.kernel_type, "name", None) in ("AIC_ONLY", "MIX_AIC_1_0")

    def __post_init__(self):
        if self.opt_level not in (1, 2, 3):
            raise RuntimeError(f"Please check input compile option: opt_level={self.opt_level!r}; write 1, 2 or 3")


class Compiler:
    """Makes a CompiledKernel of a kernel; on the model the machine code was made when the kernel was specialised."""

    def __init__(self, options):
        self.options = options

    def run(self, kernel, function_name):
        return kernel
