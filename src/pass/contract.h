/* A contraction that was recognised: for all i, j: C[..] is made of the sum over k of f * g. */
#ifndef PASS_CONTRACT_H
#define PASS_CONTRACT_H
#include "pass/pass.h"

enum { IT_i, IT_j, IT_k, IT_n };

typedef struct {
    ir_op *top;        /* the outermost of the three loops */
    ir_op *loop[IT_n]; /* j: along C's last subscript of the two; k: summed over */
    ir_value *f, *g;   /* the factors, of (i, k) and (j, k); g may be of j only through k */
    ir_op *store;      /* into C */
    ir_value *sum;     /* the result of loop k; NULL: C itself is added to */
    ir_value *first;   /* what the sum starts from; NULL: C */
    bool plain;        /* what is stored is the sum itself */
    dtype acc;
} contraction;

/* Where values of the kernel were made once more, by id: good while `when` is `now`. */
typedef struct {
    ir_value **of;
    uint32_t *when, now;
} copies;

/* Puts packed, register-blocked loops before c->top, and c->top under the condition that it is too
   small to gain from them. */
void contract_block(ir_func *f, const contraction *c, copies *made, int width_bytes);
#endif
