/* The driver: runs the named passes and verifies after each. */
#include "pass/pass.h"
#include <stdio.h>
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

void pass_note(const pass_options *o, const ir_func *f, const ir_op *op, const char *format, ...) {
    char text[300];
    va_list a;
    if (!o->notes)
        return;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    str_addf(o->notes, "line %u: %s\n", ir_loc(f, op).line, text);
}

const char *pass_loops(const ir_func *f, const ir_op *op) {
    enum { SIZE = 120 };
    char *text = ARENA_ARRAY(f->mem, char, SIZE);
    for (int n = 0; op && n < SIZE;) {
        const char *name = op->reg[0]->args[0]->name;
        n += snprintf(text + n, (size_t)(SIZE - n), "%s%s", n ? ", " : "", name ? name : "_");
        const ir_op *inner = op->reg[0]->first;
        while (inner && inner->code != OP_for)
            inner = inner->next;
        op = inner;
    }
    return text;
}

ir_op *pass_work_items(const ir_func *f) {
    static const int block[] = {OP_lid, OP_bid, OP_lsize, OP_nblocks};
    ir_op *lanes = NULL;
    for (int i = 0; i < 4; i++)
        if (ir_has_op(f->body, block[i]))
            return NULL;
    for (ir_op *op = f->body->first; op; op = op->next) {
        if (op->code == OP_lanes && !lanes)
            lanes = op;
        else if (op->nreg || (ir_ops[op->code].effect != EFF_PURE && op->code != OP_extent &&
                              op->code != OP_bound))
            return NULL;
    }
    return lanes;
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
