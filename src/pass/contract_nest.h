/* A nest of loops that may be a contraction, as it is found: shared by the recogniser's files. */
#ifndef PASS_CONTRACT_NEST_H
#define PASS_CONTRACT_NEST_H
#include "pass/contract.h"

typedef struct {
    contraction *c;
    int *bits;                                   /* by value id, of values inside */
    const ir_op *link[2 * MAX_ITER + MAX_GUARD]; /* loops and ifs from the top to the product */
    int nlink;
    contract_guard guard[MAX_GUARD];
    int nguard;
    ir_op *init;       /* a store before the loops that sum */
    int summing;       /* the iterators from here on are summed over; -1: not known */
    ir_value *carried; /* the sum on its way in, where it is a variable's */
    ir_value *next;    /* the sum with the product added */
    const char *why;   /* it is none */
} nest;

/* The loops, guards, stores and the sum in r, the body of n->c->top. */
bool nest_find(nest *n, const ir_region *r);
bool nest_loop(nest *n, ir_op *op);            /* adds a loop */
bool nest_has(const nest *n, const ir_op *op); /* is it one of the loops and ifs? */
bool nest_no(nest *n, const char *why);        /* false; the first reason is the one told */
int nest_iterator(const contraction *c, const ir_value *v); /* its number; -1: none */
/* What a value comes of: the iterators (1 << number), and more. */
int nest_bits(const nest *n, const ir_value *v);
/* Which iterators of the sums are taps of the last two of the columns: sets c->axis. */
void nest_taps(nest *n, ir_func *f);
#endif
