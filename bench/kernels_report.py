"""What bench/kernels.py found, as Markdown in docs/performance.md and as a picture."""
import datetime
import math
import pathlib

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
BEGIN, END = "<!-- kernels: begin -->", "<!-- kernels: end -->"
PEERS = "Numba Taichi Warp g++ NumPy PyTorch".split()
COMPILERS, LIBRARIES = ("Numba", "Taichi", "Warp"), ("NumPy", "PyTorch")


def ratio(row, peers):
    """The best of the peers' time over ours, and which; None where there is none."""
    times = [(row["seconds"][p], p) for p in peers if p in row["seconds"]]
    if not times or "pyasc" not in row["seconds"]:
        return None
    best, peer = min(times)
    return best / row["seconds"]["pyasc"], peer


def geometric(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def label(row):
    return f"{row['name']} {'x'.join(map(str, row['size']))}"


def worst(rows, peers):
    found = [(r[0], f"{label(row)}, {r[1]}") for row in rows if (r := ratio(row, peers))]
    return "{:.2f} ({})".format(*min(found)) if found else "none"


def figures(rows):
    """Lines of the summary of one mode."""
    of = lambda contraction: [r[0] for row in rows if (row["kind"] == "contraction") == contraction and (r := ratio(row, COMPILERS))]
    below = [row for row in rows if (r := ratio(row, PEERS)) and r[0] < 1]
    return [f"best of Numba, Taichi, Warp over pyasc, geometric mean: {geometric(of(False)):.2f} over the kernels that are no "
            f"contractions, {geometric(of(True)):.2f} over contractions",
            f"least against g++: {worst(rows, ('g++',))}",
            *(f"least against {p}: {worst(rows, (p,))}" for p in LIBRARIES),
            f"slower than some peer: {len(below)} of {len(rows)}"]


def slower(rows):
    """Where a peer is faster, the worst first."""
    found = sorted((r[0], f"{label(row)} {r[1]}") for row in rows for p in PEERS if (r := ratio(row, (p,))) and r[0] < 1)
    return [f"{r:.2f} {what}" for r, what in found]


def summary(results):
    lines = []
    for threads, result in results.items():
        lines += [f"{threads} thread(s)", *("  " + f for f in figures(result["rows"]))]
        lines += ["  slower: " + "; ".join(slower(result["rows"]))] if slower(result["rows"]) else []
        lines += ["  PROBLEM: " + p for p in result["problems"]]
    return "\n".join(lines)


def time_text(seconds):
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def table(rows):
    lines = ["| kernel | size | pyasc | " + " | ".join(PEERS) + " |", "|---" * (len(PEERS) + 3) + "|"]
    for row in rows:
        ours = row["seconds"].get("pyasc")
        cells = []
        for p in PEERS:
            r = ratio(row, (p,))
            cells.append("" if not r else f"**{r[0]:.2f}**" if r[0] < 1 else f"{r[0]:.2f}")
        lines.append(f"| {row['name']} | {'x'.join(map(str, row['size']))} | {time_text(ours) if ours else 'fails'} | " +
                     " | ".join(cells) + " |")
    return lines


def section(results):
    lines = [BEGIN, "## Kernels against peers", "",
             f"`make bench` runs `bench/kernels.py`, which wrote this on {datetime.date.today()}. A peer's time over pyasc's on the same "
             "arrays: above 1 pyasc is faster. Medians of turns, calls and all; kernels as in `bench/peers/`. With several threads on a machine "
             "that others use too, a peer whose pool waits for a processor that is busy takes milliseconds for what is microseconds of work "
             "(ratios of 100 and more at small sizes): those rows, and the means over them, say nothing about the code.", "",
             "![ratios](kernels.png)", ""]
    for threads, result in results.items():
        lines += [f"### {threads} thread{'s' * (threads > 1)}", "", *(f"- {f}" for f in figures(result["rows"])),
                  *(f"- failed: {p}" for p in result["problems"]), "", *table(result["rows"]), ""]
    return "\n".join(lines + [END])


def write(results):
    page = DOCS / "performance.md"
    text = page.read_text()
    if BEGIN in text:
        before, after = text.split(BEGIN)[0], text.split(END)[1]
    else:
        before, after = text.rstrip("\n") + "\n\n", "\n"
    page.write_text(before + section(results) + after)
    try:
        import matplotlib
    except ImportError:
        print("no matplotlib: no picture")
        return
    matplotlib.use("Agg")
    picture(results)


def picture(results):
    """For each kernel and mode, the geometric mean over sizes of each peer's ratio."""
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(1, len(results), figsize=(6 * len(results), 8), sharey=True, squeeze=False)
    for axis, (threads, result) in zip(axes[0], results.items()):
        names = list(dict.fromkeys(row["name"] for row in result["rows"]))[::-1]
        for peer, marker in zip(PEERS, "os^DvP"):
            found = [(i, [r[0] for row in result["rows"] if row["name"] == n and (r := ratio(row, (peer,)))])
                     for i, n in enumerate(names)]
            axis.plot([geometric(r) for i, r in found if r], [i for i, r in found if r], marker, label=peer, alpha=0.8)
        axis.set_xscale("log")
        axis.axvline(1, color="black", linewidth=1)
        axis.set_yticks(range(len(names)), names)
        axis.grid(alpha=0.3)
        axis.set_xlabel("peer's time / pyasc's")
        axis.set_title(f"{threads} thread{'s' * (threads > 1)}")
    axes[0][-1].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(DOCS / "kernels.png", dpi=90)
