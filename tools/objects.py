"""objects.py FOLDER: the objects of the examples' kernels, for the loader's fuzzer."""
import pathlib
import struct
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
with tempfile.TemporaryDirectory() as cache:
    subprocess.run([sys.executable, str(root / "examples/table.py")], check=True, stdout=subprocess.DEVNULL,
                   env={"PYASC_CACHE_DIR": cache})
    for path in pathlib.Path(cache).glob("*.o"):
        data = path.read_bytes()
        meta, size = struct.unpack_from("<QQ", data, 8)  # header: magic, sizes, checksum (rt/cache.c)
        (folder / path.name).write_bytes(data[32 + meta:32 + meta + size])
