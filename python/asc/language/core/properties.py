"""Constants of the chip."""


class Property(int):
    """A constant of the chip; asc.property gives it as a run-time number."""


DEFAULT_C0_SIZE = Property(32)  # bytes
ONE_BLK_SIZE = Property(32)
TOTAL_L1_SIZE = Property(512 * 1024)
TOTAL_L0C_SIZE = Property(128 * 1024)
