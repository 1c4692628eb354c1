/* Do the work-items keep to places of their own in an argument tensor? */
#ifndef ANA_APART_H
#define ANA_APART_H
#include "ir/ir.h"

/* The axes that the ids along dims 0, 1 and 2 subscript in every access to argument t, 4 bits each
   (15: the kernel does not ask for ids along that dim); -1 when some access does otherwise. Two
   arguments that are the same array and have the same answer are as safe as two arrays: no
   work-item touches what another does. dims: the ids asked for, a bit each. */
int ana_apart(const ir_func *f, const ir_value *t, int dims);
#endif
