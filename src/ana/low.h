/* The least value that an integer can have. */
#ifndef ANA_LOW_H
#define ANA_LOW_H
#include "ir/ir.h"

enum { ANA_UNKNOWN = -1000000 }; /* below what is asked for: "maybe any" */
/* The least value of v as far as ops show it (barring overflow of 2^63), ANA_UNKNOWN at the least,
   where `from_zero`, which may be NULL, is taken not to be negative. */
int ana_low(const ir_value *v, const ir_value *from_zero);
#endif
