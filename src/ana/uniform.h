/* Which values differ between the work-items that run together. */
#ifndef ANA_UNIFORM_H
#define ANA_UNIFORM_H
#include "ir/ir.h"

typedef struct {
    bool *varying;   /* by value id */
    bool *divergent; /* by scope label: some leave to it is taken by a part of the work-items */
} ana_uniform;

/* lane_dims: bit d set when ids of dim d differ (1: lanes along dim 0; 7: a whole block). For a
   block, what is read from memory that the kernel writes counts as varying. Arguments of r vary,
   but the kernel's. */
ana_uniform ana_uniform_of(ir_func *f, const ir_region *r, int lane_dims);
/* Does op hold a leave to a divergent scope outside op? */
bool ana_may_leave(const ir_op *op, const ana_uniform *u);
#endif
