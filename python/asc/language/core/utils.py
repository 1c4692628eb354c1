"""What the official package keeps here."""
from ._core import ceildiv, static_assert


class GlobalBuilder:
    """Holds the text of the kernel compiled last."""
    text = ""

    def get_ir_module(self):
        """The compiler's intermediate form of the kernel compiled last: of ours, which is no MLIR."""
        return self.text


global_builder = GlobalBuilder()
__all__ = ["ceildiv", "global_builder", "static_assert"]
