/* The IR: functions hold regions, regions hold ops, some ops hold regions. Python variables are
   cells until promote; every other value is SSA inside its region and visible in the regions nested
   in it. All memory is the module's arena. */
#ifndef IR_IR_H
#define IR_IR_H
#include "base/arena.h"
#include "base/diag.h"
#include "base/dtype.h"
#include "base/str.h"
#include <stdbool.h>

enum {
#define OP(name, nin, nout, nreg, eff, rule, attrs, doc) OP_##name,
#include "ir/op.def"
#undef OP
    OP_COUNT
};

typedef enum { TY_none, TY_any, TY_val, TY_tensor, TY_cell } ir_kind;
/* slot: per work-item like local, but made by split, and written before it is read; kept: of the
   thread, from one block to the next */
typedef enum { SP_global, SP_shared, SP_kept, SP_local, SP_slot } ir_space;
/* What is known of a tensor's innermost stride: nothing, one element, zero (a broadcast). In the
 * latter two every access is aligned. */
enum { IR_STRIDED, IR_UNIT, IR_SAME };
/* Shared tiles of a kernel: may be forwarded for blocks of another shape; were so for this one; and
 * it is the worse for it unless the work-items go as a whole. */
enum { IR_BY_BLOCK = 1, IR_FORWARDED, IR_ON_TRIAL };

/* Text: `?` any; `f32` value; `f32x16` vector; `f32[2]` tensor of rank 2, any strides; `f32[2]c`
   innermost stride is one element, `f32[2]b` it is zero; `f32[1]c.shared`, `f32[1]c.local`; `f32&`
   cell (`f32x16&`, `?&`: a cell of a type not yet inferred has any=1). */
typedef struct {
    uint8_t kind, dt, rank, space;
    uint8_t contig, any;
    uint16_t lanes; /* 1 for scalars */
} ir_type;

typedef struct ir_value ir_value;
typedef struct ir_op ir_op;
typedef struct ir_region ir_region;
typedef struct ir_func ir_func;

struct ir_value {
    uint32_t id; /* dense in the function */
    ir_type type;
    ir_op *def;        /* NULL for a region argument */
    ir_region *region; /* of which it is an argument, or NULL */
    const char *name;  /* Python name, or NULL; unique names are made by the printer */
    void *aux;         /* scratch of the running pass: NULL at its start and end */
};

typedef struct {
    int64_t i; /* INT, LABEL; length of INTS */
    double f;
    const char *s;
    const int64_t *v;
} ir_attr;

struct ir_op {
    uint16_t code, nin, nout, nreg;
    uint32_t site; /* index in func->locs: the Python span */
    ir_value **in, **out;
    ir_region **reg;
    ir_attr attr[2];
    ir_op *prev, *next;
    ir_region *parent;
};

struct ir_region {
    ir_op *first, *last, *owner; /* owner NULL: the function's body */
    ir_value **args;
    uint32_t nargs;
};

/* A number among the kernel's arguments that is the same in all launches of this version. */
typedef struct ir_known {
    ir_value *arg;
    int64_t value;
    struct ir_known *next;
} ir_known;

struct ir_func {
    arena *mem;
    const char *name;
    ir_region *body; /* its arguments are the kernel's, hidden ones last */
    ir_known *known;
    uint32_t nvalues, nlabels;
    loc *locs;
    uint32_t nlocs, caplocs;
    int simt;         /* 1: runs per work-item */
    int whole;        /* all work-items are one block: contract has made them loops */
    int width;        /* vector width chosen by lanes, else 0 */
    int strip;        /* work-items that go down columns together, else 0: see pass/lanes_strip.c */
    int prints;       /* has a print: one thread, one lane */
    int64_t block[3]; /* all blocks are whole and of that shape; 0: not known */
    int tiled;        /* by pass tiles: 0, IR_BY_BLOCK ... */
};

typedef enum { EFF_PURE, EFF_READ, EFF_WRITE, EFF_CTRL } ir_effect;
typedef enum { RULE_SAME, RULE_BOOL, RULE_FREE, RULE_VOID } ir_rule;
typedef enum { AT_none, AT_INT, AT_FLT, AT_STR, AT_LABEL, AT_INTS } ir_attr_kind;
enum { IR_ANY = -1 };

typedef struct {
    const char *name;
    int8_t nin, nout, nreg;
    uint8_t effect, rule;
    struct {
        uint8_t kind;
        const char *name;
    } attr[2];
    const char *doc;
} ir_op_info;
extern const ir_op_info ir_ops[OP_COUNT];

/* The mode of op touch: a store; look for races; for reads of what nothing was stored to; local ids
   follow the subscripts (lanes adds them), or the number of a parallel_for's iteration does. */
enum { TOUCH_write = 1, TOUCH_race = 2, TOUCH_init = 4, TOUCH_ids = 8, TOUCH_item = 16 };

/* types */
static inline ir_type ir_val(dtype dt, unsigned lanes) {
    return (ir_type){TY_val, (uint8_t)dt, 0, 0, 0, 0, (uint16_t)lanes};
}
static inline ir_type ir_any(void) { return (ir_type){TY_any, 0, 0, 0, 0, 0, 1}; }
bool ir_type_eq(ir_type a, ir_type b);

/* build.c: the only code that creates, rewires or removes */
ir_func *ir_func_new(arena *mem, const char *name);
uint32_t ir_site(ir_func *f, loc at);
loc ir_loc(const ir_func *f, const ir_op *op);
ir_value *ir_value_new(ir_func *f, ir_type t, const char *name);
ir_region *ir_region_new(ir_func *f, ir_op *owner);
ir_value *ir_region_arg(ir_func *f, ir_region *r, ir_type t, const char *name); /* appends */
void ir_know(ir_func *f, ir_value *arg, int64_t value);
const ir_known *ir_known_of(const ir_func *f, const ir_value *arg); /* or NULL */
ir_op *ir_op_new(ir_func *f, int code, uint32_t site, unsigned nin, unsigned nout,
                 unsigned nreg); /* detached; regions
empty; in[] to be filled; outs made with type any */
void ir_append(ir_region *r, ir_op *op);
void ir_before(ir_op *at, ir_op *op);
void ir_remove(ir_op *op); /* unlinks; the op may be inserted again */
void ir_add_in(ir_func *f, ir_op *op, ir_value *v);
ir_value *ir_add_out(ir_func *f, ir_op *op, ir_type t, const char *name);
/* Replacement in one walk in order: v's uses, all still to come, become `to`, which is not
   forwarded itself. The walk calls ir_follow on each op that it comes to. In aux, but for cells:
   the pass clears it at its end. */
void ir_forward(ir_value *v, ir_value *to);
void ir_follow(ir_op *op);
/* One-result helpers that append to r: */
ir_value *ir_emit(ir_func *f, ir_region *r, uint32_t site, int code, ir_type t, unsigned nin,
                  ir_value *const *in);
ir_value *ir_iconst(ir_func *f, ir_region *r, uint32_t site, dtype dt, int64_t v);
ir_value *ir_fconst(ir_func *f, ir_region *r, uint32_t site, dtype dt, double v);
/* clone.c: a copy of r's ops, with args for its arguments, before `at`; what its yield gives goes
   to results. */
void ir_clone_before(ir_func *f, const ir_region *r, ir_value *const *args, ir_op *at,
                     ir_value **results);
ir_func *ir_copy(const ir_func *f);
/* walk.c, nested regions included */
bool ir_has_op(const ir_region *r, int code);
int ir_count(const ir_region *r);
/* The input where the subscripts of a scalar load, store or atomic begin; 0 for other ops. */
int ir_subscripts(const ir_op *op);
bool ir_unit_step(const ir_op *loop); /* a `for` of step 1 */
void ir_clear_aux(const ir_region *r);
void ir_replace(const ir_region *r, const ir_value *v, ir_value *by); /* all uses in r */
/* Does the value's definition stand inside region r (or a region nested in it)? */
bool ir_inside(const ir_value *v, const ir_region *r);

/* print.c, parse.c, verify.c. Total: ir_print(ir_parse(ir_print(f))) is the same text. */
void ir_print(const ir_func *f, str *out);
status ir_parse(const char *text, size_t n, arena *mem, diag *d, ir_func **out);
typedef enum {
    STAGE_front,
    STAGE_mid,
    STAGE_cpu
} ir_stage; /* front: `any` types allowed; cpu: vectors, no lanes/barrier */
status ir_verify(const ir_func *f, ir_stage stage, diag *d);
#endif
