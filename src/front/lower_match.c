/* match: the cases one after the other, each leaving to the end. */
#include "front/lower.h"
#include <string.h>

/* The condition of a pattern, NULL when it always fits; false after an error. */
static bool pattern_test(lower *l, const ast *p, fv x, ir_value **out);

static bool both(lower *l, const ast *p, int code, ir_value *a, ir_value *b, ir_value **out) {
    ir_value *in[2] = {a, b};
    *out = !a ? b : !b ? a : emit(l, p, code, ir_val(DT_bool, 1), 2, in);
    return l->st == OK;
}

static bool sequence_test(lower *l, const ast *p, fv x, ir_value **out) {
    const ast_field *e = &p->f[MatchSequence_patterns];
    *out = NULL;
    if (x.kind != FV_tuple || x.n != e->n)
        return *out = int_const(l, p, DT_bool, 0), true;
    for (uint32_t i = 0; i < e->n; i++) {
        ir_value *one;
        if (!pattern_test(l, e->list[i], x.elts[i], &one) || !both(l, p, OP_and, *out, one, out))
            return false;
    }
    return true;
}

static bool pattern_test(lower *l, const ast *p, fv x, ir_value **out) {
    *out = NULL;
    switch (p->kind) {
    case AST_MatchValue: {
        fv pair[2] = {x, lower_expr(l, p->f[MatchValue_value].node)};
        if (l->st != OK)
            return false;
        fv c = lower_arith(l, p, OP_eq, pair);
        *out = l->st == OK ? lower_as_val(l, c, p->at) : NULL;
        return l->st == OK;
    }
    case AST_MatchSingleton: {
        bool none = p->f[MatchSingleton_value].kind == AF_none;
        if (none || x.kind != FV_val)
            return *out = int_const(l, p, DT_bool,
                                    none && x.kind == FV_static && x.st.kind == ST_none),
                   true;
        fv pair[2] = {x, fv_val(int_const(l, p, DT_bool, p->f[MatchSingleton_value].i))};
        *out = lower_as_val(l, lower_arith(l, p, OP_eq, pair), p->at);
        return l->st == OK;
    }
    case AST_MatchOr:
        for (uint32_t i = 0; i < p->f[MatchOr_patterns].n; i++) {
            ir_value *one;
            if (!pattern_test(l, p->f[MatchOr_patterns].list[i], x, &one))
                return false;
            if (!one)
                return *out = NULL, true;
            both(l, p, OP_or, *out, one, out);
        }
        return l->st == OK;
    case AST_MatchAs:
        return p->f[MatchAs_pattern].kind != AF_node ||
               pattern_test(l, p->f[MatchAs_pattern].node, x, out);
    case AST_MatchSequence: return sequence_test(l, p, x, out);
    default:
        fail(l, p, "match on constants, `a | b`, tuples and names",
             "this kind of pattern is not supported in kernels");
        return false;
    }
}

static void pattern_names(lower *l, const ast *p, fv x) {
    if (p->kind == AST_MatchAs) {
        if (p->f[MatchAs_pattern].kind == AF_node)
            pattern_names(l, p->f[MatchAs_pattern].node, x);
        if (p->f[MatchAs_name].kind == AF_str) {
            ast name = {.kind = AST_Name, .name = "Name", .at = p->at};
            name.f[Name_id] = p->f[MatchAs_name];
            lower_assign(l, &name, x);
        }
    } else if (p->kind == AST_MatchSequence)
        for (uint32_t i = 0; i < p->f[MatchSequence_patterns].n && i < x.n; i++)
            pattern_names(l, p->f[MatchSequence_patterns].list[i], x.elts[i]);
}

/* A case: names, then the guard, then the body, which leaves to the end of the match. */
static void one_case(lower *l, const ast *c, fv x, const label *end) {
    pattern_names(l, c->f[match_case_pattern].node, x);
    ir_region *outer = l->r;
    bool guarded = c->f[match_case_guard].kind == AF_node;
    flow before = {0};
    if (guarded) {
        ir_op *op = open_if(l, c, lower_cond(l, c->f[match_case_guard].node));
        before = flow_copy(l);
        empty_region(l, c, op->reg[1]);
        l->r = op->reg[0];
    }
    if (l->st == OK && !lower_stmts(l, c->f[match_case_body].list, c->f[match_case_body].n))
        emit_leave(l, c, end->id);
    if (guarded) {
        l->flow = before;
        l->r = outer;
    }
}

void lower_match(lower *l, const ast *n) {
    fv x = lower_expr(l, n->f[Match_subject].node);
    ir_region *outer = l->r;
    label end;
    bool ended = false;
    int64_t k;
    open_scope(l, n, &end);
    for (uint32_t i = 0; i < n->f[Match_cases].n && l->st == OK && !ended; i++) {
        const ast *c = n->f[Match_cases].list[i];
        ir_value *test;
        if (!pattern_test(l, c->f[match_case_pattern].node, x, &test))
            break;
        if (test && const_of(fv_val(test), &k)) {
            if (!k)
                continue;
            test = NULL;
        }
        if (!test) {
            one_case(l, c, x, &end);
            ended = c->f[match_case_guard].kind != AF_node;
            continue;
        }
        ir_op *op = open_if(l, c, test);
        ir_region *here = l->r;
        flow before = flow_copy(l);
        l->r = op->reg[0];
        one_case(l, c, x, &end);
        if (c->f[match_case_guard].kind == AF_node)
            empty_region(l, c, l->r);
        l->flow = before;
        empty_region(l, c, op->reg[1]);
        l->r = here;
    }
    close_scope(l, n, &end, ended, outer);
}
