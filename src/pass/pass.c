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
        p += n + (p[n] == ',');
    }
    return OK;
}
