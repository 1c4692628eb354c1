/* The driver: runs the named passes and verifies after each. */
#include "pass/pass.h"
#include <string.h>

static const pass_info table[] = {
#define PASS(name, stage, doc) {#name, pass_##name, stage, doc},
#include "pass/pass.def"
#undef PASS
};

const pass_info *pass_find(const char *name) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name))
            return &table[i];
    return NULL;
}

/* Whatever a pass makes can be printed and read back. */
static status round_trip(const ir_func *f, diag *d, const char *pass) {
    arena *mem = arena_new();
    diag mute = {.mem = mem};
    loc none = {0};
    str once = {0}, again = {0};
    ir_func *g = NULL;
    ir_print(f, &once);
    status st = ir_parse(once.p, once.n, mem, &mute, &g);
    if (st == OK)
        ir_print(g, &again);
    if (st != OK || strcmp(once.p, again.p)) {
        diag_error(d, none, NULL, "the text after '%s' is not read back the same", pass);
        st = BUG;
    }
    str_free(&once);
    str_free(&again);
    arena_free(mem);
    return st;
}

status pass_run(ir_func *f, const char *pipeline, const pass_options *o, diag *d) {
    loc none = {0};
    char name[32];
    for (const char *p = pipeline; *p;) {
        size_t n = strcspn(p, ",");
        memcpy(name, p, n < sizeof name ? n : 0);
        name[n < sizeof name ? n : 0] = 0;
        const pass_info *pass = pass_find(name);
        if (!pass)
            return diag_error(d, none, NULL, "there is no pass '%s'", name);
        TRY(pass->run(f, d, o));
        if (o->verify)
            TRY(ir_verify(f, pass->stage, d));
        if (o->verify > 1)
            TRY(round_trip(f, d, name));
        p += n + (p[n] == ',');
    }
    return OK;
}
