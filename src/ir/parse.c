/* Text to IR, driven by the op table: the inverse of print.c. Takes any bytes; a fault is a
 * diagnostic with line and column. */
#include "base/vec.h"
#include "ir/ir.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200, MAX_LIST = 4096 };

typedef struct binding {
    const char *name;
    ir_value *v;
    struct binding *next;
} binding;

typedef struct {
    const char *p, *end, *line_start;
    uint32_t line;
    ir_func *f;
    diag *d;
    binding *visible;
    int depth;
} parser;

static status fail(parser *s, const char *what) {
    uint32_t col = (uint32_t)(s->p - s->line_start);
    loc at = {s->line, col, s->line, col + 1, 0};
    return diag_error(s->d, at, NULL, "%s", what);
}

static void space(parser *s) {
    for (; s->p < s->end; s->p++) {
        if (*s->p == ';')
            while (s->p < s->end && *s->p != '\n')
                s->p++;
        if (s->p == s->end || !isspace((unsigned char)*s->p))
            return;
        if (*s->p == '\n') {
            s->line++;
            s->line_start = s->p + 1;
        }
    }
}

static bool at(parser *s, const char *text) {
    space(s);
    size_t n = strlen(text);
    return (size_t)(s->end - s->p) >= n && !memcmp(s->p, text, n);
}
static bool take(parser *s, const char *text) {
    bool there = at(s, text);
    if (there)
        s->p += strlen(text);
    return there;
}
static status need(parser *s, const char *text) {
    return take(s, text) ? OK : fail(s, arena_printf(s->f->mem, "'%s' expected", text));
}

static const char *word(parser *s) {
    space(s);
    const char *start = s->p;
    while (s->p < s->end && (isalnum((unsigned char)*s->p) || *s->p == '_' || *s->p == '.' ||
                             (unsigned char)*s->p >= 128))
        s->p++;
    return s->p == start ? NULL : arena_strndup(s->f->mem, start, (size_t)(s->p - start));
}

/* A number's text, bounded, so that strtol and strtod see its end. */
static bool number_text(parser *s, char *out, size_t size) {
    space(s);
    size_t n = 0;
    while (s->p < s->end && n + 1 < size &&
           (isalnum((unsigned char)*s->p) || strchr("+-.", *s->p)) && *s->p)
        out[n++] = *s->p++;
    out[n] = 0;
    return n > 0;
}
static status integer(parser *s, int64_t *out) {
    char text[64], *end;
    if (!number_text(s, text, sizeof text))
        return fail(s, "a number expected");
    *out = strtoll(text, &end, 10);
    return *end ? fail(s, "a whole number expected") : OK;
}
static status real(parser *s, double *out) {
    char text[64], *end;
    if (!number_text(s, text, sizeof text))
        return fail(s, "a number expected");
    *out = strtod(text, &end);
    return *end ? fail(s, "a number expected") : OK;
}

static status type_suffix(parser *s, ir_type *t) {
    int64_t n;
    if (take(s, "[")) {
        TRY(integer(s, &n));
        if (n < 0 || n > 16)
            return fail(s, "a rank of 0 to 16 expected");
        TRY(need(s, "]"));
        t->kind = TY_tensor;
        t->rank = (uint8_t)n;
        if (s->p < s->end && (*s->p == 'c' || *s->p == 'b'))
            t->contig = *s->p++ == 'c' ? IR_UNIT : IR_SAME;
        t->space = take(s, ".shared")  ? SP_shared
                   : take(s, ".local") ? SP_local
                   : take(s, ".slot")  ? SP_slot
                                       : SP_global;
        return OK;
    }
    if (s->p < s->end && *s->p == '&') {
        s->p++;
        t->kind = TY_cell;
    }
    return OK;
}

static status type(parser *s, ir_type *t) {
    *t = (ir_type){.kind = TY_val, .lanes = 1};
    if (take(s, "?")) {
        t->any = 1;
        TRY(type_suffix(s, t));
        if (t->kind == TY_val)
            *t = ir_any();
        return OK;
    }
    space(s);
    char name[16];
    size_t n = 0;
    while (s->p < s->end && n < 15 && isalnum((unsigned char)*s->p) && *s->p != 'x')
        name[n++] = *s->p++;
    name[n] = 0;
    int dt = dtype_from_name(name);
    if (dt < 0)
        return fail(s, "a type expected");
    t->dt = (uint8_t)dt;
    if (s->p < s->end && *s->p == 'x') {
        int64_t lanes;
        char text[8];
        size_t k = 0;
        for (s->p++; s->p < s->end && k < 4 && isdigit((unsigned char)*s->p);)
            text[k++] = *s->p++;
        text[k] = 0;
        lanes = atoi(text);
        if (lanes < 1 || lanes > 512)
            return fail(s, "1 to 512 lanes expected");
        t->lanes = (uint16_t)lanes;
    }
    return type_suffix(s, t);
}

static void bind(parser *s, const char *name, ir_value *v) {
    binding *b = ARENA_NEW(s->f->mem, binding);
    *b = (binding){name, v, s->visible};
    s->visible = b;
    v->name = isdigit((unsigned char)name[0]) ? NULL : name;
}

static status use(parser *s, ir_value **out) {
    const char *name = word(s);
    if (!name)
        return fail(s, "a value's name expected");
    for (binding *b = s->visible; b; b = b->next)
        if (!strcmp(b->name, name))
            return *out = b->v, OK;
    return fail(s, arena_printf(s->f->mem, "%%%s is not defined here", name));
}

static status args(parser *s, ir_region *r) {
    TRY(need(s, "("));
    while (!take(s, ")")) {
        if (r->nargs >= MAX_LIST)
            return fail(s, "too many arguments");
        TRY(need(s, "%"));
        const char *name = word(s);
        ir_type t;
        if (!name)
            return fail(s, "a name expected");
        TRY(need(s, ":"));
        TRY(type(s, &t));
        bind(s, name, ir_region_arg(s->f, r, t, name));
        take(s, ",");
    }
    return OK;
}

static status string(parser *s, const char **out) {
    TRY(need(s, "\""));
    str text = {0};
    for (; s->p < s->end && *s->p != '"' && *s->p != '\n'; s->p++) {
        if (*s->p == '\\' && s->p + 1 < s->end)
            s->p++;
        str_addn(&text, s->p, 1);
    }
    *out = arena_strndup(s->f->mem, text.p ? text.p : "", text.n);
    str_free(&text);
    return need(s, "\"");
}

static status ints(parser *s, ir_attr *a) {
    VEC(int64_t) v = {0};
    TRY(need(s, "["));
    while (!take(s, "]")) {
        int64_t x;
        if (v.n == MAX_LIST)
            return fail(s, "too many numbers");
        TRY(integer(s, &x));
        vec_push(s->f->mem, &v, x);
        take(s, ",");
    }
    a->i = v.n;
    while (v.n < 32) /* ops may look at some that the text does not have */
        vec_push(s->f->mem, &v, (int64_t)0);
    a->v = v.p;
    return OK;
}

static status attrs(parser *s, ir_op *op) {
    if (!take(s, "<"))
        return OK;
    while (!take(s, ">")) {
        const char *name = word(s);
        int k = 0;
        while (name && k < 2 &&
               !(ir_ops[op->code].attr[k].name && !strcmp(ir_ops[op->code].attr[k].name, name)))
            k++;
        if (!name || k == 2)
            return fail(s, "the op has no such attribute");
        TRY(need(s, "="));
        ir_attr *a = &op->attr[k];
        int kind = ir_ops[op->code].attr[k].kind;
        *a = (ir_attr){0};
        TRY(kind == AT_FLT    ? real(s, &a->f)
            : kind == AT_STR  ? string(s, &a->s)
            : kind == AT_INTS ? ints(s, a)
                              : integer(s, &a->i));
        if (kind == AT_LABEL) {
            if (a->i < 0 || a->i > 1 << 20)
                return fail(s, "a label of 0 to 2^20 expected");
            s->f->nlabels = s->f->nlabels < a->i ? (uint32_t)a->i : s->f->nlabels;
        }
        take(s, ",");
    }
    return OK;
}

static status region(parser *s, ir_region *r);

static int op_named(const char *name) {
    for (int k = 0; name && k < OP_COUNT; k++)
        if (!strcmp(ir_ops[k].name, name))
            return k;
    return -1;
}

/* Operands stand on the op's line: a % on the next one begins another op. */
static bool operand_follows(parser *s) {
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
        s->p++;
    return s->p < s->end && *s->p == '%';
}

static status operands(parser *s, ir_op *op) {
    while (operand_follows(s)) {
        ir_value *v = NULL;
        s->p++;
        if (op->nin >= MAX_LIST)
            return fail(s, "too many operands");
        TRY(use(s, &v));
        ir_add_in(s->f, op, v);
    }
    return OK;
}

static status regions(parser *s, ir_op *op, int n) {
    op->reg = ARENA_ARRAY(s->f->mem, ir_region *, n + 1);
    for (int i = 0; i < n; i++) {
        op->reg[op->nreg++] = ir_region_new(s->f, op);
        binding *outer = s->visible;
        if (at(s, "("))
            TRY(args(s, op->reg[i]));
        TRY(region(s, op->reg[i]));
        s->visible = outer;
    }
    return OK;
}

typedef VEC(const char *) name_list;

static status result_names(parser *s, name_list *names) {
    while (take(s, "%")) {
        const char *name = word(s);
        if (!name || names->n == MAX_LIST)
            return fail(s, "a result's name expected");
        vec_push(s->f->mem, names, name);
        take(s, ",");
    }
    return names->n ? need(s, "=") : OK;
}

static status one(parser *s, ir_region *r) {
    name_list names = {0};
    uint32_t col = (uint32_t)(s->p - s->line_start);
    loc here = {s->line, col, s->line, col + 1, 0};
    TRY(result_names(s, &names));
    int code = op_named(word(s));
    if (code < 0)
        return fail(s, "an op's name expected");
    ir_op *op = ir_op_new(s->f, code, ir_site(s->f, here), 0, 0, 0);
    ir_append(r, op);
    TRY(operands(s, op));
    TRY(attrs(s, op));
    for (uint32_t i = 0; i < names.n; i++) {
        ir_type t;
        TRY(need(s, i ? "," : ":"));
        TRY(type(s, &t));
        ir_add_out(s->f, op, t, names.p[i]);
    }
    TRY(regions(s, op, ir_ops[code].nreg));
    for (uint32_t i = 0; i < names.n; i++)
        bind(s, names.p[i], op->out[i]);
    return OK;
}

static status region(parser *s, ir_region *r) {
    if (++s->depth > MAX_DEPTH)
        return fail(s, "regions nest too deep");
    TRY(need(s, "{"));
    while (!take(s, "}"))
        TRY(one(s, r));
    s->depth--;
    return OK;
}

static status header(parser *s) {
    TRY(need(s, "kernel"));
    TRY(need(s, "@"));
    if (!(s->f->name = word(s)))
        return fail(s, "the kernel's name expected");
    int64_t w;
    for (;;) {
        if (take(s, "simt"))
            s->f->simt = 1;
        else if (take(s, "prints"))
            s->f->prints = 1;
        else if (take(s, "width=")) {
            TRY(integer(s, &w));
            s->f->width = (int)w;
        } else
            return args(s, s->f->body);
    }
}

status ir_parse(const char *text, size_t n, arena *mem, diag *d, ir_func **out) {
    parser s = {.p = text,
                .end = text + n,
                .line_start = text,
                .line = 1,
                .f = ir_func_new(mem, "?"),
                .d = d};
    TRY(header(&s));
    TRY(region(&s, s.f->body));
    space(&s);
    if (s.p != s.end)
        return fail(&s, "nothing more expected");
    *out = s.f;
    return OK;
}
