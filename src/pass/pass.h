/* Passes and their driver. */
#ifndef PASS_PASS_H
#define PASS_PASS_H
#include "ir/ir.h"

typedef struct {
    int width_bytes;  /* of the target's vectors */
    int pairs;        /* op pairs is to be had for 1: i16, 2: bf16, 3: both */
    int fastmath;     /* -1: nothing may be reassociated; 0: recognised accumulations */
    int alias;        /* arguments may overlap */
    int same;         /* two of them may be the same */
    str *notes;       /* NULL, or where passes say what they see in which line */
    int64_t block[3]; /* work-items of the launch's blocks; 0: the launcher's own, -1: not known */
    int verify;       /* after each pass: 1 the verifier, 2 print and parse too */
} pass_options;

typedef status pass_fn(ir_func *f, diag *d, const pass_options *o);
typedef struct {
    const char *name;
    pass_fn *run;
    ir_stage stage;
    const char *doc;
} pass_info;

#define PASS(name, stage, doc) pass_fn pass_##name;
#include "pass/pass.def"
#undef PASS

/* A line for k.explain, where it is asked for. */
void pass_note(const pass_options *o, const ir_func *f, const ir_op *op, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The loops from op inwards by their counters: "i, j, k". */
const char *pass_loops(const ir_func *f, const ir_op *op);

/* The op lanes that is all that a kernel of work-items does, where nothing shows which block one is
   in; or NULL. */
ir_op *pass_work_items(const ir_func *f);
/* Does pass sized make another kernel of f for each size of block? Then 1 or, if the launcher's own
   blocks are 16 x 16, 2. */
int pass_knows_sizes(const ir_func *f, const pass_options *o);

const pass_info *pass_find(const char *name); /* NULL when there is none */
/* pipeline: names with commas between. */
status pass_run(ir_func *f, const char *pipeline, const pass_options *o, diag *d);
#endif
