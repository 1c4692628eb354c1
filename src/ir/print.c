/* IR to text, driven by the op table; see docs/ir.md. Names are made unique with .N; values without
 * a name are numbered. */
#include "ir/ir.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct name_count {
    const char *name;
    int n;
    struct name_count *next;
} name_count;

typedef struct {
    const ir_func *f;
    arena *mem;
    str *out;
    const char **names; /* by value id */
    name_count **used;  /* buckets: a power of two of them */
    unsigned nbuckets;
    int numbered, depth;
} printer;

static unsigned slot_of(const printer *p, const char *s) {
    unsigned h = 5381;
    while (*s)
        h = h * 33 + (unsigned char)*s++;
    return h & (p->nbuckets - 1);
}

static name_count *find(printer *p, const char *name) {
    for (name_count *c = p->used[slot_of(p, name)]; c; c = c->next)
        if (!strcmp(c->name, name))
            return c;
    return NULL;
}

static const char *claim(printer *p, const char *name) {
    name_count *c = ARENA_NEW(p->mem, name_count);
    c->name = name;
    c->next = p->used[slot_of(p, name)];
    p->used[slot_of(p, name)] = c;
    return name;
}

static const char *name_of(printer *p, const ir_value *v) {
    if (p->names[v->id])
        return p->names[v->id];
    const char *name = v->name;
    if (!name || !*name) {
        do
            name = arena_printf(p->mem, "%d", p->numbered++);
        while (find(p, name));
    } else if (find(p, name)) {
        name_count *c = find(p, name);
        do
            name = arena_printf(p->mem, "%s.%d", v->name, ++c->n);
        while (find(p, name));
    }
    return p->names[v->id] = claim(p, name);
}

static void type(printer *p, ir_type t) {
    const char *dt = dtype_table[t.dt].name;
    static const char *const spaces[] = {"", ".shared", ".kept", ".local", ".slot"};
    switch ((ir_kind)t.kind) {
    case TY_none: str_add(p->out, "none"); return;
    case TY_any: str_add(p->out, "?"); return;
    case TY_tensor:
        str_addf(p->out, "%s[%d]%s%s", dt, t.rank,
                 t.contig == IR_UNIT ? "c"
                 : t.contig          ? "b"
                                     : "",
                 spaces[t.space]);
        return;
    case TY_val:
    case TY_cell:
        str_add(p->out, t.any ? "?" : dt);
        if (t.lanes > 1)
            str_addf(p->out, "x%d", t.lanes);
        if (t.kind == TY_cell)
            str_add(p->out, "&");
    }
}

static void quoted(printer *p, const char *s) {
    str_add(p->out, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            str_addf(p->out, "\\%c", *s);
        else if ((unsigned char)*s < 32)
            str_addf(p->out, "\\%02x", (unsigned char)*s);
        else
            str_addn(p->out, s, 1);
    }
    str_add(p->out, "\"");
}

static bool default_attr(int kind, const ir_attr *a) {
    return kind == AT_none || (kind == AT_INT && !a->i) || (kind == AT_STR && !a->s) ||
           (kind == AT_INTS && !a->v);
}

static void attr(printer *p, const char *name, int kind, const ir_attr *a) {
    str_addf(p->out, "%s=", name);
    if (kind == AT_FLT)
        str_addf(p->out, isnan(a->f) ? "nan" : "%.17g", a->f);
    else if (kind == AT_STR)
        quoted(p, a->s);
    else if (kind == AT_INTS) {
        str_add(p->out, "[");
        for (int64_t i = 0; i < a->i; i++)
            str_addf(p->out, "%s%" PRId64, i ? ", " : "", a->v[i]);
        str_add(p->out, "]");
    } else
        str_addf(p->out, "%" PRId64, a->i);
}

static void attrs(printer *p, const ir_op *op) {
    bool any = false;
    for (int i = 0; i < 2; i++) {
        int kind = ir_ops[op->code].attr[i].kind;
        if (default_attr(kind, &op->attr[i]))
            continue;
        str_add(p->out, any ? ", " : " <");
        attr(p, ir_ops[op->code].attr[i].name, kind, &op->attr[i]);
        any = true;
    }
    if (any)
        str_add(p->out, ">");
}

static void region(printer *p, const ir_region *r);

static void args(printer *p, const ir_region *r) {
    str_add(p->out, "(");
    for (uint32_t i = 0; i < r->nargs; i++) {
        str_addf(p->out, "%s%%%s: ", i ? ", " : "", name_of(p, r->args[i]));
        type(p, r->args[i]->type);
        const ir_known *k = ir_known_of(p->f, r->args[i]);
        if (k)
            str_addf(p->out, " = %lld", (long long)k->value);
    }
    str_add(p->out, ")");
}

static void indent(printer *p) {
    for (int i = 0; i < p->depth; i++)
        str_add(p->out, "  ");
}

static void print_op(printer *p, const ir_op *op) {
    indent(p);
    for (int i = 0; i < op->nout; i++)
        str_addf(p->out, "%s%%%s", i ? ", " : "", name_of(p, op->out[i]));
    str_addf(p->out, "%s%s", op->nout ? " = " : "", ir_ops[op->code].name);
    for (int i = 0; i < op->nin; i++)
        str_addf(p->out, " %%%s", name_of(p, op->in[i]));
    attrs(p, op);
    for (int i = 0; i < op->nout; i++) {
        str_add(p->out, i ? ", " : " : ");
        type(p, op->out[i]->type);
    }
    for (int i = 0; i < op->nreg; i++) {
        str_add(p->out, " ");
        if (op->reg[i]->nargs) {
            args(p, op->reg[i]);
            str_add(p->out, " ");
        }
        region(p, op->reg[i]);
    }
    str_add(p->out, "\n");
}

static void region(printer *p, const ir_region *r) {
    str_add(p->out, "{\n");
    p->depth++;
    for (const ir_op *op = r->first; op; op = op->next)
        print_op(p, op);
    p->depth--;
    indent(p);
    str_add(p->out, "}");
}

void ir_print(const ir_func *f, str *out) {
    printer p = {.f = f, .mem = arena_new(), .out = out, .nbuckets = 64};
    while (p.nbuckets < f->nvalues)
        p.nbuckets *= 2;
    p.used = ARENA_ARRAY(p.mem, name_count *, p.nbuckets);
    p.names = ARENA_ARRAY(p.mem, const char *, f->nvalues + 1);
    str_addf(out, "kernel @%s%s", f->name, f->simt ? " simt" : "");
    if (f->width)
        str_addf(out, " width=%d", f->width);
    if (f->block[0])
        str_addf(out, " block=%d,%d,%d", (int)f->block[0], (int)f->block[1], (int)f->block[2]);
    str_add(out, f->prints ? " prints " : " ");
    args(&p, f->body);
    str_add(out, " ");
    region(&p, f->body);
    str_add(out, "\n");
    arena_free(p.mem);
}
