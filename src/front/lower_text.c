/* Strings with values in them: what print writes and what exceptions say. A text is a list of
   pieces, made when the kernel runs; Python makes the characters. */
#include "front/lower.h"
#include <stdarg.h>
#include <string.h>

static fv piece_text(lower *l, const char *s) {
    front_piece *p = ARENA_NEW(l->mem, front_piece);
    *p = (front_piece){.text = s, .value = -1};
    return (fv){.kind = FV_text, .pieces = p, .npieces = 1};
}

static fv piece_value(lower *l, ir_value *v, int conversion, const char *spec) {
    front_piece *p = ARENA_NEW(l->mem, front_piece);
    *p = (front_piece){.value = 0, .conversion = conversion, .spec = spec};
    fv *e = ARENA_NEW(l->mem, fv);
    *e = fv_val(v);
    return (fv){.kind = FV_text, .pieces = p, .npieces = 1, .elts = e, .n = 1};
}

fv text_join(lower *l, const fv *parts, uint32_t n) {
    uint32_t np = 0, nv = 0;
    for (uint32_t i = 0; i < n; i++)
        np += parts[i].npieces, nv += parts[i].n;
    fv t = {.kind = FV_text,
            .pieces = ARENA_ARRAY(l->mem, front_piece, np + 1),
            .elts = ARENA_ARRAY(l->mem, fv, nv + 1)};
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < parts[i].npieces; k++) {
            front_piece p = parts[i].pieces[k];
            if (p.value >= 0)
                p.value += (int)t.n;
            t.pieces[t.npieces++] = p;
        }
        for (uint32_t k = 0; k < parts[i].n; k++)
            t.elts[t.n++] = parts[i].elts[k];
    }
    return t;
}

static fv text_of_tuple(lower *l, const ast *n, fv x) {
    fv *parts = ARENA_ARRAY(l->mem, fv, 2 * x.n + 3);
    uint32_t k = 0;
    parts[k++] = piece_text(l, x.list ? "[" : "(");
    for (uint32_t i = 0; i < x.n; i++) {
        if (i)
            parts[k++] = piece_text(l, ", ");
        parts[k++] = text_of(l, n, x.elts[i]);
    }
    parts[k++] = piece_text(l, x.list ? "]" : x.n == 1 ? ",)" : ")");
    return text_join(l, parts, k);
}

fv text_of(lower *l, const ast *n, fv x) {
    switch (x.kind) {
    case FV_text: return x;
    case FV_tuple: return text_of_tuple(l, n, x);
    case FV_exc: return exc_text(l, n, x.exc);
    case FV_static:
        if (x.st.kind == ST_str)
            return piece_text(l, x.st.s);
        if (x.st.kind == ST_none)
            return piece_text(l, "None");
        if (x.st.kind == ST_dtype)
            return piece_text(l, dtype_names[x.st.dt]);
        break;
    case FV_object: {
        fv method;
        if (object_method(l, x, "__str__", &method) || object_method(l, x, "__repr__", &method))
            return text_of(l, n, lower_apply(l, n, method, NULL, 0));
        break;
    }
    default: break;
    }
    return piece_value(l, lower_as_val(l, x, n->at), 0, NULL);
}

static const char *spec_of(lower *l, const ast *n, const ast *spec) {
    const ast_field *parts = &spec->f[JoinedStr_values];
    if (!parts->n)
        return NULL;
    if (parts->n == 1 && parts->list[0]->kind == AST_Constant)
        return parts->list[0]->f[Constant_value].s;
    fail(l, n, "write the width and precision as digits: {x:8.3f}",
         "a format that is computed is not supported in kernels");
    return NULL;
}

fv lower_fstring(lower *l, const ast *n) {
    const ast_field *values = &n->f[JoinedStr_values];
    fv *parts = ARENA_ARRAY(l->mem, fv, values->n + 2);
    parts[0] = piece_text(l, ""); /* so that it is never taken for the number itself */
    for (uint32_t i = 0; i < values->n && l->st == OK; i++) {
        const ast *e = values->list[i];
        if (e->kind != AST_FormattedValue) {
            parts[i + 1] = text_of(l, n, lower_expr(l, e));
            continue;
        }
        const ast_field *spec = &e->f[FormattedValue_format_spec];
        int64_t conversion = e->f[FormattedValue_conversion].i;
        const char *format = spec->kind == AF_node ? spec_of(l, n, spec->node) : NULL;
        fv x = lower_expr(l, e->f[FormattedValue_value].node);
        parts[i + 1] = x.kind == FV_val && x.v->type.kind != TY_tensor
                           ? piece_value(l, x.v, conversion < 0 ? 0 : (int)conversion, format)
                           : text_of(l, n, x);
    }
    return text_join(l, parts, values->n + 1);
}

/* %s takes a const char *, %v a value as const fv *, %d an int. */
fv text_format(lower *l, const ast *n, const char *format, ...) {
    va_list ap;
    fv parts[24];
    uint32_t k = 0;
    va_start(ap, format);
    while (*format && k < 22) {
        size_t run = strcspn(format, "%");
        if (run)
            parts[k++] = piece_text(l, arena_strndup(l->mem, format, run));
        format += run;
        if (!*format)
            break;
        if (format[1] == 's')
            parts[k++] = piece_text(l, va_arg(ap, const char *));
        else if (format[1] == 'v')
            parts[k++] = text_of(l, n, *va_arg(ap, const fv *));
        else
            parts[k++] = piece_text(l, arena_printf(l->mem, "%d", va_arg(ap, int)));
        format += 2;
    }
    va_end(ap);
    fv *head = ARENA_ARRAY(l->mem, fv, k + 1);
    memcpy(head, parts, k * sizeof *head);
    front_piece *next = ARENA_NEW(l->mem, front_piece);
    *next = (front_piece){.value = FRONT_NEXT_ARG};
    fv all[2] = {{.kind = FV_text, .pieces = next, .npieces = 1}, text_join(l, head, k)};
    return text_join(l, all, 2);
}

/* sep= and end= of a print: constant strings. */
static const char *print_option(lower *l, const ast *n, const char *name, const char *otherwise) {
    const ast_field *kw = &n->f[Call_keywords];
    for (uint32_t i = 0; i < kw->n; i++) {
        const ast_field *arg = &kw->list[i]->f[keyword_arg];
        const ast *value = kw->list[i]->f[keyword_value].node;
        bool known = arg->kind == AF_str && (!strcmp(arg->s, "sep") || !strcmp(arg->s, "end"));
        if (!known || value->kind != AST_Constant || value->f[Constant_value].kind != AF_str)
            fail(l, kw->list[i], "print(..., sep=\" \", end=\"\\n\") with constant strings",
                 "print() in a kernel takes sep and end, and no other keyword");
        else if (!strcmp(arg->s, name))
            return value->f[Constant_value].s;
    }
    return otherwise;
}

static void print_text(lower *l, const ast *n, fv t) {
    ir_op *op = ir_op_new(l->f, OP_print, ir_site(l->f, n->at), t.n, 0, 0);
    for (uint32_t i = 0; i < t.n; i++)
        op->in[i] = lower_as_val(l, t.elts[i], n->at);
    op->attr[0].i = l->prints.n;
    ir_append(l->r, op);
    front_print fp = {t.pieces, t.npieces};
    vec_push(l->mem, &l->prints, fp);
    l->f->prints = 1;
}

/* One conversion of C's printf, from behind its %, as Python's format spec; *s goes to its end. */
static const char *c_spec(lower *l, const char **s) {
    const char *p = *s;
    bool left = false, zero = false;
    for (; *p && strchr("-+ #0", *p); p++) {
        left = left || *p == '-';
        zero = zero || *p == '0';
    }
    size_t width = strspn(p, "0123456789."), length = strspn(p + width, "hlzjt");
    char kind = p[width + length];
    *s = p + width + length + (kind != 0);
    const char *python = strchr("dfFeEgGxXo", kind) && kind ? arena_printf(l->mem, "%c", kind) : "";
    return arena_printf(l->mem, "%s%.*s%s", left ? "<" : zero ? "0" : ">", (int)width, p, python);
}

fv lower_printf(lower *l, const ast *n, fv *args, uint32_t nargs) {
    if (!nargs || args[0].kind != FV_static || args[0].st.kind != ST_str) {
        fail(l, n, "write asc.printf(\"%d\\n\", x)", "printf() needs a constant string first");
        return (fv){0};
    }
    const char *s = args[0].st.s;
    fv *parts = ARENA_ARRAY(l->mem, fv, 2 * strlen(s) + 2);
    uint32_t k = 0, used = 1;
    parts[k++] = piece_text(l, "");
    while (*s && l->st == OK) {
        size_t run = strcspn(s, "%");
        if (run)
            parts[k++] = piece_text(l, arena_strndup(l->mem, s, run));
        s += run;
        if (!*s)
            break;
        if (s[1] == '%') {
            parts[k++] = piece_text(l, "%");
            s += 2;
            continue;
        }
        s++;
        const char *spec = c_spec(l, &s);
        if (used == nargs) {
            fail(l, n, "give each % a value", "printf() has more conversions than values");
            return (fv){0};
        }
        fv x = args[used++];
        parts[k++] = x.kind == FV_val && x.v->type.kind != TY_tensor ? piece_value(l, x.v, 0, spec)
                                                                     : text_of(l, n, x);
    }
    fv t = text_join(l, parts, k);
    if (l->st == OK)
        print_text(l, n, t);
    return fv_none();
}

fv lower_print(lower *l, const ast *n) {
    const ast_field *args = &n->f[Call_args];
    const char *sep = print_option(l, n, "sep", " "), *end = print_option(l, n, "end", "\n");
    fv *parts = ARENA_ARRAY(l->mem, fv, 2 * args->n + 2);
    uint32_t k = 0;
    for (uint32_t i = 0; i < args->n && l->st == OK; i++) {
        fv x = {0};
        if (args->list[i]->kind == AST_Starred) {
            x = lower_expr(l, args->list[i]->f[Starred_value].node);
            fail(l, n, "name the values", "print(*x) is not supported in kernels");
        } else
            x = lower_expr(l, args->list[i]);
        if (i)
            parts[k++] = piece_text(l, sep);
        if (l->st == OK)
            parts[k++] = text_of(l, args->list[i], x);
    }
    parts[k++] = piece_text(l, end);
    if (l->st != OK)
        return (fv){0};
    fv t = text_join(l, parts, k);
    print_text(l, n, t);
    return fv_none();
}
