/* Shared by the files of pass spread. */
#ifndef PASS_SPREAD_H
#define PASS_SPREAD_H
#include "pass/pass.h"

/* Makes squares of a loop, whose step is 1 and whose iterations are independent, with one such loop
   in it that copies rows of one tensor to columns of another, or of op lanes whose work-items do,
   where nothing depends on the block; false: it is none. */
bool spread_transpose(ir_func *f, ir_op *top, int width_bytes);
#endif
