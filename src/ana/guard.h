/* What is known where a condition holds, and which values are the same number. */
#ifndef ANA_GUARD_H
#define ANA_GUARD_H
#include "ir/ir.h"

/* A bool that is true (holds) or false wherever one looks. */
typedef struct {
    ir_value *cond;
    bool holds;
} ana_guard;

/* Takes ands that hold, ors that do not and inversions apart, into at most max (>= 1) parts that
   all are so. Returns their number. */
int ana_conjuncts(ana_guard g, ana_guard *out, int max);
/* The comparison that g says is true, as an op code with its operands; false: g is none. Only of
   integers, where not less is at least. */
bool ana_compares(ana_guard g, int *code, ir_value **a, ir_value **b);
/* v is known not to be negative where g is so. */
bool ana_guards_low(ana_guard g, const ir_value *v);
/* The same number: the same value, or one made twice from the same. Where both are computed. */
bool ana_same(const ir_value *a, const ir_value *b);
#endif
