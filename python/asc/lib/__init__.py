"""What stands around kernels: the runtime, and tilings of the host."""
