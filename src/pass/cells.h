/* The variables that a pass follows: the cells at the head of a function, numbered, and what each
   of them holds at the point that a walk in order has come to. */
#ifndef PASS_CELLS_H
#define PASS_CELLS_H
#include "base/vec.h"
#include "pass/pass.h"

typedef struct {
    uint32_t cell;
    void *held;
} cells_undo;

typedef struct {
    ir_func *f;
    ir_value **v; /* by number; NULL: one that the pass leaves alone */
    void **held;  /* by number */
    uint32_t n, round;
    uint32_t *seen; /* by number: the last round of cells_in that met it */
    VEC(cells_undo) log;
} cells;

cells cells_of(ir_func *f);                          /* aux of each cell holds its number */
int cells_number(const cells *c, const ir_value *v); /* -1: not one of them */
void cells_hold(cells *c, uint32_t cell, void *x);
/* Back to what the cells held when the log was so long: at the end of a region, whose assignments
   count only by what is merged. */
void cells_back(cells *c, uint32_t log);
/* The cells set (with gets: or read) in op's regions, in order. */
uint32_t cells_in(cells *c, const ir_op *op, bool gets, uint32_t **out);
#endif
