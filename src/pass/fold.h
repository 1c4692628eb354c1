/* Constants and algebra for one op, for passes that copy code and know more of it than before. */
#ifndef PASS_FOLD_H
#define PASS_FOLD_H
#include "ir/ir.h"

/* The value that stands for op's one result: that, or an operand. op may become a constant. op is
   pure and has no regions. */
ir_value *fold_value(ir_op *op);
#endif
