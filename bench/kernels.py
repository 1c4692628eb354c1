#!/usr/bin/env python3
"""24 kernels written plainly in pyasc against the same work in Numba, Taichi, Warp, NumPy, PyTorch and C++, each where it can
express it and is installed: on one thread and on all of them, in memory of each level. Every result is checked against a float64
reference before it is timed. The tables go to docs/performance.md and the picture to docs/kernels.png.

    python bench/kernels.py [--only NAME ...] [--threads N] [--quick] [--no-write]
"""
import argparse
import importlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

PEERS = {"pyasc": "ours", "Numba": "with_numba", "Taichi": "with_taichi", "Warp": "with_warp", "NumPy": "with_numpy",
         "PyTorch": "with_torch", "g++": "with_cpp"}
THREADS = "PYASC_NUM_THREADS OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS NUMBA_NUM_THREADS".split()
SLOWING = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")  # they keep NumPy from its best code
LOOSER = {("gemm_bf16", "PyTorch"): 1e-2}  # its result is bfloat16
# Seconds: the budget of one peer at one size, a timed turn at least, and the rest before a turn in which threads of the peer
# before give up looking for work.
BUDGET, TURN, REST, TURNS = 0.3, 0.004, 0.015, 9


class Run:
    """A peer's function over the arguments, which all peers share where they can: where pages lie is then the same for all."""

    def __init__(self, peer, module, case, args):
        take = getattr(module, "take", lambda a: a)
        self.peer, self.count, self.native = peer, case.outputs, [take(a) for a in args]
        self.give = getattr(module, "give", lambda a: a)
        self.call = module.bound(case.name, args) if hasattr(module, "bound") else getattr(module, case.name)
        self.times, self.calls = [], 1

    def results(self):
        result = self.call(*self.native)
        outputs = [result] if hasattr(result, "shape") else self.native[-self.count:]
        return [self.give(o) for o in outputs]

    def calibrate(self):
        """How many calls make a turn, and how many turns the budget allows."""
        once = self.turn()
        if once < TURN:
            once = self.turn()
        self.calls = max(1, int(TURN / max(once, 1e-7)))
        self.turns = max(1, min(TURNS, int(BUDGET / max(once, TURN))))

    def turn(self):
        """Seconds of a call, from as many as make a turn."""
        f, args, calls = self.call, self.native, self.calls
        start = time.perf_counter()
        for _ in range(calls):
            f(*args)
        return (time.perf_counter() - start) / calls


def load_peers(threads):
    found = {}
    for peer, name in PEERS.items():
        try:
            module = importlib.import_module("peers." + name)
            getattr(module, "start", lambda n: None)(threads)
            found[peer] = module
        except (ImportError, OSError) as e:
            print(f"without {peer}: {e}", file=sys.stderr)
    return found


def prepared(case, size, peers, problems):
    """The runs of the peers whose results are right."""
    runs, args = [], case.arguments(size)
    wanted = case.wanted(args)
    for peer, module in peers.items():
        if not (hasattr(module, case.name) or case.name in getattr(module, "EXTENTS", ())):
            continue
        try:
            case.blank(args)
            run = Run(peer, module, case, args)
            wrong = case.wrong(wanted, run.results(), LOOSER.get((case.name, peer)))
            run.calibrate()
        except NotImplementedError:
            continue
        except Exception as e:  # a peer that fails is left out and named; the others go on
            wrong = f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"
        if wrong:
            problems.append(f"{case.name} {size} {peer}: {wrong}")
        else:
            runs.append(run)
    return runs


def measure(case, size, peers, problems, rest):
    """Seconds of each peer: the median of turns, which the peers take one after the other."""
    runs = prepared(case, size, peers, problems)
    for turn in range(TURNS):
        for run in runs:
            if turn < run.turns:
                time.sleep(rest)
                if run.calls > 1:
                    run.call(*run.native)  # caches and clock after the rest
                run.times.append(run.turn())
    return {run.peer: statistics.median(run.times) for run in runs}


def child(options):
    """Measures in this process, whose environment has the number of threads; rows as JSON to the file given."""
    from peers.cases import CASES
    peers, rows, problems = load_peers(options.child), [], []
    for case in CASES:
        if options.only and case.name not in options.only:
            continue
        for size in case.sizes[len(case.sizes) // 2:][:1] if options.quick else case.sizes:
            seconds = measure(case, size, peers, problems, REST if options.child > 1 else REST / 5)
            rows.append(dict(name=case.name, kind=case.kind, size=size, level=case.sizes.index(size), seconds=seconds))
            show(rows[-1])
    pathlib.Path(options.out).write_text(json.dumps(dict(rows=rows, problems=problems)))


def show(row):
    ours = row["seconds"].get("pyasc")
    ratios = "  ".join(f"{p} {t / ours:.2f}" for p, t in row["seconds"].items() if p != "pyasc") if ours else "no result"
    print(f"{row['name']:14} {'x'.join(map(str, row['size'])):16} {1e6 * (ours or 0):10.1f} us   {ratios}", flush=True)


def spawn(threads, options):
    """One mode in a process of its own: thread pools read their sizes when they are imported."""
    env = {k: v for k, v in os.environ.items() if k not in SLOWING}
    env.update(dict.fromkeys(THREADS, str(threads)), PYTHONWARNINGS="ignore")
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [sys.executable, __file__, "--child", str(threads), "--out", out.name]
        command += (["--only", *options.only] if options.only else []) + (["--quick"] if options.quick else [])
        print(f"{threads} thread{'s' * (threads > 1)}; a peer's time over pyasc's", flush=True)
        subprocess.run(command, env=env, check=True)
        return json.loads(pathlib.Path(out.name).read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these kernels alone")
    parser.add_argument("--threads", type=int, help="this number of threads alone (default: one, then all)")
    parser.add_argument("--quick", action="store_true", help="one size for each kernel")
    parser.add_argument("--no-write", action="store_true", help="print; leave docs/ as it is")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--out", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options)
    import kernels_report
    modes = [options.threads] if options.threads else sorted({1, len(os.sched_getaffinity(0))})
    results = {n: spawn(n, options) for n in modes}
    text = kernels_report.summary(results)
    print(text)
    if not options.no_write and not options.only:
        kernels_report.write(results)
    return 1 if any(r["problems"] for r in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
