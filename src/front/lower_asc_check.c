/* Dtypes that an operation of package asc does not take are errors of the compiler. */
#include "front/lower_asc.h"
#include <string.h>

static const struct {
    const char *op, *param, *dtypes;
} rows[] = {
#define DTYPES(op, param, dtypes) {op, param, dtypes},
#include "base/asc/dtypes.def"
#undef DTYPES
};

/* Of a tensor or a dtype; -1: neither, or not known yet. */
static int dtype_of(lower *l, const ast *n, fv x) {
    bool tensor = asc_kind(x, "LocalTensor") || asc_kind(x, "GlobalTensor");
    fv dt = tensor ? asc_get(l, n, x, "dtype") : x;
    return dt.kind == FV_static && dt.st.kind == ST_dtype ? (int)dt.st.dt : -1;
}

static bool lists(const char *names, int dt) {
    const char *name = dtype_names[dt];
    for (size_t len = strlen(name); (names = strstr(names, name)); names += len)
        if (names[len] == ' ' || !names[len]) /* uint8 ends in int8: look at what is before, too */
            if (names[-1] == ' ' || names[-1] == '\n')
                return true;
    return false;
}

void asc_check(lower *l, const ast *n, const asc_bound *b) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows && l->st == OK; i++) {
        if (strcmp(rows[i].op, b->row->name))
            continue;
        const char *want = rows[i].dtypes;
        int is = dtype_of(l, n, asc_arg(b, rows[i].param)), other = -1;
        if (is >= 0 && *want == '=') {
            other = dtype_of(l, n, asc_arg(b, want + 1));
            want = other >= 0 ? dtype_names[other] : want;
        }
        if (is < 0 || *want == '=' || lists(arena_printf(l->mem, "\n%s", want) + 1, is))
            continue;
        fail(l, n,
             other >= 0 ? "give both tensors one dtype" : arena_printf(l->mem, "it takes %s", want),
             other >= 0 ? "TypeError: asc.%s(): %s is of %s, but %s of %s"
                        : "TypeError: asc.%s() does not take %s of %s%.0s%.0s",
             b->row->name, rows[i].param, dtype_names[is], rows[i].dtypes + 1, want);
    }
}
