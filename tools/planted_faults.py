#!/usr/bin/env python3
"""Does the differential tester find faults? Plants each of FAULTS in a copy of the compiler, one at a time, builds it, and
draws programs (tests/random_programs.py) until one differs: planted_faults.py [PROGRAMS].

A fault is (file, text, what stands there instead, what it does). The text must stand in the file once.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAULTS = [
    ("front/lower_arith.c", "*r = code == OP_mod ? m + (back ? b : 0) : q - back;", "*r = code == OP_mod ? m : q;",
     "constants divide toward zero"),
    ("front/lower_logic.c", "*stops = is_and ? !k : k != 0;", "*stops = is_and ? k != 0 : !k;",
     "and/or of constants stop at the wrong one"),
    ("front/lower_logic.c", "int strict = code == OP_le ? OP_lt : code == OP_ge ? OP_gt : code;", "int strict = OP_lt;",
     "tuples compare as < whatever was asked"),
    ("front/lower_seq.c", "ir_value *last = emit_index(l, n, OP_sub, it->length, int_const(l, n, DT_i64, 1));",
     "ir_value *last = emit_index(l, n, OP_sub, it->length, int_const(l, n, DT_i64, 2));", "reversed() begins one late"),
    ("front/lower_seq.c", "it->x = lower_expr(l, kw->list[0]->f[keyword_value].node);", "(void)kw;",
     "enumerate(start=) is ignored"),
    ("front/lower_match.c", "both(l, p, OP_or, *out, one, out);", "both(l, p, OP_and, *out, one, out);",
     "a | b in a pattern wants both"),
    ("front/lower_seq.c", "bool ended = orelse && l->st == OK && lower_stmts(",
     "bool ended = orelse && breaks && l->st == OK && lower_stmts(", "the else of a loop without a break is dropped"),
    ("front/lower_try.c", "else if (!lower_stmts(l, final->list, final->n))", "else if (true)",
     "a finally is skipped when an exception passes"),
    ("front/lower_try.c", "ended = lower_stmts(l, c.final->list, c.final->n);", "ended = false;",
     "a finally is skipped on the way out"),
    ("front/lower_try.c", "for (uint32_t c = t->first[k]; left[i] && c < t->first[k + 1]; c++)",
     "for (uint32_t c = t->first[k]; left[i] && c < t->first[k] + 1; c++)", "of except (A, B) only A is caught"),
    ("front/lower_class.c", "if (flow_of(l, f) != FLOW_UNSET)\n            var_set(l, n, object_field(l, o,",
     "if (flow_of(l, f) == FLOW_UNSET)\n            var_set(l, n, object_field(l, o,", "a copied object has no attributes"),
    ("front/lower_var.c", "if (k && l->bindings.p[k].value.obj != value.obj) {", "if (k) {\n    } else if (k && !value.obj) {",
     "an object assigned to a name again is lost"),
    ("front/lower_index.c", "return base.elts[k < 0 ? k + base.n : k];", "return base.elts[k < 0 ? 0 : k];",
     "t[-1] is t[0]"),
    ("front/lower_stmt.c", "value.elts[i < star ? i : i + many - 1]", "value.elts[i]",
     "names behind *rest take the wrong elements"),
    ("front/lower_array.c", "emit_index(l, n, OP_add, span, int_const(l, n, DT_i64, size - 1)),",
     "emit_index(l, n, OP_add, span, int_const(l, n, DT_i64, 0)),", "x[::2] is one short"),
    ("front/lower_array.c", "if (reads_elsewhere(l, n, value, to, false)) {",
     "if (false && reads_elsewhere(l, n, value, to, false)) {", "overlapping slices are stored without a copy"),
    ("front/lower_check.c", "two(l, n, OP_ge, i, dim)", "two(l, n, OP_gt, i, dim)", "an index one beyond is let through"),
    ("front/lower_op.c", "*out = sum ? lower_arith(l, n, code, both) : larger(l, n, code, both);",
     "*out = sum ? lower_arith(l, n, code, both) : *out;", "max of a tuple is its first"),
    ("pass/unset.c", "put(f, op, flag, op->code == OP_set);", "put(f, op, flag, true);", "what is unset counts as set"),
    ("target/cpu/emit_div.c", "LLVMBuildSelect(B, off, LLVMBuildAdd(B, m, d, \"\"), m, \"\"), \"\");", "m, \"\");",
     "% has the sign of the dividend"),
    ("target/cpu/emit_op.c", "return LLVMBuildAShr(B, a, d, \"\");", "return LLVMBuildLShr(B, a, d, \"\");",
     "negative numbers are shifted as if they were not"),
]


def run(*command, **kw):
    return subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **kw)


def build(copy, stage):
    run("ninja", "-C", copy / "faulty", "--quiet")
    for library in (copy / "faulty").glob("_*.so"):
        shutil.copy(library, stage / "pyasc")


def found(stage, programs):
    """The seed of the first program that differs, or None. Crashing is noticed too."""
    code = (f"import sys; sys.path.insert(0, {str(ROOT / 'tests')!r})\n"
            "import random, random_programs as r\n"
            f"for seed in range({programs}):\n"
            "    p = r.Program(random.Random(seed).randrange)\n"
            "    print(seed, flush=True)\n"
            "    if r.difference(p.source(), p.item, seed, f'drawn{seed}.py'): sys.exit(1)\n")
    try:
        r = subprocess.run([sys.executable, "-c", code], env=dict(os.environ, PYTHONPATH=str(stage)), text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600)
    except subprocess.TimeoutExpired as e:
        return (e.stdout or b"0").split()[-1].decode()
    return r.stdout.split()[-1] if r.returncode else None


def main():
    programs, missed = int(sys.argv[1]) if len(sys.argv) > 1 else 1000, 0
    with tempfile.TemporaryDirectory() as folder:
        copy, stage = pathlib.Path(folder) / "copy", pathlib.Path(folder) / "stage"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "build", "build-*"))
        shutil.copytree(ROOT / "python" / "pyasc", stage / "pyasc")
        run("meson", "setup", copy / "faulty", copy, "-Dwerror=false")
        build(copy, stage)
        if (seed := found(stage, 50)) is not None:
            sys.exit(f"seed {seed} differs without any fault")
        for file, old, new, what in FAULTS:
            path = copy / "src" / file
            text = path.read_text()
            if text.count(old) != 1:
                sys.exit(f"{file}: this stands there {text.count(old)} times, not once: {old}")
            path.write_text(text.replace(old, new))
            build(copy, stage)
            seed = found(stage, programs)
            path.write_text(text)
            missed += seed is None
            print(f"{'missed' if seed is None else f'seed {seed}':10} {what}", flush=True)
    print(f"{len(FAULTS) - missed} passed, {missed} failed")
    return missed > 0


if __name__ == "__main__":
    sys.exit(main())
