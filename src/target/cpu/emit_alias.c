/* Alias scopes: each argument tensor has one, and each piece of scratch memory; those that share no
   byte are told apart. A scope is a distinct node: its identity is a self reference, which llvm-c
   makes by replacing a temporary. */
#include "base/vec.h"
#include "target/cpu/llvm.h"
#include <llvm-c/DebugInfo.h>

typedef struct {
    const ir_value *t;
    LLVMMetadataRef scope;
    int64_t from, to; /* bytes of the scratch; arguments: none */
} piece;

typedef VEC(piece) pieces;

enum { MOST = 64 }; /* each knows of all others */

static LLVMMetadataRef unique(emit *e, LLVMMetadataRef rest) {
    LLVMMetadataRef tmp = LLVMTemporaryMDNode(e->c, NULL, 0), ops[2] = {tmp, rest};
    LLVMMetadataRef node = LLVMMDNodeInContext2(e->c, ops, rest ? 2 : 1);
    LLVMMetadataReplaceAllUsesWith(tmp, node);
    return node;
}

static void add(emit *e, pieces *list, LLVMMetadataRef domain, const ir_value *t, int64_t from,
                int64_t bytes) {
    piece x = {t, unique(e, domain), from, from + bytes};
    vec_push(e->f->mem, list, x);
}

static void scratch(emit *e, pieces *list, LLVMMetadataRef domain, const ir_region *r) {
    for (const ir_op *op = r->first; op && list->n < MOST; op = op->next) {
        if (op->code == OP_alloc) {
            int64_t bytes = dtype_table[op->out[0]->type.dt].bytes;
            for (int64_t i = 0; i < op->attr[0].i; i++)
                bytes *= op->attr[0].v[i];
            add(e, list, domain, op->out[0], op->attr[1].i, bytes);
        }
        for (int i = 0; i < op->nreg; i++)
            scratch(e, list, domain, op->reg[i]);
    }
}

void cpu_alias_scopes(emit *e) {
    const ir_region *r = e->f->body;
    LLVMMetadataRef domain = unique(e, NULL);
    pieces list = {0};
    for (uint32_t i = 0; i < r->nargs; i++)
        if (r->args[i]->type.kind == TY_tensor)
            add(e, &list, domain, r->args[i], 0, 0);
    scratch(e, &list, domain, r);
    LLVMMetadataRef *apart = ARENA_ARRAY(e->f->mem, LLVMMetadataRef, list.n + 1);
    for (uint32_t i = 0; i < list.n; i++) {
        const piece *x = &list.p[i];
        unsigned n = 0;
        for (uint32_t j = 0; j < list.n; j++) {
            const piece *y = &list.p[j];
            if (j != i && (x->from >= y->to || y->from >= x->to))
                apart[n++] = y->scope;
        }
        e->scopes[x->t->id] = LLVMMDNodeInContext2(e->c, &list.p[i].scope, 1);
        e->others[x->t->id] = n ? LLVMMDNodeInContext2(e->c, apart, n) : NULL;
    }
}
