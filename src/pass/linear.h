/* Whole numbers as sums of values times constants, as subscripts are. */
#ifndef PASS_LINEAR_H
#define PASS_LINEAR_H
#include "pass/pass.h"

enum { LINEAR_MAX = 8 };
typedef struct {
    ir_value *v[LINEAR_MAX];
    int64_t c[LINEAR_MAX];
    int n;
    int64_t k; /* v[0] * c[0] + .. + k */
} linear;

bool linear_of(ir_value *v, linear *out);            /* false: more terms than fit */
int linear_term(const linear *x, const ir_value *v); /* where the same value is; -1: nowhere */
void linear_drop(linear *x, int term);
void linear_add(linear *x, ir_value *v, int64_t c);
bool linear_is_part(const ir_op *op); /* linear_of looks through it */
/* Calls rule for each sum in r that something other than a sum takes; where it says that it has
   changed the sum, that is computed anew. */
typedef bool linear_rule(void *self, linear *x);
void linear_rewrite(ir_func *f, ir_region *r, linear_rule *rule, void *self);
#endif
