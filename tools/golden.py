"""golden.py PYASC_OPT [--update]. Golden texts: `; run: PASSES`, IR, `; ==>`, the IR expected (or `; error: TEXT`). --update rewrites what is expected."""
import pathlib
import subprocess
import sys



def check(opt, path, update):
    head, _, rest = path.read_text().partition("\n")
    source, _, want = rest.partition("; ==>\n")
    run = subprocess.run([opt, "-p", head.removeprefix("; run:").strip(), "-"], input=source, capture_output=True, text=True)
    got = run.stdout if run.returncode == 0 else "; error: " + run.stderr
    if update:
        path.write_text(f"{head}\n{source}; ==>\n{got}")
        return True
    if got != want:
        print(f"{path}: expected\n{want}\ngot\n{got}")
    return got == want


def main(args):
    update = "--update" in args
    results = [check(args[0], p, update) for p in sorted(pathlib.Path("tests").glob("*/**/*.ir"))]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return not all(results) or not results


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
