"""Mutated IR texts through the parser, the verifier and the passes, under the sanitizers: fuzz_ir.py PYASC_OPT SECONDS [SEED]."""
import pathlib
import random
import subprocess
import sys
import time

PIPELINE = "infer,fold,promote,fold,accum,dce,domain,split,lanes,fold,dce"
CHOICES = ["", PIPELINE, "infer", "promote", "fold,dce", "split,lanes"]
TOKENS = ("%a %0 leave yield <to=1> scope for if loop f32 ? i64 f32x16 f32[2]c iconst barrier lanes { } ( ) , < > "
          "999999999999 -1 add load store alloc set get cell gid").split()


def mutate(rng, text):
    parts = text.split(" ")
    i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
    kind = rng.randrange(5)
    if kind == 0:
        parts[i] = rng.choice(TOKENS)
    elif kind == 1:
        del parts[i]
    elif kind == 2:
        parts.insert(i, rng.choice(TOKENS))
    elif kind == 3:
        parts[i], parts[j] = parts[j], parts[i]
    else:
        lines = text.split("\n")
        lines.insert(rng.randrange(len(lines)), rng.choice(lines))
        return "\n".join(lines)
    return " ".join(parts)


def main(opt, seconds, seed):
    rng = random.Random(seed)
    texts = [p.read_text().split("; ==>")[0] for p in sorted(pathlib.Path("tests").glob("*/**/*.ir"))]
    passed = failed = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        text = rng.choice(texts)
        for _ in range(rng.randint(1, 4)):
            text = mutate(rng, text)
        run = subprocess.run([opt, "-p", rng.choice(CHOICES), "-"], input=text, capture_output=True, text=True, timeout=60)
        if run.returncode not in (0, 1) or "Sanitizer" in run.stderr or "runtime error" in run.stderr:
            failed += 1
            path = pathlib.Path(f"crash-{failed}.ir")
            path.write_text(text)
            print(f"{path}: {run.stderr[:400]}")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0))
