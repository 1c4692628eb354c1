/* pyasc-opt [-p PASSES] [-w BYTES] FILE: reads IR text, runs the passes, prints. Needs neither
 * Python nor LLVM. */
#include "pass/pass.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int report(const diag *d, const char *file) {
    for (const diag_item *i = d->first; i; i = i->next)
        fprintf(stderr, "%s:%u:%u: %s\n", file, i->at.line, i->at.col, i->text);
    return 1;
}

static char *read_file(const char *path, size_t *n) {
    FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    str s = {0};
    char buf[4096];
    if (!f)
        return NULL;
    for (size_t k; (k = fread(buf, 1, sizeof buf, f)) > 0;)
        str_addn(&s, buf, k);
    if (f != stdin)
        fclose(f);
    str_add(&s, "");
    *n = s.n;
    return s.p;
}

int main(int argc, char **argv) {
    const char *passes = "", *path = "-";
    pass_options o = {.width_bytes = 64, .verify = 1};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-p") && i + 1 < argc)
            passes = argv[++i];
        else if (!strcmp(argv[i], "-w") && i + 1 < argc)
            o.width_bytes = atoi(argv[++i]);
        else
            path = argv[i];
    }
    size_t n = 0;
    char *text = read_file(path, &n);
    if (!text) {
        fprintf(stderr, "pyasc-opt: cannot read %s\n", path);
        return 2;
    }
    arena *mem = arena_new();
    diag d = {.mem = mem};
    ir_func *f = NULL;
    status st = ir_parse(text, n, mem, &d, &f);
    if (st == OK)
        st = ir_verify(f, STAGE_front, &d);
    if (st == OK)
        st = pass_run(f, passes, &o, &d);
    str out = {0};
    if (st == OK) {
        ir_print(f, &out);
        fwrite(out.p, 1, out.n, stdout);
    }
    int code = st == OK ? 0 : report(&d, path);
    str_free(&out);
    arena_free(mem);
    free(text);
    return code;
}
