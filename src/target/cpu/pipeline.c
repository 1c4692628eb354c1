/* LLVM's passes for a kernel. default<O3> spends two thirds of its time on what our code has none
   of (calls to inline, globals, coroutines), on cleaning up after those, and on loops that it
   doubles for no gain. What follows is the rest of it in the same order; measured on fifty kernels
   it makes code as fast. Its parts that only some kernels need:

   - unswitching, where a loop has a condition that does not change in it;
   - vectors from neighbouring statements (SLP), and unrolling by counts known at run time: not in
     kernels with contractions, whose large loops are vectors in blocks already. */
#include "target/cpu/emit.h"
#include <stdio.h>

#define CFG(joins, lookup)                                                                         \
    "simplifycfg<bonus-inst-threshold=1;switch-range-to-icmp;" lookup joins "speculate-blocks>,"
#define CFG_EARLY CFG("", "keep-loops;")
#define CFG_LATE CFG("hoist-common-insts;sink-common-insts;", "keep-loops;")
#define CFG_LAST                                                                                   \
    CFG("hoist-common-insts;sink-common-insts;",                                                   \
        "forward-switch-cond;switch-to-lookup;no-keep-loops;")
#define COMBINE "instcombine<no-verify-fixpoint>,"

/* For large kernels: default<O3> takes two to eight times as long, most of it for what long code
   has little of: loops to unswitch and unroll, scalars to make vectors of, calls to inline. */
#define CLEAN "mem2reg,early-cse<memssa>,simplifycfg," COMBINE
static const char *const large_scalar =
    "function(" CLEAN "loop-mssa(loop-rotate,licm),simplifycfg,loop(indvars,loop-deletion),gvn,dse,"
    "adce,loop-vectorize," COMBINE "simplifycfg)";
static const char *const large_vector = "function(" CLEAN "loop-mssa(licm),gvn,adce,simplifycfg)";

/* %s: unswitching, SLP, unrolling. */
static const char *const usual =
    "function<eager-inv>(sroa<modify-cfg>,early-cse<memssa>," CFG_EARLY COMBINE
    "reassociate,loop-mssa(loop-rotate,licm,simple-loop-unswitch<%s;trivial>)," CFG_EARLY COMBINE
    "loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),sroa<modify-cfg>,gvn,bdce," COMBINE
    "correlated-propagation,adce,memcpyopt,dse,loop-mssa(licm)," CFG_LATE COMBINE
    "loop-vectorize,loop-load-elim," COMBINE CFG_LAST "%s%s," COMBINE
    "loop-mssa(licm),div-rem-pairs," CFG_LAST "adce)";

static bool within(const ir_region *at, const ir_region *r) {
    while (at && at != r)
        at = at->owner ? at->owner->parent : NULL;
    return at;
}

/* May v be the same in each round of the loop with this body? Memory may. */
static bool steady(const ir_value *v, const ir_region *body, int depth) {
    const ir_op *op = v->def;
    if (!within(op ? op->parent : v->region, body))
        return true;
    if (!op || op->nreg || !depth || (op->code != OP_load && ir_ops[op->code].effect != EFF_PURE))
        return false;
    for (int i = 0; i < op->nin; i++)
        if (!steady(op->in[i], body, depth - 1))
            return false;
    return true;
}

static bool has_steady_if(const ir_region *r, const ir_region *loop) {
    for (const ir_op *op = r->first; op; op = op->next) {
        bool loops = op->code == OP_for || op->code == OP_loop;
        if (op->code == OP_if && loop && steady(op->in[0], loop, 6))
            return true;
        for (int i = 0; i < op->nreg; i++)
            if (has_steady_if(op->reg[i], loops ? op->reg[i] : loop))
                return true;
    }
    return false;
}

static bool has_vectors(const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nout; i++)
            if (op->out[i]->type.lanes > 1)
                return true;
        for (int i = 0; i < op->nreg; i++)
            if (has_vectors(op->reg[i]))
                return true;
    }
    return false;
}

void cpu_pipeline(const emit *e, char *out, size_t size) {
    int level = e->o->opt_level;
    /* A contraction's: packed factors, and vectors before lanes' own. */
    bool blocks =
        (e->f->whole || !e->f->simt) && ir_has_op(e->f->body, OP_tmp) && has_vectors(e->f->body);
    if (e->large)
        snprintf(out, size, "%s", e->f->width > 1 ? large_vector : large_scalar);
    else if (level >= 0 && level < 3)
        snprintf(out, size, "default<O%d>", level);
    else
        snprintf(out, size, usual,
                 !blocks && has_steady_if(e->f->body, NULL) ? "nontrivial" : "no-nontrivial",
                 blocks ? "" : "slp-vectorizer,vector-combine,",
                 blocks ? "loop-unroll<O3;no-runtime>" : "loop-unroll<O3>");
}
