/* Exceptions. Calls are lowered in place, so where an exception is caught is known here: a raise
   notes which it is, and leaves to the handler's scope; one that nobody catches is a `raise` op,
   which ends the work-item. What must be done on the way (a finally, a mutex) is lowered once more
   for each way out. */
#include "front/lower.h"
#include <string.h>

/* Runs what stands above down_to. True: a finally has gone elsewhere itself. */
bool lower_exit(lower *l, const ast *n, uint32_t down_to) {
    uint32_t held = l->cleanups.n, n_kept = held - down_to;
    handler *outer = l->handler, *caught = l->caught;
    bool ended = false;
    cleanup *kept =
        ARENA_ARRAY(l->mem, cleanup, n_kept + 1); /* a try in a finally writes over them */
    if (n_kept)
        memcpy(kept, l->cleanups.p + down_to, n_kept * sizeof *kept);
    while (!ended && l->cleanups.n > down_to && l->st == OK) {
        cleanup c = l->cleanups.p[--l->cleanups.n];
        if (c.lock) {
            emit_lock(l, n, c.lock, false);
            continue;
        }
        l->handler = c.outer;
        ended = lower_stmts(l, c.final->list, c.final->n);
    }
    l->cleanups.n = held;
    if (n_kept)
        memcpy(l->cleanups.p + down_to, kept, n_kept * sizeof *kept);
    l->handler = outer;
    l->caught = caught;
    return ended;
}

uint32_t raise_new(lower *l, const ast *n, const front_static *cls, const front_piece *pieces,
                   uint32_t npieces) {
    front_raise r = {
        .cls = cls->handle, .line = n->at.line, .file = n->at.file, .text = {NULL, npieces}};
    r.text.pieces = ARENA_ARRAY(l->mem, front_piece, npieces + 1);
    if (npieces)
        memcpy(r.text.pieces, pieces, npieces * sizeof *pieces);
    vec_push(l->mem, &l->raises, r);
    return l->raises.n - 1;
}

static bool catches(lower *l, const handler *h, void *cls) {
    for (uint32_t i = 0; i < h->nclasses; i++)
        if (l->env->is_a(l->env->self, cls, h->classes[i].handle))
            return true;
    return h->all;
}

/* Could an exception of this built-in class be caught around here? A finally alone does not count.
 */
bool may_catch(lower *l, const char *cls) {
    front_static c = {0};
    for (handler *h = l->handler; h; h = h->outer) {
        if (!c.handle)
            l->env->exception(l->env->self, cls, &c);
        for (uint32_t i = 0; i < h->nclasses; i++)
            if (l->env->is_a(l->env->self, c.handle, h->classes[i].handle))
                return true;
    }
    return false;
}

static void throw_to(lower *l, const ast *n, handler *h, uint32_t slot, ir_value **values,
                     uint32_t nvalues) {
    raise_site *site = NULL;
    for (uint32_t i = 0; i < h->sites.n; i++)
        if (h->sites.p[i].slot == slot)
            site = &h->sites.p[i];
    if (!site) {
        raise_site new = {slot, ARENA_ARRAY(l->mem, ir_value *, nvalues + 1), nvalues};
        for (uint32_t i = 0; i < nvalues; i++)
            new.cells[i] = cell_new(l, NULL, n->at);
        vec_push(l->mem, &h->sites, new);
        site = &h->sites.p[h->sites.n - 1];
    }
    for (uint32_t i = 0; i < nvalues; i++)
        cell_set(l, n, site->cells[i], values[i]);
    cell_set(l, n, h->which, int_const(l, n, DT_i64, slot));
    if (!lower_exit(l, n, h->cleanups))
        emit_leave(l, n, h->label);
}

/* Ends the region. */
void lower_throw(lower *l, const ast *n, uint32_t slot, ir_value **values, uint32_t nvalues) {
    handler *h = l->handler;
    while (h && !catches(l, h, l->raises.p[slot].cls))
        h = h->outer;
    if (h) {
        throw_to(l, n, h, slot, values, nvalues);
        return;
    }
    if (lower_exit(l, n, 0))
        return;
    ir_op *op = ir_op_new(l->f, OP_raise, ir_site(l->f, n->at), nvalues, 0, 0);
    for (uint32_t i = 0; i < nvalues; i++)
        op->in[i] = values[i];
    op->attr[0].i = slot;
    ir_append(l->r, op);
    flow_end(l);
}

static void throw_text(lower *l, const ast *n, const front_static *cls, fv message) {
    ir_value **values = ARENA_ARRAY(l->mem, ir_value *, message.n + 1);
    for (uint32_t i = 0; i < message.n; i++)
        values[i] = lower_as_val(l, message.elts[i], n->at);
    if (message.n > FRONT_MAX_RAISED)
        fail(l, n, "show fewer of them", "an exception's message has more than %d values",
             FRONT_MAX_RAISED);
    if (l->st == OK)
        lower_throw(l, n, raise_new(l, n, cls, message.pieces, message.npieces), values, message.n);
}

void throw_if(lower *l, const ast *n, ir_value *bad, const char *cls, fv message) {
    front_static c = {0};
    l->env->exception(l->env->self, cls, &c);
    ir_op *op = open_if(l, n, bad);
    ir_region *outer = l->r;
    flow before = flow_copy(l);
    l->r = op->reg[0];
    throw_text(l, n, &c, message);
    l->flow = before;
    empty_region(l, n, op->reg[1]);
    l->r = outer;
}

/* The values that came with site i of h, again. */
static void throw_again(lower *l, const ast *n, const handler *h, uint32_t i) {
    raise_site s = h->sites.p[i];
    ir_value **values = ARENA_ARRAY(l->mem, ir_value *, s.n + 1);
    for (uint32_t k = 0; k < s.n; k++)
        values[k] = emit(l, n, OP_get, ir_any(), 1, &s.cells[k]);
    lower_throw(l, n, s.slot, values, s.n);
}

static ir_value *is_slot(lower *l, const ast *n, const handler *h, uint32_t slot) {
    ir_value *which = h->which, *get = emit(l, n, OP_get, ir_any(), 1, &which);
    ir_value *in[2] = {get, int_const(l, n, DT_i64, slot)};
    return emit(l, n, OP_eq, ir_val(DT_bool, 1), 2, in);
}

/* Throws what h has caught, of the sites marked. Ends the region. */
static void rethrow(lower *l, const ast *n, const handler *h, const bool *mark) {
    uint32_t left = 0, last = 0;
    for (uint32_t i = 0; i < h->sites.n; i++)
        if (!mark || mark[i])
            left++, last = i;
    ir_region *outer = l->r;
    for (uint32_t i = 0; i < last && l->st == OK; i++) {
        if (mark && !mark[i])
            continue;
        ir_op *op = open_if(l, n, is_slot(l, n, h, h->sites.p[i].slot));
        ir_region *here = l->r;
        flow before = flow_copy(l);
        l->r = op->reg[0];
        throw_again(l, n, h, i);
        l->flow = before;
        empty_region(l, n, op->reg[1]);
        l->r = here;
    }
    if (left)
        throw_again(l, n, h, last);
    l->r = outer;
}

/* An argument of an exception, as text: a mark, then what it says. */
static fv argument(lower *l, const ast *n, const ast *e) {
    front_piece *next = ARENA_NEW(l->mem, front_piece);
    *next = (front_piece){.value = FRONT_NEXT_ARG};
    fv both[2] = {{.kind = FV_text, .pieces = next, .npieces = 1}};
    both[1] = text_of(l, n, lower_expr(l, e));
    return l->st == OK ? text_join(l, both, 2) : (fv){0};
}

/* The class and its arguments of `raise E(...)` or `raise E`. */
bool lower_raise(lower *l, const ast *n) {
    if (n->f[Raise_exc].kind != AF_node) {
        if (!l->caught) {
            fail(l, n, "name the exception: raise ValueError(\"...\")",
                 "there is no exception here to raise again");
            return true;
        }
        rethrow(l, n, l->caught, NULL);
        return true;
    }
    const ast *e = n->f[Raise_exc].node;
    fv x = lower_expr(l, e->kind == AST_Call ? e->f[Call_func].node : e);
    if (x.kind == FV_exc && e->kind != AST_Call) {
        rethrow(l, n, x.exc, NULL);
        return true;
    }
    if (x.kind != FV_static || x.st.kind != ST_class || !x.st.exc) {
        fail(l, e,
             "write raise ValueError(\"...\"), or a class of yours that inherits from Exception",
             "%s cannot be raised", say_what(l, x));
        return true;
    }
    fv message = {.kind = FV_text};
    uint32_t nargs = e->kind == AST_Call ? e->f[Call_args].n : 0;
    if (e->kind == AST_Call && e->f[Call_keywords].n)
        fail(l, e, "give the arguments by position", "an exception takes no keywords in kernels");
    fv *parts = ARENA_ARRAY(l->mem, fv, nargs + 1);
    for (uint32_t i = 0; i < nargs; i++)
        parts[i] = argument(l, e, e->f[Call_args].list[i]);
    if (nargs)
        message = text_join(l, parts, nargs);
    if (l->st == OK)
        throw_text(l, n, &x.st, message);
    return true;
}

void lower_assert(lower *l, const ast *n) {
    ir_value *ok = lower_cond(l, n->f[Assert_test].node);
    if (l->st != OK || (ok->def && ok->def->code == OP_iconst && ok->def->attr[0].i))
        return;
    front_static c = {0};
    int64_t known;
    if (l->env->asc && const_of(fv_val(ok), &known)) { /* asc's asserts are the compiler's */
        const ast *m = n->f[Assert_msg].kind == AF_node ? n->f[Assert_msg].node : NULL;
        bool text = m && m->kind == AST_Constant && m->f[Constant_value].kind == AF_str;
        fail(l, n, "change the arguments, or what the kernel asks of them", "AssertionError%s%s",
             text ? ": " : "", text ? m->f[Constant_value].s : "");
        return;
    }
    l->env->exception(l->env->self, "AssertionError", &c);
    ir_op *op = open_if(l, n, ok);
    ir_region *outer = l->r;
    flow before = flow_copy(l);
    empty_region(l, n, op->reg[0]);
    l->r = op->reg[1];
    fv message = {.kind = FV_text};
    if (n->f[Assert_msg].kind == AF_node)
        message = argument(l, n, n->f[Assert_msg].node);
    if (l->st == OK)
        throw_text(l, n, &c, message);
    l->flow = before;
    l->r = outer;
}

/* The text of the exception that h has caught: of the one place that may have raised it. */
fv exc_text(lower *l, const ast *n, const handler *h) {
    if (h->sites.n != 1) {
        fail(l, n, "say what went wrong in words of the handler",
             "the message of an exception that %u places may raise is not kept", h->sites.n);
        return (fv){0};
    }
    const raise_site *s = &h->sites.p[0];
    const front_raise *r = &l->raises.p[s->slot];
    fv t = {.kind = FV_text, .pieces = r->text.pieces, .npieces = r->text.n, .n = s->n};
    if (t.npieces && t.pieces[0].value == FRONT_NEXT_ARG)
        t.pieces++, t.npieces--;
    t.elts = ARENA_ARRAY(l->mem, fv, s->n + 1);
    for (uint32_t k = 0; k < s->n; k++)
        t.elts[k] = fv_val(emit(l, n, OP_get, ir_any(), 1, &s->cells[k]));
    return t;
}

/* The classes of one except clause; of `except:` BaseException. */
static bool clause_classes(lower *l, const ast *clause, front_static *out, uint32_t *n) {
    if (clause->f[ExceptHandler_type].kind != AF_node) {
        l->env->exception(l->env->self, "BaseException", &out[(*n)++]);
        return true;
    }
    const ast *t = clause->f[ExceptHandler_type].node;
    uint32_t count = t->kind == AST_Tuple ? t->f[Tuple_elts].n : 1;
    for (uint32_t i = 0; i < count; i++) {
        const ast *e = t->kind == AST_Tuple ? t->f[Tuple_elts].list[i] : t;
        fv x = lower_expr(l, e);
        if (x.kind != FV_static || x.st.kind != ST_class || !x.st.exc) {
            fail(l, e, "name exception classes: except (ValueError, IndexError):",
                 "except needs an exception class, not %s", say_what(l, x));
            return false;
        }
        out[(*n)++] = x.st;
    }
    return true;
}

typedef struct {
    const ast *n;
    handler hand, fin;
    label end, at_hand, at_fin;
    uint32_t first[33], depth; /* classes of clause i: first[i] to first[i + 1] */
    front_static classes[128];
} try_state;

static void open_handler(lower *l, const ast *n, handler *h, label *x) {
    *h = (handler){.outer = l->handler, .cleanups = l->cleanups.n};
    h->which = cell_new(l, NULL, n->at);
    h->label = open_scope(l, n, x)->attr[0].i;
    l->handler = h;
}

/* The normal way out: through the finally, to the end. */
static void finish(lower *l, try_state *t, bool ended) {
    if (!ended && l->st == OK && !lower_exit(l, t->n, t->depth))
        emit_leave(l, t->n, t->end.id);
}

static void handle(lower *l, try_state *t, const ast *clause) {
    if (clause->f[ExceptHandler_name].kind == AF_str) {
        ast name = {.kind = AST_Name, .name = "Name", .at = clause->at};
        name.f[Name_id] = clause->f[ExceptHandler_name];
        lower_assign(l, &name, (fv){.kind = FV_exc, .exc = &t->hand});
    }
    handler *outer = l->caught;
    l->caught = &t->hand;
    bool ended =
        lower_stmts(l, clause->f[ExceptHandler_body].list, clause->f[ExceptHandler_body].n);
    l->caught = outer;
    finish(l, t, ended);
}

/* Is one of the sites that clause k takes the one that was raised? NULL: surely. */
static ir_value *takes(lower *l, try_state *t, uint32_t k, bool *left, uint32_t *nleft) {
    ir_value *any = NULL;
    for (uint32_t i = 0; i < t->hand.sites.n; i++) {
        bool mine = false;
        uint32_t slot = t->hand.sites.p[i].slot;
        for (uint32_t c = t->first[k]; left[i] && c < t->first[k + 1]; c++)
            mine = mine || l->env->is_a(l->env->self, l->raises.p[slot].cls, t->classes[c].handle);
        if (!mine)
            continue;
        left[i] = false;
        --*nleft;
        ir_value *in[2] = {any, is_slot(l, t->n, &t->hand, slot)};
        any = any ? emit(l, t->n, OP_or, ir_val(DT_bool, 1), 2, in) : in[1];
    }
    return any;
}

static void dispatch(lower *l, try_state *t) {
    uint32_t n = t->hand.sites.n, left = n;
    bool *mark = ARENA_ARRAY(l->mem, bool, n + 1);
    memset(mark, 1, n);
    const ast_field *clauses = &t->n->f[Try_handlers];
    for (uint32_t k = 0; k < clauses->n && left && l->st == OK; k++) {
        ir_value *mine = takes(l, t, k, mark, &left);
        if (!mine)
            continue;
        if (!left) {
            handle(l, t, clauses->list[k]);
            return;
        }
        ir_op *op = open_if(l, clauses->list[k], mine);
        ir_region *here = l->r;
        flow before = flow_copy(l);
        l->r = op->reg[0];
        handle(l, t, clauses->list[k]);
        l->flow = before;
        empty_region(l, t->n, op->reg[1]);
        l->r = here;
    }
    if (l->st == OK)
        rethrow(l, t->n, &t->hand, mark);
}

static void try_and_handlers(lower *l, try_state *t) {
    const ast_field *body = &t->n->f[Try_body], *orelse = &t->n->f[Try_orelse];
    bool ended, handlers = t->n->f[Try_handlers].n > 0;
    ir_region *outer = l->r;
    if (handlers) {
        open_handler(l, t->n, &t->hand, &t->at_hand);
        t->hand.classes = t->classes;
        t->hand.nclasses = t->first[t->n->f[Try_handlers].n];
    }
    ended = lower_stmts(l, body->list, body->n);
    if (handlers)
        l->handler = t->hand.outer;
    if (!ended && orelse->kind == AF_list)
        ended = lower_stmts(l, orelse->list, orelse->n);
    finish(l, t, ended);
    if (!handlers)
        return;
    close_scope(l, t->n, &t->at_hand, true, outer);
    if (t->hand.sites.n)
        dispatch(l, t);
    else
        empty_region(l, t->n, l->r); /* nothing in the body raises */
}

void lower_try(lower *l, const ast *n) {
    try_state *t = ARENA_NEW(l->mem, try_state);
    const ast_field *clauses = &n->f[Try_handlers], *final = &n->f[Try_finalbody];
    bool finally = final->kind == AF_list && final->n;
    *t = (try_state){.n = n, .depth = l->cleanups.n};
    uint32_t count = 0;
    for (uint32_t i = 0; i < clauses->n && l->st == OK; i++) {
        if (i >= 32 || count > 96) {
            fail(l, n, "put them under one except", "a try has too many except clauses");
            return;
        }
        t->first[i] = count;
        clause_classes(l, clauses->list[i], t->classes, &count);
        t->first[i + 1] = count;
    }
    if (l->st != OK)
        return;
    ir_region *outer = l->r;
    open_scope(l, n, &t->end);
    ir_region *in_end = l->r;
    if (finally) {
        open_handler(l, n, &t->fin, &t->at_fin);
        t->fin.all = true;
        cleanup c = {.final = final, .outer = t->fin.outer};
        vec_push(l->mem, &l->cleanups, c);
        t->fin.cleanups = l->cleanups.n; /* an exception does not run it on the way: fin does */
    }
    try_and_handlers(l, t);
    if (finally && l->st == OK) {
        l->cleanups.n = t->depth;
        l->handler = t->fin.outer;
        close_scope(l, n, &t->at_fin, true, in_end);
        if (!t->fin.sites.n)
            empty_region(l, n, l->r);
        else if (!lower_stmts(l, final->list, final->n))
            rethrow(l, n, &t->fin, NULL);
    }
    close_scope(l, n, &t->end, true, outer);
}
