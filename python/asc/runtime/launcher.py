"""The launch of a compiled kernel."""
from dataclasses import dataclass
from typing import Any, Optional


@dataclass(frozen=True)
class LaunchOptions:
    """core_num: how many cores run the kernel; stream: where it is queued, or None for the current stream."""
    core_num: int = 0
    stream: Optional[Any] = None


class Launcher:
    """Runs a compiled kernel on the cores of the model."""

    def __init__(self, options):
        self.options = options

    def run(self, kernel, function_name, user_args):
        """Run `kernel` with the arguments and wait for its end."""
        kernel(self.options.core_num, user_args)
